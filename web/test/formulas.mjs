// The code view says of uniforms what the command's listing says: node formulas.mjs QPUCC MODULES
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { dirname, join, resolve } from "node:path"
import test from "node:test"
import { fileURLToPath } from "node:url"
import { units } from "./units_bundle.mjs"

const [qpucc, modules] = process.argv.slice(2).map(path => resolve(path))
const { besideCode, footnotes, partsOf, wordsOf } = await units(modules)
const cwd = join(dirname(fileURLToPath(import.meta.url)), "../../examples")
const run = (...given) => spawnSync(qpucc, given, { cwd, encoding: "utf8", maxBuffer: 1 << 26 }).stdout

// Of a listing, stage by stage: what stands beside the code, and the footnotes, but for long names (n1).
function listed(text) {
    const stages = []
    for (const line of text.split("\n")) {
        const stage = /^# (Fragment|Vertex|Coordinate) shader of/.exec(line)?.[1].toLowerCase()
        if (stage) stages.push({ stage, beside: [], notes: [] })
        const now = stages.at(-1)
        const note = /^# {3}([eu]\d+) +(= .*)$/.exec(line), more = /^# {8,}(\S.*)$/.exec(line)
        if (note) now.notes.push({ name: note[1], text: note[2].slice(2) })
        else if (more && now?.notes.length && !now.beside.length) now.notes.at(-1).text += ` ${more[1]}`
        const beside = now && /(?:unif = |set-up )(.*)$/.exec(line)?.[1]
        if (beside !== undefined && beside) now.beside.push(beside)
    }
    return stages
}

for (const name of ["phong", "plasma", "blur", "sprites"]) test(`the words of ${name}'s streams, and its footnotes`, () => {
    const files = [`${name}.vert`, `${name}.frag`]
    const explain = JSON.parse(run("explain", "--json", ...files))
    const stages = listed(run("-S", ...files, "-o", "-"))
    assert.ok(stages.length >= 2 && stages.some(({ notes }) => notes.some(({ name }) => /^u/.test(name))) === explain.stages.some(stage => stage.stream.some(({ formula }) => formula.length > 34)))
    for (const { stage: which, beside, notes } of stages) {
        const stage = explain.stages.find(({ stage }) => stage === which)
        assert.deepEqual(stage.code.map(instruction => besideCode(stage, instruction)).filter(Boolean), beside, which)
        assert.deepEqual(footnotes(stage), notes, which)
    }
})

test("a formula comes with the parts that are in it, and theirs, and with no others", () => {
    const explain = JSON.parse(run("explain", "--json", "phong.vert", "phong.frag"))
    const stage = explain.stages.find(one => one.shared.some(({ text }) => /\be1\b/.test(text)))
    const inner = stage.shared.find(({ text }) => /\be1\b/.test(text))
    assert.deepEqual(partsOf(`2.0 * ${inner.name}`, stage), [stage.shared[0], inner])
    assert.deepEqual(partsOf("u_e1.e1 + sin(2.0e1)", stage), [])
    const at = stage.code.findIndex(({ uniform }) => uniform && stage.stream[uniform.word].formula.includes(inner.name))
    const lines = wordsOf(explain, stage.stage, { instruction: at, text: stage.code[at].text })
    assert.equal(lines[0], `unif = ${stage.stream[stage.code[at].uniform.word].formula}`)
    assert.ok(lines.includes(`e1 = ${stage.shared[0].text}`))
    assert.equal(wordsOf(explain, stage.stage, { instruction: at, text: "nop" }), null)
})

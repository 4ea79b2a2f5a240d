// The machine in the page against the service's: node machine.mjs QPUCC MODULES [URL]
// Pictures, counters and steps of all examples, and pictures and counters of pairs of the corpus in QPUCC_SHARED, are the same bit by bit.
// And while a film runs the service is asked nothing.
import assert from "node:assert/strict"
import test, { after } from "node:test"
import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { colored, example, modules, open, origin, ready, stop, type } from "./harness.mjs"

const PAIRS = 20
const here = dirname(fileURLToPath(import.meta.url))
const bundle = createRequire(join(modules, "x"))("esbuild").buildSync({
    entryPoints: [join(here, "machine_entry.ts")], bundle: true, format: "iife", globalName: "machineTest", write: false,
    nodePaths: [modules], logLevel: "warning", loader: { ".vert": "text", ".frag": "text" } }).outputFiles[0].text
after(stop)

async function post(path, body) {
    const answer = await fetch(origin + path, { method: "POST", body: JSON.stringify(body),
        headers: { Accept: "application/json", "Content-Type": "application/json" } })
    assert.equal(answer.status, 200)
    return answer.json()
}

const hash = bytes => createHash("sha256").update(bytes).digest("hex")

// null: the service does not draw it.
async function native(scene) {
    const [drawn, made] = await Promise.all([post("/api/render", { ...scene, format: "raw" }), post("/api/render", { ...scene, format: "program" })])
    return drawn.code === 0 ? { drawn, made } : null
}

async function compare(page, name, scene, { drawn, made }) {
    const data = Buffer.from(drawn.frames[0].data, "base64")
    const { counters } = drawn.frames[0]
    const pictures = await page.evaluate(([scene, made]) => machineTest.draw(scene, made), [scene, made])
    for (const picture of pictures) {
        assert.equal(picture.hash, hash(data), `${name}: the picture, in ${picture.shares} shares`)
        assert.deepEqual(picture.counters, counters, `${name}: the counters, in ${picture.shares} shares`)
    }
    const values = drawn.interface.uniforms.map(variable => variable.value.map(Math.fround))
    assert.deepEqual(pictures[0].uniforms, values, `${name}: the uniforms`)
}

async function machinePage() {
    const opened = await open()
    await ready(opened.page)
    assert.equal(await opened.page.getAttribute("body", "data-machine"), "page")
    await opened.page.evaluate(bundle + "\nglobalThis.machineTest = machineTest")
    return opened
}

test("all examples are drawn as by the service, and their steps are the same", async () => {
    const { page, close } = await machinePage()
    const examples = await page.evaluate(() => machineTest.examples())
    assert.ok(examples.length >= 12)
    for (const { title, scene, compile } of examples) {
        const answers = await native(scene)
        assert.ok(answers, title)
        await compare(page, title, scene, answers)
        const { qpucc } = await post("/api/compiler/qpucc/compile", compile)
        // Of a vertex shader that the service supplies nothing is explained.
        const vertices = scene.vertex ? [{ index: 5, stage: "vertex" }, { index: 2, stage: "coordinate" }] : []
        for (const target of [{ x: 201, y: 140 }, ...vertices]) {
            const { inspect } = await post("/api/inspect", { ...scene, ...target })
            delete inspect.schema
            for (const run of inspect.runs) for (const step of run.steps) for (const write of step.writes) delete write.part
            const steps = await page.evaluate(([scene, made, explain, target]) => machineTest.inspect(scene, made, explain, target),
                [scene, answers.made, qpucc, target])
            assert.deepEqual(steps, inspect, `${title}: ${JSON.stringify(target)}`)
        }
    }
    await close()
})

test("a scene that cannot be drawn cannot be drawn the next time either", async () => {
    const { page, close } = await machinePage()
    const [{ scene }] = await page.evaluate(() => machineTest.examples())
    const said = await page.evaluate(([scene, made]) => machineTest.refusals(scene, made),
        [{ ...scene, mesh: { obj: "v 0 0 0\nf 1 2 3\n" } }, await post("/api/render", { ...scene, format: "program" })])
    assert.match(said[0], /Error: .+/)
    assert.equal(said[1], said[0])
    await close()
})

const pairs = process.env.QPUCC_SHARED && join(process.env.QPUCC_SHARED, "corpus/dev-pairs.jsonl")
test(`${PAIRS} pairs of a corpus are drawn as by the service`, { skip: !(pairs && existsSync(pairs)) && "there is no corpus" }, async () => {
    const { page, close } = await machinePage()
    const lines = readFileSync(pairs, "utf8").trim().split("\n")
    let drawn = 0
    for (let k = 0; k < lines.length && drawn < PAIRS; k += Math.floor(lines.length / (2 * PAIRS))) {
        const pair = JSON.parse(lines[k])
        const scene = { vertex: pair.vertex, fragment: pair.fragment, mesh: ["sphere", "cube", "quad", "torus"][k % 4], size: "150x100", time: 0.75,
            uniforms: {}, textures: {}, clear: [24, 26, 34, 255],
            raster: { cull: "none", front: "ccw", depth_test: true, depth_write: true, depth_func: "lequal" } }
        const answers = await native(scene)
        if (!answers) continue
        await compare(page, pair.name ?? `line ${k + 1}`, scene, answers)
        drawn++
    }
    assert.equal(drawn, PAIRS)
    await close()
})

test("films, sliders and the pointer ask the service nothing", async () => {
    const { page, close } = await open()
    await ready(page)
    await example(page, "Knobs")
    await ready(page)
    await page.waitForFunction(() => document.body.dataset.state === "ready" && !document.querySelector(".frame.busy"))
    const asked = []
    page.on("request", request => asked.push(request.url()))
    await page.click("#play")
    const begun = parseFloat(await page.textContent("#clock"))
    await page.waitForFunction(from => parseFloat(document.querySelector("#clock").textContent) > from + 0.5, begun)
    await page.locator("#fields-uniforms input[type=range]").first().focus()
    for (let k = 0; k < 5; k++) await page.keyboard.press("ArrowRight")
    await page.waitForFunction(from => parseFloat(document.querySelector("#clock").textContent) > from + 1, begun)
    await page.click("#play")
    await page.waitForFunction(() => !document.querySelector(".frame.busy"))
    assert.deepEqual(asked, [])
    await close()
})

test("a program that is worked at for long gives way to the next", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, `precision highp float; varying vec2 v_uv; uniform float u_none;
void main() { float a = u_none; for (int i = 0; i < 20000; i++) { a = fract(a * 1.37 + 0.11); if (a > 2.0 + float(i)) break; } gl_FragColor = vec4(a); }`)
    await page.waitForTimeout(1500)
    await type(page, "void main() { gl_FragColor = vec4(1.0, 0.0, 1.0, 1.0); }")
    await colored(page, 200, 150, [255, 0, 255])
    await close()
})

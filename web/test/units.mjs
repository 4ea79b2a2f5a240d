// The page's own logic without a browser: node units.mjs MODULES
import assert from "node:assert/strict"
import test from "node:test"
import { units } from "./units_bundle.mjs"

const { addBuffer, annotations, buffersFrom, diffLines, examples, fates, fromExplorer, fromFragment, fromKept, fromSessions, highlight, isOf, Latest, lineHues, messagesOf, otherLine,
    pathsOf, placedIn, removeBuffer, rison, scene, shortest, sourceOf, toFragment, unitsBefore, unpack, variablesAt } = await units(process.argv[2])

test("differences give both texts back, and say nothing of equal ones", () => {
    let state = 1
    const random = n => { state = (state * 1103515245 + 12345) & 0x7fffffff; return (state >> 8) % n }
    for (let round = 0; round < 3000; round++) {
        const text = () => Array.from({ length: random(9) }, () => "abc"[random(3)])
        const a = text(), b = text()
        const edits = diffLines(a, b)
        assert.deepEqual(edits.filter(e => e.kind !== "added").map(e => e.text), a)
        assert.deepEqual(edits.filter(e => e.kind !== "removed").map(e => e.text), b)
    }
    assert.ok(diffLines(["x", "y"], ["x", "y"]).every(e => e.kind === "same"))
    assert.deepEqual(diffLines(["a", "b", "c"], ["a", "x", "c"]).map(e => e.kind), ["same", "removed", "added", "same"])
})

test("comments after uniforms say what control they get", () => {
    const notes = annotations(`
        uniform float u_a;           // [1, 12] = 5
        uniform highp vec3 u_b, u_c; // color = 0.5, .25, 1e-1
        layout(location = 2) uniform int u_d; // [-3, 3] step 1
        uniform float u_e;           // how bright it is
        uniform float u_f[4];        // [0, 2]
        uniform float u_g;           // [3, 1]
        uniform float u_i;           // = 1e39
        // uniform float u_h;        // [0, 1]
        float not_a_uniform;         // [0, 1]`)
    assert.deepEqual(notes.get("u_a"), { low: 1, high: 12, value: [5] })
    assert.deepEqual(notes.get("u_b"), { color: true, value: [0.5, 0.25, 0.1] })
    assert.deepEqual(notes.get("u_c"), notes.get("u_b"))
    assert.deepEqual(notes.get("u_d"), { low: -3, high: 3, step: 1 })
    assert.deepEqual(notes.get("u_f"), { low: 0, high: 2 })
    assert.deepEqual([...notes.keys()], ["u_a", "u_b", "u_c", "u_d", "u_f"])
})

test("lines that #line numbers are marked where they stand", () => {
    const lines = (fragment, ...numbers) => placedIn({ vertex: "", fragment },
        { messages: numbers.map(line => ({ stage: "fragment", line, column: 1, severity: "error", text: "" })) }).messages.map(({ line }) => line)
    assert.deepEqual(lines("a\nb\nc", 1, 3, 0), [1, 3, 0])
    assert.deepEqual(lines("a\n#line 100\nb\nc", 1, 100, 101, 7), [1, 3, 4, 0])
    assert.deepEqual(lines("#version 120\n#line 100\nb\nc", 101), [3])
    assert.deepEqual(lines("#version 300 es\n#line 100\nb\nc", 100), [3])
    assert.deepEqual(lines("/*\n#line 100\n*/b // #line 5", 3), [3])
    assert.deepEqual(lines("a\n#line 1\nb\nc", 1, 2, 3), [0, 0, 0])
    assert.deepEqual(lines("#if A\n#line 9\n#endif\nb", 4, 9), [0, 0])
    assert.deepEqual(lines("#line A\nb", 1), [0])
    const step = { file: "shader.vert", line: 20, writes: [] }, peak = { registers: 1, instruction: 0, line: 9 }
    placedIn({ vertex: "\n#line 20\n", fragment: "\n\n#line 9\n" }, { messages: [], inspect: { stage: "vertex", runs: [{ steps: [step] }] },
        explain: { stages: [{ stage: "fragment", code: [], lines: [], cost: { peak } }] } })
    assert.deepEqual([step.line, peak.line], [3, 4])
})

test("texts without semicolons are read in time that grows with their length", () => {
    const before = performance.now(), many = 40000
    const text = "uniform float u_a\n".repeat(many)
    assert.equal(annotations(text).size, 0)
    assert.equal(sourceOf(text, "fragment").uniforms.length, 0)
    assert.equal(annotations(`uniform float${" ".repeat(many)}`).size, 0)
    assert.equal(annotations(`uniform float u_a; // [${"1".repeat(many)}`).size, 0)
    const last = `${text}uniform float u_b, u_c[2]; // [0, 2]\n`
    assert.deepEqual([...annotations(last).keys()], ["u_b", "u_c"])
    assert.deepEqual(sourceOf(last, "fragment").uniforms, [{ type: "float", name: "u_b", length: 0 }, { type: "float", name: "u_c", length: 2 }])
    assert.ok(performance.now() - before < 5000)
})

test("every character of a source is in one token, whatever the source", () => {
    const kinds = text => highlight(text).map(line => line.map(({ kind, text }) => [kind, text]))
    const source = "#define A 1 // x\nvec4 f(in float x) { return texture2D(s, 1.5e-3 * gl_FragCoord.xy); } /* a\nb */ int y = 0x1Fu;\n€ \"'\\"
    assert.equal(kinds(source).map(line => line.map(([, text]) => text).join("")).join("\n"), source)
    const flat = kinds(source).flat()
    const kindOf = word => flat.find(([, text]) => text === word)?.[0]
    assert.equal(kindOf("vec4"), "typeName")
    assert.equal(kindOf("return"), "keyword")
    assert.equal(kindOf("texture2D"), "builtin")
    assert.equal(kindOf("gl_FragCoord"), "special")
    assert.equal(kindOf("1.5e-3"), "number")
    assert.equal(kindOf("0x1Fu"), "number")
    assert.equal(kindOf("b */"), "comment")
    assert.equal(kindOf("#define"), "meta")
})

test("of questions that arrive while one is open only the newest is asked, and only its answer counts", async () => {
    const asked = [], answers = [], open = []
    const latest = new Latest(question => {
        asked.push(question)
        return new Promise((done, fail) => open.push({ done, fail }))
    }, answer => answers.push(answer), error => answers.push(String(error)))
    const settle = () => new Promise(done => setTimeout(done))
    latest.request("a"); latest.request("b"); latest.request("c")
    await settle()
    assert.deepEqual(asked, ["a"])
    open[0].done("answer a")
    await settle()
    assert.deepEqual(asked, ["a", "c"])
    assert.deepEqual(answers, []) // a's answer came after c was asked for
    open[1].done("answer c")
    await settle()
    assert.deepEqual(answers, ["answer c"])
    latest.request("d")
    latest.forget()
    open[2].fail("too late")
    await settle()
    assert.deepEqual(answers, ["answer c"])
    latest.request("e")
    await settle()
    open[3].fail("wrong")
    await settle()
    assert.deepEqual(answers, ["answer c", "wrong"])
})

test("neighbouring lines of code have different colours", () => {
    const hues = lineHues([3, 3, 9, 4, 0, 20, 21, 22])
    assert.equal(hues.has(0), false)
    const list = [3, 4, 9, 20, 21, 22].map(line => hues.get(line))
    for (let k = 1; k < list.length; k++) assert.notEqual(list[k], list[k - 1])
})

test("messages come from tags, and there is one where the service gave none", () => {
    const tagged = messagesOf([{ text: "x" }, { text: "shader.frag:3:5: error: no", tag: { line: 3, column: 5, severity: 3, text: "no", file: "shader.frag" } }], 2)
    assert.deepEqual(tagged, [{ stage: "fragment", line: 3, column: 5, severity: "error", text: "no" }])
    assert.deepEqual(messagesOf([{ text: "it does not fit" }], 3), [{ stage: null, line: 0, column: 0, severity: "error", text: "it does not fit" }])
    assert.deepEqual(messagesOf([], 0), [])
})

test("a kept program opens whatever it holds", () => {
    for (const kept of [null, 3, "x", [], {}, { width: "x", fragment: 4, uniforms: [], clear: {}, mesh: 3, level: "9", policy: "toString" }, { width: 1e9, height: -5 },
        { uniforms: { a: "xyz", b: [null], c: 1, d: null, e: [1e39] }, textures: { e: null, f: 3 }, clear: [null, 1, 2, 3], fragment: "uniform vec3 a;", fixed: ["a", "b", "c", "d"] },
        { clear: [0.5, 0.5, 0.5, 1] }, { clear: [] }]) {
        const program = fromKept(kept)
        assert.equal(typeof program.fragment, "string")
        assert.ok(program.width >= 16 && program.width <= 1024 && program.height >= 16 && program.height <= 1024)
        assert.ok(["0", "1", "2", "3"].includes(program.level))
        assert.equal(program.policy, "default")
        JSON.stringify(scene(program, 0))
        assert.deepEqual([program.uniforms, program.textures, program.clear], [{}, {}, [24, 26, 34, 255]])
    }
    const program = { ...examples[2], uniforms: { u_scale: [3] } }
    assert.deepEqual(fromKept(JSON.parse(JSON.stringify(program))), program)
})

test("a column in bytes is one in characters of a string", () => {
    for (const [line, column, units] of [["abc", 3, 2], ["\tabc", 2, 1], ["é x", 4, 2], ["€\u{1f308} x", 9, 4], ["éé", 2, 0], ["ab", 9, 2], ["", 1, 0], ["ab", 0, 0]])
        assert.equal(unitsBefore(line, column), units, `${line}:${column}`)
})

test("floats have as few digits as they need", () => {
    for (const [value, text] of [[Math.fround(0.08), "0.08"], [1, "1"], [0, "0"], [-Math.fround(0.3), "-0.3"], [16777216, "16777216"], [1e-9, "1e-9"],
        [Math.fround(1 / 3), "0.33333334"]]) assert.equal(shortest(value), text)
    for (let k = 0, value = 1.7; k < 300; k++, value *= -1.37) assert.equal(Math.fround(Number(shortest(value))), Math.fround(value))
})

test("values that code is made for are options, while there are such uniforms", () => {
    const program = { ...examples[2], fixed: ["u_scale", "u_gone", "u_warm"], uniforms: { u_scale: [Math.fround(0.1)], u_gone: [1], u_warm: [1, 0, 0.5] }, options: "-Wall" }
    assert.equal(scene(program, 0).options.userArguments, "-O2 --set=u_scale=0.1 --set=u_warm=1,0,0.5 -Wall")
    assert.deepEqual(fromKept({ fixed: ["u_a[1].b", "x y", 3, null], options: 7 }).fixed, ["u_a[1].b"])
})

test("a link holds the whole program, and a damaged one is refused", async () => {
    for (const program of [...examples, { ...examples[0], title: "é€\u{1f308}", uniforms: { u_a: [1.5] }, fixed: ["u_a"], options: "-Wall" }]) {
        const link = await toFragment(program)
        assert.match(link, /^#code=[\w-]+$/)
        assert.deepEqual(await fromFragment(link), JSON.parse(JSON.stringify(program)))
    }
    assert.equal(await fromFragment("#panels"), null)
    for (const bad of ["#code=", "#code=!!", "#code=AAAA", (await toFragment(examples[0])).slice(0, -9)]) await assert.rejects(fromFragment(bad), bad)
    // A few bytes that become too many.
    const bomb = Buffer.from(await new Response(new Blob([new Uint8Array(9 << 20)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer())
    await assert.rejects(fromFragment(`#code=${bomb.toString("base64url")}`), /too much/)
})

test("Compiler Explorer's layouts and sessions are programs", () => {
    // As its page writes them, plain and compressed.
    const layouts = ["https://godbolt.org/#g:!((g:!((g:!((h:codeEditor,i:(filename:'1',fontScale:14,fontUsePx:'0',j:1,lang:glsl,source:'precision+mediump+float%3B%0Avoid+main()+%7B+gl_FragColor+%3D+vec4(1.0,+0.5,+0.0,+1.0)%3B+%7D+//+it!'s+!!%E2%82%AC%0A'),l:'5',n:'0',o:'GLSL+source+%231',t:'0')),k:50,l:'4',n:'0',o:'',s:0,t:'0'),(g:!((h:compiler,i:(compiler:qpucc,filters:(b:'0',binary:'1'),lang:glsl,libs:!(),options:'-O3+-Wall',source:1),l:'5',n:'0',o:qpucc,t:'0')),k:50,l:'4',n:'0',o:'',s:0,t:'0')),l:'2',n:'0',o:'',t:'0')),version:4",
        "https://godbolt.org/#z:OYLghAFBqd5QCxAYwPYBMCmBRdBLAF1QCcAaPECAMzwBtMA7AQwFtMQByARg9KtQYEAysib0QXACx8BBAKoBnTAAUAHpwAMvAFYTStJg1DBaC2qQWoArsWTsOAB2KZkeBXgEBqNvissHnlS0qEwEAKQAzABCYRoAggBuqHjo3kx4DBAAlJ5hAOxRniYA%2BgBixEzAAMKowcS5EQAingkukhBcAHQapJ4anQCsvf09nl0aWZGF%2Bc0A9LOehGAcCp5gYGHYAExhABw7cVWxcRxZ%2BpwDvAyavKicAOIAMkKPnpY2drlbETykBDdZM4AaxAAx6tE4kiuN1Idw4vAUIB6/w4WjOcFgSDQ/jomDIFAg2IcuOIIAAjg4rMhkHw6AQ8YiIAAjGFMjJMYgAT04PDOBiMIBMZn0eCZiMgZ1QDgIHgYiI4AFoAPIRTwKgDqYloCOstnYXD5F2hqNu5Mp1L%2BAOBoPBkONWlhnARSMtJsB5w4W3tpvhrrRZ1axHcAhAkiAA%3D%3D%3D"]
    for (const layout of layouts) {
        const program = fromExplorer(layout)
        assert.equal(program.fragment, "precision mediump float;\nvoid main() { gl_FragColor = vec4(1.0, 0.5, 0.0, 1.0); } // it's !€\n")
        assert.equal(program.options, "-O3 -Wall")
        assert.equal(program.vertex, "")
    }
    const state = { sessions: [{ id: 1, language: "glsl", source: "attribute vec4 a; void main() { gl_Position = a; }", compilers: [{ id: "qpucc", options: "-O1" }] },
        { id: 2, language: "glsl", source: "void main() { gl_FragColor = vec4(1); }", compilers: [] }] }
    for (const program of [fromSessions(state), fromExplorer(`/clientstate/${encodeURIComponent(Buffer.from(JSON.stringify(state)).toString("base64"))}`)]) {
        assert.match(program.vertex, /gl_Position/)
        assert.match(program.fragment, /gl_FragColor/)
        assert.equal(program.options, "-O1")
    }
    for (const other of [null, 3, [], {}, { sessions: 3 }, { sessions: [null, { source: 4 }] }, examples[0]]) assert.equal(fromSessions(other), null)
    assert.equal(fromExplorer("/#panels"), null)
    assert.equal(fromExplorer("void main() {}"), null)
    for (const bad of ["/#g:!((", "/#g:'", "/#z:AAAA", "/clientstate/!!", `/#g:${"!(".repeat(1000)}`]) assert.throws(() => fromExplorer(bad), bad)
    assert.deepEqual(rison("(a:!(1,-2.5,1e3,!t,!f,!n),'b c':'it!'s !!',d:())"), { a: [1, -2.5, 1000, true, false, null], "b c": "it's !", d: {} })
    for (const [text, packed] of [["", "Q==="], ["a", "IZA="], ["aaaaaaaaaaaaaaaaaaaa", "IY1/kA=="], ["abcabcabcabc€€€ž", "IYIwxqHpg1BHh+gEA==="]]) assert.equal(unpack(packed), text)
})

test("paths take each loop once, and the cheaper or the dearer side of a branch", () => {
    const block = (count, edges, stalls = 0) => ({ count, edges, stalls })
    assert.deepEqual(pathsOf([]), { shortest: 0, longest: 0 })
    assert.deepEqual(pathsOf([block(7, [], 3)]), { shortest: 10, longest: 10 })
    // A branch around 1, then a loop of 2 and 3.
    assert.deepEqual(pathsOf([block(4, [1, 2]), block(10, [2], 5), block(3, [3]), block(6, [2, 4]), block(2, [])]), { shortest: 15, longest: 30 })
    // Out of the loop in its middle, and behind the last block.
    assert.deepEqual(pathsOf([block(1, [1]), block(2, [2, 3]), block(8, [1]), block(1, [9])]), { shortest: 4, longest: 11 })
})

test("steps go by lines, and variables are what was written last", () => {
    const write = (name, float, written = true) => ({ name, float, written })
    const steps = [{ line: 0, writes: [] }, { line: 3, writes: [write("a", 1)] }, { line: 3, writes: [write("a", 2, false), write("b.x", 3)] },
        { line: 5, writes: [write("a", 4), { target: "r0", float: 9, written: true }] }, { line: 3, writes: [] }]
    assert.deepEqual([otherLine(steps, -1, 1), otherLine(steps, 1, 1), otherLine(steps, 3, 1), otherLine(steps, 4, 1)], [1, 3, 4, 4])
    assert.deepEqual([otherLine(steps, 4, -1), otherLine(steps, 2, -1), otherLine(steps, 1, -1)], [3, 1, 1])
    const at = last => [...variablesAt(steps, last)].map(([name, { float }]) => [name, float])
    assert.deepEqual([at(0), at(2), at(Infinity)], [[], [["a", 1], ["b.x", 3]], [["a", 4], ["b.x", 3]]])
    assert.deepEqual(["b", "b.x", "b[1]", "bb", "a.b"].map(name => isOf(name, "b")), [true, true, true, false, false])
})

test("each primitive at a pixel is seen, or a reason is given", () => {
    const drawing = { depthTest: true, depthFunc: "lequal", blend: false, cull: "none" }
    const of = (list, more = {}) => fates({ runs: list.map(fate => ({ fate, depth: [20, 30] })) }, { ...drawing, ...more })
    assert.deepEqual(of(["drawn over", "depth", "seen", "discarded", "helper"]), { seen: 2, words: ["drawn over by 3", "fails the depth test: 30 is not lequal 20",
        "seen", "discarded: it wrote no colour", "a helper: beside the primitive, for its derivatives"] })
    assert.deepEqual(of(["drawn over", "seen"], { blend: true }).words, ["under 2, which is blended with it", "seen"])
    assert.deepEqual(of(["depth", "culled"], { cull: "back", depthFunc: "less" }), { seen: -1, words: ["fails the depth test: 30 is not less 20", "culled: only front faces are drawn"] })
})

test("buffers: what is kept of them, and what a removed one leaves behind", () => {
    assert.deepEqual(buffersFrom([null, 3, { name: "E", fragment: "x" }, { name: "A", fragment: 3 }, { name: "C", fragment: "c", textures: { iChannel0: null, iChannel1: { buffer: "C" } } }, { name: "B", fragment: "b" }]),
        [{ name: "B", fragment: "b", textures: {} }, { name: "C", fragment: "c", textures: { iChannel1: { buffer: "C" } } }])
    assert.deepEqual(buffersFrom("x"), [])
    const program = { ...structuredClone(examples.at(-1)) }
    assert.deepEqual(["B", "C", "D", null], [0, 1, 2, 3].map(() => addBuffer(program)))
    removeBuffer(program, "B")
    assert.deepEqual(program.buffers.map(({ name }) => name), ["A", "C", "D"])
    assert.ok(!JSON.stringify(program).includes('"buffer":"B"'))
    assert.equal(addBuffer(program), "B")
    assert.deepEqual(program.buffers.map(({ name }) => name), ["A", "B", "C", "D"])
})

// The playground: one program, edited on the left, drawn and explained on the right.
import { annotations } from "./annotations.ts"
import { ApiError, compile, documents, inspect, passes as askPasses, render, type Compiled, type Counters, type Inspected,
    type Interface, type Rendered, type Target } from "./api.ts"
import { announce, byId, h, select } from "./dom.ts"
import { EXAMPLES } from "./examples.ts"
import { wordsOf } from "./formulas.ts"
import { Latest } from "./latest.ts"
import { DAMAGED, embedded, fromAddress, fromPasted } from "./links/open.ts"
import { shareButtons, wholePage } from "./links/share.ts"
import { Local } from "./machine/local.ts"
import { Player, type Drawer } from "./player.ts"
import { drawingOf, fromKept, isFlat, versionOf, type Program } from "./program.ts"
import { shortest } from "./numbers.ts"
import { Adapter } from "./paste/adapter.ts"
import { passNames, passOf, setText, textOf, type PassName } from "./passes.ts"
import { aboutChunk } from "./paste/chunks.ts"
import { supply, usesPointer } from "./paste/dialects.ts"
import { sourceOf } from "./paste/source.ts"
import { splitters } from "./split.ts"
import type { Message } from "./types.ts"
import { Adapted } from "./view/adapted.ts"
import { CompareView } from "./view/compare.ts"
import { gallery } from "./view/gallery.ts"
import { help } from "./view/help.ts"
import { Options } from "./view/options.ts"
import { Picture } from "./view/picture.ts"
import { PixelView } from "./view/pixel.ts"
import { Results } from "./view/results.ts"
import * as sceneControls from "./view/scene.ts"
import { Sources, type SourceName } from "./view/sources.ts"
import { icon, Transport } from "./view/transport.ts"
import { Uniforms } from "./view/uniforms.ts"
import { Works } from "./works.ts"

const STORED = "qpucc-playground"

let program: Program = structuredClone(EXAMPLES[0]!)
let reflection: Interface | null = null
let mouse: [number, number, number, number] | null = null
let compiled: Compiled | null = null
let passes: Rendered["passes"]
let sceneMessages: Message[] = []
let counters: { of: string; values: Counters } | null = null // of a version, as versionOf says
let code = "" // the version whose code is shown; "": that of another program

// --- parts ------------------------------------------------------------------------------------------------------

const sources = new Sources({
    program: () => program,
    typed(name, pasted) {
        if (/^https?:\/\/\S+\s*$/.test(pasted)) {
            void openPasted(name, pasted)
            return
        }
        if (pasted && (name === "fragment" || name === "vertex")) adapter.pasted(name)
        changed({ source: true })
    },
    cursor(name, line) { if (results.program && name === sources.of(null, results.stageName)) results.code.highlight(line, true) },
    run: () => changed({ source: true }),
    valueOf: (word, name) => name === "vertex" || name === sources.pass ? pixelView.valueOf(word, name === "vertex" ? "vertex" : "fragment") : null,
    chosen: passChanged,
    buffers() {
        player.restart(0)
        controls()
        changed({ source: true })
    },
})
const passProgram = (of = program): Program => passOf(of, sources.pass)
const sourceLine = (file: string | null, line: number): string => textOf(program, sources.of(file, results.stageName)).split("\n")[line - 1] ?? ""

const results = new Results({
    line(file, line, go) {
        const name = sources.of(file, results.stageName)
        sources.markOnly(name, line)
        if (go && line) sources.go(name, line)
    },
    source: sourceLine,
    documents,
    shown(tab) {
        if (tab === "ir") requestPasses()
        if (tab === "compare") comparison.show(results.program, results.stageName)
    },
    stage: () => {
        sources.mark(sources.pass, null)
        compareNow()
    },
    pin: () => {
        results.pin(results.program)
        comparison.pin(results.program)
        announce("This version is pinned.")
    },
    unpin: () => {
        results.pin(null)
        comparison.pin(null)
    },
})

const comparison = new CompareView(byId("panel-compare"), {
    ask: options => comparisons.request({ ...structuredClone(passProgram()), options: `${program.options} ${options}` }),
    line(file, line) { sources.markOnly(sources.of(file, results.stageName), line) },
})
const comparisons = new Latest<Program, Compiled>((what, signal) => compile(what, signal),
    answer => comparison.answer(answer.explain, answer.messages.find(({ severity }) => severity === "error")?.text ?? ""),
    error => comparison.answer(null, sentence(error)))
function compareNow(): void {
    if (!byId("panel-compare").hidden) comparison.show(results.program, results.stageName)
}

const picture = new Picture(byId("frame"), () => program, {
    picked(x, y) {
        look({ x, y })
        results.choose("pixel")
    },
    pointed(to) {
        mouse = to
        player.refresh()
    },
})

// The machine in the page; null where there is none, and then the service draws.
declare const MACHINE_URL: string, WORKER_URL: string // by build.mjs
const local = Local.load(MACHINE_URL, WORKER_URL).then(found => {
    document.body.dataset.machine = found ? "page" : "service"
    return found
})
const drawer: Drawer = {
    here: async (question, signal) => {
        const machine = await local
        return machine ? machine.render(question, signal) : question.program.buffers.length ? noBuffers : null
    },
    any: async (question, signal) => await drawer.here(question, signal) ?? render(question, signal),
    hurry: () => void local.then(found => found?.hurry()),
}

const noBuffers: Rendered = { code: 1, frames: [], interface: null, elapsed: 0, messages: [{ stage: null, line: 0, column: 0, severity: "error",
    text: "Buffers are drawn by the machine in the page, for which this browser has no WebAssembly." }] }

const player = new Player(() => program, more, drawer, {
    drawn(frame, time) {
        picture.draw(frame.picture)
        transport.clock(time)
    },
    rendered(answer) { rendered(answer) },
    failed: failed,
    busy: on => picture.busy(on),
})

const pixelView = new PixelView(byId("panel-pixel"), {
    drawing: () => drawingOf(passProgram()),
    words: (stage, step) => wordsOf(results.program, stage, step),
    vertex(index, stage) {
        picture.mark(null)
        look({ index, stage })
    },
    line: (file, line, go) => {
        const name = sources.of(file ?? "shader.frag", "")
        sources.mark(name, line || null)
        if (go && line) sources.go(name, line)
    },
    source: sourceLine,
})

const inspections = new Latest<Target, Inspected>(
    async (target, signal) => {
        const question = { program: structuredClone(program), time: player.time, scale: 1, more: more(), pass: sources.pass }
        return await (await local)?.inspect(question, target, signal) ?? inspect(question, target, signal)
    },
    (answer, target) => {
        // Where nobody wrote a vertex shader, its lines are in no text that is here.
        if ("index" in target && !passProgram().vertex.trim())
            for (const step of answer.inspect?.runs.flatMap(run => run.steps) ?? []) step.line = 0
        pixelView.show(answer, target)
    },
    error => pixelView.say(sentence(error)))

// What is inspected follows the program.
let target: Target | null = null
function look(at: Target): void {
    target = at
    player.pause()
    transport.update()
    inspections.request(at)
}

// Those of the code that is shown: a picture and its code arrive one after the other.
const countersOfCode = (): Counters | null => counters && counters.of === code ? counters.values : null

const compiles = new Latest<{ program: Program; pass: PassName }, Compiled>(({ program }, signal) => compile(program, signal), (answer, question) => {
    asked = false
    compiled = question.pass === "fragment" && !program.buffers.length ? answer
        : { ...answer, messages: answer.messages.map(message => ({ ...message, pass: question.pass })) }
    showMessages()
    const bad = answer.explain === null
    byId("panel-code").classList.toggle("stale", bad)
    byId("panel-cost").classList.toggle("stale", bad)
    if (bad && question.pass === "fragment") adapter.typed()
    // While the source is wrong the last good code stays, faded.
    if (answer.explain) {
        code = versionOf(question.program)
        results.count(countersOfCode())
        results.show(answer.explain)
        sources.colours(results.program)
        results.setPasses(null)
        requestPasses()
        compareNow()
    }
    status()
}, failed)

const passRequests = new Latest<Program, Awaited<ReturnType<typeof askPasses>>>((what, signal) => askPasses(what, signal), answer => {
    results.ir.say(answer.code ? "The program has errors." : answer.complete ? null : "There were more passes than an answer holds.")
    results.setPasses(answer.passes.map(({ stage, pass, text }) => ({ stage, name: pass, text })))
}, error => results.ir.say(sentence(error)))

const uniforms = new Uniforms((name, values) => {
    if (values) program.uniforms[name] = values
    else delete program.uniforms[name]
    if (!values) unfix(name)
    changed({ state: program.fixed.includes(name) || !values })
    controls()
}, (name, values) => {
    if (values) {
        program.uniforms[name] = values
        program.fixed.push(name)
    } else unfix(name)
    changed({ state: true })
    controls()
})
function unfix(name: string): void { program.fixed = program.fixed.filter(one => one !== name) }

// --- what changes -----------------------------------------------------------------------------------------------

// What the page itself supplies to uniforms, as far as the shader reads them.
function more(): Record<string, number[]> {
    const result: Record<string, number[]> = {}
    for (const pass of passNames(program))
        Object.assign(result, supply(sourceOf(textOf(program, pass), "fragment"), program.width, program.height, mouse, new Date()))
    for (const name of Object.keys(result)) if (program.uniforms[name]) delete result[name]
    // First values of annotations count until the user sets others.
    for (const [name, { value }] of annotations(program.vertex, program.fragment, ...program.buffers.map(({ fragment }) => fragment)))
        if (value && !program.uniforms[name] && !result[name]) result[name] = value
    return result
}

// What is typed is compiled after a short rest; until the answer is there the page's state is "waiting".
let compileTimer = 0
let asked = false
function changed(what: { source?: boolean; state?: boolean; opened?: boolean; shown?: boolean }): void {
    if (!what.opened) notice = ""
    if (!what.opened && !what.shown && works.changed(program)) bar()
    if (!what.shown) remember()
    if (what.source || what.state) {
        document.body.dataset.state = "waiting"
        clearTimeout(compileTimer)
        compileTimer = window.setTimeout(() => {
            compileTimer = 0
            asked = true
            compiles.request({ program: structuredClone(passProgram()), pass: sources.pass })
        }, 150) // the picture first
    }
    picture.usesMouse = passNames(program).some(pass => usesPointer(sourceOf(textOf(program, pass), "fragment")))
    if (!what.shown) player.refresh()
}

// Another pass is looked at: what is shown of code, uniforms and textures is its own.
function passChanged(): void {
    const known = passes?.[sources.pass]
    reflection = known?.interface ?? null
    counters = known?.counters && player.answered ? { of: versionOf(passProgram(player.answered)), values: known.counters } : null
    code = ""
    target = null
    results.setStage("fragment")
    pixelView.clear()
    picture.mark(null)
    controls()
    changed({ source: true, shown: true })
}

// A link that is pasted into an editor is a program, or a text like others.
async function openPasted(name: SourceName, text: string): Promise<void> {
    const next = await fromPasted(text)
    if (next) {
        notice = ""
        open(next)
        return
    }
    setText(program, name, sources.text(name))
    changed({ source: true })
}

const adapted = new Adapted(byId("adapted"))
const adapter = new Adapter(() => program, changes => {
    Object.assign(program, changes)
    sources.set()
    picture.resize()
    controls()
    changed({ source: true, state: true })
}, adapted)

const works = new Works(() => read(`${STORED}-works`), text => localStorage.setItem(`${STORED}-works`, text))
let rememberTimer = 0
function remember(): void {
    if (embedded) return
    if (location.pathname !== "/" || location.hash.includes("=") || location.hash.includes(":")) history.replaceState(null, "", "/")
    clearTimeout(rememberTimer)
    rememberTimer = window.setTimeout(() => {
        works.keep()
        try { localStorage.setItem(STORED, JSON.stringify(program)) } catch { /* full, or not allowed: not kept */ }
    }, 400)
}

function open(next: Program): void {
    program = structuredClone(next)
    reflection = null
    mouse = null
    adapted.clear()
    compiled = null
    counters = null
    code = ""
    passes = undefined
    player.restart(program.time)
    transport.clock(program.time)
    sources.set()
    sources.clear()
    picture.resize()
    target = null
    pixelView.clear()
    picture.mark(null)
    bar()
    controls()
    status()
    changed({ source: true, opened: true })
}

function rendered(answer: Rendered): void {
    sceneMessages = answer.code === 0 ? answer.messages.filter(message => message.severity === "error") : answer.messages
    passes = answer.passes
    const shown = passes?.[sources.pass]
    if (answer.interface && answer.code === 0) {
        const before = JSON.stringify(reflection)
        reflection = shown?.interface ?? answer.interface
        if (JSON.stringify(reflection) !== before) controls()
    }
    const wrong = answer.code !== 0 && answer.messages.find(message => message.severity === "error")
    picture.say(answer.code === 0 ? null : wrong && wrong.line ? `Error in line ${wrong.line}: the picture is of the last version that ran.`
        : wrong ? wrong.text : "The picture could not be drawn.")
    // A coarse picture's counters would be those of fewer pixels.
    const last = answer.frames.at(-1)
    if (answer.code === 0 && last?.picture.width === program.width) {
        counters = { of: player.answered ? versionOf(passProgram(player.answered)) : "", values: shown?.counters ?? last.counters }
        results.count(countersOfCode())
        if (target && !player.playing && !byId("panel-pixel").hidden) inspections.request(target)
    }
    showMessages()
    status()
}

const sentence = (error: unknown): string => error instanceof ApiError ? error.message
    : error instanceof DOMException && error.name === "AbortError" ? "The service took too long." : "The answer could not be read."

// What a visitor should know of the program that is shown; until it is another one.
let notice = ""

let retry = 0
function failed(error: unknown): void {
    byId("status").textContent = sentence(error)
    byId("status").className = "status bad"
    // Too many requests, or a server that restarts: once more in a while.
    if (error instanceof ApiError && ["rate", "queue", "network"].includes(error.reason)) {
        clearTimeout(retry)
        retry = window.setTimeout(() => changed({ source: true, opened: true }), 1500)
    }
}

function status(): void {
    const element = byId("status")
    const errors = allMessages().filter(message => message.severity === "error").length
    const stage = results.program?.stages.find(one => one.stage === "fragment") ?? results.program?.stages[0]
    const counted = countersOfCode()
    element.className = errors || notice ? "status bad" : "status"
    element.textContent = notice || (errors ? `${errors} ${errors === 1 ? "error" : "errors"}`
        : !stage || !code ? "" : `${stage.cost.instructions} instructions` + (counted ? ` · ${counted.milliseconds.toFixed(2)} ms on the chip` : ""))
    if (!compileTimer && !asked) document.body.dataset.state = errors ? "error" : compiled ? "ready" : "waiting"
}

const ofChunk = (message: Message): string | null => message.line && /include/.test(message.text)
    ? aboutChunk(textOf(program, sources.nameOf(message)).split("\n")[message.line - 1] ?? "") : null

function allMessages(): Message[] {
    const known = new Set<string>()
    return [...compiled?.messages ?? [], ...sceneMessages].map(message => ({ ...message, text: ofChunk(message) ?? message.text })).filter(message => {
        const key = `${message.pass ?? "fragment"} ${message.stage} ${message.line} ${message.text}`
        return !known.has(key) && known.add(key)
    })
}

function showMessages(): void {
    const all = allMessages()
    sources.messages(all)
    if (all.some(message => message.severity === "error")) announce(`Error: ${all.find(m => m.severity === "error")!.text}`)
}

let passTimer = 0
function requestPasses(): void {
    if (byId("panel-ir").hidden) return
    clearTimeout(passTimer)
    passTimer = window.setTimeout(() => passRequests.request(structuredClone(passProgram())), 200)
}

// --- controls ---------------------------------------------------------------------------------------------------

const sections: Record<string, HTMLElement> = {}
function section(id: string, title: string, opened: boolean): HTMLElement {
    const fields = h("div", { class: "fields", id: `fields-${id}` })
    byId("controls").append(h("details", { open: opened, id: `section-${id}` }, h("summary", {}, title), fields))
    return sections[id] = fields
}

function controls(): void {
    const edit: sceneControls.Edit = change => {
        const { width, height } = program
        change(program)
        if (program.width !== width || program.height !== height) player.restart(player.time) // buffers begin anew
        controls()
        changed({ state: true })
    }
    const complain = (text: string) => {
        byId("status").textContent = text
        byId("status").className = "status bad"
        announce(text)
    }
    const notes = annotations(passProgram().vertex, passProgram().fragment)
    uniforms.show(reflection?.uniforms ?? [], program.uniforms, notes, program.fixed)
    sceneControls.textures(sections.textures!, program, sources.pass, reflection?.samplers ?? [], edit, complain)
    sceneControls.mesh(sections.mesh!, program, edit, complain)
    sceneControls.glState(sections.state!, program, edit)
}

const transport = new Transport(player, () => void picture.fullscreen(), embedded ? wholePage(() => now())
    : h("span", { class: "hint", id: "pick-hint" }, "Click a pixel to inspect it"))

const options = new Options(text => {
    program.options = text
    changed({ source: true })
}, () => (reflection?.uniforms ?? []).filter(({ used, value }) => used && value).map(({ name, value }) =>
    ({ name: `--set=${name}=${value!.map(shortest).join()}`, description: "code for this value alone" })))

function choose(title: string): void {
    const next = works.find(title) ?? EXAMPLES.find(example => example.title === title)
    notice = ""
    if (next) open(next)
}
const examples = gallery(EXAMPLES, (question, signal) => drawer.any(question, signal), choose, () => { if (wasPlaying) transport.toggle() })
let wasPlaying = false // when the gallery came
function showExamples(): void {
    wasPlaying = player.playing
    if (wasPlaying) transport.toggle()
    examples.open()
}
const now = (): Program => ({ ...program, time: player.time })

// The user's own first, then the examples. What is neither is what somebody shared.
function bar(): void {
    options.show(program.options)
    const titles = [...works.titles, ...EXAMPLES.map(example => example.title)]
    if (!titles.includes(program.title)) titles.unshift(program.title)
    byId("bar").replaceChildren(
        select("Program", titles.map((title): [string, string] => [title, title]), program.title, choose, { id: "example" }),
        h("button", { id: "gallery", onclick: showExamples }, "Gallery"),
        select("Optimisation", [["0", "-O0"], ["1", "-O1"], ["2", "-O2"], ["3", "-O3"]], program.level, value => {
            program.level = value as Program["level"]
            changed({ source: true })
        }, { id: "level" }),
        select("Precision", [["default", "default precision"], ["fast", "-ffast-math"], ["precise", "-fprecise"]], program.policy, value => {
            program.policy = value as Program["policy"]
            changed({ source: true })
        }, { id: "policy" }),
        options.element,
        h("span", { class: "gap" }),
        ...shareButtons(now, failed),
        h("button", { class: "icon", id: "help", "aria-label": "Help", title: "Help", onclick: () => helpDialog.showModal() }, "?"),
        h("button", { class: "icon", id: "theme", "aria-label": "Dark or light", title: "Dark or light", onclick: theme },
            icon("M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2v10A5 5 0 0 1 8 3z")))
}

const helpDialog = help()
document.body.append(helpDialog)

function theme(): void {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches
    const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light")
    setTheme(now === "dark" ? "light" : "dark")
}
function setTheme(name: string | null): void {
    if (name === "dark" || name === "light") {
        document.documentElement.dataset.theme = name
        try { localStorage.setItem(`${STORED}-theme`, name) } catch { /* not kept */ }
    }
}

// --- start ------------------------------------------------------------------------------------------------------

function read(key: string): string | null {
    try { return embedded ? null : localStorage.getItem(key) } catch { return null }
}

// What the address names; false: nothing.
async function openAddress(): Promise<boolean> {
    const address = location.href
    try {
        const found = await fromAddress(new URL(address))
        if (!found) return false
        notice = ""
        open(found)
        history.replaceState(null, "", address)
    } catch (error) {
        notice = error instanceof ApiError ? error.message : DAMAGED
        open(EXAMPLES[0]!)
        announce(notice)
    }
    return true
}
addEventListener("hashchange", () => void openAddress())

// The page opens moving where something moves, the page itself draws, and nobody asked for less motion.
async function begin(): Promise<void> {
    await opening()
    if (!await local || matchMedia("(prefers-reduced-motion: reduce)").matches || player.playing || byId("messages").childElementCount) return
    const uniforms = [...sourceOf(program.vertex, "vertex").uniforms, ...sourceOf(program.fragment, "fragment").uniforms]
    const moves = /\b(iTime|iFrame)\b/i.test(program.vertex + program.fragment) || uniforms.some(({ name }) => /time/i.test(name))
    if (!program.buffers.length && isFlat(program.mesh) && !moves) return
    player.play()
    transport.update()
}

async function opening(): Promise<void> {
    document.body.classList.toggle("embed", embedded)
    setTheme(read(`${STORED}-theme`))
    if (!embedded) splitters(byId("split-x"), byId("split-y"))
    uniforms.attach(section("uniforms", "Uniforms", true))
    section("textures", "Textures", true)
    section("mesh", "Mesh and size", true)
    section("state", "GL state", false)
    if (await openAddress()) return
    if (embedded) {
        open(EXAMPLES[0]!)
        return
    }
    const stored = read(STORED)
    let last: Program | null = null
    try { last = stored ? fromKept(JSON.parse(stored)) : null } catch { /* not ours */ }
    // An older page kept what was made of an example under the example's name.
    if (last && EXAMPLES.some(example => example.title === last.title)) works.changed(last)
    open(last?.fragment ? last : EXAMPLES[0]!)
}

document.addEventListener("keydown", event => {
    // As in a film player, wherever no text is typed.
    const typing = (event.composedPath()[0] as Element).closest?.("input, select, textarea, button, [contenteditable=true], canvas, summary, a")
    if (event.key === " " && !typing && !(event.composedPath()[0] as Element).closest?.("tr, [role=tab], [role=listbox], g")) {
        event.preventDefault()
        transport.toggle()
    }
})

void begin()

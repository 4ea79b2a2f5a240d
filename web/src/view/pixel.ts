// How a pixel got its colour, or what became of a vertex: each instruction that ran for it, with what it wrote, the
// source line and the variable.
import type { Inspected, Inspection, Step, Target, Write } from "../api.ts"
import { h, select } from "../dom.ts"
import { lineHues } from "../hues.ts"
import { fates, nothing, type Drawing } from "../fate.ts"
import { isOf, otherLine, variablesAt } from "../watch.ts"
import { historyTable } from "./history.ts"
import { Rows } from "./rows.ts"

type VertexStage = "vertex" | "coordinate"

export interface PixelEvents {
    vertex(index: number, stage: VertexStage): void
    line(file: string | null, line: number, go: boolean): void
    source(file: string | null, line: number): string
    drawing(): Drawing // how the primitives are drawn
    words(stage: string, step: Step): string[] | null // what the instruction takes from the uniform stream
}

const MOST = 24 // variables

type Format = "auto" | "float" | "int" | "bits" | "bytes"

// As a float where that is a likely number: most words are.
function valueText(write: Write, format: Format): string {
    const float = write.float === null ? null : Number.isInteger(write.float) && Math.abs(write.float) < 1e7
        ? write.float.toFixed(1) : String(Number(write.float.toPrecision(7)))
    const likely = float !== null && (write.float === 0 || (Math.abs(write.float!) > 1e-12 && Math.abs(write.float!) < 1e12))
    if (format === "bytes" || (format === "auto" && /^tlb_?c/.test(write.target))) return write.bytes.join(" ")
    if (format === "int" || (format === "auto" && (write.target === "tlbz" || (!likely && Math.abs(write.int) < 1e7)))) return String(write.int)
    if (format === "auto" && !likely) return write.bytes.join(" ") // colours, on their way to the tile buffer
    if (format === "bits" || float === null) return `0x${write.bits}`
    return float
}

// The run whose colour is seen.
function seenRun(inspection: Inspection, drawing: Drawing): number {
    const { runs, color } = inspection
    if (!color) return 0
    const { seen } = fates(inspection, drawing)
    return seen >= 0 ? seen : Math.max(0, runs.length - 1)
}

export class PixelView {
    private format: Format = "auto"
    private run = 0
    private current = 0
    private inspection: Inspection | null = null
    private readonly body = h("div", { class: "scroll" })
    private readonly rows = new Rows(this.body, (row, k) => {
        row.classList.toggle("chosen", k === this.current && this.chosen)
        row.tabIndex = k === this.current ? 0 : -1
    })
    private chosen = false
    private stage: VertexStage = "vertex"
    private readonly index = h("input", { type: "number", id: "vertex-index", min: "0", step: "1", value: "0", "aria-label": "Index of the vertex",
        onchange: () => this.vertex() })
    private readonly about = h("span", { class: "about" })
    // What is typed into keeps its place, and with it the focus.
    private readonly head = h("div", { class: "pixel" }, this.about, h("span", { class: "vertex" },
        h("button", { id: "vertex", onclick: () => this.vertex() }, "Vertex"), this.index,
        select("Shader of the vertex", [["vertex", "vertex"], ["coordinate", "coordinate"]], this.stage, value => {
            this.stage = value as VertexStage
            this.vertex()
        }, { id: "vertex-stage" })))
    private readonly notice = h("p", { class: "notice" })
    private readonly watch = h("div", { class: "watch", role: "group", "aria-label": "Variables at this step" })
    private readonly history = h("div", { class: "past" })
    private readonly watched = new Set<string>() // of every pixel

    constructor(element: HTMLElement, private readonly events: PixelEvents) {
        element.classList.add("with-detail")
        element.append(this.head, this.history, this.notice, this.watch, this.body)
        this.body.addEventListener("pointerover", event => {
            const row = this.rowOf(event.target as Element)
            if (row) this.events.line(row.dataset.file ?? null, Number(row.dataset.line ?? 0), false)
        })
        this.body.addEventListener("pointerleave", () => this.events.line(null, 0, false))
        this.body.addEventListener("click", event => {
            const row = this.rowOf(event.target as Element)
            if (row) this.choose(Number(row.dataset.step), true)
        })
        this.body.addEventListener("keydown", event => this.key(event))
        this.clear()
    }

    clear(): void { this.say("Click a pixel of the picture, or move there with the arrow keys and press Enter. Or choose a vertex.") }

    say(text: string): void {
        this.inspection = null
        this.about.replaceChildren()
        this.history.replaceChildren()
        delete this.head.dataset.at
        this.tell(text)
    }

    private tell(text: string): void {
        this.notice.textContent = text
        this.notice.hidden = !text
        this.body.hidden = this.watch.hidden = Boolean(text)
    }

    private vertex(): void { this.events.vertex(Math.max(0, Math.floor(Number(this.index.value) || 0)), this.stage) }

    show(answer: Inspected, target: Target): void {
        const inspection = answer.inspect
        if (!inspection) {
            this.say(answer.messages[0]?.text ?? "Nothing is known of this place.")
            return
        }
        this.inspection = inspection
        this.run = seenRun(inspection, this.events.drawing())
        this.head.dataset.at = "x" in target ? `${target.x},${target.y}` : `vertex ${target.index}`
        this.head.dataset.color = inspection.color?.join() ?? ""
        this.draw()
    }

    private draw(): void {
        const inspection = this.inspection!
        const { x, y, color, runs } = inspection
        const run = runs[this.run]
        const words = color ? fates(inspection, this.events.drawing()).words : []
        const place = color ? `pixel ${x}, ${y}` : `vertex ${inspection.vertex}`
        this.about.replaceChildren(
            color ? h("span", { class: "swatch", style: { "background-color": `rgb(${color.slice(0, 3).join(" ")})` } }) : "",
            h("b", {}, color ? `${x}, ${y}` : `Vertex ${inspection.vertex}`),
            color ? h("code", {}, `rgba ${color.join(" ")}`) : "",
            h("span", { class: "soft" }, run ? `${run.steps.length} instructions, lane ${run.lane}${run.covered ? "" : ", helper"}${inspection.truncated ? ", cut" : ""}${inspection.failed ? ", the machine stopped" : ""}` : ""),
            words[this.run] ? h("span", { class: "fate" }, words[this.run]) : "",
            h("span", { class: "gap" }),
            run ? h("button", { id: "line-before", title: "To the line before (p)", onclick: () => this.line(-1) }, "← line") : "",
            run ? h("button", { id: "line-next", title: "To the next line (n)", onclick: () => this.line(1) }, "line →") : "",
            runs.length > 1 ? select(color ? "Primitive" : "Run of the shader", runs.map((_, k) => [String(k), `${color ? "primitive" : "run"} ${k + 1} of ${runs.length}${words[k] ? `: ${words[k].split(/[:,]/)[0]}` : ""}`]), String(this.run), value => {
                this.run = Number(value)
                this.draw()
            }) : "",
            select("Values as", [["auto", "values"], ["float", "floats"], ["int", "integers"], ["bits", "bits"], ["bytes", "bytes"]], this.format, value => {
                this.format = value as Format
                this.draw()
            }))
        this.history.replaceChildren(color ? historyTable(inspection, words, this.run, k => {
            this.run = k
            this.draw()
            this.history.querySelectorAll("button")[k]?.focus()
        }) : "")
        if (run && !run.steps.length) {
            this.tell("Nothing ran for this primitive.")
            return
        }
        if (!run) {
            this.tell(color ? nothing(this.events.drawing()) : "No primitive uses this vertex.")
            return
        }
        this.tell("")
        const hues = lineHues(run.steps.map(step => step.line))
        this.current = 0
        this.chosen = false
        this.body.replaceChildren(h("table", { class: "listing steps-table", "aria-label": `Steps of ${place}` },
            h("thead", {}, h("tr", {}, ["#", "Line", "Instruction", "Wrote", "Source"].map(text => h("th", { scope: "col" }, text)))),
            this.rows.body))
        this.body.scrollTop = 0
        this.rows.set(run.steps.length, k => this.row(run.steps[k]!, k, hues, run.steps[k - 1]))
        this.variables()
    }

    private get steps(): Step[] { return this.inspection?.runs[this.run]?.steps ?? [] }

    private line(way: 1 | -1): void {
        if (this.steps.length) this.choose(this.chosen || way < 0 ? otherLine(this.steps, this.current, way) : otherLine(this.steps, -1, 1), false)
    }

    // The variables after the chosen step, or at the end while none is chosen; those that are watched come first.
    private variables(): void {
        const found = variablesAt(this.steps, this.chosen ? this.current : Infinity)
        const list = [...found].sort(([a], [b]) => Number(this.watched.has(b)) - Number(this.watched.has(a)))
        const gone = [...this.watched].filter(name => !found.has(name))
        const chip = (name: string, value: string) => h("button", { class: "variable", "aria-pressed": String(this.watched.has(name)),
            title: this.watched.has(name) ? "Watch it no longer" : "Watch it: it stays first, here and at other pixels",
            onclick: () => {
                if (!this.watched.delete(name)) this.watched.add(name)
                this.variables()
            } }, h("span", { class: "target" }, name), ` ${value}`)
        this.watch.replaceChildren(h("span", { class: "soft" }, this.chosen ? `After step ${this.current}:` : "At the end:"),
            ...gone.map(name => chip(name, "–")), ...list.slice(0, MOST).map(([name, write]) => chip(name, valueText(write, this.format))),
            found.size || gone.length ? "" : h("span", { class: "soft" }, "no variable has a value yet"), list.length > MOST ? h("span", { class: "soft" }, `and ${list.length - MOST} more`) : "")
    }

    // What a word of the source is at the chosen step, or at the end; null: nothing is known of it.
    valueOf(word: string, stage: VertexStage | "fragment"): string | null {
        if (!this.inspection || (this.inspection.stage === "fragment") !== (stage === "fragment")) return null
        const values = [...variablesAt(this.steps, this.chosen ? this.current : Infinity)].filter(([name]) => isOf(name, word))
        const { x, y, vertex } = this.inspection
        return values.length ? `${values.slice(0, 16).map(([name, write]) => `${name} = ${valueText(write, this.format)}`).join("\n")}\n`
            + `${x === undefined ? `vertex ${vertex}` : `pixel ${x}, ${y}`}, ${this.chosen ? `after step ${this.current}` : "at the end"}` : null
    }

    private row(step: Step, k: number, hues: Map<number, number>, before: Step | undefined): HTMLTableRowElement {
        const writes = step.writes.map(write => h("span", { class: write.written ? "wrote" : "wrote not", title: write.written ? `0x${write.bits}` : "the lane's condition did not hold: the value stays" },
            h("span", { class: "target" }, write.name ?? write.target), " ", h("b", {}, valueText(write, this.format)),
            write.name ? h("span", { class: "soft" }, ` ${write.target}`) : ""))
        const first = step.line > 0 && (before?.line !== step.line || before.file !== step.file)
        return h("tr", { "data-step": k, "data-line": step.line || undefined, "data-file": step.file ?? undefined,
            class: step.line ? `hue-${hues.get(step.line)}` : "" },
        h("td", { class: "n at" }, step.instruction),
        h("td", { class: "src" }, step.line ? h("span", { class: "chip" }, step.line) : ""),
        h("td", { class: "slot", title: [step.text, ...this.events.words(this.inspection?.stage ?? "", step) ?? []].join("\n") }, step.text.replace(/^(nop; )+(?=.)/, "")),
        h("td", { class: "writes" }, writes),
        h("td", { class: "uni" }, first ? this.events.source(step.file, step.line).trim() : ""))
    }

    private rowOf(element: Element): HTMLElement | null { return element.closest<HTMLElement>("tr[data-step]") }

    private choose(k: number, go: boolean): void {
        const before = this.rows.get(this.current)
        before?.setAttribute("tabindex", "-1")
        before?.classList.remove("chosen")
        this.current = k
        this.chosen = true
        const row = this.rows.reveal(k)
        if (!row) return
        row.setAttribute("tabindex", "0")
        row.classList.add("chosen")
        row.focus({ preventScroll: true })
        this.variables()
        this.events.line(row.dataset.file ?? null, Number(row.dataset.line ?? 0), go)
    }

    private key(event: KeyboardEvent): void {
        if (!event.ctrlKey && !event.metaKey && !event.altKey && (event.key === "n" || event.key === "p")) this.line(event.key === "n" ? 1 : -1)
        const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 16, PageUp: -16 }[event.key]
        const last = (this.inspection?.runs[this.run]?.steps.length ?? 0) - 1
        const to = event.key === "Home" ? 0 : event.key === "End" ? last : step ? this.current + step : null
        if (to === null || last < 0) return
        event.preventDefault()
        this.choose(Math.max(0, Math.min(last, to)), false)
    }
}

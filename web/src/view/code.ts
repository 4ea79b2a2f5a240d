// The code: both ALUs side by side, the signal, the source line in its colour, live registers as a bar, stalls and
// thread switches. Pointing at a row points at its source line, and the other way round.
import { h } from "../dom.ts"
import { bits, IDLE, UNITS, type Instruction, type Slot, type Stage } from "../explain.ts"
import { besideCode, footnotes, partsOf, wordLines } from "../formulas.ts"
import { lineHues } from "../hues.ts"
import { Rows } from "./rows.ts"
import { hideTooltip, showTooltip } from "./tooltip.ts"

export interface Doc { name: string; kind: string; tooltip: string; url?: string }
export interface CodeEvents {
    // The pointer or the focus is on an instruction of this source line; null: on none. `go`: it was chosen.
    line(file: string | null, line: number, go: boolean): void
    documents(): Promise<Record<string, Doc>>
}

const WORD = /([A-Za-z_][\w]*)/

// An instruction's text with its words in elements that the tooltip finds.
function words(text: string): (Node | string)[] {
    return text.split(WORD).map((part, k) => k % 2 ? h("span", { class: k === 1 ? "w op" : "w" }, part) : part)
}

function slotCell(slot: Slot, kind: "add" | "mul"): HTMLElement {
    if (slot.text === null)
        return h("td", { class: `slot idle` }, slot.idle
            ? h("span", { class: "why", "data-idle": slot.idle }, slot.idle.replace(/_/g, " ")) : "")
    return h("td", { class: `slot ${kind}` }, words(slot.text), slot.name ? h("span", { class: "var", title: slot.name }, slot.name) : "")
}

function liveBar(instruction: Instruction, scale: number): HTMLElement {
    const { a, b, acc, count } = instruction.live
    const part = (kind: string, mask: number) => {
        const n = bits(mask)
        return n ? h("i", { class: kind, style: { width: `${n * scale}%` } }) : null
    }
    return h("td", { class: "live", "data-live": count }, h("span", { class: "visually-hidden" }, `${count} live`),
        h("span", { class: "bar3", "aria-hidden": "true" }, part("a", a), part("b", b), part("acc", acc)),
        h("span", { class: "n", "aria-hidden": "true" }, count))
}

const registers = (mask: number, prefix: string) =>
    Array.from({ length: 32 }, (_, k) => k).filter(k => mask >>> k & 1).map(k => prefix + k)

const stallText = ({ stall, stall_cause, stall_for }: Instruction) =>
    `${stall} ${stall === 1 ? "cycle" : "cycles"} for the ${stall_cause === "tmu" ? "texture unit" : "vertex memory"}`
    + (stall_for === undefined ? "" : `, asked by instruction ${stall_for}`)

function idleText(slot: Slot): string {
    const reason = IDLE[slot.idle ?? ""] ?? slot.idle ?? ""
    return reason + (slot.waits_for === undefined ? "" : `. What could fill it is in instruction ${slot.waits_for}`
        + (slot.because_of === undefined ? "" : `, held up by ${slot.because_of}`))
}

// What the column of uniforms names.
function notes(stage: Stage): HTMLElement | string {
    const all = footnotes(stage)
    return all.length ? h("dl", { class: "footnotes", "aria-label": "Uniforms computed for each draw" },
        all.flatMap(({ name, text }) => [h("dt", {}, name), h("dd", {}, `= ${text}`)])) : ""
}

export class CodeView {
    private line: number | null = null
    private stage: Stage | null = null
    private readonly body = h("div", { class: "scroll code" })
    private readonly rows = new Rows(this.body, (row, k) => {
        row.classList.toggle("linked", this.line !== null && row.dataset.line === String(this.line))
        row.classList.toggle("chosen", k === this.current && this.chosen)
        row.tabIndex = k === this.current ? 0 : -1
    })
    private chosen = false
    private readonly detail = h("div", { class: "detail", "aria-live": "polite" })
    private current = 0

    constructor(element: HTMLElement, private readonly events: CodeEvents) {
        element.replaceChildren(this.body, this.detail)
        element.classList.add("with-detail")
        this.body.addEventListener("pointerover", event => this.over(event.target as Element))
        this.body.addEventListener("pointerleave", () => {
            hideTooltip()
            this.events.line(null, 0, false)
        })
        this.body.addEventListener("click", event => {
            const row = this.rowOf(event.target as Element)
            if (row !== null) this.choose(row, true)
        })
        this.body.addEventListener("keydown", event => this.key(event))
    }

    show(stage: Stage | null): void {
        this.stage = stage
        this.current = 0
        this.chosen = false
        this.line = null
        this.detail.replaceChildren()
        if (!stage) {
            this.body.replaceChildren(h("p", { class: "notice" }, "There is no code to show: the program has errors, or no such stage."))
            return
        }
        const hues = lineHues(stage.code.map(instruction => instruction.line))
        const peak = stage.cost.peak.instruction
        const make = (k: number) => {
            const instruction = stage.code[k]!
            const marks: Node[] = []
            if (instruction.stall) marks.push(h("span", { class: "mark stall",
                title: `waits ${stallText(instruction)}` },
            `wait ${instruction.stall}`))
            if (instruction.thread_switch) marks.push(h("span", { class: "mark switch", title: "thread switch: the other thread runs while this one waits" }, "⇄"))
            if (instruction.delay_slot) marks.push(h("span", { class: "mark delay", title: "delay slot: still executed after the branch, switch or end" }, "↓"))
            if (instruction.target !== undefined) marks.push(h("span", { class: "mark target" }, `→${instruction.target}`))
            if (k === peak) marks.push(h("span", { class: "mark peak", title: "here most registers are alive" }, "peak"))
            const signal = instruction.signal.text
            return h("tr", {
                id: `i${k}`, "data-index": k, "data-line": instruction.line || undefined,
                class: [stage.blocks[instruction.block]?.first === k && k ? "block" : "", instruction.longest_path ? "path" : "",
                    instruction.line ? `hue-${hues.get(instruction.line)}` : ""].join(" "),
            },
            h("td", { class: "n at" }, k),
            h("td", { class: "src" }, instruction.line ? h("span", { class: "chip" }, instruction.line) : ""),
            slotCell(instruction.add, "add"), slotCell(instruction.mul, "mul"),
            h("td", { class: "slot sig" }, signal ? words(signal) : "", marks),
            h("td", { class: "uni" }, besideCode(stage, instruction)),
            liveBar(instruction, 100 / Math.max(16, stage.cost.peak.registers + 1)))
        }
        this.body.replaceChildren(h("table", { class: "listing code-table", "aria-label": `Code of the ${stage.stage} shader`, "aria-rowcount": stage.code.length },
            h("colgroup", {}, ["at", "src", "add", "mul", "sig", "uni", "live"].map(name => h("col", { class: name }))),
            h("thead", {}, h("tr", {}, ["#", "Line", "Add ALU", "Mul ALU", "Signal", "Uniform", "Live"].map(text =>
                h("th", { scope: "col" }, text)))),
            this.rows.body), notes(stage))
        this.body.scrollTop = 0
        this.rows.set(stage.code.length, make)
    }

    // Rows of a source line get its background; the first of them comes into view.
    highlight(line: number | null, scroll = false): void {
        this.line = line
        const first = scroll && line !== null ? this.stage?.code.findIndex(instruction => instruction.line === line) ?? -1 : -1
        if (first >= 0) this.rows.reveal(first)
        for (const [, row] of this.rows.all())
            row.classList.toggle("linked", line !== null && row.dataset.line === String(line))
    }

    go(index: number): void { this.choose(index, true) }

    private rowOf(element: Element): number | null {
        const row = element.closest("tr[data-index]")
        return row ? Number((row as HTMLElement).dataset.index) : null
    }

    private over(element: Element): void {
        const index = this.rowOf(element)
        if (index === null || !this.stage) return
        const instruction = this.stage.code[index]!
        this.highlight(instruction.line || null)
        this.events.line(instruction.file, instruction.line, false)
        const word = element.closest(".w")
        const why = element.closest<HTMLElement>(".why")
        const live = element.closest(".live")
        const uniform = element.closest(".uni")
        if (word) void this.document(word)
        else if (why) {
            const slot = why.closest("td") === why.closest("tr")!.cells[2] ? instruction.add : instruction.mul
            showTooltip(why, h("b", {}, "Idle "), idleText(slot))
        } else if (live) {
            const { a, b, acc, flags } = instruction.live
            const all = [...registers(a, "ra"), ...registers(b, "rb"), ...registers(acc, "r"), ...(flags ? ["flags"] : [])]
            showTooltip(live, h("b", {}, `${instruction.live.count} live after this: `), all.join(" ") || "none")
        } else if (uniform && instruction.uniform) {
            showTooltip(uniform, ...wordLines(this.stage, instruction)!.map(line => h("p", { class: "formula" }, line)))
        } else hideTooltip()
    }

    private async document(word: Element): Promise<void> {
        const doc = await this.find(word.textContent ?? "")
        if (!doc || !word.isConnected || !word.matches(":hover")) return
        showTooltip(word, h("b", {}, doc.name), h("span", { class: "kind" }, doc.kind), h("p", {}, doc.tooltip))
    }

    private async find(text: string): Promise<Doc | null> {
        const all = await this.events.documents().catch((): Record<string, Doc> => ({}))
        return all[text] ?? all[text.replace(/\d+$/, "")] ?? null
    }

    private choose(index: number, go: boolean): void {
        const stage = this.stage
        const instruction = stage?.code[index]
        if (!stage || !instruction) return
        const before = this.rows.get(this.current)
        before?.setAttribute("tabindex", "-1")
        before?.classList.remove("chosen")
        this.current = index
        this.chosen = true
        const row = this.rows.reveal(index)
        row?.setAttribute("tabindex", "0")
        row?.classList.add("chosen")
        row?.focus({ preventScroll: true })
        this.highlight(instruction.line || null)
        this.events.line(instruction.file, instruction.line, go)
        void this.describe(index, instruction)
    }

    private async describe(index: number, instruction: Instruction): Promise<void> {
        const facts: [string, string][] = []
        if (instruction.line) facts.push(["source", `${instruction.file ? `${instruction.file}, ` : ""}line ${instruction.line}`])
        for (const kind of ["add", "mul"] as const) {
            const slot = instruction[kind]
            if (slot.name) facts.push([`${kind} writes`, slot.name])
            if (slot.text === null && slot.idle) facts.push([`${kind} idle`, idleText(slot)])
        }
        const word = instruction.uniform && this.stage?.stream[instruction.uniform.word]
        if (word && this.stage)
            facts.push(["uniform", `${word.name} = ${word.formula}`], ...partsOf(word.formula, this.stage).map((part): [string, string] => ["", `${part.name} = ${part.text}`]))
        if (instruction.stall) facts.push(["waits", stallText(instruction)])
        facts.push(["uses", instruction.units.map(unit => UNITS[unit] ?? unit).join(", ") || "nothing"])
        facts.push(["slack", instruction.longest_path ? "none: on its block's longest path" : `${instruction.slack} instructions`])
        this.detail.replaceChildren(
            h("div", { class: "head" }, h("b", {}, `#${index}`), h("code", {}, instruction.text), h("code", { class: "soft" }, `0x${instruction.word}`)),
            h("dl", {}, facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])))
        const docs = await Promise.all([instruction.add.text, instruction.mul.text, instruction.signal.text].map(text =>
            this.find(WORD.exec(text ?? "")?.[1] ?? "")))
        if (this.current === index)
            this.detail.append(...[...new Set(docs)].flatMap(doc => doc && doc.name !== "nop"
                ? [h("p", { class: "doc" }, h("b", {}, doc.name), " ", doc.tooltip)] : []))
    }

    private key(event: KeyboardEvent): void {
        const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 16, PageUp: -16 }[event.key]
        const last = (this.stage?.code.length ?? 0) - 1
        const to = event.key === "Home" ? 0 : event.key === "End" ? last : step ? this.current + step : null
        if (to !== null && last >= 0) {
            event.preventDefault()
            this.choose(Math.max(0, Math.min(last, to)), false)
        } else if (event.key === "Enter") this.choose(this.current, true)
    }
}

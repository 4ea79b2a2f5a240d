// Two versions of a shader side by side: this one, and the pinned one or the same source with other options.
import { diffLines } from "../diff.ts"
import { h } from "../dom.ts"
import type { Explain, Instruction, Stage } from "../explain.ts"
import type { StageName } from "./stage_names.ts"

export interface CompareEvents {
    ask(options: string): void // for the code with these options
    line(file: string | null, line: number): void
}

type Row = [Instruction | null, Instruction | null]

// What is equal is beside each other; what was taken away is beside what came instead, as far as that goes.
export function align(before: Instruction[], after: Instruction[]): Row[] {
    const rows: Row[] = []
    let out: Instruction[] = [], into: Instruction[] = []
    let a = 0, b = 0
    const flush = () => {
        for (let k = 0; k < Math.max(out.length, into.length); k++) rows.push([out[k] ?? null, into[k] ?? null])
        out = []
        into = []
    }
    for (const { kind } of diffLines(before.map(({ text }) => text), after.map(({ text }) => text))) {
        if (kind === "removed") out.push(before[a++]!)
        else if (kind === "added") into.push(after[b++]!)
        else {
            flush()
            rows.push([before[a++]!, after[b++]!])
        }
    }
    flush()
    return rows
}

const MOST = 3000 // rows

export class CompareView {
    private now: Explain | null = null
    private pinned: Explain | null = null
    private other: Explain | null = null
    private said = ""
    private stage: StageName = "fragment"
    private readonly source = h("select", { "aria-label": "Compared with", id: "compare-with", onchange: () => this.changed() },
        h("option", { value: "options" }, "the same with other options"), h("option", { value: "pinned" }, "the pinned version"))
    private readonly options = h("input", { type: "text", id: "compare-options", value: "-O0", spellcheck: "false", "aria-label": "Options of the other version",
        onchange: () => this.changed() })
    private readonly body = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Both versions" })

    constructor(element: HTMLElement, private readonly events: CompareEvents) {
        element.append(h("div", { class: "actions" }, h("span", {}, "This version, and"), this.source, this.options), this.body)
        this.body.addEventListener("pointerover", event => {
            const cell = (event.target as Element).closest<HTMLElement>("td[data-line]")
            this.events.line(cell?.dataset.file ?? null, Number(cell?.dataset.line ?? 0))
        })
        this.body.addEventListener("pointerleave", () => this.events.line(null, 0))
    }

    // There is a new version, or this view is seen again.
    show(now: Explain | null, stage: StageName): void {
        this.now = now
        this.stage = stage
        this.changed()
    }

    pin(pinned: Explain | null): void {
        this.pinned = pinned
        this.source.value = pinned ? "pinned" : "options"
    }

    answer(other: Explain | null, said: string): void {
        this.other = other
        this.said = said
        this.draw()
    }

    private changed(): void {
        const pinned = this.source.value === "pinned"
        this.options.hidden = pinned
        if (!pinned) this.events.ask(this.options.value.trim())
        this.draw()
    }

    private draw(): void {
        const of = (explain: Explain | null) => explain?.stages.find(({ stage }) => stage === this.stage) ?? null
        const pinned = this.source.value === "pinned"
        const left = of(this.now), right = of(pinned ? this.pinned : this.other)
        if (!left || !right) {
            this.body.replaceChildren(h("p", { class: "notice" }, pinned ? "No version is pinned: Cost has the button." : this.said || "There is no code yet."))
            return
        }
        const rows = align(right.code, left.code).map(([before, after]): Row => [after, before])
        const differ = rows.filter(([a, b]) => a?.text !== b?.text).length
        const head = (title: string, { cost }: Stage) => h("th", { scope: "col" }, title,
            h("span", { class: "soft" }, ` ${cost.instructions} instructions, ${cost.cycles} cycles, ${cost.registers.a + cost.registers.b + cost.registers.acc} registers`))
        this.body.replaceChildren(
            h("p", { class: "soft", id: "compare-said", role: "status" }, differ ? `${differ} of ${rows.length} rows differ.` : "The code is the same."),
            h("table", { class: "side-by-side", "aria-label": "Both versions, instruction by instruction" },
                h("thead", {}, h("tr", {}, head("This version", left), head(pinned ? "Pinned" : this.options.value.trim() || "the same options", right))),
                h("tbody", {}, rows.slice(0, MOST).map(([a, b]) => h("tr", { class: a?.text === b?.text ? "" : a && b ? "changed" : a ? "added" : "removed" },
                    this.cell(a), this.cell(b))))),
            rows.length > MOST ? h("p", { class: "notice" }, `${rows.length - MOST} more rows are not shown.`) : "")
    }

    private cell(instruction: Instruction | null): HTMLElement {
        if (!instruction) return h("td", { class: "none" })
        return h("td", { "data-line": instruction.line || undefined, "data-file": instruction.file ?? undefined },
            h("span", { class: "n" }, instruction.line || ""), h("code", {}, instruction.text.replace(/\bnop; (?=.)/g, "")))
    }
}

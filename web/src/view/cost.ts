// The cost: what limits the shader, by how much, where, and what a pinned version would cost instead.
import type { Counters } from "../api.ts"
import { diffLines } from "../diff.ts"
import { h, svg, wide } from "../dom.ts"
import { pathsOf } from "../paths.ts"
import { bits, frameMilliseconds, IDLE, UNITS, type Stage } from "../explain.ts"

export interface CostExtras {
    counters: Counters | null // of the last frame, from the machine
    source: (file: string | null, line: number) => string // a source line's text
    go: (instruction: number) => void
    line: (file: string | null, line: number) => void
    pinned: Stage | null
    pinnedCounters: Counters | null
    pin?: (() => void) | undefined // absent: there is nothing to pin
    unpin?: (() => void) | undefined
}

const percent = (part: number, whole: number) => whole ? `${Math.round(100 * part / whole)} %` : "–"
const ms = (value: number) => value < 10 ? value.toFixed(2) : value.toFixed(1)

function figure(label: string, value: string | number, note = ""): HTMLElement {
    return h("div", { class: "figure" }, h("span", { class: "label" }, label), h("b", {}, value), note ? h("span", { class: "note" }, note) : "")
}

// Cycles of a batch: measured if a frame was drawn, which knows how often loops ran; else the model's.
export function batchCycles(stage: Stage, counters: Counters | null): { cycles: number; measured: boolean } {
    const counted = counters?.stages[stage.stage]
    return counted?.batches ? { cycles: counted.cycles / counted.batches, measured: true }
        : { cycles: stage.cost.cycles, measured: false }
}

export function boundText(stage: Stage): string {
    const by = UNITS[stage.cost.bound_by] ?? stage.cost.bound_by
    return stage.cost.bound_by === "dependencies" ? "the longest chain of dependent operations"
        : stage.cost.bound_by === "alus" ? "both ALUs" : `${/^Read port/.test(by) ? "" : "the "}${by[0]!.toLowerCase()}${by.slice(1)}`
}

function units(stage: Stage): HTMLElement {
    const { cost } = stage
    const whole = Math.max(cost.cycles, 1)
    const rows = Object.entries(cost.units).filter(([, unit]) => unit.used)
        .sort((a, b) => b[1].used - a[1].used)
        .map(([name, unit]) => h("tr", { class: name === cost.bound_by ? "bound" : "" },
            h("th", { scope: "row" }, UNITS[name] ?? name, name === cost.bound_by ? h("span", { class: "tag" }, "bound") : ""),
            h("td", { class: "meter" }, h("span", { class: `fill u-${name}`, style: { width: `${100 * unit.used / whole}%` } })),
            h("td", { class: "n" }, unit.used), h("td", { class: "n soft" }, percent(unit.used, whole)), h("td", { class: "n" }, unit.bound)))
    const total = (label: string, bound: number, key: string) => h("tr", { class: key === cost.bound_by ? "bound" : "" },
        h("th", { scope: "row" }, label, key === cost.bound_by ? h("span", { class: "tag" }, "bound") : ""),
        h("td", { class: "meter" }), h("td", {}), h("td", {}), h("td", { class: "n" }, bound))
    return h("table", { class: "units", "aria-label": "Instructions that use each unit" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Unit"), h("th", { scope: "col", class: "meter" }, "of all cycles"),
            h("th", { scope: "col", class: "n" }, "used"), h("th", { scope: "col", class: "n" }, "share"),
            h("th", { scope: "col", class: "n", title: "no order is shorter, as far as this alone limits it" }, "bound"))),
        h("tbody", {}, rows, total("Both ALUs, evenly", cost.alu_bound, "alus"),
            total("Longest chains", cost.dependency_bound, "dependencies")))
}

// Live registers after each instruction, as an area for each file over the others.
export function pressure(stage: Stage, go: (instruction: number) => void): HTMLElement {
    const width = 640
    const height = 140
    const count = stage.code.length
    const most = 68 // both files and four accumulators
    const step = width / Math.max(count, 1)
    const top = Math.max(16, Math.min(most, Math.ceil((stage.cost.peak.registers + 4) / 8) * 8))
    const y = (value: number) => height - value / top * height
    const kinds = ["a", "b", "acc"] as const
    const counts = stage.code.map(({ live }) => [bits(live.a), bits(live.b), bits(live.acc & 15)])
    const area = (level: number) => {
        const sum = (k: number) => counts[k]!.slice(0, level + 1).reduce((total, n) => total + n, 0)
        let d = `M0 ${height}`
        for (let k = 0; k < count; k++) d += `V${y(sum(k)).toFixed(1)}H${((k + 1) * step).toFixed(1)}`
        return d + `V${height}Z`
    }
    const { peak } = stage.cost
    const x = (peak.instruction + 0.5) * step
    const drawing = svg("svg", { class: "pressure", viewBox: `-30 -16 ${width + 40} ${height + 36}`, role: "img",
        "aria-label": `Live registers: at most ${peak.registers}, after instruction ${peak.instruction}${peak.line ? `, line ${peak.line}` : ""}`,
        onclick: (event: MouseEvent) => {
            const box = (event.currentTarget as SVGElement).getBoundingClientRect()
            const at = ((event.clientX - box.left) / box.width * (width + 40) - 30) / step
            if (at >= 0 && at < count) go(Math.floor(at))
        } },
    [2, 1, 0].map(level => svg("path", { d: area(level), class: `area ${kinds[level]}` })),
    [0, top / 2, top].map(value => [svg("line", { x1: 0, x2: width, y1: y(value), y2: y(value), class: "grid" }),
        svg("text", { x: -6, y: y(value) + 4, class: "end" }, value)]).flat(),
    svg("line", { x1: x, x2: x, y1: y(peak.registers) - 4, y2: height, class: "peak" }),
    svg("text", { x: Math.min(Math.max(x, 50), width - 50), y: Math.max(-4, y(peak.registers) - 8), class: "middle strong" },
        `peak ${peak.registers}${peak.line ? `, line ${peak.line}` : ""}`),
    svg("text", { x: 0, y: height + 16 }, "0"), svg("text", { x: width, y: height + 16, class: "end" }, count))
    return h("figure", { class: "chart" }, drawing,
        h("figcaption", {}, h("span", { class: "key a" }, "file A"), h("span", { class: "key b" }, "file B"),
            h("span", { class: "key acc" }, "accumulators"), "alive after each instruction"))
}

function idle(stage: Stage): HTMLElement {
    const { add, mul } = stage.cost.idle
    const reasons = [...new Set([...Object.keys(add), ...Object.keys(mul)])]
        .map(name => ({ name, add: add[name] ?? 0, mul: mul[name] ?? 0 }))
        .sort((a, b) => b.add + b.mul - a.add - a.mul)
    if (!reasons.length) return h("p", { class: "empty" }, "Every slot is in use.")
    return h("table", { "aria-label": "Why slots are idle" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "n" }, "Add"), h("th", { scope: "col", class: "n" }, "Mul"), h("th", { scope: "col" }, "Idle because"))),
        h("tbody", {}, reasons.map(reason => h("tr", {}, h("td", { class: "n" }, reason.add || ""), h("td", { class: "n" }, reason.mul || ""),
            h("td", {}, IDLE[reason.name] ?? reason.name)))))
}

function lines(stage: Stage, extras: CostExtras): HTMLElement {
    const most = Math.max(...stage.lines.map(line => line.share), 0.001)
    const shown = stage.lines.filter(line => line.line > 0).slice(0, 14)
    if (!shown.length) return h("p", { class: "empty" }, "No source lines are known.")
    return h("table", { class: "lines", "aria-label": "Source lines by their share of the cycles" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "n" }, "Line"), h("th", { scope: "col", class: "n" }, "Share"), h("th", { scope: "col" }, ""), h("th", { scope: "col" }, "Source"))),
        h("tbody", {}, shown.map(line => h("tr", {},
            h("td", { class: "n" }, h("button", { class: "link", onclick: () => extras.line(line.file, line.line) }, line.line)),
            h("td", { class: "n" }, percent(line.share, 1)),
            h("td", { class: "meter small" }, h("span", { class: "fill", style: { width: `${100 * line.share / most}%` } })),
            h("td", {}, h("code", {}, extras.source(line.file, line.line).trim()))))))
}

function controlFlow(stage: Stage, extras: CostExtras): HTMLElement {
    return h("table", { class: "lines", id: "decisions", "aria-label": "What became of loops and branches" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "n" }, "Line"), h("th", { scope: "col" }, "Kind"),
            h("th", { scope: "col", class: "n" }, "Copies"), h("th", { scope: "col" }, "What became of it, and why"))),
        h("tbody", {}, (stage.decisions ?? []).map(decision => h("tr", {},
            h("td", { class: "n" }, decision.line ? h("button", { class: "link", onclick: () => extras.line(decision.file, decision.line) }, decision.line) : ""),
            h("td", {}, decision.kind), h("td", { class: "n" }, decision.copies > 1 ? decision.copies : ""), h("td", {}, decision.text)))))
}

type Metric = [label: string, value: (stage: Stage, counters: Counters | null) => number, digits?: number]
const METRICS: Metric[] = [
    ["Instructions", stage => stage.cost.instructions],
    ["Cycles of a batch", (stage, counters) => batchCycles(stage, counters).cycles, 1],
    ["Stalls", stage => stage.cost.stalls],
    ["Lower bound", stage => stage.cost.lower_bound],
    ["Peak of live registers", stage => stage.cost.peak.registers],
    ["Threads", stage => stage.cost.threads],
    ["Uniform words", stage => stage.cost.uniform_words],
    ["Texture requests", stage => stage.cost.texture_requests],
    ["Special functions", stage => stage.cost.special_functions],
    ["Add ALU", stage => stage.cost.units.add?.used ?? 0],
    ["Mul ALU", stage => stage.cost.units.mul?.used ?? 0],
]

function comparison(stage: Stage, extras: CostExtras): HTMLElement {
    const pinned = extras.pinned
    const head = h("div", { class: "actions" },
        extras.pin ? h("button", { onclick: extras.pin, id: "pin" }, pinned ? "Pin this version instead" : "Pin this version") : "",
        pinned && extras.unpin ? h("button", { class: "plain", onclick: extras.unpin }, "Unpin")
            : h("span", { class: "soft" }, "Then edit, and see here what changed."))
    if (!pinned) return head
    const rows = METRICS.map(([label, value, digits = 0]) => {
        const before = value(pinned, extras.pinnedCounters)
        const after = value(stage, extras.counters)
        const change = after - before
        // More threads and a higher number there are good; of all else less is.
        const good = label === "Threads" ? change > 0 : change < 0
        return h("tr", {}, h("th", { scope: "row" }, label), h("td", { class: "n" }, before.toFixed(digits)),
            h("td", { class: "n" }, after.toFixed(digits)),
            h("td", { class: `n ${Math.abs(change) < 0.05 ? "soft" : good ? "better" : "worse"}` },
                Math.abs(change) < 0.05 ? "same" : `${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(digits)}`
                    + (before ? ` (${change > 0 ? "+" : "−"}${Math.round(100 * Math.abs(change) / before)} %)` : "")))
    })
    return h("div", {}, head, h("table", { class: "compare", id: "comparison", "aria-label": "Pinned version and this one" },
        h("thead", {}, h("tr", {}, ["", "Pinned", "Now", "Change"].map((text, k) => h("th", { scope: "col", class: k ? "n" : "" }, text)))),
        h("tbody", {}, rows)), codeDifference(pinned, stage))
}

// The two versions' instructions, as far as they differ.
function codeDifference(before: Stage, after: Stage): HTMLElement {
    const text = (stage: Stage) => stage.code.map(instruction => instruction.text)
    const edits = diffLines(text(before), text(after))
    const changed = edits.filter(edit => edit.kind !== "same").length
    if (!changed) return h("p", { class: "empty" }, "The code is the same.")
    return h("details", { class: "differs" }, h("summary", {}, `Code: ${changed} instructions differ`),
        h("pre", { class: "irtext" }, edits.map(({ kind, text }) => h("span", { class: `line ${kind}` },
            h("span", { class: "sign" }, { same: " ", added: "+", removed: "−" }[kind]), `${text}\n`))))
}

export function costView(element: HTMLElement, stage: Stage | null, extras: CostExtras): void {
    if (!stage) {
        element.replaceChildren(h("p", { class: "notice" }, "There is no code to measure."))
        return
    }
    const { cost } = stage
    const { shortest, longest } = pathsOf(stage.blocks)
    const batch = batchCycles(stage, extras.counters)
    const frame = frameMilliseconds(batch.cycles, 1280, 720)
    element.replaceChildren(h("div", { class: "cost" },
        h("p", { class: "verdict" }, "Bound by ", h("b", {}, boundText(stage)), `: no order of these operations takes fewer than ${cost.lower_bound} instructions; the code has `,
            h("b", {}, cost.instructions), cost.gap > 0 ? `, ${cost.gap} more.` : ", and none can be saved.",
            cost.stalls ? ` ${cost.stalls} cycles are waits.` : ""),
        h("div", { class: "figures" },
            figure("Cycles of a batch", Math.round(batch.cycles * 10) / 10, batch.measured ? "16 pixels, as drawn" : cost.loops ? "16 lanes, loops once" : "16 lanes"),
            stage.blocks.length > 1 ? figure("Shortest path", shortest, `longest ${longest}${cost.loops ? ", loops once" : ""}; ${batch.measured
                ? `the run took ${Math.round(batch.cycles * 10) / 10}` : "not run yet"}`) : "",
            figure("Lower bound", cost.lower_bound, `gap ${cost.gap}`),
            figure("Threads", cost.threads, cost.threads > 1 ? "one hides the other's waits" : "waits are not hidden"),
            figure("Peak registers", cost.peak.registers, cost.peak.line ? `line ${cost.peak.line}` : `at #${cost.peak.instruction}`),
            figure("Uniform words", cost.uniform_words), figure("Texture requests", cost.texture_requests),
            figure("Special functions", cost.special_functions),
            stage.stage === "fragment" ? figure("Frame at 720p", `${ms(frame)} ms`, `${frame ? Math.floor(1000 / frame) : 0} a second${cost.loops && !batch.measured ? ", loops once" : ""}; 12 QPUs at 250 MHz`) : ""),
        extras.pin || extras.pinned ? h("section", { class: "wide", tabindex: "0", "aria-label": "Comparison" }, extras.pinned ? h("h3", {}, "Comparison") : "", comparison(stage, extras)) : "",
        wide("Units", units(stage)),
        wide("Register pressure", pressure(stage, extras.go)),
        stage.decisions?.length ? wide("Loops and branches", controlFlow(stage, extras)) : "",
        h("section", {}, h("h3", {}, "Lines"), lines(stage, extras)),
        h("section", {}, h("h3", {}, "Idle slots"), idle(stage))))
}

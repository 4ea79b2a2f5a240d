// The control-flow graph as SVG: blocks in the order of the code, so that falling through needs no line around
// another block. Branches forward curve on the right, back edges on the left.
import { h, svg } from "../dom.ts"
import type { Block, Stage } from "../explain.ts"
import { wordLines } from "../formulas.ts"

const WIDTH = 440
const GAP = 34
const SIDE = 130
const LINE = 15
const MOST = 40 // lines of a block; the code view has all
const FIT = 62 // characters

const linesOf = (block: Block) => Math.min(block.count, MOST + 1)
const heightOf = (block: Block) => 52 + LINE * linesOf(block)

// An instruction without what does nothing; how many are not shown, behind the last one that is.
function line(stage: Stage, block: Block, k: number): string {
    if (k === MOST && block.count > MOST + 1) return `… ${block.count - MOST} more`
    const text = stage.code[block.first + k]!.text.replace(/\bnop; (?=.)/g, "")
    return text.length > FIT ? `${text.slice(0, FIT - 1)}…` : text
}

// What the line's `unif` is, for whoever points at it.
function title(stage: Stage, block: Block, k: number): SVGElement | string {
    const lines = k === MOST && block.count > MOST + 1 ? null : wordLines(stage, stage.code[block.first + k]!)
    return lines ? svg("title", {}, lines.join("\n")) : ""
}

export function flowView(element: HTMLElement, stage: Stage, go: (instruction: number) => void): void {
    if (!stage.blocks.length) {
        element.replaceChildren(h("p", { class: "notice" }, "No blocks."))
        return
    }
    const heaviest = Math.max(...stage.blocks.map(block => block.count + block.stalls))
    const tops: number[] = []
    let y = 16
    for (const block of stage.blocks) {
        tops.push(y)
        y += heightOf(block) + GAP
    }
    const drawing = svg("svg", { class: "flow", width: WIDTH + 2 * SIDE, height: y, role: "group",
        viewBox: `0 0 ${WIDTH + 2 * SIDE} ${y}`, "aria-label": `Control flow: ${stage.blocks.length} blocks` })
    drawing.append(svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7,
        markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M0 0 8 4 0 8z" }))))
    for (const [k, block] of stage.blocks.entries()) {
        for (const to of block.edges) {
            if (to >= stage.blocks.length) continue
            const bottom = tops[k]! + heightOf(block)
            const middle = SIDE + WIDTH / 2
            let d: string
            if (to === k + 1) d = `M${middle} ${bottom} V${tops[to]! - 2}`
            else {
                const back = to <= k
                const edge = back ? SIDE : SIDE + WIDTH
                const far = Math.min(SIDE - 16, 26 + 12 * Math.abs(to - k)) * (back ? -1 : 1)
                const from = bottom - 14
                const down = tops[to]! + 14
                d = `M${edge} ${from} C${edge + far} ${from} ${edge + far} ${down} ${edge + (back ? -2 : 2)} ${down}`
            }
            drawing.append(svg("path", { d, class: to <= k ? "edge back" : "edge", "marker-end": "url(#arrow)" }))
        }
    }
    for (const [k, block] of stage.blocks.entries()) {
        const cycles = block.count + block.stalls
        const open = () => go(block.first)
        drawing.append(svg("g", { class: "node", transform: `translate(${SIDE} ${tops[k]})`, tabindex: 0, role: "button",
            "aria-label": `Block ${k}: ${block.count} instructions, ${cycles} cycles`,
            onclick: open, onkeydown: (event: KeyboardEvent) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open() } } },
            svg("rect", { width: WIDTH, height: heightOf(block), rx: 6, class: block.loop_depth ? "inloop" : "" }),
            svg("rect", { width: Math.max(3, WIDTH * cycles / heaviest), height: 3, y: heightOf(block) - 3, class: "weight" }),
            svg("text", { x: 12, y: 20, class: "title" }, `Block ${k}`),
            svg("text", { x: WIDTH - 12, y: 20, class: "end" }, `${cycles} cycles${block.bound < block.count ? `, bound ${block.bound}` : ""}`),
            svg("text", { x: 12, y: 36 }, `${block.first}–${block.first + block.count - 1}` +
                (block.loop_depth ? ` · loop depth ${block.loop_depth}` : "") + (block.loop_header ? " · header" : "")),
            ...Array.from({ length: linesOf(block) }, (_, i) => svg("text", { x: 12, y: 54 + LINE * i, class: "code",
                onclick: (event: MouseEvent) => { event.stopPropagation(); go(block.first + i) } }, line(stage, block, i), title(stage, block, i)))))
    }
    element.replaceChildren(h("div", { class: "scroll" }, drawing))
}

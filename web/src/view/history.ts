// A pixel's history: the passes of a program with buffers, and the primitives of the draw, each with what became of it and
// the pixel's colour before and after.
import type { Colour, Inspection } from "../api.ts"
import { h } from "../dom.ts"

const colour = (value: Colour | null | undefined): HTMLElement => h("td", {}, value
    ? [h("span", { class: "swatch", style: { "background-color": `rgb(${value.slice(0, 3).join(" ")})` } }), h("code", {}, value.join(" "))] : h("span", { class: "soft" }, "–"))

// Nothing where one primitive alone had the pixel.
export function historyTable({ runs, passes }: Inspection, words: string[], chosen: number, choose: (run: number) => void): HTMLElement | string {
    const several = runs.length > 1 || runs[0]?.fate === "culled"
    if (!several && !passes) return ""
    const draws = runs.some(({ draw }) => draw)
    return h("table", { class: "history", "aria-label": "History of the pixel" },
        h("thead", {}, h("tr", {}, ["Drawn", "What became of it", "Before", "After"].map(text => h("th", { scope: "col" }, text)))),
        h("tbody", {}, (passes ?? []).map(({ pass, before, after }) => h("tr", {}, h("td", {}, pass === "fragment" ? "Image" : `Buffer ${pass}`),
            h("td", {}, pass === "fragment" ? "this frame's picture" : "this frame's contents"), colour(before), colour(after))),
        (several ? runs : []).map(({ draw, before, after }, k) => h("tr", { class: k === chosen ? "chosen" : "" },
            h("td", {}, h("button", { class: "link", "aria-pressed": String(k === chosen), onclick: () => choose(k) }, `${draws ? `draw ${draw! + 1}, ` : ""}primitive ${k + 1}`)),
            h("td", {}, words[k] ?? ""), colour(before), colour(after)))))
}

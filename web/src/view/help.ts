// What one can do here, and where to read on.
import { h } from "../dom.ts"
import { DIALECTS } from "../paste/dialects.ts"

const KEYS: [string, string][] = [
    ["Ctrl Space", "complete"], ["Ctrl F", "search"], ["Ctrl /", "comment"],
    ["Ctrl Enter", "draw now"], ["Escape, Tab", "leave the editor"],
    ["Space", "play or pause, outside the editors"], ["Arrows, Enter", "on the picture: go to a pixel and inspect it"],
    ["n, p", "in steps: to the next line of the source, or the one before"],
    ["Arrows", "in code, steps, passes and tabs: move; on a bar between parts: move it, Enter puts it back"],
]
const NOTES: [string, string][] = [
    ["// [1, 12] = 5", "a slider from 1 to 12, at first 5"], ["// [1, 8] step 1", "whole steps"],
    ["// color = 0.9, 0.6, 0.3", "a colour picker"],
]

export function help(): HTMLDialogElement {
    const list = (rows: [string, string][]) => h("dl", {}, rows.flatMap(([name, text]) => [h("dt", {}, h("code", {}, name)), h("dd", {}, text)]))
    const dialog: HTMLDialogElement = h("dialog", { class: "help", "aria-labelledby": "help-title" },
        h("div", { class: "head" }, h("h2", { id: "help-title" }, "The playground"),
            h("button", { "aria-label": "Close", class: "plain icon", onclick: () => dialog.close() }, "✕")),
        h("p", {}, "Type a shader: the picture is what the VideoCore IV of a Raspberry Pi 1 to 3 would draw, computed by the instructions that it would run. Click a pixel to see how it got its colour."),
        h("h3", {}, "Keys"), list(KEYS),
        h("h3", {}, "Comments after uniforms"), list(NOTES),
        h("h3", {}, "Shaders from elsewhere"),
        h("p", {}, "Paste one: it is recognised, the other shader is replaced where it does not fit, and a line says so. Beside an image of Shadertoy’s, + Buffer has room for its buffers A to D; Textures binds their channels. These names have values here:"),
        ...DIALECTS.map(({ title, names }) => h("details", {}, h("summary", {}, title),
            h("dl", {}, names.flatMap(({ name, type, what }) => [h("dt", {}, h("code", {}, `${type} ${name}`)), h("dd", {}, what)])))),
        h("p", {}, "Besides, by what their names contain: matrices (model, view, projection, normal), time, resolution, positions, normals and coordinates of the mesh."),
        h("p", { class: "links" }, h("a", { href: "/api/openapi.json" }, "API"), h("a", { href: "/licences.txt" }, "Licences of parts of this page")))
    // A click beside it closes it.
    dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close() })
    return dialog
}

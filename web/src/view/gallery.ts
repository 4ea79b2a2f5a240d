// The examples as small pictures, drawn when they are first looked at.
import { annotations } from "../annotations.ts"
import type { Rendered, RenderQuestion } from "../api.ts"
import { h } from "../dom.ts"
import type { Program } from "../program.ts"

// What comments after uniforms say of their first values.
const firstValues = ({ vertex, fragment }: Program): Record<string, number[]> =>
    Object.fromEntries([...annotations(vertex, fragment)].flatMap(([name, { value }]) => value ? [[name, value]] : []))

const SIZE = 160 // pixels of the larger side

export function gallery(programs: Program[], draw: (question: RenderQuestion, signal: AbortSignal) => Promise<Rendered>,
                        choose: (title: string) => void, closed: () => void): { open(): void } {
    const tiles = programs.map(program => {
        const scale = SIZE / Math.max(program.width, program.height)
        const canvas = h("canvas", { width: Math.round(program.width * scale), height: Math.round(program.height * scale), "aria-hidden": "true" })
        const button = h("button", { class: "tile", onclick: () => { dialog.close(); choose(program.title) } }, canvas, program.title)
        return { program, scale, canvas, button }
    })
    const dialog: HTMLDialogElement = h("dialog", { class: "gallery", "aria-labelledby": "gallery-title", onclose: () => {
        limit.abort()
        dialog.remove()
        closed()
    } },
        h("div", { class: "head" }, h("h2", { id: "gallery-title" }, "Examples"),
            h("button", { "aria-label": "Close", class: "plain icon", onclick: () => dialog.close() }, "✕")),
        h("div", { class: "tiles" }, tiles.map(({ button }) => button)))
    dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close() })
    let limit = new AbortController()

    // One after the other; what is not drawn when the dialog is closed waits for the next time.
    async function fill(signal: AbortSignal): Promise<void> {
        for (const { program, scale, canvas } of tiles) {
            if (canvas.dataset.drawn || signal.aborted) continue
            try {
                const picture = (await draw({ program, time: program.time, scale, more: firstValues(program) }, signal)).frames[0]?.picture
                if (!picture || signal.aborted) continue
                const context = canvas.getContext("2d")!
                if (picture instanceof ImageData) context.putImageData(picture, 0, 0)
                else context.drawImage(picture, 0, 0)
                canvas.dataset.drawn = `${picture.width}x${picture.height}`
            } catch { /* it stays empty */ }
        }
    }

    return {
        open() {
            document.body.append(dialog)
            dialog.showModal()
            limit = new AbortController()
            void fill(limit.signal)
        },
    }
}

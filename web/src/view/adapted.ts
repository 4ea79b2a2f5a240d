// The line that says what was done to a shader that came from elsewhere, with its undo.
import { announce, h } from "../dom.ts"

export class Adapted {
    constructor(private readonly element: HTMLElement) {}

    say(text: string, undo: () => void): void {
        this.element.hidden = false
        this.element.replaceChildren(h("p", {}, text),
            h("button", { id: "adapted-undo", onclick: () => {
                this.clear()
                undo()
                announce("Undone.")
            } }, "Undo"),
            h("button", { class: "plain icon", "aria-label": "Close", onclick: () => this.clear() }, "✕"))
    }

    clear(): void {
        this.element.hidden = true
        this.element.replaceChildren()
    }
}

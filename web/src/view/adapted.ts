// The line that says what was done to a shader that came from elsewhere, with its undo.
import { announce, h } from "../dom.ts"

export class Adapted {
    constructor(private readonly element: HTMLElement) {}

    say(text: string, undo: () => void): void {
        this.line(text, h("button", { id: "adapted-undo", onclick: () => {
            this.clear()
            undo()
            announce("Undone.")
        } }, "Undo"), () => this.clear())
    }

    // What was typed has errors, and would have fewer.
    offer(text: string, take: () => void, decline: () => void): void {
        this.line(text, h("button", { id: "adapted-take", onclick: () => {
            this.clear()
            take()
        } }, "Adapt"), () => {
            this.clear()
            decline()
        })
    }

    get said(): boolean { return !this.element.hidden }

    private line(text: string, button: HTMLButtonElement, close: () => void): void {
        this.element.hidden = false
        this.element.replaceChildren(h("p", {}, text), button, h("button", { class: "plain icon", "aria-label": "Close", onclick: close }, "✕"))
    }

    clear(): void {
        this.element.hidden = true
        this.element.replaceChildren()
    }
}

// How a pixel got its colour: each instruction that ran for it, with what it wrote.
import type { Inspected } from "../api.ts"
import { h } from "../dom.ts"

export interface PixelEvents {
    line(file: string | null, line: number, go: boolean): void
    source(file: string | null, line: number): string
}

export class PixelView {
    constructor(private readonly element: HTMLElement, private readonly events: PixelEvents) {
        void this.events
        this.clear()
    }

    clear(): void { this.say("Click a pixel of the picture, or move there with the arrow keys and press Enter.") }

    say(text: string): void { this.element.replaceChildren(h("p", { class: "notice" }, text)) }

    show(answer: Inspected, x: number, y: number, color: [number, number, number, number]): void {
        this.element.replaceChildren(h("pre", {}, JSON.stringify({ x, y, color, answer }, null, 1).slice(0, 4000)))
    }
}

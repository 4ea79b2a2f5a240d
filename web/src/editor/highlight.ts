// A source as spans, for pages without an editor.
import { h } from "../dom.ts"
import { start, token, type State, type Stream } from "./glsl.ts"

class Line implements Stream {
    at = 0
    from = 0
    constructor(private readonly text: string) {}
    get end(): boolean { return this.at >= this.text.length }
    sol(): boolean { return this.at === 0 }
    current(): string { return this.text.slice(this.from, this.at) }
    next(): string | void { return this.text[this.at++] }
    skipToEnd(): void { this.at = this.text.length }
    eatSpace(): boolean { return !!this.match(/^\s+/) }
    match(pattern: RegExp): unknown {
        const found = pattern.exec(this.text.slice(this.at))
        if (found) this.at += found[0].length
        return found
    }
}

export function highlightLine(text: string, state: State): HTMLElement[] {
    const spans: HTMLElement[] = []
    const line = new Line(text)
    while (!line.end) {
        line.from = line.at
        const kind = token(line, state)
        spans.push(h("span", { class: kind ? `tok-${kind}` : undefined }, line.current()))
    }
    return spans
}

export function highlight(text: string): HTMLElement[][] {
    const state = start()
    return text.split("\n").map(line => highlightLine(line, state))
}

// A source as spans, for pages without an editor.
import { h } from "../dom.ts"
import { start, token } from "./glsl.ts"
import { LineStream } from "./line_stream.ts"

export function highlight(text: string): HTMLElement[][] {
    const state = start()
    return text.split("\n").map(text => {
        const spans: HTMLElement[] = []
        const line = new LineStream(text)
        while (!line.end) {
            line.from = line.at
            const kind = token(line, state)
            spans.push(h("span", { class: kind ? `tok-${kind}` : undefined }, line.current()))
        }
        return spans
    })
}

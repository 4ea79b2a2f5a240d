// A line as the tokenizer reads it.
import type { Stream } from "./glsl.ts"

export class LineStream implements Stream {
    at = 0
    from = 0 // where the current token begins
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

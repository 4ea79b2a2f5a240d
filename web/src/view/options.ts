// The compiler's options as text. What is being typed is completed from the service's list, and from the uniforms.
import { options as known, type Option } from "../api.ts"
import { h } from "../dom.ts"

export class Options {
    private readonly list = h("datalist", { id: "options-list" })
    private readonly input = h("input", { type: "text", id: "options", list: "options-list", placeholder: "more options", spellcheck: "false",
        autocomplete: "off", "aria-label": "More options of the compiler", title: "Options of the compiler, as at the command line",
        onfocus: () => void this.learn(), oninput: () => this.complete(), onchange: () => this.changed(this.input.value.trim()) })
    readonly element = h("span", { class: "options" }, this.input, this.list)
    private known: Option[] = []

    // `more`: options that depend on the program.
    constructor(private readonly changed: (text: string) => void, private readonly more: () => Option[]) {}

    show(text: string): void {
        if (document.activeElement !== this.input) this.input.value = text
        this.input.size = Math.min(Math.max(text.length, 14), 32)
    }

    private async learn(): Promise<void> {
        this.known = await known().catch(() => [])
        this.complete()
    }

    // A datalist completes the whole field: each of its values is what stands before, and a word.
    private complete(): void {
        const before = /^(.*\s)?/.exec(this.input.value)![0]
        const have = before.split(/\s+/)
        this.list.replaceChildren(...[...this.known, ...this.more()].filter(({ name }) => !have.includes(name))
            .map(({ name, description }) => h("option", { value: before + name, label: `${name}: ${description}` })))
    }
}

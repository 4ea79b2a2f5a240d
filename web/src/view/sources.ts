// The editors: the fragment and the vertex shader, and a tab for each buffer. One of the passes is chosen: code, cost,
// uniforms, textures and steps are its own.
import { byId, h, tabs } from "../dom.ts"
import { createEditor, type Editor } from "../editor/editor.ts"
import type { Explain } from "../explain.ts"
import { lineHues } from "../hues.ts"
import { addBuffer, LETTERS, passNames, removeBuffer, setText, textOf, type Letter, type PassName } from "../passes.ts"
import { sourceOf } from "../paste/source.ts"
import type { Program } from "../program.ts"
import type { Message } from "../types.ts"

export type SourceName = "vertex" | PassName

export interface SourceEvents {
    program(): Program
    typed(name: SourceName, pasted: string): void // the text is in the program
    cursor(name: SourceName, line: number): void
    run(): void
    valueOf(word: string, name: SourceName): string | null
    chosen(): void // another pass
    buffers(): void // one more, or one less
}

export class Sources {
    pass: PassName = "fragment"
    private readonly editors: Partial<Record<SourceName, Editor>> = {}
    private readonly hues: Partial<Record<SourceName, Map<number, number>>> = {}
    private readonly tab: (name: string) => void

    constructor(private readonly events: SourceEvents) {
        this.tab = tabs(byId("source-tabs"), name => this.shown(name as SourceName))
        for (const name of ["fragment", "vertex"] as const) this.editor(name)
        byId("add-buffer").addEventListener("click", () => {
            const name = addBuffer(events.program())
            if (!name) return
            this.show(name)
            events.buffers()
        })
        byId("remove-buffer").addEventListener("click", () => {
            removeBuffer(events.program(), this.pass as Letter)
            this.choose("fragment")
            this.update()
            events.buffers()
        })
    }

    // Buffers' are made when they are first needed.
    private editor(name: SourceName): Editor {
        return this.editors[name] ??= createEditor(byId(`editor-${name}`), name === "vertex" ? "Vertex shader" : name === "fragment" ? "Fragment shader" : `Buffer ${name}`,
            pasted => {
                if (!/^https?:\/\/\S+\s*$/.test(pasted)) setText(this.events.program(), name, this.editor(name).text())
                this.events.typed(name, pasted)
                this.update()
            }, line => this.events.cursor(name, line), () => this.events.run(), word => this.events.valueOf(word, name))
    }

    private get list(): [SourceName, Editor][] { return Object.entries(this.editors) as [SourceName, Editor][] }

    text(name: SourceName): string { return this.editor(name).text() }

    // All texts are the program's.
    set(): void {
        const program = this.events.program()
        for (const name of ["vertex", ...passNames(program)] as const) this.editor(name).set(textOf(program, name))
        this.update()
    }

    clear(): void {
        for (const [, editor] of this.list) editor.messages([])
        this.choose("fragment")
    }

    // Which tabs there are, and whether there may be one more.
    private update(): void {
        const program = this.events.program(), passes = passNames(program)
        for (const letter of LETTERS) byId(`tab-${letter}`).hidden = !passes.includes(letter)
        byId("tab-fragment").firstChild!.nodeValue = passes.length > 1 ? "Image" : "Fragment"
        const { mainImage, main } = sourceOf(program.fragment, "fragment")
        byId("add-buffer").hidden = passes.length > LETTERS.length || !mainImage || main
        byId("remove-buffer").hidden = this.pass === "fragment"
        byId("remove-buffer").setAttribute("aria-label", `Remove buffer ${this.pass}`)
    }

    private show(name: Letter): void {
        this.editor(name).set(textOf(this.events.program(), name))
        this.update()
        this.choose(name)
    }

    choose(name: SourceName): void { this.tab(name) }

    private shown(name: SourceName): void {
        // The vertex shader is the image's.
        const pass = name === "vertex" ? "fragment" : name
        if (pass === this.pass) return
        this.pass = pass
        this.update()
        this.events.chosen()
    }

    // The editor of a file that the service names, or, where it names none, of the stage that is shown.
    of(file: string | null, stage: string): SourceName {
        return (file ? file.endsWith(".vert") : stage !== "fragment") ? "vertex" : this.pass
    }

    nameOf({ stage, pass }: Message): SourceName { return stage === "vertex" && (pass ?? "fragment") === "fragment" ? "vertex" : pass ?? "fragment" }

    messages(all: Message[]): void {
        for (const [name, editor] of this.list) {
            const own = all.filter(message => this.nameOf(message) === name && (message.stage !== null || message.line))
            editor.messages(own)
            const tab = byId(`tab-${name}`)
            const errors = own.filter(message => message.severity === "error").length
            tab.querySelector(".count")?.remove()
            if (errors) tab.append(h("span", { class: "count", "aria-label": `${errors} errors` }, errors))
        }
        byId("messages").replaceChildren(...all.map(message => {
            const name = this.nameOf(message)
            const source = name === "fragment" || name === "vertex" ? message.stage ?? "source" : `buffer ${name}`
            return h("li", { class: message.severity }, h("button", {
                onclick: () => {
                    this.choose(name)
                    if (message.line) this.editor(name).show(message.line, message.column || 1)
                },
            }, h("span", { class: "where" }, message.line ? `${source}:${message.line}` : message.stage ?? "program"),
            h("span", { class: "what" }, h("span", { class: "visually-hidden" }, `${message.severity}: `), message.text)))
        }))
    }

    // Lines have the colours of their instructions.
    colours(explain: Explain | null): void {
        for (const [name] of this.list) {
            const stage = name === "vertex" && this.pass === "fragment" ? "vertex" : name === this.pass ? "fragment" : ""
            this.hues[name] = lineHues((explain?.stages.find(one => one.stage === stage)?.code ?? []).map(instruction => instruction.line))
            this.mark(name, null)
        }
    }

    mark(name: SourceName, line: number | null): void {
        this.editors[name]?.lines({ hues: this.hues[name] ?? new Map(), active: new Set(line ? [line] : []) })
    }

    // In this editor alone.
    markOnly(name: SourceName, line: number): void {
        for (const [other] of this.list) this.mark(other, other === name && line ? line : null)
    }

    go(name: SourceName, line: number): void {
        this.choose(name)
        const { view } = this.editor(name)
        const at = view.state.doc.line(Math.min(line, view.state.doc.lines))
        view.dispatch({ selection: { anchor: at.from }, scrollIntoView: true })
    }
}

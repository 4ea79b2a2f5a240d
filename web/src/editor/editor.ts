// A GLSL editor. It lives in a shadow root: CodeMirror's styles are constructed style sheets there, which the strict
// content security policy allows without a nonce.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands"
import { bracketMatching, HighlightStyle, indentOnInput, indentService, indentUnit, StreamLanguage,
    syntaxHighlighting } from "@codemirror/language"
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint"
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search"
import { Compartment, EditorState, Prec, RangeSet, StateEffect, StateField, type Range } from "@codemirror/state"
import { Decoration, drawSelection, EditorView, gutterLineClass, GutterMarker, highlightActiveLine,
    highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers, type ViewUpdate } from "@codemirror/view"
import { tags, Tag } from "@lezer/highlight"
import { unitsBefore } from "./columns.ts"
import { complete } from "./complete.ts"
import { start, token, type Kind } from "./glsl.ts"
import { HUES } from "../hues.ts"
import type { Message } from "../types.ts"

const tagOf: Record<Kind, Tag> = {
    comment: tags.comment, meta: tags.meta, number: tags.number, keyword: tags.keyword, typeName: tags.typeName,
    builtin: tags.standard(tags.function(tags.variableName)), special: tags.special(tags.variableName),
    name: tags.variableName, operator: tags.operator, punctuation: tags.punctuation,
}

const language = StreamLanguage.define({
    name: "glsl",
    startState: start,
    token: (stream, state) => token(stream, state),
    tokenTable: tagOf,
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } }, indentOnInput: /^\s*[})]$/,
        closeBrackets: { brackets: ["(", "[", "{"] } },
})

// As deep as the line above, one unit deeper after an opening brace, one less before a closing one.
const indentation = indentService.of((context, pos) => {
    const line = context.state.doc.lineAt(pos)
    let above = line.number - 1
    if (context.simulatedBreak === pos) above = line.number
    while (above > 0 && !context.state.doc.line(above).text.trim()) above--
    if (above === 0) return 0
    const before = context.state.doc.line(above)
    const text = before.number === line.number ? before.text.slice(0, pos - before.from) : before.text
    const after = context.textAfterPos(pos)
    return Math.max(0, context.lineIndent(before.from) + (/[{(]\s*(\/\/.*)?$/.test(text) ? context.unit : 0)
        - (/^\s*[})]/.test(after) ? context.unit : 0))
})

const colours = syntaxHighlighting(HighlightStyle.define([
    { tag: tags.comment, color: "var(--syntax-comment)", fontStyle: "italic" },
    { tag: tags.meta, color: "var(--syntax-meta)" },
    { tag: tags.number, color: "var(--syntax-number)" },
    { tag: tags.keyword, color: "var(--syntax-keyword)" },
    { tag: tags.typeName, color: "var(--syntax-type)" },
    { tag: tagOf.builtin, color: "var(--syntax-builtin)" },
    { tag: tagOf.special, color: "var(--syntax-special)" },
]))

// A line's colour is that of its instructions in the code view: a class for each line that has code.
export interface LineColours { hues: Map<number, number>; active: ReadonlySet<number> }
const setLines = StateEffect.define<LineColours>()
const none: LineColours = { hues: new Map(), active: new Set() }
const lineColours = StateField.define<LineColours>({
    create: () => none,
    update(value, transaction) {
        for (const effect of transaction.effects) if (effect.is(setLines)) return effect.value
        return value
    },
    provide: field => [
        EditorView.decorations.from(field, ({ active }) => view => {
            const ranges: Range<Decoration>[] = []
            for (const line of [...active].sort((a, b) => a - b))
                if (line >= 1 && line <= view.state.doc.lines)
                    ranges.push(Decoration.line({ class: "cm-linked" }).range(view.state.doc.line(line).from))
            return RangeSet.of(ranges)
        }),
        gutterLineClass.computeN([field], state => {
            const ranges: Range<GutterMarker>[] = []
            for (const [line, hue] of [...state.field(field).hues].sort((a, b) => a[0] - b[0]))
                if (line >= 1 && line <= state.doc.lines) ranges.push(hueMarkers[hue]!.range(state.doc.line(line).from))
            return [RangeSet.of(ranges)]
        }),
    ],
})
class HueMarker extends GutterMarker {
    override elementClass: string
    constructor(hue: number) {
        super()
        this.elementClass = `cm-hue-${hue}`
    }
}
const hueMarkers = Array.from({ length: HUES }, (_, hue) => new HueMarker(hue))

const theme = EditorView.theme({
    "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--text)", fontSize: "13px" },
    "&.cm-focused": { outline: "none" },
    ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
    ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
        { backgroundColor: "var(--selection) !important" },
    ".cm-activeLine": { backgroundColor: "var(--line-active)" },
    ".cm-line.cm-linked": { backgroundColor: "var(--linked)" },
    ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--text-faint)", border: "none" },
    ".cm-activeLineGutter": { backgroundColor: "var(--line-active)", color: "var(--text)" },
    ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 12px", minWidth: "34px", borderRight: "3px solid transparent" },
    ...Object.fromEntries(Array.from({ length: HUES }, (_, hue) =>
        [`.cm-lineNumbers .cm-hue-${hue}`, { borderRightColor: `var(--hue-${hue})` }])),
    ".cm-gutter-lint": { width: "14px" },
    ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
    // Without the pictures of CodeMirror's own theme, which the policy forbids.
    ".cm-lintRange": { backgroundImage: "none !important", paddingBottom: "0" },
    ...Object.fromEntries([["error", "error"], ["warning", "warning"], ["info", "text-faint"]].flatMap(([kind, colour]) => [
        [`.cm-lintRange-${kind}`, { textDecoration: `underline wavy var(--${colour}) 1.5px`, textUnderlineOffset: "3px" }],
        [`.cm-lint-marker.cm-lint-marker-${kind}`, { content: "''", backgroundColor: `var(--${colour})` }],
    ])),
    ".cm-lint-marker": { width: "8px", height: "8px", margin: "6px 0 0 3px", borderRadius: "50%" },
    ".cm-lintPoint:after": { borderBottomColor: "var(--error)" },
    ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)",
        borderRadius: "6px", boxShadow: "var(--shadow)", overflow: "hidden" },
    ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12px" },
    ".cm-tooltip-autocomplete > ul > li": { padding: "2px 8px !important" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
    ".cm-completionDetail": { color: "var(--text-soft)", fontStyle: "normal" },
    "li[aria-selected] .cm-completionDetail": { color: "inherit" },
    ".cm-completionInfo": { padding: "6px 10px", maxWidth: "260px", fontSize: "12px" },
    ".cm-diagnostic": { padding: "6px 10px", fontFamily: "var(--sans)", fontSize: "12.5px" },
    ".cm-value": { margin: "0", padding: "6px 10px", fontFamily: "var(--mono)", fontSize: "12px" },
    ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", borderColor: "var(--line)" },
    ".cm-textfield": { backgroundColor: "var(--surface)", borderColor: "var(--line)" },
    ".cm-button": { background: "var(--surface)", borderColor: "var(--line)" },
    ".cm-searchMatch": { backgroundColor: "var(--selection)" },
    ".cm-selectionMatch": { backgroundColor: "var(--line-active)" },
    ".cm-matchingBracket, &.cm-focused .cm-matchingBracket":
        { backgroundColor: "transparent", outline: "1px solid var(--text-faint)" },
})

// Text typed over a selection is ours to insert: the browser would keep the selection's colours in a style
// attribute, which the policy forbids, and say so on the console.
const typedOver = Prec.lowest(EditorView.domEventHandlers({
    beforeinput(event, view) {
        const { from, to, empty } = view.state.selection.main
        const text = event.data
        if (event.inputType !== "insertText" || text === null || empty || view.composing) return false
        const insert = () => view.state.update(view.state.replaceSelection(text),
            { userEvent: "input.type", scrollIntoView: true })
        if (!view.state.facet(EditorView.inputHandler).some(handler => handler(view, from, to, text, insert)))
            view.dispatch(insert())
        return true
    },
}))

export interface Editor {
    readonly view: EditorView
    text(): string
    set(text: string): void
    messages(list: Message[]): void
    lines(colours: LineColours): void
    show(line: number, column?: number): void
    readonly(on: boolean): void
}

// A whole shader, or much of one, or a link, that arrives at once; "": it is no such change.
const pasted = (update: ViewUpdate): string => {
    let most = ""
    update.changes.iterChanges((_from, _to, _begin, _end, inserted) => { if (inserted.length > most.length) most = inserted.toString() })
    return most.length >= PASTED && !update.transactions.some(one => one.isUserEvent("undo") || one.isUserEvent("redo")) ? most : ""
}
const PASTED = 40 // characters; "void main() { gl_FragColor = vec4(1.0); }" has as many

export function createEditor(parent: HTMLElement, label: string, changed: (pasted: string) => void,
                             cursor: (line: number) => void, run: () => void,
                             valueOf: (word: string) => string | null): Editor {
    const root = parent.attachShadow({ mode: "open" })
    const box = document.createElement("div")
    box.style.height = "100%"
    root.append(box)
    const locked = new Compartment()
    let quiet = false
    const view = new EditorView({
        parent: box, root,
        state: EditorState.create({ doc: "", extensions: [
            lineNumbers(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), closeBrackets(),
            autocompletion({ override: [complete], icons: false }), highlightActiveLine(), highlightActiveLineGutter(),
            highlightSelectionMatches(), search({ top: true }), indentUnit.of("    "), EditorState.tabSize.of(4),
            hoverTooltip((view, pos) => {
                const word = view.state.wordAt(pos)
                const text = word && valueOf(view.state.sliceDoc(word.from, word.to))
                return text ? { pos: word.from, end: word.to, above: true, create: () => {
                    const dom = document.createElement("pre")
                    dom.className = "cm-value"
                    dom.textContent = text
                    return { dom }
                } } : null
            }, { hoverTime: 200 }),
            language, indentation, typedOver, colours, theme, lineColours, locked.of([]),
            // Escape, then Tab, leaves the editor by keyboard.
            keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }, ...closeBracketsKeymap, ...completionKeymap,
                ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
            EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
            EditorView.updateListener.of(update => {
                if (update.docChanged && !quiet) changed(pasted(update))
                if (update.selectionSet || update.focusChanged || update.docChanged)
                    if (update.view.hasFocus)
                        cursor(update.state.doc.lineAt(update.state.selection.main.head).number)
            }),
        ] }),
    })

    return {
        view,
        text: () => view.state.doc.toString(),
        set(text) {
            if (text === view.state.doc.toString()) return
            quiet = true
            // A step of its own for undo, however soon after another.
            view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 },
                annotations: isolateHistory.of("full") })
            quiet = false
        },
        messages(list) {
            const doc = view.state.doc
            const diagnostics = list.filter(m => m.line >= 1).map((message): Diagnostic => {
                const line = doc.line(Math.min(message.line, doc.lines))
                const indent = line.text.length - line.text.trimStart().length
                let from = line.from + (message.column > 0 ? unitsBefore(line.text, message.column) : indent)
                // The word at that place; the whole line where the message names no column.
                const word = /^(\w+|\S)/.exec(doc.sliceString(from, line.to))
                let to = message.column > 0 && word ? from + word[0].length : line.to
                if (from >= to) [from, to] = [line.from + indent, line.to]
                return { from, to, severity: message.severity === "note" ? "info" : message.severity,
                    message: message.text }
            })
            diagnostics.sort((a, b) => a.from - b.from)
            view.dispatch(setDiagnostics(view.state, diagnostics))
        },
        lines(value) { view.dispatch({ effects: setLines.of(value) }) },
        show(line, column = 1) {
            const at = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)))
            const place = at.from + unitsBefore(at.text, column)
            view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) })
            view.focus()
        },
        readonly(on) { view.dispatch({ effects: locked.reconfigure(on ? EditorState.readOnly.of(true) : []) }) },
    }
}

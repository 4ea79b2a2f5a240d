// Completion: GLSL's words, and the names that the source itself declares.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete"
import { SHADERTOY } from "../paste/dialects.ts"
import { FUNCTIONS, KEYWORDS, TYPES, VARIABLES } from "./words.ts"

const fixed: Completion[] = [
    ...KEYWORDS.map(label => ({ label, type: "keyword" })),
    ...TYPES.map(label => ({ label, type: "type" })),
    ...Object.entries(FUNCTIONS).map(([label, [parameters, info]]) =>
        ({ label, type: "function", detail: `(${parameters})`, info })),
    ...Object.entries(VARIABLES).map(([label, info]) => ({ label, type: "constant", info })),
]
const shadertoy: Completion[] = SHADERTOY.map(({ name, type, what }) =>
    ({ label: name, type: "constant", detail: type, info: what }))

// Names after a type in the text, with the type: good enough for an editor, whatever the scopes.
function declared(text: string, around: string): Completion[] {
    const names = new Map<string, Completion>()
    const pattern = /\b(?:(uniform|varying|attribute|in|out|const)\s+)?(?:(?:highp|mediump|lowp)\s+)?([A-Za-z_]\w*)\s+([A-Za-z_]\w*)\s*([(=;,[)])/g
    for (const [, storage, type, name, after] of text.matchAll(pattern)) {
        if (["return", "else", "define", "precision", "highp", "mediump", "lowp", "in"].includes(type!)) continue
        if (name === around || KEYWORDS.includes(name!)) continue
        names.set(name!, { label: name!, type: after === "(" ? "function" : "variable", boost: 2,
            detail: storage ? `${storage} ${type}` : type! })
    }
    for (const [, name] of text.matchAll(/^\s*#\s*define\s+(\w+)/gm))
        names.set(name!, { label: name!, type: "constant", detail: "macro", boost: 1 })
    return [...names.values()]
}

export function complete(context: CompletionContext): CompletionResult | null {
    const member = context.matchBefore(/\.\w*/)
    if (member && !/\d$/.test(context.state.sliceDoc(member.from - 1, member.from))) return null
    const word = context.matchBefore(/[A-Za-z_]\w*/)
    if (!word && !context.explicit) return null
    const line = context.state.doc.lineAt(context.pos)
    if (/\/\/|^\s*#/.test(line.text.slice(0, context.pos - line.from))) return null
    const text = context.state.doc.toString()
    return {
        from: word ? word.from : context.pos,
        options: [...declared(text, word?.text ?? ""), ...(text.includes("mainImage") ? shadertoy : []), ...fixed],
        validFor: /^\w*$/,
    }
}

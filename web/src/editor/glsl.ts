// GLSL, token by token. Written against the few methods of CodeMirror's StringStream that it needs, so that the
// report, which has no CodeMirror, colours its sources with the same rules (highlight.ts).
import { SHADERTOY } from "../paste/dialects.ts"
import { FUNCTIONS, KEYWORDS, TYPES, VARIABLES } from "./words.ts"

const shadertoy: ReadonlySet<string> = new Set(SHADERTOY.map(({ name }) => name))

export interface Stream {
    eatSpace(): boolean
    match(pattern: RegExp): unknown
    next(): string | void
    skipToEnd(): void
    current(): string
    sol(): boolean
}

export interface State { comment: boolean; directive: boolean }

const keywords = new Set(KEYWORDS)
const types = new Set(TYPES)

export const start = (): State => ({ comment: false, directive: false })

export type Kind = "comment" | "meta" | "number" | "keyword" | "typeName" | "builtin" | "special" | "name"
    | "operator" | "punctuation"

export function token(stream: Stream, state: State): Kind | null {
    if (state.comment) {
        if (stream.match(/^.*?\*\//)) state.comment = false
        else stream.skipToEnd()
        return "comment"
    }
    if (stream.sol()) state.directive = false
    if (stream.eatSpace()) return null
    if (stream.match(/^\/\/.*/)) return "comment"
    if (stream.match(/^\/\*/)) {
        state.comment = true
        return token(stream, state)
    }
    if (stream.match(/^#\s*\w*/)) {
        state.directive = true
        return "meta"
    }
    if (stream.match(/^(0[xX][0-9a-fA-F]+[uU]?|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?([fF]|lf|LF|[uU])?)/)) return "number"
    if (stream.match(/^[A-Za-z_]\w*/)) {
        const word = stream.current()
        if (keywords.has(word)) return "keyword"
        if (types.has(word)) return "typeName"
        if (Object.hasOwn(FUNCTIONS, word)) return "builtin"
        if (Object.hasOwn(VARIABLES, word) || shadertoy.has(word)) return "special"
        return state.directive ? "meta" : "name"
    }
    if (stream.match(/^[-+*/%=<>!&|^~?:]+/)) return "operator"
    stream.next()
    return "punctuation"
}

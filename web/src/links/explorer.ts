// Compiler Explorer's links and client states as programs: its sessions (clientstate, /api/shortener), and its page's
// layout in the fragment part, in rison, plain (#g:) or compressed (#z:).
import { empty, fromKept, type Program } from "../program.ts"
import { sourceOf } from "../paste/source.ts"

// --- rison: JSON for addresses --------------------------------------------------------------------------------------

const plainWord = /[^'!:(),*@$]+/y

export function rison(text: string): unknown {
    let at = 0
    const fail = (): never => { throw new SyntaxError(`rison: ${at}`) }
    const items = <T>(end: string, read: () => T): T[] => {
        const all: T[] = []
        while (text[at] !== end) {
            if (all.length && text[at++] !== ",") fail()
            all.push(read())
            if (at > text.length) fail()
        }
        at++
        return all
    }
    function quoted(): string {
        let value = ""
        for (at++; text[at] !== "'"; at++) {
            if (text[at] === "!") at++
            if (at >= text.length) fail()
            value += text[at]
        }
        at++
        return value
    }
    function value(depth: number): unknown {
        if (depth > 64) fail()
        const c = text[at]
        if (c === "'") return quoted()
        if (c === "(") {
            at++
            return Object.fromEntries(items(")", () => {
                const key = text[at] === "'" ? quoted() : word()
                if (text[at++] !== ":") fail()
                return [key, value(depth + 1)]
            }))
        }
        if (c === "!") {
            const kind = text[at + 1]!
            at += 2
            if (kind === "(") return items(")", () => value(depth + 1))
            const known: Record<string, unknown> = { t: true, f: false, n: null }
            return kind in known ? known[kind] : fail()
        }
        const plain = word()
        return /^-?\d+(\.\d+)?(e-?\d+)?$/.test(plain) ? Number(plain) : plain
    }
    function word(): string {
        plainWord.lastIndex = at
        const found = plainWord.exec(text)?.[0] ?? fail()
        at += found.length
        return found
    }
    const result = value(0)
    return at === text.length ? result : fail()
}

// --- LZ: words of the text so far by number, in a stream of bits ----------------------------------------------------

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// What lz-string's compressToBase64 made. A number has as many bits as the table needs; 0 and 1 announce a character
// of 8 or 16 bits, 2 is the end.
export function unpack(base64: string, most = 4 << 20): string {
    let bit = 0
    const read = (count: number): number => {
        let value = 0
        for (let k = 0; k < count; k++, bit++) {
            const six = BASE64.indexOf(base64[Math.floor(bit / 6)] ?? "")
            if (six < 0) throw new SyntaxError("packed text ends early")
            value |= (six >> 5 - bit % 6 & 1) << k
        }
        return value
    }
    const table: string[] = ["", "", ""]
    let width = 2, room = 4, last = "", text = ""
    const add = (word: string) => {
        table.push(word)
        if (--room === 0) room = 1 << width++
    }
    for (let first = true;; first = false) {
        const code = read(width)
        if (code === 2) return text
        let entry = table[code] ?? ""
        if (code < 2) {
            entry = String.fromCharCode(read(code ? 16 : 8))
            if (first) table.push(entry)
            else add(entry)
        } else if (code === table.length && last) entry = last + last[0]
        if (!entry) throw new SyntaxError("packed text is damaged")
        if (first) width = 3
        else add(last + entry[0])
        text += entry
        if (text.length > most) throw new RangeError("too much")
        last = entry
    }
}

// --- sessions ---------------------------------------------------------------------------------------------------------

interface Editor { source: string; name: string }

function program(editors: Editor[], options: string): Program | null {
    const made: Program = { ...structuredClone(empty), title: "Compiler Explorer", options }
    for (const { source, name } of editors) {
        const vertex = /\.vert$/.test(name) || (!/\.frag$/.test(name) && sourceOf(source, "vertex").words.has("gl_Position"))
        made[vertex ? "vertex" : "fragment"] ||= source
    }
    return made.fragment || made.vertex ? made : null
}

const record = (value: unknown): Record<string, unknown> => value && typeof value === "object" ? value as Record<string, unknown> : {}
const list = (value: unknown): unknown[] => Array.isArray(value) ? value : []
const text = (value: unknown): string => typeof value === "string" ? value : ""

// {"sessions": [{"language", "source", "compilers": [{"options"}]}]}; null: it is no such state.
export function fromSessions(state: unknown): Program | null {
    const sessions = list(record(state).sessions).map(record)
    const compilers = sessions.flatMap(session => list(session.compilers).map(record))
    return program(sessions.map(session => ({ source: text(session.source), name: text(session.filename) })).filter(({ source }) => source),
        text(compilers[0]?.options))
}

// The panes of its page: anything with a source, and the first compiler's options.
function fromLayout(layout: unknown): Program | null {
    const editors: Editor[] = []
    let options = ""
    const walk = (node: unknown, depth: number): void => {
        if (depth > 64 || !node || typeof node !== "object") return
        const { h: kind, i: inside } = record(node)
        if (kind === "codeEditor") editors.push({ source: text(record(inside).source), name: text(record(inside).filename) })
        if (kind === "compiler") options ||= text(record(inside).options)
        for (const child of Object.values(node)) walk(child, depth + 1)
    }
    walk(layout, 0)
    return program(editors.filter(({ source }) => source), options)
}

// Of an address, or the part of one that is behind the host; null: it is none of Compiler Explorer's. Throws where it is
// one that cannot be read.
export function fromExplorer(address: string): Program | null {
    const state = /\/clientstate\/([^?#]+)/.exec(address)?.[1]
    if (state) {
        const bytes = Uint8Array.from(atob(decodeURIComponent(state).replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0))
        return fromSessions(JSON.parse(new TextDecoder().decode(bytes)))
    }
    const [, kind, rest] = /#([gz]):(.+)$/s.exec(address) ?? []
    if (!kind) return null
    const plain = (text: string) => rison(`(${decodeURIComponent(text.replace(/\+/g, "%20"))})`)
    return fromLayout(kind === "g" ? plain(`g:${rest}`) : plain(unpack(text(record(plain(`z:${rest}`)).z))))
}

// What the service keeps is a program of this page, or a client state that somebody gave to /api/shortener.
export const fromStored = (kept: unknown): Program => fromSessions(kept) ?? fromKept(kept)

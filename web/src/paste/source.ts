// What a shader's text says of itself: its version, its entry, what it declares and which words it uses. Read with
// patterns, not compiled: what is pasted may be of any kind, and half of a shader.

export interface Declared { type: string; name: string; length: number } // length 0: no array

export interface Source {
    version: string // the words after #version; "": none
    modern: boolean // in and out instead of varying and attribute
    main: boolean
    mainImage: boolean
    precision: boolean // a default one for floats
    inputs: Declared[] // of the stage before, or attributes
    outputs: Declared[] // for the stage after, or colours
    uniforms: Declared[]
    words: ReadonlySet<string> // but for members
    uses(name: string): boolean // besides declaring it
    declares(name: string): boolean // as a variable, a parameter or a macro, anywhere
    calls(name: string): boolean
}

// Comments as blanks: places and lines stay.
export const bare = (text: string): string => text.replace(/\/\*[^]*?(\*\/|$)|\/\/[^\n]*/g, comment => comment.replace(/[^\n]/g, " "))

const QUALIFIERS = "(?:(?:flat|smooth|noperspective|centroid|invariant|highp|mediump|lowp)\\s+)*"

function declarations(text: string, word: string): Declared[] {
    const begins = new RegExp(`^[ \\t\\f\\v]*${QUALIFIERS}(?:${word})\\s+${QUALIFIERS}(\\w+)\\s+`, "gm")
    const found: Declared[] = []
    // One statement after the other: a pattern that looked for each semicolon would take long where none comes.
    const pieces = text.split(/([;(){}])/)
    for (let k = 0; k + 1 < pieces.length; k += 2) {
        if (pieces[k + 1] !== ";") continue
        const statement = (pieces[k - 1] === "(" ? "(" : "") + pieces[k]!
        const last = [...statement.matchAll(begins)].at(-1)
        for (const part of last ? statement.slice(last.index + last[0].length).split(",") : []) {
            const one = /^\s*(\w+)\s*(?:\[\s*(\d+)\s*\])?/.exec(part)
            if (one) found.push({ type: last![1]!, name: one[1]!, length: Number(one[2] ?? 0) })
        }
    }
    return found
}

// The last few are kept: a film asks at each picture.
const known = new Map<string, Source>()
export function sourceOf(text: string, stage: "vertex" | "fragment"): Source {
    const key = `${stage} ${text}`, source = known.get(key) ?? read(text, stage)
    if (known.size >= 12 && !known.has(key)) known.clear()
    known.set(key, source)
    return source
}

function read(whole: string, stage: "vertex" | "fragment"): Source {
    const text = bare(whole)
    const version = /^\s*#\s*version\s+([^\n]*?)\s*$/m.exec(text)?.[1] ?? ""
    const modern = /\bes\b/.test(version) || Number.parseInt(version) >= 130
    const calls = (name: string) => new RegExp(`\\b${name}\\s*\\(`).test(text)
    const defines = (name: string) => new RegExp(`\\bvoid\\s+${name}\\s*\\(`).test(text)
    const [before, after] = stage === "vertex" ? ["attribute", "varying"] : ["varying", "(?!)"]
    return {
        version, modern, calls,
        main: defines("main"), mainImage: defines("mainImage"),
        precision: /\bprecision\s+\w+\s+float\b/.test(text),
        inputs: declarations(text, modern ? "in" : before!),
        outputs: declarations(text, modern ? "out" : after!),
        uniforms: declarations(text, "uniform"),
        words: new Set(text.match(/(?<![.\w])[A-Za-z_]\w*/g) ?? []),
        uses: name => (text.match(new RegExp(`(?<![.\\w])${name}\\b`, "g"))?.length ?? 0) > 1,
        declares: name => new RegExp(`\\b(?:float|int|uint|bool|[biu]?vec[234]|mat[234](?:x[234])?|sampler\\w+)\\s+(?:[^;(){}]*,\\s*)?${name}\\b`
            + `|#\\s*define\\s+${name}\\b`).test(text),
    }
}

// What a comment after a uniform says about its control:
//     uniform float u_scale;  // [1, 12] = 5
//     uniform vec3 u_warm;    // color = 0.9, 0.6, 0.3
//     uniform int u_count;    // [1, 8] step 1
// A declaration of several names annotates each of them. Without a comment the names and values give a guess.

export interface Annotation {
    low?: number
    high?: number
    step?: number
    color?: boolean
    value?: number[]
}

// No pattern here may look for what comes much later, again and again: the text may be of any length, and half of a shader.
const number = "[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?"
const ends = /[;{}](?:[ \t]*\/\/[ \t]*(.*))?/g
const begins = /^[ \t]*(?:layout\s*\([^()]*\)\s*)?uniform\s+(?:(?:lowp|mediump|highp)\s+)?\w+\s+/gm
const range = new RegExp(`\\[\\s*(${number})\\s*,\\s*(${number})\\s*\\]`)
const first = new RegExp(`=\\s*(${number}(?:\\s*,\\s*${number})*)`)
const steps = new RegExp(`\\bstep\\s+(${number})`)

export function annotationOf(comment: string): Annotation | null {
    const result: Annotation = {}
    const between = range.exec(comment)
    if (between && Number(between[1]) < Number(between[2])) {
        result.low = Number(between[1])
        result.high = Number(between[2])
    }
    const step = Number(steps.exec(comment)?.[1])
    if (step > 0) result.step = step
    if (/^colou?r\b/.test(comment.trim())) result.color = true
    const values = first.exec(comment)?.[1]!.split(",").map(Number)
    if (values?.every(one => Number.isFinite(Math.fround(one)))) result.value = values
    return Object.keys(result).length ? result : null
}

// What ends with a semicolon, and the comment behind it.
function* statements(source: string): Generator<{ statement: string; comment: string | undefined }> {
    let from = 0
    for (const end of source.matchAll(ends)) {
        if (end[0].startsWith(";")) yield { statement: source.slice(from, end.index), comment: end[1] }
        from = end.index + end[0].length
    }
}

export function annotations(...sources: string[]): Map<string, Annotation> {
    const found = new Map<string, Annotation>()
    for (const source of sources)
        for (const { statement, comment } of statements(source)) {
            const annotation = comment ? annotationOf(comment) : null
            const last = annotation && [...statement.matchAll(begins)].at(-1)
            if (!last) continue
            for (const name of statement.slice(last.index + last[0].length).split(",")) {
                const word = /^\s*(\w+)/.exec(name)
                if (word) found.set(word[1]!, annotation)
            }
        }
    return found
}

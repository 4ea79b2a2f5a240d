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

const number = "[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?"
const declaration =
    /^[ \t]*(?:layout\s*\([^)]*\)\s*)?uniform\s+(?:(?:lowp|mediump|highp)\s+)?\w+\s+([^;{}]+);[ \t]*\/\/[ \t]*(.*)$/gm
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

export function annotations(...sources: string[]): Map<string, Annotation> {
    const found = new Map<string, Annotation>()
    for (const source of sources)
        for (const [, names, comment] of source.matchAll(declaration)) {
            const annotation = annotationOf(comment!)
            if (!annotation) continue
            for (const name of names!.split(",")) {
                const word = /^\s*(\w+)/.exec(name)
                if (word) found.set(word[1]!, annotation)
            }
        }
    return found
}

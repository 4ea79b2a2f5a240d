// Lines to which #line gives other numbers: the page marks them where they stand. As tools/diagnostics.c finds them.
import type { Inspection } from "./api.ts"
import type { Explain } from "./explain.ts"
import { bare } from "./paste/source.ts"
import type { Message } from "./types.ts"

// From a line's number to its place in the text; 0: that is not known, because several lines have the number, or a #line
// is under a condition or has a number that is computed.
export function placesOf(text: string): (line: number) => number {
    if (!/^[ \t]*#[ \t]*line\b/m.test(text)) return line => line
    const places = new Map<number, number>(), plain = bare(text)
    const [, version, es] = /^[ \t]*#[ \t]*version[ \t]+(\d+)[ \t]*(es\b)?/m.exec(plain) ?? []
    const itself = version && !es && version !== "100" && Number(version) < 330 ? 1 : 0 // there #line says which one it is itself
    let now = 1, conditions = 0
    for (const [k, line] of plain.split("\n").entries()) {
        places.set(now, places.has(now) ? 0 : k + 1)
        now++
        const [, word, rest] = /^[ \t]*#[ \t]*(\w+)(.*)$/.exec(line) ?? []
        if (word?.startsWith("if")) conditions++
        if (word === "endif" && conditions) conditions--
        if (word !== "line") continue
        const number = /^[ \t]+([1-9]\d{0,7})([ \t]|$)/.exec(rest!)
        if (conditions || !number) return () => 0
        now = Number(number[1]) + itself
    }
    return line => places.get(line) ?? 0
}

interface Answer { messages?: Message[]; explain?: Explain | null; inspect?: Inspection | null }

// The answer with lines as places in the texts that it is about. Where nothing says which, the line stays.
export function placed<A extends Answer>(textOf: (file: string | null, stage: string | null) => string | undefined, answer: A): A {
    const known = new Map<string, (line: number) => number>()
    const place = (of: { file?: string | null; line: number }, stage: string | null): void => {
        const text = of.line ? textOf(of.file ?? null, stage) : undefined
        if (text === undefined) return
        const places = known.get(text) ?? placesOf(text)
        known.set(text, places)
        of.line = places(of.line)
    }
    for (const message of answer.messages ?? []) place(message, message.stage)
    for (const { stage, code, lines, cost, decisions } of answer.explain?.stages ?? [])
        for (const one of [...code, ...lines, cost.peak, ...decisions ?? []]) place(one, stage)
    for (const step of answer.inspect?.runs.flatMap(run => run.steps) ?? []) place(step, answer.inspect!.stage)
    return answer
}

// Of the page, whose requests name the files.
export const placedIn = <A extends Answer>({ vertex, fragment }: { vertex: string; fragment: string }, answer: A): A =>
    placed((file, stage) => !file && !stage ? undefined : (file ? file.endsWith(".vert") : stage !== "fragment") ? vertex : fragment, answer)

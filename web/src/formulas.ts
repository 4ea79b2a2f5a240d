// Words of the uniform stream as `qpucc -S` writes them: in GLSL's notation, with footnotes for what is long (u7 is word
// 7) and for parts that several words have (e1).
import type { Explain, Formula, Instruction, Stage } from "./explain.ts"

const ROOM = 34 // characters that a formula has beside code, as in tools/listing.c
const isNoted = ({ formula }: { formula: string }): boolean => [...formula].length > ROOM

// What stands beside an instruction: the formula, or the footnote's name.
export function besideCode({ stream }: Stage, { uniform }: Instruction): string {
    const word = uniform && stream[uniform.word]
    return !word ? "" : isNoted(word) ? word.name : word.formula
}

// Shared parts first, each of which has only earlier ones in it.
export const footnotes = ({ stream, shared }: Stage): Formula[] =>
    [...shared, ...stream.filter(isNoted).map(({ name, formula }) => ({ name, text: formula }))]

// The parts that a formula is made of, and theirs.
export function partsOf(text: string, { shared }: Stage): Formula[] {
    const found = new Set<Formula>()
    const look = (one: string) => {
        for (const word of one.match(/(?<![.\w])[A-Za-z_]\w*/g) ?? []) {
            const part = shared.find(({ name }) => name === word)
            if (!part || found.has(part)) continue
            found.add(part)
            look(part.text)
        }
    }
    look(text)
    return shared.filter(part => found.has(part))
}

// "unif = ...", and a line for each part; null: the instruction takes no word.
export function wordLines(stage: Stage, { uniform, text }: Instruction): string[] | null {
    const word = uniform && stage.stream[uniform.word]
    return word ? [`${/\bunif\b/.test(text) ? "unif =" : "set-up"} ${word.formula}`, ...partsOf(word.formula, stage).map(part => `${part.name} = ${part.text}`)] : null
}

// Of an instruction that ran; null, too, where the explanation is of other code.
export function wordsOf(explain: Explain | null, name: string, { instruction, text }: { instruction: number; text: string }): string[] | null {
    const stage = explain?.stages.find(one => one.stage === name), code = stage?.code[instruction]
    return stage && code?.text === text ? wordLines(stage, code) : null
}

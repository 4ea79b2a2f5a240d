// The source's variables during a run, from what its steps wrote.
import type { Step, Write } from "./api.ts"

// Each variable's last value up to and with step `last`, by its name with the component, in the order of first writes.
export function variablesAt(steps: Step[], last: number): Map<string, Write> {
    const found = new Map<string, Write>()
    for (const step of steps.slice(0, last + 1))
        for (const write of step.writes)
            if (write.name && write.written) found.set(write.name, write)
    return found
}

// The next step (1) or the one before (-1) that begins another line of the source; the step itself where there is none.
export function otherLine(steps: Step[], from: number, way: 1 | -1): number {
    const begins = (k: number) => steps[k]!.line > 0 && (steps[k - 1]?.line !== steps[k]!.line || steps[k - 1]!.file !== steps[k]!.file)
    for (let k = from + way; k >= 0 && k < steps.length; k += way) if (begins(k)) return k
    return from
}

// Is it the variable of this word, or a part of that?
export const isOf = (name: string, word: string): boolean => name === word || name.startsWith(`${word}.`) || name.startsWith(`${word}[`)

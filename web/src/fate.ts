// What became of each primitive at a pixel: which is seen, and why the others are not. From what their runs wrote, by GL's
// rules; the machine's early depth test rejects some before they run, and of those nothing is known here.
import type { Inspection } from "./api.ts"

export interface Drawing {
    depthTest: boolean
    depthWrite: boolean
    depthFunc: string
    blend: boolean
    cull: string
}

const FAR = 0xffffff // what a frame begins with

const passes: Record<string, (z: number, before: number) => boolean> = {
    never: () => false, always: () => true, less: (z, before) => z < before, lequal: (z, before) => z <= before,
    equal: (z, before) => z === before, notequal: (z, before) => z !== before, greater: (z, before) => z > before, gequal: (z, before) => z >= before,
}

// For each run a few words, and the index of the last that reached the picture; -1: none.
export function fates({ runs }: Inspection, drawing: Drawing): { words: string[]; seen: number } {
    const words: string[] = []
    let depth = FAR, seen = -1
    for (const [k, { steps, covered }] of runs.entries()) {
        const written = (target: RegExp) => steps.flatMap(step => step.writes).filter(write => write.written && target.test(write.target)).at(-1)
        const z = written(/^tlbz/)
        if (!covered) words.push("a helper: beside the primitive, for its derivatives")
        else if (!written(/^tlb_?c/)) words.push("discarded: it wrote no colour")
        else if (drawing.depthTest && z && !passes[drawing.depthFunc]?.(z.int & FAR, depth))
            words.push(`fails the depth test: ${z.int & FAR} is not ${drawing.depthFunc} ${depth}`)
        else {
            if (drawing.depthTest && drawing.depthWrite && z) depth = z.int & FAR
            if (seen >= 0) words[seen] = drawing.blend ? `under ${k + 1}, which is blended with it` : `drawn over by ${k + 1}`
            words.push("seen")
            seen = k
        }
    }
    return { words, seen }
}

export const nothing = ({ cull, depthTest, depthFunc }: Drawing): string => "No primitive covers this pixel, or ran for it: it has the clear colour."
    + (cull === "none" ? "" : ` Faces are culled: ${cull}.`) + (depthTest && depthFunc !== "lequal" ? ` The depth test is ${depthFunc}.` : "")

// What became of each primitive at a pixel, in words: which is seen, and why the others are not. The machine says it
// (judge in tools/inspect.c); of those that culling takes away nothing ran.
import type { Inspection } from "./api.ts"

export interface Drawing {
    depthTest: boolean
    depthFunc: string
    blend: boolean
    cull: string
}

// For each run a few words, and the index of the one that the picture shows; -1: none.
export function fates({ runs }: Inspection, drawing: Drawing): { words: string[]; seen: number } {
    const visible = (k: number) => runs[k]!.fate === "seen" || runs[k]!.fate === "drawn over"
    const words = runs.map(({ fate, depth }, k) => {
        const next = [...runs.keys()].find(other => other > k && visible(other)) ?? -1
        switch (fate) {
            case "helper": return "a helper: beside the primitive, for its derivatives"
            case "discarded": return "discarded: it wrote no colour"
            case "depth": return `fails the depth test: ${depth?.[1]} is not ${drawing.depthFunc} ${depth?.[0]}`
            case "culled": return `culled: ${drawing.cull === "both" ? "no" : drawing.cull === "back" ? "only front" : "only back"} faces are drawn`
            case "drawn over": return drawing.blend ? `under ${next + 1}, which is blended with it` : `drawn over by ${next + 1}`
            case "unknown": return "unknown: it took more steps than are kept"
            default: return fate ?? ""
        }
    })
    return { words, seen: runs.findIndex(({ fate }) => fate === "seen") }
}

export const nothing = ({ cull, depthTest, depthFunc }: Drawing): string => "No primitive covers this pixel, or ran for it: it has the clear colour."
    + (cull === "none" ? "" : ` Faces are culled: ${cull}.`) + (depthTest && depthFunc !== "lequal" ? ` The depth test is ${depthFunc}.` : "")

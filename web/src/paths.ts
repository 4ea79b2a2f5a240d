// The shortest and the longest way through a shader's blocks, each loop's body once at most.
import type { Block } from "./explain.ts"

export interface Paths { shortest: number; longest: number } // cycles of a batch

// An edge back in the order of the code closes a loop. A block without edges forward ends the shader, as does an edge
// behind the last block.
export function pathsOf(blocks: Block[]): Paths {
    const ways: Paths[] = []
    for (let k = blocks.length - 1; k >= 0; k--) {
        const { count, stalls, edges } = blocks[k]!
        const on = edges.filter(to => to > k).map(to => ways[to] ?? { shortest: 0, longest: 0 })
        ways[k] = {
            shortest: count + stalls + (on.length ? Math.min(...on.map(way => way.shortest)) : 0),
            longest: count + stalls + (on.length ? Math.max(...on.map(way => way.longest)) : 0),
        }
    }
    return ways[0] ?? { shortest: 0, longest: 0 }
}

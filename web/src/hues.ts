// Source lines and their instructions have the same colour. Lines with code take the hues in turn, so neighbours
// differ; style.css and the editor's theme have a class for each.
export const HUES = 12

export function lineHues(lines: Iterable<number>): Map<number, number> {
    const sorted = [...new Set(lines)].filter(line => line > 0).sort((a, b) => a - b)
    // Steps of five reach all twelve, and neighbours lie far apart.
    return new Map(sorted.map((line, k) => [line, (k * 5) % HUES]))
}

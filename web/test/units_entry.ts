// What units.mjs tests.
import { start, token } from "../src/editor/glsl.ts"
import { LineStream } from "../src/editor/line_stream.ts"
export { annotations } from "../src/annotations.ts"
export { messagesOf } from "../src/api.ts"
export { unitsBefore } from "../src/editor/columns.ts"
export { diffLines } from "../src/diff.ts"
export { EXAMPLES as examples } from "../src/examples.ts"
export { besideCode, footnotes, partsOf, wordsOf } from "../src/formulas.ts"
export { placedIn } from "../src/lines.ts"
export { lineHues } from "../src/hues.ts"
export { Latest } from "../src/latest.ts"
export { fromExplorer, fromSessions, rison, unpack } from "../src/links/explorer.ts"
export { fromFragment, toFragment } from "../src/links/fragment.ts"
export { pathsOf } from "../src/paths.ts"
export { fates } from "../src/fate.ts"
export { shortest } from "../src/numbers.ts"
export { isOf, otherLine, variablesAt } from "../src/watch.ts"
export { bufferText } from "../src/paste/buffer.ts"
export { decodePng } from "../src/png.ts"
export { aboutChunk, writtenOut } from "../src/paste/chunks.ts"
export { addBuffer, buffersFrom, passOf, removeBuffer } from "../src/passes.ts"
export { adapt } from "../src/paste/adapt.ts"
export { supply, usesPointer } from "../src/paste/dialects.ts"
export { sourceOf } from "../src/paste/source.ts"
export { fromKept, scene } from "../src/program.ts"

export function highlight(text: string): { kind: string | null; text: string }[][] {
    const state = start()
    return text.split("\n").map(text => {
        const line = new LineStream(text)
        const tokens: { kind: string | null; text: string }[] = []
        while (!line.end) {
            line.from = line.at
            const kind = token(line, state)
            tokens.push({ kind, text: line.current() })
        }
        return tokens
    })
}

// A program in the fragment part of a link, which no server sees or keeps: what differs from an empty program, as JSON,
// compressed, in base64url behind "#code=".
import { empty, fromKept, type Program } from "../program.ts"

const MARK = "#code="
const MOST = 4 << 20 // bytes of JSON: more is no program

async function through(data: Uint8Array<ArrayBuffer>, stream: GenericTransformStream, most: number): Promise<Uint8Array<ArrayBuffer>> {
    const reader = (new Blob([data]).stream().pipeThrough(stream) as ReadableStream<Uint8Array>).getReader()
    const parts: Uint8Array[] = []
    let size = 0
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        size += part.value.length
        if (size > most) {
            await reader.cancel()
            throw new RangeError("too much")
        }
        parts.push(part.value)
    }
    const all = new Uint8Array(size)
    let at = 0
    for (const part of parts) {
        all.set(part, at)
        at += part.length
    }
    return all
}

export async function toFragment(program: Program): Promise<string> {
    const changed = Object.fromEntries(Object.entries(program)
        .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(empty[key as keyof Program])))
    const packed = await through(new TextEncoder().encode(JSON.stringify(changed)), new CompressionStream("deflate-raw"), Infinity)
    let text = ""
    for (let k = 0; k < packed.length; k += 0x8000) text += String.fromCharCode(...packed.subarray(k, k + 0x8000))
    return MARK + btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")
}

// null: there is no program in it. Throws where there is one that is damaged.
export async function fromFragment(fragment: string): Promise<Program | null> {
    if (!fragment.startsWith(MARK)) return null
    const packed = atob(fragment.slice(MARK.length).replace(/-/g, "+").replace(/_/g, "/"))
    const json = await through(Uint8Array.from(packed, c => c.charCodeAt(0)), new DecompressionStream("deflate-raw"), MOST)
    return fromKept(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json)))
}

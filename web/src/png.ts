// PNG files to RGBA. The browser's own decoder multiplies by alpha and converts colours, and textures need the file's bytes.
import type { DecodedPicture } from "./machine/instance.ts"

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10]
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } // by colour type

async function inflate(parts: Uint8Array[]): Promise<Uint8Array> {
    const stream = new Blob(parts as BlobPart[]).stream().pipeThrough(new DecompressionStream("deflate"))
    return new Uint8Array(await new Response(stream).arrayBuffer())
}

// Each row begins with the number of its filter.
function unfilter(data: Uint8Array, height: number, row: number, each: number): Uint8Array {
    const out = new Uint8Array(row * height)
    for (let y = 0, from = 0; y < height; y++) {
        const filter = data[from++]
        for (let x = 0; x < row; x++, from++) {
            const at = y * row + x
            const a = x >= each ? out[at - each]! : 0, b = y ? out[at - row]! : 0, c = x >= each && y ? out[at - row - each]! : 0
            const pa = Math.abs(b - c), pb = Math.abs(a - c), pc = Math.abs(a + b - 2 * c)
            const paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
            out[at] = data[from]! + [0, a, b, a + b >> 1, paeth][filter!]!
        }
    }
    return out
}

// null: a kind of PNG that only the service reads (16 bits, fewer than 8, interlaced, with transparency beside its texels,
// or with a gamma of its own).
export async function decodePng(bytes: Uint8Array): Promise<DecodedPicture | null> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (SIGNATURE.some((byte, k) => bytes[k] !== byte)) return null
    const data: Uint8Array[] = []
    let header: Uint8Array | null = null, palette: Uint8Array | null = null
    for (let at = 8; at + 12 <= bytes.length;) {
        const size = view.getUint32(at)
        const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8)), body = bytes.subarray(at + 8, at + 8 + size)
        if (name === "IHDR") header = body
        else if (name === "PLTE") palette = body
        else if (name === "IDAT") data.push(body)
        else if (name === "tRNS" || name === "gAMA" || name === "iCCP" || name === "cHRM") return null
        at += 12 + size
    }
    const channels = CHANNELS[header?.[9] ?? -1]
    if (!header || !channels || header[8] !== 8 || header[12]) return null
    const width = view.getUint32(16), height = view.getUint32(20)
    if (width - 1 >>> 0 >= 2048 || height - 1 >>> 0 >= 2048) return null
    const filtered = await inflate(data).catch(() => null)
    if (!filtered || filtered.length < (width * channels + 1) * height) return null
    const texels = unfilter(filtered, height, width * channels, channels)
    const rgba = new Uint8Array(width * height * 4)
    for (let k = 0; k < width * height; k++) {
        const texel = texels.subarray(k * channels, (k + 1) * channels), index = 3 * texel[0]!
        const rgb = header[9] === 3 ? palette?.subarray(index, index + 3) ?? [0, 0, 0]
            : channels < 3 ? [texel[0]!, texel[0]!, texel[0]!] : texel
        rgba.set([rgb[0]!, rgb[1]!, rgb[2]!, channels === 4 ? texel[3]! : channels === 2 ? texel[1]! : 255], 4 * k)
    }
    return { width, height, rgba }
}

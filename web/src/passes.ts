// Shadertoy's passes: up to four buffers, A to D, whose pictures the others read, and the image, which is the program's
// own fragment shader.
import { plainRaster, type Program, type Texture } from "./program.ts"

export const LETTERS = ["A", "B", "C", "D"] as const
export type Letter = typeof LETTERS[number]
export type PassName = "fragment" | Letter
export interface BufferPass { name: Letter; fragment: string; textures: Record<string, Texture> }

// In the order in which they are drawn.
export const passNames = ({ buffers }: Program): PassName[] => [...buffers.map(({ name }) => name), "fragment"]

const bufferOf = ({ buffers }: Program, pass: PassName | "vertex"): BufferPass | undefined => buffers.find(({ name }) => name === pass)

// A pass as a program of its own. A buffer is a plain quad of RGBA.
export function passOf(program: Program, pass: PassName): Program {
    const buffer = bufferOf(program, pass)
    return !buffer ? program : { ...program, vertex: "", fragment: buffer.fragment, textures: buffer.textures, mesh: "quad", clear: [0, 0, 0, 0],
        state: {}, raster: plainRaster, buffers: [], keepsAlpha: true }
}

export const textOf = (program: Program, name: PassName | "vertex"): string =>
    bufferOf(program, name)?.fragment ?? (name === "vertex" ? program.vertex : program.fragment)

export function setText(program: Program, name: PassName | "vertex", text: string): void {
    const buffer = bufferOf(program, name)
    if (buffer) buffer.fragment = text
    else program[name === "vertex" ? "vertex" : "fragment"] = text
}

export const texturesOf = (program: Program, pass: PassName): Record<string, Texture> => bufferOf(program, pass)?.textures ?? program.textures

const FIRST = `// iChannel0 is this buffer, as the frame before left it.
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    fragColor = texture(iChannel0, fragCoord / iResolution.xy) - 1.0 / 255.0;
    vec2 spot = iResolution.xy * (0.5 + 0.4 * sin(iTime * vec2(1.1, 1.7)));
    if (iMouse.z > 0.0) spot = iMouse.xy;
    if (distance(fragCoord, spot) < 12.0) fragColor = vec4(1.0, 0.7, 0.2, 1.0);
}
`

// One more; it reads itself, and the image reads it where nothing else is set. null: there are four.
export function addBuffer(program: Program): Letter | null {
    const name = LETTERS.find(letter => !bufferOf(program, letter))
    if (!name) return null
    program.buffers.push({ name, fragment: FIRST, textures: { iChannel0: { buffer: name } } })
    program.buffers.sort((a, b) => LETTERS.indexOf(a.name) - LETTERS.indexOf(b.name))
    const channel = [0, 1, 2, 3].map(k => `iChannel${k}`).find(channel => !program.textures[channel])
    if (channel) program.textures[channel] = { buffer: name }
    return name
}

export function removeBuffer(program: Program, name: Letter): void {
    program.buffers = program.buffers.filter(buffer => buffer.name !== name)
    for (const textures of [program.textures, ...program.buffers.map(buffer => buffer.textures)])
        for (const channel of Object.keys(textures)) if (textures[channel]!.buffer === name) delete textures[channel]
}

// Of a kept program: what is no buffer is left out.
export function buffersFrom(kept: unknown): BufferPass[] {
    const list = (Array.isArray(kept) ? kept : []) as Partial<BufferPass>[]
    return LETTERS.flatMap(name => {
        const one = list.find(buffer => buffer?.name === name)
        return typeof one?.fragment === "string" ? [{ name, fragment: one.fragment, textures: Object.fromEntries(Object.entries(one.textures ?? {}).filter(([, texture]) => texture && typeof texture === "object")) }] : []
    })
}

// What the user works on: sources, settings of the scene, options. It is what a share link keeps, and what the
// requests are made of.

import type { Drawing } from "./fate.ts"
import { shortest } from "./numbers.ts"
import { buffersFrom, type BufferPass, type Letter } from "./passes.ts"
import { bufferText } from "./paste/buffer.ts"
import { sourceOf } from "./paste/source.ts"

export interface Texture {
    file?: "balloons" | "crate"
    data?: string // base64 of a PNG
    name?: string // of an uploaded file, for people
    buffer?: Letter // instead of a picture: what this buffer holds
    filter?: "nearest" | "linear" | "mipmap"
    wrap?: "repeat" | "clamp" | "mirror"
}

export type Mesh = "quad" | "cube" | "sphere" | "torus" | "points" | { obj: string; name?: string }

export interface Raster {
    cull: "none" | "back" | "front" | "both"
    front: "ccw" | "cw"
    depth_test: boolean
    depth_write: boolean
    depth_func: string
}

export interface Program {
    schema: "qpucc-playground-1"
    title: string
    vertex: string // "": the service makes one, as for Shadertoy
    fragment: string
    uniforms: Record<string, number[]>
    textures: Record<string, Texture>
    mesh: Mesh
    width: number
    height: number
    clear: [number, number, number, number]
    state: Record<string, unknown> // struct qpucc_state by the names of its members
    raster: Raster
    level: "0" | "1" | "2" | "3"
    policy: "default" | "fast" | "precise"
    options: string // more of the command's
    fixed: string[] // uniforms that the code is made for the value of
    time: number
    buffers: BufferPass[] // in the order of their letters
    keepsAlpha?: true // of a buffer that is a program for itself (passes.ts)
}

// What the command's option for a policy of precision is.
export const POLICIES = { default: "", fast: "-ffast-math", precise: "-fprecise" } as const

// Values that the code is made for, of uniforms that there are still.
function settings({ vertex, fragment, uniforms, fixed }: Program): string[] {
    const declared = new Set([...sourceOf(vertex, "vertex").uniforms, ...sourceOf(fragment, "fragment").uniforms].map(({ name }) => name))
    return fixed.filter(name => uniforms[name]?.length && declared.has(/^\w*/.exec(name)![0])).map(name => `--set=${name}=${uniforms[name]!.map(shortest).join()}`)
}
const argumentsOf = (program: Program): string =>
    [`-O${program.level}`, POLICIES[program.policy], ...settings(program), program.options].filter(Boolean).join(" ")

// GL's initial state, but for the depth test, which meshes with a back need.
export const isFlat = (mesh: Mesh): boolean => mesh === "quad"
export const plainRaster: Raster =
    { cull: "none", front: "ccw", depth_test: false, depth_write: true, depth_func: "lequal" }

export const empty: Program = {
    schema: "qpucc-playground-1", title: "", vertex: "", fragment: "", uniforms: {}, textures: {}, mesh: "quad",
    width: 400, height: 300, clear: [24, 26, 34, 255], state: {}, raster: plainRaster, level: "2", policy: "default", options: "", fixed: [],
    time: 0, buffers: [],
}

// A kept state may be of an older page, or made by hand: what it lacks or has of another kind is the default's.
export function fromKept(kept: unknown): Program {
    const given = (kept && typeof kept === "object" ? kept : {}) as Record<string, unknown>
    const program = structuredClone(empty) as unknown as Record<string, unknown>
    for (const [key, value] of Object.entries(program)) {
        const other = given[key]
        if (key !== "schema" && other !== undefined && other !== null
            && (typeof other === typeof value || key === "mesh") && Array.isArray(other) === Array.isArray(value))
            program[key] = other
    }
    const result = program as unknown as Program
    const all = (list: unknown, fits: (one: unknown) => boolean): boolean => Array.isArray(list) && list.every(fits)
    const only = <Value>(record: Record<string, Value>, fits: (one: unknown) => boolean): Record<string, Value> =>
        Object.fromEntries(Object.entries(record).filter(([, one]) => fits(one)))
    result.uniforms = only(result.uniforms, one => all(one, value => typeof value === "number" && Number.isFinite(Math.fround(value))))
    result.textures = only(result.textures, one => one !== null && typeof one === "object")
    if (result.clear.length !== 4 || !all(result.clear, one => Number.isInteger(one) && Number(one) >= 0 && Number(one) <= 255)) result.clear = structuredClone(empty.clear)
    if (typeof result.mesh !== "string" && typeof (result.mesh as { obj?: unknown }).obj !== "string") result.mesh = "quad"
    result.raster = { ...plainRaster, ...result.raster }
    result.width = Math.min(Math.max(Math.round(result.width) || 400, 16), 1024)
    result.height = Math.min(Math.max(Math.round(result.height) || 300, 16), 1024)
    if (!["0", "1", "2", "3"].includes(result.level)) result.level = "2"
    if (!(Object.hasOwn(POLICIES, result.policy))) result.policy = "default"
    result.buffers = buffersFrom(result.buffers)
    result.fixed = result.fixed.filter(name => typeof name === "string" && /^[\w.[\]]+$/.test(name))
    return result
}

export const drawingOf = ({ raster, state }: Program): Drawing => ({ depthTest: raster.depth_test, depthFunc: raster.depth_func, blend: Boolean(state.blend), cull: raster.cull })

const textureForServer = ({ file, data, filter, wrap }: Texture): object =>
    ({ ...(data ? { data } : { file: file ?? "balloons" }), ...(filter && { filter }), ...(wrap && { wrap }) })

// The depth test is the control list's, and the shader's, which has to write Z for it.
const stateOf = (program: Program): object => ({ depth_test: program.raster.depth_test, ...program.state })

const fragmentOf = (program: Program): string => program.keepsAlpha ? bufferText(program.fragment) : program.fragment

// The scene of /api/render and /api/inspect. `uniforms` may add what the page itself supplies: the pointer.
export function scene(program: Program, time: number, scale = 1, more: Record<string, number[]> = {}): object {
    const width = Math.max(16, Math.round(program.width * scale))
    const height = Math.max(16, Math.round(program.height * scale))
    return {
        ...(program.vertex.trim() ? { vertex: { source: program.vertex, name: "shader.vert" } } : {}),
        fragment: { source: fragmentOf(program), name: "shader.frag" },
        mesh: typeof program.mesh === "string" ? program.mesh : { obj: program.mesh.obj },
        size: `${width}x${height}`,
        time,
        uniforms: { ...program.uniforms, ...more },
        textures: Object.fromEntries(Object.entries(program.textures).map(([name, texture]) =>
            [name, textureForServer(texture)])),
        clear: program.clear,
        state: stateOf(program),
        raster: program.raster,
        options: { userArguments: argumentsOf(program) },
    }
}

// What of the scene the code depends on, for the machine in the page: no uniform's value is among it.
export function programRequest(program: Program): object {
    const { vertex, fragment, mesh, state, options } = scene(program, 0) as Record<string, unknown>
    return { ...(vertex ? { vertex } : {}), fragment, mesh, state, options, format: "program" }
}

// And what else is drawn, but for uniforms, time and textures.
export function drawnScene(program: Program, scale: number):
    { mesh: string | { obj: string }; size: string; clear: number[]; raster: Raster; textures: Program["textures"] } {
    const { mesh, size, clear, raster } = scene(program, 0, scale) as ReturnType<typeof drawnScene>
    return { mesh, size, clear, raster, textures: program.textures }
}

export function compileRequest(program: Program): object {
    const files = [{ filename: "shader.frag", contents: fragmentOf(program) }]
    if (program.vertex.trim()) files.unshift({ filename: "shader.vert", contents: program.vertex })
    return {
        source: "", lang: "glsl", files,
        options: { userArguments: argumentsOf(program), filters: {}, qpucc: { explain: true,
            state: { ...(program.mesh === "points" ? { primitive: "points" } : {}), ...stateOf(program) } } },
    }
}

// Code and counters belong together if they are of the same version: all that the compiler is told is equal.
export const versionOf = (program: Program): string => JSON.stringify(compileRequest(program))

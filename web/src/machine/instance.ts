// One instance of the machine (web/machine/machine.c): a program and its scene in WebAssembly.
import type { Counters, RunFate } from "../api.ts"
import type { Raster } from "../program.ts"

// The scene of /api/render, as far as it is drawn.
export interface Scene {
    mesh: string | { obj: string }
    size: string
    time: number
    uniforms: Record<string, number | number[]>
    textures: Record<string, Texture>
    clear: number[]
    instances?: number
    primitive?: "triangles" | "lines" | "points"
    raster: Raster
}

export interface Texture { picture: DecodedPicture; filter?: string; wrap?: string }
export interface DecodedPicture { width: number; height: number; rgba: Uint8Array } // the top row first
export interface MachineProgram { container: Uint8Array; values: Uint8Array }
export interface Picture { width: number; height: number; rgba: Uint8Array; tiles: number[]; counters: number[] }
export interface RawStep { instruction: number; cycle: number; writes: [target: string, written: number, value: number][] }
export interface RawInspection {
    truncated: boolean
    failed: boolean
    color: [number, number, number, number]
    runs: (RunFate & { lane: number; covered: boolean; steps: RawStep[] })[]
}

interface Exports {
    memory: WebAssembly.Memory
    _initialize(): void
    page_text(): number
    page_text_size(): number
    page_buffer(size: number): number
    page_program(size: number): number
    page_scene(width: number, height: number, clear: number, instances: number, cull: number, func: number, flags: number,
               primitive: number, size: number): void
    page_mesh(isText: number): number
    page_texture(size: number): number
    page_values(time: number): void
    page_uniform(count: number): number
    page_check(): number
    page_uniforms(): void
    page_draw(share: number, shares: number): number
    page_pixels(): number
    page_tiles(): number
    page_counters(): number
    page_inspect(stage: number, x: number, y: number): number
}

export const TILE = 64
export const STAGES = ["fragment", "vertex", "coordinate"] as const // enum qpucc_stage
const CULLS = ["none", "back", "front", "both"]
const FUNCTIONS = ["never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always"]
const PRIMITIVES = ["triangles", "lines", "points"]
const COUNTERS = 15 + 3 * 3 + 5 // all of struct qpusim_counters but its pointers
const EBADF = 8

export class MachineError extends Error {}

export class Instance {
    private width = 0
    private height = 0

    private constructor(private readonly exports: Exports) { exports._initialize() }

    // The module asks for files, of which a page has none.
    static async create(module: WebAssembly.Module): Promise<Instance> {
        const wasi: Record<string, () => number> = {}
        for (const { name } of WebAssembly.Module.imports(module)) wasi[name] = () => EBADF
        const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi })
        return new Instance(instance.exports as unknown as Exports)
    }

    private text(): string {
        const { memory, page_text, page_text_size } = this.exports
        return new TextDecoder().decode(new Uint8Array(memory.buffer, page_text(), page_text_size()))
    }

    private must(ok: number): void {
        if (!ok) throw new MachineError(this.text())
    }

    // Writes an argument to the module's buffer.
    private put(...parts: (string | Uint8Array)[]): number {
        const bytes = parts.map(part => typeof part === "string" ? new TextEncoder().encode(`${part}\0`) : part)
        const size = bytes.reduce((sum, part) => sum + part.length, 0)
        const at = this.exports.page_buffer(size)
        if (!at) throw new MachineError("out of memory")
        const buffer = new Uint8Array(this.exports.memory.buffer, at, size)
        let done = 0
        for (const part of bytes) {
            buffer.set(part, done)
            done += part.length
        }
        return size
    }

    program({ container }: MachineProgram): void { this.must(this.exports.page_program(this.put(container))) }

    scene(scene: Scene, { values }: MachineProgram): void {
        const [width, height] = scene.size.split("x").map(Number) as [number, number]
        this.width = width
        this.height = height
        const { raster, clear } = scene
        const flags = Number(raster.front === "cw") | Number(raster.depth_test) << 1 | Number(raster.depth_write) << 2
        const packed = clear.reduce((word, channel, k) => word | channel << 8 * k, 0)
        this.exports.page_scene(width, height, packed, scene.instances ?? 0, CULLS.indexOf(raster.cull),
            FUNCTIONS.indexOf(raster.depth_func), flags, PRIMITIVES.indexOf(scene.primitive ?? ""), this.put(values))
        const isText = typeof scene.mesh !== "string"
        this.put(typeof scene.mesh === "string" ? scene.mesh : scene.mesh.obj)
        this.must(this.exports.page_mesh(Number(isText)))
        this.textures(scene.textures)
    }

    // In the place of what the samplers had.
    textures(textures: Record<string, Texture>): void {
        for (const [name, { picture, filter, wrap }] of Object.entries(textures)) {
            const shape = new Uint8Array(new Uint32Array([picture.width, picture.height]).buffer)
            this.put(name, `${filter ? `,${filter}` : ""}${wrap ? `,${wrap}` : ""}`, shape, picture.rgba)
            this.must(this.exports.page_texture(shape.length + picture.rgba.length))
        }
    }

    // What a film's pictures differ in.
    values({ time, uniforms }: Pick<Scene, "time" | "uniforms">): void {
        this.exports.page_values(time)
        for (const [name, value] of Object.entries(uniforms)) {
            const words = new Float32Array([value].flat().map(Number))
            this.put(new Uint8Array(words.buffer), name)
            this.must(this.exports.page_uniform(words.length))
        }
    }

    // Messages about the scene's settings, as the command prints them; not ok: there is an error among them.
    check(): { ok: boolean; messages: string[] } {
        const ok = Boolean(this.exports.page_check())
        const text = this.text()
        return { ok, messages: text ? text.split("\n") : [] }
    }

    uniforms(): number[][] {
        this.exports.page_uniforms()
        return (JSON.parse(this.text()) as number[][]).map(values => values.map(Math.fround))
    }

    // The tiles of one share of the picture. `tiles` has the places of those where something was drawn, counted from the
    // bottom left; elsewhere the picture has the clear colour, or is another share's.
    draw(share: number, shares: number): Picture {
        const { exports } = this
        this.must(exports.page_draw(share, shares))
        const { width, height } = this
        const memory = exports.memory.buffer
        const count = Math.ceil(width / TILE) * Math.ceil(height / TILE)
        const drawn = new Uint8Array(memory, exports.page_tiles(), count)
        return {
            width, height,
            rgba: new Uint8Array(memory, exports.page_pixels(), width * height * 4),
            tiles: [...drawn.keys()].filter(k => drawn[k]),
            counters: [...new BigUint64Array(memory, exports.page_counters(), COUNTERS)].map(Number),
        }
    }

    inspect(stage: number, x: number, y: number): RawInspection {
        this.must(this.exports.page_inspect(stage, x, y))
        return JSON.parse(this.text()) as RawInspection
    }
}

// As counters_json of serve/job_render.c.
export function countersOf(c: number[]): Counters {
    const at = (k: number) => c[k] ?? 0
    return {
        instructions: at(0), cycles: at(1), batches: at(14),
        stalls: { tmu: at(2), fifo: at(3), switch: at(4), branch: at(5) },
        tmu_requests: at(11), sfu: at(10), uniforms: at(6), varyings: at(7), tlb_writes: at(13), primitives: at(24), pixels: at(27),
        stages: Object.fromEntries(STAGES.map((name, k) =>
            [name, { instructions: at(15 + k), cycles: at(18 + k), batches: at(21 + k) }])),
        milliseconds: at(1) * 4 / (250e3 * 12),
    }
}

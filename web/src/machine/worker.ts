// A worker of the page with an instance of the machine (pool.ts speaks with it).
import { Instance, MachineError, TILE, type MachineProgram, type Picture, type RawInspection, type Scene } from "./instance.ts"

export interface Job {
    id: number
    program?: MachineProgram // where it is another than the last job's; as the scene
    scene?: Scene
    values: Pick<Scene, "time" | "uniforms">
    draw?: { share: number; shares: number }
    inspect?: { stage: number; x: number; y: number }
}

export interface Drawn {
    tiles: number[]
    pixels: Uint8Array // of the tiles, row by row, from the bottom
    counters: number[]
    uniforms?: number[][] // of share 0
    milliseconds: number
}

export interface Reply { id: number; error?: string; messages?: string[]; drawn?: Drawn; inspection?: RawInspection }

const scope = globalThis as unknown as {
    onmessage: ((event: MessageEvent<WebAssembly.Module | Job>) => void) | null
    postMessage(reply: Reply, transfer: Transferable[]): void
}

function pack({ width, height, rgba, tiles }: Picture): Uint8Array {
    const columns = Math.ceil(width / TILE)
    const packed = new Uint8Array(tiles.length * TILE * TILE * 4)
    let to = 0
    for (const tile of tiles) {
        const x = tile % columns * TILE, y = Math.floor(tile / columns) * TILE, row = Math.min(TILE, width - x) * 4
        for (let k = 0; k < Math.min(TILE, height - y); k++, to += row) {
            const from = ((y + k) * width + x) * 4
            packed.set(rgba.subarray(from, from + row), to)
        }
    }
    return packed.slice(0, to)
}

function draw(machine: Instance, { share, shares }: { share: number; shares: number }): Drawn {
    const begun = performance.now()
    const picture = machine.draw(share, shares)
    return { tiles: picture.tiles, pixels: pack(picture), counters: picture.counters, milliseconds: performance.now() - begun,
        ...(share === 0 ? { uniforms: machine.uniforms() } : {}) }
}

let program: MachineProgram, scene: Scene
let loaded = false // both: what failed fails again, and half a scene is never drawn
function run(machine: Instance, job: Job): Reply {
    const { id } = job
    if (job.program) program = job.program
    if (job.scene) scene = job.scene
    const again = !loaded
    loaded = false
    if (job.program || again) machine.program(program)
    if (job.program || job.scene || again) machine.scene(scene, program)
    loaded = true
    machine.values(job.values)
    const { ok, messages } = machine.check()
    if (!ok) return { id, messages }
    if (job.inspect) return { id, inspection: machine.inspect(job.inspect.stage, job.inspect.x, job.inspect.y) }
    return job.draw ? { id, drawn: draw(machine, job.draw) } : { id }
}

let machine: Promise<Instance>
scope.onmessage = async ({ data }) => {
    if (data instanceof WebAssembly.Module) {
        machine = Instance.create(data)
        return
    }
    let reply: Reply
    try {
        reply = run(await machine, data)
    } catch (error) {
        reply = { id: data.id, error: error instanceof MachineError ? error.message : `machine: ${String(error)}` }
    }
    scope.postMessage(reply, reply.drawn ? [reply.drawn.pixels.buffer] : [])
}

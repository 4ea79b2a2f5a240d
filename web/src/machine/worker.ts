// A worker of the page with an instance of the machine (pool.ts speaks with it).
import { Instance, MachineError, TILE, type MachineProgram, type Picture, type RawInspection, type Scene } from "./instance.ts"

export interface Job {
    id: number
    program?: MachineProgram // where it is another than the last job's; as the scene
    scene?: Scene
    values: Pick<Scene, "time" | "uniforms">
    slot: number // which instance of the machine
    pictures?: Scene["textures"] // of this job, beside the scene's
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

// An instance with what it has been told.
interface Slot { machine: Instance; program?: MachineProgram; scene?: Scene; loaded: boolean } // loaded: both

function run(slot: Slot, job: Job): Reply {
    const { id } = job
    const { machine } = slot
    if (job.program) slot.program = job.program
    if (job.scene) slot.scene = job.scene
    const again = !slot.loaded // what failed fails again, and half a scene is never drawn
    slot.loaded = false
    if (job.program || again) machine.program(slot.program!)
    if (job.program || job.scene || again) machine.scene(slot.scene!, slot.program!)
    if (job.pictures) machine.textures(job.pictures)
    slot.loaded = true
    machine.values(job.values)
    const { ok, messages } = machine.check()
    if (!ok) return { id, messages }
    if (job.inspect) return { id, inspection: machine.inspect(job.inspect.stage, job.inspect.x, job.inspect.y) }
    return job.draw ? { id, drawn: draw(machine, job.draw) } : { id }
}

let module: WebAssembly.Module
const slots: Promise<Slot>[] = []
scope.onmessage = async ({ data }) => {
    if (data instanceof WebAssembly.Module) {
        module = data
        return
    }
    let reply: Reply
    try {
        slots[data.slot] ??= Instance.create(module).then(machine => ({ machine, loaded: false }))
        reply = run(await slots[data.slot]!, data)
    } catch (error) {
        reply = { id: data.id, error: error instanceof MachineError ? error.message : `machine: ${String(error)}` }
    }
    scope.postMessage(reply, reply.drawn ? [reply.drawn.pixels.buffer] : [])
}

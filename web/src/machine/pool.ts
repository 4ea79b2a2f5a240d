// The machine in workers: each draws its share of a picture's tiles.
import { TILE, type MachineProgram, type RawInspection, type Scene } from "./instance.ts"
import type { Drawn, Job, Reply } from "./worker.ts"

// The machine refused: sentences for people.
export class Refusal extends Error {
    constructor(readonly messages: string[]) { super(messages.join("\n")) }
}

export interface Result { image: ImageData; counters: number[]; uniforms: number[][]; milliseconds: number }

interface Waiting { done(reply: Reply): void; failed(error: unknown): void; since: number }

// Which of a worker's instances; pictures of this job alone; is alpha kept?
export interface With { slot?: number; pictures?: Scene["textures"]; alpha?: boolean }

const MOST_WORKERS = 16

export class Pool {
    private workers: Worker[] = []
    private readonly waiting = new Map<number, Waiting>()
    private number = 0
    private had: { program: MachineProgram; scene: Scene }[] = [] // what the workers have, by slot

    constructor(private readonly module: WebAssembly.Module, private readonly script: string,
                private readonly count = Math.min(Math.max(navigator.hardwareConcurrency || 2, 1), MOST_WORKERS)) {}

    private start(): void {
        this.had = []
        this.workers = Array.from({ length: this.count }, () => {
            const worker = new Worker(this.script)
            worker.onmessage = ({ data }: MessageEvent<Reply>) => {
                this.waiting.get(data.id)?.done(data)
                this.waiting.delete(data.id)
            }
            worker.onerror = event => this.stop(new Error(event.message || "A worker of the page could not be started."))
            worker.postMessage(this.module)
            return worker
        })
    }

    // Ends what is under way; the next job starts workers anew.
    stop(reason: unknown): void {
        for (const worker of this.workers) worker.terminate()
        this.workers = []
        for (const { failed } of this.waiting.values()) failed(reason)
        this.waiting.clear()
    }

    // For how long the oldest job has been at work, in ms.
    get busy(): number {
        const first = this.waiting.values().next().value
        return first ? performance.now() - first.since : 0
    }

    private send(worker: Worker, job: Omit<Job, "id">): Promise<Reply> {
        const id = ++this.number
        return new Promise<Reply>((done, failed) => {
            this.waiting.set(id, { done, failed, since: performance.now() })
            worker.postMessage({ ...job, id })
        }).then(reply => {
            if (reply.error !== undefined) throw new Refusal([reply.error])
            if (reply.messages) throw new Refusal(reply.messages)
            return reply
        })
    }

    // What all workers need to know before a job. Programs and scenes are compared by identity.
    private prepare(program: MachineProgram, scene: Scene, { slot = 0, pictures }: With): Omit<Job, "id" | "values"> {
        if (!this.workers.length) this.start()
        const had = this.had[slot]
        this.had[slot] = { program, scene }
        return { slot, ...(had?.program !== program ? { program } : {}), ...(had?.scene !== scene ? { scene } : {}), ...(pictures && { pictures }) }
    }

    async draw(program: MachineProgram, scene: Scene, values: Job["values"], given: With = {}): Promise<Result> {
        const news = this.prepare(program, scene, given)
        const shares = this.workers.length
        const parts = await Promise.all(this.workers.map((worker, share) =>
            this.send(worker, { ...news, values, draw: { share, shares } }).then(reply => reply.drawn!)))
        return {
            image: compose(scene, parts, given.alpha ?? false), uniforms: parts[0]!.uniforms!,
            counters: parts[0]!.counters.map((_, k) => parts.reduce((sum, part) => sum + part.counters[k]!, 0)),
            milliseconds: Math.max(...parts.map(part => part.milliseconds)),
        }
    }

    async inspect(program: MachineProgram, scene: Scene, values: Job["values"], inspect: NonNullable<Job["inspect"]>, given: With = {}): Promise<RawInspection> {
        const news = this.prepare(program, scene, given)
        const [first, ...others] = this.workers
        for (const worker of others) if (news.program || news.scene) void this.send(worker, { ...news, values }).catch(() => undefined)
        return (await this.send(first!, { ...news, values, inspect })).inspection!
    }
}

// Where nobody has drawn is the clear colour. A page shows no alpha; a buffer keeps it.
function compose({ size, clear }: Scene, parts: Drawn[], alpha: boolean): ImageData {
    const [width, height] = size.split("x").map(Number) as [number, number]
    const columns = Math.ceil(width / TILE)
    const image = new ImageData(width, height)
    const words = new Uint32Array(image.data.buffer).fill(new Uint32Array(new Uint8Array(clear).buffer)[0]!)
    for (const { tiles, pixels } of parts) {
        const from = new Uint32Array(pixels.buffer)
        let at = 0
        for (const tile of tiles) {
            const x = tile % columns * TILE, y = Math.floor(tile / columns) * TILE, row = Math.min(TILE, width - x)
            for (let k = 0; k < Math.min(TILE, height - y); k++, at += row)
                words.set(from.subarray(at, at + row), (height - 1 - y - k) * width + x)
        }
    }
    if (!alpha) for (let k = 3; k < image.data.length; k += 4) image.data[k] = 255
    return image
}

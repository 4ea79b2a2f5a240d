// Pictures and steps from the machine in the page, in the form in which the service gives them. The service compiles.
import { compile, messagesOf, programOf, type Compiled, type Inspected, type Interface, type Rendered, type RenderQuestion,
    type Target } from "../api.ts"
import { decodePng } from "../png.ts"
import { drawnScene, programRequest, type Program } from "../program.ts"
import type { Message } from "../types.ts"
import { countersOf, STAGES, type DecodedPicture, type MachineProgram, type Scene } from "./instance.ts"
import { Pool, Refusal } from "./pool.ts"
import { inspectionOf } from "./steps.ts"

interface Ready { machine: MachineProgram | null; messages: Message[]; code: number; interface: Interface | null }

// Answers of which the last one is kept.
class Last<Value> {
    private key = ""
    private value: Promise<Value> | null = null
    get(key: string, make: () => Promise<Value>): Promise<Value> {
        if (key !== this.key || !this.value) {
            this.key = key
            const value = this.value = make()
            value.catch(() => { if (this.value === value) this.value = null }) // asked again next time
        }
        return this.value
    }
}

const bytes = (base64: string) => Uint8Array.from(atob(base64), c => c.charCodeAt(0))
const errors = (messages: string[]): Message[] => messages.map(text =>
    ({ stage: null, line: 0, column: 0, severity: text.startsWith("warning: ") ? "warning" : "error", text: text.replace(/^(error|warning): /, "") }))

const PATIENCE = 1000 // ms

export class Local {
    private readonly programs = new Last<Ready>()
    private readonly explained = new Last<Compiled>()
    private readonly scenes = new Last<Scene | null>()
    private readonly pictures = new Map<string, Promise<DecodedPicture | null>>()

    private constructor(private readonly pool: Pool) {}

    // null: this browser has no WebAssembly, or none with vectors, or the build has no module.
    static async load(url: string, script: string): Promise<Local | null> {
        if (!url || typeof WebAssembly !== "object" || typeof Worker !== "function") return null
        try {
            return new Local(new Pool(await WebAssembly.compileStreaming(fetch(url)), script))
        } catch { return null }
    }

    // A draw that takes long gives way to what is asked now.
    hurry(): void {
        if (this.pool.busy > PATIENCE) this.pool.stop(new DOMException("There is a newer question.", "AbortError"))
    }

    private program(program: Program, signal: AbortSignal): Promise<Ready> {
        const request = programRequest(program)
        return this.programs.get(JSON.stringify(request), async () => {
            const answer = await programOf(request, signal)
            return {
                code: answer.code, messages: messagesOf(answer.stderr, answer.code), interface: answer.interface ?? null,
                machine: answer.program !== undefined ? { container: bytes(answer.program), values: bytes(answer.values ?? "") } : null,
            }
        })
    }

    private picture(data: string | undefined, file: string): Promise<DecodedPicture | null> {
        const key = data ?? file
        const known = this.pictures.get(key)
        if (known) return known
        if (this.pictures.size >= 32) this.pictures.clear()
        const decoded = data ? decodePng(bytes(data))
            : fetch(`/${file}.png`).then(async answer => decodePng(new Uint8Array(await answer.arrayBuffer())))
        this.pictures.set(key, decoded)
        decoded.catch(() => this.pictures.delete(key))
        return decoded
    }

    // null: a texture is a PNG that only the service reads.
    private scene(program: Program, scale: number): Promise<Scene | null> {
        const scene = drawnScene(program, scale)
        return this.scenes.get(JSON.stringify(scene), async () => {
            const textures: Scene["textures"] = {}
            for (const [name, { data, file, filter, wrap }] of Object.entries(program.textures)) {
                const picture = await this.picture(data, file ?? "balloons")
                if (!picture) return null
                textures[name] = { picture, ...(filter && { filter }), ...(wrap && { wrap }) }
            }
            return { ...scene, time: 0, uniforms: {}, textures }
        })
    }

    // null: the service has to draw.
    async render({ program, time, scale, more }: RenderQuestion, signal: AbortSignal): Promise<Rendered | null> {
        const begun = performance.now()
        const ready = await this.program(program, signal)
        const answer = { code: ready.code, messages: ready.messages, frames: [], interface: ready.interface, elapsed: performance.now() - begun }
        if (!ready.machine) return answer
        const scene = await this.scene(program, scale)
        if (!scene) return null
        const stop = () => this.pool.stop(signal.reason)
        signal.addEventListener("abort", stop)
        try {
            const { image, counters, uniforms, milliseconds } =
                await this.pool.draw(ready.machine, scene, { time, uniforms: { ...program.uniforms, ...more } })
            const reflected = ready.interface && { ...ready.interface,
                uniforms: ready.interface.uniforms.map((variable, k) => ({ ...variable, value: uniforms[k] ?? [] })) }
            return { ...answer, interface: reflected, elapsed: milliseconds, frames: [{ time, picture: image, counters: countersOf(counters) }] }
        } catch (error) {
            if (!(error instanceof Refusal)) throw error
            return { ...answer, code: 1, messages: errors(error.messages) }
        } finally {
            signal.removeEventListener("abort", stop)
        }
    }

    // null: the service has to look.
    async inspect({ program, time, more }: RenderQuestion, target: Target, signal: AbortSignal): Promise<Inspected | null> {
        const [ready, { explain }] = await Promise.all([this.program(program, signal),
            this.explained.get(JSON.stringify(programRequest(program)), () => compile(program, signal))])
        const scene = ready.machine && explain ? await this.scene(program, 1) : null
        const name = "index" in target ? target.stage : "fragment"
        const stage = explain?.stages.find(one => one.stage === name)
        if (!scene || !stage) return null
        const [x, y] = "index" in target ? [target.index, 0] : [target.x, target.y]
        try {
            const raw = await this.pool.inspect(ready.machine!, scene, { time, uniforms: { ...program.uniforms, ...more } },
                { stage: STAGES.indexOf(name), x, y })
            return { code: 0, messages: [], inspect: inspectionOf(raw, stage, target) }
        } catch (error) {
            if (!(error instanceof Refusal)) throw error
            return { code: 1, messages: errors(error.messages), inspect: null }
        }
    }
}

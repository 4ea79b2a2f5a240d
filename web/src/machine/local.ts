// Pictures and steps from the machine in the page, in the form in which the service gives them. The service compiles.
import { compile, messagesOf, programOf, type Compiled, type Inspected, type Interface, type Rendered, type RenderQuestion,
    type Target } from "../api.ts"
import { placedIn } from "../lines.ts"
import { passOf } from "../passes.ts"
import { decodePng } from "../png.ts"
import { drawnScene, programRequest, type Program } from "../program.ts"
import type { Message } from "../types.ts"
import { Feedback, isFeedback, refused, slotOf, stagesOf } from "./feedback.ts"
import { countersOf, STAGES, type DecodedPicture, type MachineProgram, type Scene } from "./instance.ts"
import { Pool, Refusal, type With } from "./pool.ts"
import { inspectionOf } from "./steps.ts"

interface Ready { machine: MachineProgram | null; messages: Message[]; code: number; interface: Interface | null }

// Answers of which the last few are kept: a program with buffers has up to five of each kind.
class Last<Value> {
    private readonly values = new Map<string, Promise<Value>>() // the newest last
    get(key: string, make: () => Promise<Value>): Promise<Value> {
        const known = this.values.get(key), value = known ?? make()
        if (!known) value.catch(() => this.values.delete(key)) // asked again next time
        this.values.delete(key)
        this.values.set(key, value)
        if (this.values.size > KEPT) this.values.delete(this.values.keys().next().value!)
        return value
    }
}
const KEPT = 12

const bytes = (base64: string) => Uint8Array.from(atob(base64), c => c.charCodeAt(0))

const PATIENCE = 1000 // ms

export class Local {
    private readonly programs = new Last<Ready>()
    private readonly explained = new Last<Compiled>()
    private readonly scenes = new Last<Scene | null>()
    private readonly feedback = new Feedback()
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
                code: answer.code, messages: placedIn(program, { messages: messagesOf(answer.stderr, answer.code) }).messages, interface: answer.interface ?? null,
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
            for (const [name, { data, file, filter, wrap, buffer }] of Object.entries(program.textures)) {
                if (buffer) continue // it comes with each picture
                const picture = await this.picture(data, file ?? "balloons")
                if (!picture) return null
                textures[name] = { picture, ...(filter && { filter }), ...(wrap && { wrap }) }
            }
            return { ...scene, time: 0, uniforms: {}, textures }
        })
    }

    // null: the service has to draw.
    async render(question: RenderQuestion, signal: AbortSignal): Promise<Rendered | null> {
        const { program, time, scale, more } = question
        if (isFeedback(program)) return this.frame(question, signal)
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
            return { ...answer, code: 1, messages: refused(error, "fragment") }
        } finally {
            signal.removeEventListener("abort", stop)
        }
    }

    // Of a program with buffers, which only the page draws.
    private async frame(question: RenderQuestion, signal: AbortSignal): Promise<Rendered> {
        const passes = stagesOf(question.program)
        const ready = await Promise.all(passes.map(({ program }) => this.program(program, signal)))
        const answer: Rendered = {
            code: ready.find(({ code }) => code !== 0)?.code ?? 0, frames: [], elapsed: 0, interface: ready.at(-1)!.interface,
            messages: ready.flatMap(({ messages }, k) => messages.map(message => ({ ...message, pass: passes[k]!.pass }))),
            passes: Object.fromEntries(ready.map((one, k) => [passes[k]!.pass, { interface: one.interface }])),
        }
        if (ready.some(({ machine }) => !machine)) return answer
        const scenes = await Promise.all(passes.map(({ program }) => this.scene(program, question.scale)))
        if (scenes.includes(null))
            return { ...answer, code: 1, messages: refused(new Refusal(["A texture is a PNG of a kind that the page does not read."]), "fragment") }
        const stages = passes.map((one, k) => ({ ...one, machine: ready[k]!.machine!, scene: scenes[k]! }))
        return this.feedback.inTurn(async () => {
            const stop = () => this.pool.stop(signal.reason)
            signal.addEventListener("abort", stop)
            try {
                return await this.feedback.draw(this.pool, stages, question, answer)
            } finally { signal.removeEventListener("abort", stop) }
        })
    }

    // null: the service has to look.
    async inspect(question: RenderQuestion, target: Target, signal: AbortSignal): Promise<Inspected | null> {
        if (!isFeedback(question.program)) return this.look(question, target, signal)
        const pass = question.pass ?? "fragment"
        const inputs = this.feedback.history.inputs[pass]
        if (!inputs) return { code: 1, messages: refused(new Refusal(["There is no picture of this pass yet."]), pass), inspect: null }
        return this.feedback.inTurn(async () => {
            const found = await this.look({ ...question, program: passOf(question.program, pass), time: inputs.values.time,
                more: inputs.values.uniforms as Record<string, number[]> }, target, signal, { slot: slotOf(pass), pictures: inputs.pictures })
            if (found?.inspect && "x" in target) found.inspect.passes = this.feedback.history.changes(target.x, target.y)
            return found
        })
    }

    private async look({ program, time, more }: RenderQuestion, target: Target, signal: AbortSignal, given: With = {}): Promise<Inspected | null> {
        const [ready, { explain }] = await Promise.all([this.program(program, signal),
            this.explained.get(JSON.stringify(programRequest(program)), () => compile(program, signal))])
        const scene = ready.machine && explain ? await this.scene(program, 1) : null
        const name = "index" in target ? target.stage : "fragment"
        const stage = explain?.stages.find(one => one.stage === name)
        if (!scene || !stage) return null
        const [x, y] = "index" in target ? [target.index, 0] : [target.x, target.y]
        try {
            const raw = await this.pool.inspect(ready.machine!, scene, { time, uniforms: { ...program.uniforms, ...more } },
                { stage: STAGES.indexOf(name), x, y }, given)
            return { code: 0, messages: [], inspect: inspectionOf(raw, stage, target) }
        } catch (error) {
            if (!(error instanceof Refusal)) throw error
            return { code: 1, messages: refused(error, "fragment"), inspect: null }
        }
    }
}

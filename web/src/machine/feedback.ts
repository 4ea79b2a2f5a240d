// A frame of a program with buffers: A to D one after the other, then the image. Who reads a buffer that this frame has
// drawn sees it; the buffer itself and those before it see what the frame before left.
import type { Rendered, RenderQuestion } from "../api.ts"
import { passNames, passOf, type PassName } from "../passes.ts"
import { sourceOf } from "../paste/source.ts"
import type { Program } from "../program.ts"
import type { Message } from "../types.ts"
import { History, type Inputs, type Pictures } from "./history.ts"
import { countersOf, type MachineProgram, type Scene } from "./instance.ts"
import { Refusal, type Pool, type Result } from "./pool.ts"

export interface Stage { pass: PassName; program: Program; machine: MachineProgram; scene: Scene }

// Instances of the machine: the image's is that of a program without buffers.
export const slotOf = (pass: PassName): number => ["fragment", "A", "B", "C", "D"].indexOf(pass)

export const refused = (error: Refusal, pass: PassName): Message[] => error.messages.map(text => ({
    stage: null, line: 0, column: 0, severity: text.startsWith("warning: ") ? "warning" : "error",
    text: `${pass === "fragment" ? "" : `Buffer ${pass}: `}${text.replace(/^(error|warning): /, "")}`, pass }))

const MOST_MISSING = 120 // frames
const WARM = 48 // frames before a small picture of the gallery

// What the machine has to be told of a pass beside its program.
function inputsOf({ program, scene }: Stage, drawn: Pictures, before: Pictures, question: RenderQuestion, step: number): Inputs {
    const [width, height] = scene.size.split("x").map(Number) as [number, number]
    const empty = () => ({ width, height, rgba: new Uint8Array(4 * width * height) })
    const pictures: Inputs["pictures"] = {}
    for (const [name, { buffer, filter, wrap }] of Object.entries(program.textures))
        if (buffer) pictures[name] = { picture: drawn[buffer] ?? before[buffer] ?? empty(), filter: filter ?? "linear", wrap: wrap ?? "clamp" }
    const sizes = [0, 1, 2, 3].flatMap(k => {
        const picture = pictures[`iChannel${k}`]?.picture ?? scene.textures[`iChannel${k}`]?.picture
        return picture ? [picture.width, picture.height, 1] : [64, 64, 1] // as the procedural ones are
    })
    const { words } = sourceOf(program.fragment, "fragment")
    const known: Record<string, number[]> = { iFrame: [question.frame ?? 0], iTimeDelta: [step], iFrameRate: [1 / step], iChannelResolution: sizes }
    return { pictures, values: { time: question.time, uniforms: {
        ...program.uniforms, ...Object.fromEntries(Object.entries(known).filter(([name]) => words.has(name))), ...question.more } } }
}

async function frame(pool: Pool, stages: Stage[], history: History, question: RenderQuestion): Promise<{ pass: PassName; result: Result }[]> {
    const { size } = stages[0]!.scene
    const at = question.frame ?? 0
    const { pictures: before, step } = history.begin(at, question.time, size)
    const drawn: Pictures = {}, results: { pass: PassName; result: Result }[] = [], inputs: History["inputs"] = {}
    for (const stage of stages) {
        const given = inputs[stage.pass] = inputsOf(stage, drawn, before, question, step)
        try {
            const result = await pool.draw(stage.machine, stage.scene, given.values, { slot: slotOf(stage.pass), pictures: given.pictures, alpha: stage.pass !== "fragment" })
            results.push({ pass: stage.pass, result })
            const { width, height, data } = result.image
            drawn[stage.pass] = { width, height, rgba: new Uint8Array(data.buffer) }
        } catch (error) {
            throw error instanceof Refusal ? Object.assign(error, { pass: stage.pass }) : error
        }
    }
    history.end(at, question.time, size, drawn, inputs)
    return results
}

export class Feedback {
    readonly history = new History()
    private turn: Promise<unknown> = Promise.resolve()

    // A frame depends on the one before: they are drawn in the order in which they are asked for.
    inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
        const mine = this.turn.then(work, work)
        this.turn = mine.catch(() => undefined)
        return mine
    }

    // What `answer` lacks: the picture, and what is known of each pass. A question without a frame is the gallery's: it is
    // shown what some frames make of it, and changes nothing here.
    async draw(pool: Pool, stages: Stage[], question: RenderQuestion, answer: Rendered): Promise<Rendered> {
        try {
            let results: { pass: PassName; result: Result }[] = []
            if (question.frame !== undefined) {
                // Frames that nobody waited for count, too.
                const last = question.frame
                for (let k = Math.max(this.history.missing(last, stages[0]!.scene.size), last - MOST_MISSING); k <= last; k++)
                    results = await frame(pool, stages, this.history, { ...question, frame: k, time: question.time - (last - k) / 60 })
            } else {
                const other = new History()
                for (let k = 0; k < WARM; k++) results = await frame(pool, stages, other, { ...question, frame: k, time: question.time + k / 60 })
            }
            const passes: Rendered["passes"] = {}
            for (const { pass, result } of results) {
                const reflected = answer.passes?.[pass]?.interface ?? null
                passes[pass] = { counters: countersOf(result.counters), interface: reflected && { ...reflected,
                    uniforms: reflected.uniforms.map((variable, k) => ({ ...variable, value: result.uniforms[k] ?? [] })) } }
            }
            const image = results.at(-1)!.result
            return { ...answer, passes, interface: passes.fragment!.interface, elapsed: results.reduce((sum, { result }) => sum + result.milliseconds, 0),
                frames: [{ time: question.time, picture: image.image, counters: countersOf(image.counters) }] }
        } catch (error) {
            if (!(error instanceof Refusal)) throw error
            return { ...answer, code: 1, messages: refused(error, (error as Refusal & { pass?: PassName }).pass ?? "fragment") }
        }
    }
}

export const isFeedback = (program: Program): boolean => program.buffers.length > 0
export const stagesOf = (program: Program): { pass: PassName; program: Program }[] =>
    passNames(program).map(pass => ({ pass, program: passOf(program, pass) }))

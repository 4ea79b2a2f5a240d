// The service, as docs/api/openapi.json describes it.
import type { Message } from "./types.ts"
import type { Explain } from "./explain.ts"
import { placedIn } from "./lines.ts"
import type { PassName } from "./passes.ts"
import { compileRequest, scene, type Program } from "./program.ts"

interface OutputLine {
    text: string
    tag?: { line: number; column: number; text: string; severity: 1 | 2 | 3; file?: string; code?: string }
}

export interface Variable {
    name: string
    base: "float" | "int" | "uint" | "bool" | "sampler2D" | "samplerCube" | "sampler1D" | "sampler1DShadow" | "sampler2DShadow"
    | "samplerCubeShadow" | "sampler2DRect" | "sampler2DRectShadow" | "samplerExternalOES"
    rows: number
    columns: number
    array: number
    used: boolean
    value?: number[]
}

export interface Interface { uniforms: Variable[]; samplers: Variable[]; attributes: Variable[]; varyings: Variable[] }

export interface Counters {
    instructions: number
    cycles: number
    batches: number
    pixels: number
    stalls?: Record<string, number>
    tmu_requests?: number
    sfu?: number
    uniforms?: number
    varyings?: number
    tlb_writes?: number
    primitives?: number
    stages: Record<string, { instructions: number; cycles: number; batches: number }>
    milliseconds: number
}

export interface Compiled { code: number; messages: Message[]; explain: Explain | null; timedOut: boolean }
export interface Frame { time: number; picture: ImageBitmap | ImageData; counters: Counters }
export interface Rendered {
    code: number
    messages: Message[]
    frames: Frame[]
    interface: Interface | null
    elapsed: number
    passes?: Partial<Record<PassName, { interface: Interface | null; counters?: Counters }>> // of a program with buffers
}

export interface Documentation { name: string; kind: string; tooltip: string; html: string; url: string }

// The service said no: a sentence for people, a word for programs.
export class ApiError extends Error {
    constructor(message: string, readonly reason: string, readonly status: number) { super(message) }
}

async function ask<T>(path: string, body?: object, signal?: AbortSignal): Promise<T> {
    let response: Response
    try {
        response = await fetch(path, {
            method: body ? "POST" : "GET",
            headers: { Accept: "application/json", ...(body ? { "Content-Type": "application/json" } : {}) },
            ...(body ? { body: JSON.stringify(body) } : {}),
            ...(signal ? { signal } : {}),
        })
    } catch {
        throw new ApiError("The service does not answer.", "network", 0)
    }
    const answer = await response.json().catch(() => null) as (T & { error?: string; reason?: string }) | null
    if (!response.ok || answer === null)
        throw new ApiError(answer?.error ?? `The service answered ${response.status}.`, answer?.reason ?? "", response.status)
    return answer
}

const severities = { 1: "note", 2: "warning", 3: "error" } as const

// One message for each tagged line. What has no tag is of the whole program; it counts if nothing else was said.
export function messagesOf(lines: OutputLine[] | undefined, code: number): Message[] {
    const tagged = (lines ?? []).flatMap(({ tag }): Message[] => tag ? [{
        stage: /\.vert$/.test(tag.file ?? "") ? "vertex" : /\.frag$/.test(tag.file ?? "") ? "fragment" : null,
        line: tag.line, column: tag.column, severity: severities[tag.severity] ?? "error", text: tag.text,
    }] : [])
    if (tagged.length || code === 0) return tagged
    const text = (lines ?? []).map(line => line.text).join("\n").trim()
    return [{ stage: null, line: 0, column: 0, severity: "error", text: text || "There is no code, and no reason given." }]
}

export async function compile(program: Program, signal: AbortSignal): Promise<Compiled> {
    const answer = await ask<{ code: number; stderr: OutputLine[]; timedOut: boolean; qpucc?: Explain | null }>(
        "/api/compiler/qpucc/compile", compileRequest(program), signal)
    return placedIn(program, { code: answer.code, messages: messagesOf(answer.stderr, answer.code), timedOut: answer.timedOut,
        explain: answer.code === 0 ? answer.qpucc ?? null : null })
}

const bytes = (base64: string) => Uint8Array.from(atob(base64), c => c.charCodeAt(0))

export interface RenderQuestion {
    program: Program
    time: number
    scale: number
    more: Record<string, number[]>
    frame?: number // of a program with buffers, from 0
    pass?: PassName // of it, for what is inspected
    frames?: { count: number; step: number }
}

export async function render(question: RenderQuestion, signal: AbortSignal): Promise<Rendered> {
    const begun = performance.now()
    const answer = await ask<{
        code: number; timedOut: boolean; stderr: OutputLine[]; interface?: Interface
        frames: { time: number; data: string; counters: Counters }[]
    }>("/api/render", {
        ...scene(question.program, question.time, question.scale, question.more), format: "png",
        ...(question.frames ? { frames: question.frames } : {}),
    }, signal)
    const frames = await Promise.all(answer.frames.map(async ({ time, data, counters }) =>
        ({ time, counters, picture: await createImageBitmap(new Blob([bytes(data)], { type: "image/png" })) })))
    return placedIn(question.program, { code: answer.code, messages: messagesOf(answer.stderr, answer.code), frames,
        interface: answer.interface ?? null, elapsed: performance.now() - begun })
}

// A program for the machine in the page.
export function programOf(request: object, signal: AbortSignal):
    Promise<{ code: number; stderr: OutputLine[]; interface?: Interface; program?: string; values?: string }> {
    return ask("/api/render", request, signal)
}

export type Colour = [number, number, number, number]
export interface PassChange { pass: PassName; before: Colour | null; after: Colour } // null: this is the first frame
// What a run did to its pixel; of pixels alone.
export interface RunFate {
    draw?: number
    fate?: "seen" | "drawn over" | "discarded" | "depth" | "helper" | "unknown" | "culled"
    before?: Colour
    after?: Colour
    depth?: [before: number, own: number]
}

// docs/schemas/qpucc-inspect-1.json
export interface Write {
    target: string
    written: boolean // false: the lane's condition did not hold, the value is what stays
    bits: string
    float: number | null
    int: number
    bytes: [number, number, number, number]
    name?: string
}
export interface Step {
    instruction: number
    cycle: number
    text: string
    file: string | null
    line: number
    column: number
    writes: Write[]
}
export interface Inspection {
    stage: string
    x?: number // of a pixel
    y?: number
    color?: [number, number, number, number]
    vertex?: number // of a vertex
    truncated: boolean
    failed: boolean
    runs: (RunFate & { lane: number; covered: boolean; steps: Step[] })[] // one for each primitive at the pixel
    passes?: PassChange[] // of a program with buffers: what the frame made of the pixel
}
export type Target = { x: number; y: number } | { index: number; stage: "vertex" | "coordinate" }
export interface Inspected { code: number; messages: Message[]; inspect: Inspection | null }

export async function inspect(question: RenderQuestion, target: Target, signal: AbortSignal): Promise<Inspected> {
    const answer = await ask<{ code: number; stderr: OutputLine[]; inspect?: Inspection }>("/api/inspect",
        { ...scene(question.program, question.time, question.scale, question.more), ...target }, signal)
    return placedIn(question.program, { code: answer.code, messages: messagesOf(answer.stderr, answer.code), inspect: answer.inspect ?? null })
}

export interface Pass { stage: string; pass: string; text: string }

export async function passes(program: Program, signal: AbortSignal):
    Promise<{ code: number; passes: Pass[]; complete: boolean }> {
    return ask("/api/passes", compileRequest(program), signal)
}

let documentation: Promise<Record<string, Documentation>> | null = null
export function documents(): Promise<Record<string, Documentation>> {
    documentation ??= ask<Record<string, Documentation>>("/api/asm/qpu").catch(error => {
        documentation = null
        throw error
    })
    return documentation
}

export interface Option { name: string; description: string }
let optionList: Promise<Option[]> | null = null
export function options(): Promise<Option[]> {
    optionList ??= ask<Record<string, { description: string }>>("/api/popularArguments/qpucc")
        .then(found => Object.entries(found).map(([name, { description }]) => ({ name, description })))
    optionList.catch(() => { optionList = null })
    return optionList
}

export const shorten = (program: Program): Promise<{ url: string; id: string }> => ask("/api/shortener", program)
export const kept = (id: string): Promise<unknown> => ask(`/api/shortlinkinfo/${encodeURIComponent(id)}`)

// What machine.mjs runs in the browser.
import type { Interface, Target } from "../src/api.ts"
import type { Explain } from "../src/explain.ts"
import { EXAMPLES } from "../src/examples.ts"
import { countersOf, Instance, STAGES, TILE, type MachineProgram, type Scene } from "../src/machine/instance.ts"
import { Pool } from "../src/machine/pool.ts"
import { inspectionOf } from "../src/machine/steps.ts"
import { decodePng } from "../src/png.ts"
import { compileRequest, scene as sceneOf } from "../src/program.ts"

type Asked = Omit<Scene, "textures"> & { textures: Record<string, { file?: string; filter?: string; wrap?: string }> }
interface Made { program: string; values: string; interface: Interface }

export const examples = () => EXAMPLES.map(example =>
    ({ title: example.title, scene: sceneOf(example, 1.25), compile: compileRequest(example) }))

const bytes = (base64: string) => Uint8Array.from(atob(base64), c => c.charCodeAt(0))
const module = WebAssembly.compileStreaming(fetch(performance.getEntriesByType("resource").find(entry => entry.name.endsWith(".wasm"))!.name))

async function instance(asked: Asked, made: Made): Promise<Instance> {
    const program: MachineProgram = { container: bytes(made.program), values: bytes(made.values) }
    const textures: Scene["textures"] = {}
    for (const [name, { file, ...how }] of Object.entries(asked.textures)) {
        const data = new Uint8Array(await (await fetch(`/${file}.png`)).arrayBuffer())
        textures[name] = { ...how, picture: (await decodePng(data))! }
    }
    const machine = await Instance.create(await module)
    machine.program(program)
    machine.scene({ ...asked, textures }, program)
    machine.values(asked)
    return machine
}

async function hash(data: Uint8Array): Promise<string> {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data as BufferSource))
    return [...digest].map(byte => byte.toString(16).padStart(2, "0")).join("")
}

// The picture in one share and in three, put together, the top row first.
export async function draw(asked: Asked, made: Made): Promise<object[]> {
    const result = []
    for (const shares of [1, 3]) {
        let rgba = new Uint8Array(), counters: number[] = [], width = 0, height = 0, uniforms: number[][] = []
        for (let share = 0; share < shares; share++) {
            const machine = await instance(asked, made)
            const picture = machine.draw(share, shares)
            ;({ width, height } = picture)
            if (!share) rgba = picture.rgba.slice()
            counters = picture.counters.map((count, k) => count + (counters[k] ?? 0))
            for (const tile of picture.tiles) {
                const x = tile % Math.ceil(width / TILE) * TILE, y = Math.floor(tile / Math.ceil(width / TILE)) * TILE
                for (let row = y; row < Math.min(y + TILE, height); row++) {
                    const from = (row * width + x) * 4, to = (row * width + Math.min(x + TILE, width)) * 4
                    rgba.set(picture.rgba.subarray(from, to), from)
                }
            }
            uniforms = machine.uniforms()
        }
        const top = new Uint8Array(rgba.length)
        for (let y = 0; y < height; y++) top.set(rgba.subarray(y * width * 4, (y + 1) * width * 4), (height - 1 - y) * width * 4)
        result.push({ shares, hash: await hash(top), counters: countersOf(counters), uniforms })
    }
    return result
}

// What the page's workers say of a scene that cannot be drawn, asked twice.
export async function refusals(asked: Asked, made: Made): Promise<string[]> {
    const script = performance.getEntriesByType("resource").find(entry => /worker-[^/]*\.js$/.test(entry.name))!.name
    const pool = new Pool(await module, script, 2)
    const program = { container: bytes(made.program), values: bytes(made.values) }, scene = { ...asked, textures: {} }, said = []
    for (let k = 0; k < 2; k++) said.push(await pool.draw(program, scene, asked).then(() => "drawn", error => String(error)))
    pool.stop(null)
    return said
}

export async function inspect(asked: Asked, made: Made, explain: Explain, target: Target): Promise<object> {
    const machine = await instance(asked, made)
    const name = "index" in target ? target.stage : "fragment"
    const [x, y] = "index" in target ? [target.index, 0] : [target.x, target.y]
    const stage = explain.stages.find(one => one.stage === name)!
    return inspectionOf(machine.inspect(STAGES.indexOf(name), x, y), stage, target)
}

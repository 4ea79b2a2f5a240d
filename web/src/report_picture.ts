// The picture and the steps of the report, from the machine in it. One instance, without workers: a file has none.
import type { Counters, Target, Variable } from "./api.ts"
import { byId, h, select } from "./dom.ts"
import type { Explain } from "./explain.ts"
import { wordsOf } from "./formulas.ts"
import { countersOf, Instance, STAGES, type MachineProgram, type Picture as Drawn, type Scene } from "./machine/instance.ts"
import { inspectionOf } from "./machine/steps.ts"
import { drawingOf, empty, isFlat, type Mesh, type Program, type Raster } from "./program.ts"
import { Picture } from "./view/picture.ts"
import { PixelView } from "./view/pixel.ts"
import { Uniforms } from "./view/uniforms.ts"

export interface MachineData { program: string; values: string; points: boolean; depth_test: boolean }

interface Events {
    line(file: string | null, line: number, go: boolean): void
    source(file: string | null, line: number): string
    choose(tab: string): void
    count(counters: Counters): void
}

const bytes = (base64: string) => Uint8Array.from(atob(base64), c => c.charCodeAt(0))

export async function decoded(packed: string): Promise<ArrayBuffer> {
    return new Response(new Blob([bytes(packed)]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer()
}

// The top row first, and no alpha: a page shows none.
function imageOf({ width, height, rgba }: Drawn): ImageData {
    const image = new ImageData(width, height)
    for (let y = 0; y < height; y++) image.data.set(rgba.subarray(y * width * 4, (y + 1) * width * 4), (height - 1 - y) * width * 4)
    for (let k = 3; k < image.data.length; k += 4) image.data[k] = 255
    return image
}

export class ReportPicture {
    private machine: Instance | null = null
    private readonly program: MachineProgram
    private mesh: string
    private time = 1
    private playing = false
    private at: Target | null = null
    private readonly set: Record<string, number[]> = {}
    private readonly shape: Program = { ...empty, width: 400, height: 300 }
    private readonly picture: Picture
    private readonly steps: PixelView
    private readonly uniforms: Uniforms
    private readonly clock = h("span", { class: "clock", "aria-label": "Time" })
    private readonly play = h("button", { id: "play", onclick: () => this.toggle() }, "Play")

    constructor(private readonly explain: Explain, private readonly data: MachineData, module: Promise<WebAssembly.Module>,
                private readonly events: Events) {
        this.program = { container: bytes(data.program), values: bytes(data.values) }
        // What has matrices is likely no picture of a plane.
        this.mesh = data.points ? "points" : explain.uniforms.some(one => one.used && one.columns > 1) ? "sphere" : "quad"
        const frame = h("div", { class: "frame" }), fields = h("div", { class: "fields" })
        const meshes = data.points ? ["points"] : ["quad", "cube", "sphere", "torus"]
        byId("panel-picture").append(h("div", { class: "picture-report" },
            h("div", {}, frame, h("div", { class: "transport" }, this.play, this.clock,
                select("Mesh", meshes.map(name => [name, name]), this.mesh, name => {
                    this.mesh = name
                    this.scene()
                }), h("span", { class: "hint" }, "Click a pixel to inspect it"))), fields))
        this.picture = new Picture(frame, () => this.shape, {
            picked: (x, y) => {
                this.look({ x, y })
                events.choose("pixel")
            },
            pointed: () => undefined,
        })
        this.steps = new PixelView(byId("panel-pixel"), {
            vertex: (index, stage) => this.look({ index, stage }),
            line: events.line, source: events.source, drawing: () => drawingOf({ ...empty, raster: this.raster }),
            words: (stage, step) => wordsOf(this.explain, stage, step),
        })
        this.uniforms = new Uniforms((name, values) => {
            if (values) this.set[name] = values
            else delete this.set[name]
            this.draw()
        })
        this.uniforms.attach(fields)
        void this.start(module)
    }

    private async start(module: Promise<WebAssembly.Module>): Promise<void> {
        try {
            this.machine = await Instance.create(await module)
            this.machine.program(this.program)
            this.scene()
        } catch (error) {
            this.picture.say(`There is no picture: ${error instanceof Error ? error.message : String(error)}`)
        }
    }

    // Without a depth test at least what looks away is not drawn.
    private get raster(): Raster {
        return { ...empty.raster, depth_test: this.data.depth_test,
            cull: isFlat(this.mesh as Mesh) || this.data.points || this.data.depth_test ? "none" : "back" }
    }

    private scene(): void {
        const scene: Scene = { mesh: this.mesh, size: "400x300", time: this.time, uniforms: {}, textures: {}, clear: empty.clear,
            raster: this.raster }
        try {
            this.machine?.scene(scene, this.program)
        } catch (error) { this.picture.say(String(error)) }
        this.draw()
    }

    private draw(): void {
        if (!this.machine) return
        try {
            this.machine.values({ time: this.time, uniforms: this.set })
            const drawn = this.machine.draw(0, 1)
            this.picture.draw(imageOf(drawn))
            this.picture.say(null)
            this.events.count(countersOf(drawn.counters))
            const values = this.machine.uniforms()
            this.uniforms.show(this.explain.uniforms.map((variable, k) => ({ ...variable, value: values[k] ?? [] } as Variable)), this.set, new Map())
        } catch (error) {
            this.playing = false
            this.picture.say(error instanceof Error ? error.message : String(error))
        }
        this.clock.textContent = `${this.time.toFixed(2)} s`
        this.play.textContent = this.playing ? "Pause" : "Play"
    }

    private toggle(): void {
        this.playing = !this.playing
        let before = performance.now()
        const tick = (now: number) => {
            if (!this.playing) return
            this.time += Math.min((now - before) / 1000, 0.1)
            before = now
            this.draw()
            requestAnimationFrame(tick)
        }
        if (this.playing) requestAnimationFrame(tick)
        this.draw()
        if (!this.playing && this.at) this.look(this.at)
    }

    private look(at: Target): void {
        this.at = at
        if (this.playing) this.toggle()
        const name = "index" in at ? at.stage : "fragment"
        const stage = this.explain.stages.find(one => one.stage === name)
        if (!this.machine || !stage) return
        try {
            const [x, y] = "index" in at ? [at.index, 0] : [at.x, at.y]
            this.machine.values({ time: this.time, uniforms: this.set })
            this.steps.show({ code: 0, messages: [], inspect: inspectionOf(this.machine.inspect(STAGES.indexOf(name), x, y), stage, at) }, at)
        } catch (error) { this.steps.say(error instanceof Error ? error.message : String(error)) }
    }
}

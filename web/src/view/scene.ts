// The controls of what the shaders draw on and with: textures, mesh and size, GL state.
import type { Variable } from "../api.ts"
import { h, select } from "../dom.ts"
import { texturesOf, type Letter, type PassName } from "../passes.ts"
import { isFlat, type Mesh, type Program, type Raster, type Texture } from "../program.ts"

const base64 = (bytes: Uint8Array): string => {
    let text = ""
    for (let k = 0; k < bytes.length; k += 0x8000) text += String.fromCharCode(...bytes.subarray(k, k + 0x8000))
    return btoa(text)
}

// Any picture that the browser reads, as a PNG of at most 512 pixels a side.
async function pictureFile(file: File): Promise<string> {
    const picture = await createImageBitmap(file)
    const scale = Math.min(1, 512 / Math.max(picture.width, picture.height))
    const canvas = new OffscreenCanvas(Math.max(1, Math.round(picture.width * scale)),
        Math.max(1, Math.round(picture.height * scale)))
    canvas.getContext("2d")!.drawImage(picture, 0, 0, canvas.width, canvas.height)
    const blob = await canvas.convertToBlob({ type: "image/png" })
    return base64(new Uint8Array(await blob.arrayBuffer()))
}

function field(label: string, ...children: (Node | string)[]): HTMLElement {
    return h("div", { class: "field" }, h("span", { class: "label" }, label), h("div", { class: "values" }, children))
}

function upload(label: string, accept: string, take: (file: File) => void): HTMLElement {
    const input = h("input", { type: "file", accept, "aria-label": label,
        onchange: () => { if (input.files?.[0]) take(input.files[0]) } })
    return h("span", { class: "file" }, "Upload…", input)
}

export type Edit = (edit: (program: Program) => void) => void

export function textures(element: HTMLElement, program: Program, pass: PassName, samplers: Variable[], edit: Edit,
                         complain: (text: string) => void): void {
    const used = samplers.filter(sampler => sampler.used)
    if (!used.length) {
        element.replaceChildren(h("p", { class: "empty" }, "This program reads no textures."))
        return
    }
    element.replaceChildren(...used.flatMap(sampler =>
        Array.from({ length: sampler.array }, (_, k) => {
            const name = sampler.array > 1 ? `${sampler.name}[${k}]` : sampler.name
            const texture: Texture = texturesOf(program, pass)[name] ?? {}
            const change = (more: Partial<Texture>) => edit(p => {
                const all = texturesOf(p, pass), old = all[name]
                all[name] = { ...(old?.data || old?.file || old?.buffer ? old : { file: "balloons" as const }), ...more }
            })
            const kind = texture.buffer ? `buffer ${texture.buffer}` : texture.data ? "upload" : texture.file ?? ""
            return h("div", { class: "field", role: "group", "aria-label": name },
                h("span", { class: "name" }, name),
                h("div", { class: "values" },
                    select(`${name} picture`, [["", "procedural"], ["balloons", "balloons"], ["crate", "crate"],
                        ...program.buffers.map(({ name }): [string, string] => [`buffer ${name}`, `Buffer ${name}`]),
                        ...(texture.data ? [["upload", texture.name ?? "upload"] as [string, string]] : [])], kind,
                        value => edit(p => {
                            const all = texturesOf(p, pass)
                            if (value === "") delete all[name]
                            else if (value !== "upload") {
                                const { filter, wrap } = all[name] ?? {}
                                const buffer = /^buffer (\w)$/.exec(value)?.[1] as Letter | undefined
                                all[name] = { ...(filter && { filter }), ...(wrap && { wrap }), ...(buffer ? { buffer } : { file: value as "balloons" | "crate" }) }
                            }
                        })),
                    upload(`${name} upload`, "image/*", async file => {
                        try {
                            const data = await pictureFile(file)
                            edit(p => {
                                const { filter, wrap } = texturesOf(p, pass)[name] ?? {}
                                texturesOf(p, pass)[name] = { ...(filter && { filter }), ...(wrap && { wrap }), data, name: file.name }
                            })
                        } catch { complain(`${file.name} is no picture that this browser reads.`) }
                    }),
                    select(`${name} filter`, [["", "filter: default"], ["nearest", "nearest"], ["linear", "linear"], ["mipmap", "mipmap"]],
                        texture.filter ?? "", value => change({ filter: (value || undefined) as Texture["filter"] })),
                    select(`${name} wrap`, [["", "wrap: default"], ["repeat", "repeat"], ["clamp", "clamp"], ["mirror", "mirror"]],
                        texture.wrap ?? "", value => change({ wrap: (value || undefined) as Texture["wrap"] }))))
        })))
}

const MESHES: [string, string][] =
    [["quad", "Quad"], ["cube", "Cube"], ["sphere", "Sphere"], ["torus", "Torus"], ["points", "Points"]]
const SIZES = ["160x120", "320x240", "400x300", "480x270", "640x480", "256x256", "512x512"]

function setMesh(program: Program, mesh: Mesh): void {
    program.mesh = mesh
    program.raster = { ...program.raster, depth_test: !isFlat(mesh) }
}

export function mesh(element: HTMLElement, program: Program, edit: Edit, complain: (text: string) => void): void {
    const custom = typeof program.mesh !== "string"
    const size = `${program.width}x${program.height}`
    const colour = "#" + program.clear.slice(0, 3).map(value => value.toString(16).padStart(2, "0")).join("")
    const clear = h("input", { type: "color", value: colour, "aria-label": "Clear colour", onchange: () => edit(p => {
        p.clear = [1, 3, 5].map(k => parseInt(clear.value.slice(k, k + 2), 16)).concat(255) as Program["clear"]
    }) })
    element.replaceChildren(
        field("Mesh",
            select("Mesh", [...MESHES, ...(custom ? [["", (program.mesh as { name?: string }).name ?? "upload"] as [string, string]] : [])],
                custom ? "" : program.mesh as string, value => { if (value) edit(p => setMesh(p, value as Mesh)) }),
            upload("Mesh upload", ".obj", async file => {
                if (file.size > 1_000_000) complain(`${file.name} is larger than 1 MB.`)
                else {
                    const obj = await file.text()
                    edit(p => setMesh(p, { obj, name: file.name }))
                }
            })),
        field("Size", select("Size", [...new Set([size, ...SIZES])].sort((a, b) => parseInt(a) - parseInt(b))
            .map(text => [text, text.replace("x", " × ")]), size,
            value => edit(p => { [p.width, p.height] = value.split("x").map(Number) as [number, number] }))),
        field("Clear", clear))
}

// Blending by what people call it; the members are those of struct qpucc_blend_state.
const BLENDS: Record<string, [string, object | null]> = {
    off: ["Off", null],
    alpha: ["Alpha", { rgb_source: "src_alpha", rgb_target: "one_minus_src_alpha", alpha_source: "one", alpha_target: "one_minus_src_alpha" }],
    premultiplied: ["Premultiplied", { rgb_source: "one", rgb_target: "one_minus_src_alpha", alpha_source: "one", alpha_target: "one_minus_src_alpha" }],
    add: ["Additive", { rgb_source: "one", rgb_target: "one", alpha_source: "one", alpha_target: "one" }],
    multiply: ["Multiply", { rgb_source: "dst_color", rgb_target: "zero", alpha_source: "dst_alpha", alpha_target: "zero" }],
    screen: ["Screen", { rgb_equation: "screen", alpha_equation: "screen" }],
    overlay: ["Overlay", { rgb_equation: "overlay", alpha_equation: "overlay" }],
    difference: ["Difference", { rgb_equation: "difference", alpha_equation: "difference" }],
    min: ["Minimum", { rgb_equation: "min", alpha_equation: "min", rgb_source: "one", rgb_target: "one", alpha_source: "one", alpha_target: "one" }],
    max: ["Maximum", { rgb_equation: "max", alpha_equation: "max", rgb_source: "one", rgb_target: "one", alpha_source: "one", alpha_target: "one" }],
}

const FUNCTIONS: [string, string][] = ["never", "less", "equal", "lequal", "greater", "notequal", "gequal", "always"]
    .map(name => [name, name])

export function glState(element: HTMLElement, program: Program, edit: Edit): void {
    const { state, raster } = program
    const sorted = (value: object | null) => value && JSON.stringify(Object.entries(value).sort())
    const { enable: _enable, ...blend } = (state.blend ?? {}) as Record<string, unknown>
    const current = !state.blend ? "off"
        : Object.keys(BLENDS).find(name => sorted(BLENDS[name]![1]) === sorted(blend)) ?? "alpha"
    const key = (name: string, value: unknown) => edit(p => {
        if (value === undefined) delete p.state[name]
        else p.state[name] = value
    })
    const fix = (more: Partial<Raster>) => edit(p => { p.raster = { ...p.raster, ...more } })
    const check = (label: string, on: boolean, change: (on: boolean) => void) => {
        const box = h("input", { type: "checkbox", checked: on, "aria-label": label, onchange: () => change(box.checked) })
        return box
    }
    const alpha = String(state.alpha_func ?? "always")
    const keep = Number(state.keep_channels ?? 0)
    element.replaceChildren(
        field("Blend", select("Blend", Object.entries(BLENDS).map(([name, [text]]) => [name, text]), current,
            value => key("blend", value === "off" ? undefined : { enable: true, ...BLENDS[value]![1] }))),
        field("Depth test", check("Depth test", raster.depth_test, on => fix({ depth_test: on })),
            select("Depth function", FUNCTIONS, raster.depth_func, value => fix({ depth_func: value }))),
        field("Depth write", check("Depth write", raster.depth_write, on => fix({ depth_write: on }))),
        field("Cull", select("Cull", [["none", "none"], ["back", "back"], ["front", "front"], ["both", "both"]],
            raster.cull, value => fix({ cull: value as Raster["cull"] })),
            select("Front face", [["ccw", "front: ccw"], ["cw", "front: cw"]], raster.front,
                value => fix({ front: value as Raster["front"] }))),
        field("Alpha test", select("Alpha test", [["always", "off"], ...FUNCTIONS.filter(([name]) => name !== "always")],
            alpha, value => edit(p => {
                delete p.state.alpha_func
                delete p.state.values
                if (value !== "always") Object.assign(p.state, { alpha_func: value, values: { alpha_reference: 0.5 } })
            })), alpha === "always" ? "" : "0.5"),
        field("Target", select("Target", [["rgba8888", "RGBA 8888"], ["rgb565", "RGB 565"], ["rgba4444", "RGBA 4444"], ["rgba5551", "RGBA 5551"]],
            String(state.target ?? "rgba8888"), value => key("target", value === "rgba8888" ? undefined : value)),
            h("label", {}, check("Dither", !!state.dither, on => key("dither", on || undefined)), " dither")),
        field("Colour mask", ...["red", "green", "blue", "alpha"].map((name, k) =>
            h("label", {}, check(`Write ${name}`, !(keep & 1 << k),
                on => key("keep_channels", (on ? keep & ~(1 << k) : keep | 1 << k) || undefined)), ` ${name[0]!.toUpperCase()}`))))
}

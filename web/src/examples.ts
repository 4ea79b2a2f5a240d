// The scenes to begin with: those of examples/, and a few of the page's own.
import blur from "../../examples/blur.json"
import crt from "../../examples/crt.json"
import cube from "../../examples/cube.json"
import fence from "../../examples/fence.json"
import gradient from "../../examples/gradient.json"
import phong from "../../examples/phong.json"
import plasma from "../../examples/plasma.json"
import sprites from "../../examples/sprites.json"
import toon from "../../examples/toon.json"
import blurF from "../../examples/blur.frag"
import blurV from "../../examples/blur.vert"
import crtF from "../../examples/crt.frag"
import crtV from "../../examples/crt.vert"
import cubeF from "../../examples/cube.frag"
import cubeV from "../../examples/cube.vert"
import fenceF from "../../examples/fence.frag"
import fenceV from "../../examples/fence.vert"
import gradientF from "../../examples/gradient.frag"
import gradientV from "../../examples/gradient.vert"
import phongF from "../../examples/phong.frag"
import phongV from "../../examples/phong.vert"
import plasmaF from "../../examples/plasma.frag"
import plasmaV from "../../examples/plasma.vert"
import spritesF from "../../examples/sprites.frag"
import spritesV from "../../examples/sprites.vert"
import toonF from "../../examples/toon.frag"
import toonV from "../../examples/toon.vert"
import knobsF from "./examples/knobs.frag"
import lifeF from "./examples/life_image.frag"
import lifeA from "./examples/life.frag"
import ringsF from "./examples/rings.frag"
import tunnelF from "./examples/tunnel.frag"
import { empty, isFlat, plainRaster, type Mesh, type Program } from "./program.ts"

interface SceneFile {
    about: string
    mesh: string
    uniforms?: Record<string, number | number[]>
    textures?: Record<string, string>
    clear?: number[]
}

// A file of examples/, with paths, as a program with texts. What a scene says of time is where it begins.
function fromFile(title: string, file: SceneFile, vertex: string, fragment: string): Program {
    const uniforms: Record<string, number[]> = {}
    for (const [name, value] of Object.entries(file.uniforms ?? {}))
        if (!/time/i.test(name)) uniforms[name] = [value].flat()
    const time = Object.entries(file.uniforms ?? {}).find(([name]) => /time/i.test(name))?.[1]
    const mesh = file.mesh.replace(/\.obj$/, "") as Mesh
    return {
        ...structuredClone(empty), title, vertex, fragment, uniforms, mesh,
        raster: { ...plainRaster, depth_test: !isFlat(mesh) },
        time: typeof time === "number" ? time : 1,
        ...(file.clear ? { clear: file.clear as Program["clear"] } : {}),
        textures: Object.fromEntries(Object.entries(file.textures ?? {}).map(([name, path]) =>
            [name, { file: path.replace(/^.*\/|\.png$/g, "") as "balloons" | "crate" }])),
    }
}

const own = (title: string, fragment: string, more: Partial<Program> = {}): Program =>
    ({ ...structuredClone(empty), title, fragment, ...more })

export const EXAMPLES: Program[] = [
    fromFile("Plasma", plasma, plasmaV, plasmaF),
    fromFile("Gradient", gradient, gradientV, gradientF),
    own("Knobs", knobsF, { vertex: plasmaV }),
    fromFile("Cube", cube, cubeV, cubeF),
    fromFile("Phong", phong, phongV, phongF),
    fromFile("Toon", toon, toonV, toonF),
    fromFile("Fence", fence, fenceV, fenceF),
    fromFile("Sprites", sprites, spritesV, spritesF),
    fromFile("Blur", blur, blurV, blurF),
    fromFile("Old tube", crt, crtV, crtF),
    own("Rings (Shadertoy)", ringsF),
    own("Tunnel (Shadertoy)", tunnelF, { textures: { iChannel0: { file: "crate", wrap: "repeat" } } }),
    own("Life (Shadertoy)", lifeF, { width: 256, height: 256, textures: { iChannel0: { buffer: "A", filter: "nearest" } },
        buffers: [{ name: "A", fragment: lifeA, textures: { iChannel0: { buffer: "A", filter: "nearest", wrap: "repeat" } } }] }),
]

// The kinds of shaders that people paste, and the names that each of them expects of its host. The service fills
// most of them in by their names (docs/qpucc.1, "Default values"); what only the page knows it adds itself (supply).
import type { Source } from "./source.ts"

export interface Name { name: string; type: string; what: string }
export interface Dialect {
    title: string
    full: boolean // it draws the whole picture, on a quad
    names: Name[]
    is(fragment: Source): boolean
}

const names = (...rows: [name: string, type: string, what: string][]): Name[] => rows.map(([name, type, what]) => ({ name, type, what }))
const has = (source: Source, type: string, name: string) => source.uniforms.some(one => one.type === type && one.name === name)

export const SHADERTOY = names(
    ["iResolution", "vec3", "size of the picture in pixels"], ["iTime", "float", "seconds since the start"],
    ["iTimeDelta", "float", "seconds since the last frame"], ["iFrame", "int", "number of the frame"],
    ["iFrameRate", "float", "frames a second"], ["iMouse", "vec4", "the pointer's pixel, and where it was pressed"],
    ["iDate", "vec4", "year, month, day, seconds of the day"], ["iSampleRate", "float", "of sound"],
    ["iChannelTime", "float[4]", "seconds, of each channel"], ["iChannelResolution", "vec3[4]", "size of each channel"],
    ["iChannel0", "sampler2D", "texture of channel 0"], ["iChannel1", "sampler2D", "texture of channel 1"],
    ["iChannel2", "sampler2D", "texture of channel 2"], ["iChannel3", "sampler2D", "texture of channel 3"])

// What three.js puts before the text of a ShaderMaterial.
export const THREE: Record<"both" | "vertex" | "attribute" | "fragment", Name[]> = {
    both: names(["viewMatrix", "mat4", "the camera's"], ["cameraPosition", "vec3", "where the camera is"],
        ["isOrthographic", "bool", "false: the camera has a perspective"]),
    vertex: names(["modelMatrix", "mat4", "the mesh's"], ["modelViewMatrix", "mat4", "both"],
        ["projectionMatrix", "mat4", "the camera's"], ["normalMatrix", "mat3", "for normals"]),
    attribute: names(["position", "vec3", "of the mesh"], ["normal", "vec3", "of the mesh"], ["uv", "vec2", "of the mesh"],
        ["color", "vec3", "of the mesh"], ["tangent", "vec4", "of the mesh"]),
    fragment: [],
}

export const DIALECTS: Dialect[] = [
    { title: "Shadertoy", full: true, names: SHADERTOY, is: source => source.mainImage && !source.main },
    {
        title: "glslsandbox", full: true,
        names: names(["time", "float", "seconds since the start"], ["resolution", "vec2", "size of the picture in pixels"],
            ["mouse", "vec2", "the pointer, from 0 to 1"], ["surfacePosition", "varying vec2", "place on the surface, 0 in the middle, 1 high"],
            ["surfaceSize", "vec2", "size of the surface"], ["backbuffer", "sampler2D", "a texture; not the last picture"]),
        is: source => source.main && (has(source, "vec2", "resolution") || has(source, "vec2", "mouse") && has(source, "float", "time")
            || source.inputs.some(one => one.name === "surfacePosition")),
    },
    {
        title: "The Book of Shaders", full: true,
        names: names(["u_time", "float", "seconds since the start"], ["u_resolution", "vec2", "size of the picture in pixels"],
            ["u_mouse", "vec2", "the pointer's pixel"], ["u_date", "vec4", "year, month, day, seconds of the day"],
            ["u_tex0 …", "sampler2D", "textures"]),
        is: source => source.main && (has(source, "vec2", "u_resolution") || has(source, "vec2", "u_mouse")),
    },
    {
        title: "three.js", full: false, names: Object.values(THREE).flat(),
        is: source => source.main && THREE.both.some(({ name }) => source.words.has(name) && !source.declares(name)),
    },
]

// What a scene without pointer and date leaves to the page. The pointer: pixels from the lower left corner, where it is
// and where it was pressed.
export function supply(fragment: Source, width: number, height: number, pointer: number[] | null, now: Date): Record<string, number[]> {
    const result: Record<string, number[]> = {}
    const give = (type: string, name: string, value: number[] | null) => {
        if (value && (has(fragment, type, name) || (fragment.mainImage && fragment.words.has(name)))) result[name] = value
    }
    const date = [now.getFullYear(), now.getMonth(), now.getDate(), now.getHours() * 3600 + now.getMinutes() * 60 + now.getSeconds()]
    give("vec4", "iMouse", pointer)
    give("vec4", "iDate", date)
    give("vec4", "u_date", date)
    give("vec2", "u_mouse", pointer && pointer.slice(0, 2))
    give("vec2", "mouse", pointer ? [pointer[0]! / width, pointer[1]! / height] : [0.5, 0.5])
    give("vec2", "surfaceSize", [width / height, 1])
    give("bool", "isOrthographic", [0])
    return result
}

// Does the pointer on the picture move anything?
export const usesPointer = (fragment: Source): boolean =>
    ["iMouse", "u_mouse", "mouse"].some(name => has(fragment, "vec2", name) || fragment.mainImage && fragment.words.has(name))
// Those that get no control of their own.
export const SUPPLIED: ReadonlySet<string> = new Set([...SHADERTOY.map(({ name }) => name), "u_mouse", "mouse", "u_date", "surfaceSize",
    "resolution", "u_resolution", "viewport_size", "isOrthographic", "cameraPosition"])

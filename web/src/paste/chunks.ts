// three.js' #include <chunk> lines. What a ShaderMaterial without fog, lights and the like gets of the usual ones is put
// in their place, in words of our own with three.js' names; what is more than that stays, and a message says what to do.
import { bare } from "./source.ts"

// Definitions, of which a text gets those that it uses.
const DEFINITIONS: Record<string, Record<string, string>> = {
    common: {
        PI: "#define PI 3.14159265", PI2: "#define PI2 6.28318531", PI_HALF: "#define PI_HALF 1.57079633",
        RECIPROCAL_PI: "#define RECIPROCAL_PI 0.31830989", RECIPROCAL_PI2: "#define RECIPROCAL_PI2 0.15915494", EPSILON: "#define EPSILON 1e-6",
        saturate: "#define saturate(x) clamp(x, 0.0, 1.0)",
        pow2: "float pow2(float x) { return x * x; }",
        pow3: "float pow3(float x) { return x * x * x; }",
        pow4: "float pow4(float x) { return x * x * x * x; }",
        max3: "float max3(vec3 v) { return max(v.x, max(v.y, v.z)); }",
        average: "float average(vec3 v) { return (v.x + v.y + v.z) / 3.0; }",
        rand: "float rand(vec2 place) { return fract(sin(dot(place, vec2(12.9898, 78.233))) * 437.585453); }",
        luminance: "float luminance(vec3 rgb) { return dot(rgb, vec3(0.2126, 0.7152, 0.0722)); }",
        transformDirection: "vec3 transformDirection(vec3 direction, mat4 matrix) { return normalize((matrix * vec4(direction, 0.0)).xyz); }",
        inverseTransformDirection: "vec3 inverseTransformDirection(vec3 direction, mat4 matrix) { return normalize((vec4(direction, 0.0) * matrix).xyz); }",
    },
    packing: {
        packNormalToRGB: "vec3 packNormalToRGB(vec3 normal) { return 0.5 + 0.5 * normalize(normal); }",
        unpackRGBToNormal: "vec3 unpackRGBToNormal(vec3 rgb) { return 2.0 * rgb - 1.0; }",
        packDepthToRGBA: "vec4 packDepthToRGBA(float depth) {\n    vec4 digits = fract(min(depth, 0.999999) * vec4(1.0, 255.0, 65025.0, 16581375.0));\n    return digits - vec4(digits.yzw / 255.0, 0.0);\n}",
        unpackRGBAToDepth: "float unpackRGBAToDepth(vec4 digits) { return dot(digits, 1.0 / vec4(1.0, 255.0, 65025.0, 16581375.0)); }",
        viewZToOrthographicDepth: "float viewZToOrthographicDepth(float z, float near, float far) { return (z + near) / (near - far); }",
        orthographicDepthToViewZ: "float orthographicDepthToViewZ(float depth, float near, float far) { return depth * (near - far) - near; }",
        viewZToPerspectiveDepth: "float viewZToPerspectiveDepth(float z, float near, float far) { return far * (near + z) / (z * (far - near)); }",
        perspectiveDepthToViewZ: "float perspectiveDepthToViewZ(float depth, float near, float far) { return near * far / (depth * (far - near) - far); }",
    },
}

const STATEMENTS: Record<string, string> = {
    begin_vertex: "vec3 transformed = position;",
    beginnormal_vertex: "vec3 objectNormal = normal;",
    defaultnormal_vertex: "vec3 transformedNormal = normalMatrix * objectNormal;",
    project_vertex: "vec4 mvPosition = modelViewMatrix * vec4(transformed, 1.0);\ngl_Position = projectionMatrix * mvPosition;",
    worldpos_vertex: "vec4 worldPosition = modelMatrix * vec4(transformed, 1.0);",
}

// Nothing unless the material asks for it; colours stay as they are.
const NOTHING = new RegExp("^(logdepthbuf|clipping_planes|fog|skin\\w*|morph\\w*|batching|alphamap|alphatest|alphahash|dithering|premultiplied_alpha|map|map_particle|uv2?|color"
    + "|specularmap|emissivemap|displacementmap|aomap|lightmap|envmap|shadowmap|tonemapping|colorspace|encodings)_(pars_)?(vertex|fragment)$")

const LINE = /^([ \t]*)#\s*include\s*<(\w+)>[ \t]*$/

function definitions(of: Record<string, string>, text: string): string[] {
    const own = (name: string) => new RegExp(`#\\s*define\\s+${name}\\b|\\b(?:float|int|bool|[biu]?vec[234]|mat[234])\\s+${name}\\s*\\(`).test(text)
    return Object.entries(of).filter(([name]) => new RegExp(`(?<![.\\w])${name}\\b`).test(text) && !own(name)).map(([, code]) => code)
}

// The text with its chunks written out, and which those are; null: it has none that are known.
export function writtenOut(text: string): { text: string; names: string[] } | null {
    const plain = bare(text), lines = plain.split("\n"), names: string[] = []
    const rows = text.split("\n").flatMap((row, k) => {
        const [, indent, name] = LINE.exec(lines[k]!) ?? []
        if (name === undefined) return [row]
        const found = Object.hasOwn(DEFINITIONS, name) ? definitions(DEFINITIONS[name]!, plain)
            : Object.hasOwn(STATEMENTS, name) ? [STATEMENTS[name]!] : NOTHING.test(name) ? [] : null
        if (!found) return [row]
        names.push(name)
        return found.flatMap(code => code.split("\n").map(line => indent + line))
    })
    return names.length ? { text: rows.join("\n"), names } : null
}

// What to say instead of the compiler's words about the line of a chunk; null: it is none.
export function aboutChunk(line: string): string | null {
    const name = LINE.exec(line.replace(/\/\/.*/, ""))?.[2]
    return name === undefined ? null : `three.js' chunk <${name}> is not here: put the text of ShaderChunk.${name} in place of this line, or remove the line with what uses it`
}

// Makes a program of what was pasted: the text itself gets what its host would have put before it, in lines of its own
// that one sees, and the other shader is replaced where it does not fit.
import { isFlat, plainRaster, type Program } from "../program.ts"
import { writtenOut } from "./chunks.ts"
import { DIALECTS, THREE, type Name } from "./dialects.ts"
import { bare, sourceOf, type Declared, type Source } from "./source.ts"

type Stage = "vertex" | "fragment"
export interface Adaptation { title: string; said: string; changes: Partial<Program> }

// --- before the text ----------------------------------------------------------------------------------------------

// Lines for the text's beginning: a precision, and of three.js' names what it uses and does not declare.
function prelude(source: Source, stage: Stage, three: boolean): string[] {
    const lines: string[] = []
    const missing = ({ name }: Name) => source.words.has(name) && !source.declares(name)
    const declare = (word: string, list: Name[]) => {
        for (const { type, name } of list.filter(missing)) lines.push(`${word} ${type} ${name};`)
    }
    if (!source.precision && stage === "fragment" && (!source.version || /\bes\b|^100$/.test(source.version))) lines.push("precision highp float;")
    if (!three) return lines
    if (!source.modern && source.calls("texture") && !source.declares("texture")) lines.push("#define texture texture2D")
    declare("uniform", [...THREE.both, ...stage === "vertex" ? THREE.vertex : []])
    if (stage === "vertex") declare(source.modern ? "in" : "attribute", THREE.attribute)
    return lines
}

// Behind the version, and behind extensions, which no declaration may precede.
function insert(text: string, lines: string[]): string {
    const rows = text.split("\n")
    let at = 0, depth = 0
    for (const [k, row] of bare(text).split("\n").entries()) {
        const directive = /^\s*#\s*(\w+)/.exec(row)?.[1]
        if (directive?.startsWith("if")) depth++
        else if (directive === "endif") depth--
        else if (!directive && row.trim() && depth === 0) break
        if (depth === 0 && /^(version|extension|endif)$/.test(directive ?? "")) at = k + 1
    }
    return [...rows.slice(0, at), ...lines, ...rows.slice(at)].join("\n")
}

// Browsers take GLSL ES 1.00's #extension behind code, and glslsandbox's own template has it there; the language does
// not. null: there is none such.
function hoist(text: string, { version }: Source): string | null {
    if (version && version !== "100") return null
    const rows = text.split("\n")
    let code = false, depth = 0
    const late = new Set<number>()
    for (const [k, row] of bare(text).split("\n").entries()) {
        const directive = /^\s*#\s*(\w+)/.exec(row)?.[1]
        if (directive?.startsWith("if")) depth++
        else if (directive === "endif") depth--
        else if (directive === "extension" && code && depth === 0) late.add(k)
        else if (!directive && row.trim()) code = true
    }
    if (!late.size) return null
    const at = /^\s*#\s*version/.test(rows[0]!) ? 1 : 0
    return [...rows.slice(0, at), ...rows.filter((_, k) => late.has(k)), ...rows.filter((_, k) => k >= at && !late.has(k))].join("\n")
}

// --- the other shader ---------------------------------------------------------------------------------------------

const components = (type: string): number => type === "float" || type === "int" || type === "uint" ? 1 : Number(/^[iu]?vec([234])$/.exec(type)?.[1] ?? 0)

// Of four components as many as the type has.
function fitted(type: string, value: string): string {
    const count = components(type)
    const part = count === 4 ? value : `${value}.${"xyzw".slice(0, count)}`
    return type.startsWith("i") ? `${count === 1 ? "int" : type}(${part})` : type.startsWith("u") ? `${count === 1 ? "uint" : type}(${part})` : part
}

// By the name, what people put into a varying. Values are vec4; on a flat mesh all matrices would be the identity.
const VARYINGS: [RegExp, (flat: boolean) => string, needs: string][] = [
    [/^surfacePosition$/, () => "vec4(0.5 * position.x * viewport_size.x / viewport_size.y, 0.5 * position.y, 0.0, 1.0)", "viewport"],
    [/uv|tex|coord(?!.*pos)|_st$|^st$/i, () => "vec4(uv, 0.0, 1.0)", "uv"],
    [/norm|^v?_?n$/i, flat => flat ? "vec4(normal, 0.0)" : "vec4(normalMatrix * normal, 0.0)", "normal"],
    [/col/i, () => "color", "color"],
    [/world/i, flat => flat ? "vec4(position, 1.0)" : "modelMatrix * vec4(position, 1.0)", "modelMatrix"],
    [/view|eye/i, flat => flat ? "vec4(0.0, 0.0, 1.0, 1.0)" : "vec4(-(modelViewMatrix * vec4(position, 1.0)).xyz, 1.0)", "modelViewMatrix"],
    [/.*/, () => "vec4(position, 1.0)", ""],
]

// A vertex shader that writes what the fragment shader reads; null: not of these types.
function vertexFor(fragment: Source, flat: boolean): string | null {
    const inputs = read(fragment)
    if (inputs.some(({ type }) => !components(type))) return null
    const rows = inputs.map(one => ({ one, row: VARYINGS.find(([pattern]) => pattern.test(one.name))! }))
    const needs = new Set(rows.map(({ row }) => row[2]))
    const [attribute, varying] = fragment.modern ? ["in", "out"] : ["attribute", "varying"]
    const place = flat ? "vec4(position, 1.0)" : "projectionMatrix * modelViewMatrix * vec4(position, 1.0)"
    const lines = [
        ...fragment.version ? [`#version ${fragment.version}`] : [],
        ...flat ? [] : ["uniform mat4 modelViewMatrix, projectionMatrix;"],
        ...!flat && needs.has("normal") ? ["uniform mat3 normalMatrix;"] : [],
        ...!flat && needs.has("modelMatrix") ? ["uniform mat4 modelMatrix;"] : [],
        ...needs.has("viewport") ? ["uniform vec2 viewport_size;"] : [],
        `${attribute} vec3 position;`,
        ...needs.has("normal") ? [`${attribute} vec3 normal;`] : [],
        ...needs.has("uv") ? [`${attribute} vec2 uv;`] : [],
        ...needs.has("color") ? [`${attribute} vec4 color;`] : [],
        ...rows.map(({ one: { type, name, length } }) =>
            `${/^[iu]/.test(type) ? "flat " : ""}${varying} ${type} ${name}${length ? `[${length}]` : ""};`),
        "", "void main() {",
        ...rows.flatMap(({ one: { type, name, length }, row }) => length
            ? Array.from({ length }, (_, k) => `    ${name}[${k}] = ${fitted(type, `(${row[1](flat)})`)};`)
            : [`    ${name} = ${fitted(type, `(${row[1](flat)})`)};`]),
        `    gl_Position = ${place};`, "}", ""]
    return lines.join("\n")
}

// A fragment shader that shows what the vertex shader writes.
function fragmentFor(vertex: Source): string {
    const shown = vertex.outputs.find(({ type, length }) => /^vec[234]$|^float$/.test(type) && !length)
    const value = !shown ? "vec3(0.5)" : shown.type === "float" ? `vec3(${shown.name})` : shown.type === "vec2" ? `vec3(fract(${shown.name}), 0.0)`
        : /norm/i.test(shown.name) ? `0.5 + 0.5 * normalize(${shown.name}.xyz)` : `fract(${shown.name}.xyz)`
    return [
        ...vertex.version ? [`#version ${vertex.version}`] : [],
        "precision highp float;",
        ...shown ? [`${vertex.modern ? "in" : "varying"} ${shown.type} ${shown.name};`] : [],
        ...vertex.modern ? ["out vec4 color;"] : [],
        "", "void main() {", `    ${vertex.modern ? "color" : "gl_FragColor"} = vec4(${value}, 1.0);`, "}", ""].join("\n")
}

const family = ({ version, mainImage, main }: Source): string => mainImage && !main ? "300 es" : /es|^100$/.test(version) || !version
    ? version.replace(/^100$/, "") : "desktop"

const read = (fragment: Source): Declared[] => fragment.inputs.filter(({ name }) => fragment.uses(name))

// Does the vertex shader write all that the fragment shader reads?
function fits(vertex: Source, fragment: Source): boolean {
    const same = (a: Declared, b: Declared) => a.name === b.name && a.type === b.type && a.length === b.length
    return family(vertex) === family(fragment)
        && read(fragment).every(one => vertex.outputs.some(other => same(one, other)))
}

// --- all of it ----------------------------------------------------------------------------------------------------

const list = (words: string[]): string => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`

function afterFragment(program: Program): Adaptation | null {
    const fragment = sourceOf(program.fragment, "fragment")
    const vertex = sourceOf(program.vertex, "vertex")
    if (!fragment.main && !fragment.mainImage) return null
    const dialect = DIALECTS.find(one => one.is(fragment))
    const changes: Partial<Program> = {}
    const said: string[] = []
    const lines = fragment.main ? prelude(fragment, "fragment", dialect?.title === "three.js" || !dialect) : []
    const hoisted = fragment.main ? hoist(program.fragment, fragment) : null
    if (hoisted !== null) {
        changes.fragment = hoisted
        said.push("its #extension was moved to the top")
    }
    if (lines.length) {
        changes.fragment = insert(hoisted ?? program.fragment, lines)
        said.push(`${lines.length === 1 ? "a line was" : `${lines.length} lines were`} put before it`)
    }
    const inputs = read(fragment)
    const fit = fits(vertex, fragment)
    const full = dialect?.full && !(fit && inputs.length)
    if (full && !isFlat(program.mesh)) {
        changes.mesh = "quad"
        changes.raster = { ...program.raster, depth_test: plainRaster.depth_test }
        said.push("it is drawn on a quad")
    }
    const flat = isFlat(changes.mesh ?? program.mesh)
    const written = inputs.length ? vertexFor(fragment, flat) : ""
    const replace = !program.vertex.trim() ? inputs.length > 0 : full || !fit
    if (replace && written !== null && written !== program.vertex) {
        // A full picture needs no vertex shader, nor do colours that depend on nothing of the mesh.
        changes.vertex = written || flat ? written : vertexFor(fragment, flat) ?? ""
        said.push(changes.vertex ? inputs.length ? `the vertex shader was replaced by one that writes ${list(inputs.map(({ name }) => name))}`
            : "the vertex shader was replaced by one of its version" : "it needs no vertex shader")
    }
    if (!said.length) return null
    const title = dialect?.title ?? (fragment.version ? `GLSL ${fragment.version.toUpperCase()}` : "GLSL")
    return { title, said: `${title}: ${list(said)}.`, changes }
}

function afterVertex(program: Program): Adaptation | null {
    const vertex = sourceOf(program.vertex, "vertex")
    if (!vertex.main) return null
    const fragment = sourceOf(program.fragment, "fragment")
    const changes: Partial<Program> = {}
    const said: string[] = []
    const lines = prelude(vertex, "vertex", true)
    if (lines.length) {
        changes.vertex = insert(program.vertex, lines)
        said.push(`${lines.length === 1 ? "a declaration was" : `${lines.length} declarations were`} put before it`)
    }
    if (!fits(vertex, fragment)) {
        changes.fragment = fragmentFor(vertex)
        said.push("the fragment shader was replaced by one that shows what it writes")
    }
    if (!said.length) return null
    const title = lines.length ? "three.js" : vertex.version ? `GLSL ${vertex.version.toUpperCase()}` : "GLSL"
    return { title, said: `${title}: ${list(said)}.`, changes }
}

// null: what was pasted goes with the rest as it is.
export function adapt(program: Program, pasted: Stage): Adaptation | null {
    const after = pasted === "fragment" ? afterFragment : afterVertex
    const written = writtenOut(program[pasted])
    if (!written) return after(program)
    const more = after({ ...program, [pasted]: written.text })
    const said = `${list(written.names)} ${written.names.length > 1 ? "were" : "was"} written out`
    return { title: "three.js", said: `three.js: ${said}${more ? `; ${more.said.replace(/^[^:]*: /, "")}` : "."}`,
        changes: { [pasted]: written.text, ...more?.changes } }
}

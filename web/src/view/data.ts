// Tables: the uniform stream, the interface, the shader state record.
import { h, wide } from "../dom.ts"
import type { Explain, Reflected, Stage } from "../explain.ts"

const KINDS: Record<string, string> = { constant: "constant", uniform: "uniform", texture: "texture set-up", state: "GL state",
    expression: "computed for each draw", stream_address: "address of the stream", uniform_address: "address of the uniforms" }

function table(label: string, head: [string, boolean][], rows: (Node | string | number)[][], attributes: Record<string, unknown>[] = []): HTMLElement {
    if (!rows.length) return h("p", { class: "empty" }, "None.")
    return h("table", { "aria-label": label }, h("thead", {}, h("tr", {}, head.map(([text, number]) =>
        h("th", { scope: "col", class: number ? "n" : "" }, text)))),
    h("tbody", {}, rows.map((row, k) => h("tr", attributes[k] ?? {}, row.map((cell, c) => h("td", { class: head[c]![1] ? "n" : "" }, cell))))))
}

const typeOf = ({ base, rows, columns, array }: Reflected): string => {
    const vector = { float: "vec", int: "ivec", uint: "uvec", bool: "bvec" }[base]
    const name = !vector || (rows === 1 && columns === 1) ? base : columns > 1 ? (rows === columns ? `mat${rows}` : `mat${columns}x${rows}`) : vector + rows
    return name + (array > 1 ? `[${array}]` : "")
}

const MOST = 1000 // words shown: what follows is more of the same

function stream(stage: Stage, go: (instruction: number) => void): HTMLElement {
    const readers = new Map<number, number>()
    for (const [k, instruction] of stage.code.entries())
        if (instruction.uniform && !readers.has(instruction.uniform.word)) readers.set(instruction.uniform.word, k)
    const words = table(`Uniform stream of the ${stage.stage} shader`, [["#", true], ["What", false], ["Kind", false], ["Read by", true]],
        stage.stream.slice(0, MOST).map((word, k) => {
            const reader = readers.get(k)
            return [k, h("code", {}, word.formula), KINDS[word.kind] ?? word.kind,
                reader === undefined ? "" : h("button", { class: "link", onclick: () => go(reader) }, `#${reader}`)]
        }))
    return stage.shared.length ? h("div", {}, words, table(`Parts of the ${stage.stage} shader's uniforms`, [["Part", false], ["Is", false]],
        stage.shared.map(({ name, text }) => [name, h("code", {}, text)]))) : words
}

const HEAD: [string, boolean][] = [["Name", false], ["Type", false], ["Word", true], ["", false]]
const variables = (label: string, list: Reflected[]) => table(label, HEAD, list.map(variable =>
    [h("code", {}, variable.name), typeOf(variable), variable.word >= 0 && variable.word < 0xffff ? variable.word : "", variable.used ? "" : "unused"]))

function record(explain: Explain): HTMLElement {
    const data = explain.record
    if (!data) return h("p", { class: "empty" }, "A record needs both a vertex and a fragment shader.")
    const yes = (on: boolean) => on ? "yes" : "no"
    const rows: [string, string | number][] = [
        ["Fragment shader runs in one thread", yes(data.single_threaded)], ["Points have a size", yes(data.point_size)],
        ["Clipping", yes(data.clipping)], ["Varyings", data.varyings], ["Fragment uniforms", data.fragment_uniforms],
        ["Vertex uniforms", data.vertex.uniforms], ["Vertex attributes", `mask 0x${data.vertex.attribute_mask.toString(16)}, ${data.vertex.attribute_bytes} bytes`],
        ["Coordinate uniforms", data.coordinate.uniforms],
        ["Coordinate attributes", `mask 0x${data.coordinate.attribute_mask.toString(16)}, ${data.coordinate.attribute_bytes} bytes`],
    ]
    const bytes = data.bytes.match(/../g) ?? []
    const dump = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, k) =>
        `${(k * 16).toString(16).padStart(4, "0")}  ${bytes.slice(k * 16, k * 16 + 16).join(" ")}`).join("\n")
    return h("div", {}, table("Shader state record", [["Field", false], ["Value", false]], rows),
        data.attributes.length ? table("Attributes of the record", [["Attribute", true], ["Bytes", true], ["Stride", true], ["Vertex VPM", true], ["Coordinate VPM", true]],
            data.attributes.map((a, k) => [k, a.bytes, a.stride, a.vertex_offset, a.coordinate_offset])) : "",
        h("pre", { class: "dump", tabindex: "0", role: "group", "aria-label": "The record's bytes" }, dump))
}

export function dataView(element: HTMLElement, explain: Explain | null, stage: Stage | null, go: (instruction: number) => void): void {
    if (!explain || !stage) {
        element.replaceChildren(h("p", { class: "notice" }, "There is no program."))
        return
    }
    element.replaceChildren(h("div", { class: "data" },
        wide("Uniform stream", stream(stage, go),
            stage.stream.length > MOST ? h("p", { class: "empty" }, `… and ${stage.stream.length - MOST} words more.`) : ""),
        h("section", {}, h("h3", {}, "Uniforms"), variables("Uniforms", explain.uniforms)),
        h("section", {}, h("h3", {}, "Samplers"), variables("Samplers", explain.samplers)),
        h("section", {}, h("h3", {}, "Attributes"), variables("Attributes", explain.attributes)),
        h("section", {}, h("h3", {}, "Varyings"), variables("Varyings", explain.varyings)),
        wide("Shader state record", record(explain))))
}

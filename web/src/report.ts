// The report of qpucc explain --html: the result panels over inlined data, and the sources beside them.
import { h } from "./dom.ts"
import { highlight } from "./editor/highlight.ts"
import type { Explain } from "./explain.ts"
import { lineHues } from "./hues.ts"
import { placed } from "./lines.ts"
import { decoded, ReportPicture, type MachineData } from "./report_picture.ts"
import { Results } from "./view/results.ts"
import type { Doc } from "./view/code.ts"

declare const DOCUMENTS: Record<string, Doc> // by build.mjs

interface Data {
    explain: Explain
    machine?: MachineData
    sources: { file: string; text: string }[]
}

const data = JSON.parse(document.getElementById("data")!.textContent!) as Data

// The machine is there where the build has it, and a picture where the program has both shaders.
const packed = document.getElementById("machine")!.textContent!
const module = data.machine && packed ? decoded(packed).then(bytes => WebAssembly.compile(bytes)) : null

const PICTURE_TABS = module ? [["picture", "Picture"], ["pixel", "Steps"]] as const : []
const TABS = [["code", "Code"], ["cost", "Cost"], ["data", "Data"], ["flow", "Flow"], ["ir", "IR"], ...PICTURE_TABS] as const
const main = document.getElementById("report")!
main.append(
    h("header", { class: "top" }, h("h1", {}, document.title, h("span", {}, ` qpucc ${data.explain.compiler}`)), h("div", { class: "gap" }),
        h("button", { class: "plain", onclick: () => {
            const root = document.documentElement
            const dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark"
            root.dataset.theme = dark ? "light" : "dark"
        } }, "Dark or light")),
    h("div", { class: "columns" },
        h("section", { class: "source", "aria-label": "Sources" }, data.sources.map((source, s) =>
            h("div", { class: "listing-source" }, h("h2", {}, source.file),
                h("ol", { class: "lines" }, highlight(source.text).map((spans, k) =>
                    h("li", { id: `s${s}-${k + 1}`, "data-source": s, "data-line": k + 1, value: k + 1 }, h("code", {}, spans))))))),
        h("section", { class: "results", id: "panels", "aria-label": "Results" },
            h("div", { class: "strip" },
                h("div", { class: "tabs", id: "result-tabs", role: "tablist", "aria-label": "Results" }, TABS.map(([name, text], k) =>
                    h("button", { role: "tab", id: `tab-${name}`, "data-tab": name, "aria-controls": `panel-${name}`, "aria-selected": String(k === 0), tabindex: k ? -1 : 0 }, text))),
                h("div", { class: "stages", id: "stages", role: "radiogroup", "aria-label": "Shader shown" })),
            TABS.map(([name], k) => h("div", { class: "panel", id: `panel-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`, tabindex: 0, hidden: k > 0 })))))

const sourceIndex = (file: string | null) => {
    const exact = data.sources.findIndex(source => source.file === file)
    return exact >= 0 || file === null ? exact : data.sources.findIndex(source => source.file.endsWith(`/${file}`) || file.endsWith(`/${source.file}`))
}
placed(file => data.sources[sourceIndex(file)]?.text, { explain: data.explain })
const row = (file: string | null, line: number) => document.getElementById(`s${sourceIndex(file)}-${line}`)

const links = {
    line(file: string | null, line: number, go: boolean) {
        for (const linked of main.querySelectorAll(".source .linked")) linked.classList.remove("linked")
        const element = line ? row(file, line) : null
        element?.classList.add("linked")
        if (go) element?.scrollIntoView({ block: "nearest" })
    },
    source: (file: string | null, line: number) => data.sources[sourceIndex(file)]?.text.split("\n")[line - 1] ?? "",
}
const results = new Results({
    ...links,
    documents: () => Promise.resolve(DOCUMENTS),
    shown: () => undefined,
    stage: () => colours(),
})

function colours(): void {
    for (const line of main.querySelectorAll(".source li[class]")) line.removeAttribute("class")
    const code = results.stage?.code ?? []
    for (const [line, hue] of lineHues(code.map(instruction => instruction.line)))
        row(code.find(instruction => instruction.line === line)?.file ?? null, line)?.classList.add(`hue-${hue}`)
}

main.querySelector(".source")!.addEventListener("click", event => {
    const line = (event.target as Element).closest<HTMLElement>("li")
    if (!line) return
    results.choose("code")
    results.code.highlight(Number(line.dataset.line), true)
})

results.show(data.explain)
results.setPasses(data.explain.stages.flatMap(stage => (stage.passes ?? []).map(pass => ({ stage: stage.stage, ...pass }))))
if (!data.explain.stages.some(stage => stage.passes?.length)) document.getElementById("tab-ir")!.hidden = true
colours()
if (module) new ReportPicture(data.explain, data.machine!, module, { ...links, choose: results.choose, count: counters => results.count(counters) })

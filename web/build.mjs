// Bundles the page and the report and writes them as one C file: node build.mjs MODULES OUTPUT.c FOLDER [MACHINE.wasm]
// MODULES is the node_modules folder that npm ci made. FOLDER also gets the files themselves, for a look. Without
// MACHINE.wasm the service draws.
import { createRequire } from "node:module"
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const [modules, output, folder, machine] = process.argv.slice(2)
const esbuild = createRequire(join(modules, "x"))("esbuild")
const target = ["chrome123", "firefox120", "safari17.5"]

// What the words of the assembly mean: the service's table, for the report, which has no service.
const documents = Object.fromEntries([...readFileSync(join(here, "../serve/opcodes.def"), "utf8")
    .matchAll(/^OPCODE\("([^"]*)", "([^"]*)", "((?:[^"\\]|\\.)*)"/gm)]
    .map(([, name, kind, tooltip]) => [name, { name, kind, tooltip: tooltip.replace(/\\(.)/g, "$1") }]))
if (Object.keys(documents).length < 100) throw new Error("serve/opcodes.def is not what this script reads")

const hash = text => createHash("sha256").update(text).digest()

const named = (name, type, data) => `/${name}-${hash(data).toString("hex").slice(0, 24)}.${type}`
const module = machine ? readFileSync(machine) : null
const moduleUrl = module ? named("machine", "wasm", module) : ""
let workerUrl = ""

// Others' packages that went into the page; their licences go with it.
const packages = new Set()

function bundle(entry) {
    const result = esbuild.buildSync({
        entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false, target, format: "esm",
        legalComments: "none", nodePaths: [modules], charset: "utf8", logLevel: "warning",
        define: { DOCUMENTS: JSON.stringify(documents), MACHINE_URL: JSON.stringify(moduleUrl), WORKER_URL: JSON.stringify(workerUrl) },
        loader: { ".vert": "text", ".frag": "text" }, metafile: true,
    })
    for (const input of Object.keys(result.metafile.inputs)) {
        const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)
        if (found) packages.add(found[1])
    }
    return result.outputFiles[0].text.trimEnd()
}

const worker = Buffer.from(bundle("machine/worker.ts"))
workerUrl = named("worker", "js", worker)
const app = bundle("main.ts")
const style = bundle("style.css")
const licences = [...packages].sort().map(name =>
    `${name}\n\n${readFileSync(join(modules, name, "LICENSE"), "utf8").trim()}\n`).join("\n\n")
const types = { txt: "text/plain; charset=utf-8", html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8",
    svg: "image/svg+xml",
    png: "image/png", wasm: "application/wasm" }
const files = [
    ["/", "html", readFileSync(join(here, "src/index.html"))],
    ["/app.js", "js", Buffer.from(app)],
    ["/app.css", "css", Buffer.from(style)],
    ["/favicon.svg", "svg", readFileSync(join(here, "src/favicon.svg"))],
    ["/licences.txt", "txt", Buffer.from(licences)],
]
if (module) files.push([moduleUrl, "wasm", module], [workerUrl, "js", worker],
    ...["balloons", "crate"].map(name => [`/${name}.png`, "png", readFileSync(join(here, `../examples/textures/${name}.png`))]))

// The report is one file that fetches nothing: its policy names its own script and style by their hashes.
packages.clear()
const report_script = bundle("report.ts")
if (packages.size) throw new Error("the report has no place for the licences of others' packages")
const policy = `default-src 'none'; script-src 'wasm-unsafe-eval' 'sha256-${hash(report_script).toString("base64")}'; ` +
    `style-src 'sha256-${hash(style).toString("base64")}'; base-uri 'none'; form-action 'none'`
const report = readFileSync(join(here, "src/report.html"), "utf8")
const parts = report.replace("@POLICY@", policy).split(/@TITLE@|@STYLE@|@DATA@|@MACHINE@|@SCRIPT@/)
if (parts.length !== 6) throw new Error("report.html: a place is missing")
const [head, style_before, data_before, machine_before, machine_after, tail] = parts
const packed_module = module ? gzipSync(module, { level: 9 }).toString("base64") : ""
const pieces = [head, style_before + style + data_before, machine_before, packed_module, machine_after + report_script + tail]

const bytes = buffer => {
    const lines = []
    for (let k = 0; k < buffer.length; k += 32) lines.push("    " + [...buffer.subarray(k, k + 32)].join(",") + ",")
    return lines.join("\n")
}
const out = ['/* Made by web/build.mjs. */', '#include "tools/web.h"', ""]
const table = []
let total = 0
for (const [k, [path, type, data]] of files.entries()) {
    const packed = gzipSync(data, { level: 9 })
    total += packed.length
    out.push(`static const unsigned char file_${k}[] = {`, bytes(packed), "};")
    table.push(`    {"${path}", "${types[type]}", "\\"${hash(data).toString("hex").slice(0, 24)}\\"", file_${k}, ` +
        `sizeof file_${k}, ${data.length}, ${path === moduleUrl || path === workerUrl}},`)
    if (folder) {
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, path === "/" ? "index.html" : path.slice(1)), data)
    }
}
if (folder) writeFileSync(join(folder, "report.html"), report.replace("@POLICY@", policy).split(/(@\w+@)/).map(part =>
    part === "@STYLE@" ? style : part === "@SCRIPT@" ? report_script : part).join(""))
out.push("const struct web_file web_files[] = {", ...table, "};",
    "const unsigned web_file_count = sizeof web_files / sizeof *web_files;")
for (const [k, piece] of pieces.entries())
    out.push(`static const unsigned char report_${k}[] = {`, bytes(Buffer.from(piece)), "};")
out.push("const struct web_piece web_report_pieces[5] = {",
    ...pieces.map((_, k) => `    {report_${k}, sizeof report_${k}},`), "};", "")
writeFileSync(output, out.join("\n"))
const limit = 900_000
if (total > limit) throw new Error(`the page has ${total} bytes compressed, more than ${limit}`)
console.log(`page: ${total} bytes compressed; report: ${pieces.reduce((sum, piece) => sum + piece.length, 0)} bytes`)

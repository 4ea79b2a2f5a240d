// The page's own modules for node.
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))

// What units_entry.ts exports.
export async function units(modules) {
    const folder = mkdtempSync(join(tmpdir(), "qpucc-units-"))
    createRequire(resolve(modules, "x"))("esbuild").buildSync({
        entryPoints: [join(here, "units_entry.ts")], bundle: true, format: "esm", platform: "node",
        outfile: join(folder, "units.mjs"), nodePaths: [modules], logLevel: "warning",
        loader: { ".vert": "text", ".frag": "text" } })
    try {
        return await import(pathToFileURL(join(folder, "units.mjs")))
    } finally { rmSync(folder, { recursive: true }) }
}

// Runs a WebAssembly program as the system would: node run.mjs FILE.wasm
import { readFile } from "node:fs/promises"
import { WASI } from "node:wasi"

const wasi = new WASI({ version: "preview1", args: process.argv.slice(2) })
const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), wasi.getImportObject())
process.exitCode = wasi.start(instance)

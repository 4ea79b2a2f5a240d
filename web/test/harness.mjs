// A server and a browser for the end-to-end tests: node TEST.mjs QPUCC MODULES [URL]
// Exit code 77 where the page was not built in or there is no Chromium. URL: a server that runs already.
import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const [qpucc, modules, given] = process.argv.slice(2)
const skip = reason => {
    console.log(`skipped: ${reason}`)
    process.exit(77)
}
if (!modules || !existsSync(join(modules, "playwright-core"))) skip("there is no playwright-core")
// The shell has no windows: the whole browser draws a frame around each page, which takes as long as the page.
const chromiumPath = ["chromium-headless-shell", "chromium"].flatMap(name =>
    (process.env.PATH ?? "").split(":").map(folder => join(folder, name))).find(existsSync)
if (!chromiumPath) skip("there is no chromium")

export const folder = mkdtempSync(join(tmpdir(), "qpucc-e2e-"))
let server = null
export let origin = given

async function startServer() {
    server = spawn(qpucc, ["serve", "--port", "0", "--cache", join(folder, "cache")], { stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    origin = await new Promise((done, fail) => {
        const hear = data => {
            said += data
            const address = /http:\/\/[\w.:[\]]+/.exec(said)
            if (address) done(address[0])
        }
        server.stdout.on("data", hear)
        server.stderr.on("data", hear)
        server.on("exit", code => {
            fail(new Error(`qpucc serve ended with ${code}: ${said}`))
        })
        setTimeout(() => fail(new Error(`qpucc serve names no address: ${said}`)), 20_000).unref()
    })
}

if (!given && !/\bserve\b/.test(spawnSync(qpucc, ["--help"]).stdout)) skip("this qpucc has no service")
if (!given) await startServer()
const { chromium } = createRequire(join(modules, "x"))("playwright-core")
export const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync"],
})

export async function stop() {
    await browser.close()
    if (server) {
        server.removeAllListeners("exit")
        const gone = new Promise(done => server.on("exit", done))
        server.kill("SIGTERM")
        await gone
    }
    rmSync(folder, { recursive: true, force: true })
}

// Pages that need no context of their own share one, with what the browser keeps of files: a start costs a third then.
// Pictures stand still: a film is asked for where it is tested.
const usual = { viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" }
let common = null

// A page that must not complain, nor fetch anything from elsewhere. Nothing is stored for it yet. `without`: a name that
// the browser does not know; `fresh`, or options of a context: nothing is shared.
export async function open(path = "/", { without, fresh, ...options } = {}) {
    const own = fresh || Object.keys(options).length > 0
    const context = own ? await browser.newContext({ ...usual, ...options }) : common ??= await browser.newContext(usual)
    const page = await context.newPage()
    if (!own) await page.addInitScript(() => {
        try {
            if (!sessionStorage.getItem("opened")) localStorage.clear()
            sessionStorage.setItem("opened", "yes")
        } catch { /* about:blank has none */ }
    })
    if (without) await page.addInitScript(name => { delete globalThis[name] }, without)
    page.setDefaultTimeout(90_000) // for what hangs: machines are busy
    const complaints = []
    page.on("console", message => {
        if (["error", "warning"].includes(message.type())) complaints.push(`${message.text()} ${message.location().url}`)
    })
    page.on("pageerror", error => complaints.push(error.stack ?? error.message))
    page.on("request", request => {
        const url = request.url()
        if (!url.startsWith(origin) && !/^(data|blob|file):/.test(url)) complaints.push(`asked ${url}`)
    })
    const response = await page.goto(/^\w+:/.test(path) ? path : origin + path)
    const leave = () => (own ? context : page).close() // whatever the page has complained of
    return {
        page, context, response, complaints, leave,
        async close() {
            await leave()
            assert.deepEqual(complaints, [])
        },
    }
}

export const ready = page => page.waitForFunction(() => document.body.dataset.state === "ready" && document.querySelector("canvas")?.dataset.drawn)

// What stands there is replaced at once: an empty text in between would be compiled where the machine is slow.
export async function type(page, text, which = "fragment") {
    await page.click(`#tab-${which}`)
    await page.click(`#editor-${which} .cm-content`)
    await page.keyboard.press("Control+A")
    await page.keyboard.insertText(text)
}

export const color = (page, x, y) => page.evaluate(([x, y]) =>
    [...document.querySelector("canvas").getContext("2d").getImageData(x, y, 1, 1).data], [x, y])

// Until the pixel has that colour, within a step or two of its 255.
export const colored = (page, x, y, wanted) => page.waitForFunction(([x, y, wanted]) => {
    const data = document.querySelector("canvas").getContext("2d").getImageData(x, y, 1, 1).data
    return wanted.every((value, k) => Math.abs(value - data[k]) <= 2)
}, [x, y, wanted])

// The whole picture as text, and until it is that one or is that one no longer.
export const picture = page => page.evaluate(() => document.querySelector("canvas").toDataURL())
export const shows = (page, wanted) => page.waitForFunction(wanted => document.querySelector("canvas").toDataURL() === wanted, wanted)
export const differs = (page, from) => page.waitForFunction(from => document.querySelector("canvas").toDataURL() !== from, from)

export const example = (page, title) => page.selectOption("#example", { label: title })

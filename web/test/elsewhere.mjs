// Links that need no storage, Compiler Explorer's links, and the page in somebody's frame: node elsewhere.mjs QPUCC MODULES
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import test, { after } from "node:test"
import { color, colored, example, modules, open, origin, ready, stop, type } from "./harness.mjs"

after(stop)

const flat = (r, g, b) => `precision mediump float;\nvoid main() {\n    gl_FragColor = vec4(${r}, ${g}, ${b}, 1.0);\n}\n`
const chosen = page => page.$eval("#example", list => list.selectedOptions[0].textContent)

test("a link with the program in it opens elsewhere, and the server has kept nothing", async () => {
    const { page, close } = await open()
    await ready(page)
    const asked = []
    page.on("request", request => asked.push(request.url()))
    await type(page, flat("0.0", "1.0", "1.0"))
    await colored(page, 200, 150, [0, 255, 255])
    await page.click("#link")
    await page.waitForFunction(() => location.hash.startsWith("#code="))
    const address = page.url()
    assert.ok(address.length < 700, address)
    assert.ok(!asked.some(url => url.includes("shortener")))
    const other = await open(address, { fresh: true })
    await colored(other.page, 200, 150, [0, 255, 255])
    assert.equal(await chosen(other.page), "Plasma (shared)")
    assert.equal(other.page.url(), address)
    // What is changed is another program than the address says.
    await type(other.page, flat("0.0", "0.0", "1.0"))
    await other.page.waitForFunction(() => location.hash === "" && location.pathname === "/")
    // The address again, in the same page; and one that is damaged.
    await other.page.evaluate(hash => { location.hash = hash }, new URL(address).hash)
    await colored(other.page, 200, 150, [0, 255, 255])
    await other.page.evaluate(hash => { location.hash = hash }, new URL(address).hash.slice(0, -20))
    await other.page.waitForFunction(() => /damaged/.test(document.querySelector("#status").textContent))
    await other.close()
    await close()
})

test("Compiler Explorer's links open: as an address here, pasted into an editor, given to the shortener", async () => {
    const state = { sessions: [{ id: 1, language: "glsl", source: flat("1.0", "0.0", "1.0"), compilers: [{ id: "qpucc", options: "-O1" }] }] }
    const { page, close } = await open(`/clientstate/${encodeURIComponent(Buffer.from(JSON.stringify(state)).toString("base64"))}`)
    await colored(page, 200, 150, [255, 0, 255])
    assert.equal(await page.inputValue("#options"), "-O1")
    assert.equal(await chosen(page), "Compiler Explorer (shared)")
    await example(page, "Plasma")
    await page.waitForFunction(() => document.body.dataset.state === "ready")
    const source = encodeURIComponent(flat("1.0", "1.0", "0.0").replace(/!/g, "!!")).replace(/%20/g, "+")
    await type(page, `https://godbolt.org/#g:!((h:codeEditor,i:(filename:'1',lang:glsl,source:'${source}')))`)
    await colored(page, 200, 150, [255, 255, 0])
    assert.equal(await chosen(page), "Compiler Explorer (shared)")
    const { id } = await page.evaluate(async state => (await fetch("/api/shortener",
        { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(state) })).json(), state)
    await page.goto(`${origin}/z/${id}`)
    await colored(page, 200, 150, [255, 0, 255])
    await close()
})

test("in a frame there are source and picture, nothing is stored, and axe finds no fault", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, flat("1.0", "0.5", "0.0"))
    await colored(page, 200, 150, [255, 128, 0])
    await page.click("#link")
    await page.waitForFunction(() => location.hash.startsWith("#code="))
    const hash = new URL(page.url()).hash
    const inside = await open(`/embed${hash}`, { fresh: true, viewport: { width: 800, height: 360 } })
    await colored(inside.page, 200, 150, [255, 128, 0])
    for (const [part, seen] of [["#source", true], ["#frame", true], ["#play", true], [".top", false], ["#panels", false], ["#controls", false]])
        assert.equal(await inside.page.locator(part).isVisible(), seen, part)
    const size = await inside.page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])
    assert.ok(size[0] <= 800 && size[1] <= 360, size.join())
    await type(inside.page, flat("0.0", "1.0", "0.0"))
    await colored(inside.page, 200, 150, [0, 255, 0])
    await inside.page.locator("#whole").hover()
    await inside.page.waitForFunction(() => document.querySelector("#whole").hash.startsWith("#code="))
    assert.equal(await inside.page.evaluate(() => localStorage.length), 0)
    await inside.page.evaluate(readFileSync(join(modules, "axe-core/axe.min.js"), "utf8"))
    assert.deepEqual(await inside.page.evaluate(async () => (await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }))
        .violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`)), [])
    await inside.close()

    // This server lets nobody frame it.
    const blog = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(`<iframe src="${origin}/embed"></iframe>`))
    await new Promise(done => blog.listen(0, "127.0.0.1", done))
    const outside = await open(`http://127.0.0.1:${blog.address().port}/`, { fresh: true })
    while (!outside.complaints.some(text => /frame-ancestors/.test(text))) await outside.page.waitForTimeout(20)
    await outside.leave()
    blog.close()
    await close()
})

// What other playgrounds have: a film from the start, full screen, a gallery, versions side by side, blocks with their
// instructions, paths: node rivals.mjs QPUCC MODULES
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import test, { after } from "node:test"
import { example, modules, open, ready, stop, type } from "./harness.mjs"

after(stop)

const loop = "precision mediump float;\nvarying vec2 v_place;\nuniform int u_count; // [1, 400] = 20\nvoid main() {\n    float sum = 0.0;\n" +
    "    for (int k = 0; k < 500; k++) {\n        if (k >= u_count) break;\n        sum += sin(v_place.x * float(k)) * 0.05;\n    }\n" +
    "    gl_FragColor = vec4(sum, 0.0, 0.0, 1.0);\n}\n"
const settled = page => page.waitForFunction(() => document.body.dataset.state === "ready" && / ms on the chip$/.test(document.querySelector("#status").textContent))
const clock = async page => parseFloat(await page.textContent("#clock"))

test("the page opens moving, says its pace, goes full screen, and stands still for whoever asks for less motion", async () => {
    const { page, close } = await open("/", { reducedMotion: "no-preference" })
    await ready(page)
    await page.waitForFunction(() => document.querySelector("#play").getAttribute("aria-label") === "Pause")
    await page.waitForFunction(() => /^[\d.]+ fps$/.test(document.querySelector("#pace").textContent))
    await page.click("#rewind")
    await page.waitForFunction(() => parseFloat(document.querySelector("#clock").textContent) < 0.5) // it began at 1
    await page.click("#fullscreen")
    await page.waitForFunction(() => document.fullscreenElement?.id === "frame")
    const box = await page.locator("canvas").boundingBox()
    assert.ok(box.width > 1000 && Math.abs(box.width / box.height - 4 / 3) < 0.01, JSON.stringify(box))
    await page.evaluate(() => document.exitFullscreen())
    await page.click("#play")
    await page.waitForFunction(() => document.querySelector("#pace").textContent === "")
    await close()
    const still = await open()
    await ready(still.page)
    const before = await clock(still.page)
    await type(still.page, "precision mediump float;\nvoid main() { gl_FragColor = vec4(1.0); }\n")
    await settled(still.page)
    assert.equal(await clock(still.page), before)
    await still.close()
})

test("the gallery draws the examples, and opens what is chosen", async () => {
    const { page, close } = await open()
    await ready(page)
    await page.click("#gallery")
    await page.waitForSelector(".gallery .tile:last-child canvas[data-drawn]")
    const colours = await page.$$eval(".gallery canvas", all => all.map(canvas => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
        const seen = new Set()
        for (let k = 0; k < data.length; k += 4) seen.add(data[k] << 16 | data[k + 1] << 8 | data[k + 2])
        return seen.size
    }))
    assert.ok(colours.length >= 12 && colours.every(count => count > 1), colours.join())
    await page.evaluate(readFileSync(join(modules, "axe-core/axe.min.js"), "utf8"))
    assert.deepEqual(await page.evaluate(async () => (await window.axe.run("dialog[open]", { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }))
        .violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`)), [])
    await page.click(".gallery .tile:has-text('Toon')")
    await settled(page)
    assert.equal(await page.$eval("#example", list => list.selectedOptions[0].textContent), "Toon")
    await close()
})

test("two sets of options, or two versions, stand side by side", async () => {
    const { page, close } = await open()
    await ready(page)
    await settled(page)
    await page.click("#tab-compare")
    await page.waitForSelector(".side-by-side")
    const counts = () => page.$$eval(".side-by-side thead th", all => all.map(one => Number(/(\d+) instructions/.exec(one.textContent)[1])))
    const [now, plain] = await counts()
    assert.ok(now < plain, `${now} ${plain}`) // -O0
    assert.match(await page.textContent("#compare-said"), /^\d+ of \d+ rows differ\.$/)
    const rows = await page.$$eval(".side-by-side tbody tr", all => all.map(row => [...row.cells].map(cell => cell.className === "none" ? "" : cell.querySelector("code").textContent)))
    assert.deepEqual([0, 1].map(k => rows.filter(row => row[k]).length), [now, plain])
    assert.ok(rows.some(([a, b]) => a && a === b))
    await page.fill("#compare-options", "-O2")
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => document.querySelector("#compare-said")?.textContent === "The code is the same.")
    await page.fill("#compare-options", "--nonsense")
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => /nonsense/.test(document.querySelector("#panel-compare .notice")?.textContent ?? ""))

    await page.click("#tab-cost")
    await page.click("#pin")
    await type(page, "precision mediump float;\nvoid main() { gl_FragColor = vec4(1.0); }\n")
    await settled(page)
    await page.click("#tab-compare")
    await page.waitForSelector(".side-by-side")
    assert.equal((await counts())[1], now)
    assert.match(await page.textContent(".side-by-side thead th:last-child"), /^Pinned/)
    await close()
})

test("blocks show their instructions; shortest and longest path stand beside the run", async () => {
    const { page, close } = await open()
    await ready(page)
    await example(page, "Phong")
    await settled(page)
    await page.check("#stages input[value=vertex]", { force: true })
    // Footnotes below the code, and at the pointer what a footnote's name is.
    assert.match(await page.textContent("#panel-code .footnotes"), /^e1= .*u\d+= /)
    await page.locator("#panel-code td.uni").filter({ hasText: /^u\d+$/ }).first().hover()
    await page.waitForFunction(() => /^unif = .*e1 = /.test(document.querySelector("#tooltip").textContent))
    await page.check("#stages input[value=fragment]", { force: true })
    await type(page, loop)
    await settled(page)
    await page.click("#tab-cost")
    const figure = await page.locator("#panel-cost .figure", { hasText: "Shortest path" }).textContent()
    const [, shortest, longest, run] = /^Shortest path(\d+)longest (\d+), loops once; the run took ([\d.]+)$/.exec(figure).map(Number)
    assert.ok(shortest > 0 && shortest <= longest && run > longest, figure)
    await page.click("#tab-flow")
    const code = page.locator("#panel-flow .node .code")
    const texts = await code.allTextContents()
    assert.ok(texts.some(text => /sfu|sin|fmul/.test(text)), texts.join("\n"))
    await code.nth(5).click()
    assert.equal(await page.getAttribute("#tab-code", "aria-selected"), "true")
    await close()
})

test("steps go by source lines, variables are watched, and a word in the editor tells its value", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, "precision highp float;\nvarying vec2 v_place;\nvoid main() {\n    float bright = v_place.x * 0.0 + 0.25;\n"
        + "    float other = sin(v_place.y) * bright;\n    gl_FragColor = vec4(bright, other, 0.0, 1.0);\n}\n")
    await settled(page)
    await page.locator("canvas").focus()
    await page.keyboard.press("Enter")
    await page.waitForSelector("#panel-pixel tr[data-step]")
    const line = () => page.$eval("#panel-pixel tr.chosen", row => Number(row.dataset.line))
    await page.click("#line-next")
    const first = await line()
    await page.keyboard.press("n")
    assert.notEqual(await line(), first)
    await page.keyboard.press("p")
    assert.equal(await line(), first)
    // The list follows the step, and what is watched comes first.
    const shown = () => page.$$eval(".watch .variable", all => all.map(one => one.textContent))
    const early = await shown()
    await page.keyboard.press("End")
    await page.waitForFunction(count => document.querySelectorAll(".watch .variable").length > count, early.length)
    const name = (await shown()).at(-1)
    await page.locator(".watch .variable").last().click()
    assert.equal((await shown())[0], name)
    assert.equal(await page.getAttribute(".watch .variable >> nth=0", "aria-pressed"), "true")
    // In the editor.
    const variable = /^\w+/.exec(name)[0]
    await page.locator(`#editor-fragment .cm-line >> text=${variable}`).first().hover()
    const place = await page.evaluate(word => {
        const walker = document.createTreeWalker(document.querySelector("#editor-fragment").shadowRoot.querySelector(".cm-content"), NodeFilter.SHOW_TEXT)
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.search(new RegExp(`\\b${word}\\b`))
            if (at < 0) continue
            const range = document.createRange()
            range.setStart(node, at)
            range.setEnd(node, at + word.length)
            const { x, y, width, height } = range.getBoundingClientRect()
            return [x + width / 2, y + height / 2]
        }
        return null
    }, variable)
    await page.mouse.move(place[0] + 60, place[1])
    await page.mouse.move(...place)
    await page.waitForFunction(word => document.querySelector("#editor-fragment").shadowRoot.querySelector(".cm-value")?.textContent.startsWith(word), variable)

    // Of two faces of the cube one is seen, and the other one's reason is given.
    await example(page, "Cube")
    await settled(page)
    await page.locator("canvas").focus()
    await page.keyboard.press("Enter")
    await page.waitForSelector("[aria-label=Primitive]")
    assert.equal(await page.textContent("#panel-pixel .fate"), "seen")
    const fates = await page.$$eval("[aria-label=Primitive] option", all => all.map(one => one.textContent))
    assert.ok(fates.some(text => /^primitive \d of \d: seen$/.test(text)) && fates.some(text => /fails the depth test|drawn over by \d/.test(text)), fates.join())
    await close()
})

// What other playgrounds have: a film from the start, full screen, a gallery, versions side by side, blocks with their
// instructions, paths: node rivals.mjs QPUCC MODULES
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import test, { after } from "node:test"
import { deflateRawSync, inflateRawSync } from "node:zlib"
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
    // Its history leads from the clear colour to the picture's; of a face that is culled nothing ran.
    const history = () => page.$$eval(".history tbody tr", all => all.map(row => [...row.cells].slice(1).map(cell => cell.textContent)))
    const before = await history()
    assert.equal(before[0][1], "24 26 34 255")
    assert.equal(before.at(-1)[2], (await page.textContent("#panel-pixel .about code")).replace("rgba ", ""))
    assert.ok(before.every(([, from], k) => k === 0 || from === before[k - 1][2]), JSON.stringify(before))
    await page.click("#section-state summary")
    await page.selectOption("[aria-label=Cull]", "back")
    await page.waitForFunction(() => /culled: only front faces are drawn/.test(document.querySelector(".history")?.textContent ?? ""))
    const after = await history()
    assert.equal(after.length, before.length)
    assert.deepEqual(after.find(([words]) => words === "seen").slice(2), before.find(([words]) => words === "seen").slice(2))
    await page.locator(".history tr", { hasText: "culled" }).getByRole("button").click()
    assert.match(await page.textContent("#panel-pixel .notice"), /Nothing ran/)
    await page.evaluate(readFileSync(join(modules, "axe-core/axe.min.js"), "utf8"))
    assert.deepEqual(await page.evaluate(async () => (await window.axe.run("#panels", { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }))
        .violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`)), [])
    await close()
})

// --- Shadertoy's buffers ----------------------------------------------------------------------------------------------

const [WIDE, HIGH] = [160, 120]
// A keeps what its left neighbour had and 3 more, and of B, which is drawn later, the frame before; B reads this frame's
// A, and both use alpha; the image shows all of it.
const bufferA = `void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    ivec2 at = ivec2(fragCoord);
    vec4 before = texelFetch(iChannel0, max(at - ivec2(1, 0), ivec2(0)), 0);
    float red = iFrame == 0 ? fragCoord.x - 0.5 + 60.0 * step(60.0, fragCoord.y) : 255.0 * before.r + 3.0;
    fragColor = vec4(red, 255.0 * texelFetch(iChannel1, at, 0).a, float(iFrame), 7.0 + 255.0 * before.a) / 255.0;
}
`
const bufferB = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\n    vec4 a = texelFetch(iChannel2, ivec2(fragCoord), 0);\n    fragColor = vec4(a.a, a.r, iChannelResolution[2].y / 255.0, a.b);\n}\n"
const image = "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\n    vec4 a = texelFetch(iChannel0, ivec2(fragCoord), 0), b = texelFetch(iChannel1, ivec2(fragCoord), 0);\n"
    + "    fragColor = fragCoord.x < 100.0 ? vec4(a.rgb, 0.0) : vec4(b.rgb, 1.0);\n}\n"
const feedback = { title: "Feedback", fragment: image, width: WIDE, height: HIGH, textures: { iChannel0: { buffer: "A" }, iChannel1: { buffer: "B" } }, buffers: [
    { name: "A", fragment: bufferA, textures: { iChannel0: { buffer: "A" }, iChannel1: { buffer: "B" } } },
    { name: "B", fragment: bufferB, textures: { iChannel2: { buffer: "A" } } }] }
const linkOf = program => `/#code=${deflateRawSync(JSON.stringify(program)).toString("base64url")}`

// What the picture is after frame `last`, as the text above says, in whole 255ths.
function expected(last) {
    const most = value => Math.min(255, Math.max(0, value))
    let a = null, b = null
    for (let frame = 0; frame <= last; frame++) {
        const [oldA, oldB] = [a, b]
        const all = make => Array.from({ length: HIGH }, (_, y) => Array.from({ length: WIDE }, (_, x) => make(x, y)))
        a = all((x, y) => {
            const before = oldA?.[y][Math.max(x - 1, 0)] ?? [0, 0, 0, 0]
            return [most(frame === 0 ? x + (y >= 60 ? 60 : 0) : before[0] + 3), oldB?.[y][x][3] ?? 0, frame, most(7 + before[3])]
        })
        b = all((x, y) => [a[y][x][3], a[y][x][0], HIGH, a[y][x][2]])
    }
    return (x, up) => (x < 100 ? a : b)[up][x].slice(0, 3)
}

// All pixels at once; in how many they differ, and the first that does.
const compared = (page, wanted) => page.evaluate(([wanted, wide, high]) => {
    const canvas = document.querySelector("canvas")
    const { data } = canvas.getContext("2d").getImageData(0, 0, wide, high)
    const wrong = wanted.flatMap((colour, k) => colour.every((value, c) => value === data[4 * k + c]) ? [] : [`${k % wide},${Math.floor(k / wide)}: ${data.slice(4 * k, 4 * k + 3)} is not ${colour}`])
    return [canvas.dataset.drawn, wrong.length, wrong[0] ?? ""]
}, [wanted, WIDE, HIGH])

async function isFrame(page, frame) {
    const at = expected(frame)
    const wanted = Array.from({ length: WIDE * HIGH }, (_, k) => at(k % WIDE, HIGH - 1 - Math.floor(k / WIDE)))
    let found
    for (let tries = 0; tries < 200; tries++) {
        found = await compared(page, wanted)
        if (!found[1]) break
        await page.waitForTimeout(50)
    }
    assert.deepEqual(found, [`${WIDE}x${HIGH}`, 0, ""], `frame ${frame}`)
}

test("buffers keep their pictures from frame to frame, bit by bit what the test computes", async () => {
    const { page, close } = await open(linkOf(feedback))
    await ready(page)
    await isFrame(page, 0)
    // However fast they are asked for, frames are drawn one after the other.
    for (let k = 0; k < 9; k++) await page.click("#step")
    await isFrame(page, 9)
    await page.click("#step")
    await isFrame(page, 10)
    // A change draws the same frame again; going back begins anew.
    await page.click("#section-state summary")
    await page.selectOption("[aria-label=Cull]", "front")
    await page.selectOption("[aria-label=Cull]", "none")
    await isFrame(page, 10)
    await page.click("#rewind")
    await isFrame(page, 0)
    await page.click("#step")
    await isFrame(page, 1)
    // A film is frames, too: as many as buffer A's blue says.
    await page.click("#play")
    await page.waitForFunction(() => document.querySelector("canvas").getContext("2d").getImageData(0, 0, 1, 1).data[2] > 12)
    await page.click("#play")
    await settled(page)
    await page.waitForFunction(() => !document.querySelector("#frame").classList.contains("busy"))
    const [, , frame] = await page.evaluate(() => [...document.querySelector("canvas").getContext("2d").getImageData(0, 0, 1, 1).data])
    await isFrame(page, frame)

    // Code, textures and steps are those of the tab.
    await page.click("#tab-A")
    await settled(page)
    assert.equal(await page.inputValue("[aria-label='iChannel1 picture']"), "buffer B")
    await page.locator("canvas").focus()
    await page.keyboard.press("Enter")
    await page.waitForSelector("#panel-pixel tr[data-step]")
    assert.match(await page.textContent("#panel-pixel .about code, #panel-pixel code"), new RegExp(`^rgba .* ${frame} `))
    await page.locator("#panel-pixel tr[data-line='4']").first().waitFor()
    // The frame's passes are in its history: each pixel's alpha, too.
    const rows = await page.$$eval(".history tbody tr", all => all.map(row => [...row.cells].map(cell => cell.textContent)))
    const inA = expected(frame)(WIDE / 2, HIGH / 2 - 1).join(" "), wasInA = expected(frame - 1)(WIDE / 2, HIGH / 2 - 1).join(" ")
    assert.deepEqual(rows.slice(0, 3).map(([name]) => name), ["Buffer A", "Buffer B", "Image"])
    assert.ok(rows[0][2].startsWith(`${wasInA} `) && rows[0][3].startsWith(`${inA} `), JSON.stringify(rows))

    // Errors have their tab and their line.
    await type(page, bufferA.replace("ivec2 at", "ivec3 at"), "A")
    await page.waitForSelector("#tab-A .count")
    assert.match(await page.textContent("#messages"), /buffer A:\d/)
    assert.equal(await page.locator("#tab-fragment .count").count(), 0)
    await type(page, bufferA, "A")
    await page.waitForFunction(() => document.body.dataset.state === "ready" && !document.querySelector("#tab-A .count"))

    // A tab more, its text after a reload, and a tab less.
    await page.click("#tab-fragment")
    await page.click("#add-buffer")
    await page.waitForSelector("#tab-C[aria-selected=true]")
    await page.waitForFunction(() => JSON.parse(localStorage.getItem("qpucc-playground"))?.buffers.length === 3)
    await page.evaluate(readFileSync(join(modules, "axe-core/axe.min.js"), "utf8"))
    assert.deepEqual(await page.evaluate(async () => (await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }))
        .violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`)), [])
    await page.reload()
    await ready(page)
    await isFrame(page, 0)
    await page.click("#tab-C")
    await page.waitForFunction(() => /this buffer, as the frame before left it/.test(document.querySelector("#editor-C").shadowRoot.querySelector(".cm-content").textContent))
    await page.click("#remove-buffer")
    assert.equal(await page.locator("#tab-C").isVisible(), false)
    assert.equal(await page.getAttribute("#tab-fragment", "aria-selected"), "true")
    // Another size begins anew, and the link has all parts.
    await page.selectOption("[aria-label=Size]", "256x256")
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "256x256")
    await page.click("#link")
    await page.waitForFunction(() => location.hash.startsWith("#code="))
    const kept = JSON.parse(inflateRawSync(Buffer.from(new URL(page.url()).hash.slice(6), "base64url")))
    assert.deepEqual(kept.buffers.map(({ name, fragment }) => [name, fragment]), [["A", bufferA], ["B", bufferB]])
    await close()
    // Without a machine there is a sentence.
    const plain = await open(linkOf(feedback), { without: "WebAssembly" })
    await plain.page.waitForFunction(() => /Buffers are drawn by the machine in the page/.test(document.querySelector("#messages").textContent))
    await plain.close()
})

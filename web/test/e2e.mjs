// The playground from end to end: a real server, a real browser.
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import test, { after } from "node:test"
import { pathToFileURL } from "node:url"
import { color, colored, example, folder, open, origin, qpucc, ready, stop, type } from "./harness.mjs"

after(stop)

const flat = (r, g, b) => `precision mediump float;\nvoid main() {\n    gl_FragColor = vec4(${r}, ${g}, ${b}, 1.0);\n}\n`

test("the page is painted within a second, small, and its policy forbids what it does not need", async () => {
    const { page, response, close } = await open()
    const policy = response.headers()["content-security-policy"]
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
        assert.ok(policy?.includes(part), `${part} in ${policy}`)
    assert.ok(!/unsafe/.test(policy.replace("'wasm-unsafe-eval'", "")))
    await ready(page)
    const size = await page.evaluate(() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .filter(entry => !entry.name.includes("/api/")).reduce((sum, entry) => sum + entry.encodedBodySize, 0))
    assert.ok(size > 10_000 && size < 900_000, `${size} bytes`)
    // The best of several, as other programs run on this machine too.
    const paints = []
    do {
        if (paints.length) await page.reload()
        await ready(page)
        paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime))
    } while (paints.at(-1) >= 1000 && paints.length < 8)
    assert.ok(Math.min(...paints) < 1000, `first paint after ${paints} ms`)
    assert.match(await page.evaluate(() => fetch("/licences.txt").then(answer => answer.text())), /@codemirror\/view[^]*Permission is hereby granted/)
    await close()

    // In a page of its own: that the policy works shows as complaints.
    const other = await open()
    await ready(other.page)
    const ran = await other.page.evaluate(async () => {
        const script = document.createElement("script")
        script.textContent = "document.title = 'ran'"
        document.body.append(script)
        // Later, because what a debugger evaluates may evaluate.
        const evaluated = await new Promise(done => setTimeout(() => {
            try { done(new Function("return true")()) } catch { done(false) }
        }))
        return { inline: document.title === "ran", evaluated }
    })
    assert.deepEqual(ran, { inline: false, evaluated: false })
    assert.ok(other.complaints.some(text => /Content Security Policy/.test(text)))
    await other.leave()
})

test("what is typed is drawn; an error is shown at its line while the picture stays; fixed, it is drawn again", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, flat("1.0", "0.0", "0.0"))
    await colored(page, 200, 150, [255, 0, 0])
    await page.waitForFunction(() => /\d+ instructions/.test(document.querySelector("#status").textContent))

    await type(page, flat("0.0", "1.0", "0.0").replace("1.0);\n}", "1.0) + oops;\n}"))
    await page.waitForSelector("#messages li.error")
    assert.match(await page.textContent("#messages li.error .where"), /fragment:3/)
    assert.match(await page.textContent("#messages li.error .what"), /oops/)
    const underlined = page.locator("#editor-fragment .cm-line", { has: page.locator(".cm-lintRange-error") })
    await underlined.first().waitFor()
    assert.match(await underlined.first().textContent(), /oops/)
    assert.equal(await page.textContent("#tab-fragment .count"), "1")
    assert.deepEqual((await color(page, 200, 150)).slice(0, 3), [255, 0, 0])
    await page.waitForSelector(".frame .veil:not([hidden])")
    // The message leads to its place.
    await page.click("#messages li.error button")
    assert.match(await page.locator("#editor-fragment .cm-activeLine").textContent(), /oops/)

    await type(page, flat("0.0", "1.0", "0.0"))
    await colored(page, 200, 150, [0, 255, 0])
    await page.waitForFunction(() => document.querySelector("#messages").children.length === 0)
    assert.equal(await page.locator("#editor-fragment .cm-lintRange-error").count(), 0)
    assert.equal(await page.locator(".frame .veil:not([hidden])").count(), 0)

    // An error of the vertex shader belongs to the vertex shader.
    await type(page, "attribute vec2 a_position;\n\nvoid main() { gl_Position = vec4(a_position, 0.0); }\n", "vertex")
    await page.waitForSelector("#messages li.error")
    assert.match(await page.textContent("#messages li.error .where"), /vertex:3/)
    await page.waitForSelector("#editor-vertex .cm-lintRange-error")
    assert.equal(await page.locator("#tab-fragment .count").count(), 0)
    await close()
})

test("uniforms are controls: a range and a colour from comments, moved by keyboard, and back", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, "precision mediump float;\nuniform float u_level; // [0, 1] = 0.2\nuniform vec3 u_tint; // color = 1, 1, 1\n" +
        "void main() { gl_FragColor = vec4(u_tint * u_level, 1.0); }\n")
    await colored(page, 200, 150, [51, 51, 51])
    const slider = page.locator("#fields-uniforms [data-uniform=u_level] input[type=range]")
    await slider.waitFor()
    assert.deepEqual([await slider.getAttribute("min"), await slider.getAttribute("max")], ["0", "1"])
    await slider.focus()
    await page.keyboard.press("End")
    await colored(page, 200, 150, [255, 255, 255])
    await page.locator("#fields-uniforms input[type=color]").fill("#0080ff")
    await colored(page, 200, 150, [0, 128, 255])
    await page.keyboard.press("Tab")
    await page.click("#fields-uniforms [data-uniform=u_tint] .reset")
    await colored(page, 200, 150, [255, 255, 255])
    assert.equal(await page.locator("#fields-uniforms input[type=color]").inputValue(), "#ffffff")
    await close()
})

test("a pixel tells how it got its colour, step by step", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, "precision mediump float;\nvarying vec2 v_place;\nuniform float u_level; // [0, 1] = 0.5\n" +
        "void main() {\n    float height = v_place.y * u_level;\n    gl_FragColor = vec4(height, 0.25, 0.5, 1.0);\n}\n")
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "400x300" && document.body.dataset.state === "ready")
    await colored(page, 200, 290, [0, 64, 128])
    const box = await page.locator("canvas").boundingBox()
    await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.2)
    await page.waitForSelector("#panel-pixel tr[data-step]")
    assert.equal(await page.getAttribute("#tab-pixel", "aria-selected"), "true")
    const [x, y] = (await page.getAttribute("#panel-pixel .pixel", "data-at")).split(",").map(Number)
    assert.ok(Math.abs(x - 200) <= 1 && Math.abs(y - 60) <= 1, `${x}, ${y}`)
    // What the steps end with is what the picture shows.
    const shown = await color(page, x, y)
    const told = (await page.getAttribute("#panel-pixel .pixel", "data-color")).split(",").map(Number)
    assert.deepEqual(told.slice(0, 3), shown.slice(0, 3))
    // Each step has its instruction; those of the shader's lines lead there, and name the variable.
    const rows = page.locator("#panel-pixel tr[data-step]")
    assert.ok(await rows.count() >= 4)
    const named = page.locator("#panel-pixel tr[data-line='5']", { hasText: "height" }).first()
    await named.hover()
    assert.match(await page.locator("#editor-fragment .cm-linked").textContent(), /float height/)
    // It follows the program.
    await page.locator("[data-uniform=u_level] input[type=range]").focus()
    await page.keyboard.press("Home")
    await page.waitForFunction(() => document.querySelector("#panel-pixel .pixel").dataset.color.startsWith("0,64,128"))
    await close()
})

test("a vertex tells what became of it, step by step", async () => {
    const { page, close } = await open()
    await ready(page)
    await example(page, "Cube")
    await page.waitForFunction(() => document.body.dataset.state === "ready")
    await page.click("#tab-pixel")
    await page.fill("#vertex-index", "7")
    await page.keyboard.press("Enter")
    await page.waitForSelector("#panel-pixel .pixel[data-at='vertex 7']")
    assert.equal(await page.evaluate(() => document.activeElement.id), "vertex-index") // the next number can be typed
    const rows = page.locator("#panel-pixel tr[data-step]")
    assert.ok(await rows.count() >= 10)
    // A step leads to its line in the vertex shader.
    await page.locator("#panel-pixel tr[data-line]").first().click()
    assert.equal(await page.getAttribute("#tab-vertex", "aria-selected"), "true")
    assert.equal(await page.locator("#editor-vertex .cm-linked").count(), 1)
    const steps = await page.locator("#panel-pixel .pixel .soft").first().textContent()
    await page.selectOption("#vertex-stage", "coordinate")
    await page.waitForFunction(before => document.querySelector("#panel-pixel .pixel .soft")?.textContent !== before, steps)
    // The cube has 36 vertices.
    await page.fill("#vertex-index", "36")
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => /36 vertices/.test(document.querySelector("#panel-pixel .notice").textContent))
    assert.ok(await page.isVisible("#panel-pixel .notice"))
    await close()
})

test("bars between the parts move by pointer and by key, are kept, and go back", async () => {
    const { page, close } = await open()
    await ready(page)
    const width = () => page.evaluate(() => document.querySelector("#source").getBoundingClientRect().width)
    const before = await width()
    const bar = await page.locator("#split-x").boundingBox()
    await page.mouse.move(bar.x + 4, bar.y + 300)
    await page.mouse.down()
    await page.mouse.move(bar.x - 96, bar.y + 310, { steps: 4 })
    await page.mouse.up()
    assert.ok(Math.abs(await width() - (before - 100)) < 3, `${before} became ${await width()}`)
    const high = () => page.evaluate(() => document.querySelector("canvas").getBoundingClientRect().height)
    await page.focus("#split-y")
    await page.keyboard.press("ArrowDown")
    const first = await high()
    await page.keyboard.press("ArrowDown")
    assert.ok(await high() > first + 10, "the picture grows with its part")
    assert.match(await page.getAttribute("#split-y", "aria-valuenow"), /^\d+$/)
    const set = [await width(), await high()]
    await page.reload()
    await ready(page)
    assert.deepEqual([await width(), await high()], set)
    await page.dblclick("#split-x")
    await page.focus("#split-y")
    await page.keyboard.press("Enter")
    assert.ok(Math.abs(await width() - before) < 2)
    await close()
})

test("a shared link opens the same program elsewhere", async () => {
    const { page, close } = await open("/", { permissions: ["clipboard-read", "clipboard-write"] })
    await ready(page)
    await example(page, "Knobs")
    await page.locator("[data-uniform=u_scale] input[type=range]").focus()
    await page.keyboard.press("Home")
    await page.locator("[data-uniform=u_softness] input[type=range]").press("End")
    await page.selectOption("[aria-label='Size']", "160x120")
    await page.click("#share")
    await page.waitForFunction(() => location.pathname.startsWith("/z/"))
    const url = page.url()
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "160x120")
    const before = await color(page, 80, 60)
    const text = await page.locator("#editor-fragment .cm-content").textContent()
    await close()

    const other = await open(url.slice(origin.length))
    await ready(other.page)
    await other.page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "160x120")
    assert.deepEqual(await color(other.page, 80, 60), before)
    assert.equal(await other.page.locator("#editor-fragment .cm-content").textContent(), text)
    assert.equal(await other.page.locator("[data-uniform=u_scale] input[type=range]").inputValue(), "1")
    await other.close()

    const lost = await open("/z/AAAAAAAAAAAA").catch(() => null)
    await lost?.leave()
})

test("a pinned version is compared with the one that is edited", async () => {
    const { page, close } = await open()
    await ready(page)
    await page.click("#tab-cost")
    const number = async name => page.$$eval("#comparison tr", (rows, name) => {
        const row = rows.find(row => row.cells[0]?.textContent === name)
        return [...row.cells].slice(1).map(cell => cell.textContent)
    }, name)
    await page.click("#pin")
    await page.waitForSelector("#comparison")
    assert.equal((await number("Instructions"))[2], "same")
    const [pinned] = await number("Instructions")
    await type(page, flat("1.0", "0.5", "0.0"))
    await page.waitForFunction(pinned => {
        const row = [...document.querySelectorAll("#comparison tr")].find(row => row.cells[0]?.textContent === "Instructions")
        return row && row.cells[1].textContent === pinned && row.cells[2].textContent !== pinned
    }, pinned)
    const [before, now, change] = await number("Instructions")
    assert.ok(Number(now) < Number(before))
    assert.match(change, /^−\d+ \(−\d+ %\)$/)
    await page.click("text=/Code: \\d+ instructions differ/")
    assert.ok(await page.locator(".differs .removed").count() > await page.locator(".differs .added").count())
    await page.click("text=Unpin")
    assert.equal(await page.locator("#comparison").count(), 0)
    await close()
})

test("code and source point at each other; words have documentation; figures name the bound", async () => {
    const { page, close } = await open()
    await ready(page)
    const row = page.locator("#panel-code tr[data-line='12']").first()
    await row.hover()
    assert.match(await page.locator("#editor-fragment .cm-linked").textContent(), /dot\(c, c\)/)
    // The line's colour is the same on both sides.
    const hue = (await row.getAttribute("class")).match(/hue-(\d+)/)[1]
    assert.equal(await page.locator(`#editor-fragment .cm-gutterElement.cm-hue-${hue}`, { hasText: /^12$/ }).count(), 1)
    await page.locator("#panel-code .op", { hasText: "fmul" }).first().hover()
    await page.waitForSelector("#tooltip:not([hidden])")
    assert.match(await page.textContent("#tooltip"), /fmul/)
    await page.locator("#panel-code .why").first().hover()
    assert.match(await page.textContent("#tooltip"), /Idle/)
    // From the source: the cursor's line is marked in the code.
    await page.locator("#editor-fragment .cm-line", { hasText: "vec3 color" }).click()
    await page.waitForFunction(() => document.querySelectorAll("#panel-code tr.linked").length > 0)
    const lines = await page.$$eval("#panel-code tr.linked", rows => [...new Set(rows.map(row => row.dataset.line))])
    assert.deepEqual(lines, ["14"])
    // A chosen instruction is described.
    await row.click()
    await page.waitForSelector("#panel-code .detail dl")
    assert.match(await page.textContent("#panel-code .detail"), /line 12/)

    await page.click("#tab-cost")
    assert.match(await page.textContent(".verdict"), /Bound by .*\d+ instructions/)
    assert.match(await page.textContent(".figures"), /Frame at 720p\d+(\.\d+)? ms/)
    assert.match(await page.textContent(".pressure .strong"), /peak \d+, line \d+/)
    await page.click("#tab-data")
    assert.ok(await page.locator("table[aria-label='Uniform stream of the fragment shader'] tr").count() > 20)
    assert.match(await page.textContent("table[aria-label='Shader state record']"), /Varyings2/)
    await page.locator("#stages label", { hasText: "coordinate" }).click()
    await page.click("#tab-code")
    assert.equal(await page.locator("table[aria-label='Code of the coordinate shader']").count(), 1)
    await close()
})

test("loops show as a graph; the intermediate form shows what each pass changed", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, "precision mediump float;\nvarying vec2 v_place;\nuniform int u_count; // [1, 400] = 20\n" +
        "void main() {\n    float sum = 0.0;\n    for (int k = 0; k < 500; k++) {\n        if (k >= u_count) break;\n" +
        "        sum += sin(v_place.x * float(k)) * 0.05;\n    }\n    gl_FragColor = vec4(sum, 0.0, 0.0, 1.0);\n}\n")
    await page.waitForFunction(() => document.body.dataset.state === "ready")
    await page.click("#tab-cost")
    assert.match(await page.textContent("#decisions"), /6loopstays a loop: .*500 iterations/)
    await page.click("#tab-flow")
    await page.waitForSelector("#panel-flow .edge.back")
    const nodes = page.locator("#panel-flow .node")
    assert.ok(await nodes.count() >= 3)
    await nodes.nth(1).focus()
    await page.keyboard.press("Enter")
    assert.equal(await page.getAttribute("#tab-code", "aria-selected"), "true")
    assert.equal(await page.locator("#panel-code tr.chosen").count(), 1)

    await page.click("#tab-ir")
    await page.waitForSelector("#panel-ir [role=option]")
    const names = await page.$$eval("#panel-ir [role=option] span:first-child", all => all.map(one => one.textContent))
    assert.ok(names.length > 5)
    await page.locator("#panel-ir [role=option]").nth(1).click()
    await page.waitForSelector("#panel-ir .added, #panel-ir .removed")
    await page.locator("#panel-ir .steps").focus()
    await page.keyboard.press("ArrowDown")
    assert.equal(await page.getAttribute("#pass-2", "aria-selected"), "true")
    const near = await page.locator("#panel-ir .added, #panel-ir .removed").count()
    await page.selectOption("[aria-label=Differences]", "0")
    await page.locator("#panel-ir [role=option]").last().click()
    assert.ok(await page.locator("#panel-ir .added, #panel-ir .removed").count() > near)
    await page.selectOption("[aria-label=Differences]", "")
    assert.equal(await page.locator("#panel-ir .added").count(), 0)
    assert.ok((await page.textContent("#panel-ir .irtext")).length > 100)
    await close()
})

test("thousands of instructions are shown as they are needed; typing over coloured lines is no one's complaint", async () => {
    const { page, close } = await open()
    await ready(page)
    await page.click("#editor-fragment .cm-content")
    await page.keyboard.press("Control+A")
    const line = (_, k) => `    x += sin(x * ${k}.5 + u_time) * cos(v_place.y * ${k}.25);`
    await page.keyboard.insertText("precision highp float;\nvarying vec2 v_place;\nuniform float u_time;\nvoid main() {\n    float x = v_place.x;\n" +
        Array.from({ length: 60 }, line).join("\n") + "\n    gl_FragColor = vec4(fract(x));\n}\n")
    await ready(page)
    await page.waitForFunction(() => Number(document.querySelector(".code-table").getAttribute("aria-rowcount")) > 1000)
    const count = Number(await page.getAttribute(".code-table", "aria-rowcount"))
    assert.ok(await page.locator(".code-table tbody tr").count() < 400)
    await page.focus("#i0")
    await page.keyboard.press("End")
    assert.equal(await page.evaluate(() => document.activeElement.id), `i${count - 1}`)
    assert.ok(await page.locator(`#i${count - 1}`).isVisible())
    await page.keyboard.press("Home")
    assert.equal(await page.evaluate(() => document.activeElement.id), "i0")
    await page.locator(".code-table").hover()
    await page.mouse.wheel(0, 6000)
    await page.waitForFunction(() => Number(document.querySelector(".code-table tr[data-index]").dataset.index) > 100)
    // A source line far away, chosen in the editor, comes into sight.
    await page.click("#editor-fragment .cm-content")
    await page.keyboard.press("Control+End")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    await page.waitForSelector(".code-table tr.linked")
    await page.keyboard.press("Control+A")
    await page.keyboard.type("void main() { gl_FragColor = vec4(0.0, 1.0, 1.0, 1.0); }")
    await colored(page, 200, 150, [0, 255, 255])
    await close()
})

test("an old answer never overwrites a newer one", async () => {
    const { page, close } = await open()
    await ready(page)
    let held = 0
    await page.route("**/api/render", async route => {
        // The red picture's answer is late.
        if (route.request().postData().includes("vec4(1.0, 0.0, 0.0") && held++ < 4) await new Promise(done => setTimeout(done, 1500))
        await route.continue()
    })
    await page.evaluate(() => {
        const canvas = document.querySelector("canvas")
        window.seen = []
        for (const name of ["drawImage", "putImageData"]) { // a coarse picture, a whole one
            const draw = CanvasRenderingContext2D.prototype[name]
            CanvasRenderingContext2D.prototype[name] = function (...all) {
                const result = draw.apply(this, all)
                if (this.canvas === canvas) window.seen.push([...this.getImageData(200, 150, 1, 1).data].slice(0, 3).join())
                return result
            }
        }
    })
    await type(page, flat("1.0", "0.0", "0.0"))
    while (held === 0) await page.waitForTimeout(20)
    await type(page, flat("0.0", "0.0", "1.0"))
    await colored(page, 200, 150, [0, 0, 255])
    await page.waitForTimeout(2000)
    const seen = await page.evaluate(() => window.seen)
    assert.ok(!seen.includes("255,0,0"), seen.join(" "))
    assert.equal(seen.at(-1), "0,0,255")
    await close()
})

test("where the page has no machine the service draws, and a slow picture comes coarse first", async () => {
    const { page, close } = await open("/", { without: "WebAssembly" })
    await ready(page)
    assert.equal(await page.getAttribute("body", "data-machine"), "service")
    const sizes = []
    await page.route("**/api/render", async route => {
        sizes.push(JSON.parse(route.request().postData()).size)
        await new Promise(done => setTimeout(done, 150))
        await route.continue()
    })
    // By this picture the page learns that pictures are slow.
    await type(page, flat("0.5", "0.0", "0.0"))
    await colored(page, 200, 150, [128, 0, 0])
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "400x300" && !document.querySelector(".frame.busy"))
    sizes.length = 0
    await type(page, flat("0.0", "0.5", "0.0"))
    await colored(page, 200, 150, [0, 128, 0])
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "400x300")
    assert.ok(sizes.includes("100x75"), sizes.join())
    assert.equal(sizes.at(-1), "400x300")
    await close()
})

test("time runs, stops, steps and returns", async () => {
    const { page, close } = await open()
    await ready(page)
    const clock = async () => parseFloat(await page.textContent("#clock"))
    const start = await clock()
    await page.click("#play")
    assert.equal(await page.getAttribute("#play", "aria-label"), "Pause")
    await page.waitForFunction(start => parseFloat(document.querySelector("#clock").textContent) > start + 0.4, start)
    await page.click("#play")
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "400x300" && !document.querySelector(".frame.busy"))
    const stopped = await clock()
    await page.waitForTimeout(300)
    assert.equal(await clock(), stopped)
    await page.click("#step")
    await page.waitForFunction(stopped => parseFloat(document.querySelector("#clock").textContent) > stopped, stopped)
    assert.ok(Math.abs(await clock() - stopped - 1 / 30) < 0.011)
    await page.click("#rewind")
    await page.waitForFunction(() => document.querySelector("#clock").textContent === "0.00 s")
    await close()
})

test("every example is drawn", async () => {
    const { page, close } = await open()
    await ready(page)
    const titles = await page.$$eval("#example option", options => options.map(option => option.textContent))
    assert.ok(titles.length >= 12)
    for (const title of titles) {
        await page.evaluate(() => { document.body.dataset.state = ""; delete document.querySelector("canvas").dataset.drawn })
        await example(page, title)
        await page.waitForFunction(() => {
            const { width, height, dataset } = document.querySelector("canvas")
            return document.body.dataset.state === "ready" && dataset.drawn === `${width}x${height}`
        }).catch(async () => assert.fail(`${title}: ${await page.textContent("#status")} ${await page.textContent("#messages")}`))
        const kinds = await page.evaluate(() => {
            const canvas = document.querySelector("canvas")
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
            const seen = new Set()
            for (let k = 0; k < data.length; k += 4 * 97) seen.add(data[k] << 16 | data[k + 1] << 8 | data[k + 2])
            return seen.size
        })
        assert.ok(kinds > 2, `${title} has ${kinds} colours`)
    }
    await close()
})

test("Shadertoy's pointer moves what depends on it", async () => {
    const { page, close } = await open()
    await ready(page)
    await example(page, "Rings (Shadertoy)")
    await type(page, "void mainImage(out vec4 c, in vec2 p) { c = vec4(iMouse.xy / iResolution.xy, 0.0, 1.0); }\n")
    await colored(page, 200, 150, [0, 0, 0])
    const box = await page.locator("canvas").boundingBox()
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.5)
    await page.mouse.down()
    await page.mouse.up()
    await colored(page, 200, 150, [192, 127, 0])
    // Where it went down, positive while it is down, and as it goes down.
    await type(page, "void mainImage(out vec4 c, in vec2 p) { c = vec4(step(0.0, iMouse.zw), abs(iMouse.z) / iResolution.x, 1.0); }\n")
    await colored(page, 200, 150, [0, 0, 192])
    await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.5)
    await page.mouse.down()
    await colored(page, 200, 150, [255, 255, 192])
    await page.mouse.move(box.x + box.width * 0.25, box.y + box.height * 0.5)
    await colored(page, 200, 150, [255, 0, 192])
    await page.mouse.up()
    await colored(page, 200, 150, [0, 0, 192])
    // Its lines are counted as they were typed.
    await type(page, "void mainImage(out vec4 c, in vec2 p) {\n    float x = 1.0;\n    c = vec4(wrong);\n}\n")
    await page.waitForSelector("#messages li.error")
    assert.match(await page.textContent("#messages li.error .where"), /fragment:3/)
    await close()
})

test("textures and meshes come from files; state changes the code and the picture", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, "precision mediump float;\nuniform sampler2D u_picture;\nvarying vec2 v_place;\n" +
        "void main() { gl_FragColor = texture2D(u_picture, v_place * 0.5 + 0.5); }\n")
    const picker = page.locator("#fields-textures input[type=file]")
    await picker.waitFor({ state: "attached" })
    const green = await page.evaluate(async () => {
        const canvas = document.createElement("canvas")
        canvas.width = canvas.height = 8
        const context = canvas.getContext("2d")
        context.fillStyle = "rgb(0, 200, 100)"
        context.fillRect(0, 0, 8, 8)
        return canvas.toDataURL("image/png").split(",")[1]
    })
    await picker.setInputFiles({ name: "green.png", mimeType: "image/png", buffer: Buffer.from(green, "base64") })
    await colored(page, 200, 150, [0, 200, 100])
    assert.equal(await page.locator("[aria-label='u_picture picture']").inputValue(), "upload")

    await type(page, flat("1.0", "0.5", "0.25"))
    await colored(page, 200, 150, [255, 128, 64])
    await ready(page)
    await page.click("#section-state summary")
    await page.locator("[aria-label='Clear colour']").fill("#808080")
    await page.selectOption("[aria-label='Blend']", "multiply")
    await colored(page, 200, 150, [128, 64, 32])
    await page.waitForFunction(() => document.querySelector(".code-table")?.textContent.includes("loadc"))
    await page.selectOption("[aria-label='Blend']", "off")
    await colored(page, 200, 150, [255, 128, 64])

    // A triangle that covers the lower left.
    await page.locator("[aria-label='Mesh upload']").setInputFiles({ name: "half.obj", mimeType: "text/plain",
        buffer: Buffer.from("v -1 -1 0\nv 1 -1 0\nv -1 1 0\nf 1 2 3\n") })
    await page.waitForFunction(() => {
        const context = document.querySelector("canvas").getContext("2d")
        const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3).join()
        return at(398, 2) === "128,128,128" && at(150, 220) === "255,128,64"
    })
    await close()
})

test("the keyboard is enough", async () => {
    const { page, close } = await open()
    await ready(page)
    await page.keyboard.press("Tab") // the link past the editors
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip")
    const reached = new Set()
    for (let k = 0; k < 60; k++) {
        await page.keyboard.press("Tab")
        const name = await page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute("aria-label") || document.activeElement.tagName)
        if (name === "editor-fragment") await page.keyboard.press("Escape") // then Tab leaves the editor
        reached.add(name)
        if (reached.has("tab-code")) break
    }
    for (const id of ["example", "level", "policy", "share", "theme", "tab-fragment", "editor-fragment", "play", "step", "Mesh", "tab-code"])
        assert.ok(reached.has(id), `${id} is reached: ${[...reached].join(", ")}`)
    // Tabs by arrows, rows by arrows.
    await page.keyboard.press("ArrowRight")
    assert.equal(await page.getAttribute("#tab-cost", "aria-selected"), "true")
    await page.keyboard.press("Home")
    assert.equal(await page.getAttribute("#tab-code", "aria-selected"), "true")
    await page.focus("#i0")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    assert.equal(await page.evaluate(() => document.activeElement.id), "i2")
    await page.waitForSelector("#panel-code .detail dl")
    // A pixel by arrows and Enter.
    await page.focus("canvas")
    await page.keyboard.press("Shift+ArrowRight")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.waitForSelector("#panel-pixel .pixel[data-at]")
    assert.equal(await page.getAttribute("#panel-pixel .pixel", "data-at"), "210,151")
    // Help opens, closes, and gives the focus back.
    await page.focus("#help")
    await page.keyboard.press("Enter")
    assert.ok(await page.isVisible("dialog.help"))
    await page.keyboard.press("Escape")
    assert.ok(!await page.isVisible("dialog.help"))
    assert.equal(await page.evaluate(() => document.activeElement.id), "help")
    // Completion.
    await page.click("#tab-fragment")
    await page.click("#editor-fragment .cm-content")
    await page.keyboard.press("Control+End")
    await page.keyboard.type("float smo")
    // "float" has completions of its own, which may still be shown.
    await page.waitForSelector("#editor-fragment .cm-tooltip-autocomplete li:has-text('smoothstep')")
    await close()
})

test("everything that takes input has a name, every reference an end, every text its contrast", async () => {
    for (const colorScheme of ["light", "dark"]) {
        const { page, close } = await open("/", { colorScheme })
        await ready(page)
        await example(page, "Knobs")
        await page.waitForSelector("[data-uniform=u_dots]")
        await page.click("#section-state summary")
        for (const tab of ["code", "cost", "data", "ir"]) {
            await page.click(`#tab-${tab}`)
            const wrong = await page.evaluate(() => {
                const wrong = []
                const visible = element => element.checkVisibility()
                for (const element of document.querySelectorAll("button, input, select, canvas, [role=tab], [tabindex='0']")) {
                    if (!visible(element)) continue
                    const name = element.getAttribute("aria-label") ?? (element.textContent.trim() || element.closest("label")?.textContent.trim())
                        ?? document.getElementById(element.getAttribute("aria-labelledby") ?? "")?.textContent
                    if (!name && !element.getAttribute("aria-labelledby")) wrong.push(`no name: ${element.outerHTML.slice(0, 120)}`)
                }
                for (const attribute of ["aria-controls", "aria-labelledby", "aria-describedby", "aria-activedescendant"])
                    for (const element of document.querySelectorAll(`[${attribute}]`))
                        if (!document.getElementById(element.getAttribute(attribute))) wrong.push(`${attribute}=${element.getAttribute(attribute)}`)
                const ids = [...document.querySelectorAll("[id]")].map(element => element.id)
                for (const [k, id] of ids.entries()) if (ids.indexOf(id) !== k) wrong.push(`two of #${id}`)
                // Contrast: WCAG's ratio of each text to what is painted under it.
                const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
                const rgba = text => {
                    canvas.clearRect(0, 0, 1, 1)
                    canvas.fillStyle = text
                    canvas.fillRect(0, 0, 1, 1)
                    return [...canvas.getImageData(0, 0, 1, 1).data]
                }
                const light = ([r, g, b]) => {
                    const [x, y, z] = [r, g, b].map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
                    return 0.2126 * x + 0.7152 * y + 0.0722 * z
                }
                const under = element => {
                    for (let at = element; at; at = at.parentElement) {
                        const back = rgba(getComputedStyle(at).backgroundColor)
                        if (back[3] > 250) return back
                    }
                    return [255, 255, 255, 255]
                }
                const seen = new Set()
                for (const element of document.querySelectorAll("body *")) {
                    if (!visible(element) || element.closest("svg, [disabled], .why, .visually-hidden, .skip, .absent")) continue
                    if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue
                    const style = getComputedStyle(element)
                    const [a, b] = [light(rgba(style.color)), light(under(element))].sort((x, y) => y - x)
                    const ratio = (a + 0.05) / (b + 0.05)
                    const key = `${element.tagName}.${element.className} ${style.color}`
                    if (ratio < 4.4 && !seen.has(key)) {
                        seen.add(key)
                        wrong.push(`contrast ${ratio.toFixed(2)}: ${key} ${element.textContent.slice(0, 20)}`)
                    }
                }
                return wrong
            })
            assert.deepEqual(wrong, [], `${colorScheme}, ${tab}`)
        }
        await close()
    }
})

test("at phone width everything is there, nothing sticks out, and it works by touch", async () => {
    const { page, close } = await open("/", { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true })
    await ready(page)
    for (const tab of ["code", "cost", "data", "flow", "ir", "pixel"]) {
        await page.tap(`#tab-${tab}`)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        assert.ok(wide <= 360, `${tab}: ${wide} px wide`)
    }
    await page.tap(".dock a[href='#stage']")
    await page.waitForFunction(() => Math.abs(document.querySelector("#stage").getBoundingClientRect().top) < 60)
    await page.tap("canvas")
    await page.waitForSelector("#panel-pixel .pixel[data-at]")
    await page.tap(".dock a[href='#source']")
    await page.tap("#tab-vertex")
    assert.ok(await page.isVisible("#editor-vertex"))
    await close()
})

test("without the service the page says so, and goes on when it is back", async () => {
    const { page, complaints, leave } = await open()
    await ready(page)
    await page.route("**/api/**", route => route.abort())
    await type(page, flat("1.0", "1.0", "0.0"))
    await page.waitForFunction(() => /does not answer/.test(document.querySelector("#status").textContent))
    await page.unroute("**/api/**")
    await colored(page, 200, 150, [255, 255, 0])
    await page.waitForFunction(() => /instructions/.test(document.querySelector("#status").textContent))
    // Nothing but the requests that failed.
    assert.deepEqual(complaints.filter(text => !/Failed to load resource/.test(text)), [])
    await leave()
})

test("dark and light are chosen by the system, then by the user, who is remembered", async () => {
    const { page, close } = await open("/", { colorScheme: "dark" })
    await ready(page)
    const paper = () => page.evaluate(() => getComputedStyle(document.querySelector(".source")).backgroundColor)
    const dark = await paper()
    await page.click("#theme")
    const light = await paper()
    assert.notEqual(light, dark)
    await type(page, flat("0.5", "0.0", "0.5"))
    await colored(page, 200, 150, [128, 0, 128])
    await page.waitForFunction(() => localStorage.getItem("qpucc-playground")?.includes("vec4(0.5, 0.0, 0.5"))
    await page.reload()
    await ready(page)
    assert.equal(await paper(), light)
    assert.match(await page.locator("#editor-fragment .cm-content").textContent(), /vec4\(0.5, 0.0, 0.5/) // the work, too
    await close()
})

test("the report of qpucc explain --html is one file that needs nothing else", async () => {
    const vertex = join(folder, "a.vert"), fragment = join(folder, "b & <c>.frag"), report = join(folder, "report.html")
    writeFileSync(vertex, "attribute vec2 a_position;\nvarying vec2 v_place;\nvoid main() { v_place = a_position; gl_Position = vec4(a_position, 0.0, 1.0); }\n")
    writeFileSync(fragment, "// </script><b>x</b> <!-- \u00e4\nprecision mediump float;\nvarying vec2 v_place;\nuniform float u_level;\n" +
        "void main() {\n    float height = sin(v_place.y * u_level);\n    gl_FragColor = vec4(height, v_place, 1.0);\n}\n")
    const made = spawnSync(qpucc, ["explain", "--html", report, "--passes", vertex, fragment])
    assert.equal(made.status, 0, String(made.stderr))
    const { page, close } = await open(pathToFileURL(report).href)
    assert.ok((await page.title()).endsWith("b & <c>.frag"))
    assert.equal(await page.locator(".listing-source li", { hasText: "</script><b>x</b> <!-- \u00e4" }).count(), 1)
    const row = page.locator("#panel-code tr[data-line='6']").first()
    await row.hover()
    assert.match(await page.locator(".listing-source .linked").textContent(), /float height/)
    await page.locator("#panel-code .op", { hasText: "fmul" }).first().hover()
    await page.waitForSelector("#tooltip:not([hidden])")
    await page.locator(".listing-source li", { hasText: "gl_FragColor" }).click()
    assert.deepEqual(await page.$$eval("#panel-code tr.linked", rows => [...new Set(rows.map(row => row.dataset.line))]), ["7"])
    await page.click("#tab-cost")
    assert.match(await page.textContent(".verdict"), /Bound by/)
    await page.click("#tab-data")
    assert.match(await page.textContent("#panel-data"), /u_level/)
    await page.click("#tab-ir")
    assert.ok(await page.locator("#panel-ir [role=option]").count() > 3)
    await page.locator("#stages label", { hasText: "vertex" }).click()
    await page.click("#tab-code")
    assert.equal(await page.locator("table[aria-label='Code of the vertex shader']").count(), 1)
    // The machine is in the file where the build has one.
    if (await page.locator("#tab-picture").count()) {
        await page.click("#tab-picture")
        await page.waitForFunction(() => document.querySelector("canvas")?.dataset.drawn === "400x300")
        const before = await color(page, 300, 100)
        await page.locator("#panel-picture input[type=range]").first().focus()
        for (let k = 0; k < 4; k++) await page.keyboard.press("PageUp")
        assert.notDeepEqual(await color(page, 300, 100), before)
        await page.locator("#panel-picture canvas").click({ position: { x: 300, y: 100 } })
        await page.waitForSelector("#panel-pixel tr[data-step]")
        assert.match(await page.textContent("#panel-pixel"), /height/)
    }
    await page.setViewportSize({ width: 360, height: 740 })
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360)
    await close()
})

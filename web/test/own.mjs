// What the page says belongs together, nothing of the user's is lost, and everybody can use it: node own.mjs QPUCC MODULES
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import test, { after } from "node:test"
import { color, colored, example, modules, open, ready, stop, type } from "./harness.mjs"

after(stop)

const flat = (r, g, b) => `precision mediump float;\nvoid main() {\n    gl_FragColor = vec4(${r}, ${g}, ${b}, 1.0);\n}\n`
const heavy = "precision highp float;\nvarying vec2 v_place;\nuniform float u_x; // [0, 1] = 0.5\nvoid main() {\n    float s = u_x;\n" +
    "    for (int i = 0; i < 20; i++) s = sin(s + v_place.x) + cos(s * v_place.y);\n    gl_FragColor = vec4(0.0, 0.0, 1.0 + abs(s), 1.0);\n}\n"
const status = page => page.textContent("#status")
const both = /^(\d+) instructions · [\d.]+ ms on the chip$/
const settled = page => page.waitForFunction(() => document.body.dataset.state === "ready" && / ms on the chip$/.test(document.querySelector("#status").textContent))

// Answers of a route wait until they are let go.
async function held(page, route) {
    let let_go
    const gate = new Promise(done => { let_go = done })
    await page.route(route, async answer => { await gate; await answer.continue() })
    return async () => {
        let_go()
        await page.unroute(route, { behavior: "wait" })
    }
}

test("counters stand beside the code that they belong to, whichever answer comes first", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, flat("1.0", "0.0", "0.0"))
    await colored(page, 200, 150, [255, 0, 0])
    await settled(page)
    const red = await status(page)
    assert.match(red, both)

    // The picture is there, its code is not.
    const compile = await held(page, "**/api/compiler/**")
    await type(page, heavy)
    await colored(page, 200, 150, [0, 0, 255])
    await page.waitForFunction(before => document.querySelector("#status").textContent !== before, red) // after the coarse picture
    assert.equal(await status(page), `${both.exec(red)[1]} instructions`)
    await page.click("#tab-cost")
    const batch = () => page.locator("#panel-cost .figure", { hasText: "Cycles of a batch" }).textContent()
    assert.doesNotMatch(await batch(), /as drawn/)
    await compile()
    await settled(page)
    const blue = await status(page)
    assert.notEqual(both.exec(blue)[1], both.exec(red)[1])
    assert.match(await batch(), /as drawn/)

    // The code is there, its picture is not. A machine in the page draws without the service: then there is nothing to hold.
    const render = await held(page, "**/api/render")
    await type(page, flat("1.0", "0.0", "0.0"))
    await page.waitForFunction(count => document.querySelector("#status").textContent.startsWith(`${count} instructions`), both.exec(red)[1])
    if ((await color(page, 200, 150))[0] !== 255) {
        assert.equal(await status(page), `${both.exec(red)[1]} instructions`)
        assert.doesNotMatch(await batch(), /as drawn/)
    }
    await render()
    await settled(page)
    assert.equal(await status(page), red)

    // Another example: nothing is said of it before something is known.
    const all = [await held(page, "**/api/compiler/**"), await held(page, "**/api/render")]
    await example(page, "Phong")
    assert.doesNotMatch(await status(page), /instructions|ms/)
    for (const one of all) await one()
    await settled(page)
    assert.notEqual(await status(page), red)
    await close()
})

const source = page => page.locator("#editor-fragment .cm-content").innerText()
const chosen = page => page.$eval("#example", list => list.selectedOptions[0].textContent)
const titles = page => page.$$eval("#example option", options => options.map(option => option.textContent))

test("what the user made stays: in the list, after undo, after a reload, beside a shared program", async () => {
    const { page, close } = await open()
    await ready(page)
    assert.equal(await chosen(page), "Plasma")
    const examples = await titles(page)
    await type(page, flat("0.0", "1.0", "0.0"))
    await colored(page, 200, 150, [0, 255, 0])
    assert.equal(await chosen(page), "Plasma (yours)")
    assert.deepEqual(await titles(page), ["Plasma (yours)", ...examples])

    // An example over it, and back by the list.
    await example(page, "Gradient")
    assert.equal(await chosen(page), "Gradient")
    assert.doesNotMatch(await source(page), /vec4\(0\.0, 1\.0, 0\.0/)
    await example(page, "Plasma (yours)")
    assert.match(await source(page), /vec4\(0\.0, 1\.0, 0\.0/)
    await colored(page, 200, 150, [0, 255, 0])

    // By undo, one step at a time however fast they followed.
    await example(page, "Gradient")
    await page.click("#editor-fragment .cm-content")
    await page.keyboard.press("Control+Z")
    await page.waitForFunction(() => document.querySelector("#example").selectedOptions[0].textContent === "Gradient (yours)")
    assert.match(await source(page), /vec4\(0\.0, 1\.0, 0\.0/)

    // A second one of the same example has a name of its own; a slider is work, too.
    await example(page, "Plasma")
    await type(page, flat("1.0", "1.0", "0.0"))
    await colored(page, 200, 150, [255, 255, 0])
    assert.equal(await chosen(page), "Plasma (yours 2)")
    await example(page, "Knobs")
    await settled(page)
    await page.locator("#fields-uniforms input[type=range]").first().focus()
    await page.keyboard.press("End")
    await page.waitForFunction(() => document.querySelector("#example").selectedOptions[0].textContent === "Knobs (yours)")

    // After a reload everything is there.
    await example(page, "Plasma (yours 2)")
    await colored(page, 200, 150, [255, 255, 0])
    await page.waitForFunction(() => JSON.parse(localStorage.getItem("qpucc-playground"))?.title === "Plasma (yours 2)"
        && JSON.parse(localStorage.getItem("qpucc-playground-works"))?.some(work => work.title === "Knobs (yours)"))
    await page.reload()
    await ready(page)
    assert.equal(await chosen(page), "Plasma (yours 2)")
    await colored(page, 200, 150, [255, 255, 0])
    assert.deepEqual((await titles(page)).slice(0, 4).sort(), ["Gradient (yours)", "Knobs (yours)", "Plasma (yours 2)", "Plasma (yours)"].sort())

    // A shared program is not the user's until it is changed, and takes no place of theirs.
    await page.click("#share")
    await page.waitForFunction(() => location.pathname.startsWith("/z/"))
    const link = await page.evaluate(() => location.pathname)
    await page.goto(new URL(link, page.url()).href)
    await ready(page)
    assert.equal(await chosen(page), "Plasma (shared)")
    await type(page, flat("0.0", "1.0", "1.0"))
    await colored(page, 200, 150, [0, 255, 255])
    assert.equal(await chosen(page), "Plasma (yours 3)")
    await example(page, "Plasma (yours 2)")
    await colored(page, 200, 150, [255, 255, 0])
    await close()
})

test("the list says no example over other code, whatever an older page has kept", async () => {
    const { page, close } = await open()
    await ready(page)
    await page.waitForFunction(() => localStorage.getItem("qpucc-playground")) // or the page would write over it
    await page.evaluate(fragment => {
        const kept = JSON.parse(localStorage.getItem("qpucc-playground"))
        localStorage.setItem("qpucc-playground", JSON.stringify({ ...kept, title: "Plasma", fragment }))
        localStorage.setItem("qpucc-playground-works", "nonsense")
    }, flat("1.0", "0.0", "1.0"))
    await page.reload()
    await ready(page)
    await colored(page, 200, 150, [255, 0, 255])
    assert.equal(await chosen(page), "Plasma (yours)")
    await close()
})

test("a vector's sliders say which component they move", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, "precision mediump float;\nuniform vec3 u_place; // [0, 1] = 0.5, 0.25, 1\nvoid main() { gl_FragColor = vec4(u_place, 1.0); }\n")
    await page.waitForSelector("#fields-uniforms [data-uniform=u_place]")
    assert.deepEqual(await page.$$eval("#fields-uniforms [data-uniform=u_place] .component", all => all.map(one => one.textContent)), ["x", "y", "z"])
    await close()
})

test("steps of a vertex shader that nobody wrote have no lines", async () => {
    const { page, close } = await open()
    await ready(page)
    await example(page, "Rings (Shadertoy)")
    await settled(page)
    await page.locator("canvas").focus()
    await page.keyboard.press("Enter")
    await page.waitForSelector("#panel-pixel tr[data-step][data-line]")
    await page.fill("#panel-pixel input[type=number]", "2")
    await page.keyboard.press("Enter")
    await page.waitForFunction(() => /vertex/i.test(document.querySelector("#panel-pixel").textContent)
        && document.querySelector("#panel-pixel tr[data-step]") && !document.querySelector("#panel-pixel tr[data-line]"))
    await close()
})

test("an unknown link shows the page, which says so", async () => {
    const context = await open("/z/abcdefghijkl")
    await context.page.waitForFunction(() => /no permalink/.test(document.querySelector("#status").textContent))
    assert.equal(context.response.status(), 404)
    assert.equal(await chosen(context.page), "Plasma")
    await context.leave() // the browser complains of the 404
})

test("axe finds nothing against WCAG 2.1 AA: all tabs, light and wide, dark and narrow", async () => {
    const found = []
    const axe = readFileSync(join(modules, "axe-core/axe.min.js"), "utf8")
    for (const [colorScheme, width] of [["light", 1440], ["dark", 390]]) {
        const { page, close } = await open("/", { colorScheme, viewport: { width, height: 900 } })
        await ready(page)
        await settled(page)
        assert.match(await page.textContent(".about"), /shader/)
        await page.evaluate(axe)
        // All of the page once, then the part that is another.
        const look = async (where, part) => {
            const faults = await page.evaluate(async part => {
                const { violations } = await window.axe.run(part ?? document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] })
                return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(node => `${node.target.join(" ")} ${node.failureSummary}`).join("; ")}`)
            }, part)
            found.push(...faults.map(fault => `${colorScheme}, ${width} px, ${where}: ${fault}`))
        }
        for (const tab of ["code", "cost", "compare", "data", "flow", "ir"]) {
            await page.click(`#tab-${tab}`)
            await page.waitForSelector(`#panel-${tab} > :not([hidden])`)
            await look(tab, tab === "code" ? undefined : "#panels")
        }
        await page.locator("canvas").focus()
        await page.keyboard.press("Enter")
        await page.waitForSelector("#panel-pixel tr[data-step]")
        await look("steps", "#panels")
        await page.click("#tab-code")
        await page.click("#help")
        await look("help", "dialog[open]")
        await page.keyboard.press("Escape")
        await type(page, "void main() { oops }")
        await page.waitForSelector("#messages li.error")
        await look("an error", "#source")
        await close()
    }
    assert.deepEqual(found, [])
})

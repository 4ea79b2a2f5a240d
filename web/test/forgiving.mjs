// What comes from elsewhere works: shaders that are pasted, options, links: node forgiving.mjs QPUCC MODULES
import assert from "node:assert/strict"
import test, { after } from "node:test"
import { color, colored, differs, example, open, picture, ready, shows, stop, type } from "./harness.mjs"

after(stop)

const source = (page, which = "fragment") => page.evaluate(which =>
    document.querySelector(`#editor-${which}`).shadowRoot.querySelector(".cm-content").innerText, which)
const said = page => page.textContent("#adapted:not([hidden]) p")
const settled = page => page.waitForFunction(() => document.body.dataset.state === "ready" && !document.querySelector(".veil:not([hidden])"))

test("a Shadertoy goes over the landing page's example, with one line that says so, its own lines and an undo", async () => {
    const { page, close } = await open()
    await ready(page)
    const plasma = await source(page, "vertex")
    assert.match(plasma, /v_place/)
    await type(page, "// a gradient\nvoid mainImage(out vec4 c, in vec2 p) {\n    c = vec4(p / iResolution.xy,\n        0.0, 1.0);\n}\n")
    await colored(page, 200, 149, [128, 128, 0])
    assert.equal(await said(page), "Shadertoy: it needs no vertex shader.")
    assert.equal((await source(page, "vertex")).trim(), "")
    // No instruction is of a line that the text does not have.
    await settled(page)
    const lines = await page.$$eval("#panel-code tr[data-line]", rows => rows.map(row => Number(row.dataset.line)))
    assert.ok(lines.length && lines.every(line => line <= 5), String(lines))
    await page.click("#adapted-undo")
    assert.equal(await source(page, "vertex"), plasma)
    // It has errors as it is, but who undid the change is not offered it again.
    await page.waitForFunction(() => document.body.dataset.state === "error")
    assert.ok(await page.isHidden("#adapted"))
    await close()
})

test("glslsandbox over a mesh is a full picture, and the pointer is what it calls mouse", async () => {
    const { page, close } = await open()
    await ready(page)
    await example(page, "Phong")
    await settled(page)
    await type(page, "#ifdef GL_ES\nprecision mediump float;\n#endif\n\n#extension GL_OES_standard_derivatives : enable\n\nuniform vec2 mouse, resolution;\n"
        + "void main(void) { gl_FragColor = vec4(mouse, gl_FragCoord.x / resolution.x, 1.0); }\n")
    await colored(page, 200, 150, [128, 128, 128])
    assert.equal(await said(page), "glslsandbox: its #extension was moved to the top, it is drawn on a quad and it needs no vertex shader.")
    const box = await page.locator("canvas").boundingBox()
    await page.mouse.click(box.x + box.width * 0.75, box.y + box.height * 0.75)
    await colored(page, 200, 150, [191, 64, 128])
    assert.equal(await page.locator("#fields-uniforms [data-uniform]").count(), 0)
    await close()
})

test("what is typed is recognised once it has errors, and adapted only if one wants that", async () => {
    const { page, close } = await open()
    await ready(page)
    await type(page, "void mainImage(out vec4 c, vec2 p)")
    await page.keyboard.insertText("{ c = vec4(p / iResolution.xy, ")
    await page.keyboard.insertText("0.0, 1.0); }")
    await page.waitForSelector("#adapted-take")
    assert.equal(await said(page), "This looks like Shadertoy. It can be made to go with the rest.")
    assert.notEqual(await source(page, "vertex"), "")
    await page.click("#adapted-take")
    await colored(page, 200, 149, [128, 128, 0])
    assert.equal(await said(page), "Shadertoy: it needs no vertex shader.")
    await close()
})

test("three.js: its names are declared in lines that one sees", async () => {
    const { page, close } = await open()
    await ready(page)
    await example(page, "Cube")
    await settled(page)
    await type(page, "varying vec3 vNormal;\nvoid main() {\n    vNormal = normal;\n    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);\n}\n", "vertex")
    await page.waitForSelector("#adapted:not([hidden])")
    await settled(page)
    assert.match(await said(page), /^three\.js: 4 declarations were put before it and the fragment shader was replaced/)
    assert.match(await source(page, "vertex"), /^uniform mat4 modelViewMatrix;/)
    await type(page, "varying vec3 vNormal;\nvoid main() { gl_FragColor = vec4(abs(vNormal), 1.0); }\n")
    await settled(page)
    assert.match(await said(page), /^GLSL: a line was put before it\.$/)
    assert.notDeepEqual(await color(page, 200, 150), await color(page, 2, 2))
    // Chunks: what is known is written out, of others the message says what to do.
    await type(page, "#include <common>\n#include <fog_pars_fragment>\nvarying vec3 vNormal;\nvoid main() { gl_FragColor = vec4(saturate(vNormal), PI / 4.0); }\n")
    await page.waitForFunction(() => /^three\.js: common and fog_pars_fragment were written out; a line was put before it\.$/.test(document.querySelector("#adapted p")?.textContent ?? ""))
    assert.match(await source(page, "fragment"), /^precision highp float;\s+#define PI 3\.14159265\s+#define saturate/)
    await settled(page)
    await type(page, "precision highp float;\n#include <lights_pars_begin>\nvarying vec3 vNormal;\nvoid main() { gl_FragColor = vec4(vNormal, 1.0); }\n")
    await page.waitForFunction(() => /chunk <lights_pars_begin> is not here: put the text of/.test(document.querySelector("#messages").textContent))
    await close()
})

test("options are text: completed, heeded, refused in words; a uniform's value can be fixed", async () => {
    const { page, close } = await open()
    await ready(page)
    await example(page, "Knobs")
    await settled(page)
    const instructions = async () => Number(/^(\d+) instructions/.exec(await page.textContent("#status"))?.[1])
    const counted = wanted => page.waitForFunction(([wanted]) => {
        const count = Number(/^(\d+) instructions · /.exec(document.querySelector("#status").textContent)?.[1])
        return document.body.dataset.state === "ready" && count && (wanted < 0 ? count < -wanted : wanted === count)
    }, [wanted])
    const general = await instructions()
    await colored(page, 120, 110, [245, 148, 77, 255]) // the middle of a dot, not the last example's picture
    const dots = await picture(page)

    // A switch that is fixed decides a branch, for the value that it has and then for another; the picture is the same.
    const box = page.locator("[data-uniform=u_dots] input")
    await box.click()
    await differs(page, dots)
    const squares = await picture(page)
    await page.click("[data-uniform=u_dots] .lock")
    await counted(-general)
    assert.equal(await page.getAttribute("[data-uniform=u_dots] .lock", "aria-pressed"), "true")
    await shows(page, squares)
    await box.click()
    await counted(general)
    await shows(page, dots)
    await page.click("[data-uniform=u_dots] .reset")
    await page.waitForSelector("[data-uniform=u_dots] .lock[aria-pressed=false]")

    await page.fill("#options", "-D A=1 -ffast")
    await page.waitForSelector("#options-list option[value='-D A=1 -ffast-math']", { state: "attached" })
    const offered = await page.$$eval("#options-list option", all => all.map(one => one.value))
    assert.ok(offered.includes("-D A=1 --set=u_warm=0.96,0.58,0.3"), offered.join("\n"))
    await page.fill("#options", "--set=u_dots=0")
    await page.keyboard.press("Enter")
    await counted(-general)
    await page.fill("#options", "--set=u_nothing=0")
    await page.keyboard.press("Enter")
    await page.waitForSelector("#messages li.error")
    assert.match(await page.textContent("#messages"), /no uniform is named u_nothing/)
    await page.fill("#options", "")
    await page.keyboard.press("Enter")
    await counted(general)
    await close()
})

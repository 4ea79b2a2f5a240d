// What comes from elsewhere works: shaders that are pasted, options, links: node forgiving.mjs QPUCC MODULES
import assert from "node:assert/strict"
import test, { after } from "node:test"
import { color, colored, example, open, ready, stop, type } from "./harness.mjs"

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
    await close()
})

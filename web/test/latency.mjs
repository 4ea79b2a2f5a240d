// From a key to the picture: node latency.mjs QPUCC MODULES. Types into the plasma example and measures, in the page,
// the time until its picture of 400 x 300 pixels is drawn in full. Each key makes another program, so nothing is cached.
import { open, ready, stop } from "./harness.mjs"

const keys = 20
const { page, close } = await open()
await ready(page)
await page.evaluate(() => {
    window.pressed = 0
    window.drawn = []
    const canvas = document.querySelector("canvas")
    for (const name of ["drawImage", "putImageData"]) {
        const draw = CanvasRenderingContext2D.prototype[name]
        CanvasRenderingContext2D.prototype[name] = function (picture, ...rest) {
            const width = picture.width
            draw.call(this, picture, ...rest)
            if (this.canvas === canvas) window.drawn.push({ width, after: performance.now() - window.pressed })
        }
    }
    document.querySelector("#editor-fragment").shadowRoot.addEventListener("keydown", event => {
        window.pressed = event.timeStamp
        window.drawn = []
    }, true)
})
await page.locator("#editor-fragment .cm-line", { hasText: "float sum = " }).click()
await page.keyboard.press("End")
await page.keyboard.press("ArrowLeft") // before the semicolon
await page.keyboard.type(" + 0.0")
const first = [], full = []
for (let k = 0; k < keys; k++) {
    await page.waitForTimeout(700)
    await page.keyboard.press(String(1 + k % 9))
    await page.waitForFunction(() => window.drawn.some(picture => picture.width === 400))
    const drawn = await page.evaluate(() => window.drawn)
    first.push(drawn[0].after)
    full.push(drawn.find(picture => picture.width === 400).after)
}
const report = (name, list) => {
    list.sort((a, b) => a - b)
    console.log(`${name}: median ${list[list.length >> 1].toFixed(0)} ms, least ${list[0].toFixed(0)}, most ${list.at(-1).toFixed(0)}`)
}
report("first picture", first)
report("full picture", full)
await close()
await stop()

// Films in the page: SECONDS=5 node film.mjs QPUCC MODULES. Plays plasma and phong and counts, in the page, the pictures
// that were drawn, and at which sizes: the page makes a picture smaller when it cannot keep up.
import { example, open, ready, stop } from "./harness.mjs"

const seconds = Number(process.env.SECONDS ?? 5)
for (const title of ["Plasma", "Phong"]) {
    const { page, close } = await open()
    await ready(page)
    await example(page, title)
    await ready(page)
    await page.evaluate(() => {
        window.sizes = {}
        const canvas = document.querySelector("canvas")
        for (const name of ["drawImage", "putImageData"]) {
            const draw = CanvasRenderingContext2D.prototype[name]
            CanvasRenderingContext2D.prototype[name] = function (picture, ...rest) {
                const size = `${picture.width} x ${picture.height}`
                draw.call(this, picture, ...rest)
                if (this.canvas === canvas) window.sizes[size] = (window.sizes[size] ?? 0) + 1
            }
        }
    })
    await page.click("#play")
    await page.waitForTimeout(1000) // until the pace is found
    const before = await page.evaluate(() => { const all = window.sizes; window.sizes = {}; return all })
    await page.waitForTimeout(1000 * seconds)
    const sizes = await page.evaluate(() => window.sizes)
    const count = Object.values(sizes).reduce((sum, n) => sum + n, 0)
    console.log(`${title}: ${(count / seconds).toFixed(1)} pictures a second on ${await page.evaluate(() => navigator.hardwareConcurrency)} `
        + `workers, ${JSON.stringify(sizes)}; in the first second ${JSON.stringify(before)}`)
    await page.click("#play")
    await close()
}
await stop()

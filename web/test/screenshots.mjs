// The pictures of docs/playground.md: node screenshots.mjs QPUCC MODULES < no URL >; writes into docs/pictures.
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { example, open, ready, stop } from "./harness.mjs"

const folder = join(dirname(fileURLToPath(import.meta.url)), "../../docs/pictures")
mkdirSync(folder, { recursive: true })
const settled = page => page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "400x300" && document.body.dataset.state === "ready")

{
    const { page, close } = await open("/", { viewport: { width: 1280, height: 760 }, colorScheme: "light" })
    await ready(page)
    await example(page, "Phong")
    await settled(page)
    await page.waitForSelector("[data-uniform=u_base]")
    const rows = page.locator("#panel-code tr[data-line='19']")
    await rows.nth(1).click()
    await page.waitForSelector("#panel-code .detail dl")
    await page.screenshot({ path: join(folder, "playground-code.png") })
    await close()
}
{
    const { page, close } = await open("/", { viewport: { width: 1280, height: 760 }, colorScheme: "dark" })
    await ready(page)
    await example(page, "Toon")
    await settled(page)
    await page.click("#tab-cost")
    await page.waitForSelector(".figures")
    await page.screenshot({ path: join(folder, "playground-cost.png") })
    await close()
}
{
    const { page, close } = await open("/", { viewport: { width: 1280, height: 760 }, colorScheme: "light" })
    await ready(page)
    await example(page, "Cube")
    await settled(page)
    const box = await page.locator("canvas").boundingBox()
    await page.click("#section-state summary")
    await page.selectOption("[aria-label=Cull]", "back")
    await page.mouse.click(box.x + box.width * 0.5, box.y + box.height * 0.45)
    await page.waitForSelector("#panel-pixel .history")
    await page.waitForSelector("#panel-pixel tr[data-step]")
    await page.locator("#panel-pixel tr[data-line='8']").first().hover()
    await page.screenshot({ path: join(folder, "playground-pixel.png") })
    await close()
}
for (const [name, width, height, colorScheme, tab] of [["buffers", 1280, 760, "dark", "A"], ["phone", 390, 844, "light", ""]]) {
    const { page, close } = await open("/", { viewport: { width, height }, colorScheme })
    await ready(page)
    await example(page, "Life (Shadertoy)")
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "256x256" && document.body.dataset.state === "ready")
    for (let k = 0; k < 60; k++) await page.click("#step")
    await page.waitForFunction(() => !document.querySelector("#frame").classList.contains("busy"))
    if (tab) await page.click(`#tab-${tab}`)
    const box = await page.locator("canvas").boundingBox()
    await page.keyboard.down("Shift")
    await page.mouse.click(box.x + box.width * 0.4, box.y + box.height * 0.55)
    await page.keyboard.up("Shift")
    await page.waitForSelector("#panel-pixel .history")
    await page.evaluate(() => scrollTo(0, 0))
    await page.screenshot({ path: join(folder, `playground-${name}.png`) })
    await close()
}
await stop()

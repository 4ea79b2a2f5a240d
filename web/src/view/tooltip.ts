// One tooltip for all views. It follows pointer and focus, and leaves with Escape.
import { h } from "../dom.ts"

const box = h("div", { class: "tooltip", role: "tooltip", id: "tooltip", hidden: true })
let owner: Element | null = null

export function hideTooltip(): void {
    box.hidden = true
    owner?.removeAttribute("aria-describedby")
    owner = null
}

export function showTooltip(at: Element, ...content: (Node | string)[]): void {
    if (!box.isConnected) {
        document.body.append(box)
        document.addEventListener("keydown", event => { if (event.key === "Escape") hideTooltip() })
        document.addEventListener("scroll", hideTooltip, { capture: true, passive: true })
    }
    owner?.removeAttribute("aria-describedby")
    owner = at
    at.setAttribute("aria-describedby", "tooltip")
    box.replaceChildren(...content)
    box.hidden = false
    const place = at.getBoundingClientRect()
    const size = box.getBoundingClientRect()
    const left = Math.max(8, Math.min(place.left, innerWidth - size.width - 8))
    const below = place.bottom + 6 + size.height < innerHeight
    box.style.left = `${left}px`
    box.style.top = `${below ? place.bottom + 6 : Math.max(8, place.top - size.height - 6)}px`
}

// Bars between the parts of the page: drag them, or move them with the arrow keys. A double click, or Enter, puts them back.

const STORED = "qpucc-playground-split"

interface Bar {
    element: HTMLElement
    axis: "x" | "y"
    property: string // of `main`, in hundredths of the window
    least: number
    most: number
}

function stored(): Record<string, number> {
    try { return JSON.parse(localStorage.getItem(STORED) ?? "{}") as Record<string, number> } catch { return {} }
}

function set({ element, axis, property, least, most }: Bar, value: number | null, keep = true): void {
    const main = element.parentElement!
    const all = stored()
    if (value === null) {
        main.style.removeProperty(property)
        delete all[property]
    } else {
        const fitting = Math.round(Math.min(most, Math.max(least, value)) * 10) / 10
        main.style.setProperty(property, `${fitting}v${axis === "x" ? "w" : "h"}`)
        all[property] = fitting
    }
    main.toggleAttribute("data-sized", main.style.getPropertyValue("--top") !== "")
    if (keep) try { localStorage.setItem(STORED, JSON.stringify(all)) } catch { /* not kept */ }
    say({ element, axis, property, least, most })
}

// What the part before the bar takes now, in hundredths of the window.
function place({ element, axis }: Bar): number {
    const { width, height } = element.previousElementSibling!.getBoundingClientRect()
    return axis === "x" ? width / innerWidth * 100 : height / innerHeight * 100
}

function say(bar: Bar): void { bar.element.setAttribute("aria-valuenow", String(Math.round(place(bar)))) }

function attach(bar: Bar): void {
    const { element, axis, least, most } = bar
    element.setAttribute("aria-valuemin", String(least))
    element.setAttribute("aria-valuemax", String(most))
    element.addEventListener("pointerdown", event => {
        if (event.button) return
        const at = axis === "x" ? event.clientX : event.clientY
        const before = place(bar)
        const move = (to: PointerEvent) => set(bar, before + ((axis === "x" ? to.clientX : to.clientY) - at) / (axis === "x" ? innerWidth : innerHeight) * 100)
        element.setPointerCapture(event.pointerId)
        element.addEventListener("pointermove", move)
        element.addEventListener("lostpointercapture", () => element.removeEventListener("pointermove", move), { once: true })
    })
    element.addEventListener("dblclick", () => set(bar, null))
    element.addEventListener("keydown", event => {
        const back = axis === "x" ? "ArrowLeft" : "ArrowUp", on = axis === "x" ? "ArrowRight" : "ArrowDown"
        const to = event.key === back ? place(bar) - 2 : event.key === on ? place(bar) + 2
            : event.key === "Home" ? least : event.key === "End" ? most : event.key === "Enter" ? null : undefined
        if (to === undefined) return
        event.preventDefault()
        set(bar, to)
    })
    element.addEventListener("focus", () => say(bar))
    const kept = stored()[bar.property]
    if (typeof kept === "number") set(bar, kept, false)
    else say(bar)
}

export function splitters(x: HTMLElement, y: HTMLElement): void {
    attach({ element: x, axis: "x", property: "--left", least: 20, most: 70 })
    attach({ element: y, axis: "y", property: "--top", least: 24, most: 70 })
}

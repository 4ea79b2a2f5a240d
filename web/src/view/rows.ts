// The rows of a long table, of which only those in sight exist. All have the same height, which style.css gives.
import { h } from "../dom.ts"

const HEIGHT = 21
const BEYOND = 100 // rows above and below what is in sight: most programs are there as a whole

export class Rows {
    private count = 0
    private make: (k: number) => HTMLTableRowElement = () => h("tr")
    private readonly made = new Map<number, HTMLTableRowElement>()
    private from = -1
    private to = -1
    private readonly above = h("tr", { class: "space", "aria-hidden": "true" }, h("td"))
    private readonly below = h("tr", { class: "space", "aria-hidden": "true" }, h("td"))
    readonly body = h("tbody")

    // `scroller` scrolls the table; `shown` is told of rows that come into sight.
    constructor(private readonly scroller: HTMLElement, private readonly shown: (row: HTMLTableRowElement, k: number) => void) {
        let waiting = false
        const soon = () => {
            if (waiting) return
            waiting = true
            requestAnimationFrame(() => {
                waiting = false
                this.draw()
            })
        }
        scroller.addEventListener("scroll", soon, { passive: true })
        new ResizeObserver(soon).observe(scroller)
    }

    set(count: number, make: (k: number) => HTMLTableRowElement): void {
        this.count = count
        this.make = make
        this.made.clear()
        this.from = this.to = -1
        this.draw()
    }

    // The row, if it is in sight.
    get(k: number): HTMLTableRowElement | undefined { return k >= this.from && k < this.to ? this.made.get(k) : undefined }

    *all(): Iterable<[number, HTMLTableRowElement]> {
        for (let k = this.from; k < this.to; k++) yield [k, this.made.get(k)!]
    }

    // Brings a row into sight: where it is, if it can be seen, else a third from the top.
    reveal(k: number): HTMLTableRowElement | undefined {
        const top = k * HEIGHT
        const head = this.body.offsetTop
        const { scrollTop, clientHeight } = this.scroller
        if (top < scrollTop || top + HEIGHT + head > scrollTop + clientHeight)
            this.scroller.scrollTop = Math.max(0, top - clientHeight / 3)
        this.draw()
        return this.get(k)
    }

    private draw(): void {
        const first = Math.floor((this.scroller.scrollTop - this.body.offsetTop) / HEIGHT)
        const from = Math.max(0, Math.min(this.count, first) - BEYOND)
        const to = Math.min(this.count, Math.max(0, first) + Math.ceil((this.scroller.clientHeight || 600) / HEIGHT) + BEYOND)
        if (from === this.from && to === this.to) return
        const had = document.activeElement
        this.from = from
        this.to = to
        const rows: HTMLTableRowElement[] = []
        for (let k = from; k < to; k++) {
            let row = this.made.get(k)
            if (!row) this.made.set(k, row = this.make(k))
            this.shown(row, k)
            rows.push(row)
        }
        this.above.style.height = `${from * HEIGHT}px`
        this.below.style.height = `${(this.count - to) * HEIGHT}px`
        this.body.replaceChildren(this.above, ...rows, this.below)
        if (had instanceof HTMLElement && this.body.contains(had)) had.focus({ preventScroll: true })
    }
}

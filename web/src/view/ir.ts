// The intermediate form after any pass: alone, or with what changed since the pass before or since any other.
import { diffLines } from "../diff.ts"
import { h } from "../dom.ts"

export interface PassText { name: string; text: string }

export class IrView {
    private list: PassText[] = []
    private at = 0
    private against = "before" // "", "before", or the number of another pass
    private readonly other = h("select", { "aria-label": "Differences", onchange: () => {
        this.against = this.other.value
        this.draw()
    } })
    private readonly steps = h("div", { class: "steps", role: "listbox", "aria-label": "Passes", tabindex: 0 })
    private readonly text = h("pre", { class: "irtext", tabindex: 0, "aria-label": "Intermediate form" })
    private readonly note = h("p", { class: "notice", hidden: true })

    constructor(element: HTMLElement) {
        element.classList.add("irpanel")
        element.replaceChildren(this.note, h("div", { class: "ir" },
            h("div", { class: "side" }, h("div", { class: "check" }, this.other), this.steps), this.text))
        this.steps.addEventListener("click", event => {
            const option = (event.target as Element).closest<HTMLElement>("[data-pass]")
            if (option) this.choose(Number(option.dataset.pass))
        })
        this.steps.addEventListener("keydown", event => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
            if (!step) return
            event.preventDefault()
            this.choose(Math.max(0, Math.min(this.list.length - 1, this.at + step)))
        })
    }

    say(text: string | null): void {
        this.note.hidden = text === null
        this.note.textContent = text
    }

    show(list: PassText[]): void {
        // The same pass stays chosen when the program changes, as far as it has one.
        const name = this.list[this.at]?.name
        this.list = list
        const same = list.findIndex(pass => pass.name === name)
        this.at = Math.max(0, Math.min(list.length - 1, list[this.at]?.name === name ? this.at : same >= 0 ? same : 0))
        this.steps.replaceChildren(...list.map((pass, k) => {
            const count = pass.text.split("\n").length
            return h("div", { role: "option", id: `pass-${k}`, "data-pass": k }, h("span", {}, pass.name), h("span", { class: "n soft" }, count))
        }))
        this.other.replaceChildren(
            h("option", { value: "before" }, "differences to the pass before"), h("option", { value: "" }, "the text alone"),
            ...list.map((pass, k) => h("option", { value: String(k) }, `differences to ${k}: ${pass.name}`)))
        if (Number(this.against) >= list.length) this.against = "before"
        this.other.value = this.against
        this.draw()
    }

    private choose(k: number): void {
        this.at = k
        this.draw()
    }

    private draw(): void {
        for (const option of this.steps.querySelectorAll<HTMLElement>("[role=option]")) {
            const on = Number(option.dataset.pass) === this.at
            option.setAttribute("aria-selected", String(on))
            if (on) {
                this.steps.setAttribute("aria-activedescendant", option.id)
                option.scrollIntoView({ block: "nearest" })
            }
        }
        const now = this.list[this.at]
        if (!now) {
            this.text.replaceChildren(h("span", { class: "soft" }, "No passes are known."))
            return
        }
        const before = this.against === "" ? undefined : this.list[this.against === "before" ? this.at - 1 : Number(this.against)]
        if (!before) {
            this.text.replaceChildren(now.text)
            return
        }
        this.text.replaceChildren(...diffLines(before.text.split("\n"), now.text.split("\n")).map(({ kind, text }) =>
            h("span", { class: `line ${kind}` }, h("span", { class: "sign" }, { same: " ", added: "+", removed: "−" }[kind]), text + "\n")))
    }
}

// Making elements. No framework: a view is a function that fills an element, and fills it again when its data changes.

type Child = Node | string | number | null | undefined | false
type Props = Record<string, unknown>

function apply(element: Element, props: Props): void {
    for (const [name, value] of Object.entries(props)) {
        if (value === undefined || value === null || value === false) continue
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value as EventListener)
        else if (name === "style")
            // Through the CSSOM: the content security policy forbids style attributes.
            for (const [key, text] of Object.entries(value as Record<string, string>))
                (element as HTMLElement).style.setProperty(key, text)
        else if (name in element && !(element instanceof SVGElement) && typeof value !== "string")
            (element as unknown as Props)[name] = value
        else element.setAttribute(name, value === true ? "" : String(value))
    }
}

function append(element: Element, children: (Child | Child[])[]): void {
    for (const child of children.flat())
        if (child !== null && child !== undefined && child !== false)
            element.append(typeof child === "number" ? String(child) : child)
}

export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K, props: Props = {}, ...children: (Child | Child[])[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag)
    apply(element, props)
    append(element, children)
    return element
}

export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K, props: Props = {}, ...children: (Child | Child[])[]): SVGElementTagNameMap[K] {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag)
    apply(element, props)
    append(element, children)
    return element
}

// A part of a panel as wide as that is: on narrow screens it scrolls, so the keyboard has to get there.
export const wide = (title: string, ...children: (Child | Child[])[]): HTMLElement =>
    h("section", { class: "wide", tabindex: "0", "aria-label": title }, h("h3", {}, title), ...children)

export function byId<T extends HTMLElement>(id: string): T {
    const element = document.getElementById(id)
    if (!element) throw new Error(`no element ${id}`)
    return element as T
}

export function select(label: string, choices: [value: string, text: string][], value: string,
                       change: (value: string) => void, props: Props = {}): HTMLSelectElement {
    const element = h("select", { "aria-label": label, ...props,
        onchange: () => change(element.value) },
        choices.map(([key, text]) => h("option", { value: key, selected: key === value }, text)))
    return element
}

// Tabs after the ARIA pattern: arrow keys move between them, only the chosen one is in the tab order. Hidden ones wait.
export function tabs(list: HTMLElement, chosen: (name: string) => void): (name: string) => void {
    const all = [...list.querySelectorAll<HTMLElement>("[role=tab]")]
    const choose = (name: string, focus = false) => {
        for (const tab of all) {
            const on = tab.dataset.tab === name
            tab.setAttribute("aria-selected", String(on))
            tab.tabIndex = on ? 0 : -1
            const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "")
            if (panel) panel.hidden = !on
            if (on && focus) tab.focus()
        }
        chosen(name)
    }
    for (const tab of all) {
        tab.addEventListener("click", () => choose(tab.dataset.tab!))
        tab.addEventListener("keydown", event => {
            const shown = all.filter(one => !one.hidden)
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
            const to = event.key === "Home" ? 0 : event.key === "End" ? shown.length - 1
                : step ? (shown.indexOf(tab) + step + shown.length) % shown.length : -1
            if (to < 0) return
            event.preventDefault()
            choose(shown[to]!.dataset.tab!, true)
        })
    }
    return choose
}

export function announce(text: string): void {
    const element = document.getElementById("announce")
    if (element && element.textContent !== text) element.textContent = text
}

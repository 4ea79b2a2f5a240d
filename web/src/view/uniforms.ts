// A control for each uniform that the program has: what it is, from the service's reflection; its range, from a
// comment in the source (annotations.ts), else from its name and value.
import type { Variable } from "../api.ts"
import type { Annotation } from "../annotations.ts"
import { h } from "../dom.ts"
import { SUPPLIED } from "../paste/dialects.ts"

const timeName = /^(u_?|i)?time(delta)?$|time/i

export type Change = (name: string, values: number[] | null) => void

const hex = (values: number[]) => "#" + values.slice(0, 3).map(value =>
    Math.round(Math.min(Math.max(value, 0), 1) * 255).toString(16).padStart(2, "0")).join("")
const fromHex = (text: string) => [1, 3, 5].map(k => Math.round(parseInt(text.slice(k, k + 2), 16) / 255 * 1000) / 1000)
const shown = (value: number) => Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 3 : 1)

function guess(variable: Variable, values: number[]): { low: number; high: number; step: number } {
    const most = Math.max(...values.map(Math.abs), 0)
    const least = Math.min(...values)
    if (variable.base === "int" || variable.base === "uint")
        return { low: least < 0 ? -Math.max(10, 2 * most) : 0, high: Math.max(10, 2 * most), step: 1 }
    const high = most <= 1 ? 1 : most * 2
    const low = least < 0 || /dir|pos|offset|light|sun|centre|center/i.test(variable.name) ? -high : 0
    return { low, high, step: (high - low) / 200 }
}

const isColor = (variable: Variable, annotation: Annotation | undefined) =>
    annotation?.color ?? (variable.base === "float" && variable.columns === 1
        && (variable.rows === 3 || variable.rows === 4) && annotation?.low === undefined
        && /colou?r|tint|albedo|zenith|horizon|ground|ambient|diffuse|_base$/i.test(variable.name))

interface Control { element: HTMLElement; show(values: number[], set: boolean, chosen: boolean, fixed: boolean): void }

function control(variable: Variable, label: string, annotation: Annotation | undefined, initial: number[],
                 change: (values: number[] | null) => void, fix?: (values: number[] | null) => void): Control {
    const values = [...initial]
    const parts: HTMLElement[] = []
    const updates: (() => void)[] = []
    const send = () => { element.classList.remove("unset"); change([...values]) }
    let from = 0
    if (variable.base === "bool") {
        for (let k = 0; k < values.length; k++) {
            const box = h("input", { type: "checkbox", "aria-label": `${label}${values.length > 1 ? ` ${k}` : ""}`,
                onchange: () => { values[k] = Number(box.checked); send() } })
            updates.push(() => { box.checked = !!values[k] })
            parts.push(box)
        }
    } else {
        if (isColor(variable, annotation) && values.length >= 3) {
            const picker = h("input", { type: "color", "aria-label": `${label} colour`,
                oninput: () => { values.splice(0, 3, ...fromHex(picker.value)); send() } })
            updates.push(() => { picker.value = hex(values) })
            parts.push(picker)
            from = 3
        }
        const guessed = guess(variable, initial)
        const low = annotation?.low ?? guessed.low
        const high = annotation?.high ?? guessed.high
        const step = annotation?.step ?? (guessed.step === 1 ? 1 : (high - low) / 200)
        for (let k = from; k < values.length; k++) {
            const component = values.length > 1 ? ` ${"xyzw"[k % 4]}` : ""
            const output = h("output", {})
            const slider = h("input", { type: "range", min: low, max: high, step, "aria-label": label + component,
                oninput: () => { values[k] = Number(slider.value); output.textContent = shown(values[k]!); send() } })
            updates.push(() => { slider.value = String(values[k]); output.textContent = shown(values[k]!) })
            parts.push(h("div", { class: "slide" },
                component ? h("span", { class: "component", "aria-hidden": "true" }, component.trim()) : "", slider, output))
        }
    }
    const name = h("span", { class: "name" }, label)
    const reset = h("button", { class: "plain icon reset", title: "Back to the automatic value",
        "aria-label": `${label}: automatic`, onclick: () => change(null) }, "↺")
    const lock = h("button", { class: "plain icon lock", title: "Fix this value: code is made for it alone", "aria-label": `${label}: fixed`,
        "aria-pressed": "false", onclick: () => fix?.(lock.getAttribute("aria-pressed") === "true" ? null : [...values]) }, "=")
    const element = h("div", { class: "field", role: "group", "aria-label": label, "data-uniform": variable.name },
        name, h("div", { class: "values" }, parts), fix ? lock : "", reset)
    return {
        element,
        show(next, set, chosen, fixed) {
            lock.setAttribute("aria-pressed", String(fixed))
            if (!chosen || document.activeElement === null || !element.contains(document.activeElement)) {
                values.splice(0, values.length, ...next)
                for (const update of updates) update()
            }
            element.classList.toggle("unset", !set)
            reset.disabled = !chosen
        },
    }
}

export class Uniforms {
    private key = ""
    private controls = new Map<string, Control>()

    private element: HTMLElement = h("div")

    // `fix`: code is to be made for these values, or no longer for one. Without it there is nobody who could.
    constructor(private readonly change: Change, private readonly fix?: Change) {}

    attach(element: HTMLElement): void { this.element = element }

    // Rebuilds the controls only when the uniforms or their annotations changed, so that a slider that is being
    // moved stays.
    show(variables: Variable[], chosen: Record<string, number[]>, notes: Map<string, Annotation>, fixed: string[] = []): void {
        // First values of annotations count until others are chosen.
        const set = { ...chosen }
        for (const [name, { value }] of notes) if (value && !set[name]) set[name] = value
        const shownVariables = variables.filter(v => (v.used || fixed.includes(v.name)) && !SUPPLIED.has(v.name.replace(/\[\d+\]$/, "")))
        const key = JSON.stringify([shownVariables.map(v => [v.name, v.base, v.rows, v.columns, v.array]), [...notes]])
        if (key !== this.key) {
            this.key = key
            this.controls.clear()
            this.element.replaceChildren(...this.build(shownVariables, set, notes))
        }
        for (const variable of shownVariables) {
            const given = set[variable.name]
            this.controls.get(variable.name)?.show(given ?? variable.value ?? [], given !== undefined, chosen[variable.name] !== undefined,
                fixed.includes(variable.name))
        }
    }

    private build(variables: Variable[], set: Record<string, number[]>, notes: Map<string, Annotation>): HTMLElement[] {
        const elements: HTMLElement[] = []
        const automatic: string[] = []
        for (const variable of variables) {
            if (variable.columns > 1 || (timeName.test(variable.name) && !set[variable.name] && !notes.has(variable.name))) {
                automatic.push(variable.name)
                continue
            }
            const note = notes.get(/^\w+/.exec(variable.name)![0])
            const length = variable.rows * variable.columns * variable.array
            const values = set[variable.name] ?? variable.value ?? Array<number>(length).fill(0)
            if (variable.array > 16) {
                automatic.push(variable.name)
                continue
            }
            const made = control(variable, variable.name, note, values.slice(0, length),
                next => this.change(variable.name, next), this.fix && (values => this.fix!(variable.name, values)))
            this.controls.set(variable.name, made)
            elements.push(made.element)
        }
        if (automatic.length)
            elements.push(h("p", { class: "empty" }, "From clock and camera: ", h("span", { class: "mono" }, automatic.join(", "))))
        if (!elements.length) elements.push(h("p", { class: "empty" }, "This program has no uniforms."))
        return elements
    }
}

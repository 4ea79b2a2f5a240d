// The buttons of the film: play, step, rewind, full screen; the clock, and pictures a second.
import { byId, h } from "../dom.ts"
import type { Player } from "../player.ts"

const PLAY = "M4 2.5v11l9-5.5z"
const PAUSE = "M4 2.5h3v11H4zM9 2.5h3v11H9z"

export function icon(d: string): SVGElement {
    const element = document.createElementNS("http://www.w3.org/2000/svg", "svg")
    element.setAttribute("viewBox", "0 0 16 16")
    element.setAttribute("aria-hidden", "true")
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path")
    path.setAttribute("d", d)
    element.append(path)
    return element
}

const button = (id: string, label: string, d: string, onclick: () => void, props: object = {}): HTMLButtonElement =>
    h("button", { class: "icon", id, "aria-label": label, title: label, onclick, ...props }, icon(d))

export class Transport {
    private readonly clockText = h("span", { class: "clock", id: "clock", "aria-label": "Time" })
    private readonly paceText = h("span", { class: "pace", id: "pace" })
    private readonly playButton = button("play", "Play", PLAY, () => this.toggle())
    private paced = 0

    constructor(private readonly player: Player, fullscreen: () => void, last: HTMLElement) {
        byId("transport").append(this.playButton,
            button("step", "One frame on", "M3 2.5v11L9 8zM10 2.5h3v11h-3z", () => { player.step(1 / 30); this.update() }),
            button("rewind", "Back to the start", "M13 2.5v11L7 8zM3 2.5h3v11H3z", () => player.rewind()),
            button("fullscreen", "Full screen", "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z", fullscreen,
                { hidden: !document.fullscreenEnabled }),
            this.clockText, this.paceText, h("span", { class: "gap" }), last)
    }

    toggle(): void {
        if (this.player.playing) this.player.pause()
        else this.player.play()
        this.update()
    }

    // The film began or ended.
    update(): void {
        const name = this.player.playing ? "Pause" : "Play"
        this.playButton.replaceChildren(icon(this.player.playing ? PAUSE : PLAY))
        this.playButton.setAttribute("aria-label", name)
        this.playButton.title = name
        if (!this.player.playing) this.paceText.textContent = ""
    }

    // A picture of this time is shown; its pace is written twice a second.
    clock(time: number): void {
        this.clockText.textContent = `${time.toFixed(2)} s`
        const now = performance.now()
        if (!this.player.playing || now - this.paced < 500) return
        this.paced = now
        const rate = this.player.pace
        this.paceText.textContent = rate ? `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} fps` : ""
    }
}

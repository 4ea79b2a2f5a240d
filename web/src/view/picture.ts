// The canvas: shows frames of any resolution at the picture's size, and picks pixels by pointer and by keyboard.
import { h } from "../dom.ts"
import type { Program } from "../program.ts"

export interface PictureEvents {
    picked(x: number, y: number): void
    pointed(mouse: [number, number, number, number]): void // Shadertoy's iMouse
}

export class Picture {
    readonly canvas = h("canvas", { tabindex: 0, role: "application", "aria-roledescription": "picture", "aria-label": "The picture that the chip would draw",
        "aria-describedby": "picture-keys" })
    private readonly context: CanvasRenderingContext2D
    private readonly veil = h("div", { class: "veil", hidden: true })
    private readonly cross = h("div", { class: "cross", hidden: true })
    private at: { x: number; y: number } | null = null
    usesMouse = false

    constructor(private readonly frame: HTMLElement, private readonly program: () => Program,
                private readonly events: PictureEvents) {
        frame.append(this.canvas, this.veil, this.cross,
            h("span", { class: "visually-hidden", id: "picture-keys" },
                "Arrow keys move to a pixel, with shift by ten; Enter shows how it got its colour."))
        this.context = this.canvas.getContext("2d", { willReadFrequently: true })! // drawn by the processor anyway
        this.canvas.addEventListener("click", event => {
            const { x, y } = this.pixel(event)
            if (!this.usesMouse || event.shiftKey) this.pick(x, y)
        })
        this.canvas.addEventListener("pointerdown", event => this.mouse(event, true))
        this.canvas.addEventListener("pointermove", event => { if (event.buttons & 1) this.mouse(event, false) })
        for (const end of ["pointerup", "pointercancel"] as const) this.canvas.addEventListener(end, () => this.released())
        this.canvas.addEventListener("keydown", event => this.key(event))
    }

    resize(): void {
        const { width, height } = this.program()
        if (this.canvas.width === width && this.canvas.height === height) return
        this.canvas.width = width
        this.canvas.height = height
        this.canvas.style.setProperty("--aspect", String(width / height))
        this.mark(null)
    }

    draw(picture: ImageBitmap | ImageData): void {
        this.resize()
        this.context.imageSmoothingEnabled = false
        this.canvas.dataset.drawn = `${picture.width}x${picture.height}`
        if (picture instanceof ImageBitmap) {
            this.context.drawImage(picture, 0, 0, this.canvas.width, this.canvas.height)
            picture.close()
        } else if (picture.width === this.canvas.width && picture.height === this.canvas.height)
            this.context.putImageData(picture, 0, 0)
        else this.enlarge(picture)
    }

    private readonly coarse = document.createElement("canvas")
    private enlarge(picture: ImageData): void {
        this.coarse.width = picture.width
        this.coarse.height = picture.height
        this.coarse.getContext("2d")!.putImageData(picture, 0, 0)
        this.context.drawImage(this.coarse, 0, 0, this.canvas.width, this.canvas.height)
    }

    say(text: string | null): void {
        this.veil.hidden = text === null
        this.veil.textContent = text
        this.canvas.classList.toggle("stale", text !== null)
    }

    async fullscreen(): Promise<void> {
        if (document.fullscreenElement) await document.exitFullscreen()
        else await this.frame.requestFullscreen()
        this.canvas.focus()
    }

    busy(on: boolean): void { this.frame.classList.toggle("busy", on) }

    mark(at: { x: number; y: number } | null): void {
        this.at = at
        this.cross.hidden = !at
        if (!at) return
        this.cross.style.left = `${(at.x + 0.5) / this.canvas.width * 100}%`
        this.cross.style.top = `${(at.y + 0.5) / this.canvas.height * 100}%`
    }

    private pick(x: number, y: number): void {
        this.mark({ x, y })
        this.events.picked(x, y)
    }

    private pixel(event: MouseEvent): { x: number; y: number } {
        const box = this.canvas.getBoundingClientRect()
        const clip = (value: number, most: number) => Math.min(Math.max(Math.floor(value), 0), most - 1)
        return { x: clip((event.clientX - box.left) / box.width * this.canvas.width, this.canvas.width),
            y: clip((event.clientY - box.top) / box.height * this.canvas.height, this.canvas.height) }
    }

    // As Shadertoy has it: the third is positive while the button is down, the fourth only as it goes down.
    private pressed: [number, number] = [0, 0]
    private pointer: [number, number] | null = null // while it is down
    private mouse(event: PointerEvent, down: boolean): void {
        if (!this.usesMouse || event.shiftKey) return
        const { x, y } = this.pixel(event)
        const up = this.canvas.height - 1 - y
        if (down) {
            this.pressed = [x, up]
            this.canvas.setPointerCapture(event.pointerId)
        }
        this.pointer = [x + 0.5, up + 0.5]
        this.events.pointed([...this.pointer, this.pressed[0] + 0.5, (down ? 1 : -1) * (this.pressed[1] + 0.5)])
    }

    private released(): void {
        if (!this.pointer) return
        this.events.pointed([...this.pointer, -this.pressed[0] - 0.5, -this.pressed[1] - 0.5])
        this.pointer = null
    }

    private key(event: KeyboardEvent): void {
        const by = event.shiftKey ? 10 : 1
        const move = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[event.key]
        const { width, height } = this.canvas
        if (move) {
            const from = this.at ?? { x: width >> 1, y: height >> 1 }
            this.mark({ x: Math.min(Math.max(from.x + move[0]!, 0), width - 1),
                y: Math.min(Math.max(from.y + move[1]!, 0), height - 1) })
        } else if (event.key === "Enter") {
            const { x, y } = this.at ?? { x: width >> 1, y: height >> 1 }
            this.pick(x, y)
        } else return
        event.preventDefault()
    }
}

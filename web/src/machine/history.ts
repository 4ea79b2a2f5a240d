// What buffers hold from frame to frame. A frame can be drawn again, from what the frame before left, until the next one
// is drawn: a still of a changed program, for instance.
import type { Colour, PassChange } from "../api.ts"
import type { PassName } from "../passes.ts"
import type { DecodedPicture, Scene, Texture } from "./instance.ts"

export type Pictures = Partial<Record<PassName, DecodedPicture>>
// What a pass was drawn from.
export interface Inputs { pictures: Record<string, Texture>; values: Pick<Scene, "time" | "uniforms"> }

export class History {
    private frame = -1
    private size = ""
    private before: Pictures = {}
    private after: Pictures = {}
    private timeBefore = 0
    private timeAfter = 0
    // What the last frame made of a pixel of each pass, from the picture's upper left corner.
    changes(x: number, y: number): PassChange[] {
        const at = (picture: DecodedPicture | undefined) => picture && [...picture.rgba.subarray(4 * (y * picture.width + x), 4 * (y * picture.width + x) + 4)] as Colour
        return (Object.entries(this.after) as [PassName, DecodedPicture][]).map(([pass, picture]) => ({ pass, before: at(this.before[pass]) ?? null, after: at(picture)! }))
    }

    inputs: Partial<Record<PassName, Inputs>> = {}

    // What there is of the frame before; nothing of the first, or of one of another size. `step`: seconds since then.
    begin(frame: number, time: number, size: string): { pictures: Pictures; step: number } {
        if (frame === 0 || size !== this.size) {
            this.before = {}
            this.timeBefore = time
        } else if (frame !== this.frame) {
            this.before = this.after
            this.timeBefore = this.timeAfter
        }
        const step = time - this.timeBefore
        return { pictures: this.before, step: step > 0 && step <= 1 ? step : 1 / 60 }
    }

    // The first frame that was not drawn, for one to come; the frame itself, if it was, or nothing is known of those before.
    missing(frame: number, size: string): number { return size === this.size || this.frame < 0 ? Math.min(this.frame + 1, frame) : frame }

    end(frame: number, time: number, size: string, drawn: Pictures, inputs: History["inputs"]): void {
        this.frame = frame
        this.size = size
        this.after = drawn
        this.timeAfter = time
        this.inputs = inputs
    }
}

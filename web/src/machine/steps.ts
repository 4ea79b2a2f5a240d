// What the machine did to a pixel, with the explanation's words: as tools/inspect.c does it for the service.
import type { Inspection, Target, Write } from "../api.ts"
import type { Stage } from "../explain.ts"
import type { RawInspection, RawStep } from "./instance.ts"

const FUNCTIONS = ["recip", "rsqrt", "exp", "log"]

function writeOf([target, written, value]: RawStep["writes"][number], name: string | undefined): Write {
    const view = new DataView(new ArrayBuffer(4))
    view.setUint32(0, value, true)
    const float = view.getFloat32(0, true)
    return {
        target, written: Boolean(written), bits: value.toString(16).padStart(8, "0"), int: view.getInt32(0, true),
        float: Math.abs(float) < 3.4e38 ? float : null,
        bytes: [value & 255, value >>> 8 & 255, value >>> 16 & 255, value >>> 24],
        ...(name ? { name } : {}),
    }
}

export function inspectionOf(raw: RawInspection, stage: Stage, at: Target): Inspection {
    let result: string | undefined // what the special function under way computes: its operand is written first
    const name = (step: RawStep, target: string): string | undefined => {
        const instruction = stage.code[step.instruction]
        const slot = [instruction?.signal, instruction?.add, instruction?.mul].find(one => one?.target === target)
        if (slot && FUNCTIONS.includes(target)) {
            result = slot.name
            return undefined
        }
        return slot ? slot.name : target === "r4" ? result : undefined
    }
    return {
        stage: stage.stage, truncated: raw.truncated, failed: raw.failed,
        ...("index" in at ? { vertex: at.index } : { x: at.x, y: at.y, color: raw.color }),
        runs: raw.runs.map(({ steps, ...run }) => ({ ...run, steps: steps.map(step => {
            const { text = "", file = null, line = 0, column = 0 } = stage.code[step.instruction] ?? {}
            return { instruction: step.instruction, cycle: step.cycle, text, file, line, column,
                writes: step.writes.map(write => writeOf(write, name(step, write[0]))) }
        }) })),
    }
}

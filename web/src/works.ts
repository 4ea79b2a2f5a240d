// What the user has made. It is kept in the browser beside the examples, so that choosing one of these, or following a
// link, loses nothing: whoever changes an example or a shared program works on a copy with a name of its own.
import { EXAMPLES } from "./examples.ts"
import { fromKept, type Program } from "./program.ts"

const MOST = 12

// Is it the example still? How it is compiled, and when it is looked at, is no part of it.
function isExample(program: Program): boolean {
    const example = EXAMPLES.find(one => one.title === program.title)
    const content = ({ title: _, time: __, level: ___, policy: ____, options: _____, fixed: ______, ...rest }: Program) => JSON.stringify(rest)
    return example !== undefined && content(example) === content(program)
}

export class Works {
    private list: Program[] = [] // the newest first

    constructor(private readonly read: () => string | null, private readonly write: (text: string) => void) {
        try {
            const kept = JSON.parse(this.read() ?? "[]") as unknown
            if (Array.isArray(kept)) this.list = kept.slice(0, MOST).map(fromKept)
        } catch { /* not ours */ }
    }

    get titles(): string[] { return this.list.map(work => work.title) }
    find(title: string): Program | null { return this.list.find(work => work.title === title) ?? null }

    // The user has changed the program. True: the list, and with it the program's title, is another now.
    changed(program: Program): boolean {
        if (isExample(program)) return false
        const old = this.list.findIndex(work => work.title === program.title)
        const moved = old !== 0
        if (old < 0) program.title = this.fresh(program.title)
        else this.list.splice(old, 1)
        this.list.unshift(structuredClone(program))
        this.list.length = Math.min(this.list.length, MOST)
        return moved
    }

    // Older ones are let go where the browser has no room for all.
    keep(): void {
        for (let count = this.list.length; count > 0; count--) {
            try {
                this.write(JSON.stringify(this.list.slice(0, count)))
                return
            } catch { /* full, or not allowed */ }
        }
    }

    private fresh(title: string): string {
        const base = title.replace(/ \((yours( \d+)?|shared)\)$/, "") || "Shader"
        for (let number = 1; ; number++) {
            const name = `${base} (yours${number > 1 ? ` ${number}` : ""})`
            if (!this.find(name)) return name
        }
    }
}

// A program that somebody shared is nobody's work here until it is changed.
export const shared = (program: Program): Program =>
    ({ ...program, title: `${program.title.replace(/ \((yours( \d+)?|shared)\)$/, "") || "Program"} (shared)` })

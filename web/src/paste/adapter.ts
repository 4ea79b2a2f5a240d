// Adapts the page's program to what came from elsewhere, and says so: at once to what is pasted, and to what is typed
// when it has errors and one agrees.
import type { Program } from "../program.ts"
import type { Adapted } from "../view/adapted.ts"
import { adapt, type Adaptation } from "./adapt.ts"
import { DIALECTS } from "./dialects.ts"

export class Adapter {
    private readonly declined = new Set<string>() // kinds

    constructor(private readonly program: () => Program, private readonly put: (changes: Partial<Program>) => void, private readonly line: Adapted) {}

    pasted(stage: "vertex" | "fragment"): void {
        const adaptation = adapt(this.program(), stage)
        if (adaptation) this.take(adaptation)
    }

    // What was typed has errors: only kinds that have a name, for half of a text may look like anything.
    typed(): void {
        if (this.line.said) return
        const found = (["fragment", "vertex"] as const).map(stage => adapt(this.program(), stage))
            .find(one => one && !this.declined.has(one.title) && DIALECTS.some(({ title }) => title === one.title))
        if (found) this.line.offer(`This looks like ${found.title}. It can be made to go with the rest.`, () => this.take(found), () => this.declined.add(found.title))
    }

    private take({ title, said, changes }: Adaptation): void {
        const before = structuredClone(this.program())
        // Not within the editor's own update.
        queueMicrotask(() => {
            this.put(structuredClone(changes))
            this.line.say(said, () => {
                this.declined.add(title) // as it is it may have errors, and is not to be offered the same again
                this.put(Object.fromEntries(Object.keys(changes).map(key => [key, before[key as keyof Program]])))
            })
        })
    }
}

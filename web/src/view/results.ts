// The result panels: which stage they show, what they are told when the program, the line or the tab changes. The
// page and the report share them.
import type { Counters } from "../api.ts"
import { byId, h, tabs } from "../dom.ts"
import type { Explain, Stage } from "../explain.ts"
import { CodeView, type Doc } from "./code.ts"
import { costView } from "./cost.ts"
import { dataView } from "./data.ts"
import { flowView } from "./flow.ts"
import { IrView, type PassText } from "./ir.ts"
import { STAGES, type StageName } from "./stage_names.ts"

export interface ResultEvents {
    line(file: string | null, line: number, go: boolean): void
    source(file: string | null, line: number): string
    documents(): Promise<Record<string, Doc>>
    shown(tab: string): void
    stage(name: StageName): void
    pin?: (() => void) | undefined
    unpin?: (() => void) | undefined
}

export class Results {
    private explain: Explain | null = null
    private counters: Counters | null = null
    private pinned: Explain | null = null
    private pinnedCounters: Counters | null = null
    private passes: { stage: string; name: string; text: string }[] | null = null
    private tab = "code"
    private stale = new Set<string>()
    stageName: StageName = "fragment"
    readonly code: CodeView
    readonly ir: IrView
    readonly choose: (tab: string) => void

    constructor(private readonly events: ResultEvents) {
        this.code = new CodeView(byId("panel-code"), { line: events.line, documents: events.documents })
        this.ir = new IrView(byId("panel-ir"))
        this.choose = tabs(byId("result-tabs"), tab => {
            this.tab = tab
            this.draw()
            events.shown(tab)
        })
        this.stages()
    }

    private stages(): void {
        const has = new Set(this.explain?.stages.map(stage => stage.stage))
        byId("stages").replaceChildren(...STAGES.map(name => h("label", { class: has.has(name) ? "" : "absent" },
            h("input", { type: "radio", name: "stage", value: name, checked: name === this.stageName, disabled: !has.has(name),
                onchange: () => this.setStage(name) }), name)))
    }

    setStage(name: StageName): void {
        this.stageName = name
        for (const input of byId("stages").querySelectorAll("input")) input.checked = input.value === name
        this.all()
        this.events.stage(name)
    }

    get stage(): Stage | null { return this.explain?.stages.find(stage => stage.stage === this.stageName) ?? null }
    get program(): Explain | null { return this.explain }

    show(explain: Explain | null): void {
        this.explain = explain
        if (explain && !this.stage && explain.stages[0]) this.stageName = explain.stages[0].stage
        this.stages()
        this.all()
    }

    count(counters: Counters | null): void {
        this.counters = counters
        this.stale.add("cost")
        if (this.tab === "cost") this.draw()
    }

    pin(explain: Explain | null): void {
        this.pinned = explain
        this.pinnedCounters = explain ? this.counters : null
        this.stale.add("cost")
        this.draw()
    }

    setPasses(passes: { stage: string; name: string; text: string }[] | null): void {
        this.passes = passes
        this.stale.add("ir")
        if (this.tab === "ir") this.draw()
    }

    private all(): void {
        for (const tab of ["code", "cost", "data", "flow", "ir"]) this.stale.add(tab)
        this.draw()
    }

    private readonly go = (instruction: number) => {
        this.choose("code")
        this.code.go(instruction)
    }

    // Only what is seen is drawn, and only when it changed.
    private draw(): void {
        if (!this.stale.delete(this.tab)) return
        const stage = this.stage
        switch (this.tab) {
        case "code": this.code.show(stage); break
        case "cost":
            costView(byId("panel-cost"), stage, {
                counters: this.counters, source: this.events.source, go: this.go,
                line: (file, line) => this.events.line(file, line, true),
                pinned: this.pinned?.stages.find(other => other.stage === this.stageName) ?? null,
                pinnedCounters: this.pinnedCounters, pin: this.events.pin, unpin: this.events.unpin,
            })
            break
        case "data": dataView(byId("panel-data"), this.explain, stage, this.go); break
        case "flow":
            if (stage) flowView(byId("panel-flow"), stage, this.go)
            else byId("panel-flow").replaceChildren(h("p", { class: "notice" }, "There is no code."))
            break
        case "ir": this.ir.show((this.passes ?? []).filter(pass => pass.stage === this.stageName) as PassText[]); break
        }
    }
}

// The picture in time: one still after each change (a coarse one first where the full one is slow), or a film. The
// machine in the page draws a film's frames one after another, two of them under way at a time; a service is asked for
// small batches ahead of the clock.
import { render, type Frame, type Rendered, type RenderQuestion } from "./api.ts"
import { Latest } from "./latest.ts"
import type { Program } from "./program.ts"

// What draws: the machine in the page, or null where it is not there or cannot draw this; and whatever there is.
export interface Drawer {
    here(question: RenderQuestion, signal: AbortSignal): Promise<Rendered | null>
    any(question: RenderQuestion, signal: AbortSignal): Promise<Rendered>
    hurry(): void // the newest question counts
}

export interface PlayerEvents {
    drawn(frame: Frame, time: number): void
    rendered(answer: Rendered): void
    failed(error: unknown): void
    busy(on: boolean): void
}

const SLOW = 120 // ms: from here on a coarse picture comes first
const FASTEST = 1 / 30 // s between frames

export class Player {
    time = 0
    frame = 0 // of a program with buffers: how many were drawn before
    playing = false
    answered: Program | null = null // what the last answer is of
    private film: Frame[] = []
    private generation = 0
    private fetching = false
    private next = 0 // the time of the next frame to ask for
    private spent = 60 // ms that a frame of full size took lately
    private before = 0
    private first = true
    private jumped = false // to a time that the film has not heard of
    private shownAt: number[] = [] // ms: the film's last pictures
    private stills: Latest<RenderQuestion, Rendered>

    constructor(private readonly program: () => Program, private readonly more: () => Record<string, number[]>,
                private readonly drawer: Drawer, private readonly events: PlayerEvents) {
        this.stills = new Latest((question, signal) => drawer.any(question, signal), (answer, question) => {
            this.measure(answer, question)
            this.show(answer)
            if (question.scale < 1 && answer.code === 0) this.stills.request(this.question(1))
            else events.busy(false)
        }, error => {
            events.busy(false)
            events.failed(error)
        })
    }

    private question(scale: number): RenderQuestion {
        // A copy: what is typed while the answer is on its way must not change the question.
        const program = structuredClone(this.program())
        // What a buffer holds has one size.
        return { program, time: this.time, scale: program.buffers.length ? 1 : scale, more: this.more(), frame: this.frame }
    }

    private measure(answer: Rendered, question: RenderQuestion): void {
        this.answered = question.program
        if (answer.code === 0 && answer.frames.length)
            this.spent = answer.elapsed / answer.frames.length / (question.scale * question.scale)
    }

    private show(answer: Rendered): void {
        this.events.rendered(answer)
        const frame = answer.frames[0]
        if (frame) this.events.drawn(frame, this.time)
    }

    // Something changed: draw anew.
    refresh(): void {
        if (this.live) return // the next frame shows it
        this.drawer.hurry()
        this.generation++
        if (this.playing) {
            this.film = []
            this.next = this.time
            void this.fetch()
        } else {
            this.events.busy(true)
            this.stills.request(this.question(this.spent > SLOW || this.first ? 0.25 : 1))
            this.first = false
        }
    }

    // Without drawing.
    at(time: number): void {
        this.time = time
        this.jumped = true
    }

    // Without drawing: the next frame is the first, before which buffers are empty.
    restart(time: number): void {
        this.frame = this.live ? -1 : 0
        this.at(time)
    }

    rewind(): void {
        this.restart(0)
        this.refresh()
    }

    seek(time: number): void {
        this.at(time)
        this.refresh()
    }

    // Pictures a second, of the film's last second; 0: it does not run, or has just begun.
    get pace(): number {
        const now = performance.now()
        const recent = this.shownAt = this.shownAt.filter(at => at > now - 1200)
        return this.playing && recent.length > 2 ? 1000 * (recent.length - 1) / (recent.at(-1)! - recent[0]!) : 0
    }

    private shows(frame: Frame): void {
        this.shownAt.push(performance.now())
        this.events.drawn(frame, this.time)
    }

    step(by: number): void {
        this.pause()
        this.frame++
        this.seek(Math.max(0, this.time + by))
    }

    play(): void {
        if (this.playing) return
        this.playing = true
        this.jumped = false
        this.shownAt = []
        this.stills.forget()
        this.events.busy(false)
        this.film = []
        this.next = this.time
        this.generation++
        void this.filmHere().then(drawn => {
            if (drawn || !this.playing) return
            this.before = performance.now()
            void this.fetch()
            requestAnimationFrame(now => this.tick(now))
        })
    }

    private get scale(): number { return this.spent < 80 ? 1 : this.spent < 320 ? 0.5 : 0.25 }

    private live = false

    // Until the film is stopped; false: the machine in the page cannot draw it. Time passes as it does outside, but no
    // more than a tenth of a second a frame.
    private async filmHere(): Promise<boolean> {
        const limit = new AbortController()
        const ask = (time: number) => {
            this.frame++
            const question = { ...this.question(this.scale), time }
            const answer = this.drawer.here(question, limit.signal)
            answer.catch(() => undefined) // read below, or no longer wanted
            return { question, answer }
        }
        let asked = performance.now(), told = 0, time = this.time
        let under = ask(time)
        this.live = true
        try {
            while (this.playing) {
                const now = await new Promise<number>(done => requestAnimationFrame(done))
                if (!this.playing) break // a frame more would go on from a picture that nobody sees
                if (this.jumped) time = this.time
                else time += Math.min((now - asked) / 1000, 0.1)
                asked = now
                const stale = this.jumped // what is under way is of the time before
                this.jumped = false
                const next = ask(time)
                const answer = await under.answer
                if (!answer) return false
                if (!this.playing) break
                this.measure(answer, under.question)
                if (!this.jumped && !stale) this.time = under.question.time
                // The rest of the page follows a few times a second: it costs more than a picture.
                if (answer.code !== 0 || now - told >= 250) {
                    told = now
                    this.events.rendered(answer)
                }
                const frame = answer.frames[0]
                if (frame && !stale) this.shows(frame)
                if (answer.code !== 0) this.playing = false
                under = next
            }
        } catch (error) {
            this.playing = false
            this.events.failed(error)
        } finally { this.live = false }
        return true
    }

    pause(): void {
        if (!this.playing) return
        this.playing = this.live = false
        this.refresh() // at full size
    }

    private tick(now: number): void {
        if (!this.playing) return
        const passed = Math.min((now - this.before) / 1000, 0.1)
        this.before = now
        // The clock waits for the machine: it runs only while there are frames.
        if (this.film.length) {
            this.time += passed
            let due: Frame | undefined
            while (this.film[0] && this.film[0].time <= this.time) due = this.film.shift()
            if (due) this.shows(due)
        }
        if (this.film.length < 4) void this.fetch()
        requestAnimationFrame(later => this.tick(later))
    }

    private async fetch(): Promise<void> {
        if (this.fetching || !this.playing) return
        this.fetching = true
        const generation = this.generation
        const scale = this.scale
        const each = this.spent * scale * scale / 1000
        const step = Math.min(Math.max(each * 1.2, FASTEST), 0.5)
        const count = Math.max(2, Math.min(12, Math.round(0.4 / step)))
        const question = { ...this.question(scale), time: this.next, frames: { count, step } }
        const limit = new AbortController()
        const timer = setTimeout(() => limit.abort(), 60_000)
        try {
            const answer = await render(question, limit.signal)
            if (generation !== this.generation || !this.playing) return
            this.measure(answer, question)
            this.events.rendered(answer)
            this.film.push(...answer.frames)
            this.next = question.time + count * step
            if (answer.code !== 0) this.playing = false
        } catch (error) {
            if (generation !== this.generation) return
            this.events.failed(error)
            await new Promise(done => setTimeout(done, 1000)) // the service is busy or away
        } finally {
            clearTimeout(timer)
            this.fetching = false
            if (generation !== this.generation && this.playing) void this.fetch()
        }
    }
}

// Requests of which only the newest matters. One runs at a time; while it runs, the newest of those that arrive
// waits, and the others are dropped. An answer is handed on only while nothing newer was asked for, so an old
// answer never overwrites a newer one.

export class Latest<Question, Answer> {
    private running = false
    private waiting: { question: Question } | null = null
    private number = 0

    constructor(private readonly ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
                private readonly done: (answer: Answer, question: Question) => void,
                private readonly failed: (error: unknown, question: Question) => void) {}

    request(question: Question): void {
        this.number++
        this.waiting = { question }
        if (!this.running) void this.run()
    }

    // What is under way no longer counts.
    forget(): void {
        this.number++
        this.waiting = null
    }

    private async run(): Promise<void> {
        this.running = true
        while (this.waiting) {
            const { question } = this.waiting
            const number = this.number
            this.waiting = null
            const limit = new AbortController()
            const timer = setTimeout(() => limit.abort(), 60_000)
            try {
                const answer = await this.ask(question, limit.signal)
                if (number === this.number) this.done(answer, question)
            } catch (error) {
                if (number === this.number) this.failed(error, question)
            } finally {
                clearTimeout(timer)
            }
        }
        this.running = false
    }
}

// A float of 32 bits with as few digits as tell it from its neighbours: 0.08, not 0.07999999821186066.
export function shortest(value: number): string {
    for (let digits = 1; digits < 9; digits++) {
        const text = String(Number(value.toPrecision(digits)))
        if (Math.fround(Number(text)) === Math.fround(value)) return text
    }
    return String(value)
}

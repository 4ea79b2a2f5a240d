// Differences between two texts by lines: Myers' shortest edit script.

export type Edit = { kind: "same" | "removed" | "added"; text: string }

export function diffLines(before: string[], after: string[]): Edit[] {
    // What both have at the ends needs no search.
    let head = 0
    while (head < before.length && head < after.length && before[head] === after[head]) head++
    let tail = 0
    while (tail < before.length - head && tail < after.length - head
        && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
    const a = before.slice(head, before.length - tail)
    const b = after.slice(head, after.length - tail)
    const same = (text: string): Edit => ({ kind: "same", text })
    return [...before.slice(0, head).map(same), ...middle(a, b), ...before.slice(before.length - tail).map(same)]
}

function middle(a: string[], b: string[]): Edit[] {
    const most = Math.min(a.length + b.length, 2000)
    const trace: Map<number, number>[] = []
    let far = new Map<number, number>([[1, 0]])
    for (let d = 0; d <= most; d++) {
        trace.push(new Map(far))
        for (let k = -d; k <= d; k += 2) {
            const down = k === -d || (k !== d && (far.get(k - 1) ?? -1) < (far.get(k + 1) ?? -1))
            let x = down ? far.get(k + 1) ?? 0 : (far.get(k - 1) ?? 0) + 1
            let y = x - k
            while (x < a.length && y < b.length && a[x] === b[y]) { x++; y++ }
            far.set(k, x)
            if (x >= a.length && y >= b.length) return script(a, b, trace, d)
        }
        far = new Map(far)
    }
    // Texts with little in common: all out, all in.
    return [...a.map((text): Edit => ({ kind: "removed", text })), ...b.map((text): Edit => ({ kind: "added", text }))]
}

function script(a: string[], b: string[], trace: Map<number, number>[], depth: number): Edit[] {
    const edits: Edit[] = []
    let x = a.length
    let y = b.length
    for (let d = depth; d >= 0; d--) {
        const far = trace[d]!
        const k = x - y
        const down = k === -d || (k !== d && (far.get(k - 1) ?? -1) < (far.get(k + 1) ?? -1))
        const from = down ? k + 1 : k - 1
        const startX = d === 0 ? 0 : far.get(from) ?? 0
        const startY = d === 0 ? 0 : startX - from
        while (x > startX && y > startY && x > 0 && y > 0 && a[x - 1] === b[y - 1]) {
            edits.push({ kind: "same", text: a[x - 1]! })
            x--
            y--
        }
        if (d === 0) break
        if (down) edits.push({ kind: "added", text: b[startY]! })
        else edits.push({ kind: "removed", text: a[startX]! })
        x = startX
        y = startY
    }
    return edits.reverse()
}

// The compiler counts a line's bytes in UTF-8, from 1; strings here have units of 16 bits. How many of these precede a column.
export const unitsBefore = (line: string, column: number): number =>
    new TextDecoder().decode(new TextEncoder().encode(line).subarray(0, Math.max(column - 1, 0)), { stream: true }).length

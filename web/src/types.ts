import type { PassName } from "./passes.ts"

// A message of the compiler about a source.
export interface Message {
    stage: "vertex" | "fragment" | null
    line: number // from 1; 0: the whole
    column: number // in bytes of UTF-8, from 1; 0: unknown
    severity: "error" | "warning" | "note"
    text: string
    pass?: PassName // of a program with buffers
}

// The explain document: docs/schemas/qpucc-explain-1.json.

export interface Slot {
    text: string | null
    target?: string
    name?: string
    idle?: string
    waits_for?: number
    because_of?: number
}

export interface Instruction {
    word: string
    text: string
    add: Slot
    mul: Slot
    signal: Slot
    file: string | null
    line: number
    column: number
    block: number
    live: { a: number; b: number; acc: number; flags: boolean; count: number } // masks; count: registers
    units: string[]
    uniform?: { word: number; text: string | null }
    stall: number
    stall_cause?: "tmu" | "vpm"
    stall_for?: number
    target?: number
    thread_switch: boolean
    delay_slot: boolean
    longest_path: boolean
    slack: number
}

export interface Block {
    first: number
    count: number
    edges: number[]
    loop_depth: number
    loop_header: boolean
    stalls: number
    dependency_bound: number
    bound: number
    longest_path: number[]
}

export interface LineCost {
    file: string | null
    line: number
    operations: number
    instructions: number
    stalls: number
    share: number
}

export interface Cost {
    instructions: number
    cycles: number
    stalls: number
    thread_switches: number
    loops: number
    threads: number
    registers: { a: number; b: number; acc: number }
    texture_requests: number
    special_functions: number
    uniform_words: number
    units: Record<string, { used: number; bound: number }>
    alu_bound: number
    dependency_bound: number
    lower_bound: number
    gap: number
    bound_by: string
    longest_block: number
    peak: { registers: number; instruction: number; line: number }
    idle: { add: Record<string, number>; mul: Record<string, number> }
}

export interface StreamWord { kind: string; value: number; part: number; text: string | null; name: string; formula: string }
export interface Formula { name: string; text: string }

// What became of a loop or a branch, and why.
export interface Decision {
    kind: "loop" | "branch"
    file: string | null
    line: number
    copies: number
    choice: string
    heeded: boolean
    text: string
}

export interface Stage {
    stage: "fragment" | "vertex" | "coordinate"
    names: boolean
    code: Instruction[]
    blocks: Block[]
    lines: LineCost[]
    cost: Cost
    stream: StreamWord[]
    shared: Formula[] // parts that formulas name
    decisions?: Decision[]
    passes?: { name: string; text: string }[]
}

export interface Reflected {
    name: string
    base: string
    rows: number
    columns: number
    array: number
    word: number
    used: boolean
    location: number
    block: string | null
}

export interface Record_ {
    bytes: string
    single_threaded: boolean
    point_size: boolean
    clipping: boolean
    extended: boolean
    fragment_uniforms: number
    varyings: number
    vertex: { uniforms: number; attribute_mask: number; attribute_bytes: number }
    coordinate: { uniforms: number; attribute_mask: number; attribute_bytes: number }
    attributes: { bytes: number; stride: number; vertex_offset: number; coordinate_offset: number }[]
}

export interface Explain {
    schema: string
    compiler: string
    status: string
    stages: Stage[]
    uniforms: Reflected[]
    samplers: Reflected[]
    attributes: Reflected[]
    varyings: Reflected[]
    record?: Record_ | null
}

// What people call the units and the reasons. The keys are the document's.
export const UNITS: Record<string, string> = {
    add: "Add ALU", mul: "Mul ALU", read_a: "Read port A", read_b: "Read port B", uniform: "Uniform stream",
    varying: "Interpolator", sfu: "Special functions", tmu: "Texture units", vpm: "Vertex memory", tlb: "Tile buffer",
    signal: "Signal field", dependencies: "Dependent operations", alus: "Both ALUs",
}

export const IDLE: Record<string, string> = {
    choice: "an operation fits, and is no better here than later",
    register: "the register of its result holds another value until later",
    write: "both ALUs would write the same register file",
    small_imm: "read port B is taken by a small immediate, or needed for one",
    read_a: "read port A delivers another register",
    read_b: "read port B delivers another register",
    uniform: "one word of the uniform stream an instruction",
    pack: "one pack or unpack mode an instruction",
    unit: "one access to SFU, TMU, VPM or tile buffer an instruction, in order",
    flags: "flags are set once an instruction, or still needed",
    latency: "operands come from the instruction just before",
    sfu: "operands come from the special function unit",
    tmu: "operands come from a texture unit",
    operands: "operands are not computed yet",
    other_alu: "all that is left of the block is the other ALU's",
    tail: "nothing is left but what ends the block",
    encoding: "the instruction's encoding has no room for this ALU",
}

export const bits = (mask: number): number => {
    let count = 0
    for (let rest = mask >>> 0; rest; rest &= rest - 1) count++
    return count
}

// Clocks of a frame: batches of 16 pixels, four clocks an instruction slot, shared by 12 QPUs at 250 MHz.
export const frameMilliseconds = (cyclesOfBatch: number, width: number, height: number): number =>
    cyclesOfBatch * 4 * Math.ceil(width * height / 16) / 12 / 250e6 * 1000

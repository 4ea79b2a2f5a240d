export const STAGES = ["fragment", "vertex", "coordinate"] as const
export type StageName = typeof STAGES[number]

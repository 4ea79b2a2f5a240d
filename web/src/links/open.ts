// Where the program that the page opens with comes from: its address, whichever kind of link that is.
import { kept } from "../api.ts"
import type { Program } from "../program.ts"
import { shared } from "../works.ts"
import { fromExplorer, fromStored } from "./explorer.ts"
import { fromFragment } from "./fragment.ts"

// A page in somebody's frame: without its bars, and nothing of what it does is kept.
export const embedded = /^\/embed(\/|$)/.test(location.pathname)

export const DAMAGED = "This link is damaged or too long: there is no program in it."

// null: the address names none. Throws an ApiError, or what DAMAGED says.
export async function fromAddress(address: URL): Promise<Program | null> {
    const id = /^\/(?:z|embed)\/([\w-]+)$/.exec(address.pathname)?.[1]
    const program = await fromFragment(address.hash) ?? fromExplorer(address.pathname + address.hash) ?? (id ? fromStored(await kept(id)) : null)
    return program && shared(program)
}

// Of a text that is nothing but a link; null: it is none that holds a program.
export async function fromPasted(text: string): Promise<Program | null> {
    if (!/^https?:\/\/\S+$/.test(text.trim())) return null
    try {
        const address = new URL(text.trim())
        // What is kept elsewhere stays there: this page asks its own service alone.
        if (address.origin !== location.origin && !/#(code=|[gz]:)|\/clientstate\//.test(address.href)) return null
        return await fromAddress(address)
    } catch { return null }
}

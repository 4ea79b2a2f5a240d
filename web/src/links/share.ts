// The buttons that make a link of the program.
import { shorten } from "../api.ts"
import { announce, h } from "../dom.ts"
import type { Program } from "../program.ts"
import { toFragment } from "./fragment.ts"

// The address into the address bar and, where the browser lets us, the clipboard.
async function hand(button: HTMLElement, path: string): Promise<void> {
    const url = new URL(path, location.href).href
    history.replaceState(null, "", url)
    const copied = await navigator.clipboard?.writeText(url).then(() => true, () => false)
    const text = copied ? "Link copied" : "Link in the address bar"
    const name = button.textContent
    button.textContent = text
    announce(`${text}: ${url.slice(0, 200)}`)
    setTimeout(() => { button.textContent = name }, 2500)
}

function button(id: string, name: string, title: string, path: () => Promise<string>, failed: (error: unknown) => void): HTMLButtonElement {
    const element: HTMLButtonElement = h("button", { id, title, onclick: async () => {
        element.disabled = true
        try {
            await hand(element, await path())
        } catch (error) { failed(error) } finally { element.disabled = false }
    } }, name)
    return element
}

export function shareButtons(program: () => Program, failed: (error: unknown) => void): HTMLButtonElement[] {
    return [
        button("share", "Share", "A short link; the server keeps the program", async () => `/z/${(await shorten(program())).id}`, failed),
        button("link", "Link", "A long link with the program in it; nobody keeps anything", async () => `/${await toFragment(program())}`, failed),
    ]
}

// From a frame to the page, with what is in the frame by then.
export function wholePage(program: () => Program): HTMLAnchorElement {
    const fill = async () => { link.href = `/${await toFragment(program())}` }
    const link: HTMLAnchorElement = h("a", { id: "whole", href: "/", target: "_blank", rel: "noopener", onpointerenter: fill, onpointerdown: fill, onfocus: fill },
        "qpucc playground")
    return link
}

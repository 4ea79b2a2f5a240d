// The text of a buffer as a whole shader. The service's own frame around mainImage is for pictures that are shown, which
// are opaque; what a buffer keeps has an alpha.
import { SHADERTOY } from "./dialects.ts"
import { bare, sourceOf } from "./source.ts"

const declared = SHADERTOY.map(({ type, name }) => {
    const [, word, length] = /^(\w+)(\[\d+\])?$/.exec(type)!
    return `uniform ${word} ${name}${length ?? ""};`
})

// Lines that are not the user's have the number of mainImage's.
export function bufferText(text: string): string {
    const source = sourceOf(text, "fragment")
    if (source.main || !source.mainImage) return text
    const plain = bare(text)
    const line = plain.slice(0, plain.search(/\bvoid\s+mainImage\s*\(/)).split("\n").length
    return `#version 300 es\nprecision highp float;\nprecision highp int;\n${declared.join("\n")}\nout vec4 shadertoy_color;\n#line 1\n${text}
#line ${line}
void main() { vec4 shadertoy_result = vec4(0.0, 0.0, 0.0, 1.0);
#line ${line}
mainImage(shadertoy_result, gl_FragCoord.xy);
#line ${line}
shadertoy_color = shadertoy_result; }
`
}

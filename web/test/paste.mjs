// What people paste: real-style shaders of each kind. Each is recognised, goes with what is put beside it, and compiles:
// node paste.mjs QPUCC MODULES
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import test, { after } from "node:test"
import { units } from "./units_bundle.mjs"

const [qpucc, modules] = process.argv.slice(2).map(path => resolve(path))
const { aboutChunk, adapt, addBuffer, bufferText, decodePng, examples, passOf, sourceOf, supply, usesPointer, writtenOut } = await units(modules)
const folder = mkdtempSync(join(tmpdir(), "qpucc-paste-"))
after(() => rmSync(folder, { recursive: true }))

const plasma = examples.find(one => one.title === "Plasma"), phong = examples.find(one => one.title === "Phong")

// Errors of the command, "" if it compiles.
function compiles({ vertex, fragment }) {
    const files = [["a.vert", vertex], ["a.frag", fragment]].filter(([, text]) => text.trim())
    for (const [name, text] of files) writeFileSync(join(folder, name), text)
    return spawnSync(qpucc, [...files.map(([name]) => name), "-w", "-o", "/dev/null"], { cwd: folder, encoding: "utf8" }).stderr
}

function paste(text, stage = "fragment", into = plasma) {
    const program = { ...structuredClone(into), [stage]: text }
    const adaptation = adapt(program, stage)
    return { ...program, ...adaptation?.changes, said: adaptation?.said ?? "", title: adaptation?.title ?? "" }
}

const FRAGMENTS = [
    ["Shadertoy", /needs no vertex shader/, `// a tunnel
#define SPEED .4
float wave(vec2 p) { return sin(p.x * 8. + iTime * SPEED); }
void mainImage( out vec4 fragColor, in vec2 fragCoord )
{
    vec2 uv = (2. * fragCoord - iResolution.xy) / iResolution.y;
    fragColor = vec4(wave(uv) * texture(iChannel0, uv).rgb, 1.);
}`],
    ["Shadertoy", /needs no vertex shader/, `void mainImage(out vec4 o, vec2 p) { o = vec4(p / iResolution.xy, iMouse.z > 0. ? 1. : 0., 1); } // void main()`],
    ["glslsandbox", /its #extension was moved to the top and it needs no vertex shader/, `#ifdef GL_ES
precision mediump float;
#endif
#extension GL_OES_standard_derivatives : enable
uniform float time;
uniform vec2 mouse;
uniform vec2 resolution;
void main( void ) {
	vec2 position = ( gl_FragCoord.xy / resolution.xy ) + mouse / 4.0;
	float color = sin( position.x * cos( time / 15.0 ) * 80.0 );
	gl_FragColor = vec4( vec3( color, color * 0.5, sin( color + time / 3.0 ) * 0.75 ), 1.0 );
}`],
    ["glslsandbox", /writes surfacePosition/, `precision highp float;
uniform float time;
varying vec2 surfacePosition;
void main() { gl_FragColor = vec4(fract(surfacePosition * 4.0 + time), 0.0, 1.0); }`],
    ["The Book of Shaders", /needs no vertex shader/, `#ifdef GL_ES
precision mediump float;
#endif

uniform vec2 u_resolution;
uniform vec2 u_mouse;
uniform float u_time;

float plot(vec2 st, float pct) { return smoothstep(pct - 0.02, pct, st.y) - smoothstep(pct, pct + 0.02, st.y); }

void main() {
    vec2 st = gl_FragCoord.xy/u_resolution;
    gl_FragColor = vec4(vec3(plot(st, st.x)), 1.0) + 0.1 * sin(u_time) * u_mouse.x;
}`],
    ["GLSL 300 ES", /replaced by one that writes vUv and vNormal/, `#version 300 es
precision highp float;
in vec2 vUv;
in vec3 vNormal;
out vec4 outColor;
uniform sampler2D map;
void main() { outColor = texture(map, vUv) * max(dot(normalize(vNormal), vec3(0.0, 0.0, 1.0)), 0.0); }`],
    ["GLSL 300 ES", /needs no vertex shader/, `#version 300 es
precision highp float;
out vec4 color;
void main() { color = vec4(1.0); }`],
    ["GLSL 330 CORE", /writes TexCoord/, `#version 330 core
out vec4 FragColor;
in vec2 TexCoord;
uniform sampler2D texture1;
void main() { FragColor = texture(texture1, TexCoord); }`],
    ["GLSL", /writes vUv/, `precision mediump float;
varying vec2 vUv;
uniform sampler2D uTexture;
uniform float uTime;
void main() { gl_FragColor = texture2D(uTexture, vUv + 0.1 * sin(uTime)); }`],
    ["GLSL", /a line was put before it and the vertex shader was replaced by one that writes vUv/, `varying vec2 vUv;
void main() { gl_FragColor = vec4(vUv, 0.0, 1.0); }`],
    ["GLSL", /writes v_weights, v_color and v_world_pos/, `precision mediump float;
varying float v_weights[2];
varying vec4 v_color;
varying vec3 v_world_pos;
varying vec3 unused;
void main() { gl_FragColor = v_color * v_weights[0] + v_weights[1] + v_world_pos.x; }`],
    ["three.js", /3 lines were put before it and the vertex shader was replaced by one that writes vNormal and vWorld/, `#extension GL_OES_standard_derivatives : enable
uniform vec3 uColor;
varying vec3 vNormal, vWorld;
uniform sampler2D map;
void main() {
  vec3 view = normalize(cameraPosition - vWorld);
  float rim = pow(1.0 - abs(dot(view, vNormal)), 3.0);
  gl_FragColor = vec4(uColor * rim, 1.0) + 0.1 * texture(map, view.xy);
}`],
]

test("fragments of every kind are recognised, and compile with what is put beside them", () => {
    for (const [title, said, text] of FRAGMENTS)
        for (const into of [plasma, phong]) {
            const program = paste(text, "fragment", into)
            assert.equal(program.title, title, text)
            if (into === plasma) assert.match(program.said, said, text)
            assert.equal(compiles(program), "", `${program.vertex}\n${program.fragment}`)
            assert.ok(program.fragment.endsWith(text.slice(text.indexOf("void main"))), "the text is not the user's any more")
            // Once more changes nothing.
            assert.equal(adapt(program, "fragment"), null, text)
        }
    const sandbox = paste(FRAGMENTS[2][2], "fragment", phong)
    assert.deepEqual([sandbox.mesh, sandbox.raster.depth_test], ["quad", false])
})

test("what fits is left alone", () => {
    for (const text of ["precision mediump float;\nvoid main() { gl_FragColor = vec4(1.0); }", plasma.fragment,
        "precision mediump float;\nvarying vec2 v_place;\nvoid main() { gl_FragColor = vec4(v_place, 0.0, 1.0); }", "void ma", "", "some words", "float f() { return 1.0; }"])
        assert.equal(paste(text).said, "", text)
    assert.equal(paste(phong.vertex, "vertex", phong).said, "")
    // A name in a comment, a member and a function of one's own are no use of three.js' names.
    assert.equal(paste("precision mediump float; // cameraPosition\nstruct S { vec3 viewMatrix; };\nuniform S s;\nfloat isOrthographic() { return s.viewMatrix.x; }\n"
        + "void main() { gl_FragColor = vec4(isOrthographic()); }").said, "")
})

test("three.js' vertex shaders get its declarations, and a fragment shader that fits", () => {
    const text = `varying vec2 vUv;
varying vec3 vNormal;
void main() {
  vUv = uv;
  vNormal = normalize(normalMatrix * normal);
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * mvPosition;
}`
    const program = paste(text, "vertex", phong)
    assert.equal(program.said, "three.js: 6 declarations were put before it and the fragment shader was replaced by one that shows what it writes.")
    assert.equal(compiles(program), "")
    assert.equal(program.vertex.split("\n").length, text.split("\n").length + 6)
    // Its fragment shader, next, leaves it.
    const both = paste("varying vec3 vNormal;\nvoid main() { gl_FragColor = vec4(vNormal, cameraPosition.x); }", "fragment", program)
    assert.equal(both.vertex, program.vertex)
    assert.equal(compiles(both), "")
    const modern = paste("#version 300 es\nout vec3 color_of;\nvoid main() { color_of = color; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }", "vertex")
    assert.equal(modern.vertex.split("\n")[0], "#version 300 es")
    assert.equal(compiles(modern), "")
})

test("pointer and date are what the names say", () => {
    const give = (text, pointer = [100.5, 75.5, 1, 2]) => supply(sourceOf(text, "fragment"), 400, 300, pointer, new Date(2026, 10, 28, 1, 2, 3))
    assert.deepEqual(give("uniform vec2 mouse, resolution;"), { mouse: [100.5 / 400, 75.5 / 300] })
    assert.deepEqual(give("uniform vec2 mouse;", null), { mouse: [0.5, 0.5] })
    assert.deepEqual(give("uniform lowp vec2 u_mouse; uniform vec4 u_date;"), { u_mouse: [100.5, 75.5], u_date: [2026, 10, 28, 3723] })
    assert.deepEqual(give("uniform sampler2D mouse; uniform float u_mouse;"), {})
    assert.deepEqual(give("void mainImage(out vec4 c, vec2 p) { c = iMouse; }"), { iMouse: [100.5, 75.5, 1, 2] })
    assert.ok(usesPointer(sourceOf("uniform vec2 mouse;", "fragment")))
    assert.ok(!usesPointer(sourceOf("// the mouse\nuniform vec2 place;", "fragment")))
})

test("a buffer compiles with its alpha, and errors have the user's lines", () => {
    const program = { ...structuredClone(plasma), vertex: "", fragment: FRAGMENTS[0][2] }
    assert.equal(addBuffer(program), "A")
    assert.equal(addBuffer(program), "B")
    assert.deepEqual([program.textures.iChannel0, program.textures.iChannel1], [{ buffer: "A" }, { buffer: "B" }])
    const text = bufferText(passOf(program, "A").fragment)
    assert.equal(compiles({ vertex: "", fragment: text }), "")
    assert.match(text, /shadertoy_color = shadertoy_result;/)
    assert.match(compiles({ vertex: "", fragment: bufferText("// void mainImage()\n\nvoid mainImage(out vec4 c, in vec2 p) {\n    c = vec3(0.0);\n}") }), /^a\.frag:4:/)
    // Not the user's: at mainImage's line.
    assert.match(compiles({ vertex: "", fragment: bufferText("\n\nvoid mainImage(out vec4 c) { c = vec4(0.0); }") }), /^a\.frag:3:/)
    assert.equal(bufferText("void main() { gl_FragColor = vec4(1.0); }"), "void main() { gl_FragColor = vec4(1.0); }")
})

test("three.js' chunks are written out where they can be, and compile; of others a message says what to do", () => {
    const vertex = `#include <common>
#include <fog_pars_vertex>
varying vec3 vNormal;
varying float vDepth;
void main() {
\t#include <beginnormal_vertex>
\t#include <defaultnormal_vertex>
\t#include <begin_vertex>
\ttransformed += 0.1 * objectNormal * sin(PI * transformed.y);
\t#include <project_vertex>
\t#include <worldpos_vertex>
\t#include <fog_vertex>
\tvNormal = transformedNormal;
\tvDepth = mvPosition.z + worldPosition.x;
}`
    const program = paste(vertex, "vertex", phong)
    assert.match(program.said, /^three\.js: common, fog_pars_vertex, beginnormal_vertex, .* and fog_vertex were written out; \d declarations were put before it and the fragment shader was replaced/)
    assert.equal(compiles(program), "", program.vertex)
    assert.ok(program.vertex.includes("\tvec3 transformed = position;") && !/include|RECIPROCAL/.test(program.vertex), program.vertex)

    // Every definition, with a program that uses it.
    for (const [chunk, uses] of [["common", ["PI", "PI2", "PI_HALF", "RECIPROCAL_PI", "RECIPROCAL_PI2", "EPSILON", "saturate(2.0)", "pow2(2.0)", "pow3(2.0)", "pow4(2.0)", "max3(vec3(1.0))",
        "average(vec3(1.0))", "rand(vec2(1.0))", "luminance(vec3(1.0))", "transformDirection(vec3(1.0), viewMatrix).x", "inverseTransformDirection(vec3(1.0), viewMatrix).x"]],
    ["packing", ["packNormalToRGB(vec3(1.0)).x", "unpackRGBToNormal(vec3(1.0)).x", "packDepthToRGBA(0.3).x", "unpackRGBAToDepth(vec4(0.1))", "viewZToOrthographicDepth(-2.0, 1.0, 3.0)",
        "orthographicDepthToViewZ(0.5, 1.0, 3.0)", "viewZToPerspectiveDepth(-2.0, 1.0, 3.0)", "perspectiveDepthToViewZ(0.5, 1.0, 3.0)"]]])
        for (const use of [...uses, uses.join(" + ")]) {
            const one = paste(`#include <${chunk}>\nvoid main() { gl_FragColor = vec4(${use}); }`)
            assert.equal(one.title, "three.js")
            assert.equal(compiles(one), "", one.fragment)
            assert.equal(adapt(one, "fragment"), null)
        }
    // What the text defines itself stays its own; a comment is no line; others' chunks stay.
    assert.deepEqual(writtenOut("#include <common>\n// PI\nfloat saturate(float x) { return x; }\nfloat f() { return saturate(1.0); }"),
        { text: "// PI\nfloat saturate(float x) { return x; }\nfloat f() { return saturate(1.0); }", names: ["common"] })
    assert.equal(writtenOut("// #include <common>\n#include <lights_pars_begin>\n#include <toString>"), null)
    assert.match(aboutChunk("  #include <lights_pars_begin> // all of them"), /chunk <lights_pars_begin> is not here: put the text of ShaderChunk\.lights_pars_begin in place of this line/)
    assert.equal(aboutChunk('#include "mine.glsl"'), null)
})

test("three.js' depths come back as they were packed, from bytes", async () => {
    const { vertex, fragment } = paste(`#include <packing>
void main() {
    float depth = gl_FragCoord.x / 64.0;
    vec4 bytes = floor(255.0 * packDepthToRGBA(depth) + 0.5) / 255.0;
    gl_FragColor = vec4(step(abs(unpackRGBAToDepth(bytes) - depth), 0.000004), 10.0 * abs(bytes.x - depth), 0.0, 1.0);
}`)
    writeFileSync(join(folder, "a.frag"), fragment)
    if (vertex) writeFileSync(join(folder, "a.vert"), vertex)
    const { status, stderr } = spawnSync(qpucc, ["run", ...vertex ? ["a.vert"] : [], "a.frag", "--size=64x16", "-o", "a.png"], { cwd: folder, encoding: "utf8" })
    assert.equal(status, 0, stderr)
    const { rgba } = await decodePng(new Uint8Array(readFileSync(join(folder, "a.png"))))
    assert.deepEqual([...rgba].filter((value, k) => k % 4 === 0 && value !== 255), [])
    assert.ok([...rgba].every((value, k) => k % 4 !== 1 || value < 30)) // the first byte alone is nearly the depth
})

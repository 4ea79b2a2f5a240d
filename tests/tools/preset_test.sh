#!/bin/sh
# A preset of five passes draws what another OpenGL ES draws, pass for pass; what is wrong with a preset's file is said.
# usage: preset_test.sh QPUCC GL_REFERENCE|"" SOURCE_FOLDER
set -u
qpucc=$1 reference=$2 folder=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
broken=0
fail() { echo "$1"; broken=1; }

picture=$folder/examples/textures/balloons.png
mkdir "$work/keep"
"$qpucc" run "$folder/examples/preset/glow.glslp" --texture source="$picture" --cycles --keep "$work/keep" \
    -o "$work/glow.png" >"$work/out" || fail "the example was not drawn"
[ "$(grep -c '^pass ' "$work/out")" = 5 ] || fail "not a line for each pass"
cmp -s "$work/glow.png" "$work/keep/pass4.png" && fail "pass4.png has alpha, the output has not"
sizes=$(awk '{print $3}' "$work/out" | tr '\n' ' ')
[ "$sizes" = "256x256 128x128 128x128 256x240 320x240 " ] || fail "sizes: $sizes"

# A scene of --keep is its pass.
"$qpucc" run "$work/keep/pass4.json" -o "$work/again.png" && cmp "$work/again.png" "$work/glow.png" ||
    fail "the last pass alone is another picture"

# Parameters: the preset's before the #pragma's, the command line's before both.
"$qpucc" run "$folder/examples/preset/glow.glslp" --texture source="$picture" --uniform GLOW=0.35 -o "$work/same.png" &&
    cmp "$work/same.png" "$work/glow.png" || fail "GLOW=0.35 is what the preset has"
"$qpucc" run "$folder/examples/preset/glow.glslp" --texture source="$picture" --uniform GLOW=1 -o "$work/other.png" &&
    cmp -s "$work/other.png" "$work/glow.png" && fail "GLOW=1 changes nothing"

# A picture of the command line comes before the preset's, and names that no pass has are said.
"$qpucc" run "$folder/examples/preset/glow.glslp" --texture source="$picture" --texture MASK="$picture" --uniform GLOVE=1 \
    --texture MUSK="$picture" -o "$work/masked.png" 2>"$work/err" || fail "a picture of one's own was not drawn"
cmp -s "$work/masked.png" "$work/glow.png" && fail "--texture MASK changes nothing"
grep -q "no pass has a uniform 'GLOVE'" "$work/err" && grep -q "no pass has a sampler 'MUSK'" "$work/err" || fail "unknown names"
grep -q "MASK\|source" "$work/err" && fail "a known name is called unknown"

# One shader for all that follows: the vertex part, and the fragment part that is given.
shader() { # FILE FRAGMENT
    printf '#if defined(VERTEX)\nattribute vec4 VertexCoord, TexCoord;\nvarying vec2 place;\n' >"$1"
    printf 'void main() { gl_Position = vec4(VertexCoord.xy, 0.0, 1.0); place = TexCoord.xy; }\n' >>"$1"
    printf '#elif defined(FRAGMENT)\nprecision highp float;\nvarying vec2 place;\n%s\n#endif\n' "$2" >>"$1"
}
one_pass() { # PRESET FILE
    printf 'shaders = "1" // one\nshader0 = %s\nfilter_linear0 = "false"\n' "$2" >"$1"
}

# Feedback: black, then the frame before. Each frame adds a fifth of white to what was there; magenta where that was wrong.
shader "$work/add.glsl" 'uniform sampler2D FeedbackTexture;
uniform int FrameCount;
void main() {
    vec4 before = texture2D(FeedbackTexture, place);
    bool right = abs(before.r - float(FrameCount) * 0.2) < 0.001;
    gl_FragColor = right ? vec4(vec3(before.r + 0.2), 1.0) : vec4(1.0, 0.0, 1.0, 1.0);
}'
one_pass "$work/other.glslp" add.glsl
printf '#reference "other.glslp"\n# a comment = none\n' >"$work/feedback.glslp"
for frames in 1 3 5; do
    shader "$work/grey.glsl" "void main() { gl_FragColor = vec4(vec3($frames.0 * 0.2), 1.0); }"
    one_pass "$work/grey.glslp" grey.glsl
    "$qpucc" run "$work/feedback.glslp" --frames $frames --size 8x8 -o "$work/added.png" &&
        "$qpucc" run "$work/grey.glslp" --size 8x8 -o "$work/grey.png" && cmp "$work/added.png" "$work/grey.png" ||
        fail "after $frames frames: not $frames fifths of white"
done

# A picture that is too large is halved; one that is not there is said, and so is a framebuffer of floats, once.
python3 - "$work/wide.png" <<'END'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
row = b"\0" + bytes([255, 255, 255, 0, 0, 0]) * 2048
open(sys.argv[1], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4096, 2, 8, 2, 0, 0, 0))
                              + chunk(b"IDAT", zlib.compress(row * 2)) + chunk(b"IEND", b""))
END
shader "$work/wide.glsl" 'uniform sampler2D WIDE; void main() { gl_FragColor = texture2D(WIDE, place); }'
shader "$work/grey.glsl" 'void main() { gl_FragColor = vec4(vec3(128.0 / 255.0), 1.0); }'
printf 'shaders = 2\nshader0 = wide.glsl\nshader1 = wide.glsl\ntextures = WIDE\nWIDE = wide.png\nfloat_framebuffer0 = true\n' \
    >"$work/wide.glslp"
printf 'srgb_framebuffer1 = true\n' >>"$work/wide.glslp"
"$qpucc" run "$work/wide.glslp" --size 8x8 -o "$work/wide_drawn.png" 2>"$work/err" || fail "a wide picture was not drawn"
"$qpucc" run "$work/grey.glslp" --size 8x8 -o "$work/grey.png" && cmp "$work/wide_drawn.png" "$work/grey.png" ||
    fail "black and white, halved, is grey"
[ "$(grep -c 'drawn smaller' "$work/err")" = 1 ] && [ "$(grep -c 'eight bits' "$work/err")" = 1 ] || fail "not each warning once"

# What stops the machine is no fault of the preset's files.
shader "$work/endless.glsl" 'uniform float END; void main() { float x = 0.0; while (x < END + 1.0) x *= 0.5; gl_FragColor = vec4(x); }'
printf 'shaders = 1\nshader0 = endless.glsl\n' >"$work/endless.glslp"
"$qpucc" run "$work/endless.glslp" --size 8x8 -o "$work/endless.png" 2>"$work/err"
code=$?
[ $code = 4 ] && grep -q 'pass 0: machine: ' "$work/err" || fail "an endless loop: exit code $code"

# A report of a folder: a row for each preset, what two share is compiled once, and what is wrong is said.
mkdir -p "$work/folder/inner"
cp "$folder"/examples/preset/* "$work/folder"
printf 'shaders = 2\nshader0 = ../linear.glsl\nshader1 = ../bad.glsl\n' >"$work/folder/inner/half.glslp"
printf 'shaders = 1\nshader0 = missing.glsl\nfloat_framebuffer0 = true\n' >"$work/folder/missing.glslp"
printf 'scale0 = 1\n' >"$work/folder/none.glslp"
shader "$work/folder/bad.glsl" 'void main() { gl_FragColor = vec4(colour); }'
"$qpucc" report --presets "$work/folder" >"$work/out" 2>"$work/err" || fail "no report"
[ -s "$work/err" ] && fail "the report says more than its table"
sed -n '2,5p' "$work/out" | awk '{print $1, $2, $3}' >"$work/rows"
printf 'glow.glslp 5 0\ninner/half.glslp 2 1\nmissing.glslp 1 1\nnone.glslp unreadable \n' | cmp -s - "$work/rows" || fail "rows"
tail -1 "$work/out" | grep -qx '4 presets, 1 accepted; 6 shaders, 2 refused' || fail "totals: $(tail -1 "$work/out")"
grep -q "bad.glsl:.*'colour'" "$work/out" && grep -q 'missing.glsl: ' "$work/out" && grep -q 'shaders = N' "$work/out" ||
    fail "reasons"
"$qpucc" report --presets "$work/folder" --json --filter glow | python3 -c '
import json, sys
lines = [json.loads(line) for line in sys.stdin]
glow, = lines
stages = [{s["stage"]: s for s in p["stages"]} for p in glow["passes"]]
assert glow["name"] == "glow.glslp" and glow["accepted"] and len(stages) == 5, glow
for stage in ("fragment", "vertex", "coordinate"):
    for figure in ("instructions", "cycles"):
        assert glow[stage][figure] == sum(s[stage][figure] for s in stages) > 0, (stage, figure)
' || fail "the report as JSON"
deep=$work/deep
for level in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32; do deep=$deep/$level; done
mkdir -p "$deep"
cp "$folder"/examples/preset/* "$work/deep"
"$qpucc" report --presets "$work/deep" >"$work/out" 2>"$work/err" && fail "a folder that was not read, and exit code 0"
grep -q '1 presets, 1 accepted' "$work/out" && grep -q '31/32: too many folders' "$work/err" ||
    fail "a folder that was not read"
"$qpucc" report --presets "$work/nothing" 2>"$work/err" && fail "a folder that is not there"
grep -q 'not a folder' "$work/err" || fail "a folder that is not there is not explained"

refused() { # text of the preset, what is said
    printf "$1" >"$work/bad.glslp"
    "$qpucc" run "$work/bad.glslp" -o "$work/bad.png" 2>"$work/err" && fail "accepted: $1"
    grep -q "$2" "$work/err" || { fail "$1: not '$2' but:"; cat "$work/err"; }
}
refused 'scale0 = 1\n' 'shaders = N is missing'
refused 'shaders = 99\n' '1 to 26'
refused 'shaders = 2\nshader0 = add.glsl\n' 'shader1 is missing'
refused 'shaders = 1\nshader0 = nothing.glsl\n' 'nothing.glsl'
refused 'shaders = 1\nshader0 = add.glsl\nscale_type0 = double\n' 'not source, viewport or absolute'
refused 'shaders = 1\nshader0 = add.glsl\nscale0 = -1\n' 'above 0'
refused 'shaders = 1\nshader0 = add.glsl\ntextures = "A;B"\nA = a.png\n' 'the texture B has no file'
refused 'shaders = 1\nshader0 = add.glsl\ntextures = A\nA = a.png\n' 'a.png'
refused '#reference "bad.glslp"\n' 'refer to each other'
"$qpucc" run "$folder/examples/gradient.json" --keep "$work" -o "$work/bad.png" 2>"$work/err" && fail "--keep without a preset"
grep -q 'for presets' "$work/err" || fail "--keep without a preset is not explained"

[ -n "$reference" ] && [ "$broken" = 0 ] || exit $broken
"$reference" "$work"/keep/pass?.json || broken=$?
exit $broken

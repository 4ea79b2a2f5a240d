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

# Feedback: the frame before. Each frame adds a tenth of white to what was there.
cat >"$work/add.glsl" <<'END'
#if defined(VERTEX)
attribute vec4 VertexCoord, TexCoord;
varying vec2 place;
void main() { gl_Position = vec4(VertexCoord.xy, 0.0, 1.0); place = TexCoord.xy; }
#elif defined(FRAGMENT)
precision highp float;
uniform sampler2D FeedbackTexture;
uniform int FrameCount;
varying vec2 place;
void main() {
    vec4 before = FrameCount > 0 ? texture2D(FeedbackTexture, place) : vec4(0.0);
    float wanted = float(FrameCount) * 0.1;
    bool right = abs(before.r - wanted) < 0.01;
    gl_FragColor = right ? vec4(vec3(before.r + 0.1), 1.0) : vec4(1.0, 0.0, 1.0, 1.0);
}
#endif
END
printf '#reference "other.glslp"\n# a comment = none\n' >"$work/feedback.glslp"
printf 'shaders = "1" // one\nshader0 = add.glsl\nfilter_linear0 = "false"\n' >"$work/other.glslp"
"$qpucc" run "$work/feedback.glslp" --frames 5 --size 8x8 -o "$work/five.png" &&
    "$qpucc" run "$work/feedback.glslp" --frames 1 --size 8x8 -o "$work/one.png" || fail "feedback was not drawn"
cmp -s "$work/five.png" "$work/one.png" && fail "the fifth frame is the first one"

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
refused '#reference "bad.glslp"\n' 'refer to each other'
"$qpucc" run "$folder/examples/gradient.json" --keep "$work" -o "$work/bad.png" 2>"$work/err" && fail "--keep without a preset"
grep -q 'for presets' "$work/err" || fail "--keep without a preset is not explained"

[ -n "$reference" ] && [ "$broken" = 0 ] || exit $broken
"$reference" "$work"/keep/pass?.json || broken=$?
exit $broken

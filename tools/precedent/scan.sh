#!/bin/sh
# Compiles corpora in several ways and scans all of that code for patterns without precedent (docs/precedents.md).
#
#     tools/precedent/scan.sh [--part] [--update] BUILD SHARED
#
# BUILD has qpucc and qpucc-precedent; SHARED is the shared folder. --part: a small part of it, what ctest runs. --update: writes
# the counts of docs/precedents.tsv anew. Exit codes as qpucc-precedent's: 2, some pattern has neither precedent nor verdict.
set -eu
part=''
update=''
while :; do
    case "${1:-}" in
    --part) part=1 ;;
    --update) update=--update ;;
    *) break ;;
    esac
    shift
done
build=$1 shared=$2
source=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

state() { # NAME JSON
    printf '%s\n' "$2" > "$folder/$1.json"
}
state blend '{"depth_test": 1, "blend": {"enable": 1, "rgb_source": "src_alpha", "rgb_target": "one_minus_src_alpha",
    "alpha_source": "src_alpha", "alpha_target": "one_minus_src_alpha"}, "keep_channels": 8}'
state samples '{"depth_test": 1, "multisample": 1, "alpha_to_coverage": 1, "sample_mask": 1, "stencil": "separate", "stencil_masks": 1,
    "blend": {"enable": 1, "rgb_source": "one", "rgb_target": "one_minus_src_alpha", "alpha_source": "one",
    "alpha_target": "one_minus_src_alpha"}}'
state float_target '{"depth_test": 1, "target": "rgba16f", "multisample": 1, "fog": "exp2", "alpha_func": "greater"}'
state tests '{"depth_test": 1, "flip_y": 1, "target": "rgb565", "dither": 1, "alpha_func": "gequal", "stencil": "both", "logic_op": "xor",
    "clip_planes": 3, "area_stipple": "32x32", "fog": "linear"}'

compile() { # PAIRS OPTION...
    pairs=$1
    shift
    "$build/qpucc" report --pairs "$pairs" --json --code "$@" > "$folder/code$count.jsonl"
    count=$((count + 1))
}
count=0
pairs=$shared/corpus/dev-pairs.jsonl
if [ "$part" ]; then
    compile "$pairs" --filter glmark2/
    compile "$pairs" --filter shader-db/glamor --state="$folder/samples.json"
    compile "$pairs" --filter libretro/anti --state="$folder/tests.json"
else
    for options in '' -O1 -O0 -ffast-math -fprecise --primitive=points --primitive=lines "--state=$folder/blend.json" \
        "--state=$folder/samples.json" "--state=$folder/float_target.json" "--state=$folder/tests.json"; do
        # shellcheck disable=SC2086
        compile "$pairs" $options
    done
    compile "$pairs" -O3 --filter glmark2/
    compile "$shared/conformance/webgl-glsl.jsonl"
fi
"$build/qpucc-precedent" --foreign "$shared/corpus/foreign-code.jsonl" --captures "$shared/captures" \
    --listing "$shared"/seeds/001_*.txt --verdicts "$source/docs/precedents.tsv" $update "$folder"/code*.jsonl

#!/bin/sh
# Fuzzes the library's entry points with libFuzzer, under the address and undefined behaviour sanitizers.
#
#     tests/fuzz/run.sh BUILD TARGET [SECONDS]
#
# BUILD is a build by clang: cmake -B BUILD -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DQPUCC_SANITIZE=ON.
# TARGET is glsl, spirv, ir, assembly, code, program, explain, cache, lists or calls; `seeds` makes what they start from:
# the texts in tests/fuzz/corpus, and what seeds.c makes of its shaders. BUILD/tests/fuzz takes what the fuzzer found worth
# keeping (corpus/TARGET), and crash-* for what went wrong. The fuzzer's own seed is 1.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=${1:?usage: run.sh BUILD TARGET [SECONDS]} target=${2:?usage: run.sh BUILD TARGET [SECONDS]} seconds=${3:-20}
cd "$build/tests/fuzz"

if [ "$target" = seeds ]; then
    for t in glsl spirv ir assembly code program explain cache lists calls; do
        mkdir -p "corpus/$t"
        cp "$here/corpus/$t"-* "corpus/$t/" 2>/dev/null || true
    done
    exec ./fuzz_seeds corpus "$here"/corpus/*.frag
fi
# The program's name says which target.
program=fuzz_library
[ "$target" != calls ] || program=fuzz_device
ln -sf "$program" "$target"
# A target starts from its seeds: what earlier runs kept would make this one another.
kept=corpus/$target
if [ "$seconds" -le 60 ]; then
    rm -rf "again/$target"
    mkdir -p again
    cp -r "$kept" "again/$target"
    kept=again/$target
fi
exec "./$target" -seed=1 -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4000 -max_len=8192 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="crash-$target-" "$kept"

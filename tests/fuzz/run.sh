#!/bin/sh
# Fuzzes the library's doors with libFuzzer, under the address and undefined behaviour sanitizers.
#
#     tests/fuzz/run.sh FOLDER TARGET [SECONDS]
#
# TARGET is glsl, spirv, ir, assembly, code, program, explain, cache, lists or calls; `build` only builds. FOLDER takes the build, what the fuzzer found
# worth keeping (corpus/TARGET), and crash-* for what went wrong. The seeds are those of tests/fuzz/corpus and what
# seeds.c makes of its shaders; the fuzzer's own seed is 1. Exit code 77: no clang with libFuzzer.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
folder=${1:?usage: run.sh FOLDER TARGET [SECONDS]} target=${2:?usage: run.sh FOLDER TARGET [SECONDS]} seconds=${3:-20}
targets="glsl spirv ir assembly code program explain cache lists calls"
mkdir -p "$folder"
cd "$folder"
# What the undefined behaviour sanitizer looks at: alignment only where outside bytes are read; with it, and with what the
# address sanitizer sees anyway, compiling takes three times as long.
checks=signed-integer-overflow,shift,bounds,integer-divide-by-zero,float-cast-overflow,unreachable,bool,enum,vla-bound,return
flags="-g1 -O1 -fno-omit-frame-pointer -fsanitize=address,$checks -fno-sanitize-recover=all -I$here -I$here/include $(pkg-config --cflags libdrm)
    -ffp-contract=off -include fuzz.h -DQPUCC_VERIFY=1 -DNDEBUG -D__SANITIZE_ADDRESS__ -DSIM_MAX_ITEMS=20000 -w"

build() {
    libraries=$("$here/tools/glslang.sh" libraries) cxx_flags=$("$here/tools/glslang.sh" flags)
    echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return 0; }' >probe.c
    clang -fsanitize=fuzzer probe.c -o probe 2>/dev/null && command -v clang++ >/dev/null || exit 77
    ccache=$(command -v ccache || true)
    mkdir -p objects
    printf '#define QPUCC_VERSION "fuzz"\n#define QPUCC_BUILD_ID "fuzz"\n' >fuzz.h
    sources=$(cd "$here" && ls ir/*.c passes/*.c frontend/*/*.c backend/isa/*.c mir/*.c backend/*.c sched/*.c regalloc/*.c \
        compiler/*.c explain/*.c runtime/*.c runtime/cl/*.c runtime/front/*.c runtime/drm/*.c)
    {
        for file in $sources; do
            object=objects/$(echo "$file" | tr / -).o
            system=
            case $file in compiler/* | frontend/spirv/* | runtime/*) system=-fsanitize=alignment ;; esac
            case $file in runtime/drm/*) system="$system -D_GNU_SOURCE" ;; esac
            # shellcheck disable=SC2086
            echo $ccache clang -std=gnu11 $flags $system -fsanitize=fuzzer-no-link -c "$here/$file" -o "$object"
        done
        for file in $("$here/tools/glslang.sh" sources); do
            # shellcheck disable=SC2086
            echo $ccache clang++ $flags $cxx_flags -c "$here/$file" -o objects/"$(echo "$file" | tr / -)".o
        done
    } | xargs -P 2 -I{} sh -c '{}'
    for program in fuzz calls; do
        # shellcheck disable=SC2086
        $ccache clang -std=gnu11 $flags -D_GNU_SOURCE -fsanitize=fuzzer-no-link -c "$here/tests/fuzz/$program.c" -o "$program.o"
        # shellcheck disable=SC2086
        clang++ $flags -fsanitize=fuzzer "$program.o" objects/*.o -o "$program" -Wl,--start-group $libraries -Wl,--end-group
    done
    for t in $targets; do
        [ "$t" = calls ] || ln -sf fuzz "$t"
        mkdir -p "corpus/$t"
        cp "$here"/tests/fuzz/corpus/"$t"-* "corpus/$t/" 2>/dev/null || true
    done
    # shellcheck disable=SC2086
    clang -std=gnu11 $flags -c "$here/tests/fuzz/seeds.c" -o seeds.o
    # shellcheck disable=SC2086
    clang++ $flags -fsanitize=fuzzer-no-link seeds.o objects/*.o -o seeds -Wl,--start-group $libraries -Wl,--end-group
    ./seeds corpus "$here"/tests/fuzz/corpus/*.frag
}

if [ "$target" = build ]; then
    build
    exit 0
fi
[ -x "$target" ] || build
# A target starts from its seeds: what earlier runs kept would make this one another.
[ "$seconds" -gt 60 ] || { [ -d "again/$target" ] && rm -r "again/$target"; mkdir -p again && cp -r "corpus/$target" "again/$target"; }
kept=corpus/$target
[ "$seconds" -gt 60 ] || kept=again/$target
exec "./$target" -seed=1 -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4000 -max_len=8192 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="crash-$target-" "$kept"

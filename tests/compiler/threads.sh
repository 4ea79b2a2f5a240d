#!/bin/sh
# Eight threads compile the same pairs at the same time under the thread sanitizer: the examples, and where QPUCC_SHARED
# is set every 22nd pair of the corpus, 21 of them.
#
#     tests/compiler/threads.sh FOLDER [PART]         PART N/M: other lines of the corpus (1/22)
#
# FOLDER takes a build of the library with -fsanitize=thread. Debian's glslang is not instrumented, so what it does with
# its own memory is not seen, only what our files and the C library do. Exit code 77: the compiler has no such sanitizer.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
folder=${1:?usage: threads.sh FOLDER [PART]} part=${2:-1/22}
rm -rf "$folder/objects" # of files that there are no more
mkdir -p "$folder/objects"
cd "$folder"
flags="-g1 -O1 -fno-omit-frame-pointer -fsanitize=thread -I$here -I$here/include -ffp-contract=off -include threads.h
    -DQPUCC_VERIFY=0 -DNDEBUG -w"
libraries="-ljansson $("$here/tools/glslang.sh" libraries)" cxx_flags=$("$here/tools/glslang.sh" flags)
printf '#define QPUCC_VERSION "threads"\n#define QPUCC_BUILD_ID "threads"\n' >threads.h
echo 'int main(void) { return 0; }' >probe.c
gcc -fsanitize=thread probe.c -o probe 2>/dev/null && ./probe || exit 77
ccache=$(command -v ccache || true)
sources=$(cd "$here" && ls ir/*.c passes/*.c frontend/*/*.c backend/isa/*.c mir/*.c backend/*.c sched/*.c regalloc/*.c \
    compiler/*.c tests/compiler/eight_threads.c)
{
    for file in $sources; do
        object=objects/$(echo "$file" | tr / -).o
        # shellcheck disable=SC2086
        echo $ccache gcc -std=gnu11 $flags -c "$here/$file" -o "$object"
    done
    for file in $("$here/tools/glslang.sh" sources); do
        # shellcheck disable=SC2086
        echo $ccache g++ $flags $cxx_flags -c "$here/$file" -o objects/"$(echo "$file" | tr / -)".o
    done
} | xargs -P 2 -I{} sh -c '{}'
# shellcheck disable=SC2086
g++ -fsanitize=thread objects/*.o -o eight_threads -Wl,--start-group $libraries -Wl,--end-group
TSAN_OPTIONS="halt_on_error=0 exitcode=66 ${TSAN_OPTIONS:-}" exec ./eight_threads --part "$part" \
    SHARED/corpus/dev-pairs.jsonl "$here"/examples/*.vert

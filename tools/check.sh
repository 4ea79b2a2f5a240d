#!/bin/sh
# Builds everything with warnings as errors and runs all tests, then the same with the address and undefined behaviour
# sanitizers (there without the tests labelled "slow"). QPUCC_SHARED names the folder with the large suites, if there is one.
# The last lines name every test that failed in either build; the last one is "N passed, N failed".
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
jobs=$(nproc)
"$root/tools/packages.sh"
launcher=""
command -v ccache >/dev/null && launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
# 370 programs are linked, each in a third of the time.
command -v ld.lld >/dev/null && launcher="$launcher -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld"
if [ -n "${QPUCC_SHARED:-}" ]; then
    launcher="$launcher -DQPUCC_SHARED=$QPUCC_SHARED"
fi

# Which compilers the build with the sanitizers has: clang's are faster, and libFuzzer is one of them (tests/fuzz).
checked=""
command -v clang >/dev/null && command -v clang++ >/dev/null && checked="-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++"

build() { # DIRECTORY OPTION...
    dir=$1
    shift
    # shellcheck disable=SC2086
    cmake -S "$root" -B "$dir" -G Ninja -DQPUCC_WERROR=ON "$@" $launcher
    ninja -C "$dir" -j "$jobs"
}

# The limit is far from what the longest test needs: the machine may be busy, and is slow with the sanitizers.
run_tests() { # DIRECTORY OPTION...
    dir=$1
    shift
    rm -f "$dir/Testing/Temporary/LastTestsFailed.log"
    ctest --test-dir "$dir" -j "$jobs" --output-on-failure --timeout 3600 --output-log "$dir/tests.log" "$@" || failed=1
}

# "TESTS FAILED" of a run, 0 0 if it never came to its summary.
numbers() { # DIRECTORY
    sed -n 's/.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\)$/\2 \1/p' "$1/tests.log" | tail -n 1 | grep . || echo "0 0"
}

failures() { # DIRECTORY TEXT
    [ ! -f "$1/Testing/Temporary/LastTestsFailed.log" ] || sed "s/^[0-9]*:/FAILED$2: /" "$1/Testing/Temporary/LastTestsFailed.log"
}

failed=0
build "$root/build" -DQPUCC_SANITIZE=OFF
# shellcheck disable=SC2086
build "$root/build/sanitize" -DQPUCC_SANITIZE=ON $checked
run_tests "$root/build/sanitize" -LE slow
run_tests "$root/build"

echo
failures "$root/build/sanitize" " with the sanitizers"
failures "$root/build" ""
# shellcheck disable=SC2046
set -- $(numbers "$root/build/sanitize") $(numbers "$root/build")
echo "$(($1 - $2 + $3 - $4)) passed, $(($2 + $4)) failed"
[ $failed = 0 ] && [ $(($2 + $4)) = 0 ] && [ "$1" != 0 ] && [ "$3" != 0 ]

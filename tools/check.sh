#!/bin/sh
# Builds everything with warnings as errors and runs all tests, then the same with the address and undefined behaviour
# sanitizers (there without the tests labelled "slow"). QPUCC_SHARED names the folder with the large suites, if there is one.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
jobs=$(nproc)
"$root/tools/packages.sh"
launcher=""
command -v ccache >/dev/null && launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
if [ -n "${QPUCC_SHARED:-}" ]; then
    launcher="$launcher -DQPUCC_SHARED=$QPUCC_SHARED"
fi
export CK_DEFAULT_TIMEOUT=120 # the sanitizers are slow

# shellcheck disable=SC2086
cmake -S "$root" -B "$root/build" -G Ninja -DQPUCC_WERROR=ON -DQPUCC_SANITIZE=OFF $launcher
ninja -C "$root/build" -j "$jobs"

# shellcheck disable=SC2086
cmake -S "$root" -B "$root/build/sanitize" -G Ninja -DQPUCC_WERROR=ON -DQPUCC_SANITIZE=ON $launcher
ninja -C "$root/build/sanitize" -j "$jobs"
sanitized=0
ctest --test-dir "$root/build/sanitize" -j "$jobs" --output-on-failure --timeout 900 -LE slow || sanitized=$?

[ "$sanitized" = 0 ] || echo "failures with sanitizers: see above"
ctest --test-dir "$root/build" -j "$jobs" --output-on-failure --timeout 900
exit "$sanitized"

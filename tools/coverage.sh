#!/bin/sh
# Line coverage of frontend, ir and passes by the tests, one line a module.
#
#   tools/coverage.sh                     everything but the tests labelled slow
#   tools/coverage.sh PATTERN             only the tests that ctest -R PATTERN finds
#   tools/coverage.sh PATTERN TARGET...   builds these targets only: quick, while one works on a module
#
# QPUCC_SHARED in the environment names the large suites; tests that want them skip without.
# JOBS=N processes (1 if unset). Exit code: that of the tests; coverage is printed all the same.
set -eu

cd "$(dirname "$0")/.."
build=build/coverage
jobs=${JOBS:-1}
pattern=${1:-}
[ $# -eq 0 ] || shift

command -v lcov >/dev/null || { echo "coverage.sh: lcov is missing (Debian: apt install lcov)" >&2; exit 1; }

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DQPUCC_COVERAGE=ON \
    -DQPUCC_SHARED="${QPUCC_SHARED:-}" >/dev/null
if [ $# -gt 0 ]; then
    cmake --build "$build" -j "$jobs" --target "$@"
else
    cmake --build "$build" -j "$jobs"
fi

# Counts add up over runs of the same program; these have to be of this run alone.
find "$build" -name '*.gcda' -delete

status=0
ctest --test-dir "$build" -j "$jobs" -LE '^slow$' -R "$pattern" --output-on-failure --no-tests=error || status=$?

# Messages of lcov (a partial build lacks objects) go to a log, not to the terminal.
quietly() {
    lcov --quiet --ignore-errors gcov,source "$@" 2>>"$build/lcov.log"
}
: >"$build/lcov.log"
# --initial: lines of files that no test has reached count as well.
for module in frontend ir passes; do
    [ -d "$build/$module" ] || continue
    info=$build/$module.info
    rm -f "$info" "$info.none" "$info.run"
    quietly --capture --initial --directory "$build/$module" --output-file "$info.none" || true
    quietly --capture --directory "$build/$module" --output-file "$info.run" || true
    if [ -s "$info.run" ]; then
        quietly --add-tracefile "$info.none" --add-tracefile "$info.run" --output-file "$info.all"
    elif [ -s "$info.none" ]; then
        cp "$info.none" "$info.all"
    else
        printf '%-9s not built\n' "$module"
        continue
    fi
    quietly --extract "$info.all" "$PWD/$module/*" --output-file "$info" || true
    awk -v module="$module" '
        /^DA:/ { split(substr($0, 4), d, ","); found++; if (d[2] > 0) hit++ }
        END {
            if (found) printf "%-9s %5.1f %%  %d of %d lines\n", module, 100 * hit / found, hit, found
            else printf "%-9s no lines\n", module
        }' "$info"
done
exit "$status"

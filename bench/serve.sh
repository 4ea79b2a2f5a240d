#!/bin/bash
# Requests per second and latencies of the service, beside what the same work costs without it.
#
#     bench/serve.sh QPUCC [SECONDS]        10 seconds for each row
#
# Needs wrk and jq (tools/packages.sh installs them). The load driver and the service share the machine: on two processors
# each has about one.
set -eu
qpucc=$(realpath "${1:?usage: bench/serve.sh QPUCC [SECONDS]}")
seconds=${2:-10}
cd "$(dirname -- "$0")/.."
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

# What is asked: a pair of shaders compiled, and drawn at 400 by 300.
for name in plasma phong; do
    jq -n --rawfile v "examples/$name.vert" --rawfile f "examples/$name.frag" \
        '{source: "", files: [{filename: "a.vert", contents: $v}, {filename: "a.frag", contents: ("// @FRESH@\n" + $f)}],
          options: {userArguments: "-O2"}}' >"$work/compile-$name"
    jq --rawfile v "examples/$name.vert" --rawfile f "examples/$name.frag" \
        '.vertex = {source: $v} | .fragment = {source: ("// @FRESH@\n" + $f)} | .size = "400x300"' "examples/$name.json" >"$work/render-$name"
    jq '.size = "100x75"' "$work/render-$name" >"$work/small-$name"
done

"$qpucc" serve --port 0 --rate 0 --cache "$work/cache" --workers 2 --worker-jobs 1000000 >"$work/log" &
server=$!
until grep -qs serves "$work/log"; do
    kill -0 "$server" 2>/dev/null || { echo "serve.sh: $qpucc does not serve" >&2; exit 1; }
    sleep 0.1
done
url=$(sed -n 's/.*serves \(http.*\)\/$/\1/p' "$work/log")

# CPU seconds of the server and its workers so far, as the scheduler counts them. (Workers are not replaced in between.)
cpu() {
    for process in "$server" $(pgrep -P "$server") $(pgrep -P "$(pgrep -P "$server")"); do
        cat /proc/"$process"/task/*/schedstat
    done | awk '{sum += $1} END {print sum / 1e9}'
}

row() { # NAME BODY PATH CONNECTIONS FRESH
    local before after line
    before=$(cpu)
    QPUCC_BODY=$work/$2 QPUCC_FRESH=$5 wrk -t1 -c"$4" -d"$seconds" --timeout 20 -s bench/serve.lua "$url$3" >"$work/out"
    after=$(cpu)
    line=$(grep '^RESULT' "$work/out")
    cost=$(echo "$line $before $after $seconds" | awk '{print ($8 - $7) * 1000 / ($2 * $9)}')
    echo "$line $before $after $seconds" | awk -v name="$1" '{printf "| %s | %.0f | %.2f | %.2f | %.2f | %d |\n", name, $2, $3, $4, ($8 - $7) * 1000 / ($2 * $9), $6}'
}

# A compile without a service, in one process that has glslang's tables, as the workers have them: CPU in milliseconds.
bare_cost() {
    local count=101
    for _ in $(seq $count); do
        jq -nc --rawfile v "examples/$1.vert" --rawfile f "examples/$1.frag" '{name: "a", vertex: $v, fragment: $f}'
    done >"$work/pairs"
    head -1 "$work/pairs" >"$work/one"
    time_of() { { TIMEFORMAT='%U %S'; time "$qpucc" report --pairs "$1" --json -j 1 >/dev/null; } 2>&1 | awk '{print ($1 + $2) * 1000}'; }
    echo "$(time_of "$work/pairs") $(time_of "$work/one") $count" | awk '{print ($1 - $2) / ($3 - 1)}'
}

declare -A served bare
echo "| request | a second | median, ms | 99 %, ms | CPU of the service, ms | errors |"
echo "|---|---|---|---|---|---|"
for name in plasma phong; do
    row "compile $name, cached" "compile-$name" /api/compiler/qpucc/compile 16 ""
    row "compile $name, new each time" "compile-$name" /api/compiler/qpucc/compile 1 "$RANDOM"
    served[$name]=$cost
    bare[$name]=$(bare_cost "$name")
    row "draw $name 400x300, cached" "render-$name" /api/render 16 ""
    row "draw $name 400x300, new each time" "render-$name" /api/render 1 "$RANDOM"
    row "draw $name 100x75, new each time" "small-$name" /api/render 1 "$RANDOM"
done

echo
echo "| uncached compile | CPU with the service, ms | without, ms | |"
echo "|---|---|---|---|"
for name in plasma phong; do
    echo "${served[$name]} ${bare[$name]}" | awk -v name="$name" '{printf "| %s | %.2f | %.2f | %.2f |\n", name, $1, $2, $1 / $2}'
done

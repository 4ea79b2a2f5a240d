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

"$qpucc" serve --port 0 --rate 0 --cache "$work/cache" --workers 2 >"$work/log" &
server=$!
until grep -q serves "$work/log"; do sleep 0.1; done
url=$(sed -n 's/.*serves \(http.*\)\/$/\1/p' "$work/log")

# CPU seconds of the process and of all its children so far.
cpu() {
    local total=0 ticks
    ticks=$(getconf CLK_TCK)
    for process in "$server" $(pgrep -P "$server") $(pgrep -P "$(pgrep -P "$server")"); do
        total=$((total + $(awk '{sub(/.*\) /, ""); print $12 + $13 + $14 + $15}' "/proc/$process/stat")))
    done
    echo "$total $ticks" | awk '{print $1 / $2}'
}

row() { # NAME BODY PATH CONNECTIONS FRESH
    local before after line
    before=$(cpu)
    QPUCC_BODY=$work/$2 QPUCC_FRESH=$5 wrk -t1 -c"$4" -d"$seconds" --timeout 20 -s bench/serve.lua "$url$3" >"$work/out"
    after=$(cpu)
    line=$(grep '^RESULT' "$work/out")
    echo "$line $before $after $seconds" | awk -v name="$1" '{printf "| %s | %.0f | %.2f | %.2f | %.2f | %d |\n", name, $2, $3, $4, ($8 - $7) * 1000 / ($2 * $9), $6}'
}

echo "| request | a second | median, ms | 99 %, ms | CPU of the service, ms | errors |"
echo "|---|---|---|---|---|---|"
for name in plasma phong; do
    row "compile $name, cached" "compile-$name" /api/compiler/qpucc/compile 16 ""
    row "compile $name, new each time" "compile-$name" /api/compiler/qpucc/compile 2 "$RANDOM"
    row "draw $name 400x300, cached" "render-$name" /api/render 16 ""
    row "draw $name 400x300, new each time" "render-$name" /api/render 1 "$RANDOM"
    row "draw $name 100x75, new each time" "small-$name" /api/render 1 "$RANDOM"
done

# The same compiles without a service: in one process that has glslang's tables, as the workers have them.
echo
echo "| compile without the service | CPU, ms |"
echo "|---|---|"
for name in plasma phong; do
    for _ in $(seq 50); do
        jq -nc --rawfile v "examples/$name.vert" --rawfile f "examples/$name.frag" '{name: "a", vertex: $v, fragment: $f}'
    done >"$work/pairs"
    head -1 "$work/pairs" >"$work/one"
    time_of() { { TIMEFORMAT='%U %S'; time "$qpucc" report --pairs "$1" --json -j 1 >/dev/null; } 2>&1 | awk '{print ($1 + $2) * 1000}'; }
    echo "$(time_of "$work/pairs") $(time_of "$work/one")" | awk -v name="$name" '{printf "| %s | %.2f |\n", name, ($1 - $2) / 49}'
done

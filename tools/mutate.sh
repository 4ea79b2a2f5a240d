#!/bin/bash
# Would the tests notice? Changes one operator, constant, case or condition of the compiler or the machine at a time
# (tools/mutate.c), builds, and runs the quick tests until one fails. A mutant that no test fails for survives.
#
#     tools/mutate.sh [--seed N] [--count N] [--modules "sched regalloc"]   N mutants, drawn with a seed, as many a module
#     tools/mutate.sh --again SURVIVORS/*.diff                            those that still apply, anew
#     tools/mutate.sh --check                                             edits whose verdict is known
#
# Further options: --work DIR (sources, builds and results; build/mutate), --workers N (2), --fast (without the command,
# pictures and random programs, which cost more than all the rest; for a first look, before --again), --sanitize (a build with
# the sanitizers, for survivors: slower, but it sees reads out of bounds).
#
# A mutant that does not compile, or compiles to the same object code, is not counted. A test that takes ten times its usual
# CPU time is a hang, and so is the mutant's end. Sources may change while it runs: it works on copies
# made at its start. Results add up in DIR/results.tsv, one line a mutant; a run that was stopped goes on from there
# while no source has changed. Survivors are in DIR/survivors, one diff each, to be read: either the mutant is equivalent or a test
# is missing. QPUCC_SHARED makes more tests run.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
seed=1 count=300 workers=2 mode=draw sanitize=OFF fast=
modules="passes backend mir sched regalloc ir compiler explain runtime"
work=$root/build/mutate
diffs=()
while [ $# -gt 0 ]; do
    case $1 in
    --seed) seed=$2 && shift ;;
    --count) count=$2 && shift ;;
    --modules) modules=$2 && shift ;;
    --work) mkdir -p "$2" && work=$(realpath "$2") && shift ;;
    --workers) workers=$2 && shift ;;
    --sanitize) sanitize=ON ;;
    --fast) fast=yes ;;
    --check) mode=check workers=1 ;;
    --again)
        mode=again
        while [ $# -gt 1 ] && [ "${2#--}" = "$2" ]; do
            diffs+=("$(realpath "$2")") && shift
        done
        ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    esac
    shift
done
[ $sanitize = OFF ] || work=$work/sanitize

# What is built and run, quick and telling tests first: targets, the tests' names, and which of these not. A group is
# left out if building it changed none of its programs. The last group is all that the others do not name.
cases=$(cd "$root/tests/passes" && printf '%s\n' *.ir | sed 's/\.ir$//' | paste -sd'|')
groups=(
    "pass_tests:pass_($cases)$"
    "random_test numeric_test bytes_test uniforms_test pipeline_test:pass_(.*numeric|random|pipeline)$"
    "backend_tests:backend_code$"
    "sched/all:sched_"
    "regalloc/all:regalloc_"
    "runtime_io runtime_draw runtime_strict runtime_texture runtime_foreign runtime_sfu:runtime_(io|draw|strict|texture|foreign|sfu)$"
    "runtime_list runtime_pixels runtime_tile runtime_loops:runtime_(list|pixels|tile|loops)$"
    "explain/all:explain_"
    "statistics:statistics_(examples|glmark2|corpus.*)$"
    "isa_codec isa_text isa_check isa_corpus isa_record:isa_"
    "ir_core ir_cfg ir_text ir_verify:ir_"
    "backend_random:backend_r"
    "captured:captured_"
    "spirv_cases spirv_limits:spirv_(cases|limits)$"
    "compiler_api compiler_layouts compiler_diagnostics compiler_varyings out_of_memory_test compiler_attempts:compiler_(api|layouts|diagnostics|varyings|out_of_memory|attempts)$"
    "runtime_alu runtime_fuzz:runtime_(alu|fuzz)$"
    "qpucc:cli_snapshots$"
    "compiler_functions:compiler_functions$"
    "gl_reference gl_corpus:gl_(examples|cube_maps|questions)$"
    "qpucc-random random_reduce:random_"
    "qpucc qpucc-conformance:language$"
    "all:."
)
[ -z "$fast" ] || groups=("${groups[@]:0:16}")
# Not quick: full suites, every pair at every level, damaged input, and what runs the front end alone. WebAssembly reserves
# more addresses than a mutant may have.
left_out='(levels_(flow|glmark2).*|runtime_loops_wasm|spirv_(corpus|fuzz)|glsl_.*|conformance_.*|cli_bad_input|reader_fuzz|mutate_.*|format)$'

# --- one worker's sources and build ---------------------------------------------------------------------------------

# The tracked files as they are now; what did not change keeps its time, so that little is built.
copy_sources() { # DIRECTORY
    local file
    mkdir -p "$1"
    (cd "$root" && git ls-files) | sort >"$1.files"
    (cd "$1" && find . -type f | sed 's|^\./||' | sort) | comm -13 "$1.files" - | while read -r file; do
        rm -f "$1/$file"
        touch "$work/changed"
    done
    while read -r file; do
        [ -f "$root/$file" ] || continue
        cmp -s "$root/$file" "$1/$file" && continue
        mkdir -p "$(dirname "$1/$file")"
        cp "$root/$file" "$1/$file"
        touch "$work/changed"
    done <"$1.files"
}

prepare() { # WORKER
    local base=$work/$1
    mkdir -p "$base"
    copy_sources "$base/src"
    cmake -S "$base/src" -B "$base/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DQPUCC_SANITIZE=$sanitize \
        -DCMAKE_CXX_FLAGS_DEBUG=-O1 ${QPUCC_SHARED:+-DQPUCC_SHARED="$QPUCC_SHARED"} >"$base/log" 2>&1 &&
        ninja -C "$base/build" -j2 >>"$base/log" 2>&1 && return
    tail -20 "$base/log"
    return 1
}

# Runs a group of tests; the name of the one that failed, if any. "not run": its programs do not depend on the mutant.
run_group() { # WORKER GROUP CPU-SECONDS NEWER-THAN
    local base=$work/$1 targets=${groups[$2]%%:*} program numbers changed=
    numbers=$(sed -n "$(($2 + 1))p" "$work/numbers")
    [ -n "$numbers" ] || return
    # shellcheck disable=SC2086
    ninja -C "$base/build" -j1 $(known_targets "$base" $targets) >"$base/log" 2>&1 || { echo "(not built)"; return; }
    if [ "$targets" = all ] || [ "${targets%/all}" != "$targets" ]; then
        changed=yes
    else
        for program in $targets; do
            [ -n "$(find "$base/build" -name "$program" -type f -newer "$4" -print -quit)" ] && changed=yes
        done
    fi
    [ -n "$changed" ] || return
    (
        ulimit -t "$3" -c 0
        [ $sanitize = ON ] || ulimit -v 6000000
        ctest --test-dir "$base/build" -I "0,0,0,$numbers" --stop-on-failure --timeout 600
    ) >"$base/log" 2>&1 </dev/null
    awk '/^The following tests FAILED/ { on = 1; next } on && $1 ~ /^[0-9]+$/ { print $3; exit }' "$base/log"
}

# The tests of each group, a line each: by number, as CMake's regular expressions have no room for so many alternatives.
number_tests() {
    local targets tests except before= i
    ctest --test-dir "$work/0/build" -N -LE conformance | sed -n 's/^ *Test *#\([0-9]*\): /\1 /p' >"$work/tests"
    for ((i = 0; i < ${#groups[@]}; i++)); do
        IFS=: read -r targets tests except <<<"${groups[i]}"
        [ "$targets" != all ] || except=${before#|}
        before="$before|$tests"
        grep -E " ($tests)" "$work/tests" | grep -vE " ($left_out${except:+|$except})" | sed 's/ .*//' | paste -sd,
    done >"$work/numbers"
}

# Targets that there are: a module without tests has none.
known_targets() { # BASE TARGET...
    local base=$1 target
    shift
    for target; do
        case $target in
        */all) [ -d "$base/build/tests/${target%/all}" ] && echo "tests/$target" ;;
        *) echo "$target" ;;
        esac
    done
}

# CPU seconds of each group without a mutant. All tests must pass.
measure() { # WORKER
    local base=$work/$1 i failed TIMEFORMAT='%U %S'
    touch -d @0 "$base/never"
    for ((i = 0; i < ${#groups[@]}; i++)); do
        { time run_group "$1" "$i" 3600 "$base/never" >"$base/failed"; } 2>"$base/time"
        failed=$(cat "$base/failed")
        if [ -n "$failed" ]; then
            echo "without a mutant $failed fails:"
            tail -30 "$base/log"
            return 1
        fi
        awk '{ print int(10 * ($1 + $2)) + 5 }' "$base/time"
    done >"$base/limits"
}

# --- mutants ---------------------------------------------------------------------------------------------------------

# Judges what stands in the worker's copy of a file now; its object without the mutant is original.o.
judge() { # WORKER OBJECT
    local base=$work/$1 object=$2 i failed limit
    ninja -C "$base/build" -j1 "$object" >"$base/log" 2>&1 || { echo uncompilable && return; }
    cmp -s "$base/build/$object" "$base/original.o" && { echo equal && return; }
    for ((i = 0; i < ${#groups[@]}; i++)); do
        limit=$(sed -n "$((i + 1))p" "$work/limits")
        failed=$(run_group "$1" "$i" "$limit" "$base/start")
        [ "$failed" != "(not built)" ] || { echo uncompilable && return; }
        [ -z "$failed" ] || { printf 'killed\t%s\n' "$failed" && return; }
    done
    echo survived
}

# Puts a file in place of another, judges it and takes it back. Prints the verdict; a survivor's diff is kept.
try_file() { # WORKER FILE MUTATED DESCRIPTION
    local base=$work/$1 object verdict name module=${2%%/*}
    object=$(ninja -C "$base/build" -t query "$base/src/$2" | grep -m1 -o '[^ ]*\.o$')
    cp "$base/build/$object" "$base/original.o"
    cp "$base/src/$2" "$base/original.c"
    touch "$base/start"
    cp "$3" "$base/src/$2"
    verdict=$(judge "$1" "$object")
    printf '%s\t%s\t%s\t%s\n' "$module" "$2" "$4" "$verdict" >>"$work/results.tsv"
    if [ "$verdict" = survived ]; then
        name=$(printf '%s' "$2:$4" | tr -c 'A-Za-z0-9.:_\n' _ | cut -c1-80)
        diff -u --label "a/$2" --label "b/$2" "$base/original.c" "$3" >"$work/survivors/$name.$RANDOM.diff"
    fi
    cp "$base/original.c" "$base/src/$2" # newer than the object: built again with the next mutant
    ninja -C "$base/build" -j1 "$object" >/dev/null 2>&1
    printf '%s\t%s\t%s\n' "$2" "$4" "$verdict"
}

# Every Nth of the drawn mutants until the worker's share has been counted; what an earlier run judged counts as it is.
work_on() { # WORKER SHARE
    local base=$work/$1 n=0 counted=0 file index description known
    while read -r file index; do
        n=$((n + 1))
        [ $((n % workers)) = $(($1 % workers)) ] || continue
        "$work/mutate" apply "$base/src/$file" "$index" >"$base/mutated.c"
        description=$("$work/mutate" list "$base/src/$file" | awk -F'\t' -v i="$index" '$1 == i { print $2 ": " $4 " -> " $5 }')
        known=
        [ -z "$resume" ] || known=$(grep -m1 -F "$(printf '\t%s\t%s\t' "$file" "$description")" "$work/results.tsv" 2>/dev/null)
        case ${known:-$(try_file "$1" "$file" "$base/mutated.c" "$description" | tee -a "$work/progress")} in
        *killed* | *survived*) counted=$((counted + 1)) ;;
        esac
        [ "$counted" -lt "$2" ] || break
    done <"$work/drawn"
}

# A module after the other, so that each has its share.
draw_all() {
    local module
    for module in $modules; do
        (cd "$work/0/src" && grep "^$module/.*\.c$" "$work/0/src.files" | xargs "$work/mutate" draw "$seed") >"$work/drawn.$module"
    done
    # shellcheck disable=SC2086
    (cd "$work" && paste -d '\n' $(printf 'drawn.%s ' $modules) | grep .) >"$work/drawn"
}

table() {
    sort -u "$work/results.tsv" | awk -F'\t' '
        { counted[$1] += $4 == "killed" || $4 == "survived"; killed[$1] += $4 == "killed"; drawn[$1]++ }
        function row(name, d, c, k) { printf "%-10s %6d %8d %7d %9d %6.1f%%\n", name, d, c, k, c - k, c ? 100 * k / c : 0 }
        END { printf "%-10s %6s %8s %7s %9s %7s\n", "module", "drawn", "counted", "killed", "survived", "killed"
              for (r in drawn) { row(r, drawn[r], counted[r], killed[r]); d += drawn[r]; c += counted[r]; k += killed[r] }
              row("all", d, c, k) }'
}

# --- known edits -------------------------------------------------------------------------------------------------------

expect() { # VERDICT FILE SED-SCRIPT
    local got
    sed "$3" "$work/0/src/$2" >"$work/0/mutated.c"
    got=$(try_file 0 "$2" "$work/0/mutated.c" "$3" | cut -f3)
    echo "$1: $2: $3: $got"
    [ "$got" = "$1" ] || wrong=$((wrong + 1))
}

check() {
    wrong=0
    expect equal passes/fold.c '1i/* a comment */'
    expect uncompilable passes/fold.c '$a)'
    expect survived passes/fold.c '$aint mutate_nothing(void);int mutate_nothing(void){return 1;}'
    expect killed passes/fold.c 's/if (by)/if (0)/'
    expect killed passes/dce.c '/^bool pass_dce/s/{$/{ for (;;);/'
    return $((wrong > 0))
}

mkdir -p "$work/survivors"
cc -O1 -o "$work/mutate" "$root/tools/mutate.c" || exit 1
: >"$work/progress"
for ((w = 0; w < workers; w++)); do prepare "$w" || exit 1; done
number_tests
resume=yes
[ ! -e "$work/changed" ] || resume=
if [ -e "$work/changed" ] || [ "$(cat "$work/limits" 2>/dev/null | wc -l)" != ${#groups[@]} ]; then # else as last time
    measure 0 || { cat "$work/0/limits" && exit 1; }
    cp "$work/0/limits" "$work/limits"
    rm -f "$work/changed"
fi
case $mode in
check) check ;;
again)
    for diff in "${diffs[@]}"; do
        file=$(sed -n '1s|^--- a/||p' "$diff")
        patch -s -o "$work/0/mutated.c" "$work/0/src/$file" "$diff" >/dev/null 2>&1 || { echo "does not apply: $diff" && continue; }
        try_file 0 "$file" "$work/0/mutated.c" "$(basename "$diff")"
    done
    ;;
draw)
    draw_all
    for ((w = 0; w < workers; w++)); do
        work_on "$w" $(((count + workers - 1) / workers)) &
    done
    wait
    table
    echo "survivors: $work/survivors"
    ;;
esac

#!/bin/sh
# Does the compiler write the same bytes whatever built it, and wherever it runs? Builds it with other compilers, at other
# levels, for other hosts, lets each compile the same shaders, and compares what they say.
#
#     tools/hosts.sh [--only "gcc-O2 armhf ..."] [--keep FOLDER] [--level N] [A.vert B.vert ...]
#
# Without shaders: the examples' and, where QPUCC_SHARED leads to corpus/dev-pairs.jsonl, all pairs of that.
# A host is left out when its compiler is not installed. Other machines than this one (32-bit x86, arm64, armhf) need
# g++-i686-linux-gnu, g++-aarch64-linux-gnu and g++-arm-linux-gnueabihf with qemu-user-static, and the front end's libraries
# for them, from Debian's packages glslang-dev and spirv-tools of that architecture, unpacked into $QPUCC_SYSROOTS/i386, .../arm64 and .../armhf (tools/sysroots.sh):
#
#     tools/sysroots.sh "$QPUCC_SYSROOTS" arm64 armhf
#
# Exit code: 0 all agree, 1 some differ, 77 nothing to compare with.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
keep= level=2 only=
while [ $# -gt 0 ]; do
    case $1 in
    --keep) keep=$2 && shift ;;
    --only) only=$2 && shift ;;
    --level) level=$2 && shift ;;
    *) break ;;
    esac
    shift
done
work=${keep:-$(mktemp -d)}
[ -n "$keep" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
work=$(CDPATH='' cd -- "$work" && pwd)

if [ $# -eq 0 ]; then
    set -- "$here"/examples/*.vert
    pairs=${QPUCC_SHARED:-}/corpus/dev-pairs.jsonl
    if [ -f "$pairs" ]; then
        mkdir -p "$work/pairs"
        n=0
        while IFS= read -r line; do
            n=$((n + 1))
            printf '%s' "$line" | jq -j .vertex >"$work/pairs/$n.vert"
            printf '%s' "$line" | jq -j .fragment >"$work/pairs/$n.frag"
        done <"$pairs"
        set -- "$@" "$work"/pairs/*.vert
    fi
fi

printf '%s\n' "$@" >"$work/shaders"

sources=$(cd "$here" && ls ir/*.c passes/*.c frontend/glsl/*.c frontend/essl100/*.c frontend/fixed/*.c frontend/spirv/*.c backend/isa/*.c \
    mir/*.c backend/*.c sched/*.c regalloc/*.c compiler/*.c)
ccache=$(command -v ccache || true)
libraries=$("$here/tools/glslang.sh" libraries) cxx_flags=$("$here/tools/glslang.sh" flags)

# say NAME RUNNER PROGRAM
hosts=
say() {
    # shellcheck disable=SC2086
    {
        $2 "$3" -O "$level" --expressions 5
        xargs $2 "$3" -O "$level" <"$work/shaders"
    } >"$work/$1.txt"
    hosts="$hosts $1"
}

# host NAME CC CXX FLAGS LINK_FLAGS RUNNER: builds tests/tools/hosts.c and lets it speak.
host() {
    name=$1 cc=$2 cxx=$3 flags=$4 link=$5 runner=$6
    case " ${only:-$name} " in *" $name "*) ;; *) return 0 ;; esac
    command -v "$cc" >/dev/null && command -v "$cxx" >/dev/null || return 0
    mkdir -p "$work/$name"
    flags="$flags -I$here -I$here/include -ffp-contract=off -DQPUCC_BUILD_ID=\"0\" -DQPUCC_VERIFY=0 -w"
    (
        cd "$here"
        for file in $sources tests/tools/hosts.c; do
            echo "$ccache $cc -std=gnu11 $flags -c $file -o $work/$name/$(echo "$file" | tr / -).o"
        done
        for file in $(tools/glslang.sh sources); do
            echo "$ccache $cxx $flags $cxx_flags -c $file -o $work/$name/$(echo "$file" | tr / -).o"
        done
    ) | (cd "$here" && xargs -P 2 -I{} sh -c '{}')
    # shellcheck disable=SC2086
    "$cxx" $flags -o "$work/$name/hosts" "$work/$name"/*.o $link -Wl,--start-group $libraries -Wl,--end-group
    say "$name" "$runner" "$work/$name/hosts"
}

# foreign NAME TRIPLET ARCHITECTURE FLAGS RUNNER
foreign() {
    libs=${QPUCC_SYSROOTS:-}/$3/usr/lib/$2
    [ -f "$libs/libglslang.a" ] || return 0
    # headers of the front end's libraries are the same everywhere, those of the C library are not
    mkdir -p "$work/include"
    for folder in glslang spirv-tools spirv; do
        [ ! -d "/usr/include/$folder" ] || ln -sfn "/usr/include/$folder" "$work/include/$folder"
    done
    host "$1" "$4-gcc" "$4-g++" "$5 -I$work/include" "-static -L$libs" "$6"
}

host gcc-O2 gcc g++ -O2 "" ""
host gcc-O0 gcc g++ -O0 "" ""
host gcc-native gcc g++ "-O3 -march=native" "" ""
host clang-O3 clang clang++ -O3 "" ""
host clang-native clang clang++ "-O3 -march=native" "" ""
# other code paths of the C library's mathematics, as on a computer without AVX2 and FMA
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable host gcc-old gcc g++ -O1 "" ""
foreign i686 i386-linux-gnu i386 i686-linux-gnu "-O2 -msse2 -mfpmath=sse" ""
foreign arm64 aarch64-linux-gnu arm64 aarch64-linux-gnu -O2 qemu-aarch64-static
foreign armhf arm-linux-gnueabihf armhf arm-linux-gnueabihf -O2 qemu-arm-static

status=77 first=
for name in $hosts; do
    [ -n "$first" ] || { first=$name && continue; }
    [ $status != 77 ] || status=0
    same=$(grep -cFxf "$work/$first.txt" "$work/$name.txt" || true)
    echo "$name: $same of $(wc -l <"$work/$first.txt") pairs as $first"
    if ! cmp -s "$work/$first.txt" "$work/$name.txt"; then
        status=1
        diff "$work/$first.txt" "$work/$name.txt" | head -6
    fi
done
exit $status

#!/bin/sh
# Installs the build into a new folder and builds programs against what is there: through pkg-config and through
# find_package, shared and static, as C and as C++, and again from a copy of the folder.
#
#     install.sh BUILD SOURCE COMPARE
#
# Needs a build of everything. Exit code 77: pkg-config is missing.
set -eu
build=$1 source=$2 compare=$3
command -v pkg-config >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc} cxx=${CXX:-c++}
fail() { echo "$*" >&2; exit 1; }

# The picture of each build of the example is the stored one.
draw() { # program, libraries' folder
    LD_LIBRARY_PATH=$2 "$1" "$work/driver.png"
    "$compare" "$work/driver.png" "$source/examples/pictures/driver.png" || fail "$1 draws another picture"
}

# So is that of the form without a compiler, which needs the programs that the other one has saved.
load() { # program, libraries' folder, the driver
    mkdir -p "$work/saved"
    LD_LIBRARY_PATH=$2 "$3" "$work/driver.png" "$work/saved"
    LD_LIBRARY_PATH=$2 "$1" "$work/loader.png" "$work/saved"
    cmp "$work/driver.png" "$work/loader.png" || fail "$1 draws another picture"
    case $(LD_LIBRARY_PATH=$2 ldd "$1") in *libqpucc.so* | *libqpucc_core.so* | *libstdc++*) fail "$1 needs the compiler" ;; esac
    rm -r "$work/saved"
}

# All headers are there, and nothing else is in their folder.
cmake --install "$build" --prefix "$work/first" >/dev/null
diff -r "$source/include/qpucc" "$work/first/include/qpucc" || fail "the headers are not complete"

# The guide is there with the pages that it leads to, and the driver that it speaks of.
guide=$work/first/share/doc/qpucc/docs
[ -f "$guide/../examples/driver/driver.c" ] || fail "no example"
grep -oE '\]\([^)#:]+' "$guide/driver-guide.md" | sed 's/^](//' | grep -v '^\.\./include' | while read -r link; do
    [ -e "$guide/$link" ] || fail "the installed guide leads to no $link"
done

# A copy elsewhere stands for a staged installation; the first one must not be needed any more.
cp -r "$work/first" "$work/copy"
DESTDIR=$work/stage cmake --install "$build" --prefix /usr >/dev/null
rm -r "$work/first"
for prefix in "$work/copy" "$work/stage/usr"; do
    libraries=$(dirname "$(find "$prefix" -name libqpucc.so)")
    export PKG_CONFIG_PATH="$libraries/pkgconfig"
    for name in $(cd "$libraries/pkgconfig" && echo *.pc); do
        pkg-config --print-errors --exists "${name%.pc}" || fail "$name is not complete"
        case $(pkg-config --cflags "${name%.pc}") in *"$work/first"*) fail "$name names the first folder" ;; esac
        found=$(pkg-config --variable=includedir "${name%.pc}")
        [ -f "$found/qpucc/qpucc.h" ] || fail "$name: no headers in $found"
        [ -f "$(pkg-config --variable=libdir "${name%.pc}")/lib${name%.pc}.so" ] || fail "$name: no library"
    done
    native=""
    [ ! -f "$libraries/libqpucc_native.so" ] || native="qpucc_native"
    # shellcheck disable=SC2046,SC2086 # lists of words
    "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror ${native:+-DWITH_NATIVE} "$source/tests/package/caller.cpp" -o "$work/caller" \
        $(pkg-config --cflags --libs qpucc qpusim $native)
    LD_LIBRARY_PATH=$libraries "$work/caller" || fail "the C++ caller fails"
done

prefix=$work/copy
libraries=$(dirname "$(find "$prefix" -name libqpucc.so)")
export PKG_CONFIG_PATH="$libraries/pkgconfig"
driver=$source/examples/driver/driver.c
# shellcheck disable=SC2046 # lists of words, here and below
"$cc" -std=c11 -Wall -Wextra -Werror "$driver" -o "$work/shared" $(pkg-config --cflags --libs qpucc qpusim libpng) -lm -pthread
draw "$work/shared" "$libraries"
# shellcheck disable=SC2046
"$cc" -std=c11 -Wall -Wextra -Werror -DDRIVER_LOADS "$driver" -o "$work/loader" $(pkg-config --cflags --libs qpucc_rt qpusim libpng) \
    -lm -pthread
load "$work/loader" "$libraries" "$work/shared"
case $(LD_LIBRARY_PATH=$libraries ldd "$work/shared") in
*"$libraries/libqpucc.so."*) ;;
*) fail "not linked to the library's versioned name" ;;
esac

# Each library of the chain with its own pkg-config file, without those that it does not need.
"$cc" -std=c11 "$source/tests/package/parts_make.c" -o "$work/make" $(pkg-config --cflags --libs qpucc)
"$cc" -std=c11 "$source/tests/package/parts_core.c" -o "$work/core" $(pkg-config --cflags --libs qpucc_core)
"$cc" -std=c11 "$source/tests/package/parts_rt.c" -o "$work/rt" $(pkg-config --cflags --libs qpucc_rt)
mkdir "$work/parts"
for part in make core rt; do LD_LIBRARY_PATH=$libraries "$work/$part" "$work/parts" || fail "the part $part fails"; done
for part in core rt; do
    case $(LD_LIBRARY_PATH=$libraries ldd "$work/$part") in *libqpucc.so*) fail "$part needs libqpucc" ;; esac
done
case $(LD_LIBRARY_PATH=$libraries ldd "$work/rt") in *libqpucc_core.so* | *libstdc++*) fail "rt needs the compiler" ;; esac

# Static: without the shared libraries in the linker's sight.
mkdir "$work/hidden"
mv "$libraries"/libqpu*.so* "$work/hidden"
# shellcheck disable=SC2046
"$cc" -std=c11 "$driver" -o "$work/static" $(pkg-config --static --cflags --libs qpucc qpusim libpng) -lm -pthread
draw "$work/static" /nowhere
"$cc" -std=c11 "$source/tests/package/parts_core.c" -o "$work/core" $(pkg-config --static --cflags --libs qpucc_core)
"$cc" -std=c11 "$source/tests/package/parts_rt.c" -o "$work/rt" $(pkg-config --static --cflags --libs qpucc_rt)
for part in core rt; do "$work/$part" "$work/parts" || fail "the static part $part fails"; done
mv "$work/hidden"/* "$libraries"

for static in OFF ON; do
    CC="$cc" CXX="$cxx" cmake -S "$source/examples/driver" -B "$work/cmake$static" -DCMAKE_PREFIX_PATH="$prefix" \
        -DDRIVER_STATIC=$static >/dev/null
    cmake --build "$work/cmake$static" >/dev/null
    draw "$work/cmake$static/driver" /nowhere # by its run path
    load "$work/cmake$static/loader" /nowhere "$work/cmake$static/driver"
done

# A component that does not exist is refused, as is a version that is not compatible.
mkdir "$work/wrong"
for wanted in "0.2 REQUIRED COMPONENTS nothing" "0.1 REQUIRED" "99.0 REQUIRED"; do
    printf 'cmake_minimum_required(VERSION 3.13)\nproject(wrong C)\nfind_package(qpucc %s)\n' "$wanted" >"$work/wrong/CMakeLists.txt"
    ! cmake -S "$work/wrong" -B "$work/wrong/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1 || fail "find_package(qpucc $wanted)"
done

# The package of the distribution has the same version.
head -1 "$source/debian/changelog" | grep -q "($(pkg-config --modversion qpucc)-" || fail "debian/changelog has another version"

# Manual pages are clean.
for page in "$prefix"/share/man/man[13]/*; do
    [ -z "$(man --warnings -l "$page" 2>&1 >/dev/null)" ] || fail "$page: $(man --warnings -l "$page" 2>&1 >/dev/null | head -3)"
    ! command -v mandoc >/dev/null || mandoc -T lint -W warning "$page" >"$work/warnings" || fail "$(head -3 "$work/warnings")"
done

# The command finds what it needs.
"$prefix/bin/qpucc" --stats "$source/examples/phong.vert" "$source/examples/phong.frag" >/dev/null || fail "the command fails"

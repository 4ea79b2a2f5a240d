#!/bin/sh
# libqpucc_rt is for drivers that have little: no larger than 220 KiB, from the C and math libraries functions of C11
# alone, no constructors, no C++, and a linker takes from the archive the members that are used.
#
#     bare.sh libqpucc_rt.so libqpucc_rt.a INCLUDE_FOLDER WORK_FOLDER
set -eu
shared=$1 archive=$2 include=$3 work=$4
fail() { echo "$*" >&2; exit 1; }
mkdir -p "$work"

"${STRIP:-strip}" -o "$work/stripped.so" "$shared"
size=$(wc -c <"$work/stripped.so")
echo "libqpucc_rt.so stripped: $size bytes"
[ "$size" -le $((220 * 1024)) ] || fail "libqpucc_rt is larger than 220 KiB"
needed=$(readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^lib(c|m)\.so' || true)
[ -z "$needed" ] || fail "libqpucc_rt needs $needed"

# What it calls, with what compilers call by themselves.
nm -u "$archive" | awk 'NF == 2 && $1 == "U" { print $2 }' | sort -u >"$work/called"
nm --defined-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u >"$work/defined"
sort -u >"$work/c11" <<END
_GLOBAL_OFFSET_TABLE_
__stack_chk_fail
abort
calloc
ceil
ceilf
fabs
fabsf
floor
floorf
fmax
fmaxf
fmin
fminf
fmod
fmodf
free
frexp
frexpf
ldexp
ldexpf
malloc
memchr
memcmp
memcpy
memmove
memset
nextafterf
qsort
realloc
rint
rintf
round
roundf
snprintf
sqrt
sqrtf
strchr
strcmp
strcpy
strcspn
strlen
strncmp
strrchr
strspn
strstr
strtod
strtol
strtoul
trunc
truncf
vsnprintf
END
comm -23 "$work/called" "$work/defined" | grep -v '^__aeabi_' | comm -23 - "$work/c11" >"$work/strange"
[ ! -s "$work/strange" ] || fail "libqpucc_rt calls what is not C11's: $(cat "$work/strange")"

sections=$(readelf -SW "$archive" | grep -E '\.(init_array|fini_array|ctors|dtors|init|fini)\b' || true)
[ -z "$sections" ] || fail "libqpucc_rt has constructors: $sections"
! grep -q '^_Z' "$work/defined" || fail "libqpucc_rt has C++ in it"
# What is written while it runs would be state of the process.
state=$(nm "$archive" | awk 'NF == 3 && $2 ~ /^[bBC]$/ { print $3 }')
[ -z "$state" ] || fail "libqpucc_rt has variables: $state"

# A program that writes a list has of the library what writes lists, not what reads containers.
cat >"$work/list.c" <<END
#include <qpucc/records.h>
int main(void) {
    struct qpusim_list list = {0};
    qpusim_put_flush(&list);
    return list.size != 1;
}
END
"${CC:-cc}" -std=c11 -I"$include" "$work/list.c" "$archive" -lm -Wl,-Map="$work/list.map" -o "$work/list"
"$work/list" || fail "a list of one record is not one byte long"
members=$(ar t "$archive" | wc -l)
taken=$(sed -n '1,/^Discarded input sections\|^Memory Configuration/p' "$work/list.map" | grep -oE "libqpucc_rt\.a\([^)]*\)" | sort -u)
echo "members: $members, of which a list takes: $taken"
[ "$members" -gt 20 ] || fail "the archive is hardly divided"
[ "$taken" = "libqpucc_rt.a(records.c.o)" ] || fail "a list takes $taken"

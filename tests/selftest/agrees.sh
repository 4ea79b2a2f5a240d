#!/bin/sh
# The self-test: every row agrees on the device in software; what it says without a device; its options.
#
#     agrees.sh QPUCC QPUCC_SELFTEST QPUSIM_DEVICE
set -eu
qpucc=$1 selftest=$2 device=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$1"
    cat "$work/out" "$work/err"
    exit 1
}
# run CODE COMMAND...: the command must end with that code.
run() {
    expected=$1
    shift
    code=0
    "$@" >"$work/out" 2>"$work/err" || code=$?
    [ $code = "$expected" ] || fail "$*: exit code $code"
}

run 0 "$device" -- "$qpucc" selftest --profile "$work/profile"
grep -q ' 0 differ' "$work/out" || fail "no line of totals"
# By the program's own count (docs/selftest.md).
counted=$(sed -n 's/.*: counted as \([0-9]*\) s$/\1/p' "$work/out")
[ "$counted" -le 60 ] || fail "a run is counted as $counted s"
# The device tells what it refuses: the rows that the kernel's rules keep out of reach.
! grep -v '^qpusim-device: CREATE_SHADER_BO: ' "$work/err" || fail "something else on standard error"
[ "$(sed -n 1p "$work/profile")" = "qpucc-chip-profile 1" ] || fail "no profile"
grep -q '^fmul_rounds_to_nearest agrees$' "$work/profile" || fail "the profile lacks an assumption"
! grep -q ' differs$' "$work/profile" || fail "the profile has a difference"

run 0 "$device" -- "$selftest" --only alu.fmul
[ "$(grep -c '^  alu\.fmul' "$work/out")" -ge 3 ] || fail "rows are missing"
! grep -q '^  alu\.fadd' "$work/out" || fail "other rows"

# A machine that is wrong on purpose, behind the device: the row of what it breaks tells.
for fault in v8muld_truncates recip_rows branch_slots vpm_stride_63 quad_order; do
    assumption=$("$device" --list-faults | awk -v fault=$fault '$1 == fault { print $2 }')
    [ -n "$assumption" ] || fail "no fault $fault"
    run 6 "$device" --fault $fault -- "$selftest" --only "$assumption" --profile "$work/profile"
    grep -q "^$assumption differs\$" "$work/profile" || fail "the profile does not name $assumption"
    grep -q '^  [a-z0-9._]* *differs  *.*expected 0x' "$work/out" || fail "$fault: no difference is told"
done

# Without the preloaded library the program speaks to the device itself, as static ones have to.
run 0 "$device" -- env -u LD_PRELOAD "$selftest" --only alu.f
grep -q ' 0 differ' "$work/out" || fail "no line of totals"
run 6 "$device" --fault v8muld_truncates -- env -u LD_PRELOAD "$selftest" --only alu.v8muld
run 5 "$selftest" --device "$work/absent"
grep -q 'vc4' "$work/err" || fail "no message about the driver"
# A machine that is wrong on purpose, behind the device: the row of what it breaks tells.
for fault in v8muld_truncates recip_rows branch_slots vpm_stride_63 quad_order; do
    assumption=$("$device" --list-faults | awk -v fault=$fault '$1 == fault { print $2 }')
    [ -n "$assumption" ] || fail "no fault $fault"
    run 6 "$device" --fault $fault -- "$selftest" --only "$assumption" --profile "$work/profile"
    grep -q "^$assumption differs\$" "$work/profile" || fail "the profile does not name $assumption"
    grep -q '^  [a-z0-9._]* *differs  *.*expected 0x' "$work/out" || fail "$fault: no difference is told"
done

run 5 "$selftest" --device /dev/null
grep -q '/dev/null' "$work/err" || fail "no message about the file"
run 1 "$device" -- "$selftest" --only no.such.row
run 1 "$selftest" --nonsense
run 1 "$selftest" file
run 0 "$qpucc" selftest --help
grep -q -- --profile "$work/out" || fail "no help"
run 0 "$selftest" --list
grep -q '^| alu\.fmul\.tie |' "$work/out" || fail "no list"

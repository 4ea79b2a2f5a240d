#!/bin/bash
# Every option that a command takes is in its manual page; what bash, zsh and fish offer, the command takes.
#
#     options_test.sh SOURCES
set -u
cd "${1:?usage: options_test.sh SOURCES}" || exit 1
manual=$(sed 's/\\-/-/g; s/\\fR//g' docs/qpucc.1)
failed=0
complain() { echo "$1"; failed=$((failed + 1)); }
longs=$(grep -ohE '\{"[a-z-]+", (no|required|optional)_argument' tools/*.c tools/*.h tools/selftest/selftest.c serve/command.c | sed -E 's/\{"([a-z-]+)".*/\1/' | sort -u)
[ "$(wc -l <<<"$longs")" -gt 25 ] || complain "the tables of options were not found"
for option in $longs; do
    grep -qE -- "--$option([^a-z-]|$)" <<<"$manual" || complain "docs/qpucc.1 says nothing of --$option"
done
for option in o S c E M D U I x g w v; do
    grep -qE -- "(^|[ \"])-$option([^a-zA-Z]|$)" <<<"$manual" || complain "docs/qpucc.1 says nothing of -$option"
done
for offered in $(grep -ohE -- "--[a-z-]+" tools/completions/qpucc.bash tools/completions/_qpucc | sort -u); do
    case ${offered#--} in version | help) continue ;; esac
    grep -qx -- "${offered#--}" <<<"$longs" || complain "completion offers $offered, which no command takes"
done
for offered in $(grep "^complete" tools/completions/qpucc.fish | grep -oE -- "-l [a-z-]+" | cut -d' ' -f2 | sort -u); do
    case $offered in version | help) continue ;; esac
    grep -qx -- "$offered" <<<"$longs" || complain "fish offers --$offered, which no command takes"
done
for program in captures device:main; do
    manual=$(sed 's/\\-/-/g' "docs/qpusim-${program%:*}.1")
    own=$(grep -ohE '\{"[a-z-]+", (no|required)_argument' "tools/device/${program#*:}.c" | sed -E 's/\{"([a-z-]+)".*/\1/')
    [ -n "$own" ] || complain "the options of qpusim-${program%:*} were not found"
    for option in $own; do
        grep -qE -- "^\.BI? --$option( |$)" <<<"$manual" || complain "docs/qpusim-${program%:*}.1 says nothing of --$option"
    done
done
[ $failed = 0 ] && echo "$(wc -l <<<"$longs") options, all documented"
exit $((failed > 0))

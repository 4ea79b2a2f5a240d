#!/bin/sh
# Runs one of the shared conformance suites; exit status 77 (skipped) where they are not.
# usage: conformance_suite.sh qpucc-conformance FILE_IN_SUITE option...
runner=$1 file=${QPUCC_SHARED:-/nowhere}/conformance/$2
shift 2
if [ ! -f "$file" ]; then
    echo "$file is not there: set QPUCC_SHARED"
    exit 77
fi
exec "$runner" "$file" "$@"

#!/usr/bin/env python3
"""qpucc selftest --json follows its schema, with differences and without.

    json_test.py QPUCC_SELFTEST QPUSIM_DEVICE SOURCES
"""
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: there is no python3-jsonschema")
    sys.exit(77)

selftest, device, sources = sys.argv[1:4]
with open(os.path.join(sources, "docs/schemas/qpucc-selftest-1.json")) as file:
    schema = jsonschema.Draft202012Validator(json.load(file))


def report(only, *options):
    command = [device, *options, "--", selftest, "--json", "--only", only]
    text = subprocess.run(command, capture_output=True, text=True).stdout
    value = json.loads(text)
    schema.validate(value)
    assert len(value["rows"]) == value["agrees"] + value["differs"] + value["unreachable"] > 0, only
    return value


assert report("alu.fm")["differs"] == 0
assert report("frag.vary")["differs"] == 0
kernel = report("kernel")
assert kernel["unreachable"] == len(kernel["rows"]) and all(row["reason"] for row in kernel["rows"])
wrong = [row for row in report("alu.", "--fault", "v8muld_truncates")["rows"] if row["verdict"] == "differs"]
assert [row["name"] for row in wrong] == ["alu.v8muld"], wrong
first = wrong[0]["first"]
a, b, expected, got = (bytes.fromhex(first[key][2:]) for key in ("a", "b", "expected", "got"))
assert all((x * y + 127) // 255 == z for x, y, z in zip(a, b, expected)), first
assert all(x * y // 255 == z for x, y, z in zip(a, b, got)) and expected != got, first

#!/usr/bin/env python3
"""What the command prints as JSON follows docs/schemas, whatever it compiled.

    schema_test.py QPUCC SOURCES
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: there is no python3-jsonschema")
    sys.exit(77)

qpucc, sources = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
checked = failed = 0


def schema(name):
    with open(os.path.join(sources, "docs/schemas", name + ".json")) as file:
        return jsonschema.Draft202012Validator(json.load(file))


schemas = {name: schema(name) for name in ("qpucc-stats-1", "qpucc-program-1", "qpucc-report-1", "qpucc-explain-1", "qpucc-list-1", "qpucc-inspect-1",
                                                  "qpucc-undefined-1")}


def check(name, text, what):
    global checked, failed
    checked += 1
    fault = jsonschema.exceptions.best_match(schemas[name].iter_errors(json.loads(text)))
    if fault:
        failed += 1
        print(f"{what}: {fault.json_path}: {fault.message[:200]}")


def run(*arguments):
    return subprocess.run([qpucc, *arguments], capture_output=True, text=True).stdout


inputs = os.path.join(sources, "tests/tools/inputs")
programs = [[v, v[:-4] + "frag"] for v in sorted(glob.glob(os.path.join(sources, "examples/*.vert")))]
programs += [[f] for f in sorted(glob.glob(os.path.join(inputs, "*.frag")) + glob.glob(os.path.join(inputs, "*.vert")))]
for files in programs:
    what = os.path.basename(files[0])
    check("qpucc-program-1", run("--emit=json", *files), what + " --emit=json")
    check("qpucc-stats-1", run("--stats=json", *files), what + " --stats=json")
    check("qpucc-explain-1", run("explain", "--json", *files), what + " explain --json")
with tempfile.TemporaryDirectory() as folder:
    picture = os.path.join(folder, "a.png")
    for files in programs[:4]:
        text = run("run", *files, "--size", "16x16", "--stats=json", "-o", picture)
        check("qpucc-stats-1", text, os.path.basename(files[0]) + " run --stats=json")
    undefined = [os.path.join(inputs, "undefined." + stage) for stage in ("vert", "frag")]
    text = run("run", *undefined, "--size", "16x16", "--undefined=json", "-o", picture)
    check("qpucc-undefined-1", text, "run --undefined=json")
for options, name in (["--at", "0x30000000"], "bin.cl"), (["--rcl"], "render.cl"), ([], "bin.cl"):
    lists = os.path.join(inputs, "list")
    memory = ["--memory", os.path.join(lists, "memory")] if options else []
    check("qpucc-list-1", run("cl", "--json", *options, *memory, os.path.join(lists, name)), name)
for pixel in ("3,5", "8,8", "0,15"):
    for files in programs[:4]:
        text = run("debug", *files, "--size", "16x16", "--pixel", pixel, "--json")
        check("qpucc-inspect-1", text, os.path.basename(files[0]) + " debug --json")
check("qpucc-inspect-1", run("debug", *programs[0], "--size", "16x16", "--vertex", "1", "--json"), "a vertex")
check("qpucc-explain-1", run("explain", *programs[0], "--json", "--passes"), "explain --passes")
check("qpucc-explain-1", run("explain", *programs[0], "--json", *[f"--compare={f}" for f in programs[1]]), "explain --compare")
with tempfile.TemporaryDirectory() as folder: # the report has the same document in it, where it was built
    page = os.path.join(folder, "a.html")
    done = subprocess.run([qpucc, "explain", *programs[0], "--html", page], capture_output=True, text=True)
    if "without the page" not in done.stderr:
        text = open(page, encoding="utf-8").read()
        explain = json.JSONDecoder().raw_decode(text, text.index('{"schema":"qpucc-explain-1"'))[0]
        check("qpucc-explain-1", json.dumps(explain), "explain --html")
for options in [], ["--code"]:
    for line in run("report", "--json", *options, "--pairs", os.path.join(inputs, "pairs.jsonl")).splitlines():
        check("qpucc-report-1", line, " ".join(["report", *options]))

# The schemas refuse what they should.
for name, text in (("qpucc-report-1", '{"name": "a"}'), ("qpucc-stats-1", '{"schema": "qpucc-stats-1"}')):
    checked += 1
    if schemas[name].is_valid(json.loads(text)):
        failed += 1
        print(f"{name} accepts {text}")
print(f"{checked} texts, {failed} failed")
sys.exit(failed > 0 or checked < 40)

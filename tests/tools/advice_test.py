#!/usr/bin/env python3
"""What qpucc explain says in sentences is true: each alternative that it names is compiled again, with the option that it names, and
takes the cycles that it says; the most expensive lines are the table's first; --compare finds no difference where there is none, the
same ones in every form of the older program, and follows lines that an edit moves.

    advice_test.py QPUCC SOURCES"""
import json, os, re, shlex, subprocess, sys, tempfile

qpucc, sources = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
failures = 0


def run(*arguments):
    done = subprocess.run([qpucc, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


def check(what, found, wanted):
    global failures
    if found != wanted:
        failures += 1
        print(f"{what}: {found}, not {wanted}")


def explain(*arguments):
    return json.loads(run("explain", "--json", *arguments)[1])


def stages(document):
    return {stage["stage"]: stage for stage in document["stages"]}


inputs = os.path.join(sources, "tests/tools/inputs")
programs = [[os.path.join(sources, f"examples/{name}.{end}") for end in ("vert", "frag")] for name in ("plasma", "crt", "toon")]
programs += [[os.path.join(inputs, "loops.vert"), os.path.join(inputs, "loops.frag")], [os.path.join(sources, "tests/shaders/ffp_uber.frag")]]
sayings = 0
for files in programs:
    name = os.path.basename(files[-1])
    document = explain(*files)
    options = {t["option"] for stage in document["stages"] for t in stage["advice"]["tries"]}
    check(name + ": something was tried", bool(options), True)
    for option in options:
        # a uniform of both stages may not have two precisions
        more = ["-funiform-precision=highp"] if "highp=" in option else []
        other = stages(explain(*files, *shlex.split(option), *more))
        for stage in document["stages"]:
            for t in stage["advice"]["tries"]:
                if t["option"] != option:
                    continue
                there = other[stage["stage"]]
                check(f"{name}, {stage['stage']}, {option}: cycles", t["cycles"], there["paths"]["longest"])
                check(f"{name}, {stage['stage']}, {option}: now", t["now"], stage["paths"]["longest"])
                helps = t["now"] < t["cycles"] if t["undone"] else t["cycles"] < t["now"] or t["loops"] < stage["cost"]["loops"]
                check(f"{name}, {stage['stage']}, {option}: is said to help", t["text"] is not None, helps)
                sayings += helps
    for stage in document["stages"]:
        first = [line["line"] for line in stage["lines"] if line["line"]][:3]
        check(f"{name}, {stage['stage']}: lines", [line["line"] for line in stage["advice"]["lines"]], first)
        check(f"{name}, {stage['stage']}: paths", stage["paths"]["shortest"] <= stage["paths"]["longest"] <= stage["cost"]["cycles"], True)
        straight = len(stage["blocks"]) == 1
        check(f"{name}, {stage['stage']}: one way", not straight or stage["paths"]["shortest"] == stage["cost"]["cycles"], True)
    text = run("explain", *files)[1]
    said = re.sub(r"\s+", " ", text)
    for stage in document["stages"]:
        for sentence in stage["advice"]["notes"] + [t["text"] for t in stage["advice"]["tries"] if t["text"]] + [
                line["text"] for line in stage["advice"]["lines"]]:
            check(f"{name}: the text says {sentence!r}", re.sub(r"\s+", " ", sentence) in said, True)
    check(name + ": wide lines of sentences", [line for line in text.split("\n") if line.startswith("  ->") and len(line) > 100], [])
check("sentences that something helps", sayings > 10, True)

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    pair = [os.path.join(sources, f"examples/toon.{end}") for end in ("vert", "frag")]
    with open(pair[1]) as file:
        lines = file.read().split("\n")
    at = next(i for i, line in enumerate(lines) if "smoothstep" in line)
    changed = ["// one line more", *lines[:at], *lines[at + 1:]]
    with open("new.frag", "w") as file:
        file.write("\n".join(changed))
    with open("old.json", "w") as file:
        file.write(run("explain", "--json", *pair)[1])
    run("--emit=qpu", *pair, "-o", "old.qpu")
    new = [pair[0], "new.frag"]
    by_source = explain(*new, "--compare", pair[0], "--compare", pair[1])["comparison"]
    by_document = explain(*new, "--compare", "old.json")["comparison"]
    by_container = explain(*new, "--compare", "old.qpu")["comparison"]
    check("the stored document against the sources", by_document["stages"], by_source["stages"])
    for a, b in zip(by_container["stages"], by_source["stages"]):
        check("a container's figures", a["figures"], b["figures"])
    fragment = by_source["stages"][0]
    check("without the smoothstep", fragment["verdict"], "better")
    gone = [line for line in fragment["lines"] if not line["now"]]
    check("the line that is gone", lines[at].strip() in [line["source"] for line in gone], True)
    unmoved = sum(not line["old"] for line in fragment["lines"])
    check("lines that are taken for new ones", unmoved, 0)
    same = explain(*pair, "--compare", "old.json")["comparison"]
    for stage in same["stages"]:
        check("a program and itself", (stage["verdict"], stage["lines"]), ("same", []))
    status, text = run("explain", *new, "--compare", "old.json")
    check("in words", bool(re.search(r"The fragment shader became faster: \d+ cycles instead of \d+", text)), True)
    with open("other.json", "w") as file:
        file.write('{"schema": "qpucc-stats-1"}')
    for wrong in (["--compare", "other.json"], ["--compare", "missing"], ["--compare", "old.json", "--compare", pair[1]]):
        check(f"{wrong}: exit code", run("explain", *new, *wrong)[0], 1)
print(f"{sayings} alternatives that help, {failures} failures")
sys.exit(failures > 0)

#!/usr/bin/env python3
"""What -S writes: every form assembles to the program's code, the annotated one keeps to its columns, shows each source line once
and defines each name that it uses; docs/listings has the examples as they are.

    listings_test.py [--update] QPUCC SOURCES [CORPUS]

--update writes docs/listings. CORPUS is a file of pairs in JSON lines, of which every 24th is taken. Exit code 77: it is missing."""
import json, os, re, subprocess, sys, tempfile

COLUMNS = 100
FORMS = ("annotated", "wide", "plain")
update = "--update" in sys.argv
arguments = [a for a in sys.argv[1:] if a != "--update"]
qpucc, sources = os.path.abspath(arguments[0]), arguments[1]
corpus = os.path.abspath(arguments[2]) if len(arguments) > 2 else None
failures = []


def call(*command, text=None):
    done = subprocess.run([qpucc, *command], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout


def complain(name, what):
    failures.append(name)
    print(f"{name}: {what}")


def check_annotated(name, text):
    for stage in re.split(r"\n\n(?=# )", text):
        shown = re.findall(r"^# (?:\S+, )?\d+: .*", stage, re.M)
        if len(shown) != len(set(shown)):
            complain(name, "a source line is shown twice")
        notes = set(re.findall(r"^#   ((?:e|u|n)\d+) +=", stage, re.M))
        # a word's or a part's name stands where an operand can
        used = set(re.findall(r"(?:unif = |= n?|set-up |[-+*/(] )((?:e|u|n)\d+)(?![\w.\[])", stage))
        if used - notes:
            complain(name, f"{sorted(used - notes)} are not explained")
        if "shader" in stage and not re.search(r"^#   bound by  +\w+", stage, re.M):
            complain(name, "the header does not say what it is bound by")


def check(name, files):
    status, raw = call(*files, "--emit=raw", "-o", "-")
    if status:
        return complain(name, "does not compile")
    for form in FORMS:
        status, text = call(*files, "-S", f"--listing={form}")
        again_status, _ = call("as", "-", "-o", "again.bin", text=text)
        with open("again.bin", "rb") as file:
            if status or again_status or file.read() != raw:
                complain(name, f"{form}: the assembler makes other code of it")
        text = text.decode("utf-8", "replace")
        for number, line in enumerate(text.split("\n"), 1):
            if form != "wide" and len(line) > COLUMNS:
                complain(name, f"{form}, line {number}: {len(line)} columns")
        if form == "annotated":
            check_annotated(name, text)


def check_page(name, files):
    status, text = call(*files, "-S")
    path = f"docs/listings/{name}.asm"
    if update and not status:
        with open(path, "wb") as file:
            file.write(text)
    elif not os.path.exists(path) or open(path, "rb").read() != text:
        complain(name, f"{path} is another listing: cmake --build BUILD --target update_listings")


if corpus:
    if not os.path.exists(corpus):
        sys.exit(77)
    with open(corpus) as file:
        pairs = [json.loads(line) for line in file]
    # one whose code and names are both as wide as they come
    chosen = pairs[::24] + [pair for pair in pairs if pair["name"].endswith("shiny-iterations")]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for pair in chosen:
            for stage in ("vertex", "fragment"):
                with open(f"pair.{stage[:4]}", "w") as file:
                    file.write(pair[stage])
            check(pair["name"], ["pair.vert", "pair.frag"])
        count = len(chosen)
else:
    os.chdir(sources)
    names = sorted(f[:-5] for f in os.listdir("examples") if f.endswith(".vert") and os.path.exists(f"examples/{f[:-5]}.frag"))
    pairs = {name: [f"examples/{name}.vert", f"examples/{name}.frag"] for name in names}
    for name, files in pairs.items():
        check_page(name, files)
    sources = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, files in pairs.items():
            check(name, [f"{sources}/{file}" for file in files])
        # names and code as long as they come, lines of several files, and loops in both stages, whose labels must not meet
        for name in ("long_names", "loops"):
            check(name, [f"{sources}/tests/tools/inputs/{name}.vert", f"{sources}/tests/tools/inputs/{name}.frag"])
    count = len(names) + 2
print(f"{count} programs, {len(set(failures))} failed")
sys.exit(bool(failures))

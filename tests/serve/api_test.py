#!/usr/bin/env python3
"""Every route of a running service: shapes as in docs/api/openapi.json, contents as the command gives them.

    api_test.py QPUCC SOURCES
"""
import base64
import json
import os
import subprocess
import struct
import sys
import tempfile
import zlib

try:
    import jsonschema
except ImportError:
    print("skipped: there is no python3-jsonschema")
    sys.exit(77)

from service import Checks, Service

qpucc, sources = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
check = Checks()
with open(os.path.join(sources, "docs/api/openapi.json")) as file:
    openapi = json.load(file)


def read(path):
    with open(os.path.join(sources, path)) as text:
        return text.read()


def resolve(node):
    while "$ref" in node:
        target = openapi
        for part in node["$ref"].split("/")[1:]:
            target = target[part]
        node = target
    return node


def fits(instance, schema, what):
    validator = jsonschema.Draft202012Validator({**schema, "components": openapi["components"]})
    fault = jsonschema.exceptions.best_match(validator.iter_errors(instance))
    check.that(fault is None, f"{what}: {fault and fault.json_path}: {fault and fault.message[:300]}")


def follows(answer, method, path, request=None):
    """The answer, and the request unless it is meant to be wrong, against what openapi.json says of the route."""
    what = f"{method} {path} ({answer.status})"
    operation = openapi["paths"][path][method.lower()]
    kind = answer.headers.get("Content-Type", "").split(";")[0]
    responses = operation["responses"]
    response = resolve(responses.get(str(answer.status)) or responses.get("default") or {})
    if not check.that(kind in response.get("content", {}), f"{what}: a {kind} is not described"):
        return
    if kind == "application/json":
        fits(answer.json, response["content"][kind]["schema"], what)
    if request is not None:
        fits(request, operation["requestBody"]["content"]["application/json"]["schema"], what + ", the request")


def command(*arguments, text=None):
    return subprocess.run([qpucc, *arguments], input=text, capture_output=True, text=True, check=False)


def compile_route(service, body, **more):
    answer = service.post("/api/compiler/qpucc/compile", body, **more)
    follows(answer, "POST", "/api/compiler/{id}/compile", body if isinstance(body, dict) else None)
    return answer


def png_pixels(data):
    """Width, height and the bytes of a PNG of 8 bits a channel, without interlacing."""
    at, packed, width, height, channels = 8, b"", 0, 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", chunk[:10])
            channels = {2: 3, 6: 4}[color]
        elif kind == b"IDAT":
            packed += chunk
        at += 12 + size
    lines, stride, above, out = zlib.decompress(packed), width * channels, bytes(width * channels), []
    for y in range(height):
        method, line = lines[y * (stride + 1)], bytearray(lines[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a, b, c = (line[x - channels] if x >= channels else 0), above[x], (above[x - channels] if x >= channels else 0)
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[x] = line[x] + (0, a, b, (a + b) // 2, near)[method] & 255
        out.append(bytes(line))
        above = line
    return width, height, b"".join(out)


# --- Compiler Explorer ---------------------------------------------------------------------------------------------------

def test_lists(service):
    for path, known in (("/api/compilers", "id"), ("/api/compilers/glsl", "id"), ("/api/languages", "id")):
        answer = service.get(path)
        follows(answer, "GET", "/api/compilers/{language}" if path.endswith("glsl") else path)
        check.equal(len(answer.json), 1, path)
        check.that(known in answer.json[0], f"{path}: no {known}")
        text = service.get(path, "text/plain")
        check.that(text.headers["Content-Type"].startswith("text/plain") and " | " in text.text, f"{path} as text")
    check.equal(service.get("/api/compilers/fortran").json, [], "compilers of another language")
    check.equal(service.get("/api/compilers?fields=id,lang").json, [{"id": "qpucc", "lang": "glsl"}], "fields")
    everything = service.get("/api/compilers?fields=all").json[0]
    check.that("supportsBinary" in everything and "options" in everything, "fields=all")
    version = command("--version").stdout.split()[1]
    check.equal(everything["semver"], version, "the compiler's version")


# What Compiler Explorer's own clients send: the page, its command-line clients, its documentation's examples.
def explorer_requests(source):
    return {
        "page": {"source": source, "compiler": "qpucc", "options": {
            "userArguments": "-O2", "compilerOptions": {"producePp": None, "produceAst": False, "produceGccDump": {}, "produceCfg": False},
            "filters": {"binaryObject": False, "binary": False, "execute": False, "intel": True, "demangle": True, "labels": True,
                        "libraryCode": True, "directives": True, "commentOnly": True, "trim": False, "debugCalls": False},
            "tools": [], "libraries": [], "overrides": []}, "lang": "glsl", "files": [], "bypassCache": 0, "allowStoreCodeDebug": True},
        "documentation": {"source": source, "options": {
            "userArguments": "-O2", "compilerOptions": {"skipAsm": False, "executorRequest": False},
            "filters": {"binary": False, "commentOnly": True, "demangle": True, "directives": True, "execute": False, "intel": True,
                        "labels": True, "libraryCode": False, "trim": False}, "tools": [],
            "libraries": [{"id": "none", "version": "1"}]}, "lang": "glsl", "allowStoreCodeDebug": True},
        "editor": {"source": source, "options": {"userArguments": "-O2", "filters": {"commentOnly": True}}},
        "null": {"source": source, "files": None, "lang": None, "options": {"userArguments": "-O2", "filters": {"commentOnly": True}}},
    }


def test_explorer(service):
    source = read("examples/plasma.frag")
    expected = command("-S", "--listing=wide", "-O2", os.path.join(sources, "examples/plasma.frag")).stdout
    wanted = [line.rstrip() for line in expected.splitlines() if line and not line.startswith("#")]
    words = command("--emit=json", "-O2", os.path.join(sources, "examples/plasma.frag")).stdout
    stage = json.loads(words)["shaders"][0]["stages"][0]
    for name, body in explorer_requests(source).items():
        answer = compile_route(service, body)
        result = answer.json
        check.equal(result["code"], 0, f"{name}: code")
        check.equal(result["stderr"], [], f"{name}: stderr")
        check.equal([line["text"].rstrip() for line in result["asm"]], wanted, f"{name}: the assembly")
        code = ["".join(reversed(line["opcodes"])) for line in result["asm"]]
        check.equal(code, stage["code"], f"{name}: the opcodes")
        check.equal([line["source"]["line"] if line["source"] else 0 for line in result["asm"]], stage["lines"], f"{name}: lines")
        check.equal([line["address"] for line in result["asm"]], list(range(0, 8 * len(code), 8)), f"{name}: addresses")
        check.equal(sum(line["qpucc"]["cycles"] for line in result["asm"]), stage["cycles"], f"{name}: cycles")
        check.that(any("mul" in line["qpucc"]["units"] for line in result["asm"]), f"{name}: units")
        peak = max(sum(line["qpucc"]["live"].values()) for line in result["asm"])
        check.that(0 < peak <= 68, f"{name}: {peak} live registers")
    text = service.post("/api/compiler/qpucc/compile?options=-O2", source, accept="text/plain", kind="text/plain")
    follows(text, "POST", "/api/compiler/{id}/compile")
    shown = [line.rstrip() for line in text.text.splitlines() if line and not line.startswith("#")]
    check.equal(shown, wanted, "as text")
    form = service.request("POST", "/api/compiler/qpucc/compile", source, {"Content-Type": "application/x-www-form-urlencoded"})
    check.equal([line.rstrip() for line in form.text.splitlines() if line and not line.startswith("#")], wanted, "as curl sends it")
    check.equal(compile_route(service, {"source": source, "options": {"filters": {"trim": True}}}).json["asm"][1]["text"].count("  "),
                0, "trim")


# What its clients ask besides, and find nothing of: each gets an answer that it understands.
def test_explorer_rest(service):
    for path, route in (("/api/libraries", None), ("/api/libraries/glsl", "/api/libraries/{language}"),
                        ("/api/tools/glsl", "/api/tools/{language}"), ("/api/formats", None)):
        answer = service.get(path)
        check.equal((answer.status, answer.json), (200, []), path)
        follows(answer, "GET", route or path)
    arguments = service.get("/api/popularArguments/qpucc")
    follows(arguments, "GET", "/api/popularArguments/{id}")
    source = "precision highp float; void main() { gl_FragColor = vec4(0.5); }"
    for option in arguments.json:
        check.equal(compile_route(service, {"source": source, "options": {"userArguments": option}}).json["code"], 0, f"with {option}")
    follows(service.get("/api/popularArguments/gcc"), "GET", "/api/popularArguments/{id}")
    check.equal(service.get("/api/popularArguments/gcc").status, 404, "arguments of another compiler")
    version = service.get("/api/version")
    follows(version, "GET", "/api/version")
    check.equal(version.text, command("--version").stdout.split()[1], "the version")
    for path, route in (("/api/compiler/qpucc/cmake", "/api/compiler/{id}/cmake"), ("/api/format/clangformat", "/api/format/{formatter}")):
        answer = service.post(path, {"source": source})
        check.equal((answer.status, answer.json["reason"]), (501, "unsupported"), path)
        follows(answer, "POST", route)
        check.equal(service.get(path).status, 405, f"GET {path}")
    for path in ("/api/compiler/qpucc", "/api/compiler/qpucc/execute", "/api/compiler/qpucc/compile/x", "/api/asm/amd64/mov", "/api/nothing"):
        answer = service.post(path, {"source": source}) if "compiler" in path else service.get(path)
        check.equal((answer.status, answer.json["reason"]), (404, "unknown"), path)
    check.equal(service.get("/api/compiler/qpucc/compile").status, 405, "a compile without a body")
    before = service.request("OPTIONS", "/api/compiler/qpucc/compile", headers={
        "Origin": "https://example.org", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type,accept"})
    check.equal((before.status, before.body), (204, b""), "a browser's question before it sends")
    check.equal(before.headers["Access-Control-Allow-Origin"], "*", "another origin may send")
    check.that("POST" in before.headers["Access-Control-Allow-Methods"], "what it may send")
    check.that({"content-type", "accept"} <= {h.strip().lower() for h in before.headers["Access-Control-Allow-Headers"].split(",")},
               "with which headers")
    for accept, kind in (("*/*", "text/plain"), ("text/plain", "text/plain"), ("application/json, text/javascript, */*; q=0.01", "application/json"),
                         ("text/html,application/xhtml+xml,*/*;q=0.8", "text/plain"), ("application/json", "application/json")):
        for answer in (service.get("/api/compilers", accept), service.post("/api/compiler/qpucc/compile", {"source": source}, accept=accept)):
            check.that(answer.headers["Content-Type"].startswith(kind), f"Accept: {accept} gives {answer.headers['Content-Type']}")


def test_messages(service):
    bad = "precision highp float;\nvoid main() {\n    gl_FragColor = vec4(one,\n        two);\n}\n"
    result = compile_route(service, {"source": bad, "options": {"userArguments": ""}}).json
    tags = [line["tag"] for line in result["stderr"] if "tag" in line]
    check.equal(result["code"], 2, "code of a wrong source")
    check.equal([(tag["line"], tag["column"], tag["severity"], tag["code"]) for tag in tags][:2], [(3, 25, 3, "source"), (4, 9, 3, "source")],
                "places of errors")
    check.equal(result["asm"], [{"text": "<Compilation failed>", "source": None, "labels": []}], "no assembly")
    printed = command("-x", "glsl", "-fshader-stage=fragment", "-", text=bad)
    check.equal([line["text"].replace("<source>", "<stdin>") for line in result["stderr"]], printed.stderr.splitlines(),
                "the same words as the command's")
    text = service.post("/api/compiler/qpucc/compile", bad, accept="text/plain", kind="text/plain").text
    check.that("# Compiler exited with result code 2\nStandard error:\n<source>:3:25: error:" in text, "errors as text: " + text)
    pair = [{"filename": "a.vert", "contents": "void main() {}"},
            {"filename": "a.frag", "contents": "void main() { gl_FragColor = vec4(1.0); }"}]
    warned = compile_route(service, {"files": pair}).json
    check.equal(([line["tag"]["severity"] for line in warned["stderr"] if "tag" in line], warned["code"]), ([2], 0), "a warning")
    strict = compile_route(service, {"files": pair, "options": {"userArguments": "-Werror"}}).json
    check.equal(([line["tag"]["severity"] for line in strict["stderr"] if "tag" in line], strict["code"]), ([3], 2), "-Werror")
    check.equal(compile_route(service, {"files": pair, "options": {"userArguments": "-w"}}).json["stderr"], [], "-w")
    for arguments in ("-Iinclude", "other.frag", "--state=state.json", "-o out", "--fixed=x", "-O9", "-Q", "-DX -M", "@file", "--print-after=all"):
        result = compile_route(service, {"source": "void main() {}", "options": {"userArguments": arguments}}).json
        check.equal(result["code"], 1, f"option {arguments}")
        check.that(result["stderr"], f"option {arguments}: nothing said")
    result = compile_route(service, {"source": "#include \"/etc/passwd\"\nvoid main() {}\n"}).json
    check.that(result["code"] == 2 and "root:" not in json.dumps(result), "#include")
    result = compile_route(service, {"source": "#extension GL_GOOGLE_cpp_style_line_directive : enable\n#line 1 \"/etc/passwd\"\nvoid main() { x; }\n"}).json
    check.that(result["code"] == 2 and "root:" not in json.dumps(result), "#line names a file")


def test_examples(service):
    """The longest search ends within the time that a request has, too."""
    names = sorted(name[:-5] for name in os.listdir(os.path.join(sources, "examples")) if name.endswith(".vert"))
    check.that(len(names) > 5, f"the examples: {names}")
    for name in names:
        files = [{"filename": name + end, "contents": read(f"examples/{name}{end}")} for end in (".vert", ".frag")]
        answer = compile_route(service, {"source": "", "files": files, "options": {"userArguments": "-O3"}})
        check.equal((answer.status, answer.json["code"]), (200, 0), f"{name} at -O3")


def test_files(service):
    files = [{"filename": "cube.vert", "contents": read("examples/cube.vert")}, {"filename": "cube.frag", "contents": read("examples/cube.frag")}]
    result = compile_route(service, {"source": "", "files": files, "options": {"userArguments": "-O3", "qpucc": {"explain": True}}}).json
    check.equal(result["code"], 0, "two files")
    check.equal({line["qpucc"]["stage"] for line in result["asm"] if "qpucc" in line}, {"fragment", "vertex", "coordinate"}, "stages")
    check.equal({line["source"]["file"] for line in result["asm"] if line["source"]}, {"cube.vert", "cube.frag"}, "files of lines")
    schema = json.loads(read("docs/schemas/qpucc-explain-1.json"))
    fault = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(result["qpucc"]))
    check.that(fault is None, f"the explain document: {fault and fault.message[:200]}")
    for arguments, policy in (("-O2", "default"), ("-ffast-math", "fast"), ("-ffast-math -fprecise", "precise")):
        result = compile_route(service, {"source": "", "files": files, "options": {"userArguments": arguments, "qpucc": {"explain": True}}}).json
        check.equal(result["qpucc"]["policy"], policy, f"the policy of {arguments}")
    defined = {"source": "#ifdef A\nvoid main() { gl_FragColor = vec4(B); }\n#endif\n", "options": {"userArguments": "-DA '-DB=1.0, 0.5, 0.25, 1.0'"}}
    check.equal(compile_route(service, defined).json["code"], 0, "quoted options")
    looks = ("precision mediump float; uniform int u_type; uniform sampler2D s; varying vec2 v;\n"
             "void main() { gl_FragColor = u_type == 2 ? vec4(1.0) : texture2D(s, v); }\n")
    sizes = [compile_route(service, {"source": looks, "options": {"userArguments": option}}).json["asmSize"]
             for option in ("", "--set=u_type=1", "--set=u_type=2")]
    check.that(sizes[2] < sizes[0] and sizes[1] <= sizes[0], f"code for a value is shorter: {sizes}")
    result = compile_route(service, {"source": looks, "options": {"userArguments": "--set=u_kind=2"}}).json
    check.that(result["code"] != 0 and "no uniform is named u_kind; there are u_type" in result["stderr"][0]["text"], "a name that is none")
    check.equal(compile_route(service, {"source": "void main() { gl_Position = vec4(0.0); }"}).json["asm"][0]["text"][:15], "# vertex shader", "a vertex shader by its contents")
    toy = "void mainImage(out vec4 c, in vec2 p) {\n    c = vec4(p / iResolution.xy, y, 1.0);\n}\n"
    tags = [line["tag"] for line in compile_route(service, {"source": toy}).json["stderr"] if "tag" in line]
    check.equal([(tag["line"], tag["column"]) for tag in tags], [(2, 34)], "a place in mainImage")
    both = {"source": "void main() {}", "files": [{"filename": "a.frag", "contents": "void main() {}"}]}
    check.equal(compile_route(service, both).json["code"], 1, "two fragment shaders")
    blended = {"source": "precision mediump float; void main() { gl_FragColor = vec4(0.5); }",
               "options": {"qpucc": {"state": {"blend": {"enabled": True}}}}}
    answer = service.post("/api/compiler/qpucc/compile", blended)
    check.equal(answer.status, 200, "a state")


def test_wrapped_lines(service):
    """What is said of a mainImage points into it, never into what stands around it."""
    toy = "// one\nvoid mainImage(out vec4 c, in vec2 p) {\n    c = vec4(p / iResolution.xy, sin(iTime), 1.0);\n}"
    answer = compile_route(service, {"source": toy, "options": {"userArguments": "", "qpucc": {"explain": True}}})
    stage = answer.json["qpucc"]["stages"][0]
    check.equal({instruction["line"] for instruction in stage["code"]} | {line["line"] for line in stage["lines"]}, {2, 3}, "lines of instructions")
    for text, line, column in (("\n  void mainImage(out vec4 c, vec2 p, float z) { c = vec4(1.0); }", 2, 8), ("float mainImage() { return 1.0; }", 1, 7)):
        tags = [line["tag"] for line in compile_route(service, {"source": text}).json["stderr"] if "tag" in line]
        check.equal([(tag["line"], tag["column"]) for tag in tags], [(line, column)], f"a message about {text!r}: {tags}")
    for source in (toy, "void main() { gl_FragColor = vec4(1.0); }", "#version 330\nout vec4 c; void main() { c = vec4(1.0); }"):
        for name in ("vertex", "coordinate"): # the vertex shader is the service's own
            found = service.post("/api/inspect", {"fragment": source, "size": "16x16", "stage": name, "index": 0}).json["inspect"]
            check.equal({step["line"] for run in found["runs"] for step in run["steps"]}, {0}, f"lines of a {name} shader that nobody wrote")


def test_refusals(service):
    for body in (b"", b"{", b"[]", b"null", b'{"source": 1}', b'{"source": "x", "files": 3}', b'{"source": "x", "files": [1]}', b'{}',
                 b'{"source": "x", "options": {"userArguments": []}}', b'{"a": 1, "a": 2}', b'{"source": "\\u0000"}', b'\xff\xfe',
                 b'{"source": "x", "options": {"qpucc": {"state": 1}}}', b"[" * 100000):
        answer = service.post("/api/compiler/qpucc/compile", body)
        follows(answer, "POST", "/api/compiler/{id}/compile")
        check.that(answer.status == 400 and answer.json["reason"] == "request", f"body {body[:40]!r}: {answer.status}")
    for path, method, status, reason in (("/nothing", "GET", 404, "unknown"), ("/api/compiler/gcc/compile", "POST", 404, "unknown"),
                                         ("/api/compiler/qpucc/run", "POST", 404, "unknown"), ("/api/render", "GET", 405, "method"),
                                         ("/api/compilers", "POST", 405, "method"), ("/api/compilers", "DELETE", 405, "method"),
                                         ("/api/../api/compilers", "GET", 404, "unknown"), ("/..%2f..%2fetc/passwd", "GET", 404, "unknown"),
                                         ("/api/shortlinkinfo/%2e%2e%2fx", "GET", 404, "unknown"),
                                         ("/" + "a" * 5000, "GET", 404, "unknown"), ("/api/shortlinkinfo/abcdefghijkl", "GET", 404, "unknown")):
        answer = service.request(method, path, b"{}" if method == "POST" else None)
        check.that(answer.status == status and answer.json["reason"] == reason, f"{method} {path[:60]}: {answer.status} {answer.body[:80]}")
    answer = service.request("OPTIONS", "/api/render")
    check.equal((answer.status, answer.headers.get("Access-Control-Allow-Methods")), (204, "POST, OPTIONS"), "a browser's question")
    head = service.request("HEAD", "/api/compilers")
    check.equal((head.status, head.body), (200, b""), "HEAD")


# --- pictures -------------------------------------------------------------------------------------------------------------
    # options in the address: too long ones, and bytes that are no text
    path = "/api/compiler/qpucc/compile?options="
    check.equal(service.post(path + "-w%20" * 160, "void main() {}", kind="text/plain").status, 400, "options that are too long")
    answer = service.post(path + "%ff", "void main() {}", kind="text/plain")
    check.equal((answer.status, answer.json.get("compilationOptions")), (200, ["?"]), "options that are no text")
    for member in ({"frames": {"count": 2**32 + 1}}, {"clear": [0.5, 0.5, 0.5, 1]}, {"uniforms": {"u": 1e300}}):
        answer = service.post("/api/render", {"fragment": "void main() { gl_FragColor = vec4(1.0); }", "size": "4x4", **member})
        check.equal(answer.status, 400, f"{member}: {answer.body[:80]}")


def scene_of(name, **more):
    scene = json.loads(read(f"examples/{name}.json"))
    for stage in ("vertex", "fragment"):
        scene[stage] = {"source": read("examples/" + scene[stage]), "name": scene[stage]}
    if scene.get("mesh", "").endswith(".obj"):
        scene["mesh"] = {"obj": read("examples/" + scene["mesh"])}
    scene["textures"] = {key: {"file": os.path.basename(value).removesuffix(".png")} for key, value in scene.get("textures", {}).items()}
    return {**scene, **more}


def render(service, scene, **more):
    answer = service.post("/api/render", scene, **more)
    follows(answer, "POST", "/api/render", scene if isinstance(scene, dict) else None)
    return answer


def test_pictures(service):
    """The same pixels as the command draws, which tests compare with OpenGL ES."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("plasma", "cube", "toon", "sprites", "crt"):
            scene = scene_of(name, size="96x72")
            path = os.path.join(folder, name + ".png")
            command("run", os.path.join(sources, f"examples/{name}.json"), "--size=96x72", "-o", path)
            with open(path, "rb") as file:
                expected = png_pixels(file.read())
            answer = render(service, scene).json
            check.equal(answer["code"], 0, f"{name}: {answer['stderr']}")
            found = png_pixels(base64.b64decode(answer["frames"][0]["data"]))
            check.that(found == expected, f"{name}: other pixels than the command's")
            png = service.post("/api/render", scene, accept="image/png")
            check.equal(png.headers["Content-Type"], "image/png", f"{name}: type")
            check.that(png_pixels(png.body) == expected, f"{name}: other pixels as image/png")
            if name == "plasma":
                raw = service.post("/api/render", scene, accept="application/octet-stream").body
                rgb = b"".join(raw[i:i + 3] for i in range(0, len(raw), 4))
                check.equal((96, 72, rgb) == expected, True, "raw pixels")
                data = base64.b64encode(open(os.path.join(sources, "examples/textures/crate.png"), "rb").read()).decode()
        uploaded = scene_of("cube", size="64x48", textures={"u_crate": {"data": data, "filter": "nearest"}})
        named = scene_of("cube", size="64x48", textures={"u_crate": "crate,nearest"})
        check.equal(render(service, uploaded).json["frames"], render(service, named).json["frames"], "a picture that was sent")
        check.that(render(service, uploaded).json["frames"] != render(service, scene_of("cube", size="64x48")).json["frames"],
                   "a filter changes the picture")


def test_scenes(service):
    plasma = scene_of("plasma", size="32x24")
    del plasma["uniforms"]
    answer = render(service, {**plasma, "frames": {"count": 3, "step": 0.5}, "time": 2, "format": "raw"}).json
    check.equal([frame["time"] for frame in answer["frames"]], [2, 2.5, 3], "times of frames")
    check.equal([len(base64.b64decode(frame["data"])) for frame in answer["frames"]], [32 * 24 * 4] * 3, "raw bytes")
    check.equal(len({frame["data"] for frame in answer["frames"]}), 3, "frames that differ")
    alone = render(service, {**plasma, "time": 2.5, "format": "raw"}).json
    check.equal(alone["frames"][0]["data"], answer["frames"][1]["data"], "a frame alone")
    check.equal([(v["name"], v["value"]) for v in alone["interface"]["uniforms"]], [("u_time", [2.5])], "the interface")
    made = render(service, {**plasma, "format": "program"}).json
    check.equal((made["code"], made["frames"], base64.b64decode(made["values"])), (0, [], b""), "a program instead of a picture")
    check.equal(base64.b64decode(made["program"])[:4], b"QPUC", "a container")
    blended = render(service, {**plasma, "format": "program", "state": {"alpha_func": "greater", "values": {"alpha_reference": 0.5}}}).json
    check.equal(base64.b64decode(blended["values"])[-4:], struct.pack("<f", 0.5), "a value of the state")
    wrong = render(service, {"fragment": "void main() { x; }", "format": "program"}).json
    check.equal((wrong["code"], "program" in wrong), (2, False), "no program of a wrong shader")

    toy = {"fragment": "void mainImage(out vec4 c, in vec2 p) { c = vec4(p / iResolution.xy, fract(iTime), 1.0); }", "size": "16x16", "time": 0.5, "format": "raw"}
    pixels = base64.b64decode(render(service, toy).json["frames"][0]["data"])
    expected = [(round((x + 0.5) / 16 * 255), round((15.5 - y) / 16 * 255), 128) for y in range(16) for x in range(16)]
    found = [tuple(pixels[i:i + 3]) for i in range(0, len(pixels), 4)]
    check.that(all(abs(a - b) <= 1 for p, q in zip(found, expected) for a, b in zip(p, q)), f"mainImage draws a gradient: {found[:3]}")
    cube = scene_of("cube", size="64x48")
    check.that(render(service, {**cube, "raster": {"cull": "front"}}).json["frames"] != render(service, cube).json["frames"], "culling")
    check.equal(render(service, {**cube, "raster": {"cull": "both"}, "format": "raw"}).json["frames"][0]["counters"]["pixels"], 0, "nothing is left")
    check.equal(render(service, {**cube, "raster": {"depth_func": "never"}}).json["code"], 0, "depth_func")
    sphere = scene_of("phong", size="64x48", format="raw")
    check.equal(render(service, {**sphere, "state": {}}).json["frames"], render(service, sphere).json["frames"],
                "a state that says nothing changes nothing")
    for name in ("quad", "cube", "sphere", "torus", "points"):
        check.equal(render(service, {**plasma, "mesh": name}).json["code"], 0, f"mesh {name}")
    failed = render(service, {**plasma, "fragment": {"source": "void main() { gl_FragColor = y; }"}}).json
    check.equal((failed["code"], failed["frames"], failed["stderr"][0]["tag"]["file"]), (2, [], "shader.frag"), "a wrong shader")
    endless = {**plasma, "fragment": "precision highp float; uniform float u_x; void main() { float x = u_x; while (x < 2.0) x *= 0.5; gl_FragColor = vec4(x); }"}
    answer = render(service, endless).json
    check.equal(answer["code"], 4, f"an endless loop: {answer['stderr']}")
    check.that("budget" in json.dumps(answer["stderr"]), f"an endless loop: {answer['stderr']}")
    for wrong in ({"size": "0x3"}, {"size": "4096x4096"}, {"mesh": "a.obj"}, {"mesh": {"file": "x"}}, {"textures": {"a": "../x"}}, {"textures": {"a": {"data": "!"}}},
                  {"vertex": {"file": "x"}}, {"frames": {"count": 65}}, {"frames": {"count": 64}, "size": "2048x2048"}, {"unknown": 1}, {"clear": [1]},
                  {"uniforms": {"a": "x"}}, {"raster": {"cull": "some"}}, {"state": []}, {"primitive": "quads"}, {"format": "gif"}, {"instances": 0}):
        answer = service.post("/api/render", {**plasma, **wrong})
        check.that(answer.status == 400 and answer.json["reason"] == "request", f"{wrong}: {answer.status} {answer.body[:100]}")
    for wrong in ({"mesh": "teapot"}, {"mesh": {"obj": "v 1 2\n"}}, {"mesh": {"obj": ""}}, {"state": {"blend": "yes"}}, {"options": {"userArguments": "-O7"}},
                  {"uniforms": {"u_time": [1, 2]}}, {"textures": {"u_picture": {"data": base64.b64encode(b"no PNG").decode()}}, "fragment":
                   "precision mediump float; uniform sampler2D u_picture; varying vec2 v_place; void main() { gl_FragColor = texture2D(u_picture, v_place); }"}):
        answer = service.post("/api/render", {**plasma, **wrong})
        follows(answer, "POST", "/api/render")
        check.that(answer.status == 200 and answer.json["code"] == 1 and answer.json["stderr"], f"{wrong}: {answer.body[:200]}")


def test_passes(service):
    body = {"source": "precision highp float; uniform float a; void main() { gl_FragColor = vec4(a * 2.0 + 1.0 - 1.0); }"}
    answer = service.post("/api/passes", body)
    follows(answer, "POST", "/api/passes", body)
    steps = answer.json["passes"]
    check.that(len(steps) > 2 and all(a["text"] != b["text"] for a, b in zip(steps, steps[1:])), "each step changes something")


def test_inspect(service):
    body = {**scene_of("plasma", size="32x24"), "x": 5, "y": 6}
    answer = service.post("/api/inspect", body)
    follows(answer, "POST", "/api/inspect", body)
    found = answer.json["inspect"]
    drawn = base64.b64decode(render(service, {**scene_of("plasma", size="32x24"), "format": "raw"}).json["frames"][0]["data"])
    check.equal(bytes(found["color"])[:3], drawn[4 * (6 * 32 + 5):][:3], "the pixel's colour")
    steps = found["runs"][-1]["steps"]
    names = {write.get("name", "").split(".")[0] for step in steps for write in step["writes"]}
    check.that(len(steps) > 50 and {"p", "c", "sum"} <= names, f"steps with the names of variables: {names}")
    for wrong in ({"x": 32}, {"y": 24}, {"x": -1}, {"x": None}):
        answer = service.post("/api/inspect", {**body, **wrong})
        check.that(answer.status == 400 or answer.json["code"] == 1, f"a pixel outside: {wrong}")
    cube = {**scene_of("cube", size="32x24"), "index": 7}
    for stage in ("vertex", "coordinate"):
        body = {**cube, "stage": stage}
        answer = service.post("/api/inspect", body)
        follows(answer, "POST", "/api/inspect", body)
        found = answer.json["inspect"]
        check.equal((found["stage"], found["vertex"]), (stage, 7), f"a vertex by the {stage} shader")
        targets = [write["target"] for step in found["runs"][0]["steps"] for write in step["writes"]]
        check.that(targets.count("vpm") >= 4, f"what the {stage} shader writes: {targets}")
    check.equal(service.post("/api/inspect", cube).json["inspect"]["stage"], "vertex", "the vertex shader if none is named")
    for wrong in ({"index": 36}, {"index": -1}, {"index": "0"}, {"index": 1 << 40}, {"stage": "fragment"}, {"stage": 1}):
        answer = service.post("/api/inspect", {**cube, **wrong})
        check.that(answer.status == 400 or answer.json["code"] == 1, f"no vertex: {wrong}")


# --- the rest ---------------------------------------------------------------------------------------------------------------

def test_opcodes(service):
    names = set()
    for line in read("backend/isa/isa.def").splitlines():
        if line.startswith("QPU_") and "LATENCY" not in line and "ALIAS" not in line:
            names |= {word for word in line.split('"')[1::2]}
    check.that(len(names) > 100, "the names of the instruction set were found")
    names |= {"mov", "movi", "brr", "bra", "ra0", "rb31", "r5", "sacq", "srel", "-16", "0.5", "8.0", "rot", "FADD"}
    everything = service.get("/api/asm/qpu")
    follows(everything, "GET", "/api/asm/qpu")
    for name in sorted(names):
        answer = service.get("/api/asm/qpu/" + name)
        follows(answer, "GET", "/api/asm/qpu/{opcode}")
        if check.equal(answer.status, 200, f"documentation of {name}"):
            check.that(len(answer.json["tooltip"]) > 10, f"documentation of {name}: {answer.json}")
    check.that(all(name in everything.json for name in names if name.isalpha() and name.islower()), "all of it at once")
    follows(service.get("/api/asm/qpu/fadd", "text/plain"), "GET", "/api/asm/qpu/{opcode}")
    for name in ("mulps", "ra64", "r6", "rax", "", "-", "1e", "../fadd"):
        if name:
            check.equal(service.get("/api/asm/qpu/" + name).status, 404, f"documentation of {name}")
    for name in ("plasma", "phong"):
        text = command("-S", "--listing=wide", *(os.path.join(sources, f"examples/{name}.{end}") for end in ("vert", "frag"))).stdout
        words = {word.split(".")[0].strip(",;") for line in text.splitlines() if not line.startswith("#") for word in line.split("#")[0].split("[")[0].split()}
        for word in words - {""}:
            check.equal(service.get("/api/asm/qpu/" + word).status, 200, f"documentation of {word} in {name}")


def test_links(service):
    state = {"fragment": "void main() {}", "sessions": [{"id": 1, "language": "glsl", "source": "é\u2028"}]}
    answer = service.post("/api/shortener", state)
    follows(answer, "POST", "/api/shortener", state)
    name = answer.json["id"]
    check.that(answer.json["url"] == f"http://127.0.0.1:{service.port}/z/{name}", answer.text)
    kept = service.get("/api/shortlinkinfo/" + name)
    follows(kept, "GET", "/api/shortlinkinfo/{id}")
    check.equal(kept.json, state, "what was kept")
    check.equal(service.post("/api/shortener", state).json["id"], name, "the same state again")
    other = service.post("/api/shortener", {**state, "x": 1}).json["id"]
    check.that(other != name, "another state")
    for wrong in (b"[]", b"{", b""):
        check.equal(service.post("/api/shortener", wrong).status, 400, f"a link to {wrong!r}")
    page = service.get("/z/" + name)
    check.equal(page.status, 200, "the page of a permalink")
    check.equal(service.get("/z/abcdefghijkl").status, 404, "the page of none")
    strange = service.request("POST", "/api/shortener", json.dumps(state), {"Host": 'a"><script>', "Content-Type": "application/json"})
    check.that("script" not in strange.text, "a host that is none")


def test_headers(service):
    api, page = service.get("/api/compilers"), service.get("/")
    for answer in (api, page):
        check.equal(answer.headers.get("X-Content-Type-Options"), "nosniff", "nosniff")
        check.that("default-src 'none'" in answer.headers.get("Content-Security-Policy", ""), "a policy")
    check.equal(api.headers.get("Access-Control-Allow-Origin"), "*", "other pages may ask")
    if page.headers["Content-Type"].startswith("text/html"):
        check.that("unsafe" not in page.headers["Content-Security-Policy"].replace("'wasm-unsafe-eval'", ""), "a strict policy")
        again = service.request("GET", "/", headers={"If-None-Match": page.headers["ETag"]})
        check.equal((again.status, again.body), (304, b""), "a page that did not change")


def test_rest(service):
    follows(service.get("/healthz"), "GET", "/healthz")
    check.equal(service.get("/api/openapi.json").json, openapi, "the description of itself")
    metrics = service.get("/metrics", "text/plain")
    follows(metrics, "GET", "/metrics")
    names = [line.split("{")[0].split()[0] for line in metrics.text.splitlines() if not line.startswith("#")]
    typed = {line.split()[2] for line in metrics.text.splitlines() if line.startswith("# TYPE")}
    check.that(all(any(name == t or name.startswith(t + "_") for t in typed) for name in names), "every metric has a type")
    check.that(service.metric('qpucc_requests_total{route="compile",status="2xx"}') > 10, "requests are counted")
    before = service.metric('qpucc_answers_total{from="worker"}')
    body = {"source": "precision highp float; void main() { gl_FragColor = vec4(0.125); }"}
    first, second = compile_route(service, body), compile_route(service, body)
    check.equal(second.body, first.body, "the same answer from memory")
    check.equal(service.metric('qpucc_answers_total{from="worker"}'), before + 1, "one of two was worked on")
    broken = {"source": "precision highp float; void main() { gl_FragColor = vec4(0.125 }"}
    compile_route(service, broken), compile_route(service, broken)
    check.equal(service.metric('qpucc_answers_total{from="worker"}'), before + 2, "failures are kept, too")


# The limits have tests of their own (limits_test.py). Here a machine may be so busy that 2 s of work take a minute, and with the
# sanitizers everything takes five to ten times as long.
with Service(qpucc, "--workers=2", "--rate=0", "--cpu-seconds=30", "--wall-seconds=300") as running:
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(running)
    for kind in ("time", "memory", "output", "sandbox", "crashed"):
        check.equal(running.metric(f'qpucc_workers_ended_total{{reason="{kind}"}}'), 0, f"no worker ended by {kind}")
    check.equal(running.stop(), 0, "exit code")
sys.exit(check.end())

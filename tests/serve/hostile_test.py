#!/usr/bin/env python3
"""Hostile requests of every kind that came to mind, drawn with a seed, from several clients at once. After them the service
serves, its memory is what it was, every answer was HTTP with a status that the description knows, and none told a path or an
address.

    hostile_test.py QPUCC [--count N] [--seed N] [--clients N]
"""
import argparse
import base64
import json
import os
import random
import re
import socket
import struct
import sys
import threading
import time
import zlib

from service import Checks, Service

parser = argparse.ArgumentParser()
parser.add_argument("qpucc")
parser.add_argument("--count", type=int, default=150)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--clients", type=int, default=6)
options = parser.parse_args()
check = Checks()
HEAD = "precision highp float;\nuniform float u_x;\nuniform vec4 u_v[8];\nvarying vec2 v_p;\n"


def fragment(body, before=""):
    return f"{HEAD}{before}\nvoid main() {{\n{body}\n}}\n"


# --- shaders: each takes a random generator ------------------------------------------------------------------------------

def endless_loop(r):
    return fragment(r.choice(["while (true) { }", "for (;;) gl_FragColor += vec4(0.001);", "float x = u_x; while (x < 2.0) x *= 0.5; gl_FragColor = vec4(x);",
                              "int i = 0; do { i++; } while (i > -1); gl_FragColor = vec4(float(i));"]))


def giant_loop(r):
    return fragment(f"float x = u_x; for (int i = 0; i < {r.choice([10**4, 10**6, 2**31 - 1])}; i++) x = sin(x) + {r.random()}; gl_FragColor = vec4(x);")


def nested_loops(r):
    depth = r.randint(3, 9)
    loops = "".join(f"for (int i{k} = 0; i{k} < {r.randint(9, 99)}; i{k}++) " for k in range(depth))
    return fragment(f"float x = u_x; {loops} x = x * 1.001 + float(i0); gl_FragColor = vec4(x);")


def huge_array(r):
    size = r.choice([10**3, 10**5, 10**7, 2**31 - 1, 2**31, 10**30])
    return fragment("gl_FragColor = vec4(a[int(u_x)]);", f"{r.choice(['float', 'mat4', 'vec4'])} a[{size}]{r.choice(['', '[1000]', '[9][9]'])};".replace("float", r.choice(["float", "uniform float"])))


def deep_nesting(r):
    depth, (opening, closing) = r.choice([10, 200, 5000, 100000]), r.choice([("(", ")"), ("-(", ")"), ("abs(", ")"), ("u_v[int(", ").x]")])
    return fragment(f"gl_FragColor = vec4({opening * depth}u_x{closing * depth});")


def deep_blocks(r):
    depth, opening = r.choice([50, 2000, 30000]), r.choice(["{", "if (u_x > 0.5) {", "for (int i = 0; i < 2; i++) {"])
    return fragment(opening * depth + "gl_FragColor = vec4(1.0);" + "}" * depth)


def exponential_structs(r):
    depth, width = r.randint(5, 40), r.randint(2, 9)
    text = "struct S0 { float x; };\n" + "".join(f"struct S{k} {{ S{k - 1} a[{width}]; S{k - 1} b; }};\n" for k in range(1, depth))
    return fragment(f"S{depth - 1} s; gl_FragColor = vec4(s.b.a[0].x);".replace(".b.a[0].x", ".b" * (depth - 1) + ".x"), text)


def exponential_macros(r):
    depth, width = r.randint(5, 60), r.randint(2, 9)
    text = "#define M0 (u_x + 1.0)\n" + "".join(f"#define M{k} ({' + '.join([f'M{k - 1}'] * width)})\n" for k in range(1, depth))
    return fragment(f"gl_FragColor = vec4(M{depth - 1});", text)


def function_bomb(r):
    depth, width = r.randint(5, 30), r.randint(2, 5)
    text = "float f0(float x) { return sin(x); }\n" + "".join(f"float f{k}(float x) {{ return {' + '.join([f'f{k - 1}(x)'] * width)}; }}\n" for k in range(1, depth))
    return fragment(f"gl_FragColor = vec4(f{depth - 1}(u_x));", text)


def recursion(r):
    return fragment("gl_FragColor = vec4(f(u_x));", r.choice(["float f(float x) { return f(x); }", "float g(float x); float f(float x) { return g(x); } float g(float x) { return f(x); }"]))


def long_text(r):
    return fragment(r.choice(["x" * 10**6 + ";", "gl_FragColor = vec4(" + "+".join(["u_x"] * 10**5) + ");", "/*" * 10**5, "//" + "\\\n" * 10**5,
                              "".join(f"float x{k} = u_x * {k}.0;\n" for k in range(20000)), "\n" * 10**6 + "y;", "#" * 10**5, "'" * 1000, "\"" * 1000]))


def big_switch(r):
    return "#version 300 es\nprecision highp float; uniform int u; out vec4 c;\nvoid main() { switch (u) {\n" + "".join(
        f"case {k}: c = vec4({k}.0);\n" for k in range(r.choice([100, 10000]))) + "} }\n"


def many_uniforms(r):
    count = r.choice([100, 5000, 50000])
    return "precision highp float;\n" + "".join(f"uniform {r.choice(['vec4', 'mat4', 'sampler2D'])} u{k};\n" for k in range(count)) + "void main() { gl_FragColor = vec4(1.0); }"


def preprocessor(r):
    return r.choice(["#if " * 10**4, "#ifdef A\n" * 10**5, "#define A A B\n#define B B A\nA", "#include <" + "a" * 10**5 + ">", "#include \"/dev/zero\"", "#include \"/proc/self/mem\"",
                     "#line 2147483647\nx", "#line 1 \"/etc/shadow\"\nx", "#version " + "9" * 10**5, "#extension all : require\n", "#pragma " + "x" * 10**5, "#define f(x) f(x)(x)\nf(f)(f)",
                     "#if 1 / 0\n#endif", "#if " + "(" * 10**5, "#error " + "x" * 10**5, "#define X(" + ",".join(f"a{k}" for k in range(10**4)) + ") 1\nX()"])


def random_bytes(r):
    return bytes(r.randrange(256) for _ in range(r.choice([1, 100, 5000]))).decode("latin-1")


def random_tokens(r):
    words = ["void", "main", "(", ")", "{", "}", ";", "float", "vec4", "if", "else", "for", "while", "return", "gl_FragColor", "=", "+", "*", "[", "]", "1.0", "x", ",", "uniform", "struct",
             "#define", "\n", "discard", "texture2D", "in", "out", "const", "?", ":", "0x", "1e999", "precision", "highp", "layout", "mat3", ".", "..", "<<", "%"]
    return " ".join(r.choice(words) for _ in range(r.choice([10, 200, 5000])))


SHADERS = [endless_loop, giant_loop, nested_loops, huge_array, deep_nesting, deep_blocks, exponential_structs, exponential_macros, function_bomb, recursion, long_text,
           big_switch, many_uniforms, preprocessor, random_bytes, random_tokens]


# --- pictures, meshes, JSON ------------------------------------------------------------------------------------------------

def png(width, height, data, bits=8, color=6):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def bad_png(r):
    good = png(2, 2, zlib.compress(b"\0" * 18))
    kind = r.randrange(7)
    if kind == 0:
        return png(r.choice([2**31 - 1, 65535, 2048]), r.choice([2**31 - 1, 65535, 2048]), zlib.compress(b"\0" * 100))
    if kind == 1: # much from little
        return png(2048, 2048, zlib.compress(b"\0" * (2048 * 2049 * 8), 9), 16, 6)
    if kind == 2:
        return good[:r.randrange(len(good))]
    if kind == 3:
        data = bytearray(good)
        for _ in range(r.randint(1, 9)):
            data[r.randrange(len(data))] = r.randrange(256)
        return bytes(data)
    if kind == 4:
        return png(r.choice([0, 1, 2048]), r.choice([0, 1, 2048]), bytes(r.randrange(256) for _ in range(100)))
    if kind == 5:
        return png(4, 4, zlib.compress(b"\9" * 200), r.randrange(256), r.randrange(256))
    return bytes(r.randrange(256) for _ in range(500))


def bad_mesh(r):
    return r.choice(["f 1 2 3\n", "v 1 2\n", "v nan inf -nan\nv 1e99 1 1\nv 0 0 0\nf 1 2 3\n", "v 0 0 0\n" * 3 + "f 1 2 3\n" * 10**5, "f -1 -2 -3\n", "v 0 0 0\nf 1/9999999999/1 1 1\n",
                     "f " + "1 " * 10**5, "v " + "1" * 10**5 + " 1 1\n", "\n" * 10**6, "v 0 0 0\nf 1//1 2//2 3//3", random_bytes(r).replace("\0", "")])


def bad_json(r):
    return r.choice([b"", b"{", b"[" * 10**5, b"{\"a\":" * 10**5, b'{"source": "\\ud800"}', b'{"source": "\\u0000"}', b"\xff\xfe\x00", b'{"source": ' + b"9" * 10**5 + b"}",
                     b'{"source": 1e400}', b'{"source": "x", "source": "y"}', b"null", b"true", b'"x"', b'{"source": "' + b"x" * 10**6, b'{"source":"\x80\x81"}',
                     b'{"fragment": {"source": ' + b'{"source": ' * 1000, bytes(r.randrange(256) for _ in range(300)),
                     json.dumps({"fragment": fragment(""), "uniforms": {f"u{k}": k for k in range(20000)}}).encode(),
                     json.dumps({"fragment": fragment(""), "uniforms": {"u_x": [1] * 10**5}}).encode(),
                     json.dumps({"source": "x", "files": [{"filename": "../../../etc/passwd", "contents": "x"}] * 1000}).encode(),
                     json.dumps({"source": "x", "options": {"userArguments": r.choice(["-I/ -D" + "A" * 10**5, "-DX=" * 10**4, "'" * 999, "\\" * 999, "--state=/etc/passwd", "-o /tmp/x", "@/etc/passwd", "-x spirv", "-std=999"])}}).encode()])


def scene(r):
    base = {"fragment": {"source": r.choice(SHADERS)(r) if r.random() < 0.7 else fragment("gl_FragColor = vec4(u_x);")}, "size": r.choice(["1x1", "64x64", "300x200", "2048x2048", "9999x9999"])}
    if r.random() < 0.3:
        base["mesh"] = {"obj": bad_mesh(r)}
    if r.random() < 0.4:
        base["fragment"] = "precision mediump float; uniform sampler2D u_t; void main() { gl_FragColor = texture2D(u_t, gl_FragCoord.xy); }"
        base["textures"] = {"u_t": {"data": base64.b64encode(bad_png(r)).decode()}}
    if r.random() < 0.2:
        base["uniforms"] = {"u_x": r.choice([1e308, -1, [0] * 2000, "x", None, {}, [[1]]])}
    if r.random() < 0.2:
        base["frames"] = {"count": r.choice([1, 64, 65, -1, 10**9]), "step": r.choice([0, 1e300, "x"])}
    if r.random() < 0.2:
        base["instances"] = r.choice([0, 1, 100000, -1, 2**40])
    if r.random() < 0.1:
        base["vertex"] = {"source": "attribute vec4 a_p; void main() { gl_Position = vec4(a_p.xyz * " + r.choice(["1e38", "0.0 / 0.0", "1.0"]) + ", " + r.choice(["0.0", "-1.0", "1e-38"]) + "); gl_PointSize = 1e9; }"}
    return base


# --- requests ---------------------------------------------------------------------------------------------------------------

def post_source(service, r):
    body = {"source": r.choice(SHADERS)(r), "options": {"userArguments": r.choice(["", "-O0", "-O3", "-O2"]), "qpucc": {"explain": r.random() < 0.5}}}
    return service.post("/api/compiler/qpucc/compile", body).status


def post_plain(service, r):
    return service.post("/api/compiler/qpucc/compile", r.choice(SHADERS)(r).encode("utf-8", "replace"), accept=r.choice(["text/plain", "*/*"]), kind="text/plain").status


def post_scene(service, r):
    return service.post(r.choice(["/api/render"] * 3 + ["/api/inspect"]), {**scene(r), "x": 1, "y": 1} if r.random() < 0.3 else scene(r), accept=r.choice(["application/json", "image/png", "application/octet-stream"])).status


def post_passes(service, r):
    return service.post("/api/passes", {"source": r.choice(SHADERS)(r)}).status


def post_json(service, r):
    return service.post(r.choice(["/api/compiler/qpucc/compile", "/api/render", "/api/inspect", "/api/passes", "/api/shortener"]), bad_json(r)).status


def get_path(service, r):
    path = r.choice(["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/z/" + "%00" * 12, "/api/shortlinkinfo/" + "a" * 12, "/api/asm/qpu/" + "%ff" * 20, "/api/asm/qpu/%n%s%x",
                     "/api/compilers?fields=" + "a," * 5000, "/" + "a" * 20000, "/api/compiler/../../x/compile", "/app.js%00.png", "/?" + "a=b&" * 5000, "/api/compilers/%22%3e%3cscript%3e", "*"])
    return service.request(r.choice(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"]), path, headers={"Accept": r.choice(["application/json", "*/*", "x" * 5000])}).status


def raw_bytes(service, r):
    data = r.choice([b"\0" * 100, b"GET / HTTP/9.9\r\n\r\n", b"GET /\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20000 + b"\r\n", b"GET / HTTP/1.1\r\n" + b"A" * 10**5,
                     b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
                     b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}   ", b"POST /api/render HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                     b"POST /api/render HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 50,
                     b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n" + b"{" * 1000, bytes(r.randrange(256) for _ in range(2000))])
    with socket.create_connection(("127.0.0.1", service.port), 60) as line:
        try:
            line.sendall(data)
            line.shutdown(socket.SHUT_WR)
            while line.recv(65536):
                pass
        except OSError: # the service may hang up on such a client
            pass
    return 0


def half_body(service, r):
    """A client that goes away in the middle."""
    body = json.dumps(scene(r)).encode()
    with socket.create_connection(("127.0.0.1", service.port), 60) as line:
        try:
            line.sendall(b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:r.randrange(len(body) + 1)])
        except OSError:
            pass
    return 0


REQUESTS = [post_source] * 5 + [post_plain] * 2 + [post_scene] * 5 + [post_passes] + [post_json] * 4 + [get_path] * 3 + [raw_bytes] * 3 + [half_body] * 2
KNOWN = {0, 200, 204, 304, 400, 404, 405, 413, 414, 422, 429, 431, 501, 503, 505, 507}
TELLS = re.compile(rb"(?:/(?:work|home|root|usr|proc|tmp|var|etc|build)/|\b0x7f[0-9a-f]{10}|\b0x55[0-9a-f]{10})")


class Watched(Service):
    """Answers are read for what they must not tell."""
    def request(self, method, path, body=None, headers=None, timeout=60):
        answer = super().request(method, path, body, headers, timeout)
        sent = (body if isinstance(body, bytes) else (body or "").encode()) + path.encode()
        for found in set(TELLS.findall(answer.body)):
            check.that(found in sent, f"{method} {path[:60]}: the answer tells {found!r}: {answer.body[:300]!r}")
        return answer


def attempt(service, kind, r):
    """Again where the machine was so busy that the client was too slow for the service; never twice."""
    state = r.getstate()
    slow = service.metric('qpucc_refused_total{reason="slow"}') if kind in (post_scene, post_passes, post_plain) else None
    try:
        return kind(service, r)
    except ConnectionError:
        if slow is None or service.metric('qpucc_refused_total{reason="slow"}') == slow:
            raise
        r.setstate(state)
        return kind(service, r)


def client(service, numbers, counts, lock):
    for number in numbers:
        r = random.Random(options.seed * 1000003 + number)
        kind = r.choice(REQUESTS)
        try:
            status = attempt(service, kind, r)
        except (OSError, ValueError) as error:
            status = 0 if kind in (get_path, post_source, post_json) and isinstance(error, (ConnectionError, ValueError)) else f"{type(error).__name__}: {error}"
        except Exception as error: # what http.client makes of an answer that is none
            status = f"{type(error).__name__}: {error}"
        if status not in KNOWN:
            check.that(False, f"request {number}, {kind.__name__}: {status}")
        with lock:
            counts[(kind.__name__, status)] = counts.get((kind.__name__, status), 0) + 1


def volley(service, first, count, counts):
    lock, k = threading.Lock(), options.clients
    threads = [threading.Thread(target=client, args=(service, range(first + c, first + count, k), counts, lock)) for c in range(k)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


with Watched(options.qpucc, "--workers=2", "--rate=0", "--cpu-seconds=1", "--wall-seconds=20", "--memory-cache=4", "--cache-size=16", "--slow-seconds=2", "--queue=1000", "--body=8192") as running:
    if running.sanitized:
        options.count = (options.count + 4) // 5
    totals, third = {}, options.count // 3
    good = {"source": fragment("gl_FragColor = vec4(u_x * v_p, 0.0, 1.0);")}
    expected = running.post("/api/compiler/qpucc/compile", good).body
    volley(running, 0, third, totals)
    before = running.memory()
    volley(running, third, options.count - third, totals)
    after = running.memory()
    for (kind, status), number in sorted(totals.items(), key=str):
        print(f"{kind:12} {status:4} {number:6}" if isinstance(status, int) else f"{kind:12} {status} {number}")
    print(f"memory after a third: {before >> 20} MiB, at the end: {after >> 20} MiB (server, zygote, workers: {running.shares})")
    check.that(running.sanitized or after < before * 1.25 + (24 << 20), f"memory grew from {before >> 20} to {after >> 20} MiB")
    check.equal(running.post("/api/compiler/qpucc/compile", good).body, expected, "a good request at the end")
    check.equal(running.get("/healthz").status, 200, "health")
    check.equal(running.metric('qpucc_workers_ended_total{reason="sandbox"}'), 0, "no worker tried what it must not")
    ended = {kind: int(running.metric(f'qpucc_workers_ended_total{{reason="{kind}"}}')) for kind in ("time", "memory", "output", "crashed", "recycled")}
    print(f"workers ended: {ended}")
    check.equal(ended["crashed"], 0, "no worker crashed")
    until = time.time() + 60 # half a request stays until its deadline
    while (running.metric("qpucc_connections") > 2 or running.metric("qpucc_queue") > 0) and time.time() < until:
        time.sleep(0.2)
    left = running.metric("qpucc_connections"), running.metric("qpucc_queue")
    check.that(left[0] <= 2 and left[1] == 0, f"nothing is left over: {left}")
    check.equal(running.stop(), 0, "exit code")
sys.exit(check.end())

#!/usr/bin/env python3
"""HTTP as the service speaks it: codings, requests that say two things, methods, other sites' pages, unknown links; and what many
connections and large bodies of a few addresses leave to the others.

    http_test.py QPUCC
"""
import gzip
import json
import os
import signal
import socket
import sys
import time

from service import Checks, Service

qpucc = os.path.abspath(sys.argv[1])
check = Checks()
COMPILE = "/api/compiler/qpucc/compile"
NOBODY = "'none'"
PLAIN = {"source": "precision highp float; void main() { gl_FragColor = vec4(0.5); }"}


def head(data):
    """Status and fields of the first answer in these bytes."""
    lines = data.split(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:] if ":" in line)}
    return int(lines[0].split()[1]) if len(lines[0].split()) > 1 else 0, fields


def test_codings(service):
    """curl names no coding, and got gzip's bytes."""
    def page(accept):
        fields = "".join(f"Accept-Encoding: {one}\r\n" for one in ([accept] if isinstance(accept, str) else accept or []))
        data = service.raw(f"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{fields}\r\n".encode())
        return (*head(data), data.split(b"\r\n\r\n", 1)[1])
    status, fields, plain = page(None)
    if not fields["content-type"].startswith("text/html"):
        print("this build has no page: its codings were not tried")
        return
    check.equal((status, fields.get("content-encoding"), plain[:15].lower()), (200, None, b"<!doctype html>"), "no Accept-Encoding")
    tags = {fields["etag"]}
    for accept, coding in (("gzip", "gzip"), ("GZIP, deflate, br", "gzip"), ("br;q=1.0, gzip;q=0.8, *;q=0.1", "gzip"), ("*", "gzip"), ("x-gzip", "gzip"),
                           ("identity", None), ("gzip;q=0", None), ("gzip; q=0.000, identity", None), ("identity;q=1, gzip;q=0.5", None), ("br", None), ("", None),
                           ("gzip;q=x", None), ("*;q=0, identity;q=0.1", None), (["br", "gzip"], "gzip"), ("identity;q=0, gzip", "gzip"), ("identity;q=0.5, gzip;q=0.5", "gzip")):
        status, fields, body = page(accept)
        check.equal((status, fields.get("content-encoding"), fields["vary"]), (200, coding, "Accept-Encoding"), f"Accept-Encoding: {accept}")
        check.equal((gzip.decompress(body) if coding else body) == plain, True, f"Accept-Encoding: {accept}: the same page")
        tags.add(fields["etag"])
    check.equal(len(tags), 2, "each coding has its own tag")
    for accept in ("*;q=0", "identity;q=0", "gzip;q=0, identity;q=0"):
        check.equal(page(accept)[0], 406, f"Accept-Encoding: {accept}")
    for tag in tags:
        answers = [service.request("GET", "/", headers={"If-None-Match": tag, "Accept-Encoding": coding}).status for coding in ("gzip", "identity")]
        check.equal(sorted(answers), [200, 304], f"a tag fits one coding: {tag}")
    check.that("Accept" in service.get("/api/compilers").headers["Vary"], "answers vary with Accept")


def test_framing(service):
    """What a proxy could read in another way is refused, and the connection ends there: no second request hides in the first."""
    body = json.dumps(PLAIN).encode()
    hidden = b"GET /api/version HTTP/1.1\r\nHost: x\r\n\r\n"
    post = b"POST " + COMPILE.encode() + b" HTTP/1.1\r\n"
    length = b"Content-Length: %d\r\n" % len(body)
    for what, request in {
            "two lengths": post + b"Host: x\r\n" + length + b"Content-Length: 0\r\n\r\n" + body,
            "two equal lengths": post + b"Host: x\r\n" + length * 2 + b"\r\n" + body,
            "a length and chunks": post + b"Host: x\r\n" + length + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "chunks and a length": post + b"Host: x\r\nTransfer-Encoding: chunked\r\n" + length + b"\r\n0\r\n\r\n",
            "two lists of codings": post + b"Host: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
            "another coding": post + b"Host: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "a list as length": post + b"Host: x\r\nContent-Length: %d, %d\r\n\r\n" % (len(body), len(body)) + body,
            "a signed length": post + b"Host: x\r\nContent-Length: +%d\r\n\r\n" % len(body) + body,
            "a blank before the colon": post + b"Host: x\r\nContent-Length : %d\r\n\r\n" % len(hidden),
            "a tab before the colon": post + b"Host: x\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n",
            "a folded length": post + b"Host: x\r\nContent-Length:\r\n %d\r\n\r\n" % len(hidden),
            "a folded coding": post + b"Host: x\r\nTransfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n",
            "a length in a folded line": post + b"Host: x\r\nX: y\r\n Content-Length: %d\r\n\r\n" % len(hidden),
            "no host": b"GET /api/compilers HTTP/1.1\r\n\r\n",
            "two hosts": b"GET /api/compilers HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"}.items():
        said = service.raw(request + hidden)
        check.that(head(said)[0] == 400 and b" 200 OK" not in said, f"{what}: {said[:200]}")
    check.equal(head(service.raw(b"GET /api/compilers HTTP/1.0\r\n\r\n"))[0], 200, "HTTP/1.0 needs no host")
    chunked = post + b"Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
    check.equal(head(service.raw(chunked))[0], 200, "chunks alone")


def test_methods(service):
    for method, path, allowed in (("GET", COMPILE, "POST, OPTIONS"), ("DELETE", "/api/compilers", "GET, HEAD, OPTIONS"), ("POST", "/", "GET, HEAD, OPTIONS"),
                                  ("PUT", "/api/shortener", "POST, OPTIONS"), ("POST", "/z/abcdefghijkl", "GET, HEAD, OPTIONS")):
        answer = service.request(method, path, b"" if method in ("POST", "PUT") else None)
        check.equal((answer.status, answer.headers.get("Allow")), (405, allowed), f"{method} {path}")
    asked = service.request("OPTIONS", COMPILE, headers={"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST",
                                                         "Access-Control-Request-Headers": "content-type,x-requested-with"})
    allowed = [word.strip().lower() for word in asked.headers["Access-Control-Allow-Headers"].split(",")]
    check.equal((asked.status, asked.headers["Access-Control-Allow-Origin"]), (204, "*"), "what a browser asks before it sends")
    check.that({"content-type", "x-requested-with"} <= set(allowed), f"fields that other sites' pages may send: {allowed}")
    check.that("POST" in asked.headers["Access-Control-Allow-Methods"], "methods that they may use")
    check.equal(service.request("HEAD", "/api/compilers").status, 200, "HEAD where there is GET")


def test_frames():
    """Other sites may frame what the option says, and nothing else."""
    for options, sites in (([], None), (["--embed=https://blog.example http://b.example:8000"], "https://blog.example http://b.example:8000"), (["--embed=*"], "*")):
        with Service(qpucc, "--workers=1", *options) as service:
            for path in ("/", "/embed", "/embed/abcdefghijkl", "/clientstate/e30="):
                fields = service.get(path).headers
                if not fields["Content-Type"].startswith("text/html"):
                    return
                framed = sites if path.startswith("/embed") else None
                check.that(fields["Content-Security-Policy"].endswith(f"; frame-ancestors {framed or NOBODY}"), f"{options} {path}")
                check.equal(fields.get("X-Frame-Options"), None if framed else "DENY", f"{options} {path}: the old field")


def test_unknown_links(service):
    for name in ("abcdefghijkl", "nonsense", "a" * 100):
        answer = service.request("GET", "/z/" + name, headers={"Accept": "text/html,*/*"})
        kind = service.get("/").headers["Content-Type"].split(";")[0]
        check.equal(answer.status, 404, f"/z/{name}")
        if kind == "text/html":
            check.that(answer.headers["Content-Type"].startswith("text/html") and b"<body" in answer.body, f"/z/{name} is a page: {answer.body[:80]}")
        check.equal(service.get("/api/shortlinkinfo/" + name).json["reason"], "unknown", f"the contents of {name}")


def lines_from(service, address, count, buffer=None):
    """Open connections from an address of this machine's loopback; buffer: bytes that the kernel takes for a client that does not read."""
    lines = []
    for _ in range(count):
        try:
            line = socket.socket()
            if buffer:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
            line.settimeout(20)
            line.bind((address, 0))
            line.connect(("127.0.0.1", service.port))
            lines.append(line)
        except OSError:
            break
    return lines


def until(holds, seconds=60):
    end = time.time() + seconds
    while not holds() and time.time() < end:
        time.sleep(0.05)
    return holds()


def test_bodies():
    """Eight addresses that send large bodies and never end them: together they hold what the bound says, and others are served."""
    with Service(qpucc, "--workers=1", "--bodies=8", "--rate=0", "--slow-seconds=120") as service:
        before, attackers = service.memory(), []
        for k in range(2, 10):
            for line in lines_from(service, f"127.0.0.{k}", 8):
                attackers.append(line)
                try:
                    line.sendall(b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n" + b" " * 3500000)
                except OSError:
                    pass
                held = service.metric("qpucc_bodies_bytes")
                if held > 8 << 20:
                    check.that(False, f"bodies hold {held} bytes")
        check.equal(len(attackers), 64, "connections of the attackers")
        check.that(service.metric('qpucc_refused_total{reason="memory"}') >= 50, "most of their bodies were dropped")
        check.equal(service.post(COMPILE, PLAIN).status, 200, "somebody else's request")
        large = {**PLAIN, "source": PLAIN["source"] + "//" + "x" * 500000}
        check.equal(service.post(COMPILE, large).status, 200, "somebody else's large request")
        if not service.sanitized:
            grown = service.memory() - before
            check.that(grown < 80 << 20, f"the service has grown by {grown >> 20} MiB for {64 * 3500000 >> 20} MiB of bodies")
        attackers[0].sendall(b" " * 500000) # to the end of a body that was dropped: it is told
        said = attackers[0].recv(4000)
        check.that(head(said)[0] in (503, 400) and b'"reason"' in said, f"a dropped request is answered: {said[:300]}")
        for line in attackers:
            line.close()
        check.that(until(lambda: service.metric("qpucc_bodies_bytes") < 100000), "memory is free when they are gone")


def test_waiting_bodies():
    """Large requests of one address that wait for a worker: whoever comes later has memory all the same."""
    with Service(qpucc, "--workers=1", "--bodies=8", "--rate=0", "--cpu-seconds=120", "--wall-seconds=600") as service:
        slow = {"fragment": "precision highp float; uniform float u_x; void main() { float x = u_x; for (int i = 0; i < 9000; i++) x = x * 0.999 + 1.0;"
                            " gl_FragColor = vec4(x * 0.00001); }", "size": "512x512"}
        lines, sent = lines_from(service, "127.0.0.2", 41), 0
        for k, line in enumerate(lines):
            body = json.dumps(slow if k == 0 else {**PLAIN, "source": f"// {k}\n" + PLAIN["source"] + "//" + "x" * 200000}).encode()
            line.sendall(b"POST " + (COMPILE if k else "/api/render").encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(body) + body)
            sent += until(lambda: service.metric("qpucc_queue") + service.metric('qpucc_refused_total{reason="memory"}') > k)
        check.equal(sent, 41, "requests of the attacker were read")
        check.that(service.metric("qpucc_bodies_bytes") > 7 << 20, f"they hold {service.metric('qpucc_bodies_bytes')} bytes")
        check.equal(service.get("/healthz").status, 200, "health")
        waiting = service.metric("qpucc_queue")
        large = json.dumps({**PLAIN, "source": PLAIN["source"] + "//" + "y" * 900000}).encode()
        other = lines_from(service, "127.0.0.3", 1)[0]
        other.sendall(b"POST " + COMPILE.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(large) + large[:-1])
        check.that(until(lambda: service.metric("qpucc_queue") < waiting), "what waited gave way")
        other.sendall(large[-1:])
        while service.metric('qpucc_workers_ended_total{reason="memory"}') < 1: # the slow one is given up
            for pid in service.workers():
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        other.settimeout(600)
        check.equal(head(other.recv(4000))[0], 200, "somebody else's large request")
        said = [head(line.recv(4000))[0] for line in lines]
        check.that(said.count(503) > 1 and set(said) <= {200, 422, 503}, f"all of them are answered: {said}")
        for line in lines + [other]:
            line.close()
        check.that(until(lambda: service.metric("qpucc_bodies_bytes") == 0), "memory is free when they are gone")
        check.equal(service.stop(), 0, "exit code")


def test_answers():
    """Large answers that nobody reads count, too."""
    with Service(qpucc, "--workers=1", "--bodies=16", "--rate=0", "--slow-seconds=120", "--cpu-seconds=60", "--wall-seconds=300") as service:
        picture = json.dumps({"fragment": "precision highp float; void main() { gl_FragColor = vec4(fract(sin(dot(gl_FragCoord.xy, vec2(12.9, 78.2))) * 43758.5)); }",
                              "size": "1200x1000", "format": "raw"}).encode()
        ask = b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: %d\r\n\r\n" % len(picture) + picture
        lines = [line for k in range(2, 6) for line in lines_from(service, f"127.0.0.{k}", 4, 4096)]
        for line in lines:
            line.sendall(ask)
            time.sleep(0.01)
        def settled():
            return service.metric("qpucc_queue") == 0 and service.metric('qpucc_requests_total{route="render",status="2xx"}') + service.metric(
                'qpucc_refused_total{reason="memory"}') > 10
        until(settled)
        held = service.metric("qpucc_bodies_bytes")
        check.that(6 << 20 < held <= 16 << 20, f"answers hold {held} bytes")
        check.that(service.metric('qpucc_refused_total{reason="memory"}') >= 8, "answers that did not fit")
        check.equal(service.post(COMPILE, PLAIN).status, 200, "somebody else's request")
        for line in lines:
            line.close()


def test_connections():
    """All connections taken by a few addresses: one of theirs goes for each of somebody else."""
    with Service(qpucc, "--workers=1", "--connections=40", "--client-connections=10", "--slow-seconds=300") as service:
        held = [line for k in range(2, 6) for line in lines_from(service, f"127.0.0.{k}", 10)]
        check.that(until(lambda: service.metric("qpucc_connections_total") >= 40), "connections of four addresses")
        for line in held:
            line.sendall(b"GET / HT")
        check.equal(service.get("/healthz").status, 200, "a client that comes later")
        check.equal(service.post(COMPILE, PLAIN).status, 200, "and its requests")
        refused = 'qpucc_refused_total{reason="connections"}'
        check.that(service.metric(refused) >= 1, "connections were taken from the others")
        own = lines_from(service, "127.0.0.9", 20)
        check.that(until(lambda: service.metric(refused) >= 10), "an address has its bound")
        for line in held + own:
            line.close()


with Service(qpucc, "--workers=1", "--rate=0") as running:
    test_codings(running)
    test_framing(running)
    test_methods(running)
    test_unknown_links(running)
    check.equal(running.stop(), 0, "exit code")
test_frames()
test_bodies()
test_waiting_bodies()
test_answers()
test_connections()
sys.exit(check.end())

#!/usr/bin/env python3
"""What bounds a client and a request: rates, queue, connections, slow clients, time, memory, killed workers.

    limits_test.py QPUCC
"""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from service import Checks, Service

qpucc = os.path.abspath(sys.argv[1])
check = Checks()
PLAIN = {"source": "precision highp float; void main() { gl_FragColor = vec4(0.5); }", "options": {"userArguments": ""}}


def fresh(number):
    return {**PLAIN, "source": PLAIN["source"].replace("0.5", f"{number}.5")}


def slow(number, size="1024x1024"):
    """A picture that takes the machine a while: each pixel within its budget, all of them far beyond any time limit."""
    return {"fragment": f"precision highp float; uniform float u_x; void main() {{ float x = u_x; for (int i = 0; i < 9000; i++) x = x * 0.999 + {number}.0;"
                        " gl_FragColor = vec4(x * 0.00001); }", "size": size}


def until_refused(ask, least):
    """Asks until so many were refused: how many were not, and how many the rate of these tests would allow in that time."""
    begun, refused, allowed = time.time(), [], 0
    while len(refused) < least and allowed < 5000:
        answer = ask()
        if answer.status == 429:
            refused.append(answer)
        else:
            allowed += 1
    return refused, allowed, 3 * 20 + 20 * (time.time() - begun) + 1


def test_rate():
    with Service(qpucc, "--workers=1", "--rate=20") as service:
        refused, allowed, most = until_refused(lambda: service.get("/api/compilers"), 30)
        check.that(60 <= allowed <= most, f"{allowed} requests were allowed, {most} at most")
        check.that(refused and refused[0].json["reason"] == "rate" and refused[0].headers["Retry-After"] == "1", "what a refusal says")
        time.sleep(1.2)
        check.equal(service.get("/api/compilers").status, 200, "later there are tokens again")
    with Service(qpucc, "--workers=1", "--rate=1") as service: # the lowest rate is enough for one, now and then
        answers = [service.post("/api/compiler/qpucc/compile", {**PLAIN, "source": PLAIN["source"] + f"// {k}"}).status for k in range(2)]
        check.equal(answers, [200, 429], "a compile at the lowest rate, and the next at once")
    with Service(qpucc, "--workers=1", "--rate=20", "--proxy") as service:
        def client(*addresses):
            turn = iter(addresses * 10000)
            return lambda: service.request("GET", "/api/compilers", headers={"X-Real-IP": next(turn)})
        for addresses in (("192.0.2.1",), ("192.0.2.2",), ("2001:db8::1", "2001:db8::2")):
            _, allowed, most = until_refused(client(*addresses), 5)
            check.that(60 <= allowed <= most, f"{addresses} behind a proxy are one client: {allowed}, {most} at most")


def test_size():
    with Service(qpucc, "--workers=1", "--body=16") as service:
        large = {**PLAIN, "source": "//" + "x" * 20000}
        answer = service.post("/api/compiler/qpucc/compile", large)
        check.equal((answer.status, answer.json["reason"]), (413, "size"), "a body that says how large it is")
        chunks = b"".join(b"1000\r\n" + b" " * 4096 + b"\r\n" for _ in range(8)) + b"0\r\n\r\n"
        said = service.raw(b"POST /api/compiler/qpucc/compile HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
        check.that(b"200 OK" not in said, "a body that does not")
        check.equal(service.post("/api/compiler/qpucc/compile", PLAIN).status, 200, "the next request")
    with Service(qpucc, "--workers=1", "--output=1") as service:
        huge = {"fragment": "precision highp float; void main() { gl_FragColor = vec4(fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453)); }",
                "size": "700x700", "format": "raw"}
        answer = service.post("/api/render", huge)
        check.equal((answer.status, answer.json["reason"]), (422, "output"), "an answer that is too large")
        check.equal(service.post("/api/render", {**huge, "size": "16x16"}).json["code"], 0, "the next request")


def test_queue():
    with Service(qpucc, "--workers=1", "--queue=3", "--rate=0", "--cpu-seconds=2") as service:
        answers = []
        threads = [threading.Thread(target=lambda k=k: answers.append(service.post("/api/render", slow(k)))) for k in range(10)]
        for thread in threads:
            thread.start()
        until = time.time() + 60
        while service.metric("qpucc_queue") < 3 and time.time() < until:
            time.sleep(0.02)
        check.equal(service.get("/healthz").status, 200, "health while all workers are busy")
        check.equal(service.post("/api/compiler/qpucc/compile", fresh(1)).status, 503, "a queue that is full")
        for thread in threads:
            thread.join()
        refused = [answer for answer in answers if answer.status == 503]
        check.that(len(refused) >= 7 and all(answer.json["reason"] == "queue" for answer in refused), f"{len(refused)} of 10 were refused")
        check.equal(service.metric("qpucc_queue"), 0, "the queue is empty at the end")
        check.equal(service.post("/api/compiler/qpucc/compile", fresh(2)).status, 200, "the next request")


def test_time():
    with Service(qpucc, "--workers=2", "--cpu-seconds=1", "--rate=0") as service:
        answer = service.post("/api/render", slow(1))
        check.equal((answer.status, answer.json["reason"], answer.json["timedOut"]), (422, "time", True), "more than the CPU time")
        check.equal(service.post("/api/render", slow(1, "16x16")).json["code"], 0, "a smaller picture of the same")
        check.equal(service.metric('qpucc_workers_ended_total{reason="time"}'), 1, "metrics")
    with Service(qpucc, "--workers=1", "--wall-seconds=1", "--cpu-seconds=30", "--rate=0") as service:
        answer = service.post("/api/render", slow(1))
        check.equal((answer.status, answer.json["reason"]), (422, "time"), "more than the time")
        check.equal(service.post("/api/compiler/qpucc/compile", fresh(3)).status, 200, "the next request")


def test_search():
    """-O3 searches as long as a request's time allows, and no longer: 20,000 units a millisecond."""
    with open(qpucc, "rb") as file:
        if b"__asan_init" in file.read():
            print("skipped: with the sanitizers a search takes longer than the time that it is bounded by")
            return
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../shaders")
    paths = [os.path.join(folder, "ffp_uber" + end) for end in (".vert", ".frag")]
    files = []
    for path in paths:
        with open(path) as file:
            files.append({"filename": os.path.basename(path), "contents": file.read()})

    def code(lines):
        # the command's branches go to labels, of the service's to numbers
        lines = [re.sub(r"\b[fvc]s(\d+)", r"L\1", line.split("#")[0].rstrip()) for line in lines if line and not line.startswith("#")]
        return [line for line in lines if not line.endswith(":")]

    def command(*options):
        return code(subprocess.run([qpucc, "-S", "--listing=wide", "-w", "-O3", *options, *paths], capture_output=True, text=True, check=True).stdout.splitlines())

    with Service(qpucc, "--workers=1", "--cpu-seconds=2", "--rate=0") as service:
        answer = service.post("/api/compiler/qpucc/compile", {"source": "", "files": files, "options": {"userArguments": "-O3"}})
        if check.equal((answer.status, answer.json["code"]), (200, 0), "a long search in a short time"):
            said = code(line["text"] for line in answer.json["asm"])
            check.equal(said == command("--limit=search=40000000"), True, "the code of so long a search")
            check.equal(said == command(), False, "the code of a longer one")


def test_killed():
    """A worker that dies costs its own request and no other."""
    with Service(qpucc, "--workers=2", "--rate=0", "--cpu-seconds=120", "--wall-seconds=240") as service:
        check.equal(len(service.workers()), 2, "two workers")
        answers = {}
        other = threading.Thread(target=lambda: answers.update(other=service.post("/api/render", slow(2, "160x120"))))
        hit = threading.Thread(target=lambda: answers.update(hit=service.post("/api/render", slow(3))))
        hit.start()
        until = time.time() + 20
        busy = []
        while not busy and time.time() < until:
            time.sleep(0.2)
            busy = [pid for pid in service.workers() if cpu_of(pid) > 0.3]
        other.start()
        for pid in busy[:1]:
            os.kill(pid, signal.SIGSEGV)
        hit.join()
        other.join()
        check.equal((answers["hit"].status, answers["hit"].json["reason"]), (422, "worker"), "the request of the worker that died")
        check.equal((answers["other"].status, answers["other"].json.get("code")), (200, 0), f"the other one: {answers['other'].body[:200]}")
        for pid in service.workers(): # while they have nothing to do
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        statuses = [service.post("/api/compiler/qpucc/compile", fresh(k)).status for k in range(10, 16)]
        check.equal(statuses, [200] * 6, "requests after idle workers were killed")
        check.equal(len(service.workers()), 2, "two workers again")
        text = answers["hit"].text
        check.that("/" not in text.replace("</", "") and "0x" not in text, f"no paths and no addresses: {text}")


def cpu_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except FileNotFoundError:
        return 0


def test_recycled():
    with Service(qpucc, "--workers=1", "--worker-jobs=5", "--rate=0") as service:
        first = service.workers()
        for k in range(12):
            check.equal(service.post("/api/compiler/qpucc/compile", fresh(20 + k)).status, 200, "a request")
        check.equal(service.metric('qpucc_workers_ended_total{reason="recycled"}'), 2, "two workers were replaced")
        check.that(service.workers() != first, "another process")


def test_slow_clients():
    with Service(qpucc, "--workers=1", "--slow-seconds=1", "--connections=40", "--client-connections=40") as service:
        head = b"POST /api/compiler/qpucc/compile HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n"
        lines = []
        for start in (b"", b"GET / HT", head, head + b"\r\n{", head + b"\r\n"):
            line = socket.create_connection(("127.0.0.1", service.port), 30)
            line.sendall(start)
            lines.append(line)
        check.equal(service.post("/api/compiler/qpucc/compile", PLAIN).status, 200, "a request beside slow ones")
        refused, until = 'qpucc_refused_total{reason="slow"}', time.time() + 60
        while service.metric(refused) < len(lines) - 1 and time.time() < until: # a byte now and then does not help
            for line in lines:
                try:
                    line.sendall(b" ")
                except OSError:
                    pass
            time.sleep(0.2)
        closed, answered, lost = 0, 0, 0 # libmicrohttpd 1.0 itself answers half a request line with blanks behind it
        for k, line in enumerate(lines):
            line.settimeout(30)
            try:
                answered += line.recv(1000) != b""
                closed += 1
            except ConnectionError: # takes an answer away that was not read
                closed += 1
                lost += k == 1
            except TimeoutError:
                pass
            line.close()
        check.equal(closed, len(lines), "slow clients are cut off")
        until = time.time() + 30
        while service.metric(refused) < len(lines) - answered - lost and time.time() < until:
            time.sleep(0.1)
        check.that(0 <= len(lines) - answered - service.metric(refused) <= lost, f"and counted: {service.metric(refused)}, {answered} answered, {lost} reset")
        # a client that does not read its answer
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", service.port))
        picture = json.dumps({"fragment": "precision highp float; void main() { gl_FragColor = vec4(fract(sin(dot(gl_FragCoord.xy, vec2(12.9, 78.2))) * 43758.5)); }",
                              "size": "1024x1024", "format": "raw"}).encode()
        before = service.metric('qpucc_refused_total{reason="slow"}')
        line.sendall(b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: %d\r\n\r\n" % len(picture) + picture)
        until = time.time() + 60
        while service.metric('qpucc_refused_total{reason="slow"}') == before and time.time() < until:
            time.sleep(0.2)
        check.equal(service.metric('qpucc_refused_total{reason="slow"}'), before + 1, "a client that does not read is cut off")
        line.close()
        # more connections than there may be: the rest is refused, and all is well when they are gone
        many = []
        for _ in range(80):
            try:
                many.append(socket.create_connection(("127.0.0.1", service.port), 5))
            except OSError:
                pass
        time.sleep(0.3)
        for line in many:
            line.close()
        answer, until = None, time.time() + 60
        while not answer and time.time() < until:
            try:
                answer = service.get("/healthz")
            except OSError: # the flood's connections are not all gone yet
                time.sleep(0.1)
        check.that(answer and answer.status == 200, "after a flood of connections")


def test_ends():
    """SIGTERM: what is under way is answered, then it ends."""
    with Service(qpucc, "--workers=1", "--rate=0", "--cpu-seconds=60", "--wall-seconds=120") as service: # a busy machine's, too
        answers = []
        thread = threading.Thread(target=lambda: answers.append(service.post("/api/render", slow(5, "96x64"))))
        thread.start()
        while service.metric("qpucc_queue") != 1:
            time.sleep(0.02)
        workers = service.workers()
        check.equal(service.stop(), 0, "the exit code")
        thread.join()
        check.equal((answers[0].status, answers[0].json.get("code")), (200, 0), f"a request that was under way: {answers[0].body[:100]}")
        check.that(not any(os.path.exists(f"/proc/{pid}") for pid in workers), "no worker is left")
    with Service(qpucc, "--workers=2", "--rate=0") as service: # open connections go on asking while it ends
        statuses = set()

        def insist(client):
            connection = service.connect(60)
            try:
                for number in range(100000):
                    body = json.dumps({"source": f"void main() {{ gl_FragColor = vec4({client}.0, {number}.0, 0.0, 1.0); }}"})
                    connection.request("POST", "/api/compiler/qpucc/compile", body, {"Content-Type": "application/json"})
                    response = connection.getresponse()
                    response.read()
                    statuses.add(response.status)
            except (OSError, http.client.HTTPException):
                pass

        clients = [threading.Thread(target=insist, args=(client,)) for client in range(4)]
        for client in clients:
            client.start()
        time.sleep(0.5)
        check.equal(service.stop(), 0, "the exit code while clients go on asking")
        for client in clients:
            client.join()
        check.that(200 in statuses and statuses <= {200, 503}, f"answers while it ends: {statuses}")
    with Service(qpucc, "--workers=2") as service: # and when the server is killed, nothing is left either
        workers = service.workers()
        service.process.kill()
        service.process.wait()
        until = time.time() + 10
        while any(os.path.exists(f"/proc/{pid}") for pid in workers) and time.time() < until:
            time.sleep(0.05)
        check.that(not any(os.path.exists(f"/proc/{pid}") for pid in workers), "no worker outlives its server")


def test_options():
    for options in (["--port=70000"], ["--workers=0"], ["--memory=1"], ["--rate=x"], ["--port=-1"], ["extra"], ["--unknown"], ["--public-url=ftp://x"], ["--embed="], ["--embed=none"], ["--embed=https://a; script-src *"], ["--embed=https://"],
                    ["--listen=nowhere"], ["--cache=/proc/none/x"]):
        result = subprocess.run([qpucc, "serve", "--port=0", *options], capture_output=True, text=True, timeout=60, check=False)
        check.that(result.returncode == 1 and result.stderr, f"{options}: {result.returncode} {result.stderr}")
    with Service(qpucc, "--public-url=https://qpu.example", "--workers=1") as service:
        check.that(service.post("/api/shortener", {"a": 2}).json["url"].startswith("https://qpu.example/z/"), "--public-url")
        taken = subprocess.run([qpucc, "serve", f"--port={service.port}"], capture_output=True, text=True, timeout=60, check=False)
        check.that("cannot listen" in taken.stderr, f"a port that is taken: {taken.stderr}")


for name, test in list(globals().items()):
    if name.startswith("test_") and (len(sys.argv) < 3 or name == sys.argv[2]):
        test()
sys.exit(check.end())

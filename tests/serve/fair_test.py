#!/usr/bin/env python3
"""What one client's load leaves to the others, and what survives: killed workers, a killed zygote, signals to the whole group.
Counted in requests, not in seconds.

    fair_test.py QPUCC
"""
import json
import os
import signal
import socket
import sys
import threading
import time

from service import Checks, Service

qpucc = os.path.abspath(sys.argv[1])
check = Checks()
COMPILE = "/api/compiler/qpucc/compile"
DRAWN = 'qpucc_requests_total{route="render",status="2xx"}'
PATIENT = ("--cpu-seconds=120", "--wall-seconds=600", "--rate=0") # a busy machine's, and the sanitizers'


def shader(number):
    return {"source": f"precision highp float; void main() {{ gl_FragColor = vec4({number}.25); }}"}


def draw(number, size="64x64"):
    """Some 0.4 s of CPU time at 64x64."""
    return {"fragment": f"precision highp float; uniform float u_x; void main() {{ float x = u_x; for (int i = 0; i < 9000; i++) x = x * 0.999 + {number}.0;"
                        " gl_FragColor = vec4(x * 0.00001); }", "size": size}


def ask(service, path, body, client=None):
    headers = {"Accept": "application/json", "Content-Type": "application/json", **({"X-Real-IP": client} if client else {})}
    return service.request("POST", path, json.dumps(body), headers, timeout=600)


def until(holds, seconds=300):
    end = time.time() + seconds
    while not holds() and time.time() < end:
        time.sleep(0.02)
    return holds()


def in_threads(count, function):
    threads = [threading.Thread(target=function, args=(k,), daemon=True) for k in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_compile_beside_draws(workers):
    """60 slow draws of one address, and the small wishes of others: each waits for what runs, and for nothing that waits."""
    with Service(qpucc, f"--workers={workers}", "--proxy", "--queue=70", *PATIENT) as service:
        statuses = []

        def attack(number):
            try:
                statuses.append(ask(service, "/api/render", draw(number), "192.0.2.1").status)
            except OSError: # the service was ended
                pass
        in_threads(60, attack)
        until(lambda: service.metric("qpucc_queue") >= 60)
        for k in range(2, 6):
            other, before = f"192.0.2.{k}", service.metric(DRAWN)
            compiled = ask(service, COMPILE, shader(k), other)
            kept = ask(service, "/api/shortener", {"state": k}, other)
            drawn = ask(service, "/api/render", draw(k, "8x8"), other) if k == 3 else compiled
            passed = service.metric(DRAWN) - before - (k == 3)
            check.equal((compiled.status, kept.status, drawn.status), (200, 200, 200), f"wishes of {other}")
            check.that(passed <= 3 + (k == 3), f"{workers} workers: while {other} waited for {3 if k == 3 else 2} answers {passed} draws were served")
        check.that(service.metric("qpucc_queue") > 20, "the draws still wait")
        check.that(service.metric("qpucc_worker_cpu_microseconds_total") > 0, "CPU time is counted")
        service.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        check.equal(service.stop(), 0, "a second signal ends it at once")
        check.that(len(statuses) < 60 or 503 in statuses, f"draws were not waited for: {statuses}")


def test_places():
    """A queue filled by one address has a place for others; the one that filled it loses it."""
    with Service(qpucc, "--workers=1", "--proxy", "--queue=12", *PATIENT) as service:
        answers = []
        threads = in_threads(12, lambda k: answers.append(ask(service, "/api/render", draw(k), "192.0.2.1")))
        until(lambda: service.metric("qpucc_queue") == 12)
        check.equal(ask(service, COMPILE, shader(1), "192.0.2.1").status, 503, "one more of the same address")
        others = [ask(service, COMPILE, shader(k), f"192.0.2.{k}").status for k in (2, 3)]
        check.equal(others, [200, 200], "others")
        for thread in threads:
            thread.join()
        refused = [answer.json["reason"] for answer in answers if answer.status == 503]
        check.that(set(refused) == {"queue"} and len(answers) == 12, f"what gave way: {refused}")
        check.equal(len(refused) <= 2, True, f"no more gave way than came: {refused}")


def cpu_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (FileNotFoundError, ProcessLookupError):
        return 0


def busy_worker(service):
    """The one that works now: what it did for earlier requests does not count."""
    before = {pid: cpu_of(pid) for pid in service.workers()}
    worked = lambda pid: cpu_of(pid) - before.get(pid, 0)
    until(lambda: any(worked(pid) > 0.1 for pid in service.workers()))
    return max(service.workers(), key=worked, default=0)


def test_killed_worker():
    with Service(qpucc, "--workers=1", *PATIENT) as service:
        answers = []
        for times, expected in ((1, 200), (2, 422)):
            thread = in_threads(1, lambda k: answers.append(ask(service, "/api/render", draw(times, "384x192"))))[0]
            for _ in range(times):
                pid = busy_worker(service)
                os.kill(pid, signal.SIGKILL)
                until(lambda: pid not in service.workers())
            thread.join()
            answer = answers.pop()
            check.equal(answer.status, expected, f"a request whose worker was killed {times} times: {answer.body[:200]}")
            if expected == 422:
                check.equal(answer.json["reason"], "memory", "what it is told")
        check.equal(service.metric("qpucc_retried_total"), 2, "tries are counted")


def test_killed_zygote():
    with Service(qpucc, "--workers=2", *PATIENT) as service:
        answers = []
        thread = in_threads(1, lambda k: answers.append(ask(service, "/api/render", draw(3, "128x64"))))[0]
        busy_worker(service)
        os.kill(service.children(service.process.pid)[0], signal.SIGKILL)
        thread.join()
        check.equal((answers[0].status, answers[0].json.get("code")), (200, 0), f"a request that was under way: {answers[0].body[:200]}")
        check.equal(service.get("/healthz").status, 200, "health")
        check.equal([ask(service, COMPILE, shader(k)).status for k in range(4)], [200] * 4, "requests after it")
        for pid in service.children(service.process.pid): # while there is nothing to do
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        check.equal([ask(service, COMPILE, shader(k)).status for k in range(4, 8)], [200] * 4, "requests after another one")
        check.equal(service.metric("qpucc_zygotes_started_total"), 3, "they are counted")
        check.equal(len(service.children(service.process.pid)), 1, "one zygote, and nobody who is dead")
        check.equal(service.stop(), 0, "the exit code")


def test_signal_to_all():
    """As a terminal or a supervisor sends it: to the server, the zygote and the workers."""
    for number in (signal.SIGTERM, signal.SIGINT):
        with Service(qpucc, "--workers=1", *PATIENT, group=True) as service:
            answers = []
            threads = in_threads(2, lambda k: answers.append(ask(service, "/api/render", draw(k, "96x64"))))
            until(lambda: service.metric("qpucc_queue") == 2)
            busy_worker(service)
            os.killpg(service.process.pid, number)
            for thread in threads:
                thread.join()
            check.equal(sorted(answer.status for answer in answers), [200, 200], f"what was under way and what waited, {number.name}")
            check.equal(service.process.wait(600), 0, "the exit code")


def test_stopped():
    """Stopped and continued, as from a terminal or by a debugger: it serves on."""
    with Service(qpucc, "--workers=1", *PATIENT) as service:
        service.process.send_signal(signal.SIGSTOP)
        until(lambda: open(f"/proc/{service.process.pid}/stat").read().rsplit(")", 1)[1].split()[0] == "T")
        service.process.send_signal(signal.SIGCONT)
        check.equal([ask(service, COMPILE, shader(k)).status for k in range(3)], [200] * 3, "requests afterwards")
        check.equal(service.process.poll(), None, "it runs")
        check.equal(service.stop(), 0, "the exit code")


def test_connections_end():
    """While it ends: no new requests on connections that are open, and whoever is answered is told that the connection ends."""
    with Service(qpucc, "--workers=1", *PATIENT) as service:
        idle, working = service.connect(600), service.connect(600)
        idle.request("GET", "/healthz")
        idle.getresponse().read()
        working.request("POST", "/api/render", json.dumps(draw(1, "128x64")), {"Content-Type": "application/json"})
        busy_worker(service)
        service.process.send_signal(signal.SIGTERM)
        until(lambda: not accepts(service))
        idle.request("GET", "/healthz")
        answer = idle.getresponse()
        check.equal((answer.status, answer.getheader("Connection")), (503, "close"), "a new request on an old connection")
        answer = working.getresponse()
        check.equal((answer.status, answer.getheader("Connection")), (200, "close"), "the request that was under way")
        check.equal(len(answer.read()) > 0, True, "its answer is whole")
        check.equal(service.process.wait(600), 0, "the exit code")


def test_slow_end():
    """A client that sends the last of its request and reads its answer as late as it may gets all of it, though the server ends."""
    noise = "precision highp float; void main() { gl_FragColor = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * vec4(43758.5, 24634.6, 9182.3, 1.0)); }"
    text = json.dumps({"fragment": noise, "size": "1024x1024", "frames": {"count": 2, "step": 0.1}}).encode()
    with Service(qpucc, "--workers=1", "--wall-seconds=2", "--slow-seconds=8") as service, socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(60)
        line.connect(("127.0.0.1", service.port))
        line.sendall(b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(text) + text[:9])
        time.sleep(0.2)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(7)
        line.sendall(text[9:])
        time.sleep(15.4)
        answer = b""
        while part := line.recv(1 << 16):
            answer += part
        head, _, content = answer.partition(b"\r\n\r\n")
        check.equal(head.split()[1:2], [b"200"], "the answer of a slow client")
        check.that(b"Content-Length: %d\r\n" % len(content) in head + b"\r\n", "it is whole")
        check.equal(service.process.wait(60), 0, "the exit code")


def accepts(service):
    try:
        connection = service.connect(5)
        connection.connect()
        connection.close()
        return True
    except OSError:
        return False


def test_rights():
    """A server that root starts: its workers are nobody's, without a capability."""
    with Service(qpucc, "--workers=1", *PATIENT) as service:
        check.equal(ask(service, COMPILE, shader(1)).status, 200, "a request")
        with open(f"/proc/{service.workers()[0]}/status") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
            check.equal(int(status[name], 16), 0, f"a worker's {name}")
        if os.getuid() == 0:
            check.equal((set(status["Uid"].split()), set(status["Gid"].split())), ({"65534"}, {"65534"}), "a worker's user and group")
            check.equal((status["Groups"].split(), int(status["CapBnd"], 16)), ([], 0), "groups and what it could still get")
        check.equal((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"), "the sandbox")


test_compile_beside_draws(1)
test_compile_beside_draws(2)
test_places()
test_killed_worker()
test_killed_zygote()
test_signal_to_all()
test_stopped()
test_connections_end()
test_slow_end()
test_rights()
sys.exit(check.end())

#!/usr/bin/env python3
"""Stores: the directory, a Redis that two servers share, and a Redis that goes away and comes back.

    store_test.py QPUCC
"""
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from service import Checks, Redis, Service

qpucc = os.path.abspath(sys.argv[1])
check = Checks()


def shader(number, loop=0):
    """A source that no other test has; `loop`: one that takes a while."""
    body = f"float x = u_x; for (int i = 0; i < {loop}; i++) x = sin(x) + {number}.5;" if loop else f"float x = u_x * {number}.25;"
    return {"source": f"precision highp float; uniform float u_x; void main() {{ {body} gl_FragColor = vec4(x); }}", "options": {"userArguments": ""}}


def compiled(service, body):
    answer = service.post("/api/compiler/qpucc/compile", body)
    check.equal((answer.status, answer.json.get("code")), (200, 0), f"a compile: {answer.body[:200]}")
    return answer.body


def worked(service):
    return service.metric('qpucc_answers_total{from="worker"}')


def keep(service, state):
    answer = service.post("/api/shortener", state)
    check.equal(answer.status, 200, f"a permalink: {answer.body[:200]}")
    return answer.json.get("id", "")


def test_directory():
    folder = tempfile.mkdtemp(prefix="store-")
    try:
        with Service(qpucc, "--workers=1", cache=folder) as first:
            answer, name = compiled(first, shader(1)), keep(first, {"state": 1})
            broken = first.post("/api/compiler/qpucc/compile", {"source": "void main() { x; }"}).body
        with Service(qpucc, "--workers=1", cache=folder) as second:
            check.equal(compiled(second, shader(1)), answer, "a result after a restart")
            check.equal(second.post("/api/compiler/qpucc/compile", {"source": "void main() { x; }"}).body, broken, "a failure after a restart")
            check.equal(worked(second), 0, "nothing was compiled again")
            check.equal(second.metric('qpucc_answers_total{from="directory"}'), 2, "both came from the directory")
            check.equal(second.get("/api/shortlinkinfo/" + name).json, {"state": 1}, "a permalink after a restart")
        for limit in ("--cpu-seconds=9", "--output=9", "--budget=9999"):
            with Service(qpucc, "--workers=1", limit, cache=folder) as other:
                compiled(other, shader(1))
                check.equal(worked(other), 1, f"{limit}: not the result of other limits")
        for entry in os.listdir(os.path.join(folder, "results")):
            path = os.path.join(folder, "results", entry)
            if len(entry) == 64:
                data = bytearray(open(path, "rb").read())
                data[len(data) // 2] ^= 1
                with open(path, "wb") as file:
                    file.write(data)
        with open(os.path.join(folder, "links", name), "wb") as file:
            file.write(b'{"state": 666}')
        with Service(qpucc, "--workers=1", cache=folder) as third:
            check.equal(compiled(third, shader(1)), answer, "a damaged result is made again")
            check.equal(worked(third), 1, "a damaged result is not used")
            check.that(third.metric("qpucc_store_damaged_total") >= 1, "damage is counted")
            check.equal(third.get("/api/shortlinkinfo/" + name).status, 404, "a permalink that was changed")
            check.equal((keep(third, {"state": 1}), third.get("/api/shortlinkinfo/" + name).json), (name, {"state": 1}), "it is kept again")
            os.unlink(os.path.join(folder, "links", name))
            check.equal((keep(third, {"state": 1}), third.get("/api/shortlinkinfo/" + name).json), (name, {"state": 1}), "and after it was removed")
    finally:
        shutil.rmtree(folder)


def test_none():
    with Service(qpucc, "--workers=1", cache="none") as service:
        compiled(service, shader(2))
        check.equal(service.post("/api/shortener", {"a": 1}).status, 507, "permalinks without a store")
        check.equal(service.get("/healthz").json["store"], "none", "health")


def share(service, number, size, client):
    headers = {"Content-Type": "application/json", "X-Real-IP": client}
    return service.request("POST", "/api/shortener", json.dumps({"number": number, "text": "x" * size}), headers)


def fill(service, client, size):
    """One address shares until it may not; how often it could."""
    for number in range(100000):
        answer = share(service, f"{service.port} {client} {number}", size, client)
        if answer.status != 200:
            check.equal((answer.status, answer.json["reason"]), (429, "links"), f"enough of {client}")
            check.that(1 <= int(answer.headers["Retry-After"]) <= 86400, f"it may come again in {answer.headers['Retry-After']} s")
            return number
    return 100000


def budgets(services, used, what):
    """One address shares as much as it may, then others do: all of them can, nothing grows beyond the bound, and what is used stays."""
    first, last = services[0], services[-1]
    names = [keep(first, {"state": f"{what} {k}"}) for k in range(2)]
    for number, client in enumerate(["192.0.2.1", "192.0.2.2", "2001:db8::1", "192.0.2.3"]):
        counts = [fill(service, client, 100000) for service in services]
        check.equal(counts, [10] + [0] * (len(services) - 1), f"{what}: {client} may add 1 MiB of links of 100 kB")
        check.equal(fill(services[-1], client, 2000) <= 20, True, f"{what}: and what is left of it")
        check.that(used() <= 3 << 20, f"{what}: links have {used()} bytes")
        check.equal(last.get("/api/shortlinkinfo/" + names[0]).status, 200, f"{what}: a link that is used, after {number + 1} clients")
    check.equal(share(first, "new", 100000, "2001:db8::2").status, 429, f"{what}: another address of the same network")
    check.equal(share(last, f"{first.port} 192.0.2.3 9", 100000, "192.0.2.3").status, 200, f"{what}: what is there costs nothing")
    check.equal(first.get("/api/shortlinkinfo/" + names[1]).status, 404, f"{what}: a link that nobody used has gone")
    check.that(sum(service.metric("qpucc_links_removed_total") for service in services) > 0, f"{what}: that is counted")
    return names[0]


LINKS = ("--workers=1", "--rate=0", "--proxy", "--link-size=3", "--client-links=1")


def test_link_budgets():
    folder = tempfile.mkdtemp(prefix="links-")
    links = os.path.join(folder, "links")

    def used():
        return sum(os.path.getsize(os.path.join(links, name)) for name in os.listdir(links))
    try:
        with Service(qpucc, *LINKS, cache=folder) as service:
            name = budgets([service], used, "directory")
            check.equal(service.post("/api/shortener", {"text": "x" * 1100000}).status, 413, "a permalink of more than a MiB")
            check.that(service.metric("qpucc_links_bytes") <= 3 << 20, "the gauge")
        with open(os.path.join(links, "new.half.1"), "w") as file:
            file.write("half")
        os.utime(os.path.join(links, name), (1, 1)) # not used for long
        with Service(qpucc, *LINKS, cache=folder) as service: # another process knows what there is, and its order
            check.that(used() - 4 <= service.metric("qpucc_links_bytes"), "links of an earlier process are counted")
            check.equal(os.path.exists(os.path.join(links, "new.half.1")), False, "half a link is removed")
            fill(service, "192.0.2.7", 100000)
            check.that(used() <= 3 << 20, f"still within the bound: {used()}")
            check.equal(service.get("/api/shortlinkinfo/" + name).status, 404, "the oldest went")
            tiny = fill(service, "192.0.2.8", 1)
            check.that(900 < tiny < 1100, f"a tiny link counts for its file, too: {tiny} of a MiB")
    finally:
        shutil.rmtree(folder)


def test_shared_budgets(redis):
    redis.command("FLUSHALL")

    def used():
        return sum(int(redis.command("STRLEN", key)[1:]) for key in redis_keys(redis, "qpucc:link:*"))
    options = (*LINKS, "--store=" + redis.url)
    with Service(qpucc, *options, cache="none") as one, Service(qpucc, *options, cache="none") as two:
        budgets([one, two], used, "Redis")
        check.equal(int(redis.command("HLEN", "qpucc:links:costs")[1:]), len(redis_keys(redis, "qpucc:link:*")), "one cost for each link")
        old = redis_keys(redis, "qpucc:link:*")[0]
        for key in ("qpucc:links:uses", "qpucc:links:costs", "qpucc:links:total"): # as an earlier version left it
            redis.command("DEL", key)
        check.equal(one.get("/api/shortlinkinfo/" + old.rsplit(":", 1)[1]).status, 200, "a link that is not counted yet")
        check.equal(redis.command("HLEN", "qpucc:links:costs"), ":1", "it is from then on")
    redis.command("FLUSHALL")


def test_damaged_link(redis):
    """A link is in the folder and in Redis; what is damaged in one of them comes from the other."""
    folder = tempfile.mkdtemp(prefix="links-")
    try:
        with Service(qpucc, *LINKS, "--store=" + redis.url, cache=folder) as service:
            name = keep(service, {"text": "kept twice"})
            with open(os.path.join(folder, "links", name), "r+b") as file:
                file.write(b"?")
            check.equal(service.get("/api/shortlinkinfo/" + name).status, 200, "the copy in Redis")
            check.equal(service.metric("qpucc_store_damaged_total"), 1, "the folder's counts as damaged")
            redis.command("FLUSHALL")
            check.equal(service.get("/api/shortlinkinfo/" + name).status, 404, "no copy that is whole")
    finally:
        shutil.rmtree(folder)


def test_password(redis):
    """It is in no command line, and nothing that the server starts has it in its environment."""
    secret = "s3cret word"
    folder = tempfile.mkdtemp(prefix="password-")
    path = os.path.join(folder, "password")
    with open(path, "w") as file:
        file.write(secret + "\n")
    redis.command("CONFIG", "SET", "requirepass", secret)
    try:
        store = "--store=" + redis.url
        for options, environment in (((store, "--store-password-file=" + path), {}), ((store,), {"QPUCC_STORE_PASSWORD": secret})):
            with Service(qpucc, "--workers=1", *options, cache="none", environment=environment) as service:
                compiled(service, shader(8))
                check.equal(service.get("/healthz").json["store"], "redis", f"{options[1:]} {list(environment)}")
                for pid in [*service.children(service.process.pid), *service.workers()]:
                    with open(f"/proc/{pid}/environ", "rb") as file:
                        check.that(secret.encode() not in file.read(), "a process' environment")
                for pid in [service.process.pid, *service.children(service.process.pid)]:
                    with open(f"/proc/{pid}/cmdline", "rb") as file:
                        check.that(secret.encode() not in file.read(), "a process' command line")
        with Service(qpucc, "--workers=1", store, cache="none", environment={"QPUCC_STORE_PASSWORD": "wrong"}) as service:
            compiled(service, shader(9))
            check.equal(service.get("/healthz").json["store"], "redis away", "a wrong password")
        for options in ((f"--store=redis://:{secret}@127.0.0.1:{redis.port}",), (store, "--store-password-file=/nothing"), (store, "--store-password-file=/dev/null"),
                        (store, "--store-password-file=/dev/zero")):
            result = subprocess.run([qpucc, "serve", "--port=0", *options], capture_output=True, text=True, timeout=60, check=False)
            check.that(result.returncode == 1 and "password" in result.stderr, f"{options}: {result.stderr}")
    finally:
        subprocess.run(["redis-cli", "-p", str(redis.port), "-a", secret, "--no-auth-warning", "CONFIG", "SET", "requirepass", ""], capture_output=True, check=False)
        shutil.rmtree(folder)


def test_shared(redis):
    options = ("--workers=1", "--rate=0", "--store=" + redis.url)
    with Service(qpucc, *options, cache="none") as one, Service(qpucc, *options, cache="none") as two:
        answer = compiled(one, shader(3))
        check.equal(compiled(two, shader(3)), answer, "a result of the other server")
        check.equal(worked(two), 0, "it was not compiled again")
        check.equal(two.metric('qpucc_answers_total{from="redis"}'), 1, "it came from Redis")
        name = keep(one, {"state": "é"})
        check.equal(two.get("/api/shortlinkinfo/" + name).json, {"state": "é"}, "a permalink of the other server")
        check.equal(two.get("/z/" + name).status, 200, "its page")
        check.equal((one.get("/healthz").json["store"], one.metric("qpucc_redis_up")), ("redis", 1), "health")
        # Both are asked for the same at the same time, by many: one of them works. The short ones end while the
        # other server is between its look into the store and its lock.
        late = [asked_at_once(one, two, shader(1000 + number, 0 if number else 60)) for number in range(40)]
        check.that(not all(late), "Redis is seldom late")


def asked_at_once(one, two, body):
    """Eight clients of each of two servers: one answer, from one compile, or from one of each server where Redis is late, which this
    says."""
    def missed():
        return sum(service.metric(f"qpucc_redis_{kind}_total") for service in (one, two) for kind in ("errors", "skipped"))
    answers, before, missed_before = [], worked(one) + worked(two), missed()
    threads = [threading.Thread(target=lambda service=service: answers.append(compiled(service, body))) for service in (one, two) * 8]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    late, done = missed() > missed_before, worked(one) + worked(two) - before
    check.equal(len(set(answers)), 1, "one answer for all")
    check.that(1 <= done <= 1 + late, f"one compile for all: {done}, Redis late: {late}")
    return late


def test_away(redis):
    with Service(qpucc, "--workers=2", "--store=" + redis.url, "--rate=0") as service:
        kept, state = compiled(service, shader(5)), keep(service, {"state": 5})
        stop, failures, done = threading.Event(), [], [0]

        def ask(thread):
            number = 0
            while not stop.is_set():
                number += 1
                try:
                    answer = service.post("/api/compiler/qpucc/compile", shader(100 + thread * 1000 + number))
                    if answer.status != 200 or answer.json["code"] != 0:
                        failures.append(answer.body[:200])
                except OSError as error:
                    failures.append(repr(error))
                done[0] += 1
        threads = [threading.Thread(target=ask, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()

        def wait_for(more):
            goal, until = done[0] + more, time.time() + 60
            while done[0] < goal and time.time() < until:
                time.sleep(0.02)
            return done[0] >= goal
        check.that(wait_for(20), "requests with Redis")
        redis.kill()
        check.that(wait_for(20), "requests without Redis")
        check.equal(service.get("/healthz").json["store"], "redis away", "health without Redis")
        check.equal(service.metric("qpucc_redis_up"), 0, "metrics without Redis")
        check.that(service.metric("qpucc_redis_errors_total") > 0, "errors are counted")
        check.equal(compiled(service, shader(5)), kept, "a result that the directory has")
        check.equal(service.get("/api/shortlinkinfo/" + state).json, {"state": 5}, "a permalink that the directory has")
        keep(service, {"state": "made without Redis"})
        redis.start()
        until, back = time.time() + 60, False
        while not back and time.time() < until: # on a busy machine an answer may be late once more after that
            wait_for(3)
            back = service.metric("qpucc_redis_up") == 1
        check.that(back, "Redis is back")
        # Redis that takes connections and says nothing
        redis.process.send_signal(19)
        check.that(wait_for(20), "requests while Redis is stopped")
        redis.process.send_signal(18)
        stop.set()
        for thread in threads:
            thread.join()
        check.equal(failures[:3], [], f"{done[0]} requests, none failed")


def test_shared_places(redis):
    """What another server works on fills the queue of one address; others have a place all the same."""
    options = ("--workers=1", "--rate=0", "--proxy", "--queue=6", "--cpu-seconds=120", "--wall-seconds=600", "--store=" + redis.url)
    with Service(qpucc, *options, cache="none") as one, Service(qpucc, *options, cache="none") as two:
        def ask(service, body, client):
            headers = {"Content-Type": "application/json", "Accept": "application/json", "X-Real-IP": client}
            return service.request("POST", "/api/compiler/qpucc/compile" if "source" in body else "/api/render", json.dumps(body), headers, timeout=600)
        def draw(number):
            return {"fragment": f"precision highp float; uniform float u_x; void main() {{ float x = u_x; for (int i = 0; i < 9000; i++) x = x * 0.999 + {number}.0;"
                                " gl_FragColor = vec4(x * 0.00001); }", "size": "96x96"}
        answers, threads = [], []
        for service in (one, two):
            threads += [threading.Thread(target=lambda s=service, k=k: answers.append(ask(s, draw(k), "192.0.2.1").status), daemon=True) for k in range(6)]
            for thread in threads[-6:]:
                thread.start()
            end = time.time() + 300
            while service.metric("qpucc_queue") < 6 and time.time() < end:
                time.sleep(0.02)
        check.equal(ask(two, shader(70), "192.0.2.2").status, 200, "somebody else's compile")
        for thread in threads:
            thread.join()
        check.equal((answers.count(503), len(answers)), (1, 12), f"one gave way, the others have answers: {answers}")
        check.equal(worked(one) + worked(two), 7, "each of six was drawn once for both, beside the compile")


def test_dead_holder(redis):
    """A server that dies while it works on something: who waits for it does the work, with all the time that work may take."""
    options = ("--workers=1", "--rate=0", "--cpu-seconds=60", "--wall-seconds=3", "--store=" + redis.url)
    body = {"fragment": "precision highp float; uniform float u_x; void main() { float x = u_x; for (int i = 0; i < 9000; i++) x = x * 0.999 + 3.0;"
                        " gl_FragColor = vec4(x * 0.00001); }", "size": "64x64"}
    with Service(qpucc, *options, cache="none") as two:
        with Service(qpucc, *options, cache="none") as one:
            def ask():
                try:
                    one.post("/api/render", body)
                except (OSError, http.client.HTTPException):
                    pass
            threading.Thread(target=ask, daemon=True).start()
            until = time.time() + 60
            while not redis_keys(redis, "qpucc:lock:*") and time.time() < until:
                time.sleep(0.01)
            one.process.kill()
        answer = two.post("/api/render", body)
        check.equal(answer.status, 200, f"the other server takes over: {answer.body[:100]}")


def test_faults(redis):
    """What Redis may answer besides what was asked for."""
    with Service(qpucc, "--workers=1", "--store=" + redis.url, cache="none") as service:
        answer = compiled(service, shader(6))
    for bad in ("", "x", "QAN3" + "x" * 100):
        with Service(qpucc, "--workers=1", "--store=" + redis.url, cache="none") as service:
            keys = redis_keys(redis, "qpucc:result:*")
            for key in keys:
                redis.command("SET", key, bad)
            check.equal(compiled(service, shader(6)), answer, f"a result that Redis has as {bad[:10]!r}")
    for url in ("redis://", "http://x", "redis://127.0.0.1:99999", "redis://127.0.0.1:x", "redis://h:1/x", "redis://h:1x", "redis://h:4294967297",
                "redis://h:1/-1"):
        result = subprocess.run([qpucc, "serve", "--port=0", "--store=" + url], capture_output=True, text=True, timeout=60, check=False)
        check.that(result.returncode == 1 and "--store" in result.stderr, f"--store={url}: {result.stderr}")


def redis_keys(redis, pattern):
    output = subprocess.run(["redis-cli", "-p", str(redis.port), "--raw", "KEYS", pattern], capture_output=True, text=True, check=True)
    return output.stdout.split()


test_directory()
test_none()
test_link_budgets()
if shutil.which("redis-server"):
    server = Redis()
    try:
        test_shared(server)
        test_shared_places(server)
        test_dead_holder(server)
        test_faults(server)
        test_shared_budgets(server)
        test_damaged_link(server)
        test_password(server)
        test_away(server)
    finally:
        server.stop()
else:
    print("there is no redis-server: only the directory was tested")
sys.exit(check.end())

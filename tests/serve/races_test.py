#!/usr/bin/env python3
"""The server under the thread sanitizer: clients that ask for the same and for other things at once, a Redis that goes away,
workers that are replaced, permalinks, connections that break off, and an end while clients go on asking.

    races_test.py SERVER      built with -fsanitize=thread
"""
import atexit
import glob
import http.client
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
import time

from service import Checks, Redis, Service

server = os.path.abspath(sys.argv[1])
check = Checks()
SECONDS = 4


def body(number):
    return json.dumps({"source": f"precision highp float; void main() {{ gl_FragColor = vec4({number}.0); }}"})


def ask(service, name, done, counts):
    """One client, until it is told to stop or the service ends."""
    connection = service.connect(60)
    number = 0
    try:
        while not done.is_set():
            number += 1
            path, text = {
                "fresh": ("/api/compiler/qpucc/compile", body(hash((name, number)) % 1000000)),
                "same": ("/api/compiler/qpucc/compile", body(number % 3)),
                "draw": ("/api/render", json.dumps({"fragment": "void main() { gl_FragColor = vec4(0.5); }", "size": f"16x{16 + number % 40}"})),
                "link": ("/api/shortener", json.dumps({"a": number % 20})),
                "metrics": ("/metrics", None),
            }[name.split()[0]]
            connection.request("POST" if text else "GET", path, text, {"Content-Type": "application/json"})
            response = connection.getresponse()
            data = response.read()
            if name.startswith("link") and response.status == 200:
                connection.request("GET", "/api/shortlinkinfo/" + json.loads(data)["id"])
                connection.getresponse().read()
            counts[response.status] = counts.get(response.status, 0) + 1
    except (OSError, http.client.HTTPException):
        pass
    connection.close()


def break_off(service, done):
    while not done.is_set():
        try:
            with socket.create_connection(("127.0.0.1", service.port), 10) as line:
                line.sendall(b"POST /api/render HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        except OSError:
            return
        time.sleep(0.2)


folder = tempfile.mkdtemp(prefix="races-")
os.environ["TSAN_OPTIONS"] = f"log_path={folder}/race exitcode=0"
redis = Redis() if shutil.which("redis-server") else None
store = [f"--store={redis.url}"] if redis else []
atexit.register(lambda: redis and redis.stop())
with Service(server, "--workers=2", "--rate=0", "--worker-jobs=25", "--memory-cache=1", "--slow-seconds=5", "--client-connections=500", *store) as service:
    done, counts = threading.Event(), {}
    names = ["fresh 1", "fresh 2", "same 1", "same 2", "same 3", "draw 1", "link 1", "link 2", "metrics"]
    clients = [threading.Thread(target=ask, args=(service, name, done, counts)) for name in names]
    clients.append(threading.Thread(target=break_off, args=(service, done)))
    for thread in clients:
        thread.start()
    time.sleep(SECONDS)
    if redis:
        redis.kill()
    time.sleep(SECONDS)
    until = time.time() + 300 # a busy machine gets as far, too
    while service.metric("qpucc_workers_started_total") <= 3 and time.time() < until:
        time.sleep(0.2)
    check.that(service.metric("qpucc_workers_started_total") > 3, "workers were replaced")
    check.equal(service.stop(), 0, "the exit code")
    done.set()
    for thread in clients:
        thread.join()
    check.that(counts.get(200, 0) > 20 and set(counts) <= {200, 503}, f"answers: {counts}")
for path in glob.glob(f"{folder}/race*"):
    with open(path) as file:
        check.that(False, file.read())
shutil.rmtree(folder)
sys.exit(check.end())

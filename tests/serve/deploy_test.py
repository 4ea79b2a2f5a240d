#!/usr/bin/env python3
"""examples/deploy as it is, but for ports, certificates and folders: nginx in front of two servers, one of which dies; units and
compose file name options that exist.

    deploy_test.py QPUCC SOURCES
"""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from service import Checks, Service

qpucc, sources = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
deploy = os.path.join(sources, "examples/deploy")
check = Checks()


def read(name):
    with open(os.path.join(deploy, name)) as file:
        return file.read()


def starts(arguments, what):
    """A server with these options, on another port and with another cache."""
    options = [word for word in re.sub(r"--(port|cache|listen) \S+", "", arguments).split() if word]
    with tempfile.TemporaryDirectory() as folder:
        with Service(qpucc, *options, cache=os.path.join(folder, "cache")) as service:
            check.equal(service.get("/healthz").status, 200, f"{what}: health")


def test_units():
    for name in ("qpucc.service", "qpucc@.service"):
        text = read(name)
        command = re.search(r"^ExecStart=/usr/bin/qpucc serve (.*)$", text, re.M).group(1)
        starts(command.replace("%i", "0"), name)
        if not shutil.which("systemd-analyze"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name.replace("@", "@8081"))
            with open(path, "w") as file:
                file.write(text.replace("/usr/bin/qpucc", qpucc))
            result = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, check=False)
            said = [line for line in result.stderr.splitlines() if name.split(".")[0] in line]
            check.equal(said, [], f"{name}: systemd")


def test_compose():
    try:
        import yaml
    except ImportError:
        return
    services = yaml.safe_load(read("compose.yaml"))["services"]
    with tempfile.TemporaryDirectory() as folder:
        secret = os.path.join(folder, "redis-password")
        with open(secret, "w") as file:
            file.write("s3cret\n")
        for name in ("qpucc-1", "qpucc-2"):
            command = services[name]["command"]
            check.equal(command[0], "serve", f"{name}: the command")
            starts(" ".join(command[1:]).replace("redis://redis:", "redis://127.0.0.1:").replace("/run/secrets/redis-password", secret), name)
        test_health(services["qpucc-1"]["healthcheck"]["test"])
        test_redis(services["redis"], secret)
    check.that(set(services["nginx"]["depends_on"]) == {"qpucc-1", "qpucc-2"}, "nginx depends on both servers")
    plain, inside = read("nginx.conf").splitlines(), read("nginx-compose.conf").splitlines()
    other = [line.split()[1] for a, line in zip(plain, inside) if a != line]
    check.equal((len(plain), other), (len(inside), ["qpucc-1:8080", "qpucc-2:8080"]), "what is different inside of the containers")


def test_health(command):
    """The check of a container, on this machine: a service that serves, one that says 503, and none."""
    words = [word.replace("$$", "$") for word in command[1:]]

    def healthy(port):
        return subprocess.run([word.replace("/8080", f"/{port}") for word in words], capture_output=True, timeout=60, check=False).returncode == 0
    with Service(qpucc, "--workers=1") as service:
        check.equal(healthy(service.port), True, "a service that serves is healthy")
    check.equal(healthy(service.port), False, "one that is gone is not")
    with socket.create_server(("127.0.0.1", 0)) as ill:
        def answer():
            line, _ = ill.accept()
            line.recv(1000)
            line.sendall(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
            line.close()
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        check.equal(healthy(ill.getsockname()[1]), False, "one that says 503 is not")


def test_redis(service, secret):
    """Its command, with this machine's Redis: the password is needed, and in no command line."""
    if not shutil.which("redis-server"):
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    def here(text):
        return text.replace("$$", "$").replace("/run/secrets/redis-password", secret).replace("docker-entrypoint.sh ", "").replace("redis-cli", f"redis-cli -p {port}")
    script = here(service["entrypoint"][2]).replace(" - ", f" - --port {port} --bind 127.0.0.1 --dir {os.path.dirname(secret)} --loglevel warning ")
    with subprocess.Popen(["sh", "-c", script], stdout=subprocess.DEVNULL) as process:
        try:
            health, healthy = here(service["healthcheck"]["test"][1]), False
            for _ in range(200):
                healthy = subprocess.run(["sh", "-c", health], capture_output=True, check=False).returncode == 0
                if healthy:
                    break
                time.sleep(0.05)
            check.equal(healthy, True, "Redis is healthy")
            said = subprocess.run(["redis-cli", "-p", str(port), "PING"], capture_output=True, text=True, check=False).stdout
            check.that("NOAUTH" in said, f"Redis without its password: {said}")
            with open(f"/proc/{process.pid}/cmdline", "rb") as file:
                line = file.read()
            check.that(b"redis-server" in line and b"s3cret" not in line, f"its command line: {line}")
        finally:
            process.terminate()


def fill(service):
    """A draw without end takes the only place: its thread. end_fill ends it."""
    scene = {"fragment": "precision highp float; uniform float u_x; void main() { float x = u_x; for (int i = 0; i < 9000; i++) x = x * 0.999 + 1.0;"
                         " gl_FragColor = vec4(x * 0.00001); }", "size": "2048x2048"}
    thread = threading.Thread(target=lambda: service.post("/api/render", scene, timeout=600), daemon=True)
    thread.start()
    while service.metric("qpucc_workers_busy") < 1:
        time.sleep(0.02)
    return thread


def end_fill(service, thread):
    """Its worker is killed until the draw is given up."""
    while thread.is_alive():
        for pid in service.workers():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        thread.join(0.1)


def test_busy(one, two, compiled):
    """503 of a server that has no room is passed over, and nobody takes the server for dead because of it."""
    def worked(service):
        return service.metric('qpucc_answers_total{from="worker"}')
    full = fill(one)
    check.equal([compiled(k).status for k in range(40, 48)], [200] * 8, "compiles while one server is full")
    check.that(one.metric('qpucc_refused_total{reason="queue"}') > 0, "it was asked, too")
    other = fill(two)
    answers = [compiled(k) for k in range(50, 54)]
    check.equal({(answer.status, answer.json["reason"]) for answer in answers}, {(503, "queue")}, "both are full")
    end_fill(one, full)
    before = worked(one)
    check.equal([compiled(k).status for k in range(60, 64)], [200] * 4, "compiles as soon as one has room")
    check.equal(worked(one) - before, 4, "it did them")
    end_fill(two, other)


def test_tls(nginx):
    """The configuration with its certificates, as nginx itself checks it."""
    folder = tempfile.mkdtemp(prefix="nginx-")
    try:
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=qpu.example", "-days", "2", "-keyout",
                               folder + "/key", "-out", folder + "/pem"], capture_output=True, check=False)
        if made.returncode:
            return
        text = read("nginx.conf").replace("/etc/ssl/qpu.example.pem", folder + "/pem").replace("/etc/ssl/qpu.example.key", folder + "/key")
        text = text.replace("/run/nginx.pid", folder + "/pid").replace("listen 80;", "listen 127.0.0.1:48080;").replace("listen 443", "listen 127.0.0.1:48443")
        with open(folder + "/nginx.conf", "w") as file:
            file.write(text)
        tried = subprocess.run([nginx, "-t", "-q", "-c", folder + "/nginx.conf", "-e", folder + "/error"], capture_output=True, text=True, check=False)
        # From nginx 1.25 on HTTP/2 has a directive of its own, which 1.22 does not know.
        said = [line for line in tried.stderr.splitlines() if '"listen ... http2" directive is deprecated' not in line]
        check.equal((tried.returncode, said), (0, []), "the configuration with TLS")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_nginx(nginx):
    folder = tempfile.mkdtemp(prefix="nginx-")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    try:
        patient = ("--proxy", "--workers=1", "--queue=1", "--cpu-seconds=600", "--wall-seconds=1200", "--memory=2048")
        with Service(qpucc, *patient) as one, Service(qpucc, *patient) as two:
            text = read("nginx.conf")
            text = text.replace("127.0.0.1:8081", f"127.0.0.1:{one.port}").replace("127.0.0.1:8082", f"127.0.0.1:{two.port}")
            text = text.replace("/run/nginx.pid", folder + "/pid").replace("listen 443 ssl http2", f"listen 127.0.0.1:{port}")
            text = re.sub(r"    server \{\n        listen 80;.*?\n    \}\n", "", text, flags=re.S)
            text = re.sub(r" *ssl_.*\n", "", text)
            folders = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            text = text.replace("http {\n", f"http {{\n{folders}    access_log off;\n", 1)
            config = os.path.join(folder, "nginx.conf")
            with open(config, "w") as file:
                file.write(text)
            tried = subprocess.run([nginx, "-t", "-q", "-c", config, "-e", folder + "/error"], capture_output=True, text=True, check=False)
            if not check.equal((tried.returncode, tried.stderr), (0, ""), "the configuration"):
                return
            process = subprocess.Popen([nginx, "-c", config, "-e", folder + "/error", "-g", "daemon off;"])
            try:
                front = Service.__new__(Service)
                front.port = port
                for _ in range(200):
                    try:
                        socket.create_connection(("127.0.0.1", port)).close()
                        break
                    except OSError:
                        time.sleep(0.05)

                def compiled(number):
                    body = {"source": f"precision highp float; void main() {{ gl_FragColor = vec4({number}.5); }}"}
                    return front.post("/api/compiler/qpucc/compile", body)
                check.equal([compiled(k).json["code"] for k in range(8)], [0] * 8, "compiles through nginx")
                check.that(all(s.metric('qpucc_answers_total{from="worker"}') > 0 for s in (one, two)), "both servers worked")
                link = front.request("POST", "/api/shortener", b'{"a": 1}', {"Host": "qpu.example", "Content-Type": "application/json"})
                check.that(link.json["url"].startswith("http://qpu.example/z/"), f"the name of the site: {link.text}")
                check.equal(front.request("POST", "/api/render", b"x" * (5 << 20)).status, 413, "a body that is too large")
                test_busy(one, two, compiled)
                one.stop()
                check.equal([compiled(k).status for k in range(20, 28)], [200] * 8, "compiles after one server ended")
                statuses = [compiled(100).status for _ in range(200)]
                check.that(429 in statuses and set(statuses) <= {200, 429}, f"a flood: {sorted(set(statuses))}")
            finally:
                process.terminate()
                process.wait(30)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


test_units()
test_compose()
program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
if program:
    if shutil.which("openssl"):
        test_tls(program)
    test_nginx(program)
else:
    print("there is no nginx: its configuration was not tried")
sys.exit(check.end())

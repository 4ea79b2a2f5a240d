"""A running service and a client for it, for the tests and the load driver."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


class Service:
    """`with Service(qpucc, "--workers=1") as service: service.post(...)`. Its cache is a fresh folder unless one is given."""

    def __init__(self, qpucc, *options, cache=None, group=False, environment=None):
        self.folder = tempfile.mkdtemp(prefix="serve-") if cache is None else None
        cache = cache or os.path.join(self.folder, "cache")
        self.process = subprocess.Popen([qpucc, "serve", "--port=0", "--cache=" + cache, *options], stdout=subprocess.PIPE,
                                        text=True, start_new_session=group, env={**os.environ, **(environment or {})})
        line = self.process.stdout.readline()
        if "serves http://" not in line:
            raise RuntimeError("the service did not start: " + line)
        self.port = int(line.rsplit(":", 1)[1].strip().rstrip("/"))

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop()

    def stop(self):
        """Ends it; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.process.stdout.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        return code

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def request(self, method, path, body=None, headers=None, timeout=60):
        connection = self.connect(timeout)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()

    def get(self, path, accept="application/json"):
        return self.request("GET", path, headers={"Accept": accept})

    def post(self, path, body, accept="application/json", kind="application/json", **more):
        data = body if isinstance(body, (bytes, str)) else json.dumps(body)
        return self.request("POST", path, data, {"Accept": accept, "Content-Type": kind}, **more)

    def raw(self, data, timeout=60):
        """What the service says to bytes, until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout) as line:
            line.sendall(data)
            parts = []
            try:
                while part := line.recv(65536):
                    parts.append(part)
            except ConnectionResetError:
                pass
            return b"".join(parts)

    def metric(self, name):
        """A counter or gauge by its name with its labels."""
        for line in self.get("/metrics").text.splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        raise KeyError(name)

    def workers(self):
        """Process numbers of the workers: children of the zygote, which is the server's only child."""
        return [worker for zygote in self.children(self.process.pid) for worker in self.children(zygote)]

    @staticmethod
    def children(pid):
        """Of all of a process' threads."""
        found = []
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children") as file:
                    found += [int(word) for word in file.read().split()]
        except (FileNotFoundError, ProcessLookupError):
            pass
        return found

    @property
    def sanitized(self):
        """Built with the address sanitizer: slow, and what is freed stays in quarantine."""
        with open(f"/proc/{self.process.pid}/exe", "rb") as file:
            return b"__asan_init" in file.read()

    def memory(self):
        """Resident bytes of the server, the zygote and the workers, each page counted for who has it alone."""
        total, self.shares = 0, []
        for pid in [self.process.pid, *self.children(self.process.pid), *self.workers()]:
            try:
                with open(f"/proc/{pid}/smaps_rollup") as file:
                    total += (share := sum(int(line.split()[1]) for line in file if line.startswith("Pss:")))
                self.shares.append(share >> 10)
            except (FileNotFoundError, ProcessLookupError):
                pass
        return total * 1024


class Redis:
    """A Redis of the test's own on loopback, without files."""

    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.folder = tempfile.mkdtemp(prefix="redis-")
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}"

    def start(self):
        self.process = subprocess.Popen(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "",
                                         "--appendonly", "no", "--dir", self.folder, "--loglevel", "warning"],
                                        stdout=subprocess.DEVNULL)
        for _ in range(600):
            try:
                self.command("PING")
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("redis-server did not start")

    def command(self, *words):
        """The first line of the reply."""
        with socket.create_connection(("127.0.0.1", self.port), 10) as line:
            parts = [str(word).encode() for word in words]
            line.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
            return line.makefile("rb").readline().decode().strip()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


class Checks:
    """Counts what was checked and says what failed."""

    def __init__(self):
        self.count = self.failed = 0

    def that(self, holds, what):
        self.count += 1
        if not holds:
            self.failed += 1
            print("FAILED: " + what, flush=True)
        return holds

    def equal(self, found, expected, what):
        return self.that(found == expected, f"{what}: {str(found)[:300]!r} instead of {str(expected)[:300]!r}")

    def end(self):
        print(f"{self.count} checks, {self.failed} failed")
        return 1 if self.failed or not self.count else 0

"""A server under attack, and its figures from /proc."""

import http.client
import os
import resource
import socket
import subprocess
import tempfile
import time
from urllib.parse import urlsplit


# The seconds after which a test gives up. They only end tests that would never end: the machine may be busy.
PATIENCE = 300


def raise_limit():
    """Raises the limit of open files as far as the system permits, and returns it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Server:
    def __init__(self, program, listings=0, host="127.0.0.1", *options):
        self.folder = tempfile.TemporaryDirectory()
        data = self.folder.name + "/data"
        if listings:
            subprocess.run([program, "demo", "--count", str(listings), "--seed", "1", "--data", data], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        token = self.folder.name + "/token"
        with open(token, "w") as file:
            file.write("a-token-for-figures")
        self.log = open(self.folder.name + "/log", "w+")
        self.process = subprocess.Popen(
            [program, "serve", "--host", host, "--port", "0", "--data", data, "--log-level", "error", "--metrics-token-file", token, *options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.port = urlsplit(self.process.stdout.readline().split()[-1]).port
        self.host = "127.0.0.1"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def connect(self, timeout=PATIENCE, receive_buffer=None, host=None):
        connection = socket.socket()
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(timeout)
        connection.connect((host or self.host, self.port))
        return connection

    def ask(self, method, path, body=None, headers=None, timeout=PATIENCE):
        """The status, the headers and the body of one answer on a new connection."""
        client = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            client.request(method, path, body, headers or {})
            answer = client.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            client.close()

    def is_alive(self):
        return self.process.poll() is None and self.ask("GET", "/healthz")[0] == 200

    def memory(self):
        """The private memory in MiB."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) / 1024

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def figure(self, name):
        """The sum of a metric's samples."""
        text = self.ask("GET", "/metrics", headers={"Authorization": "Bearer a-token-for-figures"})[2].decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.split("{")[0].split(" ")[0] == name)

    def errors(self):
        """The lines of errors in the log."""
        self.log.flush()
        with open(self.log.name) as file:
            return [line.strip() for line in file]


def timings(server, count, path="/v1/listings"):
    """The sorted times, in seconds, of this many requests on one connection."""
    client = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE)
    took = []
    for _ in range(count):
        start = time.perf_counter()
        client.request("GET", path)
        answer = client.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        took.append(time.perf_counter() - start)
    client.close()
    return sorted(took)


def p99(took):
    return took[min(len(took) - 1, len(took) * 99 // 100)] * 1000

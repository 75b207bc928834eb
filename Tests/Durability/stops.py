"""Stops the server while clients connect, and checks that it ends without a crash and within its time limit.

Usage: stops.py [STOPS] [SEED]. PROGRAM is the program under test. Every second server speaks TLS and HTTP/2.
"""
import contextlib
import os
import random
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Security"))
from lab import Server, report  # noqa: E402
from tls import (AUTHORITY, DATA, END_HEADERS, END_STREAM, GET, HEADERS, HTTPS, POST, ROOT, SETTINGS, Certificates,  # noqa: E402
                 frame, literal_path)

# The server stops after five seconds. A busy machine takes longer, and a server that hangs takes forever.
LIMIT = 120
# Connections that a client holds open.
HELD = 10
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0)
# The head of a form, and its first part, which does not end.
FORM = {b"content-type": b"multipart/form-data; boundary=X", b"sec-fetch-site": b"same-origin"}
PART = b'--X\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'


class Client(threading.Thread):
    """Opens connections of one kind, one after the other, until it is told to end."""

    def __init__(self, kind, port, context):
        super().__init__(daemon=True)
        self.kind, self.port, self.context = kind, port, context
        self.connections, self.answers, self.held = 0, 0, []
        self.stopping = False

    def run(self):
        while not self.stopping:
            try:
                self.kind(self)
            except OSError:
                time.sleep(0.001)
        for connection in self.held:
            connection.close()

    @contextlib.contextmanager
    def connect(self):
        """A connection that is closed by RST, so that its port is free at once."""
        plain = socket.create_connection(("127.0.0.1", self.port), 10)
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connections += 1
        with self.context.wrap_socket(plain, server_hostname="localhost") if self.context else plain as connection:
            yield connection

    def hold(self, data):
        """Leaves a connection open that has sent only these bytes."""
        plain = socket.create_connection(("127.0.0.1", self.port), 10)
        plain.sendall(data)
        self.connections += 1
        self.held.append(plain)
        if len(self.held) > HELD:
            self.held.pop(0).close()
        time.sleep(0.001)
        return plain

    def read(self, connection):
        self.answers += bool(connection.recv(1 << 14))

    # Kinds of connections.

    def one_request(self):
        with self.connect() as connection:
            connection.sendall(REQUEST + b"Connection: close\r\n\r\n")
            self.read(connection)

    def kept(self):
        with self.connect() as connection:
            for _ in range(5):
                connection.sendall(REQUEST + b"\r\n")
                self.read(connection)

    def no_request(self):
        with self.connect():
            pass

    def streams(self):
        with self.connect() as connection:
            connection.sendall(PREFACE)
            for stream in range(1, 40, 2):
                connection.sendall(frame(HEADERS, END_STREAM | END_HEADERS, stream, GET + HTTPS + ROOT + AUTHORITY))
            for _ in range(5):
                self.read(connection)

    def upload(self):
        """Sends a body until the server closes the connection, which it does when its time limit ends."""
        with self.connect() as connection:
            if self.context:
                fields = b"".join(b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in FORM.items())
                connection.sendall(PREFACE + frame(HEADERS, END_HEADERS, 1, POST + HTTPS + literal_path("/photo-search") + AUTHORITY + fields))
            else:
                lines = b"".join(name + b": " + value + b"\r\n" for name, value in FORM.items())
                connection.sendall(b"POST /photo-search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n" + lines + b"\r\n")
            piece = PART
            while not self.stopping:
                connection.sendall(frame(DATA, 0, 1, piece) if self.context else piece)
                piece = b"x" * 1000
                time.sleep(0.05)

    def slow_head(self):
        self.hold(REQUEST)

    def half_open(self):
        self.hold(REQUEST + b"\r\n").shutdown(socket.SHUT_WR)

    def slow_handshake(self):
        # A part of a ClientHello.
        self.hold(b"\x16\x03\x01\x02\x00\x01")


class Harness:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.work = tempfile.mkdtemp(prefix="stops-")
        self.certificates = Certificates(self.work)
        self.certificates.issue(1)
        self.environment = {"DOGGOFINDER_TLS_CERTIFICATE": self.certificates.certificate, "DOGGOFINDER_TLS_KEY": self.certificates.key}
        self.stops, self.again, self.uploads, self.connections, self.answers = {"HTTP": 0, "HTTPS": 0}, 0, 0, 0, 0
        self.took, self.problems = [], []

    def clients(self, port, is_secure):
        one, two = (self.certificates.context(name) if is_secure else None for name in ("http/1.1", "h2"))
        kinds = [(Client.one_request, one), (Client.kept, one), (Client.no_request, None), (Client.no_request, None)]
        kinds += ([(Client.streams, two), (Client.streams, two), (Client.slow_handshake, None)] if is_secure
                  else [(Client.one_request, None), (Client.slow_head, None), (Client.half_open, None)])
        return [Client(kind, port, context) for kind, context in kinds]

    def stop(self, number):
        is_secure = number % 2 == 1
        name = "HTTPS" if is_secure else "HTTP"
        data = os.path.join(self.work, f"{name}-data")
        server = Server(data, self.environment if is_secure else None)
        if not server.wait():
            raise SystemExit("the server does not start:\n" + server.said())
        clients = self.clients(server.port, is_secure)
        if number % 20 in (8, 19):
            self.uploads += 1
            clients.append(Client(Client.upload, server.port, self.certificates.context("h2") if is_secure else None))
        for client in clients:
            client.start()
        time.sleep(self.random.random() * 0.6)
        begin = time.monotonic()
        server.process.send_signal(self.random.choice([signal.SIGTERM, signal.SIGINT]))
        if self.random.random() < 0.5:
            time.sleep(self.random.random() * 0.1)
            server.process.send_signal(self.random.choice([signal.SIGTERM, signal.SIGINT]))
            self.again += 1
        try:
            status = server.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            status = f"it runs {LIMIT} s after the signal"
        self.took.append(time.monotonic() - begin)
        for client in clients:
            client.stopping = True
        for client in clients:
            client.join(30)
        self.connections += sum(client.connections for client in clients)
        self.answers += sum(client.answers for client in clients)
        self.stops[name] += 1
        # The end of an upload that the server cancels is an error of the request.
        said = "".join(line for line in server.said().splitlines(True) if "CancellationError" not in line)
        server.kill()
        os.truncate(server.log.name, 0)
        if status != 0 or said:
            self.problems.append(f"stop {number}, {name}: status {status}\n{said[-4000:]}")

    def run(self, stops):
        begin = time.monotonic()
        for number in range(stops):
            self.stop(number)
            if len(self.problems) > 20:
                break
        rows = [[f"stops, {name}", count] for name, count in self.stops.items()]
        rows += [["second signals", self.again], ["unfinished uploads", self.uploads], ["connections", self.connections], ["answers", self.answers],
                 ["median stop, ms", round(1000 * statistics.median(self.took))],
                 ["slowest stop, ms", round(1000 * max(self.took))],
                 ["seconds", round(time.monotonic() - begin)]]
        return report(rows, self.problems, self.work)


def main(arguments):
    count = int(arguments[0]) if arguments else 500
    seed = int(arguments[1]) if len(arguments) > 1 else random.randrange(1 << 30)
    print("seed", seed)
    return Harness(seed).run(count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

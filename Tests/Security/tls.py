"""Tests TLS and HTTP/2: clients of all kinds, certificates that change, and hostile clients. Needs curl and openssl.

Usage: tls.py PROGRAM
"""

import http.client
import json
import os
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from network import CLIENT, enter
from server import PATIENCE, Server

HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION, DATA = 1, 3, 4, 6, 7, 8, 9, 0
END_STREAM, END_HEADERS = 1, 4
# Static entries of HPACK: GET, POST, https, and the path /.
GET, POST, HTTPS, ROOT = b"\x82", b"\x83", b"\x87", b"\x84"
AUTHORITY = b"\x01\x09localhost"


class Certificates:
    """An authority of its own and certificates for localhost, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.authority = folder + "/ca.pem"
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=Test CA",
                     "-keyout", folder + "/ca.key", "-out", self.authority)
        self.certificate, self.key = folder + "/site.pem", folder + "/site.key"

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def issue(self, serial, key="/site.key"):
        """Writes a new certificate with a new key over the former one."""
        request, extensions = self.folder + "/request.pem", self.folder + "/extensions"
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-keyout",
                     self.folder + key, "-out", request)
        with open(extensions, "w") as file:
            file.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
        self.openssl("x509", "-req", "-in", request, "-CA", self.authority, "-CAkey", self.folder + "/ca.key", "-days", "1", "-set_serial",
                     str(serial), "-extfile", extensions, "-out", self.certificate)

    def context(self, *protocols):
        context = ssl.create_default_context(cafile=self.authority)
        if protocols:
            context.set_alpn_protocols(protocols)
        return context


class HTTP2:
    """A client that sends any frames."""

    def __init__(self, server, certificates, settings=b"", receive_buffer=None, source=None):
        if source:
            plain = socket.create_connection((server.host, server.port), timeout=PATIENCE, source_address=(source, 0))
        else:
            plain = server.connect(receive_buffer=receive_buffer)
        self.socket = certificates.context("h2").wrap_socket(plain, server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.send(SETTINGS, 0, 0, settings)
        self.buffer = b""

    def send(self, kind, flags, stream, payload=b""):
        self.socket.sendall(frame(kind, flags, stream, payload))

    def get(self, stream, path=None, flags=END_STREAM | END_HEADERS):
        self.send(HEADERS, flags, stream, GET + HTTPS + (literal_path(path) if path else ROOT) + AUTHORITY)

    def post(self, stream, path):
        self.send(HEADERS, END_HEADERS, stream, POST + HTTPS + literal_path(path) + AUTHORITY)

    def next(self):
        """The next frame as kind, flags, stream and payload; None at the end of the connection."""
        while (first := first_frame(self.buffer)) is None:
            try:
                piece = self.socket.recv(1 << 16)
            except (ConnectionError, ssl.SSLError):
                return None
            if not piece:
                return None
            self.buffer += piece
        received, self.buffer = first
        return received

    def until_end(self):
        """All frames until the server closes the connection."""
        frames = []
        while (received := self.next()) is not None:
            frames.append(received)
        return frames

    def until(self, kind, stream):
        while (received := self.next()) is not None:
            if received[0] == kind and received[2] == stream:
                return received
        raise AssertionError(f"the connection ended before frame {kind} of stream {stream}")


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + struct.pack(">BBI", kind, flags, stream) + payload


def first_frame(buffer):
    """The first frame in bytes, and the bytes that follow it; None while it is incomplete."""
    length = int.from_bytes(buffer[:3], "big")
    if len(buffer) < 9 + length:
        return None
    return (*struct.unpack(">BBI", buffer[3:9]), buffer[9:9 + length]), buffer[9 + length:]


def frames_in(buffer):
    frames = []
    while (first := first_frame(buffer)) is not None:
        frames.append(first[0])
        buffer = first[1]
    return frames


def literal_path(path):
    return b"\x04" + bytes([len(path)]) + path.encode()


def setting(number, value):
    return struct.pack(">HI", number, value)


def error_of(frames):
    """The error code of GOAWAY."""
    codes = [int.from_bytes(payload[4:8], "big") for kind, _, _, payload in frames if kind == GOAWAY]
    return codes[-1] if codes else None


class Tests:
    def __init__(self, program, folder, has_client):
        self.program = program
        self.has_client = has_client
        self.certificates = Certificates(folder)
        self.certificates.issue(1)
        self.folder = folder

    def server(self, *options, listings=0):
        return Server(self.program, listings, "127.0.0.1", "--tls-certificate", self.certificates.certificate, "--tls-key", self.certificates.key,
                      "--rate-limit", "off", *options)

    def curl(self, path, *options, server=None):
        server = server or self.running
        command = ["curl", "-sS", "--max-time", "60", "--cacert", self.certificates.authority, "-w", "\n%{http_code} %{http_version}",
                   *options, f"https://localhost:{server.port}{path}", "--resolve", f"localhost:{server.port}:127.0.0.1"]
        result = subprocess.run(command, capture_output=True)
        assert result.returncode == 0, result.stderr
        body, _, told = result.stdout.rpartition(b"\n")
        status, version = told.decode().split()
        return int(status), version, body

    # Ordinary clients

    def check_versions(self):
        bodies = set()
        for option, version in (("--http2", "2"), ("--http1.1", "1.1"), ("--http1.0", "1")):
            status, spoken, body = self.curl("/openapi.json", option)
            assert (status, spoken) == (200, version) and len(body) > 50_000, (option, status, spoken, len(body))
            bodies.add(body)
        assert len(bodies) == 1
        status, _, body = self.curl("/openapi.json", "--http1.1", "-H", "Connection: close")
        assert status == 200 and body in bodies
        return f"2, 1.1 and 1.0, {len(body)} bytes"

    def check_headers(self):
        _, _, heads = self.curl("/", "--http2", "-D", "-", "-o", "/dev/null")
        heads = heads.decode().lower()
        assert "strict-transport-security:" in heads and "connection:" not in heads, heads
        _, _, exported = self.curl("/v1/listings.csv", "--http2", "-I")
        assert b"HTTP/2 200" in exported and b"content-length" not in exported.lower(), exported
        return "HSTS, no connection fields, HEAD of unknown length"

    def check_verification(self):
        other = subprocess.run(["curl", "-sS", f"https://localhost:{self.running.port}/", "--max-time", "20"], capture_output=True)
        assert other.returncode == 60, other
        old = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.running.port}", "-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"],
                             capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
        assert old.returncode != 0 and b"alert protocol version" in old.stderr, old.stderr
        return "refused without the authority; TLS 1.1 refused"

    def check_bodies(self):
        token = json.loads(self.curl("/v1/guests", "--http2", "-X", "POST")[2])["token"]
        listing = self.curl("/v1/listings", "--http2", "-H", f"Authorization: Bearer {token}", "--json",
                            '{"status":"lost","species":"dog","lon":14.79,"lat":40.77}')
        assert listing[0] == 201, listing
        large = self.folder + "/large"
        with open(large, "wb") as file:
            file.truncate(40 << 20)
        path = f"/v1/listings/{json.loads(listing[2])['id']}/photos/1"
        for version in ("--http2", "--http1.1"):
            status, _, _ = self.curl(path, version, "-T", large, "-H", f"Authorization: Bearer {token}")
            assert status == 413, status
        with open(large, "w") as file:
            file.write("{" * 300_000)
        status, _, _ = self.curl("/v1/listings", "--http2", "--json", "@" + large, "-H", f"Authorization: Bearer {token}")
        assert status in (400, 413), status
        return "a post, and refused bodies of 40 MB"

    def check_stream(self):
        """A listing arrives at a client of the event stream."""
        command = ["curl", "-sSN", "--max-time", str(PATIENCE), "--http2", "--cacert", self.certificates.authority, "--resolve", f"localhost:{self.running.port}:127.0.0.1",
                   f"https://localhost:{self.running.port}/v1/listings/stream"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
            try:
                client.stdout.readline()
                token = json.loads(self.curl("/v1/guests", "-X", "POST")[2])["token"]
                self.curl("/v1/listings", "-H", f"Authorization: Bearer {token}", "--json",
                          '{"status":"lost","species":"dog","name":"Streamed","lon":14.79,"lat":40.77}')
                while "Streamed" not in (line := client.stdout.readline()):
                    assert line
            finally:
                client.kill()
        return "a posted listing"

    def check_options(self):
        self.certificates.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.folder + "/other.key")
        certificate, key = self.certificates.certificate, self.certificates.key
        for options, message in (
            (["--tls-certificate", certificate], "tls-key: expected with tls-certificate"),
            (["--tls-key", key], "tls-certificate: expected with tls-key"),
            (["--tls-certificate", self.folder + "/none", "--tls-key", key], "no such file"),
            (["--tls-certificate", key, "--tls-key", key], "tls-certificate: expected certificates in PEM format"),
            (["--tls-certificate", certificate, "--tls-key", certificate], "tls-key: expected a private key in PEM format"),
            (["--tls-certificate", certificate, "--tls-key", self.folder + "/other.key"], "tls-key: expected the key of the certificate"),
        ):
            refused = subprocess.run([self.program, "serve", "--port", "0", "--data", self.folder + "/data", *options], capture_output=True,
                                     text=True, timeout=PATIENCE)
            assert refused.returncode != 0 and message in refused.stderr, refused.stderr
        return "6 mistakes are explained"

    def check_reload(self):
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(self.folder + "/notify")
        notify.settimeout(PATIENCE)
        os.environ["NOTIFY_SOCKET"] = self.folder + "/notify"
        with self.server() as server:
            del os.environ["NOTIFY_SOCKET"]
            assert notify.recv(100) == b"READY=1"
            before = http.client.HTTPSConnection("localhost", server.port, context=self.certificates.context())
            def ask():
                before.request("GET", "/healthz")
                answer = before.getresponse()
                answer.read()
                assert answer.status == 200
            def serial():
                with server.connect() as plain, self.certificates.context().wrap_socket(plain, server_hostname="localhost") as secure:
                    return int(secure.getpeercert()["serialNumber"], 16)
            def reload():
                server.process.send_signal(signal.SIGHUP)
                assert notify.recv(100).startswith(b"RELOADING=1\nMONOTONIC_USEC=")
                assert notify.recv(100) == b"READY=1"
            ask()
            connection = before.sock
            assert serial() == 1
            self.certificates.issue(2)
            assert serial() == 1
            reload()
            assert serial() == 2
            ask()
            # A new certificate without its key, then a file that is cut.
            self.certificates.issue(3, key="/unused.key")
            reload()
            assert serial() == 2
            with open(self.certificates.certificate, "w") as file:
                file.write("-----BEGIN CERTIFICATE-----\n")
            reload()
            assert serial() == 2
            ask()
            assert before.sock is connection, "the connection was closed"
            before.close()
            server.log.seek(0)
            log = server.log.read()
            assert log.count("the TLS certificate was not replaced") == 2, log
        self.certificates.issue(1)
        return "replaced, kept when wrong, connections go on"

    def check_sessions(self):
        """A second connection continues the session of the first, in both versions of TLS."""
        told = []
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = self.certificates.context("http/1.1")
            context.minimum_version = context.maximum_version = version
            session = None
            for _ in range(2):
                with self.running.connect(timeout=60) as plain, context.wrap_socket(
                        plain, server_hostname="localhost", session=session) as secure:
                    secure.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    assert secure.recv(12) == b"HTTP/1.1 200"
                    session, is_continued = secure.session, secure.session_reused
                    spoken = f"{secure.version()} {secure.cipher()[0]}"
            assert is_continued, version
            told.append(spoken)
        return "continued; " + ", ".join(told)

    def check_pieces(self):
        """Records that arrive a few bytes at a time, and an end of the client's half before the answer."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = self.certificates.context("http/1.1").wrap_bio(incoming, outgoing, server_hostname="localhost")
        with self.running.connect(timeout=60) as plain:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

            def run(operation):
                while True:
                    try:
                        result = operation()
                    except ssl.SSLWantReadError:
                        result = None
                    bytes_out = outgoing.read()
                    for start in range(0, len(bytes_out), 7):
                        plain.sendall(bytes_out[start:start + 7])
                    if result is not None or operation == client.unwrap:
                        return result
                    received = plain.recv(1 << 16)
                    incoming.write(received) if received else incoming.write_eof()

            run(lambda: client.do_handshake() or True)
            run(lambda: client.write(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            run(client.unwrap)
            answer = b""
            while b"\r\n\r\n" not in answer or len(answer.split(b"\r\n\r\n", 1)[1]) < length_of(answer):
                answer += run(lambda: client.read(1 << 16))
        assert answer.startswith(b"HTTP/1.1 200"), answer[:100]
        return f"a whole answer of {len(answer)} bytes after the client's end"

    # Hostile clients

    def check_renegotiation(self):
        asked = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{self.running.port}", "-tls1_2"], input=b"R\n",
                               capture_output=True, timeout=60)
        assert b"no renegotiation" in asked.stderr, asked.stderr
        return "refused"

    def check_plain(self):
        """Nonsense ends a connection sooner than silence."""
        with self.running.connect() as silent, self.running.connect() as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while plain.recv(1000):
                pass
            assert not is_closed(silent)
        return "closed"

    def check_slow_handshake(self):
        """A client that sends nothing, and one that sends a byte of its hello each second."""
        results = []
        for drips in (False, True):
            with self.running.connect() as plain:
                began = time.monotonic()
                hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
                try:
                    for byte in hello:
                        if drips:
                            plain.sendall(bytes([byte]))
                        plain.settimeout(1 if drips else PATIENCE)
                        try:
                            if plain.recv(100) == b"":
                                break
                        except TimeoutError:
                            continue
                except ConnectionError:
                    pass
                results.append(time.monotonic() - began)
        assert all(10 < took for took in results), results
        return " and ".join(f"{took:.0f} s" for took in results)

    def check_idle(self):
        client = HTTP2(self.running, self.certificates)
        began = time.monotonic()
        client.until_end()
        took = time.monotonic() - began
        assert 10 < took, took
        return f"closed after {took:.0f} s"

    def check_many_streams(self):
        """Requests whose bodies do not come, on one connection."""
        client = HTTP2(self.running, self.certificates)
        client.socket.settimeout(PATIENCE)
        # The server may reset the connection before GOAWAY is read, because heads arrive that it no longer reads.
        try:
            for number in range(150):
                client.post(1 + 2 * number, "/v1/accounts")
        except (ConnectionError, ssl.SSLError):
            pass
        code = error_of(client.until_end())
        client.socket.close()
        return f"closed, code {code}"

    def flood(self, frames_of, limit=50_000):
        """Sends frames until the connection is closed, and reads what comes.

        One thread does both, because two threads that use one TLS socket of Python damage the heap.
        """
        client = HTTP2(self.running, self.certificates)
        client.socket.setblocking(False)
        sent, rest, received = 0, b"", b""
        try:
            while sent < limit:
                rest = rest or frames_of(sent)
                try:
                    rest = rest[client.socket.send(rest):]
                    sent += not rest
                except ssl.SSLWantWriteError:
                    select.select([client.socket], [client.socket], [], 60)
                try:
                    while piece := client.socket.recv(1 << 16):
                        received += piece
                    break
                except ssl.SSLWantReadError:
                    pass
        except (ConnectionError, ssl.SSLError):
            pass
        client.socket.close()
        assert sent < limit, sent
        return f"closed after at most {sent} frames, code {error_of(frames_in(received))}"

    def check_rapid_reset(self):
        def request(number):
            stream = 1 + 2 * number
            head = frame(HEADERS, END_STREAM | END_HEADERS, stream, GET + HTTPS + ROOT + AUTHORITY)
            return head + frame(RST_STREAM, 0, stream, struct.pack(">I", 8))

        return self.flood(request)

    def check_ping_flood(self):
        return self.flood(lambda _: frame(PING, 0, 0, bytes(8)))

    def check_settings_flood(self):
        return self.flood(lambda _: frame(SETTINGS, 0, 0))

    def check_continuation_flood(self):
        head = frame(HEADERS, END_STREAM, 1, GET + HTTPS + ROOT + AUTHORITY)
        return self.flood(lambda number: frame(CONTINUATION, 0, 1, b"\x00\x01x\x7f\x00" + b"a" * 127) if number else head)

    def check_empty_data_flood(self):
        head = frame(HEADERS, END_HEADERS, 1, POST + HTTPS + literal_path("/v1/guests") + AUTHORITY)
        return self.flood(lambda number: frame(DATA, 0, 1) if number else head)

    def check_large_head(self):
        client = HTTP2(self.running, self.certificates)
        field = b"\x00\x01x\x7f\xf3\x1e" + b"a" * 4082
        client.send(HEADERS, END_STREAM, 1, GET + HTTPS + ROOT + AUTHORITY)
        try:
            for _ in range(20):
                client.send(CONTINUATION, 0, 1, field * 3)
        except (ConnectionError, ssl.SSLError):
            pass
        frames = client.until_end()
        assert not any(kind == HEADERS for kind, *_ in frames)
        return f"closed, code {error_of(frames)}"

    def check_malformed(self):
        """Requests that HTTP/2 forbids or that are unusual; each must be answered or refused, and none may end the server."""
        heads = [
            GET + HTTPS + AUTHORITY, GET + ROOT + AUTHORITY, HTTPS + ROOT, b"", GET + GET + HTTPS + ROOT,
            GET + HTTPS + ROOT + b"\x00\x0aconnection\x05close", GET + HTTPS + ROOT + b"\x00\x01X\x011",
            GET + HTTPS + literal_path("*") + AUTHORITY, GET + HTTPS + literal_path("x" * 120) + AUTHORITY,
            GET + HTTPS + literal_path("https://x/") + AUTHORITY, GET + HTTPS + b"\x04\x00" + AUTHORITY,
            b"\x02\x07CONNECT" + AUTHORITY, b"\x02\x07OPTIONS" + HTTPS + literal_path("*") + AUTHORITY,
            b"\x02\x05BREW!" + HTTPS + ROOT + AUTHORITY, GET + HTTPS + ROOT, b"\xff\xff\xff\xff\xff\xff",
            POST + HTTPS + literal_path("/v1/guests") + AUTHORITY + b"\x0f\x0d\x0299",
        ]
        for head in heads:
            client = HTTP2(self.running, self.certificates)
            client.send(HEADERS, END_STREAM | END_HEADERS, 1, head)
            while (received := client.next()) is not None:
                if received[0] in (HEADERS, RST_STREAM, GOAWAY):
                    break
            client.socket.close()
        for bytes_of in (b"\x00" * 100, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 10, frame(99, 255, 7, b"x" * 100), frame(DATA, 1, 5, b"x"),
                         b"\xff" * 5000):
            plain = self.running.connect()
            secure = self.certificates.context("h2").wrap_socket(plain, server_hostname="localhost")
            secure.sendall(bytes_of)
            try:
                while secure.recv(10_000):
                    pass
            except (ConnectionError, ssl.SSLError):
                pass
            secure.close()
        return f"{len(heads)} heads and 5 beginnings"

    def check_slow_body(self):
        """A body that drips is refused; the connection goes on."""
        client = HTTP2(self.running, self.certificates)
        client.post(1, "/v1/accounts")
        began = time.monotonic()
        client.socket.settimeout(1)
        answer = None
        while answer is None and time.monotonic() - began < PATIENCE:
            try:
                received = client.next()
                assert received is not None, "the connection was closed"
                if received[2] == 1 and received[0] in (HEADERS, RST_STREAM):
                    answer = received
            except TimeoutError:
                client.send(DATA, 0, 1, b"{")
        took = time.monotonic() - began
        assert answer and 10 < took, took
        client.socket.settimeout(PATIENCE)
        client.get(3, "/healthz")
        client.until(HEADERS, 3)
        client.socket.close()
        return f"answered after {took:.0f} s"

    def check_closed_window(self):
        """A client that asks for a page and gives no window for it: its stream is ended, others go on."""
        client = HTTP2(self.running, self.certificates, setting(4, 0))
        client.get(1, "/openapi.json")
        began = time.monotonic()
        client.until(RST_STREAM, 1)
        took = time.monotonic() - began
        assert 20 < took, took
        client.send(SETTINGS, 0, 0, setting(4, 65_535))
        client.get(3, "/healthz")
        client.until(HEADERS, 3)
        client.socket.close()
        return f"its stream ended after {took:.0f} s"

    def check_unread(self):
        """A client with a large window that reads nothing: its connection is reset."""
        client = HTTP2(self.running, self.certificates, setting(4, 0x7fffffff), receive_buffer=4096)
        client.send(WINDOW_UPDATE, 0, 0, struct.pack(">I", 0x7fff0000 - 65_535))
        for number in range(90):
            client.get(1 + 2 * number, "/openapi.json")
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            time.sleep(1)
            try:
                client.send(PING, 0, 0, bytes(8)) if int(time.monotonic() - began) % 10 == 0 else None
                if client.socket.fileno() >= 0 and is_closed(client.socket):
                    break
            except (ConnectionError, ssl.SSLError):
                break
        took = time.monotonic() - began
        assert 20 < took < PATIENCE, took
        return f"reset after {took:.0f} s"

    def ended_streams(self, client, head, expected):
        """Opens 20 endless streams, and returns how many of them the server ends nevertheless: as many as expected, or more."""
        for number in range(20):
            client.send(HEADERS, END_HEADERS | END_STREAM, 1 + 2 * number, GET + HTTPS + literal_path("/v1/listings/stream") + AUTHORITY + head)
        ended = set()
        try:
            while (received := client.next()) is not None:
                if received[0] == DATA and received[1] & END_STREAM:
                    ended.add(received[2])
                if len(ended) == expected:
                    client.socket.settimeout(1)
        except TimeoutError:
            pass
        client.socket.close()
        return len(ended)

    def check_requests_behind_a_proxy(self):
        with self.server("--trusted-proxies", "loopback", "--connections-per-address", "5") as server:
            forwarded = b"\x00\x0fx-forwarded-for\x0b203.0.113.7"
            ended = self.ended_streams(HTTP2(server, self.certificates), forwarded, 15)
        assert ended == 15, ended
        return "15 of 20 streams refused"

    def check_requests_of_an_address(self):
        """Streams of one address count together, on whatever connections they come; its connections count, too."""
        if not self.has_client:
            return "skipped: no network namespaces"
        with self.server("--connections-per-address", "5") as server:
            clients = [HTTP2(server, self.certificates, source=CLIENT) for _ in range(5)]
            plain = socket.create_connection((server.host, server.port), timeout=PATIENCE, source_address=(CLIENT, 0))
            try:
                refused = plain.recv(100)
            except ConnectionError:
                refused = b""
            assert refused == b"", refused
            for client in clients[1:]:
                client.get(1, "/v1/listings/stream")
                client.until(HEADERS, 1)
            ended = self.ended_streams(clients[0], b"", 19)
        assert ended == 19, ended
        return "the sixth connection and the sixth stream refused"

    def check_end(self):
        """SIGTERM ends the server with open HTTP/2 connections, of which one has an endless stream."""
        with self.server() as server:
            idle, busy = HTTP2(server, self.certificates), HTTP2(server, self.certificates)
            busy.get(1, "/v1/listings/stream")
            busy.until(HEADERS, 1)
            began = time.monotonic()
            server.process.terminate()
            assert error_of(idle.until_end()) == 0
            status = server.process.wait(PATIENCE)
            assert status == 0, status
        return f"{time.monotonic() - began:.1f} s"

    def run(self):
        checks = [getattr(self, name) for name in dir(self) if name.startswith("check_")]
        slow = {"check_slow_handshake", "check_idle", "check_slow_body", "check_closed_window", "check_unread"}
        failed = []

        def test(check):
            name = check.__name__.removeprefix("check_").replace("_", " ")
            try:
                told = check()
                told = told if told.startswith("skipped") else "ok, " + told
            except Exception as error:
                failed.append(name)
                told = f"FAILED {type(error).__name__} {error}"
            print(f"{name:28}  {told}", flush=True)

        with self.server(listings=200) as self.running:
            waiting = [threading.Thread(target=test, args=[check]) for check in checks if check.__name__ in slow]
            for thread in waiting:
                thread.start()
            for check in checks:
                if check.__name__ not in slow:
                    test(check)
            for thread in waiting:
                thread.join()
            status, _, _ = self.curl("/healthz")
            assert status == 200 and self.running.process.poll() is None
            print(f"{'memory':28}  {self.memory()} MiB after all")
        return not failed

    def memory(self):
        with open(f"/proc/{self.running.process.pid}/status") as file:
            return next(int(line.split()[1]) // 1024 for line in file if line.startswith("RssAnon"))


def length_of(answer):
    """The Content-Length of a head."""
    return int(answer.lower().split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])


def is_closed(connection):
    """Whether the kernel knows that the other side closed the connection, without reading."""
    state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
    return state not in (1, 2, 3)


def main():
    missing = [name for name in ("curl", "openssl") if shutil.which(name) is None]
    if missing:
        return print(f"skipped: {missing[0]} is not installed")
    has_client = enter()
    with tempfile.TemporaryDirectory() as folder:
        if not Tests(os.path.abspath(sys.argv[1]), folder, has_client).run():
            sys.exit(1)


if __name__ == "__main__":
    main()

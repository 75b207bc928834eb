"""An HTTPS or HTTP server at ADDRESS that answers in the way that the path names, and ends with its standard input.

Usage: receiver.py ADDRESS [PORT [https|http]]

Port 0 is any that is free.

It prints its port and then a line for each connection that is accepted and for each request.
"""

import base64
import email.utils
import http.server
import json
import os
import ssl
import struct
import sys
import threading
import time
import zlib

here = os.path.dirname(os.path.abspath(__file__))


def context(name):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(f"{here}/{name}.pem")
    return made


# The certificate for each name that the client asks for.
contexts = {
    "receiver.test": context("receiver"), "expired.test": context("expired"), "wrong.test": context("other"),
    "self-signed.test": context("self-signed")}
names = {}
counts, lock = {}, threading.Lock()


def tell(*words):
    """Prints a line by one write, because other threads print too."""
    with lock:
        sys.stdout.write(" ".join(words) + "\n")
        sys.stdout.flush()


def png(side, rows):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def choose(connection, name, _):
    names[connection] = name
    connection.context = contexts.get(name, contexts["receiver.test"])


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        tell("request", self.path)
        self.close_connection = True
        try:
            getattr(self, "at_" + self.path.split("/")[1].split("?")[0].replace("-", "_"), self.at_echo)()
        except OSError:
            pass

    do_POST = do_GET

    def at_echo(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(200, json.dumps({
            "line": self.requestline, "headers": dict(self.headers), "body": body.decode(),
            "sni": names.get(self.connection)}).encode())

    def at_take(self):
        """/take/STATUS,STATUS.../DELAY/RETRY: a status for each request, the last one again. RETRY is in seconds, or in
        seconds from now after "date-"; both numbers can be left out."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        _, _, statuses, delay, retry, *_ = self.path.split("/") + [""] * 3
        with lock:
            count = counts[self.path] = counts.get(self.path, 0) + 1
        time.sleep(float(delay or 0))
        statuses = statuses.split(",")
        if retry.startswith("date-"):
            retry = email.utils.formatdate(time.time() + float(retry[5:]), usegmt=True)
        self.answer(int(statuses[min(count, len(statuses)) - 1]), headers=[("Retry-After", retry)] if retry else [])
        taken = {"path": self.path, "headers": dict(self.headers), "body": base64.b64encode(body).decode()}
        tell("taken", json.dumps(taken))

    def at_redirect(self):
        self.answer(int(self.path.split("/")[2]), headers=[("Location", "/after-redirect")])

    def at_status(self):
        self.answer(int(self.path.split("/")[2]), headers=[("Retry-After", "120")])

    def at_csv(self):
        """/csv/NAME...: a table with a lost dog for each name."""
        rows = [f"{name},lost,{name},Fisciano (SA)" for name in self.path.split("/")[2:]]
        self.answer(200, "\n".join(["reference,status,name,place", *rows, ""]).encode())

    def at_photo(self):
        """/photo/NUMBER: a PNG that is different for each number."""
        number = int(self.path.split("/")[2])
        row = b"\0" + bytes([number % 256, number // 256 % 256, 99]) * 64
        self.answer(200, png(64, row * 64), [("Content-Type", "image/png")])

    def at_flaky_photo(self):
        """503 to the first request."""
        with lock:
            count = counts[self.path] = counts.get(self.path, 0) + 1
        self.answer(503) if count == 1 else self.at_photo()

    def at_to_photo(self):
        self.answer(302, headers=[("Location", "/photo/" + self.path.split("/")[2])])

    def at_tagged(self):
        """/tagged/NAME...: the same table, or 304 if the request knows it by both validators."""
        tag, time = '"%s"' % self.path, "Sat, 21 Nov 2026 17:05:00 GMT"
        headers = [("ETag", tag), ("Last-Modified", time)]
        if self.headers.get("If-None-Match") == tag and self.headers.get("If-Modified-Since") == time:
            return self.answer(304, headers=headers)
        rows = [f"{name},lost,{name},Fisciano (SA)" for name in self.path.split("/")[2:]]
        self.answer(200, "\n".join(["reference,status,name,place", *rows, ""]).encode(), headers)

    def at_pages(self):
        """/pages/NUMBER/COUNT: GeoJSON with a dog of another service's board on each page, and a link to the next page."""
        number, count = (int(part) for part in self.path.split("/")[2:4])
        id = f"00000000-0000-4000-8000-{number:012}"
        time = "2026-01-02T10:00:00.000Z"
        link = [("Link", f'</pages>; rel="self"; type="a", </pages/{number + 1}/{count}>; rel="next"')]
        self.answer(200, json.dumps({"type": "FeatureCollection", "features": [{
            "type": "Feature", "id": id, "geometry": {"type": "Point", "coordinates": [14.79, 40.77]}, "properties": {
                "code": "7KF3M2Q", "status": "lost", "name": f"Argo {number}", "approximate": False,
                "last_seen_at": time, "created_at": time, "updated_at": time}}]}).encode(), link if number < count else [])

    def at_body(self):
        self.answer(200, b"x" * int(self.path.split("/")[2]))

    def at_endless_body(self):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b"x" * 10_000)

    def at_endless_headers(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            self.wfile.write(b"X-Long: " + b"x" * 1_000 + b"\r\n")

    def at_endless_hints(self):
        while True:
            self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")

    def at_drip(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n")
        while True:
            self.wfile.write(b"x")
            time.sleep(0.05)

    def at_drip_headers(self):
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 10_000:
            self.wfile.write(bytes([byte]))
            time.sleep(0.05)

    def at_silence(self):
        time.sleep(3600)

    def at_compressed(self):
        import gzip
        self.answer(200, gzip.compress(b"0" * 1_000_000), [("Content-Encoding", "gzip")])

    def at_end(self):
        pass

    def at_nonsense(self):
        self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def get_request(self):
        connection, address = super().get_request()
        tell("connection")
        return connection, address

    def finish_request(self, request, address):
        if plain:
            return super().finish_request(request, address)
        # In the thread of the connection, because a client may be slow.
        outer = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        outer.load_cert_chain(f"{here}/receiver.pem")
        outer.sni_callback = choose
        try:
            with outer.wrap_socket(request, server_side=True) as secure:
                super().finish_request(secure, address)
        except (ssl.SSLError, OSError):
            pass

    def handle_error(self, *_):
        pass


plain = sys.argv[3:] == ["http"]
server = Server((sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0), Receiver)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()

"""Malformed requests: name, bytes, the permitted statuses, and the maximum number of answers.

Closing the connection without an answer is always permitted.
"""

HOST = b"Host: dogs.example.org\r\n"
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
POST = b"POST /v1/sessions HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\n" + HOST + b"\r\n"
BAD = {400}
ANY = {200, 204, 301, 303, 304, 400, 401, 403, 404, 405, 406, 408, 411, 413, 414, 415, 416, 417, 421, 422, 426, 429, 431, 501, 505}


def get(target, headers=b""):
    return b"GET " + target + b" HTTP/1.1\r\n" + HOST + headers + b"\r\n"


def post(body, headers=b"", target=b"/v1/sessions"):
    return (b"POST " + target + b" HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n" + headers
            + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def chunked(chunks, more=b""):
    return POST + b"Transfer-Encoding: chunked\r\n" + more + b"\r\n" + chunks


SHAPES = [
    # Conflicting lengths: a proxy could interpret them differently.
    ("CL and TE", POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED, BAD, 1),
    ("TE and CL", POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + SMUGGLED, BAD, 1),
    ("two CLs that differ", POST + b"Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}" + SMUGGLED, BAD, 1),
    ("two CLs in one field", POST + b"Content-Length: 2, 40\r\n\r\n{}" + SMUGGLED, BAD, 1),
    ("CL with a sign", POST + b"Content-Length: +2\r\n\r\n{}" + SMUGGLED, BAD, 1),
    ("CL below 0", POST + b"Content-Length: -2\r\n\r\n{}" + SMUGGLED, BAD, 1),
    ("CL in hexadecimal", POST + b"Content-Length: 0x2\r\n\r\n{}" + SMUGGLED, BAD, 1),
    ("CL beyond 64 bits", POST + b"Content-Length: 18446744073709551618\r\n\r\n{}" + SMUGGLED, BAD, 1),
    ("CL empty", POST + b"Content-Length:\r\n\r\n" + SMUGGLED, BAD, 1),
    ("TE unknown", POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED, BAD, 1),
    ("TE not chunked at last", POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + SMUGGLED, BAD, 1),
    ("TE twice", POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + SMUGGLED, BAD, 1),
    ("TE with a space before the colon", POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + SMUGGLED, BAD, 1),
    ("TE after a vertical tab", POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n" + SMUGGLED, BAD, 1),
    ("TE in HTTP/1.0", b"POST /v1/sessions HTTP/1.0\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED, ANY, 1),
    ("folded header", GET + b"X-A: 1\r\n 2\r\n\r\n", ANY, 1),
    ("folded TE", POST + b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + SMUGGLED, ANY, 2),
    ("header before the first line", b" " + GET + b"\r\n", ANY, 1),
    ("bare LF", b"GET /healthz HTTP/1.1\nHost: a\n\n", ANY, 1),
    ("bare CR in a header", GET + b"X-A: 1\r2\r\n\r\n", BAD, 1),
    ("NUL in a header", GET + b"X-A: 1\x002\r\n\r\n", BAD, 1),
    ("NUL in a name", GET + b"X\x00A: 1\r\n\r\n", BAD, 1),
    ("no name", GET + b": 1\r\n\r\n", BAD, 1),
    ("no colon", GET + b"nonsense\r\n\r\n", BAD, 1),
    ("name with a space", GET + b"X A: 1\r\n\r\n", BAD, 1),
    ("name beyond ASCII", GET + "Ärger: 1\r\n\r\n".encode(), BAD, 1),
    # Request targets.
    ("absolute-form", b"GET http://dogs.example.org/healthz HTTP/1.1\r\n" + HOST + b"\r\n", {200}, 1),
    ("absolute-form of another host", b"GET http://evil.example/healthz HTTP/1.1\r\n" + HOST + b"\r\n", ANY, 1),
    ("authority-form", b"CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + b"\r\n", ANY, 1),
    ("asterisk", b"GET * HTTP/1.1\r\n" + HOST + b"\r\n", ANY, 1),
    ("no slash", b"GET healthz HTTP/1.1\r\n" + HOST + b"\r\n", ANY, 1),
    ("scheme of a file", b"GET file:///etc/passwd HTTP/1.1\r\n" + HOST + b"\r\n", ANY, 1),
    ("way up", get(b"/assets/../../etc/passwd"), ANY - {200}, 1),
    ("way up, encoded", get(b"/photos/%2e%2e%2f%2e%2e%2fetc%2fpasswd"), ANY - {200}, 1),
    ("way up, encoded twice", get(b"/photos/%252e%252e%252fetc%252fpasswd"), ANY - {200}, 1),
    ("NUL, encoded", get(b"/v1/listings?q=%00"), BAD, 1),
    ("half an escape", get(b"/v1/listings?q=%E"), BAD, 1),
    ("bytes beyond UTF-8", get(b"/v1/listings?q=%FF%FE"), BAD, 1),
    ("raw bytes", get(b"/v1/listings?q=\xff\xfe"), ANY, 1),
    ("fragment", get(b"/healthz#x"), ANY, 1),
    ("thousand slashes", get(b"/" * 1000 + b"healthz"), ANY, 1),
    ("address of 17 KiB", get(b"/v1/listings?q=" + b"a" * 17_000), {414}, 1),
    ("address of 70 KiB", get(b"/v1/listings?q=" + b"a" * 70_000), {414, 431}, 1),
    ("thousand parameters", get(b"/v1/listings?" + b"&".join(b"a%d=1" % i for i in range(1000))), BAD, 1),
    # Host headers.
    ("no Host", b"GET /healthz HTTP/1.1\r\n\r\n", ANY, 1),
    ("two Hosts", GET + b"Host: b\r\n\r\n", BAD, 1),
    ("Host with a path", b"GET /healthz HTTP/1.1\r\nHost: a/b?c\r\n\r\n", ANY, 1),
    ("Host of 8 KiB", b"GET /healthz HTTP/1.1\r\nHost: " + b"a" * 8000 + b"\r\n\r\n", ANY, 1),
    # Versions and methods.
    ("HTTP/0.9", b"GET /healthz\r\n\r\n", ANY, 1),
    ("HTTP/1.2", b"GET /healthz HTTP/1.2\r\n" + HOST + b"\r\n", ANY, 1),
    ("HTTP/2's first words", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ANY, 1),
    ("HTTP/9.9", b"GET /healthz HTTP/9.9\r\n" + HOST + b"\r\n", ANY, 1),
    ("upgrade to HTTP/2", GET + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n", {200}, 1),
    ("upgrade to WebSocket", GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", {200}, 1),
    ("TLS", bytes.fromhex("16030100c8010000c40303") + bytes(200), ANY, 1),
    ("method that none knows", b"FROBNICATE /healthz HTTP/1.1\r\n" + HOST + b"\r\n", {501}, 1),
    ("method in small letters", b"get /healthz HTTP/1.1\r\n" + HOST + b"\r\n", ANY, 1),
    ("TRACE", b"TRACE /healthz HTTP/1.1\r\n" + HOST + b"\r\n", {405, 501}, 1),
    ("method of 8 KiB", b"A" * 8192 + b" / HTTP/1.1\r\n" + HOST + b"\r\n", ANY, 1),
    # Large amounts.
    ("thousand headers", GET + b"".join(b"X-%d: 1\r\n" % i for i in range(999)) + b"\r\n", ANY, 1),
    ("ten thousand headers", GET + b"".join(b"X-%d: 1\r\n" % i for i in range(10_000)) + b"\r\n", {431}, 1),
    ("header of 40 KiB", GET + b"X-A: " + b"a" * 40_000 + b"\r\n\r\n", {431}, 1),
    ("header that does not end", GET + b"X-A: " + b"a" * 200_000, {431}, 1),
    ("cookies of 30 KiB", GET + b"Cookie: " + b"; ".join(b"c%d=x" % i for i in range(4000))[:30_000] + b"\r\n\r\n", {200}, 1),
    ("blank lines", b"\r\n" * 10_000 + get(b"/healthz"), ANY, 1),
    ("thousand requests at once", get(b"/healthz") * 1000, {200}, 1000),
    ("request behind the last one", GET + b"Connection: close\r\n\r\n" + SMUGGLED, {200}, 1),
    # Chunks.
    ("chunk below 0", chunked(b"-1\r\n{}\r\n0\r\n\r\n"), BAD, 1),
    ("chunk beyond 64 bits", chunked(b"1" + b"0" * 16 + b"\r\n{}\r\n0\r\n\r\n"), BAD, 1),
    ("chunk with 0x", chunked(b"0x2\r\n{}\r\n0\r\n\r\n"), BAD, 1),
    ("chunk without a size", chunked(b"\r\n{}\r\n0\r\n\r\n"), BAD, 1),
    ("chunk without an end", chunked(b"2\r\n{}X\r\n0\r\n\r\n"), BAD, 1),
    ("chunk longer than told", chunked(b"1\r\n{}\r\n0\r\n\r\n"), BAD, 1),
    ("chunk with a space before its size", chunked(b" 2\r\n{}\r\n0\r\n\r\n"), BAD, 1),
    ("extension of 100 KiB", chunked(b"2;" + b"a" * 100_000 + b"\r\n{}\r\n0\r\n\r\n"), ANY, 1),
    ("chunks of one byte, 100,000", chunked(b"1\r\n \r\n" * 100_000 + b"0\r\n\r\n"), {413}, 1),
    ("trailers, ten thousand", chunked(b"2\r\n{}\r\n0\r\n" + b"X: 1\r\n" * 10_000 + b"\r\n"), ANY, 1),
    ("trailer that sets a header", chunked(b"2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\nContent-Length: 5\r\n\r\n"), ANY, 1),
    ("body with GET", get(b"/healthz", b"Content-Length: 5\r\n") + b"hello" + get(b"/healthz"), {200}, 2),
    ("Expect of nonsense", POST + b"Expect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}", ANY, 1),
    # JSON.
    ("JSON 20,000 deep", post(b'{"a":' + b"[" * 20_000 + b"]" * 20_000 + b"}"), BAD, 1),
    ("JSON objects 10,000 deep", post(b'{"a":' * 10_000 + b"1" + b"}" * 10_000), BAD, 1),
    ("number beyond all", post(b'{"email": 1e99999, "password": "x"}'), BAD, 1),
    ("number of 60,000 digits", post(b'{"email": ' + b"9" * 60_000 + b"}"), BAD, 1),
    ("NaN", post(b'{"email": NaN}'), BAD, 1),
    ("half a surrogate", post(b'{"email": "\\ud800", "password": "12345678"}'), {400, 401}, 1),
    ("not UTF-8", post(b'{"email": "\xff\xfe"}'), BAD, 1),
    ("UTF-16", post('{"email": "a"}'.encode("utf-16")), BAD, 1),
    ("thousands of members", post(b"{" + b",".join(b'"a%d":1' % i for i in range(5000)) + b"}"), BAD, 1),
    ("64 KiB and a byte", post(b" " * (64 * 1024 + 1)), {413}, 1),
    ("compressed body", post(bytes.fromhex("1f8b0800000000000003") + b"\0" * 50_000, b"Content-Encoding: gzip\r\n"), BAD | {415}, 1),
    ("two JSON values", post(b"{}{}"), BAD, 1),
    # Single headers.
    ("thousand ranges", get(b"/assets/x/app.css", b"Range: bytes=" + b",".join(b"%d-%d" % (i, i) for i in range(1000)) + b"\r\n"), ANY, 1),
    ("range below 0", get(b"/v1/breeds", b"Range: bytes=-99999999999999999999\r\n"), ANY, 1),
    ("ten thousand tags", get(b"/v1/breeds", b"If-None-Match: " + b",".join(b'"%d"' % i for i in range(4000)) + b"\r\n"), ANY, 1),
    ("ten thousand languages", get(b"/board", b"Accept-Language: " + b",".join(b"a%d;q=0.1" % i for i in range(2500)) + b"\r\n"), {200}, 1),
    ("codings that weigh nothing", get(b"/v1/breeds", b"Accept-Encoding: gzip;q=nan, br;q=-1, *;q=1e999\r\n"), {200}, 1),
    ("event beyond all", get(b"/v1/listings/stream", b"Last-Event-ID: 99999999999999999999\r\n"), BAD, 1),
    ("token of 30 KiB", get(b"/v1/me", b"Authorization: Bearer " + b"a" * 30_000 + b"\r\n"), {401}, 1),
    ("two tokens", get(b"/v1/me", b"Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"), {400, 401}, 1),
    ("cursor of nonsense", get(b"/v1/listings?cursor=" + b"%F0%9F%90%95" * 100), BAD, 1),
]

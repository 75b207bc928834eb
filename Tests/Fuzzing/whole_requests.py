"""Sends almost valid requests to a server and prints a row.

Usage: whole_requests.py PROGRAM [SECONDS [SEED]]

Requests are generated from the API description (`/openapi.json`): every operation, every parameter and field, mostly
with valid values and otherwise with values that often break parsers. The pages and forms are those of the article
"Web pages", which a test compares with the router; their parameters and fields are drawn from those of all operations
and from those that only forms have. The only permitted 5xx answer is a 503 with `Retry-After`, a 400 answer must name
its reason, and no answer may take longer than ten seconds.
"""

import http.client
import json
import random
import re
import sys
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parent.parent / "Security"))
from server import Server  # noqa: E402

PROGRAM = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
PAGES = Path(__file__).parent.parent.parent / "Sources/doggofinder/Documentation.docc/WebPages.md"
chance = random.Random(SEED)
TRAPS = ["", " ", "0", "-1", "1e308", "NaN", "inf", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "null", "true", "'",
         "\"", "\\", "%", "%00", "\u0000", "\ud7ff", "\u202e", "\U0001f415" * 50, "a" * 5000, "../../etc/passwd", "<script>", "{{7*7}}", "; DROP TABLE listing",
         "1,2,3,4", "180,90,-180,-90", "-180,-90,180,90", "2026-02-30", "0000-01-01", "9999-12-31T23:59:60Z", "../..", "Roma", "lost,,found", ",", ";",
         "(((((((((", "name = 'x'", "name LIKE '%'", "S_INTERSECTS(geometry, POINT(0 0))", "NOT " * 70 + "TRUE", "{\"op\":\"=\"}", "\n", "\r\n", "\t"]
HEADERS = {"Accept": ["*/*", "text/html", "application/json;q=nan", ",,,", "a" * 3000], "Accept-Language": ["it", "en;q=0.5,it", "*;q=-1", ";;;", "x-" * 900],
           "Accept-Encoding": ["gzip", "gzip;q=0", "br", "*"], "If-Match": ["*", "\"1\"", "W/\"x\"", "\"", ",,"], "If-None-Match": ["*", "\"1\"", "W/\"\""],
           "Range": ["bytes=0-1", "bytes=-1", "bytes=9-1", "lines=1", "bytes=" + "0-0," * 500], "Last-Event-ID": ["0", "-1", "x", "9" * 40],
           "Cookie": ["session=x", "lang=it; lang=en", "=;=", "a" * 4000, "__Host-session="], "Idempotency-Key": ["\"a\"", "a", "\"" + "a" * 300 + "\"", ""],
           "If-Modified-Since": ["Sat, 21 Nov 2026 00:00:00 GMT", "x"], "Origin": ["null", "https://evil.example"], "X-Forwarded-For": ["x", "1.1.1.1,"]}


def value(schema, document, depth=0):
    """A value that usually matches the schema."""
    if chance.random() < 0.15:
        return chance.choice([*TRAPS, 0, -1, 1e300, 2**70, None, True, [], {}, [[]], {"a": {"a": 1}}])
    if "$ref" in schema and depth < 8:
        return value(document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], document, depth + 1)
    for key in ("allOf", "anyOf", "oneOf"):
        if key in schema:
            return value(chance.choice(schema[key]), document, depth + 1)
    if "enum" in schema:
        return chance.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object" and depth < 8:
        return {name: value(inner, document, depth + 1) for name, inner in schema.get("properties", {}).items() if chance.random() < 0.5}
    if kind == "array":
        return [value(schema.get("items", {}), document, depth + 1) for _ in range(chance.choice([0, 1, 2, 4, 5]))]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", -1000), schema.get("maximum", 1000)
        return chance.choice([low, high, low - 1, high + 1, chance.randint(int(low), int(max(low, min(high, 1e9))))])
    if kind == "boolean":
        return chance.choice([True, False])
    if schema.get("format") == "uuid":
        return "00000000-0000-4000-8000-000000000000"
    if schema.get("format", "").startswith("date"):
        return "2026-05-01T10:00:00Z"
    return schema.get("example") or chance.choice(["Argo", "Roma", "a@example.org", "correct horse", "+39 089 123456"])


def pages(document):
    """Yields an operation for each page and form, with all known parameters and fields."""
    properties = {}
    for schema in document["components"]["schemas"].values():
        properties |= schema.get("properties", {})
    for name in ("confirmed", "token", "sure", "action", "days", "version", "remove", "remove_photo", "time_zone", "photo", "photos", "done", "zoom", "lang"):
        properties[name] = {"type": "string", "enum": ["yes", "1", "dismiss", "ban", "30", "it", "Europe/Rome"]}
    properties["id"] = {"type": "string", "format": "uuid"}
    for row in re.findall(r"^\| (`(?:GET|POST)[^|]*)\|", PAGES.read_text(encoding="utf-8"), re.MULTILINE):
        methods = []
        for method, path in re.findall(r"`(GET|POST)(?: ([^`]+))?`", row):
            methods.append(method)
            if not path:
                continue
            inner = [{"name": name, "in": "path", "schema": {"type": "string", "format": "uuid"}} for name in re.findall(r"{(\w+)}", path)]
            for method in methods:
                yield path, method, inner, properties
            methods = []


def page_request(path, method, inner, properties, document):
    some = {name: properties[name] for name in chance.sample(sorted(properties), 12)}
    operation = {"parameters": inner + [{"name": name, "in": "query", "schema": schema} for name, schema in some.items()]}
    if method == "POST":
        schema = {"type": "object", "properties": some}
        operation["requestBody"] = {"content": {kind: {"schema": schema} for kind in ("application/x-www-form-urlencoded", "multipart/form-data")}}
    return request(path, method, operation, document)


def text(content):
    if isinstance(content, list):
        return ",".join(map(text, content))
    return content if isinstance(content, str) else json.dumps(content)


def garble(body):
    data = bytearray(body)
    for _ in range(chance.randint(0, 3)):
        if data:
            place = chance.randrange(len(data))
            piece = chance.choice([b"", bytes([chance.randrange(256)]), chance.choice(TRAPS).encode(errors="replace"), data[:place] * 3])
            data[place:place + chance.randint(0, 5)] = piece
    return bytes(data[:100_000])


def escaped(content):
    return quote(content.encode("utf-8", "replace"), safe="" if chance.random() < 0.9 else "/%&=")


def request(path, method, operation, document):
    query = []
    for parameter in operation.get("parameters", []):
        if "$ref" in parameter:
            parameter = document["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
        content = text(value(parameter.get("schema", {}), document))
        if parameter["in"] == "path":
            path = path.replace("{" + parameter["name"] + "}", escaped(content) or "x")
        elif parameter["in"] == "query" and chance.random() < 0.4:
            query += [f"{parameter['name']}={escaped(content)}"] * (1 if chance.random() < 0.97 else 2)
    headers = {name: chance.choice(values) for name, values in HEADERS.items() if chance.random() < 0.12}
    body = None
    kinds = operation.get("requestBody", {}).get("content", {})
    if kinds:
        kind = chance.choice(list(kinds))
        content = value(kinds[kind].get("schema", {}), document)
        if "json" in kind:
            body = json.dumps(content).encode()
        elif "multipart" in kind:
            kind += "; boundary=X"
            fields = content if isinstance(content, dict) else {}
            body = b"".join(b'--X\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n%s\r\n' % (
                name.encode(), b'; filename="a.jpg"' if "photo" in name else b"", text(inner).encode("utf-8", "replace")) for name, inner in fields.items()) + b"--X--\r\n"
        elif "urlencoded" in kind:
            fields = content if isinstance(content, dict) else {}
            body = "&".join(f"{name}={escaped(text(inner))}" for name, inner in fields.items()).encode()
        else:
            body = chance.choice(PHOTOS)
        if chance.random() < 0.4:
            body = garble(body)
        headers["Content-Type"] = kind if chance.random() < 0.95 else "text/plain"
        headers["Sec-Fetch-Site"] = "same-origin"
    return path + ("?" + "&".join(query) if query else ""), headers, body


PHOTOS = [file.read_bytes() for file in sorted((Path(__file__).parent.parent / "PhotosTests/Fixtures").glob("*.[jpw]*"))]


def main():
    with Server(PROGRAM, 0, "127.0.0.1", "--quota", "off") as server:
        document = json.loads(server.ask("GET", "/openapi.json")[2])
        operations = [(path, method.upper(), operation) for path, item in document["paths"].items() for method, operation in item.items()
                      if method in ("get", "put", "post", "patch", "delete", "head") and not path.endswith("/stream")]
        forms = list(pages(document))
        assert len(forms) > 50, forms
        token = json.loads(server.ask("POST", "/v1/guests")[2])["token"]
        client = http.client.HTTPConnection(server.host, server.port, timeout=30)
        memory, count, seen, slowest, failures, first = server.memory(), 0, {}, (0, ""), [], None
        end = time.time() + SECONDS
        while time.time() < end and len(failures) < 20:
            if chance.random() < 0.35:
                path, method, inner, properties = chance.choice(forms)
                target, headers, body = page_request(path, method, inner, properties, document)
            else:
                path, method, operation = chance.choice(operations)
                target, headers, body = request(path, method, operation, document)
            if chance.random() < 0.7:
                headers["Authorization"] = "Bearer " + token
            start = time.time()
            try:
                client.request(method, target, body, {**headers})
                answer = client.getresponse()
                content = answer.read()
            except (http.client.HTTPException, OSError, UnicodeError) as error:
                # Python refuses to send the request, or the server closes the connection after a body that it did not
                # need.
                client.close()
                seen[type(error).__name__] = seen.get(type(error).__name__, 0) + 1
                if server.process.poll() is not None:
                    failures.append(f"the server ended: {method} {target} {body!r:.300}")
                    break
                continue
            took = time.time() - start
            count += 1
            seen[answer.status] = seen.get(answer.status, 0) + 1
            slowest = max(slowest, (took, f"{method} {target[:100]}"))
            first = first or (server.memory() if count == 2000 else None)
            wrong = answer.status >= 500 and not (answer.status == 503 and answer.headers["Retry-After"])
            problem = answer.headers.get_content_type() == "application/problem+json"
            if answer.status == 400 and problem and not json.loads(content).get("detail"):
                wrong = True
            if wrong or took > 10:
                failures.append(f"{answer.status} in {took:.1f} s: {method} {target} {headers} {body!r:.300} -> {content[:200]!r}")
            # The request may have deleted the guest's account.
            if answer.status == 204 and path == "/v1/me" or answer.status == 401 and "Authorization" in headers:
                token = json.loads(server.ask("POST", "/v1/guests")[2])["token"]
        lines = server.errors()
        told = " ".join(f"{status}:{number}" for status, number in sorted(seen.items(), key=str))
        print(f"{'FAIL' if failures or lines else 'ok  '} http{'':14}{count:9} requests {count / SECONDS:6.0f}/s  {len(operations)} operations, {len(forms)} pages  {told}  "
              f"slowest {slowest[0] * 1000:.0f} ms {slowest[1]}  {memory:.0f} to {server.memory():.0f} MiB")
        for failure in failures[:20] + lines[:10]:
            print("      " + failure)
        sys.exit(1 if failures or lines else 0)


main()

"""Starts nginx and Caddy with the configurations that the documentation shows, in front of servers of their own.

Usage: proxies.py ADDRESS PROGRAM
ADDRESS is not used: the servers need other base URLs. In a network namespace of its own, if the system permits one, a client
with another address than the proxy's is limited, too.
"""

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from html.parser import HTMLParser

sys.path.append(os.path.join(os.path.dirname(__file__), "../Security"))
from network import CLIENT, enter

PROGRAM = os.path.abspath(sys.argv[2])
PAGE = os.path.join(os.path.dirname(__file__), "../../Sources/doggofinder/Documentation.docc/Administration/ReverseProxies.md")
HOST = "dogs.example.org"


def main():
    has_client = enter()
    with open(PAGE, encoding="utf-8") as file:
        blocks = dict(re.findall(r"```([\w-]+)\n(.*?)```", file.read(), re.DOTALL))
    for proxy, kind in ((Nginx, "nginx"), (Caddy, "caddy")):
        missing = [name for name in (kind, "curl", "openssl") if shutil.which(name) is None]
        if missing:
            print(kind, "all", f"skipped: {missing[0]} is not installed", sep="\t")
            continue
        for prefix in ("", "/dogs"):
            with tempfile.TemporaryDirectory() as folder:
                make_certificate(folder)
                with proxy(folder, blocks, prefix) as running:
                    check(kind + prefix, running, has_client)


def make_certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
                    f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", folder + "/privkey.pem", "-out", folder + "/fullchain.pem"],
                   check=True, stderr=subprocess.DEVNULL)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Proxy:
    """The server, and a proxy in front of it."""

    def __init__(self, folder, blocks, prefix):
        self.folder, self.prefix = folder, prefix
        self.port, self.plain_port, self.inner_port = free_port(), free_port(), free_port()
        self.base = f"https://{HOST}:{self.port}{prefix}"
        self.context = ssl.create_default_context(cafile=folder + "/fullchain.pem")
        self.log = open(folder + "/log", "w+")
        self.processes = []
        try:
            server = subprocess.Popen([PROGRAM, "serve", "--port", str(self.inner_port), "--data", folder + "/data", "--log-level", "warning",
                                       "--base-url", self.base, "--trusted-proxies", "loopback"], stdout=subprocess.PIPE, stderr=self.log)
            self.processes.append(server)
            assert b"answers" in server.stdout.readline(), self.told()
            self.processes.append(subprocess.Popen(self.command(blocks), stdout=self.log, stderr=self.log,
                                                   env=os.environ | {"HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}))
            self.await_port()
        except BaseException:
            self.__exit__()
            raise

    def await_port(self):
        for _ in range(300):
            assert self.processes[-1].poll() is None, self.told()
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.1)
        raise AssertionError(self.told())

    def told(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as file:
            return file.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()

    def ask(self, method, path, body=None, headers=None, source=None):
        """The status, the headers and the body of an answer through the proxy."""
        connection = self.connect(source)
        connection.request(method, path, body=body, headers=headers or {})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def connect(self, source=None):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=300, source_address=(source, 0) if source else None)
        connection = http.client.HTTPSConnection(HOST, self.port, timeout=300)
        connection.sock = self.context.wrap_socket(plain, server_hostname=HOST)
        return connection

    def send(self, method, path, fields, token=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        status, _, body = self.ask(method, self.prefix + path, json.dumps(fields).encode(), headers)
        assert status in (200, 201), (status, body)
        return json.loads(body)


class Nginx(Proxy):
    def command(self, blocks):
        site = blocks["nginx"]
        if self.prefix:
            site = re.sub(r"    location / \{.*?\n    \}\n", lambda _: blocks["nginx-location"], site, flags=re.DOTALL)
        for shown, used in (
            ("listen 80;", f"listen 127.0.0.1:{self.plain_port};"), ("listen [::]:80;", f"listen [::1]:{self.plain_port};"),
            ("listen 443 ", f"listen 127.0.0.1:{self.port} "), ("listen [::]:443 ", f"listen [::1]:{self.port} "),
            ("127.0.0.1:8080", f"127.0.0.1:{self.inner_port}"), (f"https://{HOST}$request_uri", f"https://{HOST}:{self.port}$request_uri"),
            (f"/etc/letsencrypt/live/{HOST}", self.folder),
        ):
            assert site.count(shown) == 1 or "letsencrypt" in shown, shown
            site = site.replace(shown, used)
        if not socket.has_ipv6 or not os.path.exists("/proc/net/if_inet6"):
            site = re.sub(r" *listen \[::1\].*\n", "", site)
        temporary = "".join(f"{name}_temp_path {self.folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # As root, nginx would run as a user that a user namespace does not have.
        user = "user root root;\n" if os.geteuid() == 0 else ""
        with open(self.folder + "/nginx.conf", "w", encoding="utf-8") as file:
            file.write(f"{user}daemon off;\npid {self.folder}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{site}\n}}\n")
        return ["nginx", "-p", self.folder, "-c", self.folder + "/nginx.conf", "-e", "stderr"]


class Caddy(Proxy):
    def command(self, blocks):
        site = blocks["caddy"]
        if self.prefix:
            site = site.replace("\treverse_proxy 127.0.0.1:8080\n", blocks["caddy-path"])
        for shown, used in (
            # Caddy would obtain a certificate for a public name, which a test cannot have.
            (f"{HOST} {{\n", f"https://{HOST}:{self.port} {{\n\tbind 127.0.0.1\n\ttls {self.folder}/fullchain.pem {self.folder}/privkey.pem\n"),
            ("127.0.0.1:8080", f"127.0.0.1:{self.inner_port}"),
        ):
            assert site.count(shown) == 1, shown
            site = site.replace(shown, used)
        with open(self.folder + "/Caddyfile", "w", encoding="utf-8") as file:
            file.write("{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + site)
        return ["caddy", "run", "--adapter", "caddyfile", "--config", self.folder + "/Caddyfile"]


class Links(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found = set()
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found |= {value for name, value in attributes if name in ("href", "src", "action") and value}


def check(kind, proxy, has_client):
    def tell(what, result):
        print(kind, what, result, sep="\t", flush=True)

    tell("links with the base URL", check_links(proxy))
    tell("HTTP/2 and the redirect to https", check_versions(proxy))
    tell("a photo of 10 MB", check_upload(proxy))
    tell("a body over the limit", check_limit(proxy))
    tell("the event stream", check_stream(proxy))
    tell("the session cookie", check_cookie(proxy))
    tell("the client's address in limits", check_address(proxy, has_client))


def check_links(proxy):
    status, headers, page = proxy.ask("GET", proxy.prefix + "/", headers={"Accept": "text/html"})
    assert status == 200 and headers["Strict-Transport-Security"], (status, headers)
    local = {link for link in Links(page.decode()).found if not link.startswith(("http", "mailto:", "#", "data:"))}
    assert local and all(link.startswith(proxy.prefix + "/") for link in local), local
    for link in sorted(local):
        found = proxy.ask("GET", link.split("#")[0])[0]
        assert found in (200, 303, 302), (link, found)
    status, _, robots = proxy.ask("GET", proxy.prefix + "/robots.txt")
    assert status == 200 and f"Sitemap: {proxy.base}/sitemap.xml" in robots.decode(), robots
    landing = json.loads(proxy.ask("GET", proxy.prefix + "/", headers={"Accept": "application/json"})[2])
    for link in landing["links"]:
        assert link["href"].startswith(proxy.base), link
    return f"ok, {len(local)} links of the page"


def check_versions(proxy):
    command = ["curl", "-sS", "--cacert", proxy.folder + "/fullchain.pem", "--resolve", f"{HOST}:{proxy.port}:127.0.0.1", "-o", "/dev/null",
               "-w", "%{http_code} %{http_version}", "--http2", proxy.base + "/"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told == "200 2", told
    if isinstance(proxy, Caddy):
        return "ok, HTTP/2; its redirect needs port 80"
    connection = http.client.HTTPConnection("127.0.0.1", proxy.plain_port, timeout=300)
    connection.request("GET", "/listings?q=x", headers={"Host": HOST})
    answer = connection.getresponse()
    assert answer.status == 301 and answer.headers["Location"] == f"https://{HOST}:{proxy.port}/listings?q=x", answer.headers
    connection.close()
    return "ok"


def check_upload(proxy):
    token = proxy.send("POST", "/v1/guests", {})["token"]
    listing = proxy.send("POST", "/v1/listings", {"status": "lost", "species": "dog", "lon": 14.79, "lat": 40.77}, token)["id"]
    side = 1_850
    rows = b"".join(b"\0" + os.urandom(side * 3) for _ in range(side))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    photo = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
             + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))
    assert len(photo) > 10_000_000
    began = time.monotonic()
    status, headers, body = proxy.ask("PUT", f"{proxy.prefix}/v1/listings/{listing}/photos/1", photo,
                                      {"Authorization": f"Bearer {token}", "Content-Type": "image/png"})
    assert status in (200, 201, 204), (status, body)
    took = time.monotonic() - began
    status, headers, _ = proxy.ask("GET", f"{proxy.prefix}/v1/listings/{listing}/photos/1")
    place = headers["Location"]
    assert status in (302, 303, 307) and place, (status, place)
    path = place.removeprefix(f"https://{HOST}:{proxy.port}")
    assert path.startswith(proxy.prefix + "/"), place
    status, headers, image = proxy.ask("GET", path)
    assert status == 200 and headers["Content-Type"].startswith("image/"), status
    return f"ok, {len(photo) / 1e6:.1f} MB in {took:.1f} s"


def check_limit(proxy):
    token = proxy.send("POST", "/v1/guests", {})["token"]
    listing = proxy.send("POST", "/v1/listings", {"status": "lost", "species": "dog", "lon": 14.79, "lat": 40.77}, token)["id"]
    connection = proxy.connect()
    connection.putrequest("PUT", f"{proxy.prefix}/v1/listings/{listing}/photos/1")
    connection.putheader("Authorization", f"Bearer {token}")
    connection.putheader("Content-Length", str(200 << 20))
    connection.endheaders()
    try:
        for _ in range(200):
            connection.send(bytes(1 << 20))
    except (ConnectionError, ssl.SSLError):
        pass
    try:
        status = connection.getresponse().status
        assert status == 413, status
    except (ConnectionError, ssl.SSLError, http.client.HTTPException) as error:
        status = type(error).__name__
    finally:
        connection.close()
    return f"ok, {status}"


def check_stream(proxy):
    token = proxy.send("POST", "/v1/guests", {})["token"]
    connection = proxy.connect()
    connection.request("GET", proxy.prefix + "/v1/listings/stream")
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    answer.readline()
    # A buffered stream would arrive when the buffer of several KiB is full, or never.
    for number in range(3):
        name = f"Streamed{number}"
        proxy.send("POST", "/v1/listings", {"status": "lost", "species": "dog", "name": name, "lon": 14.79, "lat": 40.77}, token)
        while name.encode() not in answer.readline():
            pass
    connection.close()
    return "ok, 3 events"


def check_cookie(proxy):
    form = "email=anna%40example.org&password=correct+horse+battery"
    status, headers, _ = proxy.ask("POST", proxy.prefix + "/account/register", form.encode(), {
        "Content-Type": "application/x-www-form-urlencoded", "Origin": f"https://{HOST}:{proxy.port}"})
    cookie = headers["Set-Cookie"] or ""
    assert status == 303 and "Secure" in cookie and "HttpOnly" in cookie, (status, headers)
    place = headers["Location"].removeprefix(f"https://{HOST}:{proxy.port}")
    assert place.startswith(proxy.prefix + "/"), place
    status, _, _ = proxy.ask("GET", place, headers={"Cookie": cookie.split(";")[0]})
    assert status == 200, status
    refused = proxy.ask("POST", proxy.prefix + "/account/register", form.encode(), {
        "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example"})[0]
    assert refused == 403, refused
    return "ok"


def check_address(proxy, has_client):
    def guests(source, count):
        spoofed = {"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"}
        return [proxy.ask("POST", proxy.prefix + "/v1/guests", headers=spoofed, source=source)[0] for _ in range(count)]

    # Clients on the machine itself are not limited, whatever they write in the headers of proxies.
    assert set(guests(None, 70)) == {201}
    if not has_client:
        return "ok for the machine's own, skipped: no network namespaces"
    start, statuses = time.monotonic(), []
    while 429 not in statuses and len(statuses) < 500:
        statuses += guests(CLIENT, 10)
    # The limit is 60 in ten minutes: a guest more every ten seconds.
    more = int((time.monotonic() - start) / 10) + 1
    assert 60 <= statuses.count(201) <= 60 + more and 429 in statuses, statuses
    return "ok, 60 guests from another address, then 429"


main()

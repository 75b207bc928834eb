"""Runs the server under full load for ten minutes and records its memory every half minute.

Usage: soak.py PROGRAM [SECONDS]

Reads of all kinds, posts, edits and removals, photos, event streams, tiles, searches and logins run at the same
time. Fails if an answer is a 5xx (except 503 with `Retry-After`), or if memory grows by more than a quarter between
a fifth of the time and the end.
"""

import http.client
import json
import random
import sys
import threading
import time
from pathlib import Path

from server import Server, raise_limit

PROGRAM = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 600
PHOTOS = [file.read_bytes() for file in sorted((Path(__file__).parent.parent / "PhotosTests/Fixtures").glob("*.jpg"))]
counts, failures, lock = {}, [], threading.Lock()


class Caller(threading.Thread):
    """Sends requests until the end."""

    def __init__(self, server, end, work, number):
        super().__init__(daemon=True)
        self.server, self.end, self.work, self.chance = server, end, work, random.Random(number)
        self.client = http.client.HTTPConnection(server.host, server.port, timeout=60)
        self.token = None

    def run(self):
        while time.time() < self.end:
            try:
                self.work(self)
            except (OSError, http.client.HTTPException) as error:
                self.client.close()
                with lock:
                    failures.append(f"{self.work.__name__}: {error!r}")

    def ask(self, method, path, body=None, kind="application/json"):
        headers = {"Authorization": "Bearer " + self.token} if self.token else {}
        if body is not None:
            headers["Content-Type"] = kind
        self.client.request(method, path, body, headers)
        answer = self.client.getresponse()
        content = answer.read()
        with lock:
            key = (self.work.__name__, answer.status)
            counts[key] = counts.get(key, 0) + 1
            if answer.status >= 500 and not answer.headers["Retry-After"]:
                failures.append(f"{answer.status}: {method} {path} {content[:200]!r}")
        return answer.status, content

    def point(self):
        return f"lon={self.chance.uniform(7, 18):.4f}&lat={self.chance.uniform(37, 47):.4f}"


def reads(caller):
    zoom = caller.chance.randint(0, 14)
    lon, lat = caller.chance.uniform(7, 18), caller.chance.uniform(37, 47)
    caller.ask("GET", caller.chance.choice([
        "/v1/listings", f"/v1/listings?{caller.point()}&radius=20000", "/v1/listings?q=col", "/v1/listings?breed=beagle", "/v1/listings/count?species=dog",
        "/v1/listings/clusters?bbox=6,36,19,48&zoom=6", f"/v1/places/reverse?{caller.point()}", "/v1/places?q=san", "/v1/breeds?q=pastore", "/board", "/map",
        "/feeds/listings.atom", "/collections/listings/items?limit=100", "/collections/listings/items?filter=name%20LIKE%20'A%25'&limit=10",
        f"/tiles/listings/{zoom}/{int((lon + 180) / 360 * 2**zoom)}/{int(2**zoom * 0.37)}.pbf", "/openapi.json", "/healthz",
        f"/nominatim/reverse?lat={lat:.3f}&lon={lon:.3f}&format=jsonv2", "/v1/listings?status=reunited&limit=200"]))


def exports(caller):
    caller.ask("GET", caller.chance.choice(["/v1/listings.csv", "/v1/listings.geojson", "/collections/listings/items?limit=10000"]))


def writes(caller):
    if not caller.token or caller.chance.random() < 0.02:
        caller.token = None
        caller.token = json.loads(caller.ask("POST", "/v1/guests")[1])["token"]
    body = {"status": "lost", "lon": caller.chance.uniform(8, 12), "lat": caller.chance.uniform(44.7, 45.7), "name": "Argo", "description": "red collar"}
    status, content = caller.ask("POST", "/v1/listings", json.dumps(body))
    if status != 201:
        return
    path = "/v1/listings/" + json.loads(content)["id"]
    caller.ask("PATCH", path, '{"description": "blue collar"}')
    if caller.chance.random() < 0.3:
        caller.ask("PUT", path + "/photos/1", caller.chance.choice(PHOTOS), "image/jpeg")
    caller.ask("DELETE", path)


def sign_ins(caller):
    address = f"{caller.chance.randrange(10**12)}@example.org"
    caller.token = None
    caller.ask("POST", "/v1/accounts", json.dumps({"email": address, "password": "correct horse"}))
    status, content = caller.ask("POST", "/v1/sessions", json.dumps({"email": address, "password": "correct horse"}))
    if status in (200, 201):
        caller.token = json.loads(content)["token"]
        caller.ask("DELETE", "/v1/me", '{"password": "correct horse"}')
    time.sleep(0.2)


def watch(server, end, number):
    """Opens an event stream, reads for a while, and disconnects."""
    chance = random.Random(number)
    while time.time() < end:
        try:
            with server.connect(timeout=30) as connection:
                connection.sendall(b"GET /v1/listings/stream?status=lost HTTP/1.1\r\nHost: a\r\n\r\n")
                leave = min(end, time.time() + chance.uniform(1, 30))
                while time.time() < leave and connection.recv(65536):
                    pass
        except OSError:
            pass


def wal(server):
    return sum(file.stat().st_size for file in Path(server.folder.name, "data").glob("*-wal")) / 2**20


def main():
    raise_limit()
    table = []
    with Server(PROGRAM, 10_000, "127.0.0.1", "--quota", "off") as server:
        start = time.time()
        end = start + SECONDS
        works = [reads] * 4 + [exports] + [writes] * 2 + [sign_ins]
        threads = [Caller(server, end, work, number) for number, work in enumerate(works)]
        threads += [threading.Thread(target=watch, args=(server, end, number), daemon=True) for number in range(20)]
        for thread in threads:
            thread.start()
        print("  time   private MiB   files  threads  WAL MiB  connections    answers  failures", flush=True)
        while time.time() < end:
            time.sleep(min(30, max(0.1, end - time.time())))
            row = (time.time() - start, server.memory(), server.files(), server.threads(), wal(server), server.figure("doggofinder_connections"))
            table.append(row)
            print(f"{row[0]:6.0f} {row[1]:13.0f} {row[2]:7} {row[3]:8} {row[4]:8.1f} {row[5]:12.0f} {sum(counts.values()):10} {len(failures):9}", flush=True)
        for thread in threads:
            thread.join(40)
        time.sleep(2)
        print(f"after  {server.memory():13.0f} {server.files():7} {server.threads():8} {wal(server):8.1f} {server.figure('doggofinder_connections'):12.0f}")
        lines = server.errors()
    for (work, status), count in sorted(counts.items()):
        print(f"  {work:10} {status} {count}")
    for failure in (failures + lines)[:10]:
        print("  " + failure)
    early = next(row[1] for row in table if row[0] >= SECONDS / 5)
    is_flat = table[-1][1] <= early * 1.25 + 20
    print(f"{'ok' if is_flat and not failures and not lines else 'FAIL'}: {early:.0f} MiB after a fifth of the time, {table[-1][1]:.0f} at the end")
    sys.exit(0 if is_flat and not failures and not lines else 1)


main()

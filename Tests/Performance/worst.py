#!/usr/bin/env python3
"""Looks for the most expensive anonymous queries, and measures how others are served while they are asked.

    worst.py DATA [PROGRAM] [--queries 1000] [--seed 1] [--seconds 20]

DATA is a data folder with listings, such as `doggofinder demo --count 1000000 --data DATA` makes. PROGRAM is
.build/release/doggofinder unless given. The processor time of a query is that of all threads of the server.
"""

import argparse
import http.client
import multiprocessing
import os
import random
import re
import signal
import subprocess
import time
import urllib.parse

STATUSES = ["lost", "found", "sighted", "reunited", "closed"]
BREEDS = ["beagle", "labrador_retriever", "mixed_breed", "border_collie", "chihuahua", "no_such_breed"]
WORDS = ["luna", "a", "collar", "red collar", "black", "zzz", "chip", "dog"]
PLACES = ["roma", "milano", "salerno", "lombardia", "paris", "italia"]
POINTS = [(12.5, 41.9), (9.19, 45.46), (-150, -40), (0, 0), (14.76, 40.68), (180, 0)]
FILTERS = [
    "S_CROSSES(geometry, LINESTRING(6 36, 19 48))",
    "place IN ('x','y','z')",
    "S_WITHIN(geometry, BBOX(-180, -90, 180, 90)) AND name = 'x'",
    "ACCENTI(CASEI(place)) LIKE 'rom%' AND breed = 'Beagle'",
    "S_DISJOINT(geometry, BBOX(6, 36, 19, 48))",
    "name LIKE '%a%a%a%a%'",
    "NOT (status = 'lost' AND species = 'dog')",
    "last_seen_at > TIMESTAMP('2026-08-01T00:00:00Z')",
    "name IS NOT NULL",
    "colour = 'black' AND NOT name LIKE 'L%'",
    "locality = 'x' OR name = 'Luna'",
]


class Server:
    def __init__(self, program, data):
        self.process = subprocess.Popen(
            [program, "serve", "--data", data, "--port", "0", "--trusted-proxies", "loopback", "--rate-limit", "off",
             "--log-level", "notice"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        else:
            raise SystemExit("the server did not start:\n" + "".join(lines))
        multiprocessing.Process(target=lambda: [None for _ in self.process.stdout], daemon=True).start()

    def processor_time(self):
        """In milliseconds, of all threads."""
        total, folder = 0, f"/proc/{self.process.pid}/task"
        for thread in os.listdir(folder):
            try:
                total += int(open(f"{folder}/{thread}/schedstat").read().split()[0])
            except FileNotFoundError:
                pass
        return total / 1e6

    def wait_until_idle(self):
        """Waits until the tasks at the start are done, whose processor time would be counted as that of queries."""
        for _ in range(120):
            before = self.processor_time()
            time.sleep(1)
            if 0 <= self.processor_time() - before < 100:
                return

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def ask(connection, path, address="192.0.2.1"):
    connection.request("GET", path, headers={"X-Forwarded-For": address, "Accept": "*/*"})
    response = connection.getresponse()
    body = response.read()
    return response.status, len(body)


def query(random):
    """A random query over routes and filters."""
    fields = {}
    if random.random() < 0.6:
        fields["status"] = ",".join(random.sample(STATUSES, random.choice([1, 1, 2, 5])))
    if random.random() < 0.4:
        fields["since"] = f"{random.choice([2020, 2024, 2026])}-0{random.randint(1, 9)}-01"
    if random.random() < 0.2:
        fields["until"] = f"{random.choice([2021, 2024, 2026])}-0{random.randint(1, 9)}-15"
    if random.random() < 0.3:
        fields["breed"] = random.choice(BREEDS)
    if random.random() < 0.2:
        fields["species"] = random.choice(["dog", "cat", "other"])
    if random.random() < 0.3:
        fields["q"] = random.choice(WORDS)
    area = random.random()
    if area < 0.4:
        fields["lon"], fields["lat"] = random.choice(POINTS)
        if random.random() < 0.6:
            fields["radius"] = random.choice([1000, 25_000, 300_000, 20_000_000])
    elif area < 0.5:
        fields["bbox"] = random.choice(["6,36,19,48", "-180,-90,180,90", "12,41,13,42", "170,-50,-140,10"])
    elif area < 0.6:
        fields["place"] = random.choice(PLACES)
    if random.random() < 0.2:
        fields["limit"] = random.choice([1, 50, 100])
    path = random.choices(
        ["/v1/listings", "/v1/listings/count", "/v1/listings/clusters", "/board", "/map", "/feeds/listings.atom",
         "/v1/listings.csv", "/embed", "items", "tile", "/v1/places", "/v1/pois"],
        [40, 8, 8, 8, 2, 5, 3, 2, 15, 5, 2, 2])[0]
    if path == "items":
        fields = {"filter": random.choice(FILTERS), "limit": random.choice([10, 100, 1000, 10_000])}
        if random.random() < 0.3:
            fields["bbox"] = "6,36,19,48"
        path = "/collections/listings/items"
    elif path == "tile":
        zoom = random.randint(0, 12)
        x, y = random.randrange(1 << zoom), random.randrange(1 << zoom)
        if random.random() < 0.7:
            x, y = int((12.5 + 180) / 360 * (1 << zoom)), int(0.372 * (1 << zoom))
        path = f"/tiles/listings/{zoom}/{x}/{y}"
        fields = {key: fields[key] for key in fields if key in ("status", "since", "until", "breed", "species")}
    elif path == "/v1/places":
        fields = {"q": random.choice(PLACES + ["s", "san", "via roma"])}
    elif path == "/v1/pois":
        fields = {key: fields[key] for key in fields if key in ("lon", "lat", "radius", "bbox")}
    return path + ("?" + urllib.parse.urlencode(fields) if fields else "")


def search(server, arguments):
    """Asks the queries one after the other, and returns those with the most processor time."""
    generator = random.Random(arguments.seed)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    asked, statuses = {}, {}
    while len(asked) < arguments.queries:
        path = query(generator)
        if path in asked:
            continue
        before = server.processor_time()
        status, size = ask(connection, path)
        asked[path] = (server.processor_time() - before, status, size)
        statuses[status] = statuses.get(status, 0) + 1
    slowest = sorted(asked.items(), key=lambda item: -item[1][0])
    print(f"{len(asked)} queries; answers by status: {dict(sorted(statuses.items()))}")
    times = sorted(cost for cost, _, _ in asked.values())
    print(f"processor time: median {times[len(times) // 2]:.1f} ms, 99 % {times[int(len(times) * 0.99)]:.0f} ms, "
          f"most {times[-1]:.0f} ms\n")
    print("| ms | status | bytes | query |\n|---:|---:|---:|---|")
    for path, (cost, status, size) in slowest[:20]:
        print(f"| {cost:.0f} | {status} | {size} | `{urllib.parse.unquote_plus(path)}` |")
    return [path for path, _ in slowest[:40]]


def attack(port, worst, address, until, counts):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    generator = random.Random(address)
    while time.time() < until:
        try:
            status, _ = ask(connection, generator.choice(worst), address)
        except (OSError, http.client.HTTPException):
            connection.close()
            status = 0
        with counts.get_lock():
            counts[0 if status == 200 else 1] += 1


def honest(port, until, results):
    """Asks `/healthz` and a near search in turn, and puts their durations into the queue."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    generator = random.Random(7)
    found = {"/healthz": [], "nearest 20 within 5 km": []}
    while time.time() < until:
        lon, lat = 12.5 + generator.uniform(-0.2, 0.2), 41.9 + generator.uniform(-0.2, 0.2)
        for name, path in [("/healthz", "/healthz"), ("nearest 20 within 5 km",
                           f"/v1/listings?status=lost&lon={lon}&lat={lat}&radius=5000&limit=20")]:
            begin = time.perf_counter()
            status, _ = ask(connection, path, "198.51.100.77")
            found[name].append((time.perf_counter() - begin, status))
        time.sleep(0.01)
    results.put(found)


def crowd(server, worst, arguments):
    """64 clients of eight addresses ask the worst queries, while one client asks usual ones."""
    counts, results = multiprocessing.Array("q", 2), multiprocessing.Queue()
    print("\n| others | question | answers | not 200 | p50 ms | p99 ms | most ms |\n|---|---|---:|---:|---:|---:|---:|")
    for clients in [0, 64]:
        until = time.time() + arguments.seconds
        tasks = [multiprocessing.Process(target=attack, args=(server.port, worst, f"203.0.{n % 8}.9", until, counts))
                 for n in range(clients)]
        tasks.append(multiprocessing.Process(target=honest, args=(server.port, until, results)))
        for task in tasks:
            task.start()
        found = results.get()
        for task in tasks:
            task.join()
        for name, answers in found.items():
            times = sorted(1000 * duration for duration, _ in answers)
            wrong = sum(status != 200 for _, status in answers)
            print(f"| {clients} | {name} | {len(times)} | {wrong} | {times[len(times) // 2]:.1f} | "
                  f"{times[int(len(times) * 0.99)]:.1f} | {times[-1]:.1f} |")
    print(f"\nThe 64 clients got {counts[0]} answers with 200 and {counts[1]} others.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=20)
    arguments = parser.parse_args()
    multiprocessing.set_start_method("fork")
    server = Server(arguments.program, arguments.data)
    try:
        crowd(server, search(server, arguments), arguments)
    finally:
        server.stop()


if __name__ == "__main__":
    main()

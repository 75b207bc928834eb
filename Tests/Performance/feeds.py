#!/usr/bin/env python3
"""Lets two services follow each other's boards while people change listings on both, and kills both at random moments.

    feeds.py [PROGRAM] [--changes 1000] [--kills 30] [--seed 1]

PROGRAM is .build/release/doggofinder unless given. Each service has an address of imports at the other one's
/v1/listings.geojson, which is hastened again and again. Each change is a new listing, an edit or the end of one. Fails if in the
end both do not have the same open listings, each once, with the contents of its own service, or if one has a copy of a copy.
"""

import argparse
import collections
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid

COLOURS = ["nero", "bianco", "marrone", "grigio", "fulvo", "tricolore"]
TOWNS = [(14.79, 40.77), (12.48, 41.89), (9.19, 45.46), (7.68, 45.07), (11.34, 44.49), (11.25, 43.77), (16.87, 41.12)]
OPEN = ("lost", "found", "sighted")
# The listings of each service before the first change.
FIRST = 20
# What a copy has in common with its original; `code`, `updated_at`, `origin` and the words of the gazetteer are of each service.
SHARED = ["status", "species", "name", "breed", "sex", "size", "colour", "age", "marks", "collar", "reward", "description",
          "last_seen_at", "last_seen_precision", "approximate", "place", "contact_name", "contact_phone", "contact_email",
          "created_at"]
CONTACTS = {"contact_name": "Anna Conti", "contact_name_public": True, "contact_phone": "+39 333 1234567",
            "contact_phone_public": True, "contact_email": "anna@example.org"}


class Service:
    def __init__(self, program, folder, name, port, other):
        self.program, self.name, self.port, self.other = program, name, port, other
        self.data = f"{folder}/{name}"
        self.log = open(f"{folder}/{name}.log", "ab")
        self.lock, self.kills, self.process = threading.Lock(), 0, None
        self.start()
        account = {"email": f"people-{name}@example.org", "password": "correct horse"}
        self.people = self.ask("POST", "/v1/accounts", account)["token"]
        self.bridge = self.ask("POST", "/v1/accounts", {**account, "email": f"bridge-{name}@example.org"})["token"]

    def follow(self):
        order = {"url": f"http://127.0.0.1:{self.other}/v1/listings.geojson", "every_hours": 1, "close_missing": "true"}
        self.feed = self.ask("POST", "/v1/import-feeds", order, self.bridge)["id"]

    def start(self):
        options = ["serve", "--port", str(self.port), "--data", self.data, "--rate-limit", "off", "--log-level", "error",
                   "--outgoing-ports", f"{self.port},{self.other}", "--outgoing-networks", "127.0.0.1/32"]
        environment = {**os.environ, "DOGGOFINDER_QUOTA": "off"}
        self.process = subprocess.Popen([self.program, *options], stdout=subprocess.DEVNULL, stderr=self.log, env=environment)

    def kill(self):
        with self.lock:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.kills += 1
            self.start()

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def ask(self, method, path, body=None, token=None, **headers):
        """Asks again while the service is down."""
        headers |= {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        data = None if body is None else json.dumps(body)
        if data:
            headers["Content-Type"] = "application/json"
        end = time.monotonic() + 120
        while True:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                connection.request(method, path, data, headers)
                response = connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException):
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
                continue
            if response.status in (429, 503) and time.monotonic() < end:
                time.sleep(0.2)
                continue
            if response.status >= 400:
                raise SystemExit(f"{self.name}: {method} {path}: {response.status} {text[:300]}")
            return json.loads(text) if text else None

    def hasten(self):
        self.ask("POST", f"/v1/import-feeds/{self.feed}/run", token=self.bridge)

    def board(self, statuses=OPEN):
        features = self.ask("GET", "/v1/listings.geojson?status=" + ",".join(statuses))["features"]
        return [{"id": feature["id"], "point": feature["geometry"]["coordinates"], **feature["properties"]}
                for feature in features]

    def imports(self):
        path = "/v1/imports?limit=100"
        while path:
            page = self.ask("GET", path, token=self.bridge)
            yield from page["imports"]
            links = {link["rel"]: link["href"] for link in page.get("links", [])}
            path = "/" + links["next"].split("/", 3)[3] if "next" in links else None


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def listing(generator, name):
    lon, lat = generator.choice(TOWNS)
    fields = {"status": generator.choice(["lost", "found"]), "name": name, "breed": generator.choice(["Beagle", "Boxer", None]),
              "sex": generator.choice(["male", "female", None]), "size": generator.choice(["small", "large", None]),
              "colour": generator.choice(COLOURS), "description": "Senza collare", "marks": "zampa bianca",
              "last_seen_at": generator.choice(["2026-05-01", "2026-05-02T10:30:00.000Z"]),
              "lon": round(lon + generator.uniform(-0.02, 0.02), 5), "lat": round(lat + generator.uniform(-0.02, 0.02), 5),
              "location_precision": generator.choice(["exact", "approximate"])}
    return {**fields, **(CONTACTS if generator.random() < 0.5 else {})}


def change(service, own, generator, counts):
    """Makes one change. `own` has the ids of the open listings that began at this service."""
    kind = generator.choices(["created", "updated", "closed"], [55, 30, 15])[0] if own else "created"
    counts[service.name, kind] += 1
    if kind == "created":
        name = f"{service.name} {counts[service.name, kind]}"
        key = str(uuid.UUID(int=generator.getrandbits(128), version=4))
        made = service.ask("POST", "/v1/listings", listing(generator, name), service.people, **{"Idempotency-Key": key})
        own.append(made["id"])
        return
    index = generator.randrange(len(own))
    path = f"/v1/listings/{own[index]}"
    if kind == "updated":
        service.ask("PATCH", path, {"description": f"Visto {generator.random()}", "colour": generator.choice(COLOURS)}, service.people)
    else:
        service.ask("PATCH", path, {"status": generator.choice(["reunited", "closed"])}, service.people)
        own.pop(index)


def differences(services, own):
    """Returns what is not as it should be."""
    found = []
    boards = {service.name: service.board() for service in services}
    for service, other in (services, services[::-1]):
        board = collections.defaultdict(list)
        for item in boards[service.name]:
            board[item["id"]].append(item)
        found += [f"{service.name} has {id} twice" for id, items in board.items() if len(items) > 1]
        for id in own[service.name] + own[other.name]:
            if id not in board:
                found.append(f"{service.name} lacks {id}")
        for id, items in board.items():
            origin = items[0].get("origin")
            expected = None if id in own[service.name] else f"http://127.0.0.1:{other.port}/listings/{id}"
            if id not in own[service.name] and id not in own[other.name]:
                found.append(f"{service.name} has {id}, which is closed or of nobody")
            elif origin != expected:
                found.append(f"{service.name}: the origin of {id} is {origin}")
    first, second = ({item["id"]: item for item in boards[service.name]} for service in services)
    for id in first.keys() & second.keys():
        for field in SHARED:
            if first[id].get(field) != second[id].get(field):
                found.append(f"{id}: {field} is {first[id].get(field)!r} and {second[id].get(field)!r}")
        if max(abs(a - b) for a, b in zip(first[id]["point"], second[id]["point"])) > 1e-9:
            found.append(f"{id}: the points are {first[id]['point']} and {second[id]['point']}")
    return found


def kill_often(services, kills, generator):
    for _ in range(kills):
        time.sleep(generator.uniform(0.5, 4))
        generator.choice(services).kill()


def run(arguments, folder):
    generator, counts = random.Random(arguments.seed), collections.Counter()
    first, second = free_ports(2)
    services = [Service(arguments.program, folder, "A", first, second), Service(arguments.program, folder, "B", second, first)]
    own = {service.name: [] for service in services}
    try:
        for service in services:
            service.follow()
        # So many that half of them are never missing at once.
        for service in services:
            for number in range(FIRST):
                made = service.ask("POST", "/v1/listings", listing(generator, f"{service.name} first {number}"), service.people)
                own[service.name].append(made["id"])
        killer = threading.Thread(target=kill_often, args=(services, arguments.kills, random.Random(arguments.seed + 1)))
        killer.start()
        for number in range(arguments.changes):
            service = generator.choice(services)
            change(service, own[service.name], generator, counts)
            if number % 5 == 0:
                generator.choice(services).hasten()
            time.sleep(arguments.pause)
        killer.join()
        last = time.monotonic()
        problems = ["not looked at"]
        while problems and time.monotonic() - last < arguments.patience:
            for service in services:
                service.hasten()
            time.sleep(1)
            problems = differences(services, own)
        delay = time.monotonic() - last
        # Nothing goes back and forth: two more rounds change nothing.
        versions = [{item["id"]: item["updated_at"] for item in service.board()} for service in services]
        for _ in range(2):
            for service in services:
                service.hasten()
            time.sleep(4)
        problems += differences(services, own)
        if versions != [{item["id"]: item["updated_at"] for item in service.board()} for service in services]:
            problems.append("listings change although nobody changes them")
        report(services, own, counts, delay, problems)
    finally:
        for service in services:
            service.stop()


def report(services, own, counts, delay, problems):
    every = OPEN + ("reunited", "closed")
    print("| | A | B |\n|---|---:|---:|")
    for kind in ("created", "updated", "closed"):
        print(f"| listings {kind} by people | " + " | ".join(str(counts[service.name, kind]) for service in services) + " |")
    print("| killed | " + " | ".join(str(service.kills) for service in services) + " |")
    imports = {service.name: list(service.imports()) for service in services}
    for state in ("done", "failed"):
        print(f"| imports {state} | " + " | ".join(
            str(sum(item["state"] == state for item in imports[service.name])) for service in services) + " |")
    for problem in sorted({item["problem"] for items in imports.values() for item in items if item["problem"]}):
        print(f"| — of them {problem} | " + " | ".join(
            str(sum(item["problem"] == problem for item in imports[service.name])) for service in services) + " |")
    for kind in ("created", "updated", "closed", "rejected"):
        print(f"| copies {kind} | " + " | ".join(
            str(sum(item["rows"][kind] for item in imports[service.name])) for service in services) + " |")
    boards = [service.board() for service in services]
    for name, is_copy in (("own", False), ("copied", True)):
        print(f"| open listings, {name} | " + " | ".join(
            str(sum(("origin" in item) == is_copy for item in board)) for board in boards) + " |")
    totals = [len(service.board(every)) for service in services]
    made = sum(counts[service.name, "created"] for service in services) + 2 * FIRST
    print("| listings of any status | " + " | ".join(map(str, totals)) + " |")
    print(f"\nBoth were the same {delay:.1f} s after the last change and the last start.")
    # Listings that ended before the other service had read them have no copy.
    problems += [f"{total} listings of {made}" for total in totals if total > made]
    if problems:
        raise SystemExit(f"{len(problems)} differences:\n" + "\n".join(problems[:20]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--changes", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between changes")
    parser.add_argument("--patience", type=float, default=180, help="seconds until both have to be the same")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments, folder)


if __name__ == "__main__":
    main()

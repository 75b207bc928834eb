#!/usr/bin/env python3
"""Measures posts of others while listings are imported in the background.

    imports.py DATA [PROGRAM] [--rows 10000] [--seconds 30] [--seed 1]

DATA is a data folder with listings, such as `doggofinder demo --count 100000 --data DATA` makes. The import and the posts
remain in it, so throw it away afterwards. PROGRAM is .build/release/doggofinder unless given. Posts are sent every 50 ms; each
waits for the one before. Fails if a row is missing or p99 is above 200 ms.
"""

import argparse
import http.client
import json
import os
import random
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from worst import Server  # noqa: E402

LIMIT = 200
TOWNS = ["Fisciano (SA)", "Salerno", "Roma", "Milano", "Torino", "Bologna", "Firenze", "Bari", "Cagliari", "Palermo"]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def ask(connection, method, path, body=None, token=None, kind="application/json"):
    headers = {"Accept": "application/json", "Content-Type": kind}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read()
    if response.status >= 400:
        raise SystemExit(f"{method} {path}: {response.status} {text[:300]}")
    return json.loads(text)


def rows(count, generator):
    yield "reference,status,name,breed,colour,last_seen_at,place,description\n"
    for number in range(count):
        yield (f"B-{number},{generator.choice(['lost', 'found'])},Argo {number},{generator.choice(['Beagle', 'Boxer'])},"
               f"marrone,2025-11-20,{generator.choice(TOWNS)},Smarrito vicino al fiume senza collare\n")


def post_until(server, ended, generator):
    """Returns the durations of posts, in milliseconds."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    token = ask(connection, "POST", "/v1/guests")["token"]
    durations = []
    while not ended():
        body = json.dumps({"status": "found", "breed": "Boxer", "colour": "bianco", "lon": generator.uniform(8, 12),
                           "lat": generator.uniform(44.5, 46.4)})
        begin = time.perf_counter()
        ask(connection, "POST", "/v1/listings", body, token)
        duration = time.perf_counter() - begin
        durations.append(1000 * duration)
        time.sleep(max(0, 0.05 - duration))
    return durations


def measure(server, arguments):
    generator = random.Random(arguments.seed)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    account = {"email": f"shelter{time.time_ns()}@example.org", "password": "correct horse"}
    token = ask(connection, "POST", "/v1/accounts", json.dumps(account))["token"]
    end = time.monotonic() + arguments.seconds
    before = post_until(server, lambda: time.monotonic() > end, generator)
    text = "".join(rows(arguments.rows, generator))
    begin = time.monotonic()
    path = "/v1/imports/" + ask(connection, "POST", "/v1/imports?source=benchmark", text, token, "text/csv")["id"]
    state = {"asked": 0.0}

    def ended():
        if time.monotonic() - state["asked"] > 0.5:
            state.update(ask(connection, "GET", path, None, token), asked=time.monotonic())
        return state.get("ended_at") is not None

    during = post_until(server, ended, generator)
    duration = time.monotonic() - begin
    counts = state["rows"]
    print(f"{counts['created']:,} listings imported in {duration:.1f} s ({arguments.rows / duration:.0f} a second)\n")
    print("| posts of others, ms | number | p50 | p99 | most |\n|---|---:|---:|---:|---:|")
    for name, values in [("without an import", before), ("during the import", during)]:
        cells = [percentile(values, 0.5), percentile(values, 0.99), max(values)]
        print(f"| {name} | {len(values)} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |")
    if state["state"] != "done" or counts["created"] + counts["unchanged"] + counts["updated"] != arguments.rows:
        raise SystemExit(f"rows are missing: {state}")
    if percentile(during, 0.99) > LIMIT:
        raise SystemExit(f"p99 is above {LIMIT} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ["DOGGOFINDER_QUOTA"] = "off"
    server = Server(arguments.program, arguments.data)
    try:
        measure(server, arguments)
    finally:
        server.stop()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures the possible matches of listings, and posts with and without the table that matches are found by.

    matches.py DATA [PROGRAM] [--listings 400] [--posts 150] [--seed 1]

DATA is a data folder with listings, such as `doggofinder demo --count 1000000 --data DATA` makes. Posts spoil it: half of
the posted listings are unknown to matches, so throw it away afterwards, or measure with `--posts 0`. PROGRAM is .build/release/doggofinder unless given. The processor time of a request is that of all threads of
the server, without that of the same time spent idle.
"""

import argparse
import http.client
import json
import os
import random
import sqlite3
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from worst import Server  # noqa: E402

TRIGGERS = ["match_candidate_enters", "match_candidate_leaves"]


def database(data, *statements):
    """Runs statements and returns the rows of the last one."""
    connection = sqlite3.connect(os.path.join(data, "doggofinder.sqlite"), timeout=60)
    with connection:
        for statement in statements:
            rows = connection.execute(statement).fetchall()
    connection.close()
    return rows


def unread(data):
    return database(data, "SELECT count(*) FROM match_candidate WHERE subject IS NULL")[0][0]


def wait_until_read(data):
    while left := unread(data):
        print(f"\r{left:,} listings to read", end="", file=sys.stderr, flush=True)
        time.sleep(2)
    print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)


def percentile(values, share):
    return sorted(values)[int(len(values) * share)]


def ask(connection, method, path, body=None, token=None):
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    connection.request(method, path, body and json.dumps(body), headers)
    response = connection.getresponse()
    text = response.read()
    if response.status >= 400:
        raise SystemExit(f"{method} {path}: {response.status} {text[:300]}")
    return json.loads(text)


def measure_matches(server, data, arguments):
    keys = [key for key, in database(data, "SELECT listing_id FROM match_candidate")]
    chosen = random.Random(arguments.seed).sample(keys, min(arguments.listings, len(keys)))
    ids = database(data, f"SELECT uuid FROM listing WHERE id IN ({','.join(map(str, chosen))})")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    costs, durations, considered = [], [], []
    for id, in ids:
        before, begin = server.processor_time(), time.perf_counter()
        answer = ask(connection, "GET", f"/v1/listings/{id}/matches")
        durations.append(1000 * (time.perf_counter() - begin))
        costs.append(server.processor_time() - before)
        considered.append(answer["considered"])
    print(f"{len(keys):,} open listings; matches of {len(ids)}, limit 20\n")
    print("| | p50 | p95 | p99 | most |\n|---|---:|---:|---:|---:|")
    for name, values, digits in [("processor time, ms", costs, 1), ("duration, ms", durations, 1),
                                 ("candidates", considered, 0)]:
        cells = [percentile(values, share) for share in (0.5, 0.95, 0.99)] + [max(values)]
        print(f"| {name} | " + " | ".join(f"{cell:.{digits}f}" for cell in cells) + " |")


def post(data, arguments, generator):
    """Returns the median duration of a post and the processor time of one, with all work that follows."""
    server = Server(arguments.program, data)
    try:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        token = ask(connection, "POST", "/v1/guests")["token"]
        time.sleep(3)
        begin, before = time.perf_counter(), server.processor_time()
        time.sleep(4)
        idle = (server.processor_time() - before) / (time.perf_counter() - begin)
        durations, begin, before = [], time.perf_counter(), server.processor_time()
        for _ in range(arguments.posts):
            body = {"status": "found", "breed": generator.choice(["Beagle", "Boxer", "Setter inglese"]),
                    "colour": "bianco e marrone", "sex": "male", "description": "Trovato vicino al fiume, senza collare.",
                    "lon": generator.uniform(8, 12), "lat": generator.uniform(44.5, 46.4)}
            start = time.perf_counter()
            ask(connection, "POST", "/v1/listings", body, token)
            durations.append(1000 * (time.perf_counter() - start))
        time.sleep(5)
        elapsed = time.perf_counter() - begin
        return percentile(durations, 0.5), (server.processor_time() - before - idle * elapsed) / arguments.posts
    finally:
        server.stop()


def measure_posts(data, arguments):
    """Posts by turns with and without the triggers that fill the table of candidates."""
    created = [sql for sql, in database(
        data, "SELECT sql FROM sqlite_schema WHERE name IN ('" + "','".join(TRIGGERS) + "')")]
    assert len(created) == len(TRIGGERS)
    generator, found = random.Random(arguments.seed), {"with matching": [], "without": []}
    for _ in range(3):
        found["with matching"].append(post(data, arguments, generator))
        database(data, *[f"DROP TRIGGER {name}" for name in TRIGGERS])
        try:
            found["without"].append(post(data, arguments, generator))
        finally:
            database(data, *created)
    print(f"\nThree rounds of {arguments.posts} posts, the best of each\n")
    print("| | duration, ms | processor time, ms |\n|---|---:|---:|")
    for name, rounds in found.items():
        print(f"| {name} | {min(row[0] for row in rounds):.2f} | {min(row[1] for row in rounds):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--listings", type=int, default=400)
    parser.add_argument("--posts", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    os.environ["DOGGOFINDER_QUOTA"] = "off"
    server = Server(arguments.program, arguments.data)
    try:
        wait_until_read(arguments.data)
        server.wait_until_idle()
        measure_matches(server, arguments.data, arguments)
    finally:
        server.stop()
    if arguments.posts:
        measure_posts(arguments.data, arguments)


if __name__ == "__main__":
    main()

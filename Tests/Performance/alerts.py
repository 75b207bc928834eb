#!/usr/bin/env python3
"""Measures the time from a post until those whose alerts find it are told: mails, push messages and webhooks.

    alerts.py DATA [PROGRAM] [--alerts 100000] [--crowd 200000] [--posts 60] [--areas 1000000] [--seed 1]

DATA is a data folder, such as `doggofinder demo --count 10000 --data DATA` makes. Readers and posts remain in it, so throw it away
afterwards. PROGRAM is .build/release/doggofinder unless given. The first table is of posts while nothing else happens; the
second one is of the same number of posts while a listing reaches a crowd. Both are where it is about noon.
"""

import argparse
import http.client
import json
import os
import random
import sqlite3
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
from imports import ask, percentile  # noqa: E402
from readers import KILOMETRE, Receivers, Server, add_readers, expected, land, noon  # noqa: E402


def post(connection, token, lon, lat):
    """Returns the id of a listing and the time of its post."""
    # No breed, and far from the other posts: nothing is a match.
    body = json.dumps({"status": "found", "species": "other", "lon": lon, "lat": lat})
    begin = time.time()
    return ask(connection, "POST", "/v1/listings", body, token)["id"], begin


def wait(receivers, data, posts, seconds):
    """Waits until all readers of the posts are told. Returns the delays by channel, and how many are missing."""
    end = time.monotonic() + seconds
    while True:
        receivers.read()
        found = expected(data)
        wanted = [(way, listing, begin) for listing, begin in posts for way in found.get(listing, ())]
        told = [(way[0], times[0] - begin) for way, listing, begin in wanted
                if (times := receivers.told.get(way))]
        if wanted and len(told) == len(wanted) or time.monotonic() > end:
            delays = {}
            for channel, delay in told:
                delays.setdefault(channel, []).append(delay)
            return delays, len(wanted) - len(told)
        time.sleep(2)


def show(title, delays, missing):
    print(f"\n| {title} | told | p50 s | p99 s | most s |\n|---|---:|---:|---:|---:|")
    for channel, values in sorted(delays.items()):
        cells = [percentile(values, 0.5), percentile(values, 0.99), max(values)]
        print(f"| {channel} | {len(values):,} | " + " | ".join(f"{cell:.2f}" for cell in cells) + " |")
    print(f"\nnot told: {missing}", flush=True)


def run(server, receivers, arguments, centre, places):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    token = ask(connection, "POST", "/v1/guests")["token"]

    def measure(points, seconds):
        posts = []
        for point in points:
            posts.append(post(connection, token, *point))
            time.sleep(1)
        return wait(receivers, arguments.data, posts, seconds)

    show(f"{arguments.alerts:,} alerts", *measure(places[:arguments.posts], 60))
    if not arguments.crowd:
        return
    crowd, begin = post(connection, token, *centre)
    time.sleep(5)
    delays, missing = measure(places[arguments.posts:2 * arguments.posts], 90)
    show(f"while a listing reaches {arguments.crowd:,}", delays, missing)
    receivers.read()
    times = [times[0] for (channel, reader, _), times in receivers.told.items() if reader.startswith("crowd")]
    print(f"the crowd: {len(times):,} messages in {max(times) - begin:.0f} s")


def benchmark(arguments):
    generator = random.Random(arguments.seed)
    centre, *places = land(noon())
    with tempfile.TemporaryDirectory() as folder:
        receivers = Receivers(folder)
        begin = time.monotonic()
        wide = [(lon + generator.uniform(-0.5, 0.5), lat + generator.uniform(-0.5, 0.5), generator.uniform(5, 30))
                for lon, lat in generator.choices(places, k=arguments.alerts)]
        add_readers(arguments.data, wide, receivers.https, 1, "reader")
        near = [(centre[0] + generator.uniform(-0.1, 0.1), centre[1] + generator.uniform(-5, 5) * KILOMETRE, 30)
                for _ in range(arguments.crowd)]
        add_readers(arguments.data, near, receivers.https, 2, "crowd")
        print(f"readers made in {time.monotonic() - begin:.0f} s", flush=True)
        server = Server(arguments.program, arguments.data, receivers)
        try:
            run(server, receivers, arguments, centre, places)
        finally:
            server.stop()
            receivers.stop()
            print(open(f"{folder}/server.log").read()[-2000:], file=sys.stderr)


def areas(path, count=1_000_000, questions=2_000):
    """Measures the question which alerts are around a point, with the statement of `AlertStore.alerts(around:after:_:)`."""
    generator = random.Random(1)
    database = sqlite3.connect(path)
    database.execute("CREATE VIRTUAL TABLE alert_area USING rtree (id, west, east, south, north)")

    def box(number):
        lon, lat, radius = generator.uniform(6, 19), generator.uniform(36, 47), generator.choice([1, 5, 10, 20, 50])
        height = radius * KILOMETRE
        return 2 * number, lon - height * 1.35, lon + height * 1.35, lat - height, lat + height

    with database:
        database.executemany("INSERT INTO alert_area VALUES (?, ?, ?, ?, ?)", map(box, range(1, count + 1)))
    durations, found = [], []
    for _ in range(questions):
        point = (generator.uniform(6, 19), generator.uniform(36, 47))
        begin = time.perf_counter()
        rows = database.execute("SELECT id FROM alert_area WHERE west <= ?1 AND east >= ?1 AND south <= ?2 AND north >= ?2",
                                point).fetchall()
        durations.append(1000 * (time.perf_counter() - begin))
        found.append(len(rows))
    print(f"\n| {count:,} alerts around a point, median {percentile(found, 0.5):,} | p50 ms | p99 ms |\n|---|---:|---:|")
    print(f"| the areas | {percentile(durations, 0.5):.2f} | {percentile(durations, 0.99):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--alerts", type=int, default=100_000)
    parser.add_argument("--crowd", type=int, default=200_000)
    parser.add_argument("--areas", type=int, default=1_000_000)
    parser.add_argument("--posts", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.areas:
            areas(f"{folder}/areas.sqlite", arguments.areas)
    benchmark(arguments)


if __name__ == "__main__":
    main()

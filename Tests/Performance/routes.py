#!/usr/bin/env python3
"""Measures the server's processor time for a request of each kind, on one connection.

    routes.py DATA [PROGRAM]

PROGRAM is .build/release/doggofinder unless given. Of five rounds, the table shows the median and the least.
"""

import argparse
import http.client
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from worst import Server  # noqa: E402

ROUNDS, REQUESTS = 5, 60
ROUTES = [
    ("trivial route", "/healthz"),
    ("nearest 20 within 5 km", "/v1/listings?status=lost&lon=12.5&lat=41.9&radius=5000"),
    ("newest 20", "/v1/listings"),
    ("board", "/board"),
    ("atom feed", "/feeds/listings.atom"),
    ("tile at zoom 6", "/tiles/listings/6/34/23.pbf"),
    ("tile at zoom 8", "/tiles/listings/8/136/95.pbf"),
    ("clusters of the world", "/v1/listings/clusters?bbox=-180,-85,180,85&zoom=6"),
    ("clusters of Italy", "/v1/listings/clusters?bbox=6,36,19,48&zoom=6"),
]


def cost(server, connection, path):
    """Returns the milliseconds of a request and the size of its answer."""
    before = server.processor_time()
    for _ in range(REQUESTS):
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {body[:200]}")
    # The server closes the books of the last request after its answer.
    time.sleep(0.05)
    return (server.processor_time() - before) / REQUESTS, len(body)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    asked = parser.parse_args()
    server = Server(asked.program, asked.data)
    try:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        print("| route | bytes | median ms | least ms | x trivial |\n|---|---:|---:|---:|---:|")
        trivial = None
        for name, path in ROUTES:
            rounds = [cost(server, connection, path) for _ in range(ROUNDS)]
            times = [time for time, _ in rounds]
            median = statistics.median(times)
            trivial = trivial or median
            print(f"| {name} | {rounds[0][1]} | {median:.3f} | {min(times):.3f} | {median / trivial:.1f} |")
    finally:
        server.stop()


if __name__ == "__main__":
    main()

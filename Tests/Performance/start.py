#!/usr/bin/env python3
"""Measures how long the server takes to start, and its memory while it is idle.

    start.py DATA [PROGRAM] [--starts 7]

DATA is a data folder with listings, such as `doggofinder demo --count 1000000 --data DATA` makes. PROGRAM is
.build/release/doggofinder unless given. The first start is in a row of its own, because it reads files that the following ones
find in memory. Idle memory is read ten seconds after the first answer, and after 200 searches.
"""

import argparse
import http.client
import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from worst import Server  # noqa: E402

IDLE_SECONDS = 10


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise SystemExit(f"GET {path}: {response.status} {body[:300]}")
    finally:
        connection.close()


def private_memory(server):
    """In MiB, without files that are mapped."""
    with open(f"/proc/{server.process.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon")) / 1024


def start(program, data):
    """A server, and the seconds until it has answered that it is ready and has answered a search."""
    begin = time.perf_counter()
    server = Server(program, data)
    get(server.port, "/readyz")
    ready = time.perf_counter() - begin
    get(server.port, "/v1/listings?lon=14.27&lat=40.85&radius=5000")
    return server, ready, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--starts", type=int, default=7)
    arguments = parser.parse_args()
    rows = []
    for number in range(arguments.starts):
        server, ready, found = start(arguments.program, arguments.data)
        rows.append((ready, found))
        if number == arguments.starts - 1:
            time.sleep(IDLE_SECONDS)
            idle = private_memory(server)
            for turn in range(200):
                get(server.port, f"/v1/listings?lon={8 + turn / 20}&lat={38 + turn / 30}&radius=20000")
            time.sleep(IDLE_SECONDS)
            after = private_memory(server)
        server.stop()
    print("| start | ready | first search |\n|---|---|---|")
    print(f"| first | {rows[0][0]:.2f} s | {rows[0][1]:.2f} s |")
    later = [sorted(column)[(arguments.starts - 1) // 2] for column in zip(*rows[1:])]
    print(f"| median of {arguments.starts - 1} | {later[0]:.2f} s | {later[1]:.2f} s |\n")
    print(f"private memory, idle: {idle:.0f} MiB; idle after 200 searches: {after:.0f} MiB")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Measures tiles of the board.

Usage: tiles.py DATA [PROGRAM ...]

Requests tiles over Italy that contain the newest listings of each zoom, so that crowded places occur more often. The
fastest of several answers counts for each tile, because it is least affected by other load. Several programs are
measured in turn, tile by tile, with the same data. Prints a Markdown table of the median and the maximum of
milliseconds and bytes per tile.
"""

import datetime
import http.client
import json
import math
import statistics
import subprocess
import sys
import time
from urllib.parse import urlsplit

DATA = sys.argv[1]
PROGRAMS = sys.argv[2:] or [".build/release/doggofinder"]
ZOOMS = (4, 6, 8, 10, 12, 14)
TILES, ROUNDS = 20, 3


class Server:
    def __init__(self, program):
        arguments = ["serve", "--port", "0", "--data", DATA, "--log-level", "error", "--rate-limit", "off"]
        self.process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True)
        address = urlsplit(self.process.stdout.readline().split()[-1])
        self.connection = http.client.HTTPConnection(address.hostname, address.port)

    def get(self, path):
        begin = time.perf_counter()
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        body = answer.read()
        spent = time.perf_counter() - begin
        assert answer.status in (200, 204), (answer.status, path, body)
        return spent * 1000, body

    def stop(self):
        self.process.kill()
        self.process.wait()


def tile(zoom, lon, lat):
    down = (1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2
    return f"{zoom}/{int((lon + 180) / 360 * 2**zoom)}/{int(down * 2**zoom)}"


def kinds(newest):
    """The queries; their times are relative to the newest listing."""
    def since(days):
        return f"since={(newest - datetime.timedelta(days)).strftime('%Y-%m-%dT%H:%M:%SZ')}"

    return {
        "all": "", "dogs": "species=dog", "cats": "species=cat", "a day": since(1), "a month": since(30),
        "half a year": since(182), "a year": since(365), "since 2000": "since=2000-01-01",
        "half a year, dogs": since(182) + "&species=dog", "commonest breed": "breed=mixed",
    }


def measure(servers, query, tiles):
    times, sizes = [[] for _ in servers], [[] for _ in servers]
    for one in tiles:
        path = f"/tiles/listings/{one}.pbf?{query}"
        answers = [[server.get(path) for server in servers] for _ in range(ROUNDS)]
        for number, found in enumerate(zip(*answers)):
            times[number].append(min(spent for spent, _ in found))
            sizes[number].append(len(found[0][1]))
    return [
        f"{statistics.median(spent):.1f} / {max(spent):.1f} | {statistics.median(size):,.0f} / {max(size):,}"
        for spent, size in zip(times, sizes)
    ]


def main():
    servers = []
    try:
        servers += map(Server, PROGRAMS)
        listings = json.loads(servers[0].get("/v1/listings?bbox=6,36,19,48&limit=200")[1])["features"]
        points = [listing["geometry"]["coordinates"] for listing in listings]
        newest = max(datetime.datetime.fromisoformat(one["properties"]["last_seen_at"]) for one in listings)
        print("| asked for | zoom | tiles |" + " ms | bytes |" * len(servers))
        print("|---|---:|---:|" + "---:|---:|" * len(servers))
        for kind, query in kinds(newest).items():
            for zoom in ZOOMS:
                tiles = list(dict.fromkeys(tile(zoom, *point) for point in points))[:TILES]
                print(f"| {kind} | {zoom} | {len(tiles)} | {' | '.join(measure(servers, query, tiles))} |", flush=True)
    finally:
        for server in servers:
            server.stop()


main()

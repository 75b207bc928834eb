#!/usr/bin/env python3
"""Measures tiles of the map that the service draws, and answers meanwhile.

    basemap.py DATA [PROGRAM] [--tiles 200] [--clients 64] [--seconds 20] [--around LON,LAT ...]

DATA is a data folder; it may be empty, or have extracts of OpenStreetMap, with --around for towns in them. PROGRAM is .build/release/doggofinder unless given. The processor time of a tile is that of all
threads of the server.
"""

import argparse
import http.client
import math
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from matches import percentile  # noqa: E402
from worst import Server  # noqa: E402

CITIES = [(9.19, 45.46), (12.48, 41.89), (14.27, 40.85), (7.68, 45.07), (13.36, 38.12), (11.34, 44.49), (8.93, 44.41),
          (14.79, 40.77), (16.87, 41.12), (15.09, 37.50), (2.35, 48.85), (13.4, 52.52)]


def tile(zoom, cities, reach, generator):
    """A tile near one of the cities."""
    lon, lat = generator.choice(cities)
    x, y = (lon + 180) / 360, (1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2
    return (int(x * 2 ** zoom) + generator.randint(-reach, reach), int(y * 2 ** zoom) + generator.randint(-reach, reach))


def tiles(zoom, count, cities, generator):
    """Tiles within five of those of cities, as many as there are at low zooms."""
    reach = max(1, min(5, 2 ** (zoom - 3)))
    return sorted({tile(zoom, cities, reach, generator) for _ in range(20 * count)})[:count]


def get(connection, path):
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {body[:200]}")
    return body


def measure(server, arguments, generator):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    print("| zoom | processor time p50, ms | p95 | most | from memory p50, ms | kB |\n|---|---:|---:|---:|---:|---:|")
    for zoom in (6, 9, 12, 14, 15, 16, 17, 18):
        costs, sizes, again = [], [], []
        chosen = tiles(zoom, arguments.tiles, arguments.around, generator)
        generator.shuffle(chosen)
        for x, y in chosen:
            before = server.processor_time()
            sizes.append(len(get(connection, f"/basemap/{zoom}/{x}/{y}.png")))
            costs.append(server.processor_time() - before)
        for x, y in chosen:
            begin = time.perf_counter()
            get(connection, f"/basemap/{zoom}/{x}/{y}.png")
            again.append(1000 * (time.perf_counter() - begin))
        print(f"| {zoom} | {percentile(costs, 0.5):.1f} | {percentile(costs, 0.95):.1f} | {max(costs):.1f} "
              f"| {percentile(again, 0.5):.2f} | {sum(sizes) / len(sizes) / 1000:.1f} |")


def measure_health(server, arguments):
    """The duration of /healthz, alone and while clients ask for tiles that were not drawn before."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def durations(seconds):
        found, end = [], time.time() + seconds
        while time.time() < end:
            begin = time.perf_counter()
            get(connection, "/healthz")
            found.append(1000 * (time.perf_counter() - begin))
            time.sleep(0.02)
        return found

    alone, stop, drawn = durations(5), threading.Event(), [0]

    def client(number):
        own = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        generator = random.Random(number)
        while not stop.is_set():
            x, y = tile(17, arguments.around, 200, generator)
            own.request("GET", f"/basemap/17/{x}/{y}.png",
                        headers={"X-Forwarded-For": f"10.0.0.{number}"})
            own.getresponse().read()
            drawn[0] += 1

    threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(arguments.clients)]
    for thread in threads:
        thread.start()
    busy = durations(arguments.seconds)
    stop.set()
    print("\n| /healthz | p50, ms | p99, ms | most |\n|---|---:|---:|---:|")
    for name, values in [("alone", alone), (f"while {arguments.clients} clients ask for tiles", busy)]:
        print(f"| {name} | {percentile(values, 0.5):.1f} | {percentile(values, 0.99):.1f} | {max(values):.1f} |")
    print(f"\n{drawn[0] / arguments.seconds:.0f} tiles a second")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--tiles", type=int, default=200)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--around", nargs="+", type=lambda text: tuple(map(float, text.split(","))), default=CITIES)
    arguments = parser.parse_args()
    server = Server(arguments.program, arguments.data)
    try:
        server.wait_until_idle()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        begin = time.perf_counter()
        get(connection, "/basemap/5/17/11.png")
        print(f"first tile: {1000 * (time.perf_counter() - begin):.0f} ms\n")
        measure(server, arguments, random.Random(arguments.seed))
        measure_health(server, arguments)
    finally:
        server.stop()


if __name__ == "__main__":
    main()

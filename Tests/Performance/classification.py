#!/usr/bin/env python3
"""Measures searches by photo, and usual searches while photos are classified.

    classification.py DATA PHOTOS [PROGRAM] [--photos 60] [--searches 300]

DATA is a data folder with listings, such as `doggofinder demo --count 1000000 --data DATA` makes, with photos by
`board_photos.py`. The processor time of a search is that of all threads of the server. PHOTOS is a folder with
JPEG files, at any depth. PROGRAM is .build/release/doggofinder unless given.
"""

import argparse
import collections
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from worst import Server, ask  # noqa: E402

CITIES = [(9.19, 45.46), (12.48, 41.89), (14.27, 40.85), (7.68, 45.07), (13.36, 38.12), (11.34, 44.49), (8.93, 44.41),
          (14.79, 40.77), (16.87, 41.12), (15.09, 37.50)]

SEARCHES = {"all statuses": "", "found or sighted within 25 km": "&status=found,sighted&radius=25000",
            "lost within 25 km": "&status=lost&radius=25000"}


def classify(connection, photo, address="192.0.2.2"):
    connection.request("POST", "/v1/classifications", photo, {"X-Forwarded-For": address, "Content-Type": "image/jpeg"})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def timed(times, body, *arguments):
    begin = time.perf_counter()
    answer = body(*arguments)
    times.append((time.perf_counter() - begin) * 1e3)
    return answer


def near():
    lon, lat = random.choice(CITIES)
    return f"lon={lon + random.gauss(0, 0.1):.4f}&lat={lat + random.gauss(0, 0.1):.4f}"


def show(name, times):
    times = sorted(times)
    share = (f"{times[int(len(times) * part)]:.1f}" for part in (0.5, 0.95, 0.99))
    print(f"| {name} | {len(times)} | {' | '.join(share)} | {times[-1]:.1f} |", flush=True)


def searches(connection, count):
    times = []
    for _ in range(count):
        status, _ = timed(times, ask, connection, f"/v1/listings?{near()}&status=found,sighted")
        assert status == 200, status
        time.sleep(0.01)
    return times


def flood(port, photos, address, stop):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    while not stop.is_set():
        classify(connection, random.choice(photos), address)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("photo_folder", metavar="PHOTOS")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--photos", type=int, default=60)
    parser.add_argument("--searches", type=int, default=300)
    arguments = parser.parse_args()
    multiprocessing.set_start_method("fork")
    random.seed(1)
    files = random.sample(sorted(pathlib.Path(arguments.photo_folder).rglob("*.jpg")), arguments.photos)
    photos = [file.read_bytes() for file in files]
    server, stop, tasks = Server(arguments.program, arguments.data), multiprocessing.Event(), []
    try:
        server.wait_until_idle()
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        print("| request | answers | p50 ms | p95 ms | p99 ms | most ms |\n|---|---:|---:|---:|---:|---:|")
        classified, durations, costs = [], collections.defaultdict(list), collections.defaultdict(list)
        for photo in photos:
            status, answer = timed(classified, classify, connection, photo)
            assert status == 201, answer
            if not answer["links"]:
                continue
            path = f"/v1/listings?classification={answer['id']}&{near()}"
            for name, filters in SEARCHES.items():
                before = server.processor_time()
                status, _ = timed(durations[name], ask, connection, path + filters)
                costs[name].append(server.processor_time() - before)
                assert status == 200, status
        show("photo, classified", classified)
        for name in SEARCHES:
            show(f"search by photo, {name}", durations[name])
            show("the same, processor time", costs[name])
        show("search around a point, meanwhile nothing", searches(connection, arguments.searches))
        tasks = [multiprocessing.Process(target=flood, args=(server.port, photos, f"203.0.{n}.9", stop)) for n in range(8)]
        for task in tasks:
            task.start()
        time.sleep(2)
        show("the same while eight addresses send photos", searches(connection, arguments.searches))
    finally:
        stop.set()
        for task in tasks:
            task.join()
        server.stop()


if __name__ == "__main__":
    main()

"""Measures the accuracy and speed of reverse_geocoder.

Usage: gazetteer_peer.py PROGRAM TRUTH_FOLDER NO_FOLDER, where NO_FOLDER is a path that does not exist.

reverse_geocoder returns the nearest town in GeoNames. Our program determines the comune in which that town lies, so
that a hamlet counts as its comune and differences in names have no effect.
"""
import csv
import json
import pathlib
import random
import subprocess
import sys
import time

import reverse_geocoder

PROGRAM, TRUTH, NOWHERE = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
FILES = ("truth_reverse_it.csv", "truth_reverse_it_popw.csv", "truth_reverse_it_settle.csv", "truth_world.csv")


def places(points):
    """Our answers for (lat, lon), by one batch call of the program."""
    lines = "".join(f"{lon},{lat}\n" for lat, lon in points)
    done = subprocess.run([PROGRAM, "gazetteer", "reverse", "-", "--data", NOWHERE], input=lines, capture_output=True,
                          text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def accuracy(rows):
    points = [(float(row["lat"]), float(row["lon"])) for row in rows]
    found = reverse_geocoder.search(points, mode=1)
    named = places([(float(place["lat"]), float(place["lon"])) for place in found])
    country = sum(place["cc"] == row.get("cc", "IT") for place, row in zip(found, rows)) / len(rows)
    if "sigla" not in rows[0]:
        return ("-", "-", "-", f"{100 * country:.2f}")
    folded = [name["comune"].casefold() if name["comune"] else "" for name in named]
    comune = sum(name == row["comune"].casefold() for name, row in zip(folded, rows)) / len(rows)
    province = sum(name["province_code"] == row["sigla"] for name, row in zip(named, rows)) / len(rows)
    region = sum((name["region"] or "").split("/")[0].casefold()[:6] == row["regione"].casefold()[:6] for name, row in zip(named, rows)) / len(rows)
    return tuple(f"{100 * share:.2f}" for share in (comune, province, region, country))


reverse_geocoder.search([(45, 9)], mode=1)
print("points    reverse_geocoder: comune %, province %, region %, country %")
for name in FILES:
    kinds = {}
    with open(TRUTH / name, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            kinds.setdefault(row.get("kind", "world"), []).append(row)
    for kind, rows in kinds.items():
        print(f"{kind:9} {'  '.join(accuracy(rows))}")

random.seed(1)
points = [(random.uniform(38, 46), random.uniform(8, 17)) for _ in range(100_000)]
start = time.perf_counter()
reverse_geocoder.search(points, mode=1)
batch = time.perf_counter() - start
start = time.perf_counter()
for point in points[:5_000]:
    reverse_geocoder.search([point], mode=1)
single = (time.perf_counter() - start) / 5_000
print(f"reverse_geocoder: {len(points) / batch:,.0f} points/s in one batch, {1e6 * single:.0f} us a point one by one")
lines = "".join(f"{lon},{lat}\n" for lat, lon in points)
start = time.perf_counter()
subprocess.run([PROGRAM, "gazetteer", "reverse", "-", "--data", NOWHERE], input=lines, capture_output=True, text=True, check=True)
batch = time.perf_counter() - start
print(f"doggofinder gazetteer reverse -: {len(points) / batch:,.0f} points/s, each with three alternatives, as JSON")

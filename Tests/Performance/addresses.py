#!/usr/bin/env python3
"""Asks a running service for all house numbers of an extract, and measures how many it finds and how fast.

Usage: addresses.py BASE EXTRACT.osm.pbf [--near] [--misses N]

BASE is the address of a service that has imported the extract. Needs `pip install osmium`. A question is "street number,
town"; the town is the extract's own `addr:city`, otherwise that of the municipality's boundary around the house. An
answer is right if the first place has the street and the number and is within 50 m. Of each time, the part that HTTP and this
client need is about that of the trivial request, which is asked as often.
"""
import argparse
import json
import math
import statistics
import time
import unicodedata
import urllib.parse
import urllib.request

import osmium


class Houses(osmium.SimpleHandler):
    """The house numbers with a street: street, number, town and position."""

    def __init__(self):
        super().__init__()
        self.found = []

    def add(self, tags, lon, lat):
        street = tags.get("addr:street") or tags.get("addr:place")
        if street and "addr:housenumber" in tags:
            self.found.append((street, tags["addr:housenumber"], tags.get("addr:city"), lon, lat))

    def node(self, node):
        if "addr:housenumber" in node.tags:
            self.add(node.tags, node.location.lon, node.location.lat)

    def area(self, area):
        if "addr:housenumber" not in area.tags:
            return
        points = [(node.lon, node.lat) for ring in area.outer_rings() for node in ring]
        self.add(area.tags, sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points))


class Towns(osmium.SimpleHandler):
    """The boundaries of municipalities."""

    def __init__(self):
        super().__init__()
        self.found = []

    def area(self, area):
        if area.tags.get("boundary") == "administrative" and area.tags.get("admin_level") == "8":
            for ring in area.outer_rings():
                self.found.append((area.tags.get("name", ""), [(node.lon, node.lat) for node in ring]))

    def at(self, lon, lat):
        for name, ring in self.found:
            inside = False
            for (x0, y0), (x1, y1) in zip(ring, ring[1:]):
                if (y0 > lat) != (y1 > lat) and lon < x0 + (lat - y0) / (y1 - y0) * (x1 - x0):
                    inside = not inside
            if inside:
                return name
        return None


def folded(text):
    """Without accents, punctuation and case: as people write."""
    letters = unicodedata.normalize("NFD", text.casefold().replace("ħ", "h"))
    return "".join(letter for letter in letters if letter.isalnum())


def metres(lon0, lat0, lon1, lat1):
    return math.hypot((lon1 - lon0) * math.cos(math.radians(lat0)), lat1 - lat0) * 111_195


def get(address):
    started = time.perf_counter()
    with urllib.request.urlopen(address) as answer:
        told = json.load(answer)
    return told, (time.perf_counter() - started) * 1000


def ask(base, text, near):
    query = {"q": text, "limit": 1}
    if near:
        query |= {"lon": near[0], "lat": near[1]}
    told, duration = get(f"{base}/v1/places?{urllib.parse.urlencode(query)}")
    return (told["features"] or [None])[0], duration


def times(durations):
    durations = sorted(durations)
    return f"p50 {statistics.median(durations):.1f} ms, p95 {durations[int(len(durations) * 0.95)]:.1f} ms, most {durations[-1]:.1f} ms"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("extract")
    parser.add_argument("--near", action="store_true", help="tell a point 2 km north of the house, as a map does")
    parser.add_argument("--misses", type=int, default=0, help="how many wrong answers to print")
    options = parser.parse_args()
    houses, towns = Houses(), Towns()
    houses.apply_file(options.extract, locations=True)
    towns.apply_file(options.extract, locations=True)
    right, durations, trivial, missed = 0, [], [], 0
    for street, number, city, lon, lat in houses.found:
        town = city or towns.at(lon, lat)
        text = ", ".join(filter(None, [f"{street} {number}", town]))
        place, duration = ask(options.base, text, (lon, lat + 0.018) if options.near else None)
        durations.append(duration)
        trivial.append(get(f"{options.base}/healthz")[1])
        told = place and (place["properties"].get("street") or place["properties"].get("landmark"))
        away = metres(lon, lat, *place["geometry"]["coordinates"]) if place else math.inf
        number_told = place and place["properties"].get("house_number")
        if told and folded(told) == folded(street) and folded(number_told or "") == folded(number) and away <= 50:
            right += 1
        elif missed < options.misses:
            missed += 1
            print(f"{text}: {told} {number_told}, {away:.0f} m")
    count = len(durations)
    print(f"{right} of {count} right, {100 * right / count:.1f} %")
    print(f"answer {times(durations)}")
    print(f"trivial request {times(trivial)}")


main()

#!/usr/bin/env python3
"""Measures searches as people type them: nearest or newest 20, and 1,000 random ones.

    typed.py DATA [PROGRAM] [--queries 1000] [--seed 1] [--words WORDS.json]

DATA is a data folder with listings, such as `doggofinder demo --count 1000000 --data DATA` makes. PROGRAM is
.build/release/doggofinder unless given. WORDS.json has a list `queries` with `text`; without it, the texts are random
combinations of the words below. The nearest listings are asked for from places where listings are, and from afar.
The processor time of a query is that of all threads of the server.
"""

import argparse
import http.client
import json
import random
import urllib.parse

from worst import POINTS, Server

SPECIES = ["cane", "gatto", "dog", "cat", "cagnolina", "", ""]
BREEDS = ["labrador", "pastore tedesco", "jack russell", "beagle", "meticcio", "setter", "maltese", "pit bull", "siamese", "",
          "chihuahua", "incrocio labrador", "terrier", "akita", "", "", ""]
COLOURS = ["nero", "bianca", "nero focato", "bianco e marrone", "tigrato", "merle", "grigio", "tricolore", "beige", "black",
           "", "", ""]
PLACES = ["roma", "a Eboli", "zona Salerno", "vicino a Milano", "in provincia di Napoli", "in Lombardia", "entro 30 km da Bari",
          "Castellammare di Stabia", "Italia", "London", "", "", "", ""]
OTHERS = ["femmina", "maschio", "smarrito", "trovata", "cucciolo", "anziano", "taglia grande", "collare rosso", "zoppo",
          "timida", "luna", "argo", "red collar", "medaglietta", "senza coda", "con collare blu", "shy", "chip", "", "", ""]
HOSTILE = ["a a a a a a a a a a a a", "il la lo gli un una", "xyzzyx qwertyu asdfghj", "colalre rosos labradro", "9 8 7 6 5 4 3",
           "collare collarino pettorina guinzaglio", "san santa santo san san", "\"the\" \"a\" \"of\"", "e", "col", "the dog"]


def text(rnd):
    if rnd.random() < 0.05:
        return rnd.choice(HOSTILE)
    words = [rnd.choice(SPECIES), rnd.choice(BREEDS), rnd.choice(COLOURS), rnd.choice(OTHERS), rnd.choice(PLACES)]
    typed = " ".join(word for word in words if word) or "cane nero"
    if rnd.random() < 0.1:
        place = rnd.randrange(len(typed))
        typed = typed[:place] + typed[place + 1:]
    return typed.strip() or "cane"


def ask(connection, path):
    connection.request("GET", path, headers={"Accept-Language": "it"})
    response = connection.getresponse()
    body = response.read()
    return response.status, body


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words")
    arguments = parser.parse_args()
    rnd = random.Random(arguments.seed)
    known = [one["text"] for one in json.load(open(arguments.words))["queries"]] if arguments.words else []
    server = Server(arguments.program, arguments.data)
    try:
        server.wait_until_idle()
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for warm in ["cane nero", "labrador roma", "collare rosso"]:
            ask(connection, "/v1/listings?limit=20&q=" + urllib.parse.quote(warm))
        print("| order | queries | found something | p50, ms | p95, ms | worst, ms | refused |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        near = [(feature["geometry"]["coordinates"]) for feature in
                json.loads(ask(connection, "/v1/listings?limit=200&bbox=-180,-90,180,90")[1])["features"]]
        for order, points in [("newest", [None]), ("nearest", near), ("nearest from afar", POINTS)]:
            costs, refused, found = [], 0, 0
            for number in range(arguments.queries):
                typed = known[number % len(known)] if known else text(rnd)
                place = rnd.choice(points)
                point = f"&lon={place[0]}&lat={place[1]}" if place else ""
                path = f"/v1/listings?limit=20{point}&q=" + urllib.parse.quote(typed)
                before = server.processor_time()
                status, body = ask(connection, path)
                costs.append((server.processor_time() - before, typed))
                refused += status != 200
                found += status == 200 and json.loads(body)["numberReturned"] > 0
            times = [cost for cost, _ in costs]
            print(f"| {order} | {len(times)} | {found} | {percentile(times, .5):.2f} | {percentile(times, .95):.2f} | "
                  f"{max(times):.1f} | {refused} |")
            for cost, typed in sorted(costs, reverse=True)[:12]:
                print(f"    {cost:.1f} ms: {typed}")
    finally:
        server.stop()


if __name__ == "__main__":
    main()

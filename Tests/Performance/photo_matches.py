"""Measures the matches of listings with photos: python3 photo_matches.py PAIRS IDENTITY OTHERS [PROGRAM]

PAIRS has lost.csv, found.csv and truth.csv, whose listings have no photos. Each pair of one animal gets two photos of one
individual of IDENTITY, which has a folder of photos for each; no two pairs of one city get those of one individual. Half of the
other listings get a photo of OTHERS, which has folders of photos, each of another dog. `matches evaluate` measures the matches
with these photos and without them. It prints the share of found animals whose lost one comes first, among those whose pair has photos.
"""

import collections
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

pairs, identity, others = map(pathlib.Path, sys.argv[1:4])
program = sys.argv[4] if len(sys.argv) > 4 else ".build/release/doggofinder"
random.seed(1)


def vectors(folder, work):
    """The vectors of the photos in each folder."""
    file = work / "vectors.csv"
    subprocess.run([program, "photos", "evaluate", str(folder), "--write-vectors", str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = collections.defaultdict(list)
    for row in csv.DictReader(open(file)):
        found[row["reference"]].append(row["vector"].lstrip("'"))
    return found


def evaluate(truth, *options):
    files = [str(pairs / "lost.csv"), str(pairs / "found.csv"), str(truth)]
    return json.loads(subprocess.run([program, "matches", "evaluate", "--json", *options, *files], stdout=subprocess.PIPE, check=True).stdout)


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    dogs = {name: some for name, some in vectors(identity, work).items() if len(some) > 1}
    strangers = [one for some in vectors(others, work).values() for one in some]
    assert dogs and strangers, "no photos"
    truth = list(csv.DictReader(open(pairs / "truth.csv")))
    chosen, taken = {}, collections.defaultdict(set)
    for row in truth:
        city = row["found_reference"].split("-")[0]
        free = sorted(set(dogs) - taken[city])
        if not free or row["found_reference"] in chosen or row["lost_reference"] in chosen:
            continue
        dog = random.choice(free)
        taken[city].add(dog)
        chosen[row["found_reference"]], chosen[row["lost_reference"]] = random.sample(dogs[dog], 2)
    paired = {row["found_reference"] for row in truth if row["found_reference"] in chosen}
    for name in ("lost.csv", "found.csv"):
        for row in csv.DictReader(open(pairs / name)):
            if row["reference"] not in chosen and random.random() < 0.5:
                chosen[row["reference"]] = random.choice(strangers)
    with open(work / "truth.csv", "w", newline="") as file:
        rows = csv.DictWriter(file, truth[0].keys())
        rows.writeheader()
        rows.writerows(row for row in truth if row["found_reference"] in paired)
    with open(work / "photos.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["reference", "vector"])
        rows.writerows(chosen.items())
    print(f"{len(paired)} of {len({row['found_reference'] for row in truth})} found animals with a pair of photos of {len(dogs)} dogs; {len(strangers)} photos of others")
    for what, options in (("without photos", []), ("with photos", ["--vectors", str(work / "photos.csv")])):
        print(what, json.dumps(evaluate(work / "truth.csv", *options)))

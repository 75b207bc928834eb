#!/usr/bin/env python3
"""Gives a share of the open dogs of a board a photo, of which only the vector and a hash exist, so that searches can be measured.

    board_photos.py DATA VECTORS [--share 0.5] [--seed 1]

DATA is a data folder with listings, such as `doggofinder demo --count 1000000 --data DATA` makes; it is spoilt. VECTORS is what
`doggofinder photos evaluate FOLDER --write-vectors VECTORS` writes. Each photo has one of these vectors with noise, and one of 2,000 hashes
of which 12 bits are random, so that quarters of hashes are shared as unevenly as those of real photos. No server may use the folder. The next one reads what matches compare again: `matches.py` waits for that.
"""

import argparse
import base64
import csv
import os
import random
import sqlite3
import sys
import uuid

MODEL = ("dog-breeds", "5")


def noisy(vector, generator):
    return bytes(max(-127, min(127, (byte + 128) % 256 - 128 + round(generator.gauss(0, 8)))) % 256 for byte in vector)


def changed(value, generator):
    """The hash with 12 random bits, as a signed number."""
    for bit in generator.sample(range(64), 12):
        value ^= generator.getrandbits(1) << bit
    return value - (1 << 64) if value >> 63 else value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("vectors")
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    generator = random.Random(arguments.seed)
    with open(arguments.vectors) as file:
        vectors = [base64.b64decode(row["vector"].lstrip("'")) for row in csv.DictReader(file)]
    board = sqlite3.connect(os.path.join(arguments.data, "doggofinder.sqlite"))
    dogs = [key for key, in board.execute("SELECT listing_id FROM match_candidate WHERE side < 2")]
    hashes = [generator.getrandbits(64) for _ in range(2_000)]
    chosen = generator.sample(dogs, int(len(dogs) * arguments.share))
    trigger, = board.execute("SELECT sql FROM sqlite_schema WHERE name = 'photo_enters'").fetchone()
    with board:
        board.execute("BEGIN")
        board.execute("DROP TRIGGER photo_enters")
        for number, key in enumerate(chosen):
            photo = board.execute(
                "INSERT INTO photo (uuid, width, height, listing_id, number) VALUES (?, 800, 600, ?, 6) RETURNING id",
                (str(uuid.UUID(int=generator.getrandbits(128))), key)).fetchone()[0]
            board.execute(
                "INSERT INTO classification (uuid, photo_id, model, model_version, outcome, predictions, vector, "
                "hash) VALUES (?, ?, ?, ?, 'accepted', '{}', ?, ?)",
                (str(uuid.UUID(int=generator.getrandbits(128))), photo, *MODEL, noisy(generator.choice(vectors), generator),
                 changed(generator.choice(hashes), generator)))
            if number % 10_000 == 0:
                print(f"\r{number:,} of {len(chosen):,} photos", end="", file=sys.stderr, flush=True)
        board.execute(trigger)
        board.execute("UPDATE match_candidate SET subject = NULL")
    print(f"\r{len(chosen):,} of {len(dogs):,} open dogs have a photo")


if __name__ == "__main__":
    main()

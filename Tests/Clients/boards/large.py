"""Creates 25,000 open listings with values for every filter, and computes expected results from the database itself."""

import csv
import os
import random
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Durability"))
from lab import query  # noqa: E402

SIZE = int(os.environ.get("LISTINGS", 25_000))
OWNER = "shelter@example.org"
NAMES = ["Luna", "luna", "Argo", "Übü", "O'Neil", "Fido 100%", "Nerone_2", "Zoë", None]
BREEDS = ["Mischling", "Tigrato", None]
BREEDS_OF_DOGS = [*BREEDS, "Labrador Retriever", "Épagneul breton", "Pastore tedesco"]
PLACES = ["Salerno", "Napoli", "Roma", "Milano", "Fisciano"]


def seed(program, data):
    """Fills the board up to `SIZE` listings, which are the same in each run and belong to a separate account."""
    missing = SIZE - len(keys(data))
    if missing <= 0:
        return
    chance = random.Random(7)
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, [
            "status", "species", "name", "breed", "sex", "size", "colour", "age", "marks", "last_seen_at", "lon", "lat",
            "location_precision", "created_at",
        ])
        rows.writeheader()
        for number in range(missing):
            rows.writerow(row(chance, number))
        file.flush()
        for words in (["accounts", "add", OWNER], ["listings", "import", file.name, "--owner", OWNER]):
            subprocess.run([program, *words, "--data", data], check=True, stdout=subprocess.DEVNULL)


# Boxes of Italy without open sea: west, south, east, north.
REGIONS = [
    (7.8, 44.6, 12.0, 45.8), (12.2, 42.0, 13.8, 43.3), (14.6, 40.5, 16.8, 41.3), (16.1, 38.7, 16.6, 39.5),
    (13.3, 37.3, 14.9, 37.9), (8.7, 39.3, 9.5, 40.7),
]


def row(chance, number):
    west, south, east, north = chance.choice(REGIONS)
    day, month = chance.randint(1, 28), chance.randint(1, 10)
    time = f"2026-{month:02}-{day:02}T{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:00.{chance.randint(0, 999):03}Z"
    species = chance.choice(["dog", "dog", "dog", "cat", "other"])
    return {
        "status": chance.choice(["lost", "found", "sighted"]),
        "species": species,
        "name": chance.choice(NAMES),
        "breed": chance.choice(BREEDS_OF_DOGS if species == "dog" else BREEDS),
        "sex": chance.choice(["female", "male", None]),
        "size": chance.choice(["small", "medium", "large", None]),
        "colour": chance.choice(["black", "white", "Nero focato", None]),
        "age": chance.choice(["1", "10 years", None]),
        "marks": chance.choice(["collar; tag \"7\"", "cicatrice", None]),
        "last_seen_at": time,
        "lon": round(chance.uniform(west, east), 6),
        "lat": round(chance.uniform(south, north), 6),
        "location_precision": chance.choice(["exact", "exact", "approximate"]),
        "created_at": time,
    }


def keys(data, condition="true"):
    """The ids of the listings on the board that fulfil a condition, which SQLite and PostgreSQL understand."""
    rows = query(data, f"SELECT uuid FROM listing JOIN board ON board.id >> 4 = listing.id WHERE {condition}")
    return {row[0] for row in rows}


def boxed(west, south, east, north):
    """The condition that a listing is in a box."""
    return f"board.lon BETWEEN {west} AND {east} AND board.lat BETWEEN {south} AND {north}"


def tell(client, check, found, expected):
    """Prints a line of the table: whether two sets are equal."""
    if found == expected:
        # A set with one element is a count or an id, so the element is printed.
        print(client, check, f"ok, {found.pop() if len(found) == 1 else len(found)}", sep="\t", flush=True)
    else:
        print(
            client, check,
            f"{len(found)} of {len(expected)}; {len(expected - found)} missing, {len(found - expected)} too many",
            sep="\t", flush=True,
        )

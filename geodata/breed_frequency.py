#!/usr/bin/env python3
"""Counts the breeds of real lost and found animals into the column `frequency` of breeds.tsv.

    geodata/breed_frequency.py geodata/breeds.tsv REPORTS...

REPORTS are CSV files (optionally .xz) with a column `breed` and optional columns `species` and `n` (the number of
animals that the row represents). The rules are in BREEDS.md.
"""

import collections
import csv
import lzma
import re
import sys
import unicodedata
from pathlib import Path

LANGUAGES = Path(__file__).parent.parent / "Sources/Domain/Languages"
MIXED = {"dog": "mixed", "cat": "domestic_cat"}
# The words that mark a cross, and the words that only join its parents; `breed-other.tsv` of the languages has more.
CROSS_WORDS = {"mix", "mixed", "x", "cross", "crossed", "crossbreed", "incrocio", "incrociato", "incrociata", "simil",
               "tipo", "type", "meticcio", "meticcia"}
JOINING_WORDS = {"di", "tra", "con", "e", "of", "with", "and", "a", "un", "una", "breed"}


def folded(text):
    decomposed = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()
    return " ".join(re.findall(r"[^\W_]+", plain))


def parents(text, known):
    """Return the breeds that a description mentions, and whether it describes a cross."""
    name = folded(text)
    if name in known:
        return [known[name]], False
    found, cross, pieces = [], False, re.split(r"[/+&,;()]", text)
    for piece in pieces:
        words = folded(piece).split()
        cross = cross or any(word in CROSS_WORDS for word in words)
        found += parts(words, known)
    return list(dict.fromkeys(found)), cross or len(found) > 1


def parts(words, known):
    """Return the longest known names in a sequence of words, from left to right; cross words separate names."""
    found, start = [], 0
    while start < len(words):
        for end in range(len(words), start, -1):
            name = " ".join(words[start:end])
            if name in known and words[start] not in CROSS_WORDS | JOINING_WORDS:
                found.append(known[name])
                start = end - 1
                break
        start += 1
    return found


def reports(path):
    opened = lzma.open(path, "rt", newline="") if path.endswith(".xz") else open(path, newline="")
    with opened as file:
        for row in csv.DictReader(file):
            yield row.get("species") or "dog", row["breed"], int(row.get("n") or 1)


def count(paths, known):
    counts, total, exact, mentioned = collections.Counter(), collections.Counter(), 0, 0
    for path in paths:
        for species, text, n in reports(path):
            if species not in MIXED or not text.strip():
                continue
            total[species] += n
            found, cross = parents(text, known[species])
            mentioned += n * bool(found)
            exact += n * (bool(found) and not cross)
            pedigree = [breed for breed in found if breed != MIXED[species]]
            share = 0.5 if cross and pedigree else 0
            if share or not pedigree:
                counts[MIXED[species]] += n * (share or bool(found or cross))
            for breed in pedigree:
                counts[breed] += n * (1 - share) / len(pedigree)
    print(f"{sum(total.values())} animals, {exact} of one named breed, {mentioned} with some breed", file=sys.stderr)
    return counts


def translations():
    """Return the names of each breed in the languages of the pages other than English."""
    names = collections.defaultdict(list)
    for path in sorted(LANGUAGES.glob("*/breeds.tsv")):
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                key, name = line.split("\t")
                names[key].append(name)
    return names


def main(table, *paths):
    with open(table, newline="") as file:
        header, *rows = [line.rstrip("\n").split("\t") for line in file]
    names = translations()
    known = collections.defaultdict(dict)
    for row in rows:
        for name in [row[0], row[2], *names[row[0]], *row[3].split("|")]:
            if folded(name):
                known[row[1]][folded(name)] = row[0]
    counts = count(paths, known)
    sums = collections.Counter()
    for row in rows:
        sums[row[1]] += counts[row[0]]
    for row in rows:
        row[6] = str(round(100_000 * counts[row[0]] / sums[row[1]])) if sums[row[1]] else "0"
    with open(table, "w", newline="") as file:
        file.writelines("\t".join(row) + "\n" for row in [header, *rows])


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

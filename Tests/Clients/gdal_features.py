"""Reads our feature collections with GDAL: Debian's programs and the library inside PyPI's pyogrio.

Usage: gdal_features.py ADDRESS PROGRAM DATA
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import pyogrio
from boards.large import boxed, keys, seed, tell

ADDRESS, PROGRAM, DATA = sys.argv[1:4]
SOURCE = f"OAPIF:{ADDRESS}"
BOX = (12, 41, 14.5, 43.25)

# Conditions in OGR's SQL dialect, with the equivalent conditions for the database.
CONDITIONS = {
    "status = 'lost'": "listing.status = 'lost'",
    "status <> 'lost' AND species = 'dog'": "listing.status <> 'lost' AND listing.species = 'dog'",
    "size IN ('small', 'large')": "size IN ('small', 'large')",
    "name LIKE 'L%'": "substr(name, 1, 1) = 'L'",
    "name = 'O''Neil' OR name = 'Übü'": "name IN ('O''Neil', 'Übü')",
    "NOT (status = 'lost')": "listing.status <> 'lost'",
    "breed IS NULL AND name IS NOT NULL": "breed IS NULL AND name IS NOT NULL",
    "last_seen_at >= '2026-08-01T00:00:00Z'": "listing.last_seen_at >= '2026-08-01T00:00:00.000Z'",
    "approximate = 0": "NOT approximate",
}


def main():
    seed(PROGRAM, DATA)
    if shutil.which("ogr2ogr"):
        with tempfile.TemporaryDirectory() as folder:
            check_programs(folder)
    else:
        print("ogr2ogr", "all", "skipped: gdal-bin is missing", sep="\t")
    check_pyogrio()


def check_programs(folder):
    name = "GDAL " + subprocess.check_output(["ogr2ogr", "--version"], text=True).split()[1].rstrip(",")
    everything = keys(DATA)
    told = subprocess.check_output(["ogrinfo", "-ro", "-so", SOURCE, "listings"], text=True)
    count = next(line.split(": ")[1] for line in told.splitlines() if line.startswith("Feature Count"))
    tell(name, "ogrinfo: the count", {count}, {str(len(everything))})
    for field, kind in (("last_seen_at", "DateTime"), ("approximate", "Integer(Boolean)"), ("name", "String")):
        assert f"{field}: {kind}" in told, told
    layers = subprocess.check_output(["ogrinfo", "-ro", SOURCE], text=True)
    tell(name, "ogrinfo: the layers", {n for n in ("listings", "pois") if n in layers}, {"listings", "pois"})

    def read(*options):
        target = os.path.join(folder, "out.geojsonl")
        if os.path.exists(target):
            os.remove(target)
        answer = subprocess.run(
            ["ogr2ogr", "-f", "GeoJSONSeq", target, SOURCE, "listings", *options],
            env=os.environ | {"CPL_DEBUG": "OAPIF,HTTP"}, capture_output=True, text=True, check=True,
        )
        with open(target, encoding="utf-8") as lines:
            found = [json.loads(line)["properties"]["id"] for line in lines]
        assert len(found) == len(set(found)), "a listing twice"
        return set(found), answer.stderr

    tell(name, "ogr2ogr: everything", read()[0], everything)
    tell(name, "ogr2ogr: pages of 777", read("-oo", "PAGE_SIZE=777")[0], everything)
    box = ("-spat", *map(str, BOX))
    tell(name, "ogr2ogr: a box", read(*box)[0], keys(DATA, boxed(*BOX)))
    for asked, meant in CONDITIONS.items():
        found, log = read("-where", asked)
        where = "by the server" if "filter=" in log or "=lost" in log else "by GDAL"
        tell(name, f"ogr2ogr, {where}: {asked}", found, keys(DATA, meant))
    found, _ = read(*box, "-where", "species = 'cat'")
    tell(name, "ogr2ogr: a box and a filter", found, keys(DATA, f"{boxed(*BOX)} AND listing.species = 'cat'"))


def check_pyogrio():
    name = f"pyogrio {pyogrio.__version__}, GDAL {pyogrio.__gdal_version_string__}"

    def read(**options):
        meta, _, _, fields = pyogrio.raw.read(SOURCE, layer="listings", columns=["id"], read_geometry=False, **options)
        return set(fields[list(meta["fields"]).index("id")])

    tell(name, "the layers", {row[0] for row in pyogrio.list_layers(SOURCE)}, {"listings", "pois"})
    count = pyogrio.read_info(SOURCE, layer="listings", force_feature_count=True)["features"]
    tell(name, "the count", {count}, {len(keys(DATA))})
    tell(name, "everything", read(), keys(DATA))
    tell(name, "a box", read(bbox=BOX), keys(DATA, boxed(*BOX)))
    for asked, meant in CONDITIONS.items():
        tell(name, asked, read(where=asked), keys(DATA, meant))


main()

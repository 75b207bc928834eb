#!/usr/bin/env python3
"""Fits points.bin to the comune boundaries: fit_italy.py CANDIDATE_DIR ITALY_DIR WORLD_DIR COMUNI.geojson [OUTPUT_DIR [EXTRA]].

Every comune gets EXTRA more points besides its seat and hamlets, and the countries around Italy share ABROAD points;
fitting.py moves and weights them. Run build.py first. The script took five minutes on four cores; README.md has the results.

The GeoJSON has one feature per comune with its cadastral code in the property `catasto`. Three samples are drawn
with different seeds: one to fit, one to calibrate the confidence, one to validate.
"""

import json
import pathlib
import sys

import numpy as np
import shapely
import torch
from shapely.geometry import shape

import build
import layout
from fitting import Model, Plane, calibrate, fit, judge, points_of, sample, spread
from points import LATITUDE, exclaves, pack, plain

EXTRA = int(sys.argv[6]) if len(sys.argv) > 6 else 12
FITTED, CALIBRATED, VALIDATED = 600, 40, 40
EPOCHS = 18
# The width in degrees of the belt around Italy in which other countries take part, and the number of their points.
BELT, ABROAD = 0.07, 4_000
NEIGHBOURS = {"AT", "CH", "FR", "MC", "SI", "SM"}
# In square degrees: about a tenth of a square kilometre. Smaller pieces result from differences between the borders of
# the two sources.
SLIVER = 1e-5
SEATS = 8


def read_polygons(path, gazetteer):
    """Return (owner, polygon) of every existing comune, and the belt of other countries around them."""
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    shapes = [(feature["properties"]["catasto"], shape(feature["geometry"])) for feature in features]
    known = [(gazetteer.comune_index[code], polygon) for code, polygon in shapes if code in gazetteer.comune_index]
    return known, belt(gazetteer, shapely.coverage_union_all([polygon for _, polygon in shapes]))


def belt(gazetteer, italy):
    """Return the land of other countries within BELT degrees of Italy; Natural Earth's coarse border is buffered to
    close gaps.
    """
    neighbours = [shape(feature["geometry"]).buffer(0.02)
                  for feature in build.outlines.read(gazetteer.source / "layers" / "world_admin1_0.02.geojson")
                  if feature["properties"]["cc"] in NEIGHBOURS]
    near = italy.simplify(0.01).buffer(BELT)
    enclaves = [shapely.Polygon(ring) for part in italy.geoms for ring in part.interiors]
    land = shapely.union_all([polygon for polygon in neighbours if polygon.intersects(near)])
    return land.intersection(near).union(shapely.union_all(enclaves)).difference(italy)


def sample_all(gazetteer, polygons, abroad, seed, count):
    """Sample points of the comuni and, at the same mean density, of the belt abroad."""
    owner, lon, lat = sample(polygons, seed, count)
    density = len(owner) / sum(polygon.area for _, polygon in polygons)
    parts = [(owner, lon, lat)]
    for number, part in enumerate(shapely.get_parts(abroad)):
        if part.area < SLIVER:
            continue
        # Enclaves are small, so without a minimum the Vatican would have one or two points.
        wanted = max(100, round(density * part.area))
        parts.append(sample([(len(gazetteer.comuni), part)], seed * 1000 + number, wanted))
    return tuple(np.concatenate(columns) for columns in zip(*parts))


def with_seats(gazetteer, samples):
    """Add each seat several times, because the coordinates of a comune's seat must resolve to that comune."""
    seats = [i for i, located in enumerate(gazetteer.located) if located]
    lon, lat = (np.array([getattr(gazetteer.comuni[i], name) for i in seats]) for name in ("lon", "lat"))
    random = np.random.default_rng(4)
    jitter = random.normal(0, 0.0005, (2, SEATS * len(seats)))
    extra = np.repeat(np.array(seats), SEATS), np.repeat(lon, SEATS) + jitter[0], np.repeat(lat, SEATS) + jitter[1]
    return tuple(np.concatenate(pair) for pair in zip(samples, extra))


def main():
    source, italy, world, polygons_path = map(pathlib.Path, sys.argv[1:5])
    output = pathlib.Path(sys.argv[5]) if len(sys.argv) > 5 else build.HERE
    torch.manual_seed(1)
    gazetteer = build.Gazetteer(source, italy, world)
    polygons, abroad = read_polygons(polygons_path, gazetteer)
    sampled = sample_all(gazetteer, polygons, abroad, 1, FITTED)
    calibrated, validated = sample(polygons, 2, CALIBRATED), sample(polygons, 3, VALIDATED)
    points = plain(gazetteer)
    fitted = with_seats(gazetteer, sampled)
    print(f"{len(fitted[0])} samples, {(sampled[0] == len(gazetteer.comuni)).sum()} of them abroad", flush=True)
    plane = Plane(LATITUDE)
    more = spread(points, sampled, plane, lambda owner: ABROAD if owner == len(gazetteer.comuni) else EXTRA)
    model = Model(points + more, plane)
    fit(model, fitted, validated, EPOCHS)
    tables = layout.pack(gazetteer.sections())
    curve = calibrate(*judge(model, calibrated))
    packed = pack(tables, points_of(model), curve, exclaves(gazetteer))
    (output / "points.bin").write_bytes(packed)
    print(f"{len(model.owner)} points, {len(packed)} bytes")


if __name__ == "__main__":
    main()

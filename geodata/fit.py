#!/usr/bin/env python3
"""Fits points of the municipalities of a country to their boundaries: fit.py COUNTRY BOUNDARIES [OUTPUT_DIR].

COUNTRY is a code of ISO 3166 such as FR. BOUNDARIES is GeoJSON, also compressed (.xz), with a feature for each municipality and the
properties `name` and `code`; codes with the same first two characters are of one larger area. Every municipality gets POINTS points,
which fitting.py moves and weights. Writes countries/COUNTRY.bin, which build.py connects with gazetteer.bin. README.md has the results.
"""

import pathlib
import sys

import numpy as np
import torch
from shapely.geometry import shape

import layout
import municipalities
from fitting import Model, Plane, calibrate, fit, judge, points_of, sample, spread

POINTS = 10
# Samples of each municipality; those that are fitted are fewer in a country with many, because they have to fit into memory.
FITTED, CALIBRATED, VALIDATED = 250, 20, 20
MOST_FITTED = 5_640_000
EPOCHS = 12


def main():
    country, path = sys.argv[1], pathlib.Path(sys.argv[2])
    output = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else municipalities.HERE
    torch.manual_seed(1)
    areas = municipalities.read(path)
    polygons = [(owner, shape(area.shape)) for owner, area in enumerate(areas)]
    counts = min(FITTED, MOST_FITTED // len(areas)), CALIBRATED, VALIDATED
    fitted, calibrated, validated = (sample(polygons, seed, count) for seed, count in enumerate(counts, 1))
    plane = Plane(float(np.median(fitted[2])))
    model = Model(spread([], fitted, plane, lambda owner: POINTS), plane)
    print(f"{len(fitted[0])} samples, {len(model.owner)} points", flush=True)
    fit(model, fitted, validated, EPOCHS)
    curve = calibrate(*judge(model, calibrated))
    packed = layout.pack(municipalities.pack(points_of(model), curve, [area.code for area in areas]))
    (output / "countries" / f"{country}.bin").write_bytes(packed)
    print(f"{len(packed)} bytes")


if __name__ == "__main__":
    main()

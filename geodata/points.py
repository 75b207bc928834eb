"""The points that positions in Italy are matched with; README.md describes points.bin."""

import math
import struct
import typing

import layout

# The square, in degrees, in which positions in Italy are matched, and its kilometres per degree. Distances are softened
# so that points within 100 m count as equally near.
WEST, SOUTH, EXTENT = 6.5, 35.2, 12.5
KM_PER_LON, KM_PER_LAT, SOFTENING_KM = 111.32, 111.0, 0.1
# The middle of Italy.
LATITUDE = 42.5
# Two cache lines.
POINTS_PER_LEAF = 16
# Pairs of a margin and the share of right comuni at this margin, for the unfitted points, measured by fit_italy.py. The
# margin is the natural logarithm of the ratio of the weighted distances of the second and the first comune.
PLAIN_CONFIDENCE = [(0, 0.41), (0.06, 0.43), (0.13, 0.5), (0.31, 0.64), (0.87, 0.88), (2.07, 0.97)]
# By how much the point of a seat has to be better there than any point of another comune, as a logarithm.
SEAT_MARGIN = 0.5
# Comuni whose seat lies farther than 3 km outside of their province in the outlines of Natural Earth: exclaves, and comuni
# that have changed their province.
EXCLAVES = ["D321", "H803", "I421"]


class Point(typing.NamedTuple):
    """A point for matching positions in Italy. The owners are the comuni in order, followed by one for all other
    countries.
    """

    owner: int
    lon: float
    lat: float
    weight: float


def plain(gazetteer):
    """Return a point for every comune and hamlet that has coordinates, with a weight that increases with the
    population.

    The exponent 0.12 and the factor 0.8 for hamlets were the best of a scan over points sampled in the comuni.
    """
    def weight(population):
        return 0.12 * math.log(max(population, 200))

    points = [Point(i, place.lon, place.lat, weight(place.population))
              for i, place in enumerate(gazetteer.comuni) if gazetteer.located[i]]
    return points + [Point(place.parent, place.lon, place.lat, math.log(0.8) + weight(300))
                     for place in gazetteer.localities[:gazetteer.located_localities]]


def fitted(path, gazetteer):
    """Return the points of an earlier points.bin with the same comuni, with one more for each comune whose seat they do not
    match, and the curve of confidence.
    """
    sections = layout.read(path)
    points = [Point(owner, WEST + x / 65535 * EXTENT, SOUTH + y / 65535 * EXTENT, weight / 4096)
              for x, y, owner, weight in struct.iter_unpack("<HHHh", sections["PNTS"][1])]
    return points + seats(points, gazetteer), list(struct.iter_unpack("<ff", sections["CONF"][1]))


def seats(points, gazetteer):
    """Return a point for each comune at whose seat another one would win."""
    cells = {}
    for point in points:
        cells.setdefault((int(point.lon * 10), int(point.lat * 10)), []).append(point)
    added = []
    for owner, place in enumerate(gazetteer.comuni):
        x, y = int(place.lon * 10), int(place.lat * 10)
        near = [point for dx in (-1, 0, 1) for dy in (-1, 0, 1) for point in cells.get((x + dx, y + dy), [])]
        scores = {}
        for point in near:
            score = score_at(place, point)
            scores[point.owner] = min(score, scores.get(point.owner, math.inf))
        own, other = scores.pop(owner, math.inf), min(scores.values(), default=math.inf)
        # Half of the margin, because the points of an earlier run are rounded.
        if own > other - SEAT_MARGIN / 2:
            added.append(Point(owner, place.lon, place.lat, math.log(SOFTENING_KM) - other + SEAT_MARGIN))
    return added


def score_at(place, point):
    east = (point.lon - place.lon) * KM_PER_LON * math.cos(math.radians(place.lat))
    north = (point.lat - place.lat) * KM_PER_LAT
    return math.log(east ** 2 + north ** 2 + SOFTENING_KM ** 2) / 2 - point.weight


def exclaves(gazetteer):
    return [gazetteer.comune_index[code] for code in EXCLAVES if code in gazetteer.comune_index]


def pack(tables, points, confidence, anywhere):
    """Return points.bin for these bytes of gazetteer.bin; positions are rounded to 20 m, weights to 0.02 per cent.

    `anywhere` are the comuni whose points take part in all provinces.
    """
    spots = []
    for point in points:
        x = round((point.lon - WEST) / EXTENT * 65535)
        y = round((point.lat - SOUTH) / EXTENT * 65535)
        spots.append((min(max(x, 0), 65535), min(max(y, 0), 65535)))
    order, splits = layout.leaf_order(
        spots, POINTS_PER_LEAF, (KM_PER_LON * math.cos(math.radians(LATITUDE)), KM_PER_LAT))
    records = []
    for index in order:
        weight = max(-32768, min(32767, round(points[index].weight * 4096)))
        records.append(struct.pack("<HHHh", *spots[index], points[index].owner, weight))
    return layout.pack({
        "PNTS": (8, b"".join(records)),
        "SPLT": (4, b"".join(struct.pack("<HH", *split) for split in splits)),
        "CONF": (8, b"".join(struct.pack("<ff", *knot) for knot in confidence)),
        "EXCL": (2, struct.pack(f"<{len(anywhere)}H", *anywhere)),
        "STMP": layout.stamp(tables),
    })

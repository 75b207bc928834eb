"""The municipalities of countries other than Italy, and the points that positions there are matched with.

README.md describes countries/COUNTRY.bin.
"""

import json
import lzma
import math
import pathlib
import struct
import typing

import layout
from boundaries import Boundaries
from points import KM_PER_LAT, KM_PER_LON, POINTS_PER_LEAF

HERE = pathlib.Path(__file__).resolve().parent
# Overseas parts of a country that are farther from its middle than this have codes of their own.
FAR_KM = 5_000
# In degrees, about 500 m.
STEP = 0.005


class Municipality(typing.NamedTuple):
    code: str
    name: str
    # GeoJSON.
    shape: dict


def read(path):
    """Return the municipalities of a GeoJSON file with the properties `name` and `code`, by their codes."""
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        features = [feature for feature in json.load(file)["features"] if feature["geometry"]]
    found = [Municipality(feature["properties"]["code"], feature["properties"]["name"], feature["geometry"]) for feature in features]
    middles = [label(municipality.shape) for municipality in found]
    middle = tuple(sorted(values)[len(values) // 2] for values in zip(*middles))
    return sorted(municipality for municipality, place in zip(found, middles) if kilometres(place, middle) < FAR_KM)


def kilometres(a, b):
    return math.hypot((a[0] - b[0]) * KM_PER_LON * math.cos(math.radians(b[1])), (a[1] - b[1]) * KM_PER_LAT)


def polygons(shape):
    return [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]


def label(shape):
    """Return the middle (lon, lat) of the largest box around a polygon."""
    boxes = []
    for rings in polygons(shape):
        xs, ys = zip(*((x, y) for x, y, *_ in rings[0]))
        boxes.append(((max(xs) - min(xs)) * (max(ys) - min(ys)), (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2))
    return max(boxes)[1:]


def boundaries(municipalities):
    """Return what answers which municipality contains a position."""
    found = Boundaries()
    for municipality in municipalities:
        for rings in polygons(municipality.shape):
            found.add(municipality.code, rings)
    return found


def pack(points, confidence, codes):
    """Return the sections that fit.py knows: the points, and the codes of the municipalities that own them."""
    west, south = min(point.lon for point in points), min(point.lat for point in points)
    extent = max(max(point.lon for point in points) - west, max(point.lat for point in points) - south)
    latitude = sum(point.lat for point in points) / len(points)
    spots = [(round((point.lon - west) / extent * 65535), round((point.lat - south) / extent * 65535)) for point in points]
    order, splits = layout.leaf_order(spots, POINTS_PER_LEAF, (KM_PER_LON * math.cos(math.radians(latitude)), KM_PER_LAT))
    records = []
    for index in order:
        weight = max(-32768, min(32767, round(points[index].weight * 4096)))
        records.append(struct.pack("<HHHh", *spots[index], points[index].owner, weight))
    return {
        "FRAM": (24, struct.pack("<ddd", west, south, extent)),
        "PNTS": (8, b"".join(records)),
        "SPLT": (4, b"".join(struct.pack("<HH", *split) for split in splits)),
        "CONF": (8, b"".join(struct.pack("<ff", *knot) for knot in confidence)),
        "CODE": (1, "\n".join(codes).encode()),
    }


def inner_point(municipality, found):
    """Return a position (lat, lon) inside, near the middle."""
    lon, lat = label(municipality.shape)
    for step in range(40):
        for x, y in {(x, y) for x in range(-step, step + 1) for y in range(-step, step + 1) if max(abs(x), abs(y)) == step}:
            place = lat + y * STEP, lon + x * STEP
            if found.municipality(*place) == municipality.code:
                return place
    lon, lat, *_ = polygons(municipality.shape)[0][0][0]
    return lat, lon


def connect(cc, municipalities, towns, tables, output):
    """Write the file of a country again, with the number that the town of each municipality has in these bytes of gazetteer.bin."""
    path = HERE / "countries" / f"{cc}.bin"
    if not path.exists():
        return print(f"{cc}.bin is missing: run fit.py")
    sections = layout.read(path)
    codes = "\n".join(municipality.code for municipality in municipalities)
    assert sections["CODE"][1].decode() == codes, f"{cc}.bin is of other municipalities: run fit.py again"
    (output / "countries" / path.name).write_bytes(layout.pack({
        **{tag: sections[tag] for tag in ("FRAM", "PNTS", "SPLT", "CONF", "CODE")},
        "TOWN": (4, struct.pack(f"<{len(towns)}I", *towns)),
        "STMP": layout.stamp(tables),
    }))

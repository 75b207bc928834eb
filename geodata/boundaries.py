"""The municipality of a position, by boundaries: for Italy the limits of the comuni (ISTAT, as published by openpolis)."""

import json
import lzma
import math

# The width of a cell of the index, in degrees.
CELL = 0.05


class Boundaries:
    """Answers which municipality contains a position. Municipalities are known by their code."""

    def __init__(self):
        self.cells = {}

    def add(self, code, rings):
        xs, ys = zip(*rings[0])
        entry = (code, rings, (min(xs), min(ys), max(xs), max(ys)))
        for x in range(math.floor(min(xs) / CELL), math.floor(max(xs) / CELL) + 1):
            for y in range(math.floor(min(ys) / CELL), math.floor(max(ys) / CELL) + 1):
                self.cells.setdefault((x, y), []).append(entry)

    def municipality(self, lat, lon):
        """Return the code of the municipality, or None outside of all."""
        for code, rings, (west, south, east, north) in self.cells.get((math.floor(lon / CELL), math.floor(lat / CELL)), []):
            if west <= lon <= east and south <= lat <= north and is_inside(lon, lat, rings):
                return code
        return None


class Comuni(Boundaries):
    """The comuni of Italy. Their code is the cadastral one."""

    def __init__(self, path):
        super().__init__()
        with lzma.open(path, "rt", encoding="utf-8") as file:
            features = json.load(file)["features"]
        self.properties = {}
        for feature in features:
            properties, shape = feature["properties"], feature["geometry"]
            self.properties[properties["catasto"]] = properties
            polygons = [shape["coordinates"]] if shape["type"] == "Polygon" else shape["coordinates"]
            for rings in polygons:
                self.add(properties["catasto"], rings)


def is_inside(x, y, rings):
    """Return whether a point is inside of a polygon with holes, by the even-odd rule."""
    inside = False
    for ring in rings:
        x0, y0 = ring[-1]
        for x1, y1 in ring:
            if (y0 > y) != (y1 > y) and x < (x1 - x0) * (y - y0) / (y1 - y0) + x0:
                inside = not inside
            x0, y0 = x1, y1
    return inside

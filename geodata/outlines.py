"""Writes the outlines of Natural Earth as parts, chunks of vertices and a grid of one-degree cells; see README.md."""

import json
import struct

QUANTUM = 10_000
CHUNK = 32
# The maximum side of a chunk, in coordinate units, so that offsets fit into unsigned 16-bit integers.
LONGEST = 60_000
# A part is listed in every cell within this distance in degrees, which is more than the margin used by the reader.
REACH = 0.1


def sections(gazetteer):
    parts, chunks, vertices, outlines = [], [], bytearray(), []
    for name, area, country, geometry in features(gazetteer):
        for polygon in geometry:
            first, box = len(chunks), [1 << 30, 1 << 30, -(1 << 30), -(1 << 30)]
            for ring in polygon:
                for run in runs(quantised(ring)):
                    chunks.append(chunk(run, len(vertices) // 4))
                    vertices += chunks[-1][2]
                    box = join(box, chunks[-1][0])
            parts.append((box, first, len(chunks) - first, len(outlines)))
        outlines.append(struct.pack("<IHH", gazetteer.strings.add(name), area, country))
    cells, listed = grid([part[0] for part in parts])
    return {
        "OUTL": (8, b"".join(outlines)),
        "PART": (28, b"".join(struct.pack("<4iIII", *box, a, b, c) for box, a, b, c in parts)),
        "CHNK": (24, b"".join(struct.pack("<4iII", *box, first, count) for box, (first, count), _ in chunks)),
        "VERT": (4, bytes(vertices)),
        "CELL": (4, struct.pack(f"<{len(cells)}I", *cells)),
        "CLST": (2, struct.pack(f"<{len(listed)}H", *listed)),
    }


def features(gazetteer):
    """Yield (name, area or 0xFFFF, country or 0xFFFF, polygons): Italy by province, every other country by its first
    level.
    """
    layers = gazetteer.source / "layers"
    italy = gazetteer.country_index["IT"]
    for feature in read(layers / "it_provinces_ne10m.geojson"):
        area = gazetteer.area_of_province[feature["properties"]["acr"]]
        yield gazetteer.areas[area][0], area, italy, polygons(feature)
    for feature in read(layers / "world_admin1_0.02.geojson"):
        cc = feature["properties"]["cc"]
        if cc != "IT":
            # Natural Earth assigns disputed land to no country.
            yield feature["properties"]["name"] or "", 0xFFFF, gazetteer.country_index.get(cc, 0xFFFF), polygons(feature)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["features"]


def polygons(feature):
    geometry = feature["geometry"]
    return geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]


def quantised(ring):
    """Return integer vertices, with long edges divided so that every edge fits a chunk."""
    points = [(round(lon * QUANTUM), round(lat * QUANTUM)) for lon, lat, *_ in ring]
    if points[0] != points[-1]:
        points.append(points[0])
    result = points[:1]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        steps = max(abs(x1 - x0), abs(y1 - y0)) // LONGEST + 1
        result += [(x0 + (x1 - x0) * i // steps, y0 + (y1 - y0) * i // steps) for i in range(1, steps + 1)]
    return result


def runs(points):
    """Yield pieces of a ring, each beginning with the last vertex of the previous one."""
    run = points[:1]
    for point in points[1:]:
        xs, ys = [p[0] for p in run] + [point[0]], [p[1] for p in run] + [point[1]]
        if len(run) > CHUNK or max(max(xs) - min(xs), max(ys) - min(ys)) > LONGEST:
            yield run
            run = run[-1:]
        run.append(point)
    if len(run) > 1:
        yield run


def chunk(run, first):
    x0, y0 = min(p[0] for p in run), min(p[1] for p in run)
    data = b"".join(struct.pack("<HH", x - x0, y - y0) for x, y in run)
    return (x0, y0, max(p[0] for p in run), max(p[1] for p in run)), (first, len(run)), data


def join(a, b):
    return [min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])]


def grid(boxes):
    """Return cells of one degree, in rows from 90 south and columns from 180 west, as the start of each cell's list of
    parts.
    """
    cells = [[] for _ in range(180 * 360)]
    for part, (west, south, east, north) in enumerate(boxes):
        rows = range(clamp(south / QUANTUM - REACH + 90, 179), clamp(north / QUANTUM + REACH + 90, 179) + 1)
        columns = range(clamp(west / QUANTUM - REACH + 180, 359), clamp(east / QUANTUM + REACH + 180, 359) + 1)
        for row in rows:
            for column in columns:
                cells[row * 360 + column].append(part)
    starts, listed = [0], []
    for cell in cells:
        listed += cell
        starts.append(len(listed))
    return starts, listed


def clamp(value, highest):
    return max(0, min(highest, int(value // 1)))

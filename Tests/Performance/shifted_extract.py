#!/usr/bin/env python3
"""Makes a large extract of OpenStreetMap out of a small one, to measure imports.

Usage: shifted_extract.py IN.osm.pbf OUT.osm.pbf --copies N

The output has N copies of the input and is sorted. Tags, names and shapes are those of the input. The first copy is the
input itself. The others differ in two ways:

* Coordinates: each copy is moved by whole cells of a grid, the nearest cells first. A cell is as large as the box in the
  input's header, or that of all nodes if there is none, and a gap. Lines that leave the box reach into other cells.
* Ids: those of copy K are K times an offset greater, in objects and in references. The offset is the least power of ten
  above all ids of the type, so that no reference leads into another copy.

One type of the input is in memory at a time, about 1 kB for each node. Needs `pip install osmium`.
"""
import argparse
import gc
import sys
import time

import osmium
from osmium.osm import Box, Location, mutable

UNITS = 10_000_000  # Coordinates are whole numbers of 1e-7 degrees.
MAX_LON, MAX_LAT, MAX_ID = 180 * UNITS, 85 * UNITS, 2**63 - 1
GAP = UNITS // 20  # Between copies.


def header_box(path):
    """West, south, east and north in the header, if it has a box."""
    with osmium.io.Reader(path, osmium.osm.NOTHING) as reader:
        box = reader.header().box()
    return (box.bottom_left.x, box.bottom_left.y, box.top_right.x, box.top_right.y) if box.valid() else None


def survey(path):
    """The box of all nodes, and the offset of the ids of each type, by the letters of members."""
    largest = dict.fromkeys("nwr", 0)
    xs, ys = [MAX_LON, -MAX_LON], [MAX_LAT, -MAX_LAT]
    for obj in osmium.FileProcessor(path):
        kind = obj.type_str()
        if obj.id < 0:
            sys.exit(f"{path}: {kind}{obj.id} has a negative id")
        largest[kind] = max(largest[kind], obj.id)
        if kind == "n" and obj.location.valid():
            xs = [min(xs[0], obj.location.x), max(xs[1], obj.location.x)]
            ys = [min(ys[0], obj.location.y), max(ys[1], obj.location.y)]
        elif kind == "w":
            largest["n"] = max([largest["n"], *(node.ref for node in obj.nodes)])
        elif kind == "r":
            for member in obj.members:
                largest[member.type] = max(largest[member.type], member.ref)
    if xs[0] > xs[1]:
        sys.exit(f"{path}: expected nodes with positions")
    return (xs[0], ys[0], xs[1], ys[1]), {kind: 10 ** len(str(id_)) for kind, id_ in largest.items()}


def shifts(copies, area, extent):
    """How far each copy is moved to the east and north."""
    def steps(size, low, high, limit):
        return range(-((limit + low) // size), (limit - high) // size + 1)

    width, height = area[2] - area[0] + GAP, area[3] - area[1] + GAP
    columns, rows = steps(width, extent[0], extent[2], MAX_LON), steps(height, extent[1], extent[3], MAX_LAT)
    cells = [(column, row) for row in rows for column in columns]
    if copies > len(cells):
        sys.exit(f"there is room for {len(cells)} copies only")
    cells.sort(key=lambda cell: (max(abs(cell[0]), abs(cell[1])), cell[1], cell[0]))
    return [(column * width, row * height) for column, row in cells[:copies]]


def attributes(obj):
    """What all copies have in common, without empty values, which make the writer slower."""
    values = {name: getattr(obj, name) for name in ("version", "changeset", "timestamp", "uid", "user")}
    values["tags"] = [(tag.k, tag.v) for tag in obj.tags]
    return {name: value for name, value in values.items() if value}


def write_nodes(source, moves, offsets, writer):
    nodes = []
    for obj in osmium.FileProcessor(source, osmium.osm.NODE):
        place = (obj.location.x, obj.location.y) if obj.location.valid() else None
        nodes.append((obj.id, place, mutable.Node(**attributes(obj))))
    nodes.sort(key=lambda node: node[0])
    for copy, (east, north) in enumerate(moves):
        for id_, place, node in nodes:
            node.id = id_ + copy * offsets["n"]
            if place:
                node.location = ((place[0] + east) / UNITS, (place[1] + north) / UNITS)
            writer.add_node(node)
    return len(nodes) * len(moves)


def write_ways(source, moves, offsets, writer):
    ways = [
        (obj.id, [node.ref for node in obj.nodes], mutable.Way(**attributes(obj)))
        for obj in osmium.FileProcessor(source, osmium.osm.WAY)
    ]
    ways.sort(key=lambda way: way[0])
    for copy in range(len(moves)):
        for id_, nodes, way in ways:
            way.id, way.nodes = id_ + copy * offsets["w"], [node + copy * offsets["n"] for node in nodes]
            writer.add_way(way)
    return len(ways) * len(moves)


def write_relations(source, moves, offsets, writer):
    relations = [
        (obj.id, [(member.type, member.ref, member.role) for member in obj.members], mutable.Relation(**attributes(obj)))
        for obj in osmium.FileProcessor(source, osmium.osm.RELATION)
    ]
    relations.sort(key=lambda relation: relation[0])
    for copy in range(len(moves)):
        for id_, members, relation in relations:
            relation.id = id_ + copy * offsets["r"]
            relation.members = [(kind, ref + copy * offsets[kind], role) for kind, ref, role in members]
            writer.add_relation(relation)
    return len(relations) * len(moves)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="IN.osm.pbf")
    parser.add_argument("target", metavar="OUT.osm.pbf", help="an older file is replaced")
    parser.add_argument("--copies", type=int, required=True)
    options = parser.parse_args()
    if options.copies < 1:
        parser.error("expected at least one copy")
    gc.disable()  # There are no cycles, and looking for them takes most of the time.
    extent, offsets = survey(options.source)
    if options.copies * max(offsets.values()) > MAX_ID:
        sys.exit("the ids of so many copies do not fit into 64 bits")
    area = header_box(options.source) or extent
    moves = shifts(options.copies, area, extent)
    east, north = zip(*moves)
    header = osmium.io.Header()
    header.set("sorting", "Type_then_ID")
    low = Location(max(-MAX_LON, area[0] + min(east)) / UNITS, max(-MAX_LAT, area[1] + min(north)) / UNITS)
    high = Location(min(MAX_LON, area[2] + max(east)) / UNITS, min(MAX_LAT, area[3] + max(north)) / UNITS)
    header.add_box(Box(low, high))
    with osmium.SimpleWriter(options.target, header=header, overwrite=True) as writer:
        for name, write in [("nodes", write_nodes), ("ways", write_ways), ("relations", write_relations)]:
            started = time.monotonic()
            count = write(options.source, moves, offsets, writer)
            print(f"{count} {name} in {time.monotonic() - started:.1f} s", flush=True)


main()

#!/usr/bin/env python3
"""Cuts valletta.osm.pbf out of an extract of Malta: valletta.py MALTA.osm.pbf [OUTPUT.osm.pbf].

The output has Valletta and what is around its harbours: all nodes with tags in the box, and complete ways and areas that
meet it. Beyond the box it has the coastlines of all islands, because the map tells land from sea by them, and the limits
of the municipalities that meet the box, because they name the towns of streets. Routes, limits of districts, and
relations that are no areas are left out, and so are the authors and versions of all objects. ../ATTRIBUTION.md names
the source. Needs `pip install osmium`; the same input gives the same file.
"""

import pathlib
import sys

try:
    import osmium
except ImportError as error:
    sys.exit(f"valletta.py: {error}. Install the library with: pip install osmium")

HERE = pathlib.Path(__file__).resolve().parent
WEST, SOUTH, EAST, NORTH = 14.4965, 35.8865, 14.5245, 35.9065
MUNICIPALITY = "8"


def is_inside(location):
    return location.valid() and WEST <= location.lon <= EAST and SOUTH <= location.lat <= NORTH


def is_area(relation):
    """Whether a relation is an area that the map draws or the limit of a municipality."""
    if relation.tags.get("type") == "boundary":
        return relation.tags.get("admin_level") == MUNICIPALITY
    return relation.tags.get("type") == "multipolygon" and "admin_level" not in relation.tags


class Choice:
    """The ids of what the output has."""

    def __init__(self, source):
        self.nodes, self.ways, self.relations = set(), set(), set()
        inside, met, coasts, nodes_of = set(), set(), set(), {}
        for thing in osmium.FileProcessor(source):
            if thing.is_node():
                if is_inside(thing.location):
                    inside.add(thing.id)
                    if len(thing.tags):
                        self.nodes.add(thing.id)
            elif thing.is_way():
                nodes_of[thing.id] = [node.ref for node in thing.nodes]
                if not inside.isdisjoint(nodes_of[thing.id]):
                    met.add(thing.id)
                    if len(thing.tags) and "admin_level" not in thing.tags and thing.tags.get("route") != "ferry":
                        self.ways.add(thing.id)
                if thing.tags.get("natural") == "coastline":
                    coasts.add(thing.id)
            elif is_area(thing):
                ways = {member.ref for member in thing.members if member.type == "w"}
                if not met.isdisjoint(ways):
                    self.relations.add(thing.id)
                    self.ways |= ways & nodes_of.keys()
        self.ways |= coasts
        self.nodes.update(*(nodes_of[way] for way in self.ways))

    def has(self, thing):
        return thing.id in (self.nodes if thing.is_node() else self.ways if thing.is_way() else self.relations)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    source = sys.argv[1]
    target = sys.argv[2] if len(sys.argv) > 2 else str(HERE / "valletta.osm.pbf")
    choice = Choice(source)
    header = osmium.io.Header()
    header.set("sorting", "Type_then_ID")
    header.set("generator", "DoggoFinder geodata/demo/valletta.py")
    header.add_box(osmium.osm.Box(WEST, SOUTH, EAST, NORTH))
    with osmium.io.Reader(source, osmium.osm.NOTHING) as reader:
        header.set("osmosis_replication_timestamp", reader.header().get("osmosis_replication_timestamp"))
    file = osmium.io.File(target, "pbf,add_metadata=false")
    with osmium.SimpleWriter(file, header=header, overwrite=True) as writer:
        for thing in osmium.FileProcessor(source):
            if choice.has(thing):
                writer.add(thing)


main()

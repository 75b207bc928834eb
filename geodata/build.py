#!/usr/bin/env python3
"""Builds gazetteer.bin, and points.bin with weights by population: build.py CANDIDATE_DIR [OUTPUT_DIR].

Needs the Python 3 standard library only; the same input gives the same bytes. README.md describes the tables.
"""

import itertools
import lzma
import math
import pathlib
import struct
import sys
import typing

import layout
import outlines
from layout import leaf_order, tree_order, vector, words

HERE = pathlib.Path(__file__).resolve().parent
NO_PARENT = 0xFFFF
AREA_MASK = 0x3FFF
# Outside Italy and its surroundings, towns with a smaller population are left out to keep the file small. The outlines
# still give the country and the region there.
TOWN_POPULATION = 2000
SURROUNDINGS = {"AT", "CH", "FR", "HR", "MC", "MT", "SI", "SM", "VA"}
# Countries and territories with their own code that lie inside the Natural Earth outline of another country.
OUTLINE_OF = {"BQ": "NL", "GF": "FR", "GP": "FR", "MQ": "FR", "RE": "FR", "YT": "FR", "SJ": "NO"}
EXTRA_COUNTRIES = [("XK", "XKX", "Kosovo", "Kosovo")]
# The square, in degrees, in which positions in Italy are matched, and its kilometres per degree. Distances are softened
# so that points within 100 m count as equally near.
WEST, SOUTH, EXTENT = 6.5, 35.2, 12.5
KM_PER_LON, KM_PER_LAT, SOFTENING_KM = 111.32, 111.0, 0.1
# Two cache lines.
POINTS_PER_LEAF = 16
# Pairs of a margin and the share of right comuni at this margin, for the unfitted points, measured by fit.py. The
# margin is the natural logarithm of the ratio of the weighted distances of the second and the first comune.
PLAIN_CONFIDENCE = [(0, 0.41), (0.06, 0.43), (0.13, 0.5), (0.31, 0.64), (0.87, 0.88), (2.07, 0.97)]
COUNTRY_NAMES = {"VA": ("Vatican City", "Città del Vaticano")}
PROVINCE_NAMES = {
    "AO": "Valle d'Aosta", "MB": "Monza e della Brianza", "RC": "Reggio di Calabria", "RE": "Reggio nell'Emilia",
}


def table(path):
    """Read a tab-separated file as a list of dictionaries."""
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        head, *lines = file.read().rstrip("\n").split("\n")
    keys = head.split("\t")
    return [dict(zip(keys, line.split("\t"))) for line in lines]


class Strings:
    """A pool of UTF-8 strings, each preceded by its length in one byte; offset 0 is the empty string."""

    def __init__(self):
        self.data, self.offsets = bytearray(b"\0"), {"": 0}

    def add(self, text):
        if text not in self.offsets:
            coded = text.encode()[:255]
            self.offsets[text] = len(self.data)
            self.data += bytes([len(coded)]) + coded
        return self.offsets[text]


class Place:
    """A record of the table of places, with all names under which it is found."""

    def __init__(self, name, lat, lon, population, area, parent=NO_PARENT, caps=(), names=(), key=""):
        self.name, self.lat, self.lon, self.population = name, lat, lon, population
        self.area, self.parent, self.caps, self.key = area, parent, list(caps), key
        self.vector, self.axis, self.is_generic = vector(lat, lon), 0, False
        self.names = [name]
        for other in names:
            if words(other) and all(words(other) != words(known) for known in self.names):
                self.names.append(other)

    def record(self, strings):
        area = self.area | self.axis << 14
        return struct.pack("<fffIIHH", *self.vector, self.population, strings.add(self.name), area, self.parent)


def useful(alternates):
    """Yield the alternate names that people type: Latin letters, no airport codes, no transliterations (apostrophes,
    small first letter).
    """
    for name in alternates.split("|"):
        latin = all(ord(c) < 0x250 for c in name)
        if latin and name[:1].isupper() and not name.isupper() and not set(name) & set("'`") and len(name) < 30:
            if not name.startswith(("Lungsod", "Cathair", "Altepetl", "Bandar", "Communitas", "Kota ")):
                yield name


def postal_codes(text):
    return [code for code in text.replace("|", ",").split(",") if len(code) == 5 and code.isdigit()]


class Gazetteer:
    """All tables, in the order of their records."""

    def __init__(self, source):
        self.source, self.strings = source, Strings()
        self.exonyms = {(row["cc"], row["place"]): row["names"].split("|") for row in table(HERE / "exonyms.tsv")}
        self.countries = [(r["cc"], r["name_en"], r["name_it"]) for r in table(source / "countries.tsv")]
        self.countries += [(cc, en, it) for cc, _, en, it in EXTRA_COUNTRIES]
        self.countries = [(cc, *COUNTRY_NAMES.get(cc, (en, it))) for cc, en, it in sorted(self.countries)]
        self.country_index = {row[0]: i for i, row in enumerate(self.countries)}
        self.read_areas()
        self.read_towns()
        self.read_comuni()
        self.read_localities()
        self.make_area_places()
        self.groups = [self.towns, self.comuni, self.localities, self.provinces, self.regions, self.admins, self.nations]
        self.places = [place for group in self.groups for place in group]

    def read_areas(self):
        """Read areas as (name, region, code, country): the provinces of Italy, then the first level of every other
        country.
        """
        rows = table(self.source / "it_provinces.tsv")
        self.areas = [(PROVINCE_NAMES.get(r["prov"], r["name"]), r["region"], r["prov"], "IT") for r in rows]
        self.province_count = len(self.areas)
        self.area_of_province = {area[2]: i for i, area in enumerate(self.areas)}
        self.area_of_admin = {}
        for r in table(self.source / "admin1.tsv"):
            if r["cc"] != "IT" and r["cc"] in self.country_index:
                self.area_of_admin[r["cc"], r["a1"]] = len(self.areas)
                self.areas.append((r["name"], r["name"], "", r["cc"]))
        for cc, _, _ in self.countries:
            self.area_of_admin[cc, ""] = len(self.areas)
            self.areas.append(("", "", "", cc))
        assert len(self.areas) < AREA_MASK

    def read_towns(self):
        self.seconds, second_index, self.towns = [], {}, []
        for r in table(self.source / "world_places.tsv.xz"):
            population = int(r["pop"] or 0)
            if population < TOWN_POPULATION and r["cc"] not in SURROUNDINGS or r["cc"] not in self.country_index:
                continue
            parent = NO_PARENT
            if r["a2"]:
                parent = second_index.setdefault(r["a2"], len(self.seconds))
                if parent == len(self.seconds):
                    self.seconds.append(r["a2"])
            names = self.exonyms.get((r["cc"], r["name"]), [])
            if population >= (10_000 if r["cc"] in SURROUNDINGS else 100_000):
                names = names + list(useful(r["alt"]))
            area = self.area_of_admin.get((r["cc"], r["a1"]), self.area_of_admin[r["cc"], ""])
            self.towns.append(Place(r["name"], float(r["lat"]), float(r["lon"]), population, area, parent, (), names))
        ordered = []
        for index, axis in tree_order([town.vector for town in self.towns]):
            self.towns[index].axis = axis
            ordered.append(self.towns[index])
        self.towns = ordered

    def read_comuni(self):
        """Read the comuni by code. A comune without coordinates gets the mean of those with the same postal code."""
        places = table(self.source / "it_places.tsv")
        seats = {r["comune"]: r for r in places if r["kind"] == "S"}
        rows = sorted(table(self.source / "it_comuni.tsv"), key=lambda r: r["catasto"])
        by_cap = {}
        for r in rows:
            if r["lat"]:
                by_cap.setdefault((r["prov"], r["cap"]), []).append((float(r["lat"]), float(r["lon"])))
                by_cap.setdefault((r["prov"], ""), []).append((float(r["lat"]), float(r["lon"])))
        self.comuni, self.located = [], []
        for r in rows:
            seat = seats.get(r["catasto"], {"name": "", "alt": "", "cap": ""})
            near = by_cap.get((r["prov"], r["cap"])) or by_cap[r["prov"], ""]
            lat = float(r["lat"]) if r["lat"] else sum(p[0] for p in near) / len(near)
            lon = float(r["lon"]) if r["lon"] else sum(p[1] for p in near) / len(near)
            names = self.exonyms.get(("IT", r["name"]), []) + r["alt"].split("|") + [seat["name"]]
            caps = postal_codes(r["cap"])
            caps += [cap for cap in postal_codes(seat["cap"]) if cap not in caps]
            area = self.area_of_province[r["prov"]]
            population = int(r["pop"] or 0)
            names += list(useful(seat["alt"]))
            comune = Place(r["name"], lat, lon, population, area, len(self.comuni), caps, names, r["catasto"])
            # The list of places still has codes for whole cities, which are useful for searching but not as part of an
            # address.
            comune.is_generic = not postal_codes(r["cap"])
            self.comuni.append(comune)
            self.located.append(bool(r["lat"]))
        self.comune_index = {place.key: i for i, place in enumerate(self.comuni)}

    def read_localities(self):
        """Read hamlets with their own coordinates, then names of the postal list, which get the coordinates of their
        comune.
        """
        self.localities = []
        for r in table(self.source / "it_places.tsv"):
            if r["kind"] != "S":
                parent = self.comune_index[r["comune"]]
                self.localities.append(Place(
                    r["name"], float(r["lat"]), float(r["lon"]), int(r["pop"] or 0), self.area_of_province[r["prov"]],
                    parent, postal_codes(r["cap"]), useful(r["alt"])))
        self.localities.sort(key=lambda place: place.parent)
        self.located_localities = len(self.localities)
        known = {(self.areas[p.area][2], tuple(words(n))) for p in self.comuni + self.localities for n in p.names}
        for r in table(self.source / "it_localities_cap.tsv"):
            name = r["name"].replace("e'", "è") if r["name"].endswith("e'") else r["name"]
            key = (r["prov"], tuple(words(name)))
            comuni = [self.comune_index[code] for code in r["comuni"].split("|") if code in self.comune_index]
            if not key[1] or key in known or not comuni:
                continue
            known.add(key)
            parent = self.comune_of(name, comuni)
            where = self.comuni[max(comuni, key=lambda i: self.comuni[i].population) if parent == NO_PARENT else parent]
            self.localities.append(Place(
                name, where.lat, where.lon, 0, self.area_of_province[r["prov"]], parent, postal_codes(r["cap"])))

    def comune_of(self, name, comuni):
        """Return, among several comuni with one postal code, the one whose name the locality contains."""
        if len(comuni) == 1:
            return comuni[0]
        parts = set(words(name))
        named = [i for i in comuni if words(self.comuni[i].name)[0] in parts]
        return named[0] if len(named) == 1 else NO_PARENT

    def make_area_places(self):
        """Make provinces, regions and countries searchable as places; each gets the position of its largest town."""
        settlements = self.towns + self.comuni
        by_area, by_region, by_country = {}, {}, {}
        for place in settlements:
            _, region, _, cc = self.areas[place.area]
            by_area.setdefault(place.area, []).append(place)
            by_country.setdefault(cc, []).append(place)
            if cc == "IT":
                by_region.setdefault(region, []).append(place)
        region_names = {row["region"]: row["names"].split("|") for row in table(HERE / "regions.tsv")}

        def spanning(name, members, area, names=(), parent=NO_PARENT):
            largest = max(members, key=lambda place: place.population)
            population = sum(place.population for place in members)
            return Place(name, largest.lat, largest.lon, population, area, parent, (), names)

        self.provinces = [spanning(self.areas[a][0], by_area[a], a) for a in range(self.province_count)]
        self.regions = [spanning(n, by_region[n], by_region[n][0].area, region_names.get(n, [])) for n in sorted(by_region)]
        self.admins = [
            spanning(self.areas[a][0], by_area[a], a)
            for a in range(self.province_count, len(self.areas)) if a in by_area and self.areas[a][0]
        ]
        self.nations = [
            spanning(en, by_country[cc], self.area_of_admin[cc, ""], [it], i)
            for i, (cc, en, it) in enumerate(self.countries) if cc in by_country
        ]

    def sections(self):
        places = b"".join(place.record(self.strings) for place in self.places)
        ends, total = [], 0
        for group in self.groups:
            total += len(group)
            ends.append(total)
        postal, shown = [], []
        for i, place in enumerate(self.comuni + self.localities):
            postal += [(int(cap), len(self.towns) + i) for cap in place.caps]
            shown.append(int(place.caps[0]) if len(place.caps) == 1 and not place.is_generic else 0xFFFFFFFF)
        result = {
            "ENDS": (4, struct.pack(f"<{len(self.groups)}I", *ends)),
            "PLAC": (24, places),
            "AREA": (16, b"".join(self.area_record(*area) for area in self.areas)),
            "SECO": (4, b"".join(struct.pack("<I", self.strings.add(name)) for name in self.seconds)),
            "CTRY": (12, b"".join(self.country_record(*row) for row in self.countries)),
            "COMU": (4, b"".join(place.key.encode() for place in self.comuni)),
            "CAPS": (4, struct.pack(f"<{len(shown)}I", *shown)),
            "HAML": (4, self.hamlet_starts()),
            "POST": (8, b"".join(struct.pack("<II", *pair) for pair in sorted(postal))),
            **word_sections(self.places),
            **outlines.sections(self),
        }
        return {"STRS": (1, bytes(self.strings.data)), **result}

    def hamlet_starts(self):
        """Return the index of each comune's first located hamlet among the localities, and the end of the last range.
        """
        counts = [0] * (len(self.comuni) + 1)
        for place in self.localities[:self.located_localities]:
            counts[place.parent + 1] += 1
        return struct.pack(f"<{len(counts)}I", *itertools.accumulate(counts))

    def area_record(self, name, region, code, cc):
        strings = self.strings
        return struct.pack(
            "<II4sHH", strings.add(name), strings.add(region), code.encode(), self.country_index[cc], 0)

    def country_record(self, cc, english, italian):
        outline = self.country_index[OUTLINE_OF.get(cc, cc)]
        return struct.pack("<2sHII", cc.encode(), outline, self.strings.add(english), self.strings.add(italian))


def word_sections(places):
    """Return the inverted index: words front-coded in blocks of 16, each with the names and positions at which it
    occurs.
    """
    names, postings = [], {}
    for index, place in enumerate(places):
        for order, name in enumerate(place.names):
            parts = words(name)[:15]
            for position, word in enumerate(parts):
                postings.setdefault(word.encode()[:63], []).append(len(names) << 4 | position)
            names.append(index << 5 | (order > 0) << 4 | len(parts))
    blocks, text, listed = b"", bytearray(), []
    last = b""
    for number, word in enumerate(sorted(postings)):
        if number % 16 == 0:
            blocks += struct.pack("<II", len(text), len(listed))
            last = b""
        shared = 0
        while shared < min(len(last), len(word)) and last[shared] == word[shared]:
            shared += 1
        text += bytes([shared, len(word) - shared]) + word[shared:] + struct.pack("<H", min(len(postings[word]), 65535))
        listed += postings[word][:65535]
        last = word
    return {
        "NAME": (4, struct.pack(f"<{len(names)}I", *names)),
        "WBLK": (8, blocks),
        "WORD": (1, bytes(text)),
        "PSTG": (4, struct.pack(f"<{len(listed)}I", *listed)),
    }


class Point(typing.NamedTuple):
    """A point for matching positions in Italy. The owners are the comuni in order, followed by one for all other
    countries.
    """

    owner: int
    lon: float
    lat: float
    weight: float


def plain_points(gazetteer):
    """Return a point for every comune and hamlet that has coordinates, with a weight that increases with the
    population.

    The exponent 0.12 and the factor 0.8 for hamlets were the best of a scan over points sampled in the comuni.
    """
    def weight(population):
        return 0.12 * math.log(max(population, 200))

    points = [Point(i, place.lon, place.lat, weight(place.population))
              for i, place in enumerate(gazetteer.comuni) if gazetteer.located[i]]
    points += [Point(place.parent, place.lon, place.lat, math.log(0.8) + weight(300))
               for place in gazetteer.localities[:gazetteer.located_localities]]
    return points


def pack_points(tables, points, confidence):
    """Return points.bin for these bytes of gazetteer.bin; positions are rounded to 20 m, weights to 0.02 per cent."""
    spots = []
    for point in points:
        x = round((point.lon - WEST) / EXTENT * 65535)
        y = round((point.lat - SOUTH) / EXTENT * 65535)
        spots.append((min(max(x, 0), 65535), min(max(y, 0), 65535)))
    order, splits = leaf_order(spots, POINTS_PER_LEAF, (KM_PER_LON * math.cos(math.radians(42.5)), KM_PER_LAT))
    records = []
    for index in order:
        weight = max(-32768, min(32767, round(points[index].weight * 4096)))
        records.append(struct.pack("<HHHh", *spots[index], points[index].owner, weight))
    return layout.pack({
        "PNTS": (8, b"".join(records)),
        "SPLT": (4, b"".join(struct.pack("<HH", *split) for split in splits)),
        "CONF": (8, b"".join(struct.pack("<ff", *knot) for knot in confidence)),
        "STMP": layout.stamp(tables),
    })


def main():
    source = pathlib.Path(sys.argv[1])
    output = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else HERE
    gazetteer = Gazetteer(source)
    sections = gazetteer.sections()
    tables = layout.pack(sections)
    (output / "gazetteer.bin").write_bytes(tables)
    (output / "points.bin").write_bytes(pack_points(tables, plain_points(gazetteer), PLAIN_CONFIDENCE))
    for tag, (size, data) in sections.items():
        print(f"{tag} {len(data) // size:8} x {size:2} = {len(data):9}")


if __name__ == "__main__":
    main()

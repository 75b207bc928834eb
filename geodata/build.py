#!/usr/bin/env python3
"""Builds gazetteer.bin, and points.bin and countries/*.bin from the fitted points of the former ones:
build.py CANDIDATE_DIR ITALY_DIR WORLD_DIR [OUTPUT_DIR].

With --unfitted, points.bin gets a point for each settlement with a weight by its population, from which fit_italy.py begins.
Needs the Python 3 standard library only; the same input gives the same bytes. README.md describes the tables.
"""

import csv
import itertools
import lzma
import math
import pathlib
import re
import struct
import sys

import layout
import municipalities
import outlines
import points
from boundaries import Comuni
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
COUNTRY_NAMES = {"VA": ("Vatican City", "Città del Vaticano")}
# Words that Italian names write with a small letter inside.
SMALL_WORDS = re.compile(r"(?<=[ -])(Di|Del|Dello|Della|Dei|Degli|Delle|Da|Dal|Dalla|Al|Alla|Allo|Ai|Alle|In|Sul|Sulla|Sui|E|Con|Ob)(?= )")
# UTF-8 that was read as Latin-1 or Windows-1252.
TWICE_ENCODED = re.compile("[ÃÂÄÅÐÑ](?=[\u0080-\u00BF\u2010-\u2122 ]|$)|\N{REPLACEMENT CHARACTER}")
# Settlements of one comune with the same name are one place if they are nearer, in kilometres.
SAME_PLACE_KM = 3
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

    def rename(self, name):
        """Make a name the first one."""
        self.names = [name, *(other for other in self.names if words(other) != words(name))]
        self.name = name

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


def kilometres(a, b):
    """Return the approximate distance of two near points, each as (lat, lon)."""
    return math.hypot((b[1] - a[1]) * points.KM_PER_LON * math.cos(math.radians(a[0])), (b[0] - a[0]) * points.KM_PER_LAT)


def italian_case(name):
    """Return a name with small prepositions: Castronuovo Di Sicilia is Castronuovo di Sicilia."""
    return SMALL_WORDS.sub(lambda word: word[0].lower(), name)


def spellings(name):
    """Yield other ways in which people write an Italian name: Sant'Ambrogio as Santambrogio, Jesi as Iesi."""
    joined = re.sub(r"\b(Sant|Dell|Nell|Sull|Dall|dell|nell|sull|dall|d|l|D|L)['\u2019](?=\w)", r"\1", name)
    if joined != name:
        yield joined
    if "J" in name or "j" in name:
        yield name.replace("J", "I").replace("j", "i")


def postal_codes(text):
    return [code for code in text.replace("|", ",").split(",") if len(code) == 5 and code.isdigit()]


class Gazetteer:
    """All tables, in the order of their records."""

    def __init__(self, source, italy, world):
        self.source, self.italy, self.strings = source, italy, Strings()
        self.municipalities = {path.name[:2].upper(): municipalities.read(path)
                               for path in sorted(world.glob("*_municipalities.geojson.xz"))}
        self.boundaries = Comuni(italy / "it_comuni_exact_2023.geojson.xz")
        with open(italy / "it_comuni_2023.csv", encoding="utf-8") as file:
            self.inner_points = {row["catasto"]: row for row in csv.DictReader(file)}
        self.former = table(HERE / "former_comuni.tsv")
        self.settlements = [row for row in table(italy / "geonames_IT_P_2016.tsv.xz") if words(row["name"])]
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
        self.seats = {cc: self.find_towns(cc, areas) for cc, areas in self.municipalities.items()}
        ordered = []
        for index, axis in tree_order([town.vector for town in self.towns]):
            self.towns[index].axis = axis
            ordered.append(self.towns[index])
        self.towns = ordered

    def find_towns(self, cc, areas):
        """Return the town that each municipality of a country is, by its code. One that is not known is added."""
        boundaries, inside, near = municipalities.boundaries(areas), {}, {}
        for town in self.towns:
            code = self.areas[town.area][3] == cc and boundaries.municipality(town.lat, town.lon)
            if code:
                inside.setdefault(code, []).append(town)
                near.setdefault(code[:2], []).append(town)
        found = {}
        for area in areas:
            own = sorted(inside.get(area.code, []), key=lambda town: -town.population)
            same = [town for town in own if any(words(name) == words(area.name) for name in town.names)]
            lat, lon = (own[0].lat, own[0].lon) if own else municipalities.inner_point(area, boundaries)
            if not same:
                others = near.get(area.code[:2]) or self.towns
                nearest = min(others, key=lambda town: kilometres((lat, lon), (town.lat, town.lon)))
                same = [Place(area.name, lat, lon, 0, nearest.area, nearest.parent)]
                self.towns += same
            same[0].rename(area.name)
            found[area.code] = same[0]
        return found

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
        self.codes = {row["catasto"] for row in rows}
        self.successor = {}
        by_name = {(p["name"], p["prov"]): code for code, p in self.boundaries.properties.items()}
        for row in self.former:
            code = by_name.get((row["name"], row["prov"]))
            if code and code not in self.codes:
                self.successor[code] = row["successor"]
        self.find_seats(rows)
        own = {tuple(words(row["name"])) for row in rows}
        for r in rows:
            if TWICE_ENCODED.search(r["name"]):
                r = {**r, "name": self.boundaries.properties[r["catasto"]]["name"]}
            r = {**r, "name": italian_case(r["name"]), "alt": italian_case(r["alt"])}
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
            names += [row["name"] for row in self.former if row["successor"] == r["catasto"]]
            names += spellings(r["name"])
            official = self.boundaries.properties.get(r["catasto"])
            if official:
                names += [official["name"], *official["name_full"].split("/")]
            # Some alternative names of GeoNames are those of other comuni.
            names = [name for name in names if tuple(words(name)) not in own or tuple(words(name)) == tuple(words(r["name"]))]
            comune = Place(r["name"], lat, lon, population, area, len(self.comuni), caps, names, r["catasto"])
            # The list of places still has codes for whole cities, which are useful for searching but not as part of an
            # address.
            comune.is_generic = not postal_codes(r["cap"])
            self.comuni.append(comune)
            self.located.append(bool(r["lat"]))
        self.comune_index = {place.key: i for i, place in enumerate(self.comuni)}

    def comune_code(self, lat, lon):
        """Return the code of the present comune that contains a position, or None outside of the boundaries."""
        code = self.boundaries.municipality(lat, lon)
        return self.successor.get(code, code) if code else None

    def find_seats(self, rows):
        """Give the comuni whose coordinates are missing or lie in another comune those of a settlement with their name,
        or with that of a former comune, or of any settlement with most people inside.
        """
        inside = {}
        for r in self.settlements:
            code = self.comune_code(float(r["lat"]), float(r["lon"]))
            if code:
                inside.setdefault(code, []).append(r)
        nearby = {}
        for r in self.settlements:
            nearby.setdefault(tuple(words(r["name"])), []).append(r)
        for r in rows:
            if r["lat"] and self.comune_code(float(r["lat"]), float(r["lon"])) in (r["catasto"], None):
                continue
            former = [row["name"] for row in self.former if row["successor"] == r["catasto"]]
            wanted = [tuple(words(name)) for name in [r["name"], *former]]
            found = [s for name in wanted for s in inside.get(r["catasto"], []) if tuple(words(s["name"])) == name]
            found += sorted(inside.get(r["catasto"], []), key=lambda s: -int(s["population"] or 0))
            inner = self.inner_points.get(r["catasto"])
            found += [{"lat": inner["inner_lat"], "lon": inner["inner_lon"]}] if inner else []
            # Boundaries of 2023 lack two comuni.
            found += [s for name in wanted for s in nearby.get(name, []) if s["admin2_code"] == r["prov"]]
            if found:
                r["lat"], r["lon"] = found[0]["lat"], found[0]["lon"]

    def read_localities(self):
        """Read hamlets with their own coordinates, then names of the postal list, which get the coordinates of their
        comune. The comune of a hamlet is the one whose boundaries contain it.
        """
        self.localities, self.known_places = [], {}
        for place in self.comuni:
            for name in place.names:
                self.known_places.setdefault((place.parent, tuple(words(name))), []).append(place)
        for r in table(self.source / "it_places.tsv"):
            if r["kind"] != "S":
                code = self.comune_code(float(r["lat"]), float(r["lon"])) or r["comune"]
                caps = postal_codes(r["cap"]) if code == r["comune"] else []
                self.add_settlement(r["name"], r["lat"], r["lon"], r["pop"], code, caps, list(useful(r["alt"])))
        for r in self.settlements:
            code = self.comune_code(float(r["lat"]), float(r["lon"]))
            if code:
                self.add_settlement(r["name"], r["lat"], r["lon"], r["population"], code)
        self.localities.sort(key=lambda place: place.parent)
        self.located_localities = len(self.localities)
        known = {(self.areas[p.area][2], tuple(words(n))) for p in self.comuni + self.localities for n in p.names}
        for r in table(self.source / "it_localities_cap.tsv"):
            name = italian_case(r["name"].replace("e'", "è") if r["name"].endswith("e'") else r["name"])
            key = (r["prov"], tuple(words(name)))
            comuni = [self.comune_index[code] for code in r["comuni"].split("|") if code in self.comune_index]
            if not key[1] or key in known or not comuni:
                continue
            known.add(key)
            parent = self.comune_of(name, comuni)
            where = self.comuni[max(comuni, key=lambda i: self.comuni[i].population) if parent == NO_PARENT else parent]
            self.localities.append(Place(
                name, where.lat, where.lon, 0, self.area_of_province[r["prov"]], parent, postal_codes(r["cap"])))

    def add_settlement(self, name, lat, lon, population, code, caps=(), names=()):
        """Add a settlement, unless its comune has one with this name nearby."""
        parent, name = self.comune_index[code], italian_case(name)
        comune, where, key = self.comuni[parent], (float(lat), float(lon)), (parent, tuple(words(name)))
        if any(kilometres(where, (known.lat, known.lon)) < SAME_PLACE_KM for known in self.known_places.get(key, [])):
            return
        caps = list(caps) or (comune.caps if len(comune.caps) == 1 and not comune.is_generic else [])
        place = Place(name, *where, int(population or 0), comune.area, parent, caps, [*names, *spellings(name)])
        self.known_places.setdefault(key, []).append(place)
        self.localities.append(place)

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


def check_names(gazetteer):
    """Fail if a name is UTF-8 that was read in another encoding."""
    wrong = [name for place in gazetteer.places for name in place.names if TWICE_ENCODED.search(name)]
    assert not wrong, f"encoded twice: {wrong[:10]}"


def main():
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    source, italy, world = map(pathlib.Path, arguments[:3])
    output = pathlib.Path(arguments[3]) if len(arguments) > 3 else HERE
    gazetteer = Gazetteer(source, italy, world)
    check_names(gazetteer)
    sections = gazetteer.sections()
    tables = layout.pack(sections)
    (output / "gazetteer.bin").write_bytes(tables)
    if "--unfitted" in sys.argv:
        found = points.plain(gazetteer), points.PLAIN_CONFIDENCE
    else:
        found = points.fitted(HERE / "points.bin", gazetteer)
    (output / "points.bin").write_bytes(points.pack(tables, *found, points.exclaves(gazetteer)))
    numbers = {id(town): number for number, town in enumerate(gazetteer.towns)}
    for cc, areas in gazetteer.municipalities.items():
        seats = [numbers[id(gazetteer.seats[cc][area.code])] for area in areas]
        municipalities.connect(cc, areas, seats, tables, output)
    for tag, (size, data) in sections.items():
        print(f"{tag} {len(data) // size:8} x {size:2} = {len(data):9}")


if __name__ == "__main__":
    main()

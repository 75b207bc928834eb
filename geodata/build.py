#!/usr/bin/env python3
"""Builds gazetteer.bin from the candidate tables: build.py CANDIDATE_DIR. The same tables give the same bytes.

The layout is told in README.md; Sources/Gazetteer reads it as it lies, mapped into memory.
"""
import csv
import json
import lzma
import math
import struct
import sys
import unicodedata
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = Path(sys.argv[1])
SEAT, LOCALITY, TOWN, PROVINCE, REGION = range(5)
NO_AREA = 0xFFFF


def rows(name):
    path = SOURCE / name
    opener = lzma.open if path.suffix == ".xz" else open
    with opener(path, "rt", encoding="utf-8") as f:
        yield from csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)


def folded(text):
    """What Swift's `folded` makes of it: case and accents gone, everything but letters and digits one space."""
    plain = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn").lower()
    return " ".join("".join(c if c.isalnum() else " " for c in plain).split())


class Strings:
    """Zero-terminated UTF-8, each text once; offset 0 is the empty one, for what is not known."""

    def __init__(self):
        self.bytes, self.offsets = bytearray(b"\0"), {"": 0}

    def __call__(self, text):
        if text not in self.offsets:
            self.offsets[text] = len(self.bytes)
            self.bytes += text.encode() + b"\0"
        return self.offsets[text]


strings = Strings()
provinces = sorted(rows("it_provinces.tsv"), key=lambda r: r["prov"])
province_index = {r["prov"]: i for i, r in enumerate(provinces)}
comuni = sorted(rows("it_comuni.tsv"), key=lambda r: r["catasto"])
comune_index = {r["catasto"]: i for i, r in enumerate(comuni)}
countries = sorted(rows("countries.tsv"), key=lambda r: r["cc"])
country_index = {r["cc"]: i for i, r in enumerate(countries)}
admin1_names = {(r["cc"], r["a1"]): r["name"] for r in rows("admin1.tsv")}


class Place:
    __slots__ = ("name", "lon", "lat", "kind", "area", "population", "postal", "names", "inner", "serial")

    def __init__(self, name, lon, lat, kind, area, population=0, postal="", names=(), inner=False):
        self.name, self.lon, self.lat, self.kind, self.area = name, float(lon), float(lat), kind, area
        self.population, self.postal, self.names, self.inner = int(population or 0), postal, list(names), inner


def is_name(text):
    """Drops airport codes and the lower-case transliterations among the alternative names."""
    if len(text) < 3 or not text[0].isupper() or text.isupper() or "  " in text:
        return False
    return all("LATIN" in unicodedata.name(c, "") for c in text if c.isalpha())


def alternatives(text):
    return [a for a in text.split("|") if is_name(a)]


def italian_places():
    seats = {}
    for c in comuni:
        if not c["lon"]:
            continue
        caps = c["cap"].split(",")
        place = Place(c["name"], c["lon"], c["lat"], SEAT, comune_index[c["catasto"]], c["pop"],
                      caps[0] if len(caps) == 1 else "", c["alt"].split("|") + caps, inner=True)
        seats[c["catasto"]] = place
        yield place
    for p in rows("it_places.tsv"):
        if p["comune"] not in comune_index:
            continue
        if p["kind"] == "S":
            if p["comune"] in seats:
                seats[p["comune"]].names += [p["name"]] + alternatives(p["alt"])
            continue
        yield Place(p["name"], p["lon"], p["lat"], LOCALITY, comune_index[p["comune"]], p["pop"], p["cap"],
                    alternatives(p["alt"]), inner=True)


def world_places():
    """Towns; their areas are the pairs of country and first level, in order."""
    found = sorted(rows("world_places.tsv.xz"), key=lambda r: int(r["geonameid"]))
    areas = sorted({(p["cc"], p["a1"]) for p in found if p["cc"] in country_index})
    index = {a: i for i, a in enumerate(areas)}
    # Other names of villages would be half of the file.
    towns = [Place(p["name"], p["lon"], p["lat"], TOWN, index[p["cc"], p["a1"]], p["pop"], "",
                   alternatives(p["alt"]) if int(p["pop"] or 0) >= 10_000 else ())
             for p in found if p["cc"] in country_index and p["cc"] != "IT"]
    return areas, towns


def named_only(known):
    """What is searched by name but never answers for a point: hamlets without a position, provinces, regions."""
    names = {(p.area, folded(p.name)) for p in known if p.kind in (SEAT, LOCALITY)}
    seats = {p.area: p for p in known if p.kind == SEAT}
    for r in rows("it_localities_cap.tsv"):
        area = comune_index.get(r["comuni"])  # one comune, or nobody knows which
        if area is None or area not in seats or (area, folded(r["name"])) in names:
            continue
        names.add((area, folded(r["name"])))
        yield Place(r["name"], seats[area].lon, seats[area].lat, LOCALITY, area, 0, r["cap"])
    for p in provinces:
        inside = [s for s in seats.values() if comuni[s.area]["prov"] == p["prov"]]
        yield centre(p["name"], PROVINCE, province_index[p["prov"]], inside)
    for region in sorted({p["region"] for p in provinces}):
        members = {p["prov"] for p in provinces if p["region"] == region}
        inside = [s for s in seats.values() if comuni[s.area]["prov"] in members]
        yield centre(region, REGION, province_index[min(members)], inside)


def centre(name, kind, area, inside):
    """At its largest town, where its people are."""
    seat = max(inside, key=lambda s: s.population)
    return Place(name, seat.lon, seat.lat, kind, area, sum(s.population for s in inside))


def unit(p):
    lon, lat = math.radians(p.lon), math.radians(p.lat)
    return math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat)


def balanced(places):
    """The order of an implicit k-d tree on the unit sphere: the middle is the root, axes x, y, z in turn."""
    order = [(unit(p), i) for i, p in enumerate(places)]

    def split(low, high, axis):
        if high - low < 2:
            return
        order[low:high] = sorted(order[low:high], key=lambda e: (e[0][axis], e[1]))
        middle = (low + high) // 2
        split(low, middle, (axis + 1) % 3)
        split(middle + 1, high, (axis + 1) % 3)

    split(0, len(order), 0)
    return [places[i] for _, i in order]


def keys(places):
    """(folded name, place), sorted. Italian names are found by each of their words, the others from their first."""
    exonyms = {}
    with open(HERE / "exonyms.tsv", encoding="utf-8") as f:
        for r in csv.DictReader(f, delimiter="\t"):
            exonyms.setdefault((r["cc"], r["name"]), []).append(r["exonym"])
    best = {}
    for p in places:
        cc = "IT" if p.kind != TOWN else world_areas[p.area][0]
        if (cc, p.name) in exonyms and (cc, p.name) not in best or best.get((cc, p.name), p).population < p.population:
            best[cc, p.name] = p
    for key, p in best.items():
        if key in exonyms:
            p.names += exonyms[key]
    found = set()
    for p in places:
        for name in [p.name, p.postal, *p.names]:
            words = folded(name).split()
            starts = len(words) if p.kind in (SEAT, LOCALITY) else min(1, len(words))
            for start in range(starts):
                key = " ".join(words[start:])
                if start == 0 or len(key) >= 4:
                    found.add((key, p.serial, " ".join(words)))
    return sorted(found, key=lambda e: (e[0].encode(), e[1], e[2]))


def outlines():
    """(country, name, Italian province or NO_AREA, rings): Italy's provinces, elsewhere the first level."""
    for f in json.load(open(SOURCE / "layers/it_provinces_ne10m.geojson", encoding="utf-8"))["features"]:
        yield "IT", "", province_index[f["properties"]["acr"]], rings(f["geometry"])
    for f in json.load(open(SOURCE / "layers/world_admin1_0.02.geojson", encoding="utf-8"))["features"]:
        cc = f["properties"]["cc"]
        if cc in country_index and cc != "IT":
            yield cc, f["properties"]["name"] or "", NO_AREA, rings(f["geometry"])


def rings(geometry):
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    return [[(round(x * 1e4), round(y * 1e4)) for x, y in ring] for polygon in polygons for ring in polygon]


def dense(ring):
    """Splits edges too long for 16-bit steps."""
    out = [ring[0]]
    for x, y in ring[1:]:
        px, py = out[-1]
        parts = max(abs(x - px), abs(y - py)) // 32000 + 1
        out += [(px + (x - px) * i // parts, py + (y - py) * i // parts) for i in range(1, parts + 1)]
    return out


world_areas, towns = world_places()
reversible = balanced(list(italian_places()) + towns)
places = reversible + list(named_only(reversible))
for i, p in enumerate(places):
    p.serial = i
seat_serial = {p.area: p.serial for p in places if p.kind == SEAT}

sections = {name: bytearray() for name in
            ("places", "comuni", "provinces", "areas", "countries", "keys", "outlines", "rings", "vertices")}
for p in places:
    sections["places"] += struct.pack("<iiIIIHBx", round(p.lon * 1e5), round(p.lat * 1e5), strings(p.name), p.population,
                                      strings(p.postal), p.area, p.kind)
for i, c in enumerate(comuni):
    sections["comuni"] += struct.pack("<IIII", strings(c["name"]), strings(c["catasto"]), province_index[c["prov"]],
                                      seat_serial.get(i, 0xFFFFFFFF))
for p in provinces:
    sections["provinces"] += struct.pack("<III", strings(p["prov"]), strings(p["name"]), strings(p["region"]))
for cc, a1 in world_areas:
    sections["areas"] += struct.pack("<II", country_index[cc], strings(admin1_names.get((cc, a1), "")))
for c in countries:
    sections["countries"] += struct.pack("<III", strings(c["cc"]), strings(c["name_en"]), strings(c["name_it"]))
for key, serial, whole in keys(places):
    # A key that starts at a later word is the end of the whole one.
    offset = strings(whole) + len(whole.encode()) - len(key.encode())
    sections["keys"] += struct.pack("<II", offset, serial | (0x80000000 if key != whole else 0))
for number, (cc, name, province, shape) in enumerate(outlines()):
    sections["outlines"] += struct.pack("<III", country_index[cc], strings(name), province)
    for ring in shape:
        points = dense(ring)
        xs, ys = [x for x, _ in points], [y for _, y in points]
        sections["rings"] += struct.pack("<iiiiIII", min(xs), min(ys), max(xs), max(ys), number,
                                         len(sections["vertices"]), len(points))
        sections["vertices"] += struct.pack("<ii", *points[0])
        for (px, py), (x, y) in zip(points, points[1:]):
            sections["vertices"] += struct.pack("<hh", x - px, y - py)

parts = {"strings": strings.bytes, **sections}
header = bytearray(b"DOGGOGAZ" + struct.pack("<II", 1, len(reversible)))
offset = len(header) + 8 * len(parts)
for part in parts.values():
    part += b"\0" * (-len(part) % 8)
    header += struct.pack("<II", offset, len(part))
    offset += len(part)
(HERE / "gazetteer.bin").write_bytes(header + b"".join(parts.values()))
print(f"{offset:,} bytes:", ", ".join(f"{name} {len(part):,}" for name, part in parts.items()))

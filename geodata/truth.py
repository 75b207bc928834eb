#!/usr/bin/env python3
"""Draws points whose comune is known, to measure reverse geocoding: truth.py BOUNDARIES --kind KIND --output FILE.

BOUNDARIES holds one polygon per comune: ISTAT's shapefile (Com*_WGS84.shp; the script finds the file of provinces in
the same archive) or openpolis' GeoJSON (limits_IT_municipalities.geojson), which may be packed with xz. README.md says
where to get them. `doggofinder gazetteer evaluate` reads the output.

Needs geopandas, which brings numpy, shapely and pyproj (`pip install geopandas`, or Debian's python3-geopandas). These
wrap GDAL, GEOS and PROJ, which read every edition of the boundaries, know its projection, and decide exactly on which
side of a border a point lies. A shapefile reader and a projection written for this script would be more code, and a
source of errors in data that other results are checked against.
"""

import argparse
import csv
import io
import lzma
import math
import pathlib
import sys

try:
    import geopandas
    import numpy as np
    import pyproj
    import shapely
except ImportError as error:
    sys.exit(f"truth.py: {error}. Install the libraries with: pip install geopandas")

import layout

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = [
    "id", "kind", "lat", "lon", "comune", "com_istat", "provincia", "sigla", "regione", "reg_istat", "m_to_border",
]
# The default number of points of each kind.
COUNTS = {"interior": 3000, "border": 1000, "population": 1000, "settlements": 1000}
# ISTAT's names come first, then those of openpolis, then shorter ones. In ISTAT's archive only the file of provinces
# has the signs and names of provinces.
FIELDS = {
    "code": ["PRO_COM_T", "PRO_COM", "com_istat_code", "istat"],
    "name": ["COMUNE", "name"],
    "province code": ["COD_PROV", "prov_istat_code", "prov_istat"],
    "region code": ["COD_REG", "reg_istat_code", "reg_istat"],
    "province sign": ["SIGLA", "prov_acr", "prov"],
    "province name": ["DEN_UTS", "DEN_PCM", "DEN_PROV", "prov_name"],
}
# In the order of ISTAT's codes, which begin with 1. The spelling is that of gazetteer.bin, because the evaluation
# compares names, and ISTAT's editions differ in the spelling of some.
REGIONS = [
    "Piemonte", "Valle d'Aosta/Vallée d'Aoste", "Lombardia", "Trentino-Alto Adige/Südtirol", "Veneto",
    "Friuli-Venezia Giulia", "Liguria", "Emilia-Romagna", "Toscana", "Umbria", "Marche", "Lazio", "Abruzzo", "Molise",
    "Campania", "Puglia", "Basilicata", "Calabria", "Sicilia", "Sardegna",
]
WGS84 = "EPSG:4326"
# UTM zone 32N, in which ISTAT publishes. Its metres are 0.04 % too short to 0.8 % too long in Italy.
METRIC = "EPSG:32632"
# West, south, east and north of Italy in degrees.
ITALY = (6.0, 35.0, 19.0, 47.5)
# The accuracy near borders in README.md was measured on points drawn by this rule. Other rules give other accuracies:
# of the points of kind interior that lie within 300 m of another comune, 91 % are right.
BORDER_METRES = (20, 300)
SETTLEMENT_METRES = 500
# Six decimals of a degree are 0.1 m.
DECIMALS = 6
# Limits that only wrong data reaches: a comune that another one covers, or comuni without neighbours. Even groups of
# small islands fill 1 % of their bounding box.
MAX_MISSES = 10_000
MAX_EMPTY_ROUNDS = 100
PLACE = np.dtype([("vector", "<f4", 3), ("population", "<u4"), ("name", "<u4"), ("area", "<u2"), ("parent", "<u2")])


class InputError(Exception):
    """The input cannot be used; the message tells the user why."""


class Comuni:
    """The polygons, and for each a row with the columns of the output."""

    def __init__(self, frame, rows):
        self.rows = rows
        self.shapes = np.array(frame.geometry, dtype=object)
        self.metric = np.array(frame.geometry.to_crs(METRIC), dtype=object)
        self.boundaries = shapely.boundary(self.metric)
        self.tree, self.metric_tree = shapely.STRtree(self.shapes), shapely.STRtree(self.metric)
        self.from_degrees = pyproj.Transformer.from_crs(WGS84, frame.crs, always_xy=True)
        self.metric_to_degrees = pyproj.Transformer.from_crs(METRIC, WGS84, always_xy=True)
        self.degrees_to_metric = pyproj.Transformer.from_crs(WGS84, METRIC, always_xy=True)

    def __len__(self):
        return len(self.rows)

    def owners(self, degrees):
        """The number of the comune that holds each position, or -1 for none and for more than one.

        The test uses the file's own projection, as a straight line in one projection is not quite straight in another.
        """
        points = shapely.points(*self.from_degrees.transform(degrees[:, 0], degrees[:, 1]))
        asked, found = self.tree.query(points, predicate="within")
        owners = np.full(len(points), -1)
        owners[asked] = found
        owners[np.bincount(asked, minlength=len(points)) > 1] = -1
        return owners

    def degrees(self, metres):
        """Longitude and latitude as they are written, so that every test is made on what readers of the file get."""
        lon, lat = self.metric_to_degrees.transform(metres[:, 0], metres[:, 1])
        return np.round(np.column_stack([lon, lat]), DECIMALS)

    def metres(self, degrees):
        return np.column_stack(self.degrees_to_metric.transform(degrees[:, 0], degrees[:, 1]))

    def are_near_another(self, degrees, owners):
        """Whether another comune than the owner is as near as points of kind border have to be."""
        points = shapely.points(self.metres(degrees))
        asked, found = self.metric_tree.query(points, predicate="dwithin", distance=BORDER_METRES[1])
        near = np.zeros(len(points), dtype=bool)
        near[asked[found != owners[asked]]] = True
        return near

    def metres_to_border(self, degrees, owners):
        return shapely.distance(self.boundaries[owners], shapely.points(self.metres(degrees)))


def draw(comuni, kind, count, seed, settlements=None):
    """Degrees and owners of the points of a kind."""
    # numpy freezes the numbers that RandomState makes of a seed. Those of Generator may change with a release.
    random = np.random.RandomState([seed, list(COUNTS).index(kind)])
    if kind == "interior":
        turns = [random.permutation(len(comuni)) for _ in range(math.ceil(count / len(comuni)))]
        return inside(comuni, np.concatenate(turns)[:count], random)
    if kind == "population":
        people = populations(comuni)
        return inside(comuni, random.choice(len(comuni), count, p=people / people.sum()), random)
    if kind == "border":
        return keep(count, lambda: near_borders(comuni, count, random))
    metres = comuni.metres(settlements)
    return keep(count, lambda: near_settlements(comuni, metres, count, random))


def inside(comuni, owners, random):
    """A uniform point inside each of the comuni whose numbers are given."""
    degrees = np.empty((len(owners), 2))
    bounds = shapely.bounds(comuni.metric[owners])
    missing = np.arange(len(owners))
    for _ in range(MAX_MISSES):
        degrees[missing] = comuni.degrees(random.uniform(bounds[missing, :2], bounds[missing, 2:]))
        missing = missing[comuni.owners(degrees[missing]) != owners[missing]]
        if len(missing) == 0:
            return degrees, owners
    row = comuni.rows[owners[missing[0]]]
    raise InputError(f"no point was found that lies in {row['comune']} ({row['com_istat']}) and in no other comune")


def keep(count, candidates):
    """The first points of as many rounds of candidates as it takes."""
    degrees, owners, empty_rounds = np.empty((0, 2)), np.empty(0, dtype=int), 0
    while len(degrees) < count:
        more_degrees, more_owners = candidates()
        empty_rounds = 0 if len(more_degrees) else empty_rounds + 1
        if empty_rounds == MAX_EMPTY_ROUNDS:
            raise InputError("no point was found: no comune has a neighbour, or no settlement lies in a comune")
        degrees, owners = np.concatenate([degrees, more_degrees]), np.concatenate([owners, more_owners])
    return degrees[:count], owners[:count]


def displaced(metres, distances, random):
    """Each point moved by its distance in a random direction."""
    angles = random.uniform(0, 2 * np.pi, len(metres))
    return metres + distances[:, None] * np.column_stack([np.cos(angles), np.sin(angles)])


def near_borders(comuni, count, random):
    """Points at a distance of BORDER_METRES from a random place on a comune's border, in it and near another comune."""
    chosen = random.randint(len(comuni), size=count)
    spots = shapely.line_interpolate_point(comuni.boundaries[chosen], random.uniform(size=count), normalized=True)
    metres = displaced(shapely.get_coordinates(spots), random.uniform(*BORDER_METRES, count), random)
    degrees = comuni.degrees(metres)
    kept = (comuni.owners(degrees) == chosen) & comuni.are_near_another(degrees, chosen)
    return degrees[kept], chosen[kept]


def near_settlements(comuni, settlements, count, random):
    """Points at a half-normal distance of SETTLEMENT_METRES from random settlements."""
    spots = settlements[random.randint(len(settlements), size=count)]
    degrees = comuni.degrees(displaced(spots, np.abs(random.normal(0, SETTLEMENT_METRES, count)), random))
    owners = comuni.owners(degrees)
    return degrees[owners >= 0], owners[owners >= 0]


def bundled_places():
    """The records of Italy's seats of comuni and of its hamlets in gazetteer.bin, each with its degrees."""
    sections = layout.read(HERE / "gazetteer.bin")
    ends = np.frombuffer(sections["ENDS"][1], "<u4")
    located = int(np.frombuffer(sections["HAML"][1], "<u4")[-1])
    places = np.frombuffer(sections["PLAC"][1], PLACE)[ends[0]:]
    x, y, z = places["vector"].astype(float).T
    degrees = np.degrees(np.column_stack([np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))]))
    comuni = int(ends[1] - ends[0])
    return places[:comuni], degrees[:comuni], degrees[comuni:comuni + located]


def populations(comuni):
    """The population of each comune: that of the seats in gazetteer.bin that lie in it."""
    seats, degrees, _ = bundled_places()
    owners = comuni.owners(degrees)
    people = np.bincount(owners[owners >= 0], seats["population"][owners >= 0], minlength=len(comuni))
    if people.sum() == 0:
        raise InputError("no seat of a comune in gazetteer.bin lies in these boundaries")
    report(f"{(people == 0).sum()} comuni have no known population and get no points")
    return people


def bundled_settlements():
    _, seats, hamlets = bundled_places()
    return np.concatenate([seats, hamlets])


def read_settlements(path):
    """Degrees of class P of a GeoNames dump, or of all rows of a table whose first line names lat and lon."""
    try:
        with open_text(path) as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    if rows and "lat" in rows[0] and "lon" in rows[0]:
        lat, lon, first = rows[0].index("lat"), rows[0].index("lon"), 1
    elif rows and len(rows[0]) == 19:
        lat, lon, first = 4, 5, 0
    else:
        raise InputError(f"{path}: neither a GeoNames dump (19 columns) nor a table with the columns lat and lon, "
                         "separated by tabs")
    degrees = []
    for number, row in enumerate(rows[first:], first + 1):
        try:
            if first == 1 or row[6] == "P":
                degrees.append((float(row[lon]), float(row[lat])))
        except (IndexError, ValueError):
            raise InputError(f"{path}: line {number} has no latitude and longitude") from None
    if not degrees:
        raise InputError(f"{path}: no settlements")
    return np.array(degrees)


def open_text(path):
    return lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else open(path, encoding="utf-8")


def read_layer(path, **options):
    """A table of features, by any of GDAL's readers."""
    try:
        source = io.BytesIO(lzma.decompress(path.read_bytes())) if path.suffix == ".xz" else path
        if not path.exists():
            raise FileNotFoundError("no such file")
        return geopandas.read_file(source, **options)
    # geopandas passes on errors of two libraries, pyogrio and fiona, whichever is installed.
    except Exception as error:
        raise InputError(f"{path}: cannot be read: {error}") from None


def find_field(frame, meaning):
    """The name of the column that holds the meaning, in either case, or None."""
    columns = {column.upper(): column for column in frame.columns}
    return next((columns[name.upper()] for name in FIELDS[meaning] if name.upper() in columns), None)


def field(frame, path, meaning):
    name = find_field(frame, meaning)
    if name is None:
        raise InputError(f"{path}: no field for the {meaning}: expected {' or '.join(FIELDS[meaning])}, found "
                         f"{', '.join(column for column in frame.columns if column != 'geometry') or 'none'}")
    return frame[name]


def texts(frame, path, meaning):
    values = list(field(frame, path, meaning))
    if not all(isinstance(value, str) and value for value in values):
        raise InputError(f"{path}: field {find_field(frame, meaning)} is empty in some features")
    return values


def codes(frame, path, meaning):
    values = field(frame, path, meaning)
    try:
        return [int(value) for value in values]
    except (TypeError, ValueError):
        raise InputError(f"{path}: field {values.name} holds a {meaning} that is no number") from None


def read_comuni(path, provinces_path=None):
    report(f"reading {path}")
    frame = read_layer(path)
    if not isinstance(frame, geopandas.GeoDataFrame) or len(frame) == 0:
        raise InputError(f"{path}: no polygons")
    comune_codes, region_codes = codes(frame, path, "code"), codes(frame, path, "region code")
    # openpolis writes both names of a bilingual comune, the Italian one first.
    names = [name.split("/")[0].strip() for name in texts(frame, path, "name")]
    for name, shape in zip(names, frame.geometry):
        if shape is None or shape.is_empty or shape.geom_type not in ("Polygon", "MultiPolygon"):
            raise InputError(f"{path}: {name} has no polygon")
    if len(set(comune_codes)) < len(comune_codes):
        raise InputError(f"{path}: several polygons have the same code of a comune")
    if not all(1 <= code <= len(REGIONS) for code in region_codes):
        raise InputError(f"{path}: a region code is not between 1 and {len(REGIONS)}")
    check_crs(frame, path)
    rows = [
        {
            "comune": name, "com_istat": f"{code:06}", "provincia": province, "sigla": sign,
            "regione": REGIONS[region - 1], "reg_istat": f"{region:02}",
        }
        for name, code, region, (sign, province)
        in zip(names, comune_codes, region_codes, provinces(frame, path, provinces_path))
    ]
    report(f"{len(rows)} comuni, {frame.crs.name}")
    return Comuni(frame, rows)


def check_crs(frame, path):
    if frame.crs is None:
        raise InputError(f"{path}: the coordinate reference system is unknown; a shapefile needs a .prj file beside it")
    west, south, east, north = bounds = frame.to_crs(WGS84).total_bounds
    if not (ITALY[0] <= west <= east <= ITALY[2] and ITALY[1] <= south <= north <= ITALY[3]):
        raise InputError(f"{path}: the coordinates do not lie in Italy when read as {frame.crs.name}: they reach from "
                         f"{bounds[0]:.2f} {bounds[1]:.2f} to {bounds[2]:.2f} {bounds[3]:.2f} degrees")


def provinces(frame, path, provinces_path):
    """Sign and name of each comune's province: of the file itself, or by code of ISTAT's province file."""
    if provinces_path is None and find_field(frame, "province sign"):
        return zip(texts(frame, path, "province sign"), texts(frame, path, "province name"))
    provinces_path = provinces_path or find_provinces(path)
    report(f"reading {provinces_path}")
    table = read_layer(provinces_path, ignore_geometry=True)
    names = zip(texts(table, provinces_path, "province sign"), texts(table, provinces_path, "province name"))
    known = dict(zip(codes(table, provinces_path, "province code"), names))
    wanted = codes(frame, path, "province code")
    unknown = sorted(set(wanted) - set(known))
    if unknown:
        raise InputError(f"{provinces_path}: no province {unknown[0]}: is it of the same year as {path}?")
    return [known[code] for code in wanted]


def find_provinces(path):
    """In ISTAT's archive each level has a folder: Com01012023_g/, ProvCM01012023_g/."""
    found = sorted(path.parent.glob("Prov*.shp")) or sorted(path.parent.parent.glob("Prov*/Prov*.shp"))
    if not found:
        raise InputError(f"{path}: the provinces' signs are in another file of ISTAT's archive (Prov*_WGS84.shp), "
                         "which is not beside it; name it with --provinces")
    return found[0]


def write(file, comuni, kind, degrees, owners):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    metres = comuni.metres_to_border(degrees, owners)
    for number, ((lon, lat), owner, distance) in enumerate(zip(degrees, owners, metres), 1):
        writer.writerow({
            "id": number, "kind": kind, "lat": f"{lat:.{DECIMALS}f}", "lon": f"{lon:.{DECIMALS}f}",
            **comuni.rows[owner], "m_to_border": round(distance),
        })


def report(message):
    print(message, file=sys.stderr, flush=True)


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def seed_number(text):
    value = int(text)
    if not 0 <= value < 2 ** 32:
        raise ValueError
    return value


def arguments(words=None):
    near, far = BORDER_METRES
    parser = argparse.ArgumentParser(
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Draw points whose comune is known, for `doggofinder gazetteer evaluate`.",
        epilog=f"""kinds of points:
  interior     a uniform point in each of the comuni in random order; a comune gets a second point only when every
               comune has one
  border       inside a random comune and at most {far} m from another one: {near} to {far} m (uniformly distributed)
               in any direction from a random place on the comune's border
  population   a uniform point in a comune that is chosen by its population, which is that of gazetteer.bin
  settlements  beside a random settlement: in any direction, at a half-normal distance of {SETTLEMENT_METRES} m

The same seed, boundaries and settlements give the same points. m_to_border is the distance to the comune's own
limit, of which coasts are a part; it is right within 1 %.

example:
  truth.py Limiti01012023_g/Com01012023_g/Com01012023_g_WGS84.shp --kind border --output border.csv
""")
    parser.add_argument("boundaries", type=pathlib.Path, metavar="BOUNDARIES",
                        help="polygons of the comuni: ISTAT's shapefile or openpolis' GeoJSON, which may be .xz")
    parser.add_argument("--kind", choices=COUNTS, default="interior", help="kind of points (default: interior)")
    parser.add_argument("--count", type=positive, metavar="N",
                        help="number of points (default: 3000 of kind interior, else 1000)")
    parser.add_argument("--seed", type=seed_number, default=1, metavar="N",
                        help="where the random numbers start, 0 to 4294967295 (default: 1)")
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE",
                        help="CSV file to write (default: standard output)")
    parser.add_argument("--provinces", type=pathlib.Path, metavar="FILE",
                        help="ISTAT's shapefile of provinces (default: the one beside BOUNDARIES, if needed)")
    parser.add_argument("--settlements", type=pathlib.Path, metavar="FILE",
                        help="for --kind settlements: a GeoNames dump such as IT.txt, or a table with the columns lat "
                             "and lon, separated by tabs (default: seats and hamlets of gazetteer.bin; the gazetteer "
                             "places points near these better than points near others)")
    options = parser.parse_args(words)
    if options.settlements and options.kind != "settlements":
        parser.error("--settlements needs --kind settlements")
    return options


def run(options):
    settlements = None
    if options.kind == "settlements":
        settlements = read_settlements(options.settlements) if options.settlements else bundled_settlements()
    comuni = read_comuni(options.boundaries, options.provinces)
    count = options.count or COUNTS[options.kind]
    report(f"drawing {count} points of kind {options.kind}, seed {options.seed}")
    degrees, owners = draw(comuni, options.kind, count, options.seed, settlements)
    if options.output is None:
        write(sys.stdout, comuni, options.kind, degrees, owners)
        return
    try:
        with open(options.output, "w", encoding="utf-8", newline="") as file:
            write(file, comuni, options.kind, degrees, owners)
    except OSError as error:
        raise InputError(f"{options.output}: cannot be written: {error}") from None
    report(f"wrote {options.output}")


def main():
    try:
        run(arguments())
    except InputError as error:
        sys.exit(f"truth.py: {error}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tests geodata/truth.py with a few square comuni around Rome: python3 Tests/Geodata/test_truth.py takes some seconds.

The squares have sides of 0.1 degree, so that simple arithmetic gives the square of a point. Needs geopandas.
"""

import contextlib
import csv
import importlib.util
import io
import json
import lzma
import math
import pathlib
import sys
import tempfile
import unittest

if importlib.util.find_spec("geopandas") is None:
    print("skipped: needs geopandas (pip install geopandas)")
    sys.exit(0)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "geodata"))
import geopandas
import shapely
import truth

WEST, SOUTH, SIDE = 12.35, 41.75, 0.1
COLUMNS, LINES = 4, 3
METRES_PER_DEGREE = 111_200
# Some programs that read tables take "NA", the code of Napoli, for a missing value.
SIGNS = {58: ("RM", "Roma"), 63: ("NA", "Napoli")}


def squares():
    for number in range(COLUMNS * LINES):
        west, south = WEST + number % COLUMNS * SIDE, SOUTH + number // COLUMNS * SIDE
        yield number, 58 if number % 2 else 63, (west, south, west + SIDE, south + SIDE)


def features():
    """The squares in the format of openpolis, with bilingual names."""
    return [
        {
            "type": "Feature",
            "properties": {
                "name": f"Comune {number}/Gemeinde {number}", "com_istat_code": f"{province * 1000 + number:06}",
                "prov_istat_code": f"{province:03}", "prov_acr": SIGNS[province][0], "prov_name": SIGNS[province][1],
                "reg_istat_code": "12",
            },
            "geometry": shapely.geometry.mapping(shapely.box(*box)),
        }
        for number, province, box in squares()
    ]


def square_at(lon, lat):
    return math.floor((lon - WEST) / SIDE) + COLUMNS * math.floor((lat - SOUTH) / SIDE)


def metres_to(lon, lat, inner):
    """Metres to the nearest side of the square that contains the point; with `inner`, to the nearest other square."""
    number = square_at(lon, lat)
    column, line = number % COLUMNS, number // COLUMNS
    x, y = lon - WEST - column * SIDE, lat - SOUTH - line * SIDE
    east_metres = METRES_PER_DEGREE * math.cos(math.radians(lat))
    sides = [
        (x * east_metres, column > 0), ((SIDE - x) * east_metres, column < COLUMNS - 1),
        (y * METRES_PER_DEGREE, line > 0), ((SIDE - y) * METRES_PER_DEGREE, line < LINES - 1),
    ]
    return min(distance for distance, is_inner in sides if is_inner or not inner)


class TruthTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.boundaries = self.write_features(features())

    def write_features(self, features, name="comuni.geojson"):
        path = self.folder / name
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
        return path

    def write_shapefiles(self):
        """The squares in the format of ISTAT: two folders, UTM zone 32N, no province codes in the table of comuni."""
        comuni, provinces = self.folder / "Com01012023_g", self.folder / "ProvCM01012023_g"
        comuni.mkdir()
        provinces.mkdir()
        boxes = [shapely.segmentize(shapely.box(*box), SIDE / 20) for _, _, box in squares()]
        rows = [{"COD_REG": 12, "COD_PROV": province, "PRO_COM": province * 1000 + number, "COMUNE": f"Comune {number}"}
                for number, province, _ in squares()]
        frame = geopandas.GeoDataFrame(rows, geometry=boxes, crs=truth.WGS84).to_crs(truth.METRIC)
        path = comuni / "Com01012023_g_WGS84.shp"
        frame.to_file(path, encoding="utf-8")
        rows = [{"COD_PROV": code, "DEN_PROV": "-", "DEN_UTS": name, "SIGLA": sign}
                for code, (sign, name) in SIGNS.items()]
        geopandas.GeoDataFrame(rows, geometry=boxes[:len(rows)], crs=truth.WGS84).to_file(
            provinces / "ProvCM01012023_g_WGS84.shp", encoding="utf-8")
        return path

    def draw(self, *words, boundaries=None):
        """Runs the script and returns the text of its output and the rows."""
        output = self.folder / "truth.csv"
        with contextlib.redirect_stderr(io.StringIO()):
            truth.run(truth.arguments([str(boundaries or self.boundaries), "--output", str(output), *words]))
        text = output.read_text(encoding="utf-8")
        return text, list(csv.DictReader(io.StringIO(text)))

    def assert_right(self, rows, count, kind):
        """Checks that each row has the square of its point and the distance to the sides."""
        self.assertEqual([row["id"] for row in rows], [str(i + 1) for i in range(count)])
        for row in rows:
            lon, lat = float(row["lon"]), float(row["lat"])
            number, province, _ = list(squares())[square_at(lon, lat)]
            expected = {
                "kind": kind, "comune": f"Comune {number}", "com_istat": f"{province * 1000 + number:06}",
                "sigla": SIGNS[province][0], "provincia": SIGNS[province][1], "regione": "Lazio", "reg_istat": "12",
            }
            self.assertEqual({name: row[name] for name in expected}, expected)
            metres = metres_to(lon, lat, inner=False)
            self.assertAlmostEqual(float(row["m_to_border"]), metres, delta=2 + metres / 100)

    def test_interior_points_take_each_comune_once_before_any_twice(self):
        text, rows = self.draw("--count", "30")
        self.assert_right(rows, 30, "interior")
        self.assertEqual(text.splitlines()[0], ",".join(truth.COLUMNS))
        self.assertEqual(len({row["com_istat"] for row in rows[:12]}), 12)
        self.assertEqual(len({row["com_istat"] for row in rows[12:24]}), 12)

    def test_points_fill_their_comune_evenly(self):
        _, rows = self.draw("--count", "2400")
        for axis, corner in (("lon", WEST), ("lat", SOUTH)):
            quarters = [0] * 4
            for row in rows:
                quarters[int((float(row[axis]) - corner) / SIDE % 1 * 4)] += 1
            # 600 are expected; 100 are almost five standard deviations.
            self.assertTrue(all(abs(count - 600) < 100 for count in quarters), quarters)

    def test_border_points_are_near_another_comune(self):
        _, rows = self.draw("--kind", "border", "--count", "300")
        self.assert_right(rows, 300, "border")
        distances = [metres_to(float(row["lon"]), float(row["lat"]), inner=True) for row in rows]
        self.assertLess(max(distances), 303)
        self.assertGreater(max(distances), 200)
        self.assertEqual(len({row["com_istat"] for row in rows}), COLUMNS * LINES)

    def test_comuni_of_more_people_get_more_points(self):
        _, rows = self.draw("--kind", "population", "--count", "200")
        self.assert_right(rows, 200, "population")
        rome = square_at(12.4964, 41.9028)
        self.assertGreater(sum(row["comune"] == f"Comune {rome}" for row in rows), 150)

    def test_settlements_of_a_table_and_of_a_dump_attract_points(self):
        lon, lat = WEST + SIDE / 2, SOUTH + SIDE / 2
        table, dump = self.folder / "places.tsv.xz", self.folder / "IT.txt"
        table.write_bytes(lzma.compress(f"name\tlon\tlat\nPaese\t{lon}\t{lat}\nMare\t11\t41\n".encode()))
        rows = [["1", "Paese", "", "", lat, lon, "P"], ["2", "Monte", "", "", lat + SIDE, lon, "T"]]
        dump.write_text("".join("\t".join(map(str, row + [""] * 12)) + "\n" for row in rows), encoding="utf-8")
        for path in (table, dump):
            _, rows = self.draw("--kind", "settlements", "--count", "100", "--settlements", str(path))
            self.assert_right(rows, 100, "settlements")
            metres = sorted(math.hypot(
                (float(row["lon"]) - lon) * METRES_PER_DEGREE * math.cos(math.radians(lat)),
                (float(row["lat"]) - lat) * METRES_PER_DEGREE) for row in rows)
            self.assertLess(metres[-1], 5 * truth.SETTLEMENT_METRES)
            # The median of a half-normal distribution is 0.674 times its parameter.
            self.assertAlmostEqual(metres[50], 0.674 * truth.SETTLEMENT_METRES, delta=150)

    def test_bundled_settlements_lie_in_the_squares(self):
        _, rows = self.draw("--kind", "settlements", "--count", "20")
        self.assert_right(rows, 20, "settlements")

    def test_the_same_seed_gives_the_same_points(self):
        for kind in truth.COUNTS:
            words = "--kind", kind, "--count", "12", "--seed"
            self.assertEqual(self.draw(*words, "5")[0], self.draw(*words, "5")[0])
            self.assertNotEqual(self.draw(*words, "5")[0], self.draw(*words, "6")[0])

    def test_shapefiles_in_metres_are_read_with_the_provinces_beside_them(self):
        path = self.write_shapefiles()
        for kind in ("interior", "border"):
            _, rows = self.draw("--kind", kind, "--count", "60", boundaries=path)
            self.assert_right(rows, 60, kind)

    def test_packed_boundaries_are_read(self):
        path = self.folder / "comuni.geojson.xz"
        path.write_bytes(lzma.compress(self.boundaries.read_bytes()))
        self.assertEqual(self.draw("--count", "12", boundaries=path)[0], self.draw("--count", "12")[0])

    def test_rings_may_cross(self):
        bowtie = features()
        (west, south, east, north) = list(squares())[0][2]
        ring = [(west, south), (east, north), (east, south), (west, north), (west, south)]
        bowtie[0]["geometry"] = {"type": "Polygon", "coordinates": [ring]}
        _, rows = self.draw("--count", "120", boundaries=self.write_features(bowtie))
        for row in rows:
            if row["comune"] == "Comune 0":
                x, y = (float(row["lon"]) - west) / SIDE, (float(row["lat"]) - south) / SIDE
                # The bow tie covers the parts of the square that are left and right of both diagonals.
                self.assertGreater(abs(x - 0.5) + 1e-4, abs(y - 0.5))

    def assert_error(self, message, *words, boundaries=None):
        with self.assertRaisesRegex(truth.InputError, message):
            self.draw("--count", "3", *words, boundaries=boundaries)

    def test_wrong_boundaries_are_told(self):
        missing = features()
        for feature in missing:
            del feature["properties"]["name"]
        self.assert_error("no field for the name: expected COMUNE or name", boundaries=self.write_features(missing))
        swapped = features()
        for feature in swapped:
            rings = feature["geometry"]["coordinates"]
            feature["geometry"]["coordinates"] = [[(lat, lon) for lon, lat in ring] for ring in rings]
        self.assert_error("do not lie in Italy", boundaries=self.write_features(swapped))
        twice = features() + features()[:1]
        self.assert_error("several polygons have the same code", boundaries=self.write_features(twice))
        points = features()
        points[0]["geometry"] = {"type": "Point", "coordinates": [WEST, SOUTH]}
        self.assert_error("Comune 0 has no polygon", boundaries=self.write_features(points))
        word = features()
        word[0]["properties"]["com_istat_code"] = "H501"
        self.assert_error("holds a code that is no number", boundaries=self.write_features(word))
        self.assert_error("no point was found", "--kind", "border", boundaries=self.write_features(features()[:1]))
        self.assert_error("cannot be read", boundaries=self.folder / "nothing.shp")
        text = self.folder / "text.geojson"
        text.write_text("no GeoJSON", encoding="utf-8")
        self.assert_error("cannot be read", boundaries=text)
        packed = self.folder / "text.geojson.xz"
        packed.write_text("not packed", encoding="utf-8")
        self.assert_error("cannot be read", boundaries=packed)

    def test_points_in_two_comuni_are_left_out(self):
        overlapping = features()
        overlapping[0]["geometry"] = shapely.geometry.mapping(
            shapely.box(WEST, SOUTH, WEST + 1.5 * SIDE, SOUTH + SIDE))
        _, rows = self.draw("--count", "240", boundaries=self.write_features(overlapping))
        for row in rows:
            x = (float(row["lon"]) - WEST) / SIDE
            self.assertFalse(row["comune"] in ("Comune 0", "Comune 1") and 1 < x < 1.5, row)

    def test_covered_comuni_are_told(self):
        covered = features()
        covered[1]["geometry"] = covered[0]["geometry"]
        truth.MAX_MISSES, limit = 50, truth.MAX_MISSES
        self.addCleanup(setattr, truth, "MAX_MISSES", limit)
        self.assert_error("in no other comune", "--count", "12", boundaries=self.write_features(covered))

    def test_incomplete_shapefiles_are_told(self):
        path = self.write_shapefiles()
        provinces = self.folder / "ProvCM01012023_g"
        provinces.rename(self.folder / "elsewhere")
        self.assert_error("name it with --provinces", boundaries=path)
        file = self.folder / "elsewhere" / "ProvCM01012023_g_WGS84.shp"
        self.assertEqual(len(self.draw("--count", "3", "--provinces", str(file), boundaries=path)[1]), 3)
        path.with_suffix(".prj").unlink()
        self.assert_error("reference system is unknown", "--provinces", str(file), boundaries=path)

    def test_wrong_settlements_are_told(self):
        path = self.folder / "places.tsv"
        for text, message in [
            ("", "neither a GeoNames dump"), ("name\tlat\n", "neither a GeoNames dump"),
            ("lat\tlon\n", "no settlements"), ("lat\tlon\n41\tx\n", "line 2"),
            ("lat\tlon\n41\t12.4\n42\n", "line 3"),
        ]:
            path.write_text(text, encoding="utf-8")
            self.assert_error(message, "--kind", "settlements", "--settlements", str(path))
        path.write_text("lat\tlon\n45\t8\n", encoding="utf-8")
        self.assert_error("no point was found", "--kind", "settlements", "--settlements", str(path))

    def test_wrong_options_are_told(self):
        for words in (["--count", "0"], ["--seed", "-1"], ["--kind", "sea"], ["--settlements", "file"]):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit):
                truth.arguments([str(self.boundaries), *words])


if __name__ == "__main__":
    unittest.main()

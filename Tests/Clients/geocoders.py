"""Compares the answers of our Nominatim and Photon routes to PyPI's geocoding libraries with /v1 and the command line.

Usage: geocoders.py ADDRESS PROGRAM DATA
"""

import json
import subprocess
import sys
import urllib.parse
import urllib.request

import geocoder
from geopy.exc import GeocoderQueryError
from geopy.geocoders import Nominatim, Photon

ADDRESS, PROGRAM, DATA = sys.argv[1:4]
HOST = ADDRESS.removeprefix("http://")

NAMES = [
    "Fisciano", "Fisciano (SA)", "Salerno", "Lancusi, Fisciano", "Roma", "Milano", "Napoli", "Torino", "Palermo", "Bolzano",
    "Bozen", "Aosta", "Trieste", "Cagliari", "L'Aquila", "Reggio Calabria", "Reggio nell'Emilia", "San Giovanni Rotondo",
    "Sant'Agata de' Goti", "Città di Castello", "Forlì", "84084", "Provincia di Salerno", "Toscana", "Italia",
    "Paris", "Berlin", "München", "Wien", "London", "New York", "San Francisco, California", "Tokyo", "Sydney", "São Paulo",
    "Buenos Aires", "Nairobi", "Cairo", "Lugano", "Nice", "Ljubljana", "Valletta", "Reykjavik", "Germania",
]
POINTS = [  # lat, lon
    (40.77, 14.79), (40.68, 14.77), (41.9, 12.49), (45.46, 9.19), (40.85, 14.27), (45.07, 7.69), (38.12, 13.36), (46.5, 11.35),
    (45.74, 7.32), (45.65, 13.77), (39.22, 9.12), (42.35, 13.4), (38.11, 15.65), (44.7, 10.63), (41.71, 15.72), (43.46, 12.24),
    (36.9, 14.72), (35.5, 12.6), (46.01, 8.96), (43.94, 12.45), (41.9022, 12.4533), (48.85, 2.35), (52.52, 13.4), (48.14, 11.58),
    (48.21, 16.37), (51.51, -0.13), (40.71, -74.01), (37.77, -122.42), (35.68, 139.69), (-33.87, 151.21), (-23.55, -46.63),
    (-34.6, -58.38), (-1.29, 36.82), (30.04, 31.24), (43.7, 7.27), (46.05, 14.51), (35.9, 14.51), (64.15, -21.94),
]
SEA = [(0, -30), (38.5, 6), (-55, -120)]


def get(path, **query):
    with urllib.request.urlopen(f"{ADDRESS}{path}?{urllib.parse.urlencode(query)}") as answer:
        return json.load(answer)


def best(name, **query):
    """The first result of /v1/places."""
    return next(iter(get("/v1/places", q=name, limit=1, **query)["features"]), None)


def at(points):
    """The results of the command line for points, in Italian."""
    lines = "".join(f"{lon},{lat}\n" for lat, lon in points)
    command = [PROGRAM, "gazetteer", "reverse", "-", "--lang", "it", "--data", DATA]
    told = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in told.splitlines()]


def name(place):
    return next(place[key] for key in ("locality", "comune", "province", "region", "country") if place[key])


def is_near(location, place):
    return abs(location.latitude - place["lat"]) < 1e-6 and abs(location.longitude - place["lon"]) < 1e-6


def check(client, title, cases, holds):
    """Prints how many of the cases hold, and the first three that do not."""
    wrong = []
    for case in cases:
        try:
            if not holds(case):
                wrong.append(str(case))
        except Exception as error:
            wrong.append(f"{case} ({type(error).__name__}: {error})")
    share = f"{len(cases) - len(wrong)} of {len(cases)}"
    print(client, title, f"WRONG, {share}: {', '.join(wrong[:3])}" if wrong else f"ok, {share}", sep="\t")


def is_refused(client, query):
    try:
        client.geocode(query)
    except GeocoderQueryError:
        return True
    return False


def check_nominatim():
    client = "geopy Nominatim"
    nominatim = Nominatim(domain=f"{HOST}/nominatim", scheme="http", user_agent="clients", timeout=300)

    def finds(text):
        place = best(text, lang="it")["properties"]
        location = nominatim.geocode(text, addressdetails=True, language="it")
        address = location.raw["address"]
        return (is_near(location, place) and location.raw["name"] == name(place) and address["country"] == place["country"]
                and location.address.startswith(name(place)))

    def finds_as_many(text):
        found = nominatim.geocode(text, exactly_one=False, limit=5)
        return len(found) == len(get("/v1/places", q=text, limit=5)["features"])

    def tells(pair):
        point, place = pair
        location = nominatim.reverse(point, language="it")
        address = location.raw["address"]
        town = next(address[key] for key in ("city", "town", "village") if key in address)
        return town == place["comune"] and address["country_code"] == place["country_code"].lower() and is_near(location, place)

    def is_as_coarse(case):
        zoom, kind, title = case
        raw = nominatim.reverse((40.77, 14.79), zoom=zoom, language="it").raw
        return raw["addresstype"] == kind and raw["name"] == title

    def fits_parts(case):
        query, title = case
        location = nominatim.geocode(query)
        return location is None if title is None else location.raw["name"] == title

    def stays_in(case):
        text, code = case
        found = nominatim.geocode(text, country_codes=code, exactly_one=False, addressdetails=True)
        return all(place.raw["address"]["country_code"] == code for place in found)

    def stays_within(text):
        found = nominatim.geocode(text, viewbox=[(40, 14), (41, 15)], bounded=True, exactly_one=False)
        return all(40 <= place.latitude <= 41 and 14 <= place.longitude <= 15 for place in found)

    check(client, "names, as /v1/places has them", NAMES, finds)
    check(client, "several of a name", ["San Giovanni", "Paris", "Salerno"], finds_as_many)
    check(client, "points, as the command line has them", TOLD, tells)
    check(client, "points at sea: None", SEA, lambda point: nominatim.reverse(point) is None)
    check(client, "zoom", [(3, "country", "Italia"), (5, "state", "Campania"), (8, "county", "Salerno"),
                           (10, "village", "Fisciano"), (18, "village", "Fisciano")], is_as_coarse)
    check(client, "queries in parts", [({"city": "Salerno", "country": "Italia"}, "Salerno"), ({"state": "Toscana"}, "Toscana"),
                                       ({"postalcode": "84084", "country": "Italia"}, "Fisciano"),
                                       ({"city": "Paris", "state": "Texas"}, "Paris"), ({"street": "Via Roma 1"}, None)], fits_parts)
    check(client, "country_codes", [("Paris", "us"), ("San Giovanni", "it"), ("Roma", "au")], stays_in)
    check(client, "viewbox, bounded", ["San Giovanni", "Castel", "Monte"], stays_within)
    check(client, "featuretype", [("Italia", "country"), ("Toscana", "state"), ("Salerno", "city"), ("Mestre", "settlement")],
          lambda case: nominatim.geocode(case[0], featuretype=case[1]).raw["name"] in (case[0], "Italy"))
    check(client, "geometry, extratags, namedetails are taken", ["wkt", "svg", "kml", "geojson"],
          lambda shape: nominatim.geocode("Salerno", geometry=shape, extratags=True, namedetails=True) is not None)
    check(client, "nothing found: None", ["qxqxqxqx", "Zzyzzyq"], lambda text: nominatim.geocode(text) is None)
    check(client, "a bad query: GeocoderQueryError", ["", {}], lambda query: is_refused(nominatim, query))


def check_photon():
    client = "geopy Photon"
    photon = Photon(domain=f"{HOST}/photon", scheme="http", user_agent="clients", timeout=300)

    def finds(text):
        place = best(text, lang="it")["properties"]
        location = photon.geocode(text, language="it")
        properties = location.raw["properties"]
        return is_near(location, place) and properties["name"] == name(place) and properties["country"] == place["country"]

    def tells(pair):
        point, place = pair
        location = photon.reverse(point, language="it")
        properties = location.raw["properties"]
        town = properties["name"] if properties["type"] == "city" else properties["city"]
        return town == place["comune"] and properties["countrycode"] == place["country_code"] and is_near(location, place)

    def is_nearest(point):
        location = photon.geocode("San Giovanni", location_bias=point)
        place = best("San Giovanni", lat=point[0], lon=point[1])["properties"]
        return is_near(location, place)

    check(client, "names, as /v1/places has them", NAMES, finds)
    check(client, "several of a name", ["San Giovanni", "Paris", "Salerno"],
          lambda text: len(photon.geocode(text, exactly_one=False, limit=5)) == len(get("/v1/places", q=text, limit=5)["features"]))
    check(client, "points, as the command line has them", TOLD, tells)
    check(client, "points at sea: None", SEA, lambda point: photon.reverse(point) is None)
    check(client, "location_bias, as /v1/places has it", POINTS[:8], is_nearest)
    check(client, "bbox", [[(30, -100), (40, -80)]],
          lambda box: photon.geocode("Paris", bbox=box).raw["properties"]["countrycode"] == "US")
    check(client, "osm_tag", ["place:city", ["!place:county", "place"]],
          lambda tag: photon.geocode("Salerno", osm_tag=tag).raw["properties"]["osm_value"] == "city")
    check(client, "nothing found: None", ["qxqxqxqx"], lambda text: photon.geocode(text) is None)
    check(client, "a bad query: GeocoderQueryError", [""], lambda text: is_refused(photon, text))


def check_geocoder():
    client = "geocoder osm"
    url = f"{ADDRESS}/nominatim"

    def finds(text):
        place = best(text)["properties"]
        found = geocoder.osm(text, url=f"{url}/search", headers={"Accept-Language": "en"})
        return found.ok and abs(found.lat - place["lat"]) < 1e-6 and found.country == place["country"] and len(found.bbox) == 2

    check(client, "names, as /v1/places has them", NAMES, finds)


TOLD = list(zip(POINTS, at(POINTS)))
check_nominatim()
check_photon()
check_geocoder()

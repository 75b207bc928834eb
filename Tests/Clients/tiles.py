"""Compares our tiles, decoded by PyPI's mapbox-vector-tile, with /v1.

Usage: tiles.py ADDRESS
"""

import gzip
import json
import sys
import urllib.error
import urllib.request
from math import asinh, pi, radians, tan

import mapbox_vector_tile

LON, LAT = 14.7912, 40.7708


def main(base):
    token = request(base + "/v1/guests", data=b"")[2]["token"]
    posted = {}
    for status, species, name in (("lost", "dog", "Argo"), ("found", "cat", None), ("sighted", "dog", "Übü")):
        listing = {"status": status, "species": species, "name": name, "lon": LON, "lat": LAT, "location_precision": "exact"}
        body = json.dumps(listing).encode()
        answer = request(base + "/v1/listings", data=body, token=token)[2]
        posted[answer["id"]] = listing

    for layer in ("listings", "pois"):
        described = request(f"{base}/tiles/{layer}.json")[2]
        assert described["tilejson"] == "3.0.0" and described["vector_layers"][0]["id"] == layer
        assert described["tiles"][0].endswith(f"/tiles/{layer}/{{z}}/{{x}}/{{y}}.pbf")

    tell("TileJSON", "ok, 2 layers")
    on_board = request(base + "/v1/listings/count")[2]["count"]
    for zoom in range(0, 6):
        total = sum(count_in(base, zoom, x, y) for x in range(2**zoom) for y in range(2**zoom))
        assert total == on_board, f"zoom {zoom}: {total} of {on_board}"
    tell("every listing once, zooms 0 to 5", f"ok, {on_board} each")
    check_single(base, posted)
    tell("single listings at their place", f"ok, {len(posted)}")
    check_errors(base)
    tell("errors, 304", "ok")


def tell(check, result):
    print("mapbox-vector-tile", check, result, sep="\t")


def count_in(base, zoom, x, y):
    """The number of listings inside the bounds of a tile."""
    return sum(
        feature["properties"].get("point_count", 1)
        for feature in features(f"{base}/tiles/listings/{zoom}/{x}/{y}.pbf")
        if all(0 <= units < 4096 for units in feature["geometry"]["coordinates"])
    )


def check_single(base, posted):
    zoom = 20
    down = (1 - asinh(tan(radians(LAT))) / pi) / 2
    right = (LON + 180) / 360
    x, y = int(right * 2**zoom), int(down * 2**zoom)
    found = {}
    for feature in features(f"{base}/tiles/listings/{zoom}/{x}/{y}.pbf"):
        found[feature["properties"].get("id")] = feature
    for id, listing in posted.items():
        feature = found[id]
        properties = feature["properties"]
        assert feature["geometry"]["type"] == "Point"
        units = feature["geometry"]["coordinates"]
        assert abs(units[0] - (right * 2**zoom - x) * 4096) <= 1, units
        assert abs(units[1] - (down * 2**zoom - y) * 4096) <= 1, units
        assert 0 < feature["id"] < 2**53 and feature["id"] == int(id.replace("-", "")[:12], 16)
        assert all(properties.get(name) == listing[name] for name in ("status", "species", "name")), properties
        assert properties["approximate"] is False and properties["last_seen_at"]
    lost = {f["properties"]["id"] for f in features(f"{base}/tiles/listings/{zoom}/{x}/{y}.pbf?status=lost")}
    wanted = {id for id, listing in posted.items() if listing["status"] == "lost"}
    assert wanted <= lost and not lost & (posted.keys() - wanted)


def check_errors(base):
    for path, status in (("listings/0/0/1.pbf", 400), ("cats/0/0/0.pbf", 404), ("pois/0/0/0.pbf?q=x", 400)):
        found, headers, _ = request(f"{base}/tiles/{path}")
        assert found == status and headers["Content-Type"] == "application/problem+json", path
    path = f"{base}/tiles/listings/0/0/0.pbf"
    tag = request(path)[1]["ETag"]
    assert request(path, headers={"If-None-Match": tag})[0] == 304


def features(address):
    status, headers, body = request(address)
    if status == 204:
        return []
    assert status == 200 and headers["Content-Type"] == "application/vnd.mapbox-vector-tile", status
    layers = mapbox_vector_tile.decode(body, default_options={"y_coord_down": True})
    (name, layer), = layers.items()
    assert name in address and layer["version"] == 2 and layer["extent"] == 4096
    return layer["features"]


def request(address, data=None, token=None, headers=None):
    """The status, the headers and the body: parsed if it is JSON, otherwise bytes."""
    headers = {"Accept-Encoding": "gzip", "Content-Type": "application/json", **(headers or {})}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    try:
        answer = urllib.request.urlopen(urllib.request.Request(address, data, headers))
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        body = answer.read()
        if answer.headers["Content-Encoding"] == "gzip":
            body = gzip.decompress(body)
        is_json = "json" in (answer.headers["Content-Type"] or "")
        return answer.status, answer.headers, json.loads(body) if is_json else body


main(sys.argv[1].rstrip("/"))

"""Reads our feature collections with PyPI's OWSLib.

Usage: owslib_features.py ADDRESS PROGRAM DATA
"""

import sys
from urllib.parse import parse_qs, urlsplit

import owslib
from boards.large import SIZE, boxed, keys, seed, tell
from owslib.ogcapi.features import Features

ADDRESS, PROGRAM, DATA = sys.argv[1:4]
NAME = f"OWSLib {owslib.__version__}"


def main():
    seed(PROGRAM, DATA)
    service = Features(ADDRESS)
    tell(NAME, "collections", set(service.feature_collections()), {"listings", "pois"})
    assert any(one.endswith("ogcapi-features-1/1.0/conf/core") for one in service.conformance()["conformsTo"])
    assert service.api()["openapi"].startswith("3.0")
    described = service.collection("listings")
    assert described["itemType"] == "feature" and described["extent"]["spatial"]["bbox"], described
    assert {"status", "geometry"} <= set(service.collection_queryables("listings")["properties"])
    tell(NAME, "everything, pages of 10,000", pages(service, limit=10_000), keys(DATA))
    box = [12, 41, 14.5, 43.25]
    tell(NAME, "a box", pages(service, bbox=box), keys(DATA, boxed(*box)))
    tell(
        NAME, "an interval",
        pages(service, limit=1_000, datetime_="2026-08-01T00:00:00Z/.."),
        keys(DATA, "listing.last_seen_at >= '2026-08-01T00:00:00.000Z'"),
    )
    tell(
        NAME, "CQL2 text",
        pages(service, limit=1_000, filter="status = 'lost' AND CASEI(name) = CASEI('LUNA')"),
        keys(DATA, "listing.status = 'lost' AND lower(name) = 'luna'"),
    )
    tell(NAME, "a property", pages(service, limit=5_000, status="found"), keys(DATA, "listing.status = 'found'"))
    one = next(iter(keys(DATA)))
    assert service.collection_item("listings", one)["id"] == one
    tell(NAME, "one feature", {one}, {one})


def pages(service, limit=100, **options):
    """Reads all pages by the cursors of `next` links, because OWSLib reads only one page."""
    found, cursor = [], {}
    while True:
        page = service.collection_items("listings", limit=limit, **options, **cursor)
        found += [feature["id"] for feature in page["features"]]
        assert page["numberReturned"] == len(page["features"])
        assert page.get("numberMatched", len(found)) >= len(found)
        following = [link["href"] for link in page["links"] if link["rel"] == "next"]
        if not following:
            break
        cursor = {"cursor": parse_qs(urlsplit(following[0]).query)["cursor"][0]}
    assert len(found) == len(set(found)), "a listing twice"
    return set(found)


main()

"""Compares our feeds, read by PyPI's feedparser, and our exports, read by Python's csv and json, with /v1.

Usage: feeds.py ADDRESS
"""

import csv
import io
import json
import sys
import urllib.request

import feedparser

base = sys.argv[1].rstrip("/")
HOSTILE = "Argo ]]></title><b>&\"'"


def get(path):
    with urllib.request.urlopen(base + path) as answer:
        return answer.read().decode("utf-8")


def here(address):
    """Moves the address of a feed to the host under test, because the service may use another host name in links."""
    return base + address[address.index("/feeds/"):]


def post_listings():
    """Posts enough listings for several pages, as a guest."""
    def send(path, fields, token=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + token} if token else {})
        request = urllib.request.Request(base + path, json.dumps(fields).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    token = send("/v1/guests", {})["token"]
    for number in range(12):
        status = ["lost", "found", "sighted"][number % 3]
        send("/v1/listings", {"status": status, "name": HOSTILE, "lon": 14.7 + number / 100, "lat": 40.77}, token)


def check_feed(kind, version):
    feed = feedparser.parse(f"{base}/feeds/listings.{kind}?lang=en&limit=10")
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.version == version, feed.version
    assert feed.feed.title and feed.feed.updated_parsed
    assert feed.entries, "expected listings"
    newest = json.loads(get("/v1/listings?sort=-created_at&limit=10"))["features"]
    assert [entry.id for entry in feed.entries] == ["urn:uuid:" + listing["id"] for listing in newest]
    for entry, listing in zip(feed.entries, newest):
        assert entry.title and entry.summary and entry.published_parsed
        assert entry.link.endswith("/listings/" + listing["id"])
        assert entry.where["type"] == "Point"
        lon, lat = listing["geometry"]["coordinates"]
        assert [float(part) for part in entry.where["coordinates"]] == [lon, lat], entry.where
        photos = listing["properties"]["photos"]
        assert [enclosure.type for enclosure in entry.enclosures] == ["image/jpeg"] * min(len(photos), 1)
    again = feedparser.parse(f"{base}/feeds/listings.{kind}?lang=en&limit=10", etag=feed.etag, modified=feed.modified)
    assert again.status == 304 and not again.entries


def check_pages():
    address, seen = f"{base}/feeds/listings.atom?limit=3", []
    for _ in range(3):
        feed = feedparser.parse(address)
        seen += [entry.id for entry in feed.entries]
        following = [link.href for link in feed.feed.links if link.rel == "next"]
        if not following:
            break
        address = here(following[0])
    assert len(seen) == len(set(seen)) and len(seen) > 3 or not following, seen


def check_discovery():
    page = get("/board?lang=en&status=lost")
    start = page.index("href=\"", page.index("application/atom+xml")) + 6
    address = page[start:page.index("\"", start)].replace("&amp;", "&")
    feed = feedparser.parse(here(address))
    assert not feed.bozo and all(entry.title.startswith("Lost: ") for entry in feed.entries)


def check_exports():
    rows = list(csv.DictReader(io.StringIO(get("/v1/listings.csv"), newline="")))
    features = json.loads(get("/v1/listings.geojson"))["features"]
    assert [row["id"] for row in rows] == [feature["id"] for feature in features]
    for row, feature in zip(rows, features):
        told = feature["properties"]
        assert row["status"] == told["status"] and row["created_at"] == told["created_at"]
        assert "microchip" not in row and "microchip" not in told
    return len(rows)


def report(client, title, check):
    """Prints a line of the table, with the result of the check after "ok"."""
    try:
        result = "ok"
        found = check()
        if found is not None:
            result += f", {found} listings"
    except Exception as error:
        result = f"{type(error).__name__}: {error}".replace("\t", " ").replace("\n", " ")
    print(client, title, result, sep="\t")


post_listings()
reader = f"feedparser {feedparser.__version__}"
report(reader, "Atom: entries, points, dates, 304", lambda: check_feed("atom", "atom10"))
report(reader, "RSS: entries, points, dates, 304", lambda: check_feed("rss", "rss20"))
report(reader, "pages by rel=next", check_pages)
report(reader, "the feed that the board's page names", check_discovery)
report("csv, json", "exports agree", check_exports)

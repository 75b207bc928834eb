"""Compares the rows that CQL2 filters match in our service with those of PyPI's cql2 (cql2-rs), in both encodings.

Usage: cql2_rows.py ADDRESS PROGRAM DATA
"""

import json
import pathlib
import sys
import urllib.parse
import urllib.request

import cql2
from boards.large import seed

base = sys.argv[1].rstrip("/")
ITEMS = base + "/collections/listings/items"
FILTERS = pathlib.Path(__file__).with_name("filters.txt")


def filters():
    lines = FILTERS.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def features(**query):
    """Reads all pages of a collection."""
    address = f"{ITEMS}?{urllib.parse.urlencode(query | {'limit': 10_000})}"
    found = []
    while address:
        with urllib.request.urlopen(address) as answer:
            page = json.load(answer)
        found += page["features"]
        address = next((link["href"] for link in page.get("links", []) if link["rel"] == "next"), None)
    return found


def matches(expression, feature):
    try:
        return expression.matches(feature)
    except Exception as error:
        # cql2-rs reports a NULL result with this error.
        if "Could not reduce expression to boolean" in str(error):
            return False
        raise


def check(text, everything):
    theirs = cql2.Expr(text)
    expected = sorted(feature["id"] for feature in everything if matches(theirs, feature))
    as_json = json.dumps(theirs.to_json())
    for language, written in [("cql2-text", text), ("cql2-json", as_json)]:
        ours = sorted(feature["id"] for feature in features(**{"filter": written, "filter-lang": language}))
        assert ours == expected, f"{language} {written}: {len(ours)} rows, cql2-rs {len(expected)}"


seed(*sys.argv[2:4])
everything = features()
assert everything
checked, failed = 0, []
for text in filters():
    try:
        check(text, everything)
        checked += 1
    except Exception as error:
        failed.append(f"{text}: {error}")
result = f"ok, {checked} filters on {len(everything)} listings" if not failed else "; ".join(failed[:3])
print("cql2-rs", "filters let the same rows through", result, sep="\t")
sys.exit(bool(failed))

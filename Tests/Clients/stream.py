"""Compares the event stream, read by PyPI's httpx-sse, with the results of a search.

Usage: stream.py ADDRESS PROGRAM DATA
"""

import json
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

import httpx
from httpx_sse import connect_sse

BASE, PROGRAM, DATA = sys.argv[1].rstrip("/"), sys.argv[2], sys.argv[3]
STREAM = BASE + "/v1/listings/stream"
NEAR = {"lon": 11.25, "lat": 43.77}
FAR = {"lon": 9.19, "lat": 45.46}
BOX = {"bbox": "11,43.5,11.5,44", "species": "dog"}
client = httpx.Client(timeout=30)


class Stream:
    """A connection to the event stream that returns events with data."""

    def __init__(self, parameters=None, last=None):
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        self.context = connect_sse(client, "GET", STREAM, params=parameters, headers=headers)
        self.source = self.context.__enter__()
        self.all = self.source.iter_sse()
        self.last, self.retry = None, None

    def next(self):
        """The next block, with or without data; the first one contains the id at which the stream begins."""
        block = next(self.all)
        if block.id:
            assert self.last is None or int(block.id) >= self.last, (block.id, self.last)
            self.last = int(block.id)
        self.retry = block.retry or self.retry
        return block

    def event(self):
        while not (block := self.next()).data:
            pass
        return block.event, block.json()

    def __enter__(self):
        self.next()
        return self

    def __exit__(self, *_):
        self.context.__exit__(None, None, None)


def send(method, path, fields=None):
    answer = client.request(method, BASE + path, json=fields or {}, headers={"Authorization": "Bearer " + token})
    answer.raise_for_status()
    return answer.json() if answer.content else None


def run(*words):
    subprocess.run([PROGRAM, *words, "--data", DATA], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def post(**fields):
    return send("POST", "/v1/listings", {"status": "lost", **NEAR, **fields})["id"]


def edit(id, **fields):
    send("PATCH", f"/v1/listings/{id}", fields)


def check_begin():
    with Stream() as stream:
        kind = stream.source.response.headers["Content-Type"]
        assert kind == "text/event-stream", kind
        assert stream.last is not None and stream.retry == 3000, (stream.last, stream.retry)
        begin = stream.last
        id = post(name="Argo")
        event, data = stream.event()
        assert event == "listing.created" and data["id"] == id and stream.last > begin, (event, data)
        assert data["feature"]["properties"]["name"] == "Argo"


def check_heartbeat():
    with Stream({"bbox": "0,-89,1,-88"}) as stream:
        # This event does not match the subscriber's filter. The next heartbeat must have its id all the same.
        post()
        begin, first = time.monotonic(), stream.last
        block = stream.next()
        waited = time.monotonic() - begin
        assert waited <= 15 and not block.data and stream.last > first, (waited, block)
    return f"{waited:.0f} s"


def check_filters():
    with Stream(BOX) as stream:
        # This listing does not match the filter of the stream.
        post(**FAR)
        id = post()
        event, data = stream.event()
        assert (event, data["id"]) == ("listing.created", id), (event, data)
        for fields, wanted in (
            ({"name": "Bobi"}, "updated"), ({"species": "cat"}, "removed"),
            ({"species": "dog"}, "updated"), ({"status": "reunited"}, "removed"), ({"status": "lost"}, "updated"),
            (FAR, "removed"), (NEAR, "updated"),
        ):
            edit(id, **fields)
            event, data = stream.event()
            assert (event, data["id"]) == ("listing." + wanted, id), (fields, event, data)
            assert ("feature" in data) == (wanted == "updated")
        run("moderation", "hide", id)
        assert stream.event() == ("listing.removed", {"id": id})


def check_refusals():
    for parameters, field in (({"bbox": "1"}, "bbox"), ({"sort": "distance"}, "sort"), ({"last_event_id": "x"}, "last_event_id")):
        answer = client.get(STREAM, params=parameters)
        assert answer.status_code == 400 and answer.json()["field"] == field, answer.text


def check_resume():
    """Reconnects at random points of the stream and compares the collected events with a search."""
    with Stream(BOX) as stream:
        last = stream.last
    picture = {feature["id"]: feature for feature in client.get(BASE + "/v1/listings", params=BOX | {"limit": 200}).json()["features"]}
    ids, seen = [], set()
    for round in range(12):
        for number in range(8):
            if number % 2 == 0 or not ids:
                ids.append(post(name=f"{round} {number}", **(NEAR if number % 4 else FAR)))
            elif number == 7:
                send("DELETE", f"/v1/listings/{ids.pop(round % len(ids))}")
            else:
                edit(ids[round % len(ids)], **(FAR if round % 2 else NEAR))
        end = latest()
        wanted = end if round == 11 else last + (end - last) // 2
        with Stream(BOX, last) as stream:
            while stream.last < wanted:
                block = stream.next()
                if block.data:
                    assert block.id not in seen, block.id
                    seen.add(block.id)
                    data = block.json()
                    assert block.event != "reset"
                    picture[data["id"]] = data.get("feature")
            last = stream.last
    found = client.get(BASE + "/v1/listings", params=BOX | {"limit": 200}).json()["features"]
    picture = {id: feature for id, feature in picture.items() if feature}
    assert picture == {feature["id"]: feature for feature in found}, (len(picture), len(found))
    return f"{len(seen)} events"


def latest():
    with Stream() as stream:
        return stream.last


def check_reset():
    end = latest()
    with Stream(last=end + 1_000_000) as stream:
        assert stream.event() == ("reset", {}) and stream.last == end, stream.last
    lines = "".join(f"lost,{number},11.2,43.7\n" for number in range(1_100))
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("password", "correct horse battery"), ("listings.csv", "status,id,lon,lat\n" + lines)):
            with open(f"{folder}/{name}", "w") as file:
                file.write(text)
        run("accounts", "add", "stream@example.org", "--password-file", folder + "/password")
        run("listings", "import", folder + "/listings.csv", "--owner", "stream@example.org")
    now = latest()
    assert now >= end + 1_100, (now, end)
    with Stream(last=end) as stream:
        assert stream.event() == ("reset", {}) and stream.last == now
        id = post(name="Afterwards")
        event, data = stream.event()
        assert (event, data["id"]) == ("listing.created", id)


def report(title, check):
    """Prints a line of the table, with the result of the check after "ok"."""
    try:
        found = check()
        result = "ok" if found is None else f"ok, {found}"
    except Exception as error:
        result = f"{type(error).__name__}: {error}".replace("\t", " ").replace("\n", " ")
    print(f"httpx-sse {version('httpx-sse')}", title, result, sep="\t", flush=True)


token = client.post(BASE + "/v1/guests").json()["token"]
report("ids, retry, an event", check_begin)
report("a sign of life within 15 s", check_heartbeat)
report("what enters a filter, changes within, leaves", check_filters)
report("refusals", check_refusals)
report("resuming, beside a search", check_resume)
report("reset: numbers of the future, and too old ones", check_reset)

"""A server on a temporary folder, clients that write to it and remember the answers, and checks of the data
afterwards.
"""
import contextlib
import copy
import glob
import http.client
import json
import os
import random
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import uuid
import zlib

REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.append(os.path.join(REPOSITORY, "Tests/Postgis"))
import program  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("PROGRAM", ".build/release/doggofinder"))
SIDES = (1600, 800, 480, 320)


def png(red, green, blue, side=24):
    """A PNG file of one colour."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes((red, green, blue)) * side) * side
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def run(*arguments, data, timeout=120, **options):
    """Runs a command of the program and returns its status and output."""
    done = subprocess.run([PROGRAM, *arguments, "--data", data], capture_output=True, text=True, timeout=timeout, **options)
    return done.returncode, done.stdout + done.stderr


class Server:
    """A `doggofinder serve` process that tests can kill."""

    def __init__(self, data, environment=None, **options):
        self.data = data
        self.log = open(data.rstrip("/") + ".log", "a+")
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "--data", data, "--rate-limit", "off", "--quota", "off", "--log-level", "error"],
            stdout=subprocess.PIPE, stderr=self.log, text=True, env={**os.environ, **(environment or {})}, **options)
        self.port = None

    def wait(self):
        """Waits until the server answers; returns False if the process ended first."""
        line = self.process.stdout.readline()
        if "answers at" not in line:
            self.process.wait()
            return False
        self.port = int(line.rsplit(":", 1)[1])
        return True

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def stop(self):
        self.process.terminate()
        status = self.process.wait(30)
        self.process.stdout.close()
        self.log.close()
        return status

    def said(self):
        with open(self.log.name) as log:
            return log.read()

    def ask(self, method, path, body=None, token=None, headers=None, timeout=30):
        """The status, the headers and the body. Raises OSError or HTTPException if the answer is incomplete."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            fields = dict(headers or {})
            if token:
                fields["Authorization"] = "Bearer " + token
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
                fields.setdefault("Content-Type", "application/json")
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


LOST = (OSError, http.client.HTTPException, ValueError)


class Writer(threading.Thread):
    """A guest who posts, edits and removes listings and photos one after the other, and remembers the acknowledged
    writes.

    `listings` is the expected state: for each id, the word in its fields and its photos by number. `pending` is the
    request without an answer, which may or may not have taken effect. `posted` is the last acknowledged post and the id
    of its listing. `history` contains all requests, with their times.
    """

    def __init__(self, number, seed, most=12):
        super().__init__(daemon=True)
        self.number, self.random, self.most = number, random.Random(seed), most
        self.token, self.listings, self.gone, self.pending, self.posted = None, {}, [], None, None
        self.server, self.stopping = None, False
        self.acknowledged, self.refused, self.statuses = 0, 0, {}
        self.history = []

    def again(self, server):
        """The same guest on a restarted server."""
        other = type(self)(self.number, self.random.random(), self.most)
        for name in ("token", "listings", "gone", "pending", "posted", "acknowledged", "refused", "statuses", "history"):
            setattr(other, name, getattr(self, name))
        other.server = server
        return other

    def run(self):
        with contextlib.suppress(*LOST):
            while not self.stopping:
                self.step()

    def step(self):
        if not self.token:
            status, _, body = self.server.ask("POST", "/v1/guests")
            if status == 201:
                self.token = json.loads(body)["token"]
            self.count(status)
            return
        choice = self.random.random()
        ids = list(self.listings)
        if not ids or choice < 0.35 and len(ids) < self.most:
            self.do(("post", str(uuid.uuid4()), self.word()))
        elif choice < 0.6:
            self.do(("edit", self.random.choice(ids), self.word()))
        elif choice < 0.85:
            colour = tuple(self.random.randrange(256) for _ in range(3))
            self.do(("photo", self.random.choice(ids), self.random.randint(1, 2), colour))
        elif choice < 0.92:
            listing = self.random.choice(ids)
            numbers = list(self.listings[listing]["photos"])
            if numbers:
                self.do(("unphoto", listing, self.random.choice(numbers)))
        else:
            self.do(("remove", self.random.choice(ids)))

    def word(self):
        return f"w{self.number}x{self.random.getrandbits(48):x}"

    def do(self, action):
        """Sends a request and records the answer."""
        self.pending = action
        sent = time.monotonic_ns()
        self.history.append([sent, None, action, None])
        status, answer = self.ask(action)
        self.count(status)
        if status < 400:
            self.settle(action, answer)
            self.history[-1][1] = time.monotonic_ns()
            self.history[-1][3] = answer
            self.acknowledged += 1
        else:
            self.refused += 1
            # A 5xx answer means that nothing was saved. A commit that could not be confirmed may still be visible after
            # a crash.
            self.history[-1][1] = "refused"
        self.pending = None

    def count(self, status):
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def ask(self, action):
        kind, listing = action[:2]
        if kind == "post":
            body = fields(action[2], listing)
            key = {"Idempotency-Key": f'"{listing}"'}
            status, body = self.send("POST", "/v1/listings", body, key)
            return status, json.loads(body)["id"] if status == 201 else None
        if kind == "edit":
            return self.send("PATCH", f"/v1/listings/{listing}", fields(action[2]))[0], None
        if kind == "remove":
            return self.send("DELETE", f"/v1/listings/{listing}")[0], None
        path = f"/v1/listings/{listing}/photos/{action[2]}"
        if kind == "unphoto":
            return self.send("DELETE", path)[0], None
        status, body = self.send("PUT", path, png(*action[3]), {"Content-Type": "image/png"})
        return status, name(json.loads(body)["url"]) if status < 300 else None

    def send(self, method, path, body=None, headers=None):
        """Returns the status and the body. Raises an error, as if there were no answer, if the server lost its database
        during the commit and says so.
        """
        status, _, answer = self.server.ask(method, path, body, self.token, headers)
        if status == 503 and b"look whether it is saved" in answer:
            raise ConnectionError("nobody knows whether this took place")
        return status, answer

    def settle(self, action, answer):
        apply(self.listings, self.gone, action, answer)
        if action[0] == "post":
            self.posted = action, answer

    # Checks after a restart.

    def verify(self):
        """Returns the problems, and whether the pending request took effect."""
        problems, happened = [], None
        if not self.token:
            return problems, happened
        found = self.mine()
        action, self.pending = self.pending, None
        if action:
            problem, happened = self.resolve(action, found)
            problems += problem
        if self.posted and self.posted[1] in self.listings:
            # An app that has lost the answer repeats the request.
            status, told = self.ask(self.posted[0])
            if (status, told) != (201, self.posted[1]):
                problems.append(f"the post of {self.posted[1]} again: {status} {told}")
            found = self.mine()
        for listing, wanted in self.listings.items():
            problems += compare(listing, wanted, found.pop(listing, None))
        problems += [f"{listing} is there and should not" for listing in found]
        return problems, happened

    def mine(self):
        found, path = {}, "/v1/me/listings?limit=100"
        while path:
            status, _, body = self.server.ask("GET", path, None, self.token)
            if status != 200:
                raise AssertionError(f"own listings: {status}")
            answer = json.loads(body)
            for feature in answer["features"]:
                found[feature["id"]] = feature["properties"]
            path = next((link["href"] for link in answer["links"] if link["rel"] == "next"), None)
            path = path and path[path.index("/v1"):]
        return found

    def resolve(self, action, found):
        kind, listing = action[:2]
        if kind == "post":
            # Repeats the request with the same key, as apps do. There must be only one listing.
            before = [key for key, properties in found.items() if properties["reference"] == listing]
            status, told = self.ask(action)
            if status != 201 or len(before) > 1 or before and before[0] != told:
                return [f"the post {listing} again: {status} {told}, before {before}"], None
            found.update({key: value for key, value in self.mine().items() if key == told})
            self.settle(action, told)
            return [], bool(before)
        properties = found.get(listing)
        if kind == "remove":
            if properties is None:
                self.settle(action, None)
            return [], properties is None
        if properties is None:
            return [f"{listing} is not there after {kind}"], None
        photos = {photo["number"]: name(photo["url"]) for photo in properties["photos"]}
        if kind == "edit":
            happened = properties["description"] == action[2]
        elif kind == "unphoto":
            happened = action[2] not in photos
        else:
            happened = photos.get(action[2]) != self.listings[listing]["photos"].get(action[2])
        if happened:
            self.settle(action, photos.get(action[2]) if kind == "photo" else None)
        return [], happened


def fields(word, reference=None):
    """Three fields with the same value, so that a partial update is detected."""
    body = {"name": word, "description": word, "marks": word}
    if reference:
        body |= {"status": "lost", "lon": 14.7, "lat": 40.7, "reference": reference}
    return body


def name(url):
    """The id of a photo, from its address."""
    return url.rsplit("/", 1)[1][:36]


def apply(listings, gone, action, answer):
    kind, listing = action[:2]
    if kind == "post":
        listings[answer] = {"word": action[2], "reference": listing, "photos": {}}
    elif kind == "edit":
        listings[listing]["word"] = action[2]
    elif kind == "remove":
        listings.pop(listing, None)
        gone.append(listing)
    elif kind == "photo":
        listings[listing]["photos"][action[2]] = answer
    else:
        listings[listing]["photos"].pop(action[2], None)


def compare(listing, wanted, properties):
    if properties is None:
        return [f"{listing} was acknowledged and is not there"]
    problems = [f"{listing}: {field} is {properties[field]}, not {wanted['word']}"
                for field in ("name", "description", "marks") if properties[field] != wanted["word"]]
    photos = {photo["number"]: name(photo["url"]) for photo in properties["photos"]}
    if photos != wanted["photos"]:
        problems.append(f"{listing}: photos are {photos}, not {wanted['photos']}")
    return problems


def is_whole(jpeg):
    return jpeg[:2] == b"\xff\xd8" and jpeg[-2:] == b"\xff\xd9" and len(jpeg) > 100


def files_of(data):
    return {os.path.basename(path): path for path in glob.glob(os.path.join(data, "photos", "??", "*"))}


def is_file(data):
    """Whether the data folder contains the database; it is on a PostgreSQL server otherwise."""
    return not os.path.exists(os.path.join(data, program.NAME))


def query(data, sql):
    """Returns the rows of the database of a data folder."""
    if not is_file(data):
        return program.psql(program.database(data), sql)
    path = os.path.join(data, "doggofinder.sqlite")
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as db:
        return db.execute(sql).fetchall()


def verify_files(data, server=None):
    """Checks that each photo has complete files and is served, that no unknown file exists, and that no event is
    missing.
    """
    problems = []
    photos = {row[0] for row in query(data, "SELECT uuid FROM photo")}
    leftovers = {row[0] for row in query(data, "SELECT uuid FROM photo_leftover")}
    count, first, last = query(data, "SELECT count(*), coalesce(min(id), 1), coalesce(max(id), 0) FROM event")[0]
    # On PostgreSQL, a write that is taken back leaves a gap.
    if is_file(data) and count != last - first + 1:
        problems.append(f"the events have a gap: {count} from {first} to {last}")
    unborn = query(data, """
        SELECT listing.uuid FROM listing LEFT JOIN (
            SELECT subject, count(*) AS times FROM event WHERE type = 'listing.created' GROUP BY subject
        ) AS creation ON subject = uuid WHERE coalesce(times, 0) <> 1""")
    if unborn:
        problems.append(f"{len(unborn)} listings have no event of their posting")
    files = files_of(data)
    for photo in photos:
        for side in SIDES:
            file = files.get(f"{photo}-{side}.jpg")
            if not file:
                problems.append(f"{photo}-{side}.jpg is missing")
                continue
            with open(file, "rb") as stream:
                kept = stream.read()
            if not is_whole(kept):
                problems.append(f"{photo}-{side}.jpg is not whole")
            if server and side == SIDES[0]:
                status, _, served = server.ask("GET", f"/photos/{photo}-{side}.jpg")
                if status != 200 or served != kept:
                    problems.append(f"{photo}-{side}.jpg is not served: {status}")
    known = photos | leftovers
    problems += [f"{file} is nobody's" for file in files if file[:36] not in known]
    return problems


def check(data):
    status, said = run("check", data=data)
    return [] if status == 0 else [f"check: {status} {said.strip()[-400:]}"]


def report(rows, problems, work):
    """Prints the figures and the problems of a run, and keeps its folder if there are problems. Returns the exit status."""
    table(rows + [["problems", len(problems)]], ["what", "how many"])
    for problem in problems[:40]:
        print("PROBLEM", problem)
    shutil.rmtree(work) if not problems else print("kept:", work)
    return 1 if problems else 0


def table(rows, head):
    rows = [head] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())

"""Measures many concurrent subscribers of the event stream.

Usage: watchers.py [PROGRAM [WATCHERS [POSTS]]]

Every second subscriber has a bounding box of one degree. Clients run in separate processes, whose CPU time is part
of all results. Prints a table; fails if an event was lost or delivered twice.
"""

import asyncio
import http.client
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing import Pipe, Process
from urllib.parse import urlsplit

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ".build/release/doggofinder"
WATCHERS = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000
POSTS = int(sys.argv[3]) if len(sys.argv) > 3 else 60
WORKERS = 2
# No part of it is sea.
WEST, SOUTH, DEGREES = 20, 45, 7
TOLD = re.compile(rb'event: listing\.(\w+)\ndata: {"id":"([0-9a-f-]+)"')


class Watching(asyncio.Protocol):
    """One stream: its events and their times."""

    def __init__(self, request):
        self.request = request
        self.pieces = []

    def connection_made(self, transport):
        self.begin = asyncio.get_running_loop().create_future()
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data):
        self.pieces.append((time.monotonic(), data))
        if not self.begin.done() and b"retry" in data:
            self.begin.set_result(None)

    def connection_lost(self, error):
        self.pieces.append((time.monotonic(), b"LOST"))

    def events(self):
        """The received events as tuples (time, type, listing)."""
        text, times = bytearray(), []
        for moment, data in self.pieces:
            text += data
            times.append((len(text), moment))
        place = 0
        for found in TOLD.finditer(text):
            while times[place][0] < found.end():
                place += 1
            yield times[place][1], found[1].decode(), found[2].decode()


def box(number):
    """The corner of a subscriber's bounding box; None for everything."""
    if number % 2 == 0:
        return None
    cell = number // 2 % (DEGREES * DEGREES)
    return WEST + cell % DEGREES, SOUTH + cell // DEGREES


def work(host, port, numbers, pipe):
    async def run():
        loop = asyncio.get_running_loop()
        watching = {}

        async def connect(number):
            corner = box(number)
            query = f"?bbox={corner[0]},{corner[1]},{corner[0] + 1},{corner[1] + 1}" if corner else ""
            request = f"GET /v1/listings/stream{query} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
            _, protocol = await loop.create_connection(lambda: Watching(request), host, port)
            await protocol.begin
            watching[number] = protocol

        waiting = list(numbers)
        while waiting:
            await asyncio.gather(*(connect(number) for number in waiting[:100]))
            waiting = waiting[100:]
        pipe.send("connected")
        stop = loop.create_future()
        loop.add_reader(pipe.fileno(), stop.set_result, None)
        await stop
        loop.remove_reader(pipe.fileno())
        pipe.send({number: list(protocol.events()) for number, protocol in watching.items()})
        pipe.send(sum(data == b"LOST" for one in watching.values() for _, data in one.pieces))

    asyncio.run(run())


class Asking:
    """Measures searches that a thread makes one after the other."""

    def __init__(self, address):
        self.address, self.times, self.goes_on = address, [], True
        self.thread = threading.Thread(target=self.run)

    def run(self):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port)
        while self.goes_on:
            lon, lat = WEST + random.random() * DEGREES, SOUTH + random.random() * DEGREES
            begin = time.monotonic()
            connection.request("GET", f"/v1/listings?lon={lon}&lat={lat}&status=lost")
            connection.getresponse().read()
            self.times.append(time.monotonic() - begin)
            time.sleep(0.005)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.goes_on = False
        self.thread.join()


def send(address, method, path, fields=None, token=None):
    connection = http.client.HTTPConnection(address.hostname, address.port)
    headers = {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + token} if token else {})
    connection.request(method, path, json.dumps(fields or {}), headers)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status < 300, (answer.status, body)
    return json.loads(body) if body else None


def tell(what, *values):
    print(f"| {what:<58} | {' | '.join(f'{value:>9}' for value in values)} |", flush=True)


def ms(times):
    """The median, the 99th percentile and the maximum."""
    times = sorted(times)
    return [f"{times[int((len(times) - 1) * part)] * 1000:.1f}" for part in (0.5, 0.99, 1)]


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as data:
        subprocess.run([PROGRAM, "demo", "--count", "10000", "--seed", "1", "--data", data], check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            [PROGRAM, "serve", "--quota", "off", "--port", "0", "--data", data, "--log-level", "error", "--watchers", str(WATCHERS)],
            stdout=subprocess.PIPE, text=True)
        workers = []
        try:
            address = urlsplit(server.stdout.readline().split()[-1])
            measure(address, server.pid, workers)
        finally:
            for worker in workers:
                worker.kill()
            server.kill()
            server.wait()


def measure(address, pid, workers):
    ticks = os.sysconf("SC_CLK_TCK")

    def memory():
        status = open(f"/proc/{pid}/status").read()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def cpu():
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / ticks

    token = send(address, "POST", "/v1/guests")["token"]
    with Asking(address) as alone:
        time.sleep(5)
    before = memory()
    begin = time.monotonic()
    pipes = []
    for number in range(WORKERS):
        ours, theirs = Pipe()
        workers.append(Process(
            target=work, args=(address.hostname, address.port, range(number, WATCHERS, WORKERS), theirs)))
        workers[-1].start()
        pipes.append(ours)
    for pipe in pipes:
        assert pipe.recv() == "connected"
    tell(f"{WATCHERS} watchers", "", "", "")
    tell("connected after, s", f"{time.monotonic() - begin:.1f}", "", "")
    time.sleep(2)
    tell("memory of each, KiB", f"{(memory() - before) / WATCHERS:.1f}", "", "")
    spent = cpu()
    time.sleep(24)
    tell("processor while nothing happens, % of a core", f"{(cpu() - spent) / 24 * 100:.1f}", "", "")
    with Asking(address) as idle:
        time.sleep(5)

    posts = {}

    def write(kind, body):
        def some(numbers):
            for number in numbers:
                body(number)
                # The pause is random, so that it is not synchronised with the server's polling of its log.
                time.sleep(0.3 + random.random() * 0.25)
            time.sleep(1)

        spent = cpu()
        some(range(POSTS // 2))
        rate = (cpu() - spent) / (POSTS // 2) * 1000
        tell(f"processor for each {kind}, all told, ms", f"{rate:.1f}", "", "")
        with Asking(address) as busy:
            some(range(POSTS // 2, POSTS))
        return busy

    def post(number):
        lon, lat = WEST + random.random() * DEGREES, SOUTH + random.random() * DEGREES
        listing = {"status": "lost", "lon": lon, "lat": lat, "description": "Red collar, shy. " * 10}
        id = send(address, "POST", "/v1/listings", listing, token)["id"]
        posts[id] = time.monotonic(), lon, lat

    edits = {}

    def edit(number):
        id = list(posts)[number]
        send(address, "PATCH", f"/v1/listings/{id}", {"name": "Argo"}, token)
        edits[id] = time.monotonic()

    telling = write("post", post)
    editing = write("edit", edit)
    events, gone = {}, 0
    for pipe in pipes:
        pipe.send("stop")
        events |= pipe.recv()
        gone += pipe.recv()
    tell("", "median", "p99", "most")
    report(events, posts, edits, gone)
    for what, asked in (("nobody watches", alone), ("they watch", idle), ("posts are told", telling), ("edits are told", editing)):
        tell(f"GET /v1/listings while {what}, ms", *ms(asked.times))


def report(events, posts, edits, gone):
    delays, last, wrong = [], {}, gone
    for number, told in events.items():
        corner = box(number)
        wanted = {
            id for id, (_, lon, lat) in posts.items()
            if not corner or corner[0] <= lon <= corner[0] + 1 and corner[1] <= lat <= corner[1] + 1
        }
        created = [id for _, what, id in told if what == "created"]
        updated = [id for _, what, id in told if what == "updated"]
        removed = [id for _, what, id in told if what == "removed"]
        # Subscribers to other areas receive a removal when a listing is edited.
        for found, expected in ((created, wanted), (updated, wanted), (removed, posts.keys() - wanted)):
            wrong += len(found) - len(set(found)) + len(set(found) ^ expected)
        for moment, what, id in told:
            if what == "created":
                delays.append(moment - posts[id][0])
                last[id] = max(last.get(id, 0), delays[-1])
    tell("from a post's answer to each who is told, ms", *ms(delays))
    tell("from a post's answer to the last who is told, ms", *ms(last.values()))
    tell("events told", sum(map(len, events.values())), "", "")
    tell("events lost or told twice, streams that ended", wrong, "", "")
    if wrong:
        sys.exit(1)


main()

#!/usr/bin/env python3
"""Measures how long it takes until all readers around one listing are told: each by mail, a third in a browser, a tenth by a webhook.

    crowd.py DATA [PROGRAM] [--readers 20000] [--others 30] [--http-ms 80] [--smtp-ms 40]
        [options of serve, such as --mail-connections 20]

Meanwhile others post elsewhere, once in two seconds, each with one reader.

DATA is a data folder, such as `doggofinder demo --count 2000 --data DATA` makes. Readers and the post remain in it, so throw it away
afterwards. The browsers are at one push service. Prints the times, the server's processor time and memory, and the times of `/healthz`
and of the readers of the other posts. Fails if a message comes twice. It needs the Python of .build/clients, as readers.py does.
"""

import argparse
import http.client
import os
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from alerts import post  # noqa: E402
from delivery import processor_time  # noqa: E402
from imports import ask, percentile  # noqa: E402
from readers import KILOMETRE, Receivers, Server, add_readers, land, noon  # noqa: E402


def memory(process):
    """Returns the resident memory of a process in MiB."""
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


class Health(threading.Thread):
    """Asks for `/healthz` twenty times a second."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.durations, self.stops = port, [], threading.Event()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self.stops.wait(0.05):
            begin = time.perf_counter()
            connection.request("GET", "/healthz")
            connection.getresponse().read()
            self.durations.append(1000 * (time.perf_counter() - begin))


class Others(threading.Thread):
    """Posts at each of some places, once in two seconds."""

    def __init__(self, port, token, places):
        super().__init__(daemon=True)
        self.port, self.token, self.places, self.begins = port, token, places, []

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for place in self.places:
            self.begins.append(post(connection, self.token, *place)[1])
            time.sleep(2)

    def delays(self, told):
        """Returns the seconds after which the readers of these posts were told, each by each channel."""
        return [times[0] - self.begins[number] for (_, reader, _), times in told.items()
                if (number := self.number(reader)) is not None and number < len(self.begins)]

    @staticmethod
    def number(reader):
        name = reader.split("@")[0]
        return int(name.removeprefix("other")) if name.startswith("other") else None


def wait(receivers, process):
    """Waits until nothing has been told for some seconds. Returns the most memory meanwhile."""
    told, changed, most = 0, time.monotonic(), 0
    while time.monotonic() - changed < 10:
        time.sleep(1)
        receivers.read()
        most = max(most, memory(process))
        if len(receivers.told) > told:
            told, changed = len(receivers.told), time.monotonic()
    return most


def measure(server, receivers, centre, elsewhere):
    time.sleep(3)
    health = Health(server.port)
    health.start()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    token = ask(connection, "POST", "/v1/guests")["token"]
    before, used = memory(server.process), processor_time(server.process)
    others = Others(server.port, token, elsewhere)
    _, begin = post(connection, token, *centre)
    others.start()
    most = wait(receivers, server.process)
    used = processor_time(server.process) - used
    health.stops.set()
    print("| channel | told | the last one after s |\n|---|---:|---:|")
    for channel in sorted({channel for channel, *_ in receivers.told}):
        times = [times[0] - begin for (name, reader, _), times in receivers.told.items()
                 if name == channel and Others.number(reader) is None]
        print(f"| {channel} | {len(times):,} | {max(times):.1f} |")
    print(f"\nprocessor time {1000 * used / len(receivers.told):.2f} ms each, memory {before:.0f} to {most:.0f} MiB, "
          f"/healthz p99 {percentile(health.durations, 0.99):.1f} ms")
    if delays := others.delays(receivers.told):
        print(f"{len(others.begins)} other posts: {len(delays)} messages, the last after {max(delays):.1f} s")
    twice = sum(len(times) > 1 for times in receivers.told.values())
    if twice:
        raise SystemExit(f"told twice: {twice}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--readers", type=int, default=20_000)
    parser.add_argument("--others", type=int, default=30)
    parser.add_argument("--http-ms", type=int, default=80)
    parser.add_argument("--smtp-ms", type=int, default=40)
    arguments, more = parser.parse_known_args()
    generator = random.Random(1)
    centre, *elsewhere = land(noon())[:arguments.others + 1]
    with tempfile.TemporaryDirectory() as folder:
        receivers = Receivers(folder, arguments.http_ms, arguments.smtp_ms)
        near = [(centre[0] + generator.uniform(-0.1, 0.1), centre[1] + generator.uniform(-5, 5) * KILOMETRE, 30)
                for _ in range(arguments.readers)]
        add_readers(arguments.data, near, receivers.https, 1, "crowd")
        add_readers(arguments.data, [(*place, 5) for place in elsewhere], receivers.https, 2, "other")
        server = Server(arguments.program, arguments.data, receivers, more)
        try:
            measure(server, receivers, centre, elsewhere)
        finally:
            server.stop()
            receivers.stop()


if __name__ == "__main__":
    main()

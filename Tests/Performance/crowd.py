#!/usr/bin/env python3
"""Measures how long it takes until all readers around one listing are told: each by mail, a third in a browser, a tenth by a webhook.

    crowd.py DATA [PROGRAM] [--readers 20000] [--http-ms 80] [--smtp-ms 40] [options of serve, such as --mail-connections 20]

DATA is a data folder, such as `doggofinder demo --count 2000 --data DATA` makes. Readers and the post remain in it, so throw it away
afterwards. The browsers are at one push service. Prints the times, the server's processor time and memory, and the times of `/healthz`.
Fails if a message comes twice. It needs the Python of .build/clients, as readers.py does.
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


def measure(server, receivers, centre):
    time.sleep(3)
    health = Health(server.port)
    health.start()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    token = ask(connection, "POST", "/v1/guests")["token"]
    before, used = memory(server.process), processor_time(server.process)
    _, begin = post(connection, token, *centre)
    most = wait(receivers, server.process)
    used = processor_time(server.process) - used
    health.stops.set()
    print("| channel | told | the last one after s |\n|---|---:|---:|")
    for channel in sorted({channel for channel, *_ in receivers.told}):
        times = [times[0] - begin for (name, *_), times in receivers.told.items() if name == channel]
        print(f"| {channel} | {len(times):,} | {max(times):.1f} |")
    print(f"\nprocessor time {1000 * used / len(receivers.told):.2f} ms each, memory {before:.0f} to {most:.0f} MiB, "
          f"/healthz p99 {percentile(health.durations, 0.99):.1f} ms")
    twice = sum(len(times) > 1 for times in receivers.told.values())
    if twice:
        raise SystemExit(f"told twice: {twice}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--readers", type=int, default=20_000)
    parser.add_argument("--http-ms", type=int, default=80)
    parser.add_argument("--smtp-ms", type=int, default=40)
    arguments, more = parser.parse_known_args()
    generator = random.Random(1)
    centre = land(noon())[0]
    with tempfile.TemporaryDirectory() as folder:
        receivers = Receivers(folder, arguments.http_ms, arguments.smtp_ms)
        near = [(centre[0] + generator.uniform(-0.1, 0.1), centre[1] + generator.uniform(-5, 5) * KILOMETRE, 30)
                for _ in range(arguments.readers)]
        add_readers(arguments.data, near, receivers.https, 1, "crowd")
        server = Server(arguments.program, arguments.data, receivers, more)
        try:
            measure(server, receivers, centre)
        finally:
            server.stop()
            receivers.stop()


if __name__ == "__main__":
    main()

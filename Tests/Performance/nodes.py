"""Compares reads of one node on one PostgreSQL server with those of three nodes, of which two read from standbys.

    PROGRAM=... python3 Tests/Performance/nodes.py [LISTINGS] [SECONDS]

Makes a board and two standbys of its server, all on this machine, and asks for the 50 nearest open listings within 5 km
around 100 listings through haproxy. Needs wrk and haproxy. On few cores, everything shares them: compare the processor
time of a request, not the rates.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Postgis"))
from failover import USER, Node, Proxy, databases  # noqa: E402
from lab import PROGRAM  # noqa: E402
from postgis import http, ticks  # noqa: E402

ROUNDS = 3


class Fleet:
    """Three nodes, a primary and two standbys."""

    def __init__(self):
        self.work = tempfile.mkdtemp(prefix="nodes-")
        self.primary, *self.standbys = databases(self.work, "abc")
        self.nodes, self.proxies = [], []

    def address(self, database):
        return f"postgresql://{USER}@127.0.0.1:{database.port}/doggofinder"

    @property
    def environment(self):
        return {**os.environ, "DOGGOFINDER_DATABASE": self.address(self.primary)}

    def fill(self, listings):
        self.primary.create()
        subprocess.run([PROGRAM, "demo", "--count", str(listings), "--data", os.path.join(self.work, "node0")],
                       env=self.environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.primary.query("VACUUM ANALYZE", "doggofinder")
        for standby in self.standbys:
            standby.copy(self.primary)

    def serve(self):
        for number, standby in enumerate([None, *self.standbys]):
            node = Node(self, number)
            self.nodes.append(node)
            node.prepare(self.nodes[0])
            node.start(**({"DOGGOFINDER_DATABASE_READ": self.address(standby)} if standby else {}))
        self.proxies = [Proxy(self.work, self.nodes[:1], "one"), Proxy(self.work, self.nodes, "three")]
        for proxy in self.proxies:
            proxy.wait()
        # After so many posts, the leading node reads their texts in the background.
        while self.primary.query("SELECT 1 FROM match_candidate WHERE subject IS NULL LIMIT 1", "doggofinder"):
            time.sleep(1)

    def stop(self):
        for node in self.nodes:
            node.kill()
        for proxy in self.proxies:
            proxy.stop()
        for database in (self.primary, *self.standbys):
            database.kill()
        shutil.rmtree(self.work, ignore_errors=True)


def busy():
    """The processor time of the whole machine in seconds, without waiting and idleness."""
    with open("/proc/stat") as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def measure(fleet, proxy, points, seconds):
    """Returns requests in a second, and the processor time of the nodes and of the machine for each, in microseconds."""
    http(proxy.port, points, 2)
    pids = [node.process.pid for node in fleet.nodes]
    before = sum(map(ticks, pids)), busy()
    rate = http(proxy.port, points, seconds)
    after = sum(map(ticks, pids)), busy()
    return rate, *((end - begin) / rate / seconds * 1e6 for begin, end in zip(before, after))


def main():
    listings = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    fleet = Fleet()
    try:
        fleet.fill(listings)
        fleet.serve()
        points = [line.split("|") for line in fleet.primary.query(
            "SELECT lon, lat FROM board WHERE status IN ('lost', 'found') ORDER BY id % 7919, id LIMIT 100", "doggofinder"
        ).splitlines()]
        found = [[], []]
        for _ in range(ROUNDS):
            for results, proxy in zip(found, fleet.proxies):
                results.append(measure(fleet, proxy, points, seconds))
    finally:
        fleet.stop()
    print(f"{listings} listings, {os.cpu_count()} cores, median of {ROUNDS} rounds of {seconds} s")
    for name, results in zip(("one node on the primary", "three nodes, two of them on standbys"), found):
        rate, own, whole = (statistics.median(column) for column in zip(*results))
        print(f"{name:36} {rate:6.0f} /s, processor time of a request: nodes {own:.0f} us, whole machine {whole:.0f} us")


if __name__ == "__main__":
    main()

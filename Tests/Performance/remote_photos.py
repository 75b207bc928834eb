#!/usr/bin/env python3
"""Imports 1,000 rows with photos at addresses, of which a fifth is at slow, failing and hostile servers, and kills the program.

    remote_photos.py [PROGRAM] [--rows 1000] [--kills 5]

PROGRAM is .build/release/doggofinder unless given. Fails if a good photo is missing or there twice, if a bad one is stored, if the
program asked an address that it may not ask, or if a file of a photo has no row.
"""

import argparse
import collections
import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(__file__))
from imports import ask  # noqa: E402
from worst import Server  # noqa: E402

FOLDER = os.path.join(os.path.dirname(__file__), "..", "OutgoingHTTPTests", "Receiver")
MAIL, PASSWORD = "shelter@example.org", "correct horse battery"
# Of each hundred rows: the server and the path.
BAD = [("slow", "silence/{n}"), ("slow", "drip/{n}"), ("failing", "status/500/{n}"), ("failing", "status/404/{n}"),
       ("hostile", "endless-body/{n}"), ("hostile", "endless-headers/{n}"), ("hostile", "compressed/{n}"),
       ("hostile", "csv/{n}"), ("hostile", "body/17000000/{n}"), ("hostile", "redirect/302/{n}"), ("hostile", "end/{n}"),
       ("hostile", "nonsense/{n}")]


class Receiver:
    """A server of the tests, which tells its requests."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, f"{FOLDER}/receiver.py", "127.0.0.1"], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(re.search(r"\d+", self.process.stdout.readline())[0])
        self.requests = collections.Counter()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if line.startswith("request "):
                self.requests[line.split()[1]] += 1

    def stop(self):
        self.process.kill()
        self.process.wait()


def table(count, receivers):
    """Returns the file, and the references of rows with good photos."""
    lines, good = ["reference,status,name,place,photo"], []
    for number in range(count):
        kind, path = BAD[number // 5 % len(BAD)] if number % 5 == 4 else ("good", "photo/{n}")
        if number % 50 == 49:
            url = "https://10.0.0.1/dog.jpg" if number % 100 == 99 else "https://127.0.0.2/dog.jpg"
            kind = "private"
        else:
            url = f"https://127.0.0.1:{receivers[kind].port}/" + path.format(n=number)
        if kind == "good":
            good.append(f"P-{number}")
        lines.append(f"P-{number},found,Argo,Fisciano (SA),{url}")
    return "\n".join(lines) + "\n", good


def start(program, data, receivers):
    os.environ["DOGGOFINDER_OUTGOING_PORTS"] = ",".join(["443", *(str(one.port) for one in receivers.values())])
    os.environ["DOGGOFINDER_OUTGOING_NETWORKS"] = "127.0.0.1/32"
    os.environ["DOGGOFINDER_OUTGOING_CA_FILE"] = f"{FOLDER}/authority.pem"
    return Server(program, data)


def memory(server):
    status = open(f"/proc/{server.process.pid}/status").read()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024


def state(server, path, token):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    return ask(connection, "GET", path, token=token)


def run(program, data, arguments, receivers):
    password = os.path.join(data, "password")
    open(password, "w").write(PASSWORD + "\n")
    subprocess.run([program, "accounts", "add", MAIL, "--admin", "--data", data, "--password-file", password], check=True,
                   capture_output=True)
    server = start(program, data, receivers)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    token = ask(connection, "POST", "/v1/sessions", json.dumps({"email": MAIL, "password": PASSWORD}))["token"]
    text, good = table(arguments.rows, receivers)
    path = "/v1/imports/" + ask(connection, "POST", "/v1/imports", text, token, "text/csv")["id"]
    begin, peak, kills = time.monotonic(), 0, 0
    while True:
        found = state(server, path, token)
        photos, peak = found["photos"], max(peak, memory(server))
        # Those at slow servers wait for hours.
        if found["state"] == "done" and photos["stored"] >= len(good) and kills == arguments.kills:
            break
        if time.monotonic() - begin > 1800:
            print("given up after half an hour:", json.dumps(photos))
            break
        if kills < arguments.kills and photos["stored"] > len(good) * (kills + 1) // (arguments.kills + 1):
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            kills += 1
            server = start(program, data, receivers)
        time.sleep(0.5)
    seconds = time.monotonic() - begin
    server.stop()
    return found, good, seconds, peak, kills


def check(data, good, receivers):
    """Returns what is wrong."""
    db = sqlite3.connect(f"file:{data}/doggofinder.sqlite?mode=ro", uri=True)
    stored = dict(db.execute("SELECT reference, count(photo.id) FROM listing LEFT JOIN photo ON listing_id = listing.id "
                             "GROUP BY reference").fetchall())
    problems = [f"{name} has {stored.get(name)} photos" for name in good if stored.get(name) != 1]
    problems += [f"{name} has a photo" for name, count in stored.items() if count and name not in set(good)]
    known = {row[0] for row in db.execute("SELECT uuid FROM photo UNION SELECT uuid FROM photo_leftover")}
    files = {name[:36] for _, _, names in os.walk(f"{data}/photos") for name in names if name.endswith(".jpg")}
    problems += [f"the file of {name} has no row" for name in files - known]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=5)
    arguments = parser.parse_args()
    receivers = {name: Receiver() for name in ("good", "slow", "failing", "hostile")}
    with tempfile.TemporaryDirectory() as data:
        try:
            found, good, seconds, peak, kills = run(arguments.program, data, arguments, receivers)
            problems = check(data, good, receivers)
        finally:
            for one in receivers.values():
                one.stop()
    photos = found["photos"]
    repeated = sum(count - 1 for path, count in receivers["good"].requests.items())
    print(f"| rows | photos stored | tried again later | failed | killed | seconds | memory |\n|---|---|---|---|---|---|---|\n"
          f"| {arguments.rows} | {photos['stored']} of {len(good)} | {photos['retried']} | {photos['failed']} | {kills} "
          f"| {seconds:.0f} | {peak} MB |")
    print(f"good photos that were fetched again after a kill: {repeated}")
    for problem in photos["problems"]:
        print(f"{problem['count']:5} {problem['problem']} {problem['host']}")
    if problems:
        raise SystemExit("\n".join(problems[:20]))


main()

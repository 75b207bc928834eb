#!/usr/bin/env python3
"""Measures pages on a phone with a slow network: requests, bytes, first and largest paint, and layout shift.

    pages.py PHOTOS [PROGRAM] [--kbit 400] [--latency 400]

Posts 24 listings with the JPEG files of the folder PHOTOS to a server of its own, and opens each page in a new profile of
Chromium (Debian's chromium-driver) with 390 x 844 CSS pixels at density 2. PROGRAM is .build/release/doggofinder unless given.
"""

import argparse
import contextlib
import itertools
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(__file__))
from worst import Server  # noqa: E402

COUNT = 24
FIGURES = """
const done = arguments[arguments.length - 1]
const page = performance.getEntriesByType("navigation")[0]
const loaded = [page, ...performance.getEntriesByType("resource")]
const sum = (values) => values.reduce((total, value) => total + value, 0)
const seen = (type) => new Promise((resolve) => {
    const entries = []
    new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({ type, buffered: true })
    setTimeout(() => resolve(entries), 500)
})
Promise.all(["paint", "largest-contentful-paint", "layout-shift"].map(seen)).then(([paints, largest, shifts]) => done({
    requests: loaded.length,
    kB: sum(loaded.map((entry) => entry.transferSize)) / 1000,
    pictures: sum(loaded.filter((entry) => entry.name.includes("/photos/")).map((entry) => entry.transferSize)) / 1000,
    first: paints.find((entry) => entry.name === "first-contentful-paint")?.startTime,
    largest: largest.at(-1)?.startTime,
    what: largest.at(-1)?.element?.tagName,
    shift: sum(shifts.filter((entry) => !entry.hadRecentInput).map((entry) => entry.value)),
}))
"""


def ask(method, address, body=None, headers={}):
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json", **headers}, method=method)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def fill(base, photos):
    """Posts the listings, of which the one with the first photo is returned."""
    token = ask("POST", base + "/v1/guests", {})["token"]
    ids = []
    for number, photo in zip(range(COUNT), itertools.cycle(photos)):
        headers = {"Authorization": "Bearer " + token, "X-Forwarded-For": f"192.0.2.{number + 1}"}
        if number % 5 == 0:
            token = ask("POST", base + "/v1/guests", {}, headers)["token"]
            headers["Authorization"] = "Bearer " + token
        listing = {"status": ["lost", "found", "sighted"][number % 3], "species": "dog", "name": f"Dog {number + 1}",
                   "lon": 14.7912 + number / 1000, "lat": 40.7723}
        ids.append(ask("POST", base + "/v1/listings", listing, headers)["id"])
        ask("PUT", f"{base}/v1/listings/{ids[-1]}/photos/1", photo.read_bytes(), {**headers, "Content-Type": "image/jpeg"})
    return ids[0]


class Browser:
    """A new profile of Chromium, driven by WebDriver."""

    def __init__(self, kbit, latency):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.folder = tempfile.mkdtemp()
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        options = {
            "args": ["--headless=new", "--no-sandbox", "--user-data-dir=" + self.folder, "--disable-dev-shm-usage"],
            "mobileEmulation": {"deviceMetrics": {"width": 390, "height": 844, "pixelRatio": 2.0, "touch": True}},
        }
        for _ in range(600):
            with contextlib.suppress(OSError):
                begun = ask("POST", self.base + "/session", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})
                break
            time.sleep(0.1)
        self.base += "/session/" + begun["value"]["sessionId"]
        self.command("Network.enable", {})
        bytes_per_second = kbit * 1000 / 8
        self.command("Network.emulateNetworkConditions", {
            "offline": False, "latency": latency, "downloadThroughput": bytes_per_second, "uploadThroughput": bytes_per_second})

    def command(self, name, parameters):
        ask("POST", self.base + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def figures(self, address):
        ask("POST", self.base + "/url", {"url": address})
        # Pages go on to load what is not needed first.
        time.sleep(10)
        return ask("POST", self.base + "/execute/async", {"script": FIGURES, "args": []})["value"]

    def close(self):
        with contextlib.suppress(OSError):
            ask("DELETE", self.base)
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", type=pathlib.Path)
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--kbit", type=float, default=400)
    parser.add_argument("--latency", type=float, default=400, help="milliseconds")
    arguments = parser.parse_args()
    photos = sorted(path for path in arguments.photos.rglob("*") if path.suffix.lower() in {".jpg", ".jpeg"})[:COUNT]
    if not photos:
        sys.exit(f"{arguments.photos}: no JPEG files")
    with tempfile.TemporaryDirectory() as data:
        server = Server(arguments.program, data)
        try:
            base = f"http://127.0.0.1:{server.port}"
            listing = fill(base, photos)
            print("| page | requests | kB | of photos | first paint s | largest paint s | what | shift |")
            print("|---|---:|---:|---:|---:|---:|---|---:|")
            for page in ["/", "/board", "/map", f"/listings/{listing}", "/post", "/photo-search", "/microchip", "/about"]:
                browser = Browser(arguments.kbit, arguments.latency)
                try:
                    found = browser.figures(base + page)
                finally:
                    browser.close()
                print(f"| {page[:20]} | {found['requests']} | {found['kB']:.0f} | {found['pictures']:.0f} |"
                      f" {(found['first'] or 0) / 1000:.1f} | {(found['largest'] or 0) / 1000:.1f} | {found['what']} |"
                      f" {found['shift']:.3f} |", flush=True)
        finally:
            server.stop()


main()

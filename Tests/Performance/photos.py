#!/usr/bin/env python3
"""Measures how long an honest photo waits while others send the most expensive ones.

    photos.py DATA [PROGRAM] [--addresses 8] [--seconds 30]

Each address sends eight photos at a time to be classified: PNG files of 16 megapixels, interlaced and with 16 bits per
channel, in 90 kB. PROGRAM is .build/release/doggofinder unless given.
"""

import argparse
import http.client
import multiprocessing
import os
import struct
import sys
import time
import zlib

sys.path.insert(0, os.path.dirname(__file__))
from worst import Server  # noqa: E402

PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(side, bits, interlaced):
    """A black PNG file."""
    if interlaced:
        rows = [((side - x + dx - 1) // dx, (side - y + dy - 1) // dy) for x, y, dx, dy in PASSES]
    else:
        rows = [(side, side)]
    packer, packed = zlib.compressobj(9), b""
    for width, height in rows:
        row = bytes(1 + width * 3 * bits // 8)
        for _ in range(height):
            packed += packer.compress(row)
    packed += packer.flush()

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", side, side, bits, 2, 0, 0, int(interlaced))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def classify(port, photo, address):
    """Returns the status and the seconds that the answer took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    begin = time.perf_counter()
    connection.request("POST", "/v1/classifications", photo,
                       {"X-Forwarded-For": address, "Content-Type": "image/png"})
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status, time.perf_counter() - begin


def flood(port, photo, address, until, counts):
    while time.time() < until:
        try:
            status, _ = classify(port, photo, address)
        except (OSError, http.client.HTTPException):
            status = 0
        with counts.get_lock():
            counts[0 if status < 300 else 1] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--addresses", type=int, default=8)
    parser.add_argument("--seconds", type=int, default=30)
    arguments = parser.parse_args()
    multiprocessing.set_start_method("fork")
    usual, worst = png(1500, 8, False), png(4000, 16, True)
    server = Server(arguments.program, arguments.data)
    try:
        print("| photo | others | answers | not 201 | p50 s | most s |\n|---|---|---:|---:|---:|---:|")

        def measure(name, photo, others, count, address):
            times = []
            for _ in range(count):
                times.append(classify(server.port, photo, address))
                time.sleep(0.2)
            seconds = sorted(duration for _, duration in times)
            wrong = sum(status != 201 for status, _ in times)
            print(f"| {name} | {others} | {count} | {wrong} | {seconds[count // 2]:.2f} | {seconds[-1]:.2f} |", flush=True)

        measure("2 megapixels", usual, "none", 10, "198.51.100.1")
        measure("16 megapixels, interlaced, 16 bits", worst, "none", 3, "198.51.101.1")
        counts = multiprocessing.Array("q", 2)
        until = time.time() + arguments.seconds
        tasks = [multiprocessing.Process(target=flood, args=(server.port, worst, f"203.0.{n}.9", until, counts))
                 for n in range(arguments.addresses) for _ in range(8)]
        for task in tasks:
            task.start()
        time.sleep(3)
        measure("2 megapixels", usual, f"{arguments.addresses} addresses, 8 photos each", 8, "198.51.102.1")
        for task in tasks:
            task.join()
        print(f"\nThe others got {counts[0]} answers and {counts[1]} refusals.")
    finally:
        server.stop()


if __name__ == "__main__":
    main()

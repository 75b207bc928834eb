#!/usr/bin/env python3
"""Counts the changed photos that the server knows to be copies, and the different ones that it takes for copies.

    photo_copies.py PHOTOS [PROGRAM] [--photos 60]

PHOTOS is a folder with a folder of JPEG files for each individual, at any depth. PROGRAM is .build/release/doggofinder unless
given. Every photo is posted by an account of its own; each changed photo is sent twice: to a listing of the same account,
which is told, and to one of another account, for which a moderator is. Needs Pillow.
"""

import argparse
import glob
import http.client
import io
import json
import os
import pathlib
import random
import sqlite3
import sys
import tempfile

from PIL import Image, ImageDraw, ImageEnhance, ImageOps

sys.path.insert(0, os.path.dirname(__file__))
from worst import Server  # noqa: E402

LISTING = {"status": "lost", "species": "dog", "lon": 14.79, "lat": 40.77}


def cut(image, share):
    width, height = (round(side * share / 2) for side in image.size)
    return image.crop((width, height, image.width - width, image.height - height))


def text(image):
    image = image.copy()
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, image.height * 0.88, image.width, image.height), fill=(200, 0, 0))
    draw.text((20, image.height * 0.9), "SMARRITO - CHIAMARE SUBITO", fill="white", font_size=max(12, image.height // 18))
    return image


def passed_on(image):
    image = ImageEnhance.Brightness(cut(image, 0.06)).enhance(1.1)
    image.thumbnail((400, 400))
    return image


CHANGES = {
    "half the size": lambda image: image.resize([max(1, side // 2) for side in image.size]),
    "JPEG of quality 30": lambda image: image, "cut by 5 %": lambda image: cut(image, 0.05),
    "cut by 10 %": lambda image: cut(image, 0.1), "cut by 20 %": lambda image: cut(image, 0.2),
    "brighter by 20 %": lambda image: ImageEnhance.Brightness(image).enhance(1.2), "mirrored": ImageOps.mirror,
    "a line of text": text, "a white frame of 5 %": lambda image: ImageOps.expand(image, max(image.size) // 20, "white"),
    "cut, brighter, 400 px, quality 50": passed_on,
}
QUALITIES = {"JPEG of quality 30": 30, "cut, brighter, 400 px, quality 50": 50}


def jpeg(image, quality=88):
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return file.getvalue()


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def send(self, method, path, body=None, token=None, kind="application/json"):
        headers = {"Content-Type": kind} | ({"Authorization": f"Bearer {token}"} if token else {})
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        answer = json.loads(response.read() or b"null")
        if response.status >= 300:
            raise SystemExit(f"{method} {path}: {response.status} {answer}")
        return answer

    def listing(self):
        """The path of the photos of a listing of a new account, and the account's token."""
        token = self.send("POST", "/v1/guests")["token"]
        listing = self.send("POST", "/v1/listings", json.dumps(LISTING), token)
        return f"/v1/listings/{listing['id']}/photos", token

    def put(self, path, token, number, photo):
        return self.send("PUT", f"{path}/{number}", photo, token, "image/jpeg")


def cases(data):
    """The photos that moderators are to look at."""
    with sqlite3.connect(f"file:{data}/doggofinder.sqlite?mode=ro", uri=True) as database:
        return {row[0] for row in database.execute("SELECT subject_uuid FROM report_case WHERE subject = 'photo'")}


def name(answer):
    return answer["url"].rsplit("/", 1)[1][:36]


def measure(client, data, files):
    originals = []
    for file in files:
        path, token = client.listing()
        sent = client.put(path, token, 1, file.read_bytes())
        originals.append((file, path, token, name(sent)))
    wrong = cases(data)
    print(f"{len(files)} photos of {len({file.parent for file in files})} individuals; taken for copies of others: {len(wrong)}")
    for file, _, _, photo in originals:
        if photo in wrong:
            print(f"  {file}")
    print("\n| change | the owner is told, % | a moderator is told, % |\n|---|---|---|")
    others, othersToken = client.listing()
    for change, make in CHANGES.items():
        own, sent = 0, []
        for file, path, token, _ in originals:
            image = ImageOps.exif_transpose(Image.open(file)).convert("RGB")
            photo = jpeg(make(image), QUALITIES.get(change, 88))
            sent.append(name(client.put(others, othersToken, 1, photo)))
            own += client.put(path, token, 2, photo).get("copy_of") is not None
            # Otherwise the next change would be compared with this one.
            client.send("DELETE", f"{path}/2", token=token)
        found = len(cases(data) & set(sent))
        print(f"| {change} | {100 * own / len(sent):.0f} | {100 * found / len(sent):.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("photos")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--photos", type=int, default=60, dest="count")
    arguments = parser.parse_args()
    files = sorted(map(pathlib.Path, glob.glob(f"{arguments.photos}/**/*.jpg", recursive=True)))
    random.Random(1).shuffle(files)
    with tempfile.TemporaryDirectory() as data:
        server = Server(arguments.program, data)
        try:
            measure(Client(server.port), data, files[:arguments.count])
        finally:
            server.stop()


if __name__ == "__main__":
    main()

"""Loses, finds and brings home a dog with the pages on a phone, in WebKit (the engine of Safari) and in Firefox.

Usage: engines.py ADDRESS

An engine is skipped if Debian's packages for it are missing. With DOGGOFINDER_PICTURES=FOLDER, pictures of the pages are
saved.
"""

import contextlib
import os
import random
import shutil
import signal
import struct
import sys
import zlib

from browsers.browser import ENTER
from browsers.firefox import Firefox
from browsers.webkit import WebKit

ADDRESS = sys.argv[1].rstrip("/")
# A photo as phones take them: its JPEG is turned, which a tag says.
PHOTO = os.path.realpath(os.path.join(os.path.dirname(__file__), "../PhotosTests/Fixtures/turned.jpg"))
TOWN = "Fisciano (SA)"
SUBMIT = "main form.post button[type=submit]"


class Story:
    """What the owner of a dog and a finder do, each in a browser."""

    def __init__(self, owner, finder):
        self.owner, self.finder = owner, finder
        # The name tells this listing from all others.
        self.dog = "".join(random.choice("bdfglmnprstz") + random.choice("aeiou") for _ in range(4)).capitalize()

    def begin(self, browser):
        browser.open(ADDRESS + "/board?lang=it")
        browser.arrive("/board")

    def open_form(self):
        self.begin(self.owner)
        self.owner.wait(".doors a", "Ho perso")
        self.owner.save_picture("board")
        self.owner.click(".doors a[href$='status=lost']")
        self.owner.arrive("/post?status=lost")
        assert self.owner.find("[name=status][value=lost]:checked"), "the case of the door is not chosen"

    def attach_photos(self):
        large = self.owner.folder + "/large.png"
        write_large_photo(large)
        self.owner.write("[data-photos]", f"{PHOTO}\n{large}")
        self.owner.wait_for_pictures("[data-previews] img", 2)
        widths = self.owner.script("return [...document.querySelectorAll('[data-previews] img')].map((one) => one.naturalWidth)")
        assert widths[1] == 1600, f"the large photo is not shrunk: {widths}"
        notice = self.owner.script("return document.querySelector('[data-photo-notice]').textContent")
        assert not notice, notice

    def choose_town(self):
        self.owner.write("[name=place]", TOWN[:6])
        options = "return [...document.querySelector('[name=place]').list.options].some(({ value }) => value === arguments[0])"
        self.owner.until("the suggestion of a town", lambda: self.owner.script(options, TOWN))
        self.owner.choose_first(self.owner.find("[name=place]"))
        value = "return document.querySelector('[name=place]').value"
        self.owner.until("the chosen town", lambda: self.owner.script(value) == TOWN)

    def publish(self):
        self.owner.write("[name=name]", self.dog)
        self.owner.write("[name=contact_phone]", "+39 089 123456")
        self.owner.check()
        self.owner.save_picture("form")
        self.owner.click(SUBMIT)
        self.owner.arrive("/listings/")
        self.owner.wait(".notice.done", "Il tuo annuncio è online.")
        self.owner.wait("h1", self.dog)
        self.owner.wait(".contact a[href='tel:+39089123456']")
        self.owner.save_picture("posted")

    def read_advice(self):
        self.owner.wait(".steps h2", "Che cosa fare adesso")
        self.owner.wait(".steps li strong", "Stampa il volantino")
        self.owner.wait_for_pictures(".photos img", 2)
        self.owner.save_picture("listing")
        self.owner.script("document.querySelector('.smallmap').scrollIntoView()")
        self.owner.wait(".smallmap.leaflet-container")

    def search(self):
        self.begin(self.finder)
        self.finder.write("[data-search]", self.dog.lower() + ENTER)
        self.finder.arrive("/board?q=")
        self.finder.wait(".card h2", self.dog)
        self.finder.wait_for_pictures(".card img", 1)
        self.finder.save_picture("search")
        self.finder.follow(".card a", "/listings/")
        self.finder.wait("h1", self.dog)

    def write(self):
        self.finder.click("a[href$='/write']")
        self.finder.arrive("/write")
        self.finder.write("[name=text]", "L'ho visto vicino al ponte.")
        self.finder.save_picture("write")
        self.finder.click(SUBMIT)
        self.finder.arrive("/inbox/")
        self.finder.wait(".letters", "vicino al ponte")

    def answer(self):
        self.read(self.owner, "vicino al ponte")
        self.owner.save_picture("conversation")
        self.owner.write("[name=text]", "Arrivo subito!")
        self.owner.click(SUBMIT)
        self.owner.wait(".letters", "Arrivo subito!")
        self.read(self.finder, "Arrivo subito!")

    def read(self, browser, text):
        browser.click("a.inbox")
        browser.arrive("/inbox")
        browser.save_picture("inbox")
        browser.click(".letter")
        browser.arrive("/inbox/")
        browser.wait(".letters", text)

    def see_map(self):
        self.finder.click("nav a[href$='/map']")
        self.finder.arrive("/map")
        self.finder.write("[data-search]", self.dog + ENTER)
        self.finder.arrive("/map?q=")
        self.finder.wait(".pin.lost")
        self.finder.save_picture("map")
        self.finder.click(".pin.lost")
        self.finder.wait(".leaflet-popup .card h2", self.dog)
        # A second click, which Leaflet simulates in Safari, would close it while it appears.
        opacity = "return getComputedStyle(document.querySelector('.leaflet-popup')).opacity"
        self.finder.until("a popup that stays", lambda: self.finder.script(opacity) == "1")
        self.finder.save_picture("popup")

    def search_by_photo(self):
        self.begin(self.finder)
        self.finder.click("a[href$='/photo-search']")
        self.finder.arrive("/photo-search")
        self.finder.wait("h1", "Cerca con una foto")
        self.finder.write("[name=photo]", PHOTO)
        self.finder.wait_for_pictures("[data-previews] img", 1)
        self.finder.save_picture("photo-search")

    def come_home(self):
        self.owner.click("nav a[href$='/my']")
        self.owner.arrive("/my")
        self.owner.save_picture("my")
        self.owner.follow(".mine .actions .good", "/home")
        self.owner.wait("h1", f"{self.dog} è di nuovo a casa!")
        self.owner.save_picture("home")

    def end(self):
        self.owner.check()
        self.finder.check()


STEPS = [
    (Story.open_form, "a door of the board opens the form"),
    (Story.attach_photos, "photos are chosen, shrunk and shown"),
    (Story.choose_town, "a town is suggested, and chosen"),
    (Story.publish, "the listing is published"),
    (Story.read_advice, "it shows what to do now, photos and a map"),
    (Story.search, "another person finds it by words"),
    (Story.write, "and writes to the owner"),
    (Story.answer, "the owner answers"),
    (Story.see_map, "the map shows a pin, and its card"),
    (Story.search_by_photo, "the search by photo shows the photo"),
    (Story.come_home, "the dog is at home"),
    (Story.end, "no page had errors, or was wider than the window"),
]


def write_large_photo(path):
    """Writes a photo that is larger than a page sends it: noise in grey, which becomes smaller as a JPEG."""
    width, height = 2000, 1500
    noise = os.urandom(width * height)
    rows = b"".join(b"\0" + noise[start:start + width] for start in range(0, width * height, width))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def tell(client, check, result):
    print(client, check, " ".join(result.split()), sep="\t", flush=True)


def run(engine):
    """Runs the steps in their order until one fails. Returns whether none has."""
    missing = sorted({package for program, package in engine.programs.items() if not shutil.which(program)})
    if missing:
        tell(engine.name, "all", f"skipped: {' and '.join(missing)} not installed")
        return True
    client, what = engine.name, "starts"
    try:
        with contextlib.ExitStack() as browsers:
            story = Story(*(browsers.enter_context(engine()) for _ in range(2)))
            client = f"{engine.name} {story.owner.version}"
            for step, what in STEPS:
                step(story)
                tell(client, what, "ok")
    except Exception as error:
        tell(client, what, f"{type(error).__name__}: {error}")
        return False
    return True


# The browsers are stopped, too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
sys.exit(not all([run(engine) for engine in (WebKit, Firefox)]))

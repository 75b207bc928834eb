"""What a test does with pages, in every engine."""

import base64
import os
import shutil
import signal
import subprocess
import tempfile
import time

# The seconds after which a test gives up. They only end tests that would never end: the machine may be busy.
PATIENCE = 300
TIMEOUTS = {"script": PATIENCE * 1000, "pageLoad": PATIENCE * 1000}
PHONE = (390, 844)
# WebDriver's name for a reference to an element, and its keys.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER, DOWN = "\ue007", "\ue015"
# Errors that can occur while a page is loading or changing.
PASSING = {
    "element click intercepted", "element not interactable", "javascript error", "move target out of bounds", "no such element",
    "stale element reference", "unknown error",
}
# A page that has not found what it needs in time says so in these words.
BUSY = "C'è troppo traffico"


class Refusal(Exception):
    """An error response of WebDriver."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code = code


class Browser:
    """A window as large as a phone, with its own profile. An engine starts it, and sends the commands of WebDriver.

    Engines have `start`, `open`, `script`, `press` (a click), `type`, `choose_first` (of the suggestions for a field),
    `errors` (of pages, since the last call) and `screenshot`.
    """

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.processes = []

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command, environment={}, **options):
        """Starts a program in its own group of processes, whose home is the temporary folder."""
        environment = {
            **os.environ, "HOME": self.folder, "TMPDIR": self.folder, "XDG_RUNTIME_DIR": self.folder, "TZ": "Europe/Rome",
            # Browsers look for a desktop by D-Bus.
            "DBUS_SESSION_BUS_ADDRESS": "disabled:", "NO_AT_BRIDGE": "1", **environment,
        }
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, **options)
        self.processes.append(process)
        return process

    # Pages

    def arrive(self, part):
        """Waits for a page whose address contains a text, and checks what every page must fulfil."""
        self.until(f"the page {part}", lambda: self.is_at(part))
        self.check()

    def follow(self, css, part):
        """
        Clicks a link or button until its page has loaded: WebKit loses some clicks, such as those on a card that the board
        replaces at that moment.
        """
        clicked = 0

        def arrives():
            nonlocal clicked
            if not self.script("return location.href.includes(arguments[0])", part) and time.monotonic() > clicked + 5:
                self.clicks(css)
                clicked = time.monotonic()
            return self.is_at(part)

        self.until(f"the page {part}", arrives)
        self.check()

    def is_at(self, part):
        """Whether a page has loaded. It is loaded again while the service is busy, as it asks."""
        is_loaded = "return document.readyState === 'complete' && location.href.includes(arguments[0])"
        if not self.script(is_loaded, part):
            return False
        if not self.script("return document.body.innerText.includes(arguments[0])", BUSY):
            return True
        time.sleep(1)
        self.open(self.script("return location.href"))
        return False

    def check(self):
        """Checks that no page had errors, and that this one is not wider than the window."""
        path, width = self.script("return [location.pathname, document.documentElement.scrollWidth]")
        assert width <= PHONE[0], f"{path} is {width} pixels wide"
        errors = self.errors()
        assert not errors, f"errors: {errors}"

    # Elements

    def find(self, css):
        """The first element that matches, or none."""
        return self.script("return document.querySelector(arguments[0])", css)

    def wait(self, css, text=""):
        """Waits for an element that matches and contains a text."""
        script = "return [...document.querySelectorAll(arguments[0])].some((one) => one.innerText.includes(arguments[1]))"
        self.until(f"{css} {text}".strip(), lambda: self.script(script, css, text))

    def wait_for_pictures(self, css, count):
        """Waits until so many pictures match, and all are loaded. Those that are far from the window are not."""
        script = """
            const pictures = [...document.querySelectorAll(arguments[0])];
            pictures[0]?.scrollIntoView({ block: "center", behavior: "instant" });
            return pictures.length === arguments[1] && pictures.every((one) => one.complete && one.naturalWidth > 0);
        """
        self.until(f"{count} pictures {css}", lambda: self.script(script, css, count))

    def click(self, css):
        self.until(css, lambda: self.clicks(css))

    def clicks(self, css):
        element = self.find(css)
        if element:
            # WebDriver scrolls to the edge only, where a fixed bar may cover the element.
            self.script("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element)
            self.press(element)
        return bool(element)

    def write(self, css, text):
        """Types into a field."""
        self.until(css, lambda: self.find(css))
        self.type(self.find(css), text)

    def until(self, what, condition):
        """Waits until a condition holds. Errors that occur because a page is not ready count as false."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            obstacle = None
            try:
                if condition():
                    return
            except Refusal as refusal:
                if refusal.code not in PASSING:
                    raise
                obstacle = refusal
            time.sleep(0.05)
        shown = self.script("return location.href + ': ' + document.querySelector('main')?.innerText.slice(0, 300)")
        raise TimeoutError(f"waited in vain for {what} at {shown} {obstacle or ''}")

    def save_picture(self, name):
        """Saves a picture of the window for review, if the environment names a folder."""
        folder = os.environ.get("DOGGOFINDER_PICTURES")
        if not folder:
            return
        # WebKitGTK returns the last picture that it has drawn.
        self.script("return new Promise((drawn) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(drawn)), 500))")
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/{type(self).__name__.lower()}-{name}.png", "wb") as file:
            file.write(base64.b64decode(self.screenshot()))


def stop(process):
    """Stops a program, and then what it has started."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()

"""WebKit in Debian's WebKitGTK: MiniBrowser, which WebKitWebDriver controls, on a display in memory."""

import json
import os
import socket
import urllib.error
import urllib.request

from .browser import DOWN, ELEMENT, ENTER, PATIENCE, PHONE, TIMEOUTS, Browser, Refusal

# Returns the errors since the last call, and collects errors from then on: WebKit does not tell WebDriver what is on the
# console. A module that is missing or no JavaScript fails again when it is imported again; one that threw while it ran
# does not, and shows only in what is missing on the page. A page that is being left may fail to load the rest.
ERRORS = """
    let isLeft = false;
    const note = (text) => isLeft || (sessionStorage.errors = `${sessionStorage.errors ?? ""}${location.pathname}: ${text}\\n`);
    if (!window.isWatched) {
      window.isWatched = true;
      addEventListener("beforeunload", () => (isLeft = true));
      addEventListener("error", ({ message }) => note(message));
      addEventListener("unhandledrejection", ({ reason }) => note(reason));
    }
    const modules = [...document.querySelectorAll("script[type=module]")].map(({ src }) => import(src).catch(note));
    return Promise.all(modules).then(() => {
      const { errors } = sessionStorage;
      delete sessionStorage.errors;
      return errors ?? "";
    });
"""


class WebKit(Browser):
    name = "WebKitGTK"
    programs = {"WebKitWebDriver": "webkit2gtk-driver", "Xvfb": "xvfb"}

    def start(self):
        display = self.open_display()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}/session"
        self.run("WebKitWebDriver", f"--port={port}", environment={"DISPLAY": display})
        # Without toolbars, the page is as wide as the window.
        browser = {"args": ["--automation", "--full-screen"]}
        self.until("WebKitWebDriver", lambda: self.begin({"webkitgtk:browserOptions": browser, "timeouts": TIMEOUTS}))
        width, height = PHONE
        self.send("POST", "/window/rect", {"width": width, "height": height})

    def open_display(self):
        """Starts a display, which picks its number, and returns its name."""
        end, start = os.pipe()
        self.run("Xvfb", "-displayfd", str(start), "-nolisten", "tcp", "-screen", "0", "800x1000x24", pass_fds=[start])
        os.close(start)
        with os.fdopen(end) as told:
            return ":" + told.readline().strip()

    def begin(self, capabilities):
        try:
            answer = self.send("POST", "", {"capabilities": {"alwaysMatch": capabilities}})
        except urllib.error.URLError:
            return False
        self.version = answer["capabilities"]["browserVersion"]
        self.base += "/" + answer["sessionId"]
        return True

    def send(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, json.dumps(body).encode() if body else None, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Refusal(value["error"], value["message"]) from None

    def open(self, address):
        self.send("POST", "/url", {"url": address})

    def script(self, body, *values):
        return self.send("POST", "/execute/sync", {"script": body, "args": values})

    def press(self, element):
        self.send("POST", f"/element/{element[ELEMENT]}/click", {"": ""})

    def type(self, element, text):
        self.send("POST", f"/element/{element[ELEMENT]}/value", {"text": text})

    def errors(self):
        return self.script(ERRORS)

    def choose_first(self, element):
        """Chooses the first of the suggestions that the browser shows for a field, if it is the only one."""
        # The first key may only open the list. The mark stays at the only suggestion.
        self.type(element, DOWN + DOWN + ENTER)

    def screenshot(self):
        return self.send("GET", "/screenshot")

"""Debian's Firefox ESR, controlled by Marionette: the commands of WebDriver as JSON on a socket.

Debian 12 has no geckodriver, which only translates HTTP to Marionette.
https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
"""

import json
import os
import socket
import time

from .browser import DOWN, ELEMENT, ENTER, PATIENCE, PHONE, TIMEOUTS, Browser, Refusal

PREFERENCES = {
    # A port that the system chooses, which Firefox writes into its profile.
    "marionette.port": 0,
    # Tests must work without Internet access, and so must the browser: nothing listens on the discard port.
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.share_proxy_settings": True,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "intl.accept_languages": "it",
    # As on phones, scroll bars take no width.
    "ui.useOverlayScrollbars": 1,
}
# Windows of Firefox are at least 500 pixels wide, and the page in them can be narrower.
RESIZE = """
    for (const bound of ["min", "max"]) {
      gBrowser.selectedBrowser.style.setProperty(`${bound}-width`, `${arguments[0]}px`);
      gBrowser.selectedBrowser.style.setProperty(`${bound}-height`, `${arguments[1]}px`);
    }
"""
# The errors of pages, and not those of Firefox itself. The faults of a service worker (a promise that is rejected, an error
# response, a response that is used) have their own messages; this one came for a request of a page that was left.
ERRORS = """
    const isLeft = ({ errorMessage }) => errorMessage.endsWith("A ServiceWorker intercepted the request and encountered an unexpected error.");
    const found = Services.console.getMessageArray()
      .filter((one) => one instanceof Ci.nsIScriptError && !(one.flags & Ci.nsIScriptError.warningFlag) && one.sourceName.startsWith("http") && !isLeft(one))
      .map((one) => `${one.sourceName}:${one.lineNumber}: ${one.errorMessage}`).join("\\n");
    Services.console.reset();
    return found;
"""


class Firefox(Browser):
    name = "Firefox"
    programs = {"firefox-esr": "firefox-esr"}

    def start(self):
        with open(self.folder + "/user.js", "w") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        # System access is needed for the size of the page and for the console.
        process = self.run(
            "firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", self.folder)
        self.connect(process)
        self.sent = 0
        answer = self.send("WebDriver:NewSession", capabilities={"alwaysMatch": {"timeouts": TIMEOUTS}})
        self.version = answer["capabilities"]["browserVersion"]
        width, height = PHONE
        self.send("WebDriver:SetWindowRect", width=width, height=height)
        self.in_chrome(RESIZE, width, height)

    def connect(self, process):
        port_file = self.folder + "/MarionetteActivePort"
        end = time.monotonic() + PATIENCE
        while not (os.path.exists(port_file) and os.path.getsize(port_file)):
            assert process.poll() is None and time.monotonic() < end, "Firefox does not start"
            time.sleep(0.05)
        with open(port_file) as file:
            self.socket = socket.create_connection(("127.0.0.1", int(file.read())), timeout=PATIENCE)
        self.answers = self.socket.makefile("rb")
        self.receive()

    def receive(self):
        """Reads a message: its length in bytes, a colon, and JSON."""
        length = b""
        while not length.endswith(b":"):
            byte = self.answers.read(1)
            assert byte, "Firefox has closed the connection"
            length += byte
        return json.loads(self.answers.read(int(length[:-1])))

    def send(self, command, **parameters):
        self.sent += 1
        message = json.dumps([0, self.sent, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, answer = self.receive()
        if error:
            raise Refusal(error["error"], error["message"])
        return answer

    def in_chrome(self, body, *values):
        """Runs a script in the window of Firefox itself."""
        self.send("Marionette:SetContext", value="chrome")
        try:
            return self.script(body, *values)
        finally:
            self.send("Marionette:SetContext", value="content")

    def open(self, address):
        self.send("WebDriver:Navigate", url=address)

    def script(self, body, *values):
        return self.send("WebDriver:ExecuteScript", script=body, args=values)["value"]

    def press(self, element):
        self.send("WebDriver:ElementClick", id=element[ELEMENT])

    def type(self, element, text):
        self.send("WebDriver:ElementSendKeys", id=element[ELEMENT], text=text)

    def choose_first(self, element):
        """Chooses the first of the suggestions that the browser shows for a field."""
        selected = "return document.getElementById('PopupAutoComplete')?.selectedIndex"
        # The key also opens the list, and leaves its end.
        self.until("a list of suggestions", lambda: self.in_chrome(selected) == 0 or self.type(element, DOWN))
        self.type(element, ENTER)

    def screenshot(self):
        return self.send("WebDriver:TakeScreenshot", full=False)["value"]

    def errors(self):
        return self.in_chrome(ERRORS)

    def __exit__(self, *arguments):
        if hasattr(self, "socket"):
            self.answers.close()
            self.socket.close()
        super().__exit__(*arguments)

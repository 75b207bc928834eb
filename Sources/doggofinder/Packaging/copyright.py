#!/usr/bin/env python3
"""Prints the copyright file of the Debian package, in Debian's machine-readable format."""

import components

HEAD = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: DoggoFinder
Comment: The program contains the Swift packages and Swift's runtime below, linked statically, and the data below.
 /usr/share/doc/doggofinder/notices contains the notices of the packages that have one.
 /usr/share/doc/doggofinder/sbom.json lists all components with versions and hashes.

Files: *
Copyright: the DoggoFinder authors
License: Apache-2.0
"""

# Which other parts of a component need their own licence is told in its notice.
TEXTS = {
    "Apache-2.0": " The text is in /usr/share/common-licenses/Apache-2.0 on Debian systems.",
    "Apache-2.0 WITH Swift-exception": """\
 The text is in /usr/share/common-licenses/Apache-2.0 on Debian systems.
 .
 Runtime Library Exception: As an exception, if you use this Software to
 compile your source code and portions of this Software are embedded into the
 binary product as a result, you may redistribute such product without
 providing attribution as would otherwise be required by Sections 4(a), 4(b)
 and 4(d) of the License.""",
    "CC-BY-4.0": " The text is at https://creativecommons.org/licenses/by/4.0/legalcode.",
    "CC0-1.0": " The text is in /usr/share/common-licenses/CC0-1.0 on Debian systems.",
    "etalab-2.0": " The text is at https://www.etalab.gouv.fr/licence-ouverte-open-licence.",
    "LGPL-2.1-or-later": " The text is in /usr/share/common-licenses/LGPL-2.1 on Debian systems.",
    "LGPL-3.0-or-later": " The text is in /usr/share/common-licenses/LGPL-3 on Debian systems.",
    "LicenseRef-OGL-Vancouver": """\
 Contains information licensed under the Open Government Licence - Vancouver:
 https://opendata.vancouver.ca/pages/licence/""",
    "MIT": """\
 Permission is hereby granted, free of charge, to any person obtaining a copy
 of this software and associated documentation files (the "Software"), to deal
 in the Software without restriction, including without limitation the rights
 to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 copies of the Software, and to permit persons to whom the Software is
 furnished to do so, subject to the following conditions:
 .
 The above copyright notice and this permission notice shall be included in all
 copies or substantial portions of the Software.
 .
 THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 SOFTWARE.""",
    "ODbL-1.0": " The text is at https://opendatacommons.org/licenses/odbl/1-0/.",
    "NOASSERTION": " Facts, or written for the project. See the origin of each file in sbom.json.",
}


def main() -> None:
    print(HEAD)
    texts = dict(TEXTS)
    used = {"Apache-2.0", "Apache-2.0 WITH Swift-exception"}
    stanza("swift-runtime", "Apple Inc. and the Swift project authors", "Apache-2.0 WITH Swift-exception")
    for package in components.swift_packages():
        licence = package["licence"]
        if licence not in texts:
            texts[licence] = indented(package["text"])
        stanza(package["name"], holder(package), licence)
        used.add(licence)
    for item in components.bundled_data():
        stanza(item["path"], item["holder"], item["licence"])
        used.update(item["licence"].split(" AND "))
    for licence in sorted(used):
        print(f"License: {short(licence)}\n{texts[licence]}\n")


def stanza(files: str, holder: str, licence: str) -> None:
    names = " and ".join(short(part) for part in licence.split(" AND "))
    print(f"Files: {files}\nCopyright: {holder}\nLicense: {names}\n")


def short(licence: str) -> str:
    """Short names in this format contain no spaces."""
    return licence.replace(" WITH ", "-with-")


def holder(package: dict) -> str:
    lines = (line.strip() for line in package["text"].splitlines())
    named = next((line for line in lines if line.startswith("Copyright (C) ")), None)
    return named.removeprefix("Copyright (C) ") if named else f"the authors of {package['name']}"


def indented(text: str) -> str:
    return "\n".join(f" {line.strip()}" if line.strip() else " ." for line in text.strip().splitlines())


if __name__ == "__main__":
    main()

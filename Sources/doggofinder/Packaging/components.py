"""What the package consists of besides the project's own code: Swift packages, Swift's runtime, Debian's libraries and
data. The list of components (sbom.py) and the copyright file (copyright.py) are made from it."""

import hashlib
import json
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
CHECKOUTS = REPOSITORY / ".build/checkouts"
# Packages that only build the documentation, no part of the program.
BUILD_ONLY = {"swift-docc-plugin", "swift-docc-symbolkit"}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def swift_packages() -> list[dict]:
    """The packages of Package.resolved, with the licence that their checkout contains."""
    pins = json.loads((REPOSITORY / "Package.resolved").read_text())["pins"]
    return [swift_package(pin) for pin in pins if pin["identity"] not in BUILD_ONLY]


def swift_package(pin: dict) -> dict:
    url = pin["location"].removesuffix(".git")
    checkout = CHECKOUTS / url.rsplit("/", 1)[1]
    licence = next(iter(sorted(checkout.glob("LICENSE*"))), None)
    if licence is None:
        raise SystemExit(f"{checkout}: expected a file LICENSE; build the program first")
    text = licence.read_text()
    return {
        "name": pin["identity"], "url": url, "version": pin["state"]["version"], "revision": pin["state"]["revision"],
        "licence": licence_id(text, licence), "text": text,
        "notice": next((path.read_text() for path in checkout.glob("NOTICE*")), None),
    }


def licence_id(text: str, path: Path) -> str:
    if "Apache License" in text:
        return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    raise SystemExit(f"{path}: unknown licence; add it to components.py")


def swift_version() -> str:
    return re.search(r"Swift version (\S+)", run("swift", "--version")).group(1)


def bundled_data() -> list[dict]:
    """The rows of bundled-data.tsv, with the SHA-256 of each file."""
    lines = (Path(__file__).parent / "bundled-data.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return [
        {
            "path": path, "licence": licence, "holder": holder, "origin": origin,
            "sha256": sha256(REPOSITORY / path),
        }
        for path, licence, holder, origin in rows
    ]


def sha256(path: Path) -> str:
    """The hash of a file, or of the files of a folder in the order of their paths."""
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def debian_packages(programs: list[str]) -> list[dict]:
    """The Debian packages of the libraries that programs load, also indirectly, and of the scripts of the pages."""
    # photo-worker loads this one while it runs.
    heif = next(line for line in run("dpkg-query", "-L", "libheif1").splitlines() if line.endswith("/libheif.so.1"))
    loaded = [line for program in [*programs, heif] for line in run("ldd", program).splitlines() if "=> /" in line]
    files = {heif} | {line.split("=>")[1].split()[0] for line in loaded}
    names = {owner(path) for path in files} | {"libjs-leaflet", "libjs-leaflet.markercluster"}
    return [debian_package(name) for name in sorted(names)]


def owner(path: str) -> str:
    # dpkg knows the files of merged folders (/lib is a link to /usr/lib) by either name.
    for candidate in (path, str(Path(path).resolve()), str(Path(path).resolve()).removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    raise SystemExit(f"{path}: no Debian package contains it")


def debian_package(name: str) -> dict:
    fields = run("dpkg-query", "-W", "-f=${Version}\t${Architecture}\t${Homepage}\t${source:Package}\n", name)
    version, architecture, homepage, source = fields.splitlines()[0].split("\t")
    copyright_file = Path(f"/usr/share/doc/{name}/copyright")
    text = copyright_file.read_text(errors="replace") if copyright_file.exists() else ""
    # Only machine-readable copyright files (DEP-5) have these lines.
    licences = sorted(set(re.findall(r"^License: *(\S.*)$", text, re.M)))
    return {
        "name": name, "version": version, "architecture": architecture, "homepage": homepage, "source": source,
        "licences": licences,
    }

#!/usr/bin/env python3
"""Installs, upgrades, removes and purges the Debian package on a bare Debian 12: install.py PROGRAM_FOLDER WORK_FOLDER

The machine is booted by systemd-nspawn, so the units and their sandbox are the real ones. Packages that the program
depends on are downloaded before it boots; then it has no network. The script runs the commands of the page FirstHour.md
as they stand. It prints a line for each check and ends with status 1 if one failed, and it is skipped without root or
the programs that it needs.
"""

import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
import traceback
import zlib
from pathlib import Path

from machine import Failed, Machine, bare_tree, chroot

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGING = REPOSITORY / "Sources/doggofinder/Packaging"
PAGE = REPOSITORY / "Sources/doggofinder/Documentation.docc/Administration/FirstHour.md"
SERVICE = "http://127.0.0.1:8080"
DATA = "/var/lib/doggofinder"
PREVIOUS_VERSION = "0.0.1"
MAX_PACKAGE_BYTES = 40_000_000
MAX_INSTALLED_BYTES = 120_000_000
MAX_INSTALL_SECONDS = 30
MAX_EXPOSURE = 2.0


class Report:
    """The lines of the checks, and whether all passed."""

    def __init__(self):
        self.failures = 0

    def check(self, what: str, passed: bool, details: str = "") -> None:
        self.failures += not passed
        print(f"{'ok    ' if passed else 'FAILED'}  {what}{': ' if details else ''}{details}", flush=True)


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    programs, work = Path(sys.argv[1]), Path(sys.argv[2])
    if os.geteuid() != 0:
        raise SystemExit("skipped: bare machine: needs root")
    for program in ("debootstrap", "systemd-nspawn", "curl", "lintian"):
        if not shutil.which(program):
            raise SystemExit(f"skipped: bare machine: needs {program}")
    report = Report()
    work.mkdir(parents=True, exist_ok=True)
    new = build(programs, work)
    old = with_version(PREVIOUS_VERSION, new)
    check_package(report, new)
    bare_tree(work / "base")
    tree = work / "machine"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["cp", "-a", str(work / "base"), str(tree)], check=True)
    download(report, tree, work / "base", old, new)
    machine = Machine(tree, work / "console.log")
    try:
        machine.boot()
        Story(machine, report, old, new).tell()
    except Failed as failure:
        report.check("the story goes on", False, str(failure))
    except Exception:
        report.check("the test itself", False, traceback.format_exc())
    finally:
        machine.stop()
    shutil.rmtree(tree, ignore_errors=True)
    print("bare machine: all passed" if report.failures == 0 else f"bare machine: {report.failures} failed")
    raise SystemExit(report.failures != 0)


def build(programs: Path, work: Path) -> Path:
    command = [str(PACKAGING / "build-deb.sh"), str(programs), str(work)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"build-deb.sh: {done.stderr}")
    return Path(done.stdout.strip())


def with_version(version: str, package: Path) -> Path:
    """Returns a package with the same files and another version."""
    tree = package.parent / "previous"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["dpkg-deb", "-R", str(package), str(tree)], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub("(?m)^Version: .*$", f"Version: {version}", control.read_text()))
    changed = package.parent / f"doggofinder_{version}_{package.stem.rpartition('_')[2]}.deb"
    subprocess.run(["dpkg-deb", "-Znone", "--root-owner-group", "-b", str(tree), str(changed)], check=True, capture_output=True)
    shutil.rmtree(tree)
    return changed


def check_package(report: Report, package: Path) -> None:
    size = package.stat().st_size
    report.check("package of at most 40 MB", size <= MAX_PACKAGE_BYTES, f"{size / 1e6:.1f} MB")
    fields = subprocess.run(["dpkg-deb", "-f", str(package), "Installed-Size"], capture_output=True, text=True, check=True)
    installed = int(fields.stdout) * 1024
    report.check("installed size of at most 120 MB", installed <= MAX_INSTALLED_BYTES, f"{installed / 1e6:.1f} MB")
    tags = subprocess.run(["lintian", "--no-cfg", "--allow-root", str(package)], capture_output=True, text=True)
    report.check("lintian without errors and warnings", not re.search("^[EW]:", tags.stdout, re.M), tags.stdout.strip())


def download(report: Report, tree: Path, base: Path, *packages: Path) -> None:
    """Downloads what the packages depend on, into the base, too, so that the next run needs no network."""
    for package in packages:
        shutil.copy(package, tree / "srv" / package.name)
    start = time.monotonic()
    if (done := chroot(tree, "apt-get", "update", "-q")).returncode != 0 and not list((base / "var/lib/apt/lists").glob("*Packages*")):
        raise SystemExit(f"skipped: bare machine: the archive cannot be reached: {done.stderr[-300:]}")
    done = chroot(tree, "apt-get", "install", "-qy", "--download-only", f"/srv/{packages[-1].name}", "nginx")
    if done.returncode != 0:
        raise SystemExit(f"apt-get --download-only: {done.stdout[-1000:]}{done.stderr[-1000:]}")
    report.check("what it depends on is in Debian 12", True, f"downloaded in {time.monotonic() - start:.1f} s")
    for folder in ("var/cache/apt/archives", "var/lib/apt/lists"):
        subprocess.run(["cp", "-au", f"{tree}/{folder}/.", f"{base}/{folder}"], check=True)


class Story:
    """What happens to the machine, in this order."""

    def __init__(self, machine: Machine, report: Report, old: Path, new: Path):
        self.machine = machine
        self.report = report
        self.old = old
        self.new = new
        self.token = ""
        self.listing = ""

    def tell(self) -> None:
        self.install()
        self.look_around()
        self.first_hour()
        self.post()
        self.back_up()
        self.upgrade()
        self.refuse_downgrade()
        self.stop_and_start()
        self.remove()
        self.purge()

    def check(self, what: str, passed: bool, details: str = "") -> None:
        self.report.check(what, passed, details)

    def answers(self) -> bool:
        return self.machine.curl(f"{SERVICE}/readyz")[0] == 200

    def apt(self, *arguments: str, check: bool = True):
        return self.machine.run("apt-get", "-qy", *arguments, check=check)

    def install(self) -> None:
        start = time.monotonic()
        self.apt("install", f"/srv/{self.old.name}")
        waited = self.machine.wait("the first answer", self.answers, seconds=60)
        seconds = time.monotonic() - start
        details = f"{seconds:.1f} s, of these {waited:.1f} s after apt-get; nothing typed"
        self.check("install to first answer in 30 s", seconds <= MAX_INSTALL_SECONDS, details)

    def look_around(self) -> None:
        run = self.machine.run
        program_version = run("doggofinder", "--version").stdout.strip()
        health = self.machine.json(f"{SERVICE}/healthz")
        self.check("--version and /healthz name the version", health.get("version") == program_version, program_version)
        pid = run("systemctl", "show", "-P", "MainPID", "doggofinder").stdout.strip()
        owner = run("stat", "-c", "%U", f"/proc/{pid}").stdout.strip()
        folder = run("stat", "-c", "%U %a", DATA).stdout.strip()
        self.check("the service runs as its user", owner == "doggofinder", owner)
        self.check("only that user reads the data", folder == "doggofinder 700", folder)
        state = run("systemctl", "is-enabled", "doggofinder", "doggofinder-backup.timer", "doggofinder-check.timer").stdout
        self.check("service and timers are enabled", state.split() == ["enabled"] * 3, " ".join(state.split()))
        for unit in ("doggofinder", "doggofinder-backup", "doggofinder-check"):
            lines = run("systemd-analyze", "security", "--no-pager", f"{unit}.service").stdout.splitlines()
            level = float(re.search(r": ([\d.]+) ", lines[-1]).group(1))
            self.check(f"exposure of {unit} at most {MAX_EXPOSURE}", level <= MAX_EXPOSURE, str(level))
        for path in ("/board", "/map", "/leaflet/leaflet.js", "/v1/places/reverse?lon=14.79&lat=40.77"):
            status, _ = self.machine.curl(f"{SERVICE}{path}")
            self.check(f"GET {path}", status == 200, str(status))
        models = run("runuser", "-u", "doggofinder", "--", "doggofinder", "model", "verify", "--data", DATA)
        self.check("the bundled model answers its test", models.returncode == 0, models.stdout.strip().splitlines()[-1])
        for path in ("usr/share/man/man1/doggofinder-serve.1.gz", "usr/share/bash-completion/completions/doggofinder"):
            self.check(path, (self.machine.tree / path).stat().st_size > 1000)

    def first_hour(self) -> None:
        blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(), re.M | re.S)
        # The package is installed already, and the archive cannot be reached.
        script = "set -ex\ncd /srv\n" + "".join(blocks).replace("apt-get update\n", "")
        script = script.replace("doggofinder_*.deb", self.old.name)
        self.machine.run("sh", "-c", script)
        self.machine.wait("the service", self.answers, seconds=30)
        self.check("the commands of FirstHour.md", True, f"{len(blocks)} blocks")
        status, body = self.machine.curl("-H", "Host: dogs.example.org", "http://127.0.0.1/board")
        self.check("the site behind nginx has its name", status == 200 and b"Cani di Salerno" in body, str(status))
        found = self.machine.json(f"{SERVICE}/v1/listings?q=Birba")
        self.check("the imported listing is found", len(found["features"]) == 1)
        token = (self.machine.tree / "etc/doggofinder/metrics-token").read_text().strip()
        status, metrics = self.machine.curl("-H", f"Authorization: Bearer {token}", f"{SERVICE}/metrics")
        self.check("metrics with the token", status == 200 and b"backup_last_success" in metrics, str(status))

    def post(self) -> None:
        self.token = self.machine.json("-X", "POST", f"{SERVICE}/v1/guests")["token"]
        authorization = f"Authorization: Bearer {self.token}"
        body = '{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}'
        listing = self.machine.json("-H", authorization, "--json", body, f"{SERVICE}/v1/listings")
        self.listing = listing["id"]
        picture = self.machine.tree.parent / "photo.png"
        picture.write_bytes(png(640, 480))
        status, answer = self.machine.curl(
            "-H", authorization, "-T", str(picture), f"{SERVICE}/v1/listings/{self.listing}/photos/1"
        )
        self.check("a photo is decoded in both sandboxes", status in (200, 201), f"{status} {answer[:200]!r}")
        status, flyer = self.machine.curl(f"{SERVICE}/listings/{self.listing}/flyer.pdf")
        self.check("its flyer is a PDF with fonts", status == 200 and flyer.startswith(b"%PDF") and b"/Font" in flyer, str(status))
        self.check_listing("after the post")

    def check_listing(self, when: str) -> None:
        status, body = self.machine.curl(f"{SERVICE}/v1/listings/{self.listing}")
        self.check(f"the listing {when}", status == 200 and b"Argo" in body, str(status))
        photos = re.findall(rb'"(?:https?://[^"/]*)?(/[^"]*photos[^"]*)"', body)
        status, photo = self.machine.curl(f"{SERVICE}{photos[0].decode()}") if photos else (0, b"")
        self.check(f"its photo {when}", status == 200 and len(photo) > 500, f"{status}, {len(photo)} bytes")

    def back_up(self) -> None:
        self.machine.run("systemctl", "start", "doggofinder-backup.service")
        newest = sorted((self.machine.tree / "var/backups/doggofinder").iterdir())[-1]
        files = {path.name for path in newest.rglob("*")}
        self.check("the backup service copies database and photos", {"doggofinder.sqlite", "photos"} <= files, newest.name)
        self.machine.run("systemctl", "start", "doggofinder-check.service")
        log = self.machine.run("journalctl", "-t", "doggofinder-check", "--no-pager").stdout
        self.check("the check service finds nothing", "files of photos: ok" in log)

    def upgrade(self) -> None:
        settings = (self.machine.tree / "etc/doggofinder/doggofinder.conf").read_text()
        start = time.monotonic()
        self.apt("install", f"/srv/{self.new.name}")
        self.machine.wait("the upgraded service", self.answers, seconds=60)
        self.check("upgrade to first answer", True, f"{time.monotonic() - start:.1f} s")
        self.check("the upgraded package is installed", self.installed() != PREVIOUS_VERSION, self.installed())
        kept = settings == (self.machine.tree / "etc/doggofinder/doggofinder.conf").read_text()
        self.check("the upgrade keeps the settings", kept)
        self.check_listing("after the upgrade")

    def installed(self) -> str:
        return self.machine.run("dpkg-query", "-W", "-f=${Version}", "doggofinder", check=False).stdout

    def refuse_downgrade(self) -> None:
        """A database of a later version is refused by the package, which changes nothing, and by the program."""
        run, before = self.machine.run, self.installed()
        run("systemctl", "stop", "doggofinder")
        database = self.machine.tree / DATA.lstrip("/") / "doggofinder.sqlite"
        schema = add_to_schema(database, 1)
        refused = self.apt("install", "--allow-downgrades", f"/srv/{self.old.name}", check=False)
        words = re.search("doggofinder: .*has schema.*", refused.stdout + refused.stderr)
        self.check("the older package is refused", refused.returncode != 0 and words is not None, words.group(0) if words else "")
        self.check("the installed version stays", self.installed() == before, self.installed())
        served = run("runuser", "-u", "doggofinder", "--", "doggofinder", "serve", "--data", DATA, check=False)
        self.check("serve refuses the newer schema", "from a newer version of the program" in served.stderr, served.stderr.strip()[-200:])
        run("systemctl", "stop", "doggofinder")
        add_to_schema(database, -1)
        self.check("the schema is as before", schema == add_to_schema(database, 0) + 1)
        run("chown", "doggofinder:", *[f"{DATA}/{path.name}" for path in database.parent.glob("doggofinder.sqlite*")])
        run("systemctl", "start", "doggofinder")
        self.machine.wait("the service", self.answers, seconds=30)
        self.check_listing("after the refused downgrade")
        self.apt("install", "--allow-downgrades", f"/srv/{self.old.name}")
        self.machine.wait("the service", self.answers, seconds=30)
        self.check("a downgrade with the same schema works", self.installed() == PREVIOUS_VERSION, self.installed())
        self.apt("install", f"/srv/{self.new.name}")
        self.machine.wait("the service", self.answers, seconds=30)

    def stop_and_start(self) -> None:
        self.machine.run("systemctl", "kill", "--signal=KILL", "doggofinder")
        self.machine.wait("systemd to restart the killed service", self.answers, seconds=30)
        self.check("a killed service is started again", True)
        log = self.machine.run("journalctl", "-u", "doggofinder", "-p", "err", "--no-pager").stdout
        self.check("the journal names the program", "doggofinder" in self.machine.run("journalctl", "-t", "doggofinder", "-n", "1").stdout)
        wrong = [line for line in log.splitlines() if "doggofinder[" in line and " error " in line]
        self.check("the log contains no errors", not wrong, "; ".join(wrong[:3]))

    def remove(self) -> None:
        self.apt("remove", "doggofinder")
        self.check("a removed package answers no more", not self.answers())
        self.check("removal keeps data and settings", self.has(DATA) and self.has("/etc/doggofinder/doggofinder.conf"))

    def purge(self) -> None:
        purged = self.apt("purge", "doggofinder")
        self.check("purge keeps the data unless told", self.has(f"{DATA}/doggofinder.sqlite"), purged.stderr.strip()[-100:])
        self.check("purge removes the settings", not self.has("/etc/doggofinder/doggofinder.conf"))
        self.apt("install", f"/srv/{self.new.name}")
        self.machine.wait("the service", self.answers, seconds=30)
        self.check_listing("after purge and a new installation")
        answer = "echo doggofinder doggofinder/remove-data boolean true | debconf-set-selections"
        self.machine.run("sh", "-c", answer)
        self.apt("purge", "doggofinder")
        self.check("a confirmed purge removes the data", not self.has(DATA))
        self.check("backups stay", self.has("/var/backups/doggofinder"))

    def has(self, path: str) -> bool:
        return (self.machine.tree / path.lstrip("/")).exists()


def add_to_schema(database: Path, number: int) -> int:
    """Changes the schema version of a database that no program has open, and returns it."""
    connection = sqlite3.connect(database)
    schema = connection.execute("PRAGMA user_version").fetchone()[0] + number
    connection.execute(f"PRAGMA user_version = {schema}")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return schema


def png(width: int, height: int) -> bytes:
    """A picture of coloured stripes."""
    rows = b"".join(b"\0" + bytes((x * 3 + y) % 256 for x in range(width) for _ in range(3)) for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Builds the container image twice and runs it: image.py PACKAGE FOLDER

Both builds must be the same to the byte. The image is unpacked and runs as its configuration says, by systemd-nspawn
because crun needs cgroups that a container on a builder does not have: as its user, without privileges, read-only but for
the volume. It is skipped without root or the programs that it needs.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

from machine import first_process_inside

REPOSITORY = Path(__file__).resolve().parents[2]
CONTAINER = REPOSITORY / "Sources/doggofinder/Packaging/container"
CONFIGURATION = REPOSITORY / "Sources/doggofinder/Documentation.docc/Administration/Configuration.md"
MAX_BYTES = 120_000_000
# A limit that only ends a test which would never end.
PATIENCE_SECONDS = 300


def main() -> None:
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    package, work = Path(sys.argv[1]), Path(sys.argv[2]) / "image"
    if os.geteuid() != 0 or not all(map(shutil.which, ("mmdebstrap", "zstd", "systemd-nspawn", "nsenter"))):
        raise SystemExit("skipped: container image: needs root, mmdebstrap, zstd and systemd-container")
    check_variables()
    shutil.rmtree(work, ignore_errors=True)
    archives = [build(package, work / name) for name in ("first", "second")]
    first, second = (archive.read_bytes() for archive in archives)
    report("two builds are the same", first == second, hashlib.sha256(first).hexdigest())
    report("at most 120 MB", len(first) <= MAX_BYTES, f"{len(first) / 1e6:.1f} MB")
    archives[1].unlink()
    image, tree = unpack(archives[0], work)
    check(image, tree)
    Container(image, tree, work / "volume").tell()
    shutil.rmtree(work)


def build(package: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    done = subprocess.run([CONTAINER / "build-image.sh", package, folder], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"FAILED  build-image.sh: {done.stdout[-500:]}{done.stderr[-1500:]}")
    return Path(done.stdout.strip().splitlines()[-1])


def check_variables() -> None:
    known = set(re.findall(r"`(DOGGOFINDER_\w+)`", CONFIGURATION.read_text()))
    used = {name for file in CONTAINER.glob("compose*.yaml") for name in re.findall(r"(DOGGOFINDER_\w+):", file.read_text())}
    report("the compose files set known variables", used and used <= known, ", ".join(sorted(used - known)))


def unpack(archive: Path, work: Path) -> tuple[dict, Path]:
    """Returns the configuration and the tree. Each blob must have the digest and the size that name it."""
    layout, tree = work / "layout", work / "tree"
    with tarfile.open(archive) as tar:
        tar.extractall(layout, filter="data")

    def blob(entry: dict) -> Path:
        path = layout / "blobs" / entry["digest"].replace(":", "/")
        content = path.read_bytes()
        right = hashlib.sha256(content).hexdigest() == path.name and len(content) == entry["size"]
        report(f"digest and size of {entry['mediaType']}", right)
        return path

    manifest = json.loads(blob(json.loads((layout / "index.json").read_text())["manifests"][0]).read_text())
    image = json.loads(blob(manifest["config"]).read_text())
    layer = work / "layer.tar"
    subprocess.run(["zstd", "-q", "-d", blob(manifest["layers"][0]), "-o", layer], check=True)
    with layer.open("rb") as file:
        report("the layer is that of the configuration", image["rootfs"]["diff_ids"] == [f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"])
    tree.mkdir()
    subprocess.run(["tar", "-x", "--numeric-owner", "-p", "-f", layer, "-C", tree], check=True)
    layer.unlink()
    return image["config"], tree


def check(image: dict, tree: Path) -> None:
    report("no root inside", int(image["User"].split(":")[0]) > 0, image["User"])
    special = [str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file() and not path.is_symlink() and path.lstat().st_mode & 0o6000]
    report("no program changes its user", not special, " ".join(special))
    left = [f"{folder}/{path.name}" for folder in ("tmp", "var/log", "var/lib/apt/lists", "data") if (tree / folder).exists() for path in (tree / folder).iterdir()]
    report("the build leaves nothing behind", not left, " ".join(left))
    links = subprocess.run(["chroot", tree, "ldd", "/usr/bin/doggofinder", "/usr/lib/doggofinder/photo-worker"], capture_output=True, text=True)
    report("no library is missing", links.returncode == 0 and "not found" not in links.stdout, links.stdout[-300:] if links.returncode else "")


class Container:
    def __init__(self, image: dict, tree: Path, volume: Path):
        self.image = image
        self.volume = volume
        volume.mkdir()
        user, group = map(int, image["User"].split(":"))
        os.chown(volume, user, group)
        os.chmod(volume, 0o700)
        name = subprocess.run(["chroot", tree, "id", "-nu", str(user)], capture_output=True, text=True, check=True).stdout.strip()
        self.command = [
            "systemd-nspawn", "-q", "--register=no", "--keep-unit", "--private-network", "--console=pipe", "--read-only",
            "--no-new-privileges=yes", "--drop-capability=all", f"--bind={volume}:/data", f"--user={name}", "-D", str(tree),
            *[f"--setenv={variable}" for variable in image["Env"]], *image["Entrypoint"], *image["Cmd"],
        ]
        self.process = None

    def tell(self) -> None:
        with open(self.volume.parent / "log", "w+") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            try:
                begin = time.monotonic()
                healthy = self.wait()
                log.seek(0)
                report("it becomes healthy", healthy, f"{time.monotonic() - begin:.1f} s" if healthy else log.read()[-1500:])
                self.check_photo()
                report("the health check asks for a port where nobody answers", not self.is_healthy(DOGGOFINDER_PORT="9"))
            finally:
                if self.process.poll() is None:
                    os.kill(self.inside() or self.process.pid, 15)
                self.process.wait(PATIENCE_SECONDS)
        report("SIGTERM ends it", self.process.returncode == 0, f"status {self.process.returncode}")
        report("the data is in the volume", (self.volume / "doggofinder.sqlite").exists())

    def inside(self) -> int:
        return first_process_inside(self.process.pid, "doggofinder")

    def wait(self) -> bool:
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            if self.inside() and self.is_healthy():
                return True
            time.sleep(0.2)
        return False

    def is_healthy(self, **variables: str) -> bool:
        """The check of the configuration, in the container."""
        kind, *command = self.image["Healthcheck"]["Test"]
        assert kind == "CMD"
        enter = ["nsenter", "-t", str(self.inside()), "-m", "-n", "-p", "-r", "-w"]
        done = subprocess.run(enter + command, capture_output=True, env=dict(pair.split("=", 1) for pair in self.image["Env"]) | variables)
        return done.returncode == 0

    def check_photo(self) -> None:
        """The sandbox of photos works without privileges."""
        photo = REPOSITORY / "Tests/PhotosTests/Fixtures/plain.heic"
        enter = ["nsenter", "-t", str(self.inside()), "-n", "curl", "-s"]
        base = "http://127.0.0.1:8080/v1"
        guest = json.loads(subprocess.run(enter + ["-X", "POST", f"{base}/guests"], capture_output=True, check=True).stdout)
        token = ["-H", f"Authorization: Bearer {guest['token']}"]
        command = enter + token + ["-H", "Content-Type: image/heic", "--data-binary", f"@{photo}", f"{base}/classifications"]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        report("a HEIC photo is read and classified", "predictions" in answer, "" if "predictions" in answer else answer[:300])


def report(what: str, passed: object, details: str = "") -> None:
    print(f"{'ok    ' if passed else 'FAILED'}  {what}{': ' if details else ''}{details}", flush=True)
    if not passed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

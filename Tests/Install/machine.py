"""A bare Debian 12, made by debootstrap and booted by systemd-nspawn without a network but loopback."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
# A minimal system that boots: systemd, D-Bus for systemctl, and the archive's certificates.
PACKAGES = ["ca-certificates", "dbus", "systemd", "systemd-sysv"]
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root", "TERM": "dumb",
}


class Failed(Exception):
    pass


def bare_tree(base: Path) -> None:
    """Makes the tree that machines are copies of. It is made once, and complete as soon as it has its name."""
    if base.exists():
        return
    part = base.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.parent.mkdir(parents=True, exist_ok=True)
    command = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", str(part), MIRROR]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        raise Failed(f"debootstrap: {made.stdout[-500:]}{made.stderr[-500:]}")
    (part / "etc/machine-id").write_text("")
    part.rename(base)


def chroot(tree: Path, *command: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["chroot", str(tree), *command], capture_output=True, text=True, stdin=subprocess.DEVNULL,
        env=ENVIRONMENT | {"DEBIAN_FRONTEND": "noninteractive"},
    )


class Machine:
    def __init__(self, tree: Path, log: Path):
        self.tree = tree
        self.log = log
        self.process = None
        self.leader = 0

    def boot(self) -> None:
        command = [
            "systemd-nspawn", "-q", "--register=no", "--keep-unit", "--private-network", "--link-journal=no",
            "--console=pipe", "-D", str(self.tree), "-b",
        ]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log.open("wb"), stderr=subprocess.STDOUT, start_new_session=True
        )
        self.wait("the machine to boot", self.is_booted, seconds=60)

    def is_booted(self) -> bool:
        if self.process.poll() is not None:
            raise Failed(f"systemd-nspawn ended: {self.log.read_text(errors='replace')[-500:]}")
        self.leader = first_process_inside(self.process.pid, "systemd")
        if not self.leader:
            return False
        state = self.run("systemctl", "is-system-running", check=False).stdout.strip()
        return state in ("running", "degraded")

    def wait(self, what: str, condition, seconds: float) -> float:
        """Waits until a condition is true, and returns the seconds that it took."""
        start = time.monotonic()
        while not condition():
            if time.monotonic() - start > seconds:
                raise Failed(f"waited {seconds} s for {what}")
            time.sleep(0.05)
        return time.monotonic() - start

    def run(self, *command: str, check: bool = True, **variables: str) -> subprocess.CompletedProcess:
        """Runs a command as root in the machine, with nobody at the keyboard."""
        enter = ["nsenter", "-t", str(self.leader), "-m", "-u", "-i", "-n", "-p", "-r", "-w"]
        done = subprocess.run(
            enter + list(command), capture_output=True, text=True, stdin=subprocess.DEVNULL, env=ENVIRONMENT | variables
        )
        if check and done.returncode != 0:
            raise Failed(f"{' '.join(command)[:200]}: status {done.returncode}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        return done

    def curl(self, *arguments: str) -> tuple[int, bytes]:
        """Sends a request in the machine's network with the curl of this system; the status is 0 without an answer."""
        done = subprocess.run(
            ["nsenter", "-t", str(self.leader), "-n", "curl", "-s", "-m", "60", "-w", "\n%{http_code}", *arguments],
            capture_output=True,
        )
        body, _, status = done.stdout.rpartition(b"\n")
        return int(status or 0), body

    def json(self, *arguments: str):
        status, body = self.curl(*arguments)
        if status not in (200, 201):
            raise Failed(f"curl {' '.join(arguments)[:200]}: {status} {body[:500]!r}")
        return json.loads(body)

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)  # nspawn shuts the machine down
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def first_process_inside(outside: int, name: str) -> int:
    """Returns the descendant of a process that is number 1 in a namespace of its own and runs a program."""
    for child in children(outside):
        try:
            fields = dict(line.split(":\t", 1) for line in Path(f"/proc/{child}/status").read_text().splitlines() if ":\t" in line)
        except OSError:
            continue
        if len(fields["NSpid"].split()) > 1 and fields["NSpid"].split()[-1] == "1" and fields["Name"].strip() == name:
            return child
        if found := first_process_inside(child, name):
            return found
    return 0


def children(process: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []

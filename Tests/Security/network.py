"""A network namespace of its own, in which a client can have an address that is not a loopback address."""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

CLIENT = "203.0.113.7"
MARK = "DOGGOFINDER_TEST_NAMESPACE"


def enter():
    """Runs the script again in a new namespace, if the system permits one. Returns whether the script is in it."""
    if MARK in os.environ:
        set_up_loopback()
        return True
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], stderr=subprocess.DEVNULL).returncode != 0:
        return False
    sys.exit(subprocess.run([*command, sys.executable, *sys.argv], env=os.environ | {MARK: "1"}).returncode)


def set_up_loopback():
    """Brings up the loopback device, with `CLIENT` as its second address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        def device(request, name, fields):
            fcntl.ioctl(control, request, name.encode().ljust(16, b"\0") + fields.ljust(24, b"\0"))

        device(0x8914, "lo", struct.pack("h", 0x49))  # SIOCSIFFLAGS with IFF_UP, IFF_LOOPBACK, IFF_RUNNING
        device(0x8916, "lo:1", struct.pack("hH4s", socket.AF_INET, 0, socket.inet_aton(CLIENT)))  # SIOCSIFADDR

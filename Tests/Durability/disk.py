"""Controls the simulated disk of disk.c, and computes the possible contents of the disk after a power cut."""
import ctypes
import mmap
import os
import random
import struct
import subprocess

WRITE, SYNC, TRUNCATE, RENAME, CREATE, READ, UNLINK = (1 << bit for bit in range(7))
CALLS = {"write": WRITE, "fsync": SYNC, "ftruncate": TRUNCATE, "create": CREATE, "read": READ, "unlink": UNLINK}
SECTOR = 512


def build(work):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "disk.c")
    library = os.path.join(work, "disk.so")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


class Control(ctypes.Structure):
    _fields_ = [("calls", ctypes.c_int32), ("error", ctypes.c_int32), ("spared", ctypes.c_int64), ("times", ctypes.c_int64),
                ("seen", ctypes.c_int64), ("failed", ctypes.c_int64), ("torn", ctypes.c_int32), ("padding", ctypes.c_int32)]


class Disk:
    """A simulated disk for one folder."""

    def __init__(self, work, library, folder, remembers=False):
        path = os.path.join(work, "control")
        with open(path, "wb") as file:
            file.write(bytes(ctypes.sizeof(Control)))
        with open(path, "r+b") as file:
            self.control = Control.from_buffer(mmap.mmap(file.fileno(), 0))
        self.log = os.path.join(work, "log")
        self.environment = {"LD_PRELOAD": library, "DISK_ROOT": folder, "DISK_CONTROL": path}
        if remembers:
            self.environment["DISK_LOG"] = self.log

    def fail(self, calls, error, spared=0, times=-1, torn=False):
        self.control.calls = 0
        self.control.error, self.control.spared, self.control.times, self.control.torn = error, spared, times, torn
        self.control.seen = self.control.failed = 0
        self.control.calls = calls

    def heal(self):
        self.control.calls = 0
        return self.control.failed


HEAD = struct.Struct("=c7xqQqII")


def records(log):
    """The kind, time, inode, offset, name and bytes of every change, in order."""
    with open(log, "rb") as file:
        whole = file.read()
    place = 0
    while place + HEAD.size <= len(whole):
        kind, time, inode, offset, name_size, size = HEAD.unpack_from(whole, place)
        place += HEAD.size
        name = whole[place:place + name_size].decode()
        place += name_size
        yield kind.decode(), time, inode, offset, name, whole[place:place + size]
        place += size


class File:
    def __init__(self):
        # The bytes that are on disk for certain, and the writes since the last fsync, in order.
        self.synced, self.pending = bytearray(), []

    def sync(self):
        for change in self.pending:
            apply(self.synced, change)
        self.pending = []

    def after_cut(self, chance):
        """A possible content after a power cut: any subset of the unsynced sectors may have been written, in any
        order.
        """
        content = bytearray(self.synced)
        for offset, data in self.pending:
            if data is None:
                if chance.random() < 0.5:
                    apply(content, (offset, None))
                continue
            luck = chance.choice((0, 0.3, 0.7, 1))
            end = offset + len(data)
            begin = offset
            while begin < end:
                stop = min(end, (begin // SECTOR + 1) * SECTOR)
                if chance.random() < luck:
                    apply(content, (begin, data[begin - offset:stop - offset]))
                begin = stop
        return content


def apply(content, change):
    offset, data = change
    if data is None:
        del content[offset:]
        content.extend(bytes(offset - len(content)))
    else:
        content.extend(bytes(max(0, offset - len(content))))
        content[offset:offset + len(data)] = data


class Model:
    """A file system that guarantees only what POSIX does: synced bytes survive, and so do names in synced folders."""

    def __init__(self):
        self.inodes, self.names, self.synced_names = {}, {}, {}

    def take(self, record):
        kind, _, inode, offset, name, data = record
        file = self.inodes.get(inode)
        if kind == "C" and not name:
            self.inodes[inode] = File()
        elif kind == "C" and (file is None or self.names.get(name) is not file):
            self.inodes[inode] = self.names[name] = File()
        elif kind == "W" and file:
            file.pending.append((offset, data))
        elif kind == "T" and file:
            file.pending.append((offset, None))
        elif kind == "S" and file and (self.names.get(name) is file or name.endswith(" (deleted)")):
            file.sync()
        elif kind == "S":
            # A folder may have the inode number of a deleted file.
            self.sync_folder(name)
        elif kind == "U":
            self.names.pop(name, None)
        elif kind == "R" and name in self.names:
            self.names[data.decode()] = self.names.pop(name)

    def sync_folder(self, folder):
        for name in set(self.names) | set(self.synced_names):
            if os.path.dirname(name) != folder:
                continue
            if name in self.names:
                self.synced_names[name] = self.names[name]
            else:
                del self.synced_names[name]

    def cut(self, root, target, chance):
        """Writes one possible state after a power cut into a folder."""
        for name in set(self.names) | set(self.synced_names):
            file = chance.choice((self.names.get(name), self.synced_names.get(name)))
            if file is None:
                continue
            path = target + name[len(root):]
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as output:
                output.write(file.after_cut(chance))

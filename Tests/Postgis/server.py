"""A PostgreSQL server in a temporary folder, on a Unix socket only, run by an ordinary user.

    python3 server.py [--durable] COMMAND...

runs a command with such a server; PGHOST and PGUSER name it, and TEST_DATABASE for the tests in Swift and for
`program.py`. `--durable`: commits reach the disk.
"""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

USER = "doggofinder"


def skip(reason):
    print(f"skipped: PostGIS: {reason}")
    raise SystemExit(0)


def memory():
    """Returns a folder in memory with room for the databases of tests, or None. Each has hundreds of files, which a busy
    disk takes seconds to make and to remove.
    """
    folder = "/dev/shm"
    return folder if os.path.isdir(folder) and shutil.disk_usage(folder).free > 4 << 30 else None


def programs():
    """Returns the folder of PostgreSQL 15's programs. Ends with a reason if they or PostGIS are missing."""
    folder = next(iter(glob.glob("/usr/lib/postgresql/15/bin")), None)
    if folder is None:
        skip("needs postgresql-15")
    if not glob.glob("/usr/share/postgresql/15/extension/postgis.control"):
        skip("needs postgresql-15-postgis-3")
    return folder


class Server:
    """Runs from `__enter__` to `__exit__`. `folder` contains the socket."""

    def __init__(self, is_durable=False):
        self.bin = programs()
        self.is_durable = is_durable
        self.folder = tempfile.mkdtemp(prefix="postgis-", dir=None if is_durable else memory())
        self.data = self.folder + "/data"
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            shutil.chown(self.folder, pwd.getpwnam(self.user).pw_uid)

    def __enter__(self):
        try:
            self._run("initdb", "-D", self.data, "-U", USER, "--auth=trust", "--locale=C", "--encoding=UTF8")
            self.start()
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        # Data that is thrown away does not have to reach the disk.
        fsync = "on" if self.is_durable else "off"
        options = f"-c listen_addresses='' -k {self.folder} -c fsync={fsync} -c max_connections=600" \
                  " -c max_wal_size=256MB"
        self._run("pg_ctl", "-D", self.data, "-w", "-l", self.folder + "/log", "-o", options, "start")

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    def kill(self):
        """Kills all processes of the server, as if the machine had failed."""
        with open(self.data + "/postmaster.pid") as file:
            first = int(file.readline())
        # The first one would begin to repair what the others left.
        os.kill(first, signal.SIGSTOP)
        processes = [*children(first), first]
        for process in processes:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while any(map(is_running, processes)):
            time.sleep(0.01)
        # The number of the process still exists until its parent, which is that of all orphans, asks for its status.
        for lock in (self.data + "/postmaster.pid", self.folder + "/.s.PGSQL.5432.lock"):
            os.remove(lock)

    def environment(self):
        return {**os.environ, "PGHOST": self.folder, "PGUSER": USER, "PGDATABASE": "postgres",
                "TEST_DATABASE": f"postgresql://{USER}@/postgres?host={self.folder}"}

    def _run(self, program, *arguments):
        done = subprocess.run([f"{self.bin}/{program}", *arguments], user=self.user, cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise SystemExit(f"{program}: {done.stdout}")


def children(process):
    """Returns the numbers of the processes that a process has started."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                number, rest = file.read().split(" ", 1)
        except OSError:
            continue
        if int(rest.rsplit(")", 1)[1].split()[1]) == process:
            found.append(int(number))
    return found


def is_running(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    command = [word for word in sys.argv[1:] if word != "--durable"]
    with Server(is_durable=len(command) < len(sys.argv) - 1) as server:
        status = subprocess.run(command, env=server.environment()).returncode
    raise SystemExit(status)

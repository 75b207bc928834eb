"""A PostgreSQL server in a temporary folder, on a Unix socket only, run by an ordinary user.

    python3 server.py COMMAND...

runs a command with such a server; PGHOST and PGUSER name it, and TEST_DATABASE for the tests in Swift.
"""

import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

USER = "doggofinder"


def skip(reason):
    print(f"skipped: PostGIS: {reason}")
    raise SystemExit(0)


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

    def __init__(self):
        self.bin = programs()
        self.folder = tempfile.mkdtemp(prefix="postgis-")
        self.data = self.folder + "/data"
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            shutil.chown(self.folder, pwd.getpwnam(self.user).pw_uid)

    def __enter__(self):
        try:
            self._run("initdb", "-D", self.data, "-U", USER, "--auth=trust", "--locale=C", "--encoding=UTF8")
            # The data is thrown away, so nothing has to reach the disk.
            options = f"-c listen_addresses='' -k {self.folder} -c fsync=off -c max_connections=600"
            self._run("pg_ctl", "-D", self.data, "-w", "-l", self.folder + "/log", "-o", options, "start")
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        return self

    def __exit__(self, *_):
        self._run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def environment(self):
        return {**os.environ, "PGHOST": self.folder, "PGUSER": USER, "PGDATABASE": "postgres",
                "TEST_DATABASE": f"postgresql://{USER}@/postgres?host={self.folder}"}

    def _run(self, program, *arguments):
        done = subprocess.run([f"{self.bin}/{program}", *arguments], user=self.user, cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise SystemExit(f"{program}: {done.stdout}")


if __name__ == "__main__":
    with Server() as server:
        status = subprocess.run(sys.argv[1:], env=server.environment()).returncode
    raise SystemExit(status)

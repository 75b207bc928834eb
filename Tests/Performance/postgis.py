"""Compares searches over HTTP on PostgreSQL with a statement that is written by hand and run by pgbench.

    python3 Tests/Performance/postgis.py DATABASE PROGRAM [SECONDS]

DATABASE is the address of a PostgreSQL database with many listings, PROGRAM the program under test. Both answer the 50
nearest open listings within 5 km around 100 listings, with 8 connections each, in turns. Needs wrk and pgbench. The index
that the second statement by hand needs is made before and removed afterwards.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Postgis"))
from nearest import NEIGHBOURS, SORTED, psql, variables  # noqa: E402

CONNECTIONS = 8
ROUNDS = 3
SCRIPT = """
local paths = {%s}
local number = 0
request = function()
    number = number %% #paths + 1
    return wrk.format("GET", paths[number])
end
"""


def ticks(pid):
    """The processor time of a process in seconds."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def pgbench(statement, points, seconds):
    """Returns transactions in a second."""
    with tempfile.TemporaryDirectory() as folder:
        options = []
        for number, (lon, lat) in enumerate(points):
            path = os.path.join(folder, f"{number}.sql")
            with open(path, "w") as file:
                file.write(variables(lon, lat) + statement)
            options += ["-f", path]
        done = subprocess.run(["pgbench", "-n", "-M", "prepared", "-c", str(CONNECTIONS), "-j", "2", "-T", str(seconds),
                               *options], check=True, text=True, capture_output=True)
    return float(re.search(r"tps = ([\d.]+)", done.stdout)[1])


def http(port, points, seconds):
    """Returns requests in a second. Raises SystemExit if one is not answered with 200."""
    paths = ", ".join(f'"/v1/listings?lon={lon}&lat={lat}&radius=5000&limit=50"' for lon, lat in points)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT % paths)
        script.flush()
        done = subprocess.run(["wrk", "-t", "1", "-c", str(CONNECTIONS), "-d", f"{seconds}s", "-s", script.name,
                               f"http://127.0.0.1:{port}"], check=True, text=True, capture_output=True)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise SystemExit(done.stdout)
    return float(re.search(r"Requests/sec: +([\d.]+)", done.stdout)[1])


def serve(program, data, database):
    environment = {**os.environ, **({"DOGGOFINDER_DATABASE": database} if database else {})}
    process = subprocess.Popen([program, "serve", "--port", "0", "--data", data, "--rate-limit", "off", "--log-level", "error"],
                               stdout=subprocess.PIPE, text=True, env=environment)
    line = process.stdout.readline()
    if "answers at" not in line:
        raise SystemExit("the server does not start")
    return process, int(line.rsplit(":", 1)[1])


def main():
    database, program = sys.argv[1:3]
    if not database.startswith("postgresql://"):
        raise SystemExit("DATABASE: expected postgresql://...")
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    file = os.environ.get("DATA")
    points = [(float(lon), float(lat)) for lon, lat in psql(
        "SELECT lon, lat FROM board WHERE status IN ('lost', 'found') ORDER BY id % 7919, id LIMIT 100")]
    print(f"{psql('SELECT count(*) FROM board')[0][0]} listings on the board, {seconds} s each, {ROUNDS} rounds")
    psql("CREATE INDEX nearest_by_hand ON board USING gist ((geom::geography))")
    rates = {}
    try:
        with tempfile.TemporaryDirectory() as data:
            servers = {"HTTP, PostgreSQL": serve(program, data, database)}
            if file:
                servers["HTTP, database file"] = serve(program, file, None)
            for _ in range(ROUNDS):
                for name, statement in (("by hand, geography KNN", NEIGHBOURS), ("by hand, ST_Distance", SORTED)):
                    rates.setdefault(name, []).append((pgbench(statement, points, seconds), 0))
                for name, (process, port) in servers.items():
                    http(port, points, 1)
                    before = ticks(process.pid)
                    rate = http(port, points, seconds)
                    rates.setdefault(name, []).append((rate, (ticks(process.pid) - before) / seconds / rate * 1e6))
            for process, _ in servers.values():
                process.terminate()
                process.wait()
    finally:
        psql("DROP INDEX nearest_by_hand")
    for name, found in rates.items():
        rate = statistics.median(rate for rate, _ in found)
        time_each = statistics.median(each for _, each in found)
        told = f", {time_each:.0f} us of the program's processor time each" if time_each else ""
        print(f"{name:26} {rate:8.0f} /s{told}")


if __name__ == "__main__":
    main()

"""Kills the server and other commands at random moments, and checks that all acknowledged data survived.

Usage: crash.py [--postgis] [KILLS] [SEED]. PROGRAM is the program under test. With `--postgis`, it uses a PostgreSQL
server that this script starts, and kills that one, too.
"""
import csv
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from lab import PROGRAM, Server, Writer, check, report, run, verify_files
# `lab` has added the folder of this module to the path.
from server import Server as PostgreSQL


class Harness:
    """Without a PostgreSQL server, the data folder contains the database."""

    def __init__(self, seed, postgres=None):
        self.postgres = postgres
        self.random = random.Random(seed)
        self.work = tempfile.mkdtemp(prefix="crash-")
        self.data = os.path.join(self.work, "data")
        self.writers = [Writer(number, self.random.random()) for number in range(4)]
        self.kills, self.problems = {}, []
        self.happened = {True: 0, False: 0, None: 0}
        self.imported = 0

    def kill(self, what):
        self.kills[what] = self.kills.get(what, 0) + 1

    def moment(self, most):
        time.sleep(self.random.random() * most)

    def serve(self):
        server = Server(self.data)
        if not server.wait():
            raise SystemExit("the server does not start again:\n" + server.said())
        return server

    def traffic(self, server):
        self.writers = [writer.again(server) for writer in self.writers]
        for writer in self.writers:
            writer.start()

    def rest(self):
        for writer in self.writers:
            writer.stopping = True
        for writer in self.writers:
            writer.join(30)

    def look(self, server, what):
        for writer in self.writers:
            writer.server = server
            problems, happened = writer.verify()
            if happened is not None:
                self.happened[happened] += 1
            self.problems += [f"{what}: {problem}" for problem in problems]
        self.problems += [f"{what}: {problem}" for problem in verify_files(self.data, server) + check(self.data)]

    # The processes that are killed.

    def while_serving(self, server):
        self.traffic(server)
        self.moment(0.8)
        server.kill()
        self.rest()
        self.kill("serve")

    def while_starting(self, server):
        server.kill()
        other = Server(self.data)
        self.moment(0.9)
        other.kill()
        self.kill("serve, starting")

    def while_copying(self, server):
        self.traffic(server)
        folder = os.path.join(self.work, "backups")
        process = subprocess.Popen([PROGRAM, "backup", folder, "--data", self.data],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.moment(0.5)
        process.kill()
        process.wait()
        self.kill("backup")
        # Every visible folder must be a complete backup, because unfinished ones have hidden names.
        for entry in os.listdir(folder) if os.path.isdir(folder) else []:
            if entry.startswith("."):
                continue
            copy = os.path.join(folder, entry)
            self.problems += [f"backup: {problem}" for problem in check(copy) + verify_files(copy)]
            shutil.rmtree(copy)
        self.rest()
        server.kill()

    def while_importing(self, server):
        self.traffic(server)
        # On PostgreSQL, a row takes longer.
        rows, path = 600 if self.postgres else 3000, os.path.join(self.work, "rows.csv")
        word = f"import{self.imported}"
        self.imported += 1
        with open(path, "w", newline="") as file:
            sheet = csv.writer(file)
            sheet.writerow(["id", "status", "name", "lon", "lat", "created_at"])
            sheet.writerows([f"{word}-{row}", "found" if row % 3 else "closed", word, 12.5 + row / 1000, 42,
                             f"2026-01-{row % 28 + 1:02}T10:00:00.{row % 1000:03}Z"] for row in range(rows))
        whole = os.path.join(self.work, "whole")
        for folder in (self.data, whole):
            run("accounts", "add", "shelter@example.org", data=folder, input="correct horse\n")
        command = ["listings", "import", path, "--owner", "shelter@example.org"]
        process = subprocess.Popen([PROGRAM, *command, "--data", self.data],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.moment(2.5)
        process.kill()
        process.wait()
        self.kill("listings import")
        # A repeated import must complete the data without duplicates, as if the first one had not been interrupted.
        for folder in (self.data, whole):
            status, said = run(*command, data=folder)
            if status:
                self.problems.append(f"the import again: {said}")
        wanted = self.imported_rows(whole, word)
        if len(wanted) != rows or self.imported_rows(self.data, word) != wanted:
            self.problems.append(f"the import again: {word} differs from an import that was not interrupted")
        shutil.rmtree(whole)
        self.rest()
        server.kill()

    def imported_rows(self, folder, word):
        """The listings of an import, without the ids that the program has chosen."""
        table = subprocess.run([PROGRAM, "listings", "export", "--format", "csv", "--data", folder],
                               capture_output=True, text=True).stdout
        rows = [row for row in csv.DictReader(table.splitlines()) if row["name"] == word]
        for row in rows:
            del row["id"]
        return sorted(list(row.values()) for row in rows)

    def while_migrating(self, server):
        server.kill()
        folder = os.path.join(self.work, "new")
        process = subprocess.Popen([PROGRAM, "migrate", "--data", folder],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.moment(0.35)
        process.kill()
        process.wait()
        self.kill("migrate")
        status, said = run("migrate", data=folder)
        self.problems += [f"migrate: {said}"] if status else [f"migrate: {problem}" for problem in check(folder)]
        shutil.rmtree(folder)

    def while_saving(self, server):
        self.traffic(server)
        self.moment(0.8)
        self.postgres.kill()
        # The program repeats writes that were not committed, and requests meanwhile are refused.
        self.moment(0.8)
        self.postgres.start()
        self.moment(0.8)
        self.rest()
        self.kill("PostgreSQL")
        if server.process.poll() is not None:
            self.problems.append("the server ended with its database:\n" + server.said())
        server.kill()

    def run(self, kills):
        begin = time.monotonic()
        first = [self.while_starting, self.while_serving, self.while_importing, self.while_migrating,
                 self.while_saving if self.postgres else self.while_copying]
        ways = [self.while_serving] * 10 + [first[-1]] * 6 + first
        server = self.serve()
        for number in range(kills):
            way = first[number] if number < len(first) else self.random.choice(ways)
            way(server)
            server = self.serve()
            self.look(server, way.__name__.replace("_", " "))
            if len(self.problems) > 20:
                break
        if server.stop() != 0:
            self.problems.append("the server does not end as it should")
        rows = [[f"killed: {what}", count] for what, count in sorted(self.kills.items())]
        rows += [["kills", sum(self.kills.values())],
                 ["writes acknowledged", sum(writer.acknowledged for writer in self.writers)],
                 ["writes cut off that had happened", self.happened[True]],
                 ["writes cut off that had not", self.happened[False]],
                 ["listings at the end", sum(len(writer.listings) for writer in self.writers)],
                 ["refused", sum(writer.refused for writer in self.writers)],
                 ["seconds", round(time.monotonic() - begin)]]
        return report(rows, self.problems, self.work)


def main(arguments):
    words = [word for word in arguments if word != "--postgis"]
    count = int(words[0]) if words else 200
    seed = int(words[1]) if len(words) > 1 else random.randrange(1 << 30)
    print("seed", seed)
    if len(words) == len(arguments):
        return Harness(seed).run(count)
    with PostgreSQL(is_durable=True) as server:
        os.environ |= server.environment()
        return Harness(seed, server).run(count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

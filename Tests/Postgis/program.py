#!/usr/bin/python3
"""The program DoggoFinder with a PostgreSQL database of its own for each data folder: program.py ARGUMENTS...

It runs the program that DOGGOFINDER names, on the server of TEST_DATABASE (see `server.py`), so that the scripts which
test a program run on PostgreSQL unchanged. The name of the database is in a file of the folder.
"""

import os
import subprocess
import sys
import uuid

REPOSITORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PROGRAM = os.path.join(REPOSITORY, os.environ.get("DOGGOFINDER", ".build/debug/doggofinder"))
NAME = "test-database"


def database(data):
    """Returns the name of the folder's database, and makes it at the first use."""
    path = os.path.join(data, NAME)
    if not os.path.exists(path):
        os.makedirs(data, exist_ok=True)
        name = "test_" + uuid.uuid4().hex
        psql("postgres", f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
        # A test may kill this process at any moment.
        with open(path + ".new", "w") as file:
            file.write(name)
        os.replace(path + ".new", path)
    with open(path) as file:
        return file.read()


def psql(database, sql):
    """Runs SQL and returns its rows as lists of texts."""
    done = subprocess.run(["/usr/lib/postgresql/15/bin/psql", "-X", "-q", "-A", "-t", "-F", "\t", "-d", database, "-c", sql], text=True,
                          check=True, stdout=subprocess.PIPE)
    return [line.split("\t") for line in done.stdout.splitlines()]


def main(arguments):
    if "--data" in arguments:
        name = database(arguments[arguments.index("--data") + 1])
        os.environ["DOGGOFINDER_DATABASE"] = os.environ["TEST_DATABASE"].replace("/postgres?", f"/{name}?")
    os.execv(PROGRAM, [PROGRAM, *arguments])


if __name__ == "__main__":
    main(sys.argv[1:])

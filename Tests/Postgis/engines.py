"""Two databases with the newest schema, one on each engine, that run the same statements with the same values."""

import ctypes
import glob
import json
import re
import sqlite3
import subprocess
import unicodedata

from server import skip

# What both engines call a violated constraint: SQLite by the beginning of its message, PostgreSQL by SQLSTATE.
SQLITE_REASONS = {"UNIQUE": "unique", "CHECK": "check", "NOT NULL": "not null", "FOREIGN KEY": "foreign key"}
SQLSTATES = {"23505": "unique", "23514": "check", "23502": "not null", "23503": "foreign key"}


class Refused(Exception):
    """The database refused a statement. `reason` is a kind of constraint, or the message of a trigger."""

    def __init__(self, reason, message):
        super().__init__(message)
        self.reason = reason


class SpatiaLite:
    def __init__(self, migrations):
        empty = connect()
        empty.execute("SELECT InitSpatialMetaData(0, 'WGS84')").fetchall()
        self.foreign = {name for name, in empty.execute("SELECT name FROM sqlite_schema")}
        self.db = connect()
        for file in sorted(glob.glob(f"{migrations}/[0-9]*.sql")):
            with open(file) as text:
                self.db.executescript(text.read())

    def names(self, kind):
        """Returns the names of objects that the migrations made."""
        rows = self.db.execute("SELECT name FROM sqlite_schema WHERE type = ? ORDER BY rowid", [kind])
        return [name for name, in rows if name not in self.foreign]

    def query(self, sql):
        cursor = self.db.execute(sql)
        columns = [column[0] for column in cursor.description]
        return [dict(zip(columns, row)) for row in cursor]

    def run(self, sql, values=(), keep=True):
        self.db.execute("SAVEPOINT one")
        try:
            cursor = self.db.execute(sql, values)
            cursor.fetchall()
            count = cursor.rowcount
            if not keep:
                self.db.execute("ROLLBACK TO one")
            return count
        except sqlite3.Error as error:
            # SpatiaLite's own triggers roll back the transaction.
            if self.db.in_transaction:
                self.db.execute("ROLLBACK TO one")
            message = str(error)
            kind = message.split(" constraint failed")[0]
            raise Refused(SQLITE_REASONS.get(kind, message), message) from None
        finally:
            if self.db.in_transaction:
                self.db.execute("RELEASE one")


def connect():
    db = sqlite3.connect(":memory:", isolation_level=None)
    if not hasattr(db, "enable_load_extension"):
        skip("this Python loads no extensions of SQLite")
    db.enable_load_extension(True)
    try:
        db.load_extension("mod_spatialite")
    except sqlite3.OperationalError:
        skip("needs libsqlite3-mod-spatialite")
    db.create_function("stems", -1, stems, deterministic=True)
    # PostgreSQL stores whole features.
    db.create_function("short_feature", 1, lambda feature: feature, deterministic=True)
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA trusted_schema = ON")
    return db


def stems(*texts):
    """The program's SQL function: the stems of all words of the texts, where they differ from the words."""
    letters = unicodedata.normalize("NFD", " ".join(text for text in texts if text is not None))
    words = re.split(r"[\W_]+", "".join(letter for letter in letters if not unicodedata.combining(letter)).lower())
    found = {word: stem(stem(word.encode(), ITALIAN), ENGLISH).decode() for word in words if re.fullmatch("[a-z]+", word)}
    return " ".join(sorted({stem for word, stem in found.items() if stem != word}))


SNOWBALL = ctypes.CDLL("libstemmer.so.0d")
SNOWBALL.sb_stemmer_new.restype = ctypes.c_void_p
SNOWBALL.sb_stemmer_stem.restype = ctypes.POINTER(ctypes.c_char)
ITALIAN, ENGLISH = (ctypes.c_void_p(SNOWBALL.sb_stemmer_new(name, b"UTF_8")) for name in (b"italian", b"english"))


def stem(word, stemmer):
    return SNOWBALL.sb_stemmer_stem(stemmer, word, len(word))[:SNOWBALL.sb_stemmer_length(stemmer)]


class PostGIS:
    """Speaks with the server through psql, so that no driver has to be installed."""

    def __init__(self, server, migrations):
        psql = [f"{server.bin}/psql", "-X", "-q", "-A", "-t", "-v", "VERBOSITY=sqlstate"]
        self.environment = server.environment()
        subprocess.run([*psql, "-c", "CREATE DATABASE doggofinder"], env=self.environment, check=True)
        self.environment["PGDATABASE"] = "doggofinder"
        for file in sorted(glob.glob(f"{migrations}/[0-9]*.sql")):
            subprocess.run([*psql, "-v", "ON_ERROR_STOP=1", "-v", "VERBOSITY=default", "-1", "-f", file],
                           env=self.environment, check=True)
        self.process = subprocess.Popen(psql, env=self.environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._send("BEGIN")

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def query(self, sql):
        lines, _, state, message = self._send(f"SELECT coalesce(json_agg(row_to_json(r)), '[]') FROM ({sql}) AS r")
        if state != "00000":
            raise Refused(SQLSTATES.get(state, state), f"{state} {message}: {sql}")
        return json.loads("\n".join(lines))

    def run(self, sql, values=(), keep=True):
        self._send("SAVEPOINT one")
        _, count, state, message = self._send(bind(sql, values))
        if state != "00000":
            self._send("ROLLBACK TO one")
            reason = message if state == "23000" else SQLSTATES.get(state, state)
            raise Refused(reason, f"{state} {message}")
        self._send("RELEASE one" if keep else "ROLLBACK TO one")
        return count

    def _send(self, sql):
        self.process.stdin.write(sql + "\n;\n\\echo\n\\echo =:ROW_COUNT =:SQLSTATE =:LAST_ERROR_MESSAGE\n")
        self.process.stdin.flush()
        lines = []
        while not (match := re.match(r"=(\d*) =(\w{5}) =(.*)", line := self.process.stdout.readline())):
            if not line:
                raise SystemExit("psql ended: " + "".join(lines))
            lines.append(line.rstrip("\n"))
        count, state, message = match.groups()
        return lines[:-1], int(count or 0), state, message


def bind(sql, values):
    """Writes the values into the statement as literals without a type, which is how libpq binds texts."""
    values = iter(values)
    return re.sub(r"\?", lambda _: literal(next(values)), sql)


def literal(value):
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return "'\\x" + value.hex() + "'"
    return "'" + str(value).replace("'", "''") + "'"

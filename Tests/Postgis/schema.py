#!/usr/bin/env python3
"""Compares the schema of PostGIS with that of SpatiaLite: schema.py

Compares tables, columns, keys and indexes; runs the writes of `writes.py` on both, compares all rows and views after
them, and then changes each column of each table to values that its constraints accept or refuse. It prints a line for
each comparison and ends with status 1 if the engines differ.
"""

import json
import re
import sys
from datetime import datetime, timezone
from pathlib import Path

from engines import PostGIS, Refused, SpatiaLite
from server import Server
from writes import ALL

REPOSITORY = Path(__file__).resolve().parents[2]
# What one engine has in place of something of the other.
TEXT_INDEXES = ["board_text", "archive_text", "place_text"]
# Tables that are virtual on SpatiaLite: FTS5 and R*Tree.
VIRTUAL = [*TEXT_INDEXES, "alert_area"]
ONLY_SPATIALITE_TABLES = {"cell_bits"}
# Counters are in the memory of the process, and files of imports in the data folder, if there is a database file. SQLite
# itself counts the entries of the audit log.
ONLY_POSTGIS_TABLES = {
    "schema_version", "limit_counter", "limit_secret", "listing_import_file", "node_setting", "audit_end"}
ONLY_POSTGIS_STEPS = {"limit_counters", "nodes", "json_valid", "nearest"}
# SpatiaLite's triggers share code through this view.
ONLY_SPATIALITE_VIEWS = {"listing_index"}
ONLY_SPATIALITE_TRIGGERS = {
    # On PostGIS, one trigger does the work of several.
    "listing_index_insert", "listing_index_delete", "match_candidate_enters", "match_candidate_leaves",
    # PostGIS has constraints in their place, which SQLite cannot add to a table.
    "match_answer_is_whole", "match_answer_stays_whole", "message_point_is_whole", "message_point_stays_whole",
}
ONLY_POSTGIS_TRIGGERS = {"audit_is_never_emptied"}
# The numbers depend on the order in which a statement meets rows.
ROWS = {
    "event": "SELECT type, subject, at FROM event",
    "listing_history": "SELECT listing_id, at, type, former, status FROM listing_history",
    "facet": "SELECT name FROM facet",
    "listing_facet": """
        SELECT facet.name, zone, listing_id, lon, lat FROM listing_facet JOIN facet ON facet.id = facet_id""",
}
# PostGIS refuses more: numbers that the program does not write, and JSON that is no array.
UNLIKE = {"cell_level", "listing.place_names", "listing.facets"}
TYPES = {
    "INTEGER": {"bigint", "integer", "boolean"}, "TEXT": {"text", "citext"}, "BLOB": {"bytea", "geometry"},
    "REAL": {"double precision"}, "POINT": {"geometry"},
}
# What each column is changed to. The lengths are those that constraints allow, and one more.
LENGTHS = [1, 2, 9, 36, 40, 41, 60, 61, 80, 81, 100, 101, 120, 121, 200, 201, 254, 255, 300, 301, 500, 501, 1000, 1001,
           4000, 4001, 16384, 16385]
TEXTS = [
    None, "", *["x" * length for length in LENGTHS], "ò" * 80, "it", "en", "user", "lost", "found", "closed", "dog",
    "yes", "no", "open", "[]", "{}", "[", "null", "IT", "123456789", "2026-02-02T03:20:00.000Z", "2026-02-02T03:20:00Z",
    "2026-02-02", "https://example.org/x", "http://x", "a@b", "@", "whsec_x", "$argon2id$x",
    "0123456789abcdef0123456789abcdef", "2222222", "7KF3M2Q", "7KF3M2O", "7kf3m2q", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
]
INTEGERS = [None, -1, 0, 1, 2, 3, 7, 21, 22, 100, 168, 169, 99999, 2**62]
REALS = [None, -1, 0, 0.01, 0.5, 1, 1.5, -90.5, 90, 91, 180, 180.5]
BLOBS = [None, b"", b"x", bytes(32), bytes(range(32)), bytes(48), bytes(102400), bytes(102401)]
VALUES = {
    "boolean": INTEGERS[:6], "bigint": INTEGERS, "integer": INTEGERS, "double precision": REALS, "text": TEXTS,
    "citext": TEXTS, "bytea": BLOBS, "geometry": [None],
}


class Report:
    def __init__(self):
        self.failures = 0

    def check(self, what, differences, count):
        self.failures += bool(differences)
        print(f"{'FAILED' if differences else 'ok    '}  {what}: {count} compared", flush=True)
        for difference in differences[:20]:
            print(f"        {difference}")


def compare(report, what, lite, gis):
    """Compares two dictionaries."""
    differences = [f"{name}: SpatiaLite {lite.get(name)}, PostGIS {gis.get(name)}"
                   for name in sorted(lite.keys() | gis.keys()) if lite.get(name) != gis.get(name)]
    report.check(what, differences, len(lite))


# The schema


def tables(lite):
    """Returns the tables of the program on SpatiaLite, without internal ones; virtual tables last."""
    virtual = [row["name"] for row in lite.query("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%'")]
    virtual = [name for name in lite.names("table") if name in virtual]
    own = [name for name in lite.names("table")
           if not name.startswith("sqlite_") and name not in ONLY_SPATIALITE_TABLES
           and not any(name == index or name.startswith(index + "_") for index in virtual)]
    return own + [name for name in virtual if not name.startswith("idx_")]


def columns(lite, gis, table):
    """Returns the columns on both: the kind of type, whether they can be NULL, and the default."""
    found = {}
    for row in lite.query(f"SELECT * FROM pragma_table_info('{table}')"):
        key = row["pk"] > 0
        found[row["name"]] = (row["type"], bool(row["notnull"]) or key, default(row["dflt_value"]))
    there = {}
    for row in gis.query(f"""
            SELECT attname, format_type(coalesce(nullif(typbasetype, 0), atttypid), NULL) AS type, attnotnull,
                pg_get_expr(adbin, adrelid) AS value
            FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
                LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
            WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""):
        there[row["attname"]] = (row["type"], row["attnotnull"], default(row["value"]))
    return found, there


def default(sql):
    """Writes equal defaults in the same way."""
    if sql is None:
        return None
    sql = re.sub(r"::\w+", "", sql)
    if "strftime" in sql or "utc_now" in sql:
        return "now"
    if "randomblob" in sql or "gen_random_uuid" in sql:
        return "random"
    return {"false": "0", "true": "1"}.get(sql, sql)


def compare_columns(report, lite, gis, names):
    differences, count = [], 0
    for table in names:
        found, there = columns(lite, gis, table)
        if list(found) != list(there):
            differences.append(f"{table}: SpatiaLite {list(found)}, PostGIS {list(there)}")
            continue
        for name, (kind, *rest) in found.items():
            count += 1
            other, *there_rest = there[name]
            if other not in TYPES[kind] or rest != there_rest:
                differences.append(f"{table}.{name}: SpatiaLite {found[name]}, PostGIS {there[name]}")
    report.check("columns: order, types, NULL, defaults", differences, count)


def sqlite_indexes(lite, table):
    """Returns the keys, unique constraints and indexes: the columns or the expression, whether they are unique, and the condition."""
    found = set()
    keys = lite.query(f"SELECT name FROM pragma_table_info('{table}') WHERE pk > 0 ORDER BY pk")
    found.add((", ".join(row["name"] for row in keys), True, None))
    for index in lite.query(f"SELECT * FROM pragma_index_list('{table}')"):
        parts = lite.query(f"SELECT name, desc FROM pragma_index_xinfo('{index['name']}') WHERE key ORDER BY seqno")
        sql = lite.query(f"SELECT sql FROM sqlite_schema WHERE name = '{index['name']}' AND sql IS NOT NULL")
        sql = sql[0]["sql"] if sql else ""
        condition = re.search(r" WHERE (.*)", sql, re.S)
        if any(row["name"] is None for row in parts):
            names = canonical(re.search(r" ON \w+ \((.*?)\)(?: WHERE|$)", sql, re.S)[1])
        else:
            names = ", ".join(row["name"] + " DESC" * row["desc"] for row in parts)
        found.add((names, bool(index["unique"]), canonical(condition and condition[1])))
    return found


def postgres_indexes(gis, table):
    found = set()
    for row in gis.query(f"""
            SELECT pg_get_indexdef(indexrelid) AS sql, indisunique, pg_get_expr(indpred, indrelid) AS condition
            FROM pg_index WHERE indrelid = '{table}'::regclass"""):
        if " USING btree " in row["sql"]:
            parts = re.search(r" USING btree \((.*?)\)(?: WHERE|$)", row["sql"])[1].replace('"', "")
            parts = canonical(parts) if "(" in parts else parts
            found.add((parts, row["indisunique"], canonical(row["condition"])))
    return found


def canonical(condition):
    """Writes equal expressions and conditions of indexes in the same way."""
    if not condition:
        return None
    text = re.sub(r"::\w+(\[\])?", "", condition)
    text = re.sub(r"= ANY \(ARRAY\[(.*?)\]\)", r"IN (\1)", text)
    text = re.sub(r"\b(hidden|in_summary) = 0\b", r"NOT \1", text).replace("is_delivered = 1", "is_delivered")
    return re.sub(r"[() ]", "", text)


def foreign_keys(lite, gis, table):
    found = {}
    for row in lite.query(f"SELECT * FROM pragma_foreign_key_list('{table}') ORDER BY id, seq"):
        found.setdefault(row["id"], ([], row["table"], row["on_delete"]))[0].append(row["from"])
    there = gis.query(f"""
        SELECT ARRAY(SELECT attname FROM unnest(conkey) WITH ORDINALITY AS key (number, place)
                JOIN pg_attribute ON attrelid = conrelid AND attnum = number ORDER BY place) AS columns,
            confrelid::regclass::text AS table,
            CASE confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' END AS action
        FROM pg_constraint WHERE contype = 'f' AND conrelid = '{table}'::regclass""")
    return (sorted((", ".join(names), target, action) for names, target, action in found.values()),
            sorted((", ".join(row["columns"]), row["table"], row["action"]) for row in there))


def named(gis, condition):
    """Returns the names of relations of the program on PostGIS."""
    return {row["name"] for row in gis.query(f"""
        SELECT relname AS name FROM pg_class WHERE {condition} AND relnamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')""")}


def compare_names(report, what, lite, gis):
    compare(report, what, dict.fromkeys(lite, "there"), dict.fromkeys(gis, "there"))


def steps(folder):
    """Returns the names of the steps after the one that makes the schema of PostGIS."""
    names = [file.stem for file in sorted(folder.glob("[0-9]*.sql")) if int(file.stem[:4]) > 27]
    return [name[5:] for name in names if name[5:] not in ONLY_POSTGIS_STEPS]


def compare_version(report, gis):
    """Compares the steps in both folders, and the number of the last file with the one that it wrote."""
    folder = REPOSITORY / "Migrations/postgis"
    last = int(max(folder.glob("[0-9]*.sql")).name[:4])
    version = gis.query("SELECT number FROM schema_version")[0]["number"]
    compare(report, "migrations", {"steps": steps(folder.parent / "spatialite"), "schema_version": last},
            {"steps": steps(folder), "schema_version": version})


def compare_schema(report, lite, gis, names):
    """Returns the views."""
    compare_names(report, "tables", names, named(gis, "relkind = 'r'") - ONLY_POSTGIS_TABLES)
    plain = [name for name in names if name not in VIRTUAL]
    compare_columns(report, lite, gis, plain)
    compare(report, "primary keys, unique constraints and indexes",
            {name: sqlite_indexes(lite, name) for name in plain}, {name: postgres_indexes(gis, name) for name in plain})
    keys = {name: foreign_keys(lite, gis, name) for name in plain}
    compare(report, "foreign keys", *({name: pair[side] for name, pair in keys.items()} for side in (0, 1)))
    there = {row["name"] for row in gis.query("""
        SELECT DISTINCT tgname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE NOT tgisinternal AND relnamespace = 'public'::regnamespace""")}
    # SpatiaLite adds triggers to tables with geometries.
    own = {name for name in lite.names("trigger") if not re.match(r"(gg|gi|tm)[iud]_", name)}
    compare_names(report, "triggers", own - ONLY_SPATIALITE_TRIGGERS, there - ONLY_POSTGIS_TRIGGERS)
    views = sorted(set(lite.names("view")) - ONLY_SPATIALITE_VIEWS)
    compare_names(report, "views", views, named(gis, "relkind = 'v'"))
    return views


# Rows


def select(gis, table, engine):
    """Returns the statement that reads a table or view in a form that both engines write alike."""
    parts = []
    for row in gis.query(f"""
            SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
            WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""):
        name, kind = row["name"], row["type"]
        if kind in ("geometry", "bytea"):
            blob = f"ST_AsBinary({name})" if kind == "geometry" else name
            name = (f"iif({name} IS NULL, NULL, hex({blob})) AS {name}" if engine == "lite"
                    else f"upper(encode({blob}, 'hex')) AS {name}")
        elif kind == "boolean" and engine == "gis":
            name = f"{name}::int AS {name}"
        parts.append(name)
    return f"SELECT {', '.join(parts)} FROM {table}"


def plain(value, start):
    """Writes equal values in the same way: times of this run, JSON, and lists of tags."""
    if isinstance(value, str):
        if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value) and start <= value < "2099":
            return "now"
        if value.startswith('{"type":"Feature"'):
            return feature(json.loads(value + "}}"), start)
        if value.startswith("cells"):
            # SQLite writes an empty name where there is no breed.
            return " ".join(sorted(set(value.split()) - {"facet"}))
        if re.fullmatch(r"[0-9a-f]{32}", value):
            return "random" if value != "0123456789abcdef" * 2 else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def feature(content, start):
    properties = content.pop("properties")
    return json.dumps([content, [(name, plain(value, start)) for name, value in properties.items()]])


def contents(engine, sql, start):
    rows = [{name: plain(value, start) for name, value in row.items()} for row in engine.query(sql)]
    return sorted(json.dumps(row, ensure_ascii=False) for row in rows)


def compare_rows(report, lite, gis, names, start):
    differences, count = [], 0
    for table in names:
        found = contents(lite, ROWS.get(table) or select(gis, table, "lite"), start)
        there = contents(gis, ROWS.get(table) or select(gis, table, "gis"), start)
        count += len(found)
        if not found:
            differences.append(f"{table}: no rows")
        differences += [f"{table}: only on SpatiaLite: {text}" for text in found if text not in there][:2]
        differences += [f"{table}: only on PostGIS: {text}" for text in there if text not in found][:2]
        if len(found) != len(there):
            differences.append(f"{table}: {len(found)} rows on SpatiaLite, {len(there)} on PostGIS")
    report.check("rows of tables and views", differences, count)


def vocabulary(lite, table, kind):
    """Returns the entries of a text index of FTS5, by column or by row."""
    lite.db.execute(f"CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, {table}, {kind})")
    rows = lite.query("SELECT * FROM temp.vocabulary")
    lite.db.execute("DROP TABLE temp.vocabulary")
    return rows


def words(lite, table):
    """Returns the words of a text index on SpatiaLite with the number of rows, as PostGIS writes them."""
    prefixes = {"tags": "tag:", "stems": "stem:", "breed": "breed:"}
    rows = {}
    for entry in vocabulary(lite, table, "instance"):
        column, word = entry["col"], entry["term"]
        names = {prefixes.get(column, "") + word} | ({word} if column not in ("tags", "stems") else set())
        for name in names:
            rows.setdefault(name, set()).add(entry["doc"])
    found = {name: len(keys) for name, keys in rows.items()}
    # SQLite writes an empty name where there is no breed.
    found.pop("tag:facet", None)
    return found


def compare_words(report, lite, gis):
    """Compares the entries of the text indexes: each word, and in how many rows it is."""
    for table in TEXT_INDEXES:
        rows = gis.query(f"SELECT word, ndoc FROM ts_stat('SELECT words FROM {table}')")
        compare(report, f"words of {table}", words(lite, table), {row["word"]: row["ndoc"] for row in rows})


# Writes


def outcome(engine, sql, values, keep=True):
    """Returns None and the number of rows, or the reason of a refusal and its message."""
    try:
        return None, engine.run(sql, values, keep)
    except Refused as refused:
        return refused.reason, str(refused)


def compare_writes(report, lite, gis):
    differences = []
    for wanted, sql, values in ALL:
        for name, engine in (("SpatiaLite", lite), ("PostGIS", gis)):
            reason, details = outcome(engine, sql, values)
            if wanted == "type":
                # The engines have no common word for geometries of the wrong type.
                reason = reason and "type"
            if reason != wanted:
                differences.append(f"{name}: {wanted or 'accepted'} expected: {details}: {sql} {values}"[:500])
    report.check("writes of writes.py", differences, len(ALL))


def compare_values(report, lite, gis, names):
    """Changes each column of a row of each table, and takes the change back."""
    differences, count, refusals = [], 0, 0
    for table in names:
        keys = lite.query(f"SELECT name FROM pragma_table_info('{table}') WHERE pk > 0 ORDER BY pk")
        names = ", ".join(row["name"] for row in keys)
        first = lite.db.execute(f"SELECT {names} FROM {table} ORDER BY {names} LIMIT 1").fetchone()
        if not first:
            differences.append(f"{table}: no write of writes.py leaves a row")
            continue
        where = " AND ".join(f"{row['name']} = ?" for row in keys)
        for column, (kind, *_) in columns(lite, gis, table)[1].items():
            if UNLIKE & {table, f"{table}.{column}"}:
                continue
            for value in VALUES[kind]:
                sql = f"UPDATE {table} SET {column} = ? WHERE {where}"
                found, there = (outcome(engine, sql, [value, *first], keep=False) for engine in (lite, gis))
                count += 1
                refusals += found[0] is not None
                if (found[0] is None) != (there[0] is None):
                    differences.append(f"{table}.{column} = {value!r:.40}: SpatiaLite {found}, PostGIS {there}"[:300])
    report.check(f"values of columns, {refusals} of them refused", differences, count)


def main():
    report = Report()
    start = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    lite = SpatiaLite(f"{REPOSITORY}/Migrations/spatialite")
    with Server() as server:
        gis = PostGIS(server, f"{REPOSITORY}/Migrations/postgis")
        compare_version(report, gis)
        names = tables(lite)
        views = compare_schema(report, lite, gis, names)
        compare_writes(report, lite, gis)
        compare_rows(report, lite, gis, [name for name in names if name not in TEXT_INDEXES] + views, start)
        compare_words(report, lite, gis)
        compare_values(report, lite, gis, [name for name in names if name not in VIRTUAL])
        gis.close()
    sys.exit(1 if report.failures else 0)


if __name__ == "__main__":
    main()

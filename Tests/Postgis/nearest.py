"""Compares the statement of a search for the nearest listings with one that is written by hand.

    python3 Tests/Postgis/nearest.py [SECONDS]

runs both with pgbench, as prepared statements, on the database that the variables of libpq (PGHOST, PGDATABASE, ...)
name: the 50 nearest of the open listings within 5 km, around 100 listings. The database needs the schema and many
listings. The index that the second statement by hand needs is made before and removed afterwards.
"""

import math
import re
import subprocess
import sys
import tempfile

PAGE = 50
RADIUS = 5_000

# What `NearestOnBoard` sends, with its parameters as variables of pgbench; and with conditions.
OURS = """
SELECT id >> 4, lon, lat, 0, mercator(lon, lat) <-> mercator(:lon, :lat), feature FROM board
WHERE mercator(lon, lat) <@ box(mercator(:west, :south), mercator(:east, :north))
ORDER BY mercator(lon, lat) <-> mercator(:lon, :lat) LIMIT :limit;
"""
FILTERED = """
SELECT found.id, found.lon, found.lat, found.n, found.degrees, found.feature FROM (
    SELECT *, board_id >> 4 AS id, row_number() OVER () AS n FROM (
        SELECT id AS board_id, lon, lat, status, species, last_seen_at, feature,
            mercator(lon, lat) <-> mercator(:lon, :lat) AS degrees
        FROM board WHERE mercator(lon, lat) <@ box(mercator(:west, :south), mercator(:east, :north))
        ORDER BY mercator(lon, lat) <-> mercator(:lon, :lat) LIMIT 1500) AS rows) AS found
WHERE found.n = 1500 OR (found.status = ANY('{lost,found,sighted}') AND true) LIMIT :limit;
"""

POINT = "ST_SetSRID(ST_MakePoint(:lon, :lat), 4326)::geography"

# By the index of `board` that the schema has: all listings of the circle are sorted.
SORTED = f"""
SELECT feature, ST_Distance(geom::geography, {POINT}) AS distance FROM board
WHERE geom && ST_MakeEnvelope(:west, :south, :east, :north, 4326)
    AND ST_DWithin(geom::geography, {POINT}, {RADIUS})
ORDER BY distance LIMIT {PAGE};
"""

# By an index of its own. The order is that on the sphere, so some neighbours are in the wrong order.
NEIGHBOURS = f"""
SELECT feature, ST_Distance(geom::geography, {POINT}) AS distance FROM board
WHERE ST_DWithin(geom::geography, {POINT}, {RADIUS})
ORDER BY geom::geography <-> {POINT} LIMIT {PAGE};
"""


def psql(sql):
    done = subprocess.run(["psql", "-XqAt", "-F", " ", "-v", "ON_ERROR_STOP=1", "-c", sql],
                          check=True, text=True, stdout=subprocess.PIPE)
    return [line.split(" ") for line in done.stdout.splitlines()]


def variables(lon, lat):
    north = RADIUS / 6_335_439 * 180 / math.pi
    east = north / math.cos(math.radians(lat))
    limit = int((PAGE + 1) * 1.03) + 6
    values = {"lon": lon, "lat": lat, "west": lon - east, "east": lon + east, "south": lat - north,
              "north": lat + north, "limit": limit}
    return "".join(f"\\set {name} {value}\n" for name, value in values.items())


def measure(sql, centres, seconds):
    with tempfile.TemporaryDirectory() as folder:
        scripts = []
        for number, centre in enumerate(centres):
            scripts.append(f"{folder}/{number}.sql")
            with open(scripts[-1], "w") as file:
                file.write(variables(*centre) + " ".join(sql.split()) + "\n")
        files = [part for script in scripts for part in ("-f", script)]
        done = subprocess.run(["pgbench", "-n", "-M", "prepared", "-c", "2", "-j", "1", "-T", str(seconds), *files],
                              check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return float(re.search(r"tps = ([\d.]+)", done.stdout).group(1))


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    rows = psql("SELECT lon, lat FROM board TABLESAMPLE SYSTEM (1) REPEATABLE (7) ORDER BY hashint8(id) LIMIT 100")
    centres = [(float(lon), float(lat)) for lon, lat in rows]
    print(f"{len(centres)} centres, {seconds} s each")
    psql("CREATE INDEX nearest_geography ON board USING gist ((geom::geography))")
    try:
        psql("VACUUM ANALYZE board")
        rates = {}
        # Twice, so that the first one does not pay for what is not in memory yet.
        for _ in range(2):
            for name, sql in [("ours", OURS), ("filtered", FILTERED), ("sorted", SORTED), ("neighbours", NEIGHBOURS)]:
                rates[name] = measure(sql, centres, seconds)
    finally:
        psql("DROP INDEX nearest_geography")
    for name, rate in rates.items():
        print(f"{name:10} {rate:8.0f} statements/s, ours has {rates['ours'] / rate:.2f} times as many")


if __name__ == "__main__":
    main()

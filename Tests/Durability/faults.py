"""Checks the data after power cuts, a full or failing disk, damaged pages, and starts on unusual folders.

Usage: faults.py [SEED] [PART...]. PROGRAM is the program under test. The parts are cuts, calls, full, pages and
starts.
"""
import contextlib
import copy
import errno
import glob
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import disk
from lab import LOST, PROGRAM, SIDES, Server, Writer, apply, check, files_of, is_whole, run, table, verify_files

SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 1
chance = random.Random(SEED)
work = tempfile.mkdtemp(prefix="faults-")
library = disk.build(work)
rows, problems = [], []


def report(what, times, outcome, found):
    rows.append([what, times, outcome, len(found) or "none"])
    problems.extend(f"{what}: {problem}" for problem in found)


def scratch(name):
    folder = os.path.join(work, name)
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, "data")


def traffic(server, writers, seconds):
    writers = [writer.again(server) for writer in writers]
    for writer in writers:
        writer.start()
    time.sleep(seconds)
    for writer in writers:
        writer.stopping = True
    for writer in writers:
        writer.join(60)
    return writers


def statuses(writers):
    told = {}
    for writer in writers:
        for status, count in writer.statuses.items():
            told[status] = told.get(status, 0) + count
    return told


def spoken(told):
    return ", ".join(f"{count} x {status}" for status, count in sorted(told.items()))


def surprising(told):
    return [f"{count} answers were {status}" for status, count in told.items()
            if status not in (200, 201, 204, 503, 507)]


def started(data, **options):
    server = Server(data, **options)
    if not server.wait():
        raise SystemExit("the server does not start:\n" + server.said())
    return server


def verified(server, writers, data):
    found = []
    for writer in writers:
        writer.server = server
        found += writer.verify()[0]
    return found + verify_files(data, server) + check(data)


# Power cuts.

def cut_power(times=150):
    data = scratch("power")
    drive = disk.Disk(os.path.dirname(data), library, data, remembers=True)
    server = started(data, environment=drive.environment)
    writers = traffic(server, [Writer(number, chance.random()) for number in range(4)], 8)
    server.kill()
    records = list(disk.records(drive.log))
    check_order(records, writers)
    final = disk.Model()
    contents = {}
    for record in records:
        final.take(record)
        if record[0] == "C" and record[4].endswith(".jpg"):
            contents[os.path.basename(record[4])] = final.names[record[4]]
    for file in final.inodes.values():
        file.sync()
    first = next(number for number, record in enumerate(records) if any(w.history for w in writers)
                 and record[1] > min(w.history[0][0] for w in writers if w.history))
    places = sorted(chance.sample(range(first, len(records)), min(times, len(records) - first)))
    model, done, found, acknowledged, lucky = disk.Model(), 0, [], 0, 0
    target = os.path.join(work, "power", "cut")
    for place in places:
        while done <= place:
            model.take(records[done])
            done += 1
        copy.copy(model).cut(data, target, chance)
        news, told, late = look_after_cut(target, writers, records[place][1], contents)
        acknowledged += told
        lucky += late
        found += [f"cut at {place}: {problem}" for problem in news]
        shutil.rmtree(target)
    report("power cut", len(places),
           f"{acknowledged} acknowledged writes survived, {lucky} of {len(writers) * len(places)} cut off were there", found)


def check_order(records, writers):
    """Checks that the log was synced before each answer, and a photo's four files and their folder before that."""
    synced = [(record[1], record[4]) for record in records if record[0] == "S"]
    found, answered, photos = [], 0, 0
    for writer in writers:
        for sent, acked, action, answer in writer.history:
            if not isinstance(acked, int):
                continue
            answered += 1
            during = [name for time, name in synced if sent < time < acked]
            log = [number for number, name in enumerate(during) if name.endswith("-wal")]
            if not log:
                found.append(f"{action[0]} was answered before it was on disk")
            elif action[0] == "photo":
                photos += 1
                wanted = [f"{answer}-{side}.jpg" for side in SIDES]
                places = [number for number, name in enumerate(during) if os.path.basename(name) in wanted]
                folders = [number for number, name in enumerate(during) if name.endswith("/photos/" + answer[:2])]
                if len(places) != 3 or not any(max(places) < folder < log[-1] for folder in folders):
                    found.append(f"the files of {answer} were not on disk before its row")
    report("synced before the answer", answered, f"{photos} photos among them", found)


def look_after_cut(data, writers, moment, contents):
    """Compares a folder with the writes that were acknowledged before the cut.

    Returns the problems, the number of acknowledged writes, and the number of other writes that are present.
    """
    found, told, late = check(data), 0, 0
    with contextlib.closing(sqlite3.connect(os.path.join(data, "doggofinder.sqlite"))) as db:
        kept = {row[0]: row[1:] for row in db.execute("SELECT uuid, name, description, marks, photos FROM listing")}
        owned = {row[0] for row in db.execute("SELECT token_hash FROM session")}
    for writer in writers:
        state, gone, open_action = {}, [], None
        for sent, acked, action, answer in writer.history:
            if isinstance(acked, int) and acked <= moment:
                apply(state, gone, action, answer)
                told += 1
            elif sent <= moment:
                open_action = (action, answer)
        after = copy.deepcopy(state)
        if open_action and open_action[1] is not None or open_action and open_action[0][0] not in ("post", "photo"):
            apply(after, [], *open_action)
        for listing in set(state) | set(after):
            allowed = [describe(state.get(listing)), describe(after.get(listing))]
            actual = found_as(kept.get(listing))
            if actual not in allowed:
                found.append(f"{listing} is {actual}, not {' or '.join(map(str, allowed))}")
            late += allowed[0] != allowed[1] and actual == allowed[1]
        found += [f"{listing} was removed and is there" for listing in gone if listing in kept and listing not in after]
        if state and not owned:
            found.append("the sessions are gone")
    files = files_of(data)
    for _, _, _, photos in kept.values():
        for photo in json.loads(photos):
            for side in SIDES:
                name = f"{photo['url'][8:44]}-{side}.jpg"
                with contextlib.suppress(FileNotFoundError, KeyError):
                    with open(files[name], "rb") as file:
                        if file.read() == contents[name].synced:
                            continue
                found.append(f"{name} is not as it was written")
    return found, told, late


def describe(listing):
    return listing and (listing["word"], sorted(listing["photos"].values()))


def found_as(row):
    if row is None:
        return None
    name, description, marks, photos = row
    word = name if name == description == marks else (name, description, marks)
    return word, sorted(photo["url"][8:44] for photo in json.loads(photos))


# Failing calls.

def fail_calls():
    data = scratch("calls")
    drive = disk.Disk(os.path.dirname(data), library, data)
    server = started(data, environment=drive.environment)
    writers = traffic(server, [Writer(number, chance.random()) for number in range(4)], 1)
    for call, bit in disk.CALLS.items():
        for code in (errno.EIO, errno.ENOSPC, errno.EROFS):
            if call == "read" and code != errno.EIO:
                continue
            failed, times, found, told = 0, 0, [], {}
            for torn in (False, True) if call == "write" else (False,):
                for spared, most in ((0, -1), (chance.randrange(1, 30), -1), (chance.randrange(1, 30), 1), (0, 3)):
                    times += 1
                    for writer in writers:
                        writer.statuses = {}
                    drive.fail(bit, code, spared, most, torn)
                    writers = traffic(server, writers, 0.4)
                    if server.ask("GET", "/healthz")[0] != 200:
                        found.append("/healthz fails")
                    failed += drive.heal()
                    answered = statuses(writers)
                    found += surprising(answered)
                    told = {status: told.get(status, 0) + answered.get(status, 0) for status in {*told, *answered}}
                    if server.ask("GET", "/readyz")[0] != 200:
                        found.append("/readyz fails when all is well again")
                    found += verified(server, writers, data)
            report(f"{call}: {errno.errorcode[code]}", times, f"{failed} calls failed; {spoken(told)}", found)
    server.kill()
    server = started(data)
    report("killed after all that", 1, "started again", verified(server, writers, data))
    server.stop()


# A full disk.

def mounted(folder, *options):
    os.makedirs(folder, exist_ok=True)
    return subprocess.run(["mount", *options, folder], capture_output=True).returncode == 0


def fill_disk():
    folder = os.path.join(work, "small")
    if not mounted(folder, "-t", "tmpfs", "-o", "size=40m", "none"):
        rows.append(["full disk", 0, "skipped: mounting needs root", "none"])
        return
    try:
        data = os.path.join(folder, "data")
        os.environ["SQLITE_TMPDIR"] = work
        os.environ["DOGGOFINDER_DISK_RESERVE"] = "0"
        server = started(data)
        writers = traffic(server, [Writer(number, chance.random()) for number in range(4)], 1)
        found, told, ready = [], {}, []
        for _ in range(5):
            ballast = os.path.join(folder, "ballast")
            with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            for writer in writers:
                writer.statuses = {}
            writers = traffic(server, writers, 1.5)
            answered = statuses(writers)
            found += surprising(answered)
            told = {status: told.get(status, 0) + answered.get(status, 0) for status in {*told, *answered}}
            # A large post certainly does not fit.
            status, fields, body = server.ask("POST", "/v1/listings", {
                "status": "lost", "lon": 14, "lat": 40, "description": "long " * 700}, writers[0].token)
            ready.append(server.ask("GET", "/readyz")[0])
            if server.ask("GET", "/healthz")[0] != 200 or server.ask("GET", "/v1/listings")[0] != 200:
                found.append("what can be read is not")
            os.remove(ballast)
            if server.ask("GET", "/readyz")[0] != 200:
                found.append("/readyz fails when there is room again")
            if status == 201:
                listing = json.loads(body)["id"]
                server.ask("DELETE", f"/v1/listings/{listing}", None, writers[0].token)
            writers = traffic(server, writers, 0.5)
            found += verified(server, writers, data)
        if 507 not in told or 503 not in ready:
            found.append(f"nobody was told: {spoken(told)}, /readyz {ready}")
        log = os.path.getsize(data + "/doggofinder.sqlite-wal") >> 10
        report("full disk, then room again", 5, f"{spoken(told)}; /readyz {ready}; log {log} KiB", found)
        # A backup does not fit either.
        with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        status, said = run("backup", os.path.join(folder, "backups"), data=data)
        left = [entry for entry in os.listdir(os.path.join(folder, "backups")) if entry != ".lock"] \
            if os.path.isdir(os.path.join(folder, "backups")) else []
        report("backup on a full disk", 1, f"{status}: {said.strip()}", [f"left: {left}"] if left or status == 0 else [])
        os.remove(ballast)
        server.stop()
    finally:
        subprocess.run(["umount", "-l", folder])


# Damaged pages.

def pages_of(path):
    """The number of one page of each table and index, by name."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            found = db.execute("SELECT name, max(pageno) FROM dbstat GROUP BY name").fetchall()
        except sqlite3.OperationalError:
            found = db.execute("SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0").fetchall()
        size = db.execute("PRAGMA page_size").fetchone()[0]
    return [(name, number, size) for name, number in found]


def spoil(path, number, size):
    with open(path, "r+b") as file:
        file.seek((number - 1) * size + (100 if number == 1 else 0))
        file.write(chance.randbytes(size - (100 if number == 1 else 0)))


def ask_everything(server, token):
    told = {}
    for method, path, body in [
        ("GET", "/v1/listings", None), ("GET", "/v1/listings?lon=14.7&lat=40.7", None), ("GET", "/v1/listings?q=w1", None),
        ("GET", "/v1/listings/clusters?bbox=6,36,19,48&zoom=6", None), ("GET", "/board", None), ("GET", "/readyz", None),
        ("GET", "/tiles/listings/6/34/24.pbf", None), ("GET", "/v1/pois?lon=14&lat=40", None), ("GET", "/healthz", None),
        ("GET", "/v1/listings.csv", None), ("POST", "/v1/listings", {"status": "lost", "lon": 14.7, "lat": 40.7}),
        ("GET", "/v1/me/listings", None), ("POST", "/v1/guests", None), ("GET", "/collections/listings/items", None),
    ]:
        try:
            status = server.ask(method, path, body, token)[0]
        except LOST:
            # A response that had begun may be cut off.
            status = "cut off"
        told[status] = told.get(status, 0) + 1
    return told


def spoil_pages():
    whole = scratch("whole")
    server = started(whole)
    writers = traffic(server, [Writer(number, chance.random()) for number in range(4)], 2)
    token = writers[0].token
    server.stop()
    everything = pages_of(os.path.join(whole, "doggofinder.sqlite"))
    for running in (False, True):
        found, told, noticed, refused = [], {}, 0, 0
        for name, number, size in everything:
            data = scratch("spoilt")
            shutil.rmtree(data, ignore_errors=True)
            shutil.copytree(whole, data)
            path = os.path.join(data, "doggofinder.sqlite")
            if running:
                server = started(data)
                ask_everything(server, token)
                spoil(path, number, size)
            else:
                spoil(path, number, size)
                server = Server(data)
                if not server.wait():
                    refused += 1
                    said = server.said().strip()[-300:]
                    if server.process.returncode < 0 or "Fatal" in said or "atabase" not in said:
                        found.append(f"{name}: the start ends with {server.process.returncode}: {said}")
            if server.port:
                answered = ask_everything(server, token)
                told = {status: told.get(status, 0) + answered.get(status, 0) for status in {*told, *answered}}
                if {500, 501} & set(answered) or server.process.poll() is not None:
                    found.append(f"{name}: {spoken_any(answered)} {server.said()[-300:]}")
                server.kill()
            status, said = run("check", data=data)
            noticed += status == 1
            if status not in (0, 1) or "Fatal error" in said:
                found.append(f"{name}: check ends with {status}: {said[-300:]}")
            os.remove(data + ".log")
        where = "while running" if running else "while stopped"
        report(f"spoilt page, {where}", len(everything),
               f"check noticed {noticed}, {refused} starts refused; {spoken_any(told)}", found)


def spoken_any(told):
    return ", ".join(f"{count} x {status}" for status, count in sorted(told.items(), key=str))


# Unusual folders.

def start_anyway():
    whole = scratch("good")
    server = started(whole)
    writers = traffic(server, [Writer(number, chance.random()) for number in range(2)], 1.5)
    server.kill()
    main = "doggofinder.sqlite"

    def copied(change):
        data = scratch("odd")
        with contextlib.suppress(FileNotFoundError):
            os.remove(data + ".log")
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(whole, data)
        change(data)
        return data

    def cut(data):
        run("check", data=data)
        with contextlib.closing(sqlite3.connect(os.path.join(data, main))) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        os.truncate(os.path.join(data, main), os.path.getsize(os.path.join(data, main)) // 2)

    def rubbish(data):
        without(main + "-wal", main + "-shm")(data)
        put(main, os.urandom(100000))(data)

    def put(name, content):
        def change(data):
            with open(os.path.join(data, name), "wb") as file:
                file.write(content)
        return change

    def foreign_log(data):
        other = scratch("other")
        if not os.path.exists(other):
            for number in range(2):
                killed = started(other)
                traffic(killed, [Writer(number, 1)], 0.5)
                killed.kill()
        shutil.copy(os.path.join(other, main + "-wal"), os.path.join(data, main + "-wal"))

    def newer(data):
        with contextlib.closing(sqlite3.connect(os.path.join(data, main))) as db:
            db.execute("PRAGMA user_version = 99")

    def without(*names):
        def change(data):
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(data, name))
        return change

    def locked(data):
        os.chmod(data, 0o700)
        os.chmod(os.path.dirname(data), 0o755)
        os.chmod(work, 0o755)

    everything = [
        ("log and its index left", lambda data: None, True, {}),
        ("without the log's index", without(main + "-shm"), True, {}),
        ("the log's index is rubbish", put(main + "-shm", os.urandom(32768)), True, {}),
        ("the log is rubbish", put(main + "-wal", os.urandom(50000)), None, {}),
        ("the log is of another database", foreign_log, None, {}),
        ("the log is cut off", lambda data: os.truncate(
            os.path.join(data, main + "-wal"), os.path.getsize(os.path.join(data, main + "-wal")) * 2 // 3), None, {}),
        ("the database is cut off", cut, False, {}),
        ("the database is empty", put(main, b""), False, {}),
        ("the database is rubbish", rubbish, False, {}),
        ("a newer schema", newer, False, {}),
        ("a copy begun and left", put(main + ".part", b"part"), True, {}),
        ("a folder of another user", locked, False, {"user": 65534} if os.getuid() == 0 else None),
    ]
    for what, change, expected, options in everything:
        if options is None:
            rows.append([what, 0, "skipped: needs root", "none"])
            continue
        data = copied(change)
        server = Server(data, **options)
        came = server.wait()
        said = " ".join(server.said().split())
        found = []
        if came:
            answers = spoken_any(ask_everything(server, writers[0].token))
            server.stop()
            status, told = run("check", data=data)
            outcome = f"starts; {answers}; check {status}"
            if status and expected:
                found.append(f"starts damaged: {told[-300:]}")
        else:
            outcome = f"refused: {said}"
            if server.process.returncode < 0 or "Fatal" in said or not said:
                found.append(f"ends with {server.process.returncode}")
        if expected is not None and came != expected:
            found.append("starts" if came else "does not start")
        report(what, 1, outcome[:150], found)
    two_servers(whole)
    read_only_folder(whole)


def two_servers(data):
    """The second server is refused, and the first one goes on."""
    first = started(data)
    writer = Writer(0, chance.random()).again(first)
    second = Server(data)
    came, said = second.wait(), " ".join(second.said().split())
    if came:
        second.stop()
    [writer] = traffic(first, [writer], 1)
    found = surprising(statuses([writer])) + verified(first, [writer], data)
    if came or "another server runs" not in said:
        found.append("the second server starts" if came else "no clear word")
    first.stop()
    report("two servers on one folder", 1, f"refused: {said}; the first: {spoken(statuses([writer]))}"[:150], found)


def read_only_folder(data):
    folder = os.path.join(work, "frozen")
    if not mounted(folder, "--bind", data) or not mounted(folder, "-o", "remount,bind,ro"):
        rows.append(["a folder mounted read-only", 0, "skipped: mounting needs root", "none"])
        return
    try:
        server = Server(folder)
        came = server.wait()
        said = " ".join(server.said().split())
        outcome = spoken_any(ask_everything(server, None)) if came else f"refused: {said}"
        server.kill()
        report("a folder mounted read-only", 1, outcome[:150], [] if came or "Read-only file system" in said else ["no clear word"])
    finally:
        subprocess.run(["umount", "-l", folder])


parts = {"cuts": cut_power, "calls": fail_calls, "full": fill_disk, "pages": spoil_pages, "starts": start_anyway}
for part in sys.argv[2:] or parts:
    parts[part]()
table(rows, ["what", "times", "outcome", "problems"])
for problem in problems[:40]:
    print("PROBLEM", problem)
print("seed", SEED)
if not problems:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(1 if problems else 0)

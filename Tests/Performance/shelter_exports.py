#!/usr/bin/env python3
"""Imports the exports of shelters by the page, and tells what became of their rows.

    shelter_exports.py FILE.csv.xz [PROGRAM] [--published]

FILE is lost_found_unified.csv.xz of the shared data: intakes of Austin, Long Beach and Vancouver. PROGRAM is
.build/release/doggofinder unless given. Each file is tried once as it is, then with the answers below, as a person gives them on
the page, and is then imported. With --published, Vancouver's rows are tried with the columns that the city publishes, and one answer: the
town. Fails if a row is neither imported nor in the report.
"""

import collections
import csv
import http.client
import io
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(__file__))
from imports import ask  # noqa: E402
from worst import Server  # noqa: E402

MAIL, PASSWORD = "shelter@example.org", "correct horse battery"
# What a person answers: the meaning of columns and values, and what rows without a value have.
COLUMNS = {"record": "status", "id": "reference", "address": "whereabouts", "city": "place", "time": "", "country": "",
           "note": "description", "source": ""}
VALUES = {
    "austin": {"found-stray": "found", "public assist": "found", "wildlife": "found", "owner surrender": "closed",
               "euthanasia request": "closed"},
    "longbeach": {"found-stray": "found", "wildlife": "found", "owner surrender": "closed", "welfare seized": "found",
                  "confiscate": "found", "return": "closed", "quarantine": "found", "safe keep": "found"},
    "vancouver": {"matched": "reunited"},
}
TOWNS = {"austin": "Austin, Texas, United States", "longbeach": "Long Beach, California, United States",
         "vancouver": "Vancouver, British Columbia, Canada"}


def wait(connection, path, token):
    while True:
        state = ask(connection, "GET", path, token=token)
        if state["ended_at"]:
            return state
        time.sleep(0.2)


def send(connection, path, fields, token):
    """Sends the form of a trial. Returns the path of the import that it starts."""
    headers = {"Cookie": f"doggofinder={token}", "Content-Type": "application/x-www-form-urlencoded",
               "Origin": f"http://127.0.0.1:{connection.port}", "Sec-Fetch-Site": "same-origin"}
    connection.request("POST", path, urllib.parse.urlencode(fields), headers)
    response = connection.getresponse()
    text = response.read()
    if response.status != 303:
        raise SystemExit(f"POST {path}: {response.status} {text[:300]}")
    return "/v1/imports/" + response.headers["Location"].rsplit("/", 1)[1]


def report(connection, path, token):
    connection.request("GET", path + "/rows?format=csv", headers={"Authorization": f"Bearer {token}"})
    return list(csv.DictReader(io.StringIO(connection.getresponse().read().decode())))


def reason(row):
    if row["field"] != "reference":
        return row["message"].split(":")[-1].strip()[:60]
    if "is equal to" in row["message"]:
        return "equal to another row"
    return "twice in the file" if "same reference" in row["message"] else "another source of the account has it"


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--published"]
    file = arguments[0]
    program = arguments[1] if len(arguments) > 1 else ".build/release/doggofinder"
    files = collections.defaultdict(list)
    with lzma.open(file, "rt", newline="") as text:
        reader = csv.reader(text)
        header = next(reader)
        for row in reader:
            files[row[0]].append(row)
    print("| file | rows | left out at first | created | updated | left out | reasons | seconds, rows a second |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as data:
        # An admin may have as many open listings as there are.
        with open(os.path.join(data, "password"), "w") as password:
            password.write(PASSWORD)
        subprocess.run([program, "accounts", "add", MAIL, "--admin", "--password-file", password.name, "--data", data],
                       check=True, stdout=subprocess.DEVNULL)
        server = Server(program, data)
        try:
            if "--published" in sys.argv:
                publish(server, [dict(zip(header, row)) for row in files["vancouver"]])
            else:
                measure(server, header, files)
        finally:
            server.stop()


def sign_in(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
    return connection, ask(connection, "POST", "/v1/sessions", json.dumps({"email": MAIL, "password": PASSWORD}))["token"]


def publish(server, rows):
    connection, token = sign_in(server)
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";")
    writer.writerow(["Breed", "Color", "Date", "Name", "Sex", "State"])
    for row in rows:
        writer.writerow([row["breed"], row["color"], row["date"], row["name"], row["sex"], row["record"].capitalize()])
    body = text.getvalue().encode()
    trial = ask(connection, "POST", "/v1/imports?dry_run=true&source=published", body, token, "text/csv")["id"]
    first = wait(connection, f"/v1/imports/{trial}", token)
    path = send(connection, f"/my/imports/{trial}",
                {"action": "try", "fix.0.field": "place", "fix.0.text": "", "fix.0.as": TOWNS["vancouver"]}, token)
    done = wait(connection, path, token)["rows"]
    found = report(connection, path, token)
    reasons = collections.Counter((row["field"], reason(row)) for row in found if row["outcome"] == "rejected")
    told = " ".join(f"{field}: {message} ({count});" for (field, message), count in reasons.most_common(6))
    print(f"| vancouver, as published | {done['total']:,} | {first['rows']['rejected']:,} | {done['created']:,} | {done['updated']:,} | "
          f"{done['rejected']:,} | {told} | |")
    if len(found) != len(rows):
        raise SystemExit(f"{len(rows)} rows, {len(found)} in the report")


def measure(server, header, files):
    connection, token = sign_in(server)
    for name in TOWNS:
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerows([header] + files[name])
        query = f"?dry_run=true&source={name}&contacts=public"
        body = text.getvalue().encode()
        trial = ask(connection, "POST", "/v1/imports" + query, body, token, "text/csv")["id"]
        first = wait(connection, f"/v1/imports/{trial}", token)
        fields = {"action": "try"}
        fields |= {f"column.{header.index(column)}": field for column, field in COLUMNS.items()}
        path = send(connection, f"/my/imports/{trial}", fields, token)
        wait(connection, path, token)
        answers = [("status", value, meaning) for value, meaning in VALUES[name].items()]
        answers += [("place", value, TOWNS[name]) for value in ("Austin", "Long Beach", "Vancouver", "")]
        fields = {"action": "try"}
        for number, (field, value, meaning) in enumerate(answers):
            fields |= {f"fix.{number}.field": field, f"fix.{number}.text": value, f"fix.{number}.as": meaning}
        path = send(connection, "/my/imports/" + path.rsplit("/", 1)[1], fields, token)
        wait(connection, path, token)
        begin = time.perf_counter()
        path = send(connection, "/my/imports/" + path.rsplit("/", 1)[1], {"action": "import"}, token)
        done = wait(connection, path, token)
        duration = time.perf_counter() - begin
        rows = done["rows"]
        found = report(connection, path, token)
        reasons = collections.Counter(
            (row["field"], reason(row))
            for row in found if row["outcome"] == "rejected")
        told = " ".join(f"{field}: {message} ({count});" for (field, message), count in reasons.most_common(6))
        print(f"| {name} | {rows['total']:,} | {first['rows']['rejected']:,} | {rows['created']:,} | {rows['updated']:,} | "
              f"{rows['rejected']:,} | {told} | {duration:.0f}, {rows['total'] / duration:,.0f} |", flush=True)
        if len(found) != len(files[name]):
            raise SystemExit(f"{name}: {len(files[name])} rows, {len(found)} in the report")


main()

#!/usr/bin/env python3
"""Measures moderation with many reports.

Usage: moderation.py [REPORTS]...

Half of the reports are about one listing, and every other listing has ten. Every second case is decided. Prints the
median and the maximum of a hundred calls in ms.
"""
import http.client, json, os, pathlib, sqlite3, statistics, subprocess, sys, tempfile, time, uuid

PROGRAM = os.environ.get("PROGRAM", str(pathlib.Path(__file__).parent / "../../.build/release/doggofinder"))


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


def fill(folder, reports):
    database = sqlite3.connect(f"{folder}/doggofinder.sqlite")
    listings = database.execute("SELECT id, uuid, account_id FROM listing ORDER BY id").fetchall()
    begin = 1_700_000_000
    when = lambda n: time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(begin + n))
    cases = reports // 20
    for number in range(cases + 1):
        key, subject, account = listings[1 if number == cases else number % len(listings)]
        # A listing has at most one open case.
        is_open = number % 2 == 0 or number == cases
        name = subject if number < len(listings) or number == cases else str(uuid.uuid4())
        state = ("open", None) if is_open else ("dismissed", when(number))
        database.execute(
            "INSERT INTO report_case (id, uuid, subject, subject_uuid, account_id, listing_id, status, reported_at,"
            " last_reported_at, decided_at) VALUES (?, ?, 'listing', ?, ?, ?, ?, ?, ?, ?)",
            (number + 1, str(uuid.uuid4()), name, account, key, state[0], when(number), when(number), state[1]))
        size = 10 if number < cases else reports - 10 * cases
        database.executemany(
            "INSERT INTO report (case_id, reason, text, created_at) VALUES (?, ?, ?, ?)",
            ((number + 1, ("scam", "spam", "wrong")[n % 3], "Asks for money" if n % 4 == 0 else None, when(number))
             for n in range(size)))
    database.commit()
    return listings


class Client:
    def __init__(self, port, token):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.token = token

    def send(self, method, path, body=None):
        headers = {"Content-Type": "application/json", "Accept": "text/html" if path.startswith("/mod") else "*/*"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        begin = time.perf_counter()
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = self.connection.getresponse()
        content = response.read()
        took = (time.perf_counter() - begin) * 1000
        assert response.status < 300, (method, path, response.status, content[:200])
        return took, content


def tell(name, times):
    print(f"{name:44} {statistics.median(times):8.2f} {max(times):8.2f}")


def measure(reports):
    with tempfile.TemporaryDirectory() as folder:
        run("demo", "--data", folder, "--count", "10000", "--seed", "1")
        password = run("accounts", "add", "admin@example.org", "--admin", "--data", folder).strip()
        listings = fill(folder, reports)
        server = subprocess.Popen(
            [PROGRAM, "serve", "--data", folder, "--port", "0", "--log-level", "error", "--tiles", "none"],
            stdout=subprocess.PIPE, text=True)
        try:
            port = int(server.stdout.readline().rsplit(":", 1)[1])
            session = Client(port, None).send("POST", "/v1/sessions", {"email": "admin@example.org", "password": password})
            admin = Client(port, json.loads(session[1])["token"])
            print(f"{reports:,} reports {'median':>35} {'worst':>8}")
            for sort in ["reported_at", "-reports"]:
                path = f"/v1/admin/reports?sort={sort}"
                tell(f"the queue, {sort}", [admin.send("GET", path)[0] for _ in range(100)])
                for _ in range(50):
                    links = json.loads(admin.send("GET", path)[1])["links"]
                    if len(links) < 2:
                        break
                    path = links[1]["href"].split(":", 2)[2].split("/", 1)[1].join(["/", ""])
                tell(f"a page deep in it, {sort}", [admin.send("GET", path)[0] for _ in range(100)])
            tell("the queue as a page", [admin.send("GET", "/moderation?sort=-reports")[0] for _ in range(100)])
            most = json.loads(admin.send("GET", "/v1/admin/reports?sort=-reports&limit=1")[1])["reports"][0]
            print(f"  the largest case has {most['reports']:,} reports")
            tell("the largest case", [admin.send("GET", f"/v1/admin/reports/{most['id']}")[0] for _ in range(100)])
            reported = {"subject": "listing", "reason": "scam", "text": "Asks for money"}
            guests = [Client(port, json.loads(admin.send("POST", "/v1/guests")[1])["token"]) for _ in range(100)]
            tell("a report", [guest.send("POST", "/v1/reports", {**reported, "id": most["subject_id"]})[0] for guest in guests])
            for verb in ["hide", "restore"]:
                tell(verb, [admin.send("POST", f"/v1/admin/listings/{uuid}/{verb}", {})[0] for _, uuid, _ in listings[:100]])
            tell("the audit", [admin.send("GET", "/v1/admin/audit")[0] for _ in range(100)])
            count = sum(1 for row in listings if row[2] == listings[0][2])
            tell(f"a ban that hides {count:,} listings", [admin.send("POST", f"/v1/admin/accounts/{most['account']['id']}/ban", {})[0]])
        finally:
            server.terminate()
            server.wait()


for argument in sys.argv[1:] or ["1000", "1000000"]:
    measure(int(argument))

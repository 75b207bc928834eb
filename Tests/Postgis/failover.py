"""Kills nodes and database servers and cuts the network between them under load, and checks that no acknowledged write
is lost.

Usage: failover.py [FAILURES] [SEED]. PROGRAM is the program under test. Two PostgreSQL servers replicate synchronously;
three nodes behind haproxy use them. All of them listen on loopback only.
"""
import http.client
import os
import pwd
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Durability"))
from forwarder import Forwarder, free_port  # noqa: E402
from lab import LOST, PROGRAM, Server, Writer, report  # noqa: E402
from server import USER, programs  # noqa: E402

SETTINGS = """
listen_addresses = '127.0.0.1'
max_connections = 200
wal_level = replica
hot_standby = on
wal_keep_size = '256MB'
synchronous_commit = on
synchronous_standby_names = '{standbys}'
shared_buffers = '64MB'
"""
METRICS_TOKEN = secrets.token_hex(16)
HAPROXY = """
global
    maxconn 500
defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
    option redispatch
    http-error status 503 content-type text/plain string "no node is ready" hdr Retry-After 2
frontend web
    bind 127.0.0.1:{port}
    default_backend nodes
backend nodes
    option httpchk GET /readyz
    default-server inter 500ms fall 2 rise 1
"""


class Database:
    """A PostgreSQL server in a folder of its own, that nodes reach by way of a forwarder."""

    def __init__(self, work, name, user):
        self.bin, self.user = programs(), user
        self.folder = os.path.join(work, name)
        self.port = free_port()
        self.forwarder = Forwarder(self.port)
        self.process = None

    def command(self, program, *arguments):
        done = subprocess.run([f"{self.bin}/{program}", *arguments], user=self.user, cwd="/", text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise SystemExit(f"{program}: {done.stdout}")
        return done.stdout

    def create(self):
        """Makes an empty database for the program."""
        self.command("initdb", "-D", self.folder, "-U", USER, "--auth=trust", "--locale=C", "--encoding=UTF8")
        self.start()
        self.query("CREATE DATABASE doggofinder TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
        self.query("CREATE EXTENSION postgis; CREATE EXTENSION citext", "doggofinder")

    def copy(self, primary):
        """Becomes a standby of another server, from nothing."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.command("pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", USER, "-D", self.folder, "-R",
                     "-X", "stream", "-c", "fast")
        self.start()

    def follow(self, primary):
        """Becomes the only standby of another server, for whose copy commits wait."""
        self.copy(primary)
        # From now on, a write is acknowledged only when this server has it.
        primary.expect("*")
        while primary.query("SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'") != "sync":
            time.sleep(0.1)

    def start(self, standbys=""):
        with open(os.path.join(self.folder, "postgresql.auto.conf"), "a") as file:
            file.write(SETTINGS.format(standbys=standbys))
        with open(self.folder + ".log", "a") as log:
            self.process = subprocess.Popen(
                [f"{self.bin}/postgres", "-D", self.folder, "-p", str(self.port), "-k", os.path.dirname(self.folder)],
                user=self.user, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        while subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
            if self.process.poll() is not None:
                raise SystemExit(f"a server does not start: {self.folder}.log")
            time.sleep(0.05)

    def query(self, sql, database="postgres"):
        return self.command("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, "-Atqc", sql, database).strip()

    def expect(self, standbys):
        """Sets for which standbys commits wait."""
        self.query(f"ALTER SYSTEM SET synchronous_standby_names = '{standbys}'")
        self.query("SELECT pg_reload_conf()")

    def promote(self):
        self.command("pg_ctl", "promote", "-w", "-D", self.folder)
        # Until there is another standby, commits must not wait for one.
        self.expect("")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            # Its processes end as soon as they notice; the next server needs the same port.
            while subprocess.run(["pgrep", "-f", f"postgres -D {self.folder} "], stdout=subprocess.DEVNULL).returncode == 0:
                time.sleep(0.05)
            while not subprocess.run([f"{self.bin}/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
                time.sleep(0.05)
            self.process = None


def databases(work, names):
    """Returns servers in a folder of their user, because PostgreSQL refuses to run as root."""
    user = "postgres" if os.getuid() == 0 else None
    folder = os.path.join(work, "postgresql")
    os.mkdir(folder)
    os.chmod(work, 0o755)
    if user:
        shutil.chown(folder, pwd.getpwnam(user).pw_uid)
    return [Database(folder, name, user) for name in names]


class Node:
    """A `doggofinder serve` process."""

    def __init__(self, cluster, number):
        self.cluster, self.port = cluster, free_port()
        self.data = os.path.join(cluster.work, f"node{number}")
        self.log = open(self.data + ".log", "a+")
        self.process = None

    def prepare(self, first):
        """Makes the data folder, with the keys of the first node."""
        os.makedirs(self.data, exist_ok=True)
        for key in ("second-factor-key", "vapid-key.pem") if self is not first else ():
            shutil.copy(os.path.join(first.data, key), self.data)

    def start(self, **variables):
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--port", str(self.port), "--data", self.data, "--rate-limit", "off", "--quota", "off",
             "--base-url", "http://127.0.0.1", "--log-level", "error"],
            stdout=subprocess.PIPE, stderr=self.log, text=True,
            env={**self.cluster.environment, **variables})
        line = self.process.stdout.readline()
        if "answers at" not in line:
            raise SystemExit(f"a node does not start: {self.data}.log")

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None


class PatientWriter(Writer):
    """A guest who repeats each request until it is answered, with the same key, as apps do. Then it is known what each
    request has done.
    """

    def run(self):
        while not self.stopping:
            self.step()

    def do(self, action):
        attempt = 0
        while True:
            try:
                status, answer = self.ask(action)
            except LOST:
                status, answer = 0, None
            self.count(status)
            if 0 < status < 400 or attempt and status == 404 and action[0] in ("remove", "unphoto"):
                self.acknowledged += 1
                return self.settle(action, answer)
            if 400 <= status < 500:
                raise AssertionError(f"{action}: {status}")
            attempt += 1
            time.sleep(0.1)

    def step(self):
        try:
            super().step()
        except LOST:
            pass
        if not self.token:
            time.sleep(0.1)


class Reader(threading.Thread):
    """A visitor without an account, who reads the board ten times a second."""

    def __init__(self, proxy):
        super().__init__(daemon=True)
        self.proxy, self.stopping = proxy, False
        self.answers, self.longest, self.without_hint = {}, 0.0, 0

    def run(self):
        failing_since = None
        while not self.stopping:
            try:
                status, headers, _ = self.proxy.ask("GET", "/v1/listings?lon=14.7&lat=40.7&radius=5000&limit=10")
            except LOST:
                status, headers = 0, {}
            self.answers[status] = self.answers.get(status, 0) + 1
            if status == 503 and "Retry-After" not in headers:
                self.without_hint += 1
            now = time.monotonic()
            if status == 200:
                if failing_since:
                    self.longest = max(self.longest, now - failing_since)
                failing_since = None
            else:
                failing_since = failing_since or now
            time.sleep(0.1)


class LeaderWatch(threading.Thread):
    """Asks all nodes, four times a second, which one leads, and measures how long none does."""

    LIMIT = 30

    def __init__(self, nodes):
        super().__init__(daemon=True)
        self.nodes, self.stopping = nodes, False
        self.longest, self.changes = 0.0, 0

    def run(self):
        last, seen_at = None, time.monotonic()
        while not self.stopping:
            leader = next(filter(self.leads, self.nodes), None)
            if leader:
                self.longest = max(self.longest, time.monotonic() - seen_at)
                self.changes += last not in (None, leader)
                last, seen_at = leader, time.monotonic()
            time.sleep(0.25)
        self.longest = max(self.longest, time.monotonic() - seen_at)

    def leads(self, node):
        try:
            request = urllib.request.Request(f"http://127.0.0.1:{node.port}/metrics",
                                             headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
            with urllib.request.urlopen(request, timeout=2) as answer:
                return b"\ndoggofinder_leader 1" in answer.read()
        except (OSError, http.client.HTTPException):
            return False


class Proxy:
    """haproxy before the nodes, with the interface of `lab.Server` for clients."""

    def ask(self, *arguments, timeout=60, **options):
        return Server.ask(self, *arguments, timeout=timeout, **options)

    def __init__(self, work, nodes, name="haproxy"):
        self.port = free_port()
        config = os.path.join(work, name + ".cfg")
        with open(config, "w") as file:
            file.write(HAPROXY.format(port=self.port))
            for number, node in enumerate(nodes):
                file.write(f"    server node{number} 127.0.0.1:{node.port} check\n")
        self.process = subprocess.Popen(["haproxy", "-q", "-db", "-f", config])

    def wait(self):
        """Waits until a node is ready."""
        for _ in range(600):
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except LOST:
                pass
            time.sleep(0.1)
        raise SystemExit("no node is ready after a minute")

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Cluster:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.work = tempfile.mkdtemp(prefix="failover-")
        self.primary, self.standby = databases(self.work, "ab")
        self.nodes, self.proxy, self.writers, self.reader, self.leaders = [], None, [], None, None
        self.failures, self.problems, self.pauses = {}, [], {}

    @property
    def environment(self):
        hosts = ",".join(f"127.0.0.1:{database.forwarder.port}" for database in (self.primary, self.standby))
        address = f"postgresql://{USER}@{hosts}/doggofinder"
        return {**os.environ, "DOGGOFINDER_DATABASE": address, "DOGGOFINDER_DATABASE_READ": address,
                "DOGGOFINDER_PHOTOS": os.path.join(self.work, "photos"),
                "DOGGOFINDER_METRICS_TOKEN_FILE": os.path.join(self.work, "metrics-token")}

    def begin(self):
        self.primary.create()
        self.standby.follow(self.primary)
        os.mkdir(os.path.join(self.work, "photos"))
        with open(os.path.join(self.work, "metrics-token"), "w") as file:
            file.write(METRICS_TOKEN)
        self.nodes = [Node(self, number) for number in range(3)]
        for node in self.nodes:
            node.prepare(self.nodes[0])
            node.start()
        self.proxy = Proxy(self.work, self.nodes)
        self.proxy.wait()
        self.writers = [PatientWriter(number, self.random.random()) for number in range(4)]
        self.reader = Reader(self.proxy)
        self.leaders = LeaderWatch(self.nodes)
        for thread in (self.reader, self.leaders):
            thread.start()

    # Failures

    def kill_a_node(self):
        node = self.random.choice(self.nodes)
        node.kill()
        time.sleep(self.random.random() * 2)
        node.start()

    def kill_all_nodes_one_after_the_other(self):
        for node in self.nodes:
            node.kill()
            node.start()

    def kill_the_primary(self):
        self.primary.kill()
        self.fail_over()

    def cut_off_the_primary(self):
        # Nothing is told to either side: connections stay open, and packets are lost.
        self.primary.forwarder.cut()
        self.fail_over()

    def cut_off_the_primary_for_a_moment(self):
        self.primary.forwarder.cut()
        time.sleep(self.random.random() * 3)
        self.primary.forwarder.restore()

    def fail_over(self):
        """What Patroni does: promotes the standby, ends the former primary and makes it the standby."""
        time.sleep(0.5 + self.random.random())
        self.standby.promote()
        self.primary.kill()
        self.primary, self.standby = self.standby, self.primary
        time.sleep(self.random.random() * 2)
        self.standby.follow(self.primary)
        self.standby.forwarder.restore()

    # Rounds

    def fail(self, way):
        self.writers = [writer.again(self.proxy) for writer in self.writers]
        for writer in self.writers:
            writer.start()
        time.sleep(0.5 + self.random.random())
        begin = time.monotonic()
        way()
        acknowledged = sum(writer.acknowledged for writer in self.writers)
        while sum(writer.acknowledged for writer in self.writers) < acknowledged + 8:
            if time.monotonic() - begin > 120:
                raise SystemExit(f"{way.__name__}: no writes after two minutes; kept: {self.work}")
            time.sleep(0.05)
        for writer in self.writers:
            writer.stopping = True
        for writer in self.writers:
            writer.join(120)
            if writer.is_alive():
                self.problems.append("a request was not answered within two minutes")
        name = way.__name__.replace("_", " ")
        self.failures[name] = self.failures.get(name, 0) + 1
        self.pauses.setdefault(name, []).append(time.monotonic() - begin)
        for writer in self.writers:
            writer.server = self.proxy
            self.problems += [f"{name}: {problem}" for problem in self.verify(writer)]

    def verify(self, writer):
        for _ in range(100):
            try:
                return writer.verify()[0]
            except (*LOST, AssertionError):
                time.sleep(0.2)
        return ["the listings of a guest cannot be read"]

    def run(self, count):
        begin = time.monotonic()
        try:
            self.begin()
            ways = [self.kill_a_node, self.kill_the_primary, self.cut_off_the_primary]
            others = ways + [self.kill_the_primary, self.cut_off_the_primary_for_a_moment,
                             self.kill_all_nodes_one_after_the_other]
            for number in range(count):
                self.fail(ways[number] if number < len(ways) else self.random.choice(others))
                if len(self.problems) > 20:
                    break
            self.verify_database()
        finally:
            self.end()
        if self.leaders.longest > LeaderWatch.LIMIT:
            self.problems.append(f"no node led for more than {LeaderWatch.LIMIT} s")
        rows = [[f"{what} (longest round {max(self.pauses[what]):.1f} s)", times] for what, times in self.failures.items()]
        rows += [["failures", sum(self.failures.values())],
                 ["writes acknowledged", sum(writer.acknowledged for writer in self.writers)],
                 ["answers of other statuses to writes",
                  sum(times for writer in self.writers for status, times in writer.statuses.items()
                      if not 0 < status < 400)],
                 ["reads answered", self.reader.answers.get(200, 0)],
                 ["reads with 503", self.reader.answers.get(503, 0)],
                 ["503 without Retry-After", self.reader.without_hint],
                 ["reads that failed otherwise",
                  sum(times for status, times in self.reader.answers.items() if status not in (200, 503))],
                 ["longest time without reads in s", round(self.reader.longest, 1)],
                 ["changes of the leader", self.leaders.changes],
                 ["longest time without a leader in s", round(self.leaders.longest, 1)],
                 ["listings at the end", sum(len(writer.listings) for writer in self.writers)],
                 ["seconds", round(time.monotonic() - begin)]]
        return report(rows, self.problems, self.work)

    def verify_database(self):
        """Checks the data as `check` does."""
        done = subprocess.run([PROGRAM, "check", "--data", self.nodes[0].data], capture_output=True, text=True,
                              env=self.environment, timeout=300)
        if done.returncode:
            self.problems.append(f"check: {done.stdout}{done.stderr}"[-400:])

    def end(self):
        for thread in filter(None, (self.reader, self.leaders)):
            thread.stopping = True
            thread.join(60)
        for node in self.nodes:
            node.kill()
        if self.proxy:
            self.proxy.stop()
        for database in (self.primary, self.standby):
            database.kill()


if __name__ == "__main__":
    if shutil.which("haproxy") is None:
        print("skipped: failover: needs haproxy")
        raise SystemExit(0)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
    print("seed", seed)
    sys.exit(Cluster(seed).run(count))

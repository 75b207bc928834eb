"""Accounts with alerts, and the servers that receive what they are told: an SMTP server and HTTPS servers on loopback.

It needs Node and cryptography: run it with .build/clients/bin/python, which Tests/Clients/run.sh makes.
"""

import contextlib
import datetime
import hashlib
import ipaddress
import json
import math
import os
import pathlib
import queue
import random
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
import uuid

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

GEODATA = pathlib.Path(__file__).resolve().parents[2] / "geodata"
sys.path.insert(0, str(GEODATA))
import layout  # noqa: E402

# Nearly all browsers have one push service. Webhooks are at many hosts.
PUSH_HOST = "127.0.1.1"
WEBHOOK_HOSTS = [f"127.0.2.{number}" for number in range(1, 201)]
# The base point of P-256 as the key of all browsers: nothing decrypts the messages here.
KEY = "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
NOW = "2026-01-01T00:00:00.000Z"
LATER = "2099-01-01T00:00:00.000Z"
KILOMETRE = 1 / 111.2


def noon():
    """Returns a longitude where it is about noon, so that nothing waits for the morning."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return (12 - now.hour - now.minute / 60) * 15 % 360 - (360 if (12 - now.hour) * 15 % 360 > 180 else 0)


def land(lon):
    """Returns points within 15 degrees of a longitude that are not on the open sea, 80 km and more from each other."""
    sections = layout.read(GEODATA / "sea.bin")
    starts, runs = memoryview(sections["SEAR"][1]).cast("I"), memoryview(sections["SEAC"][1]).cast("H")
    points = []
    for lat in range(70, -55, -1):
        row, step = (lat + 90) * 50, math.ceil(0.75 / math.cos(math.radians(lat)))
        for degrees in range(-15, 15, step):
            east = (lon + degrees + 180) % 360
            sea = (range(runs[2 * run], runs[2 * run + 1]) for run in range(starts[row], starts[row + 1]))
            if not any(int(east * 50) in run for run in sea):
                points.append((east - 180, lat))
    return points


class Receivers:
    """The SMTP server and the HTTPS servers, in a process of their own, with the times after which they answer.

    `told` maps what was received to the times: (channel, reader, code of the listing) for mails, and (channel, reader, None) otherwise.
    """

    def __init__(self, folder, http_ms=80, smtp_ms=40):
        self.folder = folder
        self.certificate = f"{folder}/receivers.pem"
        self.make_certificate()
        self.process = subprocess.Popen(
            ["node", pathlib.Path(__file__).parent / "receivers.js", self.certificate, self.certificate + ".key", str(http_ms),
             str(smtp_ms), PUSH_HOST, *WEBHOOK_HOSTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ports = json.loads(self.process.stdout.readline())
        self.smtp, self.https = ports["smtp"], ports["https"]
        self.lines, self.told = queue.SimpleQueue(), {}
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()

    def make_certificate(self):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "receivers")])
        now = datetime.datetime.now(datetime.timezone.utc)
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(host)) for host in [PUSH_HOST, *WEBHOOK_HOSTS]])
        made = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1)).add_extension(names, False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), True).sign(key, hashes.SHA256()))
        with open(self.certificate, "wb") as file:
            file.write(made.public_bytes(serialization.Encoding.PEM))
        with open(self.certificate + ".key", "wb") as file:
            file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                         serialization.NoEncryption()))

    def read(self):
        """Takes over what was received since the last time."""
        while not self.lines.empty():
            channel, reader, listing, at = json.loads(self.lines.get())
            self.told.setdefault((channel, reader, listing), []).append(at)

    def stop(self):
        self.process.stdin.close()
        self.process.wait(10)


class Server:
    """A server that sends to the receivers."""

    def __init__(self, program, data, receivers, more=()):
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        log = f"{receivers.folder}/server.log"
        self.process = subprocess.Popen(
            [program, "serve", "--data", data, "--port", str(self.port), "--base-url", "https://dogs.example.org",
             "--rate-limit", "off", "--quota", "off", "--log-level", "notice",
             "--mail", f"smtp://127.0.0.1:{receivers.smtp}", "--mail-from", "dogs@example.org",
             "--outgoing-networks", "127.0.0.0/8", "--outgoing-ports", str(receivers.https),
             "--outgoing-ca-file", receivers.certificate, *more],
            stdout=subprocess.DEVNULL, stderr=open(log, "a"))
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.process.kill()
        raise SystemExit("the server did not start:\n" + open(log).read()[-2000:])

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(60)


def add_account(database, email, key=None):
    """Returns the key of a new account."""
    return database.execute(
        "INSERT INTO account (id, uuid, role, email, password_hash) VALUES (?, ?, 'user', ?, '$argon2id$x')",
        (key, str(uuid.uuid4()), email)).lastrowid


def add_browser(database, account, reader, host, https):
    """Returns the key of a browser of an account."""
    session = hashlib.sha256(reader.encode()).digest()
    database.execute("INSERT INTO session (token_hash, uuid, account_id, created_at, last_used_at, expires_at, ends_at) "
                     "VALUES (?, ?, ?, ?, ?, ?, ?)", (session, str(uuid.uuid4()), account, NOW, NOW, LATER, LATER))
    return database.execute("INSERT INTO push_subscription (uuid, account_id, session_hash, endpoint, host, p256dh, auth, language, "
                            "created_at) VALUES (?, ?, ?, ?, ?, ?, 'AAAAAAAAAAAAAAAAAAAAAA', 'it', ?)",
                            (str(uuid.uuid4()), account, session, f"https://{host}:{https}/push/{reader}", host, KEY, NOW)).lastrowid


def add_webhook(database, account, reader, host, https):
    """Returns the key of a webhook of an account."""
    return database.execute("INSERT INTO webhook (uuid, account_id, url, host, secret, created_at) VALUES (?, ?, ?, ?, ?, ?)",
                            (str(uuid.uuid4()), account, f"https://{host}:{https}/webhook/{reader}", host, "whsec_" + "A" * 32,
                             NOW)).lastrowid


def add_readers(data, places, https, seed, name):
    """Stores accounts with one alert each; each has a mail address, a third a browser, and a tenth a webhook.

    places: a (lon, lat, radius in km) for each. The names of the receivers begin with `name`.
    """
    generator = random.Random(seed)
    database = sqlite3.connect(f"{data}/doggofinder.sqlite")
    database.execute("PRAGMA foreign_keys = ON")
    key = database.execute("SELECT coalesce(max(id), 0) + 1 FROM account").fetchone()[0]
    alert = database.execute("SELECT coalesce(max(id), 0) + 1 FROM alert").fetchone()[0]

    def new():
        return str(uuid.UUID(int=generator.getrandbits(128)))

    with database:
        for number, (lon, lat, radius) in enumerate(places):
            reader = f"{name}{number}"
            add_account(database, f"{reader}@d{number % 20}.example", key)
            search = {"lat": f"{lat:.5f}", "lon": f"{lon:.5f}", "radius": str(int(1000 * radius))}
            database.execute(
                "INSERT INTO alert (id, uuid, account_id, search, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
                (alert, new(), key, json.dumps(search), NOW, NOW))
            height = radius * KILOMETRE * 1.001
            width = height / math.cos(math.radians(lat))
            database.execute("INSERT INTO alert_area VALUES (?, ?, ?, ?, ?)",
                             (2 * alert, lon - width, lon + width, lat - height, lat + height))
            if number % 3 == 0:
                add_browser(database, key, reader, PUSH_HOST, https)
            if number % 10 == 0:
                add_webhook(database, key, reader, WEBHOOK_HOSTS[number // 10 % len(WEBHOOK_HOSTS)], https)
            key, alert = key + 1, alert + 1
    database.close()


def expected(data):
    """Returns, for each listing, what has to be told: a set of keys of `Receivers.told`."""
    database = sqlite3.connect(f"file:{data}/doggofinder.sqlite?mode=ro", uri=True)
    rows = database.execute(
        """
        SELECT listing.uuid, code, email, push.endpoint, webhook.url
        FROM alert_listing JOIN alert ON alert.id = alert_id JOIN listing ON listing.id = alert_listing.listing_id
            JOIN account ON account.id = alert.account_id
            LEFT JOIN push_subscription AS push ON push.account_id = account.id LEFT JOIN webhook ON webhook.account_id = account.id
        WHERE email IS NOT NULL
        """)
    found = {}
    for listing, code, email, push, webhook in rows:
        ways = found.setdefault(listing, set())
        ways.add(("mail", email, code))
        ways.update((channel, url.rsplit("/", 1)[1], None) for channel, url in [("push", push), ("webhook", webhook)] if url)
    database.close()
    return found

#!/usr/bin/env python3
"""Measures how fast messages that wait in the database are sent, and the server's processor time for each.

    delivery.py DATA [PROGRAM] [--count 5000] [--http-ms 80] [--smtp-ms 40] [--channels push,webhook,mail] [--mail-connections 20]

DATA is a data folder, such as `doggofinder demo --count 60 --data DATA` makes; its accounts and messages remain in it, so throw it
away afterwards. All browsers are at one push service, which speaks HTTP/2; webhooks are at 200 hosts.
"""

import argparse
import os
import sqlite3
import sys
import tempfile
import time
import uuid

sys.path.insert(0, os.path.dirname(__file__))
from readers import LATER, NOW, PUSH_HOST, WEBHOOK_HOSTS, Receivers, Server, add_account, add_browser, add_webhook  # noqa: E402

PAYLOAD = '{"title":"Rex is lost","body":"800 m from you","path":"/listings/1","tag":"x","lang":"it"}' + " " * 200


def fill(data, channel, count, https):
    """Stores an account and a message for each reader."""
    database = sqlite3.connect(f"{data}/doggofinder.sqlite")
    database.execute("PRAGMA foreign_keys = ON")
    with database:
        for number in range(count):
            reader = f"{channel}{time.time_ns()}"
            account = add_account(database, f"{reader}@d{number % 20}.example")
            if channel == "mail":
                database.execute(
                    "INSERT INTO outgoing_mail (uuid, account_id, recipient, domain, subject, text, html, language, bulk, created_at, "
                    "next_attempt_at, expires_at) VALUES (?, ?, ?, ?, 'Rex', ?, ?, 'it', 1, ?, ?, ?)",
                    (str(uuid.uuid4()), account, f"{reader}@d{number % 20}.example", f"d{number % 20}.example", "text\n" * 200, "<p>text</p>\n" * 500,
                     NOW, NOW, LATER))
                continue
            add = add_browser if channel == "push" else add_webhook
            host = PUSH_HOST if channel == "push" else WEBHOOK_HOSTS[number % len(WEBHOOK_HOSTS)]
            receiver = add(database, account, reader, host, https)
            column = "push_subscription_id" if channel == "push" else "webhook_id"
            database.execute(
                f"INSERT INTO outgoing_event (uuid, {column}, account_id, host, type, key, payload, urgency, created_at, next_attempt_at, "
                "expires_at) VALUES (?, ?, ?, ?, 'alert.listing', 'key', ?, 'normal', ?, ?, ?)",
                (str(uuid.uuid4()), receiver, account, host, PAYLOAD, NOW, NOW, LATER))
    database.close()


def processor_time(process):
    """Returns the seconds that a process has used."""
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(arguments, channel):
    with tempfile.TemporaryDirectory() as folder:
        receivers = Receivers(folder, arguments.http_ms, arguments.smtp_ms)
        fill(arguments.data, channel, arguments.count, receivers.https)
        begin = time.time()
        server = Server(arguments.program, arguments.data, receivers, arguments.more)
        table = "outgoing_mail" if channel == "mail" else "outgoing_event"
        database = sqlite3.connect(f"file:{arguments.data}/doggofinder.sqlite?mode=ro", uri=True)
        # The time of the start is not counted.
        used = [(time.time(), processor_time(server.process))]
        while database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] and time.time() < begin + arguments.limit:
            time.sleep(0.2)
            used.append((time.time(), processor_time(server.process)))
        database.close()
        receivers.read()
        times = sorted(time for key, times in receivers.told.items() if key[0] == channel for time in times)
        server.stop()
        receivers.stop()
    if not times:
        return print(f"| {channel} | 0 |", flush=True)
    busy = [seconds for at, seconds in used if times[0] - 0.2 <= at]
    span = times[-1] - times[0]
    print(f"| {channel} | {len(times):,} | {len(set(receivers.told)):,} | {span:.1f} | {len(times) / span:.0f} | "
          f"{1000 * (busy[-1] - busy[0]) / len(times):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("program", nargs="?", default=".build/release/doggofinder")
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--http-ms", type=int, default=80)
    parser.add_argument("--smtp-ms", type=int, default=40)
    parser.add_argument("--channels", default="push,webhook,mail")
    parser.add_argument("--limit", type=float, default=300, help="seconds for each channel")
    arguments, arguments.more = parser.parse_known_args()
    print("| channel | messages | receivers | s | messages a second | ms of processor time each |\n|---|---:|---:|---:|---:|---:|")
    for channel in arguments.channels.split(","):
        measure(arguments, channel)


if __name__ == "__main__":
    main()

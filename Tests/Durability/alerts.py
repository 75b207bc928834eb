#!/usr/bin/env python3
"""Kills the server while it tells readers what their alerts have found, and checks that each is told once.

    alerts.py [KILLS] [SEED]

PROGRAM is the program under test. Each kill is at a random moment of the first seconds after a post that 300 readers are told of,
by mail, a third also by a push message, a tenth by a webhook. It needs .build/clients/bin/python, see readers.py. Fails if a
reader is not told, is told twice within one run of the server, or if a kill causes more than the requests that were being sent
to be sent again: one for each of the connections of the channel.
"""

import bisect
import collections
import http.client
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "Performance"))
from alerts import post, wait  # noqa: E402
from imports import ask  # noqa: E402
from readers import Receivers, Server, add_readers, land, noon  # noqa: E402

PROGRAM = os.environ.get("PROGRAM", ".build/release/doggofinder")
READERS = 300
# How many messages are being sent at once, at most: `MailSettings` and `ChannelSender`.
AT_ONCE = {"mail": 4, "push": 100, "webhook": 64}


def kill_often(kills, generator, folder, receivers):
    data, places, posts, starts = f"{folder}/data", land(noon())[:kills], [], []
    subprocess.run([PROGRAM, "migrate", "--data", data], check=True, stdout=subprocess.DEVNULL)
    add_readers(data, [(*place, 20) for place in places for _ in range(READERS)], receivers.https, 1, "reader")
    token = None
    for place in places:
        starts.append(time.time())
        server = Server(PROGRAM, data, receivers)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        token = token or ask(connection, "POST", "/v1/guests")["token"]
        posts.append(post(connection, token, *place))
        time.sleep(3 * generator.random())
        server.stop(signal.SIGKILL)
    starts.append(time.time())
    server = Server(PROGRAM, data, receivers)
    delays, lost = wait(receivers, data, posts, 300)
    time.sleep(2)
    server.stop()
    receivers.read()
    return starts, {channel: len(values) for channel, values in delays.items()}, lost


def judge(starts, told, lost, received):
    problems, again = [f"{lost} were not told"] * bool(lost), collections.defaultdict(collections.Counter)
    for (channel, reader, _), times in received.items():
        runs = [bisect.bisect(starts, at) for at in sorted(times)]
        for former, run in zip(runs, runs[1:]):
            again[channel][run] += 1
            if former == run:
                problems.append(f"{channel} {reader}: twice within a run")
    print("| channel | told | twice | kills that caused it | most for one kill |\n|---|---:|---:|---:|---:|")
    for channel, count in sorted(told.items()):
        runs = again[channel]
        most = max(runs.values(), default=0)
        print(f"| {channel} | {count:,} | {sum(runs.values())} | {len(runs)} | {most} |")
        if most > AT_ONCE[channel]:
            problems.append(f"{channel}: {most} were told twice after one kill")
    return problems


def main():
    kills, seed = (int(value) for value in [*sys.argv[1:], *["100", "1"][len(sys.argv) - 1:]])
    with tempfile.TemporaryDirectory(prefix="alerts-") as folder:
        receivers = Receivers(folder)
        try:
            starts, told, lost = kill_often(kills, random.Random(seed), folder, receivers)
        finally:
            receivers.stop()
        problems = judge(starts, told, lost, receivers.told)
    print(f"\n{kills} kills, {lost} lost")
    if problems:
        raise SystemExit("\n".join(problems[:20]))


if __name__ == "__main__":
    main()

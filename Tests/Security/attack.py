"""Attacks a server in many ways and prints a table.

Usage: attack.py PROGRAM [--quick]

Each attack must end with a clear answer or a closed connection. The only permitted 5xx answers are 501 for unknown
HTTP methods and 503 when all capacity is used. The server must work as before afterwards.
"""

import re
import select
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from server import PATIENCE, Server, p99, raise_limit, timings
from shapes import SHAPES

PROGRAM = sys.argv[1]
QUICK = "--quick" in sys.argv
TOKEN = {"Authorization": "Bearer a-token-for-figures"}
STATUS = re.compile(rb"^HTTP/1\.[01] (\d{3})[ \r]", re.MULTILINE)
rows, failed = [], []


def row(attack, result, is_fine=True):
    rows.append((attack, result, is_fine))
    print(f"{'ok  ' if is_fine else 'FAIL'}  {attack:44}  {result}", flush=True)
    if not is_fine:
        failed.append(attack)


def receive(connection):
    """Reads until the connection ends or nothing has arrived for a second; returns the bytes and whether it ended."""
    data = b""
    # A busy machine may answer the first bytes late, and closes every connection that gets no answer.
    while select.select([connection], [], [], 1 if data else PATIENCE)[0]:
        try:
            piece = connection.recv(1 << 16)
        except OSError:
            return data, True
        if not piece:
            return data, True
        data += piece
    return data, False


def exchange(server, shape):
    with server.connect() as connection:
        try:
            connection.sendall(shape[1])
        except OSError:
            pass
        # The time limits of connections without an answer are tested elsewhere.
        return receive(connection)


def shapes(server):
    seen = {}
    before = len(server.errors())
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda shape: exchange(server, shape), SHAPES))
    for (name, _, allowed, most), (data, ended) in zip(SHAPES, answers):
        statuses = [int(status) for status in STATUS.findall(data)]
        is_fine = set(statuses) <= allowed and len(statuses) <= most and b"/smuggled" not in data and (statuses or ended)
        for status in set(statuses) or {"closed"}:
            seen[status] = seen.get(status, 0) + 1
        if not is_fine:
            row(name, f"{statuses[:5]} {data[-150:]!r}" if statuses else f"no answer, connection {'closed' if ended else 'open'}", False)
    told = ", ".join(f"{status}: {count}" for status, count in sorted(seen.items(), key=str))
    faults = server.errors()[before:]
    row(f"{len(SHAPES)} shapes of requests", told, server.is_alive() and not faults)
    for fault in faults[:5]:
        print("      " + fault)


def slow(server, name, request, count, expected):
    """Opens connections that send a request and then one byte a second."""
    crowd = [server.connect() for _ in range(count)]
    for connection in crowd:
        connection.sendall(request)
    start, ended, answers = time.time(), {}, []
    took = timings(server, 200 if QUICK else 1000)
    poller = select.poll()
    for connection in crowd:
        # Resets are reported, too.
        poller.register(connection, select.POLLRDHUP | select.POLLIN)
    by_file = {connection.fileno(): connection for connection in crowd}
    while len(ended) < count and time.time() - start < PATIENCE:
        for file, _ in poller.poll(100):
            ended[file] = time.time() - start
            poller.unregister(file)
            data, _ = receive(by_file[file])
            answers += STATUS.findall(data)[:1]
        if int(time.time() * 2) % 2:
            for file, connection in by_file.items():
                if file not in ended:
                    try:
                        connection.send(b"x")
                    except OSError:
                        pass
            time.sleep(0.5)
    for connection in crowd:
        connection.close()
    statuses = sorted({int(answer) for answer in answers})
    last = max(ended.values(), default=0)
    is_fine = len(ended) == count and set(statuses) <= expected and server.is_alive()
    row(f"{count} {name}", f"{len(ended)} cut off after {min(ended.values(), default=0):.0f} to {last:.0f} s, {statuses};"
        f" p99 of others meanwhile {p99(took):.1f} ms", is_fine)


def unread(server, request, count):
    """Opens connections that send a request and do not read the answer.

    The server counts the connections: a client that does not read cannot see the end behind data that it has not taken.
    """
    crowd = [server.connect(receive_buffer=4096) for _ in range(count)]
    for connection in crowd:
        connection.sendall(request)
    start = time.time()
    took = timings(server, 1000)
    # One connection asks for the figure.
    while (left := server.figure("doggofinder_connections") - 1) > 0 and time.time() - start < PATIENCE:
        time.sleep(0.5)
    last = time.time() - start
    for connection in crowd:
        connection.close()
    row(f"{count} answers that nobody takes", f"{count - left:.0f} cut off after at most {last:.0f} s;"
        f" p99 of others meanwhile {p99(took):.1f} ms", left == 0 and server.is_alive())


def quiet_memory(server):
    wait(lambda: server.figure("doggofinder_connections") <= 1)
    time.sleep(1)
    return server.memory()


def idle(server, count):
    files, before, took = server.files(), server.memory(), timings(server, 1000)
    crowd = []
    try:
        for _ in range(count):
            crowd.append(server.connect())
            crowd[-1].sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    except OSError as error:
        print(f"      only {len(crowd)} connections: {error}")
    for connection in crowd:
        connection.recv(4096)
    opened, during, meanwhile = server.files() - files, server.memory(), timings(server, 1000)
    for connection in crowd:
        connection.close()
    wait(lambda: server.figure("doggofinder_connections") <= 1)
    row(f"{len(crowd)} idle connections", f"p99 of GET /v1/listings {p99(took):.1f} ms before, {p99(meanwhile):.1f} ms meanwhile;"
        f" {(during - before) * 1024 / max(1, opened):.1f} KiB each", opened >= len(crowd) - 1 and server.is_alive())


def flood(server, seconds):
    counts, end = [0] * 4, time.time() + seconds

    def open_and_close(number):
        while time.time() < end:
            try:
                server.connect().close()
                counts[number] += 1
            except OSError:
                pass

    threads = [threading.Thread(target=open_and_close, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    took = timings(server, 300)
    for thread in threads:
        thread.join()
    row("new connections all the time", f"{sum(counts) / seconds:.0f} a second; p99 of others meanwhile {p99(took):.1f} ms", server.is_alive())


def crowded():
    """Opens too many connections: in total, and from one address of the network."""
    address = own_address()
    with Server(PROGRAM, 0, "0.0.0.0", "--connections-per-address", "20") as server:
        if address:
            crowd = [server.connect(host=address) for _ in range(20)]
            for connection in crowd:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
                connection.recv(4096)
            with server.connect(host=address) as late:
                data, ended = receive(late)
            row("21 connections of one address", f"the last one: {data[9:12].decode()}", b" 429 " in data[:20] and ended and server.is_alive())
            for connection in crowd:
                connection.close()
        headers = {**TOKEN, "Authorization": "Bearer guess"}
        statuses = {server.ask("GET", "/metrics", headers=headers)[0] for _ in range(20)}
        row("tokens that nobody has", f"{statuses}", statuses == {401})


def own_address():
    """The address of a network interface, or None if the machine has none."""
    try:
        probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        probe.connect(("198.51.100.1", 9))
        address = probe.getsockname()[0]
        probe.close()
    except OSError:
        return None
    return None if address.startswith("127.") else address


def wait(condition):
    end = time.time() + PATIENCE
    while not condition() and time.time() < end:
        time.sleep(0.2)


def main():
    allowed = raise_limit()
    print(f"The system allows {allowed} open files.")
    with Server(PROGRAM, 0 if QUICK else 20_000) as server:
        timings(server, 200)
        # Memory is in MiB.
        start, room, files = server.memory(), 150, server.files()
        shapes(server)
        head = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: "
        body = b"POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n{"
        unwanted = b"POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n{"
        export = b"GET /v1/listings.geojson HTTP/1.1\r\nHost: a\r\n\r\n"
        if QUICK:
            slow(server, "bodies that nobody wants", unwanted, 50, {404})
        else:
            slow(server, "slow heads", head, 1000, {408})
            slow(server, "slow bodies", body, 1000, {408})
            slow(server, "bodies that nobody wants", unwanted, 1000, {404})
            unread(server, export, 500)
            flood(server, 10)
            idle(server, min(10_000, allowed - 500))
            # The allocator keeps some of the memory of earlier connections; the same number of connections must fit
            # into it.
            start, room = quiet_memory(server), 50
            idle(server, min(10_000, allowed - 500))
        after = quiet_memory(server)
        row("memory and files behind it all", f"{start:.0f} to {after:.0f} MiB, {files} to {server.files()} files",
            # The database has one reader for each thread.
            server.files() <= files + 16 and after < start + room)
        row("errors in its log", str(len(server.errors())), not server.errors())
        for line in server.errors()[:10]:
            print("      " + line)
    crowded()
    print(f"{len(rows)} rows, {len(failed)} failed")
    sys.exit(1 if failed else 0)


main()

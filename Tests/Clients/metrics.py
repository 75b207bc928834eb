"""Checks our metrics with Prometheus' promtool, and that they count requests.

Usage: metrics.py ADDRESS PROGRAM DATA

Installing Debian's package would start a server, so the package is only unpacked into .build. The checks are skipped
if it cannot be downloaded.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

base, program, data = sys.argv[1].rstrip("/"), sys.argv[2], sys.argv[3]


def admin_token():
    """The token of an admin account that is created for this script."""
    password = "correct horse battery"
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(password)
        file.flush()
        subprocess.run(
            [program, "accounts", "add", "metrics@example.org", "--admin", "--password-file", file.name, "--data", data],
            check=True, capture_output=True)
    body = json.dumps({"email": "metrics@example.org", "password": password}).encode()
    request = urllib.request.Request(base + "/v1/sessions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["token"]


def figures(token):
    request = urllib.request.Request(base + "/metrics", headers={"Authorization": "Bearer " + token})
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def check_lint():
    found = subprocess.run([promtool, "check", "metrics"], input=figures(token).encode(), capture_output=True)
    assert found.returncode == 0 and not found.stderr, found.stderr.decode() + found.stdout.decode()


def check_counts():
    def count():
        pattern = r'_seconds_count{route="/v1/breeds",method="GET",status="2xx"} (\d+)'
        found = re.search(pattern, figures(token))
        return int(found[1]) if found else 0

    before = count()
    for _ in range(3):
        urllib.request.urlopen(base + "/v1/breeds").read()
    assert count() == before + 3, count()


def check_access():
    try:
        urllib.request.urlopen(base + "/metrics")
    except urllib.error.HTTPError as error:
        assert error.code == 401, error.code
    else:
        raise AssertionError("expected 401")


def check_backup():
    name = "doggofinder_backup_last_success_timestamp_seconds "
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "backup", folder + "/copy", "--data", data], check=True, capture_output=True)
    assert name in figures(token)


def unpacked():
    folder = os.path.abspath(".build/clients/prometheus")
    program = folder + "/usr/bin/promtool"
    if not os.path.exists(program):
        os.makedirs(folder, exist_ok=True)
        script = "apt-get -qq download prometheus && dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb"
        subprocess.run(["sh", "-c", script], cwd=folder, capture_output=True)
    return program if os.path.exists(program) else None


promtool = shutil.which("promtool") or unpacked()
if not promtool:
    print("skipped: promtool cannot be had", file=sys.stderr)
    sys.exit(0)
token = admin_token()
failed = False
for check, what in [
    (check_lint, "promtool finds nothing to say of /metrics"), (check_counts, "requests are counted"),
    (check_access, "strangers see nothing"), (check_backup, "a backup is told"),
]:
    try:
        check()
        result = "ok"
    except Exception as error:
        failed = True
        result = repr(error).replace("\t", " ").replace("\n", " ")
    print("promtool", what, result, sep="\t")
sys.exit(failed)

"""Runs openapi-spec-validator and schemathesis on /openapi.json.

Usage: openapi.py ADDRESS PROGRAM DATA

EXAMPLES is the number of requests of each kind (default 10). PHASES lists the phases of schemathesis, such as
examples,coverage, which are deterministic. With PHASES, which `make test` sets, tests that callers have in common
are skipped: anonymous callers send the examples only, users do not call operations that read the same parameters as
another one, and admins call only the operations for admins.
"""

import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

import openapi_spec_validator

HERE = pathlib.Path(__file__).resolve().parent
base = sys.argv[1].rstrip("/")
program, data = sys.argv[2:4]
PASSWORD = "schemathesis asks"
# They read the parameters of `/v1/listings` or of the Atom feed, and write them in another format.
OTHER_FORMATS = r"^/v1/listings(\.csv|\.geojson|/count|/clusters)$|\.rss$"


def document():
    with urllib.request.urlopen(base + "/openapi.json") as answer:
        assert answer.headers["Content-Type"] == "application/vnd.oai.openapi+json;version=3.0"
        return json.load(answer)


def check_document():
    openapi_spec_validator.validate(document(), cls=openapi_spec_validator.OpenAPIV30SpecValidator)


def make_admin():
    subprocess.run(
        [program, "accounts", "add", "admin@example.org", "--admin", "--password-file", "-", "--data", data],
        input=PASSWORD + "\n", text=True, check=True, capture_output=True,
    )


def check_operations(caller):
    """Runs all checks on all operations except the event stream, which never ends; `check_stream` covers the stream."""
    phases = os.environ.get("PHASES")
    if phases and caller == "nobody":
        phases = "examples"
    environment = os.environ | {
        "DOGGOFINDER_CALLER": caller, "DOGGOFINDER_PASSWORD": PASSWORD,
        "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE / "openapi"), "PYTHONDONTWRITEBYTECODE": "1",
        "DOGGOFINDER_ADDRESS": base, "DOGGOFINDER_PHOTOS": str(HERE.parent / "PhotosTests" / "Fixtures"),
    }
    command = [
        str(pathlib.Path(sys.executable).parent / "schemathesis"), "--config-file", str(HERE / "openapi" / "schemathesis.toml"), "run", base + "/openapi.json", "--url", base,
        "--checks", "all", "--exclude-path", "/v1/listings/stream", "--max-examples", os.environ.get("EXAMPLES", "10"),
        # One worker, because with several Python 3.11 may miscount the recursion depth.
        "--workers", "1", "--request-timeout", "300", "--no-color",
    ]
    command += ["--phases", phases] if phases else []
    command += ["--include-path-regex", "/admin/|^/metrics"] if phases and caller == "admin" else []
    command += ["--exclude-path-regex", OTHER_FORMATS] if phases and caller == "user" else []
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode != 0:
        print(run.stdout, run.stderr, sep="\n", file=sys.stderr)
    numbers = re.search(r"(\d+) generated, ([^\n]*)", run.stdout)
    assert run.returncode == 0, numbers and numbers[2]
    tested = re.search(r"Tested: (\d+)", run.stdout)
    return numbers and tested and f"{numbers[1]} requests of {tested[1]} operations"


def check_stream():
    with urllib.request.urlopen(base + "/v1/listings/stream", timeout=300) as answer:
        told = document()["paths"]["/v1/listings/stream"]["get"]["responses"]["200"]["content"]
        assert list(told) == [answer.headers["Content-Type"]], told
        assert answer.readline().startswith(b"id: ")


def report(client, title, check):
    try:
        found = check()
        result = "ok" if found is None else f"ok, {found}"
    except Exception as error:
        result = f"{type(error).__name__}: {error}".replace("\t", " ").replace("\n", " ")
    print(client, title, result, sep="\t", flush=True)


def named(package):
    return f"{package} {importlib.metadata.version(package)}"


report(named("openapi-spec-validator"), "the document is OpenAPI 3.0", check_document)
report("urllib", "the stream of events is as documented", check_stream)
make_admin()
for caller in ("nobody", "user", "admin"):
    report(named("schemathesis"), f"every check of every operation, as {caller}", lambda: check_operations(caller))

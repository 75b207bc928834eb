"""openapi-spec-validator and schemathesis on /openapi.json: openapi.py ADDRESS. EXAMPLES tells how many requests of each kind, 10 unless set, PHASES
which of schemathesis' there are, like examples,coverage, which are the same each time."""

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


def document():
    with urllib.request.urlopen(base + "/openapi.json") as answer:
        assert answer.headers["Content-Type"] == "application/vnd.oai.openapi+json;version=3.0"
        return json.load(answer)


def check_document():
    openapi_spec_validator.validate(document(), cls=openapi_spec_validator.OpenAPIV30SpecValidator)


def check_operations():
    """All checks of all operations but the stream of events, which never ends: `check_stream` looks at that."""
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(HERE / "openapi"), "PYTHONDONTWRITEBYTECODE": "1",
        "DOGGOFINDER_ADDRESS": base, "DOGGOFINDER_PHOTOS": str(HERE.parent / "PhotosTests" / "Fixtures"),
    }
    command = [
        str(pathlib.Path(sys.executable).parent / "schemathesis"), "--config-file", str(HERE / "openapi" / "schemathesis.toml"), "run", base + "/openapi.json", "--url", base,
        "--checks", "all", "--exclude-path", "/v1/listings/stream", "--max-examples", os.environ.get("EXAMPLES", "10"),
        # One at a time: with more, Python 3.11 may lose count of how deep it is.
        "--workers", "1", "--request-timeout", "30", "--no-color",
    ] + [word for phases in [os.environ.get("PHASES")] if phases for word in ("--phases", phases)]
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode != 0:
        print(run.stdout, run.stderr, sep="\n", file=sys.stderr)
    numbers = re.search(r"(\d+) generated, ([^\n]*)", run.stdout)
    assert run.returncode == 0, numbers and numbers[2]
    return numbers and numbers[1] + " requests"


def check_stream():
    with urllib.request.urlopen(base + "/v1/listings/stream", timeout=30) as answer:
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
report(named("schemathesis"), "every check of every operation", check_operations)

#!/usr/bin/env python3
"""Prints the components of the program as CycloneDX 1.5 (JSON): sbom.py FOLDER_OF_THE_PROGRAM

The components are the Swift packages of Package.resolved with their revisions, Swift's runtime, the Debian packages of
the libraries that the programs load, and the bundled data with hashes. The same input gives the same bytes.
"""

import json
import sys
import uuid
from pathlib import Path

import components


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = Path(sys.argv[1])
    programs = [str(folder / name) for name in ("doggofinder", "photo-worker")]
    parts = (
        [swift(package) for package in components.swift_packages()] + [runtime()]
        + [debian(package) for package in components.debian_packages(programs)]
        + [data(item) for item in components.bundled_data()]
    )
    root = {
        "type": "application", "bom-ref": "doggofinder", "name": "doggofinder",
        "version": components.run(programs[0], "--version").strip(), "licenses": [{"expression": "Apache-2.0"}],
    }
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": root},
        "components": parts,
        "dependencies": [{"ref": "doggofinder", "dependsOn": sorted(part["bom-ref"] for part in parts)}],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(document, sort_keys=True))
    print(json.dumps(document | {"serialNumber": f"urn:uuid:{serial}"}, indent=2, ensure_ascii=False))


def swift(package: dict) -> dict:
    name = package["url"].removeprefix("https://")
    return {
        "type": "library", "bom-ref": f"pkg:swift/{name}@{package['version']}", "name": package["name"],
        "version": package["version"], "purl": f"pkg:swift/{name}@{package['version']}",
        "licenses": [{"expression": package["licence"]}],
        "externalReferences": [{"type": "vcs", "url": package["url"], "comment": f"revision {package['revision']}"}],
    }


def runtime() -> dict:
    version = components.swift_version()
    return {
        "type": "platform", "bom-ref": f"swift-runtime@{version}", "name": "swift-runtime", "version": version,
        "description": "The standard library, Foundation and Dispatch, linked statically.",
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}],
    }


def debian(package: dict) -> dict:
    name = f"pkg:deb/debian/{package['name']}@{package['version']}?arch={package['architecture']}&distro=bookworm"
    part = {
        "type": "library", "bom-ref": name, "name": package["name"], "version": package["version"],
        "purl": name, "licenses": [{"license": {"name": licence}} for licence in package["licences"]],
    }
    if package["homepage"]:
        part["externalReferences"] = [{"type": "website", "url": package["homepage"]}]
    return part


def data(item: dict) -> dict:
    licence = item["licence"]
    return {
        "type": "machine-learning-model" if item["path"].endswith(".onnx") else "data",
        "bom-ref": item["path"], "name": item["path"], "description": item["origin"],
        "hashes": [{"alg": "SHA-256", "content": item["sha256"]}],
        "copyright": item["holder"],
        "licenses": [] if licence == "NOASSERTION" else [{"expression": licence}],
    }


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes an OCI archive with one layer: oci_archive.py LAYER LAYER.zst VERSION ARCHITECTURE ARCHIVE

Debian's umoci compresses layers with gzip only, which makes the image a third larger.
"""

import hashlib
import io
import json
import os
import sys
import tarfile
from datetime import datetime, timezone
from pathlib import Path

MEDIA = "application/vnd.oci.image"
TIME = int(os.environ["SOURCE_DATE_EPOCH"])
# There is no curl in the image; bash opens connections itself.
HEALTHY = (
    "exec 3<> /dev/tcp/127.0.0.1/${DOGGOFINDER_PORT:-8080} && printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3 "
    "&& read -r -t 5 -u 3 _ status _ && [ $status = 200 ]"
)
NANOSECONDS = 1_000_000_000


def main() -> None:
    layer, compressed, version, architecture, archive = sys.argv[1:]
    blobs: dict[str, Path | bytes] = {}

    def add(media: str, content: Path | bytes) -> dict:
        found = digest(content)
        blobs[found] = content
        size = len(content) if isinstance(content, bytes) else content.stat().st_size
        return {"mediaType": f"{MEDIA}.{media}", "digest": f"sha256:{found}", "size": size}

    layers = [add("layer.v1.tar+zstd", Path(compressed))]
    config = add("config.v1+json", encoded(image(Path(layer), version, architecture)))
    manifest = {"schemaVersion": 2, "mediaType": f"{MEDIA}.manifest.v1+json", "config": config, "layers": layers}
    entry = add("manifest.v1+json", encoded(manifest)) | {
        "annotations": {"org.opencontainers.image.ref.name": version},
        "platform": {"architecture": architecture, "os": "linux"},
    }
    index = {"schemaVersion": 2, "mediaType": f"{MEDIA}.index.v1+json", "manifests": [entry]}
    with tarfile.open(archive, "w", format=tarfile.USTAR_FORMAT) as tar:
        put(tar, "oci-layout", encoded({"imageLayoutVersion": "1.0.0"}))
        put(tar, "index.json", encoded(index))
        for name in sorted(blobs):
            put(tar, f"blobs/sha256/{name}", blobs[name])


def image(layer: Path, version: str, architecture: str) -> dict:
    """The configuration. `Healthcheck` is an extension that Docker and podman read."""
    created = datetime.fromtimestamp(TIME, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": {
            "User": "900:900",
            "ExposedPorts": {"8080/tcp": {}},
            # Files of imports are large, so the folder for temporary files is in the volume and not in memory.
            "Env": [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=/data",
                "TMPDIR=/data", "DOGGOFINDER_DATA=/data", "DOGGOFINDER_HOST=0.0.0.0",
            ],
            "Entrypoint": ["/usr/bin/doggofinder"],
            "Cmd": ["serve"],
            "Volumes": {"/data": {}},
            "WorkingDir": "/data",
            "StopSignal": "SIGTERM",
            "Labels": {"org.opencontainers.image.title": "DoggoFinder", "org.opencontainers.image.version": version},
            "Healthcheck": {
                "Test": ["CMD", "/bin/bash", "-c", HEALTHY], "Interval": 30 * NANOSECONDS, "Timeout": 10 * NANOSECONDS,
                "StartPeriod": 60 * NANOSECONDS,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest(layer)}"]},
        "history": [{"created": created, "created_by": "make image"}],
    }


def encoded(value: dict) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def digest(content: Path | bytes) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def put(tar: tarfile.TarFile, name: str, content: Path | bytes) -> None:
    member = tarfile.TarInfo(name)
    member.mtime, member.mode = TIME, 0o644
    if isinstance(content, bytes):
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    else:
        member.size = content.stat().st_size
        with content.open("rb") as file:
            tar.addfile(member, file)


if __name__ == "__main__":
    main()

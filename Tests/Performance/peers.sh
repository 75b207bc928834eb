#!/usr/bin/env bash
# Runs the same data and queries with DoggoFinder, PostGIS, Redis, Datasette and pygeoapi, by the harness in
# ../shared/bench. Arguments are passed to the harness, such as --sizes 100000 or --peers postgis.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bench=$here/../../../shared/bench
work=${BENCH_DIR:-$HOME/.cache/peer-bench}
port=${PORT:-18080}
[ -d "$bench" ] || { echo "../shared/bench is not here: nothing to compare with" >&2; exit 0; }
[ -x "$work/venv/bin/python" ] || "$bench/setup.sh"
make -s -C "$here/../.." build >&2
trap 'kill "$(cat "$work/ours/pid")" 2>/dev/null || true' EXIT
OURS_LOAD="'$here/load.sh' {csv} '$work/ours' $port" "$work/venv/bin/python" "$bench/run.py" \
    --ours "http://127.0.0.1:$port" --data load --peers postgis,redis,datasette,pygeoapi-pg "$@"

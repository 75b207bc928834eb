#!/usr/bin/env bash
# Fills an empty board with a CSV and leaves the server running, for peers.sh. load.sh CSV FOLDER PORT
set -euo pipefail
program=$(dirname "$0")/../../.build/release/doggofinder
csv=$1 folder=$2 port=$3
[ ! -e "$folder/pid" ] || kill "$(cat "$folder/pid")" 2>/dev/null || true
rm -rf "$folder"
mkdir -p "$folder"
head -c 18 /dev/urandom | base64 >"$folder/password"
"$program" accounts add owner@example.org --password-file "$folder/password" --data "$folder" >&2
"$program" listings import "$csv" --owner owner@example.org --set location_precision=exact --data "$folder" >&2
"$program" serve --port "$port" --data "$folder" --log-level error >"$folder/log" 2>&1 &
echo $! >"$folder/pid"
until curl -sf "http://127.0.0.1:$port/readyz" >/dev/null; do sleep 0.1; done
echo "pid=$(cat "$folder/pid")"

#!/bin/sh
# Measures the accuracy and speed of reverse geocoding in one run, against the nearest place of the same tables and
# PyPI's reverse_geocoder. Needs ../shared, `wrk`, and a Python with reverse_geocoder: $PYTHON, or that of the
# comparison harness.
set -eu
cd "$(dirname "$0")/../.."
truth=../shared/data/geo/truth
command -v wrk > /dev/null || { echo "needs wrk (apt-get install wrk)" >&2; exit 1; }
[ -d "$truth" ] || { echo "skipped: needs $truth" >&2; exit 0; }
make -s build
program=$PWD/.build/release/doggofinder
python=${PYTHON:-${BENCH_DIR:-$HOME/.cache/peer-bench}/venv/bin/python}
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
server=

echo "Bundled data:"
"$program" gazetteer evaluate --bundled "$truth"/truth_*.csv

echo; echo "100,000 points of Italy, and of the truth files, with PyPI's reverse_geocoder:"
"$python" Tests/Performance/gazetteer_peer.py "$program" "$truth" "$work/none"

echo; echo "HTTP, 32 clients, /v1/places/reverse:"
"$program" serve --port 0 --data "$work/data" > "$work/out" 2> "$work/log" &
server=$!
while ! grep -q answers "$work/out"; do sleep 0.2; kill -0 "$server"; done
address=$(sed 's/.*at //' "$work/out")
cat > "$work/points.lua" <<'LUA'
function request()
  return wrk.format("GET", string.format("/v1/places/reverse?lon=%.4f&lat=%.4f", 8 + math.random() * 9, 38 + math.random() * 8))
end
LUA
measure() { wrk -t 2 -c 32 -d 8 -s "$work/points.lua" "$address" | grep -E "Requests/sec|Latency  "; }
measure
exact=../shared/data/geo/italy/it_comuni_exact_2023.geojson.xz
echo; echo "With $(basename "$exact") imported:"
xz -dc "$exact" > "$work/comuni.geojson"
"$program" gazetteer import "$work/comuni.geojson" --data "$work/data" --map comune=name --map comune_code=catasto \
    --map province=prov_name --map province_code=prov --map region=reg --set country_code=IT
measure
kill "$server"; wait "$server" 2>/dev/null || true
"$program" gazetteer evaluate --data "$work/data" "$truth"/truth_*.csv | grep -v nearest

#!/usr/bin/env bash
# Measures searches on boards of increasing size, requests, posts, and memory. Prints tables.
set -euo pipefail
cd "$(dirname "$0")/../.."
sizes=${*:-10000 100000 1000000}
work=${BENCH_DIR:-$HOME/.cache/doggofinder-bench}
seconds=${SECONDS_EACH:-5}
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
make -s build >&2
swift build -c release --static-swift-stdlib --product benchmark >&2
program=$PWD/.build/release/doggofinder

folders=()
for size in $sizes; do
    folder=$work/$size
    if [ ! -e "$folder/full" ]; then
        echo "Making $size listings" >&2
        rm -rf "$folder"
        "$program" demo --count "$size" --seed 1 --data "$folder" >&2
        touch "$folder/full"
    fi
    folders+=("$folder")
done
.build/release/benchmark search "${folders[@]}"

folder=${folders[-1]}
scratch=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT
row() { printf '| %-52s | %12s | %12s | %9s |\n' "$@"; }
now() { date +%s%N; }
begin=$(now)
"$program" serve --quota off --rate-limit off --port 0 --data "$folder" --log-level error >"$scratch/address" &
server=$!
until grep -q http "$scratch/address" 2>/dev/null; do sleep 0.005; done
base=$(grep -o 'http://[^ ]*' "$scratch/address")
printf '\n## Through HTTP, %s listings, 32 clients\n\n' "${folder##*/}"
row "what" "requests/s" "CPU us" "x trivial"
row "---" "---:" "---:" "---:"
row "start to first answer, ms" "$((($(now) - begin) / 1000000))" "" ""

# Queries use the positions of listings.
curl -s "$base/v1/listings?limit=200&bbox=6,36,19,47" | grep -o '"coordinates":\[[^]]*\]' | tr -dc '0-9.,\n-' >"$scratch/points"
cpu() { awk '{print $14 + $15}' "/proc/$server/stat"; }
trivial=
load() { # name, Lua for one request from p[i]
    { echo "local p={"; awk -F, '{printf "{%s,%s},\n", $1, $2}' "$scratch/points"; echo "}; local i=0"
      echo "request=function() i=i%#p+1; return $2 end"
      echo "done=function(s) io.write(string.format('%d %d %d %d\n', s.requests, s.duration, s.errors.status, s.errors.read+s.errors.timeout)) end"
    } >"$scratch/ask.lua"
    local before after requests microseconds refused failed cost
    before=$(cpu)
    read -r requests microseconds refused failed < <(
        wrk -t 2 -c 32 -d "${seconds}s" -s "$scratch/ask.lua" "$base" | tail -n 1)
    after=$(cpu)
    [ "$refused" = 0 ] && [ "$failed" = 0 ] || { echo "$1: $refused refused, $failed failed" >&2; exit 1; }
    cost=$(((after - before) * 1000000 / $(getconf CLK_TCK) / requests))
    : "${trivial:=$cost}"
    row "$1" "$((requests * 1000000 / microseconds))" "$cost" "$(awk "BEGIN {printf \"%.1f\", $cost / $trivial}")"
}
ask() { load "$1" "wrk.format('GET', (('$2'):gsub('LON',p[i][1]):gsub('LAT',p[i][2])))"; }
ask "trivial route" "/healthz"
ask "newest 20 lost" "/v1/listings?status=lost"
for radius in 1000 5000 25000; do
    ask "nearest 20 lost within $((radius / 1000)) km" "/v1/listings?status=lost&lon=LON&lat=LAT&radius=$radius"
    ask "newest 20 lost within $((radius / 1000)) km" "/v1/listings?status=lost&lon=LON&lat=LAT&radius=$radius&sort=-created_at"
done
ask "nearest 20 of a breed" "/v1/listings?breed=beagle&lon=LON&lat=LAT"
ask "clusters of Italy" "/v1/listings/clusters?bbox=6,36,19,48&zoom=6"
ask "reverse geocoding" "/v1/places/reverse?lon=LON&lat=LAT"
row "private memory after that, MiB" "$(($(awk '/RssAnon/ {print $2}' "/proc/$server/status") >> 10))" "" ""

# Posts go to a copy, so that the next run starts with the same board.
kill "$server"; wait "$server" || true
mkdir "$scratch/data"
cp "$folder"/doggofinder.sqlite* "$scratch/data/"
"$program" serve --quota off --rate-limit off --port 0 --data "$scratch/data" --log-level error >"$scratch/address" &
server=$!
until grep -q http "$scratch/address" 2>/dev/null; do sleep 0.005; done
base=$(grep -o 'http://[^ ]*' "$scratch/address")
token=$(curl -s -X POST "$base/v1/guests" | sed 's/.*"token":"\([^"]*\)".*/\1/')
load "durable posts" "wrk.format('POST', '/v1/listings', {['Authorization']='Bearer $token', ['Content-Type']='application/json'}, string.format('{\"status\": \"lost\", \"breed\": \"Beagle\", \"description\": \"red collar\", \"lon\": %s, \"lat\": %s}', p[i][1], p[i][2]))"
row "log after that, MiB" "$(($(stat -c %s "$scratch/data/doggofinder.sqlite-wal") >> 20))" "" ""

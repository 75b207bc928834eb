#!/usr/bin/env bash
# What the service weighs and what a request costs. Prints a table.
set -euo pipefail
cd "$(dirname "$0")/../.."
count=${1:-100000}
seconds=${SECONDS_EACH:-5}
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }
make -s build >&2
program=$PWD/.build/release/doggofinder
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT

row() { printf '| %-44s | %14s |\n' "$1" "$2"; }
now() { date +%s%N; }
row "what" "measured"
row "---" "---:"
row "program, MiB" "$(($(stat -c %s "$program") >> 20))"
row "geodata, MiB" "$(du -cm geodata/*.bin geodata/*.tsv | tail -n 1 | cut -f 1)"
begin=$(now)
"$program" demo --count "$count" --seed 1 --data "$folder" >/dev/null
row "loading $count listings, s" "$(((($(now) - begin)) / 1000000000))"

begin=$(now)
"$program" serve --port 0 --data "$folder" --log-level error >"$folder/address" &
server=$!
until grep -q http "$folder/address" 2>/dev/null; do sleep 0.005; done
base=$(grep -o 'http://[^ ]*' "$folder/address")
row "start to first answer, ms" "$((($(now) - begin) / 1000000))"
row "memory idle, MiB" "$(($(awk '/VmRSS/ {print $2}' "/proc/$server/status") >> 10))"

# Questions are asked where the listings are.
curl -s "$base/v1/listings?limit=200" | grep -o '"coordinates":\[[^]]*\]' | tr -dc '0-9.,\n-' >"$folder/points"
cpu() { awk '{print $14 + $15}' "/proc/$server/stat"; }
ask() { # name, address with LON and LAT in it
    { echo "local p={"; awk -F, '{printf "{%s,%s},\n", $1, $2}' "$folder/points"; echo "}; local i=0"
      echo "request=function() i=i%#p+1; return wrk.format('GET', (('$2'):gsub('LON',p[i][1]):gsub('LAT',p[i][2]))) end"
    } >"$folder/ask.lua"
    local before after
    before=$(cpu)
    wrk -t 2 -c 16 -d "${seconds}s" -s "$folder/ask.lua" "$base" >"$folder/wrk"
    after=$(cpu)
    ! grep -q "Non-2xx" "$folder/wrk" || { cat "$folder/wrk" >&2; exit 1; }
    local done
    done=$(awk '/requests in/ {print $1}' "$folder/wrk")
    row "$1, requests/s" "$(awk '/Requests\/sec/ {print int($2)}' "$folder/wrk")"
    row "$1, CPU us a request" "$(((after - before) * 1000000 / $(getconf CLK_TCK) / done))"
}
ask "trivial route" "/healthz"
for radius in 1000 5000 25000; do
    ask "nearest 20 lost within $((radius / 1000)) km" "/v1/listings?status=lost&lon=LON&lat=LAT&radius=$radius"
done
ask "newest 20 within 5 km" "/v1/listings?sort=-created_at&lon=LON&lat=LAT&radius=5000"
ask "reverse geocoding" "/v1/places/reverse?lon=LON&lat=LAT"
row "memory after that, MiB" "$(($(awk '/VmRSS/ {print $2}' "/proc/$server/status") >> 10))"

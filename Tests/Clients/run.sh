#!/bin/sh
# Tests our server with third-party programs and prints a table of client, check and result. Fails if a check fails.
#
# Each *.py file in this folder runs as `FILE.py ADDRESS PROGRAM DATA` with the packages in requirements.txt. It prints
# one line for each check: client, check and result, separated by tabs. The result begins with "ok", or with "skipped: "
# if a program is missing, which is told again at the end. PROGRAM is the server program, and LISTINGS is the number of
# listings for the GIS programs.
# `run.sh CLIENT...` runs only the named clients, such as tiles.
set -eu
cd "$(dirname "$0")/../.."
here=Tests/Clients
python=.build/clients/bin/python
installed=.build/clients/installed
if [ ! "$installed" -nt "$here/requirements.txt" ]; then
    python3 -m venv .build/clients
    "$python" -m pip install -q --disable-pip-version-check --retries 1 --require-hashes -r "$here/requirements.txt" || {
        echo "skipped: PyPI cannot be reached" >&2
        exit 0
    }
    touch "$installed"
fi
program=$PWD/${PROGRAM:-.build/release/doggofinder}
work=$(mktemp -d)
server=
: > "$work/out"
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
# The server must know its port at the start, because links contain it.
port=$("$python" -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$program" serve --quota off --port "$port" --data "$work/data" --log-level error > "$work/out" 2> "$work/log" &
server=$!
until grep -q answers "$work/out"; do
    sleep 0.2
    kill -0 "$server"
done
address=$(sed 's/.*at //' "$work/out")

status=0
[ $# -gt 0 ] || set -- $(basename -s .py "$here"/*.py)
for client; do
    begin=$(date +%s)
    "$python" "$here/$client.py" "$address" "$program" "$work/data" > "$work/rows" || {
        status=1
        printf '%s\tends without an error\tits status is not 0\n' "$client" >> "$work/rows"
    }
    cat "$work/rows" >> "$work/table"
    echo "$client: $(($(date +%s) - begin)) s"
done
{ printf 'client\tcheck\tresult\n'; cat "$work/table"; } \
    | awk -F '\t' '{ printf "%-20s  %-58s  %s\n", $1, $2, $3 }'
# Failed checks come last, where a summary of the output shows them.
awk -F '\t' 'sub(/^skipped: /, "", $3) { print "skipped: " $1 ": " $3 }' "$work/table"
awk -F '\t' '$3 !~ /^(ok|skipped)/ { print "failed: " $1 ": " $2 ": " $3; failed = 1 } END { exit failed }' "$work/table" || status=1
exit $status

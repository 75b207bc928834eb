#!/bin/sh
# Other people's programs against a server of ours: a table of client, check, result. Fails where one of them does.
#
# Every *.py beside this file is run by a Python that has requirements.txt, as `FILE.py ADDRESS PROGRAM DATA`, and prints a line for
# each check: client, check and result with tabs between them, the result beginning with "ok" where it is, with "skipped" where a program is
# missing. PROGRAM is the one to serve with, LISTINGS how many the GIS programs read. run.sh CLIENT... runs
# just these, like tiles.
set -eu
cd "$(dirname "$0")/../.."
here=Tests/Clients
python=.build/clients/bin/python
[ -x "$python" ] || python3 -m venv .build/clients
"$python" -m pip install -q --disable-pip-version-check --retries 1 -r "$here/requirements.txt" || {
    echo "skipped: PyPI cannot be reached" >&2
    exit 0
}
program=$PWD/${PROGRAM:-.build/release/doggofinder}
work=$(mktemp -d)
server=
: > "$work/out"
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
# Links begin with the address that the server is told, so it is told a port.
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
    "$python" "$here/$client.py" "$address" "$program" "$work/data" >> "$work/table" || status=1
done
{ printf 'client\tcheck\tresult\n'; cat "$work/table"; } \
    | awk -F '\t' '{ printf "%-20s  %-58s  %s\n", $1, $2, $3 }'
! cut -f 3 "$work/table" | grep -qvE '^(ok|skipped)' || status=1
exit $status

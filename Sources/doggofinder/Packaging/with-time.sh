#!/usr/bin/env bash
# Runs a command, and says every 30 seconds for how long it has been running: with-time.sh WHAT COMMAND...
what=$1 start=$SECONDS
shift

tell() {
    trap 'kill $!; exit' TERM
    while :; do
        sleep 30 &
        wait $!
        printf '%s: %d min %02d s so far\n' "$what" $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60))
    done
}

tell &
trap "kill $!" EXIT
"$@"

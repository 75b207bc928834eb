#!/usr/bin/env bash
# Runs stages of `make test` one after the other: stages.sh NAME=COMMAND...
#
# Prints each stage with its time, and at the end a table of all stages, the skipped tests with the reason, and the line
# `N passed, N failed, N skipped`. A stage without Swift tests counts as one test. The other stages run even if one
# fails, unless that is the build.
set -uo pipefail
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
passed=0 failed=0 table=""

# Extracts the lines of Swift Testing about tests and suites that a trait disables, and those of other programs about
# skipped checks.
skips() { sed -nE 's/^➜ ((Test|Suite) .*) skipped: "?([^"]*)"?\.?$/\3: \1/p; s/^➜ ((Test|Suite) .*) skipped\.$/no reason given: \1/p; s/^skipped: (.*)$/\1/p' "$1"; }

# The tests that failed, as Swift Testing prints them.
failures() { grep -hE '^✘ Test .* failed after ' "$@" | grep -v '^✘ Test run with '; }

for stage; do
    name=${stage%%=*} start=$SECONDS
    printf '\n== %s\n' "$name"
    bash -c "${stage#*=}" 2>&1 | tee "$log/$name"
    status=${PIPESTATUS[0]} time=$((SECONDS - start))
    counts=$(sed -nE 's/^. Test run with ([0-9]+) tests? .* (passed|failed) after .*( with ([0-9]+) issues?)?.*$/\1/p' "$log/$name" | tail -1)
    wrong=$(failures "$log/$name" | grep -c .)
    if [ "$status" = 0 ]; then result=ok; else result=FAILED; fi
    if [ -n "$counts" ]; then
        [ "$status" = 0 ] || [ "$wrong" -gt 0 ] || wrong=1
        passed=$((passed + counts - wrong)) failed=$((failed + wrong))
    elif [ "$status" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    table+=$(printf '%-12s %-7s %3d min %02d s  %s' "$name" "$result" $((time / 60)) $((time % 60)) "${counts:+$counts tests}")$'\n'
    skips "$log/$name" >> "$log/skipped"
    if [ "$status" != 0 ] && [ "$name" = build ]; then break; fi
done

printf '\n%s' "$table"
printf 'total                %3d min %02d s\n\n' $((SECONDS / 60)) $((SECONDS % 60))
failures "$log"/*
skipped=$(sort -u "$log/skipped" | grep -c .)
[ "$skipped" = 0 ] || { echo "Skipped:"; sort -u "$log/skipped"; echo; }
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]

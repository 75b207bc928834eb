#!/usr/bin/env bash
# Runs the stages of `make test`: stages.sh NAME=COMMAND... [-- NAME=COMMAND...]...
#
# The stages before the first `--` run one after the other. Each `--` begins a lane: a lane's stages run one after the
# other, and the lanes beside each other. Every line of a stage begins with its name. The end is the skipped tests
# with the reason, a table of all stages with their times, what failed and why, and the line
# `N passed, N failed, N skipped`. A stage without Swift tests counts as one test. The other stages run even if one
# fails, unless that is the build.
set -uo pipefail
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# Extracts the lines of Swift Testing about tests and suites that a trait disables, and those of other programs about
# skipped checks.
skips() { sed -nE 's/^➜ ((Test|Suite) .*) skipped: "?([^"]*)"?\.?$/\3: \1/p; s/^➜ ((Test|Suite) .*) skipped\.$/no reason given: \1/p; s/^skipped: (.*)$/\1/p' "$@" | sort -u; }

# The tests that failed, as Swift Testing prints them.
failures() { grep -hE '^✘ Test .* failed after ' "$@" | grep -v '^✘ Test run with '; }

# What a stage that failed tells: its tests with their issues, or else its last lines.
reasons() { grep -hE -A 2 '^✘ Test .* (recorded an issue|failed after) ' "$1" || tail -15 "$1"; }

# Runs stages one after the other, and notes the status and the seconds of each.
lane() {
    local stage name start
    for stage; do
        name=${stage%%=*} start=$SECONDS
        echo "== $name"
        bash -c "${stage#*=}" 2>&1 | tee "$log/$name.log" | sed -u "s/^/$name: /"
        echo "${PIPESTATUS[0]} $((SECONDS - start))" > "$log/$name.end"
    done
}

stages=() starts=(0)
for word; do
    if [ "$word" = -- ]; then starts+=("${#stages[@]}"); else stages+=("$word"); fi
done
starts+=("${#stages[@]}")
lane "${stages[@]:0:starts[1]}"
has_lanes=""
if [ ! -e "$log/build.end" ] || [[ $(cat "$log/build.end") == 0\ * ]]; then
    has_lanes=yes
    for ((number = 1; number < ${#starts[@]} - 1; number++)); do
        lane "${stages[@]:starts[number]:starts[number + 1] - starts[number]}" &
    done
    wait
fi

echo
skips "$log"/*.log > "$log/skipped"
skipped=$(grep -c . "$log/skipped")
[ "$skipped" = 0 ] || { echo "Skipped:"; cat "$log/skipped"; echo; }

passed=0 failed=0
for stage in "${stages[@]}"; do
    name=${stage%%=*}
    # A lane that was killed leaves stages without an end; after a failed build, none has begun.
    [ -e "$log/$name.end" ] || [ -n "$has_lanes" ] || continue
    read -r status time < "$log/$name.end" || status=1 time=0
    counts=$(sed -nE 's/^. Test run with ([0-9]+) tests? .* (passed|failed) after .*( with ([0-9]+) issues?)?.*$/\1/p' "$log/$name.log" | tail -1)
    wrong=$(failures "$log/$name.log" | grep -c .)
    if [ "$status" = 0 ]; then result=ok; else result=FAILED; fi
    if [ -n "$counts" ]; then
        [ "$status" = 0 ] || [ "$wrong" -gt 0 ] || wrong=1
        passed=$((passed + counts - wrong)) failed=$((failed + wrong))
    elif [ "$status" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    printf '%-12s %-7s %3d min %02d s  %s\n' "$name" "$result" $((time / 60)) $((time % 60)) "${counts:+$counts tests}"
done
printf 'total                %3d min %02d s\n\n' $((SECONDS / 60)) $((SECONDS % 60))
for stage in "${stages[@]}"; do
    name=${stage%%=*}
    if [ -e "$log/$name.end" ] && [[ $(cat "$log/$name.end") != 0\ * ]]; then
        echo "$name failed:"
        reasons "$log/$name.log" | cut -c 1-500
        echo
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]

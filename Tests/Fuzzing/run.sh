#!/bin/sh
# Fuzzes every parser for SECONDS_EACH seconds (default 60) and prints tables: Swift parsers with `fuzz`, photos with
# libFuzzer and the address and undefined-behaviour sanitizers if clang is installed, and requests with
# whole_requests.py. Fails if one of them finds a problem.
set -eu
cd "$(dirname "$0")/../.."
seconds=${SECONDS_EACH:-60}
seed=${SEED:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
.build/release/fuzz all --seconds "$seconds" --seed "$seed" || status=1

if command -v clang > /dev/null; then
    mkdir "$work/corpus"
    for kind in jpg png webp heic avif; do cp Tests/PhotosTests/Fixtures/*."$kind" "$work/corpus"; done
    worker=Sources/photo-worker
    clang -g -O1 -D_GNU_SOURCE -Dfree=give_back -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
        -Wl,--export-dynamic-symbol=de265_start_worker_threads,--export-dynamic-symbol=dav1d_open \
        Tests/Fuzzing/photo.c $worker/colour.c $worker/exif.c $worker/heif.c $worker/jpeg.c $worker/png.c $worker/scale.c $worker/webp.c \
        -ljpeg -lpng -lwebp -lwebpdemux -llcms2 -lm -o "$work/photo" 2> "$work/compiler" || { cat "$work/compiler"; exit 1; }
    # The fork mode is needed because refused pictures interrupt the decoders, whose memory is lost until the process
    # ends.
    export ASAN_OPTIONS=detect_leaks=0
    if "$work/photo" -fork=1 -ignore_ooms=1 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2000 -detect_leaks=0 -seed="$seed" \
        -max_len=100000 -artifact_prefix=fuzz-crash-photo- "$work/corpus" > "$work/log" 2>&1; then result=ok; else result=FAIL status=1; fi
    printf '%-5s%-18s%s\n' "$result" photo "$(grep -E '^#[0-9]+: cov' "$work/log" | tail -1)"
    [ "$result" = ok ] || grep -E 'ERROR|runtime error|SUMMARY' "$work/log" | head -20
fi
python3 Tests/Fuzzing/whole_requests.py .build/release/doggofinder "$seconds" "$seed" || status=1
exit $status

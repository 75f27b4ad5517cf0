#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each fuzzer for MINUTES (60), one after the other, on its seeds and the corpus kept in build/fuzz-corpus, which is minimised
# first (-merge=1): a row of executions, edges, corpus and crashes for each. Inputs that broke something are in build/fuzz-crashes.
#
#   cmake --preset asan && cmake --build build/asan        # once
#   analyzer/tests/reliability/fuzz_table.sh MINUTES [NAME...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
seconds=$(awk -v minutes="${1:-60}" 'BEGIN { print int(minutes * 60) }')
shift || true
log=$(mktemp)
trap 'rm -f "$log"' EXIT
mkdir -p build/fuzz-crashes
printf '| parser | seconds | executions | edges | features | corpus | crashes |\n| --- | --: | --: | --: | --: | --: | --: |\n'
status=0
for program in build/asan/bin/*_fuzz; do
    name=$(basename "$program" _fuzz)
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    corpus=build/fuzz-corpus/$name
    mkdir -p "$corpus" "$corpus.new"
    mapfile -t seeds < <(find analyzer captures dissectors -type d -path "*/fuzz/seeds/$name")
    "$program" -merge=1 "$corpus.new" "$corpus" "${seeds[@]}" >"$log" 2>&1 || status=1
    rm -rf "$corpus"
    mv "$corpus.new" "$corpus"
    failed=0
    "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="build/fuzz-crashes/$name-" "$corpus" >"$log" 2>&1 || failed=1
    [ $failed = 0 ] || status=1
    awk -v name="$name" -v seconds="$seconds" -v crashes=$failed -v corpus="$(find "$corpus" -type f | wc -l)" '
        { for (i = 1; i < NF; i++) { if ($i == "cov:") edges = $(i + 1); if ($i == "ft:") features = $(i + 1) } }
        /^stat::number_of_executed_units/ { executions = $2 }
        END { printf "| `%s` | %d | %d | %d | %d | %d | %d |\n", name, seconds, executions, edges, features, corpus, crashes }' "$log"
done
exit $status

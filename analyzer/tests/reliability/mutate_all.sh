#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Every sample and mystery, a hundred times changed at random for each seed: mutate_all.sh 1 10 is 1,000 times each. A line a
# capture; what failed is kept in build/mutations.
#
#   analyzer/tests/reliability/mutate_all.sh [FIRST_SEED [LAST_SEED [PROGRAM]]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
program=${3:-build/release/bin/mutate_samples}
kept=${SANSCOPE_MUTATIONS_KEPT:-build/mutations}
mkdir -p "$kept"
status=0
for seed in $(seq "${1:-1}" "${2:-${1:-1}}"); do
    while read -r capture; do
        told=$("$program" --seed "$seed" --mutations 100 --keep "$kept" "$capture") || status=1
        echo "$capture, seed $seed: $told"
    done < <(find captures/samples docs/mysteries -name '*.pcap*' | sort)
done
exit $status

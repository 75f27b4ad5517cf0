#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Records captures/samples/sent-again-*: loads between two hosts in network namespaces, captured at both ends, with what each
# host's kernel counted beside (TcpRetransSegs, RFC 4022's tcpRetransSegs). Needs root, a build, and: tcpdump ethtool iproute2
# zstd.
#
#   record_retransmissions.sh [SAMPLE...]      all of them when none is named; --list names them
#
# Which segments are late or lost is another each time: a recording with nothing sent again is made anew.
set -euo pipefail

lab=$(cd "$(dirname "$0")" && pwd)
bin=${SANSCOPE_BIN:-$lab/../../build/release/bin}
out=${SANSCOPE_SAMPLES:-$lab/../samples}
prefix=${SANSCOPE_NAMESPACES:-sanscope-again}
ini=$prefix-ini mid=$prefix-mid tgt=$prefix-tgt
work=$(mktemp -d)
pids=()

at() { local namespace=$1; shift; ip netns exec "$namespace" "$@"; }

clean() {
    local pid namespace
    for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    pids=()
    for namespace in "$ini" "$mid" "$tgt"; do
        [ ! -e "/run/netns/$namespace" ] || ip netns del "$namespace"
    done
}
trap 'clean; rm -rf "$work"' EXIT

no_offload() { at "$1" ethtool -K "$2" tso off gso off gro off tx off rx off >/dev/null 2>&1 || true; }

wait_for() {
    local _
    for _ in $(seq 100); do
        ! grep -q "$2" "$1" 2>/dev/null || return 0
        sleep 0.05
    done
    echo "record_retransmissions: no '$2' in $1:" >&2
    cat "$1" >&2
    exit 1
}

# hosts [ARGUMENTS OF delay_node...]: joined by a cable where there are none.
hosts() {
    local namespace
    clean
    for namespace in "$ini" "$mid" "$tgt"; do
        ip netns add "$namespace"
        at "$namespace" ip link set lo up
    done
    if [ $# -gt 0 ]; then
        ip link add ini0 netns "$ini" type veth peer name node-a netns "$mid"
        ip link add tgt0 netns "$tgt" type veth peer name node-b netns "$mid"
        for namespace in node-a node-b; do
            no_offload "$mid" $namespace
            at "$mid" ip link set $namespace up
        done
    else
        ip link add ini0 netns "$ini" type veth peer name tgt0 netns "$tgt"
    fi
    no_offload "$ini" ini0
    no_offload "$tgt" tgt0
    at "$ini" ip addr add 192.0.2.1/24 dev ini0
    at "$tgt" ip addr add 192.0.2.2/24 dev tgt0
    at "$ini" ip -6 addr add 2001:db8::1/64 dev ini0 nodad
    at "$tgt" ip -6 addr add 2001:db8::2/64 dev tgt0 nodad
    at "$ini" ip link set ini0 up
    at "$tgt" ip link set tgt0 up
    if [ $# -gt 0 ]; then
        at "$mid" "$bin/delay_node" node-a node-b "$@" >"$work/node.json" 2>"$work/node.err" &
        pids+=($!)
        wait_for "$work/node.err" ready
    fi
}

# load ADDRESS [ARGUMENTS OF generate...]: captured at both ends.
load() {
    local address=$1 host
    shift
    at "$tgt" "$bin/sanscope" target --listen "$address:3260" --backing null --json >"$work/target.json" 2>&1 &
    pids+=($!)
    wait_for "$work/target.json" 3260
    for host in "$ini:ini0:initiator" "$tgt:tgt0:target"; do
        IFS=: read -r namespace interface name <<<"$host"
        ip netns exec "$namespace" tcpdump -i "$interface" -n -Z root -B 32768 -s 128 -w "$work/$name.pcap" tcp port 3260 \
            2>"$work/$name.err" &
        pids+=($!)
        wait_for "$work/$name.err" listening
    done
    at "$ini" "$bin/sanscope" generate --quiet --json "$@" \
        "iscsi://$address/iqn.2026-01.org.sanscope:memory-target/0" >"$work/load.json"
    sleep 1.5
}

retransmitted() { at "$1" nstat -asz TcpRetransSegs | awk '$1 == "TcpRetransSegs" { print $2 }'; }

# keep NAME: both captures, and the counters.
keep() {
    local name=sent-again-$1 end initiator target
    initiator=$(retransmitted "$ini")
    target=$(retransmitted "$tgt")
    clean
    if cat "$work"/{initiator,target}.err | grep 'dropped by kernel' | grep -qv '^0 '; then
        echo "record_retransmissions: the capture lost packets: record again" >&2
        return 1
    fi
    [ $((initiator + target)) -gt 0 ] || { echo "record_retransmissions: nothing was sent again: record again" >&2; return 1; }
    for end in initiator target; do zstd -q -19 -f "$work/$end.pcap" -o "$out/$name-at-$end.pcap.zst"; done
    printf 'host,TcpRetransSegs\ninitiator,%s\ntarget,%s\n' "$initiator" "$target" >"$out/$name.retransmissions.csv"
    echo "$name: initiator $initiator, target $target"
}

# ---- The samples

writes=(--allow-writes SANSCOPE --read-percent)

# A few microseconds apart, on two processors: the path lets packets overtake others.
sample_cable-reads-64k() { hosts; load 192.0.2.2 -q 16 --request-size 64K --commands 300; keep cable-reads-64k; }
sample_cable-reads-256k() { hosts; load 192.0.2.2 -q 32 --request-size 256K --commands 80; keep cable-reads-256k; }
sample_cable-mixed() {
    hosts
    load 192.0.2.2 -q 32 --request-size 64K --commands 300 "${writes[@]}" 50
    keep cable-mixed
}
sample_cable-ipv6() { hosts; load '[2001:db8::2]' -q 32 --request-size 128K --commands 150; keep cable-ipv6; }

sample_loss-mixed-4k() {
    hosts --delay-us 500 --loss 0.01 --seed 3
    load 192.0.2.2 -q 8 --request-size 4K --commands 1500 "${writes[@]}" 60 --pattern random
    keep loss-mixed-4k
}
sample_loss-ipv6() {
    hosts --delay-us 1000 --rate-mbit 300 --loss 0.01 --seed 4
    load '[2001:db8::2]' -q 8 --request-size 64K --commands 150 "${writes[@]}" 50
    keep loss-ipv6
}
sample_loss-writes() {
    hosts --delay-us 200 --loss 0.005 --seed 5
    load 192.0.2.2 -q 4 --request-size 256K --commands 40 "${writes[@]}" 0
    keep loss-writes
}
sample_reordering() {
    hosts --delay-us 1000 --rate-mbit 400 --reorder 0.01 --reorder-us 700 --loss 0.001 --seed 6
    load 192.0.2.2 -q 8 --request-size 64K --commands 150 "${writes[@]}" 30
    keep reordering
}
sample_deep-reordering() {
    hosts --delay-us 1000 --ba-reorder 0.005 --reorder-us 9000 --seed 7
    load 192.0.2.2 -q 8 --request-size 64K --commands 150
    keep deep-reordering
}
# Two sessions, of which a queue that overflows loses bursts.
sample_bottleneck() {
    hosts --delay-us 2000 --rate-mbit 100 --queue 25
    load 192.0.2.2 -q 8 --sessions 2 --request-size 64K --commands 160
    keep bottleneck
}

samples=$(compgen -A function sample_ | sed 's/^sample_//')
if [ "${1:-}" = --list ]; then
    echo "$samples"
    exit
fi
for sample in ${*:-$samples}; do "sample_$sample"; done

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Records faults of the network below TCP, which need more than the two hosts of record_faults: a LAN, or a router.
# `sanscope target` and `sanscope generate` run in network namespaces, which are removed again. Needs root, tcpdump, ethtool,
# iproute2, zstd, and a build.
#
#   record_network_faults.sh OUT [duplicate-address | mtu-probing]...    both when none is named
#
# SANSCOPE_BIN is where sanscope was built (build/release/bin), SANSCOPE_PREFIX how the namespaces' names begin.
set -euo pipefail

lab=$(cd "$(dirname "$0")" && pwd)
bin=${SANSCOPE_BIN:-$lab/../../build/release/bin}
prefix=${SANSCOPE_PREFIX:-sanscope-net}
out=$(mkdir -p "${1:?OUT}" && cd "$1" && pwd)
shift
name=iqn.2026-01.org.example:faults
work=$(mktemp -d)
pids=()

at() { local host=$1; shift; ip netns exec "$prefix-$host" "$@"; }

stop_all() {
    local pid
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    pids=()
}

remove_hosts() {
    local host
    stop_all
    for host in ini tgt other mid; do
        [ ! -e "/run/netns/$prefix-$host" ] || ip netns del "$prefix-$host"
    done
}
trap 'remove_hosts; rm -rf "$work"' EXIT

# hosts HOST...: each with eth0, whose other end mid has by the host's name.
hosts() {
    local host
    remove_hosts
    for host in mid "$@"; do
        ip netns add "$prefix-$host"
        at "$host" ip link set lo up
        [ "$host" = mid ] && continue
        ip link add "$host" netns "$prefix-mid" type veth peer name eth0 netns "$prefix-$host"
        at mid ip link set "$host" up
        at "$host" ip link set eth0 up
        at "$host" ethtool -K eth0 tso off gso off gro off >/dev/null 2>&1
        at mid ethtool -K "$host" tso off gso off gro off >/dev/null 2>&1
    done
}

start() {
    "$@" >/dev/null 2>&1 &
    pids+=($!)
}

# record HOST SCENARIO FILE
record() {
    start at "$1" tcpdump -q -U -B 65536 -s 160 -i eth0 -w "$work/$2.$3.pcap"
}

load() {
    at ini timeout 30 "$bin/sanscope" generate "$@" "iscsi://192.0.2.66/$name/0" >/dev/null 2>&1 || true
    sleep 0.5
}

# keep SCENARIO TRUTH
keep() {
    local capture
    stop_all
    mkdir -p "$out/$1"
    printf '%s\n' "$2" >"$out/$1/truth.json"
    for capture in "$work/$1".*.pcap; do
        zstd -q -19 -f "$capture" -o "$out/$1/$(basename "${capture#"$work/$1".}").zst"
    done
}

# Two hosts with the target's address; the initiator's ARP cache has now the one and now the other.
duplicate_address() {
    local host turn other_mac
    hosts ini tgt other
    at mid ip link add br0 type bridge
    at mid ip link set br0 up
    for host in ini tgt other; do at mid ip link set "$host" master br0; done
    at ini ip addr add 192.0.2.1/24 dev eth0
    at tgt ip addr add 192.0.2.66/24 dev eth0
    at other ip addr add 192.0.2.66/24 dev eth0
    other_mac=$(at other cat /sys/class/net/eth0/address)
    start at tgt "$bin/sanscope" target --listen 192.0.2.66:3260 --name "$name"
    at ini ip neigh replace 192.0.2.66 lladdr "$(at tgt cat /sys/class/net/eth0/address)" dev eth0 nud reachable
    record ini duplicate-address initiator
    sleep 1
    load --request-size 4K --queue-depth 2 --rate 100 --duration 4s --reconnect 5 &
    for turn in 1 2 3 4 5; do
        sleep 0.4
        at ini ip neigh flush dev eth0
        sleep 0.3
        [ $((turn % 2)) = 1 ] || at ini ip neigh replace 192.0.2.66 lladdr "$other_mac" dev eth0 nud reachable
    done
    wait $!
    keep duplicate-address '{
 "scenario": "duplicate-address",
 "cause": "a second host has the IP address of the target",
 "side": "target",
 "advice": "the address of one of the two",
 "right": ["duplicate_address"],
 "also": ["connection_reset", "connection_refused", "unanswered_commands", "session_reconnect", "slow_commands", "slow_command"],
 "sender": ""
}'
}

# A router whose next hop takes 1300 bytes and that says nothing; the target lowers its segment size after timeouts (RFC 4821).
mtu_probing() {
    hosts ini tgt
    at ini ip addr add 192.0.2.1/26 dev eth0
    at tgt ip addr add 192.0.2.66/26 dev eth0
    at mid ip addr add 192.0.2.62/26 dev ini
    at mid ip addr add 192.0.2.126/26 dev tgt
    at mid sysctl -qw net.ipv4.ip_forward=1
    at mid ip link set ini mtu 1300
    # What the router itself would say to the target has no way to go.
    at mid ip rule add pref 5 lookup local
    at mid ip rule add pref 10 iif lo to 192.0.2.66 lookup 100
    at mid ip route add blackhole default table 100
    at ini ip route add default via 192.0.2.62
    at tgt ip route add default via 192.0.2.126
    at tgt sysctl -qw net.ipv4.tcp_mtu_probing=1
    start at tgt "$bin/sanscope" target --listen 192.0.2.66:3260 --name "$name"
    record tgt mtu-probing target
    sleep 1
    load --request-size 64K --queue-depth 2 --rate 100 --commands 60 --timeout 20s
    keep mtu-probing '{
 "scenario": "mtu-probing",
 "cause": "the path takes 1300 bytes and says nothing; the sender finds out after timeouts",
 "side": "path",
 "advice": "MTU",
 "right": ["mtu_black_hole"],
 "also": ["retransmission_timeout", "lost_segments", "task_management", "slow_commands", "slow_command"],
 "sender": "target"
}'
}

[ $# -gt 0 ] || set -- duplicate-address mtu-probing
for scenario in "$@"; do
    case $scenario in
        duplicate-address) duplicate_address ;;
        mtu-probing) mtu_probing ;;
        *) echo "$0: no scenario $scenario" >&2; exit 2 ;;
    esac
done

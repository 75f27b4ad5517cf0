#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Records the captures of captures/samples anew: tgtd as target, libiscsi and raw_initiator.py as initiators, in network
# namespaces of their own. Needs root, a build with libiscsi-dev installed, and: tgt libiscsi-bin tcpdump wireshark-common
# tshark ethtool iproute2 zstd lz4 python3.
#
#   record_samples.sh [SAMPLE...]      all of them when none is named; --list names them
#
# SANSCOPE_BIN is where delay_node and iscsi_load were built (build/release/bin).
set -euo pipefail

lab=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$lab/../.." && pwd)
bin=${SANSCOPE_BIN:-$root/build/release/bin}
out=${SANSCOPE_SAMPLES:-$root/captures/samples}

ini=sanscope-ini mid=sanscope-mid tgt=sanscope-tgt
target=iqn.2026-01.org.example:disk
initiator=iqn.2026-01.org.example:initiator
control_port=7260
work=
tgtd_pid=
node_pid=
capture_pids=()

at() { local namespace=$1; shift; ip netns exec "$namespace" "$@"; }

# ---- Hosts and the link between them

remove_hosts() {
    local namespace
    for namespace in $ini $mid $tgt; do
        [ -e "/run/netns/$namespace" ] && ip netns del "$namespace"
    done
    return 0
}

no_offload() { at "$1" ethtool -K "$2" tso off gso off gro off tx off rx off txvlan off rxvlan off >/dev/null 2>&1 || true; }

# hosts_joined_by cable | offloading-cable | delay_node ARGUMENTS...
hosts_joined_by() {
    local kind=$1 namespace
    shift
    remove_hosts
    for namespace in $ini $mid $tgt; do
        ip netns add $namespace
        at $namespace ip link set lo up
    done
    if [ "$kind" = delay_node ]; then
        ip link add ini0 netns $ini type veth peer name node-a netns $mid
        ip link add tgt0 netns $tgt type veth peer name node-b netns $mid
        no_offload $mid node-a
        no_offload $mid node-b
        at $mid sysctl -qw net.ipv6.conf.all.disable_ipv6=1
        at $mid ip link set node-a up
        at $mid ip link set node-b up
    else
        ip link add ini0 netns $ini type veth peer name tgt0 netns $tgt
    fi
    if [ "$kind" != offloading-cable ]; then
        no_offload $ini ini0
        no_offload $tgt tgt0
    fi
    at $ini ip link set ini0 address 02:00:00:00:00:01
    at $tgt ip link set tgt0 address 02:00:00:00:00:02
    at $ini ip addr add 192.0.2.1/24 dev ini0
    at $tgt ip addr add 192.0.2.2/24 dev tgt0
    at $ini ip -6 addr add 2001:db8::1/64 dev ini0 nodad
    at $tgt ip -6 addr add 2001:db8::2/64 dev tgt0 nodad
    at $ini ip link set ini0 up
    at $tgt ip link set tgt0 up
    if [ "$kind" = delay_node ]; then
        ip netns exec $mid "$bin/delay_node" node-a node-b --log "$work/link.csv" "$@" \
            >"$work/delay_node.json" 2>"$work/delay_node.err" &
        node_pid=$!
        wait_for_line "$work/delay_node.err" ready
    fi
}

wait_for_line() {
    local tries
    for tries in $(seq 100); do
        grep -q "$2" "$1" 2>/dev/null && return 0
        sleep 0.05
    done
    echo "record_samples: no '$2' in $1:" >&2
    cat "$1" >&2
    exit 1
}

# ---- Target

tgt_admin() { TGT_IPC_SOCKET=$work/tgtd.ipc tgtadm -C $control_port "$@"; }

# target_with [NAME=VALUE...]: starts tgtd with one 8 MiB disk as LUN 1 and these target parameters.
target_with() {
    local parameter
    python3 - "$work/disk.img" <<'PYTHON'
import sys
# Each block says which one it is and is otherwise empty: it compresses well, and damage would show.
with open(sys.argv[1], "wb") as image:
    image.write(b"".join(block.to_bytes(8, "big") + bytes(504) for block in range(16384)))
PYTHON
    TGT_IPC_SOCKET=$work/tgtd.ipc ip netns exec $tgt tgtd -f -C $control_port -t 4 >"$work/tgtd.log" 2>&1 &
    tgtd_pid=$!
    local tries
    for tries in $(seq 100); do
        tgt_admin --op show --mode system >/dev/null 2>&1 && break
        sleep 0.05
    done
    tgt_admin --lld iscsi --op new --mode target --tid 1 -T $target
    tgt_admin --lld iscsi --op new --mode logicalunit --tid 1 --lun 1 -b "$work/disk.img"
    tgt_admin --lld iscsi --op bind --mode target --tid 1 -I ALL
    for parameter in "$@"; do
        tgt_admin --lld iscsi --op update --mode target --tid 1 --name "${parameter%%=*}" --value "${parameter#*=}"
    done
}

# tgtd does not heed SIGTERM while it has targets.
stop_target() {
    [ -n "$tgtd_pid" ] || return 0
    tgt_admin --lld iscsi --op delete --mode target --tid 1 --force >/dev/null 2>&1 || true
    tgt_admin --op delete --mode system >/dev/null 2>&1 || true
    wait_or_kill "$tgtd_pid"
    tgtd_pid=
}

wait_or_kill() {
    local tries
    for tries in $(seq 60); do
        kill -0 "$1" 2>/dev/null || { wait "$1" 2>/dev/null || true; return 0; }
        sleep 0.05
    done
    kill -KILL "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
}

# ---- Capture

# capture NAMESPACE INTERFACE NAME [TCPDUMP ARGUMENTS...]: to $work/NAME.pcap until `captured`.
capture() {
    local namespace=$1 interface=$2 name=$3
    shift 3
    ip netns exec "$namespace" tcpdump -i "$interface" -n -Z root -B 32768 -w "$work/$name.pcap" "$@" \
        2>"$work/$name.err" &
    capture_pids+=($!)
    wait_for_line "$work/$name.err" listening
}

# Ends the captures once nothing more arrives in their files.
captured() {
    local before='' now pid
    sleep 1.2
    while now=$(stat -c %s "$work"/*.pcap*); [ "$now" != "$before" ]; do
        before=$now
        sleep 1.2
    done
    for pid in "${capture_pids[@]}"; do
        kill -INT "$pid"
        wait "$pid" || true
    done
    capture_pids=()
    if grep -h 'dropped by kernel' "$work"/*.err | grep -qv '^0 '; then
        echo "record_samples: the capture lost packets: record again" >&2
        exit 1
    fi
}

stop_everything() {
    local pid
    for pid in "${capture_pids[@]}"; do kill -INT "$pid" 2>/dev/null || true; done
    capture_pids=()
    stop_target
    if [ -n "$node_pid" ]; then
        kill -INT "$node_pid" 2>/dev/null || true
        wait_or_kill "$node_pid"
        node_pid=
    fi
    remove_hosts
}

load() { at $ini "$bin/iscsi_load" --initiator $initiator "iscsi://192.0.2.2/$target/1" "$@"; }
raw_initiator() { at $ini python3 "$lab/raw_initiator.py" "$@"; }

keep_plain() { cp "$work/$1" "$out/$2"; }
keep_zstd() { zstd -q -19 -f "$work/$1" -o "$out/$2"; }

# ---- The samples, one function each

sample_login-discovery-inquiry() {
    hosts_joined_by cable
    target_with
    capture $ini ini0 a
    at $ini iscsi-ls -i $initiator -s iscsi://192.0.2.2
    at $ini iscsi-inq -i $initiator "iscsi://192.0.2.2/$target/1"
    at $ini iscsi-inq -i $initiator -e 1 -c 0x83 "iscsi://192.0.2.2/$target/1"
    captured
    keep_plain a.pcap login-discovery-inquiry.pcap
}

sample_nop-logout() {
    hosts_joined_by cable
    target_with
    capture $ini ini0 a --time-stamp-precision=nano
    load --nop --commands 2 --bytes 4096
    captured
    keep_plain a.pcap nop-logout.pcap
}

sample_reads-4k-qd8() {
    hosts_joined_by cable
    target_with
    capture $ini ini0 a --time-stamp-precision=nano
    load --bytes 4096 --depth 8 --commands 600 --random
    captured
    keep_zstd a.pcap reads-4k-qd8.pcap.zst
}

sample_reads-256k-qd4() {
    hosts_joined_by delay_node --delay-us 250 --rate-mbit 1000
    target_with
    capture $ini ini0 a
    load --bytes 262144 --depth 4 --commands 32
    captured
    editcap -F pcapng "$work/a.pcap" "$work/a.pcapng"
    keep_zstd a.pcapng reads-256k-qd4.pcapng.zst
}

sample_writes-immediate-unsolicited() {
    hosts_joined_by delay_node --delay-us 250 --rate-mbit 1000
    target_with InitialR2T=No ImmediateData=Yes FirstBurstLength=65536 MaxRecvDataSegmentLength=8192
    capture $ini ini0 a --time-stamp-precision=nano
    load --write-share 1 --bytes 512,4096,65536,131072 --depth 4 --commands 60
    captured
    gzip -9 -n -c "$work/a.pcap" >"$out/writes-immediate-unsolicited.pcap.gz"
}

sample_writes-r2t() {
    hosts_joined_by delay_node --delay-us 250 --rate-mbit 1000
    target_with InitialR2T=Yes ImmediateData=No MaxRecvDataSegmentLength=65536 MaxBurstLength=131072
    capture $tgt tgt0 a --time-stamp-precision=nano
    load --write-share 1 --bytes 4096,65536,524288 --depth 4 --commands 30 --initial-r2t --no-immediate-data
    captured
    keep_zstd a.pcap writes-r2t.pcap.zst
}

sample_header-digest-mixed() {
    hosts_joined_by cable
    target_with HeaderDigest=CRC32C,None
    capture $ini ini0 a
    load --header-digest --write-share 0.4 --bytes 512,4096,16384 --depth 4 --commands 120 --random
    captured
    keep_zstd a.pcap header-digest-mixed.pcap.zst
}

sample_header-and-data-digest() {
    hosts_joined_by cable
    target_with HeaderDigest=CRC32C,None DataDigest=CRC32C,None InitialR2T=No FirstBurstLength=65536
    capture $ini ini0 a
    raw_initiator mixed 192.0.2.2 $target --header-digest --data-digest --count 15
    captured
    keep_zstd a.pcap header-and-data-digest.pcap.zst
}

sample_snap128-reads-64k-qd32() {
    hosts_joined_by delay_node --delay-us 1000 --rate-mbit 400 --queue 5000
    target_with
    capture $ini ini0 a -s 128
    load --bytes 65536 --depth 32 --commands 160 --log "$work/commands.csv"
    captured
    keep_plain commands.csv snap128-reads-64k-qd32.commands.csv
    keep_zstd a.pcap snap128-reads-64k-qd32.pcap.zst
}

# One run captured at both ends.
sample_loss-mixed() {
    hosts_joined_by delay_node --delay-us 1000 --rate-mbit 200 --queue 400 --loss 0.01 --seed 7
    target_with InitialR2T=No
    capture $ini ini0 initiator
    capture $tgt tgt0 target
    load --bytes 4096,16384,65536,131072 --depth 8 --write-share 0.3 --commands 160 --random --seed 3 \
        --read-beyond-end --unknown-opcode --log "$work/commands.csv"
    captured
    keep_plain commands.csv loss-mixed.commands.csv
    keep_zstd initiator.pcap loss-mixed-initiator.pcap.zst
    keep_zstd target.pcap loss-mixed-target.pcap.zst
}

sample_reordered() {
    hosts_joined_by delay_node --delay-us 1000 --rate-mbit 400 --ba-reorder 0.02 --reorder-us 800 --seed 5
    target_with
    capture $ini ini0 a
    load --bytes 65536 --depth 8 --commands 96
    captured
    keep_zstd a.pcap reordered.pcap.zst
}

sample_two-sessions() {
    hosts_joined_by cable
    target_with
    capture $ini ini0 a
    load --sessions 2 --bytes 4096,32768 --depth 2 --write-share 0.5 --commands 100
    captured
    lz4 -q -9 -f "$work/a.pcap" "$out/two-sessions.pcap.lz4"
}

sample_check-conditions() {
    hosts_joined_by cable
    target_with
    capture $ini ini0 a
    load --bytes 512 --commands 4 --read-beyond-end --unknown-opcode
    captured
    keep_plain a.pcap check-conditions.pcap
}

sample_task-management() {
    hosts_joined_by cable
    target_with InitialR2T=Yes
    capture $ini ini0 a
    raw_initiator abort 192.0.2.2 $target --initial-r2t
    load --bytes 262144 --commands 2 --abort-task --lun-reset
    captured
    keep_zstd a.pcap task-management.pcap.zst
}

# One session over each of two networks, as a multipath host would have; dumpcap writes both interfaces into one file.
sample_two-interfaces() {
    hosts_joined_by cable
    ip link add ini1 netns $ini type veth peer name tgt1 netns $tgt
    no_offload $ini ini1
    no_offload $tgt tgt1
    at $ini ip addr flush dev ini0
    at $tgt ip addr flush dev tgt0
    at $ini ip addr add 192.0.2.1/25 dev ini0
    at $tgt ip addr add 192.0.2.2/25 dev tgt0
    at $ini ip link set ini1 address 02:00:00:00:00:03 up
    at $tgt ip link set tgt1 address 02:00:00:00:00:04 up
    at $ini ip addr add 192.0.2.129/25 dev ini1
    at $tgt ip addr add 192.0.2.130/25 dev tgt1
    target_with
    ip netns exec $ini dumpcap -q -i ini0 -i ini1 -f 'tcp port 3260' -w "$work/a.pcapng" 2>"$work/a.err" &
    capture_pids+=($!)
    wait_for_line "$work/a.err" File
    : >"$work/none.pcap"
    load --bytes 16384 --depth 2 --commands 40 &
    local first=$!
    at $ini "$bin/iscsi_load" --initiator $initiator-2 "iscsi://192.0.2.130/$target/1" --bytes 16384 --depth 2 --commands 40
    wait $first
    captured
    keep_zstd a.pcapng two-interfaces.pcapng.zst
}

# The same traffic seen twice, as a mirror port on two switches gives it.
sample_mirrored-twice() {
    hosts_joined_by delay_node --delay-us 100
    target_with
    capture $ini ini0 a --time-stamp-precision=nano
    capture $tgt tgt0 b --time-stamp-precision=nano
    load --bytes 4096,32768 --depth 2 --write-share 0.3 --commands 60
    captured
    mergecap -F pcapng -I none -w "$work/both.pcapng" "$work/a.pcap" "$work/b.pcap"
    keep_zstd both.pcapng mirrored-twice.pcapng.zst
}

sample_ipv6() {
    hosts_joined_by cable
    target_with
    capture $ini ini0 a
    at $ini "$bin/iscsi_load" --initiator $initiator "iscsi://[2001:db8::2]/$target/1" --bytes 4096,16384 --write-share 0.4 \
        --depth 2 --commands 30
    captured
    keep_zstd a.pcap ipv6.pcap.zst
}

# Recorded without tags, as not every kernel has VLAN interfaces; each frame then gets the tag of VLAN 100, priority 3.
sample_vlan() {
    hosts_joined_by cable
    target_with
    capture $ini ini0 a
    load --bytes 4096,16384 --write-share 0.4 --depth 2 --commands 30
    captured
    python3 - "$work/a.pcap" "$work/tagged.pcap" <<'PYTHON'
import struct, sys
with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as tagged:
    tagged.write(source.read(24))
    while header := source.read(16):
        seconds, fraction, captured, on_wire = struct.unpack("<IIII", header)
        frame = source.read(captured)
        tagged.write(struct.pack("<IIII", seconds, fraction, captured + 4, on_wire + 4))
        tagged.write(frame[:12] + struct.pack(">HH", 0x8100, 3 << 13 | 100) + frame[12:])
PYTHON
    keep_zstd tagged.pcap vlan.pcap.zst
}

sample_super-packets() {
    hosts_joined_by offloading-cable
    target_with MaxRecvDataSegmentLength=262144
    capture $ini ini0 a --time-stamp-precision=nano
    load --bytes 262144 --depth 4 --write-share 0.3 --commands 40
    captured
    keep_zstd a.pcap super-packets.pcap.zst
}

sample_mid-connection() {
    hosts_joined_by delay_node --delay-us 500 --rate-mbit 200
    target_with
    load --bytes 32768 --depth 8 --commands 400 --log "$work/commands.csv" &
    local running=$!
    sleep 0.15
    capture $ini ini0 a
    sleep 0.2
    kill -0 $running || { echo "record_samples: the load ended before the capture" >&2; exit 1; }
    captured_now
    wait $running
    keep_plain commands.csv mid-connection.commands.csv
    keep_zstd a.pcap mid-connection.pcap.zst
}

# Ends the captures while traffic goes on.
captured_now() {
    local pid
    for pid in "${capture_pids[@]}"; do
        kill -INT "$pid"
        wait "$pid" || true
    done
    capture_pids=()
}

# What a sniffer that could not keep up would have left of reads-256k-qd4: one packet in a hundred is missing, and once
# twenty in a row.
sample_sniffer-drops() {
    zstd -q -d -f "$out/reads-256k-qd4.pcapng.zst" -o "$work/whole.pcapng"
    local packets dropped
    packets=$(capinfos -c -M -T -r "$work/whole.pcapng" | cut -f2)
    dropped=$(awk -v n="$packets" 'BEGIN {
        srand(11)
        for (i = 20; i <= n; ++i) if (rand() < 0.01 || (i >= n / 2 && i < n / 2 + 20)) print i
    }')
    # editcap takes 512 selections at most.
    # shellcheck disable=SC2086
    editcap -F pcap "$work/whole.pcapng" "$work/a.pcap" $dropped
    keep_zstd a.pcap sniffer-drops.pcap.zst
}

# A target that sends through losses, recorded there together with what its kernel told of its TCP meanwhile.
sample_kernel-truth-target() {
    local trace=/sys/kernel/tracing/instances/sanscope-samples event
    hosts_joined_by delay_node --delay-us 2000 --rate-mbit 100 --queue 60 --ba-loss 0.002 --seed 5
    at $tgt ip route change 192.0.2.0/24 dev tgt0 src 192.0.2.2 congctl cubic
    target_with
    [ ! -d $trace ] || rmdir $trace
    mkdir $trace
    echo tai >$trace/trace_clock
    echo 32768 >$trace/buffer_size_kb
    for event in tcp_probe tcp_cong_state_set; do
        echo 'sport == 3260 || dport == 3260' >"$trace/events/tcp/$event/filter"
        echo 1 >"$trace/events/tcp/$event/enable"
    done
    capture $tgt tgt0 a --time-stamp-precision=nano
    load --bytes 16384,65536,131072 --depth 8 --commands 90 --random --seed 2 &
    local running=$!
    sleep 0.3
    at $tgt ss -tinHO >"$work/sockets"
    wait $running
    captured
    cat $trace/trace >"$work/trace"
    ! grep -h -A20 . $trace/per_cpu/cpu*/stats | grep -E '^(overrun|dropped events): [1-9]' || {
        echo "record_samples: the kernel lost events: record again" >&2
        exit 1
    }
    rmdir $trace
    "$lab/add_kernel_truth.py" "$work/a.pcap" "$work/trace" "$work/sockets" --local 192.0.2.2 -o "$work/a.pcapng"
    keep_zstd a.pcapng kernel-truth-target.pcapng.zst
}

# The initiator dies under load: commands without an answer, and resets.
sample_killed-initiator() {
    hosts_joined_by delay_node --delay-us 2000 --rate-mbit 100
    target_with
    capture $ini ini0 a
    ip netns exec $ini "$bin/iscsi_load" --initiator $initiator "iscsi://192.0.2.2/$target/1" --bytes 32768 --depth 16 \
        --commands 100000 &
    local running=$!
    sleep 0.5
    kill -KILL $running
    wait $running 2>/dev/null || true
    captured
    keep_zstd a.pcap killed-initiator.pcap.zst
}

# The file ends inside a packet, as when the disk of the capturing host ran full.
sample_cut-off() {
    head -c 5000 "$out/login-discovery-inquiry.pcap" >"$out/cut-off.pcap"
}

samples() { declare -F | sed -n 's/^declare -f sample_//p'; }

main() {
    local sample
    if [ "${1-}" = --list ]; then
        samples
        return
    fi
    [ "$(id -u)" = 0 ] || { echo "record_samples: must be root" >&2; exit 1; }
    mkdir -p "$out"
    # Those made from others come last.
    local wanted=("$@")
    [ $# -gt 0 ] || mapfile -t wanted < <(samples | grep -v -e sniffer-drops -e cut-off; echo sniffer-drops; echo cut-off)
    for sample in "${wanted[@]}"; do
        declare -F "sample_$sample" >/dev/null || { echo "record_samples: no sample '$sample'; see --list" >&2; exit 2; }
        echo "== $sample"
        work=$(mktemp -d /tmp/sanscope-samples.XXXXXX)
        trap 'stop_everything; rm -rf "$work"' EXIT
        "sample_$sample"
        stop_everything
        [ ! -s "$work/delay_node.json" ] || cat "$work/delay_node.json"
        rm -rf "$work"
        ls -l "$out/$sample"* | awk '{print $5, $9}'
    done
}

main "$@"

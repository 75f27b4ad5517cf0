#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was sent again, against the senders' own counters and against the packets themselves.

counted     captures with a file of counters beside (NAME.retransmissions.csv: TcpRetransSegs of each host, as nstat told
            it in a network namespace that carried nothing else): the connections' columns say the same within 2 %, and
            nothing is said to be lacking in them, for they are whole
shown       every sample: each row of `losses` that tells of something sent again names a packet that carries those bytes,
            and bytes that were seen before, or that a packet before it passed over; what is out of order came once
first only  a sample of which the capture kept but the first segment of each Data-In: what is lacking was never sent
again captures…   the second for other captures"""

import argparse
import collections
import csv
import pathlib
import subprocess
import sys
import tempfile

LAB = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(LAB.parent.parent / "analyzer" / "tests"))

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, TableError, missing_program, number, table  # noqa: E402
from twins_test import Pcap  # noqa: E402

SENT_AGAIN = {"fast_retransmit", "rto", "tlp", "spurious"}
TOLERANCE = 0.02
WRAP = 1 << 32
COUNTERS = ".retransmissions.csv"


def captures_of(counters):
    name = counters.name.removesuffix(COUNTERS)
    return sorted(path for path in counters.parent.iterdir()
                  if path.name.startswith(name + ".pcap") or path.name.startswith(name + "-at-"))


def counted(sanscope, capture, counters):
    """Lines that say where the columns of `connections` and the kernels' counters differ."""
    with open(counters, newline="", encoding="ascii") as file:
        truth = {row["host"]: int(row["TcpRetransSegs"]) for row in csv.DictReader(file)}
    connections = table(sanscope, "connections", capture)
    for host, column in (("initiator", "retransmissions_out"), ("target", "retransmissions_in")):
        said = sum(number(row[column]) for row in connections)
        if abs(said - truth[host]) > TOLERANCE * truth[host]:
            yield f"{column}: {said}, but the {host} counted {truth[host]}"
    lacking = sum(row["kind"] == "not_captured" for row in table(sanscope, "losses", capture))
    if lacking:
        yield f"the capture is whole, yet {lacking} segments are said to be lacking"


FIELDS = ("frame.number", "tcp.seq_raw", "tcp.len", "tcp.flags.syn", "tcp.flags.fin")


def packets_of(capture):
    """(first sequence number, length with SYN and FIN) by packet number; the innermost TCP segment's."""
    command = ["tshark", "-r", capture, "-Y", "tcp", "-T", "fields", "-E", "separator=/t", "-E", "occurrence=l"]
    for field in FIELDS:
        command += ["-e", field]
    out = subprocess.run([*map(str, command)], capture_output=True, check=False).stdout.decode("utf-8", "replace")
    packets = {}
    for line in out.splitlines():
        packet, seq, length, syn, fin = (line.split("\t") + [""] * 5)[:5]
        if not seq or not length:
            continue
        is_set = [flag in ("1", "True") for flag in (syn, fin)]
        packets[int(packet)] = int(seq), int(length) + sum(is_set)
    return packets


def distance(a, b):
    return (b - a + WRAP // 2) % WRAP - WRAP // 2


def shown(sanscope, capture):
    """Lines that say which rows no packet shows."""
    losses = table(sanscope, "losses", capture, statuses=(0, 3))
    rows = [row for row in losses if row["kind"] in SENT_AGAIN | {"out_of_order"}]
    if not rows:
        return
    packets = packets_of(capture)
    for row in rows:
        packet, seq, length = (number(row[name]) for name in ("packet", "seq", "length"))
        words = f"packet {packet}: {row['kind']} of {length} bytes from {seq}"
        if packet not in packets:
            yield f"{words}: is no TCP segment"
            continue
        begin, carried = packets[packet]
        offset = distance(begin, seq)
        if offset < 0 or offset + length > max(carried, 1):
            yield f"{words}, which it does not carry"
        elif row["kind"] in SENT_AGAIN and row["original_packet"] is not None:
            first, first_length = packets.get(number(row["original_packet"]), (0, 0))
            if distance(first, seq) >= first_length or distance(first, seq) + length <= 0:
                yield f"{words}: packet {row['original_packet']} does not carry them"


def sent_before(sanscope, capture):
    """… and which bytes nothing shows to have been sent before: not seen, and nothing beyond them seen or
    acknowledged."""
    rows = collections.defaultdict(list)
    for row in table(sanscope, "losses", capture, statuses=(0, 3)):
        if row["kind"] in SENT_AGAIN:
            rows[number(row["packet"])].append(row)
    if not rows:
        return
    command = ["tshark", "-r", capture, "-Y", "tcp", "-T", "fields", "-E", "separator=/t", "-E", "occurrence=l"]
    for field in ("frame.number", "tcp.seq_raw", "tcp.len", "tcp.flags.syn", "tcp.flags.fin", "tcp.srcport",
                  "tcp.dstport", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst", "tcp.ack_raw", "tcp.flags.ack"):
        command += ["-e", field]
    out = subprocess.run([*map(str, command)], capture_output=True, check=False).stdout.decode("utf-8", "replace")
    farthest = {}
    for line in out.splitlines():
        cells = (line.split("\t") + [""] * 13)[:13]
        if not cells[1] or not cells[2]:
            continue
        packet, seq = int(cells[0]), int(cells[1])
        length = int(cells[2]) + sum(flag in ("1", "True") for flag in cells[3:5])
        source, destination = (cells[7] or cells[9], cells[5]), (cells[8] or cells[10], cells[6])
        end = (seq + length) % WRAP
        known = farthest.get((source, destination))
        for row in rows.get(packet, ()):
            if known is None or distance(seq, known) <= 0:
                yield f"packet {packet}: {row['kind']} of bytes from {row['seq']}, before which nothing is known"
        if known is None or distance(known, end) > 0:
            farthest[source, destination] = end
        if cells[12] in ("1", "True") and cells[11]:
            ack, back = int(cells[11]), (destination, source)
            if back in farthest and 0 < distance(farthest[back], ack) < 1 << 30:
                farthest[back] = ack


def first_segments_only(sanscope, capture, folder):
    """As a sniffer leaves a capture that keeps only packets in which it found a header. Lines that say what was made of
    it."""
    plain = folder / "plain.pcap"
    twin = folder / "first-segments.pcap"
    subprocess.run(["editcap", "-F", "nsecpcap", *capture_arguments(capture, folder), plain], check=True, capture_output=True)
    pdus = table(sanscope, "pdus", plain)
    data_in = [row for row in pdus if row["opcode"] == "0x25"]
    heads = {number(row["first_packet"]) for row in pdus}
    dropped = set()
    for row in data_in:
        dropped.update(set(range(number(row["first_packet"]) + 1, number(row["last_packet"]) + 1)) - heads)
    senders = packets_from(plain, {row["sender"] for row in data_in})
    dropped &= senders
    if len(dropped) < 100:
        yield f"only {len(dropped)} packets are not the first of a Data-In: this tries nothing"
    Pcap(plain).write(twin, without=dropped)
    losses = table(sanscope, "losses", twin, statuses=(0, 3))
    again = [row for row in losses if row["kind"] in SENT_AGAIN]
    if again:
        yield f"{len(again)} rows say that something was sent again, the first packet {again[0]['packet']} ({again[0]['kind']})"
    if not any(row["kind"] == "not_captured" for row in losses):
        yield f"{len(dropped)} packets are lacking, and nothing says so"
    said = sum(number(row[column]) for row in table(sanscope, "connections", twin)
               for column in ("retransmissions_out", "retransmissions_in"))
    if said:
        yield f"the connections count {said} retransmissions"
    for row in table(sanscope, "findings", twin):
        if row["kind"] in ("lost_segments", "retransmission_timeout", "needless_retransmission"):
            yield f"a finding says: {row['title']}"


def capture_arguments(capture, folder):
    if capture.suffix != ".zst":
        return [capture]
    raw = folder / "raw.pcap"
    subprocess.run(["zstd", "-qdf", capture, "-o", raw], check=True)
    return [raw]


def packets_from(capture, senders):
    """The numbers of packets from those `IP:PORT` that carry data."""
    out = subprocess.run(["tshark", "-r", capture, "-Y", "tcp.len > 0", "-T", "fields", "-e", "frame.number", "-e", "ip.src", "-e",
                          "tcp.srcport"], capture_output=True, check=False, text=True).stdout
    rows = [line.split("\t") for line in out.splitlines()]
    return {int(packet) for packet, address, port in rows if f"{address}:{port}" in senders}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=pathlib.Path, help="these rather than the samples")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    sanscope = arguments.sanscope.resolve()
    checks = Checks()

    def check(name, lines):
        try:
            checks.check(name, list(lines))
        except TableError as error:
            checks.fail(name, [str(error)])

    for counters in sorted(SAMPLES.glob("*" + COUNTERS)) if not arguments.captures else ():
        for capture in captures_of(counters):
            check(f"{capture.name}: what was sent again is what the senders counted",
                  counted(sanscope, capture, counters))
    for name in ("reads-256k-qd4.pcapng.zst",) if not arguments.captures else ():
        with tempfile.TemporaryDirectory() as folder:
            check(f"{name}: with the first segment of each Data-In alone, nothing was sent again",
                  list(first_segments_only(sanscope, SAMPLES / name, pathlib.Path(folder))))
    for capture in arguments.captures or sorted(path for path in SAMPLES.iterdir() if ".pcap" in path.name):
        check(f"{capture.name}: rows name packets that carry those bytes", shown(sanscope, capture))
        check(f"{capture.name}: what is sent again was sent before", sent_before(sanscope, capture))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

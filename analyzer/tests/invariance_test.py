#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot matter does not: the same capture with other sequence numbers, timestamps, addresses, each packet twice.

Of whole samples, twins are made in which nothing happened otherwise. Sequence numbers and TCP timestamps begin elsewhere, so that
they wrap (RFC 9293 §3.4, RFC 7323 §5.4); IPv4 is replaced by IPv6; each packet is there once more, as from a mirror port that
copies what enters and what leaves. All tables must tell the same, but for the columns that hold what was changed.

Others have no SACK options, so that D-SACK tells nothing; no IP identifications; begin amid losses; or have many segments in one
packet, as segmentation offload makes them: what was lost, and what was sent again for nothing, is the same.

Others are in another order than that of their times, as an interface of several queues writes them: commands are the same. Others
were stamped by a clock of coarse steps: then no time is told that such a clock cannot tell, and it is said. Of others some packets
with data were not captured: their streams wait behind holes, and still no time is the target's that was not. Of others pure acknowledgements
were left out, as by a capture filter: nothing is told that rests on them, and it is said."""

import argparse
import collections
import pathlib
import random
import struct
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, number, table
from twins_test import firm_faults, from_target, opened

ETHERNET = 14
IPV4, IPV6, TCP = 0x0800, 0x86dd, 6
ACK = 0x10
SACK_PERMITTED, SACK, TIMESTAMPS = 4, 5, 8  # option kinds
NO_OPERATION = 1
FIN, SYN, RST, PSH = 1, 2, 4, 8
WRAP = 1 << 32

TABLES = ("connections", "sessions", "commands", "pdus", "windows", "ca_transitions", "losses", "findings")
SEQUENCE_COLUMNS = {"snd_una", "snd_nxt", "seq"}
ADDRESS_COLUMNS = {"initiator", "target", "sender", "receiver", "title", "place", "explanation", "evidence"}

# Begun before and within a capture, at both ends, with losses, reordering and cut packets. IP identifications tell some of the
# losses of the last ones: they are not moved to IPv6, which has none.
SAMPLES_OF_TWINS = ("reads-4k-qd8.pcap.zst", "two-sessions.pcap.lz4", "loss-mixed-target.pcap.zst", "loss-mixed-initiator.pcap.zst",
                    "writes-r2t.pcap.zst", "mid-connection.pcap.zst", "snap128-reads-64k-qd32.pcap.zst", "reordered.pcap.zst",
                    "sent-again-deep-reordering-at-initiator.pcap.zst")
TOLD_BY_IDENTIFICATION = ("reordered.pcap.zst", "sent-again-deep-reordering-at-initiator.pcap.zst")
COPIES_AFTER_NS = (0, 20_000, 150_000)
SAMPLES_OF_COPIES = ("reads-4k-qd8.pcap.zst", "loss-mixed-target.pcap.zst", "loss-mixed-initiator.pcap.zst", "writes-r2t.pcap.zst")
STEPS_NS = (100_000, 1_000_000)
QUEUES_WRITTEN_NS = (50_000, 500_000)
SAMPLES_OF_ONE_END_WITHOUT_SACK = ("reordered.pcap.zst", "loss-mixed-target.pcap.zst", "loss-mixed-initiator.pcap.zst")
SAMPLES_WITHOUT_IDENTIFICATION = ("sent-again-deep-reordering-at-initiator.pcap.zst",)
SAMPLES_BEGUN_AMID = ("reordered.pcap.zst", "loss-mixed-target.pcap.zst", "loss-mixed-initiator.pcap.zst", "sent-again-loss-ipv6-at-initiator.pcap.zst",
                      "sent-again-loss-ipv6-at-target.pcap.zst", "sent-again-loss-mixed-4k-at-initiator.pcap.zst",
                      "sent-again-reordering-at-target.pcap.zst")
SAMPLES_OF_LARGE_PACKETS = ("loss-mixed-target.pcap.zst", "loss-mixed-initiator.pcap.zst")
LOST, NEEDLESS, LATE = "lost", "sent again for nothing", "late"
WHAT_HAPPENED = {"fast_retransmit": LOST, "rto": LOST, "tlp": LOST, "spurious": NEEDLESS, "out_of_order": LATE}
SAMPLES_WITHOUT_PURE_ACKS = ("loss-mixed-target.pcap.zst", "loss-mixed-initiator.pcap.zst")
SAMPLES_OF_MISSING_DATA = ("writes-r2t.pcap.zst", "writes-immediate-8k-qd16.pcap.zst", "faults/slow-writes/initiator.pcap.zst")


class TcpSegment:
    """A segment within an Ethernet frame, to be changed; its checksum is put right if it was right before."""

    def __init__(self, frame):
        self.frame = bytearray(frame)
        self.version = 4 if frame[12:14] == IPV4.to_bytes(2, "big") else 6
        self.header = ETHERNET + ((frame[ETHERNET] & 15) * 4 if self.version == 4 else 40)
        self.valid = self.checksum() == 0

    @staticmethod
    def of(frame):
        """None if it is no first fragment of TCP."""
        kind = int.from_bytes(frame[12:14], "big")
        if kind == IPV4 and len(frame) >= 54 and frame[23] == TCP and not int.from_bytes(frame[20:22], "big") & 0x1fff:
            return TcpSegment(frame)
        return TcpSegment(frame) if kind == IPV6 and len(frame) >= 74 and frame[20] == TCP else None

    def addresses(self):
        size, at = (4, ETHERNET + 12) if self.version == 4 else (16, ETHERNET + 8)
        return bytes(self.frame[at:at + size]), bytes(self.frame[at + size:at + 2 * size])

    def length(self):
        at = ETHERNET + (2 if self.version == 4 else 4)
        return int.from_bytes(self.frame[at:at + 2], "big") - (self.header - ETHERNET if self.version == 4 else 0)

    def checksum(self):
        """Of what the checksum covers, the field itself included: 0 where that is right; None where not all of it was captured."""
        data = bytes(self.frame[self.header:self.header + self.length()])
        if self.length() < 20 or len(data) < self.length():
            return None
        covered = b"".join(self.addresses()) + struct.pack(">II", self.length(), TCP) + data + b"\0" * (len(data) % 2)
        total = sum(struct.unpack(f">{len(covered) // 2}H", covered))
        while total >> 16:
            total = (total & 0xffff) + (total >> 16)
        return total ^ 0xffff

    def whole(self):
        if self.valid:
            self.frame[self.header + 16:self.header + 18] = b"\0\0"
            struct.pack_into(">H", self.frame, self.header + 16, self.checksum())
        return bytes(self.frame)

    def flow(self):
        source, destination = self.addresses()
        ports = struct.unpack_from(">HH", self.frame, self.header)
        return (source, ports[0]), (destination, ports[1])

    def word(self, at):
        return struct.unpack_from(">I", self.frame, at)[0]

    def move(self, at, by):
        if at + 4 <= len(self.frame):
            struct.pack_into(">I", self.frame, at, (self.word(at) + by) % WRAP)

    def acknowledges(self):
        return bool(self.frame[self.header + 13] & ACK)

    def is_pure_ack(self):
        header_length = (self.frame[self.header + 12] >> 4) * 4
        return self.frame[self.header + 13] & (ACK | SYN | FIN | RST) == ACK and self.length() == header_length

    def options(self):
        """(kind, where, length) of each."""
        at = self.header + 20
        end = min(len(self.frame), self.header + (self.frame[self.header + 12] >> 4) * 4)
        while at + 1 < end and self.frame[at] != 0:
            if self.frame[at] == 1:
                at += 1
                continue
            if self.frame[at + 1] < 2:
                return
            yield self.frame[at], at, self.frame[at + 1]
            at += self.frame[at + 1]

    def timestamps(self):
        return next((at for kind, at, length in self.options() if kind == TIMESTAMPS and length == 10 and
                     at + 10 <= len(self.frame)), None)


def wrapping_by(capture, number_of):
    """By how much to move the numbers of each direction for them to wrap in its middle."""
    numbers = collections.defaultdict(list)
    for *_, frame in capture.packets:
        segment = TcpSegment.of(frame)
        one = segment and number_of(segment)
        if one is not None:
            numbers[segment.flow()[0]].append(one)
    return {sender: -of[len(of) // 2] % WRAP for sender, of in numbers.items()}


def with_other_sequence_numbers(capture):
    by = wrapping_by(capture, lambda segment: segment.word(segment.header + 4))

    def change(segment):
        sender, receiver = segment.flow()
        segment.move(segment.header + 4, by[sender])
        if segment.acknowledges():
            segment.move(segment.header + 8, by.get(receiver, 0))
        for kind, at, length in segment.options():
            if kind == SACK:
                for edge in range(at + 2, at + length, 4):
                    segment.move(edge, by.get(receiver, 0))
    return change


def with_other_timestamps(capture):
    def value(segment):
        at = segment.timestamps()
        return None if at is None else segment.word(at + 2)
    by = wrapping_by(capture, value)

    def change(segment):
        sender, receiver = segment.flow()
        at = segment.timestamps()
        if at is None:
            return
        segment.move(at + 2, by[sender])
        if segment.acknowledges():
            segment.move(at + 6, by.get(receiver, 0))
    return change


def changed(capture, change):
    """The packets (as Pcap has them) with each segment changed."""
    for seconds, fraction, wire, frame in capture.packets:
        segment = TcpSegment.of(frame)
        if segment is not None:
            change(segment)
            frame = segment.whole()
        yield seconds, fraction, wire, frame


def over_ipv6(capture):
    for seconds, fraction, wire, frame in capture.packets:
        segment = TcpSegment.of(frame)
        if segment is not None and segment.version == 4:
            addresses = [b"\xfd" + b"\0" * 11 + address for address in segment.addresses()]
            header = struct.pack(">IHBB", 6 << 28, segment.length(), TCP, frame[ETHERNET + 8]) + b"".join(addresses)
            wire += len(header) - (segment.header - ETHERNET)
            moved = TcpSegment(frame[:12] + IPV6.to_bytes(2, "big") + header + frame[segment.header:])
            moved.valid = segment.valid
            frame = moved.whole()
        yield seconds, fraction, wire, frame


def without_options(*kinds):
    def change(segment):
        for kind, at, length in list(segment.options()):
            if kind in kinds:
                end = min(at + length, len(segment.frame))
                segment.frame[at:end] = bytes([NO_OPERATION]) * (end - at)
    return change


def without_identification(segment):
    if segment.version == 4:
        segment.frame[ETHERNET + 4:ETHERNET + 6] = b"\0\0"


def begun_amid(capture, share):
    first = int(len(capture.packets) * share)
    return [(*packet, at) for at, packet in enumerate(capture.packets, 1) if at > first]


def in_large_packets(capture, within_ns, most=65_000):
    """What follows on within that time, from its first on, is one packet, as segmentation offload has it: segments of one length
    with the same header, and a shorter last one."""
    within = within_ns * capture.second // 10 ** 9
    packets = []
    growing = {}  # by sender: place, time, next sequence number, length of a segment, bytes, what its header says
    for seconds, fraction, wire, frame in capture.packets:
        segment = TcpSegment.of(frame)
        if segment is None:
            packets.append((seconds, fraction, wire, frame))
            continue
        moment, sender = seconds * capture.second + fraction, segment.flow()
        header = segment.header + (frame[segment.header + 12] >> 4) * 4
        length = segment.length() - (header - segment.header)
        flags, sequence = frame[segment.header + 13], segment.word(segment.header + 4)
        says = (frame[segment.header + 8:segment.header + 12], frame[segment.header + 14:segment.header + 16], frame[segment.header + 20:header])
        plain = length > 0 and len(frame) >= header + length and not flags & (FIN | SYN | RST)
        grown = growing.pop(sender, None)
        if plain and grown and grown[2] == sequence and length <= grown[3] and grown[4] + length <= most and moment - grown[1] <= within and \
                grown[5] == says:
            at, begun, _, one, total, _ = grown
            whole = bytearray(packets[at][3]) + frame[header:header + length]
            whole[segment.header + 13] |= flags & PSH
            offset, counted = (ETHERNET + 2, 0) if segment.version == 4 else (ETHERNET + 4, segment.header - ETHERNET)
            struct.pack_into(">H", whole, offset, header - ETHERNET + total + length - counted)
            packets[at] = (*packets[at][:2], len(whole), bytes(whole))
            if length == one and not flags & PSH:
                growing[sender] = (at, begun, (sequence + length) % WRAP, one, total + length, says)
            continue
        if plain and not flags & PSH:
            growing[sender] = (len(packets), moment, (sequence + length) % WRAP, length, length, says)
        packets.append((seconds, fraction, wire, frame))
    return packets


def write(capture, packets, path):
    """`packets` as Pcap has them, or with the number of the one they are a copy of. Returns those numbers, by number."""
    originals = [0]
    with open(path, "wb") as out:
        out.write(capture.header)
        for at, (seconds, fraction, wire, frame, *original) in enumerate(packets, 1):
            originals.append(original[0] if original else at)
            out.write(struct.pack(capture.order + "IIII", seconds, fraction, len(frame), wire) + frame)
    return originals


def twice(capture, packets, after_ns):
    """Each packet, and so much later once more. The packets themselves stay in the order of the file, which is not always that of times."""
    copies = collections.deque()
    for at, (seconds, fraction, wire, frame) in enumerate(packets, 1):
        moment = seconds * capture.second + fraction
        while copies and copies[0][0] <= moment:
            copied, *of = copies.popleft()
            yield *divmod(copied, capture.second), *of
        yield seconds, fraction, wire, frame, at
        copies.append((moment + after_ns * capture.second // 10 ** 9, wire, frame, at))
    for copied, *of in copies:
        yield *divmod(copied, capture.second), *of


def in_queues(capture, written_ns):
    """Each direction comes in a queue of its own, and what is in them is written so often, one after the other."""
    every = written_ns * capture.second // 10 ** 9
    packets = []
    for at, (seconds, fraction, wire, frame) in enumerate(capture.packets, 1):
        written = (seconds * capture.second + fraction) // every
        packets.append((written, from_target(frame), at, (seconds, fraction, wire, frame, at)))
    return [packet for *_, packet in sorted(packets, key=lambda packet: packet[:3])]


def differences(one, other, without):
    if len(one) != len(other):
        yield f"{len(other)} rows instead of {len(one)}"
    for at, (row, same) in enumerate(zip(one, other), 1):
        columns = [column for column in row if column not in without and row[column] != same[column]]
        if columns:
            yield f"row {at}: " + ", ".join(f"{column} {same[column]} instead of {row[column]}" for column in columns[:4])
            return


def check_same(checks, sanscope, name, what, path, twin, without):
    faults = []
    for one in TABLES:
        left_out = without | ({"evidence", "explanation"} if one == "findings" else set())
        told = [table(sanscope, one, which, statuses=(0, 3)) for which in (path, twin)]
        faults += [f"{one}: {fault}" for fault in differences(*told, left_out)]
    checks.check(f"{name} {what}: all tables tell the same", faults)


def check_copies(checks, sanscope, name, what, path, twin, originals):
    """`originals`: by the twin's numbers."""
    def rows(which, one, numbers=None):
        for row in table(sanscope, one, which, statuses=(0, 3)):
            if one == "losses" and row["kind"] == "duplicate":
                continue
            if numbers:
                row = {column: str(numbers[number(value)]) if value and (column == "packet" or column.endswith("_packet"))
                       else value for column, value in row.items()}
            yield row
    faults = []
    for one in ("commands", "losses", "ca_transitions"):
        faults += [f"{one}: {fault}" for fault in differences(list(rows(path, one)), list(rows(twin, one, originals)), set())]
    columns = [column for column in next(rows(path, "connections")) if column.startswith("retransmissions")]
    told = [[{column: row[column] for column in columns} for row in rows(which, "connections")] for which in (path, twin)]
    faults += [f"connections: {fault}" for fault in differences(*told, set())]
    findings = [list(rows(which, "findings")) for which in (path, twin)]
    known = {row["kind"] for row in findings[0]} | {"captured_twice"}
    faults += [f"it says {row['title']}" for row in findings[1] if row["kind"] not in known]
    if not any(row["kind"] == "captured_twice" for row in findings[1]):
        faults.append("it does not say that packets were captured twice")
    checks.check(f"{name} {what}: the same commands, losses and states, and it is said", faults)


def check_retransmissions(checks, sanscope, name, what, path, twin, originals):
    """`originals`: by the twin's numbers."""
    told = {int(row["packet"]): WHAT_HAPPENED.get(row["kind"]) for row in table(sanscope, "losses", path, statuses=(0, 3)) if row["packet"]}
    faults = []
    for row in table(sanscope, "losses", twin, statuses=(0, 3)):
        now, before = WHAT_HAPPENED.get(row["kind"]), told.get(originals[int(row["packet"])] if row["packet"] else 0)
        if now and before and now != before:
            faults.append(f"packet {row['packet']} of {row['sender']}: {now} instead of {before}")
    checks.check(f"{name} {what}: nothing that was lost is told as sent again for nothing, or late, nor the other way round", faults)


def check_large_packets(checks, sanscope, name, capture, path, twin):
    write(capture, in_large_packets(capture, 50_000), twin)
    def said(which):
        return {row["kind"]: row["title"] for row in table(sanscope, "findings", which, statuses=(0, 3)) if row["severity"] != "information"}
    before, now = said(path), said(twin)
    faults = [f"it says {title}" for kind, title in now.items() if kind not in before]
    faults += [f"it does not say {title}" for kind, title in before.items() if kind not in now]
    checks.check(f"{name} with many segments in one packet: the same is found", faults)


def check_queues(checks, sanscope, name, capture, whole, written_ns, path):
    originals = write(capture, in_queues(capture, written_ns), path)
    numbers = {original: at for at, original in enumerate(originals) if at}
    twin = table(sanscope, "commands", path, statuses=(0, 3))
    faults = firm_faults(whole, twin, numbers)
    found = {(row["itt"], number(row["request_packet"])): row for row in twin if row["request_packet"]}
    for row in whole:
        same = found.get((row["itt"], numbers.get(number(row["request_packet"]))))
        if same is None:
            faults.append(f"missing: {row['itt']} of packet {row['request_packet']}")
        elif same["turnaround_ns"] not in (row["turnaround_ns"], None):
            faults.append(f"turnaround {same['turnaround_ns']} instead of {row['turnaround_ns']}")
    checks.check(f"{name} in queues written each {written_ns // 1000} µs: the same times and depths", faults)


def check_missing_data(checks, sanscope, name, capture, whole, share, path):
    """Without so many of the packets that are full of data, drawn from a fixed seed."""
    draw = random.Random(len(capture.packets))
    full = [at for at, (_, _, wire, _) in enumerate(capture.packets, 1) if wire >= 1000]
    numbers = capture.write(path, without=frozenset(at for at in full if draw.random() < share))
    twin = table(sanscope, "commands", path, statuses=(0, 3))
    faults = firm_faults(whole, twin, numbers)
    found = {(row["itt"], number(row["request_packet"])): row for row in twin if row["request_packet"]}
    writes = dated = 0
    for row in whole:
        same = found.get((row["itt"], numbers.get(number(row["request_packet"]))))
        if same is None or not row["turnaround_ns"] or not same["turnaround_ns"]:
            continue
        if row["last_data_packet"] and row["bytes"] and int(row["r2ts"]) > 0:
            writes += 1
            dated += same["last_data_packet"] is not None
        target, true = (int(of["budget_target_ns"] or 0) for of in (same, row))
        if target > true + int(row["turnaround_ns"]) // 4:
            faults.append(f"target {target} instead of {true} ns of {row['turnaround_ns']}: packet {row['request_packet']}")
    if dated * 2 < writes:
        faults.append(f"of {writes} writes with R2Ts {dated} have their last data")
    said = {row["kind"] for row in table(sanscope, "findings", path.parent / "whole.pcap", statuses=(0, 3))}
    faults += [f"it says {row['title']}" for row in table(sanscope, "findings", path, statuses=(0, 3))
               if row["kind"] not in said | {"not_captured", "capture_issue", "nothing_wrong"}]
    checks.check(f"{name} without {share:.0%} of the packets with data: nothing is the target's that was not", faults)


def check_without_pure_acks(checks, sanscope, name, capture, whole, path):
    """As by a capture filter for segments with data."""
    pure = frozenset(at for at, (_, _, _, frame) in enumerate(capture.packets, 1) if (segment := TcpSegment.of(frame)) and segment.is_pure_ack())
    numbers = capture.write(path, without=pure)
    faults = firm_faults(whole, table(sanscope, "commands", path, statuses=(0, 3)), numbers)
    for row in table(sanscope, "connections", path, statuses=(0, 3)):
        if row["vantage"] or row["rtt_min_ns"]:
            faults.append(f"captured at {row['vantage']}, by a round trip of {row['rtt_min_ns']} ns")
    for row in table(sanscope, "windows", path, statuses=(0, 3)):
        told = [column for column in ("srtt_ns", "cwnd", "ca_state", "limit") if row[column]]
        if told:
            faults.append(f"windows, packet {row['packet']}: " + ", ".join(told))
    findings = table(sanscope, "findings", path, statuses=(0, 3))
    if not any("without data" in row["title"] for row in findings):
        faults.append("it does not say that acknowledgements are missing")
    said = {row["kind"] for row in table(sanscope, "findings", path.parent / "whole.pcap", statuses=(0, 3))}
    # Commands' times are known, and what was sent again.
    known = ("does not tell what held it up", "segments of its connection were lost")
    faults += [f"it says {row['title']}" for row in findings
               if row["kind"] not in said | {"not_captured", "capture_issue", "slow_commands"} and not row["title"].endswith(known[0])
               and known[1] not in row["title"]]
    checks.check(f"{name} without pure acknowledgements: nothing is told that rests on them, and it is said", faults)


def check_steps(checks, sanscope, name, capture, whole, step_ns, path):
    step = step_ns * capture.second // 10 ** 9
    packets = []
    for seconds, fraction, wire, frame in capture.packets:
        packets.append((seconds, fraction // step * step, wire, frame))
    numbers = {at: at for at in write(capture, packets, path)}
    twin = table(sanscope, "commands", path, statuses=(0, 3))
    faults = firm_faults(whole, twin, numbers)
    told = {(row["itt"], row["request_packet"]): row["turnaround_ns"] for row in whole}
    for row in twin:
        true = told.get((row["itt"], row["request_packet"]))
        if row["turnaround_ns"] and true and abs(int(row["turnaround_ns"]) - int(true)) > int(true) / 8:
            faults.append(f"turnaround {row['turnaround_ns']} instead of {true} ns")
    for row in table(sanscope, "connections", path, statuses=(0, 3)):
        if row["vantage"] and row["rtt_min_ns"] and int(row["rtt_min_ns"]) < 4 * step_ns:
            faults.append(f"captured at {row['vantage']}, by a round trip of {row['rtt_min_ns']} ns")
    findings = table(sanscope, "findings", path, statuses=(0, 3))
    if not any("times are in steps of" in row["title"] for row in findings):
        faults.append("it does not say that times are in steps")
    checks.check(f"{name} in steps of {step_ns // 1000} µs: no time is told that they cannot tell, and it is said", faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    options = parser.parse_args()
    if reason := missing_program(options.sanscope):
        sys.exit(reason)
    checks = Checks()
    for name in dict.fromkeys(SAMPLES_OF_TWINS + SAMPLES_OF_COPIES):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            capture, whole = opened(options.sanscope, SAMPLES / name, folder)
            path, twin, six = folder / "whole.pcap", folder / "twin.pcap", folder / "six.pcap"
            write(capture, changed(capture, with_other_sequence_numbers(capture)), twin)
            check_same(checks, options.sanscope, name, "with sequence numbers that wrap", path, twin, SEQUENCE_COLUMNS)
            write(capture, changed(capture, with_other_timestamps(capture)), twin)
            check_same(checks, options.sanscope, name, "with timestamps that wrap", path, twin, set())
            if name not in TOLD_BY_IDENTIFICATION:
                write(capture, over_ipv6(capture), six)
                check_same(checks, options.sanscope, name, "over IPv6", path, six, ADDRESS_COLUMNS)
            if name not in SAMPLES_OF_COPIES:
                continue
            for after_ns in COPIES_AFTER_NS:
                what = f"with each packet twice, {after_ns // 1000} µs apart"
                originals = write(capture, twice(capture, capture.packets, after_ns), twin)
                check_copies(checks, options.sanscope, name, what, path, twin, originals)
                originals = write(capture, twice(capture, list(over_ipv6(capture)), after_ns), twin)
                check_copies(checks, options.sanscope, name, what + " over IPv6", six, twin, originals)
            for written_ns in QUEUES_WRITTEN_NS:
                check_queues(checks, options.sanscope, name, capture, whole, written_ns, twin)
            for step_ns in STEPS_NS:
                check_steps(checks, options.sanscope, name, capture, whole, step_ns, twin)
    for name in dict.fromkeys(SAMPLES_OF_ONE_END_WITHOUT_SACK + SAMPLES_WITHOUT_IDENTIFICATION + SAMPLES_BEGUN_AMID + SAMPLES_OF_LARGE_PACKETS):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            capture, _ = opened(options.sanscope, SAMPLES / name, folder)
            path, twin = folder / "whole.pcap", folder / "twin.pcap"

            def check(what, packets):
                check_retransmissions(checks, options.sanscope, name, what, path, twin, write(capture, packets, twin))
            if name in SAMPLES_OF_ONE_END_WITHOUT_SACK:
                check("without SACK", changed(capture, without_options(SACK_PERMITTED, SACK)))
            if name in SAMPLES_WITHOUT_IDENTIFICATION:
                check("without IP identifications", changed(capture, without_identification))
            if name in SAMPLES_BEGUN_AMID:
                for share in (0.25, 0.5, 0.75):
                    check(f"begun after {share:.0%}", begun_amid(capture, share))
            if name in SAMPLES_OF_LARGE_PACKETS:
                check_large_packets(checks, options.sanscope, name, capture, path, twin)
    for name in SAMPLES_OF_MISSING_DATA:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            capture, whole = opened(options.sanscope, SAMPLES / name, folder)
            for share in (0.005, 0.02):
                check_missing_data(checks, options.sanscope, name, capture, whole, share, folder / "less.pcap")
    for name in SAMPLES_WITHOUT_PURE_ACKS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            capture, whole = opened(options.sanscope, SAMPLES / name, folder)
            check_without_pure_acks(checks, options.sanscope, name, capture, whole, folder / "less.pcap")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

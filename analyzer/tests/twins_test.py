#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A capture that was cut short, or lacks packets, tells the same of its commands as the whole one, or leaves the cell
empty.

Of each whole sample, twins are made: every packet cut at 96 to 512 bytes, and packets taken out, drawn from a fixed
seed. A command of a twin is that of the whole capture where request packet and task tag agree. Its response packet must
be the same one, or be left empty; none has a CmdSN that none has in the whole capture; all commands whose request is
there must be found; the queue is never deeper; and how many find their response is held to what the twin's packets can
tell.

Others lack one direction, all of it or for a while, as where a mirror port copies one alone: then no command is called
unanswered that was answered, no depth is another, and no finding says that commands were not answered.

In others the two directions were stamped by clocks that are apart, as by a tap whose ports have their own: that is told where
acknowledgements come before their data, no time of a command is then another by more than that leaves in doubt, no depth is, and
nothing is found that is not so."""

import argparse
import collections
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, TableError, missing_program, number, table

PCAP_MAGIC = {0xa1b2c3d4: "<", 0xa1b23c4d: "<", 0xd4c3b2a1: ">", 0x4d3cb2a1: ">"}
SNAPS = (96, 128, 160, 256, 512)
ISCSI_PORT = 3260

# Whole captures, and the least share of commands that find their response when cut at 96 bytes and at more. The rest
# have headers that are hidden, of which nobody can say whose they are; in the last ones requests are hidden as well.
# Where the network loses packets too, one that the capture lacks is not always told from one that was sent again: none
# is taken out. A share may be another from some length of cut on: that a target keeps strictly to the order of request
# is believed only when enough headers were seen to.
SAMPLES_OF_TWINS = [
    ("reads-4k-qd8.pcap.zst", 1.0, 1.0, True, True),
    ("super-packets.pcap.zst", 0.95, 0.95, True, True),
    ("two-sessions.pcap.lz4", 1.0, 1.0, True, True),
    ("reads-256k-qd4.pcapng.zst", 0.1, 0.15, True, True),
    ("in-order-reads-16k-qd16.pcap.zst", 0.05, {128: 0.05, 160: 0.99}, True, False),
    ("writes-immediate-8k-qd16.pcap.zst", 0.1, {128: 0.2, 256: 0.5, 512: 0.95}, False, False),
    ("writes-r2t.pcap.zst", 0.75, 0.75, False, True),
    ("loss-mixed-target.pcap.zst", 0.0, 0.05, False, False),
    ("faults/loss-several-connections/target.pcap.zst", 0.4, 0.4, False, False),
]


class Pcap:
    """The packets of a classic pcap."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        self.order = PCAP_MAGIC[struct.unpack("<I", data[:4])[0]]
        self.header = data[:24]
        self.second = 10 ** 9 if struct.unpack(self.order + "I", data[:4])[0] == 0xa1b23c4d else 10 ** 6
        self.packets = []
        at = 24
        while at + 16 <= len(data):
            seconds, fraction, captured, wire = struct.unpack(self.order + "IIII", data[at:at + 16])
            self.packets.append((seconds, fraction, wire, data[at + 16:at + 16 + captured]))
            at += 16 + captured

    def write(self, path, snap=None, without=frozenset()):
        """Without the packets of those numbers, counted from 1. Returns what number each packet has that is left."""
        numbers = {}
        with open(path, "wb") as out:
            out.write(self.header)
            for at, (seconds, fraction, wire, data) in enumerate(self.packets, 1):
                if at in without:
                    continue
                numbers[at] = len(numbers) + 1
                data = data[:snap]
                out.write(struct.pack(self.order + "IIII", seconds, fraction, len(data), wire) + data)
        return numbers


    def write_with_clocks_apart(self, path, ahead_ns):
        """The target's packets stamped so much later than they were, in the order of the stamps. Returns as write()."""
        ahead = ahead_ns * self.second // 10 ** 9
        stamped = []
        for at, (seconds, fraction, wire, data) in enumerate(self.packets, 1):
            moment = seconds * self.second + fraction + (ahead if from_target(data) else 0)
            stamped.append((moment, at, wire, data))
        stamped.sort(key=lambda packet: packet[0])
        with open(path, "wb") as out:
            out.write(self.header)
            for moment, _, wire, data in stamped:
                out.write(struct.pack(self.order + "IIII", *divmod(moment, self.second), len(data), wire) + data)
        return {at: number for number, (_, at, _, _) in enumerate(stamped, 1)}


class Compared:
    """The commands of a whole capture against those of its twin."""

    def __init__(self, whole, twin, numbers):
        """`numbers`: of the twin's packets, by those of the whole capture; a packet taken out has none."""
        found = {(row["connection"], row["itt"], number(row["request_packet"])): row for row in twin}
        self.right = self.wrong = self.open = self.missing = self.all = 0
        self.examples = []
        for row in whole:
            if row["request_packet"] is None or row["itt"] is None or row["response_packet"] is None:
                continue
            request = numbers.get(number(row["request_packet"]))
            response = numbers.get(number(row["response_packet"]))
            if request is None:
                continue
            self.all += 1
            same = found.get((row["connection"], row["itt"], request))
            if same is None:
                self.missing += 1
                self.examples.append(f"missing: {row['itt']} of packet {row['request_packet']}")
            elif same["turnaround_ns"] is None:
                self.open += 1
            elif number(same["response_packet"]) == response:
                self.right += 1
            else:
                self.wrong += 1
                self.examples.append(f"wrong: {row['itt']} of packet {request}: response in packet "
                                     f"{same['response_packet']} instead of {response}")
        numbered = lambda rows: collections.Counter(
            (row["connection"], row["cmd_sn"]) for row in rows if row["cmd_sn"])
        self.invented = sorted((numbered(twin) - numbered(whole)).elements())
        depths = lambda rows: [int(row["queue_depth"]) for row in rows if row["queue_depth"]]
        self.depth, self.whole_depth = max(depths(twin), default=0), max(depths(whole), default=0)
        self.times = sorted(int(row["turnaround_ns"]) for row in twin if row["turnaround_ns"])
        self.whole_times = sorted(int(row["turnaround_ns"]) for row in whole if row["turnaround_ns"])

    def quantile(self, share):
        """Of the turnarounds told, relative to the whole capture's."""
        of = lambda times: times[min(len(times) - 1, int(share * len(times)))]
        return of(self.times) / max(1, of(self.whole_times)) if self.times else float("nan")

    def __str__(self):
        n = max(1, self.all)
        return (f"{self.all} commands: right {self.right / n:.4f} wrong {self.wrong / n:.4f} open {self.open / n:.4f} "
                f"missing {self.missing}; p50 {self.quantile(.5):.3f} p99 {self.quantile(.99):.3f}; "
                f"depth {self.depth} / {self.whole_depth}")


def compare(sanscope, folder, capture, whole, name, **changes):
    twin = folder / f"{name}.pcap"
    numbers = capture.write(twin, **changes)
    return Compared(whole, table(sanscope, "commands", twin), numbers)


def report(sanscope, path):
    """How each twin of one capture compares, for people."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        capture, whole = opened(sanscope, path, folder)
        for snap in SNAPS:
            print(f"{path.name:40} {snap:4}  {compare(sanscope, folder, capture, whole, f'cut-{snap}', snap=snap)}")
        for snap in (None, 128):
            for label, without in taken_out(capture):
                compared = compare(sanscope, folder, capture, whole, "less", snap=snap, without=without)
                print(f"{path.name:40} {snap or 'all':>4} without {label:5} {compared}")
                for example in compared.examples[:3]:
                    print("      ", example)


def opened(sanscope, path, folder):
    plain = folder / "whole.pcap"
    raw = folder / "raw"
    tool = {".zst": ["zstd", "-dqc"], ".gz": ["gzip", "-dc"], ".lz4": ["lz4", "-dqc"]}.get(path.suffix, ["cat"])
    with open(raw, "wb") as out:
        subprocess.run([*tool, path], stdout=out, check=True)
    if raw.read_bytes()[:4] == b"\x0a\x0d\x0d\x0a":
        subprocess.run(["editcap", "-F", "nsecpcap", raw, plain], check=True)
    else:
        raw.rename(plain)
    return Pcap(plain), table(sanscope, "commands", plain, statuses=(0, 3))


def taken_out(capture):
    """Packets to be taken out, with a name: one alone, one in a hundred, one in a thousand."""
    draw = random.Random(len(capture.packets))
    everything = range(1, len(capture.packets) + 1)
    for label, share in (("0.1 %", 0.001), ("1 %", 0.01)):
        yield label, frozenset(packet for packet in everything if draw.random() < share)
    for _ in range(3):
        yield "one", frozenset([draw.choice(everything)])


def from_target(packet):
    """Of a packet of TCP over IPv4 or IPv6 over Ethernet."""
    kind = int.from_bytes(packet[12:14], "big")
    header = 14 + ((packet[14] & 15) * 4 if kind == 0x0800 else 40)
    return kind in (0x0800, 0x86dd) and int.from_bytes(packet[header:header + 2], "big") == ISCSI_PORT


def without_a_direction(capture):
    """All packets that one side sent, and those of a half or of every other eighth of the capture, with a name."""
    count = len(capture.packets)
    stretches = (("all along", lambda at: True), ("in the first half", lambda at: at <= count // 2),
                 ("in the second half", lambda at: at > count // 2),
                 ("now and then", lambda at: (at // (count // 8 + 1)) % 2 == 1))
    for side, of_target in (("target", True), ("initiator", False)):
        for when, lacks in stretches:
            yield f"the {side}'s packets {when}", frozenset(
                at for at, (_, _, _, data) in enumerate(capture.packets, 1) if lacks(at) and from_target(data) == of_target)


def firm_faults(whole, twin, numbers):
    """What a twin says of how its commands ended, or of queues, and is not so in the whole capture."""
    faults = []
    found = {(row["itt"], number(row["request_packet"])): row for row in twin if row["request_packet"]}
    for row in whole:
        if row["outcome"] != "completed" or row["request_packet"] is None:
            continue
        same = found.get((row["itt"], numbers.get(number(row["request_packet"]))))
        if same is None:
            continue
        if same["outcome"] not in ("completed", None):
            faults.append(f"{same['outcome']}: {row['itt']} of packet {row['request_packet']}")
        if same["queue_depth"] not in (row["queue_depth"], None):
            faults.append(f"depth {same['queue_depth']} instead of {row['queue_depth']}: {row['itt']} of packet "
                          f"{row['request_packet']}")
    return faults


def check_without_a_direction(checks, sanscope, name):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        capture, whole = opened(sanscope, SAMPLES / name, folder)
        said_of_whole = {row["kind"] for row in table(sanscope, "findings", folder / "whole.pcap", statuses=(0, 3))}
        for label, without in without_a_direction(capture):
            path = folder / "less.pcap"
            numbers = capture.write(path, without=without)
            twin = table(sanscope, "commands", path)
            faults = firm_faults(whole, twin, numbers)
            said = {row["kind"] for row in table(sanscope, "findings", path)} - said_of_whole
            faults += [f"it says {kind}" for kind in said & {"unanswered_commands", "aborted_commands"}]
            if len(without) < len(capture.packets) * 0.7 and "initiator's" not in label and not twin:
                faults.append("no command is found")
            checks.check(f"{name} without {label}: no command is said to be unanswered, no other depth told", faults)


# What is acknowledged later than the clocks are apart does not show it: all that a host on a longer path sends, and most of what
# is acknowledged by the data of one that writes.
CLOCKS_APART_NS = (300_000, -300_000, 3_000_000, -3_000_000)
CLOCKS_THAT_SHOW_NS = {"writes-r2t.pcap.zst": (-300_000, 3_000_000, -3_000_000),
                       "reads-256k-qd4.pcapng.zst": (300_000, 3_000_000, -3_000_000)}


def check_with_clocks_apart(checks, sanscope, name):
    """Of whole samples whose round trip is shorter than the clocks are apart."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        capture, whole = opened(sanscope, SAMPLES / name, folder)
        said_of_whole = {row["kind"] for row in table(sanscope, "findings", folder / "whole.pcap", statuses=(0, 3))}
        for ahead_ns in CLOCKS_THAT_SHOW_NS.get(name, CLOCKS_APART_NS):
            path = folder / "apart.pcap"
            numbers = capture.write_with_clocks_apart(path, ahead_ns)
            twin = table(sanscope, "commands", path)
            faults = [*firm_faults(whole, twin, numbers), *doubtful_times(whole, twin, numbers)]
            findings = table(sanscope, "findings", path)
            if not any("clocks of the two directions are apart" in row["title"] for row in findings):
                faults.append("it does not say that the clocks are apart")
            allowed = said_of_whole | {"capture_issue", "nothing_wrong"}
            faults += [f"it says {row['title']}" for row in findings if row["kind"] not in allowed]
            faults += [f"it says {row['title']}" for row in findings if row["kind"] == "vantage"]
            checks.check(f"{name} with clocks {ahead_ns / 1e6:+} ms apart: it is said, and nothing that is not so", faults)


def doubtful_times(whole, twin, numbers):
    """Turnarounds that are a sixth or more away from what they are in the whole capture."""
    found = {(row["itt"], number(row["request_packet"])): row for row in twin if row["request_packet"]}
    for row in whole:
        same = found.get((row["itt"], numbers.get(number(row["request_packet"]))))
        if same is None or same["turnaround_ns"] is None or row["turnaround_ns"] is None:
            continue
        told, true = int(same["turnaround_ns"]), int(row["turnaround_ns"])
        if abs(told - true) > true / 6:
            yield f"turnaround {told} instead of {true} ns: {row['itt']} of packet {row['request_packet']}"


def faults_of(compared, least, all_found=True):
    """What a twin tells that its whole capture does not, and what it should tell and does not."""
    faults = [example for example in compared.examples if all_found or example.startswith("wrong")]
    if compared.invented:
        faults.append(f"{len(compared.invented)} commands that are not in the whole capture, as CmdSN "
                      f"{compared.invented[0][1]} of connection {compared.invented[0][0]}")
    if compared.right < least * compared.all:
        faults.append(f"only {compared.right} of {compared.all} commands have their response")
    if compared.depth > compared.whole_depth:
        faults.append(f"a queue {compared.depth} deep, in the whole capture {compared.whole_depth} at most")
    return faults


def least_at(least, snap):
    return least if isinstance(least, float) else least[max(length for length in least if length <= snap)]


def check(checks, sanscope, name, least_at_96, least, all_found, takes_out):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        capture, whole = opened(sanscope, SAMPLES / name, folder)
        for snap in SNAPS:
            compared = compare(sanscope, folder, capture, whole, "cut", snap=snap)
            checks.check(f"{name}: cut at {snap} bytes it tells the same, or nothing",
                         faults_of(compared, least_at_96 if snap == 96 else least_at(least, snap), all_found))
        for snap, kept in ((None, 0.95), (128, least_at(least, 128) - 0.1)) if takes_out else ():
            for label, without in taken_out(capture):
                compared = compare(sanscope, folder, capture, whole, "less", snap=snap, without=without)
                checks.check(f"{name}{', cut at 128 bytes,' if snap else ''} without {label} of its packets: the same",
                             faults_of(compared, kept, all_found or snap is None))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=pathlib.Path, help="tell how these compare, and check nothing")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    for path in arguments.captures:
        report(arguments.sanscope, path)
    if arguments.captures:
        return 0
    checks = Checks()
    for name, *least, takes_out in SAMPLES_OF_TWINS:
        try:
            check(checks, arguments.sanscope, name, *least, takes_out)
            if takes_out:
                check_without_a_direction(checks, arguments.sanscope, name)
                check_with_clocks_apart(checks, arguments.sanscope, name)
        except TableError as error:
            checks.fail(name, [str(error)])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

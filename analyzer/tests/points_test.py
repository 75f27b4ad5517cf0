#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`--points`: captures of one load at both of its ends, whose clocks are one and the same, held against each other; the same with
the times of one of them changed: offset, skew, steps, jitter. The truth must lie in the band that is told.

    points_test.py [FOLDER]     FOLDER/truth: more captures of both ends, with what the node between them dropped"""

import argparse
import collections
import csv
import io
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, run_sanscope

SECOND = 1_000_000_000
MILLISECOND = 1_000_000
OFFSET = 5 * SECOND
SKEW_PPM = 100


def sample_pairs():
    yield "loss-mixed", SAMPLES / "loss-mixed-initiator.pcap.zst", SAMPLES / "loss-mixed-target.pcap.zst"
    for name in ("sent-again-cable-reads-64k", "sent-again-loss-ipv6", "sent-again-reordering"):
        yield name, SAMPLES / f"{name}-at-initiator.pcap.zst", SAMPLES / f"{name}-at-target.pcap.zst"
    for folder in ("budgets/rate-50mbit", "budgets/single-loss", "budgets/burst-loss", "faults/loss-to-initiator",
                   "faults/lost-ack", "faults/healthy-write-4k"):
        yield folder, SAMPLES / folder / "initiator.pcap.zst", SAMPLES / folder / "target.pcap.zst"


class Capture:
    """A pcap of IPv4 or IPv6 in Ethernet, as its packets."""

    def __init__(self, path):
        data = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
        self.header = data[:24]
        magic = struct.unpack("<I", data[:4])[0]
        self.unit = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}[magic]
        self.packets = []
        at = 24
        while at + 16 <= len(data):
            seconds, part, kept, wire = struct.unpack_from("<IIII", data, at)
            self.packets.append((seconds * SECOND + part * self.unit, data[at + 16:at + 16 + kept], wire))
            at += 16 + kept

    def write(self, path, changed):
        with open(path, "wb") as out:
            out.write(self.header)
            for time_ns, frame, wire in self.packets:
                moment = changed(time_ns, frame)
                out.write(struct.pack("<IIII", moment // SECOND, moment % SECOND // self.unit, len(frame), wire))
                out.write(frame)
        return path


def segment(frame):
    """(to the target, what tells the segment from others); None for anything else."""
    kind = struct.unpack_from(">H", frame, 12)[0]
    if kind == 0x0800 and frame[23] == 6:
        tcp, identification = 14 + (frame[14] & 15) * 4, frame[18:20]
        length = struct.unpack_from(">H", frame, 16)[0] - (tcp - 14)
    elif kind == 0x86DD and frame[20] == 6:
        tcp, identification = 54, b""
        length = struct.unpack_from(">H", frame, 18)[0]
    else:
        return None
    if len(frame) < tcp + 20:
        return None
    options = frame[tcp + 20:tcp + (frame[tcp + 12] >> 4) * 4]
    to_target = struct.unpack_from(">H", frame, tcp + 2)[0] == 3260
    return to_target, (frame[tcp:tcp + 16], options, identification, length)


def ports(frame):
    tcp = 14 + (frame[14] & 15) * 4 if frame[12:14] == b"\x08\x00" else 54
    return struct.unpack_from(">HH", frame, tcp)


def least_ways(initiator, target, begin=0, end=1 << 63):
    """The least times on the way out and back, of what is surely one packet, by clocks that are one and the same."""
    seen = [collections.defaultdict(list), collections.defaultdict(list)]
    for which, capture in enumerate((initiator, target)):
        for time_ns, frame, _ in capture.packets:
            found = segment(frame)
            if found is not None:
                seen[which][found].append(time_ns)
    ways = {True: [], False: []}
    for key, times in seen[0].items():
        others = seen[1].get(key, [])
        if len(times) == 1 and len(others) == 1 and begin <= times[0] < end:
            ways[key[0]].append((others[0] - times[0]) * (1 if key[0] else -1))
    return min(ways[True]), min(ways[False])


def rows(program, table, *captures):
    return run_table(program, table, "--points", *captures)


def run_table(program, table, *arguments):
    run = run_sanscope(program, ["table", table, *arguments])
    if run.status != 0:
        raise RuntimeError(run.describe())
    return [{key: value or None for key, value in row.items()} for row in csv.DictReader(io.StringIO(run.out))]


def number(row, column):
    return None if row[column] is None else int(row[column])


def changes(first_ns, last_ns):
    """Clocks to give the capture at the target: a name, by how much they are off at a time, and where they were stepped."""
    span = last_ns - first_ns
    steps = (first_ns + span * 3 // 10, first_ns + span * 8 // 10)

    def skewed(ppm):
        return lambda time_ns: int((time_ns - first_ns) * ppm / 1e6)

    yield "as it was", lambda time_ns: 0, 0
    for sign in (1, -1):
        for skew in (SKEW_PPM, -SKEW_PPM):
            yield (f"{sign * 5:+d} s, {skew:+d} ppm",
                   lambda time_ns, sign=sign, skew=skew: sign * OFFSET + skewed(skew)(time_ns), 0)
        yield (f"{sign * 5:+d} s, {SKEW_PPM:+d} ppm, steps of {sign * 40:+d} and {-sign * 3:+d} s",
               lambda time_ns, sign=sign: (sign * OFFSET + skewed(SKEW_PPM)(time_ns)
                                           + (sign * 40 * MILLISECOND if time_ns >= steps[0] else 0)
                                           - (sign * 3 * SECOND if time_ns >= steps[1] else 0)), 2)


def band_faults(row, truth, path):
    low, high = number(row, "clock_offset_low_ns"), number(row, "clock_offset_high_ns")
    if low is None or high is None:
        return ["no band"]
    faults = [] if low <= truth <= high else [f"{truth} ns is not in {low} to {high}"]
    # Two times cut to microseconds at each end of the band.
    if path is not None and high - low > 1.2 * path + 4000:
        faults.append(f"the band is {high - low} ns wide, {path} ns are on the way there and back at least")
    return faults


def test_clocks(checks, program, name, initiator_path, target_path, folder, judged, silent, most_changes=None):
    """Nothing that is told is false; where no band is told, or fewer steps than there were, that is counted in `silent`."""
    initiator, target = Capture(initiator_path), Capture(target_path)
    # Of a step while there is no segment nobody knows.
    times = [time_ns for time_ns, frame, _ in initiator.packets if segment(frame)]
    first_ns, last_ns = times[0], times[-1]
    for number_of_change, (change, off, steps) in enumerate(changes(first_ns, last_ns)):
        if most_changes is not None and number_of_change >= most_changes:
            break
        for jitter in (0, MILLISECOND):
            delays = random.Random(name + change)

            # What arrives is held up by up to so much, at either end.
            def late(time_ns, frame, to_target):
                found = segment(frame)
                return time_ns + (delays.randrange(jitter) if jitter and found and found[0] == to_target else 0)

            here = initiator.write(folder / "initiator.pcap", lambda time_ns, frame: late(time_ns, frame, False))
            there = target.write(folder / "target.pcap",
                                 lambda time_ns, frame: (lambda late_ns: late_ns + off(late_ns))(late(time_ns, frame, True)))
            later = [(time_ns, frame) for time_ns, frame, _ in Capture_of(here).packets if segment(frame)]
            faults = []
            try:
                found = rows(program, "points", there, here)
            except RuntimeError as error:
                found, faults = [], [str(error)]
            for row in found:
                if int(row["segments_out"]) + int(row["segments_in"]) < 200:
                    continue
                if (row["point"], row["other_point"]) != ("initiator", "target"):
                    faults.append(f"the path is {row['point']}, {row['other_point']}")
                    continue
                port = int(row["initiator"].rsplit(":", 1)[1])
                ends = [time_ns for time_ns, frame in later if port in ports(frame)]
                middle = (ends[0] + ends[-1]) // 2
                # What the least delays allow is a matter of the whole stretch only where the clock was not stepped.
                path = sum(least_ways(initiator, target)) if steps == 0 and len(found) == 1 else None
                if path is not None and jitter:
                    path = sum(least_ways(Capture_of(here), Capture_of(there, off)))
                judged[name] = judged.get(name, 0) + 1
                if number(row, "clock_offset_low_ns") is None or int(row["clock_steps"]) < steps:
                    silent[name] = silent.get(name, 0) + 1
                if number(row, "clock_offset_low_ns") is not None:
                    faults += band_faults(row, off(middle), path)
                if int(row["clock_steps"]) > steps:
                    faults.append(f"{row['clock_steps']} steps instead of {steps}")
            checks.check(f"{name}: clock {change}{', 1 ms of jitter' if jitter else ''}", faults)


class Capture_of(Capture):
    """A plain pcap, its clock set right again."""

    def __init__(self, path, off=lambda time_ns: 0):
        packed = subprocess.run(["zstd", "-q", "-c", path], capture_output=True, check=True).stdout
        with tempfile.NamedTemporaryFile(suffix=".zst") as file:
            file.write(packed)
            file.flush()
            super().__init__(file.name)
        # The offset hardly changes over the offset itself.
        self.packets = [(time_ns - off(time_ns - off(time_ns)), frame, wire) for time_ns, frame, wire in self.packets]


def node_drops(folder):
    path = folder / "netem.csv.zst"
    text = (subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.decode() if path.exists()
            else (folder / "netem.csv").read_text())
    return [row for row in csv.DictReader(io.StringIO(text)) if row["what"] in ("loss", "burst", "queue")]


def test_losses(checks, program, folder):
    """Every segment with payload that the node dropped is lost between the two ends, and nothing else is."""
    dropped = collections.Counter((row["sport"], int(row["seq"]), int(row["payload"]))
                                  for row in node_drops(folder) if int(row["payload"]) > 0)
    found = rows(program, "point_losses", folder / "initiator.pcap.zst", folder / "target.pcap.zst")
    lost = collections.Counter((row["sender"].rsplit(":", 1)[1], int(row["seq"]), int(row["length"]))
                               for row in found if row["verdict"] == "lost_between")
    doubted = collections.Counter((row["sender"].rsplit(":", 1)[1], int(row["seq"]), int(row["length"]))
                                  for row in found if row["verdict"] == "unclear")
    wrong = [f"said to be lost, was not: {key}" for key in (lost - dropped).elements()]
    missing = [f"lost, said to be otherwise: {key}" for key in (dropped - lost - doubted).elements()]
    few = [] if sum((dropped - lost).values()) <= max(2, sum(dropped.values()) // 50) else [
        f"of {sum(dropped.values())} losses {sum((dropped - lost).values())} are not told"]
    beyond = [f"{row['verdict']}: packet {row['packet']}" for row in found
              if row["verdict"] in ("lost_beyond", "not_captured_before", "not_captured_behind")]
    checks.check(f"{folder.name}: {sum(dropped.values())} losses where they were", wrong + missing + few + beyond)


def test_capture_drops(checks, program, folder):
    """Packets taken out of a capture are not taken for lost ones."""
    initiator = SAMPLES / "budgets/rate-50mbit/initiator.pcap.zst"
    capture = Capture(SAMPLES / "budgets/rate-50mbit/target.pcap.zst")

    def busiest(target):
        return max(rows(program, "points", initiator, target), key=lambda row: int(row["segments_in"]))

    before = busiest(SAMPLES / "budgets/rate-50mbit/target.pcap.zst")
    picked = random.Random(4)
    kept = [packet for packet in capture.packets if picked.randrange(50) != 0]
    taken = sum(1 for packet in capture.packets if (found := segment(packet[1])) and found[0] is False
                and found[1][3] > 60) - sum(1 for packet in kept if (found := segment(packet[1])) and found[0] is False
                                            and found[1][3] > 60)
    capture.packets = kept
    row = busiest(capture.write(folder / "thinned.pcap", lambda time_ns, frame: time_ns))
    faults = [f"{column}: {row[column]}, {before[column]} before" for column in ("lost_out", "lost_in")
              if int(row[column]) > int(before[column])]
    lacks = int(row["not_captured_other_point_in"])
    if not taken * 9 // 10 <= lacks + int(row["unclear_in"]) <= taken + 2:
        faults.append(f"{taken} segments to the initiator were taken out, {lacks} are said to be")
    checks.check("what a capture lacks is not lost", faults)


def test_errors(checks, program):
    both = (SAMPLES / "loss-mixed-initiator.pcap.zst", SAMPLES / "loss-mixed-target.pcap.zst")
    for name, arguments, status in (
            ("captures without a common connection", ("report", "--points", both[0], SAMPLES / "ipv6.pcap.zst"), 1),
            ("one capture", ("report", "--points", both[0]), 2),
            ("a table of points without --points", ("table", "points", *both), 2),
            ("another table with it", ("table", "commands", "--points", *both), 2),
            ("no such file", ("report", "--points", both[0], "/no/such/file"), 1),
            ("all is well", ("report", "--points", *both), 0)):
        run = run_sanscope(program, arguments)
        faults = [] if run.status == status else [run.describe()]
        if status != 0 and (run.out or not run.err):
            faults.append(f"standard output {run.out[:80]!r}, standard error {run.err!r}")
        checks.check(f"exit status of --points: {name}", faults)


def test_text(checks, program):
    run = run_sanscope(program, ["report", "--points", SAMPLES / "loss-mixed-target.pcap.zst",
                                 SAMPLES / "loss-mixed-initiator.pcap.zst"])
    wanted = ["from the initiators to the targets", "1  loss-mixed-initiator", "2  loss-mixed-target",
              "to the initiators were lost between loss-mixed-target and loss-mixed-initiator", "Clocks", "Connection 1"]
    checks.check("the report tells points in order, losses and clocks", [word for word in wanted if word not in run.out])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", default=DEFAULT_SANSCOPE, type=pathlib.Path)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    if reason := missing_program(options.sanscope):
        sys.exit(reason)
    checks = Checks()
    judged, silent = {}, {}
    test_errors(checks, options.sanscope)
    test_text(checks, options.sanscope)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        test_capture_drops(checks, options.sanscope, folder)
        for pair in sample_pairs():
            test_clocks(checks, options.sanscope, *pair, folder, judged, silent)
        # Of what is so short and has such queues that steps cannot all be taken apart.
        told = sum(judged.values()) - sum(silent.values())
        checks.check(f"a band and all steps told in {told} of {sum(judged.values())} connections",
                     [f"{name}: {count} of {judged[name]} are not" for name, count in silent.items()]
                     if sum(silent.values()) > sum(judged.values()) * 0.15 else [])
        for truth in sorted((options.folder / "truth").glob("*/netem.csv*")) if options.folder else []:
            test_losses(checks, options.sanscope, truth.parent)
            test_clocks(checks, options.sanscope, truth.parent.name, truth.parent / "initiator.pcap.zst",
                        truth.parent / "target.pcap.zst", folder, judged, silent, 4)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

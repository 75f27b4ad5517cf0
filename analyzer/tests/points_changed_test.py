#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`--points` where what lies between two points changes packets, or one of the captures is less than whole: addresses translated,
VLAN tags, VXLAN, a snap length, a later beginning. What is told must be what the untouched captures tell. Captures that are no
pair at all: nothing that is told is nonsense.

    points_changed_test.py [FOLDER...]     more captures, each held against itself and against the next one
"""

import argparse
import collections
import pathlib
import struct
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, run_sanscope
from points_test import Capture, rows, segment

PAIRS = (("loss-mixed", SAMPLES / "loss-mixed-initiator.pcap.zst", SAMPLES / "loss-mixed-target.pcap.zst"),
         ("rate-50mbit", SAMPLES / "budgets/rate-50mbit/initiator.pcap.zst", SAMPLES / "budgets/rate-50mbit/target.pcap.zst"),
         ("burst-loss", SAMPLES / "budgets/burst-loss/initiator.pcap.zst", SAMPLES / "budgets/burst-loss/target.pcap.zst"))


def translated(frame, wire):
    """The initiator's address and port are others."""
    found = segment(frame)
    if found is None:
        return frame, wire
    out = bytearray(frame)
    tcp = 14 + (frame[14] & 15) * 4
    address, port = (26, tcp) if found[0] else (30, tcp + 2)
    out[address:address + 4] = bytes((203, 0, 113, 7))
    out[port:port + 2] = struct.pack(">H", (struct.unpack_from(">H", frame, port)[0] + 1111) % 30000 + 20000)
    return bytes(out), wire


def tagged(frame, wire):
    return frame[:12] + bytes((0x81, 0, 0x20, 42)) + frame[12:], wire + 4


def tunnelled(frame, wire):
    udp = struct.pack(">HHHH", 50000, 4789, wire + 16, 0) + bytes((8, 0, 0, 0, 0, 0, 99, 0))
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + wire + 16, 0, 0, 64, 17, 0, bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2)))
    return frame[:12] + b"\x08\x00" + ip + udp + frame, wire + 50


def snapped(frame, wire):
    return frame[:96], wire


def changed(capture, path, change):
    whole = capture.packets
    capture.packets = [(time_ns, *change(frame, wire)) for time_ns, frame, wire in whole]
    capture.write(path, lambda time_ns, frame: time_ns)
    capture.packets = whole
    return path


def losses(program, *captures):
    return collections.Counter((row["seq"], row["length"], row["verdict"]) for row in rows(program, "point_losses", *captures))


def exact_times(program, *captures):
    parts = ("turnaround_ns", "initiator_ns", "paths_ns", "target_ns", "answer_ns", "path_out_low_ns", "path_out_high_ns")
    return {row["command"]: tuple(row[part] for part in parts) for row in rows(program, "point_commands", *captures)}


def test_changed(checks, program, name, here, there, folder):
    whole = losses(program, here, there)
    times = exact_times(program, here, there)
    target = Capture(there)
    for what, change in (("addresses and ports translated", translated), ("a VLAN tag", tagged), ("VXLAN", tunnelled),
                         ("96 bytes of each packet", snapped)):
        path = changed(target, folder / "target.pcap", change)
        # Translated twice, connections are found by their packets alone; their numbers may be others.
        found = losses(program, here, path)
        faults = [f"no longer told: {key}" for key in (whole - found).elements()]
        faults += [f"told now: {key}" for key in (found - whole).elements()]
        split = exact_times(program, here, path)
        faults += [f"command {command}: {split.get(command)}, {before} before" for command, before in times.items()
                   if split.get(command) != before]
        points = rows(program, "points", here, path)
        if {row["translated"] for row in points if int(row["segments_out"]) > 8} != {"1" if change is translated else "0"}:
            faults.append(f"translated: {[row['translated'] for row in points]}")
        checks.check(f"{name}, at the target {what}: all as without", faults)


def test_later(checks, program, name, here, there, folder):
    whole = losses(program, here, there)
    for which, path in (("initiator", here), ("target", there)):
        capture = Capture(path)
        capture.packets = capture.packets[len(capture.packets) * 3 // 10:len(capture.packets) * 9 // 10]
        part = capture.write(folder / f"{which}.pcap", lambda time_ns, frame: time_ns)
        found = losses(program, part, there) if which == "initiator" else losses(program, here, part)
        lost = {key: count for key, count in found.items() if key[2] in ("lost_between", "lost_beyond")}
        faults = [f"told now: {key}" for key in lost if key not in whole]
        faults += [f"{key}: the rest was not captured at all" for key in found if key[2].startswith("not_captured")]
        was = sum(count for key, count in whole.items() if key[2] == "lost_between")
        now = sum(count for key, count in found.items() if key[2] == "lost_between")
        if was > 4 and now == 0:
            faults.append(f"of {was} losses none is told")
        checks.check(f"{name}, the {which}'s capture begins later and ends earlier: {now} of {was} losses, nothing else", faults)


def test_three_points(checks, program, name, here, there, folder):
    """A switch 20 us from one of the ends, whose clock is 7 s off: what is lost is lost on its other side."""
    whole = losses(program, here, there)
    times = exact_times(program, here, there)
    for end, path, lossless in (("initiator", here, ("initiator", "switch")), ("target", there, ("switch", "target"))):
        capture = Capture(path)

        def at_switch(time_ns, frame):
            found = segment(frame)
            towards = 1 if found and found[0] == (end == "initiator") else -1
            return time_ns + 7_000_000_000 + 20_000 * towards

        capture.packets = sorted((at_switch(time_ns, frame), frame, wire) for time_ns, frame, wire in capture.packets)
        switch = capture.write(folder / "switch.pcap", lambda time_ns, frame: time_ns)
        initiator = folder / "initiator.pcap.zst"
        target = folder / "target.pcap.zst"
        initiator.write_bytes(here.read_bytes())
        target.write_bytes(there.read_bytes())
        found = collections.defaultdict(collections.Counter)
        for row in rows(program, "point_losses", target, switch, initiator):
            found[row["point"], row["other_point"]][row["seq"], row["length"], row["verdict"]] += 1
        faults = []
        for pair, told in found.items():
            between = {key: count for key, count in told.items() if key[2] == "lost_between"}
            if pair == lossless and between:
                faults.append(f"lost between {pair}: {list(between)[:5]}")
            elif pair not in (("initiator", "switch"), ("switch", "target")):
                faults.append(f"the path is {pair}")
            if pair != lossless:
                was = {key: count for key, count in whole.items() if key[2] == "lost_between"}
                faults += [f"lost between {pair}, not told: {key}" for key in was if key not in told]
                faults += [f"lost between {pair}, was not: {key}" for key in between if key not in was]
        # What is beyond the last point is the target's, whatever is before it.
        far = {row["command"]: row for row in rows(program, "point_commands", target, switch, initiator)
               if row["point"] == "switch" and row["not_split"] is None}
        faults += [f"command {command}: target {row['target_ns']}, {times[command][3]} from the ends alone"
                   for command, row in far.items() if times[command][3] is not None and row["target_ns"] != times[command][3]]
        if not far:
            faults.append("no command is split between the switch and the target")
        report = run_sanscope(program, ("report", "--points", target, switch, initiator))
        lost = {pair: sum(count for key, count in told.items() if key[2] == "lost_between") for pair, told in found.items()}
        for one, two in (("initiator", "switch"), ("switch", "target")):
            told = f"lost between {one} and {two}" in report.out or f"lost between {two} and {one}" in report.out
            if report.status != 0 or told != (lost.get((one, two), 0) > 0):
                faults.append(f"{lost}: {report.describe()}")
        checks.check(f"{name}, a switch beside the {end}: {sum(lost.values())} ranges lost, all on its other side", faults)


def test_decode_as(checks, program, here, there, folder):
    """No SYN, and a target whose port is the higher one: which end is the initiator is known by the user's word. Commands are known
    by what the packets hold."""
    def elsewhere(path, name):
        capture = Capture(path)
        packets = []
        for time_ns, frame, wire in capture.packets:
            found = segment(frame)
            tcp = 14 + (frame[14] & 15) * 4
            if found is None or frame[tcp + 13] & 2:
                continue
            port = tcp + 2 if found[0] else tcp
            packets.append((time_ns, frame[:port] + struct.pack(">H", 45000) + frame[port + 2:], wire))
        capture.packets = packets
        return capture.write(folder / name, lambda time_ns, frame: time_ns)

    one, two = elsewhere(here, "initiator.pcap"), elsewhere(there, "target.pcap")
    found = [rows(program, "points", *said, one, two) for said in ((), ("-d", "tcp.port==45000,iscsi"))]
    faults = []
    if found[0][0]["initiator"].endswith(":45000") is False:
        faults.append("the port alone tells the initiator: this tests nothing")
    if not found[1][0]["target"].endswith(":45000"):
        faults.append(f"the target is {found[1][0]['target']}")
    for said, guess in (((), True), (("-d", "tcp.port==45000,iscsi"), False)):
        report = run_sanscope(program, ("report", "--points", *said, one, two))
        if ("a guess by the ports" in report.out) != guess or ("from the initiators to the targets" in report.out) == guess:
            faults.append(f"{said}: {report.out[:200]}")
    split = rows(program, "point_commands", "-d", "tcp.port==45000,iscsi", one, two)
    if sum(row["not_split"] is None for row in split) < 0.9 * len(split) or not split:
        faults.append(f"{collections.Counter(row['not_split'] for row in split)}")
    checks.check("-d names the target's port", faults)


def test_no_pair(checks, program, one, two):
    """Any two captures: an exit status that means something; of one and the same nothing is judged."""
    faults = []
    for arguments in (("report", "--points", one, two), ("table", "point_losses", "--points", one, two),
                      ("table", "point_commands", "--points", one, two)):
        run = run_sanscope(program, arguments)
        if run.status not in (0, 1, 3):
            faults.append(run.describe())
        elif one == two and "lost_b" in run.out:
            faults.append(f"{arguments[0]} {arguments[1]}: something is lost between a capture and itself")
    checks.check(f"{one.name} with {'itself' if one == two else two.name}", faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", default=DEFAULT_SANSCOPE, type=pathlib.Path)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if reason := missing_program(options.sanscope):
        sys.exit(reason)
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for pair in PAIRS:
            test_changed(checks, options.sanscope, *pair, folder)
            test_later(checks, options.sanscope, *pair, folder)
            test_three_points(checks, options.sanscope, *pair, folder)
        test_decode_as(checks, options.sanscope, *PAIRS[0][1:], folder)
    captures = [path for path in sorted(SAMPLES.glob("*.pcap*")) if path.stat().st_size < 1 << 20]
    for folder in options.folders:
        captures += [path for path in sorted(folder.rglob("*")) if path.is_file() and ".pcap" in path.name]
    for one, two in zip(captures, captures[1:]):
        test_no_pair(checks, options.sanscope, one, two)
    for one in captures:
        # Under two names: one file twice is refused nowhere.
        test_no_pair(checks, options.sanscope, one, one)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

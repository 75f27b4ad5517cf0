#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope table point_commands --points`: commands split between two points, held against the packets themselves, whose clocks
are one and the same; and how near the time budgets of one capture alone come to that.

    point_commands_test.py [FOLDER]     FOLDER/truth: more captures of both ends
"""

import argparse
import collections
import pathlib
import random
import statistics
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program
from points_test import Capture, Capture_of, rows, run_table, sample_pairs, segment

OFFSET = 5_000_000_000
PARTS = ("initiator_ns", "paths_ns", "target_ns", "answer_ns")


def more_pairs():
    yield from sample_pairs()
    for name in ("target-5ms", "target-5ms-deep", "r2t-10ms", "think-20ms", "closed-window", "command-window-1"):
        yield f"budgets/{name}", *(SAMPLES / "budgets" / name / f"{end}.pcap.zst" for end in ("initiator", "target"))


def split_rows(program, initiator, target):
    return [{key: int(value) if key.endswith("_ns") and value is not None else value for key, value in row.items()}
            for row in rows(program, "point_commands", initiator, target)]


class Both:
    """What the packets say: where a packet of the initiator's capture is in the target's, if it is there once."""

    def __init__(self, initiator, target):
        self.packets = initiator.packets
        self.here, self.there = collections.Counter(), collections.defaultdict(list)
        for _, frame, _ in initiator.packets:
            self.here[segment(frame)] += 1
        for time_ns, frame, _ in target.packets:
            self.there[segment(frame)].append(time_ns)

    def times(self, packet):
        time_ns, frame, _ = self.packets[packet - 1]
        key = segment(frame)
        others = self.there.get(key, [])
        return (time_ns, others[0]) if self.here[key] == 1 and len(others) == 1 else None


def test_split(checks, program, name, initiator_path, target_path, folder):
    initiator, target = Capture(initiator_path), Capture(target_path)
    both = Both(initiator, target)
    first_ns = initiator.packets[0][0]
    commands = {row["command"]: row for row in run_table(program, "commands", initiator_path)}
    exact = None
    for offset, ppm in ((0, 0), (OFFSET, 0), (-OFFSET, 100)):
        there = target.write(folder / "target.pcap",
                             lambda time_ns, frame: time_ns + offset + int((time_ns - first_ns) * ppm / 1e6))
        split = split_rows(program, initiator_path, there)
        faults, held = [], 0
        done = [row for row in split if row["not_split"] is None]
        for row in done:
            command = commands[row["command"]]
            label = f"command {row['command']}"
            if sum(row[part] for part in PARTS) != row["turnaround_ns"]:
                faults.append(f"{label}: the parts are not the turnaround")
            if row["turnaround_ns"] != int(command["turnaround_ns"]):
                faults.append(f"{label}: {row['turnaround_ns']} ns, {command['turnaround_ns']} in commands")
            if min(row[part] for part in PARTS) < 0:
                faults.append(f"{label}: a part is less than nothing")
            if row["path_out_low_ns"] is None:
                continue
            for way, packet in (("out", command["request_packet"]), ("back", command["response_packet"])):
                low, high = row[f"path_{way}_low_ns"], row[f"path_{way}_high_ns"]
                if low > high:
                    faults.append(f"{label}: the path {way} is {low} to {high}")
                times = both.times(int(packet))
                # A write's data take the way of the request as well.
                if times is None or row["round_trips"] != "1" or row["initiator_ns"] != 0:
                    continue
                if row[f"recovery_{way}_ns"] != 0:
                    continue
                held += 1
                truth = (times[1] - times[0]) * (1 if way == "out" else -1)
                # Times are cut to microseconds at both ends, and the other clock runs faster meanwhile.
                slack = 2000 + row["turnaround_ns"] // 5000
                if not low - slack <= truth <= high + slack:
                    faults.append(f"{label}: {truth} ns {way}, told as {low} to {high}")
        if exact is None:
            exact = {row["command"]: row for row in done}
        else:
            for row in done:
                before = exact.get(row["command"])
                for part in PARTS if before else ():
                    if abs(row[part] - before[part]) > 2000 + row["turnaround_ns"] // 5000:
                        faults.append(f"command {row['command']}: {part} is {before[part]}, "
                                      f"{row[part]} by another clock")
        # Of connections with a few packets, which do not tell the order of the points, and of headers that a snap length cut off.
        hopeless = {row["command"] for row in split if row["not_split"] in ("order", "headers")}
        answered = [row for row in commands.values() if row["turnaround_ns"] is not None and row["command"] not in hopeless]
        if len(done) < 0.9 * len(answered):
            faults.append(f"{len(done)} of {len(answered)} split: "
                          f"{collections.Counter(row['not_split'] for row in split)}")
        if held == 0:
            faults.append("nothing was held against the packets")
        checks.check(f"{name}: {len(done)} of {len(answered)} commands split, {held} ways as the packets have them, "
                     f"clock {offset / 1e9:+.0f} s {ppm:+d} ppm", faults)
    return exact, commands


def test_known_times(checks, program):
    """Of targets that are known to take 5 ms for each command, from both ends."""
    for name in ("target-5ms", "target-5ms-deep", "command-window-1"):
        folder = SAMPLES / "budgets" / name
        taken = [row["target_ns"] for row in split_rows(program, folder / "initiator.pcap.zst", folder / "target.pcap.zst")
                 if row["target_ns"] is not None and row["name"].startswith("READ(10)")]
        median = statistics.median(taken) / 1e6
        checks.check(f"{name}: a target that takes 5 ms takes {median:.2f} ms",
                     [] if 5 <= median <= 6 or (name == "target-5ms-deep" and median >= 5) else [f"{sorted(taken)[:5]}"])
    folder = SAMPLES / "budgets/r2t-10ms"
    trips = [row for row in split_rows(program, folder / "initiator.pcap.zst", folder / "target.pcap.zst")
             if row["round_trips"] is not None and row["name"].startswith("WRITE(10)")]
    twice = sum(row["round_trips"] == "2" and row["paths_ns"] >= 20_000_000 for row in trips)
    checks.check(f"r2t-10ms: {twice} of {len(trips)} writes cross 10 ms of path, there and back, twice",
                 [] if trips and twice >= 0.95 * len(trips) else [str(trips[:2])])


def test_hidden_copies(checks, program, folder):
    """Packets that one capture lacks: what is split stays as it was, or is not split."""
    whole = SAMPLES / "budgets/rate-50mbit"
    before = {row["command"]: row for row in split_rows(program, whole / "initiator.pcap.zst", whole / "target.pcap.zst")}
    target = Capture(whole / "target.pcap.zst")
    picked = random.Random(7)
    target.packets = [packet for packet in target.packets if picked.randrange(20) != 0]
    after = split_rows(program, whole / "initiator.pcap.zst",
                       target.write(folder / "thinned.pcap", lambda time_ns, frame: time_ns))
    faults = []
    for row in after:
        if row["not_split"] is not None:
            continue
        for part in ("initiator_ns", "target_ns", "answer_ns"):
            if abs(row[part] - before[row["command"]][part]) > 2000:
                faults.append(f"command {row['command']}: {part} {row[part]}, of whole captures "
                              f"{before[row['command']][part]}")
    left = sum(row["not_split"] is None for row in after)
    if left == len(after) or left == 0:
        faults.append(f"{left} of {len(after)} are split")
    checks.check(f"of a capture that lacks packets {left} of {len(after)} commands are split, as of a whole one", faults)


def test_both_directions(checks, program, folder):
    """Hosts that are each other's targets: what each load's commands took is the same as by its own two captures, told from the
    side of its initiator."""
    loads = {"here": SAMPLES / "budgets/target-5ms", "there": SAMPLES / "budgets/r2t-10ms"}
    ends = {(load, end): Capture(path / f"{end}.pcap.zst") for load, path in loads.items() for end in ("initiator", "target")}
    first = {load: ends[load, "initiator"].packets[0][0] for load in loads}

    def moved(load, end):
        """As if both loads began at one time; those of the second between other addresses."""
        for time_ns, frame, wire in ends[load, end].packets:
            moment = time_ns - first[load] + first["here"]
            yield moment, frame if load == "here" else frame[:28] + b"\x63" + frame[29:32] + b"\x63" + frame[33:], wire

    files = {}
    for name, parts in (("left", (("here", "initiator"), ("there", "target"))), ("right", (("here", "target"), ("there", "initiator")))):
        both = ends["here", "initiator"]
        both.packets = sorted((packet for part in parts for packet in moved(*part)), key=lambda packet: packet[0])
        files[name] = both.write(folder / f"{name}.pcap", lambda time_ns, frame: time_ns)
        ends["here", "initiator"] = Capture(loads["here"] / "initiator.pcap.zst")

    def key(row):
        return row["name"], row["itt"], row["bytes"], row["round_trips"], *(row[part] for part in (*PARTS, "turnaround_ns"))

    for files_given in ((files["left"], files["right"]), (files["right"], files["left"])):
        found = split_rows(program, *files_given)
        faults = []
        for load, point in (("here", "left"), ("there", "right")):
            alone = split_rows(program, loads[load] / "initiator.pcap.zst", loads[load] / "target.pcap.zst")
            ours = [row for row in found if row["point"] == point]
            expected = collections.Counter(key(row) for row in alone if row["not_split"] is None)
            told = collections.Counter(key(row) for row in ours if row["not_split"] is None)
            if told != expected or not expected:
                faults.append(f"{load}: {sum(told.values())} split, {sum(expected.values())} by its own captures; "
                              f"{list((told - expected).elements())[:2]}, {list((expected - told).elements())[:2]}")
            for row in ours:
                for way in ("out", "back"):
                    low, high = row[f"path_{way}_low_ns"], row[f"path_{way}_high_ns"]
                    if low is not None and not 0 <= low <= high <= row["paths_ns"]:
                        faults.append(f"command {row['command']}: the path {way} is {low} to {high}")
        checks.check(f"two loads the other way round to each other: {len(found)} commands told from their own initiators", faults)


def acknowledged(program, capture, sender, receiver):
    """The congestion window and state after each acknowledgement of new data, and since when, as `windows` has them."""
    found, highest = {}, None
    for row in run_table(program, "windows", capture):
        una = int(row["snd_una"])
        if (row["sender"], row["receiver"]) != (sender, receiver) or highest is not None and (una - highest) % 2**32 > 2**31:
            continue
        highest = una
        began = found[una][0] if una in found else int(row["time_ns"])
        found[una] = began, row["cwnd"] and int(row["cwnd"]), row["ca_state"]
    return found


def test_senders(checks, program, name, initiator, target):
    """What is told of both replays of each sender, by the tables of both captures."""
    faults, compared = [], 0
    ends = {row["connection"]: {row["initiator"], row["target"]} for row in rows(program, "points", initiator, target)}
    for row in rows(program, "point_senders", initiator, target):
        receiver, = ends[row["connection"]] - {row["sender"]}
        captures = (initiator, target) if row["own_point"] in initiator.name else (target, initiator)
        own, far = (acknowledged(program, capture, row["sender"], receiver) for capture in captures)
        both = [una for una in own if una in far]
        errors = [int((far[una][1] - own[una][1]) * 1000 / own[una][1]) for una in both if own[una][1] and far[una][1]]
        label = f"{row['sender']} at {row['own_point']}"
        if len(errors) != int(row["acknowledgements"]):
            faults.append(f"{label}: {row['acknowledgements']} acknowledgements, {len(errors)} in windows")
        if errors and abs(sorted(errors)[int((len(errors) - 1) * 0.5)] - int(row["cwnd_error_p50_permille"])) > 1:
            faults.append(f"{label}: median {row['cwnd_error_p50_permille']}, {statistics.median(errors)} by windows")
        if errors and abs(sorted(map(abs, errors))[int((len(errors) - 1) * 0.9)] - int(row["cwnd_error_p90_permille"])) > 1:
            faults.append(f"{label}: 9 of 10 within {row['cwnd_error_p90_permille']}")
        order = list(own)
        spans = [(una, own[later][0] - own[una][0]) for una, later in zip(order, order[1:]) if una in far]
        whole = sum(span for _, span in spans)
        if whole > 0:
            same = sum(span for una, span in spans if own[una][2] == far[una][2]) * 1000 / whole
            if abs(same - int(row["ca_state_agreed_permille"])) > 1.5:
                faults.append(f"{label}: states agree {row['ca_state_agreed_permille']} permille, {same:.1f} by windows")
        for column, capture in (("retransmissions", captures[0]), ("retransmissions_far", captures[1])):
            again = sum(loss["kind"] in ("fast_retransmit", "rto", "tlp", "spurious") and (loss["sender"], loss["receiver"]) == (row["sender"], receiver)
                        for loss in run_table(program, "losses", capture))
            if again != int(row[column]):
                faults.append(f"{label}: {column} {row[column]}, {again} in losses")
        compared += len(errors)
    if compared == 0:
        faults.append("nothing was compared")
    checks.check(f"{name}: senders from both ends at {compared} acknowledgements, as both captures' windows have them", faults)


def estimate_errors(exact, commands):
    """Time budgets by the initiator's capture against the split, each as a share of the command's time: what they say of the path,
    losses on it included, and, of answers that nothing stood before, of the target, less what was measured. Waits for R2Ts
    hold both, and are left out."""
    path, target = [], []
    for number, row in exact.items():
        command = commands[number]
        parts = {key[7:-3]: int(value) for key, value in command.items() if key.startswith("budget_") and value is not None}
        if not parts or row["turnaround_ns"] == 0 or parts["unknown"] > 0 or parts["r2t_wait"] > 0:
            continue
        whole = row["turnaround_ns"]
        path.append((sum(parts[part] for part in ("request_path", "return_path", "recovery", "timeout")) - row["paths_ns"]) / whole)
        if row["behind_others_ns"] == 0 and parts["behind_others"] == 0:
            target.append((parts["target"] - row["target_ns"]) / whole)
    return path, target


def figures(errors):
    size = sorted(abs(error) for error in errors)
    return (statistics.median(size), size[int(len(size) * 0.9)], statistics.mean(errors)) if size else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", default=DEFAULT_SANSCOPE, type=pathlib.Path)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    if reason := missing_program(options.sanscope):
        sys.exit(reason)
    checks = Checks()
    pairs = list(more_pairs())
    for truth in sorted((options.folder / "truth").glob("*/target.pcap*")) if options.folder else []:
        pairs.append((f"truth/{truth.parent.name}", truth.parent / "initiator.pcap.zst", truth))
    table = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for pair in pairs:
            exact, commands = test_split(checks, options.sanscope, *pair, folder)
            table.append((pair[0], len(exact), *map(figures, estimate_errors(exact, commands))))
        test_hidden_copies(checks, options.sanscope, folder)
        test_both_directions(checks, options.sanscope, folder)
    test_known_times(checks, options.sanscope)
    for name, *ends in (*list(sample_pairs())[:7], *pairs[16:]):
        test_senders(checks, options.sanscope, name, *ends)
    print("\nTime budgets of the initiator's capture alone, error as a share of the command's time: median, 90 %, mean with its sign")
    print(f"{'':<36} {'commands':>8}  {'the path':<28} the target")
    words = lambda found: "-" if found is None else "{:.1%}, {:.1%}, {:+.1%}".format(*found)
    for load, count, path, target in table:
        print(f"{load:<36} {count:>8}  {words(path):<28} {words(target)}")
    whole = [path[0] for _, _, path, _ in table if path]
    checks.check(f"budgets tell the path's share to {statistics.median(whole):.1%} in half of the loads",
                 [] if whole and statistics.median(whole) <= 0.1 else ["docs/points.md says so"])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

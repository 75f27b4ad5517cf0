# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what the analyser finds in a recording of a load is what the load's own log says."""

import bisect
import csv

from load_bench import unless


def logged(path):
    with open(path, newline="") as rows:
        return list(csv.DictReader(rows))


def most_at_once(log):
    """How many commands were under way at once at most, by their log."""
    begun = sorted(int(row["send_ns"]) for row in log)
    done = sorted(int(row["done_ns"]) for row in log)
    return max((number + 1 - bisect.bisect_right(done, moment) for number, moment in enumerate(begun)), default=0)


def agreement_faults(recording, log, run, before=1):
    """What differs between the commands of a recording and those of the log of `run`. The first `before` connections
    that were recorded are not the load's: they only look at the LUN."""
    by_connection, by_log = {}, {}
    for row in recording.table("commands"):
        # What has no block asks whether the LUN is ready.
        if int(row["connection"]) > before and (row["lba"] or not row["name"]):
            by_connection.setdefault(row["connection"], []).append(row)
    for row in log:
        by_log.setdefault((row["session"], row["connection"]), []).append(row)

    def captured(row):
        direction = (row["name"] or "").partition("(")[0].lower()
        return row["itt"], row["lba"] or "", row["bytes"] or "", direction, row["status"] or "", row["outcome"]

    def told(row):
        return row["itt"], row["lba"], row["bytes"], row["direction"], row["status"], "completed"

    # Which connection is which is told by nothing but their commands.
    left = {name: sorted(by_log[name], key=lambda row: (row["itt"], int(row["send_ns"]))) for name in by_log}
    faults, longer = [], []
    for name, rows in by_connection.items():
        rows.sort(key=lambda row: (row["itt"], int(row["request_ns"] or 0)))
        match = next((key for key, ours in left.items() if [told(row) for row in ours] == [captured(row) for row in rows]), None)
        if match is None:
            nearest = max(left.values(), key=lambda ours: len({told(row) for row in ours} & {captured(row) for row in rows}), default=[])
            only_captured = {captured(row) for row in rows} - {told(row) for row in nearest}
            only_told = {told(row) for row in nearest} - {captured(row) for row in rows}
            faults += [f"connection {name}: {len(rows)} captured, {len(nearest)} told", *map(str, sorted(only_captured)[:5]),
                       "but", *map(str, sorted(only_told)[:5])]
            continue
        for ours, row in zip(left.pop(match), rows):
            difference = int(ours["done_ns"]) - int(ours["send_ns"]) - int(row["turnaround_ns"])
            if difference < 0:
                longer.append(f"{row['itt']}: {row['turnaround_ns']} ns captured, {-difference} ns more than told")
    return faults + [f"no capture of {name}" for name in left] + longer + unless(some=(len(log) > 0, "nothing was told"),
        depth=(run.account and most_at_once(log) <= run.account["queue_depth"], f"{most_at_once(log)} under way at once"))


def dissector_faults(recording, commands):
    """What Wireshark's dissector says against a recording; `commands`: how many SCSI commands it is to find at
    least."""
    wrong = recording.dissected("_ws.malformed || _ws.expert.severity == 8388608", "frame.number", "_ws.expert.message")
    opcodes = ",".join(recording.dissected("iscsi.opcode == 0x01", "iscsi.opcode")).split(",")
    count = sum(int(opcode, 0) == 1 for opcode in opcodes if opcode)
    return wrong[:10] + unless(commands=(count >= commands, f"{count} of {commands}"))

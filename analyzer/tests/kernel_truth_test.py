#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kernel told, in the sample that carries it: what its tables must have to do with each other, with the packets
and with what is inferred; and that Wireshark reads the file, numbering all packets as sanscope does."""

import argparse
import pathlib
import shutil
import subprocess
import sys

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, table

SAMPLE = SAMPLES / "kernel-truth-target.pcapng.zst"
TABLES = ("connections", "windows", "ca_transitions", "kernel_windows", "kernel_ca_transitions")
SEQUENCE_SPACE = 1 << 32


def rows_are_of_the_target_in_order_of_time(tables):
    for name in ("kernel_windows", "kernel_ca_transitions"):
        times = [int(row["time_ns"]) for row in tables[name]]
        if not times:
            yield f"{name} has no rows"
        if times != sorted(times):
            yield f"{name} is not in order of time"
        for row in tables[name]:
            connection = tables["connections"][int(row["connection"]) - 1]
            if (row["sender"], row["receiver"]) != (connection["target"], connection["initiator"]):
                yield f"{name}: {row}"


def windows_are_whole_segments(tables):
    segment = 1448
    for row in tables["kernel_windows"]:
        if not row["cwnd"] or int(row["cwnd"]) % segment or (row["ssthresh"] and int(row["ssthresh"]) % segment):
            yield f"{row}"
        if not row["cwnd"] or row["cwnd_low"] or row["cwnd_high"] or row["limit"]:
            yield f"{row}"
        if int(row["in_flight"]) != (int(row["snd_nxt"]) - int(row["snd_una"])) % SEQUENCE_SPACE:
            yield f"{row}"


def each_row_names_the_packet_whose_ack_is_not_yet_taken_in(tables):
    """Our own row of that packet is what the kernel holds once it has."""
    own = {row["packet"]: row for row in tables["windows"] if row["sender"] == tables["kernel_windows"][0]["sender"]}
    rows = tables["kernel_windows"]
    compared = 0
    for row, after in zip(rows, rows[1:]):
        if row["packet"] not in own:
            continue
        compared += 1
        if own[row["packet"]]["snd_una"] != after["snd_una"]:
            yield f"packet {row['packet']}: {after['snd_una']}, inferred {own[row['packet']]['snd_una']}"
    if compared < len(rows) / 2:
        yield f"only {compared} of {len(rows)} rows have one of ours"


def transitions_follow_each_other_and_windows_are_in_their_state(tables):
    transitions = tables["kernel_ca_transitions"]
    for before, after in zip(transitions, transitions[1:]):
        if after["from"] != before["to"]:
            yield f"{after} after {before}"
    pending, state = list(transitions), None
    for row in tables["kernel_windows"]:
        while pending and int(pending[0]["time_ns"]) < int(row["time_ns"]):
            state = pending.pop(0)["to"]
        if row["ca_state"] != state:
            yield f"{row} in {state}"


def what_is_inferred_is_what_the_kernel_told(tables):
    inferred = [(row["packet"], row["from"], row["to"]) for row in tables["ca_transitions"]]
    told = [(row["packet"], row["from"], row["to"]) for row in tables["kernel_ca_transitions"] if row["from"]]
    if inferred != told:
        yield f"told {told}, inferred {inferred}"


CHECKS = (rows_are_of_the_target_in_order_of_time, windows_are_whole_segments,
          each_row_names_the_packet_whose_ack_is_not_yet_taken_in,
          transitions_follow_each_other_and_windows_are_in_their_state, what_is_inferred_is_what_the_kernel_told)


def tshark_differs(tables):
    run = subprocess.run(["tshark", "-r", SAMPLE, "-o", "tcp.relative_sequence_numbers:FALSE", "-T", "fields", "-e",
                          "frame.number", "-e", "tcp.dstport", "-e", "tcp.ack"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        return [f"tshark ended with {run.returncode}: {run.stderr.strip()}"]
    packets = {number: (port, ack) for number, port, ack in (line.split("\t") for line in run.stdout.splitlines())}
    of_tcp = [number for number, (port, _) in packets.items() if port]
    connection = tables["connections"][0]
    faults = []
    if int(connection["packets_out"]) + int(connection["packets_in"]) != len(of_tcp):
        faults.append(f"{connection}, tshark has {len(of_tcp)} packets")
    if (connection["first_packet"], connection["last_packet"]) != (of_tcp[0], of_tcp[-1]):
        faults.append(f"{connection}, tshark: {of_tcp[0]} to {of_tcp[-1]}")
    rows = tables["kernel_windows"]
    for row, after in zip(rows, rows[1:]):
        if packets[row["packet"]] != ("3260", after["snd_una"]):
            faults.append(f"{row}, tshark: {packets[row['packet']]}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    tables = {name: table(arguments.sanscope, name, SAMPLE) for name in TABLES}
    for check in CHECKS:
        checks.check(check.__name__.replace("_", " "), list(check(tables))[:5])
    if shutil.which("tshark"):
        checks.check("tshark sees the same packets and acknowledgements", tshark_differs(tables))
    else:
        checks.skip("tshark sees the same packets and acknowledgements", "tshark is not installed")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `windows`, `ca_transitions`, `losses` and `connections` of every sample must have to do with each other,
whatever the senders did: each rule is one that a reader of the tables relies on."""

import argparse
import collections
import pathlib
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, TableError, missing_program, number, read_pcap, table, write_pcap

SENT_AGAIN = {"fast_retransmit", "rto", "tlp", "spurious"}
TABLES = ("connections", "windows", "ca_transitions", "losses")


def by_sender(rows):
    senders = collections.defaultdict(list)
    for row in rows:
        senders[row["connection"], row["sender"]].append(row)
    return senders


def shown(row):
    return ", ".join(f"{name} {value}" for name, value in row.items() if value is not None)


def ends_are_those_of_the_connection(tables):
    ends = {row["connection"]: {row["initiator"], row["target"]} for row in tables["connections"]}
    for name in TABLES[1:]:
        for row in tables[name]:
            if {row["sender"], row["receiver"]} != ends[row["connection"]]:
                yield f"{name}: {shown(row)}"


def packets_lie_within_the_connection(tables):
    spans = {row["connection"]: (number(row["first_packet"]), number(row["last_packet"]))
             for row in tables["connections"]}
    for name in TABLES[1:]:
        for row in tables[name]:
            first, last = spans[row["connection"]]
            if row["packet"] is not None and not first <= number(row["packet"]) <= last:
                yield f"{name}: {shown(row)}"


def rows_of_a_sender_are_in_order_of_time(tables):
    for name in TABLES[1:3]:
        for rows in by_sender(tables[name]).values():
            for before, row in zip(rows, rows[1:]):
                if number(row["time_ns"]) < number(before["time_ns"]):
                    yield f"{name}: {shown(row)}"


def the_interval_holds_the_estimate(tables):
    for row in tables["windows"]:
        low, cwnd, high = (number(row[name]) for name in ("cwnd_low", "cwnd", "cwnd_high"))
        if [low, cwnd, high].count(None) not in (0, 3):
            yield f"only some known: {shown(row)}"
        elif cwnd is not None and not 0 < low <= cwnd <= high:
            yield shown(row)


def nothing_is_in_flight_that_was_not_sent(tables):
    for row in tables["windows"]:
        outstanding = (number(row["snd_nxt"]) - number(row["snd_una"])) & 0xffffffff
        if outstanding >= 1 << 31 or number(row["in_flight"]) > outstanding:
            yield shown(row)


def every_transition_begins_where_the_last_one_ended(tables):
    for rows in by_sender(tables["ca_transitions"]).values():
        state = "Open"
        for row in rows:
            if row["from"] != state or row["to"] == state:
                yield shown(row)
            state = row["to"]


def windows_are_in_the_state_of_the_last_transition(tables):
    transitions = by_sender(tables["ca_transitions"])
    for sender, rows in by_sender(tables["windows"]).items():
        changes = transitions.get(sender, [])
        at_packet = collections.defaultdict(list)
        for change in changes:
            at_packet[change["packet"]].append(change["to"])
        state = "Open"
        for row in rows:
            possible = {state, *at_packet.get(row["packet"], [])}
            if row["ca_state"] not in possible:
                yield shown(row)
            state = row["ca_state"]


def what_is_sent_again_was_sent_before(tables):
    for row in tables["losses"]:
        original, packet, delay = (number(row[name]) for name in ("original_packet", "packet", "delay_ns"))
        if original is not None and original >= packet:
            yield shown(row)
        elif delay is not None and delay < 0:
            yield shown(row)
        # What was overtaken was sent but once.
        elif delay is not None and original is None and row["kind"] != "out_of_order":
            yield shown(row)


def retransmissions_of_a_connection_are_its_rows_of_losses(tables):
    """A row is a packet, the columns count segments: with segmentation offload a packet is several."""
    rows = collections.defaultdict(list)
    spurious = collections.defaultdict(list)
    for row in tables["losses"]:
        if row["kind"] in SENT_AGAIN:
            rows[row["connection"], row["sender"]].append(number(row["length"]))
        if row["kind"] == "spurious":
            spurious[row["connection"], row["sender"]].append(number(row["length"]))
    timestamps_option = 12
    for row in tables["connections"]:
        mss = number(row["mss"])
        for way in ("out", "in"):
            both = number(row[f"retransmissions_needed_{way}"]) + number(row[f"retransmissions_spurious_{way}"])
            if both != number(row[f"retransmissions_{way}"]):
                yield f"connection {row['connection']}: {both} needed and spurious of {row[f'retransmissions_{way}']}"
        for end, column, of in (("initiator", "retransmissions_out", rows), ("target", "retransmissions_in", rows),
                                ("initiator", "retransmissions_spurious_out", spurious),
                                ("target", "retransmissions_spurious_in", spurious)):
            lengths = of[row["connection"], row[end]]
            least, most = (sum(max(1, -(-length // size)) if mss is not None else 1 for length in lengths)
                           for size in (mss, (mss or 0) - timestamps_option))
            if not least <= number(row[column]) <= most:
                yield f"connection {row['connection']}: {column} {row[column]}, but {least} to {most} in losses"


RULES = (ends_are_those_of_the_connection, packets_lie_within_the_connection, rows_of_a_sender_are_in_order_of_time,
         the_interval_holds_the_estimate, nothing_is_in_flight_that_was_not_sent,
         every_transition_begins_where_the_last_one_ended, windows_are_in_the_state_of_the_last_transition,
         what_is_sent_again_was_sent_before, retransmissions_of_a_connection_are_its_rows_of_losses)


# Reads: of what the initiator sends, requests of 48 bytes, nothing shows that packets are missing.
OF_READS = ("sent-again-reordering-at-initiator", "sent-again-reordering-at-target", "sent-again-loss-ipv6-at-initiator",
            "sent-again-loss-ipv6-at-target")


def windows_behind_a_gap(sanscope, capture, edited):
    """What is told of the first initiator's window before and behind a fifth of the capture that is taken out."""
    header, scale, packets = read_pcap(capture)
    first, last = packets[0][0], packets[-1][0]
    begin, end = (first + (last - first) * tenths // 10 for tenths in (3, 5))
    write_pcap(edited, header, scale, [packet for packet in packets if not begin <= packet[0] < end])
    connection = table(sanscope, "connections", edited)[0]
    rows = [row for row in table(sanscope, "windows", edited) if row["sender"] == connection["initiator"]]
    for before, wanted in ((True, 0.9), (False, 0.1)):
        of_part = [row["cwnd"] is not None for row in rows if (number(row["time_ns"]) < begin) == before]
        share = sum(of_part) / len(of_part) if len(of_part) >= 20 else None
        if share is None or (share < wanted if before else share > wanted):
            yield f"{'before' if before else 'behind'} it the window is told in {sum(of_part)} of {len(of_part)} rows"


def check_gaps(checks, sanscope):
    with tempfile.TemporaryDirectory() as folder:
        for name in OF_READS:
            checks.check(f"{name}: a gap that only the target's data show makes the initiator's window unknown",
                         list(windows_behind_a_gap(sanscope, SAMPLES / f"{name}.pcap.zst", pathlib.Path(folder) / "edited.pcap")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=pathlib.Path, help="these rather than the samples")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    captures = arguments.captures or sorted(path for path in SAMPLES.iterdir() if ".pcap" in path.name)
    for capture in captures:
        try:
            tables = {name: table(arguments.sanscope.resolve(), name, capture, statuses=(0, 3)) for name in TABLES}
        except TableError as error:
            checks.fail(capture.name, [str(error)])
            continue
        for rule in RULES:
            checks.check(f"{capture.name}: {rule.__name__.replace('_', ' ')}", list(rule(tables)))
    if not arguments.captures:
        check_gaps(checks, arguments.sanscope.resolve())
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the pictures of the pages of findings: of each kind that a sample capture has, the view that shows it best, where a
click on the finding leads to. Needs sanscope-gui, and pngquant, which makes them a third as large.

  docs/findings/make_pictures.py                 all of them
  docs/findings/make_pictures.py lost_segments   some"""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))
from rendered_picture import MOST_BYTES, draw, need_pngquant  # noqa: E402,F401

SAMPLES = ROOT / "captures" / "samples"
PICTURES = ROOT / "docs" / "findings" / "pictures"
SIZE = "1000x500"

# Not a place, but all of the capture.
WHOLE = "whole"

# kind: sample, view, and, where the finding has no place of its own, what stretch is drawn.
SHOWN = {
    "error_recovery": ("faults/error-ladder/initiator.pcap.zst", "layers"),
    "unanswered_commands": ("killed-initiator.pcap.zst", "layers"),
    "aborted_commands": ("task-management.pcap.zst", "ladder"),
    "command_status": ("faults/medium-errors/initiator.pcap.zst", "ladder"),
    "target_queue_full": ("faults/busy/initiator.pcap.zst", "layers"),
    "task_management": ("task-management.pcap.zst", "ladder"),
    "session_reconnect": ("faults/target-resets/initiator.pcap.zst", "layers"),
    "login_refused": ("faults/no-such-target/initiator.pcap.zst", "ladder"),
    "connection_refused": ("faults/duplicate-address/initiator.pcap.zst", "packets"),
    "duplicate_address": ("faults/duplicate-address/initiator.pcap.zst", "findings"),
    "ping_timeout": ("faults/ping-timeout/initiator.pcap.zst", "layers"),
    "connection_reset": ("faults/target-resets/initiator.pcap.zst", "layers"),
    "mtu_black_hole": ("faults/mtu-hole/target.pcap.zst", "ladder"),
    "retransmission_timeout": ("faults/lost-ack/target.pcap.zst", "ladder"),
    "lost_segments": ("loss-mixed-initiator.pcap.zst", "time-sequence"),
    "needless_retransmission": ("sent-again-cable-reads-64k-at-initiator.pcap.zst", "time-sequence"),
    "reordering": ("reordered.pcap.zst", "ladder"),
    "zero_window_stall": ("budgets/closed-window/initiator.pcap.zst", "windows"),
    "receiver_window": ("budgets/closed-window/initiator.pcap.zst", "time-sequence"),
    "congestion_window": ("budgets/single-loss/target.pcap.zst", "windows"),
    "pacing": ("sent-again-loss-ipv6-at-initiator.pcap.zst", "windows"),
    "path_queue": ("budgets/rate-50mbit/target.pcap.zst", "time-sequence"),
    "slow_commands": ("faults/stalling-unmap/initiator.pcap.zst", "turnaround", WHOLE),
    "slow_command": ("in-order-reads-16k-qd16.pcap.zst", "layers"),
    "shallow_queue": ("budgets/r2t-10ms/initiator.pcap.zst", "layers", "--from", "300ms", "--to", "380ms"),
    "split_requests": ("budgets/single-loss/initiator.pcap.zst", "layers"),
    "r2t_waits": ("budgets/r2t-10ms/initiator.pcap.zst", "ladder", "--from", "1.5", "--to", "1.55"),
    "command_window": ("budgets/command-window-1/initiator.pcap.zst", "layers"),
    "target_wait": ("budgets/target-5ms/initiator.pcap.zst", "ladder"),
    "stalling_command": ("faults/stalling-unmap/initiator.pcap.zst", "layers"),
    "head_of_line": ("faults/head-of-line/initiator.pcap.zst", "layers"),
    "negotiation": ("writes-immediate-unsolicited.pcap.gz", "findings"),
    "capture_damaged": ("cut-off.pcap", "findings"),
    "not_captured": ("sniffer-drops.pcap.zst", "ladder"),
    "captured_twice": ("mirrored-twice.pcapng.zst", "ladder"),
    "snap_length": ("snap128-reads-64k-qd32.pcap.zst", "findings"),
    "capture_issue": ("faults/busy/initiator.pcap.zst", "findings"),
    "vantage": ("budgets/target-5ms/initiator.pcap.zst", "findings"),
    "offload": ("super-packets.pcap.zst", "packets"),
    "kernel_truth": ("kernel-truth-target.pcapng.zst", "windows"),
    "under_way_at_end": ("in-order-reads-16k-qd16.pcap.zst", "layers"),
    "nothing_wrong": ("faults/healthy-paced/initiator.pcap.zst", "findings"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("KIND", nargs="*", help="only these")
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/sanscope-gui"))
    parser.add_argument("--view", help="another view, to look at")
    parser.add_argument("--into", type=pathlib.Path, default=PICTURES, help="another folder, to look at")
    arguments = parser.parse_args()
    need_pngquant()
    if unknown := sorted(set(arguments.KIND) - set(SHOWN)):
        sys.exit(f"no sample is listed for {', '.join(unknown)}")
    arguments.into.mkdir(parents=True, exist_ok=True)
    for kind, (sample, view, *extra) in SHOWN.items():
        if arguments.KIND and kind not in arguments.KIND:
            continue
        place = [] if WHOLE in extra else ["--finding", kind, *extra]
        draw(arguments.program, SAMPLES / sample, arguments.view or view, arguments.into / f"{kind}.png", SIZE, place=place)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the sample captures against what the application that issued them logged."""

import argparse
import csv
import pathlib
import sys

import application_log
from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, TableError, missing_program, table

# The capture, its log, and what of the run it holds: all of it, all but headers beyond the snap length, or a part.
CAPTURES = [
    ("loss-mixed-initiator.pcap.zst", "loss-mixed.commands.csv", "whole"),
    ("loss-mixed-target.pcap.zst", "loss-mixed.commands.csv", "whole"),
    ("snap128-reads-64k-qd32.pcap.zst", "snap128-reads-64k-qd32.commands.csv", "cut short"),
    ("mid-connection.pcap.zst", "mid-connection.commands.csv", "part"),
]


def read_log(path):
    with open(path, newline="") as file:
        return [application_log.LoggedCommand(int(row["submit_ns"]), int(row["done_ns"]), int(row["port"]),
                                              int(row["itt"]), int(row["bytes"]), int(row["lba"]),
                                              row["operation"] == "write", int(row["status"]))
                for row in csv.DictReader(file)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    for capture, log_name, holds in CAPTURES:
        try:
            connections = table(arguments.sanscope, "connections", SAMPLES / capture)
            commands = table(arguments.sanscope, "commands", SAMPLES / capture)
        except TableError as error:
            checks.fail(capture, [str(error)])
            continue
        log = read_log(SAMPLES / log_name)
        if holds == "part":
            start, end = (int(connections[0][key]) for key in ("start_ns", "end_ns"))
            log = [logged for logged in log if start <= logged.submit_ns and logged.done_ns <= end]
        application_log.compare(checks, capture, log, connections, commands, cut_short=holds == "cut short")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

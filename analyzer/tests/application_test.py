#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the sample captures against what the application that issued them logged."""

import argparse
import csv
import pathlib
import sys

import application_log
from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, TableError, missing_program, table

# The capture, its log, and whether its snap length left headers out.
CAPTURES = [
    ("loss-mixed-initiator.pcap.zst", "loss-mixed.commands.csv", False),
    ("loss-mixed-target.pcap.zst", "loss-mixed.commands.csv", False),
    ("snap128-reads-64k-qd32.pcap.zst", "snap128-reads-64k-qd32.commands.csv", True),
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
    for capture, log, cut_short in CAPTURES:
        try:
            connections = table(arguments.sanscope, "connections", SAMPLES / capture)
            commands = table(arguments.sanscope, "commands", SAMPLES / capture)
        except TableError as error:
            checks.fail(capture, [str(error)])
            continue
        application_log.compare(checks, capture, read_log(SAMPLES / log), connections, commands, cut_short)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proof on captures that are not part of the project: those made by others with reference tables, those recorded with
what the application saw, and those that break readers. They are looked for in $SANSCOPE_SHARED, or in a folder `shared`
beside the checkout; where there is none, all of this is skipped."""

import argparse
import collections
import csv
import decimal
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zlib

import application_log
from harness import (DEFAULT_SANSCOPE, ROOT, STATUS_NAMES, Checks, TableError, missing_program, number, run_measured,
                     run_sanscope, table)

# ---- Captures made by others, with reference tables

OSD = "scsi-osd-example-001"
WITH_REFERENCE = {f"{OSD}.pcap": OSD, "elatov_iscsi_login.pcap": "elatov_iscsi_login",
                  "LIO-Target-Open-iSCSI-initiator-1.pcapng": "LIO-Target-Open-iSCSI-initiator-1"}
# Variants of the first in which nothing is missing, and those in which something is.
WHOLE_VARIANTS = ["osd.pcapng", "osd.pcap.zst", "osd-bigendian.pcap", "osd-sll2.pcap", "osd-vlan100.pcap",
                  "osd-vxlan.pcap", "osd-reordered.pcap"]
LACKING_VARIANTS = {"osd-nologin.pcap": OSD, "osd-loss10.pcap": OSD, "osd-snap128.pcap": OSD,
                    "elatov-midstart.pcap": "elatov_iscsi_login"}
CUT_VARIANTS = ["osd-truncated-tail.pcap", "osd-gz-truncated.pcap.gz"]


def read_csv(path):
    with open(path, newline="") as file:
        return [{key: value or None for key, value in row.items()} for row in csv.DictReader(file)]


def reference_rows(folder, name, kind):
    path = folder / "reference" / f"{name}.gap_{kind}.csv"
    return read_csv(path) if path.exists() else []


def reference_pdus(folder, name):
    return collections.Counter(
        (row["conn"], number(row["opcode"]), number(row["itt"]), number(row["first_frame"]), number(row["last_frame"]),
         number(row["t_last"]), number(row["dsl"])) for row in reference_rows(folder, name, "pdus"))


def reference_commands(folder, name):
    return collections.Counter(
        (row["conn"], number(row["itt"]), number(row["req_frame"]), number(row["resp_frame"]), number(row["latency_ns"]),
         None if row["status"] is None else STATUS_NAMES[int(row["status"])])
        for row in reference_rows(folder, name, "commands"))


class Tables:
    """The tables of one capture, in the form of the references."""

    def __init__(self, program, capture, statuses=(0,)):
        read = {name: table(program, name, capture, statuses) for name in ("connections", "pdus", "commands")}
        pair = {row["connection"]: f"{row['initiator']}>{row['target']}" for row in read["connections"]}
        self.pdu_rows = read["pdus"]
        self.pdus = collections.Counter(
            (pair[row["connection"]], number(row["opcode"]), number(row["itt"]), number(row["first_packet"]),
             number(row["last_packet"]), number(row["time_ns"]), number(row["data_length"])) for row in read["pdus"])
        self.commands = collections.Counter(
            (pair[row["connection"]], number(row["itt"]), number(row["request_packet"]), number(row["response_packet"]),
             number(row["turnaround_ns"]), row["status"]) for row in read["commands"])

    def digests(self, kind):
        return collections.Counter(row[kind] for row in self.pdu_rows)


def unlike(found, expected):
    return ([f"missing: {row}" for row in sorted((expected - found).elements(), key=str)] +
            [f"not in the reference: {row}" for row in sorted((found - expected).elements(), key=str)])


def said_of_itself(pdus):
    """Without packet numbers and times, which are others where packets are missing."""
    return collections.Counter((conn, opcode, itt, length) for conn, opcode, itt, _, _, _, length in pdus.elements())


def complete_packets(path):
    """How many whole packets a plain or gzip-compressed pcap that was cut off still holds."""
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = zlib.decompressobj(wbits=31).decompress(data)
    order = "little" if data[0] in (0xD4, 0x4D) else "big"
    at, count = 24, 0
    while at + 16 <= len(data):
        at += 16 + int.from_bytes(data[at + 8:at + 12], order)
        count += at <= len(data)
    return count


def prove_foreign(checks, program, folder):
    for capture, name in WITH_REFERENCE.items():
        try:
            tables = Tables(program, folder / capture)
        except TableError as error:
            checks.fail(capture, [str(error)])
            continue
        pdus, commands = reference_pdus(folder, name), reference_commands(folder, name)
        checks.check(f"{capture}: the {pdus.total()} PDUs of the reference", unlike(tables.pdus, pdus))
        checks.check(f"{capture}: the {commands.total()} commands of the reference", unlike(tables.commands, commands))

    for capture in [f"{OSD}.pcap", *(f"variants/{variant}" for variant in WHOLE_VARIANTS)]:
        try:
            tables = Tables(program, folder / capture)
        except TableError as error:
            checks.fail(capture, [str(error)])
            continue
        header, data = tables.digests("header_digest"), tables.digests("data_digest")
        found = (tables.pdus.total(), tables.commands.total(), header["ok"], data["ok"], header["bad"] + data["bad"])
        expected = (159, 41, 147, 45, 0)
        checks.check(f"{capture}: 159 PDUs, 41 commands, 147 good header digests, 45 good data digests, none bad",
                     [] if found == expected else [f"found {found}"])

    for variant, name in LACKING_VARIANTS.items():
        capture = f"variants/{variant}"
        try:
            tables = Tables(program, folder / capture)
        except TableError as error:
            checks.fail(capture, [str(error)])
            continue
        invented = said_of_itself(tables.pdus) - said_of_itself(reference_pdus(folder, name))
        checks.check(f"{capture}: no PDU that the whole capture does not have",
                     [str(row) for row in sorted(invented.elements(), key=str)])
        bad = tables.digests("header_digest")["bad"] + tables.digests("data_digest")["bad"]
        checks.check(f"{capture}: no digest called bad", [f"{bad} bad"] if bad else [])

    for variant in CUT_VARIANTS:
        capture = f"variants/{variant}"
        try:
            tables = Tables(program, folder / capture, statuses=(3,))
        except TableError as error:
            checks.fail(capture, [str(error)])
            continue
        packets = complete_packets(folder / capture)
        before = collections.Counter({row: count for row, count in reference_pdus(folder, OSD).items()
                                      if row[4] is not None and row[4] <= packets})
        found = collections.Counter({row: count for row, count in tables.pdus.items() if row[4] is not None})
        checks.check(f"{capture}: every PDU of the {packets} packets before the damage, and exit status 3",
                     unlike(found, before))


# ---- Captures recorded with what the application saw

def read_log(path):
    text = subprocess.run(["zstd", "-dcq", path], check=True, capture_output=True, text=True).stdout
    ns = lambda seconds: int(decimal.Decimal(seconds) * 1_000_000_000)
    return [application_log.LoggedCommand(ns(row["t_submit"]), ns(row["t_done"]), int(row["sport"]), int(row["itt"]),
                                          int(row["bytes"]), int(row["lba"]), row["op"] == "w", int(row["status"]))
            for row in csv.DictReader(io.StringIO(text))]


def prove_application(checks, program, folder):
    for run in sorted(folder.glob("full-*")):
        if shutil.which("zstd") is None:
            checks.skip(run.name, "its log needs the program zstd")
            continue
        log = read_log(run / "commands.csv.zst")
        for side in ("initiator", "target"):
            capture = run / f"{side}.pcap.zst"
            label = f"{run.name}/{side}"
            try:
                connections, commands = (table(program, name, capture) for name in ("connections", "commands"))
            except TableError as error:
                checks.fail(label, [str(error)])
                continue
            application_log.compare(checks, label, log, connections, commands)


# ---- Captures that break readers

# The exit statuses that are right where that is not 0, and why.
TORTURE_STATUS = {
    "drv-text-not-a-capture.pcap": ({1}, "text"),
    "enc-ip6-exthdr-frag.pcapng": ({1}, "a web page in spite of its name"),
    "fmt-badversion2.pcap": ({0, 1}, "pcap version 2.5 never was: libpcap refuses it, Wireshark reads it"),
    "drv-cut-in-record-header.pcap": ({1, 3}, "a good file header and nothing whole after it"),
    "drv-caplen-2GiB.pcap": ({1, 3}, "a good file header, then a record of 2 GiB"),
    "fmt-badblock-test007.pcapng": ({0, 1, 3}, "its only packet's block has a length that is no multiple of 4, "
                                               "which readers may forgive"),
    "fmt-fuzz-suricata.pcap": ({3}, "a record longer than the file after two packets"),
}
TORTURE_BYTES = 256 << 20
TORTURE_SECONDS = 30


def prove_torture(checks, program, folder):
    for capture in sorted(path for path in folder.iterdir() if path.suffix != ".md"):
        right, reason = TORTURE_STATUS.get(capture.name, ({0}, "whole"))
        for command in (["report"], ["table", "pdus"]):
            run = run_measured(program, [*command, capture], TORTURE_SECONDS)
            faults = []
            if run.status not in right:
                faults.append(f"expected exit status {' or '.join(map(str, sorted(right)))} ({reason}), "
                              f"got {run.describe()}")
            elif run.status != 0 and not run.err.strip():
                faults.append("nothing on standard error")
            if run.peak_bytes is not None and run.peak_bytes > TORTURE_BYTES:
                faults.append(f"{run.peak_bytes >> 20} MiB of memory")
            checks.check(f"{capture.name}: {' '.join(command)}", faults)


DETAILS_OF = 1000


def prove_details(checks, program, folder):
    """Each of the first packets of a file is told, or said why not; the helper process dies of none."""
    told = 0
    for path in sorted(folder.iterdir()):
        if path.suffix == ".md":
            continue
        every = run_sanscope(program, ["filter", path, ""])
        packets = len(every.out.split()) + every.err.count("left out")
        if packets == 0:
            continue
        run = run_sanscope(program, ["details", path, f"1-{DETAILS_OF}", "--json"])
        trees = len(json.loads(run.out)) if run.out else 0
        refused = len(re.findall(r"(?:cannot read packet|record) \d+", run.err))
        told += trees
        faults = [] if trees + refused == min(packets, DETAILS_OF) and "sanscope-dissectd" not in run.err else [
            f"{trees} told, {refused} refused of {min(packets, DETAILS_OF)}; {run.describe()}"]
        checks.check(f"{path.name}: details of {trees} packets, {refused} refused with a reason", faults)
    print(f"        {told} packets told in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    shared = pathlib.Path(os.environ.get("SANSCOPE_SHARED", ROOT.parent / "shared"))
    for prove, part in ((prove_foreign, "captures/foreign"), (prove_application, "truth"),
                        (prove_torture, "captures/torture"), (prove_details, "captures/torture"),
                        (prove_details, "captures/foreign/variants")):
        if (shared / part).is_dir():
            prove(checks, arguments.sanscope, shared / part)
        else:
            checks.skip(part, f"{shared / part} is not there")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

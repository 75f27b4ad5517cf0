#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures in formats that only Wireshark's reader knows: a sample written in each format that editcap can write gives the
sample's commands, to the resolution of the format's times; damage, what is no capture, and the process that dies are told of."""

import argparse
import bz2
import csv
import io
import lzma
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, run_sanscope  # noqa: E402

SAMPLE = SAMPLES / "check-conditions.pcap"
# Formats of editcap that our own reader reads.
OWN = {"pcap", "pcapng", "nsecpcap", "modpcap", "nokiapcap", "rh6_1pcap", "suse6_3pcap"}
# Nanoseconds that a time may be off: what the format stores is coarser than the sample.
RESOLUTION = {"5views": 1_000_000_000, "lanalyzer": 1_000, "ngsniffer": 2_000, "ngwsniffer_1_1": 2_000, "ngwsniffer_2_0": 2_000,
              "netmon1": 1_000_000, "netmon2": 1_000, "visual": 1_000_000, "k12text": 1_000_000}
# Of these the format has the time of the day but not the day, or the day but not the time.
OTHER_DAY = {"k12text", "lanalyzer"}
# Formats without the length on the wire or with limits that Ethernet's packets pass unharmed have none of these.
TIME_COLUMNS = re.compile(r"_ns$")


def formats():
    told = subprocess.run(["editcap", "-F"], capture_output=True, text=True)
    told = told.stdout + told.stderr
    return [line.split()[0] for line in told.splitlines() if re.match(r"\s+\S+ - ", line)]


def tcp_frames(path):
    shown = subprocess.run(["tshark", "-n", "-r", path, "-Y", "tcp"], capture_output=True, text=True)
    return len(shown.stdout.splitlines())


def rows_of(sanscope, path, standard_input=None):
    run = run_sanscope(sanscope, ["table", "commands", "-" if standard_input else str(path)],
                       standard_input=standard_input)
    return run, list(csv.DictReader(io.StringIO(run.out)))


def difference(rows, wanted, off_ns, other_day):
    """How the rows differ from those wanted, times by more than `off_ns`."""
    if len(rows) != len(wanted):
        return [f"{len(rows)} commands of {len(wanted)}"]
    faults = []
    for number, (row, want) in enumerate(zip(rows, wanted), 1):
        for column, value in want.items():
            given = row[column]
            if TIME_COLUMNS.search(column) and value and given:
                # Derived times are of several moments, each of which is off.
                is_moment = int(value) > 10**17
                if not (other_day and is_moment) and abs(int(given) - int(value)) > 4 * off_ns:
                    faults.append(f"command {number}: {column} is {given}, not {value}")
            elif given != value and not (TIME_COLUMNS.search(column) and off_ns):
                faults.append(f"command {number}: {column} is {given!r}, not {value!r}")
    return faults


def check_formats(checks, sanscope, folder):
    _, wanted = rows_of(sanscope, SAMPLE)
    for name in formats():
        if name in OWN:
            continue
        path = folder / f"sample.{name}"
        made = subprocess.run(["editcap", "-F", name, SAMPLE, path], capture_output=True, text=True)
        if made.returncode != 0:
            print(f"        editcap cannot write {name}: {made.stderr.strip().splitlines()[-1]}")
            continue
        if (frames := tcp_frames(path)) != tcp_frames(SAMPLE):
            print(f"        Wireshark itself finds {frames} TCP segments in the {name} that it wrote")
            continue
        run, rows = rows_of(sanscope, path)
        faults = difference(rows, wanted, RESOLUTION.get(name, 1_000), name in OTHER_DAY)
        if run.status != 0:
            faults.append(f"status {run.status}")
        if "read by Wireshark's reader" not in run.err:
            faults.append(f"standard error does not say who read it: {run.err}")
        checks.check(f"{name}: the commands of the sample", faults)


def check_ways_in(checks, sanscope, folder):
    """Through a pipe, compressed, beside another file, in the report, one packet alone."""
    _, wanted = rows_of(sanscope, SAMPLE)
    snoop = folder / "sample.snoop"
    subprocess.run(["editcap", "-F", "snoop", SAMPLE, snoop], check=True)
    compressed = {"xz": lzma.compress, "bz2": bz2.compress}
    ways = {"a snoop capture through standard input": (None, snoop)}
    for ending, compress in compressed.items():
        for source in (SAMPLE, snoop):
            path = folder / f"{source.name}.{ending}"
            path.write_bytes(compress(source.read_bytes()))
            ways[f"{source.suffix[1:]} compressed with {ending}"] = (path, None)
    for name, (path, standard_input) in ways.items():
        run, rows = rows_of(sanscope, path, standard_input)
        checks.check(f"{name}: the commands of the sample",
                     difference(rows, wanted, 1_000 if "snoop" in name else 0, False) + ([run.err] if run.status else []))
    both = run_sanscope(sanscope, ["report", str(snoop), str(SAMPLE)])
    checks.check("beside a pcap the report names the file and its format",
                 [] if f"{snoop}: Sun snoop, read by Wireshark's reader" in both.out and both.status == 0 else [both.out[:400], both.err])
    details = run_sanscope(sanscope, ["details", str(snoop), "5"])
    plain = run_sanscope(sanscope, ["details", str(SAMPLE), "5"])
    tcp = [[line for line in run.out.splitlines() if "Sequence Number" in line or "Initiator" in line] for run in (details, plain)]
    checks.check("a packet of it has its details", [] if tcp[0] and tcp[0] == tcp[1] else [details.out[:500], details.err])


def check_damage(checks, sanscope, folder):
    snoop = folder / "whole.snoop"
    subprocess.run(["editcap", "-F", "snoop", SAMPLE, snoop], check=True)
    cut = folder / "cut.snoop"
    cut.write_bytes(snoop.read_bytes()[:-20])
    shorter = folder / "shorter.pcap"
    subprocess.run(["editcap", SAMPLE, shorter, "40"], check=True)  # the last of 40
    run = run_sanscope(sanscope, ["table", "pdus", str(cut)])
    whole = run_sanscope(sanscope, ["table", "pdus", str(shorter)])
    faults = []
    if run.status != 3 or "cut off inside a packet" not in run.err:
        faults.append(f"status {run.status}: {run.err}")
    if run.out != whole.out or run.out.count("\n") < 10:
        faults.append(f"{run.out.count(chr(10))} rows of {whole.out.count(chr(10))}, or others")
    checks.check("a file that is cut off: all before the cut, and the damage told", faults)
    for name, content in {"text": b"this is not a capture\n" * 40, "zeros": bytes(5000), "picture": b"\x89PNG\r\n\x1a\n" + bytes(200),
                          "JSON": b'{"a": [1, 2, 3]}\n'}.items():
        path = folder / "no-capture"
        path.write_bytes(content)
        run = run_sanscope(sanscope, ["report", str(path)])
        said = "not a capture file (neither pcap nor pcapng)" in run.err
        checks.check(f"{name} is no capture, and is said to be none", [] if run.status == 1 and said else [f"{run.status}: {run.err}"])
    run = run_sanscope(sanscope, ["report", str(snoop)], environment={"SANSCOPE_CAPTURE_READER": "/nonexistent"})
    checks.check("without the program the package that has it is named",
                 [] if run.status == 1 and "snoop" in run.err and "package sanscope" in run.err else [run.err])


def check_death(checks, sanscope, folder):
    """A reader that dies, or says nothing that is a capture, is damage."""
    snoop = folder / "whole.snoop"
    subprocess.run(["editcap", "-F", "snoop", SAMPLE, snoop], check=True)
    reader = sanscope.parent / "sanscope-capture-reader"
    helper = folder / "dying"
    helper.write_text(f"#!/bin/sh\n{reader} >{folder}/made 2>{folder}/said\ncat {folder}/said >&2\nhead -c 3000 {folder}/made\nkill -SEGV $$\n")
    helper.chmod(0o755)
    run = run_sanscope(sanscope, ["table", "pdus", str(snoop)], environment={"SANSCOPE_CAPTURE_READER": str(helper)})
    checks.check("a reader that dies is damage, and what it read is kept",
                 [] if run.status == 3 and "signal 11" in run.err and run.out.count("\n") > 5 else [f"{run.status}: {run.err}"])
    helper.write_text("#!/bin/sh\necho format: nothing >&2\nexec sleep 1000\n")
    with subprocess.Popen([sanscope, "report", str(snoop)], env={**os.environ, "SANSCOPE_CAPTURE_READER": str(helper)},
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(timeout=20)
            faults = []
        except subprocess.TimeoutExpired:
            faults = ["still running after 20 s"]
            child.kill()
    checks.check("a reader that hangs does not keep the program from ending", faults)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = options.parse_args()
    if missing := missing_program(arguments.sanscope):
        sys.exit(missing)
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_formats(checks, arguments.sanscope, folder)
        check_ways_in(checks, arguments.sanscope, folder)
        check_damage(checks, arguments.sanscope, folder)
        check_death(checks, arguments.sanscope, folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

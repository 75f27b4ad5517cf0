#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope compare` on sample captures: what it says, as text and JSON, and what it exits with."""

import json
import pathlib
import subprocess
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program

LOSSES = SAMPLES / "loss-mixed-initiator.pcap.zst"
LOSSES_AT_TARGET = SAMPLES / "loss-mixed-target.pcap.zst"
# Two loads of one initiator on one target.
OTHER = SAMPLES / "reads-4k-qd8.pcap.zst"


def compare(*arguments):
    return subprocess.run([DEFAULT_SANSCOPE, "compare", *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, stdin=subprocess.DEVNULL)


def figures(comparison):
    return [figure for session in comparison["sessions"] for figure in session["figures"]]


def test_nothing_differs_from_itself(checks):
    for capture in sorted(SAMPLES.glob("*.pcap*")):
        run = compare(capture, capture, "--format", "json")
        if run.returncode not in (0, 3):
            checks.check(f"{capture.name} and itself", [] if run.returncode == 1 else [f"{run.returncode}: {run.stderr}"])
            continue
        found = json.loads(run.stdout)
        faults = [f"{figure['figure']} {figure['verdict']}" for figure in figures(found)
                  if figure["verdict"] in ("higher", "lower") or figure["before"] != figure["after"]]
        faults += [f"{finding['kind']} {finding['state']}" for finding in found["findings"]
                   if finding["state"] != "stayed"]
        faults += [f"only in one: {found[key]}" for key in ("only_before", "only_after") if found[key]]
        checks.check(f"{capture.name} does not differ from itself", faults)


def test_both_ends_of_one_load(checks):
    """The same packets captured at the initiator and at the target: nothing changed, all times differ by the path."""
    found = json.loads(compare(LOSSES, LOSSES_AT_TARGET, "--format", "json").stdout)
    session = found["sessions"][0]
    faults = [f"{figure['figure']} {figure['verdict']}" for figure in figures(found)
              if figure["verdict"] in ("higher", "lower")]
    places = (session["vantage_before"], session["vantage_after"])
    if places != ("initiator", "target"):
        faults.append(f"captured at {places}")
    faults += [f"{figure['figure']}: {figure['reason']}" for figure in figures(found)
               if figure["figure"].startswith("turnaround") and figure["reason"] != "other_place"]
    checks.check("captures of both ends of one load: no time is compared, nothing differs", faults)


def test_another_load(checks):
    found = json.loads(compare(LOSSES, OTHER, "--format", "json").stdout)
    gone = [finding["kind"] for finding in found["findings"] if finding["state"] == "gone"]
    checks.check("losses that are gone are told", [] if "lost_segments" in gone else [str(found["findings"])])
    text = compare(LOSSES, OTHER).stdout
    wanted = ["What differs beyond chance", "Findings", "gone", "[lost_segments]", "before  ", "after   "]
    checks.check("the text has it too", [word for word in wanted if word not in text])
    again = compare(LOSSES, OTHER).stdout
    checks.check("the same twice", [] if text == again else ["other text"])


def test_exit_status(checks):
    with tempfile.TemporaryDirectory() as folder:
        broken = pathlib.Path(folder) / "broken.pcap"
        broken.write_bytes(b"this is no capture")
        for name, arguments, status in (
                ("all analysed", (LOSSES, OTHER), 0), ("the first is none", (broken, OTHER), 1),
                ("the second is none", (OTHER, broken), 1), ("no such file", (OTHER, broken / "x"), 1),
                ("one capture", (OTHER,), 2), ("no such format", (OTHER, OTHER, "--format", "xml"), 2),
                ("standard input twice", ("-", "-"), 2), ("cut off", (OTHER, SAMPLES / "cut-off.pcap"), 3)):
            run = compare(*arguments)
            faults = [] if run.returncode == status else [f"{run.returncode}, not {status}: {run.stderr}"]
            if status != 0 and not run.stderr:
                faults.append("standard error says nothing")
            if status in (1, 2) and run.stdout:
                faults.append(f"printed: {run.stdout[:200]}")
            checks.check(f"exit status of a comparison: {name}", faults)


def main():
    if reason := missing_program(DEFAULT_SANSCOPE):
        sys.exit(reason)
    checks = Checks()
    test_nothing_differs_from_itself(checks)
    test_both_ends_of_one_load(checks)
    test_another_load(checks)
    test_exit_status(checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

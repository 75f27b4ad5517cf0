#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope filter` against `tshark -Y` over all bundled samples, in one pass and in two; the capture it writes read
back by tshark; and how it fails."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analyzer" / "tests"))
from harness import SAMPLES, compare_with_tshark, run_sanscope  # noqa: E402

FILTERS = ["iscsi.opcode == 0x01 || scsi", "tcp.analysis.flags && !tcp.analysis.window_update",
           "frame.number > 20 && tcp.stream eq 0 && tcp.len >= 48", "iscsi.response_frame || iscsi.time > 0.001"]
READ_BACK = ["frame.time_epoch", "frame.cap_len", "frame.len", "tcp.seq_raw", "tcp.checksum", "frame.encap_type"]


def tshark(*arguments):
    return subprocess.run(["tshark", *map(str, arguments)], capture_output=True, text=True).stdout


def expected(capture, text, passes):
    return tshark(*passes, "-r", capture, "-Y", text, "-T", "fields", "-e", "frame.number").split()


def read_fields(capture, *filters):
    arguments = [part for field in READ_BACK for part in ("-e", field)]
    return tshark("-r", capture, *filters, "-T", "fields", *arguments).splitlines()


def compare(capture, sanscope):
    """(claim, faults) of one capture."""
    results = []
    for text in FILTERS:
        # The last one asks of packets what only later ones tell.
        for passes in ([], ["-2"]) if text == FILTERS[-1] else ([],):
            theirs = expected(capture, text, passes)
            ours = run_sanscope(sanscope, ["filter", capture, text, *passes])
            faults = [] if ours.out.split() == theirs else [
                f"{len(ours.out.split())} packets, tshark {len(theirs)}; {ours.describe()}",
                f"differ in {sorted(set(ours.out.split()) ^ set(theirs), key=int)[:20]}"]
            results.append((f"{capture.name}: {' '.join(passes + [text])}: the same {len(theirs)} packets as tshark", faults))
    with tempfile.TemporaryDirectory() as folder:
        written = pathlib.Path(folder) / "written.pcapng"
        text = FILTERS[0]
        run = run_sanscope(sanscope, ["filter", capture, text, "-w", written])
        ours, theirs = read_fields(written), read_fields(capture, "-Y", text)
        results.append((f"{capture.name}: the {len(theirs)} packets written are those that match",
                        [] if ours == theirs and run.out == "" else [run.describe(), f"{len(ours)} packets"]))
    return results


def failures(checks, sanscope):
    """What a user gets for a mistake: a message, an exit status, and nothing lost."""
    sample = SAMPLES / "check-conditions.pcap"
    run = run_sanscope(sanscope, ["filter", sample, "tcp.prot == 1"])
    checks.check("a wrong filter ends with status 2, and its place is marked",
                 [] if run.status == 2 and "\n  tcp.prot == 1\n  ^^^^^^^^\n" in run.err else [run.describe()])
    run = run_sanscope(sanscope, ["filter", sample, "sanscope.no_such > 1"])
    checks.check("a field of the plugin that is not there is told where it would come from",
                 [] if run.status == 2 and "sanscope's plugin for Wireshark" in run.err else [run.describe()])
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "capture.pcap"
        shutil.copy(sample, copy)
        before = copy.read_bytes()
        run = run_sanscope(sanscope, ["filter", copy, "tcp", "-w", copy])
        checks.check("the capture that is read is not overwritten",
                     [] if run.status == 2 and copy.read_bytes() == before else [run.describe()])
        output = pathlib.Path(folder) / "out.pcapng"
        output.write_bytes(b"precious")
        run = run_sanscope(sanscope, ["filter", copy, "nonsense ==", "-w", output])
        checks.check("a wrong filter leaves the output as it was",
                     [] if run.status == 2 and output.read_bytes() == b"precious" else [run.describe()])
    run = run_sanscope(sanscope, ["filter", "/nonexistent", "tcp"])
    checks.check("a file that is not there ends with status 1",
                 [] if run.status == 1 and "/nonexistent" in run.err else [run.describe()])
    run = run_sanscope(sanscope, ["filter", SAMPLES / "cut-off.pcap", "tcp"])
    checks.check("a capture cut off ends with status 3 and gives what is before the cut",
                 [] if run.status == 3 and run.out.count("\n") > 20 and "cut off" in run.err else [run.describe()])
    run = run_sanscope(sanscope, ["filter", "-", "tcp.port == 3260"], standard_input=sample)
    checks.check("standard input is a capture too", [] if run.status == 0 and run.out else [run.describe()])
    run = run_sanscope(sanscope, ["details", sample, "1", "--preference", "no.such:1"])
    checks.check("a preference that is none is told",
                 [] if run.status == 1 and "no.such" in run.err else [run.describe()])


if __name__ == "__main__":
    sys.exit(compare_with_tshark(__doc__, compare, before=failures))

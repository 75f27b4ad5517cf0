#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope-gui FILE --render DIR`: every view of every sample is drawn, at the size and in the format asked for,
without a display, and shows something; bad arguments, damage and what is no capture end as the interface says."""

import argparse
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import SAMPLES, Checks  # noqa: E402

VIEWS = ["overview", "layers", "ladder", "windows", "time-sequence", "turnaround", "time-budgets", "io-graph", "commands",
         "pdus", "packets", "connections", "sessions", "losses", "kernel-windows", "kernel-ca-transitions", "points", "details", "findings"]


def rendered(program, *arguments):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    return subprocess.run([program, *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=300)


def size_of(path):
    """Width and height of a PNG; nothing of what is none."""
    data = path.read_bytes()
    return struct.unpack(">II", data[16:24]) if data[:8] == b"\x89PNG\r\n\x1a\n" else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/sanscope-gui"))
    program = parser.parse_args().program
    checks = Checks()

    def check(name, holds, *details):
        checks.check(name, [] if holds else [str(detail) for detail in details] or ["it does not"])

    run = rendered(program, SAMPLES / "nop-logout.pcap")
    check("without a display a sentence says so", run.returncode == 1 and "there is no display here" in run.stderr, f"{run.returncode} {run.stderr}")

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for sample in sorted(path for path in SAMPLES.iterdir() if ".pcap" in path.name):
            folder = scratch / sample.name
            run = rendered(program, sample, "--render", folder, "--size", "900x500")
            damaged = sample.name == "cut-off.pcap"
            check(f"{sample.name}: status", run.returncode == (3 if damaged else 0), f"{run.returncode} {run.stderr}")
            told = [pathlib.Path(line) for line in run.stdout.splitlines()]
            for view in VIEWS:
                picture = folder / f"{view}.png"
                check(f"{sample.name}: {view} is told and there", picture in told and picture.exists())
                if not picture.exists():
                    continue
                check(f"{sample.name}: {view} has the size", size_of(picture) == (900, 500), size_of(picture))
                # A view that draws nothing packs to next to nothing.
                check(f"{sample.name}: {view} shows something", picture.stat().st_size > 2000)

        sample = SAMPLES / "loss-mixed-initiator.pcap.zst"
        whole = scratch / "whole"
        rendered(program, sample, "--render", whole, "--view", "layers", "--size", "900x500")
        near = scratch / "near"
        run = rendered(program, sample, "--render", near, "--view", "layers", "--view", "ladder", "--size", "900x500",
                       "--from", "100ms", "--to", "0.104", "--select", "command:40", "--theme", "dark")
        check("a range, dark", run.returncode == 0, run.stderr)
        check("only the views asked for", sorted(path.name for path in near.iterdir()) == ["ladder.png", "layers.png"])
        check("the range shows something else", (near / "layers.png").read_bytes() != (whole / "layers.png").read_bytes())
        again = scratch / "again"
        rendered(program, sample, "--render", again, "--view", "layers", "--size", "900x500")
        check("the same twice", (again / "layers.png").read_bytes() == (whole / "layers.png").read_bytes())

        found = scratch / "found"
        run = rendered(program, sample, "--render", found, "--view", "layers", "--view", "findings", "--size", "900x500",
                       "--finding", "lost_segments")
        check("a finding", run.returncode == 0, run.stderr)
        run = rendered(program, sample, "--render", scratch / "packet", "--view", "layers", "--size", "900x500", "--at", "4711")
        check("a packet", run.returncode == 0, run.stderr)
        check("its surroundings are another picture",
              (scratch / "packet" / "layers.png").read_bytes() != (found / "layers.png").read_bytes())
        check("its place shows something else", (found / "layers.png").read_bytes() != (whole / "layers.png").read_bytes())
        other = SAMPLES / "reads-4k-qd8.pcap.zst"
        for theme in ("light", "dark"):
            run = rendered(program, "--compare", sample, other, "--render", scratch / theme, "--size", "900x500",
                           "--theme", theme)
            check(f"a comparison, {theme}", run.returncode == 0, run.stderr)
            check(f"a comparison, {theme}, has the size", size_of(scratch / theme / "compare.png") == (900, 500))
        check("light is not dark", (scratch / "light" / "compare.png").read_bytes()
              != (scratch / "dark" / "compare.png").read_bytes())
        run = rendered(program, "--compare", SAMPLES / "cut-off.pcap", other, "--render", scratch / "x")
        check("a comparison with a damaged one", run.returncode == 3 and "cut-off.pcap" in run.stderr, run.stderr)

        far_end = SAMPLES / "loss-mixed-target.pcap.zst"
        near_ladder = ["--view", "ladder", "--view", "points", "--size", "1200x700", "--from", "100ms", "--to", "0.104"]
        alone = scratch / "alone"
        rendered(program, sample, "--render", alone, *near_ladder)
        for theme in ("light", "dark"):
            for order, files in (("as along the path", (sample, far_end)), ("the other way round", (far_end, sample))):
                folder = scratch / f"points {theme} {order}"
                run = rendered(program, "--points", *files, "--render", folder, "--theme", theme, *near_ladder)
                check(f"points, {theme}, {order}", run.returncode == 0, run.stderr)
                for view in ("ladder", "points"):
                    check(f"points, {theme}, {order}: {view} has the size", size_of(folder / f"{view}.png") == (1200, 700))
            first, second = (scratch / f"points {theme} {order}" / "ladder.png" for order in
                             ("as along the path", "the other way round"))
            check(f"points, {theme}: whichever is named first", first.read_bytes() == second.read_bytes())
        check("the ladder of two ends is another one than that of one",
              (scratch / "points light as along the path" / "ladder.png").read_bytes() != (alone / "ladder.png").read_bytes())
        told = scratch / "points told"
        run = rendered(program, "--points", sample, far_end, "--render", told, "--format", "svg", *near_ladder)
        words = (told / "ladder.svg").read_text(encoding="utf-8")
        check("the ladder of two ends says what its ends are and how sure its times",
              "Ends measured at loss-mixed-initiator and loss-mixed-target, the latter's clock" in words and "±" in words)
        check("and not that an end is estimated", "times are estimated" not in words)
        run = rendered(program, "--points", sample, SAMPLES / "nop-logout.pcap", "--render", scratch / "x")
        check("points without a connection in common", run.returncode == 1 and "in common" in run.stderr, run.stderr)
        run = rendered(program, "--points", SAMPLES / "cut-off.pcap", SAMPLES / "cut-off.pcap", "--render", scratch / "x",
                       "--view", "points")
        check("damaged points", run.returncode == 3 and "cut-off.pcap" in run.stderr, f"{run.returncode} {run.stderr}")

        for ending, begins in (("svg", b"<?xml"), ("pdf", b"%PDF")):
            run = rendered(program, sample, "--render", scratch / ending, "--format", ending, "--size", "900x500")
            check(f"{ending}: status", run.returncode == 0, run.stderr)
            for view in VIEWS:
                path = scratch / ending / f"{view}.{ending}"
                check(f"{ending}: {view}", path.exists() and path.read_bytes().startswith(begins))
        svg = (scratch / "svg" / "ladder.svg").read_text(encoding="utf-8")
        check("text in an SVG is text", re.search(r"<text[^>]*>[^<]*Initiator", svg) is not None)

        nothing = scratch / "nothing.pcap"
        nothing.write_bytes(b"this is no capture, nor ever was one")
        for name, arguments, status, word in (
                ("no such file", [scratch / "none", "--render", scratch / "x"], 1, "none"),
                ("no capture", [nothing, "--render", scratch / "x"], 1, "nothing.pcap"),
                ("no such view", [sample, "--render", scratch / "x", "--view", "laddr"], 2, "ladder"),
                ("no size", [sample, "--render", scratch / "x", "--size", "big"], 2, "WxH"),
                ("too small", [sample, "--render", scratch / "x", "--size", "10x10"], 2, "WxH"),
                ("no time", [sample, "--render", scratch / "x", "--from", "soon"], 2, "--from"),
                ("backwards", [sample, "--render", scratch / "x", "--from", "2s", "--to", "1s"], 2, "--from"),
                ("beyond the end", [sample, "--render", scratch / "x", "--from", "100s", "--to", "101s"], 2, "nothing"),
                ("two files", [sample, sample, "--render", scratch / "x"], 2, "one FILE"),
                ("no such finding", [sample, "--render", scratch / "x", "--finding", "lost_segment"], 2, "no lost_segment"),
                ("a finding it has not", [sample, "--render", scratch / "x", "--finding", "no_iscsi"], 2, "no finding"),
                ("one to compare", ["--compare", sample, "--render", scratch / "x"], 2, "two FILEs"),
                ("one to compare is none", ["--compare", sample, nothing, "--render", scratch / "x"], 1, "nothing.pcap"),
                ("--compare and --view", ["--compare", sample, other, "--render", scratch / "x", "--view", "ladder"], 2,
                 "one view"),
                ("one point", ["--points", sample, "--render", scratch / "x"], 2, "two FILEs"),
                ("points and a comparison", ["--points", "--compare", sample, other], 2, "excludes"),
                ("a point that is none", ["--points", sample, nothing, "--render", scratch / "x"], 1, "nothing.pcap"),
                ("no folder", [sample, "--render", nothing / "x", "--view", "overview"], 1, "cannot be made"),
                ("no place", [sample, "--at", "soon"], 2, "--at"),
                ("a place of two files", [sample, other, "--at", "12"], 2, "one FILE"),
                ("a view that is none", [sample, "--view", "laddr"], 2, "ladder"),
                ("a place without a file", ["--filter", "lun == 0"], 2, "one FILE"),
                ("a packet it has not", [sample, "--render", scratch / "x", "--at", "99999999"], 2, "packets")):
            run = rendered(program, *arguments)
            check(name, run.returncode == status and word in run.stderr, f"{run.returncode} {run.stderr}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

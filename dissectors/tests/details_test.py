#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope details` against tshark over all bundled samples: the printed tree of every packet, and the JSON tree of
every packet of small captures and of a random selection of large ones; in one pass and (text, and the JSON of small
captures) in two."""

import gzip
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "analyzer" / "tests"))
from harness import SAMPLES, compare_with_tshark, run_sanscope  # noqa: E402

from pcapng_maker import capture_of_everything  # noqa: E402

# Differences that stand in two passes, each with its reason: lines by what the line of their protocol and they
# themselves begin with, and fields.
UDP_STREAMS = ("Wireshark numbers UDP streams in the order in which it first sees them, and here one conversation is fed "
               "after the other")
EXCUSED_LINES = {("User Datagram Protocol", "Stream index"): UDP_STREAMS}
EXCUSED_FIELDS = {"udp.stream": UDP_STREAMS}

SMALL = 1300       # packets of a capture whose JSON is compared whole
SELECTED = 250     # packets of a larger one


def lines_of(command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, errors="replace")
    for line in process.stdout:
        yield line.rstrip("\n")
    process.wait()


def trees(lines):
    """The printed trees: the lines of each, by its frame number."""
    tree, number = [], None
    for line in lines:
        if line.startswith("Frame ") and line[6:line.index(":")].isdigit():
            if tree:
                yield number, tree
            tree, number = [], int(line[6:line.index(":")])
        if line:
            tree.append(line)
    if tree:
        yield number, tree


def is_excused(protocol, line):
    return any(protocol.startswith(layer) and line.strip(" [").startswith(known) for layer, known in EXCUSED_LINES)


def text_faults(capture, sanscope, options):
    ours = trees(lines_of([sanscope, "details", capture, "1-99999999", *options]))
    theirs = trees(lines_of(["tshark", "-V", "-r", capture, *options]))
    faults, packets = [], 0
    for number, expected in theirs:
        packets += 1
        got_number, got = next(ours, (None, []))
        if got_number != number:
            return packets, faults + [f"packet {number} of tshark, {got_number} of sanscope"]
        if got == expected:
            continue
        protocol = ""
        for mine, other in zip(got, expected):
            if not other.startswith(" "):
                protocol = other
            if mine != other and not (options and is_excused(protocol, mine) and is_excused(protocol, other)):
                faults.append(f"packet {number}: {mine.strip()!r}, tshark {other.strip()!r}")
        if len(got) != len(expected):
            faults.append(f"packet {number}: {len(got)} lines, tshark {len(expected)}")
    if next(ours, None) is not None:
        faults.append("sanscope has more packets")
    return packets, faults


def json_packets(lines):
    """The text of each object of tshark's array, by its place from 1 on."""
    text, number = None, 0
    for line in lines:
        if line == "  {":
            text = []
        if text is not None:
            text.append(line)
        if line in ("  }", "  },"):
            number += 1
            yield number, "\n".join(text).rstrip(",")
            text = None


def flat(pairs, path=()):
    """All members of nested objects with their paths, in order; names may repeat."""
    for name, value in pairs:
        if isinstance(value, list):
            yield path + (name,), None
            yield from flat(value, path + (name,))
        else:
            yield path + (name,), value


def json_faults(capture, sanscope, options, chosen):
    ranges = ["1-99999999"] if chosen is None else [str(number) for number in chosen]
    ours = json.JSONDecoder(object_pairs_hook=list).decode(
        subprocess.run([sanscope, "details", capture, *ranges, "--json", *options], capture_output=True).stdout.decode())
    wanted = None if chosen is None else set(chosen)
    decoder = json.JSONDecoder(object_pairs_hook=list)
    faults, packets = [], 0
    for number, text in json_packets(lines_of(["tshark", "-V", "-T", "json", "-r", capture, *options])):
        if wanted is not None and number not in wanted:
            continue
        if packets == len(ours):
            return packets, faults + [f"packet {number}: only tshark has it"]
        got, expected = list(flat(ours[packets])), list(flat(decoder.decode(text)))
        packets += 1
        if got == expected:
            continue
        for mine, other in zip(got, expected):
            if mine != other and not (options and mine[0] == other[0] and mine[0][-1] in EXCUSED_FIELDS):
                faults.append(f"packet {number}: {mine}, tshark {other}")
        if len(got) != len(expected):
            faults.append(f"packet {number}: {len(got)} members, tshark {len(expected)}")
    if packets != len(ours):
        faults.append(f"{len(ours)} packets, tshark {packets}")
    return packets, faults


def compare(capture, sanscope):
    """(claim, faults) of one capture."""
    results = []
    for options in ([], ["-2"]):
        passes = "two passes" if options else "one pass"
        packets, faults = text_faults(capture, sanscope, options)
        results.append((f"{capture.name}, {passes}: the same text of {packets} packets as tshark -V", faults))
        if packets > SMALL and options:
            continue
        chosen = None
        if packets > SMALL:
            chosen = sorted(random.Random(capture.name).sample(range(1, packets + 1), SELECTED))
        packets, faults = json_faults(capture, sanscope, options, chosen)
        results.append((f"{capture.name}, {passes}: the same JSON of {packets} packets as tshark -V -T json", faults))
    return results


def own_preferences(checks, sanscope):
    """The user's Wireshark preferences and profiles hold, and nothing of theirs is written."""
    sample = SAMPLES / "login-discovery-inquiry.pcap"
    with tempfile.TemporaryDirectory() as home:
        settings = pathlib.Path(home) / ".config" / "wireshark"
        profile = settings / "profiles" / "mine"
        profile.mkdir(parents=True)
        (settings / "preferences").write_text("tcp.relative_sequence_numbers: FALSE\n")
        (profile / "preferences").write_text("tcp.relative_sequence_numbers: TRUE\n")
        (profile / "disabled_protos").write_text("iscsi\n")
        before = state_of(home)

        def shown(*options):
            run = run_sanscope(sanscope, ["details", sample, "6", *options],
                               environment={"HOME": home, "XDG_CONFIG_HOME": str(settings.parent)})
            relative = "(relative sequence number)" in run.out
            return "relative " * relative + "iscsi" * ("InitiatorTaskTag" in run.out) if run.status == 0 else run.describe()

        for claim, options, expected in (
                ("the user's preferences hold", (), "iscsi"),
                ("a profile named holds", ("--profile", "mine"), "relative "),
                ("a preference named holds over the profile",
                 ("--preference", "tcp.relative_sequence_numbers:TRUE"), "relative iscsi")):
            got = shown(*options)
            checks.check(claim, [] if got == expected else [f"{got!r}, not {expected!r}"])
        after = state_of(home)
        checks.check("nothing in the user's home is written", [] if after == before else [str(after ^ before)])


def state_of(folder):
    """What is in a folder, with contents and times of change."""
    return {(str(path), path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
            for path in pathlib.Path(folder).rglob("*")}


def made_pcapng(checks, sanscope):
    """All that a pcapng may tell of packets besides their bytes, plain and compressed."""
    if shutil.which("tshark") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / "everything.pcapng"
        plain.write_bytes(capture_of_everything())
        compressed = plain.with_suffix(".pcapng.gz")
        compressed.write_bytes(gzip.compress(plain.read_bytes()))
        for capture in (plain, compressed):
            for claim, faults in compare(capture, sanscope):
                checks.check(claim, faults)


def before(checks, sanscope):
    own_preferences(checks, sanscope)
    made_pcapng(checks, sanscope)
    for table in (EXCUSED_LINES, EXCUSED_FIELDS):
        for name, reason in table.items():
            print(f"        excused in two passes: {name}: {reason}")


if __name__ == "__main__":
    sys.exit(compare_with_tshark(__doc__, compare, before=before))

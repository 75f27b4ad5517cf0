#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings against captures whose one cause is known, or that show nothing wrong.

    faults_test.py [FOLDER...]    by default captures/samples/faults, and `faults` of $SANSCOPE_SHARED (or of a folder `shared`
                                  beside the checkout) where that is there

A folder of faults has a folder for each, with truth.json and the captures it is of (captures/lab/record_faults tells
what is in truth.json). Of each capture it is asked:

    first   the first problem or notice is of a kind in `right`; where that has nothing_wrong, there is neither
    three   one of the first three is
    false   problems and notices of kinds in neither `right` nor `also`
    side    where the finding that is right puts it: initiator, target, path

Where truth.json has `unsaid`, none of these words are in any finding.

The thresholds are of a whole folder: first in nine of ten, three in all, false in none.

Captures that show nothing wrong are judged besides as others would have taken them: cut behind the TCP header or within its
options, begun late, ended soon, one direction alone, with a VLAN tag, copied by a mirror port, with packets missing, with a
clock that was set. Of these nothing may be said but what was done to the capture.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, ROOT, SAMPLES, Checks, TableError, missing_program, read_pcap, table, write_pcap

LEAST_FIRST = 0.9

# Kinds that tell what an older kind told in part: where that one is right or a consequence, so is the one that says
# more.
SAYS_MORE = {
    "command_window": "shallow_queue",
    "duplicate_address": "connection_reset",
    "duplicate_initiator": "session_reconnect",
    "mtu_black_hole": "retransmission_timeout",
    "negotiation": "receiver_window",
    "connection_reset": "unanswered_commands",
    "ping_timeout": "unanswered_commands",
    "saturated": "target_wait",
    "incast": "lost_segments",
}
# Of these only where the scenario's name says so: what they say more is wrong of any other loss.
ONLY_OF_SCENARIO = {"incast": ("incast", "overflow")}
# What a side of truth.json begins with, and the sides of a finding that say so.
SIDES = {"initiator": ("initiator",), "target": ("target",), "path": ("path",), "negotiation": ("both",), "both": ("both",),
         "capture": ("capture", "")}


def says_more(kind, kinds, truth):
    scenario = truth.get("scenario", "")
    return SAYS_MORE.get(kind) in kinds and any(word in scenario for word in ONLY_OF_SCENARIO.get(kind, [""]))


def is_right(finding, truth):
    kind = finding["kind"]
    if kind in truth["right"] or says_more(kind, truth["right"], truth):
        return True
    # A truth older than any kind that could tell it: then the side decides.
    return not truth["right"] and finding["severity"] == "problem" and side_is_right(finding, truth)


def side_is_right(finding, truth):
    wanted = SIDES.get(truth["side"].split()[0].strip(",(") if truth["side"] else "")
    return wanted is None or (finding["side"] or "") in wanted


def sender_is_right(finding, truth):
    return not truth["sender"] or not finding["sender"] or finding["sender"] == truth["sender"]


def judge(findings, truth):
    """What is wrong with the findings: a dictionary of the four questions, each with what was said instead."""
    told = [finding for finding in findings if finding["severity"] != "information"]
    all_well = [finding for finding in findings if finding["kind"] == "nothing_wrong"]
    if not told and "nothing_wrong" in truth["right"]:
        return {}
    faults = {}
    right = [place for place, finding in enumerate(told) if is_right(finding, truth)]
    if not right or right[0] != 0:
        faults["first"] = told[0]["title"] if told else (all_well[0]["title"] if all_well else "nothing")
    if not right or right[0] > 2:
        faults["three"] = "; ".join(finding["kind"] for finding in told) or "nothing"
    allowed = set(truth["right"]) | set(truth["also"])
    false = [finding for finding in told
             if not is_right(finding, truth) and finding["kind"] not in allowed
             and not says_more(finding["kind"], allowed, truth)]
    if false:
        faults["false"] = "; ".join(f"{finding['severity']}: {finding['title']}" for finding in false)
    if right:
        finding = told[right[0]]
        if not side_is_right(finding, truth) or not sender_is_right(finding, truth):
            faults["side"] = f"{finding['side']}, data of {finding['sender']}: {finding['title']}"
    return faults


def captures_of(folder):
    return sorted(path for path in folder.iterdir() if ".pcap" in path.name)


def score(checks, program, folder, verbose):
    counts = {"first": 0, "three": 0, "false": 0, "side": 0}
    captures = 0
    for case in sorted(path.parent for path in folder.glob("*/truth.json")):
        truth = json.loads((case / "truth.json").read_text())
        for capture in captures_of(case):
            captures += 1
            try:
                findings = table(program, "findings", capture)
            except TableError as error:
                checks.fail(f"{case.name}/{capture.name}", [str(error)])
                continue
            for words in truth.get("unsaid", []):
                said = [finding["title"] for finding in findings
                        if any(words in (finding[column] or "") for column in ("title", "explanation", "evidence"))]
                checks.check(f"{case.name}/{capture.name.split('.')[0]}: not said: “{words}”", said)
            faults = judge(findings, truth)
            for name in faults:
                counts[name] += 1
            label = f"{case.name}/{capture.name.split('.')[0]}"
            if faults or verbose:
                print(f"        {label}: {'right' if not faults else ''}")
            for name, what in faults.items():
                print(f"            {name}: {what}")
            if verbose:
                for finding in findings:
                    if finding["severity"] != "information" or finding["kind"] == "nothing_wrong":
                        print(f"            [{finding['severity']}] {finding['title']} | {finding['evidence'] or ''}")
    if captures == 0:
        checks.skip(str(folder), "no faults in it")
        return
    first = captures - counts["first"]
    name = folder.name
    checks.check(f"{name}: the cause stands first in {first} of {captures} captures",
                 [] if first >= LEAST_FIRST * captures else [f"fewer than {LEAST_FIRST:.0%}"])
    checks.check(f"{name}: among the first three in {captures - counts['three']} of {captures}",
                 ["not in all"] if counts["three"] else [])
    checks.check(f"{name}: no false problem or notice, in {counts['false']} of {captures} one", ["see above"] if counts["false"] else [])
    checks.check(f"{name}: the side it is on, wrong in {counts['side']} of {captures}", ["see above"] if counts["side"] else [])


MS = 1_000_000
# What may be said of a capture that is not whole.
OF_CAPTURE = {"no_iscsi", "not_captured", "captured_twice", "capture_issue", "unseen_answers", "capture_drops"}


def edits(packets):
    middle = len(packets) // 2
    chance = random.Random(1)
    initiator = packets[0][2][26:30]  # it opens the connection

    def cut(length):
        return [(time_ns, wire, data[:length]) for time_ns, wire, data in packets]

    def later(by_ns):
        # Before an acknowledgement, so that data wait for it: with nothing in flight, hosts that stood still look the same.
        bare = next(at for at in range(middle, len(packets)) if packets[at][1] <= 66)
        return packets[:bare] + [(time_ns + by_ns, *rest) for time_ns, *rest in packets[bare:]]

    return {
        "its first packets": packets[:20],
        "begun late": packets[middle:],
        "a moment of it": packets[middle:middle + 40],
        "ended soon": packets[:2 * middle // 3],
        "cut behind the TCP header": cut(54),
        "cut within the options of SYNs": cut(66),
        "cut at 96 bytes": cut(96),
        "of the initiator alone": [packet for packet in packets if packet[2][26:30] == initiator],
        "of the target alone": [packet for packet in packets if packet[2][26:30] != initiator],
        "with a VLAN tag": [(time_ns, wire + 4, data[:12] + b"\x81\x00\x00\x05" + data[12:]) for time_ns, wire, data in packets],
        "copied by a mirror port": [copy for time_ns, *rest in packets for copy in ((time_ns, *rest), (time_ns + 3000, *rest))],
        "1 % missing": [packet for packet in packets if chance.random() >= 0.01],
        "30 in a row missing": packets[:middle] + packets[middle + 30:],
        "clock set ahead by 5 s": later(5000 * MS),
        "clock set back by 2 s": later(-2000 * MS),
        "fifty times as fast": [(packets[0][0] + (time_ns - packets[0][0]) // 50, *rest) for time_ns, *rest in packets],
    }


def judge_edits(checks, program, folder):
    for case in sorted(path.parent for path in folder.glob("*/truth.json")):
        truth = json.loads((case / "truth.json").read_text())
        if "nothing_wrong" not in truth["right"] or not truth["cause"].startswith("nothing"):
            continue
        allowed = OF_CAPTURE | set(truth["also"]) | set(truth["right"])
        for capture in captures_of(case):
            header, scale, packets = read_pcap(capture)
            faults = []
            with tempfile.TemporaryDirectory() as temporary:
                edited = pathlib.Path(temporary) / "edited.pcap"
                for name, left in edits(packets).items():
                    if not left:
                        continue
                    write_pcap(edited, header, scale, left)
                    faults += [f"{name}: {finding['severity']}: {finding['title']}" for finding in table(program, "findings", edited)
                               if finding["severity"] != "information" and finding["kind"] not in allowed]
            checks.check(f"{case.name}/{capture.name.split('.')[0]}: nothing false of it in part", faults)


def prove_scoring(checks):
    """The score itself: what must not pass does not."""
    def finding(kind, severity="notice", side="path", sender="target"):
        return {"kind": kind, "severity": severity, "side": side, "sender": sender, "title": kind, "evidence": "a; b"}

    truth = {"right": ["lost_segments"], "also": ["slow_commands"], "side": "path to the initiator", "sender": "target"}
    healthy = {"right": ["nothing_wrong"], "also": [], "side": "none", "sender": ""}
    cases = [
        ("the cause alone is right", [finding("lost_segments")], truth, set()),
        ("a consequence before it is not first", [finding("slow_commands"), finding("lost_segments")], truth, {"first"}),
        ("the cause in fourth place is too late", [finding("slow_commands")] * 3 + [finding("lost_segments")], truth,
         {"first", "three"}),
        ("another cause besides is false", [finding("lost_segments"), finding("target_wait")], truth, {"false"}),
        ("silence is not right", [finding("nothing_wrong", "information")], truth, {"first", "three"}),
        ("the wrong direction is told", [finding("lost_segments", sender="initiator")], truth, {"side"}),
        ("the wrong side is told", [finding("lost_segments", side="target")], truth, {"side"}),
        ("silence about a healthy run is right", [finding("nothing_wrong", "information")], healthy, set()),
        ("a notice about a healthy run is false", [finding("shallow_queue")], healthy, {"first", "three", "false"}),
    ]
    for claim, findings, of, wanted in cases:
        found = set(judge(findings, of))
        checks.check(claim, [] if found == wanted else [f"expected {sorted(wanted)}, got {sorted(found)}"])


def test_exit_status(checks, program):
    """--fail-on against the severities in the table of findings."""
    folder = SAMPLES / "faults"
    captures = [capture for case in folder.iterdir() if case.is_dir() for capture in captures_of(case)]
    wrong = []
    seen = set()
    for capture in sorted(captures):
        severities = {finding["severity"] for finding in table(program, "findings", capture)}
        expected = {
            "problem": 4 if "problem" in severities else 0,
            "notice": 4 if severities & {"problem", "notice"} else 0,
        }
        for severity, status in expected.items():
            ended = subprocess.run([program, "report", "--fail-on", severity, capture], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, check=False).returncode
            seen.add((severity, status))
            if ended != status:
                wrong.append(f"{capture.parent.name}, --fail-on {severity}: {ended}, expected {status}")
    checks.check(f"report --fail-on: the exit status of {len(captures)} captures", wrong)
    checks.check("report --fail-on: with and without such a finding", [] if len(seen) == 4 else [f"only {sorted(seen)}"])
    for arguments, status in ((["--fail-on", "information"], 2), ([], 0)):
        ended = subprocess.run([program, "report", *arguments, sorted(captures)[0]], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=False).returncode
        checks.check(f"report {' '.join(arguments)}: status {status}", [] if ended == status else [f"{ended}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--verbose", action="store_true", help="every problem and notice, with what shows it")
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    shared = pathlib.Path(os.environ.get("SANSCOPE_SHARED", ROOT.parent / "shared")) / "faults"
    if not arguments.folders:
        prove_scoring(checks)
        test_exit_status(checks, arguments.sanscope)
    for folder in arguments.folders or [SAMPLES / "faults", shared]:
        if folder.is_dir():
            score(checks, arguments.sanscope, folder, arguments.verbose)
            judge_edits(checks, arguments.sanscope, folder)
        else:
            checks.skip("faults that are not part of the project", f"{folder} is not there")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

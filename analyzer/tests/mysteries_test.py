#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The mysteries of docs/mysteries: what is found in their captures, whose time it was, and that their pages are whole.

    mysteries_test.py [NAME...]           all of them when none is named
    mysteries_test.py --recorded FOLDER   holds new recordings (record_mysteries --out FOLDER) to what is true of any
    mysteries_test.py --update [NAME...]  writes expected.json anew from what is found now: read `git diff` as a reviewer would

A mystery is NN-name.md and, in the folder NN-name, its capture and two files:

    truth.json     written by hand, true of any recording of it (captures/lab/record_mysteries):
                   cause        the finding that names the cause, before all that is not in `beside`: kind, severity, side, sender
                   beside       kinds of problems and notices that are true besides: consequences, and what else went on
                   told         kinds that are told besides, at least as information
                   not_claimed  kinds that look like it and are not true here: not even as information
                   budget       groups of commands (`budgets`: transfer, size_class) and the least share of parts together
    expected.json  of this capture: each problem and notice with its subject, and the parts of the time in percent
"""

import argparse
import json
import pathlib
import re
import shlex
import sys
from collections import defaultdict

from harness import DEFAULT_SANSCOPE, ROOT, Checks, missing_program, number, run_sanscope, table

FOLDER = ROOT / "docs" / "mysteries"
SECTIONS = ["What one sees", "The same on the command line", "The cause", "The fix", "What else it could have been"]
MOST_CAPTURE_BYTES = 300_000
LEAST_COMMANDS = 20  # of a group, for its budget to be compared
WITHIN_PERCENT = 1


def told(findings):
    return [finding for finding in findings if finding["severity"] != "information"]


def matches(finding, wanted):
    return all((finding[key] or "") == value for key, value in wanted.items())


def judge_truth(findings, budgets, truth):
    """What is wrong with the findings and budgets of any recording: lines."""
    faults = []
    problems = told(findings)
    right = [place for place, finding in enumerate(problems) if matches(finding, truth["cause"])]
    if not right:
        faults.append(f"the cause is not told: {truth['cause']}")
    for finding in problems[:right[0] if right else 0]:
        if finding["kind"] not in truth["beside"]:
            faults.append(f"before the cause: {finding['kind']}: {finding['title']}")
    allowed = {truth["cause"]["kind"], *truth["beside"]}
    faults += [f"false: {finding['severity']}: {finding['kind']}: {finding['title']}" for finding in problems if finding["kind"] not in allowed]
    faults += [f"not told: {kind}" for kind in truth["told"] if kind not in {finding["kind"] for finding in findings}]
    faults += [f"claimed: {finding['kind']}: {finding['title']}" for finding in findings if finding["kind"] in truth["not_claimed"]]
    for budget in truth.get("budget", []):
        shares = budgets.get(f"{budget['transfer']} of {budget['size_class']}", {})
        share = max((sum(of.get(part, 0) for part in budget["parts"]) for of in shares.values()), default=0)
        if share < 100 * budget["least"]:
            faults.append(f"{budget['transfer']} of {budget['size_class']}: {' and '.join(budget['parts'])} are {share} % of the time of no session: {shares}")
    return faults


def shares_of_parts(rows):
    """{"read of 4096": {"session 4, LUN 0": {"target": 12}}}: percent, of groups of enough commands."""
    sums = defaultdict(dict)
    commands = defaultdict(int)
    for row in rows:
        if row["part"] == "command_window_shut" or row["size_class"] is None:
            continue
        group = (f"{row['transfer']} of {row['size_class']}", f"session {row['session']}, LUN {row['lun']}")
        sums[group][row["part"]] = number(row["sum_ns"])
        commands[group] = max(commands[group], number(row["commands"]))
    shares = defaultdict(dict)
    for (kind, place), parts in sums.items():
        total = sum(parts.values())
        if commands[kind, place] < LEAST_COMMANDS or total == 0:
            continue
        percent = {part: round(100 * parts[part] / total) for part in sorted(parts)}
        shares[kind][place] = {part: share for part, share in percent.items() if share > 0}
    return {kind: shares[kind] for kind in sorted(shares)}


def subjects(findings):
    keys = ("kind", "severity", "confidence", "side", "sender", "place")
    return [{key: finding[key] for key in keys} for finding in told(findings)]


def compare(expected, found):
    faults = []
    if expected["findings"] != found["findings"]:
        faults += [f"no longer: {finding}" for finding in expected["findings"] if finding not in found["findings"]]
        faults += [f"new: {finding}" for finding in found["findings"] if finding not in expected["findings"]]
        faults = faults or ["in another order"]
    if expected["budgets"].keys() != found["budgets"].keys():
        return faults + [f"budgets of {sorted(found['budgets'])}, expected {sorted(expected['budgets'])}"]
    for kind, places in expected["budgets"].items():
        for place, parts in places.items():
            now = found["budgets"][kind].get(place, {})
            faults += [f"{kind}, {place}: {part} {now.get(part, 0)} %, expected {parts.get(part, 0)} %"
                       for part in sorted({*parts, *now}) if abs(parts.get(part, 0) - now.get(part, 0)) > WITHIN_PERCENT]
    return faults


def judge_page(page, findings):
    """What the page lacks: sections, pictures that are there, links to findings that the capture has."""
    text = page.read_text(encoding="utf-8")
    faults = []
    if not re.match(r"# .+\n\n> .+", text):
        faults.append("does not begin with a title and a complaint")
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    if sections != SECTIONS:
        faults.append(f"sections {sections}, not {SECTIONS}")
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    if not pictures:
        faults.append("no picture")
    faults += [f"no picture {picture}" for picture in pictures if not (page.parent / picture).is_file()]
    for link in re.findall(r"(?<!!)\[[^]]+\]\(([^)]+)\)", text):
        if link.startswith("sanscope:"):
            kinds = [item.removeprefix("finding=") for item in link.removeprefix("sanscope:").split("&") if item.startswith("finding=")]
            faults += [f"the capture has no finding {kind}" for kind in kinds if kind not in {finding["kind"] for finding in findings}]
        elif "://" not in link and not (page.parent / link.split("#")[0]).is_file():
            faults.append(f"no {link}")
    return faults


def commands_of(page):
    """The lines `sanscope report …` and `sanscope table …` of a page, without what is piped behind them and what they are said to show."""
    blocks = re.findall(r"^```\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [re.split(r"\s{2,}| \| ", line)[0] for block in blocks for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if re.match(r"sanscope (report|table) ", line)]


def judge_commands(program, page, folder):
    """Each runs, and shows something besides a header."""
    faults = []
    commands = commands_of(page)
    if len(commands) < 2:
        faults.append(f"only {len(commands)} commands")
    for command in commands:
        run = run_sanscope(program, command, folder=folder)
        if run.status != 0 or run.out.count("\n") < 2:
            faults.append(f"sanscope {' '.join(command)}: status {run.status}, {run.out.count(chr(10))} lines {run.err}")
    return faults


def prove_scoring(checks):
    """What must not pass does not."""
    def finding(kind, severity="problem", side="path", sender="target"):
        return {"kind": kind, "severity": severity, "side": side, "sender": sender, "title": kind}

    truth = {"cause": {"kind": "lost_segments", "severity": "problem", "side": "path", "sender": "target"}, "beside": ["slow_commands"], "told": [],
             "not_claimed": ["target_wait"], "budget": [{"transfer": "read", "size_class": 4096, "parts": ["recovery", "timeout"], "least": 0.5}]}
    budgets = {"read of 4096": {"session 1, LUN 0": {"recovery": 40, "timeout": 20}}}
    cases = [
        ("the cause alone is right", [finding("lost_segments")], budgets, False),
        ("a consequence after it is", [finding("lost_segments"), finding("slow_commands")], budgets, False),
        ("silence is not", [], budgets, True),
        ("another side is not", [finding("lost_segments", side="target")], budgets, True),
        ("another claim is not", [finding("lost_segments"), finding("path_queue")], budgets, True),
        ("what must not be said is not, even as information", [finding("lost_segments"), finding("target_wait", "information")], budgets, True),
        ("other parts of the time are not", [finding("lost_segments")], {"read of 4096": {"session 1, LUN 0": {"target": 90}}}, True),
    ]
    for claim, findings, parts, wrong in cases:
        faults = judge_truth(findings, parts, truth)
        checks.check(claim, [] if bool(faults) == wrong else [f"judged {faults}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--recorded", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    if arguments.recorded:
        for capture in sorted(arguments.recorded.glob("*/*.pcapng.zst")):
            truth = json.loads((FOLDER / capture.parent.name / "truth.json").read_text())
            findings = table(arguments.sanscope, "findings", capture)
            budgets = shares_of_parts(table(arguments.sanscope, "budgets", capture))
            checks.check(f"{capture.parent.name}: the cause is found, and nothing false", judge_truth(findings, budgets, truth))
        return checks.finish()
    names = arguments.names or sorted(path.parent.name for path in FOLDER.glob("*/*.pcapng.zst"))
    if not arguments.names:
        prove_scoring(checks)
        checks.check("there are ten mysteries", [] if len(names) == 10 else [f"{names}"])
        index = (FOLDER / "README.md").read_text(encoding="utf-8")
        checks.check("README.md names each", [name for name in names if f"({name}.md)" not in index])
    for name in names:
        folder = FOLDER / name
        capture = folder / f"{name}.pcapng.zst"
        size = capture.stat().st_size
        checks.check(f"{name}: the capture is small", [] if size <= MOST_CAPTURE_BYTES else [f"{size} bytes"])
        findings = table(arguments.sanscope, "findings", capture)
        budgets = shares_of_parts(table(arguments.sanscope, "budgets", capture))
        checks.check(f"{name}: the cause is found, and nothing false", judge_truth(findings, budgets, json.loads((folder / "truth.json").read_text())))
        found = {"findings": subjects(findings), "budgets": budgets}
        expected = folder / "expected.json"
        if arguments.update:
            expected.write_text(json.dumps(found, indent=1) + "\n")
        checks.check(f"{name}: findings and budgets as before", compare(json.loads(expected.read_text()), found))
        checks.check(f"{name}: the page is whole", judge_page(FOLDER / f"{name}.md", findings))
        checks.check(f"{name}: its commands show something", judge_commands(arguments.sanscope, FOLDER / f"{name}.md", folder))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

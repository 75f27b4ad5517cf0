#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time budgets against captures in which one part is known by construction.

    budgets_test.py [FOLDER...]    by default captures/samples/budgets; captures/lab/record_budgets records others

Of every sample it is asked whether the parts of each command add up to its turnaround. Of a folder's captures, at both ends:

    part    the part named is what was injected, within 5 % (or 0.15 ms); where that was not known beforehand, what a command
            takes much longer than the median one it has more of that part and of what follows from it
    others  no other part but the path's has more than 5 % of the turnaround (or 0.15 ms), what is unknown among them
    window  the command window was shut for the share of the time that is known, within 5 %, and nowhere else
    path    at the initiator twice the request path is the path's round trip, within 5 % and what the node takes
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, TableError, missing_program, table

MS = 1_000_000
WITHIN = 0.05
LEAST_MS = 0.15
NODE_MS = 0.25
PATH = ("request_path", "return_path")


def budgets_of(row):
    return {name[len("budget_"):-len("_ns")]: int(value) for name, value in row.items() if name.startswith("budget_") and value}


def wrong_sums(rows):
    wrong = []
    for row in rows:
        budget = budgets_of(row)
        turnaround = row["turnaround_ns"]
        known = turnaround and (sum(budget.values()) == int(turnaround) and min(budget.values()) >= 0)
        if not (known if turnaround else not budget):
            wrong.append(f"command {row['command']}: turnaround {turnaround or 'none'}, parts {budget}")
    return wrong


def is_near(value, wanted, least_ms=LEAST_MS):
    return abs(value - wanted) <= max(WITHIN * wanted, least_ms)


def beyond_median(values, of):
    """All together, of those marked in `of`, what is beyond the median of all."""
    median = statistics.median(values)
    return sum(value - median for value, counts in zip(values, of) if counts)


def judge(rows, truth, end):
    """What is wrong at one end: lines."""
    rows = [row for row in rows if row["name"] == truth["of"] and row["turnaround_ns"]]
    if not rows:
        return ["no such commands"]
    turnarounds = [int(row["turnaround_ns"]) / MS for row in rows]
    mean = statistics.fmean(turnarounds)
    means = {part: statistics.fmean(budgets_of(row)[part] for row in rows) / MS for part in budgets_of(rows[0])}
    named = sum(means[part] for part in truth["part"])
    wrong = []
    if truth["mean_ms"] is not None and end in truth["mean_ms"] and not is_near(named, truth["mean_ms"][end]):
        wrong.append(f"part: {'+'.join(truth['part'])} {named:.3f} ms for {truth['mean_ms'][end]:.3f}")
    if truth["excess"] and end == "initiator":
        long = [took > 1.5 * statistics.median(turnarounds) for took in turnarounds]
        consequences = truth["part"] + truth["also"]
        more = beyond_median([sum(budgets_of(row)[part] for part in consequences) / MS for row in rows], long)
        excess = beyond_median(turnarounds, long)
        if not any(long) or not is_near(more, excess):
            wrong.append(f"part: {'+'.join(truth['part'])} {more:.3f} ms of {excess:.3f} beyond the median")
    if end == "target" and truth["mean_ms"] is not None and end not in truth["mean_ms"]:
        return wrong
    for part, value in means.items():
        if part in truth["part"] or part in PATH or part in truth["also"]:
            continue
        if value > max(WITHIN * mean, LEAST_MS):
            wrong.append(f"others: {part} {value:.3f} ms of {mean:.3f}")
    if end == "initiator":
        request = statistics.median(budgets_of(row)["request_path"] for row in rows) / MS
        if not is_near(2 * request, truth["path"], NODE_MS):
            wrong.append(f"path: {2 * request:.3f} ms for {truth['path']}")
    return wrong


def judge_window(rows, budgets, truth, end):
    """What is wrong with the command window of the session that has these commands."""
    rows = [row for row in rows if row["name"] == truth["of"] and row["turnaround_ns"]]
    session = rows[0]["session"]
    lasted_ms = (max(int(row["response_ns"]) for row in rows) - min(int(row["request_ns"]) for row in rows)) / MS
    shut = [row for row in budgets if row["part"] == "command_window_shut" and row["session"] == session]
    shut_ms = sum(int(row["sum_ns"]) for row in shut) / MS
    wanted_ms = truth.get("shut", {}).get(end, 0) * lasted_ms
    wrong = []
    if not is_near(shut_ms, wanted_ms, 0):
        wrong.append(f"window: shut {shut_ms:.1f} ms for {wanted_ms:.1f}")
    wrong += [f"window: queue depth {row['queue_depth']} for {truth.get('depth')}" for row in shut
              if int(row["queue_depth"]) != truth.get("depth")]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=pathlib.Path, default=[SAMPLES / "budgets"], metavar="FOLDER")
    parser.add_argument("--sanscope", type=pathlib.Path, default=pathlib.Path(os.environ.get("SANSCOPE", DEFAULT_SANSCOPE)))
    arguments = parser.parse_args()
    if missing_program(arguments.sanscope):
        return 1
    checks = Checks()
    captures = sorted(path for path in SAMPLES.rglob("*.pcap*"))
    for capture in captures:
        try:
            checks.check(f"{capture.relative_to(SAMPLES)}: the parts add up", wrong_sums(table(arguments.sanscope, "commands", capture, statuses=(0, 3))))
        except TableError as error:
            checks.fail(f"{capture.relative_to(SAMPLES)}: the parts add up", [str(error)])
    for folder in arguments.folders:
        for truth_file in sorted(folder.glob("*/truth.json")):
            truth = json.loads(truth_file.read_text())
            for end in ("initiator", "target"):
                rows = table(arguments.sanscope, "commands", truth_file.parent / f"{end}.pcap.zst")
                checks.check(f"{truth_file.parent.name} at the {end}: {truth['cause']}", judge(rows, truth, end))
                budgets = table(arguments.sanscope, "budgets", truth_file.parent / f"{end}.pcap.zst")
                checks.check(f"{truth_file.parent.name} at the {end}: the command window", judge_window(rows, budgets, truth, end))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

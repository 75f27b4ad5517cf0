#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""libiscsi's own test suite (iscsi-test-cu, of Debian's libiscsi-bin) against `sanscope target`, whose disk is memory and listens
on loopback alone: how many of its tests pass, were skipped and why, or fail. Known failures are those of the suite itself
(docs/reliability.md); any other one ends with status 1.

    analyzer/tests/reliability/target_suite.py"""

import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, missing_program  # noqa: E402

# Each asks for 256 blocks in the one byte that COMPARE AND WRITE has for them: 0, which is no error (SBC-3 5.2).
OF_THE_SUITE = {"CompareAndWrite.Simple", "CompareAndWrite.Miscompare"}


def main():
    sanscope = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_SANSCOPE
    if reason := missing_program(sanscope):
        sys.exit(reason)
    target = subprocess.Popen([sanscope, "target", "--listen", "127.0.0.1:0", "--size", "128M", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        told = json.loads(target.stdout.readline())
        url = f"iscsi://{told['listening']}/{told['target']}/0"
        done = subprocess.run(["iscsi-test-cu", "-d", "-v", "-V", "-t", "ALL", url], capture_output=True, text=True, errors="replace",
                              timeout=900, stdin=subprocess.DEVNULL)
    finally:
        target.terminate()
        target.communicate(timeout=10)
    suite, tests, skipped, reasons = "", {}, {}, collections.Counter()
    test = None
    for line in done.stdout.splitlines():
        if found := re.match(r"Suite: (\S+)", line):
            suite = found[1]
        elif found := re.match(r"\s+Test: (\S+) \.\.\.", line):
            test = f"{suite}.{found[1]}"
            tests[test] = None
        elif test and (found := re.search(r"\[SKIPPED\] (.*)", line)):
            skipped.setdefault(test, found[1].rstrip(". "))
        # The verdict stands at the end of the last line of what the test said, or of its own.
        if test and re.search(r"(^|\s|\.)passed$", line):
            tests[test] = True
        elif test and re.search(r"(^|\s|\.)FAILED$", line):
            tests[test] = False
    counted = re.search(r"^\s*tests\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)", done.stdout, re.M)
    if not counted:
        sys.exit(done.stdout[-2000:] + done.stderr)
    total, ran, passed, failed = map(int, counted.groups())
    for name, why in skipped.items():
        if tests[name] is not False:
            reasons[why] += 1
    held = passed - sum(reasons.values())
    print(f"{total} tests, {ran} run: {held} pass, {sum(reasons.values())} skipped by the suite, {failed} fail")
    for why, count in reasons.most_common():
        print(f"  skipped {count:3}  {why}")
    failures = [name for name, verdict in tests.items() if verdict is False]
    for name in failures:
        print(f"  FAILED  {name}{': by the suite itself, see docs/reliability.md' if name in OF_THE_SUITE else ''}")
    return 0 if failed == len(failures) and set(failures) <= OF_THE_SUITE else 1


if __name__ == "__main__":
    sys.exit(main())

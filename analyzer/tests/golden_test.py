#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden cases: a capture, a question, the expected answer, side by side in golden/CASE.

case.txt says what is asked, a line each, `#` begins a comment:

    capture FILE [FILE...]       of captures/samples
    status N                     the expected exit status (0)
    error TEXT                   what standard error must contain
    output NAME: ARGUMENTS       sanscope is run with these and the captures; its output must be that of expected.NAME.
                                 With `-` among the arguments the capture comes through standard input instead.
    every N NAME: ARGUMENTS      likewise, of tables with a row a packet: only the header and every Nth row are kept.

`--update` writes the expected files of the cases named, or of all, anew: read the difference before committing it."""

import argparse
import difflib
import pathlib
import shlex
import sys

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, run_sanscope

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"


def thinned(text, step):
    """The first line, and of those after it every `step`th."""
    header, *rows = text.splitlines(keepends=True) or [""]
    return header + "".join(rows[step - 1::step])


class Case:
    def __init__(self, folder):
        self.folder = folder
        self.captures = []
        self.status = 0
        self.errors = []
        self.outputs = []  # (name, arguments, every how manyth row)
        for line in (folder / "case.txt").read_text().splitlines():
            line = line.split("#")[0].strip()
            if not line:
                continue
            keyword, _, rest = line.partition(" ")
            if keyword == "capture":
                self.captures = rest.split()
            elif keyword == "status":
                self.status = int(rest)
            elif keyword == "error":
                self.errors.append(rest)
            elif keyword in ("output", "every"):
                step = 1
                if keyword == "every":
                    step, _, rest = rest.partition(" ")
                name, _, command = rest.partition(": ")
                self.outputs.append((name, shlex.split(command), int(step)))
            else:
                sys.exit(f"{folder / 'case.txt'}: what is '{keyword}'?")
        if not self.captures or not self.outputs:
            sys.exit(f"{folder / 'case.txt'}: names no capture or asks nothing")

    def faults(self, program, update):
        result = []
        for name, command, step in self.outputs:
            streamed = "-" in command
            run = run_sanscope(program, command if streamed else command + self.captures, folder=SAMPLES,
                               standard_input=SAMPLES / self.captures[0] if streamed else None)
            asked = f"sanscope {shlex.join(command)} {'< ' if streamed else ''}{' '.join(self.captures)}"
            if run.status != self.status:
                result += [asked, f"expected exit status {self.status}, got {run.describe()}"]
                continue
            result += [f"{asked}: standard error lacks '{text}': {run.err.strip()}" for text in self.errors
                       if text not in run.err]
            expected = self.folder / f"expected.{name}"
            got = thinned(run.out, step)
            if update:
                expected.write_text(got)
            elif not expected.exists():
                result.append(f"{expected} is missing: write it with --update {self.folder.name}")
            elif (wanted := expected.read_text()) != got:
                result += [asked, *difflib.unified_diff(wanted.splitlines(), got.splitlines(), expected.name, "got",
                                                        n=0, lineterm="")]
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", help="only these")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--update", action="store_true", help="write the expected files anew")
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    folders = sorted(path.parent for path in GOLDEN.glob("*/case.txt"))
    unknown = set(arguments.cases) - {folder.name for folder in folders}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    checks = Checks()
    for folder in folders:
        if not arguments.cases or folder.name in arguments.cases:
            checks.check(folder.name, Case(folder).faults(arguments.sanscope.resolve(), arguments.update))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

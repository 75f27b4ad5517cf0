#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""gui_window_test: the window on an X display, as its user drives it: each case of gui_window_test in a process of its own, so that one that
waits for ever is named and costs the others nothing. The unit tests have run the same cases without a display."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import Checks  # noqa: E402

START_SECONDS = 60
CASE_SECONDS = 180


class Display:
    """Xvfb on a display number of its own choice, said on `name` once it accepts connections."""

    def __init__(self):
        ready, said = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(said), "-screen", "0", "1680x1050x24", "-nolisten", "tcp"],
                                       pass_fds=[said], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(said)
        with os.fdopen(ready) as number:
            self.name = ":" + number.readline().strip()
        if self.name == ":":
            raise OSError(f"Xvfb ended with status {self.server.wait()} before it was ready")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


def cases_of(program, environment):
    listed = subprocess.run([program, "--gtest_list_tests"], env=environment, capture_output=True, text=True, check=True,
                            timeout=START_SECONDS).stdout
    cases, suite = [], ""
    for line in listed.splitlines():
        name = line.split("#")[0]
        if re.match(r"\S+\.\s*$", name):
            suite = name.strip()
        elif suite and name.startswith("  "):
            cases.append(suite + name.strip())
    return cases


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/gui_window_test"))
    parser.add_argument("cases", nargs="*", help="as --gtest_list_tests names them; all where none is given")
    arguments = parser.parse_args()
    checks = Checks()
    with Display() as display, tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, DISPLAY=display.name, QT_QPA_PLATFORM="xcb", HOME=home, XDG_CONFIG_HOME=home)
        environment.pop("WAYLAND_DISPLAY", None)
        cases = arguments.cases or cases_of(arguments.program, environment)
        checks.check("the program has cases", [] if cases else ["it lists none"])
        for case in cases:
            try:
                run = subprocess.run([arguments.program, f"--gtest_filter={case}"], env=environment, text=True, errors="replace",
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=CASE_SECONDS)
                lines, faulty = run.stdout.splitlines(), run.returncode != 0 or "[==========] 1 test from" not in run.stdout
            except subprocess.TimeoutExpired as late:
                lines = (late.stdout or b"").decode(errors="replace").splitlines() + [f"not ended within {CASE_SECONDS} s"]
                faulty = True
            if not faulty and any(line.startswith("[  SKIPPED ]") for line in lines):
                checks.skip(case, "; ".join(line for line in lines if not line.startswith("[")))
            else:
                checks.check(case, lines[-40:] if faulty else [])
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

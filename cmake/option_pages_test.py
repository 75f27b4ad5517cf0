#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every option that --help lists stands in the command's page under docs."""

import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("SANSCOPE", str(ROOT / "build" / "release" / "bin" / "sanscope"))
PAGES = {"generate": "generate.md", "target": "generate.md", "experiment": "experiments.md", "fair-tcp start": "fair-tcp.md",
         "fair-tcp status": "fair-tcp.md", "fair-tcp stop": "fair-tcp.md"}


def options_of(command):
    told = subprocess.run([PROGRAM, *command.split(), "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    return [name for name in re.findall(r"^ +(?:-\w,)?(--[a-z0-9-]+)", told, re.MULTILINE) if name != "--help"]


def missing(options, text):
    return [name for name in options if not re.search(re.escape(name) + r"(?![a-z0-9-])", text)]


class OptionPages(unittest.TestCase):
    def test_each_stands_in_its_page(self):
        for command, page in PAGES.items():
            with self.subTest(command=command):
                options = options_of(command)
                self.assertTrue(options or command.startswith("fair-tcp"), "--help lists none")
                self.assertEqual(missing(options, (ROOT / "docs" / page).read_text(encoding="utf-8")), [])

    def test_the_beginning_of_another_does_not_count(self):
        self.assertEqual(missing(["--burst", "--seed"], "`--burst-pause TIME`, --seed N"), ["--burst"])


if __name__ == "__main__":
    unittest.main()

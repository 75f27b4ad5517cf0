#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/python.md with the outputs that its code gives: `page.py` writes them into it."""

import contextlib
import io
import os
import pathlib
import re
import tempfile

import conftest

PAGE = conftest.ROOT / "docs" / "python.md"
BLOCK = re.compile(r"(```python\n(.*?)```\n)(?:\n```text\n.*?```\n)?", re.DOTALL)


def with_outputs(text):
    """Each block of code, and behind it what it prints."""
    names = {}

    def run(match):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(match[2], str(PAGE), "exec"), names)
        lines = [line.rstrip() for line in printed.getvalue().rstrip().splitlines()]
        return match[1] + ("\n```text\n" + "\n".join(lines) + "\n```\n" if lines else "")

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "captures").symlink_to(conftest.ROOT / "captures")
        os.chdir(folder)
        try:
            return BLOCK.sub(run, text)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    PAGE.write_text(with_outputs(PAGE.read_text()))

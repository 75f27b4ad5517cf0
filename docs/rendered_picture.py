# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of views for the pages of docs, drawn by sanscope-gui and made a third as large by pngquant."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

MOST_BYTES = 60_000
DAMAGED = 3  # exit status: what comes before the damage is shown


def need_pngquant():
    if shutil.which("pngquant") is None:
        sys.exit("there is no pngquant: apt-get install pngquant")


def draw(program, capture, view, to, size, theme="light", place=(), colours=("64", "32"), most=MOST_BYTES):
    """One view of a capture as the file `to`; `place`: further options of sanscope-gui."""
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run([program, capture, "--render", scratch, "--view", view, "--size", size, "--theme", theme, *place],
                             capture_output=True, text=True)
        if run.returncode not in (0, DAMAGED):
            sys.exit(f"{to.stem}: {run.stderr.strip()}")
        shrink(pathlib.Path(scratch) / f"{view}.png", to, colours, most)


def shrink(drawn, to, colours, most):
    """By pngquant, with as many of these numbers of colours as it takes; says how large it became."""
    for number in colours:
        subprocess.run(["pngquant", number, "--speed", "1", "--strip", "--force", "--output", to, drawn], check=True)
        if to.stat().st_size <= most:
            break
    written = to.stat().st_size
    print(f"{to.name}: {written} bytes" + (f", more than {most}" if written > most else ""))

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the pictures of the mysteries' pages anew, of their captures. Needs sanscope-gui, and pngquant.

  docs/mysteries/make_pictures.py              all of them
  docs/mysteries/make_pictures.py 04 07        those of some"""

import argparse
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(FOLDER.parent))
from rendered_picture import draw, need_pngquant  # noqa: E402

SIZE = "1000x460"

# name of the mystery: views, each with what is drawn of it
SHOWN = {
    "01-ping-timeouts": [("ladder", "--finding", "ping_timeout"), ("layers", "--finding", "ping_timeout")],
    "02-long-path": [("windows", "--finding", "receiver_window"), ("time-budgets",)],
    "03-one-bad-path": [("turnaround",), ("ladder", "--finding", "lost_segments")],
    "04-writes-wait-40-ms": [("ladder", "--finding", "delayed_ack")],
    "05-jumbo-frames": [("ladder", "--finding", "mtu_black_hole")],
    "06-backup-and-database": [("layers", "--finding", "head_of_line"), ("turnaround",)],
    "07-incast": [("layers", "--finding", "incast"), ("time-budgets",)],
    "08-queue-full": [("turnaround",), ("commands", "--finding", "target_queue_full")],
    "09-cloned-machine": [("sessions",), ("connections",)],
    "10-a-capture-that-lies": [("ladder", "--at", "4347"), ("losses",), ("time-budgets",)],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("NUMBER", nargs="*", help="only these")
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/sanscope-gui"))
    parser.add_argument("--theme", default="light")
    parser.add_argument("--into", type=pathlib.Path, default=FOLDER / "pictures", help="another folder, to look at")
    arguments = parser.parse_args()
    need_pngquant()
    arguments.into.mkdir(parents=True, exist_ok=True)
    for name, pictures in SHOWN.items():
        number = name[:2]
        if arguments.NUMBER and number not in arguments.NUMBER:
            continue
        for view, *place in pictures:
            draw(arguments.program, FOLDER / name / f"{name}.pcapng.zst", view, arguments.into / f"{number}-{view}.png", SIZE,
                 arguments.theme, place)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws every picture of docs/ anew that one machine can draw by itself: views and the window of the guides, those of findings and
mysteries, the architecture. Needs sanscope-gui, pngquant, Graphviz and Xvfb: `./bootstrap pictures` brings them.

  docs/make_pictures.py                   all
  docs/make_pictures.py ladder window     some of docs/pictures alone
  docs/make_pictures.py --list            where each picture comes from, and which are not drawn here"""

import argparse
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))
from rendered_picture import draw, need_pngquant, shrink  # noqa: E402

SAMPLES = ROOT / "captures" / "samples"
LOSSES = SAMPLES / "loss-mixed-initiator.pcap.zst"

# name: view, size, theme, what is drawn; all of the sample with losses.
VIEWS = {
    "io-graph": ("io-graph", "1500x760", "light", ()),
    "ladder": ("ladder", "1500x800", "light", ("--from", "103ms", "--to", "106ms")),
    "layers": ("layers", "1500x640", "light", ("--from", "18ms", "--to", "48ms", "--select", "command:7")),
    "time-budgets": ("time-budgets", "1500x700", "light", ()),
    "time-sequence": ("time-sequence", "1500x700", "light", ("--from", "96ms", "--to", "108ms")),
    "turnaround": ("turnaround", "1500x760", "light", ("--select", "command:40")),
    "windows-dark": ("windows", "1500x760", "dark", ()),
}
WHOLE = ("compare", "window")
# These are looked at closely, and there are few of them.
CLOSELY = {"colours": ("256", "128"), "most": 130_000}
# Those that need a load, a recording, a server or a hand.
BY_HAND = {
    "load": "the window while `sanscope generate` loads a `sanscope target`: Generate › Generate load…, with a recording of it",
    "experiment": "Generate › Experiment… with some runs done: `sudo sanscope experiment oguchi-fig6-7`",
    "practice": "Help › Practice…, a case, its first link followed",
    "metrics-dashboard": "docs/monitoring/draw_dashboard.py, from what analyzer/tests/metrics_test.py keeps",
}


def compared(program, to):
    """A comparison's tab, of which --render draws one picture."""
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([program, "--compare", LOSSES, SAMPLES / "reads-4k-qd8.pcap.zst", "--render", scratch, "--size", "1400x520",
                        "--theme", "light"], check=True, capture_output=True)
        shrink(pathlib.Path(scratch) / "compare.png", to, **CLOSELY)


def png_of(frame_buffer):
    """The picture in Xvfb's frame buffer, which is in the format of xwd."""
    data = frame_buffer.read_bytes()
    header, colours = struct.unpack_from(">I", data, 0)[0], struct.unpack_from(">I", data, 76)[0]
    width, height, line = (struct.unpack_from(">I", data, at)[0] for at in (16, 20, 48))
    begin, rows = header + 12 * colours, bytearray()
    for y in range(height):
        row = data[begin + y * line:begin + y * line + 4 * width]
        rows.append(0)
        rgb = bytearray(3 * width)
        rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
        rows += rgb

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(bytes(rows), 6)) + chunk(b"IEND", b"")


def window(program, to):
    """The whole window as it opens a capture, on a display of its own, with settings of nobody."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        told, said = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(said), "-screen", "0", "1600x960x24",
                                   "-nolisten", "tcp", "-nocursor", "-fbdir", scratch],
                                  pass_fds=[said], stderr=subprocess.DEVNULL)
        os.close(said)
        try:
            display = os.read(told, 16).decode().strip()
            environment = {name: value for name, value in os.environ.items() if name not in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")}
            environment |= {"DISPLAY": f":{display}", "HOME": scratch, "XDG_CONFIG_HOME": scratch, "XDG_CACHE_HOME": scratch}
            shown = subprocess.Popen([program, LOSSES, "--theme", "light"], env=environment, stderr=subprocess.DEVNULL)
            before, same = b"", 0
            deadline = time.monotonic() + 60
            # Until nothing has changed for two seconds.
            while same < 4 and time.monotonic() < deadline:
                time.sleep(0.5)
                now = (folder / "Xvfb_screen0").read_bytes()
                same = same + 1 if now == before and len(set(now[-40_000:])) > 1 else 0
                before = now
            shown.terminate()
            shown.wait()
            (folder / "frame").write_bytes(before)
            (folder / "window.png").write_bytes(png_of(folder / "frame"))
            shrink(folder / "window.png", to, **CLOSELY)
        finally:
            server.terminate()
            server.wait()
            os.close(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("NAME", nargs="*", help="only these of docs/pictures")
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/sanscope-gui"))
    parser.add_argument("--into", type=pathlib.Path, default=HERE / "pictures", help="another folder for those of docs/pictures, to look at")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        for name in sorted([*VIEWS, *WHOLE]):
            print(f"docs/pictures/{name}.png: drawn here, of {LOSSES.name}")
        for name, how in sorted(BY_HAND.items()):
            print(f"docs/pictures/{name}.png: by hand: {how}")
        print("docs/findings/pictures: docs/findings/make_pictures.py\ndocs/mysteries/pictures: docs/mysteries/make_pictures.py\n"
              "docs/architecture: docs/architecture/draw.py\ndocs/experiments: sanscope experiment")
        return
    if unknown := sorted(set(arguments.NAME) - set(VIEWS) - set(WHOLE)):
        sys.exit(f"not drawn here: {', '.join(unknown)}; --list says how")
    need_pngquant()
    arguments.into.mkdir(parents=True, exist_ok=True)
    wanted = arguments.NAME or [*VIEWS, *WHOLE]
    for name in wanted:
        to = arguments.into / f"{name}.png"
        if name in VIEWS:
            view, size, theme, place = VIEWS[name]
            draw(arguments.program, LOSSES, view, to, size, theme, place, **CLOSELY)
        else:
            {"compare": compared, "window": window}[name](arguments.program, to)
    if not arguments.NAME:
        for script in ("findings/make_pictures.py", "mysteries/make_pictures.py"):
            subprocess.run([sys.executable, HERE / script, "--program", arguments.program], check=True)
        subprocess.run([sys.executable, HERE / "architecture" / "draw.py"], check=True)


if __name__ == "__main__":
    main()

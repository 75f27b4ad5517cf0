#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of docs/architecture.md, as SVG: of the two *.dot beside this, by Graphviz, and of cmake/layers.txt, which says what each
folder may include. Readable on light and on dark: each brings its own ground.

  docs/architecture/draw.py            draws them
  docs/architecture/draw.py --check    says which are older than what they are drawn of; needs no Graphviz"""

import argparse
import hashlib
import html
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "cmake"))
import layers  # noqa: E402

DRAWN = ("processes", "packet")
STYLE = """
  .ground { fill: #ffffff } text { fill: #1c2430; font-family: 'DejaVu Sans', Helvetica, Arial, sans-serif }
  .node path, .node polygon, .node ellipse { fill: #ffffff; stroke: #5b6b7d }
  .thing path, .thing polygon { fill: none; stroke: none } .thing text { font-style: italic }
  .cluster path, .cluster polygon { fill: #eef1f4; stroke: #c3ccd5 } .cluster text { font-weight: bold }
  .rights path, .rights polygon { fill: #fdeedb } .user path, .user polygon { fill: #e3f0fb } .less path, .less polygon { fill: #e4f5ea }
  .edge path { fill: none; stroke: #5b6b7d } .edge polygon { fill: #5b6b7d; stroke: #5b6b7d } .edge text { fill: #43505e }
  .band { fill: #eef1f4 } .may { fill: #1f6fb2 } .self { fill: #9aa7b4 } .rule { stroke: #c3ccd5 } .name { font-size: 11px }
  .layer { font-size: 11px; font-weight: bold }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #15191e } text { fill: #e4e8ed } .node path, .node polygon, .node ellipse { fill: #20262d; stroke: #8a99a8 }
    .thing path, .thing polygon { fill: none; stroke: none }
    .cluster path, .cluster polygon { fill: #1b2026; stroke: #3c4752 }
    .rights path, .rights polygon { fill: #3a2c19 } .user path, .user polygon { fill: #18293a } .less path, .less polygon { fill: #18301f }
    .node path, .node polygon { fill: #20262d } .thing path, .thing polygon { fill: none }
    .edge path { stroke: #8a99a8 } .edge polygon { fill: #8a99a8; stroke: #8a99a8 } .edge text { fill: #b4bec8 }
    .band { fill: #1b2026 } .may { fill: #58a6ff } .self { fill: #5b6773 } .rule { stroke: #3c4752 }
  }
"""


def mark(text):
    """By which it is known what a picture was drawn of."""
    return hashlib.sha256((text + STYLE).encode()).hexdigest()[:16]


def begin(width, height, title, of):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
            f"<title>{html.escape(title)}</title>", f"<desc>drawn of {of}</desc>", f"<style>{STYLE}</style>",
            f'<rect class="ground" width="{width}" height="{height}" rx="6"/>']


def by_graphviz(name):
    text = (HERE / f"{name}.dot").read_text(encoding="utf-8")
    drawn = subprocess.run(["dot", "-Tsvg", "-Gfontname=DejaVu Sans", "-Nfontname=DejaVu Sans", "-Efontname=DejaVu Sans", "-Nshape=box",
                            "-Nstyle=rounded", "-Gstyle=rounded", "-Nfontsize=11", "-Efontsize=9", "-Gfontsize=11", "-Gbgcolor=transparent",
                            "-Nmargin=0.12,0.06", "-Earrowsize=0.7"], input=text, capture_output=True, text=True, check=True).stdout
    width, height = map(int, re.search(r'width="(\d+)pt" height="(\d+)pt"', drawn).groups())
    inside = drawn[drawn.index("<g id="):drawn.rindex("</svg>")]
    inside = re.sub(r"<!--.*?-->\n?", "", inside, flags=re.DOTALL)
    inside = re.sub(r' (?:font-family|fill|stroke)="[^"]*"', "", inside)
    inside = re.sub(r"<title>[^<]*</title>\n", "", inside)
    head = begin(width, height, re.search(r"^// ([A-Z].*?)\. Drawn by", text, re.MULTILINE)[1], f"{name}.dot {mark(text)}")
    return "\n".join([*head, inside.strip(), "</svg>", ""])


def of_layers():
    """A row and a column for each folder, from the top down; a square where the folder of the row may include that of the column. All of
    them lie on one side of the diagonal: what includes stands above what is included."""
    plan = layers.read_plan(layers.LAYERS.read_text(encoding="utf-8"))
    rows = [(layer.name, folder) for layer in reversed(plan.layers) for folder in reversed(layer.folders)]
    step, left, top, right = 13, 290, 176, 150
    width, height = left + step * len(rows) + right, top + step * len(rows) + 14
    out = begin(width, height, "Which folder may include which: a square, where that of the row may include that of the column",
                f"cmake/layers.txt {mark(repr(rows) + repr(sorted((k, sorted(v)) for k, v in plan.allowed.items())))}")
    at = {folder: i for i, (_, folder) in enumerate(rows)}
    first = 0
    for number, layer in enumerate(reversed(plan.layers)):
        y, high = top + first * step, step * len(layer.folders)
        if number % 2 == 0:
            out.append(f'<rect class="band" x="8" y="{y}" width="{width - 16}" height="{high}"/>')
        out.append(f'<text class="layer" x="14" y="{y + high / 2 + 4:.1f}">{html.escape(layer.name)}</text>')
        first += len(layer.folders)
    for i, (_, folder) in enumerate(rows):
        x, y = left + i * step, top + i * step
        name = html.escape(folder)
        out.append(f'<text class="name" x="{left - 8}" y="{y + 10}" text-anchor="end">{name}</text>')
        out.append(f'<text class="name" transform="translate({x + 10} {top - 8}) rotate(-60)">{name}</text>')
        out.append(f'<line class="rule" x1="{left}" x2="{left + step * len(rows)}" y1="{y}" y2="{y}" stroke-width="0.4"/>')
        out.append(f'<line class="rule" x1="{x}" x2="{x}" y1="{top}" y2="{top + step * len(rows)}" stroke-width="0.4"/>')
        out.append(f'<rect class="self" x="{x + 2}" y="{y + 2}" width="{step - 4}" height="{step - 4}"/>')
        for other in sorted(plan.allowed[folder], key=at.get):
            out.append(f'<rect class="may" x="{left + at[other] * step + 2}" y="{y + 2}" width="{step - 4}" height="{step - 4}">'
                       f"<title>{name} may include {html.escape(other)}</title></rect>")
    return "\n".join([*out, "</svg>", ""])


def stale():
    """Those that are not of what they are drawn of."""
    for name in DRAWN:
        text, drawn = (HERE / f"{name}.dot").read_text(encoding="utf-8"), HERE / f"{name}.svg"
        if not drawn.exists() or f"drawn of {name}.dot {mark(text)}<" not in drawn.read_text(encoding="utf-8"):
            yield f"{name}.svg"
    drawn = HERE / "folders.svg"
    if not drawn.exists() or drawn.read_text(encoding="utf-8") != of_layers():
        yield "folders.svg"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        old = list(stale())
        print("\n".join(f"docs/architecture/{name} is older than what it is drawn of: run docs/architecture/draw.py" for name in old)
              or "all are up to date")
        return 1 if old else 0
    for name in DRAWN:
        (HERE / f"{name}.svg").write_text(by_graphviz(name), encoding="utf-8")
    (HERE / "folders.svg").write_text(of_layers(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

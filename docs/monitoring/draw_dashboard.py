#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws sanscope-dashboard.json as an SVG, from what a Prometheus answered to its queries: the file dashboard-answers.json that
`analyzer/tests/metrics_test.py prometheus --keep FOLDER` leaves. It is no Grafana: what it shows is which panels there are, where,
and that their queries answer.

    docs/monitoring/draw_dashboard.py FOLDER/dashboard-answers.json | rsvg-convert -o docs/pictures/metrics-dashboard.png"""

import argparse
import html
import json
import math
import pathlib
import re

COLUMN, ROW, MARGIN = 56, 30, 6
COLOURS = ["#73bf69", "#f2cc0c", "#5794f2", "#ff9830", "#f2495c", "#b877d9", "#8ab8ff", "#ffa6b0", "#96d98d", "#fade2a", "#ca95e5", "#ffb357",
           "#1f78c1"]


def text(x, y, words, size=11, colour="#ccccdc", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}">{html.escape(words)}</text>'


def shown(value, unit):
    if unit == "percentunit":
        return f"{100 * value:.0f} %"
    if unit == "s":
        for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
            if value * factor >= 1:
                return f"{value * factor:.3g} {name}"
        return "0 s"
    for factor, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.3g} {name}" + ("B" if unit in ("bytes", "Bps") else "")
    return f"{value:.3g}"


def finite(value):
    number = float(value)
    return number if math.isfinite(number) else None


def legend(one, metric):
    return re.sub(r"\{\{(\w+)\}\}", lambda match: metric.get(match.group(1), ""), one["legendFormat"]) or "value"


def series_of(panel, answers):
    for one in panel["targets"]:
        for found in answers.get((panel["title"], one["legendFormat"], one["refId"]), []):
            yield legend(one, found["metric"]), [(float(at), finite(value)) for at, value in found["values"]]


def chart(panel, answers, x, y, width, height):
    unit = panel["fieldConfig"]["defaults"]["unit"]
    series = list(series_of(panel, answers))
    stacked = "stacking" in panel["fieldConfig"]["defaults"].get("custom", {})
    if stacked:
        below, piled = {}, []
        for name, points in series:
            points = [(at, (value or 0) + below.get(at, 0)) for at, value in points]
            below.update(points)
            piled.append((name, points))
        series = piled[::-1]
    times = [at for _, points in series for at, _ in points] or [0, 1]
    most = max([value for _, points in series for _, value in points if value is not None] or [1]) or 1
    left, right, top, bottom = x + 58, x + width - 8, y + 30, y + height - 14 - 13 * min(4, (len(series) + 1) // 2)
    begin, end = min(times), max(max(times), min(times) + 1)
    out = []
    for tick in range(5):
        at = bottom - (bottom - top) * tick / 4
        out.append(f'<line x1="{left}" x2="{right}" y1="{at:.1f}" y2="{at:.1f}" stroke="#2c3235"/>')
        out.append(text(left - 5, at + 4, shown(most * tick / 4, unit), 10, "#8e8e9a", "end"))
    for number, (name, points) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        places = [(left + (right - left) * (at - begin) / (end - begin), bottom - (bottom - top) * value / most)
                  for at, value in points if value is not None]
        if not places:
            continue
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        if stacked:
            out.append(f'<polygon points="{places[0][0]:.1f},{bottom:.1f} {line} {places[-1][0]:.1f},{bottom:.1f}" fill="{colour}"/>')
        out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        if number < 8:
            across, down = number % 2, number // 2
            at = left - 46 + across * (width - 20) / 2, bottom + 14 + 13 * down
            out.append(f'<rect x="{at[0]:.1f}" y="{at[1] - 4:.1f}" width="10" height="3" fill="{colour}"/>')
            out.append(text(at[0] + 14, at[1], name[-int(width / 13):], 10))
    return out


def stat(panel, answers, x, y, width, height):
    values = [points[-1][1] for _, points in series_of(panel, answers) if points and points[-1][1] is not None]
    unit = panel["fieldConfig"]["defaults"]["unit"]
    return [text(x + width / 2, y + height / 2 + 16, shown(sum(values), unit) if values else "no data", 26, "#73bf69", "middle")]


def heatmap(panel, answers, x, y, width, height):
    rows = {}
    for found in answers.get((panel["title"], panel["targets"][0]["legendFormat"], panel["targets"][0]["refId"]), []):
        rows[float(found["metric"]["le"].replace("+Inf", "inf"))] = {float(at): float(value) for at, value in found["values"]}
    bounds = [bound for bound in sorted(rows)]
    used = [bound for low, bound in zip([None, *bounds], bounds) if any(
        value - (rows[low].get(at, 0) if low is not None else 0) > 0 for at, value in rows[bound].items())]
    times = sorted({at for row in rows.values() for at in row})
    if not used or not times:
        return []
    left, top, wide, high = x + 58, y + 30, width - 66, height - 44
    cell = wide / len(times), high / len(used)
    counts = {(at, bound): rows[bound].get(at, 0) - (rows[low].get(at, 0) if low is not None else 0)
              for low, bound in zip([None, *bounds], bounds) if bound in used for at in times}
    most = max(counts.values()) or 1
    out = []
    for i, bound in enumerate(used):
        at_y = top + high - (i + 1) * cell[1]
        out.append(text(left - 5, at_y + 4, shown(bound, "s") if math.isfinite(bound) else "more", 10, "#8e8e9a", "end"))
        for j, at in enumerate(times):
            if counts[at, bound] > 0:
                out.append(f'<rect x="{left + j * cell[0]:.1f}" y="{at_y:.1f}" width="{cell[0]:.1f}" height="{cell[1]:.1f}" fill="#ff9830" '
                           f'fill-opacity="{0.15 + 0.85 * counts[at, bound] / most:.2f}"/>')
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers", type=pathlib.Path, help="dashboard-answers.json")
    arguments = parser.parse_args()
    dashboard = json.loads((pathlib.Path(__file__).parent / "sanscope-dashboard.json").read_text(encoding="utf-8"))
    answers = {}
    of = {}
    for title, query, found in json.loads(arguments.answers.read_text(encoding="utf-8")):
        of.setdefault(title, []).append(found)
    for panel in dashboard["panels"]:
        for one, found in zip(panel.get("targets", []), of.get(panel["title"], [])):
            answers[panel["title"], one["legendFormat"], one["refId"]] = found
    depth = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard["panels"])
    width, height = 24 * COLUMN, depth * ROW + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">',
           f'<rect width="{width}" height="{height}" fill="#111217"/>']
    kinds = {"timeseries": chart, "stat": stat, "heatmap": heatmap}
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        x, y, w, h = place["x"] * COLUMN + MARGIN, place["y"] * ROW + MARGIN, place["w"] * COLUMN - MARGIN, place["h"] * ROW - MARGIN
        if panel["type"] == "row":
            out.append(text(x, y + 16, panel["title"], 15))
            continue
        out.append(f'<rect x="{x}" y="{y}" width="{w}" height="{h}" fill="#181b1f" stroke="#2c3235"/>')
        out.append(text(x + 8, y + 18, panel["title"], 12))
        out += kinds[panel["type"]](panel, answers, x, y, w, h)
    print("\n".join([*out, "</svg>"]))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores as a table for people."""

COLUMNS = (  # heading, figures, decimals
    ("cwnd all", ("cwnd.all.median", "cwnd.all.p90"), 3),
    ("limited", ("cwnd.limited.median", "cwnd.limited.p90"), 3),
    ("recovery", ("cwnd.recovery.median", "cwnd.recovery.p90"), 3),
    ("application", ("cwnd.application.median", "cwnd.application.p90"), 3),
    ("ssthresh", ("ssthresh.median", "ssthresh.p90"), 3),
    ("srtt", ("srtt.median",), 3),
    ("interval", ("interval.holds", "interval.width"), 3),
    ("P", ("states.precision",), 3),
    ("R", ("states.recall",), 3),
    ("F1", ("states.f1",), 3),
    ("1 RTT", ("states.f1_rtt",), 3),
    ("1 ms", ("states.f1_1ms",), 3),
    ("time", ("states.time",), 3),
)


def cells(figures):
    for _, names, decimals in COLUMNS:
        yield " / ".join("-" if figures[name] is None else f"{figures[name]:.{decimals}f}" for name in names)


def named(figures):
    """What became of the congestion control's name."""
    if figures["congestion_control.wrong"]:
        return "wrong"
    if figures["congestion_control.right"]:
        return "right"
    return "missing" if figures["congestion_control.told"] is not None else "unknown"


def grid(rows):
    """Columns as wide as their widest cell; all but the first two to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(f"{cell:<{width}}" if number < 2 else f"{cell:>{width}}"
                               for number, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


HEADINGS = [heading for heading, _, _ in COLUMNS]


def scores_table(scores):
    rows = [["recording", "sender and capture", *HEADINGS, "named"]]
    last = None
    for score in scores:
        title = "" if score.recording == last else f"{score.recording} ({score.scenario_class})"
        last = score.recording
        rows.append([title, f"{score.sender} {score.vantage}'s", *cells(score.figures),
                     f"{score.congestion_control} {named(score.figures)}"])
    return grid(rows)


def classes_table(class_scores):
    rows = [["class", "capture", *HEADINGS, "named"]]
    for (scenario_class, vantage), score in class_scores.items():
        right, wrong = score.figures["congestion_control.right"], score.figures["congestion_control.wrong"]
        rows.append([scenario_class, f"{vantage}'s", *cells(score.figures), f"{right:.0%} right, {wrong:.0%} wrong"])
    return grid(rows)

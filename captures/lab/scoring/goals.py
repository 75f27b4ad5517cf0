# SPDX-License-Identifier: GPL-3.0-or-later
"""Thresholds that scores must keep to.

A goals file is JSON: {VANTAGE: {CLASS: {FIGURE: {"at_most": X, "at_least": Y}}}}, with `*` for every class; what is
said for a class by its name goes before what is said for `*`. `all` is of the mean over the recordings of all classes,
`each` of every sender by itself, which no mean excuses. FIGURE is a name of measures.score(). Of a single sender, what
it has nothing of is not asked."""

import json

from .kernel_record import CLASSES
from .scoreboard import VANTAGES, over_all


class GoalsError(Exception):
    pass


def read_goals(path):
    try:
        with open(path) as file:
            goals = json.load(file)
        for vantage, classes in goals.items():
            if vantage not in VANTAGES:
                raise GoalsError(f"{path}: there is no vantage '{vantage}'")
            for name, figures in classes.items():
                if name not in CLASSES + ("*", "all", "each"):
                    raise GoalsError(f"{path}: there is no class '{name}'")
                for figure, bounds in figures.items():
                    if not bounds or not set(bounds) <= {"at_most", "at_least"}:
                        raise GoalsError(f"{path}: {name}: {figure}: a bound is at_most or at_least")
        return goals
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise GoalsError(f"{path}: {error}") from error


def verdicts(goals, class_scores, scores=()):
    """Of every goal of what was scored its claim, and if it is missed what was measured, else None."""
    for (scenario_class, vantage), score in class_scores.items():
        classes = goals.get(vantage, {})
        wanted = {**classes.get("*", {}), **classes.get(scenario_class, {})}
        yield from judged(wanted, score, f"{scenario_class}, from the {vantage}'s capture")
    for vantage, score in over_all(scores).items():
        yield from judged(goals.get(vantage, {}).get("all", {}), score, f"over all, from the {vantage}'s capture")
    for score in scores:
        if score.busy:
            wanted = {figure: bounds for figure, bounds in goals.get(score.vantage, {}).get("each", {}).items()
                      if score.figures.get(figure) is not None}
            yield from judged(wanted, score, f"{score.recording}: {score.sender} from the {score.vantage}'s capture")


def judged(wanted, score, of_what):
    for figure, bounds in wanted.items():
        value = score.figures.get(figure)
        for bound, limit in bounds.items():
            claim = f"{of_what}: {figure} {bound.replace('_', ' ')} {limit:g}"
            if value is None:
                yield claim, "nothing was measured"
            elif value > limit if bound == "at_most" else value < limit:
                yield claim, f"{value:.4f}"
            else:
                yield claim, None

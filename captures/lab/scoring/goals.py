# SPDX-License-Identifier: GPL-3.0-or-later
"""Thresholds that scores must keep to.

A goals file is JSON: {VANTAGE: {CLASS: {FIGURE: {"at_most": X, "at_least": Y}}}}, with `*` for every class; what is
said for a class by its name goes before what is said for `*`. FIGURE is a name of measures.score()."""

import json

from .kernel_record import CLASSES
from .scoreboard import VANTAGES


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
                if name not in CLASSES + ("*",):
                    raise GoalsError(f"{path}: there is no class '{name}'")
                for figure, bounds in figures.items():
                    if not bounds or not set(bounds) <= {"at_most", "at_least"}:
                        raise GoalsError(f"{path}: {name}: {figure}: a bound is at_most or at_least")
        return goals
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise GoalsError(f"{path}: {error}") from error


def verdicts(goals, class_scores):
    """Of every goal of a class that was scored its claim, and if it is missed what was measured, else None."""
    for (scenario_class, vantage), score in class_scores.items():
        classes = goals.get(vantage, {})
        for figure, bounds in {**classes.get("*", {}), **classes.get(scenario_class, {})}.items():
            value = score.figures.get(figure)
            for bound, limit in bounds.items():
                said = f"{figure} {bound.replace('_', ' ')} {limit:g}"
                claim = f"{scenario_class}, from the {vantage}'s capture: {said}"
                if value is None:
                    yield claim, "nothing was measured"
                elif value > limit if bound == "at_most" else value < limit:
                    yield claim, f"{value:.4f}"
                else:
                    yield claim, None

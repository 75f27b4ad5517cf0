# SPDX-License-Identifier: GPL-3.0-or-later
"""Two captures, before and after a change."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any

from .program import FileName, as_argument, run


@dataclasses.dataclass(frozen=True)
class Figure:
    """One figure of a session before and after. `verdict`: higher, lower, not_shown, or another word of `docs/compare.md`;
    `reason` says why nothing is said. `change` is a ratio or a difference, as `compared_by` says, with its 95 % interval."""

    initiator_name: str | None
    target_name: str | None
    figure: str
    lun: int | None
    command: str | None
    bytes_up_to: int | None
    sender: str | None
    before: float | None
    after: float | None
    compared_by: str | None
    change: float | None
    change_low: float | None
    change_high: float | None
    verdict: str
    reason: str | None


@dataclasses.dataclass(frozen=True)
class ChangedFinding:
    """A finding that appeared, is gone or stayed, as `state` says."""

    state: str
    kind: str
    severity_before: str | None
    title_before: str | None
    severity_after: str | None
    title_after: str | None
    place: str | None


@dataclasses.dataclass(frozen=True)
class Comparison:
    figures: tuple[Figure, ...]
    findings: tuple[ChangedFinding, ...]
    #: 3 where one of the captures is damaged: all before the damage was compared.
    exit_status: int
    #: All that `sanscope compare --format json` has.
    document: Mapping[str, Any]

    @property
    def changed(self) -> list[Figure]:
        """The figures that differ by more than chance."""
        return [figure for figure in self.figures if figure.verdict in ("higher", "lower")]


def compare(before: FileName, after: FileName, *, decode_as: Sequence[str] = (), program: FileName | None = None) -> Comparison:
    """What differs between two captures by more than they vary themselves: `docs/compare.md`. Raises as read() does."""
    rules = [word for rule in decode_as for word in ("-d", rule)]
    written, status = run(["compare", "--format", "json", *rules, as_argument(before), as_argument(after)], program=program)
    document = json.loads(written)
    figures = [_filled(Figure, {**figure, "initiator_name": session["initiator_name"], "target_name": session["target_name"]})
               for session in document["sessions"] for figure in session["figures"]]
    found = [_filled(ChangedFinding, finding) for finding in document["findings"]]
    return Comparison(tuple(figures), tuple(found), status, document)


def _filled(kind: Any, values: Mapping[str, Any]) -> Any:
    return kind(**{field.name: values.get(field.name) for field in dataclasses.fields(kind)})

# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong, and what was wrong with a capture of which there are rows all the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence


class SanscopeError(Exception):
    """The program could not do what was asked. `said` is what it told on standard error, `exit_status` what it ended with:
    negative where a signal ended it, None where it did not run."""

    def __init__(self, message: str, *, exit_status: int | None = None, said: str = "") -> None:
        super().__init__(message)
        self.exit_status = exit_status
        self.said = said

    def __reduce__(self) -> tuple[object, ...]:
        return (_again, (type(self), str(self), self.exit_status, self.said))


def _again(kind: type[SanscopeError], message: str, exit_status: int | None, said: str) -> SanscopeError:
    return kind(message, exit_status=exit_status, said=said)


class ProgramNotFound(SanscopeError):
    """There is no program `sanscope`."""


class NothingAnalysed(SanscopeError):
    """Exit status 1: no file could be opened, or none is a capture."""


class UsageError(SanscopeError):
    """Exit status 2: no such table, an expression that is none, a port that is none."""


class Interrupted(SanscopeError):
    """Exit status 130: the program was interrupted before it had read all."""


@dataclasses.dataclass(frozen=True)
class Damage:
    """Where a capture is damaged or cut off. All before it is in the tables."""

    file: str
    message: str
    at_byte: int | None


def parse_damage(text: str, files: Sequence[str]) -> tuple[Damage, ...]:
    """Of `sanscope.damage` in a schema's metadata, which has a line for each damaged file. Names of files may have colons:
    `files` tells where they end."""
    found = []
    for line in filter(None, text.split("\n")):
        file = max((name for name in files if line.startswith(name + ": ")), key=len, default=line.partition(": ")[0])
        message, at, place = line[len(file) + 2:].rpartition(" at byte ")
        if at and place.isdigit():
            found.append(Damage(file, message, int(place)))
        else:
            found.append(Damage(file, line[len(file) + 2:], None))
    return tuple(found)


def error_of(status: int, said: str) -> SanscopeError:
    """For an exit status that is none of success."""
    last = said.strip().splitlines()[-1:] or [""]
    line = last[0].removeprefix("sanscope: ")
    if status == 1:
        return NothingAnalysed(line or "nothing could be analysed", exit_status=status, said=said)
    if status == 2:
        lines = [one.removeprefix("sanscope: ") for one in said.strip().splitlines() if not one.startswith("Run with")]
        return UsageError("\n".join(lines) or "usage", exit_status=status, said=said)
    if status in (130, -2):
        return Interrupted(line or "interrupted", exit_status=status, said=said)
    how = f"ended by signal {-status}" if status < 0 else f"exit status {status}"
    return SanscopeError(f"sanscope: {how}{': ' + line if line else ''}", exit_status=status, said=said)

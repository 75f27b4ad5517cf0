# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures and their tables."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Sequence
from io import BufferedReader
from typing import Any

from .errors import Damage
from .program import FileName, Readable, as_argument, buffered, run
from .tables import Table, open_file

#: The tables of a capture; `sanscope table --help` explains them.
TABLES = ("connections", "sessions", "commands", "budgets", "pdus", "windows", "ca_transitions", "losses",
          "kernel_windows", "kernel_ca_transitions", "findings", "captures")


def read(files: FileName | Iterable[FileName], *, tables: Sequence[str] | None = None, decode_as: Sequence[str] = (),
         capture_id: str | None = None, threads: int | None = None, program: FileName | None = None) -> Capture:
    """A capture, pcap or pcapng, plain or compressed; several are merged by time.

    Without `tables` nothing is read yet: the program runs for each table that is asked for, each time it is, and its rows
    come as they are read. With `tables` it reads the files once, now, and these tables lie in a temporary folder for as long
    as the Capture or one of them is there.

    `decode_as`: ports that carry iSCSI, or do not, by your word: "tcp.port==3261,iscsi". `capture_id`: what the column
    `capture` has in place of the files' names. `threads`: 1 or 2 for one run of the program. `program`: in place of what
    find_program() finds.

    Raises, here with `tables`, else where a table is read: ProgramNotFound, NothingAnalysed, UsageError, SanscopeError. Damage
    is no error: it is in `damage` of what is returned."""
    names = (files,) if isinstance(files, (str, os.PathLike)) else tuple(files)
    if not names:
        raise ValueError("no files")
    options = [word for rule in decode_as for word in ("-d", rule)]
    if threads is not None:
        options += ["--threads", str(threads)]
    if capture_id is not None:
        options += ["--capture-id", capture_id]
    return Capture(tuple(as_argument(name) for name in names), options, program, tuple(tables or ()))


class Capture:
    """What read() returns. Each of TABLES is an attribute: `capture.commands`."""

    def __init__(self, files: tuple[str, ...], options: Sequence[str], program: FileName | None, tables: Sequence[str],
                 standard_input: Callable[[], Readable] | None = None) -> None:
        """For read() and follow(). `standard_input`: opens what the file `-` is, for each run of the program."""
        self.files = files
        self._input = standard_input
        self._options = tuple(options)
        self._program = program
        self._tables: dict[str, Table] = {}
        if tables:
            self._read_at_once(tuple(dict.fromkeys(tables)))

    def _read_at_once(self, names: tuple[str, ...]) -> None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sanscope-"))
        try:
            run(["table", "--tables", ",".join(names), "--format", "arrow", "-o", str(folder), *self._options, *self.files],
                standard_input=self._input and self._input(), program=self._program)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        keeper = _Folder(folder)
        for name in names:
            self._tables[name] = Table(name, self.files, keeper.opener(f"{name}.arrows"))

    def table(self, name: str, *, where: str | None = None, columns: Sequence[str] = ()) -> Table:
        """One of the tables; `where`: only rows for which that holds, in the language of `docs/filter-language.md`, as
        "turnaround > 10ms"; `columns`: only these, in that order, and `capture`. Choosing is the program's work, each time the
        table is read."""
        if name not in TABLES:
            raise AttributeError(f"there is no table {name}; there are {', '.join(TABLES)}")
        whole = where is None and not columns
        if whole and name in self._tables:
            return self._tables[name]
        arguments = ["table", name, "--format", "arrow", *self._options]
        if where is not None:
            arguments += ["--where", where]
        if columns:
            arguments += ["--columns", ",".join(columns)]
        arguments += self.files
        table = Table(name, self.files, lambda: buffered(
            arguments, standard_input=self._input and self._input(), program=self._program))
        if whole:
            self._tables[name] = table
        return table

    @property
    def connections(self) -> Table:
        return self.table("connections")

    @property
    def sessions(self) -> Table:
        return self.table("sessions")

    @property
    def commands(self) -> Table:
        return self.table("commands")

    @property
    def budgets(self) -> Table:
        return self.table("budgets")

    @property
    def pdus(self) -> Table:
        return self.table("pdus")

    @property
    def windows(self) -> Table:
        return self.table("windows")

    @property
    def ca_transitions(self) -> Table:
        return self.table("ca_transitions")

    @property
    def losses(self) -> Table:
        return self.table("losses")

    @property
    def kernel_windows(self) -> Table:
        return self.table("kernel_windows")

    @property
    def kernel_ca_transitions(self) -> Table:
        return self.table("kernel_ca_transitions")

    @property
    def findings(self) -> Table:
        return self.table("findings")

    @property
    def captures(self) -> Table:
        """What is in it, in one row."""
        return self.table("captures")

    @property
    def damage(self) -> tuple[Damage, ...]:
        """Where the files are damaged; empty: nowhere. Reads the capture where no table was yet."""
        return self._any_table().damage

    @property
    def exit_status(self) -> int:
        """0: all was analysed; 3: all before some damage. Reads the capture where no table was yet."""
        return self._any_table().exit_status

    def _any_table(self) -> Table:
        tables = list(self._tables.values())
        return next((table for table in tables if table.was_read), tables[0] if tables else self.sessions)

    def __repr__(self) -> str:
        return f"<sanscope capture {', '.join(self.files)}>"


class _Folder:
    """A temporary folder that is there as long as one who opens files in it."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._gone = weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)

    def opener(self, name: str) -> Any:
        def open_it() -> BufferedReader:
            return open_file(self._path / name)

        return open_it


@dataclasses.dataclass(frozen=True)
class Finding:
    """A row of the table `findings`: what is wrong, what shows it, whose it is. Moments and times in nanoseconds; None is not
    known, or none."""

    kind: str
    severity: str
    title: str
    explanation: str
    evidence: str
    cost_ns: int | None
    confidence: str
    place: str | None
    side: str | None
    sender: str | None
    connection: int | None
    session: int | None
    lun: int | None
    command: int | None
    packet: int | None
    begin_ns: int | None
    end_ns: int | None


def findings(files: FileName | Iterable[FileName], *, decode_as: Sequence[str] = (), program: FileName | None = None) -> list[Finding]:
    """What is wrong in a capture, or in several merged by time, the gravest first. Raises as read() does; of damage it does
    not speak: see Capture.damage."""
    names = (files,) if isinstance(files, (str, os.PathLike)) else tuple(files)
    rules = [word for rule in decode_as for word in ("-d", rule)]
    written, _ = run(["table", "findings", "--format", "json", *rules, *map(as_argument, names)], program=program)
    known = {field.name for field in dataclasses.fields(Finding)}
    return [Finding(**{key: value for key, value in json.loads(line).items() if key in known})
            for line in written.splitlines()]

# SPDX-License-Identifier: GPL-3.0-or-later
"""A table of the analysis as who takes Arrow takes it."""

from __future__ import annotations

import io
import pathlib
from collections.abc import Callable, Mapping
from typing import Any

import nanoarrow
import nanoarrow.ipc

from .errors import Damage, Interrupted, SanscopeError, parse_damage


class Table:
    """A table of one capture, or of several merged.

    It has the Arrow PyCapsule interface: `polars.DataFrame(table)`, `pyarrow.table(table)`, `duckdb.sql("FROM table")`,
    `pandas.DataFrame.from_arrow(table)` and every other that knows the interface take it. Rows come in batches while they
    are read, so that one who does not keep them needs little memory. May be read several times: where the capture was read
    with `tables=` from a file, else the program runs each time.

    What the columns are is in `docs/columns.md`; each one's meaning in `descriptions`."""

    def __init__(self, name: str, files: tuple[str, ...], open_stream: Callable[[], io.BufferedReader]) -> None:
        self.name = name
        self._files = files
        self._open = open_stream
        self._metadata: dict[str, str] | None = None
        self._schema: nanoarrow.Schema | None = None

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream().__arrow_c_stream__(requested_schema)

    def _stream(self) -> Any:
        source = self._open()
        # What went wrong before the first row is raised here as what it is; later on by the reader, in its own way.
        if not source.peek(1):
            raise SanscopeError("sanscope gave no table")
        stream = nanoarrow.ArrayStream(nanoarrow.ipc.InputStream.from_readable(source))
        self._learn(stream.schema)
        return stream

    def _learn(self, schema: Any) -> None:
        if self._metadata is None:
            self._schema = schema
            self._metadata = {key.decode(): value.decode("utf-8", "replace") for key, value in schema.metadata.items()}
        if self._metadata.get("sanscope.exit_status") == "130":
            raise Interrupted("sanscope was interrupted before it had read all", exit_status=130)

    @property
    def was_read(self) -> bool:
        """Whether what `metadata` has is known already."""
        return self._metadata is not None

    def _known(self) -> dict[str, str]:
        if self._metadata is None:
            self._stream()
        assert self._metadata is not None
        return self._metadata

    @property
    def metadata(self) -> Mapping[str, str]:
        """What the stream's schema tells: sanscope.version, .table, .files, .damage, .exit_status."""
        return dict(self._known())

    @property
    def damage(self) -> tuple[Damage, ...]:
        """Where the files are damaged; empty: nowhere."""
        return parse_damage(self._known().get("sanscope.damage", ""), self._files)

    @property
    def exit_status(self) -> int:
        """0: all was analysed; 3: all before some damage."""
        return int(self._known().get("sanscope.exit_status", "0"))

    @property
    def schema(self) -> nanoarrow.Schema:
        self._known()
        return self._schema

    @property
    def columns(self) -> list[str]:
        return [field.name for field in self.schema.fields]

    @property
    def descriptions(self) -> dict[str, str]:
        """What each column is, with its unit."""
        return {field.name: dict(field.metadata.items()).get(b"description", b"").decode() for field in self.schema.fields}

    def __repr__(self) -> str:
        return f"<sanscope table {self.name} of {', '.join(self._files)}>"


def open_file(path: pathlib.Path) -> io.BufferedReader:
    return io.BufferedReader(io.FileIO(path), 1 << 20)

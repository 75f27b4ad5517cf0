# SPDX-License-Identifier: GPL-3.0-or-later
"""The program `sanscope`: where it is, and how it is run."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from typing import IO, Any, Protocol, TypeAlias

from .errors import ProgramNotFound, SanscopeError, error_of

FileName: TypeAlias = str | os.PathLike[str]

#: Exit statuses with which there is a whole output: all was analysed, or all before some damage.
ANALYSED = (0, 3)


def find_program() -> str:
    """The path of `sanscope`: what the environment variable SANSCOPE names, else the one in this package, else the one on PATH.

    Raises ProgramNotFound."""
    named = os.environ.get("SANSCOPE")
    if named:
        found = shutil.which(named)
        if found is None:
            raise ProgramNotFound(f"SANSCOPE names {named}, which is no program")
        return found
    bundled = pathlib.Path(__file__).parent / "bin" / "sanscope"
    if os.access(bundled, os.X_OK):
        return str(bundled)
    found = shutil.which("sanscope")
    if found is None:
        raise ProgramNotFound("there is no program sanscope: not on PATH, and the environment variable SANSCOPE does not name it")
    return found


def as_argument(file: FileName) -> str:
    """A file's name that is not taken for an option, or for standard input."""
    name = os.fspath(file)
    return "./" + name if name.startswith("-") else name


class Readable(Protocol):
    """A file that is open, or the like."""

    def read(self, size: int, /) -> bytes: ...


class Output(io.RawIOBase):
    """What the program writes to standard output, while it runs. Its end is an end only where the program ended well: else
    reading raises what error_of() says. Closing it, or forgetting it, ends the program."""

    def __init__(self, arguments: Sequence[str], *, standard_input: Readable | None = None,
                 program: FileName | None = None) -> None:
        super().__init__()
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [os.fspath(program) if program is not None else find_program(), *arguments], stdout=subprocess.PIPE,
            stderr=self._errors, stdin=subprocess.DEVNULL if standard_input is None else subprocess.PIPE)
        with contextlib.suppress(OSError):  # a user may have only so much in pipes
            fcntl.fcntl(self._process.stdout, fcntl.F_SETPIPE_SZ, 1 << 20)  # type: ignore[arg-type]
        self._feeder: _Feeder | None = None
        if standard_input is not None:
            assert self._process.stdin is not None
            self._feeder = _Feeder(standard_input, self._process.stdin)
            self._feeder.start()

    def readable(self) -> bool:
        return True

    def wait_for_output(self) -> None:
        """Returns once there is something to read. Raises what reading would, and where there is nothing to come."""
        assert self._process.stdout is not None
        if not self._process.stdout.peek(1):  # type: ignore[attr-defined]
            status = self.finish()
            raise SanscopeError("sanscope gave no table", exit_status=status, said=self.said())
        if self._feeder is not None and self._feeder.error is not None:
            raise self._feeder.error

    def readinto(self, buffer: Any) -> int:
        assert self._process.stdout is not None
        size = self._process.stdout.readinto(buffer)  # type: ignore[attr-defined]
        if self._feeder is not None and self._feeder.error is not None:
            raise self._feeder.error  # what the program took for the input's end was none
        if size == 0 and len(buffer) != 0:
            self.finish()
        return int(size)

    def finish(self) -> int:
        """Waits for the program's end; its exit status, one of ANALYSED. Raises SanscopeError where it is another one, and
        what reading its input raised."""
        status = self._process.wait()
        if self._feeder is not None:
            self._feeder.join()
            if self._feeder.error is not None:
                raise self._feeder.error
        if status not in ANALYSED:
            raise error_of(status, self.said())
        return status

    def said(self) -> str:
        """What it has told on standard error."""
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), min(size, 1 << 20), 0).decode("utf-8", "replace")

    def close(self) -> None:
        if self.closed:
            return
        super().close()
        process = getattr(self, "_process", None)
        if process is not None:
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()
        self._errors.close()


class _Feeder(threading.Thread):
    """Gives a program its standard input, until the program wants no more."""

    def __init__(self, source: Readable, sink: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.error: Exception | None = None
        self._source = source
        self._sink = sink

    def run(self) -> None:
        try:
            while piece := self._source.read(1 << 20):
                self._sink.write(piece)
        except BrokenPipeError:
            pass
        except Exception as error:  # whatever a file system of others raises
            self.error = error
        with contextlib.suppress(BrokenPipeError):
            self._sink.close()  # last, so that who sees the program's output sees the error


def run(arguments: Sequence[str], *, standard_input: Readable | None = None, program: FileName | None = None) -> tuple[bytes, int]:
    """What it wrote, and its exit status, one of ANALYSED. Raises SanscopeError."""
    with Output(arguments, standard_input=standard_input, program=program) as output:
        written = output.readall() or b""
        return written, output.finish()


def buffered(arguments: Sequence[str], *, standard_input: Readable | None = None, program: FileName | None = None) -> io.BufferedReader:
    """Its output, for readers of small pieces."""
    return io.BufferedReader(Output(arguments, standard_input=standard_input, program=program), 1 << 20)

# SPDX-License-Identifier: GPL-3.0-or-later
"""From files to what is in a lake."""

from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import dataclasses
import datetime
import errno
import hashlib
import os
import pathlib
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ..errors import Damage, SanscopeError, parse_damage
from ..program import FileName, run
from .lake import Busy, Lake, Place

#: The tables of a lake, and what each has.
TABLES = {
    "captures": "What is in each capture, one row each, and where it was",
    "connections": "TCP connections",
    "sessions": "iSCSI sessions with what was negotiated",
    "commands": "SCSI commands from request to status, with where their time went",
    "budgets": "Where the time of commands went, by session, LUN and size",
    "losses": "Segments that were sent again, came out of order or were not captured",
    "findings": "What is wrong",
}
_ROW_GROUP = 256 * 1024
# Version 2.6 is the first with moments in nanoseconds.
_PARQUET: dict[str, Any] = {"version": "2.6", "compression": "zstd"}

# What `captures` has besides what the program's table of that name has, where `file` is the path.
_OF_FILE = pa.schema([
    pa.field("file_bytes", pa.uint64()),
    pa.field("file_modified_ns", pa.timestamp("ns", "UTC")),
    pa.field("sha256", pa.string()),
    pa.field("sanscope_version", pa.string()),
])


@dataclasses.dataclass(frozen=True)
class Told:
    """A file that is not in the lake, or not whole. `kind`: damaged (its rows before the damage are in the lake), not_a_capture,
    unreadable, failed (another run tries it again) or growing (it was written to lately, or meanwhile: the next run takes it)."""

    file: pathlib.Path
    kind: str
    message: str


@dataclasses.dataclass
class Outcome:
    added: int = 0
    known: int = 0
    told: list[Told] = dataclasses.field(default_factory=list)
    #: Why the run ended before it had seen every file: the disk is full, the lake cannot be written.
    given_up: str = ""


class _LakeFault(Exception):
    """The lake cannot be written: no other file would fare better."""


def archive(folder: FileName, lake: FileName, *, host: str | None = None, jobs: int | None = None, settled: float = 60,
            decode_as: Sequence[str] = (), program: FileName | None = None,
            progress: Callable[[Outcome], None] | None = None) -> Outcome:
    """Adds to the lake every capture under the folder that is not in it yet.

    `host` is the partition they go into; without it that is the folder's own folder that a file lies in (`folder/HOST/…`), and of
    files that lie in none it is null. The day is that of the first packet, UTC. `jobs` files are read at once. A file that was
    written to in the last `settled` seconds is left for another run.

    Bad files stop nothing: they are in what is returned. Raises OSError where the folder or the lake cannot be opened."""
    source = pathlib.Path(folder)
    os.scandir(source).close()
    return _Run(source, Lake(pathlib.Path(lake)), host, settled, decode_as, program, progress).all(jobs or os.cpu_count() or 1)


class _Run:
    def __init__(self, source: pathlib.Path, lake: Lake, host: str | None, settled: float, decode_as: Sequence[str],
                 program: FileName | None, progress: Callable[[Outcome], None] | None) -> None:
        self._source = source
        self._lake = lake
        self._host = host
        self._settled = settled
        self._options = [word for rule in decode_as for word in ("-d", rule)]
        self._program = program
        self._progress = progress
        self._outcome = Outcome()
        self._guard = threading.Lock()
        self._stop = threading.Event()

    def all(self, jobs: int) -> Outcome:
        self._lake.clean()
        later: list[pathlib.Path] = []
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                # A few in advance: a year of files is not to wait in a queue.
                under_way: collections.deque[concurrent.futures.Future[None]] = collections.deque()
                for file in self._files():
                    if self._stop.is_set():
                        break
                    under_way.append(pool.submit(self._one, file, later.append))
                    if len(under_way) >= 4 * jobs:
                        under_way.popleft().result()
                for future in under_way:
                    future.result()
                for future in [pool.submit(self._one, file, None) for file in later]:
                    future.result()
                if not self._stop.is_set():
                    with self._faults_of_the_lake():
                        self._lake.write_views(TABLES)
            except _LakeFault as fault:
                self._outcome.given_up = str(fault)
            finally:
                self._stop.set()
        self._outcome.told.sort(key=lambda told: told.file)
        return self._outcome

    def _files(self) -> Iterator[pathlib.Path]:
        lake = self._lake.root.resolve()
        for folder, folders, names in os.walk(self._source, onerror=self._tell_folder):
            folders[:] = sorted(name for name in folders if pathlib.Path(folder, name).resolve() != lake)
            yield from (pathlib.Path(folder, name) for name in sorted(names))

    def _tell_folder(self, error: OSError) -> None:
        self._tell(pathlib.Path(error.filename), "unreadable", error.strerror or str(error))

    def _tell(self, file: pathlib.Path, kind: str, message: str) -> None:
        with self._guard:
            self._outcome.told.append(Told(file, kind, message))

    def _one(self, file: pathlib.Path, put_off: Callable[[pathlib.Path], None] | None) -> None:
        """One file; where another run is at it, that is waited for, or `put_off` takes it."""
        if self._stop.is_set():
            return
        try:
            try:
                with self._lake.lock(self._lake.path_lock(file.absolute()), wait=put_off is None):
                    self._add(file, wait=put_off is None)
            except Busy:
                assert put_off is not None
                put_off(file)
        except _LakeFault:
            self._stop.set()
            raise
        except OSError as error:
            self._stop.set()
            raise _LakeFault(f"{self._lake.root}: {error.strerror or error}") from error
        if self._progress is not None:
            with self._guard:
                self._progress(self._outcome)

    def _add(self, file: pathlib.Path, *, wait: bool) -> None:
        before = self._look(file)
        if before is None:
            return
        record = self._lake.remembered(file.absolute())
        shape = [before.st_size, before.st_mtime_ns]
        if record.get("shape") == shape and self._lake.has(record["identity"]):
            self._count_known()
            return
        if time.time() - before.st_mtime < self._settled:
            self._tell(file, "growing", f"was written to in the last {self._settled:g} s")
            return
        try:
            digest, more_of = self._identify(file, record)
        except OSError as error:
            self._tell(file, "unreadable", error.strerror or str(error))
            return
        identity = digest[:32]
        with self._lake.lock(identity, wait=wait):
            if self._lake.has(identity):
                self._count_known()
            elif not self._analyse(file, before, digest, more_of):
                return
            with self._faults_of_the_lake():
                self._lake.remember(file.absolute(), {"shape": shape, "identity": identity})

    def _look(self, file: pathlib.Path) -> os.stat_result | None:
        """None where it is none to read, which is told."""
        try:
            found = file.stat()
        except OSError as error:
            self._tell(file, "unreadable", error.strerror or str(error))
            return None
        if not stat.S_ISREG(found.st_mode):
            self._tell(file, "unreadable", "is no regular file")
            return None
        return found

    def _count_known(self) -> None:
        with self._guard:
            self._outcome.known += 1

    def _identify(self, file: pathlib.Path, record: object) -> tuple[str, str | None]:
        """The SHA-256 of its content; and the identity of what the file held before, where it holds more of the same now."""
        assert isinstance(record, dict)
        earlier = record["shape"][0] if record else None
        digest = hashlib.sha256()
        more_of = None
        position = 0
        with open(file, "rb", buffering=0) as content:
            while True:
                most = 1 << 20
                if earlier is not None and position < earlier:
                    most = min(most, earlier - position)
                piece = content.read(most)
                if not piece:
                    break
                digest.update(piece)
                position += len(piece)
                if position == earlier and digest.hexdigest()[:32] == record["identity"]:
                    more_of = record["identity"]
        return digest.hexdigest(), more_of if earlier is not None and position > earlier else None

    def _analyse(self, file: pathlib.Path, before: os.stat_result, digest: str, more_of: str | None) -> bool:
        """Whether it is in the lake now."""
        identity = digest[:32]
        relative = file.relative_to(self._source)
        with contextlib.ExitStack() as stack:
            with self._faults_of_the_lake():
                staged = stack.enter_context(self._lake.staging(identity))
            columns = staged / "columns"
            try:
                run(["table", "--tables", ",".join(TABLES), "--format", "arrow", "-o", str(columns), "--threads", "1",
                     "--capture-id", str(relative), *self._options, str(file.absolute())], program=self._program)
            except SanscopeError as error:
                if os.strerror(errno.ENOSPC) in error.said or os.strerror(errno.EDQUOT) in error.said:
                    raise _LakeFault(str(error)) from error
                self._tell(file, "not_a_capture" if error.exit_status == 1 else "failed", str(error))
                return False
            with self._faults_of_the_lake():
                place, damage = self._write(file, relative, before, digest, columns, staged)
            now = self._look(file)
            if now is None or (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                self._tell(file, "growing", "was written to while it was read")
                return False
            with self._faults_of_the_lake():
                self._lake.commit(staged, identity, place, instead_of=more_of)
        with self._guard:
            self._outcome.added += 1
        for one in damage:
            self._tell(file, "damaged", f"{one.message} at byte {one.at_byte}" if one.at_byte is not None else one.message)
        return True

    def _write(self, file: pathlib.Path, relative: pathlib.PurePath, before: os.stat_result, digest: str, columns: pathlib.Path,
               staged: pathlib.Path) -> tuple[Place, tuple[Damage, ...]]:
        """The Parquet files of one capture."""
        with _opened(columns / "captures.arrows") as reader:
            metadata = reader.schema.metadata
            captures = reader.read_all().unify_dictionaries()
        of_file = {"file_bytes": before.st_size, "file_modified_ns": before.st_mtime_ns, "sha256": digest,
                   "sanscope_version": metadata[b"sanscope.version"].decode()}
        for field in _OF_FILE:
            captures = captures.append_column(field, pa.array([of_file[field.name]] * captures.num_rows, field.type))
        pq.write_table(captures, staged / "captures.parquet", **_PARQUET)
        for name in TABLES:
            stream = columns / f"{name}.arrows"
            if name != "captures":
                with _opened(stream) as reader:
                    _to_parquet(reader, staged / f"{name}.parquet")
            stream.unlink()
        columns.rmdir()
        damage = parse_damage(metadata[b"sanscope.damage"].decode("utf-8", "replace"), [str(file.absolute())])
        begin = captures["start_ns"][0].value
        day = None
        if begin is not None:
            day = datetime.datetime.fromtimestamp(begin // 10**9, datetime.timezone.utc).date().isoformat()
        host = self._host if self._host is not None else (relative.parts[0] if len(relative.parts) > 1 else None)
        return Place(day, host), damage

    @contextlib.contextmanager
    def _faults_of_the_lake(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:  # of pyarrow, too
            raise _LakeFault(f"{self._lake.root}: {error.strerror or error}") from error


@contextlib.contextmanager
def _opened(path: pathlib.Path) -> Iterator[pa.RecordBatchReader]:
    with pa.memory_map(str(path)) as mapped, pa.ipc.open_stream(mapped) as reader:
        yield reader


def _to_parquet(reader: pa.RecordBatchReader, path: pathlib.Path) -> None:
    with pq.ParquetWriter(path, reader.schema, **_PARQUET) as writer:
        batches: list[pa.RecordBatch] = []
        rows = 0

        def write() -> None:
            writer.write_table(pa.Table.from_batches(batches, reader.schema).unify_dictionaries(), row_group_size=_ROW_GROUP)

        for batch in reader:
            batches.append(batch)
            rows += batch.num_rows
            if rows >= _ROW_GROUP:
                write()
                batches, rows = [], 0
        if batches:
            write()

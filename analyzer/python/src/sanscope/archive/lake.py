# SPDX-License-Identifier: GPL-3.0-or-later
"""A lake: a folder of Parquet to which captures are added whole, each once.

    data/day=2026-11-26/host=esx7/id=0123…/commands.parquet, …   one folder a capture, there with all its tables or not at all
    views.sql                                                    opens all of it in DuckDB
    .known/id-0123…      where the capture of that content is, or was about to be
    .known/path-4567…    what a file's content was when it was looked at
    .work/…              what is being added, and locks; leftovers of a run that was killed

A capture is there once its folder has been renamed to its place, and what it holds was on the disk before. That folder's place
is written down in .known before, so that a run that finds it knows, in the lock of that content, whether there is anything
left to do."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

# What Hive, Spark, DuckDB and polars take for a partition that is not known.
_NOT_KNOWN = "__HIVE_DEFAULT_PARTITION__"


class Busy(Exception):
    """Another run holds the lock."""


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a capture belongs; None is not known."""

    day: str | None  # YYYY-MM-DD
    host: str | None

    def folder(self, identity: str) -> pathlib.PurePath:
        day = self.day or _NOT_KNOWN
        host = urllib.parse.quote(self.host, safe="") if self.host else _NOT_KNOWN
        return pathlib.PurePath("data", f"day={day}", f"host={host}", f"id={identity}")


class Lake:
    def __init__(self, root: pathlib.Path) -> None:
        self.root = root
        self._known = root / ".known"
        self._work = root / ".work"
        for folder in (root, root / "data", self._known, self._work):
            folder.mkdir(parents=True, exist_ok=True)

    # ---- What is there

    def has(self, identity: str) -> bool:
        """Whether the capture of that content is there; `identity` is its SHA-256's first 32 hexadecimal digits."""
        return self._place_of(identity) is not None

    def _place_of(self, identity: str) -> pathlib.Path | None:
        folder = _read_json(self._known / f"id-{identity}").get("folder")
        place = self.root / folder if folder else None
        return place if place is not None and place.is_dir() else None

    def remembered(self, file: pathlib.Path) -> Mapping[str, Any]:
        """What remember() was told of the file; empty: nothing."""
        return _read_json(self._path_record(file))

    def remember(self, file: pathlib.Path, record: Mapping[str, Any]) -> None:
        self._write_known(self._path_record(file), record)

    def _path_record(self, file: pathlib.Path) -> pathlib.Path:
        return self._known / f"path-{hashlib.sha256(os.fsencode(file)).hexdigest()[:32]}"

    # ---- Adding

    @contextlib.contextmanager
    def lock(self, name: str, *, wait: bool) -> Iterator[None]:
        """One run at a time. Raises Busy where another holds it and `wait` is false."""
        path = self._work / f"{name}.lock"
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                os.close(descriptor)
                raise Busy(name) from None
            # Who held it before has removed it: then it is nobody's any more.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                    break
            os.close(descriptor)
        try:
            yield
        finally:
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            os.close(descriptor)

    def path_lock(self, file: pathlib.Path) -> str:
        return self._path_record(file).name

    @contextlib.contextmanager
    def staging(self, identity: str) -> Iterator[pathlib.Path]:
        """An empty folder for what is to be added, in the lock of `identity`; gone afterwards, unless commit() took it."""
        folder = self._work / identity
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def commit(self, staged: pathlib.Path, identity: str, place: Place, *, instead_of: str | None = None) -> None:
        """Takes the staged folder's files into the lake, all at once; in the lock of `identity`. `instead_of`: the identity of a
        capture which this is more of, and which goes."""
        for file in sorted(staged.iterdir()):
            _sync(file)
        _sync(staged)
        relative = place.folder(identity)
        self._write_known(self._known / f"id-{identity}", {"folder": str(relative)})
        if instead_of is not None:
            self._remove(instead_of)
        target = self.root / relative
        self._make_folders(target.parent)
        os.rename(staged, target)
        _sync(target.parent)

    def _remove(self, identity: str) -> None:
        place = self._place_of(identity)
        if place is None:
            return
        gone = self._work / f"gone-{identity}"
        shutil.rmtree(gone, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            os.rename(place, gone)
            _sync(place.parent)
        shutil.rmtree(gone, ignore_errors=True)

    def _make_folders(self, folder: pathlib.Path) -> None:
        if folder.is_dir():
            return
        self._make_folders(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)

    def _write_known(self, path: pathlib.Path, record: Mapping[str, Any]) -> None:
        write_whole(path, json.dumps(record), self._work)

    def clean(self) -> None:
        """Removes what runs that were killed have left."""
        for left in list(self._work.iterdir()):
            name = left.name.removesuffix(".lock").removesuffix(".new").removeprefix("gone-")
            with contextlib.suppress(Busy, FileNotFoundError):
                with self.lock(name, wait=False):
                    if left.is_dir():
                        shutil.rmtree(left, ignore_errors=True)
                    elif left.name.endswith(".new"):
                        left.unlink(missing_ok=True)

    def write_views(self, tables: Mapping[str, str]) -> None:
        """The file that opens the lake in DuckDB; `tables` has what each is."""
        if next((self.root / "data").glob("day=*/host=*/id=*"), None) is None:
            return  # DuckDB refuses views of no file
        root = str(self.root.resolve()).replace("'", "''")
        lines = ["-- Opens this lake in DuckDB: duckdb -init views.sql, or from Python: duckdb.sql(open('views.sql').read()).",
                 "-- Each row has the day and host of its capture, and the capture's id, which joins the tables."]
        for name, description in tables.items():
            lines += ["", f"-- {description}", f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM read_parquet(",
                      f"    '{root}/data/day=*/host=*/id=*/{name}.parquet', union_by_name = true, hive_partitioning = true,",
                      "    hive_types = {'day': DATE, 'host': VARCHAR, 'id': VARCHAR});"]
        text = "\n".join(lines) + "\n"
        path = self.root / "views.sql"
        if not path.exists() or path.read_text() != text:
            write_whole(path, text, self._work)


def write_whole(path: pathlib.Path, text: str, work: pathlib.Path) -> None:
    """The file is there with all of that, or as it was before."""
    new = work / f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.new"
    try:
        with open(new, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def _sync(path: pathlib.Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read_json(path: pathlib.Path) -> Mapping[str, Any]:
    try:
        record = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}

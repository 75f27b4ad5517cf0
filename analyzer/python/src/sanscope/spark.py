# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures read by Apache Spark where they lie: a task reads one large file, or some small ones, each as if it were alone, and
streams their rows.

    import sanscope.spark
    commands = sanscope.spark.read(spark, "/captures/*/*.pcapng.zst", table="commands")
    damage = sanscope.spark.read(spark, "/captures/*/*.pcapng.zst", table="damage")

Needs pyspark 4 or later with pyarrow, and this package with the program on every worker. `docs/fleet.md`."""

from __future__ import annotations

import dataclasses
import glob
import io
import json
import os
import signal
import stat
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import (BooleanType, DataType, DecimalType, IntegerType, LongType, StringType, StructField, StructType,
                               TimestampType)

from .captures import TABLES
from .errors import NothingAnalysed, SanscopeError, parse_damage
from .program import Output, Readable, as_argument

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Rows of a batch that Spark gets: as many of the program's batches as make up so many.
BATCH_ROWS = 32768

#: 64-bit numbers that any bytes on the wire may make as large as they like. Spark's largest integer has 63 bits.
_ALL_64_BITS = ("lba", "lun")

# A program that ends so ends so each time: another attempt is no help.
_CRASHES = (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGILL)

DAMAGE_SCHEMA = StructType([
    StructField("capture", StringType(), True),
    StructField("kind", StringType(), True),        # damaged, nothing_analysed, unreadable or crashed
    StructField("message", StringType(), True),
    StructField("at_byte", LongType(), True),
])


def read(spark: SparkSession, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, table: str = "commands",
         columns: Sequence[str] = (), decode_as: Sequence[str] = (), program: str | None = None, task_bytes: int = 64 << 20) -> DataFrame:
    """A table of many captures, each analysed as if it were alone; the column `capture` tells of which a row is.

    `paths`: files, folders with all that is in them, or patterns (`*`, `**`), on file systems that each worker sees; with a
    scheme, as s3://bucket/*.pcapng.zst (s3a:// is taken for that), through fsspec and its package for that store.
    `table`: one of sanscope.TABLES, or "damage": a row for each file that is not whole, or of which nothing could be analysed.
    Such files never fail a job: what lies before the damage is in the tables, as on the command line.
    `columns`: only these of the command line's, in that order, and `capture`: Spark does not tell a data source in Python which
    columns a question is about. Not with "damage".
    `program`: where `sanscope` is on the workers, in place of what find_program() finds there.
    `task_bytes`: small files are read by one task up to that size together, or less where there would be fewer than four tasks
    a processor; a larger one has a task of its own, and is not split. 0: one file a task.

    Columns are those of the command line in that order, with these types: counts and sizes LongType, with a check that they fit;
    `lba` and `lun` DecimalType(20, 0); durations LongType, nanoseconds; moments LongType, nanoseconds since the epoch, and
    beside each TimestampType, which has microseconds (`request_ns`, `request_time`); all else StringType or BooleanType."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    spark.dataSource.register(CaptureSource)
    reader = spark.read.format(CaptureSource.name()).option("paths", json.dumps([os.fspath(path) for path in given]))
    reader = reader.option("table", table).option("columns", ",".join(columns)).option("decode_as", json.dumps(list(decode_as)))
    reader = reader.option("task_bytes", str(task_bytes)).option("tasks", str(4 * _processors(spark)))
    if program is not None:
        reader = reader.option("program", program)
    return reader.load()


def _processors(spark: SparkSession) -> int:
    try:
        return spark.sparkContext.defaultParallelism
    except Exception:  # Spark Connect has no such thing
        return 16


class CaptureSource(DataSource):
    """Spark's data source `sanscope`; options as read() sets them."""

    @classmethod
    def name(cls) -> str:
        return "sanscope"

    @property
    def table(self) -> str:
        name = self.options.get("table", "commands")
        if name != "damage" and name not in TABLES:
            raise ValueError(f"there is no table {name}; there are damage, {', '.join(TABLES)}")
        return name

    def schema(self) -> StructType:
        chosen = self._chosen()
        if self.table == "damage":
            return DAMAGE_SCHEMA
        return spark_schema(arrow_schema(self.table, self.options.get("program"), chosen))

    def _chosen(self) -> list[str]:
        """Options of the program."""
        columns = self.options.get("columns", "")
        if not columns:
            return []
        if self.table == "damage":
            raise ValueError("columns are not for the table damage")
        return ["--columns", columns]

    def reader(self, schema: StructType) -> DataSourceReader:
        paths = json.loads(self.options["paths"]) if "paths" in self.options else [self.options["path"]]
        options = [word for rule in json.loads(self.options.get("decode_as", "[]")) for word in ("-d", rule)]
        return CaptureReader(self.table, paths, [*self._chosen(), *options], self.options.get("program"), schema,
                             int(self.options.get("task_bytes", 64 << 20)), int(self.options.get("tasks", 1)))


@dataclasses.dataclass(frozen=True)
class CaptureFile:
    path: str
    size: int  # as stored

    @property
    def weight(self) -> int:
        """A guess at its size once it is decompressed, for tasks of about the same length."""
        return self.size * (10 if self.path.endswith((".zst", ".gz", ".lz4")) else 1)


class CaptureFiles(InputPartition):
    """What one task reads."""

    def __init__(self, files: Sequence[CaptureFile]) -> None:
        super().__init__(0)
        self.files = tuple(files)


class CaptureReader(DataSourceReader):
    def __init__(self, table: str, paths: Sequence[str], options: Sequence[str], program: str | None, schema: StructType,
                 task_bytes: int, tasks: int) -> None:
        self._table = table
        self._paths = paths
        self._options = options
        self._program = program
        self._names = schema.names
        self._task_bytes = task_bytes
        self._tasks = tasks

    def partitions(self) -> Sequence[InputPartition]:
        return partitions_of(list_files(self._paths), self._task_bytes, self._tasks)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, CaptureFiles)
        if self._table == "damage":
            for file in partition.files:
                yield from self._damage(file)
        else:
            yield from _regrouped((batch for file in partition.files for batch in self._rows(file)), self._names)

    def _rows(self, file: CaptureFile) -> Iterator[pa.RecordBatch]:
        try:
            with self._open(file, self._table) as output, _stream(output) as stream:
                yield from stream
                output.finish()
        except _Told:
            return  # the table damage says why

    def _damage(self, file: CaptureFile) -> Iterator[pa.RecordBatch]:
        rows: list[tuple[str, str, str, int | None]] = []
        try:
            with self._open(file, "sessions") as output, _stream(output) as stream:
                metadata = stream.schema.metadata
                for batch in stream:
                    pass
                output.finish()
            name = "-" if "://" in file.path else file.path
            for damage in parse_damage(metadata[b"sanscope.damage"].decode("utf-8", "replace"), [name]):
                rows.append((file.path, "damaged", damage.message, damage.at_byte))
        except _Told as why:
            rows.append((file.path, why.kind, str(why), None))
        if rows:
            yield pa.RecordBatch.from_arrays(
                [pa.array(column, kind) for column, kind in zip(zip(*rows), (pa.string(), pa.string(), pa.string(), pa.int64()))],
                names=DAMAGE_SCHEMA.names)

    def _open(self, file: CaptureFile, table: str) -> Output:
        """The program's output on the file, of which there is something to read. Raises _Told where there will never be, and
        whatever else another attempt may not meet."""
        arguments = ["table", table, "--format", "arrow", "--threads", "1", "--capture-id", file.path, *self._options]
        source: Readable | None = None
        if "://" in file.path:
            source = _opened_remotely(file.path)
            arguments.append("-")
        else:
            _check_local(file.path)
            arguments.append(as_argument(file.path))
        output = Output(arguments, standard_input=source, program=self._program)
        try:
            output.wait_for_output()
        except NothingAnalysed as error:
            output.close()
            raise _Told("nothing_analysed", str(error)) from error
        except SanscopeError as error:
            output.close()
            if error.exit_status in _CRASHES:
                raise _Told("crashed", str(error)) from error
            raise
        return output


def _stream(output: Output) -> pa.RecordBatchReader:
    return pa.ipc.open_stream(pa.PythonFile(io.BufferedReader(output, 1 << 20), "r"))


class _Told(Exception):
    """Of a file there are no rows, whoever tries again."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


# ---- Files

def partitions_of(files: Iterable[CaptureFile], task_bytes: int, tasks: int) -> list[CaptureFiles]:
    """Files that lie beside each other go together. The heaviest first, so that none of them is still at work when all others are
    done."""
    in_order = sorted(files, key=lambda file: file.path)
    most = min(task_bytes, sum(file.weight for file in in_order) // max(tasks, 1))
    groups: list[list[CaptureFile]] = []
    group: list[CaptureFile] = []
    filled = 0
    for file in in_order:
        if file.weight >= most:
            groups.append([file])
            continue
        if not group or filled + file.weight > most:
            group, filled = [], 0
            groups.append(group)
        group.append(file)
        filled += file.weight
    groups.sort(key=lambda group: (-sum(file.weight for file in group), group[0].path))
    return [CaptureFiles(group) for group in groups]


def list_files(paths: Iterable[str]) -> list[CaptureFile]:
    """What the paths name, each once."""
    found: dict[str, CaptureFile] = {}
    for path in paths:
        for file in _remote_files(path) if "://" in path else _local_files(path):
            found[file.path] = file
    return list(found.values())


def _local_files(path: str) -> Iterator[CaptureFile]:
    names: Iterable[str]
    if os.path.isdir(path):
        names = (os.path.join(folder, name) for folder, _, files in os.walk(path) for name in files)
    elif glob.has_magic(path) and not os.path.lexists(path):
        names = (name for name in glob.iglob(path, recursive=True) if not os.path.isdir(name))
    else:
        names = [path]  # one that is not there is told as any other that cannot be read
    for name in names:
        try:
            size = os.stat(name).st_size
        except OSError:
            size = 0
        yield CaptureFile(os.path.abspath(name), size)


def _remote_files(path: str) -> Iterator[CaptureFile]:
    import fsspec
    files, name = fsspec.core.url_to_fs(_for_fsspec(path))
    scheme = path.partition("://")[0]
    if not glob.has_magic(name) and not files.exists(name):
        yield CaptureFile(path, 0)  # told as one that cannot be read
        return
    wanted = files.find(name, detail=True) if files.isdir(name) else files.glob(name, detail=True)
    for found, details in wanted.items():
        if details["type"] != "directory":
            yield CaptureFile(f"{scheme}://{found}", int(details.get("size") or 0))


def _for_fsspec(path: str) -> str:
    return "s3" + path.removeprefix("s3a") if path.startswith("s3a://") else path


def _opened_remotely(path: str) -> Readable:
    import fsspec
    try:
        opened: Readable = fsspec.open(_for_fsspec(path), "rb").open()
    except (FileNotFoundError, PermissionError) as error:
        raise _Told("unreadable", f"{type(error).__name__}: {error}") from error
    return opened


def _check_local(path: str) -> None:
    """A pipe or a device would keep the task waiting."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise _Told("unreadable", "is no regular file")
        with open(path, "rb"):
            pass
    except (FileNotFoundError, PermissionError) as error:
        raise _Told("unreadable", str(error.strerror)) from error


# ---- Types

def arrow_schema(table: str, program: str | None = None, options: Sequence[str] = ()) -> pa.Schema:
    """A table's schema, which is the same for every capture: that of a pcap without packets."""
    empty = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    with Output(["table", table, "--format", "arrow", *options, "-"], standard_input=_Bytes(empty), program=program) as output:
        return _stream(output).schema


class _Bytes:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self, size: int, /) -> bytes:
        piece, self._data = self._data[:size], self._data[size:]
        return piece


def moment_name(column: str) -> str:
    """Of the column with the same moment in microseconds."""
    return column.removesuffix("_ns") if column == "time_ns" else column.removesuffix("_ns") + "_time"


def spark_schema(schema: pa.Schema) -> StructType:
    fields = []
    for field in schema:
        comment = {"comment": (field.metadata or {}).get(b"description", b"").decode()}
        fields.append(StructField(field.name, _spark_type(field), True, comment))
        if pa.types.is_timestamp(field.type):
            fields.append(StructField(moment_name(field.name), TimestampType(), True, comment))
    return StructType(fields)


def _spark_type(field: pa.Field) -> DataType:
    if field.name in _ALL_64_BITS:
        return DecimalType(20, 0)
    if pa.types.is_boolean(field.type):
        return BooleanType()
    if pa.types.is_dictionary(field.type) or pa.types.is_string(field.type):
        return StringType()
    return LongType()


def _converted(batches: Sequence[pa.RecordBatch], names: Sequence[str]) -> pa.RecordBatch:
    """As one, in Spark's types."""
    table = pa.Table.from_batches(batches, batches[0].schema)
    columns = []
    for name, column in zip(table.schema.names, table.columns):
        kind = column.type
        if pa.types.is_timestamp(kind):
            columns.append(column.cast(pa.int64()))
            columns.append(column.cast(pa.timestamp("us", "UTC"), safe=False))
        elif pa.types.is_dictionary(kind):
            columns.append(column.cast(kind.value_type))
        elif name in _ALL_64_BITS:
            columns.append(column.cast(pa.decimal128(20, 0)))
        elif pa.types.is_duration(kind) or pa.types.is_uint64(kind):
            columns.append(column.cast(pa.int64()))  # raises where one does not fit
        else:
            columns.append(column)
    return pa.RecordBatch.from_arrays([column.combine_chunks() for column in columns], names=list(names))


def _regrouped(batches: Iterable[pa.RecordBatch], names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Fewer, larger ones, in Spark's types."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= BATCH_ROWS:
            yield _converted(waiting, names)
            waiting, rows = [], 0
    if waiting:
        yield _converted(waiting, names)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrow IPC streams and Parquet of `sanscope table`, read by those whose formats they are: pyarrow, polars and DuckDB, each
with its own reader, must have, row by row, what `--format csv` has."""
import argparse
import csv
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "captures" / "samples"
TABLES = ["connections", "sessions", "commands", "budgets", "pdus", "windows", "ca_transitions", "losses", "findings", "captures",
          "kernel_windows", "kernel_ca_transitions"]
# Reads, writes, losses, a kernel's word, no login, a cut, several sessions, IPv6, check conditions.
CAPTURES = ["loss-mixed-initiator.pcap.zst", "kernel-truth-target.pcapng.zst", "mid-connection.pcap.zst", "cut-off.pcap",
            "two-sessions.pcap.lz4", "ipv6.pcap.zst", "check-conditions.pcap", "writes-r2t.pcap.zst",
            "snap128-reads-64k-qd32.pcap.zst", "header-and-data-digest.pcap.zst"]
POINTS = ["loss-mixed-initiator.pcap.zst", "loss-mixed-target.pcap.zst"]
POINT_TABLES = ["points", "point_losses", "point_commands", "point_senders"]

passed = failed = 0


def check(what, holds, why=""):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}{': ' + why if why else ''}")


def run(arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, cwd=SAMPLES, **options)


def rows_of_csv(text):
    rows = list(csv.reader(text.decode().splitlines(keepends=True)))
    return rows[0], rows[1:]


def as_csv(value):
    """A value as a reader gives it, in the words of csv."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def rows_of_table(table):
    """An Arrow table's rows in the words of csv, without `capture`. Moments and times as their whole nanoseconds."""
    columns = []
    for name, column in zip(table.schema.names, table.columns):
        if name == "capture":
            continue
        kind = column.type
        if pyarrow.types.is_timestamp(kind) or pyarrow.types.is_duration(kind):
            check(f"{name} is in nanoseconds", kind.unit == "ns")
            column = column.cast(pyarrow.int64())
        elif pyarrow.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
        columns.append([as_csv(value) for value in column.to_pylist()])
    return [list(row) for row in zip(*columns)]


def with_pyarrow(stream):
    table = pyarrow.ipc.open_stream(stream).read_all()
    table.validate(full=True)
    return rows_of_table(table)


def with_polars(stream):
    frame = polars.read_ipc_stream(stream)
    whole = [polars.col(name).cast(polars.Int64) for name, kind in frame.schema.items()
             if isinstance(kind, (polars.Datetime, polars.Duration))]
    for name, kind in frame.schema.items():
        if isinstance(kind, (polars.Datetime, polars.Duration)):
            check(f"polars: {name} is in nanoseconds", kind.time_unit == "ns")
    frame = frame.with_columns(whole).drop("capture")
    return [[as_csv(value) for value in row] for row in frame.iter_rows()]


def with_duckdb(stream):
    reader = pyarrow.ipc.open_stream(stream)
    connection = duckdb.connect()
    connection.register("stream", reader)
    # DuckDB has whole nanoseconds of moments, and microseconds of times: those are compared as far.
    columns, cut = [], set()
    for field in reader.schema:
        if field.name == "capture":
            continue
        if pyarrow.types.is_timestamp(field.type):
            columns.append(f'epoch_ns("{field.name}"::TIMESTAMP_NS)')
        elif pyarrow.types.is_duration(field.type):
            cut.add(len(columns))
            columns.append(f'(epoch("{field.name}") * 1000000)::BIGINT')
        else:
            columns.append(f'"{field.name}"')
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM stream").fetchall()
    return [[as_csv(value) for value in row] for row in rows], cut


def difference(got, wanted):
    if len(got) != len(wanted):
        return f"{len(got)} rows, not {len(wanted)}"
    for number, (one, other) in enumerate(zip(got, wanted)):
        if one != other:
            cells = [(i, a, b) for i, (a, b) in enumerate(zip(one, other)) if a != b]
            return f"row {number}: {cells[:3]}"
    return ""


def whole_microseconds(rows, columns):
    def towards_zero(cell):
        return str(abs(int(cell)) // 1000 * (-1 if int(cell) < 0 else 1))

    return [[towards_zero(cell) if i in columns and cell else cell for i, cell in enumerate(row)] for row in rows]


def readers_agree(what, arguments):
    plain = run([*arguments, "--format", "csv"])
    arrow = run([*arguments, "--format", "arrow"])
    check(f"{what}: exit status", plain.returncode == arrow.returncode, f"{plain.returncode}, {arrow.returncode}")
    if not arrow.stdout:
        check(f"{what}: a stream", False, arrow.stderr.decode())
        return
    names, wanted = rows_of_csv(plain.stdout)
    schema = pyarrow.ipc.open_stream(arrow.stdout).schema
    check(f"{what}: columns", schema.names == names + ["capture"], f"{schema.names}")
    why = difference(with_pyarrow(arrow.stdout), wanted)
    check(f"{what}: pyarrow", not why, why)
    why = difference(with_polars(arrow.stdout), wanted)
    check(f"{what}: polars", not why, why)
    rows, cut = with_duckdb(arrow.stdout)
    why = difference(rows, whole_microseconds(wanted, cut))
    check(f"{what}: DuckDB", not why, why)


def test_readers():
    for capture in CAPTURES:
        for table in TABLES:
            readers_agree(f"{table} of {capture}", ["table", table, capture])
    for table in POINT_TABLES:
        readers_agree(f"{table} of two points", ["table", table, "--points", *POINTS])
    readers_agree("some rows", ["table", "commands", CAPTURES[0], "--where", "turnaround > 1ms"])
    readers_agree("no row", ["table", "commands", CAPTURES[0], "--where", "turnaround > 1000s"])


def test_what_a_stream_says_of_itself():
    def metadata(*arguments):
        done = run(["table", "commands", *arguments, "--format", "arrow"])
        table = pyarrow.ipc.open_stream(done.stdout).read_all()
        return done, {key.decode(): value.decode() for key, value in table.schema.metadata.items()}, table

    done, told, table = metadata("cut-off.pcap")
    check("damage: exit status", done.returncode == 3 and told["sanscope.exit_status"] == "3", str(told))
    check("damage is told", told["sanscope.damage"].startswith("cut-off.pcap: ") and " at byte " in told["sanscope.damage"],
          told["sanscope.damage"])
    check("files", told["sanscope.files"] == "cut-off.pcap")
    version = run(["--version"]).stdout.decode().split()[1]
    check("version", told["sanscope.version"] == version, told["sanscope.version"])
    check("capture is the file", set(table["capture"].to_pylist()) == {"cut-off.pcap"})
    _, told, table = metadata("two-sessions.pcap.lz4", "--capture-id", "esx7/2026-11-26")
    check("--capture-id", set(table["capture"].to_pylist()) == {"esx7/2026-11-26"})
    check("the file stands beside it", told["sanscope.files"] == "two-sessions.pcap.lz4")
    check("no damage", told["sanscope.damage"] == "" and told["sanscope.exit_status"] == "0", str(told))


def test_parquet():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for table in ("commands", "findings", "kernel_windows", "windows"):
            place = folder / f"{table}.parquet"
            done = run(["table", table, CAPTURES[0], "--format", "parquet", "-o", place])
            check(f"{table} as Parquet", done.returncode == 0, done.stderr.decode())
            if done.returncode != 0:
                continue
            wanted = rows_of_csv(run(["table", table, CAPTURES[0]]).stdout)[1]
            why = difference(rows_of_table(pyarrow.parquet.read_table(place)), wanted)
            check(f"{table}: pyarrow reads Parquet", not why, why)
            frame = polars.read_parquet(place)
            check(f"{table}: polars reads Parquet", frame.height == len(wanted))
            count = duckdb.execute(f"SELECT count(*) FROM '{place}'").fetchone()[0]
            check(f"{table}: DuckDB reads Parquet", count == len(wanted))

        place = folder / "kept.parquet"
        place.write_text("before")
        done = run(["table", "commands", CAPTURES[0], "--format", "parquet", "-o", place],
                   env={**os.environ, "SANSCOPE_PYTHON": "false"})
        check("a writer that fails is told", done.returncode == 1 and b"Parquet" in done.stderr, done.stderr.decode())
        check("and what was there stands", place.read_text() == "before")
        check("and nothing else is left", sorted(path.name for path in folder.iterdir() if path.name.startswith("."))
              == [])
        done = run(["table", "commands", CAPTURES[0], "--format", "parquet", "-o", place],
                   env={**os.environ, "SANSCOPE_PYTHON": "/nowhere/python3"})
        check("no python", done.returncode == 2 and b"pyarrow" in done.stderr, done.stderr.decode())


def test_chosen_columns():
    """Every format has those columns, in that order, of the rows that --where leaves."""
    sample, names = "check-conditions.pcap", ["status", "lun", "turnaround_ns"]
    whole_names, whole = rows_of_csv(run(["table", "commands", sample]).stdout)
    wanted = [[row[whole_names.index(name)] for name in names] for row in whole]
    chosen = ["table", "commands", sample, "--columns", ",".join(names)]
    check("--columns: csv", rows_of_csv(run(chosen).stdout) == (names, wanted) and wanted)
    lines = run([*chosen, "--format", "json"]).stdout.splitlines()
    check("--columns: json", [list(json.loads(line)) for line in lines] == [names] * len(wanted))
    table = pyarrow.ipc.open_stream(run([*chosen, "--format", "arrow"]).stdout).read_all()
    check("--columns: arrow", table.schema.names == [*names, "capture"] and table["status"].to_pylist() == [row[0] for row in wanted])
    some = rows_of_csv(run([*chosen, "--where", 'name == "READ(16)"']).stdout)[1]
    check("--columns and --where", some == [cells for cells, row in zip(wanted, whole) if row[whole_names.index("name")] == "READ(16)"] != [])
    for refused, why in ((["--columns", "lun,lun"], b"named twice"), (["--columns", "lunn"], b"did you mean lun?"),
                         (["--columns", "lun", "--format", "pb"], b"not for --format pb")):
        answer = run(["table", "commands", sample, *refused])
        check(f"{refused} is refused", answer.returncode == 2 and why in answer.stderr and not answer.stdout, answer.stderr.decode())


def test_several_tables():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / "new" / "folder"
        done = run(["table", "--tables", "commands,budgets,losses,findings,windows", CAPTURES[0], "--format", "arrow", "-o",
                    folder])
        check("several: exit status", done.returncode == 0, done.stderr.decode())
        check("several: files", sorted(path.name for path in folder.iterdir())
              == ["budgets.arrows", "commands.arrows", "findings.arrows", "losses.arrows", "windows.arrows"])
        for place in folder.iterdir():
            wanted = rows_of_csv(run(["table", place.stem, CAPTURES[0]]).stdout)[1]
            why = difference(with_pyarrow(place.read_bytes()), wanted)
            check(f"several: {place.stem} as by itself", not why, why)
        done = run(["table", "--tables", "commands,losses", CAPTURES[0], "-o", folder])
        check("several: csv", (folder / "commands.csv").read_bytes() == run(["table", "commands", CAPTURES[0]]).stdout)


def test_what_cannot_be_meant():
    def refused(words, *arguments):
        done = run(["table", *arguments])
        check(f"refused: {' '.join(map(str, arguments))}", done.returncode == 2 and words in done.stderr.decode(),
              f"{done.returncode} {done.stderr.decode()}")

    refused("no table \"comands\"", "comands", CAPTURES[0])
    refused("FILE is required", "commands")
    refused("TABLE is required")
    refused("needs a folder", "--tables", "commands,losses", CAPTURES[0])
    refused("one table at a time", "--tables", "commands,losses", CAPTURES[0], "-o", "/tmp", "--where", "lun == 0")
    refused("--points", "--tables", "commands,points", CAPTURES[0], "-o", "/tmp")
    refused("writes a file", "commands", CAPTURES[0], "--format", "parquet")
    done = run(["table", "commands", "/nowhere.pcap", "--format", "arrow"])
    check("no capture, no stream", done.returncode == 1 and done.stdout == b"")


def test_full_disk():
    """Whole files or none."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "commands.arrows"
        limit = 20_000

        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = run(["table", "pdus", CAPTURES[0], "--format", "arrow", "-o", place], preexec_fn=small)
        check("a file that may not grow", done.returncode != 0, str(done.returncode))
        check("is not there", not place.exists())


def with_readers():
    """Goes on in the environment that has the readers."""
    made = subprocess.run([sys.executable, ROOT / "cmake" / "python_env.py"], stdout=subprocess.PIPE, text=True)
    if made.returncode == 3:
        print("skipped the readers of others: PyPI cannot be reached")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    if made.returncode != 0:
        sys.exit("the environment of Python tests could not be made")
    python = made.stdout.strip()
    if pathlib.Path(sys.prefix).resolve() != pathlib.Path(python).parent.parent.resolve():
        os.execv(python, [python, *sys.argv])


def main():
    test_readers()
    test_what_a_stream_says_of_itself()
    test_parquet()
    test_chosen_columns()
    test_several_tables()
    test_what_cannot_be_meant()
    test_full_disk()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanscope", default=ROOT / "build" / "release" / "bin" / "sanscope", type=pathlib.Path)
    arguments = parser.parse_args()
    PROGRAM = str(arguments.sanscope.resolve())
    with_readers()
    os.environ.setdefault("SANSCOPE_PYTHON", sys.executable)
    import duckdb
    import polars
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of docs/fleet.md, from a folder of captures: questions in SQL, rows held against the command line's, what a task
costs against the plain program. Not a test: takes as long as the folder is large.

    SANSCOPE=build/release/bin/sanscope PYSPARK_PYTHON=$(which python3) fleet_figures.py FOLDER [questions] [rows [commands] [losses] [findings]] [cost]"""

import concurrent.futures
import io
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet
from pyspark.sql import SparkSession

import sanscope.spark
from sanscope.program import find_program

QUESTIONS = {
    "lost time by part, host and LUN": """
        SELECT regexp_extract(capture, '([^/]+)/[^/]+$', 1) AS host, lun, part, sum(commands) AS commands, round(sum(sum_ns) / 1e9, 1) AS seconds
        FROM budgets WHERE part != 'turnaround' GROUP BY ALL ORDER BY seconds DESC LIMIT 5""",
    "slowest LUNs": """
        SELECT regexp_extract(capture, '([^/]+)/[^/]+$', 1) AS host, lun, count(*) AS commands,
               round(percentile_approx(turnaround_ns, 0.99) / 1e6, 2) AS p99_ms
        FROM commands WHERE turnaround_ns IS NOT NULL GROUP BY ALL ORDER BY p99_ms DESC LIMIT 5""",
    "commands not GOOD": """
        SELECT status, name, count(*) AS commands, count(DISTINCT capture) AS captures
        FROM commands WHERE status != 'GOOD' OR outcome != 'completed' GROUP BY ALL ORDER BY commands DESC LIMIT 5""",
    "retransmissions by kind": """
        SELECT kind, count(*) AS segments, count(DISTINCT capture) AS captures, round(sum(delay_ns) / 1e9, 2) AS seconds
        FROM losses GROUP BY ALL ORDER BY segments DESC LIMIT 5""",
    "findings, and how many hosts have them": """
        SELECT kind, severity, count(*) AS findings, count(DISTINCT regexp_extract(capture, '([^/]+)/[^/]+$', 1)) AS hosts
        FROM findings GROUP BY ALL ORDER BY hosts DESC, findings DESC LIMIT 8""",
}

# As a question about slow and failed commands needs them.
SOME_COLUMNS = ("name", "lun", "bytes", "turnaround_ns", "status", "outcome")

COMPARED = ("commands", "losses", "findings")


def session():
    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config("spark.driver.memory", "3g")
             .config("spark.sql.session.timeZone", "UTC").config("spark.sql.shuffle.partitions", "8").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def told(what, seconds, files):
    size = sum(file.stat().st_size for file in files)
    print(f"{what}: {seconds:.1f} s, {size / seconds / 1e6:.0f} MB/s, {seconds / len(files) * 1e3:.1f} ms a file", flush=True)


def questions(spark, folder, files):
    for table in ("commands", "budgets", "losses", "findings", "damage"):
        sanscope.spark.read(spark, folder, table=table).createOrReplaceTempView(table)
    for name, sql in QUESTIONS.items():
        begin = time.monotonic()
        answer = spark.sql(sql).collect()
        told(name, time.monotonic() - begin, files)
        for row in answer:
            print("   ", row.asDict())
    begin = time.monotonic()
    for row in spark.sql("SELECT kind, count(*) AS files FROM damage GROUP BY kind").collect():
        print("    damage:", row.asDict())
    told("damage", time.monotonic() - begin, files)


def words(table):
    """A table's columns in the words of csv."""
    columns = {}
    for name, column in zip(table.schema.names, table.columns):
        if pa.types.is_boolean(column.type):
            column = column.cast(pa.int8())
        if pa.types.is_decimal(column.type):
            column = column.cast(pa.uint64())
        columns[name] = column.cast(pa.string()).combine_chunks()
    return columns


def rows(spark, folder, files, tables):
    """Every cell of those tables of every file."""
    for table in tables:
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as store:
            sanscope.spark.read(spark, folder, table=table).write.mode("overwrite").parquet(store + "/t")
            of_file, cells, count, wrong = {}, 0, 0, []
            for part in pathlib.Path(store, "t").glob("*.parquet"):
                for name in pa.compute.unique(pa.parquet.read_table(part, columns=["capture"])["capture"]).to_pylist():
                    assert name not in of_file, "rows of a capture in two parts"
                    of_file[name] = part

            def check(file):
                run = subprocess.run([find_program(), "table", table, "--threads", "1", str(file)], capture_output=True)
                text = run.stdout
                if not text:
                    return 0, 0, [] if str(file) not in of_file else [f"{file}: rows of nothing"]
                names = text.split(b"\n", 1)[0].decode().split(",")
                csv = pyarrow.csv.read_csv(io.BytesIO(text), parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
                                           convert_options=pyarrow.csv.ConvertOptions(
                    column_types={name: pa.string() for name in names}, strings_can_be_null=True, null_values=[""]))
                if csv.num_rows == 0:
                    return 0, 0, [] if str(file) not in of_file else [f"{file}: rows of none"]
                if str(file) not in of_file:
                    return 0, 0, [f"{file}: no rows"]
                ours = words(pa.parquet.read_table(of_file[str(file)], filters=[("capture", "=", str(file))]))
                faults = [f"{file}: {name}" for name in names if not ours[name].equals(csv[name].combine_chunks())]
                return csv.num_rows, csv.num_rows * len(names), faults

            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                for found, compared, faults in pool.map(check, files):
                    count, cells, wrong = count + found, cells + compared, wrong + faults
            print(f"{table}: {count} rows, {cells} cells of {len(of_file)} files equal the command line's csv but in {len(wrong)}: "
                  f"{wrong[:5]}", flush=True)


def processor_seconds():
    """Of all processes below this one, those that have ended included."""
    tick = os.sysconf("SC_CLK_TCK")
    parents, used = {}, {}
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = pathlib.Path("/proc", process, "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(process)], used[int(process)] = int(fields[1]), sum(map(int, fields[11:15])) / tick

    def is_ours(process):
        while process not in (0, os.getpid()):
            process = parents.get(process, 0)
        return process != 0

    return sum(seconds for process, seconds in used.items() if is_ours(process))


def cost(spark, files):
    """Interleaved pairs: two tasks at once of Spark, two programs at once without it; each reads all of the files. Where others use
    the machine too, only the time of processors means anything."""
    listed = "\0".join(map(str, files)).encode()

    def plain(columns):
        options = f"--columns {','.join(columns)}" if columns else ""
        subprocess.run(["xargs", "-0", "-P2", "-n1", "sh", "-c",
                        f'"{find_program()}" table commands --threads 1 --format arrow {options} "$0" >/dev/null 2>&1; true'],
                       input=listed, check=True)

    def by_spark(task_bytes, columns):
        sanscope.spark.read(spark, list(map(str, files)), table="commands", task_bytes=task_bytes, columns=columns).write.format(
            "noop").mode("overwrite").save()

    pairs = {"all columns, files together": (64 << 20, ()), "some columns, files together": (64 << 20, SOME_COLUMNS),
             "all columns, one file a task": (0, ())}
    for name, (task_bytes, columns) in pairs.items():
        walls, processors = [], []
        for turn in range(4):
            figures = []
            for way in (lambda: plain(columns), lambda: by_spark(task_bytes, columns)):
                begin, used = time.monotonic(), processor_seconds()
                way()
                figures.append((time.monotonic() - begin, processor_seconds() - used))
                told(f"{name}: {figures[-1][1]:.2f} s of processors", figures[-1][0], files)
            if turn > 0:  # the first warms the JVM up
                walls.append(figures[0][0] / figures[1][0])
                processors.append(figures[0][1] / figures[1][1])
        for what, ratios in (("elapsed", walls), ("processor", processors)):
            print(f"{name}: throughput by {what} time against the plain program: median {statistics.median(ratios):.2f}, "
                  f"{sorted(round(ratio, 2) for ratio in ratios)}", flush=True)


def main():
    folder, which = os.path.abspath(sys.argv[1]), sys.argv[2:] or ["questions", "rows", "cost"]
    files = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())
    print(f"{len(files)} files, {sum(file.stat().st_size for file in files) / 1e9:.2f} GB")
    spark = session()
    if "cost" in which:
        cost(spark, files)
    if "questions" in which:
        questions(spark, folder, files)
    if "rows" in which:
        rows(spark, folder, files, [table for table in COMPARED if table in which] or COMPARED)


if __name__ == "__main__":
    main()

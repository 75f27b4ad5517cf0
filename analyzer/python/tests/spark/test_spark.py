# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures as Spark reads them: the command line's rows, whatever lies among the files."""

import os
import pathlib
import shutil
import subprocess

import boto3
import pytest
from conftest import SAMPLES, rows_of_csv
from moto.server import ThreadedMotoServer
from pyspark.sql import SparkSession

import sanscope.spark
from sanscope.spark import CaptureFile, partitions_of

GOOD = ["loss-mixed-initiator.pcap.zst", "check-conditions.pcap", "ipv6.pcap.zst", "two-sessions.pcap.lz4", "cut-off.pcap"]


@pytest.fixture(scope="module")
def store():
    """A server that speaks S3, which Spark's workers find by their environment as they would find another one."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test",
                   "AWS_DEFAULT_REGION": "us-east-1"}
    os.environ.update(environment)
    yield boto3.client("s3")
    for name in environment:
        del os.environ[name]
    server.stop()


@pytest.fixture(scope="module")
def spark(store):
    session = (SparkSession.builder.master("local[2,3]").config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
               .config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate())
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    """Good ones, one that is cut off, and what is none."""
    folder = tmp_path_factory.mktemp("captures")
    for name in GOOD:
        shutil.copy(SAMPLES / name, folder / name)
    (folder / "empty.pcap").touch()
    (folder / "foreign.pcap").write_bytes(b"%PDF-1.7" * 1000)
    (folder / "gone.pcap").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.pcap")
    return folder


def in_words(value):
    return "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)


def rows_by_capture(frame, names=None):
    found = {}
    for row in frame.collect():
        found.setdefault(pathlib.Path(row["capture"]).name, []).append(row.asDict())
    return found


@pytest.mark.parametrize("table", ["commands", "losses", "findings", "connections"])
@pytest.mark.parametrize("task_bytes", [0, 64 << 20])
def test_rows_are_those_of_the_command_line(spark, captures, table, task_bytes):
    frame = sanscope.spark.read(spark, captures, table=table, task_bytes=task_bytes)
    found = rows_by_capture(frame)
    for name in GOOD:
        wanted = rows_of_csv(table, captures / name)
        assert [{key: in_words(row[key]) for key in wanted[0]} for row in found.pop(name, [])] == wanted if wanted else name not in found
    assert found == {}


def test_some_columns(spark, captures):
    chosen = ["lun", "request_ns", "turnaround_ns", "status"]
    frame = sanscope.spark.read(spark, captures, table="commands", columns=chosen)
    assert frame.columns == ["lun", "request_ns", "request_time", "turnaround_ns", "status", "capture"]
    found = rows_by_capture(frame)
    for name in GOOD:
        wanted = [{key: row[key] for key in chosen} for row in rows_of_csv("commands", captures / name)]
        assert [{key: in_words(row[key]) for key in chosen} for row in found.get(name, [])] == wanted
    with pytest.raises(Exception, match="did you mean status"):
        sanscope.spark.read(spark, captures, table="commands", columns=["statsu"])
    with pytest.raises(Exception, match="not for the table damage"):
        sanscope.spark.read(spark, captures, table="damage", columns=["kind"])


def test_moments_are_exact_and_there_for_spark(spark, captures):
    frame = sanscope.spark.read(spark, captures / GOOD[0], table="commands")
    types = dict(frame.dtypes)
    assert (types["request_ns"], types["request_time"], types["turnaround_ns"]) == ("bigint", "timestamp", "bigint")
    assert (types["lba"], types["bytes"], types["status"]) == ("decimal(20,0)", "bigint", "string")
    wrong = frame.where("request_time != timestamp_micros(request_ns div 1000)").count()
    assert wrong == 0 and frame.where("request_time IS NOT NULL").count() == frame.count() > 0


def test_failures_are_rows(spark, captures):
    rows = sanscope.spark.read(spark, [captures, captures / "missing.pcap"], table="damage").collect()
    told = {pathlib.Path(row["capture"]).name: (row["kind"], row["at_byte"]) for row in rows}
    assert told == {"cut-off.pcap": ("damaged", 4968), "empty.pcap": ("nothing_analysed", None),
                    "foreign.pcap": ("nothing_analysed", None), "gone.pcap": ("unreadable", None), "pipe.pcap": ("unreadable", None),
                    "missing.pcap": ("unreadable", None)}
    assert all(row["message"] for row in rows)


def stub(folder, text):
    file = folder / "program"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


def test_an_attempt_that_fails_is_repeated_with_the_same_rows(spark, captures, tmp_path, program):
    """Each file's first attempt is killed in the middle of its rows."""
    program = stub(tmp_path, f'''
case "$*" in *" -") exec "{program}" "$@" ;; esac
for last; do :; done
mark="{tmp_path}/$(basename "$last").tried"
if [ -e "$mark" ]; then exec "{program}" "$@"; fi
touch "$mark"
"{program}" "$@" > "$mark"; head -c $(($(wc -c < "$mark") / 2)) "$mark"; kill -9 $$''')
    files = [captures / name for name in GOOD[:3]]
    again = rows_by_capture(sanscope.spark.read(spark, files, table="windows", program=program, task_bytes=0))
    assert len(list(tmp_path.glob("*.tried"))) == len(files)
    assert again == rows_by_capture(sanscope.spark.read(spark, files, table="windows"))


def test_a_capture_that_crashes_the_program_fails_no_job(spark, captures, tmp_path, program):
    program = stub(tmp_path, f'case "$*" in *ipv6*) kill -SEGV $$ ;; *) exec "{program}" "$@" ;; esac')
    files = [captures / name for name in GOOD[:3]]
    found = rows_by_capture(sanscope.spark.read(spark, files, table="commands", program=program))
    assert sorted(found) == sorted(name for name in GOOD[:3] if "ipv6" not in name)
    damage = sanscope.spark.read(spark, files, table="damage", program=program).collect()
    assert [(pathlib.Path(row["capture"]).name, row["kind"]) for row in damage] == [("ipv6.pcap.zst", "crashed")]


def test_through_a_file_system_of_others(spark, captures):
    """The way of s3a://, with fsspec's own local file system: the program reads a stream."""
    files = [f"file://{captures}/{name}" for name in GOOD]
    found = rows_by_capture(sanscope.spark.read(spark, files, table="commands"))
    local = rows_by_capture(sanscope.spark.read(spark, [captures / name for name in GOOD], table="commands"))
    assert sorted(found) == sorted(local)
    for name, rows in local.items():
        assert [{**row, "capture": ""} for row in found[name]] == [{**row, "capture": ""} for row in rows]
    damage = sanscope.spark.read(spark, f"file://{captures}/c*", table="damage").collect()
    assert [(pathlib.Path(row["capture"]).name, row["kind"], row["at_byte"]) for row in damage] == [("cut-off.pcap", "damaged", 4968)]


def test_captures_in_an_object_store(spark, store, captures):
    """Rows, damage, and the retries' way of reading are those of files; objects that are none, or not there, are told."""
    store.create_bucket(Bucket="san")
    for name in [*GOOD, "foreign.pcap", "empty.pcap"]:
        store.upload_file(str(captures / name), "san", f"2026-11-26/host-1/{name}")
    found = rows_by_capture(sanscope.spark.read(spark, "s3a://san/2026-11-26/*/*.pcap*", table="commands"))
    local = rows_by_capture(sanscope.spark.read(spark, [captures / name for name in GOOD], table="commands"))
    assert {name: [{**row, "capture": ""} for row in rows] for name, rows in found.items()} == \
        {name: [{**row, "capture": ""} for row in rows] for name, rows in local.items()}
    assert all(row["capture"].startswith("s3a://san/2026-11-26/host-1/") for rows in found.values() for row in rows)
    damage = sanscope.spark.read(spark, ["s3a://san/2026-11-26", "s3://san/gone.pcap"], table="damage").collect()
    assert {(pathlib.PurePosixPath(row["capture"]).name, row["kind"]) for row in damage} == \
        {("cut-off.pcap", "damaged"), ("foreign.pcap", "nothing_analysed"), ("empty.pcap", "nothing_analysed"), ("gone.pcap", "unreadable")}


def test_a_question_in_sql(spark, captures, tmp_path):
    sanscope.spark.read(spark, captures, table="commands").createOrReplaceTempView("commands")
    [row] = spark.sql("SELECT count(*) AS n, sum(bytes) AS bytes, max(turnaround_ns) AS slowest FROM commands WHERE status = 'GOOD'").collect()
    good = [row for name in GOOD for row in rows_of_csv("commands", captures / name) if row["status"] == "GOOD"]
    assert row["n"] == len(good)
    assert row["bytes"] == sum(int(row["bytes"]) for row in good if row["bytes"])
    assert row["slowest"] == max(int(row["turnaround_ns"]) for row in good if row["turnaround_ns"])


def test_usage(spark, captures):
    with pytest.raises(Exception, match="no table"):
        sanscope.spark.read(spark, captures, table="nothing")


def test_files_of_a_task():
    files = [CaptureFile(f"/{index:03}", size) for index, size in enumerate([5, 5, 5, 100, 5, 5, 200, 0])]
    groups = partitions_of(files, 10, 1)
    assert sorted(file.path for group in groups for file in group.files) == [file.path for file in files]
    assert [[file.path for file in group.files] for group in groups[:2]] == [["/006"], ["/003"]]
    assert all(len(group.files) == 1 or sum(file.size for file in group.files) <= 10 for group in groups)
    assert [len(group.files) for group in partitions_of(files, 0, 1)] == [1] * len(files)
    assert len(partitions_of(files, 1 << 30, 8)) >= 3
    assert partitions_of([], 10, 4) == []
    # One without a byte may be the first.
    assert [[file.path for file in group.files] for group in partitions_of([CaptureFile("/0", 0), CaptureFile("/1", 5)], 10, 1)] == \
        [["/1"], ["/0"]]
    assert len(partitions_of([CaptureFile("/0", 0), CaptureFile("/1", 5), CaptureFile("/2", 4)], 5, 1)) == 2


def test_the_program_is_not_in_the_way_of_workers(spark):
    """Each worker finds it by itself."""
    found = spark.sparkContext.parallelize([0], 1).map(lambda _: subprocess.run(
        [__import__("sanscope").find_program(), "--version"], capture_output=True, text=True).stdout).collect()
    assert found[0].startswith("sanscope ")

# SPDX-License-Identifier: GPL-3.0-or-later
"""A lake: each capture in it exactly once, whatever happens."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

import duckdb
import pyarrow.parquet
import pytest
from conftest import SAMPLES, rows_of_csv

from sanscope.archive import TABLES, archive

SMALL = ["reads-4k-qd8.pcap.zst", "check-conditions.pcap"]


def fill(folder, names=SMALL, host="esx7"):
    (folder / host).mkdir(parents=True, exist_ok=True)
    for name in names:
        shutil.copy(SAMPLES / name, folder / host / name)
    return folder


def folders(lake):
    return sorted(pathlib.Path(lake, "data").glob("day=*/host=*/id=*"))


def contents(lake):
    """Rows of each table by capture. Fails where a capture is there twice, or not with all its tables."""
    found = {}
    for folder in folders(lake):
        assert sorted(file.name for file in folder.iterdir()) == sorted(f"{name}.parquet" for name in TABLES)
        counts = {name: pyarrow.parquet.read_metadata(folder / f"{name}.parquet").num_rows for name in TABLES}
        digest = pyarrow.parquet.read_table(folder / "captures.parquet")["sha256"][0].as_py()
        assert folder.name == f"id={digest[:32]}"
        assert digest not in found
        found[digest] = counts
    return found


def left_behind(lake):
    return list(pathlib.Path(lake, ".work").iterdir())


def wanted(names=SMALL):
    return sorted([{name: len(rows_of_csv(name, SAMPLES / file)) for name in TABLES} for file in names], key=str)


def test_rows_are_those_of_the_command_line(tmp_path):
    outcome = archive(fill(tmp_path / "captures"), tmp_path / "lake", settled=0)
    assert (outcome.added, outcome.known, outcome.told, outcome.given_up) == (2, 0, [], "")
    assert sorted(contents(tmp_path / "lake").values(), key=str) == wanted()
    assert {folder.parent.name for folder in folders(tmp_path / "lake")} == {"host=esx7"}
    lake = duckdb.connect()
    lake.execute((tmp_path / "lake" / "views.sql").read_text())
    for file in SMALL:
        rows = lake.execute("SELECT itt, turnaround_ns, bytes, status, day::VARCHAR, host FROM commands WHERE capture = ? ORDER BY command",
                            [f"esx7/{file}"]).fetchall()
        plain = rows_of_csv("commands", SAMPLES / file)
        assert [tuple("" if value is None else str(value) for value in row[:4]) for row in rows] == [
            (row["itt"], row["turnaround_ns"], row["bytes"], row["status"]) for row in plain]
        day = time.strftime("%Y-%m-%d", time.gmtime(int(rows_of_csv("captures", SAMPLES / file)[0]["start_ns"]) / 1e9))
        assert {row[4:] for row in rows} == {(day, "esx7")}


def test_only_what_is_new(tmp_path):
    captures, lake = fill(tmp_path / "captures"), tmp_path / "lake"
    archive(captures, lake, settled=0)
    before = {folder: folder.stat().st_mtime_ns for folder in folders(lake)}
    assert archive(captures, lake, settled=0).known == 2
    # Copied, renamed, touched: the same captures.
    fill(captures, SMALL, "another host")
    os.utime(captures / "esx7" / SMALL[0], (1, 1))
    (captures / "esx7" / SMALL[1]).rename(captures / "esx7" / "renamed")
    outcome = archive(captures, lake, settled=0)
    assert (outcome.added, outcome.known) == (0, 4)
    assert {folder: folder.stat().st_mtime_ns for folder in folders(lake)} == before
    fill(captures, ["vlan.pcap.zst"])
    assert archive(captures, lake, settled=0).added == 1
    assert sorted(contents(lake).values(), key=str) == wanted([*SMALL, "vlan.pcap.zst"])


def test_hosts_and_days(tmp_path):
    captures = tmp_path / "captures"
    fill(captures, SMALL[:1], "a/b host=?*")
    shutil.copy(SAMPLES / SMALL[1], captures)
    archive(captures, tmp_path / "lake", settled=0)
    lake = duckdb.connect()
    lake.execute((tmp_path / "lake" / "views.sql").read_text())
    assert sorted(lake.execute("SELECT DISTINCT host FROM commands").fetchall(), key=str) == [("a",), (None,)]
    archive(captures, tmp_path / "named", settled=0, host="esx 7/b=?%")
    lake.execute((tmp_path / "named" / "views.sql").read_text())
    assert lake.execute("SELECT DISTINCT host FROM captures").fetchall() == [("esx 7/b=?%",)]


def test_bad_files_stop_nothing(tmp_path):
    captures = fill(tmp_path / "captures", [*SMALL, "cut-off.pcap"])
    (captures / "empty.pcap").touch()
    (captures / "foreign.pcap").write_bytes(b"%PDF-1.7" * 1000)
    (captures / "gone.pcap").symlink_to("nowhere")
    os.mkfifo(captures / "pipe.pcap")
    outcome = archive(captures, tmp_path / "lake", settled=0)
    assert {told.file.name: told.kind for told in outcome.told} == {
        "cut-off.pcap": "damaged", "empty.pcap": "not_a_capture", "foreign.pcap": "not_a_capture", "gone.pcap": "unreadable",
        "pipe.pcap": "unreadable"}
    assert sorted(contents(tmp_path / "lake").values(), key=str) == wanted([*SMALL, "cut-off.pcap"])
    run = subprocess.run([sys.executable, "-m", "sanscope.archive", captures, "--into", tmp_path / "lake", "--settled", "0"],
                         capture_output=True, text=True)
    assert run.returncode == 3
    assert "0 captures added" in run.stderr and "3 were there" in run.stderr
    for name in ("empty.pcap", "foreign.pcap", "gone.pcap", "pipe.pcap"):
        assert name in run.stderr


def test_what_is_still_written(tmp_path):
    """A recording that grows: left alone at first, and what there was of it makes way for more of it."""
    captures, lake = tmp_path / "captures", tmp_path / "lake"
    whole = subprocess.run(["zstd", "-dc", SAMPLES / "reads-4k-qd8.pcap.zst"], capture_output=True, check=True).stdout
    captures.mkdir()
    file = captures / "san.pcap"
    file.write_bytes(whole[:len(whole) // 2])
    outcome = archive(captures, lake, settled=60)
    assert (outcome.added, [told.kind for told in outcome.told]) == (0, ["growing"])
    assert archive(captures, lake, settled=0).added == 1
    first = contents(lake)
    file.write_bytes(whole)
    assert archive(captures, lake, settled=0).added == 1
    assert not set(first) & set(contents(lake))
    assert list(contents(lake).values()) == wanted(SMALL[:1])
    # Another recording under the same name is no more of it.
    shutil.copy(SAMPLES / SMALL[1], file)
    assert archive(captures, lake, settled=0).added == 1
    assert sorted(contents(lake).values(), key=str) == wanted()


KILLED = """
import os, signal, sys
import pyarrow, pyarrow.parquet
from sanscope.archive import archive

def killed_at(step, captures, lake):
    # Ends itself as by kill -9 right before the step-th call that changes the file system. None: it got to its end.
    child = os.fork()
    if child == 0:
        left = step
        def counted(call):
            def wrapper(*arguments, **named):
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return call(*arguments, **named)
            return wrapper
        for name in ("rename", "replace", "mkdir", "fsync", "unlink", "rmdir", "open"):
            setattr(os, name, counted(getattr(os, name)))
        outcome = archive(captures, lake, settled=0, jobs=1)
        os._exit(0 if not outcome.told and not outcome.given_up else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

step, status = 0, -9
begin, stride = int(sys.argv[3]), int(sys.argv[4])
step = begin
while status == -9:
    status = killed_at(step, sys.argv[1], f"{sys.argv[2]}/{step}")
    again = killed_at(0, sys.argv[1], f"{sys.argv[2]}/{step}")
    print(step, status, again, flush=True)
    step += stride
"""


def test_killed_in_the_middle_and_repeated(tmp_path):
    captures = fill(tmp_path / "captures")
    stages = tmp_path / "stages"
    stages.mkdir()
    run = subprocess.run([sys.executable, "-c", KILLED, captures, stages, "1", "3"], capture_output=True, text=True, timeout=600)
    steps = [line.split() for line in run.stdout.splitlines()]
    assert len(steps) > 20, run.stderr
    assert [status for _, status, _ in steps] == ["-9"] * (len(steps) - 1) + ["0"]
    assert {again for _, _, again in steps} == {"0"}
    expected = wanted()
    for step, _, _ in steps:
        assert sorted(contents(stages / step).values(), key=str) == expected, step
        assert left_behind(stages / step) == [], step


def test_killed_at_any_time_there_are_only_whole_captures(tmp_path):
    """By kill -9 from outside, the program that it runs included."""
    names = sorted(path.name for path in SAMPLES.glob("*.pcap.zst"))[:12]
    captures, lake = fill(tmp_path / "captures", names), tmp_path / "lake"
    expected = wanted(names)
    for tenths in (4, 7, 10, 13):
        process = subprocess.Popen([sys.executable, "-m", "sanscope.archive", captures, "--into", lake, "--settled", "0"],
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(tenths / 10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 9)
        process.wait()
        if lake.exists():
            assert all(counts in expected for counts in contents(lake).values())
    archive(captures, lake, settled=0)
    assert sorted(contents(lake).values(), key=str) == expected
    assert left_behind(lake) == []


def test_two_at_once(tmp_path):
    names = sorted(path.name for path in SAMPLES.glob("*.pcap.zst"))[:12]
    captures, lake = fill(tmp_path / "captures", names), tmp_path / "lake"
    fill(captures, names[:4], "another host")  # the same content elsewhere
    runs = [subprocess.Popen([sys.executable, "-m", "sanscope.archive", captures, "--into", lake, "--settled", "0"],
                             stderr=subprocess.PIPE, text=True) for _ in range(2)]
    told = [run.communicate(timeout=300)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], told
    assert sum(int(text.splitlines()[-1].split()[0]) for text in told) == len(names), told
    assert sorted(contents(lake).values(), key=str) == wanted(names)
    assert left_behind(lake) == []


@pytest.fixture
def small_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", disk], capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a small file system")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk(tmp_path, small_disk):
    names = sorted(path.name for path in SAMPLES.glob("*.pcap.zst"))[:12]
    captures, lake = fill(tmp_path / "captures", names), small_disk / "lake"
    outcome = archive(captures, lake, settled=0, jobs=2)
    assert "No space left" in outcome.given_up
    assert not [told for told in outcome.told if told.kind != "damaged"], "a capture is blamed for the disk"
    expected = wanted(names)
    assert all(counts in expected for counts in contents(lake).values())
    run = subprocess.run([sys.executable, "-m", "sanscope.archive", captures, "--into", lake, "--settled", "0"],
                         capture_output=True, text=True)
    assert run.returncode == 1 and "No space left" in run.stderr
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    assert archive(captures, lake, settled=0).given_up == ""
    assert sorted(contents(lake).values(), key=str) == expected


def test_a_program_that_is_killed_blames_no_capture(tmp_path):
    captures = fill(tmp_path / "captures", SMALL[:1])
    stub = tmp_path / "program"
    stub.write_text("#!/bin/sh\nkill -9 $$\n")
    stub.chmod(0o755)
    outcome = archive(captures, tmp_path / "lake", settled=0, program=stub)
    assert [told.kind for told in outcome.told] == ["failed"]
    assert archive(captures, tmp_path / "lake", settled=0).added == 1


def test_usage(tmp_path):
    run = subprocess.run([sys.executable, "-m", "sanscope.archive", tmp_path / "missing", "--into", tmp_path / "lake"],
                         capture_output=True, text=True)
    assert run.returncode == 1 and "missing" in run.stderr
    assert subprocess.run([sys.executable, "-m", "sanscope.archive", tmp_path], capture_output=True).returncode == 2

# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as others take them, and what becomes of them where something is wrong."""

import gc
import pathlib
import subprocess
import tempfile
import time

import duckdb
import pandas
import polars
import pyarrow
import pytest
from conftest import SAMPLES, rows_of_csv

import sanscope


def as_csv(table):
    """A pyarrow table's rows in the words of csv, without `capture`."""
    names = [name for name in table.schema.names if name != "capture"]
    columns = []
    for name in names:
        column = table[name]
        if pyarrow.types.is_timestamp(column.type) or pyarrow.types.is_duration(column.type):
            column = column.cast(pyarrow.int64())
        columns.append(["" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
                        for value in column.to_pylist()])
    return [dict(zip(names, row)) for row in zip(*columns)]


@pytest.mark.parametrize("name", [name for name in sanscope.TABLES if name != "captures"])
def test_rows_are_those_of_the_command_line(name, losses):
    assert as_csv(pyarrow.table(sanscope.read(losses).table(name))) == rows_of_csv(name, losses)


def test_some_columns_of_some_rows(losses):
    chosen = sanscope.read(losses).table("commands", columns=["status", "turnaround_ns"], where="turnaround > 1ms")
    table = pyarrow.table(chosen)
    assert table.schema.names == ["status", "turnaround_ns", "capture"]
    wanted = [{"status": row["status"], "turnaround_ns": row["turnaround_ns"]} for row in rows_of_csv("commands", losses)
              if int(row["turnaround_ns"] or 0) > 1_000_000]
    assert as_csv(table) == wanted != []
    with pytest.raises(sanscope.UsageError, match="did you mean status"):
        pyarrow.table(sanscope.read(losses).table("commands", columns=["statsu"]))


def test_several_tables_in_one_pass_are_the_same(losses, cut_off):
    for file in (losses, cut_off):
        capture = sanscope.read(file, tables=["commands", "losses", "findings"])
        for name in ("commands", "losses", "findings"):
            assert as_csv(pyarrow.table(capture.table(name))) == rows_of_csv(name, file)


def test_many_batches(program):
    """Dictionaries grow between batches."""
    file = SAMPLES / "loss-mixed-initiator.pcap.zst"
    table = pyarrow.table(sanscope.read(file).windows)
    assert table["connection"].num_chunks > 1
    assert as_csv(table) == rows_of_csv("windows", file)


def test_others_take_it(losses):
    commands = sanscope.read(losses).commands
    count = len(rows_of_csv("commands", losses))
    frame = polars.DataFrame(commands)
    assert frame.height == count
    assert frame["turnaround_ns"].dtype == polars.Duration("ns")
    assert polars.from_arrow(commands).len() == count
    those_of_losses = commands  # a name that no view of another test has
    assert duckdb.sql("SELECT count(*) FROM those_of_losses").fetchall() == [(count,)]
    assert len(pyarrow.table(commands).to_pandas()) == count
    assert pandas.__version__


def test_several_captures_are_merged():
    files = [SAMPLES / "reads-4k-qd8.pcap.zst", SAMPLES / "vlan.pcap.zst"]
    assert as_csv(pyarrow.table(sanscope.read(files).commands)) == rows_of_csv("commands", *files)


def test_filtered(losses):
    capture = sanscope.read(losses, tables=["commands"])
    slow = pyarrow.table(capture.table("commands", where="turnaround > 20ms"))
    all_of_them = pyarrow.table(capture.commands)["turnaround_ns"].cast(pyarrow.int64()).to_pylist()
    assert 0 < slow.num_rows == sum(value is not None and value > 20_000_000 for value in all_of_them)


def test_what_columns_are(losses):
    commands = sanscope.read(losses, capture_id="esx7").commands
    assert "nanoseconds" in commands.descriptions["turnaround_ns"]
    assert commands.columns[:2] == ["command", "connection"]
    assert commands.metadata["sanscope.table"] == "commands"
    assert set(pyarrow.table(commands)["capture"].to_pylist()) == {"esx7"}


def test_damage_is_an_attribute(losses, cut_off):
    whole = sanscope.read(losses)
    assert (whole.damage, whole.exit_status) == ((), 0)
    for damaged in (sanscope.read(cut_off), sanscope.read(cut_off, tables=["losses"])):
        assert damaged.exit_status == 3
        assert damaged.damage == (sanscope.Damage(str(cut_off), "the file is cut off inside a packet record", 4968),)


@pytest.mark.parametrize("at_once", [None, ["commands"]])
def test_no_capture_is_an_error(at_once, tmp_path):
    foreign = tmp_path / "foreign.pcap"
    foreign.write_bytes(b"no capture at all" * 100)
    for file in (foreign, tmp_path / "missing.pcap"):
        with pytest.raises(sanscope.NothingAnalysed, match=file.name) as caught:
            sanscope.read(file, tables=at_once).commands.damage
        assert caught.value.exit_status == 1


def test_usage_is_an_error(losses):
    with pytest.raises(sanscope.UsageError, match="nonsense"):
        sanscope.read(losses).table("commands", where="nonsense == 1").columns
    with pytest.raises(sanscope.UsageError, match="no-port"):
        sanscope.read(losses, decode_as=["no-port"], tables=["commands"])
    with pytest.raises(AttributeError, match="no table"):
        sanscope.read(losses).table("nothing")
    with pytest.raises(ValueError):
        sanscope.read([])


def test_names_are_no_options(losses, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-o.pcap.zst").write_bytes(losses.read_bytes())
    assert sanscope.read("-o.pcap.zst").exit_status == 0


def test_no_program(losses, monkeypatch, tmp_path):
    monkeypatch.setenv("SANSCOPE", str(tmp_path / "nothing"))
    with pytest.raises(sanscope.ProgramNotFound, match="nothing"):
        sanscope.read(losses, tables=["commands"])
    monkeypatch.delenv("SANSCOPE")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(sanscope.ProgramNotFound, match="SANSCOPE"):
        sanscope.find_program()


def script(folder, text):
    file = folder / "program"
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(0o755)
    return file


def test_a_program_that_dies_gives_no_short_table(program, losses, tmp_path):
    """Half of a stream, and no end of it: whoever reads must not take that for all."""
    stub = script(tmp_path, f'"{program}" "$@" > "{tmp_path}/all"; head -c $(($(wc -c < "{tmp_path}/all") / 2)) "{tmp_path}/all"; kill -9 $$\n')
    for read in (pyarrow.table, polars.DataFrame):
        with pytest.raises(Exception, match="signal 9|killed|SanscopeError"):
            read(sanscope.read(losses, program=stub).windows)
    with pytest.raises(sanscope.SanscopeError, match="signal 9"):
        sanscope.read(losses, program=script(tmp_path, "kill -9 $$\n")).commands.columns


def test_a_stream_that_is_forgotten_ends_the_program(losses, tmp_path, program):
    stub = script(tmp_path, f'echo $$ > "{tmp_path}/pid"; exec "{program}" "$@"\n')
    reader = pyarrow.RecordBatchReader.from_stream(sanscope.read(losses, program=stub).windows)
    reader.read_next_batch()
    pid = int((tmp_path / "pid").read_text())
    assert pathlib.Path(f"/proc/{pid}").exists()
    del reader
    gc.collect()
    deadline = time.monotonic() + 10
    while pathlib.Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not pathlib.Path(f"/proc/{pid}").exists()


def test_nothing_stays_behind(losses, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    capture = sanscope.read(losses, tables=["commands"])
    commands = capture.commands
    del capture
    gc.collect()
    assert pyarrow.table(commands).num_rows > 0
    del commands
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(sanscope.NothingAnalysed):
        sanscope.read(tmp_path / "missing", tables=["commands"])
    assert list(tmp_path.iterdir()) == []


def test_findings(losses):
    found = sanscope.findings(losses)
    told = rows_of_csv("findings", losses)
    assert [finding.title for finding in found] == [row["title"] for row in told]
    assert [finding.cost_ns for finding in found] == [int(row["cost_ns"]) if row["cost_ns"] else None for row in told]


def test_comparison(losses):
    same = sanscope.compare(losses, losses)
    assert (same.changed, same.exit_status) == ([], 0)
    assert {finding.state for finding in same.findings} == {"stayed"}
    other = sanscope.compare(losses, SAMPLES / "reads-4k-qd8.pcap.zst")
    assert {figure.verdict for figure in other.changed} <= {"higher", "lower"} and other.changed
    assert any(finding.state == "gone" for finding in other.findings)
    with pytest.raises(sanscope.NothingAnalysed):
        sanscope.compare(losses, "/nonexistent")


def test_versions_agree(program):
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert sanscope.read(SAMPLES / "cut-off.pcap").commands.metadata["sanscope.version"] == told

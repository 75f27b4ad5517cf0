# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording followed while it is written."""

import gzip
import subprocess
import time

import pyarrow
import pytest
from conftest import SAMPLES, rows_of_csv

import sanscope
from sanscope.growing import GrowingCapture


@pytest.fixture(params=["reads-4k-qd8.pcap.zst", "reads-256k-qd4.pcapng.zst"])
def plain(request):
    return subprocess.run(["zstd", "-dc", SAMPLES / request.param], capture_output=True, check=True).stdout


def test_whole_packets_only(plain, tmp_path):
    """Wherever the file ends, what is read ends with a packet: the program finds no damage in it, and as many packets."""
    for size in range(200, len(plain), max(1, len(plain) // 7)):
        file = tmp_path / f"{size}.pcap"
        file.write_bytes(plain[:size])
        growing = GrowingCapture(file)
        growing.look()
        assert 0 < growing.bytes <= size
        if growing.packets == 0:
            continue
        file.write_bytes(plain[:growing.bytes])
        assert int(rows_of_csv("captures", file)[0]["packets"]) == growing.packets
        assert sanscope.read(file).damage == ()
        file.write_bytes(plain[:growing.bytes + 1])
        again = GrowingCapture(file)
        again.look()
        assert again.bytes == growing.bytes


def test_updates(plain, tmp_path):
    file = tmp_path / "growing.pcap"
    half = len(plain) // 2
    file.write_bytes(plain[:half])
    answered = 0
    packets = []
    for update in sanscope.follow(file, every=0.2, idle=1):
        packets.append((update.packets_before, update.packets))
        assert update.capture.damage == ()
        answered += pyarrow.table(update.capture.table("commands", where=f"response_packet > {update.packets_before}")).num_rows
        if len(packets) == 1:
            with open(file, "ab") as more:
                more.write(plain[half:])
    assert update.ended
    assert [before for before, _ in packets[1:]] == [after for _, after in packets[:-1]]
    assert packets[-1][1] == int(rows_of_csv("captures", file)[0]["packets"])
    rows = rows_of_csv("commands", file)
    assert pyarrow.table(update.capture.commands).num_rows == len(rows)
    assert answered == sum(row["response_packet"] != "" for row in rows)


def test_a_file_that_is_not_there_yet(plain, tmp_path):
    updates = list(sanscope.follow(tmp_path / "missing.pcap", every=0.1, idle=0.3))
    assert updates == []


def test_compressed_files_do_not_grow(plain, tmp_path):
    file = tmp_path / "san.pcap.gz"
    file.write_bytes(gzip.compress(plain))
    with pytest.raises(sanscope.NothingAnalysed, match="stored plain"):
        next(sanscope.follow(file, idle=1))


def test_an_interface_that_is_none(program):
    begin = time.monotonic()
    with pytest.raises(sanscope.SanscopeError, match="no-such-if"):
        for _ in sanscope.follow(interface="no-such-if", every=0.2):
            pass
    assert time.monotonic() - begin < 60
    with pytest.raises(ValueError):
        next(sanscope.follow())

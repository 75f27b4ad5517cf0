# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program and the captures are."""

import csv
import io
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "captures" / "samples"
os.environ.setdefault("SANSCOPE", str(ROOT / "build" / "release" / "bin" / "sanscope"))
os.environ["PYSPARK_PYTHON"] = sys.executable
os.environ["PYTHONPATH"] = str(ROOT / "analyzer" / "python" / "src")
sys.path.insert(0, os.environ["PYTHONPATH"])


def rows_of_csv(table, *files):
    """The command line's rows, as dictionaries of text; none where it gives no table."""
    run = subprocess.run([os.environ["SANSCOPE"], "table", table, *map(str, files)], capture_output=True, timeout=300)
    return list(csv.DictReader(io.StringIO(run.stdout.decode(), newline="")))


@pytest.fixture
def program():
    return os.environ["SANSCOPE"]


@pytest.fixture
def losses():
    return SAMPLES / "loss-mixed-initiator.pcap.zst"


@pytest.fixture
def cut_off():
    return SAMPLES / "cut-off.pcap"

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the virtual environment of Python tests, build/python-env, and prints the path of its python.

    python_env.py [spark]     spark: with Apache Spark besides, some 450 MB

What is in it is pinned in analyzer/python/tests/requirements*.txt. One that is there and has it is used as it is; others that are
started meanwhile wait. Exit status 3: PyPI cannot be reached, which is told on standard error; 1: anything else."""

import fcntl
import hashlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / "build" / "python-env"
REQUIREMENTS = ROOT / "analyzer" / "python" / "tests"
NOT_REACHED = re.compile(r"NewConnectionError|ConnectTimeout|ReadTimeout|name resolution|ProxyError|Network is unreachable")

unreachable = 3


def install(python, requirements):
    stamp = ENVIRONMENT / (requirements.stem + ".stamp")
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    run = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "2", "--timeout", "20",
                          "-r", requirements], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode != 0:
        print(run.stdout, file=sys.stderr)
        if NOT_REACHED.search(run.stdout):
            print(f"PyPI cannot be reached for {requirements.name}", file=sys.stderr)
            sys.exit(unreachable)
        sys.exit(1)
    stamp.write_text(wanted)


def make(with_spark=False):
    """The path of its python."""
    ENVIRONMENT.mkdir(parents=True, exist_ok=True)
    with open(ENVIRONMENT / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python = ENVIRONMENT / "bin" / "python"
        # One whose interpreter is gone is made anew.
        if subprocess.run(["sh", "-c", f"'{python}' -m pip --version"], capture_output=True).returncode != 0:
            made = subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True)
            if made.returncode != 0:
                sys.exit(f"{made.stdout}\nis python3-venv there?")
        install(python, REQUIREMENTS / "requirements.txt")
        if with_spark:
            install(python, REQUIREMENTS / "requirements-spark.txt")
    return python


if __name__ == "__main__":
    print(make("spark" in sys.argv[1:]))

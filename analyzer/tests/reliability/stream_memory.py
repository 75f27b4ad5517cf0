#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope report -` on a stream of any length: a capture is made and read through a pipe, and the peak of the memory that
the report took is told for each length. Nothing is stored.

    analyzer/tests/reliability/stream_memory.py --gigabytes 1 5 20 100"""

import argparse
import os
import pathlib
import select
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, missing_program  # noqa: E402

BYTES_OF_PACKET = {"full": 1145, "header-only": 144, "small-io": 1000}


def resident_mib(process):
    try:
        with open(f"/proc/{process}/status") as status:
            return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmRSS"))
    except (OSError, StopIteration):
        return None


def written(process):
    """Bytes that it has written."""
    try:
        with open(f"/proc/{process}/io") as counts:
            return next(int(line.split()[1]) for line in counts if line.startswith("wchar"))
    except (OSError, StopIteration):
        return None


def measure(sanscope, maker, like, connections, gigabytes):
    packets = int(gigabytes * 1e9 / BYTES_OF_PACKET[like])
    begun = time.monotonic()
    make = subprocess.Popen([maker, "--like", like, "--connections", str(connections), "--packets", str(packets), "-"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    report = subprocess.Popen([sanscope, "report", "-"], stdin=make.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    make.stdout.close()
    samples = []
    while not select.select([report.stdout], [], [], max(0.05, gigabytes / 100))[0]:
        at, mib = written(make.pid), resident_mib(report.pid)
        if at is not None and mib is not None:
            samples.append((at, mib))
    size = written(make.pid) or (samples[-1][0] if samples else 0)
    out = report.stdout.read().decode("utf-8", "replace")
    err = report.stderr.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(report.pid, 0)
    report.returncode = os.waitstatus_to_exitcode(status)
    took = time.monotonic() - begun
    make.wait()
    return {"bytes": size, "seconds": took, "peak_mib": usage.ru_maxrss / 1024, "status": report.returncode,
            "first_line": out.splitlines()[1] if len(out.splitlines()) > 1 else "", "samples": samples, "err": err}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[1, 5, 20])
    parser.add_argument("--like", choices=sorted(BYTES_OF_PACKET), default="full")
    parser.add_argument("--connections", type=int, default=16, help="at once; each ends, and another one comes")
    parser.add_argument("--curve", action="store_true", help="also the memory on the way, in ten steps")
    options = parser.parse_args()
    maker = options.sanscope.parent / "make_capture"
    if reason := missing_program(options.sanscope) or missing_program(maker):
        sys.exit(reason)
    print(f"{'stream':>10} {'took':>8} {'rate':>10} {'peak memory':>12}   what the report says of it", flush=True)
    worst = 0
    for gigabytes in options.gigabytes:
        run = measure(options.sanscope, maker, options.like, options.connections, gigabytes)
        print(f"{run['bytes'] / 1e9:7.1f} GB {run['seconds']:6.1f} s {run['bytes'] / 1e6 / run['seconds']:5.0f} MB/s "
              f"{run['peak_mib']:8.1f} MiB   {run['first_line']}", flush=True)
        if options.curve:
            step = max(1, len(run["samples"]) // 10)
            print("           " + ", ".join(f"{mib} MiB at {at / 1e9:.1f} GB" for at, mib in run["samples"][::step]), flush=True)
        if run["status"] != 0:
            print(run["err"].strip()[-500:], file=sys.stderr)
            worst = 1
    return worst


if __name__ == "__main__":
    sys.exit(main())

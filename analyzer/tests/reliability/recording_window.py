#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording with the window open, on a display of its own (Xvfb), while a load of so many commands a second runs on loopback:
each ten seconds the memory of the window and of the recorder and the window's processor time; in the end the packets lost and how
old pictures were: from the last packet that one may show to when it is painted. As root, who may record.

    sudo analyzer/tests/reliability/recording_window.py --minutes 60"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
sys.path.insert(0, str(ROOT / "gui" / "tests"))
from harness import DEFAULT_SANSCOPE, missing_program  # noqa: E402
from xvfb_test import Display  # noqa: E402


def resident_mib(process, what="VmRSS"):
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(what))


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def child_of(process):
    children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for child in children:
        if "sanscope-record" in pathlib.Path(f"/proc/{child}/comm").read_text():
            return int(child)
    return None


def ages_of_pictures(log):
    """By view, in milliseconds, sorted: what lines of the window's category `sanscope.pictures` say."""
    ages = {}
    for line in log.decode(errors="replace").splitlines():
        if found := re.search(r"(\w+): ([\d.]+) ms after the last packet$", line):
            ages.setdefault(found[1], []).append(float(found[2]))
    return {view: sorted(times) for view, times in ages.items()}


def print_ages(ages, seconds):
    print(f"{'pictures of':>20} {'a second':>9} {'median':>9} {'99 %':>9} {'oldest':>9}")
    for view, times in sorted(ages.items()):
        print(f"{view:>20} {len(times) / seconds:9.1f} {times[len(times) // 2]:6.0f} ms {times[len(times) * 99 // 100]:6.0f} ms {times[-1]:6.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=int, default=5000, help="commands a second")
    options = parser.parse_args()
    window_program = options.sanscope.parent / "sanscope-gui"
    if reason := missing_program(options.sanscope) or missing_program(window_program):
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as folder, Display() as display:
        capture = pathlib.Path(folder) / "window.pcapng"
        log = pathlib.Path(folder) / "window.log"
        target = subprocess.Popen([options.sanscope, "target", "--listen", "127.0.0.1:0", "--backing", "null", "--json"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        told = json.loads(target.stdout.readline())
        port = told["listening"].rsplit(":", 1)[1]
        with open(log, "wb") as errors:
            window = subprocess.Popen([window_program, "-i", "lo", "-f", f"tcp port {port}", "--keep", "headers", "-w", capture],
                                      env={**os.environ, "DISPLAY": display.name, "QT_QPA_PLATFORM": "xcb", "HOME": folder,
                                           "QT_LOGGING_RULES": "sanscope.pictures=true", "QT_LOGGING_TO_CONSOLE": "1"},
                                      stdout=subprocess.DEVNULL, stderr=errors)
        time.sleep(5)
        load = subprocess.Popen([options.sanscope, "generate", "--quiet", "--json", "--rate", str(options.rate), "-q", "32",
                                 "--duration", f"{options.minutes * 60:.0f}s", f"iscsi://{told['listening']}/{told['target']}/0"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        print(f"{'minute':>7} {'window':>10} {'of its own':>10} {'recorder':>10} {'processor of the window':>24} {'file':>10}", flush=True)
        begun = time.monotonic()
        quiet_bytes = log.stat().st_size
        before = processor_seconds(window.pid)
        while window.poll() is None:
            try:
                load.wait(10)
                break
            except subprocess.TimeoutExpired:
                pass
            recorder = child_of(window.pid)
            now = processor_seconds(window.pid)
            print(f"{(time.monotonic() - begun) / 60:7.1f} {resident_mib(window.pid):6.0f} MiB {resident_mib(window.pid, 'RssAnon'):6.0f} MiB "
                  f"{resident_mib(recorder) if recorder else 0:6.0f} MiB {(now - before) * 10:22.0f} % "
                  f"{capture.stat().st_size / 1e6 if capture.exists() else 0:7.0f} MB", flush=True)
            before = now
        loaded = time.monotonic() - begun
        while_loaded = log.read_bytes()[quiet_bytes:]
        out, err = load.communicate(timeout=60)
        time.sleep(2)
        alive = window.poll() is None
        if alive:
            window.send_signal(signal.SIGTERM)
            window.wait(timeout=30)
        target.terminate()
        target.communicate(timeout=10)
        report = subprocess.run([options.sanscope, "table", "captures", capture, "--format", "json"], capture_output=True, text=True, check=False)
        row = json.loads(report.stdout.splitlines()[0]) if report.stdout else {}
        print_ages(ages_of_pictures(while_loaded), loaded)
        print(f"load: status {load.returncode} {err.strip()[-200:]}; window {'open to the end' if alive else 'ended early'}; "
              f"in the file: {row.get('packets')} packets, {row.get('commands')} commands, dropped: {row.get('dropped')}; {report.stderr.strip()}")
    return 0 if alive and load.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())

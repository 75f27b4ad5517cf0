#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""As many iSCSI sessions at once as are asked for, between `sanscope generate` and `sanscope target` on loopback, recorded by
`sanscope capture` and read by `sanscope report`: memory of each program, packets lost, time. As root, who may record.

    sudo analyzer/tests/reliability/many_connections.py --sessions 1000 --seconds 10"""

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
from harness import DEFAULT_SANSCOPE, missing_program  # noqa: E402


def ended(process, seconds):
    """Its status and the peak of its memory, MiB."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_maxrss / 1024
        time.sleep(0.02)
    process.kill()
    process.wait()
    return None, 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rate", type=int, default=5000, help="commands a second, of all")
    options = parser.parse_args()
    if reason := missing_program(options.sanscope):
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder) / "many.pcapng"
        target = subprocess.Popen([options.sanscope, "target", "--listen", "127.0.0.1:0", "--backing", "null", "--json"],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        told = json.loads(target.stdout.readline())
        port = told["listening"].rsplit(":", 1)[1]
        with open(pathlib.Path(folder) / "recorder", "w+") as said:
            recorder = subprocess.Popen([options.sanscope, "capture", "-i", "lo", "-f", f"tcp port {port}", "--keep", "headers", "-w", capture],
                                        stdout=subprocess.DEVNULL, stderr=said)
            time.sleep(1)
            load = subprocess.Popen([options.sanscope, "generate", "--quiet", "--json", "--sessions", str(options.sessions), "--rate",
                                     str(options.rate), "--duration", f"{options.seconds}s", f"iscsi://{told['listening']}/{told['target']}/0"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            out, err = load.communicate(timeout=options.seconds * 10 + 120)
            time.sleep(1)
            recorder.send_signal(signal.SIGINT)
            _, recorder_mib = ended(recorder, 30)
            said.seek(0)
            lost = [line for line in said.read().splitlines() if "drop" in line or "lost" in line]
        target.send_signal(signal.SIGTERM)
        _, target_mib = ended(target, 30)
        print(f"load: status {load.returncode}, {err.strip()[-300:] or 'no message'}")
        begun = time.monotonic()
        report = subprocess.Popen([options.sanscope, "report", capture], stdout=open(pathlib.Path(folder) / "report", "w"), stderr=subprocess.PIPE)
        status, report_mib = ended(report, 300)
        took = time.monotonic() - begun
        text = (pathlib.Path(folder) / "report").read_text()
        rows = subprocess.run([options.sanscope, "table", "sessions", capture], capture_output=True, text=True, check=False).stdout.splitlines()
        print(f"{options.sessions} sessions asked for, {max(0, len(rows) - 1)} in the report's table; {text.splitlines()[1] if text else ''}")
        print(f"recording {capture.stat().st_size / 1e6:.0f} MB, {'; '.join(lost) or 'no packet lost'}; peak memory: target {target_mib:.0f} MiB, "
              f"sanscope capture {recorder_mib:.0f} MiB, report {report_mib:.0f} MiB in {took:.1f} s, status {status}")
    return 0 if load.returncode == 0 and status == 0 and len(rows) - 1 >= options.sessions else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the capture tests share: running sanscope, reading its tables, counting checks."""

import argparse
import concurrent.futures
import contextlib
import csv
import io
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = ROOT / "captures" / "samples"
DEFAULT_SANSCOPE = ROOT / "build" / "release" / "bin" / "sanscope"

# SAM status codes as the tables name them.
STATUS_NAMES = {0x00: "GOOD", 0x02: "CHECK_CONDITION", 0x04: "CONDITION_MET", 0x08: "BUSY",
                0x18: "RESERVATION_CONFLICT", 0x28: "TASK_SET_FULL", 0x30: "ACA_ACTIVE", 0x40: "TASK_ABORTED"}


class Checks:
    """Counts what passed, failed and was skipped, and says so as it happens. A check's name is its claim."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def ok(self, name):
        self.passed += 1
        print(f"passed  {name}")

    def fail(self, name, details):
        """`details`: lines that show what is wrong; a long list is cut."""
        self.failed += 1
        print(f"FAILED  {name}")
        for line in details[:40]:
            print(f"        {line}")
        if len(details) > 40:
            print(f"        … and {len(details) - 40} more")

    def skip(self, name, reason):
        self.skipped += 1
        print(f"skipped {name}: {reason}")

    def check(self, name, faults):
        """Passes when there are no faults."""
        if faults:
            self.fail(name, faults)
        else:
            self.ok(name)

    def finish(self):
        """Prints the line that counts; returns the exit status."""
        line = f"{self.passed} passed, {self.failed} failed"
        print(line + (f", {self.skipped} skipped" if self.skipped else ""), flush=True)
        return 1 if self.failed else 0


def until(condition, seconds=20):
    """Waits for an event: asks until `condition()` holds, but no longer than that. Returns what it gave last."""
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def read_pcap(path):
    """The file's header, and (time in ns, length on the wire, bytes) of each packet."""
    raw = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout
    scale = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}[struct.unpack("<I", raw[:4])[0]]
    packets = []
    at = 24
    while at + 16 <= len(raw):
        seconds, fraction, captured, length = struct.unpack("<IIII", raw[at:at + 16])
        packets.append((seconds * 10**9 + fraction * scale, length, raw[at + 16:at + 16 + captured]))
        at += 16 + captured
    return raw[:24], scale, packets


def write_pcap(path, header, scale, packets):
    with open(path, "wb") as file:
        file.write(header)
        for time_ns, length, data in packets:
            file.write(struct.pack("<IIII", time_ns // 10**9, time_ns % 10**9 // scale, len(data), length) + data)


def handled(pid, number):
    """Whether no signal of that number waits to be delivered to the process: a second one sent before is lost."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True
    pending = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith(("SigPnd", "ShdPnd"))]
    return not any(mask >> (number - 1) & 1 for mask in pending)


@contextlib.contextmanager
def recording(command, environment=None, stdout=subprocess.DEVNULL, seconds=30):
    """A recording under way, by a command that begins one. Afterwards it has .status, None where it did not end in time, and .err."""
    # Appended to: the child shares the place at which it is read meanwhile.
    with tempfile.TemporaryFile("a+") as err:
        child = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=stdout, stderr=err,
                                 env={**os.environ, **(environment or {})})
        child.text = lambda: (err.seek(0), err.read())[1]
        until(lambda: "Recording from" in child.text() or child.poll() is not None)
        try:
            yield child
            if child.poll() is None:
                child.send_signal(signal.SIGINT)
            child.status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            child.status = None
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        child.err = child.text()


class Run:
    """What one run of sanscope left behind."""

    def __init__(self, status, out, err, peak_bytes=None):
        self.status = status  # negative: the signal that ended it; None: it took too long
        self.out = out
        self.err = err
        self.peak_bytes = peak_bytes

    def describe(self):
        if self.status is None:
            return "took too long"
        ended = f"ended by {signal.Signals(-self.status).name}" if self.status < 0 else f"exit status {self.status}"
        return f"{ended}; {self.err.strip()[-600:] or 'nothing on standard error'}"


def run_sanscope(program, arguments, standard_input=None, folder=None, seconds=300, environment=None):
    """`environment`: variables besides, or instead of, our own."""
    with open(standard_input, "rb") if standard_input else open(os.devnull, "rb") as source:
        try:
            done = subprocess.run([program, *map(str, arguments)], stdin=source, capture_output=True, cwd=folder,
                                  timeout=seconds, env={**os.environ, **(environment or {})})
        except subprocess.TimeoutExpired:
            return Run(None, "", "")
    return Run(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))


def run_measured(program, arguments, seconds=60):
    """As run_sanscope, with the peak of the program's resident memory."""
    read_out, write_out = os.pipe()
    with subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=write_out, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))) as child:
        os.close(write_out)
        signal.signal(signal.SIGALRM, lambda *_: child.kill())
        signal.alarm(seconds)
        with os.fdopen(read_out, "rb") as source:
            err = source.read().decode("utf-8", "replace")
        _, status, usage = os.wait4(child.pid, 0)
        late = signal.alarm(0) == 0
        child.returncode = os.waitstatus_to_exitcode(status)
    return Run(None if late else child.returncode, "", err, usage.ru_maxrss * 1024)


class TableError(Exception):
    pass


def table(program, name, capture, statuses=(0,), **options):
    """The rows of one table of a capture as dictionaries; an empty cell is None."""
    run = run_sanscope(program, ["table", name, capture], **options)
    if run.status not in statuses:
        raise TableError(f"sanscope table {name} {capture}: {run.describe()}")
    return [{key: value or None for key, value in row.items()} for row in csv.DictReader(io.StringIO(run.out))]


def number(text):
    """A table's number, hexadecimal where it starts with 0x; None where unknown."""
    return None if text is None else int(text, 0)


def missing_program(program):
    """Why the tests cannot run, or None."""
    return None if os.access(program, os.X_OK) else f"{program} is not there: build it first (./bootstrap build)"


def compare_with_tshark(description, compare, before=None):
    """The whole of a test that compares sanscope with tshark capture by capture: the samples, or those named on the
    command line. `compare(capture, sanscope)` gives (claim, faults) pairs; `before(checks, sanscope)` are checks that
    need no tshark."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=pathlib.Path, help="compare these instead of the samples")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    if before:
        before(checks, arguments.sanscope)
    if shutil.which("tshark") is None:
        checks.skip("comparison with tshark", "tshark is not installed")
        return checks.finish()
    captures = arguments.captures or sorted(SAMPLES.glob("*.pcap*"))
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        for results in pool.map(compare, captures, [arguments.sanscope] * len(captures)):
            for claim, faults in results:
                checks.check(claim, faults)
    return checks.finish()

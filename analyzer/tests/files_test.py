#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the programs write is whole, or is not there: on a disk that is full, and where a signal ends them in the middle, the file
that was there before stays as it was, and the message names it. A thousand captures at once need no setting of limits.
Recordings, of which what came until then is readable: captures/recorder/tests/recorder_test.py."""

import contextlib
import json
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

from harness import DEFAULT_SANSCOPE, ROOT, Checks, missing_program

SAMPLE = ROOT / "captures/samples/loss-mixed-initiator.pcap.zst"
OLD = b"what was there before\n"
DISK = 64 << 10


@contextlib.contextmanager
def small_disk(folder):
    """Gives a folder with room for 64 KiB, or None where nobody may mount one."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "sanscope-test", folder], capture_output=True, check=False) \
        if os.geteuid() == 0 else None
    if done is None or done.returncode != 0:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def run(arguments, environment=None, limit=None):
    def prepare():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    done = subprocess.run([str(word) for word in arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                          env={**os.environ, **(environment or {})}, preexec_fn=prepare)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def outputs(sanscope, folder):
    """Commands that write more than the disk holds: (what it is, the file, the command)."""
    fits_not = [SAMPLE] * 12
    for form in ("csv", "json", "pb", "arrow"):
        yield f"a table as {form}", folder / "out", [sanscope, "table", "windows", *fits_not, "--format", form, "-o", folder / "out"]
    if subprocess.run(["python3", "-c", "import pyarrow"], capture_output=True, check=False).returncode == 0:
        yield "a table as Parquet", folder / "out", [sanscope, "table", "windows", *fits_not, "--format", "parquet", "-o", folder / "out"]
    yield "one of several tables", folder / "pdus.csv", [sanscope, "table", "--tables", "pdus", *fits_not, "-o", folder]
    for ending in (".pcapng", ".pcapng.zst"):
        yield f"a scrubbed copy{ending}", folder / f"copy{ending}", [sanscope, "scrub", "--force", SAMPLE, folder / f"copy{ending}"]
    if (sanscope.parent / "sanscope-dissectd").exists():
        yield "packets of a display filter", folder / "out.pcapng", [sanscope, "filter", SAMPLE, "tcp", "-w", folder / "out.pcapng"]
    if (sanscope.parent / "sanscope-gui").exists():
        yield "a drawn view", folder / "packets.png", [sanscope.parent / "sanscope-gui", SAMPLE, "--render", folder, "--view", "packets",
                                                       "--size", "4000x3000"]


def test_full_disk(checks, sanscope, scratch):
    with small_disk(scratch / "disk") as folder:
        if folder is None:
            checks.skip("outputs on a full disk", "a file system can only be mounted by root")
            return
        for what, file, command in outputs(sanscope, folder):
            for before in (None, OLD):
                for left in folder.iterdir():
                    left.unlink()
                if before is not None:
                    file.write_bytes(before)
                status, _, err = run(command, {"QT_QPA_PLATFORM": "offscreen"})
                wrong = [] if status not in (0, 3) else [f"exit status {status}"]
                if str(file) not in err or "space" not in err.lower():
                    wrong.append(f"it does not say so: {err[-300:]!r}")
                if (file.read_bytes() if file.exists() else None) != before:
                    wrong.append("what was there before is not there any more" if before else "there is a part of it")
                if others := sorted(path.name for path in folder.iterdir() if path != file):
                    wrong.append(f"left behind: {others}")
                checks.check(f"{what} on a full disk, {'over a file' if before else 'a new file'}", wrong)
        test_mapping(checks, sanscope, folder, scratch)
        test_command_log(checks, sanscope, folder)


def test_mapping(checks, sanscope, folder, scratch):
    for left in folder.iterdir():
        left.unlink()
    with open(folder / "full", "wb", buffering=0) as full, contextlib.suppress(OSError):
        while full.write(bytes(4096)):
            pass
    copy = scratch / "copy.pcapng"
    status, _, err = run([sanscope, "scrub", SAMPLE, copy, "--anonymize", "--write-mapping", folder / "mapping.csv"])
    wrong = [] if status != 0 and str(folder / "mapping.csv") in err else [f"exit status {status}: {err[-300:]!r}"]
    if (folder / "mapping.csv").exists():
        wrong.append("there is a part of it")
    checks.check("what was replaced by what, on a full disk", wrong)


def test_command_log(checks, sanscope, folder):
    """What may be followed while it grows has whole rows."""
    for left in folder.iterdir():
        left.unlink()
    target = subprocess.Popen([sanscope, "target", "--listen", "127.0.0.1:0", "--backing", "null", "--json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    try:
        told = json.loads(target.stdout.readline())
        url = f"iscsi://{told['listening']}/{told['target']}/0"
        log = folder / "commands.csv"
        status, _, err = run([sanscope, "generate", "--quiet", "--duration", "2s", "--log", log, url])
    finally:
        target.terminate()
        target.communicate(timeout=10)
    wrong = [] if status != 0 and str(log) in err else [f"exit status {status}: {err[-300:]!r}"]
    if log.exists() and not log.read_bytes().endswith(b"\n"):
        wrong.append(f"its last row is torn: {log.read_bytes()[-60:]!r}")
    checks.check("a row each command, on a full disk", wrong)


def test_device(checks, sanscope):
    for what, arguments in (("a table", ["table", "pdus", SAMPLE, "-o", "/dev/full"]),
                            ("a comparison", ["compare", SAMPLE, SAMPLE]), ("a report", ["report", SAMPLE]),
                            ("a table on standard output", ["table", "pdus", SAMPLE]),
                            ("packet details", ["details", SAMPLE, "1-100"]),
                            ("packet numbers", ["filter", SAMPLE, "tcp"])):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([sanscope, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                  timeout=120, check=False)
        err = done.stderr.decode("utf-8", "replace")
        name = "/dev/full" if "/dev/full" in arguments else "standard output"
        checks.check(f"{what} on a full device", [] if done.returncode == 1 and name in err and "No space left" in err else
                     [f"exit status {done.returncode}: {err[-300:]!r}"])


def writes_now(process, folder):
    """Whether it has a file of that folder open, with a name or without."""
    links = pathlib.Path(f"/proc/{process}/fd")
    with contextlib.suppress(OSError):
        return any(os.readlink(link).startswith(str(folder)) for link in links.iterdir())
    return False


def test_signals(checks, sanscope, scratch):
    folder = scratch / "signals"
    folder.mkdir()
    out = folder / "out"
    table = [sanscope, "table", "pdus", *[SAMPLE] * 40, "--format", "json", "-o", out]
    subprocess.run([str(word) for word in table], check=True, stderr=subprocess.DEVNULL)
    whole = out.read_bytes()
    # It waits for more of its standard input.
    copy = [sanscope, "scrub", "--force", "-", out]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        for what, command in (("a table", table), ("a scrubbed copy", copy)):
            # On a busy machine it may have written all before anybody looked.
            for _ in range(40):
                out.write_bytes(OLD)
                in_time, status, err = ended_by(number, command, folder)
                if in_time:
                    break
            wrong = [] if in_time and status != 0 else [f"it had ended before: {status}"]
            if number != signal.SIGKILL and f"{out}: not written" not in err:
                wrong.append(f"it does not say so: {err[-300:]!r}")
            if out.read_bytes() != OLD:
                wrong.append("what was there before is not there any more")
            others = [path for path in folder.iterdir() if path != out]
            for path in list(others):
                # Nothing can keep kill -9 out of the moment in which a whole file has a name and not yet its place.
                if number == signal.SIGKILL and what == "a table" and path.read_bytes() == whole:
                    others.remove(path)
                path.unlink()
            if others:
                wrong.append(f"left behind: {sorted(path.name for path in others)}")
            checks.check(f"{what}, {number.name} in the middle", wrong)


def ended_by(number, command, folder):
    """Whether the signal came while a file of that folder was being written; the exit status, and what was said."""
    child = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             preexec_fn=lambda: [signal.signal(each, signal.SIG_DFL) for each in (signal.SIGINT, signal.SIGHUP)])
    if "scrub" in command:
        child.stdin.write((ROOT / "captures/samples/nop-logout.pcap").read_bytes()[:600])
        child.stdin.flush()
    until = time.monotonic() + 60
    while not writes_now(child.pid, folder) and child.poll() is None and time.monotonic() < until:
        time.sleep(0.0005)
    child.send_signal(signal.SIGSTOP)
    in_time = child.poll() is None and writes_now(child.pid, folder)
    child.send_signal(number)
    child.send_signal(signal.SIGCONT)
    # The pipe stays open: nothing but the signal ends it.
    child.wait(timeout=60)
    err = child.stderr.read().decode("utf-8", "replace")
    child.stdin.close()
    child.stderr.close()
    return in_time, child.returncode, err


def small_capture(path, number):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for packet in range(4):
            tcp = struct.pack(">HHIIBBHHH", 20000 + number, 3260, 1 + packet * 100, 1, 5 << 4, 0x10, 65535, 0, 0) + bytes(100)
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0, b"\x0a\0\0\x01", b"\x0a\0\0\x02")
            frame = b"\0" * 12 + b"\x08\0" + ip + tcp
            file.write(struct.pack("<IIII", 1700000000 + packet, number, len(frame), len(frame)) + frame)


def test_thousand(checks, sanscope, scratch):
    folder = scratch / "thousand"
    folder.mkdir()
    captures = [folder / f"{number:04}.pcap" for number in range(1000)]
    for number, path in enumerate(captures):
        small_capture(path, number)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < 1100:
        checks.skip("a thousand captures at once", f"no more than {hard} files may be open here")
    else:
        for what, arguments, tells in (("report", ["report"], "4000 packets"), ("table", ["table", "connections"], "20999")):
            status, out, err = run([sanscope, *arguments, *captures], limit=(64, hard))
            wrong = [] if status == 0 and not err else [f"exit status {status}: {err[:300]!r}"]
            if tells not in out.replace(" k", "").replace("4.00", "4000"):
                wrong.append(f"not of all: {out[:300]!r}")
            if max(map(len, out.splitlines())) > 2000:
                wrong.append(f"a line of {max(map(len, out.splitlines()))} characters")
            checks.check(f"{what} of a thousand captures, where 64 files may be open", wrong)
    status, out, err = run([sanscope, "report", *captures], limit=(64, 64))
    checks.check("where no more than 64 may be, it says what to do, once", [] if status == 1 and "ulimit" in err and
                 len(err.splitlines()) == 1 else [f"exit status {status}: {out[:100]!r} {err[:300]!r}"])


def main():
    sanscope = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else DEFAULT_SANSCOPE
    if reason := missing_program(sanscope):
        sys.exit(reason)
    checks = Checks()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="sanscope-files-"))
    try:
        test_full_disk(checks, sanscope, scratch)
        test_device(checks, sanscope)
        test_signals(checks, sanscope, scratch)
        test_thousand(checks, sanscope, scratch)
    finally:
        shutil.rmtree(scratch)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

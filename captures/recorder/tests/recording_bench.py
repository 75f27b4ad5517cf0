# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests share that record from virtual interfaces: two network namespaces with wires between them, recordings
under way, what is in their files."""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import Checks, missing_program, recording, until  # noqa: E402

NOBODY = 65534
HERE, THERE = f"sanscope-rec-a{os.getpid()}", f"sanscope-rec-b{os.getpid()}"


def sh(*words, check=True):
    return subprocess.run([str(word) for word in words], check=check, capture_output=True, text=True)


def why_not():
    """Why the tests cannot run here, or None."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    for program in ("ip", "setcap", "setpriv", "mount"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    try:
        made = sh("ip", "netns", "add", HERE, check=False)
        if made.returncode != 0:
            return f"no network namespace can be made: {made.stderr.strip()}"
        linked = sh("ip", "-n", HERE, "link", "add", "probe0", "type", "veth", "peer", "name", "probe1", check=False)
        return None if linked.returncode == 0 else f"no virtual interface can be made: {linked.stderr.strip()}"
    finally:
        sh("ip", "netns", "del", HERE, check=False)


@contextlib.contextmanager
def namespaces():
    """Two, with two wires between them: one end of v0 and v1 in each."""
    try:
        for name in (HERE, THERE):
            sh("ip", "netns", "add", name)
            # Neighbour discovery would be packets that nobody sent.
            for which in ("all", "default"):
                sh("ip", "netns", "exec", name, "sh", "-c",
                   f"echo 1 > /proc/sys/net/ipv6/conf/{which}/disable_ipv6", check=False)
        for wire in ("v0", "v1"):
            add_wire(wire)
        yield
    finally:
        for name in (HERE, THERE):
            sh("ip", "netns", "del", name, check=False)


def add_wire(wire):
    sh("ip", "-n", HERE, "link", "add", wire, "type", "veth", "peer", "name", wire, "netns", THERE)
    for name in (HERE, THERE):
        sh("ip", "-n", name, "link", "set", wire, "up")


class Capture:
    """The packets of a pcapng as (interface, time, wire length, bytes), its interfaces' names and last statistics."""

    def __init__(self, path):
        self.packets, self.interfaces, self.statistics, self.whole = [], [], {}, True
        data, at = pathlib.Path(path).read_bytes(), 0
        while at < len(data):
            if at + 12 > len(data):
                self.whole = False
                break
            kind, length = struct.unpack_from("<II", data, at)
            if length < 12 or at + length > len(data) or struct.unpack_from("<I", data, at + length - 4)[0] != length:
                self.whole = False
                break
            body = data[at + 8:at + length - 4]
            if kind == 6:
                interface, high, low, captured, wire = struct.unpack_from("<IIIII", body)
                self.packets.append((interface, high << 32 | low, wire, body[20:20 + captured]))
            elif kind == 1:
                options = dict(self.options(body[8:]))
                self.interfaces.append(options[2].decode())
            elif kind == 5:
                options = dict(self.options(body[12:]))
                self.statistics[struct.unpack_from("<I", body)[0]] = {
                    name: struct.unpack("<Q", options[code])[0] for name, code in (("received", 4), ("ifdrop", 5), ("osdrop", 7))}
            at += length

    @staticmethod
    def options(data):
        at = 0
        while at + 4 <= len(data):
            code, length = struct.unpack_from("<HH", data, at)
            if code == 0:
                return
            yield code, data[at + 4:at + 4 + length]
            at += 4 + (length + 3) // 4 * 4

    def numbers(self, interface=None):
        """Those the sender gave its packets."""
        return [struct.unpack_from("<Q", data, 42)[0] for number, _, _, data in self.packets
                if interface is None or number == interface]


class Bench:
    def __init__(self, binaries, scratch):
        self.sanscope = binaries / "sanscope"
        self.recorder = binaries / "sanscope-recorder"
        self.sender = binaries / "packet_sender"
        self.scratch = scratch

    def command(self, *arguments):
        return ["ip", "netns", "exec", HERE, str(self.sanscope), "capture", *map(str, arguments)]

    def send(self, wire="v0", packets=1000, rate=20000, **options):
        more = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        sh("ip", "netns", "exec", THERE, self.sender, wire, "--packets", packets, "--rate", rate, *more)

    @contextlib.contextmanager
    def running(self, *arguments, prefix=(), environment=None, stdout=subprocess.DEVNULL):
        with recording([*prefix, *self.command(*arguments)], environment, stdout) as child:
            yield child

    def run(self, *arguments, prefix=(), environment=None):
        return subprocess.run([*map(str, prefix), *self.command(*arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, env={**os.environ, **(environment or {})})

    def recorder_of(self, child):
        """The process that records for it; `ip` becomes the program it starts."""
        listed = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children")
        if found := until(lambda: listed.read_text().split()):
            return int(found[0])
        raise RuntimeError("there is no recorder")


def wait_for_packets(out, count):
    """Until a file that is being written holds so many."""
    until(lambda: out.exists() and len(Capture(out).packets) >= count)


def wait_for_last(folder, number):
    """Until the latest of the files in a folder holds the packet that was sent with this number."""
    until(lambda: any(Capture(path).numbers()[-1:] == [number] for path in sorted(folder.iterdir())[-1:]))


def sent_once(capture, count, interface=None):
    """Faults, where the packets are not those sent, once each and in order."""
    numbers = capture.numbers(interface)
    if numbers == list(range(count)):
        return []
    return [f"{len(numbers)} packets of {count}; {len(set(numbers))} different ones, "
            f"{'in' if numbers == sorted(numbers) else 'out of'} order"]


def faults(**claims):
    """Those that do not hold: NAME=(holds, what was seen)."""
    return [f"{name}: {seen}" for name, (holds, seen) in claims.items() if not holds]


def told(text):
    """What sanscope said was wrong, line by line."""
    return re.findall(r"^sanscope: .*", text, re.M)


FULL = 2 * 1024 * 1024  # bytes that a full disk has


@contextlib.contextmanager
def full_disk(bench, name):
    """Records more packets than a small disk takes: gives the file, the recording that has ended, and what is in the
    file. The disk goes afterwards."""
    folder = bench.scratch / name
    folder.mkdir()
    sh("mount", "-t", "tmpfs", "-o", f"size={FULL}", "sanscope-test", folder)
    try:
        out = folder / "full.pcapng"
        with bench.running("-i", "v0", "-w", out) as run:
            bench.send(packets=40000, rate=40000)
            run.wait(20)
        yield out, run, Capture(out)
    finally:
        sh("umount", folder)


def full_disk_told(out, run, capture):
    """Faults, where that was not told in one message that counts what is in the file."""
    message = f"sanscope: {out}: No space left on device; it holds the {len(capture.packets)} packets recorded until then"
    return faults(status=(run.status == 3, run.status), message=(told(run.err) == [message], run.err))


def whole_up_to_the_end(capture):
    """Faults, where a file that had no more room has a gap, a torn block or no statistics."""
    numbers = capture.numbers()
    return faults(whole=(capture.whole, "cut off"), statistics=(0 in capture.statistics, "none"),
                  packets=(numbers == list(range(len(numbers))) and len(numbers) > 15000, len(numbers)))


def is_wanted(name, arguments):
    return not arguments.words or any(word in name for word in arguments.words)


def run_in_namespaces(description, claim, programs, run_parts):
    """The whole of a test that records: `run_parts(scratch, arguments, checks)` runs in the namespaces with a folder
    that goes afterwards. What cannot be tested here is skipped as `claim`. Returns the exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("words", nargs="*", help="only the parts whose name has one of these")
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    arguments = parser.parse_args()
    for program in programs:
        if reason := missing_program(arguments.binaries / program):
            sys.exit(reason)
    checks = Checks()
    if reason := why_not():
        checks.skip(claim, reason)
        return checks.finish()
    with tempfile.TemporaryDirectory(prefix="sanscope-recording-") as scratch, namespaces():
        run_parts(pathlib.Path(scratch), arguments, checks)
    return checks.finish()

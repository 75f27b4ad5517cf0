#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many packets a second recorders take without losing one: sanscope capture, tcpdump -w and dumpcap beside each
other, on a virtual interface of namespaces made for this, with kernel buffers of the same size. Rounds are interleaved,
since machines differ from minute to minute, and medians told. For each recorder and round:

    flood      packets sent as fast as they go: how many a second were recorded, what share was lost, processor time a packet
    no loss    the highest rate at which nothing was lost, by halving between the rates that are known

Those frames are UDP: of them --keep headers keeps the headers, and follows nothing. With --iscsi it is an iSCSI session that is
recorded instead, at its initiator's end: READs by sanscope generate from a sanscope target that stores nothing, as fast as both go
beside the recorder, in packets as large as segmentation offload makes them. For each recorder and round: what share of the packets
was lost, processor time a packet, the size of the file a command, and the commands a second that were left to the load.

Needs root, tcpdump and dumpcap."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE, THERE = f"sanscope-load-a{os.getpid()}", f"sanscope-load-b{os.getpid()}"


def sh(*words, check=True):
    return subprocess.run([str(word) for word in words], check=check, capture_output=True, text=True)


class Recorder:
    def __init__(self, name, command, ready, counts):
        self.name, self.command, self.ready, self.counts = name, command, ready, counts


def recorders(binaries, buffer_mib, out, analysis, headers):
    def of_sanscope(text):
        match = re.search(r"(\d+) received, (\d+) dropped by the kernel", text)
        return int(match[1]), int(match[2])

    def of_tcpdump(text):
        received = int(re.search(r"(\d+) packets? received by filter", text)[1])
        return received, int(re.search(r"(\d+) packets? dropped by kernel", text)[1])

    def of_dumpcap(text):
        match = re.search(r"Packets received/dropped on interface '?v0'?: (\d+)/(\d+)", text)
        return int(match[1]) + int(match[2]), int(match[2])

    capture = [binaries / "sanscope", "capture", "-i", "v0", "-B", buffer_mib, "-w", out]
    analysing = [Recorder("analysing", [*capture, "--report"], "Recording from", of_sanscope)] if analysis else []
    following = [Recorder("headers", [*capture, "--keep", "headers"], "Recording from", of_sanscope)] if headers else []
    return [
        Recorder("sanscope", capture, "Recording from", of_sanscope),
        *following,
        *analysing,
        Recorder("tcpdump", ["tcpdump", "-i", "v0", "-n", "-B", buffer_mib * 1024, "-Z", "root", "-w", out], "listening on", of_tcpdump),
        Recorder("dumpcap", ["dumpcap", "-i", "v0", "-q", "-B", buffer_mib, "-w", out], "File:", of_dumpcap),
    ]


def children_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def record(recorder, sender, packets, length, rate):
    """Sends so many; returns packets recorded a second, share lost, processor time of the recorder a packet."""
    with tempfile.TemporaryFile("w+") as err:
        def text():
            err.seek(0)
            return err.read()

        child = subprocess.Popen(["ip", "netns", "exec", HERE, *map(str, recorder.command)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=err)
        deadline = time.monotonic() + 10
        while recorder.ready not in text() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        sent = sh("ip", "netns", "exec", THERE, sender, "v0", "--packets", packets, "--length", length, "--rate", rate).stdout
        time.sleep(0.7)
        before = children_time()
        child.send_signal(signal.SIGINT)
        child.wait(60)
        spent = children_time() - before
        received, dropped = recorder.counts(text())
    seconds = float(re.search(r"in ([\d.]+) s", sent)[1])
    # Packets that no recorder saw are a fault of this test.
    if abs(received - packets) > 50:
        print(f"  {recorder.name}: {received} packets came of {packets}", file=sys.stderr)
    return (received - dropped) / seconds, dropped / packets, spent / max(1, received - dropped), packets / seconds


class Target:
    """A sanscope target in the other namespace."""

    NAME = "iqn.2026-01.org.sanscope:load-compare"

    def __init__(self, binaries):
        self.child = subprocess.Popen(["ip", "netns", "exec", THERE, str(binaries / "sanscope"), "target", "--listen", "10.211.1.2",
                                       "--backing", "null", "--name", self.NAME], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.url = f"iscsi://10.211.1.2/{self.NAME}/0"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(10)


def record_iscsi(recorder, binaries, target, length, depth, rate, seconds, out):
    """READs of `length`; returns the share of packets lost, processor time of the recorder a packet, bytes of the file a
    command, commands a second."""
    with tempfile.TemporaryFile("w+") as err:
        def text():
            err.seek(0)
            return err.read()

        child = subprocess.Popen(["ip", "netns", "exec", HERE, *map(str, recorder.command)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=err)
        deadline = time.monotonic() + 10
        while recorder.ready not in text() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        load = json.loads(sh("ip", "netns", "exec", HERE, binaries / "sanscope", "generate", "--json", "--pattern", "random", "--request-size",
                             length, "-q", depth, "--duration", f"{seconds}s", *(["--rate", rate] if rate else []), target.url).stdout)
        time.sleep(1.2)
        before = children_time()
        child.send_signal(signal.SIGINT)
        child.wait(60)
        spent = children_time() - before
        received, dropped = recorder.counts(text())
    return (dropped / max(1, received), spent / max(1, received - dropped), out.stat().st_size / max(1, load["commands"]),
            load["commands_per_second"])


def iscsi_target(binaries):
    """In the namespaces, with addresses for it."""
    for name, address in ((HERE, "10.211.1.1/24"), (THERE, "10.211.1.2/24")):
        sh("ip", "-n", name, "address", "add", address, "dev", "v0")
        sh("ip", "-n", name, "link", "set", "lo", "up")
    target = Target(binaries)
    time.sleep(0.5)
    return target


def compare_iscsi(every, arguments, out):
    with iscsi_target(arguments.binaries) as target:
        for length in arguments.iscsi:
            seen = {each.name: [] for each in every}
            for round_number in range(arguments.rounds):
                for each in every[round_number % len(every):] + every[:round_number % len(every)]:
                    seen[each.name].append(record_iscsi(each, arguments.binaries, target, length, arguments.depth, arguments.rate,
                                                        arguments.seconds, out))
                    out.unlink(missing_ok=True)
            print(f"READs of {length} bytes, {arguments.depth} at a time, {arguments.buffer} MiB, {arguments.rounds} rounds of "
                  f"{arguments.seconds:g} s: medians, and the least and most that was lost")
            for name, results in seen.items():
                lost, spent, size, commands = (statistics.median(column) for column in zip(*results))
                shares = [result[0] for result in results]
                print(f"  {name:<10}{lost:6.1%} lost ({min(shares):.1%} to {max(shares):.1%}), {spent * 1e9:6.0f} ns a packet, "
                      f"{size:8,.0f} bytes a command, {commands:9,.0f} commands/s", flush=True)


def no_loss_rate(recorder, sender, length, low, high, seconds):
    """The highest rate tried that lost nothing, to about 3 %."""
    while high / low > 1.03:
        middle = (low * high) ** 0.5
        _, lost, _, reached = record(recorder, sender, int(middle * seconds), length, int(middle))
        if lost == 0 and reached < middle * 0.97:
            return reached  # the sender can do no more
        if lost == 0:
            low = middle
        else:
            high = middle
    return low


@contextlib.contextmanager
def wire():
    """Two namespaces, with v0 between them."""
    try:
        for name in (HERE, THERE):
            sh("ip", "netns", "add", name)
            sh("ip", "netns", "exec", name, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6", check=False)
        sh("ip", "-n", HERE, "link", "add", "v0", "type", "veth", "peer", "name", "v0", "netns", THERE)
        for name in (HERE, THERE):
            sh("ip", "-n", name, "link", "set", "v0", "up")
        yield
    finally:
        for name in (HERE, THERE):
            sh("ip", "netns", "del", name, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--packets", type=int, default=1_000_000, help="of a flood")
    parser.add_argument("--buffer", type=int, default=32, help="of the kernel, MiB")
    parser.add_argument("--lengths", type=int, nargs="+", default=[64, 1514])
    parser.add_argument("--no-loss", action="store_true", help="look for the highest rate without loss too: takes long")
    parser.add_argument("--seconds", type=float, default=3, help="of each step of that")
    parser.add_argument("--analysis", action="store_true", help="also sanscope capture --report")
    parser.add_argument("--headers", action="store_true", help="also sanscope capture --keep headers")
    parser.add_argument("--iscsi", type=int, nargs="+", metavar="BYTES", help="READs of so many bytes in place of frames; with --headers")
    parser.add_argument("--depth", type=int, default=32, help="of these, so many at a time")
    parser.add_argument("--rate", type=int, default=0, help="… so many a second; 0: as fast as it goes")
    parser.add_argument("--folder", default="/dev/shm", help="where the files go")
    parser.add_argument("--only", nargs="+", help="these recorders")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("this needs root")
    for name in ("tcpdump", "dumpcap"):
        if shutil.which(name) is None:
            sys.exit(f"{name} is not installed")
    with wire(), tempfile.TemporaryDirectory(dir=arguments.folder, prefix="sanscope-load-") as folder:
        out = pathlib.Path(folder) / "out.pcapng"
        every = [each for each in recorders(arguments.binaries, arguments.buffer, out, arguments.analysis, arguments.headers)
                 if not arguments.only or each.name in arguments.only]
        if arguments.iscsi:
            return compare_iscsi(every, arguments, out)
        sender = arguments.binaries / "packet_sender"
        for length in arguments.lengths:
            seen = {each.name: [] for each in every}
            rates = {each.name: [] for each in every}
            for round_number in range(arguments.rounds):
                # Who comes first is not always the same.
                for each in every[round_number % len(every):] + every[:round_number % len(every)]:
                    seen[each.name].append(record(each, sender, arguments.packets, length, 0))
                    if arguments.no_loss:
                        rates[each.name].append(no_loss_rate(each, sender, length, 50_000, 1_000_000, arguments.seconds))
                    out.unlink(missing_ok=True)
            print(f"{length}-byte frames, {arguments.buffer} MiB, medians of {arguments.rounds} rounds")
            for name, results in seen.items():
                recorded, lost, spent, sent = (statistics.median(column) for column in zip(*results))
                line = f"  {name:<10}{recorded:>10,.0f}/s of {sent:>9,.0f}/s sent, {lost:6.1%} lost, {spent * 1e9:6.0f} ns a packet"
                if arguments.no_loss:
                    line += f"; {statistics.median(rates[name]):>9,.0f}/s without loss"
                print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())

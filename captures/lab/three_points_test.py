#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three points of one path, live: two hosts in network namespaces, a switch between them, and on each side of it a link that loses
packets and keeps a list of them. `sanscope report --points` must tell each loss on the right side of the switch. Needs root,
iproute2, ethtool and a build; skipped without."""

import collections
import csv
import io
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "analyzer/tests"))
from harness import Checks  # noqa: E402
from points_test import rows  # noqa: E402

BIN = pathlib.Path(os.environ.get("SANSCOPE_BIN", ROOT / "build/release/bin"))
PREFIX = os.environ.get("SANSCOPE_NAMESPACES", f"sanscope-three-{os.getpid()}")
NAMESPACES = {end: f"{PREFIX}-{end}" for end in ("ini", "mid", "tgt")}
TARGET = "iqn.2026-01.org.sanscope:memory-target"


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


def at(end, *command):
    return "ip", "netns", "exec", NAMESPACES[end], *map(str, command)


class Path:
    """initiator: ini0 = a0, link, a1 = b0 (the switch's port), link, b1 = tgt0: target."""

    def __init__(self, folder):
        self.folder, self.running = folder, []

    def build(self, first, second):
        folder = self.folder
        for name in NAMESPACES.values():
            run("ip", "netns", "add", name)
        for one, two, of_one, of_two in (("ini0", "a0", "ini", "mid"), ("a1", "b0", "mid", "mid"), ("tgt0", "b1", "tgt", "mid")):
            run("ip", "link", "add", one, "netns", NAMESPACES[of_one], "type", "veth", "peer", "name", two, "netns",
                NAMESPACES[of_two])
            for device, end in ((one, of_one), (two, of_two)):
                run(*at(end, "ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off", "tx", "off"))
                run(*at(end, "ip", "link", "set", device, "up"))
        run(*at("ini", "ip", "addr", "add", "192.0.2.1/24", "dev", "ini0"))
        run(*at("tgt", "ip", "addr", "add", "192.0.2.2/24", "dev", "tgt0"))
        run(*at("tgt", "ip", "link", "set", "lo", "up"))
        self.start("mid", BIN / "delay_node", "a0", "a1", "--log", folder / "first.csv", *first)
        self.start("mid", BIN / "delay_node", "b0", "b1", "--log", folder / "second.csv", *second)
        # What a link sends goes past the tap of its own port: the switch's two ports hear a direction each.
        for end, devices, name in (("ini", ("ini0",), "initiator"), ("mid", ("a1", "b0"), "switch"), ("tgt", ("tgt0",), "target")):
            ports = [word for device in devices for word in ("-i", device)]
            self.start(end, BIN / "sanscope", "capture", *ports, "-f", "tcp", "-w", folder / f"{name}.pcapng")
        self.start("tgt", BIN / "sanscope", "target", "--listen", "192.0.2.2:3260", "--backing", "null")
        time.sleep(1.5)

    def start(self, end, *command):
        log = open(self.folder / f"{len(self.running)}.log", "w", encoding="utf-8")
        self.running.append(subprocess.Popen(at(end, *command), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT))

    def load(self, *arguments):
        run(*at("ini", BIN / "sanscope", "generate", *arguments, f"iscsi://192.0.2.2/{TARGET}/0"))
        time.sleep(0.5)

    def end(self):
        # The target, the captures, and the links last: what is on its way arrives.
        for process in reversed(self.running):
            process.send_signal(signal.SIGINT)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for name in NAMESPACES.values():
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def dropped(path):
    return collections.Counter((int(row["source_port"]), int(row["sequence"]), int(row["payload_bytes"]))
                               for row in csv.DictReader(io.StringIO(path.read_text()))
                               if row["fate"] in ("lost", "lost_in_burst", "queue_full") and int(row["payload_bytes"] or 0) > 0)


def judge(checks, name, folder):
    captures = [folder / f"{point}.pcapng" for point in ("target", "switch", "initiator")]
    found = rows(BIN / "sanscope", "point_losses", *captures)
    for link, pair in (("first", ("initiator", "switch")), ("second", ("switch", "target"))):
        truth = dropped(folder / f"{link}.csv")
        of_pair = [row for row in found if (row["point"], row["other_point"]) == pair]
        told = collections.Counter((int(row["sender"].rsplit(":", 1)[1]), int(row["seq"]), int(row["length"]))
                                   for row in of_pair if row["verdict"] == "lost_between")
        unclear = collections.Counter((int(row["sender"].rsplit(":", 1)[1]), int(row["seq"]), int(row["length"]))
                                      for row in of_pair if row["verdict"] == "unclear")
        faults = [f"was not lost there: {key}" for key in (told - truth).elements()]
        faults += [f"was lost there, and is not told: {key}" for key in (truth - told - unclear).elements()]
        if not truth:
            faults.append("nothing was lost: this tests nothing")
        if (truth - told).total() > max(1, truth.total() // 20):
            faults.append(f"{(truth - told).total()} are unclear")
        checks.check(f"{name}: {told.total()} of {truth.total()} segments lost between {pair[0]} and {pair[1]} are told there, "
                     "and no others", faults)
    split = rows(BIN / "sanscope", "point_commands", *captures)
    done = collections.Counter((row["point"], row["other_point"]) for row in split if row["not_split"] is None)
    few = [f"{count} of {len(split) // 2} split between {pair}" for pair, count in done.items() if count < 0.9 * len(split) / 2]
    checks.check(f"{name}: commands split at three points ({', '.join(str(count) for count in done.values())})",
                 few if len(done) == 2 else [str(done)])


LOADS = {
    "reads, more loss behind the switch": (("--loss", "0.002", "--delay-us", "500"), ("--loss", "0.006", "--delay-us", "1500"),
                                           ("--commands", "300", "-q", "4")),
    "writes, loss in bursts before the switch": (
        ("--burst-start", "0.002", "--burst-end", "0.4", "--delay-us", "1000"), ("--loss", "0.001", "--delay-us", "200"),
        ("--commands", "300", "-q", "4", "--read-percent", "0", "--allow-writes", "SANSCOPE")),
}


def main():
    checks = Checks()
    lacks = [program for program in ("ip", "ethtool") if shutil.which(program) is None]
    if os.geteuid() != 0 or lacks or not (BIN / "delay_node").exists():
        checks.skip("three points of a path", f"needs root, a build, and {lacks or 'nothing else'}")
        return checks.finish()
    for name, (first, second, load) in LOADS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(pathlib.Path(folder))
            try:
                path.build(first, second)
                path.load(*load)
            finally:
                path.end()
            judge(checks, name, pathlib.Path(folder))
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

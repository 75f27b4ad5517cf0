#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How `sanscope generate` compares with libiscsi's iscsi-perf and with a plain TCP stream (iperf3, which copies what it
receives):
commands a second, processor time of the initiator a command and a GB, throughput. All against the same target, over
loopback and over a virtual cable with an MTU of 1500 and no segmentation offload, in rounds that are interleaved since
machines differ from minute to minute; medians of the rounds' ratios are told.

The target is sanscope's own with null disks (--target memory), or a tgtd of this script's own (--target tgtd). Needs
root, iproute2, ethtool, iscsi-perf (libiscsi-bin), iperf3, and tgt for tgtd."""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import load_bench

HERE, THERE = f"sanscope-cmp-a{os.getpid()}", f"sanscope-cmp-b{os.getpid()}"
BLOCK = 512
SHAPES = [(4096, 32), (65536, 8), (1 << 20, 4)]


def sh(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)


class Network:
    """Where the target listens, and how commands are run at its and at the initiator's end."""

    def __init__(self, name):
        self.name, self.address = name, "127.0.0.1" if name == "loopback" else "10.211.0.2"
        self.near = [] if name == "loopback" else ["ip", "netns", "exec", HERE]
        self.far = [] if name == "loopback" else ["ip", "netns", "exec", THERE]

    def __enter__(self):
        if not self.near:
            return self
        for namespace in (HERE, THERE):
            sh("ip", "netns", "add", namespace)
        sh("ip", "-n", HERE, "link", "add", "v0", "type", "veth", "peer", "name", "v0", "netns", THERE)
        for namespace, address in ((HERE, "10.211.0.1/24"), (THERE, "10.211.0.2/24")):
            sh("ip", "-n", namespace, "address", "add", address, "dev", "v0")
            sh("ip", "-n", namespace, "link", "set", "v0", "mtu", 1500, "up")
            sh("ip", "-n", namespace, "link", "set", "lo", "up")
            sh("ip", "netns", "exec", namespace, "ethtool", "-K", "v0", "tso", "off", "gso", "off", "gro", "off")
        return self

    def __exit__(self, *_):
        if self.near:
            for namespace in (HERE, THERE):
                subprocess.run(["ip", "netns", "delete", namespace], check=False)


def timed(words, seconds):
    """Output and processor time of a command and those it waited for."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        deadline = time.monotonic() + seconds + 30
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                child.kill()
            time.sleep(0.02)
        child.returncode = status
        out.seek(0)
        err.seek(0)
        return out.read(), err.read(), usage.ru_utime + usage.ru_stime


class Result:
    def __init__(self, commands, size, seconds, processor):
        self.rate, self.processor = commands / seconds, processor / max(commands, 1)
        self.throughput = commands * size / seconds


def sanscope(network, binary, url, size, depth, seconds, extra):
    pdu = max(size, 8192)
    out, err, processor = timed([*network.near, binary, "generate", "--json", "--quiet", "--request-size", size, "--pdu-size", pdu,
                                 "-q", depth, "--duration", f"{seconds}s", *extra, url], seconds)
    told = json.loads(out)
    if told["errors"]:
        raise RuntimeError(f"{told['errors']} commands failed: {err}")
    return Result(told["commands"], size, told["seconds"], processor)


def iscsi_perf(network, url, size, depth, seconds):
    out, err, processor = timed([*network.near, "iscsi-perf", "-m", depth, "-b", size // BLOCK, "-t", seconds, url], seconds)
    rates = re.findall(r"iops average (\d+)", out + err)
    if not rates:
        raise RuntimeError(f"iscsi-perf: {out[-300:]} {err[-300:]}")
    return Result(int(rates[-1]) * seconds, size, seconds, processor)


def stream(network, port, seconds):
    server = subprocess.Popen([*network.far, "iperf3", "-s", "-1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    out, err, processor = timed([*network.near, "iperf3", "-c", network.address, "-p", port, "-R", "-l", "1M", "-t", seconds, "-J"], seconds)
    server.wait(timeout=10)
    received = json.loads(out)["end"]["sum_received"]
    return Result(received["bytes"], 1, received["seconds"], processor)


class MemoryTarget:
    def __init__(self, network, binary, threads):
        self.process = subprocess.Popen([*network.far, binary, "target", "--listen", f"{network.address}:0", "--backing", "null",
                                         "--size", "8G", "--threads", str(threads), "--json"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        told = json.loads(self.process.stdout.readline())
        self.url = f"iscsi://{told['listening']}/{told['target']}/0"

    def end(self):
        self.process.terminate()
        self.process.communicate()


class TgtTarget:
    def __init__(self, network, scratch):
        if network.far:
            raise SystemExit("load_compare: tgtd is compared over loopback only")
        self.tgtd = load_bench.Tgtd(scratch)
        self.url = self.tgtd.add_target("iqn.2026-11.org.sanscope:compare", "COMPARE", size=1 << 30)

    def end(self):
        self.tgtd.end()


def compare(network, target, arguments):
    for size, depth in arguments.shapes:
        ratios = {"rate": [], "processor": [], "stream": []}
        absolute = {"sanscope": [], "iscsi-perf": [], "stream": []}
        for _ in range(arguments.rounds):
            ours = sanscope(network, arguments.sanscope, target.url, size, depth, arguments.seconds, arguments.option)
            theirs = iscsi_perf(network, target.url, size, depth, arguments.seconds)
            plain = stream(network, load_bench.free_port(), arguments.seconds)
            ratios["rate"].append(ours.rate / theirs.rate)
            ratios["processor"].append(ours.processor / theirs.processor)
            ratios["stream"].append(ours.throughput / plain.throughput)
            for name, result in (("sanscope", ours), ("iscsi-perf", theirs), ("stream", plain)):
                absolute[name].append(result)
        middle = {name: statistics.median(values) for name, values in ratios.items()}
        rates = {name: statistics.median(result.rate for result in values) for name, values in absolute.items()}
        cost = {name: statistics.median(result.processor for result in values) for name, values in absolute.items()}
        print(f"{network.name:9} {size:8} B  depth {depth:3}   IOPS {rates['sanscope']:9.0f} / {rates['iscsi-perf']:9.0f} = "
              f"{middle['rate']:5.2f}   processor a command {cost['sanscope'] * 1e6:7.1f} / {cost['iscsi-perf'] * 1e6:7.1f} us = "
              f"{middle['processor']:5.2f}   throughput to a plain stream's ({rates['stream'] / 1e6:.0f} MB/s) {middle['stream']:5.2f}",
              flush=True)


def shape(text):
    size, _, depth = text.partition("x")
    return int(size), int(depth)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", default=pathlib.Path("build/release/bin/sanscope").resolve(), help="the program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of each measurement")
    parser.add_argument("--network", action="append", choices=["loopback", "veth"], help="may be given again; both unless told")
    parser.add_argument("--shapes", nargs="+", type=shape, default=SHAPES, metavar="BYTESxDEPTH", help="4096x32 65536x8 1048576x4 unless told")
    parser.add_argument("--target", choices=["memory", "tgtd"], default="memory")
    parser.add_argument("--threads", type=int, default=1, help="of the memory target")
    parser.add_argument("--option", action="append", default=[], help="more for sanscope generate; --option=--threads --option=1")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("load_compare: needs root, for namespaces")
    for name in arguments.network or (["loopback", "veth"] if arguments.target == "memory" else ["loopback"]):
        with Network(name) as network, tempfile.TemporaryDirectory() as scratch:
            target = MemoryTarget(network, arguments.sanscope, arguments.threads) if arguments.target == "memory" \
                else TgtTarget(network, pathlib.Path(scratch))
            try:
                compare(network, target, arguments)
            finally:
                target.end()


if __name__ == "__main__":
    sys.exit(main())

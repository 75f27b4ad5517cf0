#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""sanscope's interfaces in Wireshark: tshark lists them, and records through them, with what the kernel told beside the
packets. In a network namespace made for this and removed again. Needs root and tshark."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "captures" / "recorder" / "tests"))
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import until  # noqa: E402
from recording_bench import (HERE, THERE, Capture, faults, is_wanted, run_in_namespaces, sent_once, sh,  # noqa: E402
                             wait_for_packets)


class Bench:
    def __init__(self, binaries, scratch):
        self.extcap = binaries / "sanscope-extcap"
        self.sanscope = binaries / "sanscope"
        self.sender = binaries / "packet_sender"
        self.scratch = scratch
        folder = scratch / ".config" / "wireshark" / "extcap"
        folder.mkdir(parents=True)
        (folder / "sanscope-extcap").symlink_to(self.extcap)
        self.environment = {**os.environ, "HOME": str(scratch), "XDG_CONFIG_HOME": str(scratch / ".config")}

    def run(self, *words):
        return subprocess.run(["ip", "netns", "exec", HERE, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, env=self.environment)

    def start(self, *words):
        return subprocess.Popen(["ip", "netns", "exec", HERE, *map(str, words)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=self.environment)

    def send(self, packets, length=None):
        sh("ip", "netns", "exec", THERE, self.sender, "v0", "--packets", packets, "--rate", 20000,
           *([] if length is None else ["--length", length]))


def wait_for_file(out):
    """Until its header is there: it comes when the recording begins."""
    until(lambda: out.exists() and out.stat().st_size > 0)


def left_behind():
    """The processes that are still there some seconds later."""
    processes = lambda: sh("ip", "netns", "pids", HERE).stdout.split()
    until(lambda: not processes(), 5)
    return processes()


def test_questions(bench, checks):
    listed = bench.run(bench.extcap, "--extcap-interfaces", "--extcap-version=4.0")
    checks.check("each interface is offered", faults(
        status=(listed.returncode == 0, listed.stderr), version=(listed.stdout.startswith("extcap {version="), listed.stdout),
        interface=("interface {value=sanscope-v0}{display=sanscope: v0}\n" in listed.stdout, listed.stdout)))
    good = bench.run(bench.extcap, "--extcap-interface", "sanscope-v0", "--extcap-capture-filter", "tcp port 3260")
    bad = bench.run(bench.extcap, "--extcap-interface", "sanscope-v0", "--extcap-capture-filter", "tcp prot 3260")
    checks.check("a filter is checked as it is typed: what is printed is what is wrong with it", faults(
        good=((good.returncode, good.stdout) == (0, ""), good.stdout), bad=(bad.returncode == 0 and "syntax error" in bad.stdout, bad.stdout)))
    for words in (["--extcap-dlts"], ["--extcap-config"]):
        answer = bench.run(bench.extcap, "--extcap-interface", "sanscope-v0", *words)
        checks.check(f"{words[0]} is answered", faults(status=(answer.returncode == 0 and "{number=" in answer.stdout, answer.stdout)))
    for words in ([], ["--capture", "--extcap-interface", "v0", "--fifo", "x"], ["--capture", "--extcap-interface", "sanscope-v0"]):
        answer = bench.run(bench.extcap, *words)
        checks.check(f"usage: {' '.join(words)}", faults(status=(answer.returncode == 2 and answer.stderr, answer.returncode)))
    answer = bench.run(bench.extcap, "--capture", "--extcap-interface", "sanscope-v0", "--fifo", bench.scratch / "none" / "fifo")
    checks.check("a pipe that is not there is told", faults(status=(answer.returncode == 1 and "No such file" in answer.stderr, answer.stderr)))


def test_pipe(bench, checks):
    for how in ("SIGTERM", "a pipe that nobody reads any more"):
        fifo, out = bench.scratch / "fifo", bench.scratch / "pipe.pcapng"
        os.mkfifo(fifo)
        with open(out, "wb") as file, subprocess.Popen(["cat", str(fifo)], stdout=file) as reader:
            child = bench.start(bench.extcap, "--capture", "--extcap-interface", "sanscope-v0", "--extcap-capture-filter",
                                "udp", "--fifo", fifo, "--kernel-truth", "false")
            wait_for_file(out)
            bench.send(1000)
            wait_for_packets(out, 1000)
            if how == "SIGTERM":
                child.terminate()
            else:
                reader.kill()
                bench.send(1000)
            err = child.communicate(timeout=20)[1]
        capture = Capture(out)
        checks.check(f"{how} ends the recording, and its recorder", sent_once(capture, 1000) + faults(
            status=(child.returncode == 0, (child.returncode, err)), whole=(capture.whole, "cut off"), left=(not left_behind(), left_behind()),
            statistics=(how != "SIGTERM" or 0 in capture.statistics, "none")))
        fifo.unlink()
    for keep, length in (("all", 1000), ("headers", 42)):
        fifo, out = bench.scratch / "fifo", bench.scratch / f"{keep}.pcapng"
        os.mkfifo(fifo)
        with open(out, "wb") as file, subprocess.Popen(["cat", str(fifo)], stdout=file):
            child = bench.start(bench.extcap, "--capture", "--extcap-interface", "sanscope-v0", "--fifo", fifo, "--kernel-truth", "false",
                                *(["--keep", keep] if keep != "all" else []))
            wait_for_file(out)
            bench.send(300, length=1000)
            wait_for_packets(out, 300)
            child.terminate()
            child.communicate(timeout=20)
        lengths = {(wire, len(data)) for _, _, wire, data in Capture(out).packets}
        checks.check(f"of packets, {keep} is kept" + (" unless something else is chosen" if keep == "all" else ""),
                     [] if lengths == {(1000, length)} else [lengths])
        fifo.unlink()


def test_tshark(bench, checks):
    if shutil.which("tshark") is None:
        checks.skip("in tshark", "tshark is not installed")
        return
    listed = bench.run("tshark", "-D")
    checks.check("tshark lists them", faults(status=("sanscope-v0 (sanscope: v0)" in listed.stdout, listed.stdout + listed.stderr)))

    out = bench.scratch / "tshark.pcapng"
    child = bench.start("tshark", "-i", "sanscope-v0", "-f", "udp", "-w", out, "-a", "duration:4")
    wait_for_file(out)
    bench.send(1000)
    err = child.communicate(timeout=30)[1]
    checks.check("tshark records through them", sent_once(Capture(out), 1000) if out.exists() else [err])
    checks.check("… and leaves no recorder behind", left_behind())

    sh("ip", "-n", HERE, "link", "set", "lo", "up")
    out.unlink()
    child = bench.start("tshark", "-i", "sanscope-lo", "-w", out, "-a", "duration:4")
    wait_for_file(out)
    talk = ("import socket\ns = socket.create_server(('127.0.0.1', 3260))\nc = socket.create_connection(('127.0.0.1', 3260))\n"
            "a = s.accept()[0]\nfor i in range(200):\n c.sendall(b'x' * 4000)\n n = 0\n while n < 4000: n += len(a.recv(4000))\n")
    bench.run(sys.executable, "-c", talk)
    err = child.communicate(timeout=30)[1]
    rows = len(sh(bench.sanscope, "table", "kernel_windows", out, check=False).stdout.splitlines()) - 1
    if not os.path.exists("/sys/kernel/btf/vmlinux"):
        checks.skip("what the kernel told is in tshark's file", "this kernel describes itself to no program")
    else:
        checks.check("what the kernel told is in tshark's file", faults(rows=(rows > 50, (rows, err))))
        again = bench.scratch / "again.pcapng"
        bench.run("tshark", "-r", out, "-w", again)
        rows_again = len(sh(bench.sanscope, "table", "kernel_windows", again, check=False).stdout.splitlines()) - 1
        checks.check("… and still there when tshark has written it anew", faults(rows=(rows_again == rows, (rows, rows_again))))


def main():
    def run_parts(scratch, arguments, checks):
        bench = Bench(arguments.binaries, scratch)
        for part in (test_questions, test_pipe, test_tshark):
            if is_wanted(part.__name__, arguments):
                part(bench, checks)

    return run_in_namespaces(__doc__, "interfaces in Wireshark",
                             ["sanscope", "sanscope-extcap", "sanscope-recorder", "packet_sender"], run_parts)


if __name__ == "__main__":
    sys.exit(main())

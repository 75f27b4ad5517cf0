# SPDX-License-Identifier: GPL-3.0-or-later
"""TCP's options of either end of a load: what they are for happens, bad values are refused before anything is sent, and what
the kernel has other than it was asked for is in the account."""

import re
import subprocess
import time

from load_bench import unless

# Segments as on a network: loopback's are larger than these windows.
SEGMENTS = ("--mss", 1448)
CLAMP = 65536


def windows_to(port, seconds):
    """The send windows that the sockets of the target at `port` were seen to have meanwhile."""
    seen = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        sockets = subprocess.run(["ss", "-tinHO", "sport", "=", f":{port}"], capture_output=True, text=True, timeout=10).stdout
        seen += map(int, re.findall(r"\bsnd_wnd:(\d+)", sockets))
        time.sleep(0.1)
    return seen


def test_tcp_window(bench):
    """Of reads the target is the sender, and the initiator's clamp is what it may have in flight."""
    with bench.target("--backing", "null", *SEGMENTS) as disk:
        load = bench.start("--request-size", "256K", "-q", 4, "--duration", "3s", "--window-clamp", CLAMP, *SEGMENTS, disk.url())
        time.sleep(1)
        seen = windows_to(disk.port, 1)
        run = load.finish()
    if run.status == 0 and not seen:
        bench.checks.skip("a window clamp bounds what the other end may send", "ss does not tell the send window here")
        return
    bench.checks.check("a window clamp bounds what the other end may send, under load", unless(
        status=(run.status == 0, run), window=(seen and 0 < max(seen) <= CLAMP, seen)))


def test_tcp_differences(bench):
    least = ("--send-buffer", 1, "--receive-buffer", 1)
    with bench.target("--backing", "null", *least) as disk:
        run = bench.generate("--request-size", "4K", "--commands", 10, "--send-buffer", 1, disk.url())
    told = run.account["tcp_differences"] if run.account else run
    bench.checks.check("a buffer that the kernel makes larger is told in the initiator's account", unless(
        status=(run.status == 0, run), told=(len(told) == 1 and told[0].startswith("send buffer: 1 bytes were asked for"), told)))
    told = disk.account["tcp_differences"]
    bench.checks.check("… and in the target's", unless(told=([one.split(":")[0] for one in told] == ["receive buffer", "send buffer"], told)))
    with bench.target("--backing", "null") as disk:
        run = bench.generate("--commands", 1, disk.url())
    bench.checks.check("who asked for nothing is told of no difference", unless(
        initiator=(run.account and run.account["tcp_differences"] == [], run), target=(disk.account["tcp_differences"] == [], disk.account)))


def test_tcp_refused(bench):
    for option, value in (("--mss", 87), ("--mss", 32768), ("--mss", "x"), ("--send-buffer", 0), ("--receive-buffer", "4G"),
                          ("--window-clamp", -1)):
        for command in (("generate", "iscsi://127.0.0.1:1/iqn.2026-11.org.example:none/0"), ("target", "--listen", "127.0.0.1:0")):
            done = bench.run(*command, f"{option}={value}")
            bench.checks.check(f"{command[0]} {option} {value} is wrong usage, and says which option", unless(
                status=(done.returncode == 2, done.returncode), message=(option in done.stderr, done.stderr)))
    for command in (("generate", "iscsi://127.0.0.1:1/iqn.2026-11.org.example:none/0"), ("target", "--listen", "127.0.0.1:0")):
        done = bench.run(*command, "--tcp-congestion", "nosuch")
        bench.checks.check(f"{command[0]}: a congestion control that is not there is named", unless(
            status=(done.returncode == 1, done.returncode), message=("congestion control nosuch" in done.stderr, done.stderr)))

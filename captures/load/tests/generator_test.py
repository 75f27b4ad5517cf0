#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope generate` as its user runs it, over loopback, against the memory target, tgtd, istgt, and what is no target
at all:
whatever goes wrong ends in time, with one message and an account that adds up; limits and paces hold; writes go where
they may; and what the analyser finds in a capture of a run is the run's own log, command by command."""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, Checks, missing_program  # noqa: E402
from load_agreement import agreement_faults, dissector_faults, logged  # noqa: E402
from load_bench import (MemoryTarget, Recording, Started, Tgtd, account_faults, generate, interrupted_twice, memory_target, unless)  # noqa: E402
from load_istgt import test_istgt  # noqa: E402,F401
from load_programs import SECTOR, Events, partition_table, test_events, test_lists, test_secrets  # noqa: E402,F401
from load_recorded import test_ipv6, test_kernel_truth, test_one_command  # noqa: E402,F401
from load_tcp import test_tcp_differences, test_tcp_refused, test_tcp_window  # noqa: E402,F401

SMALL = 4096
WITH_DIGESTS = ("--header-digest", "CRC32C", "--data-digest", "CRC32C")
MEBIBYTE = 1 << 20


class Bench:
    def __init__(self, sanscope, scratch, checks):
        self.sanscope, self.scratch, self.checks = sanscope, scratch, checks
        self.tgtd = None

    def target(self, *arguments, **others):
        return memory_target(self.sanscope, *arguments, **others)

    def generate(self, *arguments, **others):
        return generate(self.sanscope, *arguments, **others)

    def start(self, *arguments):
        return Started(self.sanscope, *arguments)

    def run(self, *arguments, seconds=20):
        return subprocess.run([self.sanscope, *map(str, arguments)], capture_output=True, text=True, timeout=seconds,
                              stdin=subprocess.DEVNULL)

    def checks_recording(self, claim):
        """Whether recordings can be made; else what they would show is told as skipped."""
        reason = Recording.why_not()
        if reason:
            self.checks.skip(claim, reason)
        return reason is None

    def recording(self, port, name):
        return Recording(self.sanscope, port, self.scratch / f"{name}.pcapng")


# Seconds after which something that should end by itself is taken to hang: no measure of speed.
HANGS = 30
# Seconds without an answer after which a connection whose commands are under way is taken to have stalled: likewise.
STALLS = 10


def refused_faults(run, said, status=1, seconds=30):
    """Of a run that could not begin: one message, in time."""
    return unless(status=(run.status == status, run), message=(len(run.said) == 1 and re.search(said, run.said[0]), run.said),
                  time=(run.took < seconds, f"{run.took:.1f} s"))


# What the target does to one command of 30 -> what becomes of the commands, what is said, and how many bytes the target
# moved that the initiator does not count.
ANSWERED_FAULTS = {
    "busy": ("busy", "BUSY", 0),
    "task-set-full": ("task_set_full", "TASK SET FULL", 0),
    "check-condition": ("check_condition", "CHECK CONDITION, MEDIUM ERROR", 0),
    "short-read": ("short_transfer", "only a part of the data came", SMALL // 2),
    "corrupt-data-digest": ("digest_error", "the data digest is wrong", SMALL),
}
LOST_CONNECTIONS = {
    "corrupt-header-digest": "the header digest of a PDU is wrong",
    "reset": "the connection broke: Connection reset by peer",
    "close": "the target closed the connection",
}
LOAD = ("--request-size", SMALL, "-q", 4, "--commands", 55, *WITH_DIGESTS)


def test_faults(bench):
    checks = bench.checks
    with bench.target("--backing", "null") as disk:
        run = bench.generate(*LOAD, disk.url())
    checks.check("without a fault all commands are done", account_faults(run, SMALL) + unless(
        sent=(run.account and run.account["sent"] == 55, run), quiet=(run.said == [], run.said)))
    besides = disk.account["commands"] - 55
    bytes_besides = disk.account["bytes_read"] - 55 * SMALL

    for fault, (kind, said, uncounted) in ANSWERED_FAULTS.items():
        with bench.target("--backing", "null", "--fault", f"{fault}:30") as disk:
            run = bench.generate(*LOAD, disk.url())
        checks.check(f"{fault}: the load goes on, and says which commands failed", account_faults(run, SMALL, 3, **{kind: 1}) + unless(
            message=(re.search(said, "\n".join(run.said)), run.said), lines=(len(run.said) <= 2, run.said), time=(run.took < HANGS, run.took),
            sent=(run.account and run.account["sent"] == 55, run)))
        checks.check(f"{fault}: the target's account is the initiator's", unless(
            commands=(disk.account["commands"] == 55 + besides, disk.account),
            bytes=(disk.account["bytes_read"] == 54 * SMALL + uncounted + bytes_besides, disk.account)))

    with bench.target("--backing", "null", "--fault", "busy") as disk:
        run = bench.generate("--request-size", SMALL, "--commands", 20, disk.url())
    checks.check("a target that is always BUSY: every command is counted as failed", account_faults(run, SMALL, 3, busy=20))

    with bench.target("--backing", "null", "--fault", "never-answer:30") as disk:
        # Longer than a busy machine stops for: none but the one command is to be late.
        run = bench.generate(*LOAD, "--timeout", 5, disk.url())
    checks.check("never-answer: what has no answer is aborted, the rest is done", account_faults(run, SMALL, 3, timed_out=1) + unless(
        time=(5 <= run.took < HANGS, run.took), commands=(disk.account["commands"] == 54 + besides, disk.account)))

    for fault, said in LOST_CONNECTIONS.items():
        with bench.target("--backing", "null", "--fault", f"{fault}:30") as disk:
            run = bench.generate(*LOAD, disk.url())
        lost = run.account["errors"] if run.account else 0
        checks.check(f"{fault}: what was under way is lost, and the session is made anew",
                     account_faults(run, SMALL, 3, connection_lost=lost) + unless(
                         lost=(1 <= lost <= 4, lost), again=(run.account and run.account["reconnected"] == 1, run),
                         once=(run.account and run.account["connections_lost"] == 1, run), time=(run.took < HANGS, run.took),
                         message=(sum(said in line and f"{lost} command" in line for line in run.said) == 1, run.said)))
        # The first command of a session asks whether the LUN is ready.
        answered = disk.account["commands"] - besides - 1
        checks.check(f"{fault}: what the target answered is what was done, and at most what was lost", unless(
            answered=(run.account and run.account["commands"] <= answered <= 55, (disk.account, run))))

    with bench.target("--backing", "null", "--fault", "login-refused") as disk:
        run = bench.generate(*LOAD, disk.url())
    checks.check("login-refused: no load is put on", refused_faults(run, r"out of resources \(status 3/2\)"))
    with bench.target("--backing", "null", "--fault", "login-refused:2") as disk:
        run = bench.generate(*LOAD, disk.url())
    checks.check("login-refused: neither when it is the load's login", refused_faults(run, r"out of resources \(status 3/2\)") +
                 account_faults(run, SMALL, 1))

    with bench.target("--backing", "null", "--fault", "reset") as disk:
        run = bench.generate(*LOAD, "--reconnect", 1, disk.url())
    checks.check("a connection that breaks at every command is given up", unless(
        status=(run.status == 3, run), attempts=(run.account and run.account["connections_lost"] == 2, run), time=(run.took < HANGS, run.took),
        nothing=(run.account and run.account["commands"] == 0 and run.account["sent"] == run.account["errors"], run)))


def test_async_logout(bench):
    recorded = bench.checks_recording("async-logout: the initiator logs out as it was asked to")
    with bench.target("--backing", "null", "--fault", "async-logout:30") as disk:
        with bench.recording(disk.port, "async") if recorded else contextlib.nullcontext() as recording:
            run = bench.generate(*LOAD, disk.url())
    bench.checks.check("async-logout: nothing is lost, and the session is made anew", account_faults(run, SMALL) + unless(
        again=(run.account and run.account["reconnected"] == 1, run), sent=(run.account and run.account["sent"] == 55, run),
        message=(sum("asked for a logout" in line for line in run.said) == 1, run.said), time=(run.took < HANGS, run.took)))
    if recorded:
        # Of the first look at the LUN, of the session that was asked to end, and of the next one.
        logouts = recording.requests().get("Logout Request", 0)
        bench.checks.check("async-logout: the initiator logs out as it was asked to", unless(logouts=(logouts == 3, logouts)))


def test_killed(bench):
    checks = bench.checks
    disk = MemoryTarget(bench.sanscope, "--backing", "null")
    try:
        told = Events(bench.sanscope, "--request-size", SMALL, "-q", 8, "--duration", "1min", "--reconnect", 1, disk.url())
        worked = told.read("second", lambda second: second["commands"] > 100)
    finally:
        disk.kill()
    run = told.finish().run()
    lost = run.failures().get("connection_lost", 0) if run.account else 0
    checks.check("a target that is killed: the load ends, and what had no answer is told", account_faults(
        run, SMALL, 3, **({"connection_lost": lost} if lost else {})) + unless(
        lost=(lost <= 8, lost), time=(run.took < HANGS, run.took), worked=(worked, told.events),
        message=(lost == 0 or any(f"{lost} command" in line for line in run.said), run.said),
        refused=(any("Connection refused" in line for line in run.said), run.said)))

    disk = MemoryTarget(bench.sanscope, "--backing", "null")
    # Until after it was killed and came back.
    told = Events(bench.sanscope, "--request-size", SMALL, "-q", 8, "--duration", 10, disk.url())
    worked = told.read("second", lambda second: second["commands"] > 100)
    disk.kill()
    with bench.target("--backing", "null", port=disk.port):
        run = told.finish().run()
    lost = run.failures().get("connection_lost", 0) if run.account else 0
    # It may have answered all when it was killed.
    checks.check("a target that comes back: the load goes on", account_faults(run, SMALL, *((3,) if lost else (0,)),
                                                                             **({"connection_lost": lost} if lost else {})) + unless(
        lost=(lost <= 8, lost), again=(run.account and run.account["reconnected"] == 1, run),
        worked=(worked, told.events), duration=(run.account and run.account["seconds"] >= 9.9, run), lines=(1 <= len(run.said) <= 2, run.said)))


@contextlib.contextmanager
def stranger(words, called=None):
    """A TCP server that is no target: sends `words` to whoever comes, and then nothing; or hangs up where they are
    None, once something was asked. Sets `called` once somebody came. Gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        over = threading.Event()

        def serve():
            guests = []
            while not over.is_set():
                with contextlib.suppress(OSError):
                    guest, _ = server.accept()
                    guests.append(guest)
                    if called:
                        called.set()
                    if words is None:
                        guest.settimeout(HANGS)
                        guest.recv(65536)
                        guests.pop().close()
                    else:
                        guest.sendall(words)
            for guest in guests:
                guest.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            thread.join()


def test_no_target(bench):
    checks, name = bench.checks, "iqn.2026-11.org.example:none"
    with socket.socket() as bound:  # but nobody listens
        bound.bind(("127.0.0.1", 0))
        run = bench.generate(f"iscsi://127.0.0.1:{bound.getsockname()[1]}/{name}/0")
    checks.check("where nothing listens, that is said", refused_faults(run, "Connection refused"))
    for what, words in (("talks of something else", b"220 mail.example.org ESMTP ready\r\n" * 20), ("sends zeros", bytes(4096)),
                        ("sends noise", bytes(range(255, -1, -1)) * 16)):
        with stranger(words) as port:
            run = bench.generate("--timeout", 2, f"iscsi://127.0.0.1:{port}/{name}/0")
        checks.check(f"a server that {what} is no target", refused_faults(run, "sanscope: .+"))
    with stranger(None) as port:
        run = bench.generate(f"iscsi://127.0.0.1:{port}/{name}/0")
    checks.check("a target that hangs up in the login: it is said when", refused_faults(run, "during the login.*CHAP"))
    with stranger(b"") as port:
        run = bench.generate("--timeout", 1, f"iscsi://127.0.0.1:{port}/{name}/0")
        found = bench.run("generate", "--discover", "--timeout", 1, f"iscsi://127.0.0.1:{port}")
    checks.check("a server that never says anything is waited for no longer than --timeout", refused_faults(run, "not answer|no answer") +
                 unless(time=(run.took >= 1, run.took), discovery=(found.returncode == 1 and found.stderr.count("\n") == 1, found)))

    with bench.target("--backing", "null", "--luns", 2) as disk:
        lun = bench.generate("--commands", 1, disk.url(lun=7))
        other = bench.generate("--commands", 1, f"iscsi://{disk.address}/{name}/0")
    checks.check("a LUN that does not exist is told", refused_faults(lun, "/7: the target has no such LUN"))
    checks.check("a target that does not exist is told", refused_faults(other, r"not found|does not exist|status 2/3"))
    secret = "not4everybody's"
    for url in (f"iscsi://me:{secret}@127.0.0.1/{name}/0", f"iscsi://me%{secret}@127.0.0.1/{name}/0"):
        run = bench.generate(url)
        checks.check(f"a URL with a secret in it is refused, and not shown again: me{url[10]}…", refused_faults(run, "--secret-file", 2) +
                     unless(hidden=(secret not in "".join(run.said), "it is shown")))
    for url in ("http://127.0.0.1/", f"127.0.0.1/{name}/0", f"iscsi://127.0.0.1/{name}", f"iscsi://127.0.0.1:99999/{name}/0",
                f"iscsi://127.0.0.1/{name}/first", "iscsi://127.0.0.1//0"):
        checks.check(f"a wrong URL is wrong usage: {url}", refused_faults(bench.generate(url), "sanscope: .+", 2))


def test_chap(bench):
    checks = bench.checks
    files = {}
    for name, secret in (("right", "the-hosts-secret"), ("wrong", "another-secret-1"), ("own", "the-disks-secret")):
        files[name] = bench.scratch / name
        files[name].write_text(secret + "\n")
        files[name].chmod(0o600)
    few = ("--request-size", SMALL, "--commands", 5)
    mutual = ("--mutual-user", "disk", "--mutual-secret-file")

    def test(target, url, open_url):
        run = bench.generate(*few, "--secret-file", files["right"], url)
        checks.check(f"{target}: with the right CHAP secret the load runs", account_faults(run, SMALL))
        run = bench.generate(*few, "--secret-file", files["wrong"], url)
        checks.check(f"{target}: with a wrong CHAP secret it does not", refused_faults(run, r"authentication|status 2/[012]"))
        run = bench.generate(*few, open_url)
        checks.check(f"{target}: without one neither", refused_faults(run, r"CHAP|authentication|status 2/[012]"))
        run = bench.generate(*few, "--secret-file", files["right"], *mutual, files["own"], url)
        checks.check(f"{target}: a target that proves itself is believed", account_faults(run, SMALL))
        run = bench.generate(*few, "--secret-file", files["right"], *mutual, files["wrong"], url)
        checks.check(f"{target}: one that cannot is not", refused_faults(run, "sanscope: .+"))

    with bench.target("--backing", "null", "--chap-user", "host", "--secret-file", files["right"], *mutual, files["own"]) as disk:
        test("memory target", disk.url(user="host"), disk.url())
    if bench.tgtd:
        url = bench.tgtd.add_target("iqn.2026-11.org.example:guarded", "GUARDED-1")
        bench.tgtd.guard(bench.tgtd.targets, "host", "the-hosts-secret", "disk", "the-disks-secret")
        test("tgtd", url.replace("//", "//host@"), url)
    run = bench.generate(*few, "--secret-file", bench.scratch / "none", "iscsi://host@127.0.0.1/iqn.2026-11.org.example:x/0")
    checks.check("a secret's file that is not there is told", refused_faults(run, "none: .*No such file"))


def test_discovery(bench):
    checks = bench.checks
    with bench.target("--luns", 3, "--size", "64M", "--serial", "DISCOVERED") as disk:
        targets = bench.run("generate", "--discover", f"iscsi://{disk.address}")
        luns = bench.run("generate", "--discover", f"iscsi://{disk.address}/{disk.name}")
    checks.check("a memory target is discovered", unless(listed=(targets.stdout == f"iscsi://{disk.address}/{disk.name}\n", targets)))
    lines = luns.stdout.splitlines()
    checks.check("the LUNs of a memory target are listed", unless(
        count=(len(lines) == 3, luns), first=(lines and lines[0].startswith(disk.url(0) + "  64 MiB, 131072 blocks of 512 bytes, SANSCOPE"), luns),
        serial=("serial number DISCOVERED" in luns.stdout, luns)))
    if bench.tgtd:
        url = bench.tgtd.add_target("iqn.2026-11.org.example:listed", "LISTED-1")
        targets = bench.run("generate", "--discover", f"iscsi://{bench.tgtd.address}")
        luns = bench.run("generate", "--discover", url.rpartition("/")[0])
        checks.check("tgtd is discovered, with its LUNs", unless(
            target=(url.rpartition("/")[0] in targets.stdout.splitlines(), targets),
            lun=(re.search(rf"^{re.escape(url)}  64 MiB, .*serial number LISTED-1$", luns.stdout, re.M), luns)))


def test_limits(bench):
    checks = bench.checks
    with bench.target("--backing", "null", "--size", "16M") as disk:
        run = bench.generate("--request-size", SMALL, "-q", 7, "--commands", 1001, disk.url())
        checks.check("--commands ends exactly", account_faults(run, SMALL) + unless(sent=(run.account["sent"] == 1001, run)))
        run = bench.generate("--request-size", "64K", "-q", 5, "--bytes", "10M", disk.url())
        checks.check("--bytes ends exactly", account_faults(run, 65536) + unless(bytes=(run.account["bytes"] == 10 * MEBIBYTE, run)))
        run = bench.generate("--request-size", SMALL, "-q", 32, "--duration", "1500ms", disk.url())
        seconds = run.account["seconds"]
        checks.check("--duration ends in time", account_faults(run, SMALL) + unless(seconds=(1.5 <= seconds < HANGS, run),
                                                                                    took=(run.took < HANGS, run.took)))
        run = bench.generate("--request-size", SMALL, "--sessions", 3, "--commands", 1000, disk.url())
        checks.check("--commands is shared by all sessions", account_faults(run, SMALL) + unless(sent=(run.account["sent"] == 1000, run)))
        run = bench.generate("--request-size", "2M", "--pdu-size", "1M", "--pattern", "random", "--commands", 20, disk.url())
        checks.check("requests larger than a PDU come in full", account_faults(run, 2 * MEBIBYTE))
        for option in ("--log", "--csv"):
            run = bench.generate("--request-size", SMALL, "--commands", 100, option, "/dev/full", disk.url())
            checks.check(f"{option} that cannot be written is told", account_faults(run, SMALL, 3) + unless(
                message=(any("/dev/full" in line for line in run.said), run.said)))
        run = bench.generate("--request-size", "64M", "--commands", 1, disk.url())
        checks.check("requests larger than the LUN are refused", unless(
            status=(run.status in (1, 2), run), message=(len(run.said) == 1, run.said)))
    with bench.target("--backing", "null", "--latency", "2ms") as disk:
        run = bench.generate("--request-size", SMALL, "--commands", 100, disk.url())
    turnaround = run.account["turnaround_ns"]
    checks.check("turnaround has the target's latency in it", account_faults(run, SMALL) + unless(
        low=(turnaround["min"] >= 2e6, turnaround), order=(turnaround["min"] <= turnaround["p50"] <= turnaround["p99"] <= turnaround["max"], turnaround),
        sum=(turnaround["mean"] * 100 / 1e9 / run.account["seconds"] <= 1, run)))


def test_interrupt(bench):
    checks = bench.checks
    recorded = bench.checks_recording("Ctrl-C logs out")
    with bench.target("--backing", "null") as disk:
        with bench.recording(disk.port, "interrupt") if recorded else contextlib.nullcontext() as recording:
            told = Events(bench.sanscope, "--request-size", SMALL, "-q", 8, "--sessions", 2, "--rate", 500, "--duration", "1min", disk.url())
            worked = told.read("second", lambda second: second["commands"] > 100)
            told.process.send_signal(signal.SIGINT)
            run = told.finish().run()
    checks.check("Ctrl-C ends the load with all answers", account_faults(run, SMALL) + unless(
        time=(run.took < HANGS, run.took), worked=(worked, told.events)))
    if recorded:
        logouts = recording.requests().get("Logout Request", 0)
        resets = recording.dissected("tcp.flags.reset==1", "frame.number")
        checks.check("Ctrl-C logs out", unless(logouts=(logouts == 3, logouts), resets=(resets == [], resets)))

    with bench.target("--backing", "null", "--fault", "never-answer") as disk:
        told = Events(bench.sanscope, "--request-size", SMALL, "-q", 8, "--timeout", 60, disk.url())
        told.read("second", lambda second: second["in_flight"] == 8)
        waits = interrupted_twice(told.process)
        run = told.finish().run()
    checks.check("a second Ctrl-C does not wait for answers", unless(waited=(waits, "the first one did not"), time=(run.took < HANGS, run.took)) +
                 (account_faults(run, SMALL, run.status, never_answered=8) if run.account else [str(run)]))
    called = threading.Event()
    with stranger(b"", called) as port:
        started = bench.start(f"iscsi://127.0.0.1:{port}/iqn.2026-11.org.example:none/0")
        called.wait(HANGS)
        started.interrupt()
        run = started.finish()
    checks.check("Ctrl-C ends a login that is not answered", unless(time=(run.took < HANGS, run.took), status=(run.status == 1, run)))


def test_pace(bench):
    checks = bench.checks
    with bench.target("--backing", "null", "--size", "64M") as disk:
        for rate, sessions in ((1000, 1), (1500, 3)):
            run = bench.generate("--request-size", SMALL, "-q", 64, "--sessions", sessions, "--rate", rate, "--commands", 3 * rate, disk.url())
            reached = run.account["commands_per_second"]
            checks.check(f"--rate {rate} is not exceeded with {sessions} session{'s' if sessions > 1 else ''}", account_faults(run, SMALL) +
                         unless(rate=(reached / rate < 1.02, run), since_due=("since_due_ns" in run.account, run)))
        run = bench.generate("--request-size", SMALL, "--think-time", "20ms", "--commands", 51, disk.url())
        checks.check("--think-time passes between an answer and the next command", account_faults(run, SMALL) + unless(
            seconds=(1.02 <= run.account["seconds"] < HANGS, run)))
        run = bench.generate("--request-size", SMALL, "-q", 10, "--burst", 10, "--burst-pause", "200ms", "--commands", 60, disk.url())
        checks.check("--burst-pause passes between bursts", account_faults(run, SMALL) + unless(
            seconds=(1.0 <= run.account["seconds"] < HANGS, run)))
    for wrong in (("--rate", 5, "--think-time", 1), ("--burst", 5), ("--burst-pause", 1)):
        run = bench.generate(*wrong, "iscsi://127.0.0.1:1/iqn.2026-11.org.example:none/0")
        checks.check(f"{' '.join(map(str, wrong))} contradicts itself", unless(status=(run.status in (1, 2), run), message=(len(run.said) == 1, run.said)))


def test_many(bench):
    checks = bench.checks
    with bench.target("--backing", "null") as disk:
        run = bench.generate("--request-size", SMALL, "-q", 4, "--sessions", 3, "--connections", 2, "--commands", 3000, disk.url())
    checks.check("several sessions of several connections", account_faults(run, SMALL) + unless(
        sessions=(disk.account["sessions"] == 4, disk.account), connections=(disk.account["connections"] == 7, disk.account)))
    with bench.target("--backing", "null", "--max-connections", 1) as disk:
        run = bench.generate("--request-size", SMALL, "--connections", 4, "--commands", 50, disk.url())
    checks.check("a target that allows one connection gets one, and that is said", account_faults(run, SMALL) + unless(
        connections=(disk.account["connections"] == 2, disk.account), message=(run.said and "allows 1 connection" in run.said[0], run.said)))
    with contextlib.ExitStack() as stack:
        disks = [stack.enter_context(bench.target("--backing", "null", "--size", size)) for size in ("16M", "32M", "16M")]
        run = bench.generate("--request-size", SMALL, "--stripe", "8K", "-q", 8, "--commands", 3000, *[disk.url() for disk in disks])
    moved = [disk.account["bytes_read"] - disk.account["bytes_read"] % SMALL for disk in disks]
    checks.check("striped targets get equal shares", account_faults(run, SMALL) + unless(shares=(moved == [1000 * SMALL] * 3, moved)))
    with contextlib.ExitStack() as stack:
        disks = [stack.enter_context(bench.target("--backing", "null", "--size", "16M", *more)) for more in ((), ("--fault", "close:100"))]
        run = bench.generate("--request-size", SMALL, "-q", 8, "--commands", 250, *[disk.url() for disk in disks])
    lost = run.failures().get("connection_lost", 0) if run.account else 0
    checks.check("when one of several targets is lost, the other's commands are done", account_faults(run, SMALL, 3, connection_lost=lost) + unless(
        lost=(1 <= lost <= 8, lost), sent=(run.account and run.account["sent"] == 250, run)))


def test_wide(bench):
    checks = bench.checks
    wide = ("--request-size", SMALL, "-q", 128, "--pattern", "random")
    for what, options, depth in (("2 sessions of 4 connections", ("--sessions", 2, "--connections", 4), 1024),
                                 ("8 sessions of 1", ("--sessions", 8), 1024)):
        for how, limits in (("for a while", ("--duration", 3)), ("so many", ("--commands", 50_000))):
            log = bench.scratch / "wide.csv"
            with bench.target("--size", "64M") as disk:
                run = bench.generate(*wide, *options, *limits, "--log", log, disk.url(), seconds=120)
            rows = logged(log)
            account = run.account or {}
            by_connection, ends = {}, {}
            for row in rows:
                name = row["session"], row["connection"]
                by_connection[name] = by_connection.get(name, 0) + 1
                ends.setdefault(name, []).append(int(row["done_ns"]))
            # A connection that stalls has a gap between its answers; nothing else in this load waits.
            gaps = {name: max((after - before for before, after in zip(moments, moments[1:])), default=0) / 1e9
                    for name, moments in ((name, sorted(moments)) for name, moments in ends.items())}
            checks.check(f"{what}, 128 commands at once on each, {how}: none is lost", account_faults(run, SMALL) + unless(
                quiet=(run.said == [], run.said), depth=(account.get("queue_depth") == depth, account.get("queue_depth")),
                sent=(how == "for a while" or account.get("sent") == 50_000, account.get("sent")),
                connections=(len(by_connection) == 8, by_connection), stalls=(all(gap < STALLS for gap in gaps.values()), gaps),
                target=(disk.account["commands"] >= account.get("sent", 0), disk.account)))
            checks.check(f"{what}, 128 commands at once on each, {how}: the log is the summary", unless(
                rows=(len(rows) == account.get("sent"), (len(rows), account.get("sent"))),
                good=(sum(row["status"] == "GOOD" for row in rows) == account.get("commands"), account.get("commands")),
                bytes=(sum(int(row["bytes"]) for row in rows if row["status"] == "GOOD") == account.get("bytes"), account.get("bytes")),
                longest=(max((int(row["done_ns"]) - int(row["send_ns"]) for row in rows), default=0) == account["turnaround_ns"]["max"],
                         account["turnaround_ns"]["max"])))


def test_writes(bench):
    checks = bench.checks
    writes = ("--request-size", SMALL, "--read-percent", 0, "--commands", 50)
    with bench.target("--size", "64M", "--serial", "SCRATCH-1") as disk:
        without = bench.generate(*writes, disk.url())
        wrong = bench.generate(*writes, "--allow-writes", "SCRATCH-2", disk.url())
        untouched = bench.generate("--request-size", SMALL, "--commands", 10, disk.url())
        allowed = bench.generate(*writes, "--allow-writes", "SCRATCH-1", disk.url())
        mixed = bench.generate("--request-size", SMALL, "--read-percent", 70, "--commands", 1000, "--pattern", "random", "-q", 8,
                               "--allow-writes", "SCRATCH-1", disk.url())
    checks.check("writes are refused without --allow-writes", refused_faults(without, "--allow-writes", 2))
    checks.check("writes are refused where --allow-writes names another LUN", refused_faults(wrong, "SCRATCH-1.*SCRATCH-2"))
    checks.check("reads are not", account_faults(untouched, SMALL))
    checks.check("writes are done where they are allowed", account_faults(allowed, SMALL) + unless(
        writes=(allowed.account and allowed.account["writes"]["commands"] == 50 and allowed.account["reads"]["sent"] == 0, allowed)))
    share = mixed.account["reads"]["sent"] / 1000 if mixed.account else None
    checks.check("--read-percent is the share of reads", account_faults(mixed, SMALL) + unless(share=(share and 0.65 < share < 0.75, share)))
    checks.check("the target was written what was told", unless(bytes=(
        mixed.account and disk.account["bytes_written"] == (50 + mixed.account["writes"]["commands"]) * SMALL, disk.account)))
    if not bench.tgtd:
        return
    url = bench.tgtd.add_target("iqn.2026-11.org.example:precious", "PRECIOUS-1")
    path = bench.tgtd.file
    table = partition_table(path.stat().st_size // SECTOR)
    with open(path, "r+b") as disk:
        disk.write(table)
    before = path.read_bytes()
    refused = bench.generate(*writes, "--allow-writes", "PRECIOUS-1", url)
    read = bench.generate("--request-size", SMALL, "--commands", 50, url)
    checks.check("tgtd: a partition table is not written over", refused_faults(refused, "GPT partition table, which only --really") + unless(
        untouched=(path.read_bytes() == before, "the LUN was changed")))
    checks.check("tgtd: the LUN of it can be read", account_faults(read, SMALL))
    allowed = bench.generate(*writes, "--allow-writes", "PRECIOUS-1", "--really", url)
    checks.check("tgtd: except with --really", account_faults(allowed, SMALL) + unless(
        written=(path.read_bytes()[:50 * SMALL] != before[:50 * SMALL], "the LUN is what it was")))


def test_verify(bench):
    checks = bench.checks
    verify = ("--verify", "--request-size", "16K", "-q", 8, "--pattern", "random")
    for name, options in (("", ()), (" with digests and solicited data", (*WITH_DIGESTS, "--initial-r2t", "--no-immediate-data"))):
        with bench.target("--size", "64M") as disk:
            run = bench.generate(*verify, *options, "--commands", 500, "--allow-writes", "SANSCOPE", disk.url())
        checks.check(f"--verify finds nothing wrong with a memory target{name}", account_faults(run, 16384) + unless(
            both=(run.account and run.account["writes"]["commands"] == run.account["reads"]["commands"] == 500, run)))
    with bench.target("--size", "64M", "--backing", "null") as disk:
        run = bench.generate(*verify, "--commands", 20, "--allow-writes", "SANSCOPE", disk.url())
    checks.check("--verify finds that a target forgets what is written", account_faults(run, 16384, 3, wrong_data=20) + unless(
        message=(any("wrong data at byte" in line for line in run.said), run.said)))
    # The same request's write is lost in each run; in the later ones the first one's data are at its place.
    with bench.target("--size", "64M", "--fault", "lost-write:7") as disk:
        runs = [bench.generate("--verify", "--request-size", size, "--commands", 10, "--seed", 5, "--allow-writes", "SANSCOPE", disk.url())
                for size in ("8K", "4K", "4K")]
    of_another = "the data of another run with the same seed is there"
    for run, size, instead in zip(runs, (8192, 4096, 4096), ("zeros are there", of_another, of_another)):
        checks.check(f"--verify finds a write of {size} bytes that was lost: {instead}", account_faults(run, size, 3, wrong_data=1) + unless(
            message=(any(re.search(rf"wrong data at byte \d+ .*{instead}", line) for line in run.said), run.said)))
    if not bench.tgtd:
        return
    url = bench.tgtd.add_target("iqn.2026-11.org.example:changed", "CHANGED-1", size=MEBIBYTE)
    run = bench.generate(*verify, "--commands", 500, "--allow-writes", "CHANGED-1", url)
    checks.check("--verify finds nothing wrong with tgtd", account_faults(run, 16384) + unless(
        both=(run.account and run.account["writes"]["commands"] == run.account["reads"]["commands"] == 500, run)))
    started = bench.start(*verify, "--duration", 2, "--allow-writes", "CHANGED-1", url)
    with open(bench.tgtd.file, "r+b", buffering=0) as disk:
        while started.process.poll() is None:
            os.pwrite(disk.fileno(), os.urandom(SECTOR), int.from_bytes(os.urandom(2), "little") % (MEBIBYTE // SECTOR) * SECTOR)
    run = started.finish()
    wrong = run.failures().get("wrong_data", 0) if run.account else 0
    checks.check("--verify finds what was changed behind the back of tgtd", account_faults(run, 16384, 3, wrong_data=wrong) + unless(
        some=(wrong > 0, run), message=(any("wrong data at byte" in line for line in run.said), run.said)))


def test_analyser(bench):
    checks = bench.checks
    if not bench.checks_recording("the analyser finds in a capture what the log says"):
        return
    if shutil.which("tshark") is None:
        checks.skip("Wireshark accepts every PDU", "tshark is not installed")
    solicited = ("--initial-r2t", "--no-immediate-data", "--max-burst", "64K", "--max-outstanding-r2t", 2)
    half_written = ("--read-percent", 50, "--pattern", "random")
    cases = (("small reads", ("--request-size", SMALL, "-q", 8, "--commands", 2000)),
             ("large reads with digests", ("--request-size", "512K", "--pdu-size", "64K", "-q", 4, "--commands", 60, *WITH_DIGESTS)),
             ("reads and writes", ("--request-size", "256K", "-q", 4, "--commands", 100, *half_written)),
             ("writes with R2T", ("--request-size", "256K", "-q", 4, "--commands", 60, "--read-percent", 0, *solicited)),
             ("all of it with digests", ("--request-size", "160K", "-q", 4, "--commands", 60, *half_written, *solicited, *WITH_DIGESTS)),
             ("several sessions and connections", ("--request-size", SMALL, "-q", 4, "--sessions", 2, "--connections", 2, "--commands", 1000)))
    targets = [("memory target", None)]
    if bench.tgtd:
        targets.append(("tgtd", bench.tgtd.add_target("iqn.2026-11.org.example:recorded", "SANSCOPE",
                                                       HeaderDigest="CRC32C,None", DataDigest="CRC32C,None")))
    for target, its_url in targets:
        for what, options in cases:
            if its_url and "--connections" in options:
                continue  # of which tgtd allows one
            with contextlib.ExitStack() as stack:
                # With answers that take their time, the connections of a session have commands under way at once.
                slow = ("--latency", "1ms") if "--connections" in options else ()
                disk = None if its_url else stack.enter_context(bench.target("--size", "64M", *slow))
                log = bench.scratch / "log.csv"
                log.unlink(missing_ok=True)
                writes = ("--allow-writes", "SANSCOPE") if "--read-percent" in options else ()
                with bench.recording(disk.port if disk else bench.tgtd.port, "agreement") as recording:
                    run = bench.generate(*options, *writes, "--log", log, disk.url() if disk else its_url)
            rows = logged(log) if log.exists() else []
            checks.check(f"{target}, {what}: the analyser finds what the log says, command by command",
                         account_faults(run, run.account["request_bytes"] if run.account else 0) + agreement_faults(recording, rows, run) +
                         unless(count=(run.account and len(rows) == run.account["sent"], len(rows))))
            negotiated = [run.account["negotiated"][key] for key in ("header_digest", "data_digest")] if run.account else []
            if "digests" in what:
                bad = [row["pdu"] for row in recording.table("pdus") if "bad" in (row["header_digest"], row["data_digest"])]
                checks.check(f"{target}, {what}: the digests are right", unless(negotiated=(negotiated == ["CRC32C"] * 2, negotiated),
                                                                                bad=(bad == [], bad)))
            if what == "writes with R2T":
                answers = [row["name"] for row in recording.table("pdus")]
                checks.check(f"{target}, {what}: data were asked for by R2T", unless(asked=(answers.count("R2T") >= 60, answers.count("R2T"))))
            if shutil.which("tshark"):
                checks.check(f"{target}, {what}: Wireshark accepts every PDU", dissector_faults(recording, len(rows)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("parts", nargs="*", help="only these: faults, chap …")
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    parts = [(name[5:], part) for name, part in globals().items() if name.startswith("test_")]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.sanscope, pathlib.Path(folder), checks)
        if reason := Tgtd.why_not():
            checks.skip("what is tried against tgtd", reason)
        else:
            bench.tgtd = Tgtd(bench.scratch)
        try:
            for name, part in parts:
                if not arguments.parts or name in arguments.parts:
                    part(bench)
        finally:
            if bench.tgtd:
                bench.tgtd.end()
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope experiment`: what it says without rights, and a small sweep of each kind as root, in network namespaces:
that every figure is there, that a second start goes on where the first one was interrupted, and that nothing is left
behind."""

import argparse
import contextlib
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, Checks  # noqa: E402

SWEEP = ["oguchi-fig6-7", "--only", "operation=read", "--only", "delay_ms=0,8", "--only", "pdu_bytes=32K,1M", "--only", "queue_depth=1",
         "--repetitions", "1", "--seconds", "1"]
SWEEP_RUNS = 6
AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
ALLOWED = pathlib.Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
RECORDED = ["kancharla-tab4-7", "--only", "delay_ms=2", "--only", "congestion_control=cubic", "--only", "queue_frames=50",
            "--repetitions", "1", "--seconds", "1"]


def run(*arguments, seconds=60, **options):
    try:
        return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL,
                              **options)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(arguments, None, str(late.stdout), "took too long")


def said(done):
    return [f"exit status {done.returncode}", *(done.stdout + done.stderr).splitlines()[-20:]]


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_without_rights(checks, sanscope, scratch):
    listed = run(sanscope, "experiment", "--help").stdout
    names = [line.split()[0] for line in listed.split("Experiments:\n")[1].split("\n\n")[0].splitlines()]
    checks.check("it lists experiments", [] if "oguchi-fig6-7" in names else [listed])
    for name in names:
        done = run(sanscope, "experiment", name, "--dry-run", "-o", scratch / "none")
        last = done.stdout.splitlines()[-1] if done.stdout else ""
        checks.check(f"--dry-run of {name} tells its runs and how long they take",
                     [] if done.returncode == 0 and last.startswith(f"{name}: ") and "about" in last else said(done))
    done = run(sanscope, "experiment", "bianco-fig4-6", "--dry-run", "-o", scratch / "none")
    checks.check("an experiment is found under the name it once had",
                 [] if done.returncode == 0 and "bianco-fig3-7: " in done.stdout else said(done))
    checks.check("--dry-run makes nothing", ["there is a folder"] if (scratch / "none").exists() else [])
    for arguments in (["no-such-thing"], ["oguchi-fig6-7", "--only", "colour=red"], ["oguchi-fig6-7", "--only", "delay_ms=77"],
                      ["oguchi-fig6-7", "--set", "delay_ms"], ["oguchi-fig6-7", "--set", "delay_ms=1", "--set", "delay_ms=2"]):
        done = run(sanscope, "experiment", *arguments, "--dry-run")
        checks.check(f"{' '.join(arguments)} is wrong usage",
                     [] if done.returncode == 2 and done.stdout + done.stderr else said(done))
    for value, bounds in (("delay_ms=20000", "from 0 to 10000"), ("mtu=100", "from 576 to 9000"), ("operation=erase", "read or write"),
                          ("pdu_bytes=16M", "from 512 to 16777215"), ("connections=0", "from 1 to 256")):
        done = run(sanscope, "experiment", "oguchi-fig6-7", "--set", value, "--dry-run")
        checks.check(f"--set {value} is refused with what it may be",
                     [] if done.returncode == 2 and bounds in done.stderr and len(done.stderr.splitlines()) == 1 else said(done))
    name = "runs that are left out are not said to be done"
    if AVAILABLE.exists():
        done = run(sanscope, "experiment", *SWEEP, "--set", "congestion_control=no_such", "--dry-run", "-o", scratch / "none")
        checks.check(name, [] if done.returncode == 0 and "are left out" in done.stdout and ": 0 runs" in done.stdout and
                     "are done" not in done.stdout else said(done))
    else:
        checks.skip(name, f"{AVAILABLE} is not there")
    alone, kept = (run(sanscope, "experiment", *SWEEP, "--dry-run", *more).stdout.splitlines()[-1:] for more in ([], ["--keep-captures"]))
    checks.check("keeping captures takes its time", [] if alone and kept and alone != kept else [*alone, *kept])
    done = run(sanscope, "experiment", "oguchi-fig6-7", "--set", "delay_ms=0,7", "--set", "pdu_bytes=3M", "--only", "load=iscsi",
               "--only", "operation=read", "--only", "queue_depth=1", "--repetitions", "1", "--dry-run")
    checks.check("--set goes over values that the experiment does not have",
                 [] if done.returncode == 0 and "7 ms, 3 MiB" in done.stdout and ": 2 runs" in done.stdout else said(done))


def test_refused_without_root(checks, sanscope):
    name = "without root one sentence says what is missing"
    if os.geteuid() != 0:
        done = run(sanscope, *["experiment", *SWEEP])
    elif shutil.which("setpriv"):
        # The program may lie where only root may look: it is started from a copy of its descriptor.
        with open(sanscope, "rb") as program:
            done = run("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", f"/proc/self/fd/{program.fileno()}",
                       "experiment", *SWEEP, pass_fds=[program.fileno()])
        if "Permission denied" in done.stderr:
            checks.skip(name, "another user may not start the program here")
            return
    else:
        checks.skip(name, "setpriv is not installed")
        return
    checks.check(name, [] if done.returncode == 1 and "needs root" in done.stderr and len(done.stderr.splitlines()) == 1
                 else said(done))


@contextlib.contextmanager
def congestion_controls_allowed(allowed):
    """In namespaces, as long as this is entered."""
    before = ALLOWED.read_text()
    ALLOWED.write_text(allowed)
    try:
        yield
    finally:
        ALLOWED.write_text(before)


def test_refused_congestion_control(checks, sanscope, scratch):
    with congestion_controls_allowed("reno"):
        done = run(sanscope, "experiment", *SWEEP, "-o", scratch / "refused")
    checks.check("a congestion control that namespaces may not use is told with the command that allows it",
                 [] if done.returncode == 1 and "may not use cubic" in done.stderr and 'sysctl -w' in done.stderr and
                 not (scratch / "refused").exists() else said(done))


def leftovers(process):
    listed = run("ip", "netns", "list").stdout
    return [line for line in listed.splitlines() if f"sanscope-experiment-{process}-" in line]


def test_sweep(checks, sanscope, scratch):
    folder = scratch / "sweep"
    first = subprocess.Popen([sanscope, "experiment", *SWEEP, "-o", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
    first.stdout.readline()
    time.sleep(0.7)
    first.send_signal(signal.SIGINT)
    out, err = first.communicate(timeout=30)
    done = len(rows_of(folder / "runs.csv"))
    checks.check("Ctrl-C ends it, and what was done is kept",
                 [] if first.returncode == 130 and 1 <= done < SWEEP_RUNS else [f"{first.returncode}, {done} runs", out, err])
    checks.check("Ctrl-C leaves no host behind", leftovers(first.pid))

    second = run(sanscope, "experiment", *SWEEP, "-o", folder)
    rows = rows_of(folder / "runs.csv")
    checks.check("started again, it does the rest and only that",
                 [] if second.returncode == 0 and len(rows) == SWEEP_RUNS and f"/{SWEEP_RUNS - done}  " in second.stdout
                 else [f"{len(rows)} runs after {done}", *said(second)])
    third = run(sanscope, "experiment", *SWEEP, "-o", folder)
    checks.check("when all is done it does nothing again",
                 [] if third.returncode == 0 and len(rows_of(folder / "runs.csv")) == SWEEP_RUNS else said(third))

    rate = {(row["load"], row["delay_ms"], row["pdu_bytes"]): float(row["bytes_per_second"])
            for row in rows_of(folder / "table.csv")}
    faults = []
    if len(rate) != SWEEP_RUNS:
        faults.append(f"{len(rate)} rows in the table")
    else:
        # One command a round trip of 16 ms: 32 KiB can be 2 MB/s at most, however fast the link.
        small, large = rate["iscsi", "8", "32768"], rate["iscsi", "8", "1048576"]
        if not 0.5e6 < small < 2.05e6:
            faults.append(f"32 KiB over 8 ms: {small}")
        if not large > 5 * small:
            faults.append(f"1 MiB over 8 ms: {large}, of 32 KiB {small}")
        if not rate["iscsi", "0", "32768"] > 3 * small:
            faults.append(f"32 KiB without delay: {rate['iscsi', '0', '32768']}")
        if not 25e6 >= rate["socket", "0", ""] > 3 * small:
            faults.append(f"the plain socket, on a link of 25 MB/s: {rate['socket', '0', '']}")
    checks.check("throughput is what delay and PDU size let it be", faults)

    faults = [name for name in ("table.csv", "table.md", "figure.svg", "page.html") if not (folder / name).stat().st_size]
    if shutil.which("xmllint"):
        lint = run("xmllint", "--noout", folder / "figure.svg")
        faults += [] if lint.returncode == 0 else said(lint)
    page = (folder / "page.html").read_text()
    faults += [what for what in ("<svg", "plain socket", "<table>", "iperf 3", "kernel") if what not in page]
    checks.check("figure, tables and page are there and well-formed", faults)
    if shutil.which("rsvg-convert"):
        checks.check("… and the picture",
                     [] if (folder / "figure.png").read_bytes().startswith(b"\x89PNG") else ["it is no PNG"])
    else:
        checks.skip("… and the picture", "rsvg-convert is not installed")

    (scratch / "other").mkdir()
    (scratch / "other" / "runs.csv").write_text("precious\n")
    wrong = run(sanscope, "experiment", *SWEEP, "-o", scratch / "other")
    checks.check("a runs.csv of others is left as it is",
                 [] if wrong.returncode == 1 and (scratch / "other" / "runs.csv").read_text() == "precious\n" else said(wrong))


def test_recorded(checks, sanscope, scratch):
    folder = scratch / "recorded"
    done = run(sanscope, "experiment", *RECORDED, "-o", folder)
    rows = rows_of(folder / "table.csv") if done.returncode == 0 else []
    faults = [] if len(rows) == 4 else said(done)
    for row in rows:
        window = float(row["window_mean_bytes"] or 0)
        # 100 Mbit/s, 4 ms there and back, and a queue of 50 frames: a window of 50 kB fills the path, one of 4 MB
        # never fits.
        if not 30e3 < window < 4e6 or not float(row["window_sd_bytes"] or 0) > 0 or row["retransmissions"] == "":
            faults.append(f"{row['operation']}, {row['connections']} connections: {row}")
        if (float(row["window_difference_sd_bytes"] or 0) > 0) != (row["connections"] == "4"):
            faults.append(f"difference of windows over {row['connections']}: {row['window_difference_sd_bytes']!r}")
        if row["needless_retransmissions"] == "" or float(row["retransmissions"]) < float(row["needless_retransmissions"]):
            faults.append(f"needless: {row['needless_retransmissions']} of {row['retransmissions']}")
        for end in ("initiator", "target"):
            if not 0 <= float(row[f"{end}_processor_percent"] or -1) < 1000:
                faults.append(f"processor of the {end}: {row[f'{end}_processor_percent']!r}")
        if not 1e6 < float(row["bytes_per_second"]) < 12.5e6:
            faults.append(f"{row['bytes_per_second']} B/s on a link of 12.5 MB/s")
    if {(row["operation"], row["connections"]) for row in rows} != {(o, c) for o in ("read", "write") for c in "14"}:
        faults.append("not each of reads and writes over one connection and four")
    checks.check("windows, retransmissions and processor of reads and writes come from the packets and both ends", faults)
    page = (folder / "page.html").read_text() if rows else ""
    checks.check("the page has the publication's numbers, its conclusions and the departures",
                 [what for what in ("table 5", "Whether its conclusions hold here", "not measured", "Where this is not what")
                  if what not in page])
    checks.check("no recording is left", [str(path) for path in folder.glob("*.pcapng")])


def test_captures_kept(checks, sanscope, scratch):
    """--keep-captures and --events, of an experiment that records nothing by itself, gone on with without them."""
    folder = scratch / "kept" / "below"
    sweep = ["oguchi-fig6-7", "--only", "operation=read", "--only", "queue_depth=1", "--only", "pdu_bytes=32K", "--repetitions", "1",
             "--seconds", "1", "-o", folder]
    done = run(sanscope, "experiment", *sweep, "--only", "delay_ms=2", "--keep-captures", "--events")
    try:
        events = [json.loads(line) for line in done.stdout.splitlines()]
    except ValueError:
        events = []
    checks.check("--events writes an object a line: how many are to come, each run, how it ended",
                 [] if done.returncode == 0 and [event["kind"] for event in events] == ["begun", "run", "done", "run", "done", "ended"]
                 and events[0]["runs"] == 2 and events[-1]["done"] == 2 and events[-1]["status"] == 0 else said(done))
    named = [event["capture"] for event in events if "capture" in event]
    kept = sorted((folder / "captures").glob("*"))
    checks.check("--keep-captures keeps the packets of the run of iSCSI, and says as what",
                 [] if len(named) == 1 and [path.name for path in kept] == named else [*map(str, kept), *said(done)])
    if kept:
        commands = run(sanscope, "table", "commands", kept[0]).stdout
        checks.check("… which are those of its commands", [] if len(commands.splitlines()) > 20 else [commands[:1000]])
        before = kept[0].read_bytes()
        more = run(sanscope, "experiment", *sweep, "--only", "delay_ms=2,4")
        checks.check("runs that are added without it leave it there",
                     [] if more.returncode == 0 and kept[0].read_bytes() == before and
                     sorted((folder / "captures").glob("*")) == kept else said(more))
        (folder / "runs.csv").unlink()
        again = run(sanscope, "experiment", *sweep, "--only", "delay_ms=2")
        checks.check("the capture of a run that is made again does not stay beside it",
                     [] if again.returncode == 0 and not kept[0].exists() else said(again))
    checks.check("no other recording is left", [str(path) for path in folder.glob("*.pcapng")])


def test_other_values(checks, sanscope, scratch):
    """Writes, values of one's own, several targets, many sockets."""
    folder = scratch / "values"
    done = run(sanscope, "experiment", "bianco-fig3-7", "--set", "operation=write", "--set", "delay_ms=3", "--set", "targets=2",
               "--set", "connections=3", "--only", "window_bytes=256K", "--only", "load=iscsi", "--repetitions", "1",
               "--seconds", "1", "-o", folder)
    rows = rows_of(folder / "table.csv") if done.returncode == 0 else []
    # 256 KiB to each of two targets over three connections: 1.5 MiB in 6 ms, on a link of 25 MB/s.
    checks.check("writes go to two targets over a delay of one's own",
                 [] if len(rows) == 1 and rows[0]["operation"] == "write" and rows[0]["targets"] == "2" and
                 3e6 < float(rows[0]["bytes_per_second"]) < 25e6 else [*map(str, rows), *said(done)])
    folder = scratch / "background"
    done = run(sanscope, "experiment", "bianco-fig3-7", "--only", "queue_frames=200", "--only", "load=socket", "--only", "operation=read",
               "--only", "background_mbit=0,150", "--only", "priority=none", "--repetitions", "1", "--seconds", "2", "-o", folder)
    rates = {row["background_mbit"]: float(row["bytes_per_second"]) for row in rows_of(folder / "table.csv")} \
        if done.returncode == 0 else {}
    checks.check("other traffic takes its part of the link",
                 [] if len(rates) == 2 and rates["150"] < 0.75 * rates["0"] else [str(rates), *said(done)])
    folder = scratch / "sockets"
    done = run(sanscope, "experiment", "zhu-fig3-14", "--only", "load=socket", "--set", "connections=130", "--only", "delay_ms=0.05",
               "--only", "window_bytes=64K", "--repetitions", "1", "--seconds", "2", "-o", folder)
    rows = rows_of(folder / "table.csv") if done.returncode == 0 else []
    checks.check("more sockets than one iperf3 has, both ways, and how soon they reach their rate",
                 [] if len(rows) == 2 and all(5e6 < float(row["bytes_per_second"]) < 35e6 and float(row["to_ninety_ns"] or 0) > 0
                                              for row in rows) else [*map(str, rows), *said(done)])


def test_priority(checks, sanscope, scratch):
    """Other traffic that takes nearly all of the link, with storage before it and without."""
    name = "with priority, other traffic takes less of the link"
    probe = f"sanscope-test-{os.getpid()}-htb"
    run("ip", "netns", "add", probe)
    htb = run("tc", "-n", probe, "qdisc", "add", "dev", "lo", "root", "handle", "1:", "htb")
    u32 = run("tc", "-n", probe, "filter", "add", "dev", "lo", "parent", "1:", "protocol", "ip", "u32", "match", "ip", "dport", "9",
              "0xffff", "flowid", "1:1")
    run("ip", "netns", "del", probe)
    if htb.returncode or u32.returncode:
        checks.skip(name, f"this kernel has no HTB or no u32: {htb.stderr.strip()} {u32.stderr.strip()}")
        return
    folder = scratch / "priority"
    done = run(sanscope, "experiment", "bianco-fig3-7", "--only", "queue_frames=200", "--only", "load=iscsi,socket", "--only",
               "background_mbit=0,150", "--set", "targets=1", "--set", "operation=read", "--repetitions", "1", "--seconds", "2",
               "-o", folder, seconds=180)
    rates = {(row["load"], row["priority"], row["background_mbit"]): float(row["bytes_per_second"])
             for row in rows_of(folder / "table.csv")} if done.returncode == 0 else {}
    faults = [] if len(rates) == 8 else said(done)
    for load in ("iscsi", "socket") if rates else ():
        if not rates[load, "storage", "150"] > 1.3 * rates[load, "none", "150"]:
            faults.append(f"{load}: {rates}")
        # It is no link of its own: beside nothing it is as fast as without.
        if not 0.75 < rates[load, "storage", "0"] / rates[load, "none", "0"] < 1.3:
            faults.append(f"{load}, alone: {rates}")
    checks.check(name, faults)
    done = run(sanscope, "experiment", "bianco-fig3-7", "--set", "priority=storage", "--set", "rate_mbit=0", "--dry-run")
    checks.check("priority on a link without a rate is wrong usage",
                 [] if done.returncode == 2 and "without a rate" in done.stderr else said(done))


def test_blast(checks, sanscope, scratch):
    """Over UDP at a fixed rate: below that of the link, beyond it, and with losses."""
    folder = scratch / "blast"
    command = [sanscope, "experiment", "zhu-fig3-14", "--only", "load=blast", "--only", "delay_ms=26", "--repetitions", "1",
               "--seconds", "2"]
    done = run(*command, "--set", "blast_mbit=100,250", "-o", folder)
    rows = {(row["operation"], row["blast_mbit"]): row for row in rows_of(folder / "table.csv")} if done.returncode == 0 else {}
    faults = [] if len(rows) == 4 else said(done)
    for (operation, rate), row in rows.items():
        moved, again = float(row["bytes_per_second"]), float(row["retransmissions"])
        # 100 Mbit/s of frames of 1514 bytes are 12.2 MB/s; beyond the link's 200 Mbit/s, two seconds fill its
        # queue of 4000 frames twice over, and what it drops costs rounds.
        if rate == "100" and not (9e6 < moved < 12.6e6 and float(row["to_ninety_ns"]) <= 3e8):
            faults.append(f"{operation}, below the link's rate: {row}")
        if rate == "250" and not (again > 0 and 4e6 < moved < 25e6):
            faults.append(f"{operation}, beyond the link's rate: {row}")
        if not all(0 < float(row[f"{end}_processor_percent"] or 0) < 1000 for end in ("initiator", "target")):
            faults.append(f"{operation}: processor of {row}")
        if row["connections"] or row["window_bytes"] or row["congestion_control"]:
            faults.append(f"{operation}: settings that mean nothing to it: {row}")
    checks.check("a blast has its rate at once, and repairs what a slower link drops", faults)
    folder = scratch / "blast-losses"
    done = run(*command, "--set", "blast_mbit=50", "--set", "loss_percent=5", "-o", folder)
    rows = rows_of(folder / "table.csv") if done.returncode == 0 else []
    # Two seconds of 50 Mbit/s in frames of 1514 bytes are 8256 datagrams; 5 % of them go again, 413, and 5 % of those.
    checks.check("of a blast, what is lost is sent again, and nothing else",
                 [] if len(rows) == 2 and all(300 < float(row["retransmissions"]) < 600 for row in rows)
                 else [*map(str, rows), *said(done)])


def test_patterns(checks, sanscope, scratch):
    """Loads of a file system, as lists of requests."""
    folder = scratch / "patterns"
    done = run(sanscope, "experiment", "kancharla-fig6-8", "--only", "congestion_control=reno", "--only", "delay_ms=2", "--only",
               "queue_depth=1", "--set", "loss_percent=0", "--repetitions", "1", "--seconds", "1", "-o", folder, seconds=120)
    rows = {row["pattern"]: row for row in rows_of(folder / "table.csv")} if done.returncode == 0 else {}
    faults = [] if set(rows) == {"rewrite", "seeks", "postmark"} else said(done)
    if not faults:
        size = {pattern: float(row["bytes_per_second"]) / float(row["commands_per_second"]) for pattern, row in rows.items()}
        if not (0.98 < size["rewrite"] / 131072 < 1.02 and 0.98 < size["seeks"] / 4096 < 1.02 and 8192 < size["postmark"] < 65536):
            faults.append(f"bytes of a command: {size}")
    faults += [str(path) for path in folder.glob("requests-*")]
    checks.check("loads as Postmark and Bonnie++ make them have their sizes, and leave no list behind", faults)


def test_windows_over_time(checks, sanscope, scratch):
    folder = scratch / "windows"
    done = run(sanscope, "experiment", "kancharla-tab4-7", "--only", "connections=2", "--only", "congestion_control=reno",
               "--set", "loss_percent=0", "--repetitions", "1", "--seconds", "1", "-o", folder)
    traces = list((folder / "windows").glob("*.csv"))
    rows = rows_of(traces[0]) if len(traces) == 1 else []
    last = {row["connection"]: float(row["seconds"]) for row in rows}
    faults = [] if set(last) == {"1", "2"} and min(last.values()) > 0.9 else [f"{traces}: their last moments are {last}"]
    if not faults and "Figure 1: windows, reno, 4 ms" not in (folder / "figure.svg").read_text():
        faults = ["no panel has the windows"]
    checks.check("the windows of two connections over time are kept and drawn", faults + (said(done) if faults else []))


def test_fair(checks, sanscope, scratch):
    """Fair-TCP in a host of its own, where this kernel can have it."""
    name = "Fair-TCP is measured where it is registered"
    started = "fair" not in AVAILABLE.read_text().split() and run(sanscope, "fair-tcp", "start").returncode == 0
    try:
        if "fair" not in AVAILABLE.read_text().split():
            checks.skip(name, "it cannot be registered here")
            return
        folder = scratch / "fair"
        with congestion_controls_allowed("reno cubic fair"):
            done = run(sanscope, "experiment", "kancharla-tab4-7", "--only", "connections=2", "--repetitions", "1", "--seconds", "4",
                       "-o", folder)
        rows = {row["congestion_control"]: row for row in rows_of(folder / "table.csv")} if done.returncode == 0 else {}
        checks.check(name, [] if set(rows) == {"reno", "fair"} and "left out" not in done.stdout and
                     all(float(row["window_difference_sd_bytes"] or 0) > 0 for row in rows.values()) and
                     "Figure 1: windows, fair, 4 ms" in (folder / "page.html").read_text() else [*map(str, rows.values()), *said(done)])
    finally:
        if started:
            run(sanscope, "fair-tcp", "stop")


def test_left_out(checks, sanscope, scratch):
    """A congestion control that this kernel does not have."""
    folder = scratch / "left-out"
    command = [sanscope, "experiment", *SWEEP, "--set", "congestion_control=cubic,no_such", "--only", "delay_ms=0", "--only",
               "load=socket", "-o", folder]
    done = run(*command)
    rows = rows_of(folder / "table.csv") if done.returncode == 0 else []
    first = done.stdout.splitlines()[0] if done.stdout else ""
    checks.check("runs whose congestion control the kernel does not have are left out, which is said first and on the page",
                 [] if "no_such" in first and "1 run is left out" in first and len(rows) == 1 and
                 "no_such is no congestion control of this kernel" in (folder / "page.html").read_text() else said(done))
    done = run(sanscope, "experiment", *SWEEP, "--set", "congestion_control=no_such", "-o", scratch / "nothing-left")
    checks.check("where none is left it says so and makes nothing",
                 [] if done.returncode == 1 and "no run is left" in done.stderr and not (scratch / "nothing-left").exists()
                 else said(done))


def test_in_use(checks, sanscope, scratch):
    """What others have: a namespace of the name that a host would get, the folder."""
    folder = scratch / "in-use"

    def occupy():  # in the child, whose number the program keeps
        name = f"sanscope-experiment-{os.getpid()}-ini"
        os.system(f"(ip netns add {name} && exec ip netns exec {name} sleep 60) </dev/null >/dev/null 2>&1 &")
        time.sleep(1)

    process = subprocess.Popen([sanscope, "experiment", *SWEEP, "-o", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, preexec_fn=occupy)
    out, err = process.communicate(timeout=60)
    name = f"sanscope-experiment-{process.pid}-ini"
    checks.check("a namespace that is in use is told before the first run",
                 [] if process.returncode == 1 and f"{name} is in use by processes" in err and not rows_of(folder / "runs.csv")
                 else [str(process.returncode), out, err])
    for pid in run("ip", "netns", "pids", name).stdout.split():
        os.kill(int(pid), signal.SIGKILL)
    run("ip", "netns", "del", name)

    first = subprocess.Popen([sanscope, "experiment", *SWEEP, "-o", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    first.stdout.readline()
    second = run(sanscope, "experiment", *SWEEP, "-o", folder)
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=30)
    checks.check("two do not write to one folder",
                 [] if second.returncode == 1 and "another experiment is writing" in second.stderr else said(second))


def test_full_disk(checks, sanscope, scratch):
    folder = scratch / "full"
    folder.mkdir()
    if run("mount", "-t", "tmpfs", "-o", "size=4k", "none", folder).returncode != 0:
        checks.skip("a full disk loses no run", "no file system can be mounted here")
        return
    try:
        command = [sanscope, "experiment", *SWEEP, "--only", "load=socket", "-o", folder]
        full = run(*command)
        rows = rows_of(folder / "runs.csv")
        checks.check("a full disk loses no run: they are kept, and what cannot be written is told",
                     [] if full.returncode == 1 and "cannot be written" in full.stderr and len(rows) == 2 else said(full))
        run("mount", "-o", "remount,size=4m", folder)
        again = run(*command)
        checks.check("… and with more room it goes on without making them again",
                     [] if again.returncode == 0 and rows_of(folder / "runs.csv") == rows and (folder / "page.html").exists()
                     and not list(folder.glob("*.new")) else said(again))
    finally:
        run("umount", folder)


def test_no_namespaces(checks, sanscope, scratch):
    """A machine that lets nobody make network namespaces, and one that lacks a program."""
    programs = scratch / "programs"
    programs.mkdir()
    (programs / "ip").write_text("#!/bin/sh\necho 'mount --make-shared /run/netns failed: Operation not permitted' >&2\nexit 1\n")
    (programs / "ip").chmod(0o755)
    folder = scratch / "no-namespaces"
    done = run(sanscope, "experiment", *SWEEP, "-o", folder, env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
    checks.check("where no namespace can be made it says so before the first run",
                 [] if done.returncode == 1 and not done.stdout and "hosts cannot be built here" in done.stderr and
                 "Operation not permitted" in done.stderr and not rows_of(folder / "runs.csv") else said(done))
    without = scratch / "without"
    without.mkdir()
    for program in ("ip", "tc", "ethtool", "sysctl", "setpriv"):
        (without / program).symlink_to(shutil.which(program))
    done = run(sanscope, "experiment", *SWEEP, "-o", scratch / "nothing", env={**os.environ, "PATH": str(without)})
    checks.check("a program that is missing is named before the first run",
                 [] if done.returncode == 1 and done.stderr.strip().endswith("not installed, but needed: iperf3") and
                 not (scratch / "nothing").exists() else said(done))


def test_abandoned(checks, sanscope, scratch):
    killed = subprocess.Popen([sanscope, "experiment", *SWEEP, "-o", scratch / "killed"], stdout=subprocess.PIPE, text=True)
    killed.stdout.readline()
    time.sleep(0.7)
    killed.kill()
    killed.wait()
    killed.stdout.close()
    before = leftovers(killed.pid)
    done = rows_of(scratch / "killed" / "runs.csv")
    again = run(sanscope, "experiment", *SWEEP, "-o", scratch / "killed")
    rows = rows_of(scratch / "killed" / "runs.csv")
    checks.check("what a killed one had done is kept, and the next goes on from there",
                 [] if done and again.returncode == 0 and rows[:len(done)] == done and len(rows) == SWEEP_RUNS and
                 f"/{SWEEP_RUNS - len(done)}  " in again.stdout else [f"{len(done)} runs, then {len(rows)}", *said(again)])
    run(sanscope, "experiment", "oguchi-fig6-7", "--only", "operation=read", "--only", "load=socket", "--only", "delay_ms=0", "--repetitions", "1",
        "--seconds", "1", "-o", scratch / "after")
    checks.check("what a killed one left behind is removed by the next",
                 leftovers(killed.pid) if before else ["it left nothing behind: this shows nothing"])


def why_not():
    """Why no experiment can be run here, or None: containers may allow none of it, or a part."""
    if os.geteuid() != 0:
        return "this needs root, for network namespaces"
    missing = [program for program in ("ip", "tc", "ethtool", "sysctl", "setpriv", "iperf3") if not shutil.which(program)]
    if missing:
        return f"not installed: {', '.join(missing)}"
    if not os.access(ALLOWED, os.W_OK):
        return f"{ALLOWED} cannot be written here"
    probe = f"sanscope-test-{os.getpid()}"
    try:
        for what, *words in (("network namespaces cannot be made", "ip", "netns", "add", probe),
                             ("nothing can be run in a network namespace", "ip", "netns", "exec", probe, "true"),
                             ("virtual interfaces cannot be made", "ip", "-n", probe, "link", "add", "v0", "type", "veth"),
                             ("queueing disciplines cannot be set", "tc", "-n", probe, "qdisc", "add", "dev", "v0", "root", "tbf",
                              "rate", "1mbit", "burst", "2000", "limit", "2000")):
            if (done := run(*words)).returncode != 0:
                return f"{what} here: {done.stderr.strip()}"
    finally:
        run("ip", "netns", "del", probe)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    sanscope = parser.parse_args().sanscope
    checks = Checks()
    with tempfile.TemporaryDirectory() as made:
        scratch = pathlib.Path(made)
        test_without_rights(checks, sanscope, scratch)
        test_refused_without_root(checks, sanscope)
        if reason := why_not():
            checks.skip("a small sweep", reason)
        else:
            test_refused_congestion_control(checks, sanscope, scratch)
            with congestion_controls_allowed("reno cubic"):
                test_sweep(checks, sanscope, scratch)
                test_recorded(checks, sanscope, scratch)
                test_captures_kept(checks, sanscope, scratch)
                test_other_values(checks, sanscope, scratch)
                test_priority(checks, sanscope, scratch)
                test_blast(checks, sanscope, scratch)
                test_patterns(checks, sanscope, scratch)
                test_windows_over_time(checks, sanscope, scratch)
                test_fair(checks, sanscope, scratch)
                test_left_out(checks, sanscope, scratch)
                test_in_use(checks, sanscope, scratch)
                test_no_namespaces(checks, sanscope, scratch)
                test_full_disk(checks, sanscope, scratch)
                test_abandoned(checks, sanscope, scratch)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

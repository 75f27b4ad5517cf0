#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope experiment`: what it says without rights, and a small sweep of each kind as root, in network namespaces:
that every figure is there, that a second start goes on where the first one was interrupted, and that nothing is left
behind."""

import argparse
import contextlib
import csv
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

SWEEP = ["oguchi-fig6-7", "--only", "delay_ms=0,8", "--only", "pdu_bytes=32K,1M", "--only", "queue_depth=1",
         "--repetitions", "1", "--seconds", "1"]
SWEEP_RUNS = 6
ALLOWED = pathlib.Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
RECORDED = ["kancharla-tab5-7", "--only", "delay_ms=2", "--only", "congestion_control=cubic", "--repetitions", "1",
            "--seconds", "1"]


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
    checks.check("--dry-run makes nothing", ["there is a folder"] if (scratch / "none").exists() else [])
    for arguments in (["no-such-thing"], ["oguchi-fig6-7", "--only", "colour=red"], ["oguchi-fig6-7", "--only", "delay_ms=77"]):
        done = run(sanscope, "experiment", *arguments, "--dry-run")
        checks.check(f"{' '.join(arguments)} is wrong usage",
                     [] if done.returncode == 2 and done.stdout + done.stderr else said(done))


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
    faults = [] if len(rows) == 2 else said(done)
    for row in rows:
        window = float(row["window_mean_bytes"] or 0)
        # 100 Mbit/s, 4 ms there and back, and a queue of 200 frames: a window of 50 kB fills the path, one of 4 MB
        # never fits.
        if not 30e3 < window < 4e6 or not float(row["window_sd_bytes"] or 0) > 0 or row["retransmissions"] == "":
            faults.append(f"{row['connections']} connections: {row}")
        if not 1e6 < float(row["bytes_per_second"]) < 12.5e6:
            faults.append(f"{row['bytes_per_second']} B/s on a link of 12.5 MB/s")
    checks.check("windows and retransmissions come from the packets", faults)
    checks.check("no recording is left", [str(path) for path in folder.glob("*.pcapng")])


def test_abandoned(checks, sanscope, scratch):
    killed = subprocess.Popen([sanscope, "experiment", *SWEEP, "-o", scratch / "killed"], stdout=subprocess.PIPE, text=True)
    killed.stdout.readline()
    time.sleep(0.7)
    killed.kill()
    killed.wait()
    killed.stdout.close()
    before = leftovers(killed.pid)
    run(sanscope, "experiment", "oguchi-fig6-7", "--only", "load=socket", "--only", "delay_ms=0", "--repetitions", "1",
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
                test_abandoned(checks, sanscope, scratch)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""What `sanscope generate --capture` records of its own load, over IPv4 and IPv6, and what the kernel tells besides.
Parts of generator_test.py."""

import collections
import json

from load_agreement import agreement_faults, logged
from load_bench import Recording, account_faults, unless
from load_programs import Events

SMALL = 4096


def test_one_command(bench):
    checks = bench.checks
    if not bench.checks_recording("--capture records the load that --log tells of"):
        return
    log = bench.scratch / "own.csv"
    capture = bench.scratch / "own.pcapng"
    with bench.target("--size", "64M") as disk:
        run = bench.generate("--request-size", "16K", "-q", 4, "--commands", 400, "--pattern", "random", "--log", log, "--capture", capture,
                             "--snapshot-length", 0, "--capture-interface", "lo", disk.url())
        recording = Recording(bench.sanscope, disk.port, capture)
        rows = logged(log) if log.exists() else []
        found = recording.table("commands") if capture.exists() else []
        blocks = [row["lba"] for row in sorted(found, key=lambda row: int(row["request_ns"])) if row["lba"] and row["name"].startswith("READ(")]
        told = [row["lba"] for row in sorted(rows, key=lambda row: int(row["send_ns"]))]
        checks.check("--capture records the load that --log tells of", account_faults(run, 16384) + unless(
            commands=(sorted(blocks) == sorted(told) and len(told) == 400, (len(blocks), len(told))),
            report=("400" in "".join(run.said) and any("READ(" in line for line in run.said), run.said[-20:])))
        checks.check("--capture keeps headers unless something else is said, and every command has its name", headers_only(bench, disk))
        found = cut_short(bench, disk)
        checks.check("--capture with 128 bytes a packet finds every command nevertheless, and no wrong turnaround", found)
        again = bench.scratch / "again.csv"
        replay = bench.generate("--pattern", "trace", "--trace", capture, "--log", again, "-q", 64, disk.url())
        played = [row["lba"] for row in sorted(logged(again), key=lambda row: int(row["send_ns"]))] if again.exists() else []
        checks.check("a capture is played again", account_faults(replay, 16384) + unless(
            blocks=(sorted(played) == sorted(blocks), (len(played), len(blocks)))))


def headers_only(bench, disk):
    """Over loopback several PDUs lie in a packet: all of their headers are kept."""
    log, capture = bench.scratch / "headers.csv", bench.scratch / "headers.pcapng"
    run = bench.generate("--request-size", SMALL, "-q", 16, "--commands", 2000, "--rate", 2000, "--log", log, "--capture", capture, disk.url())
    rows = Recording(bench.sanscope, disk.port, capture).table("commands")
    read = [row for row in rows if row["name"] and row["name"].startswith("READ(")]
    told = sorted(row["lba"] for row in logged(log))
    return account_faults(run, SMALL) + unless(
        commands=(sorted(row["lba"] for row in read) == told and len(told) == 2000, (len(read), len(told))),
        inferred=(all(row["inferred"] == "0" for row in rows), "headers were not seen"),
        outcomes=(all(row["outcome"] == "completed" for row in read), collections.Counter(row["outcome"] for row in read)),
        mark=(b"sanscope keep=headers" in capture.read_bytes()[:1000], "nothing is said of it"))


def cut_short(bench, disk):
    """Over loopback several PDUs lie in a packet, of which only the first header is kept: the others' have to be
    inferred, and a turnaround stands only where nothing else is possible."""
    log, capture = bench.scratch / "cut.csv", bench.scratch / "cut.pcapng"
    run = bench.generate("--request-size", SMALL, "-q", 32, "--commands", 20000, "--log", log, "--capture", capture, "--snapshot-length", 128,
                         disk.url())
    rows = Recording(bench.sanscope, disk.port, capture).table("commands")
    told = {row["itt"]: row for row in logged(log)}
    # The commands that look at the LUN before the load are in no log, and come first.
    mine = {row["itt"]: row for row in sorted(rows, key=lambda row: int(row["request_ns"] or 0))[-len(told):]}
    late = [row["itt"] for tag, row in mine.items() if tag in told and row["turnaround_ns"] and
            not 0 < int(row["turnaround_ns"]) < int(told[tag]["done_ns"]) - int(told[tag]["send_ns"])]
    outcomes = collections.Counter(row["outcome"] for row in rows)
    return account_faults(run, SMALL) + unless(
        count=(len(told) == 20000 and set(mine) == set(told), (len(told), len(set(mine) ^ set(told)))),
        outcomes=(set(outcomes) <= {"completed", None} and outcomes["completed"] > 200, outcomes), late=(not late, late[:5]),
        inferred=(sum(row["inferred"] == "1" for row in rows) > 1000, "every header was seen"))


def test_ipv6(bench):
    checks = bench.checks
    with bench.target("--size", "64M", host="[::1]") as disk:
        base = f"iscsi://[::1]:{disk.port}"
        found = bench.run("generate", "--discover", base)
        luns = bench.run("generate", "--discover", "--json", f"{base}/{disk.name}")
        lun = json.loads(luns.stdout) if luns.returncode == 0 else {}
        checks.check("IPv6: a memory target is discovered, with its LUN", unless(
            address=(disk.address == f"[::1]:{disk.port}", disk.address), target=(found.stdout == f"{base}/{disk.name}\n", found),
            lun=(lun.get("url") == disk.url() and lun.get("bytes") == 64 << 20, luns),
            recorded=(lun.get("interface") == "lo" and lun.get("filter") == f"(host ::1 and tcp port {disk.port})", luns)))
        run = bench.generate("--request-size", SMALL, "-q", 4, "--sessions", 2, "--commands", 400, disk.url())
        checks.check("IPv6: a load", account_faults(run, SMALL))
        run = bench.generate("--verify", "--request-size", "64K", "-q", 4, "--commands", 50, "--allow-writes", "SANSCOPE", disk.url())
        checks.check("IPv6: writes that are verified", account_faults(run, 65536))
        claim = "IPv6: --capture records the load that --log tells of"
        if not bench.checks_recording(claim):
            return
        log, capture = bench.scratch / "ipv6.csv", bench.scratch / "ipv6.pcapng"
        run = bench.generate("--request-size", "16K", "-q", 4, "--commands", 300, "--log", log, "--capture", capture, "--snapshot-length", 0,
                             disk.url())
        recording = Recording(bench.sanscope, disk.port, capture)
        checks.check(claim, account_faults(run, 16384) + agreement_faults(recording, logged(log), run, before=0) + unless(
            hosts=({row["initiator"].rpartition(":")[0] for row in recording.table("connections")} == {"[::1]"}, recording.table("connections"))))
    gone = bench.generate(disk.url())
    checks.check("IPv6: a target that is gone is told with its address", unless(
        status=(gone.status == 1, gone), said=(any(f"[::1]:{disk.port}: Connection refused" in line for line in gone.said), gone.said)))


def test_kernel_truth(bench):
    checks = bench.checks
    claim = "--kernel-truth tells of the load's connections"
    if not bench.checks_recording(claim):
        return
    capture = bench.scratch / "truth.pcapng"
    with bench.target("--backing", "null") as disk:
        told = Events(bench.sanscope, "--request-size", "16K", "-q", 8, "--sessions", 2, "--rate", 1000, "--commands", 1500, "--capture", capture,
                      "--snapshot-length", 0, "--kernel-truth", disk.url()).finish()
    refusal = next((text for text in (*told.texts(), told.err) if "kernel" in text), None)
    if refusal:
        checks.skip(claim, refusal.strip())
        return
    recording = Recording(bench.sanscope, disk.port, capture)
    connections = recording.table("connections")
    rows = {}
    for row in recording.table("kernel_windows"):
        rows.setdefault(row["connection"], []).append(row)
    mine = [row["connection"] for row in connections if row["target"].endswith(f":{disk.port}")]
    checks.check(claim, account_faults(told.run(), 16384) + unless(
        connections=(len(mine) == 2, connections), rows=(all(len(rows.get(name, [])) > 0 for name in mine), {name: len(rows[name]) for name in rows}),
        only=(set(rows) <= set(mine), set(rows)),
        windows=(all(int(row["cwnd"]) > 0 for name in rows for row in rows[name]), "a window is nothing"),
        ends=(all(row["sender"].endswith(f":{disk.port}") or row["receiver"].endswith(f":{disk.port}") for name in rows for row in rows[name]),
              "another connection's")))

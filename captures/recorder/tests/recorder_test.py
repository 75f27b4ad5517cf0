#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope capture` on real interfaces: virtual ones, in network namespaces made for this and removed again. What was
sent is in the files, each packet once and in order; whatever happens to the interface, the disk or the recorder is told
in one message, and costs nothing that was recorded before. Needs root."""

import os
import pathlib
import random
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "captures" / "recorder" / "tests"))
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import until  # noqa: E402
from headers_kept import SERIAL, compared, leaked, load, recorded, scrub_test, target, wire  # noqa: E402
from recording_bench import (FULL, HERE, NOBODY, THERE, Bench, Capture, add_wire, faults, full_disk, full_disk_told,  # noqa: E402
                             is_wanted, run_in_namespaces, sent_once, sh, wait_for_last, wait_for_packets,
                             whole_up_to_the_end)


def test_plain(bench, checks):
    out = bench.scratch / "plain.pcapng"
    with bench.running("-i", "v0", "-w", out) as run:
        bench.send(packets=50000, rate=100000)
        bench.send(packets=0)
        wait_for_packets(out, 50000)
        live = Capture(out)
    capture = Capture(out)
    checks.check("every packet that was sent is in the file, once and in order", sent_once(capture, 50000))
    checks.check("what is live is in the file while it is recorded", [] if len(live.packets) == 50000 else [len(live.packets)])
    checks.check("Ctrl-C ends it with the sums and status 0", faults(
        status=(run.status == 0, run.status), sums=("50000 packets recorded" in run.err, run.err),
        drops=("v0: 50000 received, 0 dropped by the kernel, 0 by the interface" in run.err, run.err)))
    checks.check("the interface's statistics stand at the end", faults(
        whole=(capture.whole, "cut off"), counts=(capture.statistics.get(0) == {"received": 50000, "ifdrop": 0, "osdrop": 0},
                                                  capture.statistics)))
    times = [packet[1] for packet in capture.packets]
    checks.check("times are in nanoseconds, and in order", faults(
        order=(times == sorted(times), "not in order"), nanoseconds=(any(time % 1000 for time in times), "all whole µs")))
    mode = out.stat()
    checks.check("the file is the user's own", faults(mode=(stat.S_IMODE(mode.st_mode) == 0o600, oct(mode.st_mode)),
                                                      owner=(mode.st_uid == os.geteuid(), mode.st_uid)))
    report = sh(bench.sanscope, "report", out, check=False)
    checks.check("sanscope reads it", [] if report.returncode == 0 else [report.stderr])


def test_several(bench, checks):
    out = bench.scratch / "several.pcapng"
    with bench.running("-i", "v0", "-i", "v1", "-w", out) as run:
        senders = [subprocess.Popen(["ip", "netns", "exec", THERE, str(bench.sender), wire, "--packets", "20000", "--rate",
                                     str(rate)], stdout=subprocess.DEVNULL) for wire, rate in (("v0", 20000), ("v1", 15000))]
        for sender in senders:
            sender.wait()
        wait_for_packets(out, 40000)
    capture = Capture(out)
    checks.check("two interfaces at once: nothing is lost on either",
                 sent_once(capture, 20000, 0) + sent_once(capture, 20000, 1) + faults(status=(run.status == 0, run.err)))
    checks.check("two interfaces are told apart", [] if capture.interfaces == ["v0", "v1"] else capture.interfaces)
    times = [packet[1] for packet in capture.packets]
    wrong = sum(1 for before, after in zip(times, times[1:]) if after < before)
    checks.check("the packets of two interfaces are in the order of their times", [f"{wrong} are not"] if wrong else [])

    out = bench.scratch / "any.pcapng"
    with bench.running("-i", "any", "-f", "udp", "-w", out):
        bench.send("v0", 500)
        bench.send("v1", 500)
        wait_for_packets(out, 1000)
    checks.check("any is all interfaces", [] if len(Capture(out).packets) == 1000 else [len(Capture(out).packets)])


def test_choices(bench, checks):
    out = bench.scratch / "filter.pcapng"
    with bench.running("-i", "v0", "-f", "udp dst port 3260", "-w", out):
        bench.send(packets=300, port=9)
        bench.send(packets=700, port=3260)
        wait_for_packets(out, 700)
    checks.check("a filter keeps what matches", sent_once(Capture(out), 700))

    out = bench.scratch / "snap.pcapng"
    with bench.running("-i", "v0", "-s", 96, "-w", out):
        bench.send(packets=500, length=1514)
        wait_for_packets(out, 500)
    lengths = {(wire, len(data)) for _, _, wire, data in Capture(out).packets}
    checks.check("a snap length cuts packets, and keeps their lengths", [] if lengths == {(1514, 96)} else [lengths])

    with subprocess.Popen(bench.command("-i", "v0", "-c", 400, "-q", "-w", "-"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as run:
        head = os.read(run.stdout.fileno(), 1 << 16)  # comes when the recording begins
        bench.send(packets=500)
        data, err = run.communicate(timeout=30)
    out = bench.scratch / "stream.pcapng"
    out.write_bytes(head + data)
    checks.check("a recording streams to standard output", sent_once(Capture(out), 400) + faults(
        status=(run.returncode == 0, run.returncode), quiet=(err == b"", err)))


def test_headers(bench, checks):
    """`--keep headers` beside a recording of everything, of loads whose data can be told from all else."""
    digests = ("--header-digest", "CRC32C", "--data-digest", "CRC32C")
    writes = ("--verify", "--allow-writes", SERIAL)
    loads = {
        "4 KiB written and read": (*writes, "--request-size", "4K", "-q", 8, "--commands", 1500, "--pattern", "random"),
        "1 MiB written and read": (*writes, "--request-size", "1M", "-q", 4, "--commands", 40),
        "digests": (*writes, *digests, "--request-size", "16K", "-q", 8, "--commands", 400),
        "several sessions and connections": (*writes, "--request-size", "32K", "-q", 4, "--sessions", 2, "--connections", 2,
                                             "--commands", 400),
        "R2T for each burst": (*writes, "--request-size", "256K", "--initial-r2t", "--no-immediate-data", "-q", 2, "--commands", 100),
    }
    with wire(), target(bench, "--size", "64M") as url:
        for name, arguments in loads.items():
            whole, headers, ended, runs = recorded(bench, name.split()[0], lambda words=arguments: load(bench, url, *words))
            check_headers(bench, checks, name, whole, headers, ended, runs)
        name = "a start in mid-stream"
        for digest in ((), digests):
            words = (*writes, *digest, "--request-size", "16K", "-q", 4, "--duration", "20s", "--rate", 300)
            whole, headers, ended, runs = recorded(bench, "late", lambda words=words: load(bench, url, *words), late=True)
            check_headers(bench, checks, name + (", with digests" if digest else ""), whole, headers, ended, runs, least=300)

    whole, headers = bench.scratch / "4-whole.pcapng", bench.scratch / "4-headers.pcapng"
    told = sh(bench.sanscope, "report", headers, check=False).stdout
    sections = [len(path.read_bytes()) for path in (whole, headers)]
    lengths = [[wire for _, _, wire, _ in Capture(path).packets] for path in (whole, headers)]
    checks.check("the file says what was left out, and original lengths stand", faults(
        comment=(b"headers only: data segments with users' data are not kept" in headers.read_bytes()[:1000], "no comment"),
        report=("not kept" in told and "(snap length)" not in told, told[:600]),
        lengths=(sorted(lengths[0]) == sorted(lengths[1]), "others"), size=(sections[1] < sections[0], sections)))

    out = bench.scratch / "udp.pcapng"
    with bench.running("-i", "v0", "--keep", "headers", "-w", out) as run:
        bench.send(packets=500, length=1000)
        wait_for_packets(out, 500)
    lengths = {(wire, len(data)) for _, _, wire, data in Capture(out).packets}
    checks.check("of what is not iSCSI the headers are kept", [] if lengths == {(1000, 42)} else [lengths])
    out = bench.scratch / "limit.pcapng"
    with bench.running("-i", "v0", "--keep", "headers", "-c", 123, "-w", out) as run:
        bench.send(packets=500)
        run.wait(10)
    checks.check("-c stops after exactly so many packets, with headers only, too", faults(
        packets=(len(Capture(out).packets) == 123, len(Capture(out).packets)), status=(run.status == 0, run.err)))
    kept = {}
    for name, arguments in {"port": ("-f", "tcp port 3260"), "all": ("-f", "tcp port 3260", "--keep", "all"),
                            "snap": ("-f", "tcp port 3260", "-s", 200), "other": ("-f", "udp"), "none": ()}.items():
        out = bench.scratch / f"default-{name}.pcapng"
        with bench.running("-i", "v0", *arguments, "-w", out) as run:
            pass
        kept[name] = (b"keep=headers" in out.read_bytes(), "--keep all" in run.err)
    nothing = (False, False)
    checks.check("without --keep and -s it is the default for a filter that is for port 3260, and is told", faults(
        kept=(kept == {"port": (True, True), "all": nothing, "snap": nothing, "other": nothing, "none": nothing}, kept)))


def check_headers(bench, checks, name, whole, headers, ended, runs, least=None):
    found, commands = compared(bench, whole, headers)
    if "digests" in name and least:
        # The login that told of the digests is in neither: docs/scrub.md, "What it cannot promise".
        found = [fault for fault in found if not scrub_test.told_otherwise_with_digests(fault)]
    looked, there = leaked(whole, headers)
    unknown = [row for row in commands if row["outcome"] != "completed"]
    checks.check(f"headers only, {name}: the analysis is that of the whole recording, but for data digests", found + faults(
        load=(ended[0] == 0, ended), status=(all(run.status == 0 for run in runs), [run.err for run in runs]),
        commands=(len(commands) > (least or 40), len(commands)), outcomes=(least or not unknown, unknown[:2])))
    checks.check(f"headers only, {name}: none of {looked} runs of users' data is in the file", there + (
        [] if looked > 5000 else ["too few were looked for"]))


def test_limits(bench, checks):
    out = bench.scratch / "count.pcapng"
    with bench.running("-i", "v0", "-c", 1234, "-w", out) as run:
        bench.send(packets=5000)
        run.wait(10)
    checks.check("-c stops after exactly so many packets", sent_once(Capture(out), 1234) + faults(
        status=(run.status == 0, run.status)))

    out = bench.scratch / "duration.pcapng"
    began = time.monotonic()
    with bench.running("-i", "v0", "-a", "duration:1", "-w", out) as run:
        run.wait(10)
    took = time.monotonic() - began
    checks.check("-a duration stops after so many seconds", faults(status=(run.status == 0, run.status),
                                                                   time=(took >= 0.9, took)))

    out = bench.scratch / "filesize.pcapng"
    with bench.running("-i", "v0", "-a", "filesize:100", "-w", out) as run:
        bench.send(packets=5000)
        run.wait(10)
    size = out.stat().st_size
    checks.check("-a filesize stops at so many kilobytes", faults(status=(run.status == 0, run.status), size=(99000 < size <= 100000, size)))

    folder = bench.scratch / "ring"
    folder.mkdir()
    with bench.running("-i", "v0", "-b", "packets:1000", "-b", "files:3", "-w", folder / "ring.pcapng"):
        bench.send(packets=6500)
        wait_for_last(folder, 6499)
    files = sorted(folder.iterdir())
    numbers = [number for path in files for number in Capture(path).numbers()]
    checks.check("a ring keeps the latest files, and what is in them without a gap", faults(
        names=(all(re.fullmatch(r"ring_0000[567]_\d{14}\.pcapng", path.name) for path in files) and len(files) == 3,
               [path.name for path in files]),
        packets=(numbers == list(range(4000, 6500)), (numbers[:1], len(numbers)))))

    folder = bench.scratch / "sizes"
    folder.mkdir()
    with bench.running("-i", "v0", "-b", "filesize:50", "-a", "files:4", "-w", folder / "x.pcapng") as run:
        bench.send(packets=5000)
        run.wait(10)
    files = sorted(folder.iterdir())
    numbers = [number for path in files for number in Capture(path).numbers()]
    checks.check("files of a size follow each other without a gap, and stop after so many", faults(
        count=(len(files) == 4, len(files)), status=(run.status == 0, run.err),
        sizes=(all(path.stat().st_size <= 50000 for path in files), [path.stat().st_size for path in files]),
        packets=(numbers == list(range(len(numbers))) and len(numbers) > 1000, len(numbers))))

    folder = bench.scratch / "quiet"
    folder.mkdir()
    with bench.running("-i", "v0", "-b", "duration:1", "-w", folder / "x.pcapng") as run:
        until(lambda: len(list(folder.iterdir())) >= 3)
    files = sorted(folder.iterdir())
    checks.check("files are counted in which nothing came, too", faults(
        count=(len(files) >= 3 and f"in {len(files)} files" in run.err, (len(files), run.err)), status=(run.status == 0, run.err)))


def test_disk(bench, checks):
    with full_disk(bench, "small") as (out, run, capture):
        checks.check("a full disk ends the recording with one message", full_disk_told(out, run, capture))
        checks.check("what is in the file of a full disk is whole, with its statistics", whole_up_to_the_end(capture) + faults(
            full=(out.stat().st_size > FULL - 9000, out.stat().st_size)))
        report = sh(bench.sanscope, "report", out, check=False)
        checks.check("sanscope reads the file of a full disk", [] if report.returncode == 0 else [report.stderr])

    run = bench.run("-i", "v0", "-w", bench.scratch / "no" / "such" / "folder.pcapng")
    checks.check("a file that cannot be made is told", faults(
        status=(run.returncode == 1, run.returncode), message=("folder.pcapng: cannot create: No such file" in run.stderr, run.stderr)))


def not_ended_by_itself(recorder, out):
    """Faults, where a recorder whose program was killed did not end the file of 1,000 packets properly, and itself."""
    until(lambda: not pathlib.Path(f"/proc/{recorder}").exists())
    capture = Capture(out)
    return sent_once(capture, 1000) + faults(gone=(not pathlib.Path(f"/proc/{recorder}").exists(), "it runs on"),
                                             statistics=(0 in capture.statistics, "none"))


def test_killed(bench, checks):
    chance = random.Random(7)
    problems = []
    for round_number in range(5):
        out = bench.scratch / f"killed{round_number}.pcapng"
        with bench.running("-i", "v0", "-w", out) as run:
            sender = subprocess.Popen(["ip", "netns", "exec", THERE, str(bench.sender), "v0", "--packets", "200000", "--rate",
                                       "100000", "--length", "600"], stdout=subprocess.DEVNULL)
            wait_for_packets(out, chance.randrange(1001, 100000))
            os.kill(bench.recorder_of(run), signal.SIGKILL)
            run.wait(10)
            sender.wait()
        numbers = Capture(out).numbers()
        read = sh(bench.sanscope, "report", out, check=False)
        problems += faults(status=(run.status == 3, run.err), message=("sanscope-recorder was ended by signal 9 (Killed)" in run.err, run.err),
                           packets=(numbers == list(range(len(numbers))) and len(numbers) > 1000, len(numbers)),
                           readable=(read.returncode in (0, 3), read.stderr))
    checks.check("a recorder that is killed leaves a file that can be read", problems)

    out = bench.scratch / "orphan.pcapng"
    with bench.running("-i", "v0", "-w", out) as run:
        bench.send(packets=1000)
        wait_for_packets(out, 1000)
        recorder = bench.recorder_of(run)
        run.kill()
        run.wait()
    checks.check("when sanscope is killed, its recorder ends the file and itself", not_ended_by_itself(recorder, out))

    out = bench.scratch / "window.pcapng"
    window = subprocess.Popen(["ip", "netns", "exec", HERE, bench.sanscope.parent / "sanscope-gui", "-i", "v0", "-w", out],
                              env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(bench.scratch)},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        recorder = bench.recorder_of(window)
        until(out.exists)
        bench.send(packets=1000)
        wait_for_packets(out, 1000)
    finally:
        window.kill()
        window.wait()
    checks.check("when the window is killed, its recorder ends the file and itself", not_ended_by_itself(recorder, out))


def test_interface(bench, checks):
    out = bench.scratch / "link.pcapng"
    with bench.running("-i", "v0", "-i", "v1", "-f", "udp", "-w", out) as run:
        bench.send("v0", 1000)
        sh("ip", "-n", HERE, "link", "set", "v0", "down")
        until(lambda: "v0: the interface went down" in run.text())
        before = sum(map(int, pathlib.Path(f"/proc/{bench.recorder_of(run)}/stat").read_text().rsplit(")")[1].split()[11:13]))
        time.sleep(1)  # the time whose use is measured
        spent = sum(map(int, pathlib.Path(f"/proc/{bench.recorder_of(run)}/stat").read_text().rsplit(")")[1].split()[11:13])) - before
        sh("ip", "-n", HERE, "link", "set", "v0", "up")
        until(lambda: "v0: the interface is up again" in run.text())
        bench.send("v0", 1000)
        wait_for_packets(out, 2000)
        sh("ip", "-n", HERE, "link", "del", "v0")
        until(lambda: "v0: the interface was removed" in run.text())
        still = run.poll() is None
        bench.send("v1", 1000)
        wait_for_packets(out, 3000)
        sh("ip", "-n", HERE, "link", "del", "v1")
        run.wait(10)
    add_wire("v0")
    add_wire("v1")
    capture = Capture(out)
    checks.check("an interface that goes down and comes back goes on",
                 [] if capture.numbers(0) == list(range(1000)) * 2 else [len(capture.numbers(0))])
    checks.check("waiting for it takes no processor", [f"{spent} of 100 ticks"] if spent > 20 else [])
    checks.check("when an interface is removed, the others go on", sent_once(capture, 1000, 1) + faults(
        still=(still, "it has ended"), end=(run.status == 3, run.status)))
    told = re.findall(r"^sanscope: (.*)", run.err, re.M)
    checks.check("each of that is told once", [] if told == [
        "v0: the interface went down; waiting for it", "v0: the interface is up again", "v0: the interface was removed",
        "v1: the interface was removed"] else told)


def test_rights(bench, checks):
    # Where anybody may look: a build may be in somebody's own folder.
    folder = bench.scratch / "programs"
    folder.mkdir()
    for program in (bench.sanscope, bench.recorder):
        shutil.copy(program, folder)
    os.chmod(bench.scratch, 0o755)
    os.chmod(folder, 0o755)
    theirs = bench.scratch / "theirs"
    theirs.mkdir()
    os.chown(theirs, NOBODY, NOBODY)
    stranger = Bench(folder, bench.scratch)
    unprivileged = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]

    def as_nobody(*arguments):
        return ["ip", "netns", "exec", HERE, *unprivileged, str(folder / "sanscope"), "capture", *map(str, arguments)]

    run = subprocess.run(as_nobody("-i", "v0", "-w", theirs / "x.pcapng"), capture_output=True, text=True, timeout=30)
    checks.check("without rights, the message names the command that grants them", faults(
        status=(run.returncode == 1, run.returncode),
        message=(f"sudo setcap cap_net_raw,cap_net_admin,cap_bpf,cap_perfmon+ep {folder}/sanscope-recorder" in run.stderr, run.stderr),
        nothing=(not any(theirs.iterdir()), "a file was made")))

    sh("setcap", "cap_net_raw,cap_net_admin,cap_bpf,cap_perfmon+ep", folder / "sanscope-recorder")
    out = theirs / "granted.pcapng"
    child = subprocess.Popen(as_nobody("-i", "v0", "-w", out), stderr=subprocess.PIPE, text=True)
    until(out.exists)
    recorder = stranger.recorder_of(child)
    # Once it records: its file is there a moment before it has given up the last right.
    bench.send(packets=1000)
    wait_for_packets(out, 1000)
    status = pathlib.Path(f"/proc/{recorder}/status").read_text()
    tasks = [path.read_text() for path in pathlib.Path(f"/proc/{recorder}/task").glob("*/status")]
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    checks.check("with that command, anybody can record", sent_once(Capture(out), 1000) + faults(
        status=(child.returncode == 0, err), owner=(out.stat().st_uid == NOBODY, out.stat().st_uid)))
    checks.check("while it records, the recorder has no rights, and can gain none", faults(
        capabilities=(all(re.findall(r"Cap(?:Prm|Eff|Inh|Amb):\s*(\S+)", text) == ["0" * 16] * 4 for text in tasks) and len(tasks) >= 3,
                      tasks),
        no_new=("NoNewPrivs:\t1" in status, status)))

    out = theirs / "sudo.pcapng"
    run = bench.run("-i", "v0", "-a", "duration:0.3", "-w", out, environment={"SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY)})
    checks.check("under sudo, files belong to whoever called it", faults(
        status=(run.returncode == 0, run.stderr), owner=(out.exists() and out.stat().st_uid == NOBODY, "not theirs")))
    os.chmod(bench.scratch, 0o755)
    run = bench.run("-i", "v0", "-a", "duration:0.3", "-w", bench.scratch / "sudo.pcapng",
                    environment={"SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY)})
    checks.check("under sudo, a file the caller may not make is not made", faults(
        status=(run.returncode == 1, run.returncode), message=("who called sudo" in run.stderr, run.stderr)))


def test_requests(bench, checks):
    run = bench.run("-i", "v0", "-f", "tcp prot 3260")
    checks.check("a wrong filter is told with libpcap's words", faults(
        status=(run.returncode == 2, run.returncode), message=("filter 'tcp prot 3260': " in run.stderr and "syntax error" in run.stderr, run.stderr)))
    checks.check("a filter can be checked alone", faults(
        good=(bench.run("--check-filter", "-f", "tcp port 3260 and host 192.0.2.1").returncode == 0, "refused"),
        bad=(bench.run("--check-filter", "-f", "tcp prot 3260").returncode == 2, "taken")))
    run = bench.run("-i", "nosuch0")
    checks.check("a wrong interface is told with those there are", faults(
        status=(run.returncode == 1, run.returncode), message=("there is no interface nosuch0; there are: " in run.stderr and "v0" in run.stderr and "v1" in run.stderr, run.stderr)))
    run = bench.run("-D")
    checks.check("interfaces are listed", faults(status=(run.returncode == 0, run.stderr),
                                                 names=({"v0", "v1", "any", "lo"} <= {line.split()[0] for line in run.stdout.splitlines()}, run.stdout)))
    for arguments in (["-w", "x"], ["-i", "v0", "-a", "size:3"], ["-i", "v0", "-b", "files:3"], ["-i", "v0", "-w", "-", "-b", "packets:3"],
                      ["-i", "v0", "-B", "9999"]):
        run = bench.run(*arguments)
        checks.check(f"usage: {' '.join(arguments)}", faults(status=(run.returncode == 2, run.returncode), message=(run.stderr, "none")))


# Sends the packets of a pcap, given on standard input, from the interface v0.
REPLAY = """
import socket, struct, sys, time
data, at, count = sys.stdin.buffer.read(), 24, 0
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(("v0", 0))
while at + 16 <= len(data):
    length = struct.unpack_from("<I", data, at + 8)[0]
    wire.send(data[at + 16:at + 16 + length])
    at, count = at + 16 + length, count + 1
    if count % 50 == 0:
        time.sleep(0.005)
print(count)
"""


def test_report(bench, checks):
    sample = ROOT / "captures" / "samples" / "loss-mixed-initiator.pcap.zst"
    packets = subprocess.run(["zstd", "-dcq", sample], check=True, capture_output=True).stdout
    out, text = bench.scratch / "reported.pcapng", bench.scratch / "report.txt"
    with open(text, "w") as stdout, bench.running("-i", "v0", "-w", out, "--report", stdout=stdout) as run:
        sent = int(subprocess.run(["ip", "netns", "exec", THERE, sys.executable, "-c", REPLAY], input=packets, check=True,
                                  capture_output=True).stdout)
        wait_for_packets(out, sent)
    live, later = text.read_text(), sh(bench.sanscope, "report", out, check=False).stdout
    checks.check("the report of a recording is the one of its file", faults(
        packets=(f"{sent} packets, " in live, live[:300]), commands=("READ(16)" in live, live[-300:]),
        same=(live == later, "another"), status=(run.status == 0, run.status)))

    ring = bench.scratch / "ring.pcapng"
    last = Capture(out).packets[-1][3]
    sent_up_to = lambda path: any(packet[3] == last for packet in Capture(path).packets[-1:])
    with open(text, "w") as stdout, bench.running("-i", "v0", "-w", ring, "-b", "packets:1000", "-b", "files:3", "--report",
                                                  stdout=stdout) as run:
        subprocess.run(["ip", "netns", "exec", THERE, sys.executable, "-c", REPLAY], input=packets, check=True,
                       capture_output=True)
        until(lambda: len(list(bench.scratch.glob("ring_*"))) == 3 and sent_up_to(max(bench.scratch.glob("ring_*"))))
    rotated = text.read_text()
    checks.check("of a ring of files it is of all that was recorded", faults(
        packets=(f"{sent} packets, " in rotated, rotated[:300]), files=(len(list(bench.scratch.glob("ring_*"))) == 3, "not 3"),
        status=(run.status == 0, run.status)))


def main():
    def run_parts(scratch, arguments, checks):
        bench = Bench(arguments.binaries, scratch)
        for name, part in [(name[5:], part) for name, part in globals().items() if name.startswith("test_")]:
            if is_wanted(name, arguments):
                part(bench, checks)

    return run_in_namespaces(__doc__, "recording from interfaces", ["sanscope", "sanscope-recorder", "packet_sender"], run_parts)


if __name__ == "__main__":
    sys.exit(main())

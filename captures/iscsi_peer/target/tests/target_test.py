#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope target` against initiators that are not ours: libiscsi's programs, over loopback. What they test holds,
what was written is read again, and every PDU on the wire is one that Wireshark's dissector has nothing to say against
(as root, who may record there)."""

import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, Checks, missing_program  # noqa: E402

LIBISCSI = ("iscsi-ls", "iscsi-inq", "iscsi-perf", "iscsi-test-cu")
FAMILIES = ["SCSI.Read6", "SCSI.Read10", "SCSI.Read12", "SCSI.Read16", "SCSI.ReadCapacity10", "SCSI.ReadCapacity16",
            "SCSI.Inquiry", "SCSI.TestUnitReady", "SCSI.ModeSense6", "SCSI.ReportSupportedOpcodes", "SCSI.Mandatory",
            "SCSI.Verify10", "SCSI.Verify12", "SCSI.Verify16", "SCSI.Write10", "SCSI.Write12", "SCSI.Write16",
            "iSCSI.iSCSIcmdsn", "iSCSI.iSCSIResiduals", "iSCSI.iSCSITMF"]


class Target:
    """A target that runs; `address`, `url` and, once it was ended, `account`."""

    def __init__(self, sanscope, *arguments):
        self.process = subprocess.Popen([sanscope, "target", "--listen", "127.0.0.1:0", "--json", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        told = json.loads(self.process.stdout.readline())
        self.address = told["listening"]
        self.name = told["target"]
        self.url = f"iscsi://{self.address}/{self.name}/0"
        self.account = None

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            out, self.err = self.process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, self.err = self.process.communicate()
        lines = out.splitlines()
        self.account = json.loads(lines[-1]) if lines else None
        self.status = self.process.returncode


@contextlib.contextmanager
def target(sanscope, *arguments):
    running = Target(sanscope, *arguments)
    try:
        yield running
    finally:
        running.end()


def run(*arguments, seconds=60):
    try:
        return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=seconds,
                              stdin=subprocess.DEVNULL, errors="replace")
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(arguments, None, str(late.stdout), "took too long")


def suite_faults(url, family):
    """What CUnit's summary says of one family of libiscsi's tests; none ran is a fault too."""
    done = run("iscsi-test-cu", "-d", "-n", "-t", family, url)
    ran = re.search(r"^\s*tests\s+\d+\s+(\d+)\s+(\d+)\s+(\d+)", done.stdout, re.M)
    if not ran or int(ran[1]) == 0 or int(ran[3]) > 0 or int(ran[2]) != int(ran[1]):
        return [f"exit status {done.returncode}", *(done.stdout + done.stderr).splitlines()[-30:]]
    return []


def test_suites(checks, sanscope):
    for options in ([], ["--block-size", "4096"], ["--header-digest", "crc32c"]):
        with target(sanscope, "--size", "64M", *options) as disk:
            families = FAMILIES if not options else ["SCSI.Read10", "SCSI.Write10", "SCSI.ReadCapacity16"]
            for family in families:
                checks.check(f"libiscsi's {family} holds{' with ' + ' '.join(options) if options else ''}",
                             suite_faults(disk.url, family))
        checks.check("it ends at once and tells what it did",
                     [] if disk.status == 0 and disk.account["commands"] > 0 else [f"{disk.status}: {disk.account}", disk.err])


def test_is_what_it_says(checks, sanscope):
    with target(sanscope, "--luns", "3", "--serial", "TEST-42", "--name", "iqn.2026-01.org.example:memory") as disk:
        listed = run("iscsi-ls", "-s", f"iscsi://{disk.address}").stdout
        faults = [] if listed.count("Lun:") == 3 and f"Target:iqn.2026-01.org.example:memory Portal:{disk.address},1" in listed else [listed]
        checks.check("discovery tells its name, its address and its units", faults)
        inquired = run("iscsi-inq", disk.url).stdout
        faults = [line for line in ("Vendor:SANSCOPE", "Product:MEMORY TARGET") if line not in inquired]
        checks.check("its vendor and product say what it is", faults and faults + [inquired])
        serial = run("iscsi-inq", "-e", "1", "-c", "128", disk.url).stdout
        checks.check("its serial number is the one it was given", [] if "TEST-42" in serial else [serial])
    checks.check("it says that what is written is lost", [] if "is lost" in disk.err else [disk.err])


def test_load(checks, sanscope):
    with target(sanscope, "--backing", "null") as disk:
        done = run("iscsi-perf", "-m", "32", "-b", "8", "-t", "2", disk.url)
        told = re.findall(r"iops average (\d+)", done.stdout)
        rate = int(told[-1]) if told else 0
    commands = disk.account["commands"]
    checks.check("a load of reads at depth 32 is answered in full",
                 [] if done.returncode == 0 and rate > 0 and commands >= rate else [f"{rate}/s, {disk.account}", done.stderr])
    read = disk.account["bytes_read"]
    checks.check("its account is of 4 KiB a command", [] if 0.99 < read / (commands * 4096) < 1.01 else [str(disk.account)])


def test_options(checks, sanscope):
    for arguments in (["--size", "1000"], ["--fault", "odd"], ["--latency", "5"], ["--exclusive-latency", "5"], ["--listen", "127.0.0.1:x"],
                      ["--chap-user", "me"]):
        done = run(sanscope, "target", *arguments, seconds=10)
        checks.check(f"{' '.join(arguments)} is wrong usage", [] if done.returncode == 2 and done.stderr + done.stdout
                     else [f"{done.returncode}: {done.stderr}"])
    with target(sanscope) as disk:
        done = run(sanscope, "target", "--listen", disk.address, seconds=10)
        checks.check("an address that is taken is told", [] if done.returncode == 1 and "cannot listen" in done.stderr
                     else [f"{done.returncode}: {done.stderr}"])


def test_chap(checks, sanscope, scratch):
    secret = scratch / "secret"
    secret.write_text("0123456789abcdef\n")
    secret.chmod(0o600)
    with target(sanscope, "--chap-user", "alice", "--secret-file", secret) as disk:
        def inquire(login):
            return run("iscsi-inq", disk.url.replace("iscsi://", f"iscsi://{login}"))
        right = inquire("alice%0123456789abcdef@")
        checks.check("who proves itself by CHAP is let in", [] if "SANSCOPE" in right.stdout else [right.stdout, right.stderr])
        for what, login in (("a wrong secret", "alice%0123456789abcdeX@"), ("another name", "bob%0123456789abcdef@"),
                            ("no name", "")):
            wrong = inquire(login)
            checks.check(f"with {what} nobody is", [wrong.stdout] if "SANSCOPE" in wrong.stdout else [])


def test_faults(checks, sanscope):
    for kind, expected in (("login-refused", "Out of resources"), ("check-condition", "MEDIUM|sense|SENSE|failed"),
                           ("close", ""), ("reset", "")):
        with target(sanscope, "--backing", "null", "--fault", kind) as disk:
            done = run("iscsi-perf", "-m", "1", "-b", "8", "-t", "1", "-x", "0", disk.url, seconds=20)
            said = done.stdout + done.stderr
        checks.check(f"{kind}: the initiator has its trouble",
                     [] if done.returncode != 0 and re.search(expected, said) else [f"{done.returncode}: {said[-400:]}"])


def login_request(isid, cid=0):
    keys = b"InitiatorName=iqn.2026-01.org.example:i%d\0TargetName=iqn.2026-01.org.sanscope:memory-target\0" % isid
    header = struct.pack(">BBBBB3s6sHIHHII16x", 0x43, 0x87, 0, 0, 0, len(keys).to_bytes(3, "big"),
                         isid.to_bytes(6, "big"), 0, 1, cid, 0, 1, 0)
    return header + keys + bytes(-len(keys) % 4)


def ping(tag, size=8192):
    return struct.pack(">BBBBB3s8xIIII16x", 0x40, 0x80, 0, 0, 0, size.to_bytes(3, "big"), tag, 0xffffffff, 1, 1) + bytes(size)


def receive(peer, length):
    data = b""
    while len(data) < length:
        piece = peer.recv(length - len(data))
        if not piece:
            raise ConnectionError("closed")
        data += piece
    return data


def log_in(address, isid):
    """A connection that is logged in; nothing where the target would not have it."""
    host, port = address.rsplit(":", 1)
    peer = socket.create_connection((host, int(port)), timeout=20)
    try:
        peer.sendall(login_request(isid))
        header = receive(peer, 48)
        receive(peer, (int.from_bytes(header[5:8], "big") + 3) // 4 * 4)
        if header[36] == 0:
            return peer
    except OSError:
        pass
    peer.close()
    return None


def answers(peer, size=64):
    peer.sendall(ping(7, size))
    header = receive(peer, 48)
    receive(peer, (int.from_bytes(header[5:8], "big") + 3) // 4 * 4)
    return header[0] & 0x3f == 0x20


def resident_mib(process, what):
    lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(what)).split()[1]) / 1024


def test_flood(checks, sanscope, connections=10_000):
    """Who pings and never reads gets no further than what is set aside for such, and others are served meanwhile."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most < connections + 200:
        checks.skip(f"{connections} connections that ping and never read", f"no more than {most} descriptors are allowed here")
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with target(sanscope, "--backing", "null", "--threads", "2") as disk:
        honest = log_in(disk.address, 0xffff)
        faults = [] if honest and answers(honest) else ["no honest one before"]
        peers = []
        slowest = 0
        request = ping(1) * 8
        for isid in range(1, connections + 1):
            if peer := log_in(disk.address, isid):
                peer.setblocking(False)
                peers.append(peer)
                try:
                    while peer.send(request):
                        pass
                except OSError:
                    pass
            if isid % 500 == 0:
                began = time.monotonic()
                faults += [] if answers(honest) else [f"the honest one is not served after {isid}"]
                slowest = max(slowest, time.monotonic() - began)
        # Those that were let in go on for a while.
        until = time.monotonic() + 5
        while time.monotonic() < until:
            for peer in peers:
                try:
                    while peer.send(request):
                        pass
                except OSError:
                    pass
        faults += [] if answers(honest) else ["the honest one is not served in the end"]
        late = log_in(disk.address, 0xfffe)
        faults += [] if late and answers(late) else ["a new one is not let in"]
        peak = resident_mib(disk.process, "VmHWM")
        checks.check(f"{connections} connections that ping and never read: others are served",
                     faults + ([f"answered only after {slowest:.1f} s"] if slowest > 2 else []))
        checks.check("… and it takes no more than 256 MiB", [] if peak < 256 else [f"{peak:.0f} MiB"])
        print(f"     {len(peers)} of {connections} were let in, {peak:.0f} MiB at most, answers within {slowest * 1000:.0f} ms")
        for peer in peers:
            peer.close()


def test_idle(checks, sanscope):
    with target(sanscope, "--idle-timeout", "2") as disk:
        peer = log_in(disk.address, 1)
        peer.settimeout(30)
        began = time.monotonic()
        try:
            closed = peer.recv(1) == b""
        except OSError:
            closed = False
        took = time.monotonic() - began
        checks.check("who says nothing is closed after --idle-timeout", [] if closed and took > 1.5 else [f"{closed}, {took:.1f} s"])


def test_dissector(checks, sanscope, scratch):
    if shutil.which("tshark") is None:
        checks.skip("Wireshark's dissector accepts every PDU", "tshark is not installed")
        return
    if os.geteuid() != 0:
        checks.skip("Wireshark's dissector accepts every PDU", "only root may record from loopback")
        return
    capture = scratch / "wire.pcapng"
    with target(sanscope, "--size", "64M", "--header-digest", "either") as disk:
        port = disk.address.rpartition(":")[2]
        recorder = subprocess.Popen([sanscope, "capture", "-i", "lo", "-f", f"tcp port {port}", "-w", capture],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in recorder.stderr:
            if line.startswith("Recording"):
                break
        for family in ("SCSI.Read10", "SCSI.Write10", "SCSI.Inquiry", "SCSI.ModeSense6", "iSCSI.iSCSITMF", "SCSI.ReportSupportedOpcodes"):
            run("iscsi-test-cu", "-d", "-n", "-t", f"{family}", disk.url)
        run("iscsi-ls", "-s", f"iscsi://{disk.address}")
        time.sleep(1)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=20)
    options = ["-d", f"tcp.port=={port},iscsi", "-o", "tcp.reassemble_out_of_order:TRUE",
               "-o", "iscsi.bogus_pdu_max_data_len:16777215"]
    pdus = run("tshark", "-r", capture, *options, "-Y", "iscsi.opcode", "-T", "fields", "-e", "iscsi.opcode", seconds=200)
    count = len(pdus.stdout.split())
    told = run("tshark", "-r", capture, *options, "-q", "-z", "expert,warn", seconds=200)
    # A row is how often, the group, the protocol and the words; full windows of TCP are none of this test's business.
    rows = [line for line in told.stdout.splitlines() if re.match(r"\s*\d+\s", line)]
    wrong = [row for row in rows if row.split()[2] != "TCP"]
    checks.check("Wireshark's dissector accepts every PDU",
                 [] if count > 100 and told.returncode == 0 and not wrong else [f"{count} packets with PDUs", *wrong, told.stderr])



def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    sanscope = parser.parse_args().sanscope
    if reason := missing_program(sanscope):
        sys.exit(reason)
    checks = Checks()
    test_options(checks, sanscope)
    test_idle(checks, sanscope)
    test_flood(checks, sanscope)
    if missing := [program for program in LIBISCSI if shutil.which(program) is None]:
        checks.skip("the target against libiscsi", f"not installed: {', '.join(missing)}")
        return checks.finish()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        test_is_what_it_says(checks, sanscope)
        test_suites(checks, sanscope)
        test_load(checks, sanscope)
        test_chap(checks, sanscope, scratch)
        test_faults(checks, sanscope)
        test_dissector(checks, sanscope, scratch)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope generate` against istgt, a target of others that negotiates otherwise than tgtd. Part of
generator_test.py."""

import collections
import os
import pathlib
import re
import shutil
import socket
import subprocess
import time

from load_agreement import agreement_faults, dissector_faults, logged
from load_bench import Recording, account_faults, free_port, unless

SMALL = 4096
MEBIBYTE = 1 << 20
BASE = "iqn.2026-11.org.example"
PROGRAM = shutil.which("istgt") or "/usr/sbin/istgt"
SEGMENT = 262144  # its MaxRecvDataSegmentLength
BURST = MEBIBYTE  # its MaxBurstLength
SECRETS = {"host": "the-hosts-secret", "disk": "the-disks-secret"}


class Istgt:
    """An istgt on a port of loopback: a disk for everybody, one for who proves itself, one that proves itself too."""

    def __init__(self, scratch):
        self.scratch, self.port = pathlib.Path(scratch), free_port()
        self.scratch.mkdir()
        self.address = f"127.0.0.1:{self.port}"
        (self.scratch / "auth.conf").write_text(
            f'[AuthGroup1]\n  Auth "host" "{SECRETS["host"]}" "disk" "{SECRETS["disk"]}"\n')
        (self.scratch / "auth.conf").chmod(0o600)
        (self.scratch / "istgt.conf").write_text(self.configuration())
        self.log = open(self.scratch / "log", "wb")
        self.process = subprocess.Popen([PROGRAM, "-D", "-c", self.scratch / "istgt.conf"], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=subprocess.STDOUT)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.end()
        raise RuntimeError(f"istgt does not listen: {self.said()}")

    @staticmethod
    def why_not():
        """Why it cannot run here, or None."""
        if not os.access(PROGRAM, os.X_OK):
            return "istgt is not installed"
        return None if os.geteuid() == 0 else "istgt needs root"

    def configuration(self):
        text = f"""[Global]
  NodeBase "{BASE}"
  PidFile {self.scratch}/pid
  AuthFile {self.scratch}/auth.conf
  MediaDirectory {self.scratch}
  LogFacility "local7"
  Timeout 30
  NopInInterval 20
  DiscoveryAuthMethod None
  MaxSessions 16
  MaxConnections 4
  MaxR2T 32
  MaxOutstandingR2T 16
  DefaultTime2Wait 2
  DefaultTime2Retain 60
  FirstBurstLength 262144
  MaxBurstLength {BURST}
  MaxRecvDataSegmentLength {SEGMENT}
  InitialR2T Yes
  ImmediateData Yes
  DataPDUInOrder Yes
  DataSequenceInOrder Yes
  ErrorRecoveryLevel 0
[UnitControl]
  AuthMethod None
[PortalGroup1]
  Portal DA1 {self.address}
[InitiatorGroup1]
  InitiatorName "ALL"
  Netmask 127.0.0.0/8
"""
        for number, (name, authentication) in enumerate((("open", "None"), ("guarded", "CHAP"), ("mutual", "CHAP Mutual")), 1):
            with open(self.scratch / name, "wb") as disk:
                disk.truncate(64 * MEBIBYTE)
            text += f"""[LogicalUnit{number}]
  TargetName {name}
  Mapping PortalGroup1 InitiatorGroup1
  AuthMethod {authentication}
  AuthGroup AuthGroup1
  UseDigest Auto
  UnitType Disk
  UnitInquiry "ISTGT" "SCRATCH DISK" "0001" "{name.upper()}-1"
  QueueDepth 32
  LUN0 Storage {self.scratch}/{name} 64MB
"""
        return text

    def url(self, name, user=None):
        return f"iscsi://{user + '@' if user else ''}{self.address}/{BASE}:{name}/0"

    def said(self):
        return (self.scratch / "log").read_text(errors="replace")[-2000:]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def test_istgt(bench):
    checks = bench.checks
    if reason := Istgt.why_not():
        checks.skip("what is tried against istgt", reason)
        return
    target = Istgt(bench.scratch / "istgt")
    try:
        discovery(bench, target)
        sizes(bench, target)
        at_once(bench, target)
        verify(bench, target)
        chap(bench, target)
        captured(bench, target)
        alive = target.process.poll() is None
    finally:
        target.end()
    checks.check("istgt: it still runs after all of that", unless(alive=(alive, target.said())))


def discovery(bench, target):
    found = bench.run("generate", "--discover", f"iscsi://{target.address}")
    luns = bench.run("generate", "--discover", target.url("open").rpartition("/")[0])
    bench.checks.check("istgt is discovered, with its LUN", unless(
        targets=(found.stdout.splitlines() == [target.url(name).rpartition("/")[0] for name in ("open", "guarded", "mutual")], found),
        lun=(re.search(r"^\S+/0  64 MiB, 131072 blocks of 512 bytes, ISTGT SCRATCH DISK, serial number OPEN-1$", luns.stdout, re.M), luns)))


def sizes(bench, target):
    # What the load takes at most is its own affair; what it sends is within istgt's limits.
    for request, pdu, most in ((SMALL, "256K", SEGMENT), (65536, 8192, 8192), (MEBIBYTE, "256K", SEGMENT), (MEBIBYTE, "1M", MEBIBYTE),
                               (4 * MEBIBYTE, "16M", 16 * MEBIBYTE - 1), (16 * MEBIBYTE, "16M", 16 * MEBIBYTE - 1)):
        run = bench.generate("--request-size", request, "--pdu-size", pdu, "-q", 2, "--commands", 12, target.url("open"))
        negotiated = run.account["negotiated"] if run.account else {}
        bench.checks.check(f"istgt: reads of {request} bytes in PDUs of up to {pdu}", account_faults(run, request) + unless(
            own=(negotiated.get("max_recv_data_segment_length_initiator") == most, negotiated),
            theirs=(negotiated.get("max_recv_data_segment_length_target", 1 << 30) <= SEGMENT, negotiated),
            burst=(negotiated.get("max_burst_length") == BURST, negotiated)))


def at_once(bench, target):
    # It accepts one connection a second: sessions begin one after the other.
    for what, options in (("several sessions", ("--sessions", 3, "-q", 8)), ("several connections of a session", ("--connections", 3, "-q", 8)),
                          ("more commands at once than it queues", ("-q", 128))):
        run = bench.generate("--request-size", SMALL, *options, "--commands", 600, target.url("open"))
        bench.checks.check(f"istgt: {what}", account_faults(run, SMALL) + unless(
            sent=(run.account and run.account["sent"] == 600, run), quiet=(run.said == [], run.said)))


def verify(bench, target):
    solicited = ("--initial-r2t", "--no-immediate-data", "--max-burst", "64K", "--max-outstanding-r2t", 4)
    digests = ("--header-digest", "CRC32C", "--data-digest", "CRC32C")
    for what, options in (("", ("--request-size", "64K", "-q", 8, "--pattern", "random")),
                          (" with digests", ("--request-size", MEBIBYTE, "-q", 4, *digests)),
                          (" with solicited data", ("--request-size", MEBIBYTE, "-q", 4, *solicited))):
        before = (target.scratch / "open").read_bytes()
        run = bench.generate("--verify", *options, "--commands", 100, "--allow-writes", "OPEN-1", target.url("open"))
        request = run.account["request_bytes"] if run.account else 0
        bench.checks.check(f"--verify finds nothing wrong with istgt{what}", account_faults(run, request) + unless(
            both=(run.account and run.account["writes"]["commands"] == run.account["reads"]["commands"] == 100, run),
            written=((target.scratch / "open").read_bytes() != before, "the LUN is what it was"),
            digests=(run.account and ("digests" not in what or run.account["negotiated"]["data_digest"] == "CRC32C"), run)))
    refused = bench.generate("--verify", "--commands", 5, "--allow-writes", "OPEN-2", target.url("open"))
    bench.checks.check("istgt: a LUN of another serial number is not written to", unless(
        status=(refused.status == 1, refused), said=(any("OPEN-1" in line for line in refused.said), refused.said)))


def chap(bench, target):
    checks = bench.checks
    files = {}
    for name, secret in (*SECRETS.items(), ("wrong", "some-other-secret")):
        files[name] = target.scratch / f"secret-{name}"
        files[name].write_text(secret + "\n")
        files[name].chmod(0o600)
    few = ("--request-size", SMALL, "--commands", 5)
    mutual = ("--mutual-user", "disk", "--mutual-secret-file")
    run = bench.generate(*few, "--secret-file", files["host"], target.url("guarded", "host"))
    checks.check("istgt: with the right CHAP secret the load runs", account_faults(run, SMALL))
    run = bench.generate(*few, "--secret-file", files["wrong"], target.url("guarded", "host"))
    checks.check("istgt: with a wrong one it does not", unless(status=(run.status == 1, run), said=(
        any("authentication" in line for line in run.said), run.said)))
    run = bench.generate(*few, target.url("guarded"))
    checks.check("istgt: without one neither", unless(status=(run.status == 1, run), said=(len(run.said) == 1, run.said)))
    run = bench.generate(*few, "--secret-file", files["host"], *mutual, files["disk"], target.url("mutual", "host"))
    checks.check("istgt: when it proves itself it is believed", account_faults(run, SMALL))
    run = bench.generate(*few, "--secret-file", files["host"], *mutual, files["wrong"], target.url("mutual", "host"))
    checks.check("istgt: when it cannot it is not", unless(status=(run.status == 1, run), said=(
        any("could not prove itself" in line for line in run.said), run.said)))


def captured(bench, target):
    checks = bench.checks
    cases = (# Slower than the recorder writes, whatever else this host does: a recording that dropped packets shows nothing.
             ("reads", ("--request-size", MEBIBYTE, "--pdu-size", "16M", "--commands", 40, "--rate", 100, "--buffer-size", 256)),
             ("reads and writes", ("--request-size", "256K", "-q", 4, "--commands", 60, "--read-percent", 50, "--pattern", "random",
                                   "--allow-writes", "OPEN-1")))
    for what, options in cases:
        claim = f"istgt, {what}: the analyser finds what the log says, command by command"
        if not bench.checks_recording(claim):
            continue
        log, capture = target.scratch / "log.csv", target.scratch / "capture.pcapng"
        for path in (log, capture):
            path.unlink(missing_ok=True)
        run = bench.generate(*options, "--log", log, "--capture", capture, "--snapshot-length", 0, target.url("open"))
        rows, recording = logged(log), Recording(bench.sanscope, target.port, capture)
        checks.check(claim, account_faults(run, run.account["request_bytes"] if run.account else 0) +
                     agreement_faults(recording, rows, run, before=0) + unless(
                         count=(run.account and len(rows) == run.account["sent"], len(rows))))
        lengths = collections.defaultdict(int)
        for row in recording.table("pdus"):
            lengths[row["name"]] = max(lengths[row["name"]], int(row["data_length"] or 0))
        # It keeps to its own limit where 16 MiB are allowed: larger PDUs cannot be tried with it.
        checks.check(f"istgt, {what}: a PDU has 256 KiB at most, in either direction", unless(
            data_in=(lengths["SCSI Data-In"] == SEGMENT, lengths),
            sent=(max(lengths["SCSI Data-Out"], lengths["SCSI Command"]) <= SEGMENT, lengths)))
        if shutil.which("tshark"):
            checks.check(f"istgt, {what}: Wireshark accepts every PDU", dissector_faults(recording, len(rows)))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of `sanscope generate` need around it: memory targets, a tgtd of their own, recordings of loopback,
and what a run said."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import handled, table, until  # noqa: E402

TSHARK_OPTIONS = ("-o", "tcp.reassemble_out_of_order:TRUE", "-o", "iscsi.bogus_pdu_max_data_len:16777215")


def unless(**claims):
    """`name=(holds, what is instead)`: the names of those that do not hold, with what is instead."""
    return [f"{name}: {instead}" for name, (holds, instead) in claims.items() if not holds]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class MemoryTarget:
    """A `sanscope target` that runs; `account` once it was ended in peace."""

    def __init__(self, sanscope, *arguments, port=0, host="127.0.0.1"):
        self.process = subprocess.Popen([sanscope, "target", "--listen", f"{host}:{port}", "--json", *map(str, arguments)],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        told = json.loads(self.process.stdout.readline())
        self.address, self.name = told["listening"], told["target"]
        self.port = int(self.address.rpartition(":")[2])
        self.account = None

    def url(self, lun=0, user=None):
        return f"iscsi://{user + '@' if user else ''}{self.address}/{self.name}/{lun}"

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def end(self):
        if self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            lines = self.process.communicate(timeout=10)[0].splitlines()
        except subprocess.TimeoutExpired:
            return self.kill()
        self.account = json.loads(lines[-1]) if lines else None


@contextlib.contextmanager
def memory_target(sanscope, *arguments, **where):
    running = MemoryTarget(sanscope, *arguments, **where)
    try:
        yield running
    finally:
        running.end()


class Tgtd:
    """A tgtd on a port of its own: `add_target()` makes targets, `file` is what backs LUN 1 of the latest one."""

    def __init__(self, scratch):
        self.scratch, self.port = scratch, free_port()
        self.control = self.port % 32000
        self.address = f"127.0.0.1:{self.port}"
        self.targets = 0
        self.process = subprocess.Popen(["tgtd", "-f", "-t", "1", "-C", str(self.control), "--iscsi", f"portal={self.address}"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            if self.admin("--op", "show", "--mode", "sys", check=False).returncode == 0:
                return
            time.sleep(0.1)
        self.end()
        raise RuntimeError("tgtd does not answer tgtadm")

    @staticmethod
    def why_not():
        """Why it cannot run here, or None."""
        if shutil.which("tgtd") is None or shutil.which("tgtadm") is None:
            return "tgtd is not installed"
        return None if os.geteuid() == 0 else "tgtd needs root"

    def admin(self, *arguments, check=True):
        return subprocess.run(["tgtadm", "-C", str(self.control), "--lld", "iscsi", *map(str, arguments)], check=check,
                              capture_output=True, text=True, timeout=20)

    def add_target(self, name, serial, size=64 << 20, **keys):
        """Returns the URL of its LUN 1. `keys`: of the login, with the values it allows."""
        self.targets += 1
        tid = self.targets
        self.file = self.scratch / f"tgtd-disk-{tid}"
        with open(self.file, "wb") as disk:
            disk.truncate(size)
        self.admin("--op", "new", "--mode", "target", "--tid", tid, "-T", name)
        self.admin("--op", "new", "--mode", "logicalunit", "--tid", tid, "--lun", 1, "-b", self.file)
        self.admin("--op", "update", "--mode", "logicalunit", "--tid", tid, "--lun", 1, "--params", f"scsi_sn={serial}")
        for key, value in keys.items():
            self.admin("--op", "update", "--mode", "target", "--tid", tid, "--name", key, "--value", value)
        self.admin("--op", "bind", "--mode", "target", "--tid", tid, "-I", "ALL")
        return f"iscsi://{self.address}/{name}/1"

    def guard(self, tid, user, secret, own_user=None, own_secret=None):
        """From now on, who logs in to a target proves itself by CHAP; and the target too, where it has a name and a
        secret."""
        self.admin("--op", "new", "--mode", "account", "--user", user, "--password", secret)
        self.admin("--op", "bind", "--mode", "account", "--tid", tid, "--user", user)
        if own_user:
            self.admin("--op", "new", "--mode", "account", "--user", own_user, "--password", own_secret)
            self.admin("--op", "bind", "--mode", "account", "--tid", tid, "--user", own_user, "--outgoing")

    def end(self):
        self.process.kill()
        self.process.wait()
        for suffix in ("", ".lock"):
            pathlib.Path(f"/var/run/tgtd/socket.{self.control}{suffix}").unlink(missing_ok=True)


class Run:
    """A run of `sanscope generate --json --quiet`: `status`, `said` line by line, `account` (None where none was told),
    and for how long it ran."""

    def __init__(self, status, out, err, took):
        self.status, self.took = status, took
        self.said = err.splitlines()
        self.out = out
        try:
            self.account = json.loads(out)
        except ValueError:
            self.account = None

    def __str__(self):
        told = {key: self.account[key] for key in ("seconds", "sent", "commands", "errors", "in_flight", "bytes", "errors_by_kind",
                                                   "connections_lost", "reconnected")} if self.account else self.out[-300:]
        return f"exit status {self.status} after {self.took:.1f} s; {self.said[-8:]}; {told}"

    def failures(self):
        return {kind: count for kind, count in self.account["errors_by_kind"].items() if count}


class Started:
    """A run that goes on."""

    def __init__(self, sanscope, *arguments):
        self.began = time.monotonic()
        self.process = subprocess.Popen([sanscope, "generate", "--json", "--quiet", *map(str, arguments)], text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def finish(self, seconds=30):
        try:
            out, err = self.process.communicate(timeout=seconds)
            status = self.process.returncode
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            status = None
        return Run(status, out, err, time.monotonic() - self.began)


def interrupted_twice(process):
    """Whether it still ran after the first of two SIGINT."""
    process.send_signal(signal.SIGINT)
    until(lambda: handled(process.pid, signal.SIGINT))
    time.sleep(0.5)
    waits = process.poll() is None
    process.send_signal(signal.SIGINT)
    return waits


def generate(sanscope, *arguments, seconds=30):
    return Started(sanscope, *arguments).finish(seconds)


def account_faults(run, request_bytes, status=0, **failures):
    """What is wrong with how a run ended, and with what it counts."""
    if run.account is None or run.status != status:
        return [f"wanted exit status {status} and an account", str(run)]
    account = run.account
    kinds = {"reads": account["reads"], "writes": account["writes"]}
    faults = unless(
        sum=(account["sent"] == account["commands"] + account["errors"], "what was sent is not what was done or failed"),
        in_flight=(account["in_flight"] == 0, account["in_flight"]),
        bytes=(account["bytes"] == account["commands"] * request_bytes, account["bytes"]),
        errors=(account["errors"] == sum(account["errors_by_kind"].values()), "their kinds add up to another number"),
        kinds=(all(account[key] == sum(kind[key] for kind in kinds.values()) for key in ("sent", "commands", "bytes", "errors")),
               "reads and writes add up to other numbers"),
        failures=(run.failures() == failures, f"wanted {failures}"),
        said=(account["errors"] == 0 or run.said, "nothing is said of what failed"))
    return faults and faults + [str(run)]


class Recording:
    """A recording of one port of loopback, whole packets. The buffer holds all that the tests send: none is dropped where
    the recorder has to wait for a processor."""

    def __init__(self, sanscope, port, path):
        self.sanscope, self.port, self.path = sanscope, port, path

    @staticmethod
    def why_not():
        return None if os.geteuid() == 0 else "only root may record from loopback"

    def __enter__(self):
        self.process = subprocess.Popen([self.sanscope, "capture", "-i", "lo", "-f", f"tcp port {self.port}",
                                         "--buffer-size", "256", "-w", self.path],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if line.startswith("Recording"):
                break
        return self

    def __exit__(self, *_):
        time.sleep(0.3)
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)

    def table(self, name):
        return table(self.sanscope, name, self.path)

    def requests(self):
        """How many PDUs of each name the initiator sent."""
        counts = {}
        for row in self.table("pdus"):
            if not row["sender"].endswith(f":{self.port}"):
                counts[row["name"]] = counts.get(row["name"], 0) + 1
        return counts

    def dissected(self, display_filter, *fields):
        done = subprocess.run(["tshark", "-r", self.path, "-d", f"tcp.port=={self.port},iscsi", *TSHARK_OPTIONS,
                               "-Y", display_filter, "-T", "fields", *[word for field in fields for word in ("-e", field)]],
                              capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"tshark: {done.stderr.strip()}")
        return done.stdout.splitlines()

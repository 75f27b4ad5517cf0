#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope capture --ssh` against the recorder of another host: a real sshd on the loopback of a network namespace
made for this and removed again, and a stand-in for ssh where there is none. What was sent is in the file here, each
packet once and in order; whatever happens to the connection, either host or the disk is told in one message, and leaves
whole blocks. Needs root."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "captures" / "recorder" / "tests"))
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import until  # noqa: E402
from recording_bench import (HERE, NOBODY, Bench, Capture, faults, full_disk, full_disk_told, is_wanted,  # noqa: E402
                             run_in_namespaces, sent_once, sh, told, wait_for_last, wait_for_packets,
                             whole_up_to_the_end)

SSHD = "/usr/sbin/sshd"
PORT = 2222

# Takes what ssh takes, and runs the command here. The process that records is its child's.
STAND_IN = """#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
[ -z "$SSH_STAND_IN_ARGUMENTS" ] || printf '%s\\n' "$@" >"$SSH_STAND_IN_ARGUMENTS"
sh -c "$*"
"""


class RemoteBench(Bench):
    """A bench whose recordings go through ssh, or the stand-in for it."""

    def __init__(self, binaries, scratch):
        super().__init__(binaries, scratch)
        self.stand_in = scratch / "stand-in"
        self.stand_in.write_text(STAND_IN)
        self.stand_in.chmod(0o755)
        self.ssh_command = str(self.stand_in)
        self.remote_recorder = self.recorder

    def command(self, *arguments):
        return super().command("--ssh", "127.0.0.1", "--ssh-command", self.ssh_command, "--remote-recorder", self.remote_recorder,
                               *arguments)

    @contextlib.contextmanager
    def other(self, **values):
        """With another way to the other host."""
        before = {name: getattr(self, name) for name in values}
        for name, value in values.items():
            setattr(self, name, value)
        yield
        for name, value in before.items():
            setattr(self, name, value)

    def capture_without_host(self, *arguments):
        return Bench.run(Plain(self), *arguments)


class Plain(Bench):
    def __init__(self, bench):
        super().__init__(bench.sanscope.parent, bench.scratch)


@contextlib.contextmanager
def sshd(scratch):
    """One of our own, on the loopback of HERE: its port, host key and users' keys are nobody else's. Gives ssh's
    command."""
    folder = scratch / "sshd"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name)
    shutil.copy(folder / "user.pub", folder / "authorized")
    (folder / "known").write_text(f"[127.0.0.1]:{PORT} {(folder / 'host.pub').read_text()}")
    (folder / "config").write_text("\n".join([
        f"Port {PORT}", "ListenAddress 127.0.0.1", f"HostKey {folder}/host", f"AuthorizedKeysFile {folder}/authorized",
        f"PidFile {folder}/pid", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "UsePAM no", "StrictModes no",
        "PermitRootLogin yes", ""]))
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen(["ip", "netns", "exec", HERE, SSHD, "-D", "-e", "-f", str(folder / "config")],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: (folder / "pid").exists() or server.poll() is not None)
    try:
        yield (f"ssh -F none -p {PORT} -o BatchMode=yes -o UserKnownHostsFile={folder}/known -o StrictHostKeyChecking=yes "
               f"-o IdentitiesOnly=yes -i ")
    finally:
        server.terminate()
        server.wait()


def children(process):
    listed = pathlib.Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in listed.read_text().split()] if listed.exists() else []


def below(process, name):
    """The processes of this name that come of it."""
    found = []
    for child in children(process):
        with contextlib.suppress(OSError):
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == name[:15]:
                found.append(child)
        found += below(child, name)
    return found


def recorders():
    """Those that record in this namespace, whoever started them."""
    return {int(word) for word in sh("ip", "netns", "pids", HERE).stdout.split()
            if pathlib.Path(f"/proc/{word}/comm").exists()
            and pathlib.Path(f"/proc/{word}/comm").read_text().strip() == "sanscope-recorder"[:15]}


def gone_within(seconds, found):
    return until(lambda: not found(), seconds)


def test_plain(bench, checks, way):
    out = bench.scratch / f"plain-{way}.pcapng"
    with bench.running("-i", "v0", "-s", 0, "-w", out) as run:
        bench.send(packets=20000, rate=40000)
        wait_for_packets(out, 20000)
        live = Capture(out)
    capture = Capture(out)
    checks.check(f"{way}: every packet that was sent is in the file here, once and in order", sent_once(capture, 20000))
    checks.check(f"{way}: what is live is in the file here meanwhile", [] if len(live.packets) == 20000 and live.whole else [len(live.packets)])
    checks.check(f"{way}: Ctrl-C ends it with the sums, the statistics and status 0", faults(
        status=(run.status == 0, run.err), sums=("20000 packets recorded" in run.err, run.err), whole=(capture.whole, "cut off"),
        drops=("v0: 20000 received, 0 dropped by the kernel, 0 by the interface" in run.err, run.err),
        statistics=(capture.statistics.get(0) == {"received": 20000, "ifdrop": 0, "osdrop": 0}, capture.statistics)))
    checks.check(f"{way}: no recorder is left behind", [] if gone_within(5, recorders) else [recorders()])

    out = bench.scratch / f"snap-{way}.pcapng"
    with bench.running("-i", "v0", "-w", out) as run:
        bench.send(packets=500, length=1514)
        wait_for_packets(out, 500)
    lengths = {(wire, len(data)) for _, _, wire, data in Capture(out).packets}
    checks.check(f"{way}: headers only, unless said otherwise, and that is told", faults(
        lengths=(lengths == {(1514, 128)}, lengths), told=("128 bytes are taken of each packet" in run.err, run.err)))

    out = bench.scratch / f"headers-{way}.pcapng"
    with bench.running("-i", "v0", "--keep", "headers", "-w", out) as run:
        bench.send(packets=500, length=1514)
        wait_for_packets(out, 500)
    lengths = {(wire, len(data)) for _, _, wire, data in Capture(out).packets}
    checks.check(f"{way}: with --keep headers there are these, and the file says so", faults(
        status=(run.status == 0, run.err), lengths=(lengths == {(1514, 42)}, lengths),
        mark=(b"sanscope keep=headers" in out.read_bytes()[:1000], "none")))
    with bench.running("-i", "v0", "-f", "tcp port 3260", "-w", out) as run:
        pass
    checks.check(f"{way}: for a filter for port 3260 that is the default, and is told", faults(
        mark=(b"sanscope keep=headers" in out.read_bytes()[:1000], "none"), told=("Headers are kept" in run.err, run.err)))

    run = bench.run("-i", "v0", "-D")
    checks.check(f"{way}: the other host's interfaces are listed", faults(
        status=(run.returncode == 0, run.stderr), names=({"v0", "v1", "lo"} <= {line.split()[0] for line in run.stdout.splitlines()}, run.stdout)))
    run = bench.run("-i", "v0", "-f", "tcp prot 3260")
    checks.check(f"{way}: a wrong filter is told", faults(
        status=(run.returncode == 2, run.returncode), message=("filter 'tcp prot 3260': " in run.stderr, run.stderr)))
    run = bench.run("-i", "nosuch0")
    checks.check(f"{way}: a wrong interface is told, with its host", faults(
        status=(run.returncode == 1, run.returncode), message=(told(run.stderr)[0].startswith("sanscope: 127.0.0.1: there is no interface nosuch0"), run.stderr)))


def test_files(bench, checks, way):
    folder = bench.scratch / f"ring-{way}"
    folder.mkdir()
    with bench.running("-i", "v0", "-b", "packets:1000", "-b", "files:3", "-w", folder / "ring.pcapng") as run:
        bench.send(packets=6500)
        wait_for_last(folder, 6499)
    files = sorted(folder.iterdir())
    numbers = [number for path in files for number in Capture(path).numbers()]
    checks.check(f"{way}: a ring keeps the latest files, and what is in them without a gap", faults(
        status=(run.status == 0, run.err),
        names=(all(re.fullmatch(r"ring_0000[567]_\d{14}\.pcapng", path.name) for path in files) and len(files) == 3,
               [path.name for path in files]),
        whole=(all(Capture(path).whole and Capture(path).statistics for path in files), "not whole"),
        packets=(numbers == list(range(4000, 6500)), (numbers[:1], len(numbers)))))

    out = bench.scratch / f"count-{way}.pcapng"
    with bench.running("-i", "v0", "-c", 1234, "-w", out) as run:
        bench.send(packets=5000)
        run.wait(10)
    checks.check(f"{way}: -c stops after exactly so many packets", sent_once(Capture(out), 1234) + faults(status=(run.status == 0, run.err)))

    with subprocess.Popen(bench.command("-i", "v0", "-c", 400, "-q", "-w", "-"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as run:
        head = os.read(run.stdout.fileno(), 1 << 16)  # comes when the recording begins
        bench.send(packets=500)
        data, err = run.communicate(timeout=30)
    out = bench.scratch / f"stream-{way}.pcapng"
    out.write_bytes(head + data)
    checks.check(f"{way}: a recording streams on to standard output", sent_once(Capture(out), 400) + faults(
        status=(run.returncode == 0, run.returncode), quiet=(err == b"", err)))

    out = bench.scratch / f"report-{way}.pcapng"
    run = bench.run("-i", "v0", "-a", "duration:1", "--report", "-w", out)
    checks.check(f"{way}: --report analyses what comes", faults(status=(run.returncode == 0, run.stderr),
                                                                report=("no packets" in run.stdout and str(out) in run.stdout, run.stdout)))


def test_faults(bench, checks, way):
    with full_disk(bench, f"small-{way}") as (out, run, capture):
        checks.check(f"{way}: a full disk here ends the recording with one message, and a whole file with statistics",
                     full_disk_told(out, run, capture) + whole_up_to_the_end(capture))

    out = bench.scratch / f"lost-{way}.pcapng"
    with bench.running("-i", "v0", "-w", out) as run:
        bench.send(packets=3000)
        wait_for_packets(out, 3000)
        time.sleep(1)  # its statistics come now and then, and nothing shows it
        carrier = below(run.pid, "ssh") or below(run.pid, "stand-in")
        os.kill(carrier[0], signal.SIGKILL)
        if way != "sshd":  # without a connection that ends with it, its child goes on
            for recorder in recorders():
                os.kill(recorder, signal.SIGKILL)
        run.wait(10)
    capture = Capture(out)
    checks.check(f"{way}: a connection lost is one message and status 3, and the file is whole, with what had come", sent_once(capture, 3000) + faults(
        status=(run.status == 3, run.status), whole=(capture.whole and 0 in capture.statistics, capture.statistics),
        message=(len(told(run.err)) == 1 and "the connection to 127.0.0.1 was lost: ssh was ended by signal 9" in run.err, run.err)))
    checks.check(f"{way}: the other host's recorder ends with the connection", [] if gone_within(10, recorders) else [recorders()])

    out = bench.scratch / f"killed-{way}.pcapng"
    with bench.running("-i", "v0", "-w", out) as run:
        bench.send(packets=3000)
        wait_for_packets(out, 3000)
        time.sleep(1)  # its statistics come now and then, and nothing shows it
        for recorder in recorders():
            os.kill(recorder, signal.SIGKILL)
        run.wait(10)
    capture = Capture(out)
    checks.check(f"{way}: a recorder killed there is told, and the file is whole", sent_once(capture, 3000) + faults(
        status=(run.status == 3, run.status), whole=(capture.whole and 0 in capture.statistics, capture.statistics),
        message=(len(told(run.err)) == 1 and "the connection to 127.0.0.1 was lost" in run.err, run.err)))

    out = bench.scratch / f"dead-{way}.pcapng"
    with bench.running("-i", "v0", "-w", out) as run:
        bench.send(packets=3000)
        wait_for_packets(out, 3000)
        run.kill()
        run.wait(10)
        ended = gone_within(10, recorders)
        until(lambda: 0 in Capture(out).statistics)
    capture = Capture(out)
    checks.check(f"{way}: when sanscope is killed, the file is ended and both recorders end", sent_once(capture, 3000) + faults(
        ended=(ended, recorders()), whole=(capture.whole and 0 in capture.statistics, capture.statistics)))

    out = bench.scratch / "none" / "out.pcapng"
    run = bench.run("-i", "v0", "-w", out)
    checks.check(f"{way}: a file that cannot be made is told", faults(
        status=(run.returncode == 1, run.returncode), message=(told(run.stderr) == [f"sanscope: {out}: cannot create: No such file or directory"], run.stderr)))

    with bench.other(remote_recorder="/nowhere/sanscope-recorder"):
        run = bench.run("-i", "v0", "-w", bench.scratch / "x.pcapng")
        checks.check(f"{way}: a recorder that is not there is told with what to do", faults(
            status=(run.returncode == 1, run.returncode),
            message=(told(run.stderr) == ["sanscope: there is no sanscope-recorder on 127.0.0.1: install sanscope there, or say with "
                                          "--remote-recorder where it is"], run.stderr)))
        listed = bench.run("-D")
        checks.check(f"{way}: … for a question, too", faults(status=(listed.returncode == 1, listed.returncode),
                                                              message=("there is no sanscope-recorder on 127.0.0.1" in listed.stderr, listed.stderr)))

    powerless = bench.scratch / f"powerless-{way}"
    powerless.write_text(f"#!/bin/sh\nexec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups '{bench.open_recorder}'\n")
    powerless.chmod(0o755)
    with bench.other(remote_recorder=powerless):
        run = bench.run("-i", "v0", "-w", bench.scratch / "x.pcapng")
        checks.check(f"{way}: missing rights there are told, with the command that grants them", faults(
            status=(run.returncode == 1, run.returncode), one=(len(told(run.stderr)) == 1, run.stderr),
            message=("127.0.0.1: " in run.stderr and "setcap" in run.stderr, run.stderr)))


def test_stand_in(bench, checks):
    """What needs no sshd."""
    for part in (test_plain, test_files, test_faults):
        part(bench, checks, "stand-in")

    arguments = bench.scratch / "arguments"
    odd = bench.scratch / "it's a $(touch gone) `recorder`"
    odd.symlink_to(bench.recorder)
    with bench.other(remote_recorder=odd):
        run = bench.run("-D", environment={"SSH_STAND_IN_ARGUMENTS": str(arguments)})
    checks.check("a recorder's path is one word, whatever is in it", faults(status=(run.returncode == 0, run.stderr),
                                                                            lines=(len(arguments.read_text().splitlines()) == 1, arguments.read_text())))
    for wrong in ("-oProxyCommand=touch x", "", "a b"):
        with bench.other(command=lambda *more, wrong=wrong: ["ip", "netns", "exec", HERE, str(bench.sanscope), "capture", f"--ssh={wrong}", *map(str, more)]):
            run = bench.run("-i", "v0", "-w", bench.scratch / "x.pcapng")
        checks.check(f"'{wrong}' is no host, and no option of ssh", faults(
            status=(run.returncode in (1, 2), run.returncode), message=(run.stderr.strip() != "" and "Recording from" not in run.stderr, run.stderr)))
    with bench.other(ssh_command="/nowhere/ssh"):
        run = bench.run("-i", "v0", "-w", bench.scratch / "x.pcapng")
    checks.check("a missing ssh is told", faults(status=(run.returncode == 1, run.returncode),
                                                 message=(told(run.stderr) == ["sanscope: /nowhere/ssh cannot be started: No such file or directory"], run.stderr)))
    for name, script, message in (("a shell that talks", f"echo Welcome to this host; exec {bench.stand_in} \"$@\"", "does its shell print something"),
                                  ("a command that says nothing", "exit 4", "127.0.0.1: ssh ended with status 4"),
                                  ("a login that is refused", "echo 'Permission denied (publickey).' >&2; exit 255", "127.0.0.1: Permission denied")):
        fake = bench.scratch / "fake"
        fake.write_text(f"#!/bin/sh\n{script}\n")
        fake.chmod(0o755)
        with bench.other(ssh_command=str(fake)):
            run = bench.run("-i", "v0", "-w", bench.scratch / "x.pcapng")
        checks.check(f"{name} is told in one message", faults(
            status=(run.returncode == 1, run.returncode), message=(len(told(run.stderr)) == 1 and message in run.stderr, run.stderr)))

    asked = bench.scratch / "asked"
    fake.write_text(f"#!/bin/sh\n: >'{asked}'\nexec sleep 60\n")
    with bench.other(ssh_command=str(fake)):
        with subprocess.Popen(bench.command("-i", "v0", "-w", bench.scratch / "x.pcapng"), stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, text=True) as run:
            waits = until(asked.exists)
            run.send_signal(signal.SIGINT)
            err = run.communicate(timeout=20)[1]
    checks.check("Ctrl-C ends it while it waits for a login", faults(
        waits=(waits, "ssh was not started"), status=(run.returncode == 1, run.returncode),
        message=(told(err) == [], err)))
    run = bench.capture_without_host("-i", "v0", "--remote-recorder", "x")
    checks.check("options of another host want one", faults(status=(run.returncode == 2, run.returncode)))


def test_sshd(bench, checks):
    if not os.path.exists(SSHD) or shutil.which("ssh") is None:
        checks.skip("through a real sshd", "openssh-server is not installed")
        return
    sh("ip", "-n", HERE, "link", "set", "lo", "up")
    with sshd(bench.scratch) as command:
        key = bench.scratch / "sshd" / "user"
        with bench.other(ssh_command=command + str(key)):
            for part in (test_plain, test_files, test_faults):
                part(bench, checks, "sshd")

            out = bench.scratch / "own.pcapng"
            with bench.running("-i", "lo", "-w", out) as run:
                until(lambda: "is not recorded" in run.text())
                time.sleep(2)  # time to see what must not come
            checks.check("the ssh connection itself is left out, and that is told once", faults(
                status=(run.status == 0, run.err), packets=(len(Capture(out).packets) == 0, len(Capture(out).packets)),
                told=(run.err.count("the connection that this travels on is not recorded: 127.0.0.1 port ") == 1, run.err)))
            with bench.running("-i", "lo", "-f", "tcp", "--with-ssh-traffic", "-w", out) as run:
                wait_for_packets(out, 6)
            checks.check("… unless it is asked for", faults(packets=(len(Capture(out).packets) > 5, len(Capture(out).packets)),
                                                            told=("is not recorded" not in run.err, run.err)))
        stranger = bench.scratch / "stranger"
        sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", stranger)
        with bench.other(ssh_command=command + str(stranger)):
            run = bench.run("-i", "v0", "-w", bench.scratch / "x.pcapng")
            checks.check("a login that sshd refuses is told in its words", faults(
                status=(run.returncode == 1, run.returncode),
                message=(len(told(run.stderr)) == 1 and "Permission denied (publickey)" in run.stderr, run.stderr)))
    with bench.other(ssh_command=f"ssh -F none -p {PORT} -o BatchMode=yes"):
        run = bench.run("-i", "v0", "-w", bench.scratch / "x.pcapng")
        checks.check("a host where nobody listens is told", faults(
            status=(run.returncode == 1, run.returncode), message=(len(told(run.stderr)) == 1 and "Connection refused" in run.stderr, run.stderr)))


def main():
    def run_parts(scratch, arguments, checks):
        bench = RemoteBench(arguments.binaries, scratch)
        # Where everybody may start it, and where it has no rights of its own.
        os.chmod(scratch, 0o755)
        bench.open_recorder = scratch / "recorder-without-rights"
        shutil.copy(bench.recorder, bench.open_recorder)
        os.chmod(bench.open_recorder, 0o755)
        for part in (test_stand_in, test_sshd):
            if is_wanted(part.__name__, arguments):
                part(bench, checks)

    return run_in_namespaces(__doc__, "recording on another host",
                             ["sanscope", "sanscope-recorder", "sanscope-remote-recorder", "packet_sender"], run_parts)


if __name__ == "__main__":
    sys.exit(main())

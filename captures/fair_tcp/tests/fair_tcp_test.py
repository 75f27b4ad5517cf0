#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope fair-tcp` in the running kernel, as root: it starts, connections that select it share one window, nothing has to
be repaired, it is stopped under load without harm, and nothing of it is left. Under a name of its own."""

import argparse
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, Checks, until  # noqa: E402

NAME = f"fair_{os.getpid() % 100000}"
BTF = pathlib.Path("/sys/kernel/btf/vmlinux")
BPF_FILES = pathlib.Path("/sys/fs/bpf")
PINS = pathlib.Path("/sys/fs/bpf/sanscope-fair-tcp") / NAME
AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
CONNECTIONS = 4


def run(*arguments, seconds=60):
    return subprocess.run([*map(str, arguments)], capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)


def said(done):
    return [f"exit status {done.returncode}", *(done.stdout + done.stderr).splitlines()[-20:]]


def ended(load):
    """What a load says that is ended while it runs."""
    load.send_signal(signal.SIGINT)
    return load.communicate(timeout=60)


def status(sanscope, *inside):
    """That of ours: others may have started theirs, under other names."""
    lines = run(*inside, sanscope, "fair-tcp", "status", "--json").stdout.splitlines()
    return next((one for one in map(json.loads, lines) if one["name"] == NAME), None)


def repaired(found):
    return [f"{count} {what}" for what, count in found["counters"].items() if what.startswith("repaired") and count]


def test_start(checks, sanscope):
    done = run(sanscope, "fair-tcp", "start", "--name", NAME)
    checks.check("it starts", [] if done.returncode == 0 else said(done))
    if done.returncode != 0:
        return False
    checks.check("it is a congestion control", [] if NAME in AVAILABLE.read_text().split() else [AVAILABLE.read_text()])
    again = run(sanscope, "fair-tcp", "start", "--name", NAME)
    checks.check("a second start says that it is started",
                 [] if again.returncode == 1 and "started already" in again.stderr else said(again))
    other = run(sanscope, "fair-tcp", "start", "--name", "reno")
    checks.check("a name that another one has is refused",
                 [] if other.returncode == 1 and "reno" in other.stderr else said(other))
    return True


def test_load(checks, sanscope):
    target = subprocess.Popen([sanscope, "target", "--listen", "127.0.0.1:0", "--backing", "null", "--json",
                               "--tcp-congestion", NAME], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        listening = json.loads(target.stdout.readline())
        url = f"iscsi://{listening['listening']}/{listening['target']}/0"
        load = subprocess.Popen([sanscope, "generate", "--connections", str(CONNECTIONS), "--duration", "1min", "--tcp-congestion",
                                 NAME, "--json", url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # The congestion control counts who is active anew as it goes.
        until(lambda: any(one["connections"] >= CONNECTIONS for one in status(sanscope)["ensembles"]))
        time.sleep(1)
        found = status(sanscope)
        connections = [one["connections"] for one in found["ensembles"]]
        checks.check("both ends' connections between the two addresses are one ensemble",
                     [] if connections and max(connections) >= CONNECTIONS else [str(found)])
        checks.check("no more are active than there are",
                     [str(one) for one in found["ensembles"] if one["active"] > one["connections"]])
        checks.check("nothing had to be repaired", repaired(found))
        stopped = run(sanscope, "fair-tcp", "stop", "--name", NAME)
        checks.check("stopped under load, it says how many connections use it still",
                     [] if stopped.returncode == 0 and "until they are closed" in stopped.stdout else said(stopped))
        out, errors = ended(load)
        checks.check("the load ends well", [] if load.returncode == 0 else [out, errors])
    finally:
        target.terminate()
        target.wait(timeout=20)
        target.stdout.close()


def test_idle(checks, sanscope):
    """The target alone selects it: of each connection its end is a member."""
    run(sanscope, "fair-tcp", "start", "--name", NAME)
    target = subprocess.Popen([sanscope, "target", "--listen", "127.0.0.1:0", "--backing", "null", "--json",
                               "--tcp-congestion", NAME], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    load = lambda *arguments: subprocess.Popen([sanscope, "generate", "--quiet", *arguments, url], stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL)
    counts = lambda: [(one["connections"], one["active"]) for one in status(sanscope)["ensembles"]]
    try:
        listening = json.loads(target.stdout.readline())
        url = f"iscsi://{listening['listening']}/{listening['target']}/0"
        idle = load("--connections", str(CONNECTIONS), "--think-time", "10min", "--duration", "1min")
        seen = until(lambda: [(CONNECTIONS, 0)] == counts()) and counts()
        checks.check("connections that are idle are not active, also while all are", [] if seen == [(CONNECTIONS, 0)] else [str(seen)])
        busy = load("--duration", "1min", "-q", "4")
        seen = until(lambda: [(CONNECTIONS + 1, 1)] == counts()) and counts()
        checks.check("… and the one that is not has their share", [] if seen == [(CONNECTIONS + 1, 1)] else [str(seen)])
        for one in (busy, idle):
            ended(one)
        seen = status(sanscope)
        checks.check("an ensemble is removed with its last connection", [] if seen["ensembles"] == [] else [str(seen)])
        checks.check("nothing had to be repaired for it", repaired(seen))
    finally:
        target.terminate()
        target.wait(timeout=20)
        target.stdout.close()
        run(sanscope, "fair-tcp", "stop", "--name", NAME)


@contextlib.contextmanager
def two_hosts():
    """Names of two network namespaces with a link between them: 192.0.2.1 and .2."""
    here, there = (f"sanscope-fair-{os.getpid()}-{end}" for end in "ab")
    try:
        for name in (here, there):
            run("ip", "netns", "add", name)
        run("ip", "-n", here, "link", "add", "to-b", "type", "veth", "peer", "name", "to-a", "netns", there)
        for name, device, address in ((here, "to-b", "192.0.2.1"), (there, "to-a", "192.0.2.2")):
            run("ip", "-n", name, "address", "add", f"{address}/24", "dev", device)
            run("ip", "-n", name, "link", "set", device, "up")
        yield here, there
    finally:
        for name in (here, there):
            run("ip", "netns", "delete", name)


def test_started_by_many_at_once(checks, sanscope):
    starts = [subprocess.Popen([sanscope, "fair-tcp", "start", "--name", NAME], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True) for _ in range(4)]
    said_by = [(one.communicate(timeout=60)[0], one.returncode) for one in starts]
    refused = [text for text, status in said_by if status == 1 and "started already" in text]
    checks.check("of several that start it at once, one does", [] if sorted(code for _, code in said_by) == [0, 1, 1, 1] and
                 len(refused) == 3 else [str(said_by)])
    stopped = run(sanscope, "fair-tcp", "stop", "--name", NAME)
    checks.check("… and it can be stopped", [] if stopped.returncode == 0 and NAME not in AVAILABLE.read_text().split()
                 else said(stopped))


def test_start_that_was_killed(checks, sanscope):
    """What it leaves: a folder without maps."""
    PINS.mkdir(mode=0o700, parents=True)
    shown = run(sanscope, "fair-tcp", "status", "--json")
    checks.check("a start that was killed does not hide the status of others",
                 [] if shown.returncode == 0 and NAME not in shown.stdout else said(shown))
    started = run(sanscope, "fair-tcp", "start", "--name", NAME)
    stopped = run(sanscope, "fair-tcp", "stop", "--name", NAME)
    checks.check("… and does not keep it from being started",
                 [] if started.returncode == stopped.returncode == 0 and not PINS.exists() else said(started) + said(stopped))


def test_folder_of_another(checks, sanscope):
    """Made before by whoever could, in a BPF file system in which everybody may."""
    PINS.mkdir(mode=0o700, parents=True)
    os.chown(PINS, 65534, 65534)
    refused = run(sanscope, "fair-tcp", "start", "--name", NAME)
    checks.check("nothing is pinned in a folder of another user", [] if refused.returncode == 1 and
                 "was made by user 65534" in refused.stderr and NAME not in AVAILABLE.read_text().split() else said(refused))
    PINS.rmdir()
    elsewhere = BPF_FILES / f"{NAME}_elsewhere"
    (elsewhere / "counters").mkdir(parents=True)
    os.symlink(elsewhere, PINS)
    refused = run(sanscope, "fair-tcp", "start", "--name", NAME)
    checks.check("… nor removed behind a link", [] if refused.returncode == 1 and "remove it first" in refused.stderr and
                 (elsewhere / "counters").is_dir() else said(refused))
    PINS.unlink()
    (elsewhere / "counters").rmdir()
    elsewhere.rmdir()
    with contextlib.suppress(OSError):
        PINS.parent.rmdir()


def test_hosts_that_cannot_be(checks, sanscope):
    with two_hosts() as (here, _):
        inside = ["nsenter", f"--net=/run/netns/{here}"]
        routes = lambda: run("ip", "-n", here, "route", "show").stdout
        before = routes()
        nameless = run(*inside, sanscope, "fair-tcp", "start", "--name", NAME, "--for", "iscsi://nosuchhost.invalid")
        checks.check("a host name that has no address is told", [] if nameless.returncode == 1 and
                     "nosuchhost.invalid" in nameless.stderr and NAME not in AVAILABLE.read_text().split() else said(nameless))
        both = ["--for", "192.0.2.2", "--for", "198.51.100.7"]
        refused = run(*inside, sanscope, "fair-tcp", "start", "--name", NAME, *both)
        checks.check("of two hosts, one that has no route is a reason for none", [] if refused.returncode == 1 and routes() == before
                     and NAME not in AVAILABLE.read_text().split() else said(refused) + [routes()])
        run(*inside, sanscope, "fair-tcp", "start", "--name", NAME)
        refused = run(*inside, sanscope, "fair-tcp", "start", "--name", NAME, *both)
        checks.check("… also where it was started before, and then it stays so", [] if refused.returncode == 1 and
                     routes() == before and NAME in AVAILABLE.read_text().split() else said(refused) + [routes()])
        bounded = run(*inside, "setpriv", "--bounding-set", "-net_admin", "--inh-caps", "-net_admin", sanscope, "fair-tcp", "start",
                      "--name", NAME, "--for", "192.0.2.2")
        checks.check("without CAP_NET_ADMIN it says so", [] if bounded.returncode == 1 and "cap_net_admin" in bounded.stderr and
                     routes() == before else said(bounded) + [routes()])
        run(*inside, sanscope, "fair-tcp", "stop", "--name", NAME)


def test_stopped_for_a_host_under_load(checks, sanscope):
    default = pathlib.Path("/proc/sys/net/ipv4/tcp_congestion_control")
    with two_hosts() as (here, there):
        inside = ["nsenter", f"--net=/run/netns/{here}"]
        routes = lambda: run("ip", "-n", here, "route", "show").stdout
        sockets = lambda: run(*inside, "ss", "-tinHO", "dst", "192.0.2.2").stdout
        before, default_before = routes(), default.read_text()
        run(*inside, sanscope, "fair-tcp", "start", "--name", NAME, "--for", "192.0.2.2")
        listener = subprocess.Popen(["nsenter", f"--net=/run/netns/{there}", sanscope, "target", "--listen", "192.0.2.2:0",
                                     "--backing", "null", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            listening = json.loads(listener.stdout.readline())
            url = f"iscsi://{listening['listening']}/{listening['target']}/0"
            asked = subprocess.Popen([*inside, sanscope, "generate", "--duration", "1min", "--json", "--tcp-congestion", "reno", url],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            until(sockets)
            seen = sockets()
            checks.check("who asks for another has that nevertheless", [] if " reno " in seen and f" {NAME} " not in seen else [seen])
            told = json.loads(ended(asked)[0])["tcp_differences"]
            checks.check("… and is not told otherwise", told)
            load = subprocess.Popen([*inside, sanscope, "generate", "--duration", "1min", "--connections", "2", url],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            until(lambda: sockets().count(f" {NAME} ") >= 2)
            stopped = run(*inside, sanscope, "fair-tcp", "stop", "--name", NAME)
            checks.check("stopped under load, it says what it takes away and who keeps it", [] if stopped.returncode == 0 and
                         "the route to 192.0.2.2" in stopped.stdout and "until they are closed" in stopped.stdout else said(stopped))
            checks.check("… the routes are what they were at once", [] if routes() == before else [routes()])
            checks.check("… connections under way have it still", [] if f" {NAME} " in sockets() else [sockets()])
            out = ended(load)[0]
            checks.check("… and the load ends well", [] if load.returncode == 0 else [out])
        finally:
            listener.terminate()
            listener.wait(timeout=20)
            listener.stdout.close()
        checks.check("the default congestion control is untouched", [] if default.read_text() == default_before else [default.read_text()])


def test_for_a_host(checks, sanscope):
    """The control itself is the kernel's, the route that of one host: `nsenter`, as `ip netns exec` hides /sys/fs/bpf."""
    with two_hosts() as (here, there):
        inside = ["nsenter", f"--net=/run/netns/{here}"]
        routes = lambda: run("ip", "-n", here, "route", "show").stdout
        before = routes()
        fair_tcp = lambda *arguments: run(*inside, sanscope, "fair-tcp", *arguments)
        none = fair_tcp("start", "--name", NAME, "--for", "198.51.100.7")
        checks.check("a host without a route is told, and nothing is left",
                     [] if none.returncode == 1 and "no route to 198.51.100.7" in none.stderr and
                     NAME not in AVAILABLE.read_text().split() else said(none))
        own = fair_tcp("start", "--name", NAME, "--for", "iscsi://192.0.2.1")
        checks.check("an address of its own is told",
                     [] if own.returncode == 1 and "not another host's address" in own.stderr and routes() == before else said(own))
        done = fair_tcp("start", "--name", NAME, "--for", "iscsi://192.0.2.2:3260")
        again = fair_tcp("start", "--name", NAME, "--for", "192.0.2.2")
        checks.check("it is selected for one host, once", [] if done.returncode == again.returncode == 0 and
                     routes().count(f"192.0.2.2 dev to-b proto 90 scope link src 192.0.2.1 congctl {NAME}") == 1
                     else said(done) + said(again) + [routes()])
        found = status(sanscope, *inside)
        checks.check("the status says for which", [] if found and found["selected_for"] == ["192.0.2.2"] else [str(found)])
        listener = subprocess.Popen(["nsenter", f"--net=/run/netns/{there}", sanscope, "target", "--listen", "192.0.2.2:0",
                                     "--backing", "null", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            listening = json.loads(listener.stdout.readline())
            load = subprocess.Popen([*inside, sanscope, "generate", "--duration", "1min",
                                     f"iscsi://{listening['listening']}/{listening['target']}/0"],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            sockets = until(lambda: run(*inside, "ss", "-tinHO", "dst", "192.0.2.2").stdout)
            checks.check("a connection to it has it, unasked", [] if f" {NAME} " in sockets else [sockets])
            out = ended(load)[0]
            checks.check("the load to it ends well", [] if load.returncode == 0 else [out])
        finally:
            listener.terminate()
            listener.wait(timeout=20)
            listener.stdout.close()
        stopped = fair_tcp("stop", "--name", NAME)
        checks.check("stopped, the routes are what they were", [] if stopped.returncode == 0 and routes() == before
                     else said(stopped) + [routes()])


def test_left_behind(checks, sanscope):
    checks.check("nothing is registered any more", [AVAILABLE.read_text()] if NAME in AVAILABLE.read_text().split() else [])
    checks.check("nothing is pinned any more", [str(PINS)] if PINS.exists() else [])
    again = run(sanscope, "fair-tcp", "stop", "--name", NAME)
    checks.check("a second stop says that it is not started",
                 [] if again.returncode == 1 and "not started" in again.stderr else said(again))
    restarted = run(sanscope, "fair-tcp", "start", "--name", NAME)
    stopped = run(sanscope, "fair-tcp", "stop", "--name", NAME)
    checks.check("it can be started again", [] if restarted.returncode == stopped.returncode == 0 else said(restarted))


@contextlib.contextmanager
def bpf_file_system():
    """Mounted meanwhile where it is not; yields what the kernel lacks for Fair-TCP, or nothing."""
    if not BTF.exists():
        yield f"there is no {BTF}"
    elif BPF_FILES.is_mount():
        yield ""
    else:
        mounted = run("mount", "-t", "bpf", "bpf", BPF_FILES)
        if mounted.returncode != 0:
            yield f"no BPF file system at {BPF_FILES}: {mounted.stderr.strip()}"
            return
        try:
            yield ""
        finally:
            run("umount", BPF_FILES)


def test_as_root(checks, sanscope):
    with bpf_file_system() as missing:
        if missing:
            checks.skip("Fair-TCP in this kernel", missing)
            return
        try:
            if test_start(checks, sanscope):
                test_load(checks, sanscope)
                test_left_behind(checks, sanscope)
                test_idle(checks, sanscope)
                test_started_by_many_at_once(checks, sanscope)
                test_start_that_was_killed(checks, sanscope)
                test_folder_of_another(checks, sanscope)
                test_hosts_that_cannot_be(checks, sanscope)
                test_stopped_for_a_host_under_load(checks, sanscope)
                test_for_a_host(checks, sanscope)
        finally:
            run(sanscope, "fair-tcp", "stop", "--name", NAME)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    sanscope = parser.parse_args().sanscope
    checks = Checks()
    wrong = run(sanscope, "fair-tcp", "start", "--name", "../fair")
    checks.check("what is no name is wrong usage", [] if wrong.returncode == 2 else said(wrong))
    if os.geteuid() != 0:
        refused = run(sanscope, "fair-tcp", "start", "--name", NAME)
        checks.check("without rights it says which it needs",
                     [] if refused.returncode == 1 and "cap_bpf" in refused.stderr else said(refused))
    else:
        test_as_root(checks, sanscope)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

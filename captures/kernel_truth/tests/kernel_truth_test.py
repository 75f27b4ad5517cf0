#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What sanscope learns from the kernel, held against the kernel's own text.

Two hosts in network namespaces of their own exchange data over a link with too small a queue, which also goes down for
a while. kernel_truth_dump records by BPF, by perf events and by INET_DIAG, and at the same time an instance of tracefs
records the tracepoints as text. By BPF and perf events every event must be there, in order, with the same values and at
the same time; what INET_DIAG samples must be among the values that the text has around that moment.

There are systems that keep BPF and perf events away from certain tasks: where an interrupt's work falls on top of one
of these, nothing is told of it. An event may be missing if it happened on top of a task on top of which not one event
was told, neither by BPF nor by perf events; any other that is missing must be counted as lost. By BPF hardly any may be
missing; of perf events some kernels leave no record while the processor idles, but count them.

Needs root; where something is missing, it says so and skips. With --overhead it measures instead what recording
costs."""

import argparse
import bisect
import collections
import contextlib
import copy
import ctypes
import fcntl
import math
import ipaddress
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))

from harness import Checks, missing_program  # noqa: E402

DUMP = ROOT / "build" / "release" / "bin" / "kernel_truth_dump"
TRACEFS = pathlib.Path("/sys/kernel/tracing")
PORTS = (33260, 33261)
MIB = 1 << 20
MILLISECOND = 1_000_000
STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
INFINITE_SSTHRESH = 0x7FFFFFFF
CLONE_NEWNET = 0x40000000
IPV4_MSS, IPV6_MSS = 1448, 1428  # of an MTU of 1500, with time stamps

# One socket's ends as (address, port, address, port), the local one first.
Window = collections.namedtuple("Window", "time_ns snd_una snd_nxt cwnd ssthresh snd_wnd srtt_us rcv_wnd ca_state")
Transition = collections.namedtuple("Transition", "time_ns state")
ETHTOOL_SGRO, SIOCETHTOOL = 0x2C, 0x8946


def figures(window):
    """All but time and state, which the tracepoint's text lacks."""
    return window[1:8]


class Record:
    """What one reader told: windows and transitions by ends, in order; for each pair of ends its sockets."""

    def __init__(self):
        self.windows = collections.defaultdict(list)
        self.transitions = collections.defaultdict(list)
        self.sockets = collections.defaultdict(dict)  # ends to {number or pointer: (congestion control, mss)}
        self.tasks = collections.defaultdict(list)  # (kind, ends) to the tasks on top of which its events happened
        self.lost = 0

    def events(self):
        return sum(map(len, self.windows.values())) + sum(map(len, self.transitions.values()))


# ---- What kernel_truth_dump tells

def number(text):
    return int(text) if text else None


def read_dump(path):
    record, ends = Record(), {}
    for line in path.read_text().splitlines():
        kind, *cells = line.split(",")
        if kind == "socket":
            key, local, local_port, remote, remote_port, control, mss = cells
            ends[key] = (local, int(local_port), remote, int(remote_port))
            record.sockets[ends[key]][key] = (control, int(mss))
        elif kind == "window":
            record.windows[ends[cells[0]]].append(Window(*map(number, cells[1:])))
        elif kind == "transition":
            record.transitions[ends[cells[0]]].append(Transition(*map(number, cells[1:])))
        elif kind == "lost":
            record.lost += int(cells[0])
        else:
            raise ValueError(line)
    return record


# ---- What the text of tracefs tells

EVENT = re.compile(r"\s*(?P<task>.*-\d+)\s+\[\d+\] \S+\s+(?P<seconds>\d+)\.(?P<micros>\d{6}): "
                   r"(?P<name>tcp_probe|tcp_cong_state_set): (?P<fields>.*)")
END = re.compile(r"\[?(?P<address>[0-9a-f:.]+?)\]?:(?P<port>\d+)$")


def end_of(text):
    found = END.match(text)
    return plain_address(found["address"]), int(found["port"])


def plain_address(text):
    address = ipaddress.ip_address(text)
    return str(getattr(address, "ipv4_mapped", None) or address)


def read_trace(lines, real_minus_trace_ns):
    """The events of an instance's trace. Windows tell a socket by pointer and cookie, transitions by its ends alone.
    The state of a window is the one last set since the socket was first met."""
    record, states = Record(), {}
    for line in lines:
        found = EVENT.match(line)
        if not found:
            continue
        time_ns = int(found["seconds"]) * 10**9 + int(found["micros"]) * 1000 + real_minus_trace_ns
        fields = dict(pair.split("=", 1) for pair in found["fields"].split() if "=" in pair)
        if found["name"] == "tcp_probe":
            ends = (*end_of(fields["src"]), *end_of(fields["dest"]))
            key = (fields.get("skaddr"), fields["sock_cookie"])
            if key not in record.sockets[ends]:
                record.sockets[ends][key] = None
                states.pop(ends, None)
            ssthresh = int(fields["ssthresh"])
            record.tasks["windows", ends].append(found["task"])
            record.windows[ends].append(Window(
                time_ns, int(fields["snd_una"], 0), int(fields["snd_nxt"], 0), int(fields["snd_cwnd"]),
                None if ssthresh >= INFINITE_SSTHRESH else ssthresh, int(fields["snd_wnd"]), int(fields["srtt"]),
                int(fields["rcv_wnd"]), states.get(ends)))
        else:
            # The family is not told by every kernel while pointers are; IPv4 has mapped addresses here, too.
            remote = plain_address(fields["daddrv6"])
            if ipaddress.ip_address(remote).is_unspecified:
                continue  # of a connection that is being made: it has no other end yet
            ends = (plain_address(fields["saddrv6"]), int(fields["sport"]), remote, int(fields["dport"]))
            states[ends] = int(fields["cong_state"])
            record.tasks["transitions", ends].append(found["task"])
            record.transitions[ends].append(Transition(time_ns, int(fields["cong_state"])))
    return record


class TraceInstance:
    """An instance of tracefs of our own, which records the two tracepoints as text."""

    EVENTS = ("tcp_probe", "tcp_cong_state_set")

    def __init__(self, name):
        self.folder = TRACEFS / "instances" / name

    def __enter__(self):
        self.folder.mkdir()
        self.clock = "tai" if " tai" in (self.folder / "trace_clock").read_text() else "mono"
        self.write("trace_clock", self.clock)
        self.write("buffer_size_kb", "32768")
        self.write("options/hash-ptr", "0")
        ports = "||".join(f"sport=={port}||dport=={port}" for port in PORTS)
        for event in self.EVENTS:
            self.write(f"events/tcp/{event}/filter", ports)
            self.write(f"events/tcp/{event}/enable", "1")
        return self

    def __exit__(self, *_):
        for event in self.EVENTS:
            self.write(f"events/tcp/{event}/enable", "0")
        self.folder.rmdir()

    def write(self, file, text):
        (self.folder / file).write_text(text)

    def read(self):
        """The record, after the last event; what the instance itself lost is lost."""
        self.write("tracing_on", "0")
        clock = {"tai": time.CLOCK_TAI, "mono": time.CLOCK_MONOTONIC}[self.clock]
        difference = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(clock)
        if self.clock == "tai":
            difference = round(difference / 1e9) * 10**9
        with open(self.folder / "trace", encoding="utf-8", errors="replace") as lines:
            record = read_trace(lines, difference)
        for stats in self.folder.glob("per_cpu/cpu*/stats"):
            for name, value in (line.split(": ") for line in stats.read_text().splitlines()):
                if name in ("overrun", "commit overrun", "dropped events"):
                    record.lost += int(value)
        return record


# ---- The hosts and their traffic

def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")


class Hosts:
    """Two network namespaces and the link between them. `rate`: of a queue too small for it, at the first host."""

    ADDRESSES = {socket.AF_INET: ("192.0.2.1", "192.0.2.2"), socket.AF_INET6: ("2001:db8::1", "2001:db8::2")}

    def __init__(self, name, rate=None):
        self.names = (f"{name}-a", f"{name}-b")
        self.rate = rate

    def __enter__(self):
        try:
            for name in self.names:
                run("ip", "netns", "add", name)
            run("ip", "link", "add", "link0", "netns", self.names[0], "type", "veth", "peer", "name", "link0",
                "netns", self.names[1])
            for index, name in enumerate(self.names):
                run("ip", "-n", name, "addr", "add", self.ADDRESSES[socket.AF_INET][index] + "/24", "dev", "link0")
                run("ip", "-n", name, "addr", "add", self.ADDRESSES[socket.AF_INET6][index] + "/64", "dev", "link0",
                    "nodad")
                run("ip", "-n", name, "link", "set", "link0", "up")
                self.use_threads(index)
            if self.rate:
                run("tc", "-n", self.names[0], "qdisc", "add", "dev", "link0", "root", "tbf", "rate", self.rate,
                    "burst", "16kb", "limit", "24kb")
        except RuntimeError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)

    def use_threads(self, host):
        """What arrives is worked on by a kernel thread of the interface: of NAPI, which veth has with GRO."""
        with self.socket(host) as any_socket:
            request = ctypes.create_string_buffer(struct.pack("II", ETHTOOL_SGRO, 1))
            fcntl.ioctl(any_socket, SIOCETHTOOL, struct.pack("16sP16x", b"link0", ctypes.addressof(request)))
        run("ip", "netns", "exec", self.names[host], "sh", "-c", "echo 1 > /sys/class/net/link0/threaded")

    def pause(self, seconds):
        """The link carries nothing for so long: what is on the way is lost, and timers expire."""
        run("tc", "-n", self.names[1], "qdisc", "add", "dev", "link0", "root", "tbf", "rate", "1kbit", "burst", "100",
            "limit", "100")
        time.sleep(seconds)
        run("tc", "-n", self.names[1], "qdisc", "del", "dev", "link0", "root")

    def socket(self, host, family=socket.AF_INET):
        """A socket of a host: it stays one when its thread goes home."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/thread-self/ns/net") as home, open(f"/run/netns/{self.names[host]}") as away:
            if libc.setns(away.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            try:
                return socket.socket(family, socket.SOCK_STREAM)
            finally:
                if libc.setns(home.fileno(), CLONE_NEWNET) != 0:
                    os._exit(1)


def set_congestion_control(connection, name):
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0].decode()


def transfer(hosts, size, family=socket.AF_INET, port=PORTS[0], control="cubic", source_port=0, reset=False):
    """The first host sends `size` bytes to the second, which answers with one. Returns the sender's ends and congestion
    control. With `reset` the sender ends by a reset, so that its port can be used again at once."""
    addresses = hosts.ADDRESSES[family]
    with hosts.socket(1, family) as listener, hosts.socket(0, family) as sender:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for one in (listener, sender):
            one.settimeout(60)
        used = set_congestion_control(sender, control)
        listener.bind((addresses[1], port))
        listener.listen(1)
        sender.bind((addresses[0], source_port))
        sender.connect((addresses[1], port))
        ends = (addresses[0], sender.getsockname()[1], addresses[1], port)
        receiver = threading.Thread(target=receive, args=(listener, size))
        receiver.start()
        chunk = bytes(64 << 10)
        left = size
        while left > 0:
            sender.sendall(chunk[:left])
            left -= len(chunk)
        sender.recv(1)
        if reset:
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sender.close()
        receiver.join()
    return ends, used


def receive(listener, size):
    connection, _ = listener.accept()
    connection.settimeout(60)
    buffer = bytearray(1 << 20)
    with connection:
        while size > 0:
            size -= connection.recv_into(buffer)
        connection.sendall(b"x")
        with contextlib.suppress(OSError):
            connection.recv(1)


def traffic(hosts):
    """Returns {ends of a sender: its congestion control}."""
    senders = {}

    def one(*arguments, **options):
        ends, control = transfer(hosts, *arguments, **options)
        senders[ends] = control

    def at_once(*transfers):
        threads = [threading.Thread(target=one, args=arguments, kwargs=options) for arguments, options in transfers]
        for thread in threads:
            thread.start()
        return threads

    # Two at a time, so that sockets live beside each other.
    running = at_once(((12 * MIB,), {"control": "cubic"}), ((12 * MIB,), {"family": socket.AF_INET6, "control": "reno"}))
    time.sleep(0.5)
    hosts.pause(0.7)
    for thread in running:
        thread.join()
    one(8 * MIB, control="bbr", port=PORTS[1])
    # The same ends several times, and many short connections on memory that others had before.
    for _ in range(3):
        one(64 << 10, source_port=47_000, reset=True)
    for _ in range(20):
        one(4 << 10)
    return senders


class Dump:
    """kernel_truth_dump while it records."""

    def __init__(self, program, method, folder, prefix=(), extra=()):
        self.path = folder / f"{method}.csv"
        ports = [word for port in PORTS for word in ("--port", str(port))]
        with open(self.path, "w") as out:
            self.process = subprocess.Popen([*prefix, program, "--method", method, *ports, *extra], stdout=out,
                                            stderr=subprocess.PIPE, text=True)
        self.said = self.process.stderr.readline().strip()
        self.records = self.said.startswith("recording")

    def finish(self):
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=60)
        if self.process.returncode != 0:
            raise RuntimeError(said)
        return said.strip()


# ---- Comparisons: each gives the faults, none where the claim holds

def name_of(ends):
    return f"{ends[0]}:{ends[1]} -> {ends[2]}:{ends[3]}"


PARTS = {"windows": figures, "transitions": lambda event: event.state}


def pair(ours, theirs, part):
    """The events of the text that belong to those of a record, one by one in order: of all ways in which the values are
    the same, that in which the times differ least. As indices, fewer than ours from the first event on that fits
    nowhere."""
    most = len(theirs) - len(ours)  # that the record lacks
    costs, choices = [0] * (most + 1), []
    for at, event in enumerate(ours):
        # costs[k]: of all up to here, with k of the text passed over. choices[-1][k]: how many were before this event.
        choice, best, new = [], 0, []
        for k in range(most + 1):
            if costs[k] < costs[best]:
                best = k
            other = theirs[at + k]
            new.append(costs[best] + abs(other.time_ns - event.time_ns) if part(other) == part(event) else math.inf)
            choice.append(best)
        if min(new, default=math.inf) == math.inf:
            break
        costs = new
        choices.append(choice)
    indices, k = [], min(range(most + 1), key=costs.__getitem__, default=0)
    for at in reversed(range(len(choices))):
        indices.append(at + k)
        k = choices[at][k]
    return indices[::-1]


class Pairing:
    """How a record and the text go together. `told`: tasks on top of which an event was told; `missing`: what the
    record lacks, as (kind, ends, event of the text, its task)."""

    def __init__(self, record, text):
        self.pairs, self.faults, self.told, self.missing = collections.defaultdict(list), [], set(), []
        for kind, part in PARTS.items():
            for ends in sorted(getattr(record, kind).keys() | getattr(text, kind).keys()):
                self.add(kind, ends, getattr(record, kind).get(ends, []), getattr(text, kind).get(ends, []),
                         text.tasks.get((kind, ends), []), part)

    def add(self, kind, ends, ours, theirs, tasks, part):
        indices = pair(ours, theirs, part)
        self.pairs[kind] += [(ends, event, theirs[index]) for event, index in zip(ours, indices)]
        self.told |= {tasks[index] for index in indices}
        if len(indices) < len(ours):
            self.faults.append(f"{name_of(ends)}: of {len(ours)} {kind}, {len(theirs)} in the text, the {len(indices)}. fits "
                               f"nowhere: {ours[len(indices)]}")
        else:
            self.missing += [(kind, ends, theirs[index], tasks[index])
                             for index in sorted(set(range(len(theirs))) - set(indices))]

    def uncounted(self, lost, silent):
        """What is missing beyond those that are counted as lost."""
        missing = [f"{name_of(ends)}: {event} is missing; it happened on top of {task}"
                   for _, ends, event, task in self.missing if task not in silent]
        return [f"{len(missing)} events are missing, {lost} are counted as lost", *missing] if len(missing) > lost else []


def time_faults(pairs):
    """The readers see one event one after the other: they differ by little, unless the machine held one of them up."""
    gaps = [abs(ours.time_ns - theirs.time_ns) for _, ours, theirs in pairs]
    if not gaps:
        return ["nothing to compare"]
    middle, most = statistics.median(gaps), max(gaps)
    print(f"        times differ by {middle / 1000:.1f} us in the middle, {most / 1000:.0f} us at most")
    if middle > 20_000 or most > 20 * MILLISECOND:
        return [f"times differ by {middle} ns in the middle, {most} ns at most"]
    return []


def order_faults(record_path):
    """Times must not go back within a kind, from the first line to the last."""
    last, faults = {}, []
    for line in record_path.read_text().splitlines():
        kind, *cells = line.split(",")
        if kind in ("window", "transition"):
            if int(cells[1]) < last.get(kind, 0):
                faults.append(line)
            last[kind] = int(cells[1])
    return faults


def socket_faults(record, text):
    """A socket of which every event is missing is not there."""
    faults = []
    for ends in sorted(text.sockets):
        ours, theirs = len(record.sockets.get(ends, {})), len(text.sockets[ends])
        if ours > theirs or (ours < theirs and record.lost == 0):
            faults.append(f"{name_of(ends)}: {ours} sockets, {theirs} in the text")
    return faults


def state_faults(pairs):
    """Of windows after a state was first set."""
    return [f"{name_of(ends)} at {ours.time_ns}: {ours.ca_state}, in the text {theirs.ca_state}"
            for ends, ours, theirs in pairs if theirs.ca_state is not None and ours.ca_state != theirs.ca_state]


def description_faults(record, senders):
    faults = []
    for ends, control in senders.items():
        mss = IPV6_MSS if ":" in ends[0] else IPV4_MSS
        for told in record.sockets.get(ends, {None: ("none", 0)}).values():
            if told != (control, mss):
                faults.append(f"{name_of(ends)}: {told}, expected {(control, mss)}")
    return faults


def sample_faults(record, text):
    """A sample is a state between two events: what it holds the event after it tells, which holds what was before it.
    Where a timer set another state in between, figures were replaced that no event tells; such samples are left out."""
    faults, compared = [], 0
    for ends, rows in record.windows.items():
        theirs = text.windows.get(ends, [])
        times = [window.time_ns for window in theirs]
        set_at = [transition.time_ns for transition in text.transitions.get(ends, [])]
        for sample in rows:
            begin = max(bisect.bisect_left(times, sample.time_ns - 5 * MILLISECOND) - 1, 0)
            end = bisect.bisect_right(times, sample.time_ns + 5 * MILLISECOND) + 1
            if end > len(theirs):
                continue  # no event tells what held after the last one
            first = min(times[begin], sample.time_ns)
            if bisect.bisect_left(set_at, first) != bisect.bisect_right(set_at, times[end - 1]):
                continue
            compared += 1
            for name in ("cwnd", "ssthresh", "snd_wnd", "srtt_us"):
                around = {getattr(window, name) for window in theirs[begin:end]}
                if getattr(sample, name) not in around:
                    faults.append(f"{name_of(ends)} at {sample.time_ns}: {name} {getattr(sample, name)}, "
                                  f"in the text {sorted(around, key=str)}")
    print(f"        {compared} samples compared")
    return faults if compared > 100 else [*faults, f"only {compared} samples could be compared"]


def compare_events(checks, name, record, pairing, text, silent, path):
    left_out, events = len(pairing.missing), text.events()
    tasks = sorted({task for *_, task in pairing.missing})
    print(f"        {name}: {left_out} of {events} events are missing, on top of {', '.join(tasks) or 'none'}; "
          f"{record.lost} counted as lost")
    checks.check(f"{name}: the text has all that is told, in order, with the same values", pairing.faults)
    checks.check(f"{name}: every event is told or counted as lost", pairing.uncounted(record.lost, silent))
    if name == "bpf":
        checks.check("bpf: hardly any event is missing", [f"{left_out} of {events}"] if left_out > events / 50 else [])
    checks.check(f"{name}: each event is told at its time", time_faults(sum(pairing.pairs.values(), [])))
    checks.check(f"{name}: times never go back", order_faults(path))
    checks.check(f"{name}: as many sockets of the same ends", socket_faults(record, text))


def compare(checks, program):
    name = f"sanscope-truth-{os.getpid()}"
    with (tempfile.TemporaryDirectory() as folder, Hosts(name, rate="60mbit") as hosts, TraceInstance(name) as trace):
        folder = pathlib.Path(folder)
        dumps = {"bpf": Dump(program, "bpf", folder), "perf": Dump(program, "perf", folder),
                 "inet-diag": Dump(program, "inet-diag", folder, ("ip", "netns", "exec", hosts.names[0]),
                                   ("--sample-interval", "5"))}
        senders = traffic(hosts)
        time.sleep(0.2)
        for dump in dumps.values():
            if dump.records:
                print(f"        {dump.path.stem}: {dump.finish()}")
        text = trace.read()
        reached = collections.Counter(STATES[event.state] for rows in text.transitions.values() for event in rows)
        print(f"        the text has {text.events()} events; states set: {dict(reached)}")
        checks.check("the text itself lacks nothing", [f"{text.lost} events"] if text.lost else [])
        checks.check("the traffic met Recovery and Loss",
                     [state for state in ("Recovery", "Loss") if not reached[state]])
        records = {}
        for method in ("bpf", "perf"):
            if dumps[method].records:
                records[method] = read_dump(dumps[method].path)
            else:
                checks.skip(f"{method} against the text", dumps[method].said)
        # Without the socket's pointer in tcp_probe (before Linux 6.2) perf events cannot tell transitions.
        texts = dict.fromkeys(records, text)
        if "perf" in records and " skaddr;" not in (TRACEFS / "events" / "tcp" / "tcp_probe" / "format").read_text():
            texts["perf"] = copy.copy(text)
            texts["perf"].transitions = {}
        pairings = {method: Pairing(record, texts[method]) for method, record in records.items()}
        told = set().union(*(pairing.told for pairing in pairings.values()))
        silent = {task for pairing in pairings.values() for *_, task in pairing.missing} - told
        for method, record in records.items():
            compare_events(checks, method, record, pairings[method], texts[method], silent, dumps[method].path)
        if "bpf" in records:
            checks.check("bpf: the state of each window is the one last set", state_faults(pairings["bpf"].pairs["windows"]))
            checks.check("bpf: congestion control and segment size are the sockets' own",
                         description_faults(records["bpf"], senders))
        if not dumps["inet-diag"].records:
            checks.skip("inet-diag against the text", dumps["inet-diag"].said)
            return
        checks.check("inet-diag: samples are among the values around them",
                     sample_faults(read_dump(dumps["inet-diag"].path), text))


# ---- What it costs

def overhead(program, rounds, mebibytes):
    """One connection over a link without limits, with nothing else and with each method in turn."""
    def cpu_seconds(who):
        used = resource.getrusage(who)
        return used.ru_utime + used.ru_stime

    results = collections.defaultdict(list)
    name = f"sanscope-truth-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder, Hosts(name) as hosts:
        transfer(hosts, 64 * MIB)
        for _ in range(rounds):
            for method in (None, "bpf", "perf", "inet-diag"):
                prefix = ("ip", "netns", "exec", hosts.names[0]) if method == "inet-diag" else ()
                dump = Dump(program, method, pathlib.Path(folder), prefix) if method else None
                before, children, start = cpu_seconds(resource.RUSAGE_SELF), cpu_seconds(resource.RUSAGE_CHILDREN), time.time()
                transfer(hosts, mebibytes * MIB)
                took, used = time.time() - start, cpu_seconds(resource.RUSAGE_SELF) - before
                said = dump.finish() if dump else ""
                reader = cpu_seconds(resource.RUSAGE_CHILDREN) - children if dump else 0.0
                results[method].append((mebibytes / took, used, reader))
                print(f"{method or 'nothing':10} {mebibytes / took:8.0f} MiB/s, {used:6.3f} s CPU of both ends, "
                      f"{reader:6.3f} s of the reader  {said}")
    for method, rows in results.items():
        middle = [statistics.median(column) for column in zip(*rows)]
        print(f"{method or 'nothing':10} in the middle {middle[0]:.0f} MiB/s, {middle[1]:.3f} s, {middle[2]:.3f} s")


def missing():
    """What is needed and not there, or None."""
    if os.geteuid() != 0:
        return "network namespaces and tracefs need root"
    for program in ("ip", "tc"):
        if shutil.which(program) is None:
            return f"{program} is not there"
    if not (TRACEFS / "instances").is_dir():
        return f"{TRACEFS} is not mounted"
    if not (TRACEFS / "events" / "tcp" / "tcp_cong_state_set").is_dir():
        return "the kernel has no tracepoint tcp_cong_state_set"
    probe = f"sanscope-probe-{os.getpid()}"
    try:
        with Hosts(probe, rate="60mbit"):
            return None
    except RuntimeError as error:
        return str(error)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=DUMP, help="kernel_truth_dump")
    parser.add_argument("--overhead", action="store_true", help="measure what recording costs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mebibytes", type=int, default=2000)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.program):
        sys.exit(reason)
    checks = Checks()
    if reason := missing():
        checks.skip("what the kernel tells against tracefs", reason)
        return checks.finish()
    if arguments.overhead:
        overhead(arguments.program, arguments.rounds, arguments.mebibytes)
        return 0
    compare(checks, arguments.program)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

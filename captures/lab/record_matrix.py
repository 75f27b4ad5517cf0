#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records loads whose settings are drawn from a seed, each with the kernels' own record of both ends, for
captures/lab/score.

  sudo captures/lab/record_matrix.py --seed 1 --count 30 FOLDER

Sizes from 4 to 256 KiB, reads, writes and both, queues of 1 to 32, one to four sessions, think time, losses up to one
per cent, bottlenecks, reordering, round trips from 0.2 to 30 ms, and the three congestion controls in turn; by the
project's initiator and target or by libiscsi and tgtd. A tenth of the recordings, drawn by the same seed, is put into
FOLDER/unseen:
to be looked at only when nothing is changed any more.

With --unusual each recording also has one or two of what hosts and paths are seldom set to: TCP without timestamps, SACK,
D-SACK or window scaling, with ECN; no tail loss probes, RACK or F-RTO; no slow start after idle; another initial window,
slow start threshold or least timeout of the route; small buffers; small and large packets; acknowledgements lost or delayed
unevenly; packets that come twice, deep reordering, bursts of losses, a stall; a path whose delay or rate changes.

Each recording is a folder as README.md describes. Everything happens in three network namespaces of this process, which
are removed again. Needs root, the programs of the build, and tgt, ethtool, iproute2, tcpdump."""

import argparse
import collections
import csv
import json
import os
import pathlib
import platform
import random
import signal
import subprocess
import sys
import time

LAB = pathlib.Path(__file__).resolve().parent
ROOT = LAB.parent.parent
CA_STATES = ("Open", "Disorder", "CWR", "Recovery", "Loss")
CONTROLS = ("cubic", "reno", "bbr")
INITIATOR, TARGET = "10.99.1.1", "10.99.1.2"
TARGET_NAME = "iqn.2026-01.org.example:disk"
INITIATOR_NAME = "iqn.2026-01.org.example:initiator"
SERIAL = "MATRIX"
MTU = 1500
KIB = 1024
SECONDS = 3
MOST_BYTES = 24_000_000
UNSEEN_SHARE = 10  # one in so many
TRUTH = ("time", "src", "sport", "dst", "dport", "ev", "snd_cwnd", "ssthresh", "snd_wnd", "srtt_us", "snd_una",
         "snd_nxt", "write_seq", "ca_state", "mss")
STATES = ("time", "src", "sport", "dst", "dport", "state", "old_state")
NO_SSTHRESH = 0x7fffffff


class RecordingFailed(Exception):
    pass


# ---- What is drawn

def draw(seed, number):
    """The settings of one recording; each depends on the seed and its number alone."""
    chance = random.Random(f"{seed}/{number}")
    sizes = [chance.choice((4, 8, 16, 32, 64, 128, 256))]
    if chance.random() < 0.25:
        sizes = sorted(chance.sample((4, 8, 16, 32, 64, 128, 256), 3))
    settings = {
        "cc": CONTROLS[number % len(CONTROLS)],
        "sizes_kib": sizes,
        "write_share": chance.choice((0, 0, 1, 0.5, 0.3)),
        "depth": chance.choice((1, 2, 4, 8, 16, 32)),
        "sessions": chance.choice((1, 1, 1, 2, 4)),
        "random": chance.random() < 0.5,
        "think_us": chance.choice((0, 0, 0, 500, 3000, 20000)),
        "loss": chance.choice((0, 0, 0.0005, 0.002, 0.01)),
        "delay_us": round(100 * 150 ** chance.random()),  # of one way: round trips of 0.2 to 30 ms
        "rate_mbit": chance.choice((400, 400, 200, 100, 50, 25)),
        "queue": chance.choice((5000, 5000, 100, 40, 20)),
        "reorder": chance.choice((0, 0, 0, 0.005)),
        "reorder_us": chance.choice((500, 2000)),
        "target": chance.choice(("sanscope", "tgtd")),
        "initiator": "libiscsi" if len(sizes) > 1 else chance.choice(("sanscope", "libiscsi")),
        "seed": chance.randrange(1 << 30),
    }
    if settings["reorder"] == 0:
        del settings["reorder_us"]
    if settings["queue"] == 5000:
        del settings["queue"]
    return settings


def of_acknowledgements(settings, option):
    """A link option of the direction of the acknowledgements: from the side that mostly receives."""
    return f"{'ba' if settings['write_share'] > 0.5 else 'ab'}-{option}"


# What each makes of the settings, given a source of chance: sysctls of the hosts (without net.ipv4.tcp_), options of their route
# to each other, options of the link.
UNUSUAL = {
    "no_timestamps": lambda s, chance: {"sysctl": {"timestamps": 0}},
    "no_scaling": lambda s, chance: {"sysctl": {"window_scaling": 0}},
    "no_sack": lambda s, chance: {"sysctl": {"sack": 0}},
    "no_dsack": lambda s, chance: {"sysctl": {"dsack": 0}},
    "ecn": lambda s, chance: {"sysctl": {"ecn": 1}, "link": {"ecn-mark-at": chance.choice((5, 15, 40)),
                                                             "rate-mbit": chance.choice((15, 25, 50))}},
    "no_tlp": lambda s, chance: {"sysctl": {"early_retrans": 0}},
    "no_rack": lambda s, chance: {"sysctl": {"recovery": 0}},
    "no_frto": lambda s, chance: {"sysctl": {"frto": 0}, "link": stall(chance)},
    "no_idle_restart": lambda s, chance: {"sysctl": {"slow_start_after_idle": 0}, "think_us": 300_000},
    "initcwnd": lambda s, chance: {"route": ["initcwnd", chance.choice((2, 20, 50))]},
    "ssthresh": lambda s, chance: {"route": ["ssthresh", chance.choice((8, 20, 40))]},
    "rto_min": lambda s, chance: {"route": ["rto_min", f"{chance.choice((5, 50, 500))}ms"], "loss": 0.01},
    "quickack": lambda s, chance: {"route": ["quickack", 1]},
    "send_buffer": lambda s, chance: {"sysctl": {"wmem": f"4096 16384 {chance.choice((32768, 131072))}"}},
    "receive_buffer": lambda s, chance: {"sysctl": {"rmem": f"4096 16384 {chance.choice((65536, 200_000))}"}},
    "mtu": lambda s, chance: {"mtu": chance.choice((576, 9000))},
    "ack_loss": lambda s, chance: {"link": {of_acknowledgements(s, "loss"): chance.choice((0.05, 0.2))}},
    "ack_jitter": lambda s, chance: {"link": {of_acknowledgements(s, "jitter-us"): chance.choice((1000, 10_000))}},
    "duplicates": lambda s, chance: {"link": {"duplicate": chance.choice((0.002, 0.02))}},
    "deep_reordering": lambda s, chance: {"reorder": 0.005, "reorder_us": s["delay_us"] * chance.choice((2, 6))},
    "bursts": lambda s, chance: {"link": {"burst-start": 0.0008, "burst-end": chance.choice((0.03, 0.3))}},
    "stall": lambda s, chance: {"link": stall(chance)},
    "delay_changes": lambda s, chance: {"link": {"change-at-ms": 1300, "changed-delay-us":
                                                 round(s["delay_us"] * chance.choice((0.2, 4)))}},
    "rate_changes": lambda s, chance: {"link": {"change-at-ms": 1300, "changed-rate-mbit":
                                                s["rate_mbit"] * chance.choice((0.25, 4))}},
}


def stall(chance):
    return {"stall-at-ms": 900, "stall-ms": chance.choice((250, 500, 1200))}


def draw_unusual(seed, number):
    """draw(), and one or two of UNUSUAL, the first in turn."""
    settings = draw(seed, number)
    chance = random.Random(f"{seed}/{number}/unusual")
    names = list(UNUSUAL)
    kinds = {names[number % len(names)], *chance.sample(names, chance.choice((0, 1)))}
    settings["unusual"] = sorted(kinds)
    settings["at"] = chance.choice((("ini", "tgt"), ("ini",), ("tgt",)))
    settings.update(initiator="sanscope", target="sanscope", sizes_kib=settings["sizes_kib"][:1])
    for kind in settings["unusual"]:
        for key, value in UNUSUAL[kind](settings, chance).items():
            if isinstance(value, dict):
                settings[key] = {**settings.get(key, {}), **value}
            else:
                settings[key] = settings.get(key, []) + value if isinstance(value, list) else value
    return settings


def unseen_numbers(seed, count):
    return set(random.Random(f"{seed}/unseen").sample(range(count), max(1, count // UNSEEN_SHARE)))


def class_of(settings):
    if settings["cc"] == "bbr":
        return "bbr"
    if settings.get("sysctl", {}).get("sack") == 0:
        return "no_sack"
    if settings.get("sysctl", {}).get("ecn"):
        return "ecn"
    if settings["reorder"] or "stall-ms" in settings.get("link", {}):
        return "reordering"
    return ""


# ---- Processes

class Lab:
    """Two hosts and the link between them."""

    def __init__(self, bin_folder):
        self.bin = bin_folder
        self.hosts = {side: f"sanscope-matrix-{os.getpid()}-{side}" for side in ("ini", "mid", "tgt")}
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            self.stop(process)
        for host in self.hosts.values():
            subprocess.run(["ip", "netns", "del", host], stderr=subprocess.DEVNULL, check=False)

    def run(self, side, *command, check=True, **options):
        inside = ["ip", "netns", "exec", self.hosts[side], *map(str, command)]
        done = subprocess.run(inside, capture_output=True, text=True, check=False, **options)
        if check and done.returncode != 0:
            raise RecordingFailed(f"{' '.join(map(str, command))}: {done.stderr.strip()[-400:]}")
        return done

    def start(self, side, *command, log, **options):
        with open(log, "w") as output:
            process = subprocess.Popen(["ip", "netns", "exec", self.hosts[side], *map(str, command)], stdout=output,
                                       stderr=subprocess.STDOUT, **options)
        self.processes.append(process)
        return process

    def stop(self, process, with_signal=signal.SIGINT):
        if process in self.processes:
            self.processes.remove(process)
        if process.poll() is None:
            process.send_signal(with_signal)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return process.returncode

    def build(self, settings, folder):
        for host in self.hosts.values():
            subprocess.run(["ip", "netns", "add", host], check=True)
        for side, address in (("ini", INITIATOR), ("tgt", TARGET)):
            node = f"node-{side}"
            subprocess.run(["ip", "link", "add", f"{side}0", "netns", self.hosts[side], "type", "veth", "peer",
                            "name", node, "netns", self.hosts["mid"]], check=True)
            self.run(side, "ip", "addr", "add", f"{address}/24", "dev", f"{side}0")
            for where, interface in ((side, f"{side}0"), ("mid", node)):
                self.run(where, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")
                self.run(where, "ethtool", "-K", interface, "tso", "off", "gso", "off", "gro", "off", "tx", "off", "rx",
                         "off", check=False)
                self.run(where, "ip", "link", "set", interface, "mtu", settings.get("mtu", MTU), "up")
            self.run(side, "ip", "link", "set", "lo", "up")
            self.run(side, "sysctl", "-qw", f"net.ipv4.tcp_congestion_control={settings['cc']}",
                     "net.ipv4.tcp_no_metrics_save=1")
            if side in settings.get("at", ()):
                self.set_up_host(side, settings)
        arguments = ["--seed", settings["seed"], "--delay-us", settings["delay_us"], "--loss", settings["loss"],
                     "--rate-mbit", settings["rate_mbit"], "--queue", settings.get("queue", 5000)]
        if settings["reorder"]:
            arguments += ["--reorder", settings["reorder"], "--reorder-us", settings["reorder_us"]]
        for option, value in settings.get("link", {}).items():
            option = f"--{option}"
            if option in arguments:
                arguments[arguments.index(option) + 1] = value
            else:
                arguments += [option, value]
        node = self.start("mid", self.bin / "delay_node", "node-ini", "node-tgt", *arguments, log=folder / "link.json")
        wait_for(lambda: "ready" in (folder / "link.json").read_text(), "the delay node")
        return node


    def set_up_host(self, side, settings):
        for name, value in settings.get("sysctl", {}).items():
            self.run(side, "sysctl", "-qw", f"net.ipv4.tcp_{name}={value}")
        if "route" in settings:
            self.run(side, "ip", "route", "change", "10.99.1.0/24", "dev", f"{side}0", *settings["route"])


def wait_for(condition, what, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise RecordingFailed(f"{what} does not begin")
        time.sleep(0.05)


def listens(lab):
    return ":3260" in lab.run("tgt", "ss", "-Hltn").stdout


def start_target(lab, settings, folder):
    """Returns what ends it."""
    if settings["target"] == "sanscope":
        target = lab.start("tgt", lab.bin / "sanscope", "target", "--listen", TARGET, "--size", "64M", "--name",
                           TARGET_NAME, "--serial", SERIAL, "--threads", 1, log=folder / "target.log")
        wait_for(lambda: listens(lab), "the target")
        return lambda: lab.stop(target)
    image = folder / "disk.img"
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    environment = {**os.environ, "TGT_IPC_SOCKET": str(folder / "tgtd.ipc")}
    port = 7300 + os.getpid() % 500
    target = lab.start("tgt", "tgtd", "-f", "-C", port, "-t", 2, log=folder / "target.log", env=environment)

    def admin(*arguments, check=True):
        return subprocess.run(["tgtadm", "-C", str(port), *arguments], env=environment, capture_output=True, check=check)
    wait_for(lambda: admin("--op", "show", "--mode", "system", check=False).returncode == 0, "tgtd")
    iscsi = ("--lld", "iscsi", "--op")
    admin(*iscsi, "new", "--mode", "target", "--tid", "1", "-T", TARGET_NAME)
    admin(*iscsi, "new", "--mode", "logicalunit", "--tid", "1", "--lun", "1", "-b", str(image))
    admin(*iscsi, "bind", "--mode", "target", "--tid", "1", "-I", "ALL")
    admin(*iscsi, "update", "--mode", "logicalunit", "--tid", "1", "--lun", "1", "--params", f"scsi_sn={SERIAL}")
    admin(*iscsi, "update", "--mode", "target", "--tid", "1", "--name", "MaxRecvDataSegmentLength", "--value", "262144")

    def stop():
        admin(*iscsi, "delete", "--mode", "target", "--tid", "1", "--force", check=False)
        admin("--op", "delete", "--mode", "system", check=False)
        lab.stop(target, signal.SIGKILL)
        image.unlink()
        for left in folder.glob("tgtd.ipc*"):
            left.unlink()
    return stop


def load(lab, settings, folder):
    sizes = [size * KIB for size in settings["sizes_kib"]]
    commands = max(20, MOST_BYTES // (sum(sizes) // len(sizes)))
    lun = 0 if settings["target"] == "sanscope" else 1
    if len(sizes) == 1 and settings["initiator"] == "sanscope":
        arguments = [lab.bin / "sanscope", "generate", f"iscsi://{TARGET}/{TARGET_NAME}/{lun}", "--request-size", sizes[0],
                     "-q", settings["depth"], "--sessions", settings["sessions"], "--read-percent",
                     round(100 * (1 - settings["write_share"])), "--allow-writes", SERIAL, "--duration", f"{SECONDS}s",
                     "--bytes", MOST_BYTES, "--pattern", "random" if settings["random"] else "sequential", "--quiet",
                     "--threads", 1, "--seed", settings["seed"]]
        if settings["think_us"]:
            arguments += ["--think-time", f"{settings['think_us']}us"]
    else:
        arguments = [lab.bin / "iscsi_load", f"iscsi://{TARGET}/{TARGET_NAME}/{lun}", "--initiator", INITIATOR_NAME,
                     "--bytes", ",".join(map(str, sizes)), "--write-share", settings["write_share"], "--depth",
                     settings["depth"], "--sessions", settings["sessions"], "--commands", commands, "--think-us",
                     settings["think_us"], "--seed", settings["seed"]]
        if settings["random"]:
            arguments.append("--random")
    process = lab.start("ini", *arguments, log=folder / "load.log")
    try:
        process.wait(SECONDS + 1.5)
    except subprocess.TimeoutExpired:
        pass
    lab.stop(process)


def record(settings, folder, bin_folder):
    folder.mkdir(parents=True, exist_ok=True)
    with Lab(bin_folder) as lab:
        node = lab.build(settings, folder)
        stop_target = start_target(lab, settings, folder)
        recorders = []
        for side, interface, name in (("ini", "ini0", "initiator"), ("tgt", "tgt0", "target")):
            capture = folder / f"{name}.pcapng"
            capture.unlink(missing_ok=True)
            recorders.append(lab.start(side, lab.bin / "sanscope", "capture", "-i", interface, "-f", "tcp port 3260",
                                       "-s", 128, "-w", capture, "--kernel-truth", log=folder / f"{name}.log"))
            wait_for(lambda path=capture: path.exists() and path.stat().st_size > 0, "the recorder")
        time.sleep(0.5)
        load(lab, settings, folder)
        time.sleep(0.3)
        for recorder in recorders:
            lab.stop(recorder)
        stop_target()
        lab.stop(node)
    for name in ("initiator", "target"):
        if "dropped" in (folder / f"{name}.log").read_text().replace("0 dropped", ""):
            raise RecordingFailed(f"{name}'s capture dropped packets")


# ---- The kernels' record, in the form that the score reads

def table(program, name, capture):
    done = subprocess.run([program, "table", name, capture], capture_output=True, text=True, check=True)
    return csv.DictReader(done.stdout.splitlines())


def seconds(time_ns):
    return f"{int(time_ns) // 10**9}.{int(time_ns) % 10**9:09d}"


def ends_of(row):
    (source, source_port), (other, other_port) = (row[end].rsplit(":", 1) for end in ("sender", "receiver"))
    return {"src": source, "sport": source_port, "dst": other, "dport": other_port}


def segment_bytes(settings, windows):
    """The MSS, with timestamps or without as the kernel's windows, in bytes, are whole multiples of it."""
    for options in (12, 0):
        mss = settings.get("mtu", MTU) - 40 - options  # IPv4 and TCP
        if all(int(row["cwnd"]) % mss == 0 for row in windows):
            return mss
    raise RecordingFailed("cwnd is not of whole segments")


def write_truth(settings, folder, program):
    """Each sender's from the capture at its own host."""
    windows, transitions = [], []
    for name, address in (("initiator", INITIATOR), ("target", TARGET)):
        capture = folder / f"{name}.pcapng"
        changes = collections.defaultdict(list)
        for row in table(program, "kernel_ca_transitions", capture):
            if not row["sender"].startswith(f"{address}:"):
                continue
            state, old = (CA_STATES.index(row[column] or "Open") for column in ("to", "from"))
            changes[row["sender"], row["receiver"]].append((int(row["time_ns"]), state))
            transitions.append({"time": seconds(row["time_ns"]), **ends_of(row), "state": state, "old_state": old})
        rows = [row for row in table(program, "kernel_windows", capture)
                if row["sender"].startswith(f"{address}:") and row["cwnd"]]
        mss = segment_bytes(settings, rows)
        for row in rows:
            state = CA_STATES.index(row["ca_state"]) if row["ca_state"] else 0
            ssthresh = int(row["ssthresh"]) // mss if row["ssthresh"] else NO_SSTHRESH
            windows.append({"time": seconds(row["time_ns"]), **ends_of(row), "ev": "A",
                            "snd_cwnd": int(row["cwnd"]) // mss, "ssthresh": ssthresh,
                            "snd_wnd": row["advertised_window"] or 0, "srtt_us": int(row["srtt_ns"] or 0) // 1000,
                            "snd_una": row["snd_una"], "snd_nxt": row["snd_nxt"], "write_seq": row["snd_nxt"],
                            "ca_state": state, "mss": mss})
    for name, columns, rows in (("truth.csv", TRUTH, windows), ("states.csv", STATES, transitions)):
        with open(folder / name, "w", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)
    return len(windows)


def plain_captures(folder):
    """Without the kernels' word, which only the score may know."""
    for name in ("initiator", "target"):
        source = folder / f"{name}.pcapng"
        subprocess.run(["tcpdump", "-r", source, "-w", folder / f"{name}.pcap", "--time-stamp-precision=nano"],
                       stderr=subprocess.DEVNULL, check=True)
        source.unlink()


def describe(settings, folder):
    counts = {}
    text = (folder / "link.json").read_text()
    if "{" in text:
        counts = json.loads(text[text.index("{"):])
    dropped = sum(counts.get(fate, 0) for fate in ("lost", "lost_in_burst", "queue_full"))
    description = {"scenario": {**settings, "class": class_of(settings) or ("drops" if dropped else "no_drops"),
                                "initiator_address": INITIATOR},
                   "link": counts, "kernel": platform.release()}
    (folder / "scenario.json").write_text(json.dumps(description, indent=1) + "\n")


def name_of(settings, number):
    kind = {0: "r", 1: "w"}.get(settings["write_share"], "m")
    size = "-".join(map(str, settings["sizes_kib"]))
    unusual = "".join(f"-{name}" for name in settings.get("unusual", ()))
    return f"{number:02d}-{settings['cc']}-{kind}{size}k-q{settings['depth']}{unusual}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--unusual", action="store_true", help="with hosts and paths that are seldom set so")
    parser.add_argument("--only", type=int, nargs="*", help="these numbers alone")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    parser.add_argument("--list", action="store_true", help="only say what would be recorded")
    arguments = parser.parse_args()
    unseen = unseen_numbers(arguments.seed, arguments.count)
    failed = 0
    allowed = pathlib.Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read_text().split()
    if not arguments.list and set(CONTROLS) - set(allowed):
        print(f"record_matrix: not all may be used in namespaces; as root:\n"
              f"  sysctl -w net.ipv4.tcp_allowed_congestion_control=\"{' '.join({*allowed, *CONTROLS})}\"", file=sys.stderr)
        return 1
    for number in range(arguments.count):
        if arguments.only and number not in arguments.only:
            continue
        settings = (draw_unusual if arguments.unusual else draw)(arguments.seed, number)
        folder = arguments.folder / ("unseen" if number in unseen else "seen") / name_of(settings, number)
        if arguments.list:
            print(folder, json.dumps(settings))
            continue
        if (folder / "scenario.json").exists():
            continue
        for _ in range(3):
            try:
                record(settings, folder, arguments.bin)
                moments = write_truth(settings, folder, arguments.bin / "sanscope")
                if moments < 50:
                    raise RecordingFailed(f"the kernels told {moments} moments")
                plain_captures(folder)
                describe(settings, folder)
                print(folder.name, moments, flush=True)
                break
            except (RecordingFailed, subprocess.CalledProcessError) as error:
                print(f"record_matrix: {folder.name}: {error}", file=sys.stderr, flush=True)
        else:
            failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

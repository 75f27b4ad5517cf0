#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of a whole machine is set while it records: a virtual one of Debian, with the release build's programs in it. A steady
load runs on its loopback, once for each step and once without one. Told are what the recorder said, what the recording holds beside
what the load and the kernel counted, and what `sanscope report` says otherwise than of the same packets with their times put right.
As root, with qemu-system-x86, mmdebstrap and cpio; the first run makes the machine, which is kept.

    sudo analyzer/tests/reliability/clock_set.py --steps 5 -5 -0.5"""

import argparse
import csv
import difflib
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, missing_program, number, recording, run_sanscope, table  # noqa: E402

# Of the kernel's modules only these are in the machine.
MODULES = ["kernel/fs/9p", "kernel/fs/fscache", "kernel/fs/netfs", "kernel/net/9p", "kernel/drivers/virtio"]
LEFT_OUT = ["boot", "usr/share/doc", "usr/share/locale", "usr/share/man", "var/cache", "var/lib/apt"]
INIT = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
modprobe virtio_pci
modprobe 9pnet_virtio
mkdir /shared
mount -t 9p -o trans=virtio,version=9p2000.L shared /shared
cp -r /shared/bin /shared/analyzer /opt
cp -n /shared/lib/* /usr/lib/*-linux-gnu
ldconfig
python3 /opt/analyzer/tests/reliability/clock_set.py --within /shared > /shared/log 2>&1
sync
echo o > /proc/sysrq-trigger
sleep 60
"""
LOAD_SECONDS = 12
TARGET_LATENCY = "20ms"  # so that commands are outstanding whenever the clock is set


def make_machine(folder, suite, mirror):
    """The kernel, and a file system for its memory."""
    folder.mkdir(parents=True, exist_ok=True)
    system = folder / "system"
    shutil.rmtree(system, ignore_errors=True)
    subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", "--include=linux-image-amd64,python3,iproute2,kmod", suite,
                    system, mirror], check=True)
    kernel = max((system / "boot").glob("vmlinuz-*"))
    shutil.copy(kernel, folder / "vmlinuz")
    modules = system / "usr/lib/modules" / kernel.name.removeprefix("vmlinuz-")
    kept = folder / "modules"
    shutil.rmtree(kept, ignore_errors=True)
    for path in MODULES:
        if (modules / path).is_dir():
            shutil.copytree(modules / path, kept / path)
    shutil.rmtree(modules / "kernel")
    (kept / "kernel").rename(modules / "kernel")
    for path in LEFT_OUT:
        shutil.rmtree(system / path)
    subprocess.run(["depmod", "-b", system, modules.name], check=False, stderr=subprocess.DEVNULL)
    (system / "init").write_text(INIT)
    (system / "init").chmod(0o755)
    with open(folder / "system.part", "wb") as archive:
        names = subprocess.run(["find", ".", "-xdev", "-print0"], cwd=system, check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["cpio", "--quiet", "-0", "-o", "-H", "newc"], cwd=system, check=True, input=names, stdout=archive)
    (folder / "system.part").rename(folder / "system.cpio")
    shutil.rmtree(system)
    shutil.rmtree(kept)


def share_programs(sanscope, shared):
    """Programs with their libraries, and this one."""
    shutil.rmtree(shared, ignore_errors=True)
    for part in ("bin", "lib"):
        (shared / part).mkdir(parents=True)
    for program in (sanscope, sanscope.parent / "sanscope-recorder"):
        shutil.copy(program, shared / "bin")
        needed = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
        for library in re.findall(r"=> (/\S+)", needed):
            shutil.copy(library, shared / "lib")
    for path in ("analyzer/tests/harness.py", "analyzer/tests/reliability/clock_set.py"):
        (shared / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, shared / path)


def accelerator():
    """QEMU's: a /dev/kvm without the processor's own virtualization runs no kernel of Debian's."""
    virtualization = re.search(r"^flags.*\b(svm|vmx)\b", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return "kvm" if virtualization and os.access("/dev/kvm", os.R_OK | os.W_OK) else "tcg"


def run_machine(folder, shared, accelerated_by, seconds):
    command = ["qemu-system-x86_64", "-machine", "q35", "-accel", accelerated_by, "-cpu", "max", "-smp", "2", "-m", "2G", "-nodefaults",
               "-display", "none", "-no-reboot", "-serial", "stdio", "-kernel", folder / "vmlinuz", "-initrd", folder / "system.cpio",
               "-append", "console=ttyS0 rdinit=/init quiet panic=-1", "-virtfs",
               f"local,path={shared},mount_tag=shared,security_model=none,multidevs=remap"]
    with open(folder / "console", "wb") as console:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT, timeout=seconds)


def name_of(step):
    return f"{'ahead' if step > 0 else 'back'}-{abs(step):g}s" if step else "undisturbed"


def set_clock(step):
    time.clock_settime_ns(time.CLOCK_REALTIME, time.clock_gettime_ns(time.CLOCK_REALTIME) + round(step * 1e9))


def kernel_retransmissions():
    names, values = [line.split() for line in pathlib.Path("/proc/net/snmp").read_text().splitlines() if line.startswith("Tcp:")]
    return int(dict(zip(names, values))["RetransSegs"])


def record_one(sanscope, step, rate, shared):
    """In the machine: one recording, in the middle of which the clock is set."""
    capture = pathlib.Path("/tmp") / f"{name_of(step)}.pcapng"
    target = subprocess.Popen([sanscope, "target", "--listen", "127.0.0.1:3260", "--size", "256M", "--latency", TARGET_LATENCY, "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    told = json.loads(target.stdout.readline())
    retransmissions = kernel_retransmissions()
    with recording([sanscope, "capture", "-i", "lo", "-f", "tcp port 3260", "-w", capture]) as recorder:
        load = subprocess.Popen([sanscope, "generate", "--quiet", "--json", "--rate", str(rate), "-q", "32", "--request-size", "4K",
                                 "--pattern", "random", "--duration", f"{LOAD_SECONDS}s", "--log", capture.with_suffix(".csv"),
                                 f"iscsi://{told['listening']}/{told['target']}/0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(LOAD_SECONDS / 2)
        if step:
            set_clock(step)
        out, err = load.communicate(timeout=LOAD_SECONDS * 5)
        time.sleep(1)
    retransmissions = kernel_retransmissions() - retransmissions
    target.send_signal(signal.SIGTERM)
    target.wait(30)
    for made in (capture, capture.with_suffix(".csv")):
        shutil.copy(made, shared)
    outcome = {"step": step, "recorder_status": recorder.status, "recorder_said": recorder.err, "load_status": load.returncode, "load_said": err,
               "load": json.loads(out) if out else None, "retransmissions": retransmissions}
    (shared / f"{name_of(step)}.json").write_text(json.dumps(outcome))


def told_step_ns(said):
    """By how much the clock was set, as the recorder tells it."""
    found = re.search(r"clock of this host was set ([\d.]+) s (back|ahead)", said)
    return round(float(found[1]) * 1e9) * (-1 if found[2] == "back" else 1) if found else 0


def put_times_right(source, step_ns, destination):
    """A copy whose packets have the times that they would have had: little-endian pcapng in nanoseconds, as the recorder writes."""
    blocks = bytearray(source.read_bytes())
    at, last_ns, set_by_now = 0, None, False
    while at < len(blocks):
        kind, length = struct.unpack_from("<II", blocks, at)
        if kind == 6:
            high, low = struct.unpack_from("<II", blocks, at + 12)
            time_ns = high << 32 | low
            set_by_now = set_by_now or last_ns is not None and (time_ns - last_ns) * (1 if step_ns > 0 else -1) > abs(step_ns) / 2
            last_ns = time_ns
            time_ns -= step_ns if set_by_now else 0
            struct.pack_into("<II", blocks, at + 12, time_ns >> 32, time_ns & 0xFFFFFFFF)
        at += length
    destination.write_bytes(blocks)
    return set_by_now


def percentile(values, percent):
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def print_row(name, commands, seconds, durations_ns, retransmissions, more=""):
    least, median, most = (f"{percentile(durations_ns, percent) / 1e6:.3f}" for percent in (0, 50, 100))
    print(f"{name:>28} {commands:>9} {seconds:>8.3f} {least:>8} {median:>8} {percentile(durations_ns, 99) / 1e6:>8.3f} {most:>9} "
          f"{retransmissions:>15} {more}")


def print_load(name, outcome, log):
    with open(log, encoding="utf-8") as rows:
        times = [(int(row["send_ns"]), int(row["done_ns"])) for row in csv.DictReader(rows)]
    seconds = (max(done for _, done in times) - min(sent for sent, _ in times)) / 1e9
    print_row(f"{name}: load", len(times), seconds, [done - sent for sent, done in times], outcome["retransmissions"])


def print_recording(name, sanscope, capture):
    row = table(sanscope, "captures", capture, statuses=(0, 3))[0]
    commands = [each for each in table(sanscope, "commands", capture, statuses=(0, 3)) if each["session"] == "2"]
    durations_ns = [number(each["turnaround_ns"]) for each in commands if each["turnaround_ns"]]
    seconds = (number(row["end_ns"]) - number(row["start_ns"])) / 1e9
    print_row(name, len(commands), seconds, durations_ns, row["retransmissions"],
              f"{row['packets']:>8} {row['dropped'] or '-':>8} {row['problems']:>9} {row['notices']:>8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--machine", type=pathlib.Path, default=ROOT / "build" / "clock-vm", help="a folder for the machine, which is kept")
    parser.add_argument("--output", type=pathlib.Path, help="a folder for the recordings and reports; by default in that of the machine")
    parser.add_argument("--steps", type=float, nargs="+", default=[5, -5, -0.5], help="seconds; one recording each")
    parser.add_argument("--rate", type=int, default=200, help="commands a second")
    parser.add_argument("--accelerator", help="QEMU's: kvm or tcg; by default the best that works")
    parser.add_argument("--suite", default=platform.freedesktop_os_release().get("VERSION_CODENAME"), help="Debian release: that of the programs")
    parser.add_argument("--mirror", default="http://deb.debian.org/debian")
    parser.add_argument("--within", type=pathlib.Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.within:
        subprocess.run(["ip", "link", "set", "lo", "mtu", "1500", "up"], check=True)
        asked = json.loads((options.within / "asked").read_text())
        for step in [0, *asked["steps"]]:
            record_one("/opt/bin/sanscope", step, asked["rate"], options.within)
        return 0
    if reason := missing_program(options.sanscope):
        sys.exit(reason)
    if missing := [program for program in ("qemu-system-x86_64", "mmdebstrap", "cpio") if not shutil.which(program)]:
        sys.exit(f"not installed: {', '.join(missing)}")
    if not (options.machine / "system.cpio").exists():
        make_machine(options.machine, options.suite, options.mirror)
    shared = options.machine / "shared"
    share_programs(options.sanscope, shared)
    (shared / "asked").write_text(json.dumps({"steps": options.steps, "rate": options.rate}))
    run_machine(options.machine, shared, options.accelerator or accelerator(), 300 + 60 * (1 + len(options.steps)))
    output = options.output or options.machine / "output"
    output.mkdir(parents=True, exist_ok=True)
    rows = []
    good = True
    for step in [0, *options.steps]:
        name = name_of(step)
        if not (shared / f"{name}.json").exists():
            sys.exit(f"the machine made no recording {name}: see {options.machine / 'console'} and {shared / 'log'}")
        for suffix in ("pcapng", "csv", "json"):
            shutil.copy(shared / f"{name}.{suffix}", output)
        outcome = json.loads((output / f"{name}.json").read_text())
        capture = output / f"{name}.pcapng"
        step_ns = told_step_ns(outcome["recorder_said"])
        print(f"== {name}\n{outcome['recorder_said'].strip()}")
        good = good and outcome["recorder_status"] == 0 and outcome["load_status"] == 0 and abs(step_ns / 1e9 - step) < 0.1
        rows += [(print_load, name, outcome, output / f"{name}.csv"), (print_recording, f"{name}: recording", options.sanscope, capture)]
        report = run_sanscope(options.sanscope, ["report", capture])
        (output / f"{name}.report").write_text(report.out)
        good = good and report.status == 0
        if not step_ns:
            continue
        put_right = output / f"{name}-put-right.pcapng"
        if not put_times_right(capture, step_ns, put_right):
            sys.exit(f"{capture}: no packet's time jumps by {step_ns} ns")
        rows.append((print_recording, "… its times put right", options.sanscope, put_right))
        right = run_sanscope(options.sanscope, ["report", put_right])
        (output / f"{name}-put-right.report").write_text(right.out)
        for line in difflib.unified_diff(right.out.splitlines(), report.out.splitlines(), "times put right", "as recorded", n=0, lineterm=""):
            print(line)
    print(f"{'':>28} {'commands':>9} {'seconds':>8} {'least':>8} {'median':>8} {'99 %':>8} {'longest':>9} {'retransmissions':>15} "
          f"{'packets':>8} {'dropped':>8} {'problems':>9} {'notices':>8}     (ms)")
    for show, *what in rows:
        show(*what)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Wireshark plugin against the tables. Of every sample, packet by packet: what tshark and sharkd show as sanscope.*
is what `sanscope table` says, in two passes and, as far as a single one may know it, in one; with display filters, for
packets asked for in any order; the expert infos are where the tables say; `-z sanscope,srt` gives the percentiles of
the table's turnarounds. And whatever docs/wireshark.md and the profile name is there.

tshark is run as an ordinary user: root's ignores plugins in a home folder."""

import argparse
import collections
import concurrent.futures
import json
import math
import os
import pathlib
import pwd
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, ROOT, SAMPLES, Checks, TableError, missing_program, number, table  # noqa: E402

DEFAULT_PLUGIN = ROOT / "build" / "release" / "lib" / "wireshark" / "sanscope.so"
PROFILE = ROOT / "dissectors" / "wireshark_plugin" / "profile" / "sanscope"
DOCUMENT = ROOT / "docs" / "wireshark.md"

# Of these samples not even every answer is known by its own packet in a single pass: what stood in the way, or the
# answer's header, was not captured.
ANSWERS_KNOWN_LATE = {"snap128-reads-64k-qd32.pcap.zst", "sniffer-drops.pcap.zst"}
CUT = "sent-again-"  # samples that begin so hold 128 bytes of each packet

COMMAND_FIELDS = ("command", "session", "name", "lun", "lba", "bytes", "queue_depth", "request_in", "first_data_in",
                  "last_data_in", "response_in", "first_data", "turnaround", "status", "outcome")
WINDOW_FIELDS = ("sender", "in_flight", "cwnd", "cwnd_low", "cwnd_high", "ssthresh", "advertised_window", "srtt",
                 "ca_state", "limit")
TRANSITION_FIELDS = ("ca_transition.sender", "ca_transition.from", "ca_transition.to", "ca_transition.cause")
LOSS_FIELDS = ("loss", "loss.sender", "loss.length", "loss.original_in", "loss.delay")
FINDING_FIELDS = ("finding", "finding.title", "finding.confidence", "finding.cost")
FIELDS = ("connection", "vantage") + COMMAND_FIELDS + WINDOW_FIELDS + TRANSITION_FIELDS + LOSS_FIELDS + FINDING_FIELDS
TIMES = {"first_data", "turnaround", "srtt", "loss.delay", "finding.cost"}
EXPERTS = ("command.unanswered", "command.aborted", "command.slow", "digest_error", "window_stall", "finding.problem",
           "finding.notice", "finding.information")
# Of the file, which Wireshark reads itself, and does not give the plugin.
NOT_IN_WIRESHARK = {"capture_damaged", "capture_drops", "kernel_truth"}
END_FIELDS = ("ip.src", "ip.dst", "ipv6.src", "ipv6.dst", "tcp.srcport", "tcp.dstport")
SLOW_NS = 20_000_000  # the preference's default
MAY_BE_SPURIOUS = {"fast_retransmit", "rto", "tlp"}


# ---- What the tables say

class Expected:
    """By packet: the values of each field, in order, and how often each expert info is there."""

    def __init__(self, program, capture):
        rows = {name: table(program, name, capture, statuses=(0, 3)) for name in
                ("connections", "commands", "pdus", "windows", "ca_transitions", "losses", "findings")}
        self.commands = rows["commands"]
        self.connections = rows["connections"]
        self.values = collections.defaultdict(lambda: collections.defaultdict(list))
        self.experts = collections.defaultdict(collections.Counter)
        self.add_commands(rows)
        self.add_senders(rows)
        self.add_findings(rows)

    def add(self, packet, field, value):
        if value is not None:
            self.values[packet][field].append(value)

    def add_commands(self, rows):
        parts = collections.defaultdict(set)  # by packet: (command, part)
        for row in rows["commands"]:
            for part in ("request", "response"):
                if row[part + "_packet"]:
                    parts[number(row[part + "_packet"])].add((number(row["command"]), part))
        for row in rows["pdus"]:
            packet = number(row["last_packet"])
            if packet is None:
                continue
            self.experts[packet]["digest_error"] += (row["header_digest"], row["data_digest"]).count("bad")
            if row["opcode"] in ("0x05", "0x25") and number(row["data_length"]) and row["command"]:
                parts[packet].add((number(row["command"]), "data"))
        for packet, found in parts.items():
            for command in sorted({command for command, _ in found}):
                self.add_command(packet, rows["commands"][command - 1], {part for c, part in found if c == command})

    def add_command(self, packet, row, parts):
        whole = parts & {"request", "response"}
        add = lambda field, value: self.add(packet, field, value)
        add("command", row["command"])
        if whole:
            for field in ("session", "name", "lun", "lba", "bytes"):
                add(field, row[field])
        if "request" in parts:
            add("queue_depth", row["queue_depth"])
        else:
            add("request_in", row["request_packet"])
        if whole:
            add("first_data_in", row["first_data_packet"])
            add("last_data_in", row["last_data_packet"])
        if "response" not in parts:
            add("response_in", row["response_packet"])
        turnaround = number(row["turnaround_ns"])
        if "response" in parts:
            if row["request_ns"] and row["first_data_ns"]:
                add("first_data", number(row["first_data_ns"]) - number(row["request_ns"]))
            add("turnaround", turnaround)
            add("status", row["status"])
        if whole:
            add("outcome", row["outcome"])
        experts = self.experts[packet]
        experts["command.unanswered"] += "request" in parts and row["outcome"] == "unanswered"
        experts["command.aborted"] += "request" in parts and row["outcome"] == "aborted"
        experts["command.slow"] += "response" in parts and turnaround is not None and turnaround > SLOW_NS

    def add_findings(self, rows):
        for row in rows["findings"]:
            packet = number(row["packet"])
            if packet is None and row["command"]:
                packet = number(rows["commands"][number(row["command"]) - 1]["request_packet"])
            if packet is None and row["connection"]:
                packet = number(rows["connections"][number(row["connection"]) - 1]["first_packet"])
            if packet is None or row["kind"] in NOT_IN_WIRESHARK:
                continue
            self.add(packet, "finding", row["kind"])
            self.add(packet, "finding.title", row["title"])
            self.add(packet, "finding.confidence", row["confidence"])
            self.add(packet, "finding.cost", number(row["cost_ns"]))
            self.experts[packet][f"finding.{row['severity']}"] += 1

    def add_senders(self, rows):
        mss = {row["connection"]: number(row["mss"]) for row in rows["connections"]}
        stalled = set()
        for row in rows["windows"]:
            packet = number(row["packet"])
            for field in WINDOW_FIELDS:
                self.add(packet, field, number(row["srtt_ns"]) if field == "srtt" else row[field])
            window, sender = number(row["advertised_window"]), (row["connection"], row["sender"])
            closed = window is not None and window < (mss[row["connection"]] or 1)
            if not closed or row["limit"] != "receiver":
                stalled.discard(sender)
            elif sender not in stalled:
                stalled.add(sender)
                self.experts[packet]["window_stall"] += 1
        for row in rows["ca_transitions"]:
            if row["packet"]:
                for field in TRANSITION_FIELDS:
                    self.add(number(row["packet"]), field, row[field.partition(".")[2]])
        for row in rows["losses"]:
            packet = number(row["packet"])
            self.add(packet, "loss", row["kind"])
            self.add(packet, "loss.sender", row["sender"])
            self.add(packet, "loss.length", row["length"])
            self.add(packet, "loss.original_in", row["original_packet"])
            self.add(packet, "loss.delay", number(row["delay_ns"]))

    def add_connections(self, ends):
        """`ends`: by packet, the two ends of its TCP segment, as tshark tells them."""
        by_ends = collections.defaultdict(list)
        for row in self.connections:
            by_ends[frozenset((row["initiator"], row["target"]))].append(row)
        for packet, pair in ends.items():
            for row in by_ends[pair]:
                if number(row["first_packet"]) <= packet <= number(row["last_packet"]):
                    self.add(packet, "connection", row["connection"])
                    self.add(packet, "vantage", row["vantage"])

    def statistic(self):
        """By operation: commands, least, four percentiles, greatest (ns), bytes."""
        turnarounds, sizes = collections.defaultdict(list), collections.Counter()
        for row in self.commands:
            if row["turnaround_ns"]:
                name = row["name"] or "(operation not known)"
                turnarounds[name].append(number(row["turnaround_ns"]))
                sizes[name] += number(row["bytes"]) or 0
        result = {}
        for name, values in turnarounds.items():
            values.sort()
            rank = lambda thousandths: values[math.ceil(thousandths * len(values) / 1000) - 1]
            result[name] = (len(values), values[0], rank(500), rank(900), rank(990), rank(999), values[-1], sizes[name])
        return result


# ---- tshark and sharkd

class Wireshark:
    """The programs, run by a user that is not root and has the plugin in its home."""

    def __init__(self, plugin, tshark, sharkd):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sanscope-plugin-"))
        self.tshark, self.sharkd = tshark, sharkd
        self.prefix = []
        version = re.search(r"(\d+\.\d+)\.\d+", subprocess.run([tshark, "--version"], capture_output=True, text=True,
                                                              check=True).stdout).group(1)
        plugins = self.folder / ".local/lib/wireshark/plugins" / version / "epan"
        plugins.mkdir(parents=True)
        shutil.copy(plugin, plugins / "sanscope.so")
        self.folder.chmod(0o755)
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self.prefix = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
            for path in [self.folder, *self.folder.rglob("*")]:
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
        self.environment = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / ".config"),
                            "WIRESHARK_CONFIG_DIR": str(self.folder / ".config/wireshark"), "TZ": "UTC", "LC_ALL": "C.UTF-8"}

    def close(self):
        shutil.rmtree(self.folder)

    def take(self, capture):
        """A copy that the user may read."""
        copy = self.folder / capture.name
        shutil.copy(capture, copy)
        copy.chmod(0o644)
        return copy

    def run(self, *arguments, program=None, source=None):
        done = subprocess.run([*self.prefix, program or self.tshark, *map(str, arguments)], capture_output=True,
                              text=True, env=self.environment, cwd=self.folder, timeout=300, input=source)
        # A capture that is cut off is dissected up to there all the same.
        if done.returncode != 0 and "cut short" not in done.stderr:
            raise TableError(f"{' '.join(map(str, arguments))}: exit status {done.returncode}: {done.stderr[-400:]}")
        return done.stdout

    def fields(self, capture, names, *arguments):
        """By packet: a list of values for each field that has some."""
        columns = [word for name in names for word in ("-e", name)]
        out = self.run("-r", capture, *arguments, "-T", "fields", "-e", "frame.number", *columns,
                       "-E", "separator=/t", "-E", "aggregator=|", "-E", "occurrence=a")
        result = {}
        for line in out.splitlines():
            packet, *cells = line.split("\t")
            result[int(packet)] = {name: cell.split("|") for name, cell in zip(names, cells) if cell}
        return result

    def shown(self, capture, *arguments):
        """What tshark shows, all of it by packet: values of our fields, expert infos, the ends of its TCP segment."""
        ours = [f"sanscope.{name}" for name in FIELDS + EXPERTS]
        shown = Shown()
        for packet, cells in self.fields(capture, ours + list(END_FIELDS), *arguments).items():
            own = {name.partition(".")[2]: values for name, values in cells.items() if name.startswith("sanscope.")}
            shown.values[packet] = {name: [comparable(name, value) for value in values] for name, values in own.items()
                                    if name in FIELDS}
            shown.experts[packet] = {name: len(values) for name, values in own.items() if name in EXPERTS}
            if "tcp.srcport" in cells:
                shown.ends[packet] = ends_of(cells)
        return shown

    def frames(self, capture, packets):
        """What sharkd shows of the packets, asked for in this order: (packet, field values, expert infos)."""
        requests = [{"jsonrpc": "2.0", "id": 1, "method": "load", "params": {"file": str(capture)}}]
        requests += [{"jsonrpc": "2.0", "id": i, "method": "frame", "params": {"frame": packet, "proto": True}}
                     for i, packet in enumerate(packets, 2)]
        out = self.run("-", program=self.sharkd, source="".join(json.dumps(request) + "\n" for request in requests))
        answers = {answer["id"]: answer for answer in map(json.loads, filter(None, out.splitlines()))}
        for i, packet in enumerate(packets, 2):
            values, experts = collections.defaultdict(list), collections.Counter()
            self.gather(answers[i]["result"]["tree"], values, experts)
            yield packet, values, experts

    def gather(self, nodes, values, experts):
        for node in nodes:
            name, _, value = node.get("f", "").partition(" == ")
            name = name.removeprefix("sanscope.")
            if name in EXPERTS:
                experts[name] += 1
            elif name in FIELDS and node["f"].startswith("sanscope."):
                values[name].append(comparable(name, value.strip('"')))
            self.gather(node.get("n", []), values, experts)

    def statistic(self, capture, *arguments, filter_text=None):
        out = self.run("-q", "-r", capture, *arguments, "-z", "sanscope,srt" + (f",{filter_text}" if filter_text else ""))
        result = {}
        for line in out.splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 10 or not cells[1].isdigit():
                continue
            scaled = [round(float(cell) * 1_000_000) for cell in cells[2:9]]
            result[cells[0]] = (int(cells[1]), *scaled)
        return result


class Shown:
    def __init__(self):
        self.values, self.experts, self.ends = {}, {}, {}


def ends_of(cells):
    """The addresses and ports of the innermost TCP segment, as the tables write them."""
    last = {name: values[-1] for name, values in cells.items()}
    side = lambda end, port: (f"{last['ip.' + end]}:{last[port]}" if "ip.src" in last
                              else f"[{last['ipv6.' + end]}]:{last[port]}")
    return frozenset((side("src", "tcp.srcport"), side("dst", "tcp.dstport")))


def comparable(name, value):
    if name not in TIMES:
        return value
    negative, digits = value.startswith("-"), value.lstrip("-")
    whole, _, fraction = digits.partition(".")
    nanoseconds = int(whole) * 1_000_000_000 + int(fraction.ljust(9, "0"))
    return -nanoseconds if negative else nanoseconds


# ---- Comparing

def differences(packet, expected, got):
    return [f"packet {packet}: {field} is {got.get(field, [])}, the tables say {expected.get(field, [])}"
            for field in FIELDS if got.get(field, []) != expected.get(field, [])]


def agree(statistic, exact):
    """Whether percentiles are within 0.2 %, and all other figures the same."""
    percentiles = range(2, 6)
    return statistic.keys() == exact.keys() and all(
        abs(value - exact[name][place]) <= (exact[name][place] / 512 if place in percentiles else 0)
        for name, row in statistic.items() for place, value in enumerate(row))


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(value in rest for value in part)


def compare(expected, shown, packets):
    faults = [] if set(shown) == set(packets) else [f"packets shown that should not be, or missing: "
                                                    f"{sorted(set(shown) ^ set(packets))[:20]}"]
    for packet in sorted(set(shown) & set(packets)):
        faults += differences(packet, expected.values.get(packet, {}), shown[packet])
    return faults


def compare_single_pass(expected, once, answers_known):
    faults = [f"packet {packet}: sanscope.{name} {count} times, finally {expected.experts[packet][name]} times"
              for packet, experts in once.experts.items() for name, count in experts.items()
              if count > expected.experts[packet][name]]
    shown = once.values
    for packet, values in shown.items():
        final = expected.values.get(packet, {})
        faults += [f"packet {packet}: {field} is {found}, finally {final.get(field, [])}" for field, found in values.items()
                   if not is_subsequence(found, final.get(field, []))]
        faults += [f"packet {packet}: loss {kind} may turn out to be spurious" for kind in values.get("loss", [])
                   if kind in MAY_BE_SPURIOUS]
    for packet, final in expected.values.items() if answers_known else ():
        for field in ("request_in", "first_data", "turnaround"):
            if shown[packet].get(field, []) != final.get(field, []):
                faults.append(f"packet {packet}: {field} is {shown[packet].get(field, [])}, {final.get(field, [])} is known")
    return faults


def expert_faults(expected, shown):
    faults = []
    for packet in sorted(set(shown) | set(expected.experts)):
        for name in EXPERTS:
            got, wanted = shown.get(packet, {}).get(name, 0), expected.experts[packet][name]
            if got != wanted:
                faults.append(f"packet {packet}: sanscope.{name} {got} times, by the tables {wanted} times")
    return faults


def sharkd_faults(wireshark, capture, expected, all_packets):
    chosen = sorted(all_packets)
    dice = random.Random(4)
    if len(chosen) > 500:
        telling = [packet for packet in chosen if len(expected.values.get(packet, {})) > 18]
        chosen = sorted(set(dice.sample(chosen, 300)) | set(dice.sample(telling, min(200, len(telling)))))
    faults = []
    twice = chosen * 2
    dice.shuffle(twice)
    for packet, values, experts in wireshark.frames(capture, twice):
        faults += differences(packet, expected.values.get(packet, {}), values)
        if experts != +expected.experts[packet]:
            faults.append(f"packet {packet}: expert infos {dict(experts)}, by the tables {dict(+expected.experts[packet])}")
    return faults


def compare_sample(wireshark, program, path):
    """Checks as (claim, faults)."""
    name = path.name
    capture = wireshark.take(path)
    expected = Expected(program, path)
    shown = wireshark.shown(capture, "-2")
    packets = set(shown.values)
    expected.add_connections(shown.ends)
    values = sum(len(found) for fields in expected.values.values() for found in fields.values())
    yield f"{name}: the {values} values of {len(packets)} packets in two passes", compare(expected, shown.values, packets)
    with_command = {packet for packet in packets if expected.values[packet]["command"]}
    yield (f"{name}: the {len(with_command)} packets that a filter for commands lets through",
           compare(expected, wireshark.shown(capture, "-2", "-Y", "sanscope.command").values, with_command))
    held = {packet for packet in packets if {"receiver", "recovery"} & set(expected.values[packet]["limit"])}
    yield (f"{name}: the {len(held)} packets that a filter for limits lets through",
           compare(expected, wireshark.shown(capture, "-2", "-Y", 'sanscope.limit in {"receiver", "recovery"}').values,
                   held))
    complete = path.parent == SAMPLES and name not in ANSWERS_KNOWN_LATE and not name.startswith(CUT)
    yield (f"{name}: a single pass tells nothing that changes{', and all turnarounds' if complete else ''}",
           compare_single_pass(expected, wireshark.shown(capture), complete))
    told = sum(sum(counts.values()) for counts in expected.experts.values())
    yield f"{name}: {told} expert infos", expert_faults(expected, shown.experts)
    yield (f"{name}: sharkd shows the same of packets in any order, time and again",
           sharkd_faults(wireshark, capture, expected, packets))
    wanted, got = expected.statistic(), wireshark.statistic(capture, "-2")
    yield (f"{name}: the statistic of {len(wanted)} operations",
           [] if agree(got, wanted) else [f"{got}, by the tables {wanted}"])


# ---- What no sample shows

def corrupted(wireshark):
    """A capture with digests, two of them broken: a byte of a write's data, and of some header, flipped."""
    bytes_ = bytearray(subprocess.run(["zstd", "-dc", SAMPLES / "header-and-data-digest.pcap.zst"], capture_output=True,
                                      check=True).stdout)
    offset, packet, flipped = 24, 0, 0
    while offset < len(bytes_):
        length = struct.unpack_from("<I", bytes_, offset + 8)[0]
        packet += 1
        # Ethernet, IPv4 and TCP with timestamps; a BHS of SCSI Command or Data-Out begins the payload.
        payload = offset + 16 + 14 + 20 + 32
        if length > 66 + 300 and bytes_[payload] & 0x3f in (0x01, 0x05) and flipped < 2:
            bytes_[payload + (20 if flipped == 0 else 200)] ^= 0x10
            flipped += 1
        offset += 16 + length
    path = wireshark.folder / "corrupted.pcap"
    path.write_bytes(bytes_)
    path.chmod(0o644)
    return path


def zero_window(wireshark):
    """A sender with 20 segments to send, whose receiver shuts its window after ten, opens it again, and then leaves
    half a segment of it."""
    out = bytearray(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    moment = 1_000_000_000_000_000

    def packet(from_client, flags, seq, ack, window, data=b"", options=b"", pause=200):
        nonlocal moment
        moment += pause
        ends = (bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2)))
        ports = (40000, 3260)
        if not from_client:
            ends, ports = ends[::-1], ports[::-1]
        tcp = struct.pack(">HHIIBBHHH", *ports, seq, ack, (20 + len(options)) // 4 << 4, flags, window, 0, 0) + options + data
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), moment // 200 & 0xffff, 0, 64, 6, 0, *ends)
        frame = bytes(12) + b"\x08\x00" + ip + tcp
        out.extend(struct.pack("<IIII", moment // 1_000_000, moment % 1_000_000, len(frame), len(frame)) + frame)

    syn, ack, push = 0x02, 0x10, 0x18
    mss = bytes((2, 4, 5, 0xb4))
    packet(True, syn, 0, 0, 65535, options=mss)
    packet(False, syn | ack, 0, 1, 14600, options=mss, pause=50)
    packet(True, ack, 1, 1, 65535, pause=50)
    at = 1
    for burst in range(2):
        for _ in range(10):
            packet(True, push, at, 1, 65535, bytes(1460), pause=10)
            at += 1460
        for left in range(9, -1, -1):
            packet(False, ack, 1, at - left * 1460, left * 1460 + burst * 700, pause=20)
        if burst == 0:
            packet(False, ack, 1, at, 14600, pause=100_000)
    path = wireshark.folder / "zero-window.pcap"
    path.write_bytes(out)
    path.chmod(0o644)
    return path


def special_checks(wireshark, program, checks):
    for path, name, least in ((corrupted(wireshark), "digest_error", 2), (zero_window(wireshark), "window_stall", 2)):
        expected = Expected(program, path)
        faults = expert_faults(expected, wireshark.shown(path, "-2").experts)
        wanted = sum(counts[name] for counts in expected.experts.values())
        checks.check(f"{path.name}: {wanted} expert infos sanscope.{name}",
                     faults + ([] if wanted >= least else [f"the tables tell of {wanted}, expected {least} or more"]))

    sample = wireshark.take(SAMPLES / "reads-256k-qd4.pcapng.zst")
    expected = Expected(program, sample)
    slow = {number(row["response_packet"]) for row in expected.commands if number(row["turnaround_ns"]) > 7_000_000}
    shown = wireshark.shown(sample, "-2", "-o", "sanscope.slow_command:7")
    got = {packet for packet, infos in shown.experts.items() if "command.slow" in infos}
    checks.check(f"the preference slow_command: 7 ms make {len(slow)} of {len(expected.commands)} commands slow",
                 [] if got == slow and 0 < len(slow) < len(expected.commands) else [f"{sorted(got)}, not {sorted(slow)}"])

    filtered = wireshark.statistic(sample, "-2", filter_text="sanscope.turnaround > 0.007")
    count = sum(row[0] for row in filtered.values())
    checks.check(f"a filter leaves {len(slow)} commands of the statistic",
                 [] if count == len(slow) else [f"{count} commands: {filtered}"])
    once = wireshark.statistic(sample)
    checks.check("a single pass gives the same statistic",
                 [] if agree(once, expected.statistic()) else [f"{once}, not {expected.statistic()}"])
    without = wireshark.run("-2", "-r", sample, "--disable-protocol", "sanscope", "-Y", "sanscope")
    checks.check("nothing is added with the protocol disabled", [without[:200]] if without else [])


def document_checks(wireshark, checks):
    """Every filter of the documentation and of the profile compiles; every field that it names is there."""
    sample = wireshark.take(SAMPLES / "nop-logout.pcap")
    known = set(re.findall(r"^F\t[^\t]*\t(sanscope[^\t]*)\t", wireshark.run("-G", "fields"), re.MULTILINE))
    checks.check("Wireshark knows every field by its name", sorted({f"sanscope.{name}" for name in FIELDS + EXPERTS} - known))

    text = DOCUMENT.read_text()
    filters = re.findall(r"^    ([^\n]*sanscope\.[^\n]*)$", "\n".join(
        "    " + line for block in re.findall(r"```wireshark\n(.*?)```", text, re.DOTALL) for line in block.splitlines()),
        re.MULTILINE)
    filters += re.findall(r"^@[^@]*@([^@]*)@", (PROFILE / "colorfilters").read_text(), re.MULTILINE)
    filters += re.findall(r'^"TRUE","[^"]*","((?:[^"\\]|\\x22)*)"', (PROFILE / "dfilter_buttons").read_text(), re.MULTILINE)
    filters = [text.replace("\\x22", '"') for text in filters]
    faults = []
    for text_of_filter in sorted(set(filters)):
        try:
            wireshark.run("-2", "-r", sample, "-Y", text_of_filter)
        except TableError as error:
            faults.append(str(error))
    checks.check(f"the {len(set(filters))} filters of docs/wireshark.md and the profile are valid",
                 faults + ([] if len(set(filters)) >= 10 else ["there are fewer than ten of them"]))
    named = set(re.findall(r"`(sanscope\.[a-z_.]+[a-z_])`", text)) | set(
        re.findall(r"%Cus:(sanscope[a-z_.]*)", (PROFILE / "preferences").read_text()))
    checks.check(f"the {len(named)} fields that docs/wireshark.md and the profile name are there",
                 sorted(named - known - {"sanscope.so", "sanscope.slow_command"}))

    profile = wireshark.folder / ".config/wireshark/profiles/sanscope"
    shutil.copytree(PROFILE, profile)
    for path in (wireshark.folder / ".config").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    columns = wireshark.run("-C", "sanscope", "-2", "-r", wireshark.take(SAMPLES / "reads-4k-qd8.pcap.zst"), "-Y",
                            "sanscope.turnaround", "-c", "100").splitlines()
    checks.check("the profile's columns show commands",
                 [] if columns and all(re.search(r"\d\.\d{9}", line) for line in columns) else columns[:5] or ["nothing"])


def install_checks(wireshark, plugin, checks):
    """What `cmake --install` leaves where."""
    build = plugin.resolve().parents[2]
    if not (build / "cmake_install.cmake").exists():
        return
    series = next((wireshark.folder / ".local/lib/wireshark/plugins").iterdir()).name
    install = ["cmake", "--install", build, "--component"]
    with tempfile.TemporaryDirectory(prefix="sanscope-install-") as folder:
        subprocess.run([*install, "wireshark_plugin_for_user", "--prefix", folder], check=True, capture_output=True)
        subprocess.run([*install, "wireshark_plugin"], check=True, capture_output=True,
                       env={**os.environ, "DESTDIR": f"{folder}/root"})
        found = sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*") if path.is_file())
    wanted = [rf"lib/wireshark/plugins/{series}/epan/sanscope\.so", rf"root/.*/wireshark/plugins/{series}/epan/sanscope\.so"]
    fits = len(found) == len(wanted) and all(re.fullmatch(*pair) for pair in zip(wanted, found))
    checks.check(f"cmake --install puts it where Wireshark {series} looks, and nothing else", [] if fits else found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=pathlib.Path, help="compare these instead of the samples")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--plugin", type=pathlib.Path, default=DEFAULT_PLUGIN)
    parser.add_argument("--tshark", default="tshark")
    parser.add_argument("--sharkd", default="sharkd")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    if not arguments.plugin.exists():
        sys.exit(f"{arguments.plugin} is not there: build it first (./bootstrap build)")
    checks = Checks()
    for program in (arguments.tshark, arguments.sharkd):
        if shutil.which(program) is None:
            checks.skip("the Wireshark plugin", f"{program} is not installed")
            return checks.finish()

    wireshark = Wireshark(arguments.plugin, arguments.tshark, arguments.sharkd)
    try:
        install_checks(wireshark, arguments.plugin, checks)
        loaded = wireshark.run("-G", "plugins")
        checks.check("tshark loads the plugin", [] if re.search(r"^sanscope\.so\s.*dissector", loaded, re.MULTILINE)
                     else ["its list of plugins:", *loaded.splitlines()])
        paths = arguments.captures or sorted(SAMPLES.glob("*.pcap*"))
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            results = [(path.name, pool.submit(lambda path=path: list(compare_sample(wireshark, arguments.sanscope, path))))
                       for path in paths]
            for name, result in results:
                try:
                    for claim, faults in result.result():
                        checks.check(claim, faults)
                except TableError as error:
                    checks.fail(name, [str(error)])
        if not arguments.captures:
            special_checks(wireshark, arguments.sanscope, checks)
            document_checks(wireshark, checks)
    finally:
        wireshark.close()
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

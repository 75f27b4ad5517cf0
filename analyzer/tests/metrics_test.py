#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope capture --metrics`: what a scrape says of a load is what the tables say of its recording, number by number; nothing
goes back while it is scraped; OpenMetrics and protobuf say the same, native histograms besides; promtool finds nothing wrong;
every query of the dashboard and every alert is answered by a real Prometheus, and quantiles by native histograms; whoever sends something else than a scrape gets nothing, and costs nothing. In a network namespace of its own, which
only root can make."""

import argparse
import collections
import contextlib
import csv
import http.client
import io
import json
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))
try:
    import prometheus_client  # noqa: F401
except ImportError:  # Debian's package, under another Python than Debian's
    sys.path.append("/usr/lib/python3/dist-packages")
try:
    from prometheus_client.openmetrics import parser as openmetrics
except ImportError:
    openmetrics = None
from harness import Checks, DEFAULT_SANSCOPE, recording, run_sanscope, until  # noqa: E402

MONITORING = ROOT / "docs" / "monitoring"
PAGE = ROOT / "docs" / "metrics.md"
NOBODY = 65534
PORT = 9260
BOUNDS = [0.00001, 0.00002, 0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]


def serial(lun):
    """Of the target's units, which is what --allow-writes wants to hear."""
    return f"SANSCOPE-{lun}" if lun else "SANSCOPE"


def faults(**expected):
    return [f"{name}: {found}" for name, (right, found) in expected.items() if not right]


OPENMETRICS = "application/openmetrics-text; version=1.0.0"
PROTOBUF = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"


def scrape(accept=None, port=PORT, seconds=10):
    """(Content-Type, body)"""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Accept": accept} if accept else {})
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        return answer.headers["Content-Type"], answer.read()


def get(seconds=10):
    return scrape(seconds=seconds)[1].decode()


SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


def samples(text):
    """{(name, labels): value}, labels as a frozenset of pairs."""
    found = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        match = SAMPLE.match(line)
        if not match:
            raise ValueError(f"no sample: {line!r}")
        name, labels, value = match.groups()
        key = name, frozenset(LABEL.findall(labels or ""))
        if key in found:
            raise ValueError(f"twice: {line!r}")
        found[key] = float(value)
    return found


def types(text):
    return dict(re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE))


def openmetrics_samples(text):
    """As samples(), by a parser that is not ours. Names are those of the text format; its bounds have no `.0`."""
    found = {}
    for family in openmetrics.text_string_to_metric_families(text):
        for one in family.samples:
            labels = {name: re.sub(r"^(\d+)\.0$", r"\1", value) if name == "le" else value for name, value in one.labels.items()}
            found[one.name, frozenset(labels.items())] = float(one.value)
    return found


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """{number: values} of a protobuf message, as they are on the wire."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            raise ValueError(f"wire type {kind}")
        found[tag >> 3].append(value)
    if at != len(data):
        raise ValueError("cut short")
    return found


def zigzag(value):
    return (value >> 1) ^ -(value & 1)


def unfolded(histogram):
    """{index: count} of a native histogram's spans and deltas."""
    found, index, count, deltas = {}, 0, 0, iter(histogram[13])
    for span in histogram[12]:
        span = fields(span)
        index += zigzag(span[1][0])
        for _ in range(span[2][0]):
            count += zigzag(next(deltas))
            if count:
                found[index] = count
            index += 1
    if next(deltas, None) is not None:
        raise ValueError("more deltas than buckets")
    return found


def protobuf_samples(data):
    """As samples(), and {labels: (schema, zero threshold, zero count, {index: count})} of native histograms; by the numbers of
    client_model's metrics.proto."""
    found, native, at = {}, {}, 0
    while at < len(data):
        length, at = varint(data, at)
        family, at = fields(data[at:at + length]), at + length
        name, kind = family[1][0].decode(), family[3][0]
        for metric in map(fields, family[4]):
            labels = frozenset((pair[1][0].decode(), pair[2][0].decode()) for pair in map(fields, metric[1]))
            if kind != 4:
                found[name, labels] = fields(metric[3 if kind == 0 else 2][0])[1][0]
                continue
            histogram = fields(metric[7][0])
            found[f"{name}_count", labels] = histogram[1][0]
            found[f"{name}_sum", labels] = histogram[2][0]
            for bucket in map(fields, histogram[3]):
                found[f"{name}_bucket", labels | {("le", f"{bucket[2][0]:g}")}] = bucket[1][0]
            found[f"{name}_bucket", labels | {("le", "+Inf")}] = histogram[1][0]
            native[labels] = zigzag(histogram[5][0]), histogram[6][0], histogram[7][0], unfolded(histogram)
    return found, native


def exponential_index(turnaround_ns):
    """The smallest i with turnaround <= 2^(i/8) s, in whole numbers: turnaround_ns^8 <= 10^72 2^i."""
    eighth_power, second = max(turnaround_ns, 1) ** 8, 10 ** 72
    index = math.floor(8 * math.log2(max(turnaround_ns, 1) / 1e9)) - 2
    while eighth_power > second * 2 ** index if index >= 0 else eighth_power * 2 ** -index > second:
        index += 1
    return index


def total(found, name, **labels):
    return sum(value for (other, pairs), value in found.items() if other == name and labels.items() <= dict(pairs).items())


class Bench:
    def __init__(self, sanscope, scratch):
        self.sanscope = sanscope
        self.scratch = scratch

    @contextlib.contextmanager
    def target(self, *arguments):
        child = subprocess.Popen([self.sanscope, "target", "--listen", "127.0.0.1:3260", "--json", "--serial", "SANSCOPE", "--backing",
                                  "null", "--luns", "3", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            told = json.loads(child.stdout.readline())
            yield f"iscsi://{told['listening']}/{told['target']}"
        finally:
            child.send_signal(signal.SIGTERM)
            child.communicate(timeout=20)

    def load(self, url, *arguments, wait=True):
        command = [self.sanscope, "generate", "--quiet", "--json", *map(str, arguments), url]
        if not wait:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"generate: {done.stderr or done.stdout}")
        return json.loads(done.stdout.splitlines()[-1])

    def command(self, *arguments):
        return [self.sanscope, "capture", "-i", "lo", "-f", "tcp port 3260", *map(str, arguments)]

    @contextlib.contextmanager
    def capture(self, *arguments, metrics=f"127.0.0.1:{PORT}", environment=None):
        with recording(self.command("--metrics", metrics, *arguments), environment, seconds=60) as child:
            yield child
        if child.status is None:
            raise TimeoutError("the recording did not end")

    def refused(self, *arguments):
        return subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def settled():
    """The figures once all that was recorded is in them."""
    def look():
        found = samples(get())
        done = total(found, "sanscope_analysis_unread_bytes") == 0 and total(found, "sanscope_commands_in_flight") == 0
        return found if done else None
    # What comes last is written within a second with --keep headers, and published a second later.
    time.sleep(2.5)
    before = until(look, 60)
    time.sleep(1.2)
    after = until(look, 60)
    deadline = time.monotonic() + 60
    while before and after and total(before, "sanscope_analysed_packets_total") != total(after, "sanscope_analysed_packets_total"):
        if time.monotonic() > deadline:
            return None
        before, after = after, until(look, 60)
        time.sleep(1.2)
    return after


class Scraper:
    """Scrapes all the time; tells what went back."""

    def __init__(self, pause):
        self.pause, self.scrapes, self.wrong, self.longest = pause, 0, [], 0
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join(30)

    def run(self):
        before = {}
        while not self.stopped.is_set():
            begin = time.monotonic()
            try:
                text = get()
            except OSError as error:
                self.wrong.append(f"no answer: {error}")
                return
            self.longest = max(self.longest, time.monotonic() - begin)
            now, kinds = samples(text), types(text)
            for key, value in before.items():
                family = re.sub(r"_(bucket|sum|count)$", "", key[0])
                goes_on = kinds.get(key[0]) == "counter" or kinds.get(family) == "histogram"
                if goes_on and key[0].startswith("sanscope_") and now.get(key, -1) < value:
                    self.wrong.append(f"{key}: {value}, then {now.get(key)}")
            before = now
            self.scrapes += 1
            self.stopped.wait(self.pause)


def direction(row):
    opcode = int(row["opcode"], 16) if row["opcode"] else None
    return "read" if opcode in (0x08, 0x28, 0xa8, 0x88) else "write" if opcode in (0x0a, 0x2a, 0xaa, 0x8a) else "other"


def told_by_tables(sanscope, files):
    """{table: rows} of a recording; an empty cell is None, and what is a number is one."""
    rows = {}
    for name in ("commands", "connections", "sessions", "losses"):
        done = run_sanscope(sanscope, ["table", name, *files])
        if done.status != 0:
            raise RuntimeError(done.describe())
        rows[name] = [{key: int(cell) if cell.isdecimal() else cell or None for key, cell in row.items()}
                      for row in csv.DictReader(io.StringIO(done.out))]
    return rows


def labels_of(rows, command):
    connection, session = rows["connections"][command["connection"] - 1], rows["sessions"][command["session"] - 1]
    labels = {"initiator_name": session["initiator_name"], "target_name": session["target_name"],
              "initiator": connection["initiator"].rsplit(":", 1)[0], "target": connection["target"], "direction": direction(command)}
    if command["lun"] is not None:
        labels["lun"] = str(command["lun"])
    return frozenset(labels.items())


def turnarounds_of(rows):
    """{labels: turnarounds in nanoseconds}, with those of which no command has one."""
    found = {}
    for row in rows["commands"]:
        turnarounds = found.setdefault(labels_of(rows, row), [])
        if row["turnaround_ns"] is not None:
            turnarounds.append(row["turnaround_ns"])
    return found


def expected_of(rows):
    expected = collections.Counter()
    for row in rows["commands"]:
        key = labels_of(rows, row)
        expected["sanscope_commands_total", key] += 1
        expected["sanscope_command_bytes_total", key] += row["bytes"] or 0
        expected["sanscope_commands_not_good_total", key] += row["status"] not in (None, "GOOD")
        expected["sanscope_commands_unanswered_total", key] += row["outcome"] in ("unanswered", "aborted")
        expected["sanscope_command_turnaround_seconds_count", key] += row["turnaround_ns"] is not None
        if row["turnaround_ns"] is None:
            continue
        expected["sanscope_command_turnaround_seconds_sum", key] += row["turnaround_ns"]
        for bound in BOUNDS:
            bucket = key | {("le", f"{bound:g}".replace("e-0", "e-0"))}
            expected["sanscope_command_turnaround_seconds_bucket", bucket] += row["turnaround_ns"] <= round(bound * 1e9)
        expected["sanscope_command_turnaround_seconds_bucket", key | {("le", "+Inf")}] += 1
    for key in [key for key in expected if key[0].endswith("_sum")]:
        expected[key] /= 1e9
    return expected


def test_figures(bench, checks):
    out = bench.scratch / "ring.pcapng"
    with bench.target() as url, bench.capture("-b", "packets:4000", "-w", out) as run:
        with Scraper(0.2) as scraper:
            for lun in range(3):
                bench.load(f"{url}/{lun}", "--commands", 1500, "-q", 8, "--rate", 700, "--request-size", ["4K", "64K", "256K"][lun], "--pattern", "random",
                           "--read-percent", 60, "--allow-writes", serial(lun))
            again = bench.load(f"{url}/0", "--commands", 500, "--sessions", 3, "-q", 4)
        found = settled()
        text, in_openmetrics, in_protobuf = until(in_all_formats, 30) or (get(), scrape(OPENMETRICS), scrape(PROTOBUF))
    files = sorted(bench.scratch.glob("ring_*.pcapng"))
    checks.check("the load went on undisturbed", faults(commands=(again["commands"] >= 500, again)))
    checks.check("the recording rotated, and is whole", faults(files=(len(files) > 3, files), status=(run.status == 0, run.err)))
    checks.check("nothing goes back, across sessions and files, scraped five times a second",
                 scraper.wrong + faults(scrapes=(scraper.scrapes > 5, scraper.scrapes)))
    checks.check("the analysis has caught up with the recording", [] if found else ["it has not"])
    if not found:
        return
    rows = told_by_tables(bench.sanscope, files)
    expected = expected_of(rows)
    names = {name for name, _ in expected}
    told = {key: value for key, value in found.items() if key[0] in names}
    wrong = [f"{key[0]}{dict(key[1])}: {told.get(key)}, not {expected.get(key)}" for key in {*told, *expected}
             if abs(told.get(key, -1) - expected.get(key, -1)) > 1e-9 * max(1, abs(expected.get(key, 0)))]
    checks.check(f"commands, bytes and every bucket of turnarounds are those of the table, {len(expected)} samples of "
                 f"{len(rows['commands'])} commands", wrong)
    kinds = {dict(labels)["direction"] for name, labels in told if name == "sanscope_commands_total"}
    checks.check("reads, writes and others are told apart", [] if kinds == {"read", "write", "other"} else [kinds])
    again = {"fast_retransmit", "rto", "tlp", "spurious"}
    losses = collections.Counter(row["kind"] for row in rows["losses"])
    for kind in again:
        sent = total(found, "sanscope_retransmissions_total", kind=kind)
        checks.check(f"as many are sent again ({kind}) as in the table", [] if sent >= losses[kind] else [sent, losses[kind]])
    packets = total(found, "sanscope_capture_written_packets_total")
    checks.check("the recorder's counts are there, and none was dropped or folded", faults(
        packets=(packets > 4000, packets), analysed=(total(found, "sanscope_analysed_packets_total") == packets, packets),
        files=(total(found, "sanscope_capture_files_total") == len(files), len(files)),
        bytes=(total(found, "sanscope_capture_written_bytes_total") > 0, 0),
        dropped=(total(found, "sanscope_capture_dropped_packets_total") == 0, "some"),
        folded=(total(found, "sanscope_folded_commands_total") == 0, "some"),
        build=(total(found, "sanscope_build_info") == 1, "none")))
    examined = total(found, "sanscope_time_lost_commands_total")
    commands = total(found, "sanscope_command_turnaround_seconds_count")
    mean = total(found, "sanscope_command_turnaround_seconds_sum") / commands
    lost = total(found, "sanscope_time_lost_seconds_total")
    checks.check(f"where the time went is told of a sample: {examined:.0f} of {commands:.0f} commands", faults(
        some=(0 < examined <= commands, examined),
        parts=(len({dict(labels)["part"] for name, labels in found if name == "sanscope_time_lost_seconds_total"}) == 13, "not 13"),
        like_all=(examined == 0 or 0.1 * mean < lost / examined < 10 * mean, (lost / max(1, examined), mean))))
    promtool(checks, "a busy scrape", text)
    listed(checks, text)
    same_in_all_formats(checks, text, in_openmetrics, in_protobuf)
    native = protobuf_samples(in_protobuf[1])[1]
    expected = native_of(rows)
    checks.check("native buckets are those of the table", faults(
        sets=(set(native) == set(expected), set(native) ^ set(expected)),
        buckets=([] == [labels for labels in native if native[labels] != (3, 2 ** -20, *expected.get(labels, ()))], (native, expected))))


def native_of(rows):
    """{labels: (zero count, {index: count})} of the table's turnarounds."""
    expected = {}
    for key, turnarounds in turnarounds_of(rows).items():
        indices = collections.Counter(exponential_index(turnaround_ns) for turnaround_ns in turnarounds)
        expected[key] = sum(count for index, count in indices.items() if index <= -160), {
            index: count for index, count in indices.items() if index > -160}
    return expected


def without_scrapes(found):
    return {key: value for key, value in found.items() if key[0] != "sanscope_scrapes_total"}


def in_all_formats():
    """The text and two scrapes, of the same figures; None where these have changed meanwhile."""
    before, *others = get(), scrape(OPENMETRICS), scrape(PROTOBUF)
    return (before, *others) if without_scrapes(samples(before)) == without_scrapes(samples(get())) else None


def same_in_all_formats(checks, text, in_openmetrics, in_protobuf):
    expected = without_scrapes(samples(text))
    for name, (kind, body), wanted, parsed in (
            ("OpenMetrics", in_openmetrics, f"{OPENMETRICS}; charset=utf-8", lambda body: openmetrics_samples(body.decode())),
            ("protobuf", in_protobuf, PROTOBUF, lambda body: protobuf_samples(body)[0])):
        found = without_scrapes(parsed(body))
        # The text has numbers to sixteen digits.
        wrong = [f"{key}: {found.get(key)}, not {expected.get(key)}" for key in {*found, *expected}
                 if not math.isclose(found.get(key, -1), expected.get(key, -1), rel_tol=1e-15)]
        checks.check(f"{name} says what the text does, {len(found)} samples", faults(
            kind=(kind == wanted, kind), differences=(not wrong, wrong)))
    families = {family.name: family for family in openmetrics.text_string_to_metric_families(in_openmetrics[1].decode())}
    checks.check("OpenMetrics has types and units", faults(
        counter=(families["sanscope_commands"].type == "counter", families["sanscope_commands"]),
        gauge=(families["sanscope_commands_in_flight"].type == "gauge", families["sanscope_commands_in_flight"]),
        info=(families["sanscope_build"].type == "info", families["sanscope_build"]),
        units=({name: family.unit for name, family in families.items() if family.unit} ==
               {name: name.rsplit("_", 1)[1] for name in families if name.endswith(("_seconds", "_bytes"))}, families)))


def promtool(checks, name, text):
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
    # Those of the library's own, whose names are not ours.
    own = [line for line in (done.stdout + done.stderr).splitlines() if "sanscope_" in line or "error" in line.lower()]
    checks.check(f"promtool check metrics: {name}", own + ([] if done.returncode in (0, 3) else [f"status {done.returncode}"]))


def listed(checks, text):
    page = PAGE.read_text(encoding="utf-8")
    told = {name for name in types(text) if name.startswith("sanscope_")}
    in_page = set(re.findall(r"^\| `(sanscope_[a-z_]+)`", page, re.MULTILINE))
    checks.check("every metric stands in docs/metrics.md, and none that is not", faults(
        missing=(not told - in_page, sorted(told - in_page)), gone=(not in_page - told, sorted(in_page - told))))


def test_rights(bench, checks):
    folder = bench.scratch / "nobody"
    folder.mkdir()
    os.chown(folder, NOBODY, NOBODY)
    for name, environment, user in (("root", {}, 0), ("whoever called sudo", {"SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY)}, NOBODY)):
        place = folder if user else bench.scratch
        with bench.target() as url, bench.capture("-w", place / f"{user}.pcapng", environment=environment) as run:
            bench.load(f"{url}/0", "--commands", 200)
            found = settled()
            status = pathlib.Path(f"/proc/{run.pid}/status").read_text()
        of = dict(re.findall(r"^(\w+):\s*(.*)$", status, re.MULTILINE))
        checks.check(f"whoever answers has no capabilities, started by {name}", faults(
            effective=(int(of["CapEff"], 16) == 0, of["CapEff"]), permitted=(int(of["CapPrm"], 16) == 0, of["CapPrm"]),
            none_new=(of["NoNewPrivs"] == "1", of["NoNewPrivs"]), user=(set(of["Uid"].split()) == {str(user)}, of["Uid"]),
            works=(found is not None and total(found, "sanscope_commands_total") > 200, found and total(found, "sanscope_commands_total")),
            status=(run.status == 0, run.err)))


def test_refusals(bench, checks):
    out = bench.scratch / "second.pcapng"
    with bench.capture("-w", bench.scratch / "first.pcapng"):
        second = bench.refused("--metrics", f"127.0.0.1:{PORT}", "-w", out)
        checks.check("a port that is taken is told before anything is recorded", faults(
            status=(second.returncode == 1, second.returncode), file=(not out.exists(), "a file"),
            message=(second.stderr.strip().endswith(f"sanscope: --metrics: cannot listen on 127.0.0.1:{PORT}: Address already in use"), second.stderr)))
        promtool(checks, "before the first packet", get())
    for arguments, words in (
            (("--metrics", f"0.0.0.0:{PORT}"), "--metrics-anywhere"), (("--metrics", f"[::]:{PORT}"), "--metrics-anywhere"),
            (("--metrics", "nonsense"), "ADDRESS:PORT"), (("--metrics", "san.example:9260"), "ADDRESS:PORT"),
            (("--metrics-anywhere",), "--metrics")):
        run = bench.refused(*arguments, "-w", out)
        checks.check(f"{' '.join(arguments)} is refused", faults(status=(run.returncode == 2, run.returncode), file=(not out.exists(), "a file"),
                                                                message=(words in run.stderr, run.stderr)))
    run = bench.refused("--metrics", f"127.0.0.1:{PORT}", "-w", "-")
    checks.check("of -w - there is nothing to analyse", faults(status=(run.returncode == 2, run.returncode), message=("-w -" in run.stderr, run.stderr)))
    with bench.capture("--metrics-anywhere", "-w", bench.scratch / "any.pcapng", metrics=f"0.0.0.0:{PORT}") as run:
        checks.check("with --metrics-anywhere others may", [] if "sanscope_build_info" in get() else [run.text()])
    with bench.target() as url, bench.capture("--report", "-w", bench.scratch / "report.pcapng") as run:
        bench.load(f"{url}/0", "--commands", 100)
        checks.check("beside --report", [] if settled() else [run.text()])
    checks.check("… which ends well", [] if run.status == 0 else [run.err])
    run = subprocess.run(bench.command("--metrics", f"[::1]:{PORT}", "-w", out, "-a", "duration:1"), stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=60)
    without = "this system's CivetWeb was built without IPv6" in run.stderr
    checks.check("over IPv6, or why not", [] if run.returncode == (1 if without else 0) else [run.stderr])


def rude(stop):
    """Those who send something else than a scrape, or nothing, as long as it goes on. What was answered with 200."""
    served = []
    words = [b"POST /metrics HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n", b"GET /" + b"a" * 20000, b"\0" * 5000, b"GET /../../etc/passwd HTTP/1.1\r\n\r\n",
             b"\x16\x03\x01\x00\xa5\x01\x00\x00",
             b"GET /metrics HTTP/1.1\r\nAccept: " + b'a/b;q="\\,' * 3000 + b"\r\n\r\n", b"PUT /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b""]
    at = 0
    kept = []
    while not stop.is_set():
        at += 1
        with contextlib.suppress(OSError):
            peer = socket.create_connection(("127.0.0.1", PORT), timeout=1)
            peer.settimeout(0.2)
            peer.sendall(words[at % len(words)])
            with contextlib.suppress(OSError):
                if b" 200 " in peer.recv(4096):
                    served.append(words[at % len(words)][:40])
            kept.append(peer)
        if len(kept) > 40:
            kept.pop(0).close()
        time.sleep(0.01)
    for peer in kept:
        peer.close()
    return served


def test_hostile(bench, checks):
    stop, served = threading.Event(), []
    with bench.target() as url, bench.capture("-w", bench.scratch / "hostile.pcapng") as run:
        attacker = threading.Thread(target=lambda: served.extend(rude(stop)))
        attacker.start()
        load = bench.load(f"{url}/0", "--duration", "6s", "-q", 4, "--rate", 1000, wait=False)
        answered = 0
        while load.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                answered += "sanscope_build_info" in get(seconds=5)
            time.sleep(0.3)
        load.communicate()
        stop.set()
        attacker.join(30)
        found = settled()
        descriptors = len(list(pathlib.Path(f"/proc/{run.pid}/fd").iterdir()))
        threads = len(list(pathlib.Path(f"/proc/{run.pid}/task").iterdir()))
    checks.check("nothing but a scrape is answered", served)
    checks.check(f"scrapes are answered meanwhile ({answered} of them)", [] if answered > 0 else ["none"])
    checks.check("neither threads nor descriptors are left behind", faults(descriptors=(descriptors < 60, descriptors), threads=(threads < 12, threads)))
    checks.check("the recording and its analysis go on", faults(
        status=(run.status == 0, run.err), found=(found is not None and total(found, "sanscope_commands_total") > 1000, "too few"),
        quiet=("HTTP" not in run.err.replace("Metrics: http", ""), run.err)))


def queries_of(dashboard):
    """(panel, query) with the dashboard's variables taken as everything."""
    def panels(of):
        for panel in of:
            yield panel
            yield from panels(panel.get("panels", []))
    for panel in panels(dashboard["panels"]):
        for one in panel.get("targets", []):
            query = one["expr"].replace("$__rate_interval", "5s").replace("$__range", "20s")
            yield panel["title"], re.sub(r"\$\{?(\w+)\}?", ".*", query)


def ask(port, path, **parameters):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=20) as answer:
        return json.load(answer)["data"]


@contextlib.contextmanager
def prometheus(bench, config, *arguments):
    """One of our own; its port."""
    port = 9290
    server = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={bench.scratch / f'tsdb-{len(arguments)}'}",
                               f"--web.listen-address=127.0.0.1:{port}", "--log.level=error", *arguments], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    try:
        yield port
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)


def scraped(port):
    def up():
        with contextlib.suppress(OSError):
            return ask(port, "query", query="up")["result"]
        return None
    return until(lambda: (up() or [{"value": [0, "0"]}])[0]["value"][1] == "1", 30)


def scrapes_by_format(port):
    return {one["metric"]["format"]: float(one["value"][1]) for one in ask(port, "query", query="sanscope_scrapes_total")["result"]}


def test_native_histograms(bench, checks):
    """Prometheus asks for protobuf, and its quantiles are those of the table, within a bucket."""
    config = bench.scratch / "native.yml"
    config.write_text(f"global: {{scrape_interval: 1s}}\nscrape_configs: [{{job_name: sanscope, static_configs: [{{targets: ['127.0.0.1:{PORT}']}}]}}]\n",
                      encoding="utf-8")
    out = bench.scratch / "native.pcapng"
    metric = "sanscope_command_turnaround_seconds"
    with prometheus(bench, config, "--enable-feature=native-histograms") as port:
        with bench.target() as url, bench.capture("-w", out):
            scraped(port)
            for size in ("4K", "256K"):
                bench.load(f"{url}/0", "--duration", "6s", "-q", 8, "--rate", 400, "--request-size", size, "--read-percent", 50, "--allow-writes", serial(0))
            found = settled()
            commands = total(found or {}, f"{metric}_count")

            def count():
                result = ask(port, "query", query=f"sum(histogram_count({metric}))")["result"]
                return float(result[0]["value"][1]) if result else 0
            until(lambda: count() == commands, 60)
            histograms = ask(port, "query", query=metric)["result"]
            quantiles = {phi: ask(port, "query", query=f'histogram_quantile({phi}, {metric}{{direction="read"}})')["result"] for phi in (0.5, 0.9, 0.99)}
            rates = ask(port, "query", query=f"histogram_quantile(0.99, rate({metric}[1m]))")["result"]
            formats = scrapes_by_format(port)
    rows = told_by_tables(bench.sanscope, [out])
    turnarounds = turnarounds_of(rows)
    checks.check("with native histograms enabled, Prometheus scrapes protobuf", faults(
        formats=(formats.get("protobuf", 0) > 5 and formats.get("openmetrics") == 0, formats)))

    def labels_in(one):
        return frozenset(pair for pair in one["metric"].items() if pair[0] not in ("__name__", "instance", "job"))
    wrong = []
    for one in histograms:
        values = turnarounds[labels_in(one)]
        buckets = {}
        for _, low, high, held in one["histogram"][1]["buckets"]:
            zero = float(low) <= 0
            buckets[-160 if zero else round(8 * math.log2(float(high)))] = float(held)
        expected = collections.Counter(max(exponential_index(value), -160) for value in values)
        if buckets != expected:
            wrong.append(f"{sorted(labels_in(one))}: {buckets}, not {dict(expected)}")
    checks.check(f"its histograms have the buckets of the table, {len(histograms)} sets of labels of {len(rows['commands'])} commands",
                 wrong + ([] if len(histograms) == len(turnarounds) else [len(histograms), len(turnarounds)]))
    wrong = []
    told = []
    for phi, result in quantiles.items():
        for one in result:
            values = sorted(turnarounds[labels_in(one)])
            expected, answer = values[max(math.ceil(phi * len(values)) - 1, 0)] / 1e9, float(one["value"][1])
            told.append(f"{phi}: {answer * 1e6:.0f} µs of {expected * 1e6:.0f} µs")
            if not expected / 2 ** 0.125 <= answer <= expected * 2 ** 0.125:
                wrong.append(told[-1])
    checks.check(f"its quantiles of reads are those of the table within a bucket: {', '.join(told)}", wrong + ([] if told else ["none"]))
    wrong = [one for one in rates if not (float(one["value"][1]) != float(one["value"][1]) or
                                          min(turnarounds[labels_in(one)]) / 1.1e9 <= float(one["value"][1]) <= max(turnarounds[labels_in(one)]) * 1.1e-9)]
    checks.check(f"… and rates of them have quantiles, {len(rates)} sets of labels", wrong + ([] if rates else ["none"]))


def test_prometheus(bench, checks):
    """A real Prometheus scrapes a load, and is asked all that the dashboard and the alerts ask."""
    dashboard = json.loads((MONITORING / "sanscope-dashboard.json").read_text(encoding="utf-8"))
    rules = MONITORING / "sanscope-alerts.yml"
    checked = subprocess.run(["promtool", "check", "rules", rules], capture_output=True, text=True, timeout=60)
    checks.check("promtool check rules", [] if checked.returncode == 0 else [checked.stdout + checked.stderr])
    scrape = re.search(r"```yaml\n(scrape_configs:.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL).group(1)
    config = bench.scratch / "prometheus.yml"
    config.write_text(f"global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: ['{rules}']\n"
                      f"{re.sub('scrape_interval: .*', 'scrape_interval: 1s', scrape)}", encoding="utf-8")
    checked = subprocess.run(["promtool", "check", "config", config], capture_output=True, text=True, timeout=60)
    checks.check("promtool check config, of the one in docs/metrics.md", [] if checked.returncode == 0 else [checked.stdout + checked.stderr])
    with prometheus(bench, config) as port:
        with bench.target() as url, bench.capture("-w", bench.scratch / "prometheus.pcapng"):
            loads = [bench.load(f"{url}/{lun}", "--duration", "20s", "-q", 4, "--rate", 500, "--request-size", size, "--read-percent", 50,
                                "--allow-writes", serial(lun), wait=False) for lun, size in ((0, "4K"), (1, "64K"))]
            scraped(port)
            for load in loads:
                load.communicate()
            now = time.time()
            answers = {}
            for panel, query in queries_of(dashboard):
                try:
                    answers[panel, query] = ask(port, "query_range", query=query, start=now - 20, end=now, step=1)["result"]
                except OSError as error:
                    answers[panel, query] = f"{error}: {error.read().decode() if hasattr(error, 'read') else ''}"
            targets = ask(port, "targets", state="active")["activeTargets"]
            groups = ask(port, "rules")["groups"]
            formats = scrapes_by_format(port)
        if bench.keep:
            (bench.keep / "dashboard-answers.json").write_text(json.dumps([[*key, value] for key, value in answers.items()]), encoding="utf-8")
        checks.check("Prometheus scrapes it without a complaint", faults(
            targets=(len(targets) == 1 and targets[0]["health"] == "up" and not targets[0]["lastError"], targets)))
        checks.check("… which it asks for as OpenMetrics", faults(
            formats=(formats.get("openmetrics", 0) > 5 and formats.get("text") == 0 and formats.get("protobuf") == 0, formats)))
        checks.check(f"every query of the dashboard has an answer, {len(answers)} of them",
                     [f"{panel}: {query}: {found or 'nothing'}" for (panel, query), found in answers.items()
                      if isinstance(found, str) or not found])
        every = [rule for group in groups for rule in group["rules"]]
        checks.check(f"every rule is evaluated, {len(every)} of them", [f"{rule['name']}: {rule['health']} {rule.get('lastError')}" for rule in every
                                                                      if rule["health"] != "ok"] + ([] if every else ["none"]))


TESTS = {name.removeprefix("test_"): value for name, value in list(globals().items()) if name.startswith("test_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="*", help=f"only these: {', '.join(TESTS)}")
    parser.add_argument("--sanscope", default=str(DEFAULT_SANSCOPE))
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for what Prometheus answered")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    checks = Checks()
    why = next((f"{name} is not installed" for name in ("unshare", "ip", "promtool", "prometheus") if shutil.which(name) is None), None)
    if why is None and openmetrics is None:
        why = "Python's prometheus_client is not installed"
    if os.geteuid() != 0:
        why = "only root can make a network namespace"
    elif why is None and not arguments.inside:
        made = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True)
        if made.returncode == 0:
            os.execvp("unshare", ["unshare", "--net", sys.executable, __file__, "--inside", *sys.argv[1:]])
        why = f"no network namespace can be made: {made.stderr.strip()}"
    if why:
        checks.skip("metrics", why)
        sys.exit(checks.finish())
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        bench = Bench(arguments.sanscope, pathlib.Path(folder))
        bench.keep = arguments.keep
        for name, test in TESTS.items():
            if not arguments.tests or name in arguments.tests:
                test(bench, checks)
    sys.exit(checks.finish())


if __name__ == "__main__":
    main()

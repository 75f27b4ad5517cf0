# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope generate` as another program runs it: events of a load, lists as JSON, secrets from standard input. Parts
of generator_test.py."""

import csv
import json
import re
import signal
import struct
import subprocess
import time
import uuid
import zlib

from load_bench import Run, account_faults, interrupted_twice, unless

SMALL = 4096
SECTOR = 512
HANGS = 30
SUMS = ("commands", "reads", "writes", "bytes", "errors")


def partition_table(sectors):
    """What a LUN of so many sectors begins with that holds a GPT with one partition."""
    entry = (uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4").bytes_le + uuid.uuid4().bytes_le +
             struct.pack("<QQQ", 2048, sectors - 2048, 0) + "data".encode("utf-16-le").ljust(72, b"\0"))
    entries = entry.ljust(128 * 128, b"\0")

    def header(crc):
        return struct.pack("<8s4sIIIQQQQ16sQIII", b"EFI PART", b"\0\0\1\0", 92, crc, 0, 1, sectors - 1, 34, sectors - 34,
                           uuid.uuid5(uuid.NAMESPACE_DNS, "example.org").bytes_le, 2, 128, 128, zlib.crc32(entries))

    protective = bytes(446) + struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xEE, b"\xff\xff\xff", 1, sectors - 1) + bytes(48) + b"\x55\xaa"
    return protective + header(zlib.crc32(header(0))).ljust(SECTOR, b"\0") + entries


class Events:
    """`sanscope generate --events`: `events` in their order, as far as they were read."""

    def __init__(self, sanscope, *arguments, words=None):
        self.process = subprocess.Popen([sanscope, "generate", "--events", *map(str, arguments)], text=True,
                                        stdin=subprocess.DEVNULL if words is None else subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.began = time.monotonic()
        self.events, self.err, self.status, self.took = [], "", None, None
        if words is not None:
            self.process.stdin.write(words)
            self.process.stdin.close()
            self.process.stdin = None

    def read(self, kind, meant=lambda event: True):
        """Until an event of that kind which is meant, or the end."""
        for line in self.process.stdout:
            self.events.append(json.loads(line))
            if self.events[-1]["kind"] == kind and meant(self.events[-1]):
                return self.events[-1]
        return None

    def finish(self):
        self.read("")
        self.err = self.process.stderr.read()
        self.status = self.process.wait(timeout=HANGS)
        self.took = time.monotonic() - self.began
        return self

    def of(self, kind):
        return [event for event in self.events if event["kind"] == kind]

    def texts(self):
        return [event["text"] for event in self.of("message")]

    def run(self):
        """As a run of --json, for account_faults()."""
        summary = self.of("ended")[0]["summary"] if self.of("ended") else None
        return Run(self.status, json.dumps(summary) if summary else "", "\n".join(self.texts()), self.took)


def events_faults(told, columns, urls):
    """What is wrong with the order, the members and the sums of a load's events."""
    kinds = [event["kind"] for event in told.events]
    seconds, summary = told.of("second"), told.of("ended")[-1]["summary"] if told.of("ended") else {}
    firsts = [kind for kind in kinds if kind != "message"]
    sums = {name: sum(second[name] for second in seconds) for name in SUMS}
    of_summary = {"commands": summary.get("commands"), "bytes": summary.get("bytes"), "errors": summary.get("errors"),
                  "reads": summary.get("reads", {}).get("commands"), "writes": summary.get("writes", {}).get("commands")}
    return unless(
        known=(set(kinds) <= {"begun", "second", "message", "ended"}, kinds), begun=(firsts[:1] == ["begun"], kinds),
        apart=(all(second["seconds"] >= 0.2 + before["seconds"] for before, second in zip(seconds, seconds[1:])), seconds),
        once=(kinds.count("begun") == kinds.count("ended") == 1, kinds), ended=(kinds[-1:] == ["ended"], kinds),
        targets=(bool(told.of("begun")) and told.of("begun")[0]["targets"] == urls, told.of("begun")),
        negotiated=(bool(told.of("begun")) and told.of("begun")[0].get("negotiated") == summary.get("negotiated"), told.of("begun")),
        columns=(all(set(second) == {"kind", *columns} for second in seconds), seconds[:1]),
        numbers=(all(second[name] is None or isinstance(second[name], (int, float)) for second in seconds for name in columns), seconds),
        sums=(sums == of_summary, (sums, of_summary)),
        times=([second["seconds"] for second in seconds] == sorted(second["seconds"] for second in seconds), seconds),
        whole=(bool(seconds) and abs(seconds[-1]["seconds"] - summary["seconds"]) < 0.001, (seconds[-1:], summary.get("seconds"))),
        status=(bool(told.of("ended")) and told.of("ended")[0]["status"] == told.status, told.status),
        error=(told.err == "", told.err))


def test_events(bench):
    checks = bench.checks
    rows = bench.scratch / "rows.csv"
    with bench.target("--size", "64M") as disk:
        urls = [disk.url()]
        told = Events(bench.sanscope, "--request-size", SMALL, "-q", 4, "--duration", "10min", "--read-percent", 60, "--allow-writes",
                      "SANSCOPE", "--csv", rows, *urls)
        # They come while the load runs: else nobody would end it.
        while_running = [told.read("second") for _ in range(3)]
        told.process.send_signal(signal.SIGINT)
        told.finish()
        table = list(csv.DictReader(rows.open(newline="")))
        columns = list(table[0]) if table else []
        checks.check("events: a load's seconds add up to its summary", events_faults(told, columns, urls) + account_faults(told.run(), SMALL) +
                     unless(seconds=(all(while_running), while_running), time=(told.took < HANGS, told.took)))
        checks.check("events: the seconds are the rows of --csv", unless(
            rows=(len(table) == len(told.of("second")), (len(table), len(told.of("second")))),
            cells=(all((second[name] is None) == (row[name] == "") and (row[name] == "" or float(row[name]) == float(second[name]))
                       for row, second in zip(table, told.of("second")) for name in columns), (table, told.of("second"))),
            nothing_else=(told.texts() == [], told.texts())))

        few = Events(bench.sanscope, "--request-size", SMALL, "--commands", 3, *urls).finish()
        checks.check("events: a load of less than a second has them all", events_faults(few, columns, urls) + unless(
            one=(len(few.of("second")) == 1 and few.of("second")[0]["commands"] == 3, few.events)))

    with bench.target("--backing", "null", "--fault", "busy:10") as disk:
        told = Events(bench.sanscope, "--request-size", SMALL, "--commands", 25, disk.url()).finish()
    checks.check("events: what failed is told in messages", events_faults(told, columns, [disk.url()]) +
                 account_faults(told.run(), SMALL, 3, busy=2) + unless(message=(any("2 of 25 commands failed" in text for text in told.texts()), told.texts())))
    with bench.target("--backing", "null", "--fault", "close:30") as disk:
        told = Events(bench.sanscope, "--request-size", SMALL, "-q", 4, "--commands", 55, disk.url()).finish()
    lost = told.run().failures().get("connection_lost", 0) if told.run().account else 0
    checks.check("events: a connection that was lost is told in a message", events_faults(told, columns, [disk.url()]) +
                 account_faults(told.run(), SMALL, 3, connection_lost=lost) +
                 unless(message=(any("the target closed the connection" in text for text in told.texts()), told.texts())))

    with bench.target("--backing", "null", "--fault", "never-answer") as disk:
        told = Events(bench.sanscope, "--request-size", SMALL, "--timeout", "1min", disk.url())
        # The login may take a second of its own.
        second = told.read("second", lambda second: second["in_flight"] > 0)
        interrupted_twice(told.process)
        told.finish()
    checks.check("events: a second without answers has no turnaround", unless(
        null=(second and second["p50_ns"] is None and second["mean_ns"] is None and second["in_flight"] == 1, second)))

    with bench.target("--backing", "null") as disk:
        told = Events(bench.sanscope, "--request-size", SMALL, "--rate", 200, "--duration", "1min", disk.url())
        told.read("second")
        told.process.send_signal(signal.SIGINT)
        told.finish()
    checks.check("events: SIGINT ends the load in peace", events_faults(told, columns, [disk.url()]) + account_faults(told.run(), SMALL) +
                 unless(time=(told.took < HANGS, told.took)))
    with bench.target("--backing", "null", "--fault", "never-answer") as disk:
        told = Events(bench.sanscope, "--request-size", SMALL, "-q", 8, "--timeout", "1min", disk.url())
        told.read("second", lambda second: second["in_flight"] == 8)
        waits = interrupted_twice(told.process)
        told.finish()
    checks.check("events: a second SIGINT aborts", events_faults(told, columns, [disk.url()]) +
                 account_faults(told.run(), SMALL, told.status, never_answered=8) +
                 unless(waited=(waits, "the first one did not wait"), time=(told.took < HANGS, told.took)))

    with bench.target("--backing", "null") as disk:
        told = Events(bench.sanscope, "--request-size", SMALL, "--rate", 200, "--duration", "1min", disk.url())
        told.read("second")
        told.process.stdout.close()
        try:
            err = told.process.stderr.read()
            status = told.process.wait(timeout=HANGS)
        except subprocess.TimeoutExpired:
            told.process.kill()
            err, status = "it went on", None
    checks.check("events: a load that nobody listens to any more ends", unless(status=(status == 3, (status, err)), sessions=(
        disk.account["sessions"] == 2, disk.account)))

    refused = Events(bench.sanscope, "iscsi://127.0.0.1:1/iqn.2026-11.org.example:none/0").finish()
    checks.check("events: what keeps a load from beginning is on standard error", unless(
        status=(refused.status == 1, refused.status), nothing=(refused.events == [], refused.events),
        line=(re.fullmatch(r"sanscope: .*Connection refused\n", refused.err), refused.err)))
    for both in (("--events", "--json"), ("--events", "--discover"), ("--events", "--csv", "-")):
        run = bench.run("generate", *both, "iscsi://127.0.0.1:1/iqn.2026-11.org.example:none/0")
        checks.check(f"{' '.join(both)} is wrong usage", unless(status=(run.returncode == 2, run), out=(run.stdout == "", run)))


HOSTILE = 'a"b\\c</script>{}'


def listed(run):
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_lists(bench):
    checks = bench.checks
    with bench.target("--luns", 2, "--size", "64M", "--serial", HOSTILE) as disk:
        targets = bench.run("generate", "--discover", "--json", f"iscsi://{disk.address}")
        luns = bench.run("generate", "--discover", "--json", f"iscsi://{disk.address}/{disk.name}")
    url = f"iscsi://{disk.address}/{disk.name}"
    checks.check("lists: a memory target as JSON", unless(
        targets=(listed(targets) == [{"kind": "target", "name": disk.name, "url": url}], targets), status=(targets.returncode == 0, targets)))
    wanted = [{"kind": "lun", "url": f"{url}/{lun}", "lun": lun, "bytes": 64 << 20, "blocks": 131072, "block_length": 512, "vendor": "SANSCOPE",
               "product": "MEMORY TARGET", "serial_number": HOSTILE + (f"-{lun}" if lun else ""), "content": "", "interface": "lo",
               "filter": f"(host 127.0.0.1 and tcp port {disk.port})"} for lun in (0, 1)]
    checks.check("lists: its LUNs as JSON, with a serial number of quotes and backslashes", unless(luns=(listed(luns) == wanted, luns)))
    gone = bench.run("generate", "--discover", "--json", f"iscsi://{disk.address}")
    checks.check("lists: a portal that is not there is told on standard error", unless(
        status=(gone.returncode == 1, gone), out=(gone.stdout == "", gone), err=("Connection refused" in gone.stderr, gone)))
    if not bench.tgtd:
        return
    name = "iqn.2026-11.org.example:hostile"
    url = bench.tgtd.add_target(name, "HOSTILE-1")
    vendor, product = 'v"\\\x1b[2J', 'p\n\xff"}]{"a":1'
    bench.tgtd.admin("--op", "update", "--mode", "logicalunit", "--tid", bench.tgtd.targets, "--lun", 1, "--params", f"vendor_id={vendor}")
    bench.tgtd.admin("--op", "update", "--mode", "logicalunit", "--tid", bench.tgtd.targets, "--lun", 1, "--params", f"product_id={product}")
    with open(bench.tgtd.file, "r+b") as disk:
        disk.write(partition_table(bench.tgtd.file.stat().st_size // SECTOR))
    targets = bench.run("generate", "--discover", "--json", f"iscsi://{bench.tgtd.address}")
    luns = bench.run("generate", "--discover", "--json", url.rpartition("/")[0])
    checks.check("lists: tgtd's targets as JSON", unless(found=(
        {"kind": "target", "name": name, "url": url.rpartition("/")[0]} in listed(targets), targets)))
    by_lun = {one["lun"]: one for one in listed(luns)}
    checks.check("lists: what is on a LUN, and a vendor and a product full of what JSON and terminals obey", unless(
        luns=(sorted(by_lun) == [0, 1], luns), content=("GPT partition table" in by_lun[1]["content"], by_lun),
        vendor=(by_lun[1]["vendor"] == 'v"\\ [2J', by_lun), product=(by_lun[1]["product"].startswith("p ") and "\n" not in by_lun[1]["product"], by_lun),
        facts=(by_lun[1]["bytes"] == 64 << 20 and by_lun[1]["serial_number"] == "HOSTILE-1", by_lun)))
    checks.check("lists: a LUN that is no disk has an error in place of facts", unless(
        error=("no disk" in by_lun[0].get("error", "") and "bytes" not in by_lun[0] and by_lun[0]["url"].endswith("/0"), by_lun)))


def test_secrets(bench):
    checks = bench.checks
    right, own = "the-hosts-secret", "the-disks-secret"
    files = {}
    for name, secret in (("right", right), ("own", own)):
        files[name] = bench.scratch / f"stdin-{name}"
        files[name].write_text(secret + "\n")
        files[name].chmod(0o600)
    mutual = ("--mutual-user", "disk", "--mutual-secret-file")
    few = ("--request-size", SMALL, "--commands", 5)
    with bench.target("--backing", "null", "--chap-user", "host", "--secret-file", files["right"], *mutual, files["own"]) as disk:
        url = disk.url(user="host")

        def told(words, *arguments):
            return Events(bench.sanscope, *few, *arguments, url, words=words).finish()

        one_way = told(right + "\n", "--secret-file", "-")
        checks.check("a secret from standard input", account_faults(one_way.run(), SMALL) + unless(quiet=(one_way.err == "", one_way.err)))
        both = told(f"{right}\n{own}\n", "--secret-file", "-", *mutual, "-")
        checks.check("both secrets from standard input", account_faults(both.run(), SMALL))
        theirs = told(own, "--secret-file", files["right"], *mutual, "-")
        checks.check("the target's from standard input, the user's from a file", account_faults(theirs.run(), SMALL))
        swapped = told(f"{own}\n{right}\n", "--secret-file", "-", *mutual, "-")
        checks.check("in the wrong order they are wrong", unless(status=(swapped.status == 1 and swapped.events == [], swapped.events),
                                                                 said=(re.search(r"authentication|status 2/[012]", swapped.err), swapped.err)))
        half = told(f"{right}\n", "--secret-file", "-", *mutual, "-")
        checks.check("a second line that is missing is told", unless(status=(half.status == 1, half.status),
                                                                     said=("standard input: the secret is empty" in half.err, half.err)))
        shown = subprocess.run([bench.sanscope, "generate", "--discover", "--json", "--secret-file", "-", f"iscsi://host@{disk.address}/{disk.name}"],
                               input=right + "\n", capture_output=True, text=True, timeout=HANGS)
        checks.check("lists: with a secret from standard input, and no user in the URLs", unless(
            lun=(len(listed(shown)) == 1 and listed(shown)[0]["url"] == disk.url(), shown)))
    with bench.target("--backing", "null", "--chap-user", "host", "--secret-file", short_secret(bench)) as disk:
        weak = Events(bench.sanscope, *few, "--secret-file", "-", disk.url(user="host"), words="tooshort\n").finish()
    checks.check("events: a weak secret is told in a message", account_faults(weak.run(), SMALL) + unless(
        message=(any("can be guessed" in text for text in weak.texts()), weak.texts()), quiet=(weak.err == "", weak.err)))


def short_secret(bench):
    path = bench.scratch / "short"
    path.write_text("tooshort\n")
    path.chmod(0o600)
    return path

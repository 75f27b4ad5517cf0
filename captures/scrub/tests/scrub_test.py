#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scrubbed capture tells the same as the whole one, and holds nothing that users stored.

Each sample is scrubbed. Every table of the copy must be that of the whole capture, cell by cell, but for data digests: one
that was checked in the whole capture may be empty in the copy, and never anything else. What users stored is found here on its
own, by following each TCP stream of the whole capture from its login along the lengths in its headers, and replaced by random
bytes: none of them may be in the copy, in runs of 16 bytes. The same for captures that begin late, are cut, lack packets or have them out of order."""

import argparse
import bisect
import csv
import io
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "analyzer" / "tests"))

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, run_sanscope  # noqa: E402

TABLES = ("connections", "sessions", "commands", "pdus", "windows", "ca_transitions", "losses", "budgets", "findings")
# Cells that may be empty in the copy: whether a data digest over users' data was right.
EMPTY_IN_COPY = {("pdus", "data_digest")}
# Cells that may be told where they are not in a capture that was cut: the copy holds no data that could be tried for digests,
# so that a header right behind data shows that there are none.
TOLD_IN_COPY = {("sessions", "data_digest")}
RUN = 16
# Samples that were cut within headers and lack some of them, and the least share of PDUs that is told of them.
CUT = "sent-again-"
LEAST_OF_CUT = 0.6

# SCSI operation codes whose data are users' (SBC-3): READ, WRITE, WRITE AND VERIFY, VERIFY, COMPARE AND WRITE, WRITE SAME.
USERS_OPCODES = {0x08, 0x0a, 0x28, 0x2a, 0x2e, 0x2f, 0x41, 0x88, 0x89, 0x8a, 0x8e, 0x8f, 0x93, 0xa8, 0xaa, 0xae, 0xaf}


def plain_bytes(path):
    tool = {".zst": ["zstd", "-dqc"], ".gz": ["gzip", "-dc"], ".lz4": ["lz4", "-dqc"]}.get(path.suffix)
    return subprocess.run([*tool, path], stdout=subprocess.PIPE, check=True).stdout if tool else path.read_bytes()


def frames_of(data):
    """(where its captured bytes begin, how many) of each packet of a pcap or a little-endian pcapng."""
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        at = 0
        while at + 12 <= len(data):
            kind, length = struct.unpack_from("<II", data, at)
            if length < 12 or at + length > len(data):
                return
            if kind == 6:
                captured, = struct.unpack_from("<I", data, at + 20)
                yield at + 28, captured
            at += length
        return
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at + 16 <= len(data):
        captured, = struct.unpack_from(order + "I", data, at + 8)
        if at + 16 + captured > len(data):
            return
        yield at + 16, captured
        at += 16 + captured


def segments_of(data):
    """(ends, first sequence number, where its payload begins and ends in `data`, SYN) of each TCP segment over Ethernet."""
    for begin, captured in frames_of(data):
        frame = data[begin:begin + captured]
        at, kind = 14, frame[12:14]
        while kind in (b"\x81\x00", b"\x88\xa8"):
            kind = frame[at + 2:at + 4]
            at += 4
        if kind == b"\x08\x00" and len(frame) >= at + 20:
            total, = struct.unpack_from(">H", frame, at + 2)
            fragment, = struct.unpack_from(">H", frame, at + 6)
            ends = frame[at + 12:at + 20]
            tcp = at + (frame[at] & 15) * 4
            end = at + total if total else len(frame)
            if frame[at + 9] != 6 or fragment & 0x3fff:
                continue
        elif kind == b"\x86\xdd" and len(frame) >= at + 40 and frame[at + 6] == 6:
            length, = struct.unpack_from(">H", frame, at + 4)
            ends = frame[at + 8:at + 40]
            tcp = at + 40
            end = tcp + length if length else len(frame)
        else:
            continue
        if len(frame) < tcp + 20:
            continue
        source, target, seq = struct.unpack_from(">HHI", frame, tcp)
        half = len(ends) // 2
        payload = min(tcp + (frame[tcp + 12] >> 4) * 4, len(frame))
        yield ((bytes(ends[:half]), source, bytes(ends[half:]), target), seq, begin + payload,
               begin + max(payload, min(end, len(frame))), bool(frame[tcp + 13] & 2))


class Stream:
    """The bytes of one direction, by their place behind the SYN; of bytes that came twice the first."""

    def __init__(self, begin):
        self.begin = begin
        self.pieces = {}

    def place(self, seq):
        at = (seq - self.begin) & 0xffffffff
        return at if at < 1 << 31 else None

    def add(self, seq, payload):
        at = self.place(seq)
        if at is not None and payload and len(self.pieces.get(at, b"")) < len(payload):
            self.pieces[at] = payload

    def whole(self):
        """As far as it goes without a hole."""
        data = bytearray()
        for at in sorted(self.pieces):
            if at > len(data):
                break
            data += self.pieces[at][len(data) - at:]
        return bytes(data)


def pdus_of(data, digests):
    """(header, where its data segment begins and ends) along the lengths in the headers."""
    at = 0
    while at + 48 <= len(data):
        header = data[at:at + 48]
        login = header[0] & 0x3f in (0x03, 0x23)
        length = int.from_bytes(header[5:8], "big")
        at += 48 + header[4] * 4 + (4 if digests[0] and not login else 0)
        yield header, at, at + length
        at += length + -length % 4 + (4 if digests[1] and length and not login else 0)


def paint(capture):
    """What commands read and wrote in the sessions whose login is in the capture is replaced by random bytes, the same in each
    copy of a segment. Returns the capture, these bytes, and whether there were data digests, which are wrong now."""
    capture = bytearray(capture)
    streams = {}
    segments = []
    for ends, seq, begin, end, syn in segments_of(bytes(capture)):
        if syn:
            streams[ends] = Stream((seq + 1) & 0xffffffff)
        elif ends in streams:
            streams[ends].add(seq, bytes(capture[begin:end]))
            segments.append((streams[ends], seq, begin, end))
    users = {}
    with_digests = False
    for ends, stream in streams.items():
        back = streams.get(ends[2:] + ends[:2])
        requests = stream.whole()
        if back is None or not requests or requests[0] & 0x3f != 0x03:
            continue
        answers = back.whole()
        login = b"".join(answers[begin:end] for header, begin, end in pdus_of(answers, (False, False))
                         if header[0] & 0x3f == 0x23)
        digests = (b"HeaderDigest=CRC32C" in login, b"DataDigest=CRC32C" in login)
        with_digests = with_digests or digests[1]
        # A tag may be used again: whatever it stood for ever.
        tags = {}
        for header, _, _ in pdus_of(requests, digests):
            if header[0] & 0x3f == 0x01:
                tags.setdefault(header[16:20], set()).add(header[32])
        for which, data in ((stream, requests), (back, answers)):
            for header, begin, end in pdus_of(data, digests):
                opcodes = tags.get(header[16:20], set())
                if header[0] & 0x3f in (0x01, 0x05, 0x25) and opcodes and opcodes <= USERS_OPCODES and begin < end:
                    users.setdefault(which, []).append((begin, end))
    painted = {stream: random.Random(at).randbytes(max(end for _, end in parts))
               for at, (stream, parts) in enumerate(users.items())}
    for stream, seq, begin, end in segments:
        at = stream.place(seq)
        if stream not in users or at is None:
            continue
        first = bisect.bisect_right(users[stream], (at, 0)) - 1
        for part_begin, part_end in users[stream][max(first, 0):]:
            if part_begin >= at + end - begin:
                break
            low, high = max(part_begin, at), min(part_end, at + end - begin)
            if low < high:
                capture[begin + low - at:begin + high - at] = painted[stream][low:high]
    return bytes(capture), [painted[stream][begin:end] for stream in users for begin, end in users[stream]], with_digests


def runs_in(data):
    return {data[at:at + RUN] for at in range(len(data) - RUN + 1)}


def leaked(pieces, copy):
    """Runs of users' data that are in the copy. What could stand anywhere, such as zeros, is not looked for."""
    there = runs_in(copy)
    looked = 0
    found = []
    for piece in pieces:
        for at in range(0, len(piece) - RUN + 1, RUN):
            run = piece[at:at + RUN]
            if len(set(run)) < 6:
                continue
            looked += 1
            if run in there:
                found.append(run.hex())
    return looked, found


def rows_of(sanscope, name, capture):
    run = run_sanscope(sanscope, ["table", name, capture])
    return run.status, list(csv.DictReader(io.StringIO(run.out)))


def findings_apart(rows, was_cut):
    """Without what is said of packets that are cut, and of damage, before which the copy ends. What is said of headers that are
    missing where the whole capture was cut itself depends on that: the copy does not know it."""
    left_out = {"snap_length", "capture_damaged"} | ({"capture_issue"} if was_cut else set())
    return [row for row in rows if row["kind"] not in left_out]


def differences(sanscope, whole, copy):
    found = []
    for name in TABLES:
        status, rows = rows_of(sanscope, name, whole)
        status_of_copy, rows_of_copy = rows_of(sanscope, name, copy)
        if status_of_copy not in (0, status):
            found.append(f"{name}: exit status {status_of_copy} instead of {status}")
        if name == "findings":
            was_cut = any(row["kind"] == "snap_length" for row in rows)
            rows, rows_of_copy = findings_apart(rows, was_cut), findings_apart(rows_of_copy, was_cut)
        if len(rows) != len(rows_of_copy):
            found.append(f"{name}: {len(rows_of_copy)} rows instead of {len(rows)}")
            continue
        for at, (row, other) in enumerate(zip(rows, rows_of_copy), 1):
            for column, value in row.items():
                same = other[column] == value
                less = (name, column) in EMPTY_IN_COPY and other[column] == ""
                more = (name, column) in TOLD_IN_COPY and value == "" and other[column] == "None"
                if not same and not less and not more:
                    found.append(f"{name} row {at}, {column}: {other[column]!r} instead of {value!r}")
    return found


def rows_that_are_not_there(sanscope, whole, copy):
    """Of a capture that was cut: where a header was lost, what is left of the next ones may be too little to be believed, so
    that the copy has fewer. But none that the whole capture has not, and most."""
    names = ("connection", "sender", "opcode", "first_packet", "bhs_offset", "data_length")
    places = lambda capture: {tuple(row[name] for name in names) for row in rows_of(sanscope, "pdus", capture)[1]}
    there, told = places(whole), places(copy)
    faults = [f"pdus: {place} is not there" for place in sorted(told - there)]
    if len(told) < LEAST_OF_CUT * len(there):
        faults.append(f"pdus: {len(told)} of {len(there)}")
    return faults


def scrubbed(sanscope, capture, copy, statuses=(0,)):
    run = run_sanscope(sanscope, ["scrub", capture, copy, "--force"])
    return [] if run.status in statuses else [f"scrub: {run.describe()}"]


def check_sample(checks, sanscope, path, folder):
    whole, painted, copy = folder / "whole", folder / "painted", folder / "copy.pcapng"
    data = plain_bytes(path)
    changed, pieces, with_digests = paint(data)
    whole.write_bytes(data)
    painted.write_bytes(changed)
    for name, capture in (("", whole), (" with users' data", painted)):
        if faults := scrubbed(sanscope, capture, copy, (0, 3)):
            checks.fail(f"{path.name}{name} is scrubbed", faults)
            return 0
        # Painted over, data have digests that are wrong, of which the copy knows nothing.
        if (capture == whole) == with_digests:
            compare = rows_that_are_not_there if path.name.startswith(CUT) else differences
            checks.check(f"{path.name}{name}: the copy tells the same", compare(sanscope, capture, copy))
    looked, found = leaked(pieces, copy.read_bytes())
    checks.check(f"{path.name}: none of {looked} runs of users' data is in the copy", found)
    return looked


def write_pcap(path, frames, snap=None):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, 1))
        for at, frame in enumerate(frames):
            kept = frame[:snap]
            out.write(struct.pack("<IIII", 1700000000 + at // 10000, at % 10000 * 100, len(kept), len(frame)) + kept)


def made_worse(data):
    frames = [data[begin:begin + captured] for begin, captured in frames_of(data)]
    draw = random.Random(22)
    swapped = list(frames)
    for at in range(0, len(swapped) - 4, 7):
        swapped[at], swapped[at + 3] = swapped[at + 3], swapped[at]
    return {
        "begins late": (frames[len(frames) // 3:], None),
        "cut at 90": (frames, 90),
        "cut at 200": (frames, 200),
        "lacks every 20th packet": ([frame for frame in frames if draw.random() > 0.05], None),
        "out of order": (swapped, None),
    }


def told_otherwise_with_digests(fault):
    """A digest at the end of a packet whose data are not there is not known for what it is while the login is not, or came late: the
    next PDU may begin there, and its header counts as found again."""
    return (fault.startswith("pdus row ") and "first_packet" in fault) or fault.startswith("findings: 5 rows instead of 4")


def check_made_worse(checks, sanscope, path, folder):
    """Begins late, cut, packets missing, packets out of order: no users' data either, whatever becomes of the tables."""
    data = plain_bytes(path)
    painted, pieces, with_digests = paint(data)
    for name, (changed, snap) in made_worse(painted).items():
        capture, copy = folder / "changed.pcap", folder / "copy.pcapng"
        write_pcap(capture, changed, snap)
        faults = scrubbed(sanscope, capture, copy)
        looked, found = leaked(pieces, copy.read_bytes()) if not faults else (0, [])
        if not looked:
            faults.append("nothing was looked for")
        checks.check(f"{path.name} {name}: no users' data in the copy", faults + found)
        if with_digests:
            write_pcap(capture, made_worse(data)[name][0], snap)
            faults = scrubbed(sanscope, capture, copy)
        compare = rows_that_are_not_there if snap else differences
        differing = faults or compare(sanscope, capture, copy)
        if with_digests:
            differing = [fault for fault in differing if not told_otherwise_with_digests(fault)]
        checks.check(f"{path.name} {name}: the copy tells the same", differing)


def check_command_line(checks, sanscope, folder):
    whole, copy = SAMPLES / "nop-logout.pcap", folder / "twice.pcapng"
    run_sanscope(sanscope, ["scrub", whole, copy])
    first = copy.read_bytes()
    run = run_sanscope(sanscope, ["scrub", whole, copy])
    checks.check("a copy that is there is not replaced unless asked",
                 [] if run.status == 2 and copy.read_bytes() == first else [run.describe()])
    run = run_sanscope(sanscope, ["scrub", whole, whole, "--force"])
    checks.check("a capture is never replaced by its copy", [] if run.status == 1 else [run.describe()])
    again = folder / "again.pcapng"
    run_sanscope(sanscope, ["scrub", copy, again])
    checks.check("scrubbed again, a copy loses nothing",
                 differences(sanscope, copy, again) if again.exists() else ["there is none"])
    report = run_sanscope(sanscope, ["report", copy]).out
    checks.check("the report says that users' data were not kept, and nothing of a snap length",
                 [] if "not kept" in report and "(snap length)" not in report else [report])
    cut = folder / "cut.pcap"
    cut.write_bytes(whole.read_bytes()[:-10])
    run = run_sanscope(sanscope, ["scrub", cut, folder / "before-damage.pcapng"])
    checks.check("of a damaged capture all before the damage is copied",
                 [] if run.status == 3 and (folder / "before-damage.pcapng").exists() else [run.describe()])
    full = run_sanscope(sanscope, ["scrub", whole, "/dev/full"])
    checks.check("what is no file is not written to", [] if full.status in (1, 2) else [full.describe()])
    left = [each.name for each in folder.iterdir() if "tmp" in each.name or each.name.startswith(".")]
    checks.check("nothing else is left behind", left)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sanscope", default=DEFAULT_SANSCOPE)
    parser.add_argument("samples", nargs="*", type=pathlib.Path, help="default: all of captures/samples")
    options = parser.parse_args()
    checks = Checks()
    if missing := missing_program(options.sanscope):
        checks.fail("scrubbed captures", [missing])
        return checks.finish()
    samples = options.samples or sorted(each for each in SAMPLES.rglob("*")
                                        if ".pcap" in each.name and each.is_file())
    looked = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for path in samples:
            looked += check_sample(checks, options.sanscope, path, folder) or 0
        if not options.samples:
            checks.check("users' data were looked for", [] if looked > 100_000 else [f"in {looked} runs only"])
            for name in ("loss-mixed-target.pcap.zst", "header-and-data-digest.pcap.zst", "writes-r2t.pcap.zst"):
                check_made_worse(checks, options.sanscope, SAMPLES / name, folder)
            check_command_line(checks, options.sanscope, folder)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`sanscope scrub --anonymize`: tables of the copy are those of the original up to the mapping, nothing original is left in
it, no checksum became wrong, and what it says and exits with."""

import base64
import csv
import io
import ipaddress
import os
import pathlib
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "analyzer" / "tests"))
from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, run_sanscope  # noqa: E402

TABLES = ("connections", "sessions", "commands", "pdus", "windows", "losses", "ca_transitions", "budgets", "findings")
KERNEL_TABLES = ("kernel_windows", "kernel_ca_transitions")
KEY = "4b" * 32
OTHER_KEY = "4c" * 32


def scrub(source, target, *options, status=(0, 3)):
    run = run_sanscope(DEFAULT_SANSCOPE, ["scrub", source, target, *options])
    if run.status not in status:
        raise RuntimeError(f"scrub {source} {options}: {run.describe()}")
    return run


def table_text(name, capture):
    run = run_sanscope(DEFAULT_SANSCOPE, ["table", name, capture])
    if run.status not in (0, 3):
        raise RuntimeError(f"table {name} {capture}: {run.describe()}")
    return run.out


def read_mapping(path):
    with open(path, newline="", encoding="utf-8", errors="surrogateescape") as text:
        return list(csv.DictReader(text))


class Mapping:
    """Replaces originals in a table's text as the anonymizing did in the capture."""

    # What is shorter stands in tables by chance.
    SHORTEST = 4

    def __init__(self, rows):
        self.by_original = {}
        for row in rows:
            if row["kind"] != "secret" and len(row["original"]) >= self.SHORTEST:
                # Of an address, its replacement in headers comes first: tables show that.
                self.by_original.setdefault(row["original"], row["replacement"])
        originals = sorted(self.by_original, key=len, reverse=True)
        self.pattern = re.compile("|".join(
            f"(?<![0-9A-Za-z.:]){re.escape(each)}(?![0-9A-Za-z])" if re.fullmatch(r"[0-9a-f.:]+", each)
            else re.escape(each) for each in originals)) if originals else None

    def apply(self, text):
        return self.pattern.sub(lambda found: self.by_original[found.group()], text) if self.pattern else text


def differences(name, expected, found, but=()):
    """Cell by cell."""
    before = list(csv.DictReader(io.StringIO(expected)))
    after = list(csv.DictReader(io.StringIO(found)))
    faults = [] if len(before) == len(after) else [f"{name}: {len(before)} rows, now {len(after)}"]
    for number, (old, new) in enumerate(zip(before, after)):
        faults += [f"{name} row {number} {column}: {old[column]!r}, now {new.get(column)!r}" for column in old
                   if column not in but and old[column] != new.get(column)]
    return faults


def encodings(text):
    """What grep finds a name by: (encoding, bytes)."""
    plain = text.encode("utf-8", "surrogateescape")
    wanted = {"as it is": plain, "in capitals": plain.upper(), "UTF-16LE": b"".join(bytes((each, 0)) for each in plain),
              "UTF-16BE": b"".join(bytes((0, each)) for each in plain), "hexadecimal": plain.hex().encode(),
              "hexadecimal capitals": plain.hex().upper().encode()}
    # Whatever stands before it; the digits that share bits with what is around it are not looked for.
    for before in range(3):
        digits = base64.b64encode(b"\0" * before + plain)
        first = (before * 8 + 5) // 6
        last = ((before + len(plain)) * 8) // 6
        wanted[f"base64, {before} before it"] = digits[first:last]
    return wanted.items()


# The vendor identification of the memory target: it stands in standard INQUIRY data, and is replaced where it is part of a designator.
VENDOR = "SANSCOPE"
# Captures that were cut within headers: their scrubbed copies have fewer rows (captures/scrub/tests/scrub_test.py).
CUT = "sent-again-"


def left_over(data, rows):
    faults = []
    for row in rows:
        original = row["original"]
        # Shorter ones stand in any file by chance.
        if original in (row["replacement"], VENDOR) or len(original) < 6:
            continue
        faults += [f"{row['kind']} {original!r} is there {encoding} at byte {data.find(wanted)}"
                   for encoding, wanted in encodings(original) if wanted in data]
    return faults


def binary_left_over(data, rows):
    """For captures made with addresses that are nothing else by chance."""
    faults = []
    for row in rows:
        if row["original"] == row["replacement"]:
            continue
        if row["kind"] in ("ipv4", "ipv6"):
            packed = ipaddress.ip_address(row["original"]).packed
        elif row["kind"] == "mac":
            packed = bytes.fromhex(row["original"].replace(":", ""))
        elif row["kind"] in ("naa", "eui", "bytes"):
            packed = bytes.fromhex(row["original"])
        else:
            continue
        if packed.count(0) > 1:
            continue
        for order, wanted in (("network order", packed), ("the other order", packed[::-1])):
            if wanted in data:
                faults.append(f"{row['kind']} {row['original']} is there in {order} at byte {data.find(wanted)}")
    return faults


def bad_checksums(capture):
    """Packet and protocol of each checksum that is wrong."""
    fields = ("ip", "tcp", "udp", "icmp", "icmpv6")
    command = ["tshark", "-n", "-r", str(capture), "-T", "fields", "-e", "frame.number"]
    for field in fields:
        command += ["-e", f"{field}.checksum.status"]
    for preference in ("ip.check_checksum", "tcp.check_checksum", "udp.check_checksum"):
        command += ["-o", f"{preference}:TRUE"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    # 2: the capture is cut off, and all before that was read.
    if run.returncode not in (0, 2):
        raise RuntimeError(f"tshark {capture}: {run.stderr}")
    bad = set()
    for line in run.stdout.splitlines():
        number, *statuses = line.split("\t")
        bad |= {(number, field) for field, status in zip(fields, statuses) if status in ("Bad", "0") or "0" in status.split(",")}
    return bad


# ---- A capture with all that may hold a name, written by hand

def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ipv4(source, destination, protocol, payload):
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 7, 0, 64, protocol, 0, source, destination)
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + payload


def with_checksum(segment, at, source, destination, protocol):
    pseudo = source + destination + struct.pack(">HH" if len(source) == 4 else ">IHBB", *(
        (protocol, len(segment)) if len(source) == 4 else (len(segment), 0, 0, protocol)))
    value = checksum(pseudo + segment)
    return segment[:at] + struct.pack(">H", value or 0xffff) + segment[at + 2:]


def tcp(source, destination, ports, seq, ack, flags, payload=b""):
    header = struct.pack(">HHIIBBHHH", *ports, seq, ack, 5 << 4, flags, 0xffff, 0, 0)
    return ipv4(source, destination, 6, with_checksum(header + payload, 16, source, destination, 6))


def udp(source, destination, port, payload):
    header = struct.pack(">HHHH", 50001, port, 8 + len(payload), 0)
    return ipv4(source, destination, 17, with_checksum(header + payload, 6, source, destination, 17))


INITIATOR = bytes((172, 19, 201, 117))
TARGET = bytes((172, 19, 201, 188))
OUTER = (bytes((185, 77, 203, 91)), bytes((185, 77, 203, 99)))
MACS = (bytes.fromhex("a4bf0137c5d9"), bytes.fromhex("b8599f62e1ab"))
V6 = (ipaddress.ip_address("2001:db8:77a1:beef:1234:5678:9abc:def1").packed,
      ipaddress.ip_address("2001:db8:77a1:beef:1234:5678:9abc:def2").packed)
NAMES = ["iqn.1994-05.com.redhat:9f3ab27cc1", "iqn.2010-06.com.purestorage:flasharray.4711beef", "dbserver07.corp.example",
         "backup-operator", "SerNo-PX7741", "arrayname-prod", "Karl Napp was here", "bond7-storage", "vendor-key-content"]


def bhs(opcode, flags=0x80, data=b"", lun=0, itt=1, rest=b"", at_8=None):
    head = struct.pack(">BBHI", opcode, flags, 0, len(data))
    return (head + (at_8 or struct.pack(">Q", lun << 48)) + struct.pack(">I", itt) + rest).ljust(48, b"\0")


def pdu(header, data=b""):
    return header + data + b"\0" * (-len(data) % 4)


def keys(*pairs):
    return b"".join(each.encode() + b"\0" for each in pairs)


def made_up_streams():
    """(from the initiator, PDU) in their order."""
    isid = bytes.fromhex("00023d000001") + b"\0\0"
    wanted = keys(f"InitiatorName={NAMES[0]}", f"InitiatorAlias={NAMES[2]}", f"TargetName={NAMES[1]}", "SessionType=Normal",
                  f"CHAP_N={NAMES[3]}", "CHAP_R=0x9d8c7b6a5948372615e4d3c2b1a09f8e", "MaxRecvDataSegmentLength=262144",
                  f"X-com.example.key={NAMES[8]}", "HeaderDigest=None", "DataDigest=None")
    answer = keys(f"TargetAlias={NAMES[5]}", "TargetPortalGroupTag=1", "TargetAddress=172.19.201.188:3260,1",
                  "MaxRecvDataSegmentLength=262144", "HeaderDigest=None", "DataDigest=None")
    yield True, pdu(bhs(0x43, 0x87, wanted, itt=0, rest=struct.pack(">III", 0, 1, 1), at_8=isid), wanted)
    yield False, pdu(bhs(0x23, 0x87, answer, itt=0, rest=struct.pack(">IIII", 0, 1, 1, 32), at_8=isid[:6] + b"\0\1"), answer)
    serial = NAMES[4].encode()
    designators = (bytes((1, 3, 0, 16)) + bytes.fromhex("624a9370c3d1e9f2a5b7886944dd31ef") +
                   bytes((2, 1, 0, 8 + len(serial))) + b"PURE    " + serial)
    pages = ((0x80, bytes((0, 0x80, 0, len(serial))) + serial), (0x83, bytes((0, 0x83, 0, len(designators))) + designators))
    for number, (page, data) in enumerate(pages):
        cdb = bytes((0x12, 1, page, 0, 252, 0)).ljust(16, b"\0")
        yield True, pdu(bhs(1, 0xc1, itt=10 + number, rest=struct.pack(">III", 252, 2 + number, 2 + number) + cdb))
        yield False, pdu(bhs(0x25, 0x83, data, itt=10 + number, rest=struct.pack(
            ">IIIIIII", 0xffffffff, 2 + number, 3 + number, 40 + number, 0, 0, 252 - len(data))), data)
    cdb = bytes((0x28, 0, 0, 0, 0, 9, 0, 0, 1, 0)).ljust(16, b"\0")
    blocks = NAMES[6].encode().ljust(512, b"u")
    yield True, pdu(bhs(1, 0xc1, itt=20, rest=struct.pack(">III", 512, 4, 4) + cdb))
    yield False, pdu(bhs(0x25, 0x81, blocks, itt=20, rest=struct.pack(">IIIIIII", 0xffffffff, 4, 5, 42, 0, 0, 0)), blocks)


def made_up_packets():
    """IP packets: the streams cut into segments at odd places, some of them sent again and cut elsewhere."""
    ports = (50123, 3260)
    next_seq = {True: 1001, False: 5001}

    def segment(out, seq, payload, flags=0x18):
        source, destination = (INITIATOR, TARGET) if out else (TARGET, INITIATOR)
        return tcp(source, destination, ports if out else ports[::-1], seq, next_seq[not out], flags, payload)

    yield segment(True, 1000, b"", 0x02)
    yield segment(False, 5000, b"", 0x12)
    yield segment(True, 1001, b"", 0x10)
    for out, bytes_ in made_up_streams():
        seq = next_seq[out]
        step = 61 if len(bytes_) > 100 else 4096
        for at in range(0, len(bytes_), step):
            yield segment(out, seq + at, bytes_[at:at + step])
        if step == 61:
            yield segment(out, seq + 40, bytes_[40:150])
        next_seq[out] += len(bytes_)
    ethernet = MACS[1] + MACS[0] + b"\x08\0"
    quoted = tcp(INITIATOR, TARGET, ports, 1001, 5001, 0x18, NAMES[0].encode() * 3)
    message = struct.pack(">BBHHH", 3, 4, 0, 0, 1400) + quoted
    message = message[:2] + struct.pack(">H", checksum(message)) + message[4:]
    yield ipv4(OUTER[0], INITIATOR, 1, message)
    inner = ethernet + tcp(INITIATOR, TARGET, ports, next_seq[True] - 61, next_seq[False], 0x18, NAMES[1].encode())
    yield udp(OUTER[0], OUTER[1], 4789, bytes((8, 0, 0, 0, 0, 0, 7, 0)) + inner)
    yield udp(OUTER[0], OUTER[1], 53, b"\0" * 12 + NAMES[2].encode())


def pcapng_block(kind, body):
    body += b"\0" * (-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + b"\0" * (-len(value) % 4)


def made_up_capture():
    end = option(0, b"")
    data = pcapng_block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1) + option(2, NAMES[2].encode()) +
                        option(1, NAMES[6].encode()) + end)
    data += pcapng_block(1, struct.pack("<HHI", 1, 0, 0) + option(2, NAMES[7].encode()) + option(3, NAMES[2].encode()) +
                         option(11, b"\0host 172.19.201.188") + option(9, b"\x09") + option(4, INITIATOR + b"\xff" * 4) +
                         option(6, MACS[0]) + end)
    data += pcapng_block(4, option(1, TARGET + NAMES[2].encode() + b"\0") + option(2, V6[0] + NAMES[2].encode() + b"\0") + end)
    frames = [(MACS[1] if packet[12:16] == INITIATOR else MACS[0]) + (MACS[0] if packet[12:16] == INITIATOR else MACS[1]) +
              b"\x08\0" + packet for packet in made_up_packets()]
    frames.append(b"\xff" * 6 + MACS[0] + struct.pack(">HHHBBH", 0x0806, 1, 0x0800, 6, 4, 1) + MACS[0] + INITIATOR + bytes(6) +
                  TARGET)
    solicitation = struct.pack(">BBHI", 135, 0, 0, 0) + V6[1] + b"\1\1" + MACS[0]
    group = ipaddress.ip_address("ff02::1:ff00:0").packed[:13] + V6[1][13:]
    solicitation = with_checksum(solicitation, 2, V6[0], group, 58)
    frames.append(b"\x33\x33\xff" + V6[1][13:] + MACS[0] + b"\x86\xdd" +
                  struct.pack(">IHBB", 6 << 28, len(solicitation), 58, 255) + V6[0] + group + solicitation)
    frames.append(b"\x01\x80\xc2\0\0\x0e" + MACS[1] + b"\x88\xcc" + NAMES[5].encode())
    for number, frame in enumerate(frames):
        ticks = 1_700_000_000_000_000_000 + number * 1_000_000
        comment = option(1, NAMES[6].encode()) + end if number % 5 == 0 else b""
        data += pcapng_block(6, struct.pack("<IIIII", 0, ticks >> 32, ticks & 0xffffffff, len(frame), len(frame)) + frame +
                             b"\0" * (-len(frame) % 4) + comment)
    # Secrets, somebody's custom block, a block nobody knows.
    data += pcapng_block(10, struct.pack("<II", 0x544c534b, 16) + NAMES[3].encode()[:16])
    data += pcapng_block(0xbad, struct.pack("<I", 4711) + NAMES[3].encode())
    data += pcapng_block(0x77777777, NAMES[3].encode())
    return data


class Test:
    def __init__(self, checks, folder):
        self.checks = checks
        self.folder = pathlib.Path(folder)
        self.key = self.folder / "key"
        self.key.write_text(KEY + "\n", encoding="ascii")
        self.key.chmod(0o600)

    def anonymized(self, capture, name="anonymized.pcapng"):
        """The copy and its mapping."""
        mapping = self.folder / "mapping.csv"
        mapping.unlink(missing_ok=True)
        target = self.folder / name
        scrub(capture, target, "--force", "--anonymize", "--key-file", self.key, "--write-mapping", mapping)
        return target, read_mapping(mapping)

    def capture(self, capture):
        """All claims on one capture."""
        name = capture.name
        scrubbed = self.folder / "scrubbed.pcapng"
        scrub(capture, scrubbed, "--force")
        copy, rows = self.anonymized(capture)
        mapping = Mapping(rows)
        faults = []
        tables = TABLES + (KERNEL_TABLES if "kernel-truth" in name else ())
        for each in tables:
            faults += differences(each, mapping.apply(table_text(each, scrubbed)), table_text(each, copy))
        self.checks.check(f"{name}: tables are those of the copy with names, up to the mapping", faults)
        faults = []
        for each in ("connections", "sessions", "commands") if not name.startswith(CUT) else ():
            faults += differences(each, mapping.apply(table_text(each, capture)), table_text(each, copy),
                                  but=("header_digest", "data_digest"))
        self.checks.check(f"{name}: connections, sessions, commands are the original's, up to the mapping", faults)
        data = copy.read_bytes()
        self.checks.check(f"{name}: no original is left in any encoding", left_over(data, rows))
        if shutil.which("tshark") is not None:
            new = bad_checksums(copy) - bad_checksums(capture)
            self.checks.check(f"{name}: tshark finds no new bad checksum", sorted(map(str, new)))
        return data, rows

    def made_up(self):
        capture = self.folder / "made-up.pcapng"
        capture.write_bytes(made_up_capture())
        faults = [name for name in NAMES if name.encode() not in capture.read_bytes() and name not in (NAMES[0], NAMES[1])]
        self.checks.check("made up: the names are in it, split names not as a whole", faults)
        data, rows = self.capture(capture)
        faults = left_over(data, [{"kind": "name", "original": name, "replacement": ""} for name in NAMES])
        faults += [f"{word!r} is still there" for word in ("redhat", "purestorage", "4711beef", "dbserver07", "corp", "operator",
                                                           "PX7741", "172.19", "9d8c7b6a") if word.encode() in data]
        self.checks.check("made up: none of the names is left, nor a part of one", faults)
        self.checks.check("made up: no address or number is left in binary", binary_left_over(data, rows))
        originals = {row["original"] for row in rows}
        wanted = [NAMES[0], NAMES[1], NAMES[2], NAMES[3], NAMES[4], NAMES[5], "172.19.201.117", "172.19.201.188",
                  "185.77.203.91", "a4:bf:01:37:c5:d9", "624a9370c3d1e9f2a5b7886944dd31ef"]
        self.checks.check("made up: the mapping has each name as a whole", [each for each in wanted if each not in originals])
        faults = [f"{row['kind']} {row['original']!r}: {row['replacement']!r}" for row in rows
                  if row["kind"] in ("name", "secret", "address in TargetAddress", "naa", "eui", "bytes") and
                  len(row["original"].encode()) != len(row["replacement"].encode())]
        self.checks.check("made up: replacements are as long as the originals", faults)

    def keys(self):
        capture = SAMPLES / "login-discovery-inquiry.pcap"
        first, _ = self.anonymized(capture, "first.pcapng")
        second, _ = self.anonymized(capture, "second.pcapng")
        self.checks.check("the same key makes the same copy", [] if first.read_bytes() == second.read_bytes() else ["other bytes"])
        self.key.write_text(OTHER_KEY, encoding="ascii")
        other, _ = self.anonymized(capture, "other.pcapng")
        self.key.write_text(KEY, encoding="ascii")
        self.checks.check("another key makes another", [] if first.read_bytes() != other.read_bytes() else ["the same bytes"])
        one, two = self.folder / "one.pcapng", self.folder / "two.pcapng"
        scrub(capture, one, "--anonymize")
        scrub(capture, two, "--anonymize")
        self.checks.check("without a key each run has its own", [] if one.read_bytes() != two.read_bytes() else ["the same bytes"])
        self.checks.check("no mapping is written where none is asked for",
                          [str(each) for each in self.folder.glob("one*") if each != one])

    def faults(self):
        capture = SAMPLES / "login-discovery-inquiry.pcap"
        target = self.folder / "faulty.pcapng"
        mapping = self.folder / "mapping-of-faults.csv"

        def run(name, arguments, status, said, standard_input=None):
            target.unlink(missing_ok=True)
            done = run_sanscope(DEFAULT_SANSCOPE, ["scrub", *arguments], standard_input=standard_input)
            faults = [] if done.status == status else [done.describe()]
            faults += [] if said in done.err else [f"not said: {said!r}", done.err]
            faults += ["a copy is there"] if status != 0 and target.exists() else []
            self.checks.check(name, faults)

        run("a pipe is refused", ["-", target, "--anonymize"], 1, "must be a file", capture)
        run("a mapping alone is refused", [capture, target, "--write-mapping", mapping], 2, "--anonymize")
        open_key = self.folder / "open-key"
        open_key.write_text(KEY, encoding="ascii")
        open_key.chmod(0o644)
        run("a key that others may read is refused", [capture, target, "--anonymize", "--key-file", open_key], 1, "chmod 600")
        open_key.chmod(0o600)
        open_key.write_text(KEY[1:], encoding="ascii")
        run("half a key is refused", [capture, target, "--anonymize", "--key-file", open_key], 1, "64 hexadecimal digits")
        mapping.write_text("kept", encoding="ascii")
        run("a mapping is never overwritten", [capture, target, "--anonymize", "--write-mapping", mapping], 1, "exists")
        self.checks.check("the file that was there is as it was", [] if mapping.read_text() == "kept" else [mapping.read_text()])
        mapping.unlink()
        run("no such capture", [self.folder / "none", target, "--anonymize", "--write-mapping", mapping], 1, "none")
        self.checks.check("without a copy there is no mapping", [str(mapping)] if mapping.exists() else [])
        run("a mapping", [capture, target, "--anonymize", "--write-mapping", mapping], 0, "what was replaced by what")
        mode = stat.S_IMODE(os.stat(mapping).st_mode)
        self.checks.check("only its owner may read it", [] if mode == 0o600 else [oct(mode)])


def main():
    if reason := missing_program(DEFAULT_SANSCOPE):
        sys.exit(reason)
    checks = Checks()
    if shutil.which("tshark") is None:
        checks.skip("checksums in tshark", "tshark is not installed")
    with tempfile.TemporaryDirectory() as folder:
        test = Test(checks, folder)
        test.made_up()
        test.keys()
        test.faults()
        captures = [pathlib.Path(each) for each in sys.argv[1:]] or sorted(SAMPLES.glob("*.pcap*"))
        for capture in captures:
            test.capture(capture)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

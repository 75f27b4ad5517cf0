#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Complete captures against tshark. Commands row by row: the packets of request and response, the turnaround to the
nanosecond, the logical unit, the operation code and the status. PDUs: the packet that completes each, its operation
code, Initiator Task Tag and DataSegmentLength.

tshark is told to reassemble segments out of order and to believe in PDUs of any size; without these two settings it
loses commands that are there."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

from harness import DEFAULT_SANSCOPE, ROOT, SAMPLES, STATUS_NAMES, Checks, TableError, missing_program, number, table

SETTINGS = ["-o", "tcp.reassemble_out_of_order:TRUE", "-o", "iscsi.bogus_pdu_max_data_len:16777215"]

# Captures of which tshark cannot know the truth.
INCOMPLETE = {
    "sniffer-drops.pcap.zst": "tshark loses PDU boundaries at every packet the capture lacks",
    "mid-connection-lookalikes.pcap.zst": "tshark takes the first packet for the start of a PDU",
    "mid-connection.pcap.zst": "tshark takes the first packet for the start of a PDU",
}

# Differences that stand: (capture, request packet, field, reason).
EXCUSED = []

# Under ../shared: complete captures made elsewhere.
SHARED = ["captures/foreign/scsi-osd-example-001.pcap", "captures/foreign/LIO-Target-Open-iSCSI-initiator-1.pcapng",
          "captures/foreign/variants/osd.pcapng", "captures/foreign/variants/osd.pcap.zst",
          "captures/foreign/variants/osd-bigendian.pcap", "captures/foreign/variants/osd-sll2.pcap",
          "captures/foreign/variants/osd-vlan100.pcap", "captures/foreign/variants/osd-vxlan.pcap",
          "truth/full-bn50-cubic-r/initiator.pcap.zst", "truth/full-bn50-cubic-r/target.pcap.zst",
          "truth/full-loss1-cubic-r-qd8/initiator.pcap.zst", "truth/full-loss1-cubic-r-qd8/target.pcap.zst"]

FIELDS = ("response_packet", "turnaround_ns", "lun", "opcode", "status")


def nanoseconds(seconds):
    whole, _, fraction = seconds.partition(".")
    return int(whole) * 1_000_000_000 + int(fraction.ljust(9, "0"))


def first(element, wanted):
    """The `show` of the first field with that name, at any depth."""
    field = next((field for field in element.iter("field") if field.get("name") == wanted), None)
    return None if field is None else field.get("show")


def pdus_of(packet):
    """The PDUs of a packet, each as the list of its iscsi tree and what follows it up to the next one."""
    pdus = []
    for element in packet.findall("proto"):
        if element.get("name") == "iscsi":
            pdus.append([element])
        elif pdus:
            pdus[-1].append(element)
    return pdus


class Found:
    def __init__(self):
        self.commands = {}                 # by request packet and ITT: the fields compared, None where unknown
        self.pdus = collections.Counter()  # (completing packet, opcode, ITT, DataSegmentLength)


class TsharkError(Exception):
    pass


def why_left_out(name, capture):
    """Why tshark cannot know the truth of this capture, or None."""
    if name in INCOMPLETE:
        return INCOMPLETE[name]
    process = subprocess.Popen(["tshark", "-r", capture, "-Y", "frame.cap_len < frame.len"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with process.stdout:
        cut = bool(process.stdout.readline())
        process.terminate()
    process.wait()
    return "packets were cut, and tshark needs every byte of the stream to find PDU boundaries" if cut else None


def found_by_tshark(capture):
    process = subprocess.Popen(["tshark", *SETTINGS, "-r", capture, "-Y", "iscsi", "-T", "pdml", "-j", "iscsi scsi"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    found = Found()
    for _, packet in xml.iterparse(process.stdout):
        if packet.tag != "packet":
            continue
        frame = next(int(field.get("show")) for field in packet.iter("field") if field.get("name") == "num")
        for header, *rest in pdus_of(packet):
            opcode, itt = first(header, "iscsi.opcode"), first(header, "iscsi.initiatortasktag")
            if opcode is None or itt is None:
                continue
            opcode, itt = int(opcode, 0), int(itt, 0)
            # tshark shows no length where there never are data: in the answer to a task management request.
            found.pdus[frame, opcode, itt, number(first(header, "iscsi.datasegmentlength")) or 0] += 1
            if opcode == 0x01:
                cdb = next((element for element in rest if element.get("name") == "scsi"), None)
                code = None if cdb is None else next((field.get("show") for field in cdb.iter("field")
                                                      if field.get("name", "").endswith(".opcode")), None)
                lun = None if cdb is None else first(cdb, "scsi.lun")
                found.commands[frame, itt] = {"response_packet": None, "turnaround_ns": None, "status": None,
                                              "lun": number(lun), "opcode": number(code)}
                continue
            if opcode not in (0x21, 0x25):
                continue
            flags = next((field.get("value") for element in (header, *rest) for field in element.iter("field")
                          if field.get("name") == "iscsi.flags"), "00")
            request, time = first(header, "iscsi.request_frame"), first(header, "iscsi.time")
            if request is None or (opcode == 0x25 and not int(flags, 16) & 1):
                continue
            command = found.commands.get((int(request), itt))
            if command is not None:
                command.update(response_packet=frame, turnaround_ns=nanoseconds(time),
                               status=STATUS_NAMES.get(number(first(header, "iscsi.scsiresponse.status"))))
        packet.clear()
    # 2: the capture ends within a packet; what came before was shown.
    if process.wait() not in (0, 2):
        raise TsharkError(f"tshark ended with status {process.returncode}")
    return found


def found_by_sanscope(program, capture):
    found = Found()
    for row in table(program, "commands", capture, statuses=(0, 3)):
        found.commands[number(row["request_packet"]), number(row["itt"])] = {
            "response_packet": number(row["response_packet"]), "turnaround_ns": number(row["turnaround_ns"]),
            "lun": number(row["lun"]), "opcode": number(row["opcode"]), "status": row["status"]}
    for row in table(program, "pdus", capture, statuses=(0, 3)):
        if row["last_packet"] is not None:
            found.pdus[tuple(number(row[key]) for key in ("last_packet", "opcode", "itt", "data_length"))] += 1
    return found


def command_differences(name, ours, theirs):
    result = []
    for frame, itt in sorted(theirs.keys() | ours.keys(), key=str):
        where = f"request in packet {frame}, ITT 0x{itt:08x}"
        if (frame, itt) not in ours:
            result.append(f"{where}: only tshark has it")
        elif (frame, itt) not in theirs:
            result.append(f"{where}: only sanscope has it: {ours[frame, itt]}")
        else:
            for field in FIELDS:
                mine, other = ours[frame, itt][field], theirs[frame, itt][field]
                # tshark names no operation code or logical unit for a command it does not know.
                unnamed = other is None and field in ("lun", "opcode")
                if mine != other and not unnamed and not is_excused(name, frame, field):
                    result.append(f"{where}: {field} {mine}, tshark {other}")
    return result


def is_excused(name, frame, field):
    return any((name, frame, field) == excused[:3] for excused in EXCUSED)


def pdu_differences(ours, theirs):
    hexadecimal = lambda value, digits: "unknown" if value is None else f"0x{value:0{digits}x}"
    order = lambda pdu: tuple(-1 if value is None else value for value in pdu)
    describe = lambda who, pdu: (f"only {who}: packet {pdu[0]}, opcode {hexadecimal(pdu[1], 2)}, "
                                 f"ITT {hexadecimal(pdu[2], 8)}, {pdu[3]} bytes")
    return ([describe("tshark", pdu) for pdu in sorted((theirs - ours).elements(), key=order)] +
            [describe("sanscope", pdu) for pdu in sorted((ours - theirs).elements(), key=order)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="*", type=pathlib.Path, help="compare these instead of the samples")
    parser.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    if reason := missing_program(arguments.sanscope):
        sys.exit(reason)
    checks = Checks()
    if shutil.which("tshark") is None:
        checks.skip("comparison with tshark", "tshark is not installed")
        return checks.finish()

    captures = [(path.name, path) for path in arguments.captures]
    if not captures:
        captures = [(path.name, path) for path in sorted(SAMPLES.glob("*.pcap*"))]
        shared = pathlib.Path(os.environ.get("SANSCOPE_SHARED", ROOT.parent / "shared"))
        if shared.is_dir():
            captures += [(name, shared / name) for name in SHARED if (shared / name).exists()]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        reasons = dict(zip((name for name, _ in captures), pool.map(lambda capture: why_left_out(*capture), captures)))
        results = {name: (pool.submit(found_by_sanscope, arguments.sanscope, path), pool.submit(found_by_tshark, path))
                   for name, path in captures if reasons[name] is None}
        compared = Found()
        for name, _ in captures:
            if reasons[name] is not None:
                print(f"        {name} is left out: {reasons[name]}")
                continue
            try:
                ours, theirs = (future.result() for future in results[name])
                compared.commands |= {(name, key): value for key, value in theirs.commands.items()}
                compared.pdus += theirs.pdus
                checks.check(f"{name}: the same {len(theirs.commands)} commands as tshark",
                             command_differences(name, ours.commands, theirs.commands))
                checks.check(f"{name}: the same {theirs.pdus.total()} PDUs as tshark",
                             pdu_differences(ours.pdus, theirs.pdus))
            except (TableError, TsharkError, xml.ParseError) as error:
                checks.fail(name, [str(error)])
    if not arguments.captures:
        checks.check(f"enough to compare: {len(compared.commands)} commands, {compared.pdus.total()} PDUs",
                     [] if len(compared.commands) >= 2000 and compared.pdus.total() >= 5000 else
                     ["tshark showed less than 2000 commands or 5000 PDUs over all samples"])
    for name, frame, field, reason in EXCUSED:
        print(f"        excused: {field} of the request in packet {frame} of {name}: {reason}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An iSCSI initiator made of sockets, for recording what libiscsi cannot be made to do: data digests, unsolicited
Data-Out PDUs, a write left hanging after its R2T and then aborted, a logical unit reset over it; and plays, step by step
with their pauses, in which nobody waits for answers that do not come. With --nagle it sends as a careless program does:
header and data apart, without TCP_NODELAY.

One command at a time; every digest that arrives is verified. Standard library only."""

import argparse
import socket
import struct
import sys
import time


def make_crc32c_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC32C_TABLE = make_crc32c_table()
BLOCK = 512
OPCODE_NAMES = {0x20: "NOP-In", 0x21: "SCSI Response", 0x22: "TMF Response", 0x23: "Login Response",
                0x25: "Data-In", 0x26: "Logout Response", 0x31: "R2T", 0x3F: "Reject"}


def crc32c(data):
    """The digest as it stands on the wire."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC32C_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return struct.pack("<I", crc ^ 0xFFFFFFFF)


class Closed(SystemExit):
    """By the target."""


class Initiator:
    nagle = False

    def __init__(self, address, port, target, lun, arguments):
        self.socket = socket.create_connection((address, port))
        self.nagle = arguments.nagle
        if not self.nagle:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lun = lun
        self.header_digest = self.data_digest = False
        self.cmd_sn = 1
        self.exp_stat_sn = 0
        self.itt = 0x100
        self.negotiated = self.login(target, arguments)
        self.first_burst = int(self.negotiated.get("FirstBurstLength", 65536))
        self.segment = int(self.negotiated.get("MaxRecvDataSegmentLength", 8192))

    def read_exactly(self, count):
        data = b""
        while len(data) < count:
            try:
                piece = self.socket.recv(count - len(data))
            except ConnectionResetError:
                piece = b""
            if not piece:
                raise Closed("raw_initiator: the target closed the connection")
            data += piece
        return data

    def send(self, header, data=b""):
        header = header[:5] + len(data).to_bytes(3, "big") + header[8:]
        padded = data + bytes(-len(data) % 4)
        pdu = header + (crc32c(header) if self.header_digest else b"") + padded
        if self.data_digest and data:
            pdu += crc32c(padded)
        if self.nagle and data:
            self.socket.sendall(pdu[:48])
            pdu = pdu[48:]
        self.socket.sendall(pdu)

    def receive(self):
        header = self.read_exactly(48)
        header += self.read_exactly(header[4] * 4)
        if self.header_digest and self.read_exactly(4) != crc32c(header):
            sys.exit("raw_initiator: bad header digest")
        length = int.from_bytes(header[5:8], "big")
        padded = self.read_exactly(length + -length % 4)
        if self.data_digest and length and self.read_exactly(4) != crc32c(padded):
            sys.exit("raw_initiator: bad data digest")
        if header[0] & 0x3F in (0x20, 0x21, 0x22, 0x23, 0x26) or header[0] & 0x3F == 0x25 and header[1] & 1:
            self.exp_stat_sn = struct.unpack(">I", header[24:28])[0] + 1
        return header, padded[:length]

    def receive_opcode(self, *wanted):
        header, data = self.receive()
        if header[0] & 0x3F not in wanted:
            sys.exit(f"raw_initiator: unexpected {OPCODE_NAMES.get(header[0] & 0x3F, hex(header[0]))}")
        return header, data

    def next_itt(self):
        self.itt += 1
        return self.itt

    def login(self, target, arguments):
        digest = {True: "CRC32C,None", False: "None"}
        keys = {"InitiatorName": arguments.initiator_name, "TargetName": target, "SessionType": "Normal",
                "HeaderDigest": digest[arguments.header_digest], "DataDigest": digest[arguments.data_digest],
                "MaxRecvDataSegmentLength": "65536",
                "InitialR2T": "Yes" if arguments.initial_r2t else "No",
                "ImmediateData": "No" if arguments.no_immediate_data else "Yes",
                "MaxBurstLength": "262144", "FirstBurstLength": "65536", "MaxConnections": "1",
                "MaxOutstandingR2T": "1", "DefaultTime2Wait": "2", "DefaultTime2Retain": "0",
                "DataPDUInOrder": "Yes", "DataSequenceInOrder": "Yes", "ErrorRecoveryLevel": "0"}
        isid = bytes.fromhex(arguments.isid)
        text = "".join(f"{key}={value}\0" for key, value in keys.items()).encode()
        # Transit from operational negotiation to full feature phase.
        self.send(struct.pack(">BBBB4x6sHIHHII16x", 0x43, 0x87, 0, 0, isid, 0, 1, 0, 0, self.cmd_sn, 0), text)
        header, data = self.receive_opcode(0x23)
        if header[36]:
            sys.exit(f"raw_initiator: login refused, class {header[36]} detail {header[37]}")
        answer = dict(pair.split("=", 1) for pair in data.decode().rstrip("\0").split("\0") if pair)
        self.header_digest = answer.get("HeaderDigest") == "CRC32C"
        self.data_digest = answer.get("DataDigest") == "CRC32C"
        self.unsolicited = answer.get("InitialR2T", "Yes") == "No"
        self.immediate = answer.get("ImmediateData", "No") == "Yes"
        return answer

    def command(self, cdb, flags, expected_length, immediate=b""):
        itt = self.next_itt()
        self.send(struct.pack(">BB6xH6xIIII16s", 0x01, flags, self.lun, itt, expected_length, self.cmd_sn,
                              self.exp_stat_sn, cdb.ljust(16, b"\0")), immediate)
        self.cmd_sn += 1
        return itt

    def start_read(self, lba, blocks):
        return self.command(struct.pack(">BBIBHB", 0x28, 0, lba, 0, blocks, 0), 0xC0, blocks * BLOCK)

    def read(self, lba, blocks):
        """Returns the SCSI status and the data."""
        self.start_read(lba, blocks)
        return self.receive_data()

    def receive_data(self):
        data = b""
        while True:
            header, piece = self.receive_opcode(0x25, 0x21)
            if header[0] & 0x3F == 0x21:
                return header[3], data
            data += piece
            if header[1] & 1:
                return header[3], data

    def data_out(self, itt, transfer_tag, data, offset):
        """One sequence of Data-Out PDUs carrying `data`, the last with the F bit."""
        for number, at in enumerate(range(0, len(data), self.segment)):
            piece = data[at:at + self.segment]
            final = 0x80 if at + len(piece) == len(data) else 0
            self.send(struct.pack(">BB6xH6xII4xI4xII4x", 0x05, final, self.lun, itt, transfer_tag, self.exp_stat_sn,
                                  number, offset + at), piece)

    def unit_serial_number(self):
        self.command(struct.pack(">BBBHB", 0x12, 1, 0x80, 255, 0), 0xC0, 255)
        status, page = self.receive_data()
        return page[4:].decode("ascii", "replace").strip() if status == 0 else ""

    def start_write(self, lba, data, unsolicited):
        return self.start_data_out(struct.pack(">BBIBHB", 0x2A, 0, lba, 0, len(data) // BLOCK, 0), data, unsolicited)

    def start_data_out(self, cdb, data, unsolicited):
        """Sends the command with what may go before the first R2T: immediate data, then unsolicited Data-Out."""
        allowed = min(self.first_burst, len(data))
        immediate = data[:min(self.segment, allowed)] if self.immediate else b""
        more = data[len(immediate):allowed] if unsolicited and self.unsolicited else b""
        itt = self.command(cdb, 0x20 if more else 0xA0, len(data), immediate)
        if more:
            self.data_out(itt, 0xFFFFFFFF, more, len(immediate))
        return itt

    def write(self, lba, data, unsolicited=True):
        return self.finish_data_out(self.start_write(lba, data, unsolicited), data)

    def finish_data_out(self, itt, data):
        """Sends what R2Ts ask for; returns the SCSI status."""
        while True:
            header, _ = self.receive_opcode(0x31, 0x21)
            if header[0] & 0x3F == 0x21:
                return header[3]
            (tag,) = struct.unpack(">I", header[20:24])
            offset, length = struct.unpack(">II", header[40:48])
            self.data_out(itt, tag, data[offset:offset + length], offset)

    def data_out_command(self, cdb, data):
        return self.finish_data_out(self.start_data_out(cdb, data, True), data)

    def unmap(self, lba, blocks):
        data = struct.pack(">HH4xQI4x", 22, 16, lba, blocks)
        return self.data_out_command(struct.pack(">B6xHB", 0x42, len(data), 0), data)

    def write_same(self, lba, blocks):
        return self.data_out_command(struct.pack(">BBQIBB", 0x93, 0, lba, blocks, 0, 0), pattern(1, lba))

    def compare_and_write(self, lba, expected, data):
        return self.data_out_command(struct.pack(">BBQ3xBBB", 0x89, 0, lba, len(data) // BLOCK, 0, 0), expected + data)

    def send_task_management(self, function, referenced_itt):
        itt = self.next_itt()
        self.send(struct.pack(">BB6xH6xIIIII12x", 0x42, 0x80 | function, self.lun, itt, referenced_itt, self.cmd_sn,
                              self.exp_stat_sn, self.cmd_sn - 1))

    def task_management(self, function, referenced_itt):
        """Returns the response code. Immediate, so it does not advance CmdSN."""
        self.send_task_management(function, referenced_itt)
        header, _ = self.receive_opcode(0x22)
        return header[2]

    def send_nop(self, data):
        itt = self.next_itt()
        self.send(struct.pack(">BB6xH6xIIII16x", 0x40, 0x80, 0, itt, 0xFFFFFFFF, self.cmd_sn, self.exp_stat_sn), data)

    def nop(self, data):
        self.send_nop(data)
        self.receive_opcode(0x20)

    def logout(self):
        itt = self.next_itt()
        self.send(struct.pack(">BB14xIHHII16x", 0x46, 0x80, itt, 1, 0, self.cmd_sn, self.exp_stat_sn))
        self.receive_opcode(0x26)
        self.socket.close()


def pattern(blocks, start):
    return b"".join((start + i).to_bytes(8, "big") * (BLOCK // 8) for i in range(blocks))


def mixed(initiator, count):
    for number in range(count):
        blocks = (1, 8, 16, 128, 256)[number % 5]
        lba = number * 256
        initiator.write(lba, pattern(blocks, lba), unsolicited=number % 2 == 0)
        status, data = initiator.read(lba, blocks)
        if status != 0 or data != pattern(blocks, lba):
            sys.exit("raw_initiator: read back something else than was written")
        if number % 4 == 3:
            initiator.nop(b"still there?")


def abort(initiator, _):
    """Writes that got an R2T and are then taken back: by ABORT TASK, then by LOGICAL UNIT RESET."""
    initiator.read(0, 8)
    for function in (1, 5):
        itt = initiator.start_write(64, pattern(512, 64), unsolicited=False)
        initiator.receive_opcode(0x31)
        response = initiator.task_management(function, itt if function == 1 else 0xFFFFFFFF)
        print(f"task management function {function}: response {response}")
        while True:  # what the target still says of the command, and the unit attention after the reset
            status, _ = initiator.read(0, 8)
            if status == 0:
                break
            print(f"read answered with status {status}")


class Play:
    """Steps, each "NAME" or "NAME:ARGUMENT", told on standard output as they begin."""

    BLOCKS = 8
    PING = b"ping"

    def __init__(self, connect, allowed_serial=None):
        self.connect = connect
        self.allowed_serial = allowed_serial
        self.initiator = connect()
        self.sent_reads = []

    def reads(self, count):
        for number in range(int(count)):
            self.initiator.read(number * self.BLOCKS, self.BLOCKS)

    def pings(self, count):
        for _ in range(int(count)):
            self.initiator.nop(self.PING)

    def pause(self, seconds):
        time.sleep(float(seconds))

    def read_and_return(self, seconds, pause, wait):
        """A read, and a pause, for so long; who is thrown out comes back after a while."""
        end = time.monotonic() + float(seconds)
        while time.monotonic() < end:
            try:
                self.initiator.read(0, self.BLOCKS)
                time.sleep(float(pause))
            except (Closed, BrokenPipeError):
                self.initiator.socket.close()
                time.sleep(float(wait))
                self.initiator = self.connect()

    def split_reads(self, count, blocks, piece):
        """Contiguous requests of so many blocks, each sent in pieces, as a layer below the application does."""
        for number in range(int(count)):
            for begin in range(0, int(blocks), int(piece)):
                self.initiator.read(number * int(blocks) + begin, min(int(piece), int(blocks) - begin))

    # What changes the logical unit, each told to the target one after the other with a pause behind it, must go well; and
    # only to the unit that --allow-writes names.
    def change(self, command, count, pause):
        serial = self.initiator.unit_serial_number()
        if not serial or serial != self.allowed_serial:
            sys.exit(f"raw_initiator: writes to the logical unit {serial or 'without a serial number'} are not allowed (--allow-writes)")
        for number in range(int(count)):
            if (status := command(number)) != 0:
                sys.exit(f"raw_initiator: a command that changes the logical unit was answered with status {status}")
            time.sleep(float(pause))

    def writes(self, count, blocks, pause):
        data = pattern(int(blocks), 0)
        self.change(lambda number: self.initiator.write(number * int(blocks), data), count, pause)

    def unmaps(self, count, blocks, pause):
        self.change(lambda number: self.initiator.unmap(number * int(blocks), int(blocks)), count, pause)

    def write_sames(self, count, blocks, pause):
        self.change(lambda number: self.initiator.write_same(number * int(blocks), int(blocks)), count, pause)

    def compare_and_writes(self, count, blocks, pause):
        def take_lock(number):
            lba = number * int(blocks)
            _, held = self.initiator.read(lba, int(blocks))
            return self.initiator.compare_and_write(lba, held, pattern(int(blocks), lba))
        self.change(take_lock, count, pause)

    # Whose answers nobody waits for.
    def send_reads(self, count):
        self.sent_reads = [self.initiator.start_read(number * self.BLOCKS, self.BLOCKS) for number in range(int(count))]

    def send_ping(self):
        self.initiator.send_nop(self.PING)

    def send_abort_task(self):
        self.initiator.send_task_management(1, self.sent_reads[0])

    def send_lun_reset(self):
        self.initiator.send_task_management(5, 0xFFFFFFFF)

    def close(self):
        self.initiator.socket.close()

    def login(self):
        self.initiator = self.connect()

    def logout(self):
        self.initiator.logout()

    STEPS = {"unmaps": unmaps, "write-sames": write_sames, "compare-and-writes": compare_and_writes, "reads": reads, "split-reads": split_reads, "read-and-return": read_and_return, "writes": writes, "pings": pings, "pause": pause, "send-reads": send_reads, "send-ping": send_ping,
             "send-abort-task": send_abort_task, "send-lun-reset": send_lun_reset, "close": close, "login": login,
             "logout": logout}

    def perform(self, steps):
        for step in steps:
            print(step, flush=True)
            name, *arguments = step.split(":")
            self.STEPS[name](self, *arguments)


SCENARIOS = {"mixed": mixed, "abort": abort}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("scenario", choices=[*SCENARIOS, "play"])
    parser.add_argument("address")
    parser.add_argument("target", help="iSCSI name")
    parser.add_argument("--port", type=int, default=3260)
    parser.add_argument("--lun", type=int, default=1)
    parser.add_argument("--count", type=int, default=10, help="rounds of the scenario")
    parser.add_argument("--steps", nargs="+", default=[], metavar="STEP[:ARGUMENT]", help="of the play: " + ", ".join(Play.STEPS))
    parser.add_argument("--initiator-name", default="iqn.2026-01.org.example:raw")
    parser.add_argument("--isid", default="801234560001", metavar="HEX", help="six bytes, with which it logs in")
    parser.add_argument("--nagle", action="store_true", help="send header and data apart, and without TCP_NODELAY")
    parser.add_argument("--allow-writes", metavar="SERIAL", help="of the logical unit that a play may change")
    parser.add_argument("--header-digest", action="store_true")
    parser.add_argument("--data-digest", action="store_true")
    parser.add_argument("--initial-r2t", action="store_true")
    parser.add_argument("--no-immediate-data", action="store_true")
    arguments = parser.parse_args()

    def connect():
        return Initiator(arguments.address, arguments.port, arguments.target, arguments.lun, arguments)

    if arguments.scenario == "play":
        Play(connect, arguments.allow_writes).perform(arguments.steps)
        return
    initiator = connect()
    if (arguments.header_digest, arguments.data_digest) != (initiator.header_digest, initiator.data_digest):
        sys.exit(f"raw_initiator: negotiated {initiator.negotiated}")
    SCENARIOS[arguments.scenario](initiator, arguments.count)
    initiator.logout()


if __name__ == "__main__":
    main()

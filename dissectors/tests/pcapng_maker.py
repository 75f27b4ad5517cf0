# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a pcapng with all that a section may hold besides packets' bytes (draft-ietf-opsawg-pcapng)."""

import struct


class Section:
    """The blocks of one section, in one byte order ("<" or ">")."""

    def __init__(self, order):
        self.order = order
        self.bytes = b""
        self.block(0x0A0D0D0A, self.pack("IHHq", 0x1A2B3C4D, 1, 0, -1))

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def block(self, kind, body):
        body += b"\0" * (-len(body) % 4)
        length = self.pack("I", len(body) + 12)
        self.bytes += self.pack("I", kind) + length + body + length
        return self

    def options(self, pairs):
        if not pairs:
            return b""
        text = b""
        for code, value in [*pairs, (0, b"")]:
            text += self.pack("HH", code, len(value)) + value + b"\0" * (-len(value) % 4)
        return text

    def interface(self, *options, link_type=1, snap_length=0):
        return self.block(1, self.pack("HHI", link_type, 0, snap_length) + self.options(options))

    def packet(self, data, ticks, *options, interface=0, original=None):
        fields = self.pack("IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(data), original or len(data))
        return self.block(6, fields + data + b"\0" * (-len(data) % 4) + self.options(options))

    def obsolete_packet(self, data, ticks, *options, interface=0):
        fields = self.pack("HHIIII", interface, 7, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data))
        return self.block(2, fields + data + b"\0" * (-len(data) % 4) + self.options(options))

    def simple_packet(self, data):
        return self.block(3, self.pack("I", len(data)) + data)

    def name(self, address, name):
        record = bytes(address) + name + b"\0"
        return self.block(4, self.pack("HH", 1, len(record)) + record + b"\0" * (-len(record) % 4) + self.pack("HH", 0, 0))

    def tls_secrets(self, text):
        return self.block(10, self.pack("II", 0x544C534B, len(text)) + text)

    def custom(self, data, copied=True):
        return self.block(0x00000BAD if copied else 0x40000BAD, self.pack("I", 32473) + data)

    def journal_entry(self, text):
        return self.block(9, text)


def udp_frame(source, destination, payload):
    udp = struct.pack(">HHHH", 40000, 9999, 8 + len(payload), 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0, bytes(source), bytes(destination))
    return b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0" + ip + udp


def tcp_frame(source, destination, sequence, payload):
    tcp = struct.pack(">HHIIBBHHH", 40000, 3260, sequence, 1, 0x50, 0x10, 512, 0, 0) + payload
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0, bytes(source), bytes(destination))
    return b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x08\0" + ip + tcp


def capture_of_everything():
    here, there = (192, 0, 2, 1), (198, 51, 100, 7)
    now = 1_700_000_000
    nanoseconds = (9, b"\x09")

    first = Section("<").custom(b"before any interface")
    first.interface((2, b"eth0"), (3, b"to the array"), nanoseconds)
    first.name(there, b"array.example")
    first.interface((3, b"described only"), (9, b"\x03"), (14, struct.pack("<q", 3600)))
    first.packet(tcp_frame(here, there, 1, b"x" * 10), now * 10**9 + 5, (1, b"a comment"), (1, b"and \xc3\xa4nother"),
                 (2, struct.pack("<I", 0x01000009)), (3, b"\x02\x12\x34\x56\x78"), (4, struct.pack("<Q", 17)),
                 (5, struct.pack("<Q", 4711)), (6, struct.pack("<I", 3)), (7, b"\x01" + struct.pack("<Q", 1)))
    first.simple_packet(udp_frame(there, here, b"no time"))
    first.packet(tcp_frame(here, there, 11, b"y" * 10), now * 1000 + 70, interface=1, original=1500)
    first.custom(b"of some enterprise", copied=False)
    first.name(here, b"initiator.example")
    first.obsolete_packet(tcp_frame(here, there, 21, b"z" * 10), now * 10**9 + 900, (2, struct.pack("<I", 2)))

    second = Section(">").interface((2, b"tap1"), (15, b"some hardware")).interface((15, b"hardware only"), link_type=101)
    second.packet(tcp_frame(here, there, 31, b"w" * 10), now * 10**6 + 3, (1, b"in the other byte order"))
    second.packet(udp_frame(here, there, b"raw")[14:], now * 10**6 + 9, (2, struct.pack(">I", 1)), interface=1)
    second.interface((2, b"later"))
    second.journal_entry(b"__REALTIME_TIMESTAMP=1700000002000000\nMESSAGE=hello\n_HOSTNAME=host\n")
    second.packet(udp_frame(there, here, b"behind an entry"), now * 10**6 + 11, interface=2)

    third = Section("<").custom(b"a section without interfaces")

    fourth = Section("<").interface((2, b"bond0"), (3, b"the fourth section's"))
    fourth.tls_secrets(b"CLIENT_RANDOM " + b"00" * 32 + b" " + b"11" * 48 + b"\n")
    fourth.packet(tcp_frame(there, here, 1, b"back"), (now + 5) * 10**6)
    # Beyond what 64 bits of nanoseconds hold.
    fourth.packet(udp_frame(there, here, b"far away"), 2**63 + 12)
    fourth.packet(udp_frame(there, here, b"farther"), 2**63 + 23)
    return first.bytes + second.bytes + third.bytes + fourth.bytes

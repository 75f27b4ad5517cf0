#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A capture and what the kernel told meanwhile, as tracefs prints it, made into one pcapng with kernel truth.

  add_kernel_truth.py CAPTURE.pcap TRACE SOCKETS --local ADDRESS -o OUT.pcapng

TRACE is the text of the tracepoints tcp:tcp_probe and tcp:tcp_cong_state_set with the clock `tai`; SOCKETS that of
`ss -tinHO`, asked while the connections lived, which tells their congestion control and segment size. Only sockets
whose own address is ADDRESS are told of: tracepoints fire for every network namespace of the host.

The blocks and the messages in them are written here byte by byte, from analyzer/ingest/kernel_truth_block.h and
kernel_truth.proto alone: what reads them is thereby tested against another hand's work."""

import argparse
import ipaddress
import re
import struct
import time

BLOCK_EVERY_NS = 100_000_000
INFINITE_SSTHRESH = 0x7fffffff
PERF_EVENTS = 2  # KernelTruth.Method: as through perf events, every event is told


# ---- Protocol buffers

def varint(value):
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7f | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def fixed32(field, value):
    return varint(field << 3 | 5) + struct.pack("<I", value)


def fixed64(field, value):
    return varint(field << 3 | 1) + struct.pack("<q", value)


# ---- What the kernel told

class Event:
    def __init__(self, time_ns, fields):
        self.time_ns = time_ns
        self.is_probe = "snd_cwnd" in fields
        self.fields = fields
        if self.is_probe:
            self.local, self.remote = split_endpoint(fields["src"]), split_endpoint(fields["dest"])
        else:
            v4 = fields["family"] == "AF_INET"
            self.local = (fields["saddr" if v4 else "saddrv6"], int(fields["sport"]))
            self.remote = (fields["daddr" if v4 else "daddrv6"], int(fields["dport"]))

    def number_of(self, name):
        return int(self.fields[name], 0)


def split_endpoint(endpoint):
    address, _, port = endpoint.rpartition(":")
    return address.strip("[]"), int(port)


def read_trace(path, local):
    tai_offset_ns = round((time.clock_gettime(time.CLOCK_TAI) - time.time())) * 1_000_000_000
    events = []
    line_form = re.compile(r"\s(\d+)\.(\d{6}): tcp_(?:probe|cong_state_set): (.*)")
    with open(path) as lines:
        for line in lines:
            if not (match := line_form.search(line)):
                continue
            # Microseconds, cut off: by their end the event had happened.
            time_ns = (int(match[1]) * 1_000_000 + int(match[2]) + 1) * 1000 - tai_offset_ns
            event = Event(time_ns, dict(re.findall(r"(\w+)=(\S+)", match[3])))
            if event.local[0] == local:
                events.append(event)
    return sorted(events, key=lambda event: event.time_ns)


def read_sockets(path):
    """By both ends: congestion control and segment size."""
    known = {}
    with open(path) as lines:
        for line in lines:
            words = line.split()
            size = re.search(r"\bmss:(\d+)", line)
            control = next((word for word in words if word in ("cubic", "reno", "bbr")), "")
            if len(words) > 4 and size:
                known[split_endpoint(words[3]), split_endpoint(words[4])] = control, int(size[1])
    return known


class Teller:
    """Makes messages of events; each socket is described in the first one it is in. Only probes tell its address in the
    kernel: a change of state is of the socket that last had those ends."""

    def __init__(self, known):
        self.known = known
        self.sockets = 0
        self.current = {}  # by ends: number and address

    def message(self, events):
        sockets, windows, transitions = b"", b"", b""
        for event in events:
            ends, address = (event.local, event.remote), event.fields.get("skaddr")
            own_number, known_address = self.current.get(ends, (0, None))
            if own_number == 0 or (address and known_address and address != known_address):
                self.sockets += 1
                own_number = self.sockets
                sockets += text(3, self.socket(own_number, event))
            self.current[ends] = own_number, address or known_address
            socket = number(1, own_number) + fixed64(2, event.time_ns)
            if event.is_probe:
                windows += text(4, socket + self.window(event))
            else:
                transitions += text(5, socket + number(3, event.number_of("cong_state")))
        return number(1, PERF_EVENTS) + sockets + windows + transitions

    def socket(self, own_number, event):
        control, size = self.known.get((event.local, event.remote), ("", 0))
        return (number(1, own_number) + text(2, ipaddress.ip_address(event.local[0]).packed)
                + text(3, ipaddress.ip_address(event.remote[0]).packed) + number(4, event.local[1])
                + number(5, event.remote[1]) + text(6, control.encode()) + number(7, size))

    @staticmethod
    def window(event):
        told = (fixed32(3, event.number_of("snd_una")) + fixed32(4, event.number_of("snd_nxt"))
                + number(5, event.number_of("snd_cwnd")))
        if event.number_of("ssthresh") < INFINITE_SSTHRESH:
            told += number(6, event.number_of("ssthresh"))
        return (told + number(7, event.number_of("snd_wnd")) + number(8, event.number_of("srtt"))
                + number(9, event.number_of("rcv_wnd")))


# ---- Captures

def read_pcap(path):
    """Link type, snap length, and of each packet its nanoseconds, its length on the wire and its bytes."""
    with open(path, "rb") as capture:
        data = capture.read()
    magic, snap_length, link_type = struct.unpack_from("<I12xII", data)
    unit = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}[magic]
    packets, at = [], 24
    while at < len(data):
        seconds, fraction, captured, on_wire = struct.unpack_from("<IIII", data, at)
        packets.append((seconds * 1_000_000_000 + fraction * unit, on_wire, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return link_type, snap_length, packets


def block(kind, body):
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def kernel_truth_block(message):
    return block(0x0bad, struct.pack("<I8sHHI", 32473, b"sanscope", 1, 1, len(message)) + message)


def packet_block(time_ns, on_wire, packet):
    return block(6, struct.pack("<IIIII", 0, time_ns >> 32, time_ns & 0xffffffff, len(packet), on_wire) + packet)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("trace")
    parser.add_argument("sockets")
    parser.add_argument("--local", required=True, help="the address of the host that is told of")
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    link_type, snap_length, packets = read_pcap(arguments.capture)
    events = read_trace(arguments.trace, arguments.local)
    teller = Teller(read_sockets(arguments.sockets))
    with open(arguments.output, "wb") as out:
        out.write(block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1)))
        out.write(block(1, struct.pack("<HHI", link_type, 0, snap_length) + option(9, b"\x09") + option(0, b"")))
        # That there will be more is told first.
        out.write(kernel_truth_block(teller.message([])))
        told, last_block_ns = 0, packets[0][0]
        for packet in packets:
            if packet[0] - last_block_ns >= BLOCK_EVERY_NS:
                last_block_ns = packet[0]
                first = told
                while told < len(events) and events[told].time_ns < packet[0]:
                    told += 1
                if told > first:
                    out.write(kernel_truth_block(teller.message(events[first:told])))
            out.write(packet_block(*packet))
        out.write(kernel_truth_block(teller.message(events[told:])))
    print(f"{len(packets)} packets, {len(events)} events of {teller.sockets} sockets")


if __name__ == "__main__":
    main()

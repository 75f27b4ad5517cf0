#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Encapsulations: the packets of a sample, wrapped in each by scapy, give the same commands as the sample does.

tshark is the reference for the wrapping: it must find as many TCP segments as in the sample. What is not followed must be told
of, by name and number, in the report and in the findings."""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, SAMPLES, Checks, missing_program, run_sanscope

try:
    import scapy  # noqa: F401
except ImportError:  # Debian's package, under another Python than Debian's
    sys.path.append("/usr/lib/python3/dist-packages")

ETHERNET, PPP, FDDI, PPP_HDLC, PPP_ETHER, CISCO_HDLC, PPI, ERF, PPP_DIRECTION, NFLOG = \
    1, 9, 10, 50, 51, 104, 192, 197, 204, 239


def wrappings():
    """name → (link type, a function from an Ethernet frame to the wrapped one, further arguments of tshark)."""
    from scapy.contrib.etherip import EtherIP
    from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer
    from scapy.contrib.nsh import NSH
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.layers.l2 import GRE, Dot1AD, Dot1Q, Ether, LLC, SNAP
    from scapy.layers.l2tp import L2TP
    from scapy.layers.ppp import HDLC, PPP as Ppp, PPPoE
    from scapy.layers.vxlan import VXLAN
    from scapy.packet import Raw

    link = {"src": "02:00:00:00:01:01", "dst": "02:00:00:00:01:02"}
    addresses = link["dst"].replace(":", "") + link["src"].replace(":", "")
    macs = bytes.fromhex(addresses)

    def outer(protocol=None):
        fields = {} if protocol is None else {"proto": protocol}
        return Ether(**link) / IP(src="192.0.2.1", dst="192.0.2.2", **fields)

    def network(frame):
        """What lies behind the addresses and the EtherType."""
        return frame[14:]

    def ether_type(frame):
        return frame[12:14]

    def is_ipv6(frame):
        return ether_type(frame) == b"\x86\xdd"

    def ppp_protocol(frame):
        return 0x57 if is_ipv6(frame) else 0x21

    def tagged(number, own):
        return lambda frame: macs + number.to_bytes(2, "big") + own + ether_type(frame) + network(frame)

    def in_udp(port, header):
        return lambda frame: bytes(outer() / UDP(sport=port, dport=port, chksum=0) / header(frame))

    def nflog(order):
        def wrap(frame):
            def attribute(kind, value):
                padding = b"\0" * (-len(value) % 4)
                return struct.pack(order + "HH", 4 + len(value), kind) + value + padding
            family = 10 if is_ipv6(frame) else 2
            return (bytes([family, 0]) + struct.pack(">H", 5) + attribute(1, ether_type(frame) + b"\1\0") +
                    attribute(10, b"san\0") + attribute(9, network(frame)))
        return wrap

    def erf(frame):
        return struct.pack("<Q", 0) + struct.pack(">BBHHH", 2, 4, 18 + len(frame), 0, len(frame)) + b"\0\0" + frame

    def raw(frame):
        return Raw(network(frame))

    metadata = b"\x01\x01\x00\x01\x00\x2a"
    return {
        "VN-Tag": (ETHERNET, tagged(0x8926, b"\x00\x01\x00\x02"), []),
        "802.1BR E-Tag": (ETHERNET, tagged(0x893f, b"\0\1\0\2\0\0"), []),
        "Cisco metadata": (ETHERNET, tagged(0x8909, metadata), []),
        "MACsec in the clear": (ETHERNET, tagged(0x88e5, b"\x20\0\0\0\0\1" + macs[6:] + b"\0\1"), None),
        "802.1ah": (ETHERNET, lambda frame: bytes(
            Ether(**link) / Dot1AD(vlan=7, type=0x88e7) / Raw(b"\0\0\0\x09" + frame)), []),
        "FabricPath": (ETHERNET, lambda frame: macs + b"\x89\x03\x00\x60" + frame,
                       ["--enable-heuristic", "fp_eth"]),
        "TRILL": (ETHERNET, lambda frame: macs + b"\x22\xf3\x00\x1f\x00\x01\x00\x02" + frame, []),
        "EtherIP": (ETHERNET, lambda frame: bytes(outer() / EtherIP() / Raw(frame)), []),
        "NSH in VXLAN-GPE": (ETHERNET, in_udp(4790, lambda frame: Raw(b"\x0c\0\0\4\0\0\x2a\0") / Raw(bytes(
            NSH(mdtype=2, nextproto=3)) + frame)), []),
        "VXLAN": (ETHERNET, in_udp(4789, lambda frame: VXLAN(vni=42) / Raw(frame)), []),
        "GRE in UDP": (ETHERNET, in_udp(4754, lambda frame: GRE(
            proto=int.from_bytes(ether_type(frame), "big"), key_present=1, key=7) / raw(frame)),
            ["-d", "udp.port==4754,gre"]),
        "GTP-U": (ETHERNET, in_udp(2152, lambda frame: GTP_U_Header(
            teid=7, gtp_type=255) / raw(frame)), []),
        "GTP-U with an extension": (ETHERNET, in_udp(2152, lambda frame: GTP_U_Header(
            teid=7, gtp_type=255, E=1, next_ex=0x85) / GTPPDUSessionContainer(QFI=9) / raw(frame)), []),
        "L2TPv2": (ETHERNET, in_udp(1701, lambda frame: L2TP(
            hdr=["length", "sequence"], version=2, tunnel_id=7, session_id=8) /
            Raw(bytes(HDLC()) + bytes(Ppp(proto=ppp_protocol(frame)))[-2:] + network(frame))), []),
        "PPTP": (ETHERNET, lambda frame: bytes(outer(47) / Raw(
            struct.pack(">HHHHI", 0x3001, 0x880b, 4 + len(network(frame)), 77, 1) + b"\xff\x03" +
            struct.pack(">H", ppp_protocol(frame)) + network(frame))), []),
        "PPPoE below 802.1ad": (ETHERNET, lambda frame: bytes(
            Ether(**link) / Dot1AD(vlan=7) / Dot1Q(vlan=8) / PPPoE(sessionid=1) /
            Ppp(proto=ppp_protocol(frame)) / raw(frame)), []),
        "PPP": (PPP, lambda frame: bytes(HDLC()) + struct.pack(">H", ppp_protocol(frame)) + network(frame), []),
        "PPP without framing": (PPP, lambda frame: struct.pack(">H", ppp_protocol(frame)) + network(frame), []),
        "PPP in HDLC": (PPP_HDLC, lambda frame: b"\xff\x03" + struct.pack(">H", ppp_protocol(frame)) +
                        network(frame), []),
        "PPP with direction": (PPP_DIRECTION, lambda frame: b"\x01\xff\x03" +
                               struct.pack(">H", ppp_protocol(frame)) + network(frame), []),
        "PPPoE alone": (PPP_ETHER, lambda frame: bytes(
            PPPoE(sessionid=1) / Ppp(proto=ppp_protocol(frame)) / raw(frame)), []),
        "Cisco HDLC": (CISCO_HDLC, lambda frame: b"\x0f\x00" + ether_type(frame) + network(frame), []),
        "PPI": (PPI, lambda frame: struct.pack("<BBHI", 0, 0, 8, ETHERNET) + frame, []),
        "NFLOG, little endian": (NFLOG, nflog("<"), []),
        "NFLOG, big endian": (NFLOG, nflog(">"), None),
        "FDDI": (FDDI, lambda frame: b"\x54" + macs + bytes(LLC() / SNAP(
            code=int.from_bytes(ether_type(frame), "big"))) + network(frame), []),
        "ERF": (ERF, erf, []),
        "802.1ah in GRE over IPv6": (ETHERNET, lambda frame: bytes(
            Ether(**link) / IPv6(src="2001:db8::1", dst="2001:db8::2") / GRE(proto=0x6558) /
            Ether(**link, type=0x88e7) / Raw(b"\0\0\0\x09" + frame)), []),
    }


def hidden():
    """Name in the report → (link type, a function that hides an Ethernet frame)."""
    from scapy.layers.inet import IP, UDP
    from scapy.layers.l2 import GRE, Ether
    from scapy.packet import Raw

    link = {"src": "02:00:00:00:01:01", "dst": "02:00:00:00:01:02"}

    def in_ip(protocol, header):
        return lambda frame: bytes(
            Ether(**link) / IP(src="192.0.2.1", dst="192.0.2.2", proto=protocol) / Raw(header + frame))

    def in_udp(port, header):
        return lambda frame: bytes(Ether(**link) / IP(src="192.0.2.1", dst="192.0.2.2") /
                                   UDP(sport=port, dport=port, chksum=0) / Raw(header + frame))

    return {
        "packets in L2TPv3 were passed over": (ETHERNET, in_ip(115, b"\0\0\0\5")),
        "packets that seem to be in L2TPv3 in UDP were passed over": (
            ETHERNET, in_udp(1701, b"\0\3\0\0\0\0\0\5")),
        "packets in ESP (IPsec, encrypted) were passed over": (ETHERNET, in_ip(50, struct.pack(">II", 7, 1))),
        "packets that seem to be in ESP in UDP (IPsec, encrypted) were passed over": (
            ETHERNET, in_udp(4500, b"\0\0\0\7\0\0\0\1")),
        "packets in MACsec (encrypted) were passed over": (
            ETHERNET, lambda frame: frame[:12] + b"\x88\xe5\x2c\0\0\0\0\1" + frame[12:]),
        "packets in GRE with IEEE 802.11 were passed over": (ETHERNET, lambda frame: bytes(
            Ether(**link) / IP(src="192.0.2.1", dst="192.0.2.2") / GRE(proto=0x8200) / Raw(frame))),
        "packets that seem to be in WireGuard (encrypted) were passed over": (
            ETHERNET, in_udp(51820, b"\4\0\0\0\0\0\0\7\0\0\0\0\0\0\0\1")),
        "packets that seem to be in CAPWAP (IEEE 802.11) were passed over": (
            ETHERNET, in_udp(5247, b"\0\x10\3\0\0\0\0\0")),
        "packets in PPP, compressed or encrypted were passed over": (
            PPP, lambda frame: b"\xff\x03\x00\xfd" + frame),
        "packets in netlink messages of netfilter were passed over": (
            253, lambda frame: b"\0\4\3\x38" + bytes(10) + b"\0\x0c" + frame),
        "packets of link type 127 (IEEE 802.11 with radiotap header) were passed over": (
            127, lambda frame: b"\0\0\x08\0\0\0\0\0" + frame),
        "packets of EtherType 0x8906 (FCoE) were passed over": (
            ETHERNET, lambda frame: frame[:12] + b"\x89\x06" + frame[14:]),
    }


def ethernet_packets(sample, folder):
    """[(seconds, nanoseconds, frame)] of a pcap of Ethernet, whole frames."""
    plain = folder / "plain.pcap"
    subprocess.run(["editcap", "-F", "nsecpcap", sample, plain], check=True)
    data = plain.read_bytes()
    packets, at = [], 24
    while at < len(data):
        seconds, nanoseconds, captured, _ = struct.unpack_from("<IIII", data, at)
        packets.append((seconds, nanoseconds, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return plain, packets


def write_pcap(path, link_type, packets):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, link_type))
        for seconds, nanoseconds, frame in packets:
            out.write(struct.pack("<IIII", seconds, nanoseconds, len(frame), len(frame)) + frame)


def tcp_count(path, arguments):
    shown = subprocess.run(["tshark", "-n", "-r", path, "-o", "ip.defragment:FALSE", *arguments, "-Y", "tcp"],
                           capture_output=True, text=True, check=True)
    return len(shown.stdout.splitlines())


def commands_of(sanscope, path):
    return run_sanscope(sanscope, ["table", "commands", str(path)]).out


def check_wrapped(checks, sanscope, folder, sample):
    plain, packets = ethernet_packets(sample, folder)
    wanted = commands_of(sanscope, plain)
    segments = tcp_count(plain, [])
    if wanted.count("\n") < 3 or segments < 10:
        checks.fail(f"{sample.name} has commands to compare", [f"{segments} segments", wanted[:300]])
        return
    for name, (link_type, wrap, arguments) in wrappings().items():
        path = folder / "wrapped.pcap"
        write_pcap(path, link_type, [(s, ns, wrap(frame)) for s, ns, frame in packets])
        faults = []
        # None: tshark does not look into MACsec that is not encrypted, nor at NFLOG of the other byte order.
        if arguments is not None and (found := tcp_count(path, arguments)) != segments:
            faults.append(f"tshark finds {found} of {segments} segments: it is wrapped wrongly")
        if commands_of(sanscope, path) != wanted:
            faults.append("the commands are others than without the encapsulation")
        checks.check(f"{sample.name} in {name}: the same commands, {segments} segments", faults)


def check_hidden(checks, sanscope, folder, sample):
    _, packets = ethernet_packets(sample, folder)
    for words, (link_type, hide) in hidden().items():
        path = folder / "hidden.pcap"
        write_pcap(path, link_type, [(s, ns, hide(frame)) for s, ns, frame in packets])
        report = run_sanscope(sanscope, ["report", str(path)]).out
        line = f"{len(packets)}  {words}; first at packet 1"
        faults = [] if line in " ".join(report.split(" ")) else [f"no '{line}' in the report", *report.splitlines()[:20]]
        found = [json.loads(row) for row in
                 run_sanscope(sanscope, ["table", "findings", "--format", "json", str(path)]).out.splitlines()]
        rows = [row for row in found if row["kind"] == "passed_over"]
        if [row["title"] for row in rows] != [f"{len(packets)} {words}"] or rows[0]["severity"] != "notice":
            faults.append(f"findings: {rows}")
        checks.check(f"told of: {len(packets)} {words}", faults)


def check_ordinary(checks, sanscope, folder, sample):
    """What hides no TCP is not told of."""
    from scapy.layers.dns import DNS, DNSQR
    from scapy.layers.inet import ICMP, IP, UDP
    from scapy.layers.l2 import ARP, STP, Dot3, Ether, LLC
    from scapy.packet import Raw

    _, packets = ethernet_packets(sample, folder)
    link = {"src": "02:00:00:00:01:01", "dst": "02:00:00:00:01:02"}
    ip = Ether(**link) / IP(src="192.0.2.1", dst="192.0.2.2")
    ordinary = [Ether(**link) / ARP(), Ether(**link, type=0x88cc) / Raw(bytes(46)), ip / ICMP() / Raw(bytes(40)),
                Dot3(**link) / LLC() / STP(), ip / UDP(sport=5000, dport=53) / DNS(qd=DNSQR(qname="a.example")),
                ip / UDP(sport=2152, dport=2152) / Raw(b"w" * 60), ip / UDP(sport=1701, dport=1701) / Raw(b"w" * 60),
                Ether(**link, type=0x8809) / Raw(bytes(46)), Ether(**link, type=0x888e) / Raw(bytes(46))]
    seconds, nanoseconds, _ = packets[-1]
    path = folder / "ordinary.pcap"
    write_pcap(path, ETHERNET, packets + [(seconds, nanoseconds, bytes(packet)) for packet in ordinary * 50])
    report = run_sanscope(sanscope, ["report", str(path)]).out
    faults = [line for line in report.splitlines() if "passed over" in line or "contradict" in line]
    checks.check("ARP, LLDP, STP, ICMP, LACP, 802.1X, DNS and others' use of tunnels' ports are not told of", faults)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sanscope", type=pathlib.Path, default=DEFAULT_SANSCOPE)
    arguments = options.parse_args()
    checks = Checks()
    try:
        import scapy.layers.l2  # noqa: F401
    except ImportError:
        sys.exit("scapy is not installed: python3-scapy")
    missing = missing_program(arguments.sanscope)
    if missing:
        sys.exit(missing)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for sample in ("check-conditions.pcap", "ipv6.pcap.zst"):
            check_wrapped(checks, arguments.sanscope, folder, SAMPLES / sample)
        check_hidden(checks, arguments.sanscope, folder, SAMPLES / "check-conditions.pcap")
        check_ordinary(checks, arguments.sanscope, folder, SAMPLES / "check-conditions.pcap")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of `sanscope capture --keep headers` share: a load between two namespaces, recorded whole and with headers only
at the same time, and how the two files are compared."""

import collections
import contextlib
import json
import pathlib
import signal
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "captures" / "scrub" / "tests"))
from recording_bench import HERE, THERE, add_wire, sh, until  # noqa: E402
import scrub_test  # noqa: E402

WIRE = "v7"
INITIATOR, TARGET = "10.99.7.1", "10.99.7.2"
FRAME_HEADERS = 54  # Ethernet, IPv4, TCP without options
PIECE = 512  # of what --verify writes: captures/load/verify_pattern.h
SERIAL = "SANSCOPE"


@contextlib.contextmanager
def wire():
    add_wire(WIRE)
    try:
        for name, address in ((HERE, INITIATOR), (THERE, TARGET)):
            sh("ip", "-n", name, "addr", "add", f"{address}/24", "dev", WIRE)
        yield
    finally:
        sh("ip", "-n", HERE, "link", "del", WIRE, check=False)


@contextlib.contextmanager
def target(bench, *arguments, port=3260):
    """A memory target in the other namespace: gives its URL."""
    child = subprocess.Popen(["ip", "netns", "exec", THERE, str(bench.sanscope), "target", "--listen", f"{TARGET}:{port}", "--json",
                              "--serial", SERIAL, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        told = json.loads(child.stdout.readline())
        yield f"iscsi://{told['listening']}/{told['target']}/0"
    finally:
        child.send_signal(signal.SIGTERM)
        child.communicate(timeout=20)


def load(bench, url, *arguments):
    return subprocess.Popen(["ip", "netns", "exec", HERE, str(bench.sanscope), "generate", "--quiet", *map(str, arguments), url],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def blocks_of(data):
    """(type, where it begins, length) of each block of a pcapng."""
    at = 0
    while at + 12 <= len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if length < 12 or at + length > len(data):
            return
        yield kind, at, length
        at += length


def packets_of(data):
    """(its block, its bytes, its length on the wire) of each packet."""
    for kind, at, length in blocks_of(data):
        if kind == 6:
            captured, wire_length = struct.unpack_from("<II", data, at + 20)
            yield data[at:at + length], data[at + 28:at + 28 + captured], wire_length


def paired(whole, headers):
    """Both files with the packets that both have, in the order and with the times of the whole one, for each socket has stamped
    them itself; and faults, where one of them lacks a packet between its first and last."""
    waiting = collections.defaultdict(collections.deque)
    for block, packet, length in packets_of(headers):
        waiting[packet[:FRAME_HEADERS], length].append(block)
    starts = [bytearray(), bytearray()]
    for start, data in zip(starts, (whole, headers)):
        for kind, at, length in blocks_of(data):
            if kind == 6:
                break
            start += data[at:at + length]
    pairs = []
    for block, packet, length in packets_of(whole):
        same = waiting[packet[:FRAME_HEADERS], length]
        kept = same.popleft() if same else None
        pairs.append((block, kept and kept[:12] + block[12:20] + kept[20:]))
    while pairs and pairs[-1][1] is None:
        pairs.pop()
    first = next((at for at, (_, kept) in enumerate(pairs) if kept is not None), len(pairs))
    pairs = pairs[first:]
    lacking = [at for at, (_, kept) in enumerate(pairs) if kept is None]
    left = sum(map(len, waiting.values()))
    faults = [] if pairs else ["no packets"]
    if lacking:
        faults.append(f"{len(lacking)} of {len(pairs)} packets are in the whole file only, at {lacking[:8]}")
    if left:
        faults.append(f"{left} packets are in the other file only, of {len(pairs)}")
    for which, start in enumerate(starts):
        start += b"".join(pair[which] for pair in pairs if pair[1] is not None)
    return bytes(starts[0]), bytes(starts[1]), faults


def stored_runs(whole):
    """What --verify has stored and the packets of a capture hold of it, in runs of 16 bytes."""
    runs = set()
    for _, packet, _ in packets_of(whole):
        at = packet.find(b"sanscope")
        while at >= 0:
            piece = packet[at:at + PIECE]
            # A name may have these letters in it, too; nothing but a piece is followed by an offset that is a multiple of one.
            if len(piece) == PIECE and int.from_bytes(piece[8:16], "little") % PIECE == 0:
                runs.update(piece[begin:begin + 16] for begin in range(48, PIECE - 16, 16))
            at = packet.find(b"sanscope", at + 8)
    return runs


def found_in(runs, data):
    """Those of the runs that are in it, at whatever place."""
    return [run.hex() for run in {data[at:at + 16] for at in range(len(data) - 15)} & runs]


def recorded(bench, name, load_of, late=False, port=3260):
    """Both ways at once: the files' paths, how the load ended, and the two recordings. `late`: the load is under way already."""
    whole, headers = bench.scratch / f"{name}-whole.pcapng", bench.scratch / f"{name}-headers.pcapng"
    under_way = load_of() if late else None
    if late:
        until(lambda: under_way.poll() is not None, 0.7)
    common = ("-i", WIRE, "-f", f"tcp port {port}", "-B", 512)
    with bench.running(*common, "--keep", "all", "-w", whole) as one:
        with bench.running(*common, *([] if port == 3260 else ["--keep", "headers"]), "-w", headers) as other:
            under_way = under_way or load_of()
            said = under_way.communicate(timeout=120)[0] if not late else until(lambda: under_way.poll() is not None, 1.5)
            until(lambda: False, 0.4)
    if late:
        under_way.send_signal(signal.SIGINT)
        said = under_way.communicate(timeout=120)[0]
    return whole, headers, (under_way.returncode, said), (one, other)


def compared(bench, whole, headers):
    """Faults, where the analysis of the two is not the same but for data digests."""
    data, kept, faults = paired(whole.read_bytes(), headers.read_bytes())
    paths = [path.with_name(f"paired-{path.name}") for path in (whole, headers)]
    for path, content in zip(paths, (data, kept)):
        path.write_bytes(content)
    faults += scrub_test.differences(bench.sanscope, *paths)
    commands = scrub_test.rows_of(bench.sanscope, "commands", paths[1])[1]
    return faults, commands


def leaked(whole, headers):
    """How many runs of stored bytes the whole file has, and those that are in the other."""
    runs = stored_runs(whole.read_bytes())
    return len(runs), found_in(runs, headers.read_bytes())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What sanscope prints holds no control sequence, whoever chose the words: names in a capture and of files, what a
recorder, a host behind ssh or a dissector says. On a terminal and off it."""

import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile

from harness import DEFAULT_SANSCOPE, ROOT, Checks, missing_program

# Of a terminal: its title, its colours, an answer it would type; C1 as one byte and in UTF-8; what goes back in the
# line.
ATTACKS = [b"\x1b]0;owned\x07", b"\x1b[31m", b"\x1bP+q544e\x1b\\", b"\x9b31m", b"\xc2\x9b31m", b"\x08\x08", b"\x1b[2J"]
HOSTILE = b"".join(ATTACKS)
MARK = b"owned"


def faults(out, allowed=()):
    """What a terminal would obey; `allowed`: what sanscope itself draws a line with."""
    for sequence in allowed:
        out = out.replace(sequence, b"")
    text = out.decode(errors="surrogateescape")
    wrong = sorted({hex(ord(c)) for c in text if (ord(c) < 0x20 and c not in "\n\t\r") or 0x7f <= ord(c) < 0xa0 or
                    0xdc80 <= ord(c) <= 0xdcff})
    return [f"{' '.join(wrong)} in {out[:300]!r}"] if wrong else []


def ethernet_tcp(payload, to_target, seq, ack, flags=0x18):
    ports, hosts = ((50000, 3260), (b"\x0a\0\0\x01", b"\x0a\0\0\x02")) if to_target else ((3260, 50000), (b"\x0a\0\0\x02", b"\x0a\0\0\x01"))
    tcp = struct.pack(">HHIIBBHHH", *ports, seq, ack, 5 << 4, flags, 65535, 0, 0) + payload
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 0, 0, 64, 6, 0) + hosts[0] + hosts[1]
    return b"\0" * 12 + b"\x08\0" + ip + tcp


def login(opcode, keys, isid=b"\x80\0\0\0\0\1", flags=0x87):
    return struct.pack(">BBBBB3s6sHIHHII16x", opcode, flags, 0, 0, 0, len(keys).to_bytes(3, "big"), isid, 0, 1, 0, 0, 1, 1) + \
        keys + bytes(-len(keys) % 4)


def hostile_capture(path):
    names = b"InitiatorName=iqn." + HOSTILE + b"\0TargetName=iqn." + HOSTILE + b"t\0"
    request, response = login(0x43, names), login(0x23, b"TargetPortalGroupTag=1\0")
    frames = [ethernet_tcp(b"", True, 1, 0, 2), ethernet_tcp(b"", False, 1, 2, 0x12), ethernet_tcp(b"", True, 2, 2, 0x10),
              ethernet_tcp(request, True, 2, 2), ethernet_tcp(response, False, 2, 2 + len(request))]
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for number, frame in enumerate(frames):
            file.write(struct.pack("<IIII", 1700000000, number, len(frame), len(frame)) + frame)


def run(arguments, environment=None):
    done = subprocess.run(arguments, capture_output=True, timeout=120, stdin=subprocess.DEVNULL,
                          env={**os.environ, **(environment or {})})
    return done.stdout + done.stderr


def on_terminal(arguments, environment=None):
    """The same on a terminal of its own."""
    master, slave = pty.openpty()
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, close_fds=True,
                               env={**os.environ, **(environment or {})})
    os.close(slave)
    out = b""
    while select.select([master], [], [], 60)[0]:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    process.wait(timeout=60)
    os.close(master)
    return out


def test_captures(checks, sanscope, scratch):
    capture = os.path.join(os.fsencode(scratch), b"x" + HOSTILE + b".pcap")
    hostile_capture(capture)
    broken = os.path.join(os.fsencode(scratch), b"broken" + HOSTILE + b".pcap")
    with open(broken, "wb") as file:
        file.write(b"this is no capture")
    # A line of progress may be drawn over.
    own = [b"\r\x1b[K"]
    for how, start in (("", run), (" on a terminal", on_terminal)):
        for name, arguments, tells in (
                ("a comparison", ["compare", capture, capture], True),
                ("a comparison as JSON", ["compare", capture, capture, "--format", "json"], True),
                ("report", ["report", capture], True), ("a table as CSV", ["table", "sessions", capture], True),
                ("a table as JSON", ["table", "sessions", capture, "--format", "json"], True),
                ("packet details", ["details", capture, "4"], True),
                ("packet details as JSON", ["details", capture, "4", "--json"], True),
                ("packet details with bytes", ["details", capture, "4", "--bytes"], True),
                ("a display filter that is none", ["filter", capture, b"\x1b]0;owned\x07 ==", "-w", "/dev/null"], False),
                ("no capture", ["report", broken], True), ("no file", ["report", capture + b"?"], True),
                ("no packet", ["details", broken, "4"], True), ("no option", ["report", b"--" + HOSTILE, capture], False),
                ("no filter of rows", ["table", "sessions", capture, "--where", b"\x1b]0;owned\x07 == 1"], False)):
            out = start([sanscope, *arguments])
            missing = [f"it tells nothing of it: {out[:200]!r}"] if tells and MARK not in out else []
            checks.check(f"{name}{how}: no control sequence", faults(out, own if how else ()) + missing)


def test_names(checks, sanscope, scratch):
    """Files and folders of every command that cannot be read or written: its error names them."""
    folder = os.fsencode(scratch)
    missing = os.path.join(folder, b"none" + HOSTILE, b"file" + HOSTILE)
    capture = os.path.join(folder, b"y" + HOSTILE + b".pcap")
    hostile_capture(capture)
    sample = ROOT / "captures/samples/nop-logout.pcap"
    url = "iscsi://127.0.0.1:1/iqn.2026-01.org.example:none/0"
    for how, start in (("", run), (" on a terminal", on_terminal)):
        for name, arguments in (
                ("a table's file", ["table", "sessions", sample, "-o", missing]),
                ("a table's file as Parquet", ["table", "sessions", sample, "--format", "parquet", "-o", missing]),
                ("a folder of tables that is a file", ["table", "--tables", "sessions", sample, "-o", os.path.join(capture, HOSTILE)]),
                ("a capture of a table", ["table", "sessions", missing]), ("a capture compared", ["compare", sample, missing]),
                ("captures at several points", ["report", "--points", capture, missing]),
                ("one capture at several points", ["report", "--points", capture, capture]),
                ("several captures", ["report", capture, missing]),
                ("several captures' findings", ["table", "findings", capture, missing]), ("a capture for its details", ["details", missing, "1"]),
                ("a capture to filter", ["filter", missing, "tcp"]), ("a filter's file", ["filter", sample, "tcp", "-w", missing]),
                ("a capture to scrub", ["scrub", missing, os.path.join(folder, b"z")]),
                ("a scrubbed copy", ["scrub", "--force", sample, missing]), ("a copy that is there", ["scrub", sample, capture]),
                ("a copy over its capture", ["scrub", "--force", capture, capture]),
                ("a mapping's file", ["scrub", sample, os.path.join(folder, b"z"), "--anonymize", "--write-mapping", missing]),
                ("a key's file", ["scrub", sample, os.path.join(folder, b"z"), "--anonymize", "--key-file", missing]),
                ("a recording's file", ["capture", "-i", "lo", "-w", missing]),
                ("an interface", ["capture", "-i", b"none" + HOSTILE, "-w", "/dev/null"]),
                ("a load's log", ["generate", "--duration", "1s", "--log", missing, url]),
                ("a load's rows", ["generate", "--duration", "1s", "--csv", missing, url]),
                ("a load's trace", ["generate", "--pattern", "trace", "--trace", missing, url]),
                ("a load's secret", ["generate", "--user", "a", "--secret-file", missing, url]),
                ("a target of a load", ["generate", b"iscsi://127.0.0.1:1/" + HOSTILE + b"/0"]),
                ("a target's secret", ["target", "--chap-user", "a", "--secret-file", missing]),
                ("a target's address", ["target", "--listen", b"none" + HOSTILE]),
                ("an experiment's folder", ["experiment", "oguchi-fig6-7", "-o", os.path.join(capture, HOSTILE)]),
                ("an experiment", ["experiment", b"none" + HOSTILE]),
                ("an archive's folder", ["archive", missing, "--into", os.path.join(folder, b"lake")]),
                ("a lake that is a file", ["archive", folder, "--into", os.path.join(capture, HOSTILE)]),
                ("a table's name", ["table", b"none" + HOSTILE, sample]), ("a command", [b"none" + HOSTILE])):
            # A line of progress, and how a report marks its findings.
            own = [b"\r\x1b[K", b"\x1b[1;31m", b"\x1b[33m", b"\x1b[0m"] if how else ()
            checks.check(f"{name}{how}: no control sequence", faults(start([sanscope, *arguments]), own))
    window = pathlib.Path(sanscope).parent / "sanscope-gui"
    if not window.exists():
        checks.skip("the window's messages: no control sequence", "it was not built")
        return
    for name, arguments in (("a capture to draw", [missing, "--render", folder]),
                            ("a folder to draw into", [sample, "--render", os.path.join(capture, HOSTILE)]),
                            ("a view", [sample, "--render", folder, "--view", b"none" + HOSTILE])):
        checks.check(f"{name} in the window: no control sequence", faults(run([window, *arguments], {"QT_QPA_PLATFORM": "offscreen"})))


def test_helpers(checks, sanscope, scratch):
    """Recorders, and ssh, that say what they like."""
    script = scratch / "says"
    script.write_bytes(b"#!/bin/sh\nprintf '%s\\n' '" + HOSTILE + b"' >&2\nexit 3\n")
    script.chmod(0o755)
    for how, start in (("", run), (" on a terminal", on_terminal)):
        for name, arguments, environment in (
                ("a recorder's last words", ["capture", "-i", "lo", "-w", "/dev/null"], {"SANSCOPE_RECORDER": str(script)}),
                ("a recorder asked for its interfaces", ["capture", "-D"], {"SANSCOPE_RECORDER": str(script)}),
                ("what ssh says", ["capture", "--ssh", "host", "--ssh-command", str(script), "-i", "lo", "-w", "/dev/null"], {}),
                ("a dissectors' process's last words", ["details", ROOT / "captures/samples/nop-logout.pcap", "1"],
                 {"SANSCOPE_DISSECTD": str(script)})):
            out = start([sanscope, *arguments], environment)
            missing = [] if MARK in out else [f"it tells nothing of it: {out[:200]!r}"]
            checks.check(f"{name}{how}: no control sequence", faults(out, [b"\r\x1b[K"] if how else ()) + missing)


def test_interfaces(checks, sanscope, scratch):
    """Names and filter messages of another host's, as its recorder tells them: one RecordingEvent."""
    def field(number, data):
        return bytes([number << 3 | 2]) + varint(len(data)) + data

    def varint(value):
        out = b""
        while value > 0x7f:
            out += bytes([value & 0x7f | 0x80])
            value >>= 7
        return out + bytes([value])

    numbers = field_numbers()
    for name, event, arguments in (
            ("interfaces", field(numbers["interfaces"], field(1, field(1, b"eth" + MARK + b"\x1b[31m") + field(2, b"\x1b]0;owned\x07"))),
             ["capture", "-D"]),
            ("a filter's message", field(numbers["filter_check"], field(2, b"\x1b]0;owned\x07 is no filter")),
             ["capture", "-i", "lo", "-f", "tcp prot", "--check-filter"])):
        message = scratch / "message"
        message.write_bytes(varint(len(event)) + event)
        script = scratch / "recorder"
        script.write_text(f"#!/bin/sh\nhead -c 1 > /dev/null\ncat {message}\n")  # once it is asked
        script.chmod(0o755)
        for how, start in (("", run), (" on a terminal", on_terminal)):
            out = start([sanscope, *arguments], {"SANSCOPE_RECORDER": str(script)})
            missing = [] if MARK in out else [f"it tells nothing of it: {out[:200]!r}"]
            checks.check(f"{name}{how}: no control sequence", faults(out, [b"\r\x1b[K"] if how else ()) + missing)


def field_numbers():
    schema = (ROOT / "analyzer/proto/sanscope/v1/recording.proto").read_text()
    event = re.search(r"message RecordingEvent \{.*?\n\}", schema, re.S)[0]
    return {name: int(number) for name, number in re.findall(r"(\w+) = (\d+);", event)}


def test_sources(checks):
    """Whatever is printed later goes the same way."""
    wrong = []
    for path in sorted((ROOT / "analyzer" / "cli").glob("*.cpp")) + sorted((ROOT / "captures" / "extcap").glob("*.cpp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            printed = re.search(r"fmt::print\(|std::(fprintf|printf|puts|fputs)\(|std::(cerr|cout)\b", line)
            if printed and "\\x1b" not in line:
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    checks.check("messages are printed by print_text(), which cleans them", wrong)


def main():
    sanscope = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_SANSCOPE
    if reason := missing_program(sanscope):
        sys.exit(reason)
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        test_captures(checks, sanscope, pathlib.Path(folder))
        test_names(checks, sanscope, pathlib.Path(folder))
        test_helpers(checks, sanscope, pathlib.Path(folder))
        test_interfaces(checks, sanscope, pathlib.Path(folder))
    test_sources(checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

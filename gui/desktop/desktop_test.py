#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desktop's files are well-formed and agree with each other, the desktop's own tools accept them, and captures are
told by name and by content. What needs a tool that is not there is skipped."""

import gzip
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent.parent / "analyzer" / "tests"))

from harness import Checks  # noqa: E402

ID = "io.github.sanscope.sanscope"
ENTRY, ICON, METAINFO, MIME = (FOLDER / f"{ID}{end}" for end in (".desktop", ".svg", ".metainfo.xml", ".mime.xml"))
MIME_NAMESPACE = "{http://www.freedesktop.org/standards/shared-mime-info}"
PCAP, PCAPNG = "application/vnd.tcpdump.pcap", "application/x-pcapng"
WORKSPACE = "application/x-sanscope-workspace"


def run(checks, claim, *command, environment=None):
    """The command accepts what it is given; its output."""
    if shutil.which(command[0]) is None:
        checks.skip(claim, f"there is no {command[0]}")
        return None
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=30,
                          env={**os.environ, **(environment or {})})
    said = (done.stdout + done.stderr).splitlines()
    checks.check(claim, said or ["failed"] if done.returncode != 0 else [])
    return done.stdout


def entry_of(path):
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if re.match(r"[A-Za-z]+=", line))


def check_agreement(checks):
    entry = entry_of(ENTRY)
    opened = set(filter(None, entry["MimeType"].split(";")))
    metainfo = ElementTree.parse(METAINFO).getroot()
    types = {node.get("type") for node in ElementTree.parse(MIME).getroot()}
    faults = []
    if entry["Icon"] != ID or not ICON.exists():
        faults.append(f"the entry's icon is {entry['Icon']}")
    if metainfo.findtext("id") != ID or metainfo.findtext("launchable") != ENTRY.name:
        faults.append("the metainfo is of another program")
    if metainfo.findtext("provides/binary") != entry["Exec"].split()[0]:
        faults.append("the metainfo names another binary")
    if not opened == types == {node.text for node in metainfo.findall("provides/mediatype")}:
        faults.append("not the same types are opened, described and offered")
    checks.check("entry, icon, metainfo and types are of one program", faults)
    checks.check("the icon is square", [] if ElementTree.parse(ICON).getroot().get("viewBox") == "0 0 128 128" else
                 ["its viewBox is not"])


def capture_starts():
    """(type, first bytes) of captures in each byte order."""
    for order in "<>":
        for magic in (0xa1b2c3d4, 0xa1b23c4d, 0xa1b2cd34):
            yield PCAP, struct.pack(order + "IHHIIII", magic, 2, 4, 0, 0, 65535, 1)
        yield PCAPNG, struct.pack(order + "IIIHHqI", 0x0a0d0d0a, 28, 0x1a2b3c4d, 1, 0, -1, 28)


def magic_matches(magic, content):
    if magic is None:  # told by its name alone
        return False

    def matches(node):
        order = {"big32": ">I", "little32": "<I"}[node.get("type")]
        offset = int(node.get("offset"))
        return struct.pack(order, int(node.get("value"), 16)) == content[offset:offset + 4] and (
            len(node) == 0 or any(map(matches, node)))
    return any(map(matches, magic))


def check_types(checks):
    described = {node.get("type"): node for node in ElementTree.parse(MIME).getroot()}
    faults = []
    for right, content in capture_starts():
        found = [name for name, node in described.items() if magic_matches(node.find(MIME_NAMESPACE + "magic"), content)]
        if found != [right]:
            faults.append(f"{content[:12].hex()} is {found}, not {right}")
    checks.check("captures are told by content in either byte order", faults)

    with tempfile.TemporaryDirectory() as folder:
        packages = pathlib.Path(folder, "mime", "packages")
        packages.mkdir(parents=True)
        shutil.copy(MIME, packages / f"{ID}.xml")
        if run(checks, "the database of types takes the description", "update-mime-database", packages.parent) is None:
            return
        # An environment in which only our description and no desktop is known.
        environment = {"XDG_DATA_HOME": folder, "XDG_DATA_DIRS": folder, "XDG_CURRENT_DESKTOP": ""}
        files = [(PCAP, "a.pcap", b""), (PCAPNG, "a.pcapng", b""), (PCAP, "a.pcap.zst", b""),
                 (PCAPNG, "a.pcapng.gz", gzip.compress(b"")), (WORKSPACE, "a.sanscope-workspace", b"{}")]
        files += [(right, f"{i}", content) for i, (right, content) in enumerate(capture_starts())]
        if shutil.which("gio") is None:
            checks.skip("the database of types knows captures", "there is no gio")
            return
        faults = []
        for right, name, content in files:
            path = pathlib.Path(folder, name)
            path.write_bytes(content + bytes(200))
            told = subprocess.run(["gio", "info", "-a", "standard::content-type", path], capture_output=True, text=True,
                                  env={**os.environ, **environment}).stdout
            if f"content-type: {right}\n" not in told:
                faults.append(f"{name} is {told.split()[-1:]}, not {right}")
        checks.check("the database of types knows captures by name and content", faults)


def main():
    checks = Checks()
    for path in (ICON, METAINFO, MIME):
        run(checks, f"{path.name} is well-formed", "xmllint", "--noout", "--nonet", path)
    run(checks, "the entry is valid", "desktop-file-validate", ENTRY)
    run(checks, "the metainfo is valid", "appstreamcli", "validate", "--no-net", METAINFO)
    check_agreement(checks)
    check_types(checks)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

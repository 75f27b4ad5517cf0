#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the linker was to do for programs that read what others wrote: code at addresses chosen anew at each start, tables of
addresses that are read-only once they are filled in, no stack that is executable."""

import shutil
import subprocess
import sys

from harness import DEFAULT_SANSCOPE, Checks

PROGRAMS = ("sanscope", "sanscope-recorder", "sanscope-remote-recorder", "sanscope-dissectd", "sanscope-gui", "sanscope-extcap")


def faults(path):
    told = subprocess.run(["readelf", "-hldW", path], capture_output=True, text=True, check=True).stdout
    stack = next((line for line in told.splitlines() if "GNU_STACK" in line), "")
    return [what for what, holds in (("position-independent", "DYN" in told.split("Type:", 1)[1].splitlines()[0]),
                                     ("GNU_RELRO", "GNU_RELRO" in told), ("BIND_NOW", "NOW" in told.split("Dynamic section", 1)[-1]),
                                     ("a stack that is data", "GNU_STACK" in stack and " RWE" not in stack)) if not holds]


def main():
    checks = Checks()
    if shutil.which("readelf") is None:
        checks.skip("how programs are linked", "readelf (binutils) is not installed")
        return checks.finish()
    for name in PROGRAMS:
        path = DEFAULT_SANSCOPE.with_name(name)
        if path.exists():
            checks.check(f"{name} is hardened", [f"lacks {what}" for what in faults(path)])
        else:
            checks.skip(f"{name} is hardened", "it was not built")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What compiler and linker were to do for programs that read what others wrote: code at addresses chosen anew at each
start, tables of addresses that are read-only once they are filled in, no stack that is executable; canaries before
return addresses, frames that cannot step over the guard page, the C library's checked functions. Most of it is looked
for in the programs themselves. Which functions are checked depends on what a program calls, so that the commands that
compiled it are looked at as well."""

import collections
import json
import re
import shlex
import shutil
import subprocess
import sys

from harness import DEFAULT_SANSCOPE, Checks

BUILD = DEFAULT_SANSCOPE.parent.parent
PROGRAMS = ("sanscope", "sanscope-recorder", "sanscope-remote-recorder", "sanscope-dissectd", "sanscope-capture-reader", "sanscope-gui", "sanscope-extcap")
PAGE = 4096

# With _FORTIFY_SOURCE, <stdio.h> makes another function of each of these wherever it is called, __printf_chk() and so
# on. (Not of vsnprintf(): libstdc++'s to_string() takes its address.)
ALWAYS_CHECKED = {"printf", "fprintf", "snprintf", "sprintf", "vprintf", "vfprintf", "vsprintf"}


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def imports(path):
    """The functions it takes from other libraries."""
    symbols = (line.split() for line in output_of("readelf", "--dyn-syms", "-W", path).splitlines())
    return {words[7].split("@")[0] for words in symbols if len(words) > 7 and words[6] == "UND"}


def link_faults(path):
    told = output_of("readelf", "-hldW", path)
    stack = next((line for line in told.splitlines() if "GNU_STACK" in line), "")
    return [what for what, holds in (("position-independent", "DYN" in told.split("Type:", 1)[1].splitlines()[0]),
                                     ("GNU_RELRO", "GNU_RELRO" in told), ("BIND_NOW", "NOW" in told.split("Dynamic section", 1)[-1]),
                                     ("a stack that is data", "GNU_STACK" in stack and " RWE" not in stack),
                                     ("__stack_chk_fail", "__stack_chk_fail" in imports(path))) if not holds]


def frames(disassembly):
    """Where the stack pointer goes down by a page or more at once, without touching what it comes to, as objdump's
    lines; and how often it is touched. A stack clash takes the former: a frame below the guard page."""
    found, probes, before = [], 0, ""
    for line in disassembly:
        step = re.search(r"\bsub +\$0x([0-9a-f]+),%rsp", before)
        touches = re.search(r"\b(or|mov)[lq]? +\$0x0,(0x[0-9a-f]+)?\(%rsp\)", line) is not None
        probes += bool(step) and touches
        # GCC leaves less than a page without a touch, and touches each whole one.
        if step and int(step[1], 16) < 1 << 31 and (int(step[1], 16) > PAGE or (int(step[1], 16) == PAGE and not touches)):
            found.append(before.strip())
        before = line
    return found, probes


def compiled_without(entries):
    """By what is missing, the sources of programs that were compiled without it."""
    missing = collections.defaultdict(list)
    optimized = 0
    for entry in entries:
        words = shlex.split(entry["command"])
        level = [int(word.rsplit("=", 1)[1]) if "=" in word else 0 for word in words if re.fullmatch(r"-[DU]_FORTIFY_SOURCE(=\d)?", word)]
        if not any(re.fullmatch(r"-O[1-3s]", word) for word in words) or "-O0" in words:
            continue  # tests
        optimized += 1
        for what, holds in (("-fstack-protector-strong", "-fstack-protector-strong" in words),
                            ("-fstack-clash-protection", "-fstack-clash-protection" in words),
                            ("_FORTIFY_SOURCE", bool(level) and level[-1] >= 2)):
            if not holds:
                missing[what].append(entry["file"])
    return ([f"without {what}: {len(files)} sources, {files[0]}" for what, files in missing.items()]
            or ([] if optimized else ["no source is optimised: none can be checked"]))


def test_checks_of_this_test(checks):
    """The looks at text find what they are for."""
    unprotected = ["1: sub    $0x2018,%rsp", "2: mov %rsp,%rdi"]
    probed = ["1: sub    $0x1000,%rsp", "2: orq    $0x0,(%rsp)", "3: sub    $0x20,%rsp", "4: ret"]
    skipping = ["1: sub    $0x1000,%rsp", "2: sub    $0x1000,%rsp", "3: orq    $0x0,(%rsp)"]
    without = [{"file": "a.cpp", "command": "c++ -O3 -fstack-protector-strong -D_FORTIFY_SOURCE=3 -U_FORTIFY_SOURCE -c a.cpp"}]
    checks.check("a frame that is not touched is found", [
        what for what, holds in (("one step", len(frames(unprotected)[0]) == 1), ("touched", frames(probed) == ([], 1)),
                                 ("one of two", len(frames(skipping)[0]) == 1),
                                 ("commands", len(compiled_without(without)) == 2)) if not holds])


def main():
    checks = Checks()
    test_checks_of_this_test(checks)
    if shutil.which("readelf") is None:
        checks.skip("how programs are linked", "readelf (binutils) is not installed")
        return checks.finish()
    programs = [DEFAULT_SANSCOPE.with_name(name) for name in PROGRAMS] + sorted(BUILD.glob("lib/wireshark/*.so"))
    touched, checked = 0, set()
    for path in programs:
        name = path.name
        if not path.exists():
            checks.skip(f"{name} is hardened", "it was not built")
            continue
        checks.check(f"{name} is hardened", [f"lacks {what}" for what in link_faults(path)])
        taken = imports(path)
        checked |= {symbol for symbol in taken if symbol.endswith("_chk")}
        checks.check(f"{name} prints by checked functions", [f"calls {symbol}()" for symbol in sorted(taken & ALWAYS_CHECKED)])
        if "X86-64" in output_of("readelf", "-hW", path):
            with subprocess.Popen(["objdump", "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE, text=True) as run:
                unprotected, probes = frames(run.stdout)
            touched += probes
            checks.check(f"{name} steps over no guard page", unprotected[:5])
        else:
            checks.skip(f"{name} steps over no guard page", "the machine's code is not known to this test")
    checks.check("some function is checked", [] if checked else ["no program calls a function of the C library that ends with _chk"])
    checks.check("some frame is touched", [] if touched else ["no program has a frame of a page"])
    database = BUILD / "compile_commands.json"
    if database.exists():
        checks.check("all is compiled with it", compiled_without(json.loads(database.read_text())))
    else:
        checks.skip("all is compiled with it", f"there is no {database}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())

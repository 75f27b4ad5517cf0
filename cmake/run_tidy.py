#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy over the project's sources, on several processors, skipping what has not changed.

A source is checked again when it, a project header it includes, its compile command, a .clang-tidy that holds for it or
clang-tidy itself changed since it last passed; what passed is remembered in BUILD/tidy-passed. Tests, fuzzers and
benchmarks are held to the compiler's warnings alone: the macros of Google Test take clang-tidy longer than all of the
program, those of Google Benchmark leak on purpose. With --seconds, what was committed last is checked first, and what
the time did not reach is said."""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def is_checked(source):
    return (source.is_relative_to(ROOT) and not source.is_relative_to(ROOT / "build")
            and not source.name.endswith(("_test.cpp", "_bench.cpp")) and not {"fuzz", "bench"} & set(source.parts))


def headers_by_object(build):
    """What the compiler said each object was made from, as ninja keeps it."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    result = {}
    for line in text.splitlines():
        if line and not line[0].isspace():
            current = result.setdefault(line.split(":")[0], [])
        elif line.strip():
            path = (build / line.strip()).resolve()
            if path.is_relative_to(ROOT):
                current.append(path)
    return result


def object_of(entry):
    arguments = shlex.split(entry["command"])
    return arguments[arguments.index("-o") + 1]


def configurations(source):
    """The .clang-tidy of the folders that a source lies in, up to the root."""
    folders = [folder for folder in source.parents if folder.is_relative_to(ROOT)]
    return [folder / ".clang-tidy" for folder in folders if (folder / ".clang-tidy").exists()]


def fingerprint(version, entry, headers):
    source = pathlib.Path(entry["file"])
    digest = hashlib.sha256(version)
    digest.update(entry["command"].encode())
    for path in sorted({source, *headers, *configurations(source)}):
        digest.update(str(path).encode())
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()


INCLUDE = re.compile(r'^#include "(/[^"]+)"$', re.MULTILINE)
PRECOMPILED = re.compile(r" -Winvalid-pch(?: -Xclang)? -include(?:-pch)?(?: -Xclang)? \S*cmake_pch\S*")


def single_sources(entries):
    """The same commands for each source alone, as SANSCOPE_FAST_BUILD=OFF compiles it: clang cannot read GCC's
    precompiled headers, and a source has to include what it uses. Yields (entry, the object in which the build has the
    source)."""
    for entry in entries:
        built = object_of(entry)
        source = pathlib.Path(entry["file"])
        command = PRECOMPILED.sub("", entry["command"])
        if source.name.startswith("unity_"):
            for part in INCLUDE.findall(source.read_text()):
                yield {**entry, "file": part, "command": command.replace(str(source), part)}, built
        else:
            yield {**entry, "command": command}, built


def newest_first(todo):
    """Ordered by the last commit that changed each source; those not yet committed come first. Without git or a
    history, as they come."""
    try:
        log = subprocess.run(
            ["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, "log", "--format=", "--name-only"],
            capture_output=True, text=True).stdout
    except FileNotFoundError:
        return todo
    age = {}
    for name in log.split():
        age.setdefault(ROOT / name, len(age))
    return sorted(todo, key=lambda item: age.get(pathlib.Path(item[0]["file"]), -1))


def check(database, entry, deadline):
    """Whether it passed, and what clang-tidy said; None when it is too late to begin."""
    if time.monotonic() > deadline:
        return None, ""
    # The commands are those of GCC, some of whose warnings clang does not have.
    run = subprocess.run(["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p", database, entry["file"]],
                         capture_output=True, text=True)
    return run.returncode == 0, run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build folder with compile_commands.json, already built")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no file after so long")
    arguments = parser.parse_args()
    deadline = time.monotonic() + arguments.seconds
    build = arguments.build.resolve()
    remembered = build / "tidy-passed"
    remembered.mkdir(exist_ok=True)

    version = subprocess.run(["clang-tidy", "--version"], check=True, capture_output=True).stdout
    headers = headers_by_object(build)
    commands = list(single_sources(json.loads((build / "compile_commands.json").read_text())))
    database = build / "tidy"
    database.mkdir(exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps([entry for entry, built in commands]))
    todo, unchanged = [], 0
    for entry, built in commands:
        if not is_checked(pathlib.Path(entry["file"])):
            continue
        stamp = remembered / fingerprint(version, entry, headers.get(built, []))
        if stamp.exists():
            unchanged += 1
        else:
            todo.append((entry, stamp))

    failures = unreached = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(check, database, entry, deadline): stamp for entry, stamp in newest_first(todo)}
        for future in concurrent.futures.as_completed(running):
            good, output = future.result()
            if good is None:
                unreached += 1
            elif good:
                running[future].touch()
            else:
                failures += 1
                print(output)
    print(f"clang-tidy: {len(todo) - unreached} files checked, {unchanged} unchanged since they passed, "
          f"{unreached} not reached in time, {failures} with findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy over the project's sources, on several processors, skipping what has not changed.

A source is checked again when it, a project header it includes, its compile command, .clang-tidy or clang-tidy itself
changed since it last passed; what passed is remembered in BUILD/tidy-passed. Tests and fuzzers are held to the compiler's
warnings alone: Google Test's macros take clang-tidy longer than all of the program."""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def is_checked(source):
    return (source.is_relative_to(ROOT) and not source.is_relative_to(ROOT / "build")
            and not source.name.endswith("_test.cpp") and "fuzz" not in source.parts)


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


def fingerprint(common, entry, headers):
    digest = hashlib.sha256(common)
    digest.update(entry["command"].encode())
    for path in sorted({pathlib.Path(entry["file"]), *headers}):
        digest.update(str(path).encode())
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()


def check(build, entry):
    # The commands are those of GCC, some of whose warnings clang does not have.
    run = subprocess.run(["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", "-p", build, entry["file"]],
                         capture_output=True, text=True)
    return run.returncode == 0, run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path, help="a build folder with compile_commands.json, already built")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    remembered = build / "tidy-passed"
    remembered.mkdir(exist_ok=True)

    version = subprocess.run(["clang-tidy", "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    headers = headers_by_object(build)
    todo, unchanged = [], 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if not is_checked(pathlib.Path(entry["file"])):
            continue
        stamp = remembered / fingerprint(common, entry, headers.get(object_of(entry), []))
        if stamp.exists():
            unchanged += 1
        else:
            todo.append((entry, stamp))

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(check, build, entry): (entry, stamp) for entry, stamp in todo}
        for future in concurrent.futures.as_completed(running):
            entry, stamp = running[future]
            good, output = future.result()
            if good:
                stamp.touch()
            else:
                failures += 1
                print(output)
    print(f"clang-tidy: {len(todo)} files checked, {unchanged} unchanged since they passed, {failures} with findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

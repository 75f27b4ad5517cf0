#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which folder includes which, held against layers.txt.

check   (the default) prints every include that layers.txt does not allow, folders it does not know, and cycles
draw    the layers as docs/architecture.md shows them
arrows  which folder includes which, how often: the house as it is"""

import argparse
import collections
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS = ROOT / "cmake" / "layers.txt"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
PARTS = ("analyzer", "captures", "dissectors", "gui")  # a test of one may use those to its left
TOP = "analyzer/cli"  # stands on everything, though in the analyzer's folder
TRIAL_FOLDERS = {"testing", "tests", "scenarios", "tools", "dev", "fuzz", "bench"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
WITHOUT_README = {"dissectors"}
# What the build makes of a folder's schemas is included by these names.
GENERATED = {"sanscope/v1/": "analyzer/proto", "io/prometheus/client/": "analyzer/proto", "sanscope/arrow/": "analyzer/arrow"}


class LayersError(Exception):
    pass


@dataclasses.dataclass
class Layer:
    name: str
    folders: list


@dataclasses.dataclass
class Plan:
    layers: list        # of Layer
    allowed: dict       # folder -> folders it may include; in order from the ground up
    system_headers: list  # (prefix, folders)

    def room(self, path):
        """The listed folder that holds the file, and the line that is about it; None where there is none."""
        folder = pathlib.PurePosixPath(path).parent
        while str(folder) != ".":
            if str(folder) in self.allowed:
                return str(folder), str(folder)
            pattern = f"{folder.parent}/*"
            if pattern in self.allowed:
                return str(folder), pattern
            folder = folder.parent
        return None


def within(part_of, name):
    """A name as it stands in a line about a folder of some part, as a path."""
    part = part_of.split("/")[0]
    return name if name.split("/")[0] in PARTS else f"{part}/{name}"


def logical_lines(text):
    """Without comments; an indented line goes on with the one before. With the number of the first line of each."""
    result = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].rstrip()
        if line[:1].isspace() and result:
            result[-1] = result[-1][0], f"{result[-1][1]} {line.strip()}"
        elif line:
            result.append((number, line))
    return result


def read_plan(text):
    plan = Plan([], {}, [])
    for number, line in logical_lines(text):
        if line.startswith("["):
            plan.layers.append(Layer(line.strip("[]"), []))
            continue
        if ":" not in line or not plan.layers:
            raise LayersError(f"line {number}: neither a [layer] nor `folder: folders` below one")
        name, names = (side.strip() for side in line.split(":", 1))
        if name.startswith("<"):
            plan.system_headers.append((name[1:], names.split()))
            continue
        if name in plan.allowed:
            raise LayersError(f"line {number}: {name} has a line already")
        allowed = [within(name, other) for other in names.split()]
        for other in allowed:
            if other not in plan.allowed:
                raise LayersError(f"line {number}: {name} may not include {other}, which is not below it")
        plan.allowed[name] = set(allowed)
        plan.layers[-1].folders.append(name)
    plan.layers = [layer for layer in plan.layers if layer.folders]
    return plan


def sources(root):
    for part in PARTS:
        for path in sorted((root / part).rglob("*")):
            if path.suffix in (".h", ".cpp", ".c"):
                yield path.relative_to(root).as_posix()


def is_trial(path):
    """Whether it is part of no program that is shipped."""
    folders = path.split("/")[:-1]
    return path.endswith(("_test.cpp", "_bench.cpp")) or bool(TRIAL_FOLDERS & set(folders))


def includes(root, path):
    for kind, name in INCLUDE.findall((root / path).read_text(encoding="utf-8")):
        folder = next((GENERATED[prefix] for prefix in GENERATED if name.startswith(prefix)), None)
        yield kind, f"{folder}/{name}" if folder else name


def check_trial(path, room, target, target_room):
    """What is wrong with a test, fuzzer or benchmark that includes a file; None where nothing is."""
    if target_room == TOP and room != TOP:
        return f"{path} includes {target}: nothing may include {TOP}"
    if room != TOP and PARTS.index(target.split("/")[0]) > PARTS.index(path.split("/")[0]):
        return f"{path} includes {target}: the tests of {path.split('/')[0]} may not rest on {target.split('/')[0]}"
    return None


def check_system_header(plan, path, room, header):
    for prefix, folders in plan.system_headers:
        if header.startswith(prefix) and room not in folders and room.split("/")[0] + "/*" not in folders:
            return f"{path} includes <{header}>, which is for {', '.join(folders)} alone"
    return None


def arrows(root, plan):
    """Which folder includes which, in programs: how often; and all that is wrong with it or with a test's includes."""
    counts, wrong = collections.Counter(), []
    for path in sources(root):
        found = plan.room(path)
        if found is None:
            if not is_trial(path):
                wrong.append(f"{path}: its folder has no line in layers.txt")
                continue
            found = path.rsplit("/", 1)[0], None
        room, line = found
        for kind, target in includes(root, path):
            if kind == "<":
                complaint = None if is_trial(path) else check_system_header(plan, path, room, target)
                wrong += [complaint] if complaint else []
                continue
            if target.split("/")[0] not in PARTS:
                wrong.append(f"{path} includes {target}, which is not named from the root of the project")
                continue
            target_found = plan.room(target)
            if is_trial(path):
                complaint = check_trial(path, room, target, target_found and target_found[0])
                wrong += [complaint] if complaint else []
                continue
            if is_trial(target):
                wrong.append(f"{path} includes {target}, which only tests, fuzzers and benchmarks may")
            elif target_found is None:
                wrong.append(f"{path} includes {target}, whose folder has no line in layers.txt")
            elif target_found[0] != room:
                counts[room, target_found[0]] += 1
                if target_found[1] not in plan.allowed[line]:
                    wrong.append(f"{path} includes {target}: {room} may not include {target_found[0]}")
    return counts, wrong


def cycle(edges):
    """The folders of a cycle, the first one again at its end; empty where there is none."""
    after = collections.defaultdict(list)
    for source, target in sorted(edges):
        after[source].append(target)
    done, path = set(), []

    def walk(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        path.append(folder)
        for target in after[folder]:
            found = walk(target)
            if found:
                return found
        path.pop()
        done.add(folder)
        return []

    for folder in sorted(after):
        found = walk(folder)
        if found:
            return found
    return []


def check(root, plan):
    """What is wrong, a line each."""
    counts, wrong = arrows(root, plan)
    around = cycle(counts)
    if around:
        wrong.append("folders that include each other: " + " → ".join(around))
    held = {found[1] for path in sources(root) if (found := plan.room(path))}
    wrong += [f"layers.txt: {folder} holds no source" for folder in plan.allowed if folder not in held]
    return wrong


def draw(plan):
    """The layers, the top one first, as lines of text in a frame."""
    width = 94
    lines = ["┌" + "─" * width + "┐"]
    for layer in reversed(plan.layers):
        part = None
        words = []
        for folder in layer.folders:
            name = folder.removeprefix(f"{part}/") if part else folder
            part = folder.split("/")[0]
            words.append(name)
        text, rows = "", []
        for word in words:
            if len(text) + len(word) > width - 20:
                rows.append(text)
                text = ""
            text += ("   " if text else "") + word
        rows.append(text)
        for at, row in enumerate(rows):
            lines.append("│ " + f"{layer.name if at == 0 else '':15}" + f"{row:{width - 16}}" + "│")
        lines.append("├" + "─" * width + "┤")
    lines[-1] = "└" + "─" * width + "┘"
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("check", "draw", "arrows"), default="check")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    arguments = parser.parse_args()
    plan = read_plan(LAYERS.read_text(encoding="utf-8"))
    if arguments.what == "draw":
        print("\n".join("    " + line for line in draw(plan)))
        return 0
    if arguments.what == "arrows":
        for (source, target), count in sorted(arrows(arguments.root, plan)[0].items()):
            print(f"{count:4} {source} → {target}")
        return 0
    wrong = check(arguments.root, plan)
    print("\n".join(wrong) if wrong else "every include points downward")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The project's includes held against layers.txt, and the checker itself on trees made up for it."""

import importlib.util
import pathlib
import re
import tempfile
import unittest

import layers

PLAN = """
# Two layers of one part, and another part above them.
[ground]
analyzer/base:
analyzer/net: base

[top]
captures/recorder: analyzer/base
    analyzer/net
gui/views: analyzer/base
gui/views/*: views
analyzer/cli: base captures/recorder

[system headers]
<sys/socket.h: captures/recorder
<Q: gui/*
"""

HOUSE = {
    "analyzer/base/bytes.h": "#include <vector>",
    "analyzer/net/frame.cpp": '#include "analyzer/base/bytes.h"',
    "analyzer/net/frame_test.cpp": '#include "analyzer/net/frame.h"\n#include <sys/socket.h>',
    "captures/recorder/recorder.cpp": '#include <sys/socket.h>\n#include "analyzer/net/frame.h"',
    "gui/views/view.h": "#include <QWidget>",
    "gui/views/ladder/ladder.cpp": '#include "gui/views/view.h"',
    "gui/views/layers/layers.cpp": '#include "gui/views/view.h"',
    "analyzer/cli/main.cpp": '#include "captures/recorder/recorder.h"',
}


def complaints(changes, plan=PLAN):
    """What the checker says of a house of which some files are otherwise, or gone."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in {**HOUSE, **changes}.items():
            if text is not None:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text + "\n")
        return layers.check(root, layers.read_plan(plan))


class Checker(unittest.TestCase):
    def refuses(self, path, text, *words):
        said = [line for line in complaints({path: text}) if "include each other" not in line]
        self.assertEqual(len(said), 1, said)
        for word in (path, *words):
            self.assertIn(word, said[0])

    def test_a_house_that_keeps_the_order_is_accepted(self):
        self.assertEqual(complaints({}), [])

    def test_an_include_of_a_folder_above_is_refused(self):
        self.refuses("analyzer/base/bytes.h", '#include "analyzer/net/frame.h"', "analyzer/base may not include analyzer/net")

    def test_an_include_of_a_folder_below_that_is_not_listed_is_refused(self):
        self.refuses("analyzer/cli/more.cpp", '#include "analyzer/net/frame.h"', "analyzer/cli may not include analyzer/net")

    def test_nothing_includes_the_command_line(self):
        self.refuses("captures/recorder/recorder.h", '#include "analyzer/cli/main.h"', "analyzer/cli")
        self.refuses("captures/recorder/recorder_test.cpp", '#include "analyzer/cli/main.h"', "analyzer/cli")

    def test_an_indented_include_and_one_in_c_count_too(self):
        self.refuses("analyzer/base/probe.c", '#  include "analyzer/net/frame.h"', "analyzer/net/frame.h")

    def test_a_cycle_is_named_even_where_each_of_its_arrows_is_allowed(self):
        # A plan in which a folder precedes what it includes cannot be read; so the cycle is made behind the plan's
        # back.
        plan = layers.read_plan(PLAN)
        plan.allowed["analyzer/base"].add("analyzer/net")
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**HOUSE, "analyzer/base/bytes.h": '#include "analyzer/net/frame.h"'}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text + "\n")
            self.assertEqual(layers.check(root, plan),
                             ["folders that include each other: analyzer/base → analyzer/net → analyzer/base"])

    def test_a_long_cycle_is_found_and_a_diamond_is_none(self):
        self.assertEqual(layers.cycle({("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")}), ["b", "c", "d", "b"])
        self.assertEqual(layers.cycle({("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}), [])

    def test_a_view_includes_no_other_view(self):
        self.refuses("gui/views/ladder/lane.cpp", '#include "gui/views/layers/layers.h"', "gui/views/layers")

    def test_a_program_includes_nothing_made_for_tests(self):
        for target in ("analyzer/net/testing/frames.h", "analyzer/net/fuzz/seeds.h", "captures/recorder/bench/load.h"):
            self.refuses("captures/recorder/recorder.h", f'#include "{target}"', "only tests, fuzzers and benchmarks")

    def test_the_tests_of_a_part_rest_on_no_part_above_it(self):
        self.refuses("analyzer/net/testing/peer.h", '#include "captures/recorder/recorder.h"', "captures")
        self.assertEqual(complaints({"gui/testing/peer.h": '#include "captures/recorder/recorder.h"'}), [])

    def test_a_system_header_is_for_its_folders_alone(self):
        self.refuses("analyzer/net/frame.h", "#include <sys/socket.h>", "captures/recorder")
        self.refuses("captures/recorder/recorder.h", "#include <QString>", "gui")

    def test_a_folder_without_a_line_is_refused(self):
        self.refuses("analyzer/tcp/stream.cpp", "", "no line")

    def test_a_line_without_a_folder_is_refused(self):
        self.assertEqual(complaints({"gui/views/view.h": None, "gui/views/ladder/ladder.cpp": None,
                                     "gui/views/layers/layers.cpp": None}),
                         ["layers.txt: gui/views holds no source", "layers.txt: gui/views/* holds no source"])

    def test_a_file_is_included_by_its_name_from_the_root(self):
        self.refuses("analyzer/net/frame.h", '#include "bytes.h"', "from the root")

    def test_a_plan_whose_arrow_points_upward_cannot_be_read(self):
        for text in ("[a]\nanalyzer/base: net\nanalyzer/net:", "[a]\nanalyzer/base: base", "[a]\ngui/x: analyzer/base"):
            with self.assertRaisesRegex(layers.LayersError, "not below it"):
                layers.read_plan(text)


class Project(unittest.TestCase):
    plan = layers.read_plan(layers.LAYERS.read_text(encoding="utf-8"))

    def test_every_include_points_downward(self):
        self.assertEqual(layers.check(layers.ROOT, self.plan), [])

    def test_arrows_are_counted_at_all(self):
        counts, _ = layers.arrows(layers.ROOT, self.plan)
        self.assertGreater(counts["analyzer/engine", "analyzer/session"], 0)
        self.assertGreater(sum(counts.values()), 300)

    def test_the_parts_keep_their_order(self):
        """What layers.txt could be changed to allow, and must not."""
        for folder, allowed in self.plan.allowed.items():
            part = folder.split("/")[0]
            for other in allowed:
                self.assertNotEqual(other, layers.TOP, f"{folder} may not stand on the command line")
                self.assertTrue(folder == layers.TOP or layers.PARTS.index(other.split("/")[0]) <= layers.PARTS.index(part),
                                f"{folder} may not include {other}")

    def test_a_readme_says_what_its_folder_may_include(self):
        """Word for word what layers.txt allows; and the folders of these parts have one each."""
        for folder in self.plan.allowed:
            path = layers.ROOT / folder / "README.md"
            if not path.is_file():
                self.assertTrue(folder.startswith("gui") or folder in layers.WITHOUT_README, f"{folder} has no README.md")
                continue
            listed = re.search(r"^May include: ([^.]*)\.$", path.read_text(encoding="utf-8"), re.MULTILINE)
            if listed:
                names = {layers.within(folder, name) for name in re.findall(r"`([^`]+)`", listed[1])}
                self.assertEqual(names, self.plan.allowed[folder], f"{path}, line `May include:`")

    def test_the_architecture_shows_the_layers(self):
        drawing = "\n".join("    " + line for line in layers.draw(self.plan))
        self.assertIn(drawing, layers.ARCHITECTURE.read_text(encoding="utf-8"),
                      "put the output of `cmake/layers.py draw` into docs/architecture.md")

    def test_its_pictures_are_of_what_is_there_now(self):
        folder = layers.ROOT / "docs" / "architecture"
        specification = importlib.util.spec_from_file_location("draw", folder / "draw.py")
        draw = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(draw)
        self.assertEqual(list(draw.stale()), [], "run docs/architecture/draw.py")
        # And what the picture shows is the plan, whatever draws it.
        shown = re.findall(r"<title>(\S+) may include (\S+)</title>", (folder / "folders.svg").read_text(encoding="utf-8"))
        self.assertEqual(sorted(shown), sorted((folder, other) for folder, allowed in self.plan.allowed.items() for other in allowed))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of finding has its page in docs/findings, every page its kind, and all of them the same parts."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "findings"
KINDS = ROOT / "analyzer" / "report" / "finding_kinds.def"
PARTS = ("**What shows it**", "**In the window.**", "**What to do.**", "**What else looks like it.**")


def kinds():
    return re.findall(r"^FINDING\((\w+)\)", KINDS.read_text(encoding="utf-8"), re.MULTILINE)


def faults_of(kind, text):
    """What is wrong with a page."""
    lines = text.splitlines()
    faults = []
    if not lines or not re.match(r"# \S.*[^.]$", lines[0]):
        faults.append("begins with no title")
    if f"`{kind}`" not in lines[1:4]:
        faults.append("does not name its kind below the title")
    places = [text.find(part) for part in PARTS]
    faults += [f"lacks {part}" for part, place in zip(PARTS, places) if place < 0]
    if -1 not in places:
        if places != sorted(places):
            faults.append("has its parts in another order")
        ends = places[1:] + [len(text)]
        faults += [f"says nothing under {part}" for part, place, end in zip(PARTS, places, ends)
                   if len(text[place + len(part):end].strip()) < 5]
        if len(" ".join(lines[3:]).partition(PARTS[0])[0]) < 40:
            faults.append("does not say what it means")
    faults += [f"links to {target}, which is not there" for target in re.findall(r"\]\(([^)#]+)\)", text)
               if "://" not in target and not (PAGES / target).exists()]
    faults += [f"names {name}, which is no file" for name in re.findall(r"`(docs/[^`]+)`", text)
               if not (ROOT / name).exists()]
    faults += [f"line {number} is longer than 128 characters" for number, line in enumerate(lines, 1)
               if len(line) > 128 and "|" not in line]
    return faults


class FindingPages(unittest.TestCase):
    def test_each_kind_has_a_page_and_each_page_a_kind(self):
        pages = {path.stem for path in PAGES.glob("*.md")} - {"README"}
        self.assertEqual(sorted(set(kinds()) - pages), [], "kinds without a page in docs/findings")
        self.assertEqual(sorted(pages - set(kinds())), [], "pages of no kind in finding_kinds.def")

    def test_each_page_has_its_parts(self):
        for path in sorted(PAGES.glob("*.md")):
            if path.stem == "README":
                continue
            with self.subTest(page=path.name):
                self.assertEqual(faults_of(path.stem, path.read_text(encoding="utf-8")), [])

    def test_the_index_has_each_once_in_the_order_of_the_kinds(self):
        text = (PAGES / "README.md").read_text(encoding="utf-8")
        listed = re.findall(r"^\| \[`(\w+)`\]\(\1\.md\) \| (.+) \|$", text, re.MULTILINE)
        self.assertEqual([kind for kind, _ in listed], kinds())
        for kind, title in listed:
            page = PAGES / f"{kind}.md"
            if page.exists():
                self.assertEqual(page.read_text(encoding="utf-8").splitlines()[0], f"# {title}")


class Checker(unittest.TestCase):
    GOOD = ("# Commands are slow\n\n`slow`\n\nThey take longer than they should, each of them.\n\n**What shows it**\n\n- a sign\n\n"
            "**In the window.** A click.\n\n**What to do.** Look there.\n\n**What else looks like it.** Another.\n")

    def test_it_accepts_a_page_and_refuses_others(self):
        self.assertEqual(faults_of("slow", self.GOOD), [])
        self.assertTrue(faults_of("fast", self.GOOD))
        for part in PARTS:
            self.assertTrue(faults_of("slow", self.GOOD.replace(part, "")), part)
        self.assertTrue(faults_of("slow", self.GOOD.replace("Look there.", "")))
        self.assertTrue(faults_of("slow", self.GOOD.replace("Another", "[Another](no_such_page.md)")))
        self.assertTrue(faults_of("slow", self.GOOD.replace("Another", "`docs/no-such-page.md`")))
        self.assertTrue(faults_of("slow", self.GOOD.replace("# Comm", "Comm")))


if __name__ == "__main__":
    sys.exit(unittest.main())

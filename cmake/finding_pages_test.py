#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of finding has its page in docs/findings, every page its kind, and all of them the same parts."""

import importlib.util
import pathlib
import re
import struct
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "findings"
KINDS = ROOT / "analyzer" / "report" / "finding_kinds.def"
PARTS = ("**What shows it**", "**In the window.**", "**What to do.**", "**What else looks like it.**")


def kinds():
    return re.findall(r"^FINDING\((\w+)\)", KINDS.read_text(encoding="utf-8"), re.MULTILINE)


MOST_BYTES_OF_ALL = 2_500_000
# Kinds that no sample capture has: a sample that comes to have one takes it from here into make_pictures.py.
WITHOUT_SAMPLE = set("""bad_digest rejected_pdu async_message login_unanswered slow_login login_redirected duplicate_initiator
    incast path_stall delayed_ack lock_contention saturated send_buffer connection_imbalance
    path_skew initiator_wait no_packets no_iscsi capture_drops passed_over unseen_answers""".split())


def make_pictures():
    """The script that draws the pictures, as a module."""
    specification = importlib.util.spec_from_file_location("make_pictures", PAGES / "make_pictures.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def pictures_of(text):
    """The pictures that a page shows, and whether they stand where the window is spoken of."""
    begin, end = text.find("**In the window.**"), text.find("**What to do.**")
    return [(match.group(2), bool(match.group(1).strip()), begin <= match.start() < end)
            for match in re.finditer(r"!\[([^\]]*)\]\(([^)]+)\)", text)]


def picture_faults(kind, text, drawn):
    """What is wrong with the pictures of a page: of a kind that is drawn there is one, of another none."""
    shown = pictures_of(text)
    if not drawn:
        return ["shows a picture that make_pictures.py does not draw"] if shown else []
    if [path for path, _, _ in shown] != [f"pictures/{kind}.png"]:
        return [f"does not show pictures/{kind}.png, and that alone"]
    _, described, placed = shown[0]
    return ([] if described else ["does not say what the picture is of"]) + \
        ([] if placed else ["has its picture elsewhere than under **In the window.**"])


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


class Pictures(unittest.TestCase):
    def setUp(self):
        self.script = make_pictures()

    def test_each_kind_that_a_sample_has_is_drawn(self):
        drawn = set(self.script.SHOWN)
        self.assertEqual(sorted(drawn - set(kinds())), [], "kinds that are none")
        self.assertEqual(sorted(set(kinds()) - drawn - WITHOUT_SAMPLE), [], "kinds neither drawn nor without a sample")
        self.assertEqual(sorted(drawn & WITHOUT_SAMPLE), [], "kinds that are drawn have a sample")
        for kind, (sample, *_) in self.script.SHOWN.items():
            self.assertTrue((self.script.SAMPLES / sample).is_file(), f"{kind}: {sample} is not there")

    def test_each_picture_is_there_and_shown_by_its_page(self):
        there = {path.stem for path in self.script.PICTURES.iterdir() if path.suffix == ".png"}
        self.assertEqual(there, set(self.script.SHOWN), "pictures in docs/findings/pictures")
        for kind in kinds():
            with self.subTest(page=kind):
                text = (PAGES / f"{kind}.md").read_text(encoding="utf-8")
                self.assertEqual(picture_faults(kind, text, kind in self.script.SHOWN), [])

    def test_they_are_small_and_whole(self):
        size = tuple(map(int, self.script.SIZE.split("x")))
        total = 0
        for path in sorted(self.script.PICTURES.iterdir()):
            with self.subTest(picture=path.name):
                data = path.read_bytes()
                total += len(data)
                self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
                self.assertEqual(struct.unpack(">II", data[16:24]), size)
                self.assertTrue(data.endswith(b"IEND\xaeB`\x82"), "cut off")
                self.assertLessEqual(len(data), self.script.MOST_BYTES)
        self.assertLessEqual(total, MOST_BYTES_OF_ALL)


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

    def test_it_knows_where_a_picture_belongs(self):
        shown = self.GOOD.replace("A click.", "A click.\n\n![Layers](pictures/slow.png)")
        self.assertEqual(picture_faults("slow", shown, True), [])
        self.assertEqual(picture_faults("slow", self.GOOD, False), [])
        self.assertTrue(picture_faults("slow", self.GOOD, True))
        self.assertTrue(picture_faults("slow", shown, False))
        self.assertTrue(picture_faults("fast", shown, True))
        self.assertTrue(picture_faults("slow", shown.replace("Layers", ""), True))
        self.assertTrue(picture_faults("slow", self.GOOD.replace("Another.", "![Layers](pictures/slow.png)"), True))


if __name__ == "__main__":
    sys.exit(unittest.main())

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every link in the project's Markdown leads somewhere: files, headings, pictures; every path it names in code style is there;
every page of docs is reached from docs/README.md, every picture is shown. Needs no network: addresses are not asked."""

import pathlib
import posixpath
import re
import tempfile
import unittest
import urllib.parse

import markdown_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_OURS = {"build", ".git", ".cache"}
PICTURES = {".png", ".svg", ".jpg", ".gif"}
ELSEWHERE = re.compile(r"(https?|mailto):")
IN_THE_WINDOW = re.compile(r"sanscope:")  # Help › Practice follows these (gui/practice); on other pages they are text
# Paths that are made only when something is built or run.
MADE = ("build/", "docs/findings/NAME", "debian/sanscope/")


def walk(root):
    """All files below it that are the project's, as paths from it."""
    for path in sorted(root.iterdir()):
        if path.name in NOT_OURS or path.name == "__pycache__":
            continue
        if path.is_dir():
            yield from (f"{path.name}/{below}" for below in walk(path))
        else:
            yield path.name


class Pages:
    def __init__(self, root):
        self.root = root
        self.files = set(walk(root))
        self.folders = {"."} | {posixpath.normpath(str(parent)) for file in self.files for parent in pathlib.PurePosixPath(file).parents}
        self.texts = {file: (root / file).read_text(encoding="utf-8") for file in self.files if file.endswith(".md")}

    def there(self, path):
        return path in self.files or path in self.folders

    def target(self, page, target):
        """(path in the repository, anchor) of a link in a page."""
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page, anchor

    def link_faults(self):
        for page, text in self.texts.items():
            for line, target, shown, picture in markdown_text.links(text):
                where = f"{page}:{line}: {target}"
                if ELSEWHERE.match(target):
                    continue
                if IN_THE_WINDOW.match(target):
                    if not page.startswith("docs/mysteries/"):
                        yield f"{where}: only the pages of docs/mysteries lead into the window"
                    continue
                path, anchor = self.target(page, target)
                if not self.there(path):
                    yield f"{where}: there is no {path}"
                elif anchor and path in self.texts and anchor not in markdown_text.anchors(self.texts[path]):
                    yield f"{where}: {path} has no heading #{anchor}"
                elif anchor and path not in self.texts:
                    yield f"{where}: an anchor in what is no page"
                if picture and not shown.strip():
                    yield f"{where}: does not say what the picture is of"

    def path_faults(self):
        """Paths in code style: those that begin with one of the project's folders and have no placeholder in them. A page may name one
        that its reader is to make: `path`, new."""
        tops = {file.split("/")[0] for file in self.files if "/" in file}
        for page, text in self.texts.items():
            made = re.findall(r"`([^`\n]+)`, new\b", text)
            for line, span in markdown_text.code_spans(text):
                if any(path == span or path.startswith(span.rstrip("/") + "/") for path in made):
                    continue
                if not re.fullmatch(r"[\w.-]+/[\w./-]*", span) or span.split("/")[0] not in tops or span.startswith(MADE):
                    continue
                if re.search(r"(^|/|_|-)[A-Z]{3,}(/|$|\.)", span) and not self.there(span.rstrip("/")):
                    continue  # analyzer/tests/golden/CASE; but README.md is there
                if not self.there(span.rstrip("/")):
                    yield f"{page}:{line}: names {span}, which is not there"

    def unreached(self):
        """Pages of docs to which no way of links leads from docs/README.md."""
        reached, ahead = set(), ["docs/README.md"]
        while ahead:
            page = ahead.pop()
            if page in reached or page not in self.texts:
                continue
            reached.add(page)
            for _, target, _, _ in markdown_text.links(self.texts[page]):
                if not ELSEWHERE.match(target) and not IN_THE_WINDOW.match(target):
                    path = self.target(page, target)[0]
                    ahead.append(path if path in self.texts else path + "/README.md")
        return sorted(page for page in self.texts if page.startswith("docs/") and page not in reached)

    def unshown(self):
        """Pictures below docs that no page shows."""
        shown = set()
        for page, text in self.texts.items():
            shown.update(self.target(page, target)[0] for _, target, _, _ in markdown_text.links(text))
        for file in self.files:
            if file.endswith(".html"):
                shown.update(self.target(file, target)[0] for target in
                             re.findall(r"(?:src|href)=\"([^\"#]+)\"", (self.root / file).read_text(encoding="utf-8")))
        return sorted(file for file in self.files
                      if file.startswith("docs/") and pathlib.PurePosixPath(file).suffix in PICTURES and file not in shown)


class Project(unittest.TestCase):
    pages = Pages(ROOT)

    def test_pages_and_links_are_found_at_all(self):
        self.assertGreater(len(self.pages.texts), 150)
        self.assertGreater(sum(len(list(markdown_text.links(text))) for text in self.pages.texts.values()), 400)

    def test_every_link_leads_somewhere(self):
        self.assertEqual(list(self.pages.link_faults()), [])

    def test_every_path_is_there(self):
        self.assertEqual(list(self.pages.path_faults()), [])

    def test_every_page_of_docs_is_reached(self):
        self.assertEqual(self.pages.unreached(), [])

    def test_every_picture_is_shown(self):
        self.assertEqual(self.pages.unshown(), [])


class Checker(unittest.TestCase):
    HOUSE = {
        "README.md": "# A house\n\n[docs](docs/README.md)\n",
        "docs/README.md": "# Docs\n\n[a](a.md), [its part](a.md#one-part), ![plan](pictures/plan.png), [folder](../analyzer), `analyzer/x.h`\n",
        "docs/a.md": "# A\n\n## One `part`!\n\n## Two\n\n## Two\n\n[again](#two-1)\n[over two\nlines](README.md)\n```\n[no](link.md)\n```\n",
        "docs/pictures/plan.png": "",
        "analyzer/x.h": "",
    }

    def faults(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**self.HOUSE, **changes}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            pages = Pages(root)
            return [*pages.link_faults(), *pages.path_faults(), *pages.unreached(), *pages.unshown()]

    def refuses(self, page, text, *words):
        found = self.faults({page: text})
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_house_in_order_is_accepted(self):
        self.assertEqual(self.faults({}), [])

    def test_what_leads_nowhere_is_refused(self):
        a = self.HOUSE["docs/a.md"]
        self.refuses("docs/a.md", a + "\n[x](b.md)", "docs/b.md")
        self.refuses("docs/a.md", a + "\n[x](Readme.md)", "Readme.md")
        self.refuses("docs/a.md", a + "\n[x](README.md#part)", "#part")
        self.refuses("docs/a.md", a + "\n[x](#two-2)", "#two-2")
        self.refuses("docs/a.md", a + "\n[x\ny](gone.md)", "gone.md")
        self.refuses("docs/a.md", a + "\n[![p](pictures/plan.png)](gone.md)", "gone.md")
        self.refuses("docs/a.md", a + "\n![p](pictures/gone.png)", "gone.png")
        self.refuses("docs/a.md", a + "\n![](pictures/plan.png)", "what the picture is of")
        self.refuses("docs/a.md", a + '\n<a href="gone.md">x</a>', "gone.md")
        self.refuses("docs/a.md", a + "\n[x]: gone.md", "gone.md")
        self.refuses("docs/a.md", a + "\n[x](sanscope:view=ladder)", "into the window")

    def test_a_path_that_is_not_there_is_refused(self):
        self.refuses("README.md", self.HOUSE["README.md"] + "`analyzer/y.h`", "analyzer/y.h")
        self.assertEqual(self.faults({"README.md": self.HOUSE["README.md"] + "`analyzer/new/a.h`, new, in `analyzer/new/`"}), [])
        self.assertEqual(self.faults({"README.md": self.HOUSE["README.md"] + "`analyzer/NAME`, `analyzer/`, `analyzer/*.h`"}), [])

    def test_a_page_nobody_reaches_and_a_picture_nobody_shows_are_refused(self):
        self.refuses("docs/b.md", "# B\n", "docs/b.md")
        self.refuses("docs/pictures/old.png", "", "old.png")

    def test_slugs_are_those_of_github(self):
        for heading, anchor in {"One `part`!": "one-part", "What is a PDU?": "what-is-a-pdu", "A – B": "a--b", "snake_case": "snake_case",
                                "[Link](x.md) here": "link-here", "1. First, then": "1-first-then", "Über µs": "über-µs"}.items():
            self.assertEqual(markdown_text.slug(heading), anchor)


if __name__ == "__main__":
    unittest.main()

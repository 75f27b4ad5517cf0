#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds docs/ as a site, without a warning, and holds it to this: every link in it leads somewhere, nothing is fetched from
elsewhere, each page is in the navigation, the search finds what one would look for."""

import html.parser
import json
import pathlib
import posixpath
import re
import subprocess
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Debian's mkdocs and lunr belong to Debian's interpreter, which need not be the first in PATH.
PYTHON = "/usr/bin/python3"
MANUAL = ROOT / "build" / "release" / "manual" / "man" / "man1"
FETCHED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src")}
# Words, and the page that has to be among the first ten found.
SEARCHES = {
    "delayed ACK": "findings/delayed_ack.html",
    "QUEUE FULL": "findings/target_queue_full.html",
    "incast": "mysteries/07-incast.html",
    "ping timeout": "findings/ping_timeout.html",
    "ERSPAN": "how-to-capture.html",
    "ExpCmdSN": "decisions/003-answers-by-exp-cmd-sn.html",
    "turnaround_ns": "tables.html",
    "jumbo frames": "mysteries/05-jumbo-frames.html",
}
# As the theme searches: titles count more, any word may be missing, all of them are sought with the same stemmer.
SEARCH = """
import json, sys
from lunr import lunr
index, words = json.load(open(sys.argv[1])), json.loads(sys.argv[2])
for entry in index["docs"]:
    for field in ("title", "text"):
        entry[field] = entry[field].replace("_", " ").replace("-", " ")
found = lunr("location", [{"field_name": "title", "boost": 1000}, "text"], index["docs"])
json.dump({one: [hit["ref"] for hit in found.search(one.replace("_", " "))] for one in words}, sys.stdout)
"""


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.fetched, self.ids = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids.update(given[name] for name in ("id", "name") if given.get(name))
        for name in ("href", "src"):
            if given.get(name) is None:
                continue
            self.links.append(given[name])
            if (tag, name) in FETCHED or tag == "link":
                self.fetched.append(given[name])


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.pages = {path.relative_to(folder).as_posix(): Page(path) for path in sorted(folder.rglob("*.html"))}

    def faults(self):
        for name, page in self.pages.items():
            for target in page.fetched:
                if re.match(r"(https?:)?//", target):
                    yield f"{name}: fetches {target}"
            for target in page.links:
                if re.match(r"(https?|mailto|data|javascript):|//", target):
                    continue
                path, _, anchor = urllib.parse.unquote(target).partition("#")
                path = path.partition("?")[0]
                if path.startswith("/"):  # of 404.html, which a server shows in place of any page
                    path = path[1:]
                elif path:
                    path = posixpath.join(posixpath.dirname(name), path)
                path = posixpath.normpath(path) if path else name
                if path == "." and name == "404.html":
                    path = "index.html"
                if not (self.folder / path).is_file():
                    yield f"{name}: {target} is not there"
                elif anchor and path in self.pages and anchor not in self.pages[path].ids and anchor != "__skip":
                    yield f"{name}: {target} has no such anchor"


class Project(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.run_ = subprocess.run(["mkdocs", "build", "--strict", "--site-dir", cls.folder], cwd=ROOT, capture_output=True, text=True)
        cls.site = Site(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def setUp(self):
        self.assertEqual(self.run_.returncode, 0, self.run_.stderr)

    def test_nothing_is_warned_of(self):
        self.assertNotRegex(self.run_.stderr, r"WARNING|not included in the")

    def test_every_link_leads_somewhere(self):
        self.assertGreater(sum(len(page.links) for page in self.site.pages.values()), 10_000)
        self.assertEqual(sorted(set(self.site.faults())), [])

    def test_each_page_of_docs_is_in_the_navigation(self):
        listed = {posixpath.normpath(target.partition("#")[0]) for target in self.site.pages["index.html"].links}
        wanted = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
        wanted = {re.sub(r"README\.md$", "index.html", path).replace(".md", ".html") for path in wanted}
        self.assertEqual(sorted(wanted - listed), [])

    def test_the_search_finds(self):
        index = self.folder / "search" / "search_index.json"
        self.assertGreater(len(json.loads(index.read_text(encoding="utf-8"))["docs"]), 500)
        run = subprocess.run([PYTHON, "-c", SEARCH, index, json.dumps(list(SEARCHES))], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        for words, found in json.loads(run.stdout).items():
            pages = list(dict.fromkeys(location.partition("#")[0] for location in found))
            self.assertIn(SEARCHES[words], pages[:10], words)

    def test_each_man_page_is_one_of_its_pages(self):
        if not MANUAL.is_dir():
            self.skipTest("the programs that write the man pages are not built")
        listed = {posixpath.normpath(target.partition("#")[0]) for target in self.site.pages["index.html"].links}
        pages = sorted(MANUAL.glob("*.1"))
        self.assertGreater(len(pages), 10)
        for path in pages:
            name = f"manual/{path.stem}.html"
            self.assertIn(name, listed)
            self.assertIn("OPTIONS", self.site.pages[name].ids, name)
        text = (self.folder / "manual" / "sanscope-capture.html").read_text(encoding="utf-8")
        self.assertIn('href="sanscope.html"', text)
        self.assertRegex(text, r"--keep\b")

    def test_the_index_is_a_script_too(self):
        """A page that was opened as a file may not fetch JSON."""
        text = (self.folder / "search" / "search_index.js").read_text(encoding="utf-8")
        found = re.fullmatch(r"var __index=(.*);var __search=\{index:Promise\.resolve\(__index\)\};\n", text, re.DOTALL)
        self.assertEqual(json.loads(found[1].replace("<\\/", "</")),
                         json.loads((self.folder / "search" / "search_index.json").read_text(encoding="utf-8")))
        self.assertIn("search/search_index.js", (self.folder / "index.html").read_text(encoding="utf-8"))


class Checker(unittest.TestCase):
    def faults(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"index": '<p id="a">', **pages}.items():
                (pathlib.Path(folder) / f"{name}.html").write_text(text, encoding="utf-8")
            return list(Site(pathlib.Path(folder)).faults())

    def test_it_accepts_what_is_right_and_refuses_the_rest(self):
        self.assertEqual(self.faults(other='<a href="index.html#a">x</a><a href="https://example.org/">y</a>'), [])
        for text in ('<a href="gone.html">', '<a href="index.html#b">', '<a href="#c">', '<img src="gone.png">',
                     '<script src="https://example.org/x.js">', '<link href="//example.org/x.css">'):
            self.assertEqual(len(self.faults(other=text)), 1, text)


if __name__ == "__main__":
    unittest.main()

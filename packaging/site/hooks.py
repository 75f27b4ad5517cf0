# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes docs/, written to be read in the repository, a site as well: mkdocs calls these functions.

- Besides docs/ the site has the repository's README, CHANGELOG, CONTRIBUTING, and the README of each folder (below `code/`).
- A link that leads to one of them leads there on the site too. A link to anything else in the repository becomes its text, and
  so does a link into the window (`sanscope:`), as on any page outside of it.
- A path in code style that names a page, or a folder that has one, becomes a link to it.
- A page has all tables and columns, from analyzer/proto/sanscope/v1/tables.proto.
- Each man page is a page, where the programs that write them are built (`./bootstrap build`); else there are none.
- The search index is a script as well, since a page that was opened as a file may not fetch another file."""

import fnmatch
import functools
import json
import pathlib
import posixpath
import re
import subprocess
import sys
import urllib.parse

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
from markdown_text import slug  # noqa: E402

FROM_ROOT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
CODE = "code/"
NO_PAGES = ("*.py", "*/expected.json", "*/truth.json", "*.dot")
NOT_SEARCHED = ("experiments/*/table.html",)  # ten thousands of figures
LINK = re.compile(r"(!?)\[((?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def pages_by_path():
    """Each page's place on the site by its path in the repository."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
                            capture_output=True, text=True)
    paths = listed.stdout.split("\0")[:-1] if listed.returncode == 0 else [
        str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md") if path.relative_to(ROOT).parts[0] != "build"]
    places = {}
    for path in sorted(path for path in paths if (ROOT / path).is_file()):
        if path.startswith("docs/"):
            places[path] = path.removeprefix("docs/")
        elif path in FROM_ROOT:
            places[path] = path
        elif path.startswith("."):
            continue  # templates of issues
        elif posixpath.basename(path) == "README.md":
            places[path] = CODE + path
    return places


def page_of_tables():
    """A page with each table and column, from the schema in which the tests hold them to be described."""
    text = (ROOT / "analyzer/proto/sanscope/v1/tables.proto").read_text(encoding="utf-8")
    lines = ["# Tables and their columns", "",
             "`sanscope table TABLE FILE…` prints them, `sanscope table --help` has them as well. What is not known is empty.", ""]
    for names, fields in re.findall(r"^// (Rows? of [^\n]*|A row of [^\n]*)\nmessage \w+ \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        tables = re.findall(r"`(\w+)`", names)
        lines += [f"## {', '.join(f'`{table}`' for table in tables)}", "", "| column | type | is |", "| --- | --- | --- |"]
        for kind, name, words in re.findall(r"^  optional (\w+) (\w+) = \d+;(?:  // (.*))?$", fields, re.MULTILINE):
            lines.append(f"| `{name}` | {kind} | {words.replace('|', chr(92) + '|')} |")
        lines.append("")
    return "\n".join(lines)


def page_of_manual(path):
    """A man page as HTML, below a heading of its own; its sections are what they are in `man`, in words of their own case."""
    text = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", path], capture_output=True, text=True, check=True).stdout
    text = re.sub(r"<table class=\"(?:head|foot)\">.*?</table>", "", text, flags=re.DOTALL)
    text = re.sub(r"<(/?)h2\b", r"<\1h3", text)
    text = re.sub(r"<(/?)h1\b", r"<\1h2", text)
    text = re.sub(r"(<h2\b[^>]*>(?:<a\b[^>]*>)?)([A-Z ]+)", lambda match: match[1] + match[2].capitalize(), text)
    text = re.sub(r"<b>([\w-]+)</b>\((\d)\)", lambda match: f'<a href="{match[1]}.html"><b>{match[1]}</b></a>({match[2]})'
                  if (MANUAL / f"{match[1]}.1").is_file() else match[0], text)
    lines = [line for line in text.splitlines() if line.strip()]  # an empty one would end the block of HTML
    return f"# {path.stem}\n\n<div class=\"manual\">\n" + "\n".join(lines) + "\n</div>\n"


MANUAL = ROOT / "build" / "release" / "manual" / "man" / "man1"
GENERATED = {"tables.md": page_of_tables}
GENERATED |= {f"manual/{path.stem}.md": functools.partial(page_of_manual, path) for path in sorted(MANUAL.glob("*.1"))}
PLACES = pages_by_path()
PATHS = {place: path for path, place in PLACES.items()}


def on_config(config):
    config["mdx_configs"]["toc"]["slugify"] = lambda text, separator: slug(text)  # as GitHub does
    taken = set()

    def gather(entry):
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(value, list):
                for one in value:
                    gather(one)
            elif "*" not in value:
                taken.add(value)

    def title(place):
        if place in GENERATED:
            return posixpath.basename(place).removesuffix(".md")
        text = (ROOT / PATHS[place]).read_text(encoding="utf-8")
        if place.startswith(CODE):
            return posixpath.dirname(place).removeprefix(CODE)
        if place.startswith("experiments/"):
            return place.split("/")[1]
        return re.search(r"^# (.*)", text, re.MULTILINE)[1].replace("`", "")

    def expanded(entry):
        if isinstance(entry, dict):
            filled = {name: value if isinstance(value, str) else [one for part in value for one in expanded(part)]
                      for name, value in entry.items()}
            return [filled] if all(filled.values()) else []
        if "*" not in entry:
            return [entry]
        found = [place for place in sorted([*PATHS, *GENERATED]) if fnmatch.fnmatch(place, entry) and place not in taken]
        taken.update(found)
        return [{title(place): place} for place in found]

    for entry in config["nav"]:
        gather(entry)
    if missing := sorted(taken - set(PATHS) - set(GENERATED)):
        raise SystemExit(f"mkdocs.yml names pages that are not there: {', '.join(missing)}")
    config["nav"] = [one for entry in config["nav"] for one in expanded(entry)]
    if left := sorted({*PATHS, *GENERATED} - taken):
        raise SystemExit(f"mkdocs.yml has no place for {', '.join(left)}")
    return config


def on_files(files, config):
    for file in list(files):
        if any(fnmatch.fnmatch(file.src_uri, pattern) for pattern in NO_PAGES):
            files.remove(file)
    for place, path in PATHS.items():
        if path != "docs/" + place:
            file = File(place, config["docs_dir"], config["site_dir"], config["use_directory_urls"])
            file.abs_src_path = str(ROOT / path)
            files.append(file)
    generated = ROOT / "build" / "site-pages"
    generated.mkdir(parents=True, exist_ok=True)
    for name, make in GENERATED.items():
        (generated / name).parent.mkdir(exist_ok=True)
        (generated / name).write_text(make(), encoding="utf-8")
        files.append(File(name, str(generated), config["site_dir"], config["use_directory_urls"]))
    for name in ("site.css", "search-from-file.js"):
        files.append(File(name, str(pathlib.Path(__file__).parent), config["site_dir"], config["use_directory_urls"]))
    return files


def place_of(path):
    """Where a path of the repository, a file's or a folder's, is on the site; None: nowhere."""
    path = path.rstrip("/")
    return PLACES.get(path) or PLACES.get(path + "/README.md")


def outside_of_code(text, change):
    """A page with `change` made to each stretch of it that is no block of code."""
    parts = re.split(r"(^(?:```|~~~).*?^(?:```|~~~)\s*$|^(?: {4}[^\n]*\n?)+)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def on_page_markdown(markdown, page, config, files):
    here = PATHS.get(page.file.src_uri, "docs/" + page.file.src_uri)

    def link(match):
        mark, text, target = match.groups()
        if re.match(r"https?:|mailto:|#", target):
            return match[0]
        if target.startswith("sanscope:"):
            return text
        path, hash_, anchor = urllib.parse.unquote(target).partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), path))
        place = place_of(path)
        if place is None and path.startswith("docs/") and (ROOT / path).is_file() and files.get_file_from_path(path[5:]):
            place = path.removeprefix("docs/")
        if place is None:
            if mark:
                raise SystemExit(f"{here}: {target} is no picture of docs")
            return text
        return f"{mark}[{text}]({posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or '.')}{hash_}{anchor})"

    return outside_of_code(markdown, lambda part: LINK.sub(link, part))


def on_page_content(content, page, config, files):
    def linked(match):
        place = place_of(match[1]) if "/" in match[1] or match[1] in FROM_ROOT else None
        if place is None or place == page.file.src_uri:
            return match[0]
        return f'<a href="{files.get_file_from_path(place).url_relative_to(page.file)}">{match[0]}</a>'

    parts = re.split(r"(<pre\b.*?</pre>|<a\b.*?</a>|<h1\b.*?</h1>)", content, flags=re.DOTALL)
    return "".join(part if number % 2 else re.sub(r"<code>([\w./-]+)</code>", linked, part) for number, part in enumerate(parts))


def on_post_build(config):
    index = pathlib.Path(config["site_dir"]) / "search" / "search_index.json"
    entries = json.loads(index.read_text(encoding="utf-8"))
    entries["docs"] = [entry for entry in entries["docs"]
                       if not any(fnmatch.fnmatch(entry["location"].partition("#")[0], pattern) for pattern in NOT_SEARCHED)]
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    index.write_text(text, encoding="utf-8")
    # The theme's versions 8 and 9 look for it in one of these places.
    script = "var __index=" + text.replace("</", "<\\/") + ";var __search={index:Promise.resolve(__index)};\n"
    index.with_suffix(".js").write_text(script, encoding="utf-8")

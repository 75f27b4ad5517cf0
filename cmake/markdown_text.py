# SPDX-License-Identifier: GPL-3.0-or-later
"""What there is to check in a page of Markdown: its links, its anchors, the paths it names. Read as GitHub reads it."""

import html
import re

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\](?:\([^()]*\))?)*)\]\(\s*<?([^()\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*(\S+)")
ATTRIBUTE = re.compile(r"<(?:a|img)\b[^>]*\b(?:href|src)=\"([^\"]+)\"")
ANCHOR = re.compile(r"<\w+\b[^>]*\b(?:id|name)=\"([^\"]+)\"")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$")
CODE = re.compile(r"(`+)(.+?)\1")


def prose_lines(text):
    """(number, line) of each line that is no block of code."""
    fence, blank = None, True
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is not None:
            if mark and mark[1].startswith(fence):
                fence = None
        elif not (blank and line.startswith("    ")):
            blank = not line.strip()
            yield number, line


def slug(heading):
    """The anchor that GitHub gives a heading; its text may have Markdown or HTML in it."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = html.unescape(re.sub(r"<[^>]*>", "", heading)).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    """Those of a page: its headings', where one repeats with -1, -2 … behind it, and those it sets itself."""
    found = set()
    for _, line in prose_lines(text):
        found.update(ANCHOR.findall(line))
        if heading := HEADING.match(line):
            name, count = slug(heading[1]), 0
            while (name if count == 0 else f"{name}-{count}") in found:
                count += 1
            found.add(name if count == 0 else f"{name}-{count}")
    return found


def links(text):
    """(line, target, text, whether it is a picture) of each link. One may be broken over two lines."""
    lines = list(prose_lines(text))
    for paragraph in paragraphs(lines):
        joined = "\n".join(CODE.sub(lambda code: code[1] + "x" * len(code[2]) + code[1], line) for _, line in paragraph)
        for match in LINK.finditer(joined):
            yield paragraph[joined.count("\n", 0, match.start())][0], match[3], match[2], bool(match[1])
            if "![" in match[2]:
                for inner in LINK.finditer(match[2]):
                    yield paragraph[joined.count("\n", 0, match.start())][0], inner[3], inner[2], True
        for number, line in paragraph:
            for target in ATTRIBUTE.findall(CODE.sub("", line)) + REFERENCE.findall(line):
                yield number, target, "", False


def paragraphs(lines):
    """Lines that follow each other with none empty between them."""
    paragraph = []
    for number, line in lines:
        if not line.strip() or paragraph and number != paragraph[-1][0] + 1:
            if paragraph:
                yield paragraph
            paragraph = []
        if line.strip():
            paragraph.append((number, line))
    if paragraph:
        yield paragraph


def code_spans(text):
    """(line, text) of each span in code style."""
    for number, line in prose_lines(text):
        for match in CODE.finditer(line):
            yield number, match[2].strip()

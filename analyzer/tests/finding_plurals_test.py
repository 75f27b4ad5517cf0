#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""No finding says "1 segments": wherever a text of analyzer/report has a number before a noun in the plural, counted() makes both,
or the number is known to be no one. All sources are looked at, so that a new kind of finding is, too; and what the golden
cases print."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REPORT = ROOT / "analyzer" / "report"
GOLDEN = ROOT / "analyzer" / "tests" / "golden"

# Words behind a name or a figure that end in s and are no noun in the plural.
NO_NOUNS = set("""allows begins delays does goes has is its lies makes needs repeats reports retransmits refuses
    says sends takes this was waits""".split())
# Whose value is text, and no count.
TEXTS = re.compile(r'^(\w+(_\.|\.|->))*(name|other_name|round_trip|queue_title|queue_sign|format|sanscope::format|'
                   r'human_\w+size\w*|human_duration|human_bytes|human_binary_bytes|human_rate|human_percent|utc_time|'
                   r'counted|counted_exactly|of_its_time)\(|^(name|name_|to|size|what|slowest|first_ones)$')
# Numbers that are never 1, and why: the text that holds them, as it stands there.
NEVER_ONE = {
    "{} of {} connections captured": "else it says Captured",
    "One of {} connections of session": "of one there is no other that carries less",
    "One of {} paths to LUN": "of one there is no other that is faster",
    "on {} of {} connections with digests": "said where there are several alone",
    "{} of {} commands took over {} times": "a median is of several; the factor is a constant",
    "{} of {} commands of {} and less": "a median is of several",
    "{} senders to {} lose segments": "one sender makes no incast",
    "{} of {} loss episodes coincide": "a share of several alone is judged",
    "the SYN or its answer was sent {} times": "said where it was sent again",
    "all {} flipped bits of": "of several alone it is said that they are alike",
    "are bit {} of a word of {} bits": "8, 16, 32 or 64",
    "({:.2f} segments)": "a deviation with decimals",
    "of {} of {} and more Data-In PDUs": "a constant",
    "within 25 %, in {} of {} intervals": "of several alone it is judged",
    "{} pauses within PDUs": "of several alone it is judged",
    "{} of them of {} pieces": "a run is of several",
    "at the longest; {} reads and writes": "of several alone it is judged",
    "{} of these commands ended with GOOD": "of these, as many as there are",
}

# Nouns that follow in an argument of their own.
PLURAL_VARIABLES = re.compile(r'string(?:_view)? (\w+) =[^;]*"[a-z]+s"')

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
CHARACTER = re.compile(r"'(?:[^'\\]|\\.)'")
FORMATS = re.compile(r"\b(?:fmt::format|fmt::format_to|append_line|line)\(")
# Behind the number, with an adjective before it at most; what a preposition begins is of something else.
NOUN = re.compile(r"\{[^{}]*\} ((?!(?:of|at|and|on|in|to|or|for|over|from|with) )[A-Za-z-]+ )?([A-Za-z]{2,}s)\b")


def without_comments(text):
    return re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda match: match.group(1) or "", text)


def calls(text):
    """Line and arguments of each call that formats."""
    for match in FORMATS.finditer(text):
        depth, at, begin, arguments = 1, match.end(), match.end(), []
        while at < len(text):
            if (token := STRING.match(text, at) or CHARACTER.match(text, at)) is not None:
                at = token.end()
                continue
            if text[at] in "([{":
                depth += 1
            elif text[at] in ")]}":
                depth -= 1
            if depth == 0 or (depth == 1 and text[at] == ","):
                arguments.append(text[begin:at].strip())
                begin = at + 1
            if depth == 0:
                break
            at += 1
        yield text.count("\n", 0, match.start()) + 1, arguments


def literals(argument):
    """The texts that an argument may be: pieces side by side are one, both sides of a condition two."""
    found, end = [], None
    for match in STRING.finditer(argument):
        if end is not None and not argument[end:match.start()].strip():
            found[-1] += match.group()[1:-1]
        else:
            found.append(match.group()[1:-1])
        end = match.end()
    return found


def may_be_one(argument):
    """Whether an argument is a number of which nothing is known."""
    return not (TEXTS.match(argument) or '"' in argument)


def faults_of(text):
    """Places where a number that may be 1 stands before a noun in the plural: line and words."""
    faults = []
    text = without_comments(text)
    plurals = set(PLURAL_VARIABLES.findall(text))
    for line, arguments in calls(text):
        at = next((i for i, argument in enumerate(arguments) if '"' in argument), None)
        if at is None:
            continue
        for words in literals(arguments[at]):
            places = [match.start() for match in re.finditer(r"\{[^{}]*\}", words)]
            for i in range(len(places) - 1):
                pair = arguments[at + 1 + i:at + 3 + i]
                if re.fullmatch(r"\{[^{}]*\} ", words[places[i]:places[i + 1]]) and len(pair) == 2 and \
                        may_be_one(pair[0]) and pair[1] in plurals:
                    faults.append((line, f"{{}} {{{pair[1]}}}"))
            for match in NOUN.finditer(words):
                index = at + 1 + places.index(match.start())
                if match.group(2) in NO_NOUNS or any(words.find(known) <= match.start() < words.find(known) + len(known)
                                                     for known in NEVER_ONE if known in words):
                    continue
                if index >= len(arguments) or may_be_one(arguments[index]):
                    faults.append((line, match.group()))
    for match in re.finditer(r'([^;{}]*)\+\s*"( (?:[a-z]+ )?[a-z]{2,}s)\b', text):
        before = match.group(1)
        # "once" and "1 loss" stand for one; units of time and text are no nouns.
        if not re.search(r"== 1\s*\?", before) and re.search(r"human_count\(|to_string\(", before):
            faults.append((text.count("\n", 0, match.start(2)) + 1, "…" + match.group(2)))
    return faults


class Plurals(unittest.TestCase):
    maxDiff = None

    def test_no_text_has_a_number_before_a_plural_that_may_be_one(self):
        faults = []
        for path in sorted(REPORT.rglob("*.cpp")) + sorted(REPORT.glob("*.h")):
            if not path.name.endswith("_test.cpp"):
                faults += [f"{path.name}:{line}: {words}" for line, words in faults_of(path.read_text(encoding="utf-8"))]
        self.assertEqual(faults, [], "use counted(), or say in NEVER_ONE why it is never 1")

    def test_the_texts_of_every_kind_are_among_them(self):
        kinds = re.findall(r"^FINDING\((\w+)\)", (REPORT / "finding_kinds.def").read_text(encoding="utf-8"), re.MULTILINE)
        text = "".join(path.read_text(encoding="utf-8") for path in REPORT.rglob("*.cpp")
                       if not path.name.endswith("_test.cpp"))
        self.assertGreater(len(kinds), 50)
        self.assertEqual([kind for kind in kinds if not re.search(rf"\bKind::{kind}\b", text)], [])

    def test_what_is_never_one_is_still_said(self):
        pieces = re.compile(r'"\s*"')
        text = pieces.sub("", "".join(path.read_text(encoding="utf-8") for path in REPORT.rglob("*.cpp")))
        self.assertEqual([words for words in NEVER_ONE if words not in text], [])

    def test_no_golden_case_prints_one_of_several(self):
        wrong = re.compile(r"(?<![\w.,:/-])1 (?:[a-z-]+ )?(?:segments|PDUs|packets|commands|connections|sessions|times|bytes|"
                           r"losses|logins|reads|writes|places|timeouts|moments|steps)\b")
        cases = sorted(path for path in GOLDEN.glob("*/expected*") if path.suffix != ".zst")
        self.assertGreater(len(cases), 50)
        found = []
        for path in cases:
            text = path.read_bytes().decode("utf-8", errors="replace")
            found += [f"{path.parent.name}/{path.name}: {match.group()}" for match in wrong.finditer(text)]
        self.assertEqual(found, [])


class Checker(unittest.TestCase):
    """The test above can fail."""

    def test_a_number_before_a_plural_is_found(self):
        self.assertEqual(faults_of('x = fmt::format("{} of {} segments were lost", human_count(a), human_count(b));'),
                         [(1, "{} segments")])
        self.assertEqual(faults_of('x = fmt::format("{} damaged "\n "PDUs", count);'), [(1, "{} damaged PDUs")])
        self.assertEqual(faults_of('x = fmt::format(n > 2 ? "none" : "{} losses", n);'), [(1, "{} losses")])
        self.assertEqual(faults_of('std::string_view what = r ? "reads" : "writes";\nfmt::format("of {} {}", n, what);'),
                         [(2, "{} {what}")])
        self.assertEqual(faults_of('\nx = human_count(count) + " losses";'), [(2, "… losses")])

    def test_what_is_no_count_or_counted_is_not(self):
        for text in ('fmt::format("{} were lost", counted(n, "segment"))', 'fmt::format("{} sends {}", facts_.name(), n)',
                     'fmt::format("{} for {}", n, m)', 'n == 1 ? "once" : human_count(n) + " times"',
                     '// fmt::format("{} segments", n)\n'):
            self.assertEqual(faults_of(text), [], text)


if __name__ == "__main__":
    unittest.main()

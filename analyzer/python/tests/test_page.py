# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/python.md shows what its code prints."""

import page


def test_outputs_are_what_comes():
    text = page.PAGE.read_text()
    assert len(page.BLOCK.findall(text)) >= 8
    assert page.with_outputs(text) == text

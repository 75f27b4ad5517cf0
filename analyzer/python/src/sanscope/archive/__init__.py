# SPDX-License-Identifier: GPL-3.0-or-later
"""Adds the captures of a folder to a lake of Parquet, each exactly once: `docs/fleet.md`. Needs pyarrow.

    from sanscope.archive import archive
    archive("/captures", "/lake")
"""

from .adding import TABLES, Outcome, Told, archive

__all__ = ["TABLES", "Outcome", "Told", "archive"]

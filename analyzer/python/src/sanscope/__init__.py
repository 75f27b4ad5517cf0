# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures of iSCSI traffic as tables, by the program `sanscope`: `docs/python.md`.

    import polars as pl, sanscope
    capture = sanscope.read("san.pcapng")
    pl.DataFrame(capture.commands)
"""

from .captures import TABLES, Capture, Finding, findings, read
from .comparison import ChangedFinding, Comparison, Figure, compare
from .errors import Damage, Interrupted, NothingAnalysed, ProgramNotFound, SanscopeError, UsageError
from .following import Update, follow
from .program import find_program
from .tables import Table

__all__ = ["TABLES", "Capture", "ChangedFinding", "Comparison", "Damage", "Figure", "Finding", "Interrupted", "NothingAnalysed",
           "ProgramNotFound", "SanscopeError", "Table", "Update", "UsageError", "compare", "find_program", "findings", "follow", "read"]

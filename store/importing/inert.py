"""What our CSV files have of their own: cells that no spreadsheet runs, and a column that says so.

A cell that a spreadsheet would take for a formula gets an apostrophe before it. Taking it off again
is exact, since a text that begins with apostrophes before a formula gets one more. Files of others
are left as they are: only a file with our column has them taken off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

KIND_FIELD: Final = "adjudge"
"""The column that every CSV file of ours has; it holds the kind of each row."""

OTHER_KIND: Final[Mapping[str, tuple[str, ...]]] = {
    "single": ("a", "b", "gold"),
    "pair": ("output", "messages"),
}
"""For each kind of trace: the columns that belong to the other kind."""

NESTED_FIELDS: Final = ("messages", "facts", "metadata")
"""Columns that hold JSON."""

# Some spreadsheets take the wide forms of these signs for the signs.
_RUNS: Final = re.compile(r"'*(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[ ]*[\t\r])")


def inert(text: str) -> str:
    """Give a cell that no spreadsheet runs as a formula."""
    return f"'{text}" if _RUNS.match(text) else text


def bare(cell: str) -> str:
    """Give back what `inert` was given."""
    return cell[1:] if cell[:1] == "'" and _RUNS.match(cell, 1) else cell

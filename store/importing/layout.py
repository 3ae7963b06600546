"""A layout: rows that are known by their fields and read as other rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Values: TypeAlias = Mapping[str, object]


@dataclass(frozen=True)
class Layout:
    """One layout of rows."""

    name: str
    fields: frozenset[str]
    """Fields that rows of this layout have."""
    unfold: Callable[[Values], list[dict[str, object]]]
    """Turn one row into plain rows."""
    others: frozenset[str] | None = None
    """Fields that rows may have besides; None: any."""

    def fits(self, names: tuple[str, ...]) -> bool:
        """Say whether rows with these fields are of this layout."""
        if not self.fields.issubset(names):
            return False
        return self.others is None or set(names) <= self.fields | self.others

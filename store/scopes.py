"""The book of scopes: which imported files a criterion is about.

A project may hold several sets of traces. An import that names a criterion puts its file in that
criterion's scope; a criterion without a scope is about every trace of its kind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from store.books import Book


@dataclass(frozen=True, slots=True)
class Scope:
    """One imported file belongs to one criterion."""

    criterion: str
    segment: str
    """Name of the file on the shelf."""


class ScopeBook(Book[Scope]):
    """Which files each criterion is about."""

    table_name = "scopes"
    record_type = Scope

    def _reset(self) -> None:
        self._segments: dict[str, dict[str, None]] = {}

    def _apply(self, doc_id: int, record: Scope) -> None:
        self._segments.setdefault(record.criterion, {})[record.segment] = None

    def of(self, criterion: str) -> tuple[str, ...]:
        """Name the files of a criterion; empty when it is about everything."""
        return tuple(self._segments.get(criterion, ()))

    def add(self, criterion: str, segments: Iterable[str]) -> None:
        """Put files in a criterion's scope; those that are there already are left alone."""
        with self.exclusive():
            fresh = [segment for segment in dict.fromkeys(segments) if segment not in self.of(criterion)]
            if fresh:
                self.append_all(Scope(criterion, segment) for segment in fresh)

"""The book of causes: why a person and a judge differ on a row, in a person's judgement."""

from __future__ import annotations

from collections.abc import Mapping

from store.books import Book
from store.records import Cause

STANDARD_CAUSES = (
    "standard unclear",
    "fact missing",
    "wrong item",
    "judge slip",
    "person slip",
    "other",
)
"""The causes that are always offered, in the order of their keys."""


class CauseBook(Book[Cause]):
    """The cause in force of each disagreement."""

    table_name = "causes"
    record_type = Cause

    def _reset(self) -> None:
        self._causes: dict[tuple[str, str], dict[str, Cause]] = {}

    def _apply(self, doc_id: int, record: Cause) -> None:
        self._causes.setdefault((record.criterion, record.judge), {})[record.trace] = record

    def of(self, criterion: str, judge: str) -> Mapping[str, Cause]:
        """Give the causes in force for one judge version, by trace."""
        causes = self._causes.get((criterion, judge), {})
        return {trace: cause for trace, cause in causes.items() if cause.cause is not None}

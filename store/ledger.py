"""The ledger of openings of the hold-out: each record is chained to the one before by its hash."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from store.books import Book, as_document
from store.identity import content_hash, utc_now
from store.records import Opening


def opening_hash(opening: Opening) -> str:
    """Hash an opening with its link to the one before, without its own hash."""
    return content_hash({key: value for key, value in as_document(opening).items() if key != "hash"})


class Ledger(Book[Opening]):
    """Every opening of every hold-out, in order."""

    table_name = "openings"
    record_type = Opening

    def _reset(self) -> None:
        self._openings: list[Opening] = []

    def _apply(self, doc_id: int, record: Opening) -> None:
        self._openings.append(record)

    def of(self, criterion: str) -> tuple[Opening, ...]:
        """Give the openings of one criterion's hold-out, oldest first."""
        return tuple(opening for opening in self._openings if opening.criterion == criterion)

    def record(self, criterion: str, judge: str, annotator: str) -> Opening:
        """Write that the hold-out was opened for one judge version."""
        with self.exclusive():
            opening = Opening(
                criterion=criterion,
                judge=judge,
                annotator=annotator,
                at=utc_now(),
                previous=self._openings[-1].hash if self._openings else "",
                hash="",
            )
            self.append(replace(opening, hash=opening_hash(opening)))
            return self._openings[-1]

    def broken_at(self) -> int | None:
        """Give the position, from 1, of the first record whose chain does not hold, or None."""
        return first_break(self._openings)


def first_break(openings: Iterable[Opening]) -> int | None:
    """Give the position, from 1, of the first opening that was changed or lost its predecessor, or None."""
    previous = ""
    for position, opening in enumerate(openings, 1):
        if opening.previous != previous or opening_hash(opening) != opening.hash:
            return position
        previous = opening.hash
    return None

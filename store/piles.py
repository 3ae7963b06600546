"""The book of piles: which labelled trace belongs to train, dev or hold-out, for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from store.books import Book
from store.errors import BadInput
from store.records import Piled, PileName


class PileBook(Book[Piled]):
    """Where every dealt trace is; a trace is dealt once a criterion and never moves."""

    table_name = "piles"
    record_type = Piled

    def _reset(self) -> None:
        self._piled: dict[str, dict[str, Piled]] = {}

    def _apply(self, doc_id: int, record: Piled) -> None:
        # `deal` writes a trace once only; in a journal that says otherwise the first line counts.
        self._piled.setdefault(record.criterion, {}).setdefault(record.trace, record)

    def deal(self, piled: Iterable[Piled]) -> None:
        """Write the piles of newly dealt traces in one line.

        Raises:
            BadInput: A trace has been dealt before.
        """
        rows = list(piled)
        with self.exclusive():
            for row in rows:
                if row.trace in self.of(row.criterion):
                    raise BadInput(f"trace {row.trace!r} is in a pile already and never moves")
            if rows:
                self.append_all(rows)

    def of(self, criterion: str) -> Mapping[str, Piled]:
        """Give every dealt trace of a criterion."""
        return self._piled.get(criterion, {})

    def pile_of(self, criterion: str, trace: str) -> PileName | None:
        """Give a trace's pile, or None when it has not been dealt."""
        piled = self.of(criterion).get(trace)
        return piled.pile if piled else None

    def members(self, criterion: str, pile: PileName) -> tuple[str, ...]:
        """Give the traces of a pile in the order they were dealt."""
        return tuple(trace for trace, piled in self.of(criterion).items() if piled.pile is pile)

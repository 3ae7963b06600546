"""Two framed texts side by side, as one piece of a document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Final

from tui import cells
from tui.widgets.body import Query
from tui.widgets.inks import Ink, Line, Run
from tui.widgets.pieces import Flow

LONGEST: Final = 32_768
"""Characters of one text; rows pair up only once both are wrapped, so longer ones are stacked."""

GAP: Final = Run(" ", Ink.FRAME)


@dataclass(frozen=True, slots=True)
class Columns:
    """Row i is line i of both; hits are numbered 2 x offset on the left, 2 x offset + 1 on the right."""

    block: int
    left: Flow
    right: Flow
    start: int = 0

    @property
    def known(self) -> int | None:
        """Rows, once both are wrapped."""
        left, right = self.left.known, self.right.known
        return None if left is None or right is None else max(left, right)

    @property
    def estimate(self) -> int:
        """Rows, by the longer text."""
        return max(self.left.estimate, self.right.estimate)

    def count(self) -> int:
        """Count the rows."""
        return max(self.left.count(), self.right.count())

    def line(self, index: int, query: Query | None, now: int | None) -> Line:
        """Return one row."""
        sides = [
            _side(flow, index, query, now // 2 if now is not None and now % 2 == place else None)
            for place, flow in enumerate((self.left, self.right))
        ]
        return joined(*sides)

    def offset(self, index: int) -> int:
        """Return where in the longer text a row starts."""
        return self._longer.offset(index)

    def at(self, offset: int) -> int:
        """Return the row that holds an offset in the longer text."""
        return self._longer.at(offset)

    def hits(self, query: Query) -> Iterator[int]:
        """Yield hits row by row, left before right."""
        sides = (self.left, self.right)
        numbered = [2 * hit + place for place, flow in enumerate(sides) for hit in flow.hits(query)]
        return iter(sorted(numbered, key=lambda hit: (self.line_of_hit(hit), hit % 2, hit)))

    def line_of_hit(self, hit: int) -> int:
        """Return the row a hit begins on."""
        return (self.right if hit % 2 else self.left).line_of_hit(hit // 2)

    @property
    def _longer(self) -> Flow:
        return max(self.left, self.right, key=Flow.count)


def joined(left: Line, right: Line) -> Line:
    """Put two lines beside each other, neighbours of one ink in one run."""
    runs = (*left.runs, GAP, *right.runs)
    merged = tuple(
        Run("".join(run.text for run in group), ink) for ink, group in groupby(runs, key=attrgetter("ink"))
    )
    return Line(merged, left.cells + 1 + right.cells)


def _side(flow: Flow, index: int, query: Query | None, now: int | None) -> Line:
    if index < flow.count():
        return flow.line(index, query, now)
    runs = flow.body.runs("", ())
    return Line(runs, sum(cells.width(run.text) for run in runs))

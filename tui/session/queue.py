"""In which order traces come up for labelling."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Sequence
from enum import StrEnum
from itertools import accumulate


class QueueOrder(StrEnum):
    """How the queue is ordered; stored with every label, since it decides what figures may use it."""

    RANDOM = "random"
    """A seeded shuffle: what is labelled first is a fair sample of the rest."""
    IMPORTED = "imported"
    """As the traces came in."""


class RowOrder:
    """A fixed order of the rows of some ranges, worked out only as far as it is asked for.

    A hundred thousand rows are never listed or shuffled at once: opening the screen would wait for it.
    """

    def __init__(self, ranges: Sequence[range], order: QueueOrder, seed: int = 0) -> None:
        self._ranges = ranges
        self._ends = list(accumulate(map(len, ranges)))
        self._order = order
        self._random = random.Random(seed)
        self._shuffled: list[int] = []
        self._moved: dict[int, int] = {}

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def row(self, position: int) -> int:
        """Give the row at a position of the queue, from 0."""
        if self._order is QueueOrder.IMPORTED:
            return self._nth(position)
        while len(self._shuffled) <= position:
            # One step of the Fisher-Yates shuffle; only rows that moved are remembered.
            step = len(self._shuffled)
            pick = self._random.randrange(step, len(self))
            self._shuffled.append(self._moved.get(pick, pick))
            self._moved[pick] = self._moved.get(step, step)
        return self._nth(self._shuffled[position])

    def _nth(self, index: int) -> int:
        part = bisect_right(self._ends, index)
        return self._ranges[part][index - (self._ends[part - 1] if part else 0)]

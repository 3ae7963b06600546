"""What a recipe may know of the row at hand, and the settings it reads from the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from store.records import AnyTrace, Criterion, Example, JudgeVersion, Order

MAX_SAMPLES = 100
"""More candidates than this per row is taken for a slip of the keyboard."""


@dataclass(frozen=True)
class RecipeContext:
    """Everything a recipe may know about the row at hand."""

    trace: AnyTrace
    judge: JudgeVersion
    criterion: Criterion
    examples: Sequence[tuple[AnyTrace, Example]] = ()
    """Train rows to show, each with the person's decision."""
    order: Order | None = None
    """For pairs: which answer is shown first."""
    repeat: int = 0
    """Which repetition over the same row this is; later ones draw fresh samples."""

    @property
    def samples(self) -> int:
        """How many candidates to draw: the judge's `n`, 1 when it says nothing.

        Raises:
            ValueError: when `n` is no whole number from 1 to MAX_SAMPLES.
        """
        value = self.judge.params.get("n", 1)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_SAMPLES:
            raise ValueError(f"n has to be a whole number from 1 to {MAX_SAMPLES}, not {value!r}")
        return value

    @property
    def reducer(self) -> str:
        """Name of what makes one verdict of the candidates; a vote when several are drawn."""
        value = self.judge.params.get("reducer")
        if value is None:
            return "first" if self.samples == 1 else "majority"
        return str(value)

    def asked_as(self, recipe: str) -> RecipeContext:
        """Give the context with the judge asking by a recipe's prompt."""
        if self.judge.recipe == recipe:
            return self
        return replace(self, judge=replace(self.judge, recipe=recipe))

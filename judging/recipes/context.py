"""What a recipe may know of the row at hand, and the settings it reads from the judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judging.recipes.votes import DEFAULT_RULE
from store.records import AnyTrace, Criterion, Example, JudgeKind, JudgeVersion, Order

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
    def models(self) -> tuple[str, ...]:
        """Who draws the candidates, in turn: the judge's `models`, or its one model.

        Raises:
            ValueError: when `models` is no list of different names.
        """
        given = self.judge.params.get("models")
        if given is None:
            return (self.judge.model,)
        names = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else ()
        if not names or not all(isinstance(name, str) and name.strip() for name in names):
            raise ValueError(f"models has to be a list of models' names, not {given!r}")
        if len(set(names)) < len(names):
            raise ValueError("models names a model twice; `n` says how many candidates are drawn")
        return names

    @property
    def samples(self) -> int:
        """How many candidates to draw: the judge's `n`; one from each model when it says nothing.

        Raises:
            ValueError: when `n` is no whole number from 1 to MAX_SAMPLES, or leaves a model out.
        """
        least = len(self.models)
        value = self.judge.params.get("n", least)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_SAMPLES:
            raise ValueError(f"n has to be a whole number from 1 to {MAX_SAMPLES}, not {value!r}")
        if value < least:
            raise ValueError(f"n has to be {least} at least, one candidate from each of the models")
        return value

    @property
    def reducer(self) -> str:
        """Name of what makes one verdict of the candidates; when several are drawn, a vote or a median."""
        value = self.judge.params.get("reducer")
        if value is not None:
            return str(value)
        if self.samples == 1:
            return "first"
        return "median" if self.judge.kind is JudgeKind.SCORECARD else "majority"

    @property
    def vote(self) -> str:
        """Name of the rule that a vote is decided by."""
        return str(self.judge.params.get("vote", DEFAULT_RULE))

    @property
    def confidence(self) -> float | None:
        """How probable the leader has to be for adaptive drawing to stop; None: certainty alone counts.

        Raises:
            ValueError: when it is no number between one half and 1.
        """
        value = self.judge.params.get("confidence")
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0.5 < value < 1:
            raise ValueError(f"confidence has to be a number between 0.5 and 1, not {value!r}")
        return float(value)

    @property
    def advocate(self) -> bool:
        """Whether a devil's advocate speaks before the critic.

        Raises:
            ValueError: when it is neither true nor false.
        """
        value = self.judge.params.get("advocate", False)
        if not isinstance(value, bool):
            raise ValueError(f"advocate has to be true or false, not {value!r}")
        return value

    def asked_as(self, recipe: str) -> RecipeContext:
        """Give the context with the judge asking by a recipe's prompt."""
        if self.judge.recipe == recipe:
            return self
        return replace(self, judge=replace(self.judge, recipe=recipe))

"""How a verdict is made from model calls: samples, reducers, and their registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judging.calls import RecipeSteps
from store.records import AnyTrace, Criterion, Example, JudgeVersion, Order


@dataclass(frozen=True)
class RecipeContext:
    """Everything a recipe may know about the row at hand."""

    trace: AnyTrace
    judge: JudgeVersion
    criterion: Criterion
    examples: Sequence[tuple[AnyTrace, Example]] = ()
    order: Order | None = None
    """For pairs: which answer is shown first."""
    repeat: int = 0
    """Which repetition over the same row this is; later ones draw fresh samples."""


@dataclass(frozen=True)
class Recipe:
    """One way to make a verdict."""

    name: str
    description: str


RECIPES: Mapping[str, Recipe] = {}
"""Every recipe by name."""


def start(recipe_name: str, context: RecipeContext) -> RecipeSteps:
    """Begin a recipe on one row."""
    raise NotImplementedError

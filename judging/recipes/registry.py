"""Every recipe, reducer and preset by name, and the one way to begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from judging.calls import RecipeSteps, Request
from judging.recipes.context import RecipeContext
from judging.recipes.drawing import Draw, all_at_once, candidate_calls, until_settled
from judging.recipes.reducers import Reduce, critique, first, majority
from judging.recipes.scoring import median
from judging.recipes.votes import RULES
from store.records import Json, JudgeKind


@dataclass(frozen=True)
class Recipe:
    """One way to ask for a verdict."""

    name: str
    description: str
    output_tokens: int
    """What one answer usually takes, thinking left out; for estimates only."""

    def steps(self, context: RecipeContext) -> RecipeSteps:
        """Draw the candidates as the reducer wants them, then hand them over."""
        context = context.asked_as(self.name)
        reducer = REDUCERS[context.reducer]
        drawing = yield from reducer.draw(context, candidate_calls(context))
        return (yield from reducer.reduce(context, drawing))


@dataclass(frozen=True)
class Reducer:
    """One way to make one verdict of several candidates."""

    description: str
    reduce: Reduce
    kinds: frozenset[JudgeKind] = frozenset(JudgeKind)
    """The kinds of judge it makes sense for."""
    draw: Draw = all_at_once


@dataclass(frozen=True)
class Tier:
    """A recipe with its settings, for a known purpose."""

    recipe: str
    params: Mapping[str, Json]
    description: str


def _by_name(*recipes: Recipe) -> dict[str, Recipe]:
    return {recipe.name: recipe for recipe in recipes}


RECIPES: Final[Mapping[str, Recipe]] = _by_name(
    Recipe("plain", "the verdict alone", 15),
    Recipe("critique-first", "a short critique, then the verdict", 120),
    Recipe("solve-first", "work the request out alone, compare, then the verdict", 450),
    Recipe("teach", "study, explain to a newcomer, find gaps, simplify, then critique and verdict", 600),
    Recipe("self-critique", "as teach, and argue against the own verdict in the same answer", 750),
)
"""How one sample is asked for, by name."""

_VOTED: Final = frozenset(JudgeKind) - {JudgeKind.SCORECARD}

REDUCERS: Final[Mapping[str, Reducer]] = {
    "first": Reducer("the first candidate decides", first),
    "majority": Reducer(f"a vote; {RULES['quorum'].description}", majority, _VOTED),
    "adaptive": Reducer(
        "a vote that draws no more once the rest cannot change it, or its leader is probable enough",
        majority,
        _VOTED,
        until_settled,
    ),
    "median": Reducer(
        "scorecards: each dimension's median, the overall computed anew",
        median,
        frozenset({JudgeKind.SCORECARD}),
    ),
    "critique": Reducer("a critic reads the question and all candidates, and decides", critique),
}
"""How one verdict is made of several candidates, by name."""

TIERS: Final[Mapping[str, Tier]] = {
    "stream": Tier("teach", {}, "every row of live traffic: one sample"),
    "batch": Tier("teach", {"n": 5, "reducer": "majority"}, "batches of medium weight: a vote of five"),
    "gate": Tier("teach", {"n": 10, "reducer": "critique"}, "release decisions: a critic over ten"),
}
"""Presets for `judge new`: they stand for a recipe with parameters."""


def start(recipe_name: str, context: RecipeContext) -> RecipeSteps:
    """Begin a recipe on one row; settings that cannot be used are refused here, before any call.

    Raises:
        ValueError: as `checked`.
    """
    return checked(recipe_name, context).steps(context)


def first_request(recipe_name: str, context: RecipeContext) -> Request:
    """Give the request that a row's first candidate is asked for by.

    Raises:
        ValueError: as `checked`, and as `build_request`.
    """
    checked(recipe_name, context)
    return candidate_calls(context.asked_as(recipe_name))[0].request


def checked(recipe_name: str, context: RecipeContext) -> Recipe:
    """Give a recipe when the judge's settings can be used with it.

    Raises:
        ValueError: when the recipe, the reducer, the vote rule or a parameter of theirs cannot be used.
    """
    _known("recipe", recipe_name, RECIPES)
    _known("reducer", context.reducer, REDUCERS)
    _known("vote rule", context.vote, RULES)
    kind = context.judge.kind
    if kind not in REDUCERS[context.reducer].kinds:
        fitting = ", ".join(name for name, one in REDUCERS.items() if kind in one.kinds)
        raise ValueError(f"a {kind} judge has no {context.reducer!r} reducer; there are {fitting}")
    if context.confidence is not None and context.reducer != "adaptive":
        raise ValueError(f"confidence is for the 'adaptive' reducer, not for {context.reducer!r}")
    if context.advocate and context.reducer != "critique":
        raise ValueError(
            f"an advocate speaks to a critic: the reducer is {context.reducer!r}, not 'critique'"
        )
    if context.advocate and kind is JudgeKind.SCORECARD:
        raise ValueError("an advocate argues against a majority, and scorecards have none")
    return RECIPES[recipe_name]


def _known(what: str, name: str, there: Mapping[str, object]) -> None:
    if name not in there:
        raise ValueError(f"there is no {what} named {name!r}; there are {', '.join(there)}")

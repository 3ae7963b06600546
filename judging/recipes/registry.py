"""Every recipe, reducer and preset by name, and the one way to begin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from judging.calls import Call, RecipeSteps
from judging.pricing import Planned
from judging.prompting import build_critic_request, build_request
from judging.recipes.context import RecipeContext
from judging.recipes.reducers import Reduce, critique, first, majority
from judging.recipes.replies import read_reply
from judging.recipes.votes import RULES
from store.records import Candidate, Json


@dataclass(frozen=True)
class Recipe:
    """One way to ask for a verdict."""

    name: str
    description: str
    output_tokens: int
    """What one answer usually takes, thinking left out; for estimates only."""

    def steps(self, context: RecipeContext) -> RecipeSteps:
        """Draw the candidates in one round, then hand them to the reducer."""
        context = context.asked_as(self.name)
        request = build_request(
            context.trace, context.judge, context.criterion, context.examples, order=context.order
        )
        drawn_before = context.repeat * context.samples
        calls = [Call(request, drawn_before + number) for number in range(context.samples)]
        replies = yield calls
        drawn = [read_reply(context, call, reply) for call, reply in zip(calls, replies, strict=True)]
        return (yield from REDUCERS[context.reducer].reduce(context, drawn))


@dataclass(frozen=True)
class Reducer:
    """One way to make one verdict of several candidates."""

    description: str
    reduce: Reduce


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

REDUCERS: Final[Mapping[str, Reducer]] = {
    "first": Reducer("the first candidate decides", first),
    "majority": Reducer(f"a vote; {RULES['quorum'].description}", majority),
    "critique": Reducer("a critic reads the question and all candidates, and decides", critique),
}
"""How one verdict is made of several candidates, by name."""

CRITIC_OUTPUT_TOKENS: Final = 700
"""What a critic's answer usually takes (RTLC, section VII-G)."""

TIERS: Final[Mapping[str, Tier]] = {
    "stream": Tier("teach", {}, "every row of live traffic: one sample"),
    "batch": Tier("teach", {"n": 5, "reducer": "majority"}, "batches of medium weight: a vote of five"),
    "gate": Tier("teach", {"n": 10, "reducer": "critique"}, "release decisions: a critic over ten"),
}
"""Presets for `judge new`: they stand for a recipe with parameters."""


def start(recipe_name: str, context: RecipeContext) -> RecipeSteps:
    """Begin a recipe on one row; settings that cannot be used are refused here, before any call.

    Raises:
        ValueError: when the recipe, the reducer, the vote rule or `n` is not one there is.
    """
    return _checked(recipe_name, context).steps(context)


def planned(recipe_name: str, context: RecipeContext) -> tuple[Planned, ...]:
    """Say which calls a recipe will make for one row, for an estimate before any is made.

    Raises:
        ValueError: as `start`, and as `build_request`.
    """
    recipe = _checked(recipe_name, context)
    context = context.asked_as(recipe_name)
    row = (context.trace, context.judge, context.criterion, context.examples)
    samples = context.samples
    request = build_request(*row, order=context.order)
    plans = [Planned.of(request, output_tokens=recipe.output_tokens, calls=samples)]
    if context.reducer == "critique":
        blank = [Candidate(None, "", "") for _ in range(samples)]
        critic = build_critic_request(*row, candidates=blank, order=context.order)
        heard = samples * recipe.output_tokens
        plans.append(Planned.of(critic, output_tokens=CRITIC_OUTPUT_TOKENS, added_input_tokens=heard))
    return tuple(plans)


def _checked(recipe_name: str, context: RecipeContext) -> Recipe:
    _known("recipe", recipe_name, RECIPES)
    _known("reducer", context.reducer, REDUCERS)
    if "vote" in context.judge.params:
        _known("vote rule", str(context.judge.params["vote"]), RULES)
    return RECIPES[recipe_name]


def _known(what: str, name: str, there: Mapping[str, object]) -> None:
    if name not in there:
        raise ValueError(f"there is no {what} named {name!r}; there are {', '.join(there)}")

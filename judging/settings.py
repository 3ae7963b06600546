"""What a judge's parameters may be: presets resolved, and everything refused that could not be asked.

All of it is checked when a judge is made, so that a slip costs nothing later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from judging.classes import CLASSES
from judging.parsing import read_answer
from judging.prompting import DEFAULT_MAX_TOKENS
from judging.prompting.shapes import verdict_words
from judging.recipes import TIERS, RecipeContext, planned
from judging.scorecards import DIMENSIONS, OVERALL
from store.errors import BadInput
from store.records import Criterion, Json, JudgeKind, JudgeVersion, Pair, Trace

DEFAULT_RECIPE: Final = "critique-first"
EFFORTS: Final = ("low", "medium", "high", "xhigh", "max")
"""What the API calls its levels of effort; which a model takes is the model's own matter."""

THINKING: Final = ("adaptive", "disabled", "between_tools")
"""How thinking may be set by a word; a budget of tokens is the other way."""

LEAST_THINKING: Final = 1024
"""The smallest budget of tokens the API takes."""

_OF_CRITICS: Final = ("critic_model", "critic_temperature", "critic_tools")
_OF_KINDS: Final[Mapping[str, JudgeKind]] = {
    CLASSES: JudgeKind.CLASSIFY,
    DIMENSIONS: JudgeKind.SCORECARD,
    OVERALL: JudgeKind.SCORECARD,
}
_OF_MODELS: Final = frozenset(
    {"n", "temperature", "max_tokens", "reducer", "vote", "confidence", "advocate", "models", "tier"}
    | {"rubric_fact", "effort", "thinking", *_OF_CRITICS, *_OF_KINDS}
)


@dataclass(frozen=True)
class Settings:
    """A recipe with its parameters, presets resolved."""

    recipe: str
    params: Mapping[str, Json] = field(default_factory=dict)


def resolve(recipe: str, tier: str, params: Mapping[str, Json], kind: JudgeKind) -> Settings:
    """Resolve a tier to its recipe and parameters; its name is kept among them.

    Args:
        recipe: As asked for; empty: the tier's, or the default.
        tier: Name of a preset; empty: none.
        params: As asked for; they may add to a tier, never change what it stands for.
        kind: The judge's kind, since scorecards take a median where others take a vote.

    Raises:
        BadInput: There is no such tier, or something asked for is not what it stands for.
    """
    if not tier:
        return Settings(recipe or DEFAULT_RECIPE, dict(params))
    if tier not in TIERS:
        raise BadInput(f"{tier!r} is no tier; there are {', '.join(TIERS)}")
    preset = TIERS[tier]
    fixed = dict(preset.params)
    if kind is JudgeKind.SCORECARD and fixed.get("reducer") == "majority":
        fixed["reducer"] = "median"
    fixed.setdefault("n", 1)
    asked = {"recipe": recipe or preset.recipe, **{key: params[key] for key in fixed if key in params}}
    for name, value in asked.items():
        meant = preset.recipe if name == "recipe" else fixed[name]
        if value != meant:
            raise BadInput(f"tier {tier!r} means {name} {meant}, not {value}: leave one of the two out")
    return Settings(preset.recipe, {**params, **fixed, "tier": tier})


def check_asked(judge: JudgeVersion, criterion: Criterion) -> None:
    """Check that a judge that works by calls of a model can be asked.

    Raises:
        BadInput: A parameter or a combination of them cannot be used.
    """
    params = judge.params
    for name, kind in _OF_KINDS.items():
        if name in params and judge.kind is not kind:
            raise BadInput(
                f"{name} is for {kind} judges; criterion {criterion.name!r} is of kind {judge.kind}"
            )
    row: Trace | Pair = Pair("", "", "", "") if judge.kind is JudgeKind.PAIRWISE else Trace("", "", "")
    context = RecipeContext(row, judge, criterion)
    try:
        planned(judge.recipe, context)
        read_answer("", judge)
        _check_examples(judge)
        _check_model_options(params)
        if context.reducer != "critique":
            _refuse_idle(params, context.reducer)
        elif "models" in params and "critic_model" not in params:
            raise ValueError("with several models it has to be said which is the critic: critic_model")
    except ValueError as error:
        raise BadInput(f"judge {judge.name!r} cannot be asked: {error}") from error


def refuse_model_params(backend: str, params: Mapping[str, Json]) -> None:
    """Refuse parameters that only a judge that asks a model has a use for.

    Raises:
        BadInput: There is one.
    """
    idle = sorted(_OF_MODELS & params.keys())
    if idle:
        raise BadInput(f"a {backend} judge asks no model and has no use for {', '.join(idle)}")


def _refuse_idle(params: Mapping[str, Json], reducer: str) -> None:
    idle = [name for name in _OF_CRITICS if name in params]
    if idle:
        raise ValueError(f"{idle[0]} is for the 'critique' reducer, not for {reducer!r}")


def _check_examples(judge: JudgeVersion) -> None:
    if judge.kind is JudgeKind.SCORECARD and judge.examples:
        raise ValueError("a scorecard takes no examples: what each point means stands in its dimensions")
    if judge.kind is not JudgeKind.CLASSIFY:
        return
    words = verdict_words(judge)
    for example in judge.examples:
        # What has no label yet is refused by the store, which says where the row is.
        if example.verdict and example.verdict not in words:
            raise ValueError(f"example {example.trace!r} is labelled {example.verdict!r}, which is no class")


def _check_model_options(params: Mapping[str, Json]) -> None:
    effort, thinking = params.get("effort"), params.get("thinking")
    if effort is not None and effort not in EFFORTS:
        raise ValueError(f"effort is one of {', '.join(EFFORTS)}, not {effort!r}")
    if thinking is None or thinking in THINKING:
        return
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < LEAST_THINKING:
        raise ValueError(
            f"thinking is one of {', '.join(THINKING)}, or a budget of {LEAST_THINKING} tokens or more"
        )
    limit = params.get("max_tokens", DEFAULT_MAX_TOKENS)
    if isinstance(limit, int) and budget >= limit:
        raise ValueError(f"a thinking budget of {budget} leaves no room for an answer in max_tokens {limit}")

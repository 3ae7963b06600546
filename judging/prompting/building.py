"""Build requests: everything that does not change with the row goes first, the row last.

The system prompt is the same for every row of a judge version, so servers can cache it; the user
message holds the row. All of it is a pure function of its arguments.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from judging.calls import Message, Request
from judging.prompting.fencing import Fence
from judging.prompting.library import all_texts, fill, text
from judging.prompting.rendering import render_row, row_texts, same_row
from judging.prompting.shapes import CRITIC, Shape, shape_of
from store.identity import content_hash
from store.records import (
    AnyTrace,
    Candidate,
    Criterion,
    Example,
    Json,
    JudgeKind,
    JudgeVersion,
    Order,
    Pair,
)

BUILDER_VERSION: Final = 1
"""Raised with every change to this package's code that changes a prompt; a test watches over it."""

DEFAULT_MAX_TOKENS: Final = 4096
"""Thinking counts against it on current models, so a verdict of one word needs room as well."""

_PASSED_ON: Final = ("effort", "thinking")


def build_request(
    trace: AnyTrace,
    judge: JudgeVersion,
    criterion: Criterion,
    examples: Sequence[tuple[AnyTrace, Example]],
    *,
    order: Order | None = None,
) -> Request:
    """Build the request for one sample of the judge's recipe.

    Args:
        trace: The row to judge.
        judge: Whose recipe, model and parameters are used.
        criterion: The standard, in the version the judge was made for.
        examples: Train rows with the person's decision; one that is the row itself is left out.
        order: For pairs, which answer is shown as A; AB when not given.

    Raises:
        ValueError: when the recipe, the kind or a parameter cannot be used, or kind and row do not fit.
    """
    _check(trace, judge, criterion)
    shape = shape_of(judge.recipe, judge)
    parts = [
        _named_part("frame", judge.kind, criterion),
        *_standard(judge.kind, criterion),
        *_steps(judge.recipe, judge.kind),
        text("data"),
        *_examples(examples, trace),
        _shape_part(shape),
    ]
    fence = Fence.around(row_texts(trace))
    user = fill(text(f"row.{judge.kind}"), mark=fence.mark, row=render_row(trace, fence, order=order))
    sampling = _Sampling(judge.model, _number(judge, "temperature"))
    return _request(judge, parts, user, shape, sampling)


def build_critic_request(
    trace: AnyTrace,
    judge: JudgeVersion,
    criterion: Criterion,
    examples: Sequence[tuple[AnyTrace, Example]],
    *,
    candidates: Sequence[Candidate],
    order: Order | None = None,
) -> Request:
    """Build the request for the critic, who sees the question and the candidates but not their scaffold.

    The critic is asked at temperature 0 when the candidates are drawn at a stated temperature, unless
    `critic_temperature` says otherwise; `critic_model` names another model for it.

    Raises:
        ValueError: as `build_request`, or when there are no candidates.
    """
    _check(trace, judge, criterion)
    if not candidates:
        raise ValueError("a critic needs at least one candidate to weigh")
    shape = shape_of(CRITIC, judge)
    parts = [
        _named_part("frame.critic", judge.kind, criterion),
        *_standard(judge.kind, criterion),
        text("steps.critic"),
        text("data"),
        *_examples(examples, trace),
        _shape_part(shape),
    ]
    fence = Fence.around([*row_texts(trace), *(candidate.raw for candidate in candidates)])
    opinions = [
        fence.quote("opinion", candidate.raw, attributes=f'number="{number}"')
        for number, candidate in enumerate(candidates, start=1)
    ]
    user = fill(
        text("row.critic"),
        mark=fence.mark,
        row=render_row(trace, fence, order=order),
        opinions="\n\n".join(opinions),
    )
    return _request(judge, parts, user, shape, _critic_sampling(judge))


@cache
def prompt_code_hash() -> str:
    """Hash every prompt text and the builder's version: what a judge version was made with."""
    return content_hash({"builder": BUILDER_VERSION, "texts": all_texts()})


@dataclass(frozen=True)
class _Sampling:
    model: str
    temperature: float | None


def _request(
    judge: JudgeVersion, parts: Iterable[str], user: str, shape: Shape, sampling: _Sampling
) -> Request:
    max_tokens = judge.params.get("max_tokens", DEFAULT_MAX_TOKENS)
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < 1:
        raise ValueError(f"max_tokens has to be a whole number above 0, not {max_tokens!r}")
    options: dict[str, Json] = {name: judge.params[name] for name in _PASSED_ON if name in judge.params}
    return Request(
        model=sampling.model,
        system="\n\n".join(parts),
        messages=(Message("user", user),),
        max_tokens=max_tokens,
        temperature=sampling.temperature,
        schema=shape.schema(),
        options=options,
    )


def _check(trace: AnyTrace, judge: JudgeVersion, criterion: Criterion) -> None:
    if isinstance(trace, Pair) != (judge.kind is JudgeKind.PAIRWISE):
        raise ValueError(f"a {judge.kind} judge cannot judge a {trace.kind} trace ({trace.id})")
    if criterion.kind is not judge.kind:
        raise ValueError(f"criterion {criterion.name!r} is for {criterion.kind} judges, not {judge.kind}")


def _named_part(part: str, kind: JudgeKind, criterion: Criterion) -> str:
    return fill(text(f"{part}.{kind}"), name=criterion.name)


def _standard(kind: JudgeKind, criterion: Criterion) -> Iterable[str]:
    yield fill(
        text(f"standard.{kind}"),
        pass_definition=criterion.pass_definition,
        fail_definition=criterion.fail_definition,
    )
    if criterion.facts_needed.strip():
        yield fill(text("needs"), facts_needed=criterion.facts_needed)


def _steps(recipe: str, kind: JudgeKind) -> Iterable[str]:
    if recipe == "self-critique":
        yield text("steps.teach")
    yield text(f"steps.{recipe}.{kind}", f"steps.{recipe}")


def _examples(examples: Sequence[tuple[AnyTrace, Example]], judged: AnyTrace) -> Iterable[str]:
    """Show decided rows, but never the row at hand: its label would be the answer."""
    shown = [(row, example) for row, example in examples if not same_row(row, judged)]
    if not shown:
        return
    yield text("examples")
    for number, (row, example) in enumerate(shown, start=1):
        decision = {"critique": example.critique, "verdict": example.verdict}
        if not example.critique.strip():
            del decision["critique"]
        written = json.dumps(decision, ensure_ascii=False)
        yield f"### Row {number}\n\n{render_row(row, Fence.around(row_texts(row)))}\n\nDecision: {written}"


def _shape_part(shape: Shape) -> str:
    tie = "\n\n" + text("tie") if "tie" in shape.words else ""
    return fill(text("shape"), skeleton=shape.skeleton(), words=shape.listed_words(), tie=tie)


def _critic_sampling(judge: JudgeVersion) -> _Sampling:
    model = judge.params.get("critic_model", judge.model)
    if not isinstance(model, str):
        raise ValueError(f"critic_model has to be a model's name, not {model!r}")
    if "critic_temperature" in judge.params:
        return _Sampling(model, _number(judge, "critic_temperature"))
    return _Sampling(model, None if _number(judge, "temperature") is None else 0.0)


def _number(judge: JudgeVersion, name: str) -> float | None:
    value = judge.params.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} has to be a number, not {value!r}")
    return float(value)

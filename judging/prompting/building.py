"""Build requests: everything that does not change with the row goes first, the row last.

The system prompt is the same for every row of a judge version, so servers can cache it; the user
message holds the row. All of it is a pure function of its arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from judging.calls import Message, Request
from judging.prompting.fencing import Fence
from judging.prompting.library import all_texts, fill, text
from judging.prompting.parts import data_parts, named_part, rubric_fact_of, standard_parts, steps_parts
from judging.prompting.rendering import render_row, row_texts
from judging.prompting.shapes import CRITIC, Shape, shape_of
from judging.prompting.tools import server_tools
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

BUILDER_VERSION: Final = 2
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
    model: str | None = None,
) -> Request:
    """Build the request for one sample of the judge's recipe.

    Args:
        trace: The row to judge.
        judge: Whose recipe, model and parameters are used.
        criterion: The standard, in the version the judge was made for.
        examples: Train rows with the person's decision; one that is the row itself is left out.
        order: For pairs, which answer is shown as A; AB when not given.
        model: Who is asked when it is not the judge's `model`.

    Raises:
        ValueError: when the recipe, the kind or a parameter cannot be used, or kind and row do not fit.
    """
    _check(trace, judge, criterion)
    shape = shape_of(judge.recipe, judge)
    parts = [
        named_part("frame", judge.kind, criterion),
        *standard_parts(judge, criterion),
        *steps_parts(judge.recipe, judge.kind),
        *data_parts(judge, examples, trace),
        shape.part(),
    ]
    fence = Fence.around(row_texts(trace))
    row = render_row(trace, fence, order=order, rubric_fact=rubric_fact_of(judge))
    user = fill(text(f"row.{judge.kind}"), mark=fence.mark, row=row)
    sampling = _Sampling(model or judge.model, _number(judge, "temperature"))
    return _request(judge, parts, user, shape, sampling)


def build_critic_request(
    trace: AnyTrace,
    judge: JudgeVersion,
    criterion: Criterion,
    examples: Sequence[tuple[AnyTrace, Example]],
    *,
    candidates: Sequence[Candidate],
    argument: str = "",
    order: Order | None = None,
) -> Request:
    """Build the request for the critic, who sees the question and the candidates but not their scaffold.

    The critic is asked at temperature 0 when the candidates are drawn at a stated temperature, unless
    `critic_temperature` says otherwise; `critic_model` names another model for it, and `critic_tools`
    the server's own tools it may use.

    Args:
        trace: The row to judge.
        judge: Whose model and parameters are used.
        criterion: The standard, in the version the judge was made for.
        examples: As for the candidates.
        candidates: The opinions to weigh, in the order drawn.
        argument: What an advocate said for some of them; empty: none was asked.
        order: As the candidates saw it.

    Raises:
        ValueError: as `build_request`, or when there are no candidates.
    """
    _check(trace, judge, criterion)
    if not candidates:
        raise ValueError("a critic needs at least one candidate to weigh")
    tools = server_tools(judge.params.get("critic_tools", ()))
    shape = shape_of(CRITIC, judge)
    parts = [
        named_part("frame.critic", judge.kind, criterion),
        *standard_parts(judge, criterion),
        *steps_parts(CRITIC, judge.kind),
        *([fill(text("tools"), tools=", ".join(str(tool["name"]) for tool in tools))] if tools else []),
        *data_parts(judge, examples, trace),
        shape.part(),
    ]
    fence = Fence.around([*row_texts(trace), *(candidate.raw for candidate in candidates), argument])
    user = fill(
        text("row.critic.argued" if argument else "row.critic"),
        mark=fence.mark,
        row=render_row(trace, fence, order=order, rubric_fact=rubric_fact_of(judge)),
        opinions=_opinions(fence, candidates),
        argument=fence.quote("argument", argument),
    )
    return _request(judge, parts, user, shape, _critic_sampling(judge), tools)


def build_advocate_request(
    trace: AnyTrace,
    judge: JudgeVersion,
    criterion: Criterion,
    *,
    candidates: Sequence[Candidate],
    speak_for: Sequence[int],
    order: Order | None = None,
) -> Request:
    """Build the request for the devil's advocate, who argues for some of the candidates in plain text.

    Args:
        trace: The row to judge.
        judge: Whose model and parameters are used; the advocate is asked like the critic.
        criterion: The standard, in the version the judge was made for.
        candidates: The opinions as the critic will see them.
        speak_for: Which of them to argue for, by their numbers from 1.
        order: As the candidates saw it.

    Raises:
        ValueError: as `build_request`, or when there is nobody to speak for.
    """
    _check(trace, judge, criterion)
    if not speak_for:
        raise ValueError("an advocate needs at least one candidate to speak for")
    parts = [
        fill(text("frame.advocate"), name=criterion.name),
        *standard_parts(judge, criterion),
        text("steps.advocate"),
        *data_parts(judge, (), trace),
    ]
    fence = Fence.around([*row_texts(trace), *(candidate.raw for candidate in candidates)])
    user = fill(
        text("row.advocate"),
        mark=fence.mark,
        row=render_row(trace, fence, order=order, rubric_fact=rubric_fact_of(judge)),
        opinions=_opinions(fence, candidates),
        numbers=", ".join(map(str, speak_for)),
    )
    return _request(judge, parts, user, None, _critic_sampling(judge))


@cache
def prompt_code_hash() -> str:
    """Hash every prompt text and the builder's version: what a judge version was made with."""
    return content_hash({"builder": BUILDER_VERSION, "texts": all_texts()})


@dataclass(frozen=True)
class _Sampling:
    model: str
    temperature: float | None


def _request(
    judge: JudgeVersion,
    parts: Iterable[str],
    user: str,
    shape: Shape | None,
    sampling: _Sampling,
    tools: Sequence[Json] = (),
) -> Request:
    max_tokens = judge.params.get("max_tokens", DEFAULT_MAX_TOKENS)
    if not isinstance(max_tokens, int) or isinstance(max_tokens, bool) or max_tokens < 1:
        raise ValueError(f"max_tokens has to be a whole number above 0, not {max_tokens!r}")
    options: dict[str, Json] = {name: judge.params[name] for name in _PASSED_ON if name in judge.params}
    if tools:
        options["tools"] = list(tools)
    return Request(
        model=sampling.model,
        system="\n\n".join(parts),
        messages=(Message("user", user),),
        max_tokens=max_tokens,
        temperature=sampling.temperature,
        schema=shape.schema() if shape else None,
        options=options,
    )


def _check(trace: AnyTrace, judge: JudgeVersion, criterion: Criterion) -> None:
    if isinstance(trace, Pair) != (judge.kind is JudgeKind.PAIRWISE):
        raise ValueError(f"a {judge.kind} judge cannot judge a {trace.kind} trace ({trace.id})")
    if criterion.kind is not judge.kind:
        raise ValueError(f"criterion {criterion.name!r} is for {criterion.kind} judges, not {judge.kind}")


def _opinions(fence: Fence, candidates: Sequence[Candidate]) -> str:
    return "\n\n".join(
        fence.quote("opinion", candidate.raw, attributes=f'number="{number}"')
        for number, candidate in enumerate(candidates, start=1)
    )


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

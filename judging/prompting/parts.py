"""The parts of a system prompt: the standard in words, how to work, how the row comes, decided rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from judging.classes import classes_of
from judging.prompting.fencing import Fence
from judging.prompting.library import fill, text
from judging.prompting.rendering import render_row, row_texts, same_row
from judging.scorecards import Scorecard
from store.records import AnyTrace, Criterion, Example, JudgeKind, JudgeVersion


def named_part(part: str, kind: JudgeKind, criterion: Criterion) -> str:
    """Give the part that says what is judged."""
    return fill(text(f"{part}.{kind}"), name=criterion.name)


def standard_parts(judge: JudgeVersion, criterion: Criterion) -> Iterable[str]:
    """Give the standard: the definitions word for word, or the classes or dimensions, and what is needed.

    Raises:
        ValueError: when the judge's classes or dimensions cannot be used.
    """
    if judge.kind is JudgeKind.CLASSIFY:
        yield fill(text("standard.classify"), classes=_classes(judge))
        yield from _guidance(judge.kind, criterion)
    elif judge.kind is JudgeKind.SCORECARD:
        yield fill(text("standard.scorecard"), dimensions=_dimensions(judge))
        yield from _guidance(judge.kind, criterion)
    else:
        yield fill(
            text(f"standard.{judge.kind}"),
            pass_definition=criterion.pass_definition,
            fail_definition=criterion.fail_definition,
        )
    if criterion.facts_needed.strip():
        yield fill(text("needs"), facts_needed=criterion.facts_needed)


def steps_parts(recipe: str, kind: JudgeKind) -> Iterable[str]:
    """Give the scaffold: how to work before the verdict."""
    if recipe == "self-critique":
        yield text(f"steps.teach.{kind}", "steps.teach")
    yield text(f"steps.{recipe}.{kind}", f"steps.{recipe}")


def data_parts(
    judge: JudgeVersion, examples: Sequence[tuple[AnyTrace, Example]], judged: AnyTrace
) -> Iterable[str]:
    """Say how the row comes, then show decided rows, but never the row at hand: its label is the answer."""
    rubric_fact = rubric_fact_of(judge)
    yield text("data")
    if rubric_fact:
        yield text("rubric")
    shown = [(row, example) for row, example in examples if not same_row(row, judged)]
    if not shown:
        return
    yield text("examples")
    for number, (row, example) in enumerate(shown, start=1):
        decision = {"critique": example.critique, "verdict": example.verdict}
        if not example.critique.strip():
            del decision["critique"]
        rendered = render_row(row, Fence.around(row_texts(row)), rubric_fact=rubric_fact)
        written = json.dumps(decision, ensure_ascii=False)
        yield f"### Row {number}\n\n{rendered}\n\nDecision: {written}"


def rubric_fact_of(judge: JudgeVersion) -> str | None:
    """Give the name of the fact that holds a row's own rubric, or None.

    Raises:
        ValueError: when the parameter holds no name.
    """
    name = judge.params.get("rubric_fact")
    if name is None or (isinstance(name, str) and name.strip()):
        return name
    raise ValueError(f"rubric_fact has to be the name of a fact, not {name!r}")


def _guidance(kind: JudgeKind, criterion: Criterion) -> Iterable[str]:
    """Give the criterion's definitions where it has any: here the classes or points say most."""
    if criterion.pass_definition.strip():
        yield fill(text(f"guidance.good.{kind}"), pass_definition=criterion.pass_definition)
    if criterion.fail_definition.strip():
        yield fill(text(f"guidance.bad.{kind}"), fail_definition=criterion.fail_definition)


def _classes(judge: JudgeVersion) -> str:
    return "\n".join(f"- {_quoted(one.name)}: {one.description}" for one in classes_of(judge))


def _dimensions(judge: JudgeVersion) -> str:
    described = []
    for one in Scorecard.of(judge).dimensions:
        points = "\n".join(f"- {point}: {meaning}" for point, meaning in one.points.items())
        described.append(f"### {one.name}\n\n{points}")
    return "\n\n".join(described)


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)

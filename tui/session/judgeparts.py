"""The five parts of a judge version as text, and what differs between two versions, part by part."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from judging.backends import calls_models
from judging.classes import CLASSES, classes_of
from judging.prompting import DEFAULT_MAX_TOKENS
from judging.prompting.shapes import shape_of, verdict_words
from judging.recipes import RECIPES, REDUCERS, RecipeContext
from judging.scorecards import DIMENSIONS, OVERALL, Scorecard
from store.errors import StoreError
from store.project import Project
from store.records import Criterion, Json, JudgeKind, JudgeVersion, Pair, Trace

_LOOKED_AT: Final = 12
"""Rows whose facts are named; the rest is taken to have the same ones."""

_QUESTION: Final = 200
"""Characters of an example's request that are shown: enough to know the row by."""

_SENTENCE: Final = re.compile(r"\n|(?<=[.!?;])\s+")


@dataclass(frozen=True)
class Part:
    """One of the five parts, or a piece of it."""

    title: str
    text: str


def definition_titles(kind: JudgeKind) -> tuple[str, str]:
    """Name the two definitions of a criterion in the words of its kind."""
    if kind is JudgeKind.PAIRWISE:
        return ("BETTER", "WORSE")
    return ("PASS", "FAIL") if kind is JudgeKind.PASS_FAIL else ("GOOD", "BAD")


def criterion_parts(criterion: Criterion) -> tuple[Part, ...]:
    """Give the first two parts: what is judged, and by which definitions, word for word."""
    good, bad = definition_titles(criterion.kind)
    return (
        Part("1 criterion", f"{criterion.name} v{criterion.version}, {criterion.kind}"),
        Part(f"2 {good}, word for word", criterion.pass_definition),
        Part(f"2 {bad}, word for word", criterion.fail_definition),
    )


def parts_of(project: Project, judge: JudgeVersion) -> tuple[Part, ...]:
    """Give a version's five parts in order; reads its examples and a few rows.

    Raises:
        NotFound: The criterion's version is not there.
    """
    criterion = project.criteria.version(judge.criterion, judge.criterion_version)
    return (
        *criterion_parts(criterion),
        *_described(judge),
        Part("3 facts it sees", "\n".join(_facts(project, judge, criterion))),
        Part(_examples_title(judge), "\n\n".join(_examples(project, judge))),
        Part("5 recipe and shape of the answer", "\n".join(_answering(judge, criterion))),
    )


def _described(judge: JudgeVersion) -> Iterator[Part]:
    """Give what the classes or the points of each dimension mean."""
    if judge.kind is JudgeKind.CLASSIFY and CLASSES in judge.params:
        yield Part("2 classes", "\n".join(f"{one.name}: {one.description}" for one in classes_of(judge)))
    if judge.kind is JudgeKind.SCORECARD and DIMENSIONS in judge.params:
        card = Scorecard.of(judge)
        for one in card.dimensions:
            points = "\n".join(f"{point}: {meaning}" for point, meaning in one.points.items())
            yield Part(f"2 dimension {one.name}", points)
        yield Part("2 overall, computed", card.formula())


def _facts(project: Project, judge: JudgeVersion, criterion: Criterion) -> Iterator[str]:
    if judge.backend == "imported":
        yield "The verdicts were made elsewhere: what the judge saw is not known here."
        return
    if judge.backend == "code":
        field = judge.params.get("field")
        yield f"of each row: {field}" if field else "of each row: every field, metadata too; never its label"
        return
    if criterion.facts_needed:
        yield f"needed: {criterion.facts_needed}"
    row = "the request and both answers" if judge.kind is JudgeKind.PAIRWISE else "the request and the reply"
    names = fact_names(project, judge)
    yield (
        f"of each row: {row}, and the facts: {', '.join(names)}" if names else f"of each row: {row}; no facts"
    )
    rubric = judge.params.get("rubric_fact")
    if rubric:
        yield f"a row's own rubric: the fact {rubric}"
    yield "never: the row's own label or note, names of people or models, metadata"


def fact_names(project: Project, judge: JudgeVersion) -> tuple[str, ...]:
    """Name the facts that the first rows of a judge's criterion have, in order."""
    pairs = judge.kind is JudgeKind.PAIRWISE
    names: dict[str, None] = {}
    rows = (row for part in project.rows_for(judge.criterion) for row in part)
    fitting = (row for row in rows if project.traces.is_pair(row) is pairs)
    for _, row in zip(range(_LOOKED_AT), fitting, strict=False):
        names.update(dict.fromkeys(project.traces.at(row).facts))
    return tuple(names)


def _examples_title(judge: JudgeVersion) -> str:
    return f"4 examples from train: {len(judge.examples)}" if judge.examples else "4 examples from train"


def _examples(project: Project, judge: JudgeVersion) -> Iterator[str]:
    if judge.backend == "baseline":
        yield "It is fitted on every labelled row of train, as they were when this version was made."
    elif judge.backend == "code":
        yield "None: code is shown no examples."
    elif judge.backend == "imported":
        yield "Not known: the verdicts were made elsewhere."
    elif not judge.examples:
        yield "None. Two to eight, borderline ones first, show how the standard applies: e edits."
    for example in judge.examples:
        try:
            asked = project.traces.get(example.trace).input
        except StoreError as error:
            asked = str(error)
        shown = asked if len(asked) <= _QUESTION else f"{asked[:_QUESTION]} ..."
        critique = example.critique.strip() or "(no critique: the person wrote no note)"
        yield f"{example.verdict.upper()} {example.trace}: {shown}\ncritique: {critique}"


def _answering(judge: JudgeVersion, criterion: Criterion) -> Iterator[str]:
    if not calls_models(judge):
        yield from _unasked(judge)
        return
    recipe = RECIPES.get(judge.recipe)
    yield f"recipe: {judge.recipe}" + (f" ({recipe.description})" if recipe else "")
    row = Pair("", "", "", "") if judge.kind is JudgeKind.PAIRWISE else Trace("", "", "")
    context = RecipeContext(row, judge, criterion)
    try:
        reducer = REDUCERS.get(context.reducer)
        what = f" ({reducer.description})" if reducer else ""
        yield f"candidates: {context.samples}, made one by: {context.reducer}{what}"
        yield f"model: {', '.join(context.models)}"
        yield f"shape: {shape_of(judge.recipe, judge).skeleton()}"
        if words := verdict_words(judge):
            yield f"allowed verdicts: {', '.join(words)}"
    except ValueError as error:
        yield f"cannot be asked: {error}"
    if judge.base_url:
        yield f"server: {judge.base_url}"
    yield f"max tokens: {judge.params.get('max_tokens', DEFAULT_MAX_TOKENS)}"
    told = {"n", "reducer", "max_tokens", "models", CLASSES, DIMENSIONS, OVERALL, "rubric_fact"}
    for name, value in sorted(judge.params.items()):
        if name not in told:
            yield f"{name.replace('_', ' ')}: {_value(value)}"


def _value(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _unasked(judge: JudgeVersion) -> Iterator[str]:
    if judge.backend == "baseline":
        yield "A text classifier on this machine: words and pairs of words, logistic regression."
        yield "No model is asked, nothing is paid; its critique names the words that weighed most."
        return
    if judge.backend == "code":
        yield "A check of your own, run on this machine. No model is asked, nothing is paid."
        for name, value in sorted(judge.params.items()):
            yield f"{name.replace('_', ' ')}: {_value(value)}"
        return
    yield "Recorded verdicts, made elsewhere" + (f" by {judge.model}" if judge.model else "") + "."
    yield "It can be measured, not run."


# Differences ----------------------------------------------------------------------------------------


class Change(StrEnum):
    """What became of one line."""

    PART = "part"
    """The title of a part that differs."""
    SAME = "same"
    GONE = "gone"
    NEW = "new"
    NOTE = "note"
    """Said about the versions, in our words."""


@dataclass(frozen=True)
class DiffLine:
    """One line of a comparison."""

    change: Change
    text: str


def diff_parts(old: Sequence[Part], new: Sequence[Part]) -> tuple[DiffLine, ...]:
    """Compare two versions part by part; parts that are the same are only named.

    Definitions are compared sentence by sentence, everything else line by line.
    """
    before, after = _by_key(old), _by_key(new)
    lines: list[DiffLine] = []
    same: list[str] = []
    for key in dict.fromkeys([*before, *after]):
        was, now = before.get(key), after.get(key)
        if was and now and was.text == now.text:
            same.append(key)
            continue
        title = (now or was or Part(key, "")).title
        lines.append(DiffLine(Change.PART, title))
        pieces = _sentences if key.startswith("2 ") else _lines
        lines += _changed(pieces(was.text if was else ""), pieces(now.text if now else ""))
    if not lines:
        return (DiffLine(Change.NOTE, "the five parts are the same"),)
    if same:
        lines.append(DiffLine(Change.NOTE, f"the same in both: {'; '.join(same)}"))
    return tuple(lines)


def _by_key(parts: Sequence[Part]) -> dict[str, Part]:
    """Key parts by their title without what is counted in it."""
    return {part.title.partition(":")[0]: part for part in parts}


def _changed(old: list[str], new: list[str]) -> Iterator[DiffLine]:
    kinds = {"- ": Change.GONE, "+ ": Change.NEW, "  ": Change.SAME}
    for line in difflib.ndiff(old, new):
        if line[:2] in kinds:
            yield DiffLine(kinds[line[:2]], line[2:])


def _sentences(text: str) -> list[str]:
    """Split a text at line ends and behind sentences, so that one changed sentence shows as one."""
    return [part for part in _SENTENCE.split(text) if part.strip()]


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]

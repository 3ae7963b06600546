"""The shape an answer is asked for in: which keys, in which order, with which verdict words or scores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from judging.classes import classes_of
from judging.prompting.library import fill, text
from judging.scorecards import POINTS, Scorecard
from store.records import VERDICT_WORDS, Decision, Json, JudgeKind, JudgeVersion

CRITIC: Final = "critic"
"""The shape of a critic's answer; not a recipe of its own."""

_STUDY: Final = ("study", "teaching", "gaps", "summary")
STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "plain": (),
    "critique-first": ("critique",),
    "solve-first": ("own_answer", "critique"),
    "teach": (*_STUDY, "critique"),
    "self-critique": (*_STUDY, "self_check", "critique"),
    CRITIC: ("comparison", "critique"),
}
"""What has to be written before the verdict, by recipe: keys in a fixed order make it reason in order."""

CONFIDENCES: Final = ("low", "medium", "high")
"""How sure a scorecard's judge may say it is of a score."""


class Shape(Protocol):
    """One JSON object that is asked for."""

    def schema(self) -> dict[str, Json]:
        """Give the JSON schema; properties stand in the order they are to be written."""
        ...

    def skeleton(self) -> str:
        """Show the object as a line to be filled in; it reads as no verdict itself."""
        ...

    def part(self) -> str:
        """Give the part of the prompt that asks for it."""
        ...


@dataclass(frozen=True)
class VerdictShape:
    """Keys of text in order, then the verdict."""

    steps: tuple[str, ...]
    words: tuple[str, ...]

    def schema(self) -> dict[str, Json]:
        """Give the JSON schema."""
        properties = _texts(self.steps)
        properties["verdict"] = {"type": "string", "enum": list(self.words)}
        return _object(properties)

    def skeleton(self) -> str:
        """Show the object as a line to be filled in."""
        keys = [f'"{step}": "..."' for step in self.steps]
        return "{" + ", ".join([*keys, '"verdict": "..."']) + "}"

    def part(self) -> str:
        """Give the part of the prompt that asks for it."""
        tie = "\n\n" + text("tie") if Decision.TIE in self.words else ""
        words = ", ".join(json.dumps(word, ensure_ascii=False) for word in self.words)
        return fill(text("shape"), skeleton=self.skeleton(), words=words, tie=tie)


@dataclass(frozen=True)
class ScoreShape:
    """Keys of text in order, then for each dimension its evidence, score and confidence."""

    steps: tuple[str, ...]
    dimensions: tuple[str, ...]

    def schema(self) -> dict[str, Json]:
        """Give the JSON schema; a score is one of the points, or null for one that cannot be told."""
        score = {"anyOf": [{"type": "integer", "enum": list(POINTS)}, {"type": "null"}]}
        each: dict[str, Json] = {
            "evidence": {"type": "string"},
            "score": score,
            "confidence": {"type": "string", "enum": list(CONFIDENCES)},
        }
        scores: dict[str, Json] = {name: _object(each) for name in self.dimensions}
        return _object({**_texts(self.steps), "scores": _object(scores)})

    def skeleton(self) -> str:
        """Show the object as a line to be filled in."""
        each = '{"evidence": "...", "score": ..., "confidence": "..."}'
        scores = ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {each}" for name in self.dimensions)
        keys = [f'"{step}": "..."' for step in self.steps]
        return "{" + ", ".join([*keys, f'"scores": {{{scores}}}']) + "}"

    def part(self) -> str:
        """Give the part of the prompt that asks for it."""
        words = ", ".join(f'"{word}"' for word in CONFIDENCES)
        return fill(text("shape.scorecard"), skeleton=self.skeleton(), confidences=words)


def shape_of(recipe: str, judge: JudgeVersion) -> Shape:
    """Give the shape for a recipe's sample, or for its critic.

    Raises:
        ValueError: when there is no such recipe, or the judge's classes or dimensions cannot be used.
    """
    if recipe not in STEPS:
        raise ValueError(
            f"there is no recipe named {recipe!r}; there are {', '.join(sorted(STEPS.keys() - {CRITIC}))}"
        )
    if judge.kind is JudgeKind.SCORECARD:
        return ScoreShape(STEPS[recipe], tuple(one.name for one in Scorecard.of(judge).dimensions))
    return VerdictShape(STEPS[recipe], verdict_words(judge))


def verdict_words(judge: JudgeVersion) -> tuple[str, ...]:
    """Give the words a judge may decide with; a scorecard has none.

    Raises:
        ValueError: when a classify judge's classes cannot be used.
    """
    if judge.kind is JudgeKind.CLASSIFY:
        return (*(one.name for one in classes_of(judge)), str(Decision.UNKNOWN))
    words = [str(word) for word in VERDICT_WORDS.get(judge.kind, ())]
    if judge.kind is JudgeKind.PAIRWISE and judge.params.get("allow_tie") is False:
        words.remove(Decision.TIE)
    return tuple(words)


def _texts(steps: tuple[str, ...]) -> dict[str, Json]:
    return {step: {"type": "string"} for step in steps}


def _object(properties: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }

"""The shape an answer is asked for in: which keys, in which order, with which verdict words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

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


@dataclass(frozen=True)
class Shape:
    """One JSON object: keys of text in order, then the verdict."""

    steps: tuple[str, ...]
    words: tuple[str, ...]

    def schema(self) -> dict[str, Json]:
        """Give the JSON schema; properties stand in the order they are to be written."""
        properties: dict[str, Json] = {step: {"type": "string"} for step in self.steps}
        properties["verdict"] = {"type": "string", "enum": list(self.words)}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }

    def skeleton(self) -> str:
        """Show the object as a line to be filled in; it reads as no verdict itself."""
        keys = [f'"{step}": "..."' for step in self.steps]
        return "{" + ", ".join([*keys, '"verdict": "..."']) + "}"

    def listed_words(self) -> str:
        """Give the verdict words as a list in a sentence."""
        return ", ".join(f'"{word}"' for word in self.words)


def shape_of(recipe: str, judge: JudgeVersion) -> Shape:
    """Give the shape for a recipe's sample, or for its critic.

    Raises:
        ValueError: when the recipe or the judge's kind has no shape.
    """
    if recipe not in STEPS:
        raise ValueError(
            f"there is no recipe named {recipe!r}; there are {', '.join(sorted(STEPS.keys() - {CRITIC}))}"
        )
    if judge.kind not in VERDICT_WORDS:
        raise ValueError(f"a {judge.kind} judge is not asked by prompt")
    words = [str(word) for word in VERDICT_WORDS[judge.kind]]
    if judge.kind is JudgeKind.PAIRWISE and judge.params.get("allow_tie") is False:
        words.remove(Decision.TIE)
    return Shape(STEPS[recipe], tuple(words))

"""Read one JSON object as a verdict: which key states it, what it says, and the critique beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from judging.parsing.scanning import JsonObject, plain_key
from judging.parsing.vocabulary import Vocabulary
from store.records import Json, Reason

CRITIQUE_KEYS: Final = (
    "critique",
    "reasoning",
    "rationale",
    "explanation",
    "justification",
    "reason",
    "feedback",
    "analysis",
    "evaluation",
    "comment",
)
"""JSON keys that hold the critique, the most telling first."""

STEP_KEYS: Final = ("own_answer", "study", "teaching", "gaps", "summary", "self_check", "comparison")
"""JSON keys under which the recipes ask for work done before the critique."""

CONTRADICTS_SCORE: Final = "contradicts its score"
_TRUE: Final = frozenset({"true", "yes"})
_FALSE: Final = frozenset({"false", "no"})
_SHOWN: Final = 60


@dataclass(frozen=True)
class ObjectReading:
    """What one object says."""

    verdict: str | None
    reason: Reason | None = None
    """Set when a verdict key is there that names no single verdict."""
    detail: str = ""
    critique: str | None = None
    """None when there is no critique key."""
    flags: tuple[str, ...] = ()

    @property
    def states_verdict(self) -> bool:
        """Whether a verdict key is there at all, readable or not."""
        return self.verdict is not None or self.reason is not None


@dataclass(frozen=True)
class _Member:
    key: str
    value: Json
    verdict: str | None


def read_object(found: JsonObject, vocabulary: Vocabulary) -> ObjectReading:
    """Read the verdict keys and the critique of one object.

    An object whose only member is another object is an envelope, and read as what it holds.
    """
    for _ in range(_SHOWN):
        only = found.pairs[0][1] if len(found.pairs) == 1 else None
        if not isinstance(only, JsonObject):
            break
        found = only
    members = list(_verdict_members(found, vocabulary))
    reading = replace(_agreed(members), critique=critique_of(found))
    if reading.verdict is not None and _score_contradicts(found, reading.verdict, vocabulary):
        return replace(reading, flags=(CONTRADICTS_SCORE,))
    return reading


def own_keys(vocabulary: Vocabulary) -> frozenset[str]:
    """Give the keys that tell an object as a judge's own."""
    return frozenset({*vocabulary.fields, *vocabulary.booleans, *CRITIQUE_KEYS, *STEP_KEYS})


def _verdict_members(found: JsonObject, vocabulary: Vocabulary) -> Iterator[_Member]:
    plain = [(plain_key(key), key, value) for key, value in found.pairs]
    for wanted in vocabulary.fields:
        for name, key, value in plain:
            if name == wanted:
                verdict = vocabulary.stated(value).verdict if isinstance(value, str) else None
                yield _Member(key, value, verdict)
    for wanted, meanings in vocabulary.booleans.items():
        for name, key, value in plain:
            if name == wanted:
                yield _Member(key, value, _boolean(value, meanings, vocabulary))


def _boolean(value: Json, meanings: tuple[str, str], vocabulary: Vocabulary) -> str | None:
    """Read yes or no from a boolean or its words; a number or null is neither."""
    if isinstance(value, bool):
        return meanings[0] if value else meanings[1]
    if not isinstance(value, str):
        return None
    word = value.strip().casefold()
    if word in _TRUE:
        return meanings[0]
    return meanings[1] if word in _FALSE else vocabulary.word(value)


def _agreed(members: Sequence[_Member]) -> ObjectReading:
    """Join what the verdict keys say; the first key decides whether there is a verdict to read."""
    if not members:
        return ObjectReading(None)
    named = {member.verdict for member in members if member.verdict is not None}
    if len(named) > 1:
        return ObjectReading(None, Reason.CONTRADICTORY, f"its keys name {_listed(named)}")
    first = members[0]
    repeats = [member for member in members if plain_key(member.key) == plain_key(first.key)]
    if any(member.verdict is None for member in repeats):
        odd = next(member for member in repeats if member.verdict is None)
        shown = odd.value if not isinstance(odd.value, JsonObject) else "an object"
        detail = f"{odd.key!r} holds {_short(shown)}, which names no single verdict"
        return ObjectReading(None, Reason.UNPARSED, detail)
    return ObjectReading(first.verdict)


def critique_of(found: JsonObject) -> str | None:
    """Give what an object says under its most telling critique key, or None."""
    members = {plain_key(key): value for key, value in found.pairs}
    for key in CRITIQUE_KEYS:
        value = members.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return "\n".join(value)
    return None


def _score_contradicts(found: JsonObject, verdict: str, vocabulary: Vocabulary) -> bool:
    """Say whether a score of 0, the lowest on any scale, stands beside another verdict."""
    lowest = vocabulary.lowest
    if lowest is None or verdict not in vocabulary.words.values() or verdict in (lowest, "unknown"):
        return False
    return any(
        plain_key(key) == "score"
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and value <= 0
        for key, value in found.pairs
    )


def _listed(words: set[str]) -> str:
    return " and ".join(sorted(words))


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"

"""Read a scorecard: the last object that scores a dimension decides, and every score has to be a point.

The overall is not read: it is computed from the scores, whatever the answer says it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from judging.parsing.objects import CRITIQUE_KEYS, STEP_KEYS, critique_of
from judging.parsing.reading import BLANK, CHANGED, LISTED, REPAIRED, Reading
from judging.parsing.scanning import Found, JsonObject, Scan, plain_key, scan
from judging.scorecards import POINTS, Scorecard, in_words
from store.records import Decision, Json, Reason

_SCORES: Final = "scores"
_UNTOLD: Final = frozenset({"null", "none", "unknown", "n/a"})
_SHOWN: Final = 60


@dataclass(frozen=True)
class _Scored:
    """What one object says of the dimensions."""

    scores: dict[str, float] = field(default_factory=dict)
    untold: tuple[str, ...] = ()
    """Dimensions it says cannot be told."""
    fault: str = ""
    """Why it is no scorecard, in words."""
    contradicts: bool = False
    """Whether the fault is that it scores a dimension twice."""
    remarks: tuple[str, ...] = ()
    """Evidence and confidence, a line for each dimension."""


def read_scores(text: str, card: Scorecard) -> Reading:
    """Read the scores an answer gives; the verdict is the overall by the card's formula.

    A dimension that the judge says cannot be told (null) makes the verdict "unknown", since the
    formula needs them all; what was told is kept.

    Args:
        text: The answer as it came, with or without structure.
        card: The dimensions and the formula.
    """
    if not text.strip(BLANK):
        return Reading(None, reason=Reason.EMPTY, detail="the answer holds no text")
    parts = scan(text, _own_keys(card))
    if parts.given_up:
        return _unparsed("", "the answer opens too many objects it does not close")
    found = [(one, _scored(one.value, card)) for one in parts.objects if not one.inside_broken]
    stated = [(one, scored) for one, scored in found if scored is not None]
    if not stated:
        return _unparsed("", "no object in the answer scores a dimension")
    return _decide(stated, parts, card)


def _decide(stated: Sequence[tuple[Found, _Scored]], parts: Scan, card: Scorecard) -> Reading:
    last, scored = stated[-1]
    critique = "\n".join(filter(None, (critique_of(last.value) or "", *scored.remarks)))
    if scored.fault:
        reason = Reason.CONTRADICTORY if scored.contradicts else Reason.UNPARSED
        return Reading(None, critique, reason, scored.fault)
    if any(broken.start > last.end for broken in parts.broken):
        return _unparsed(critique, "the answer goes on with scores that cannot be read")
    others = [one for _, one in stated if (one.scores, one.untold) != (scored.scores, scored.untold)]
    if others and LISTED.fullmatch("".join(parts.prose.split())):
        detail = "the answer lists objects with different scores"
        return Reading(None, critique, Reason.CONTRADICTORY, detail)
    if any(not one.fault and len(one.scores) > len(scored.scores) for one in others):
        detail = "a fuller object earlier in the answer has other scores"
        return Reading(None, critique, Reason.CONTRADICTORY, detail)
    flags = [REPAIRED] if last.repaired else []
    if others:
        flags.append(CHANGED)
    verdict = str(Decision.UNKNOWN) if scored.untold else in_words(card.overall(scored.scores))
    return Reading(verdict, critique, flags=tuple(flags), scores=scored.scores)


def _unparsed(critique: str, detail: str) -> Reading:
    return Reading(None, critique, Reason.UNPARSED, detail)


def _own_keys(card: Scorecard) -> frozenset[str]:
    names = (plain_key(one.name) for one in card.dimensions)
    return frozenset({_SCORES, *names, *CRITIQUE_KEYS, *STEP_KEYS})


def _scored(found: JsonObject, card: Scorecard) -> _Scored | None:
    """Read one object; None when it says nothing of any dimension."""
    within = [value for key, value in found.pairs if plain_key(key) == _SCORES]
    holder = within[-1] if within and isinstance(within[-1], JsonObject) else found
    if len(within) > 1:
        return _Scored(fault="its key 'scores' stands there twice", contradicts=True)
    members = {one.name: list(_values(holder, one.name)) for one in card.dimensions}
    if not any(members.values()):
        return _Scored(fault="its key 'scores' holds no scores") if within else None
    scores: dict[str, float] = {}
    untold: list[str] = []
    remarks: list[str] = []
    for name, values in members.items():
        if len(values) != 1:
            fault = f"{name!r} is scored twice" if values else f"{name!r} has no score"
            return _Scored(fault=fault, contradicts=bool(values))
        told = _score(values[0])
        remarks += _remark(name, values[0], told)
        if told is None:
            untold.append(name)
        elif told in POINTS:
            scores[name] = told
        else:
            shown = _short(_member(values[0], "score"))
            return _Scored(fault=f"{name!r} holds {shown}, which is no point from 1 to 5")
    return _Scored(scores, tuple(untold), remarks=tuple(remarks))


def _values(holder: JsonObject, name: str) -> Iterator[Json]:
    return (value for key, value in holder.pairs if plain_key(key) == plain_key(name))


def _score(value: Json) -> float | None:
    """Give a score as a number; None when it is said to be untold, 0 when it is neither."""
    value = _member(value, "score")
    if value is None:
        return None
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in _UNTOLD:
            return None
        return float(word) if word in {str(point) for point in POINTS} else 0.0
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


def _member(value: Json, key: str) -> Json:
    """Give what an object says under a key; a score that stands alone is its own."""
    if not isinstance(value, JsonObject):
        return value if key == "score" else None
    named = [inner for name, inner in value.pairs if plain_key(name) == key]
    # Two scores in one place, or none at all, are no score.
    return named[0] if len(named) == 1 else ""


def _remark(name: str, value: Json, told: float | None) -> Iterator[str]:
    evidence, confidence = _member(value, "evidence"), _member(value, "confidence")
    if isinstance(evidence, str) and evidence.strip():
        score = "cannot be told" if told is None else f"{told:g}"
        sure = f", confidence {confidence}" if isinstance(confidence, str) and confidence else ""
        yield f"{name} {score}{sure}: {evidence}"


def _short(value: Json) -> str:
    shown = "an object" if isinstance(value, JsonObject) else repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"

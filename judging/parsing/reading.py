"""Decide what one answer's verdict is: objects first, then lines, and never a guess."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from judging.parsing.lines import bare_statements, conclude, explicit_statements, remark
from judging.parsing.objects import CRITIQUE_KEYS, ObjectReading, own_keys, read_object
from judging.parsing.scanning import Found, Scan, plain_key, scan
from judging.parsing.vocabulary import VOCABULARIES, Vocabulary
from store.records import JudgeKind, Reason

REPAIRED: Final = "read from broken JSON"
CHANGED: Final = "an earlier verdict in the answer was replaced"

_CLOSED: Final = re.compile(r"[\s}\]`~.]*\Z")
_HEAD: Final = re.compile(r'\{\s*"(?P<key>[^"\\\n]{1,40})"\s*:\s*"(?P<value>[^"\\\n]{0,80})"\s*[,}]')
_TAIL: Final = re.compile(r'(?<!\\)"(?P<key>[^"\\\n]{1,40})"\s*:\s*"(?P<value>[^"\\\n]{0,80})"[\s},\]`]*\Z')
_TAIL_LENGTH: Final = 400
LISTED: Final = re.compile(r"`*(?:json)?\[,+\]`*")
"""What is left of a list of objects when they are taken out and white space is dropped."""
BLANK: Final = " \t\r\n\f\v\u00a0\u200b\ufeff"
"""White space, also the kinds that `str.strip` leaves: an answer of these alone is empty."""


@dataclass(frozen=True)
class Reading:
    """What was read from one answer; the answer's text itself is the caller's to keep."""

    verdict: str | None
    critique: str = ""
    reason: Reason | None = None
    """Why there is no verdict; None when there is one."""
    detail: str = ""
    """What stood in the way, in words."""
    flags: tuple[str, ...] = ()
    """What a reader should know, e.g. "contradicts its score"."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """A scorecard's points by dimension."""


def read_verdict(text: str, kind: JudgeKind, *, vocabulary: Vocabulary | None = None) -> Reading:
    """Read the verdict that an answer states, by the last object that states one, else by its lines.

    Args:
        text: The answer as it came, with or without structure.
        kind: What sort of verdict is asked for.
        vocabulary: The accepted words; needed for kinds whose verdicts differ by judge.

    Raises:
        ValueError: when the kind has no words of its own and none are given. No text raises.
    """
    words = vocabulary or VOCABULARIES.get(kind)
    if words is None:
        raise ValueError(f"a {kind} verdict is read with the judge's own vocabulary")
    if not text.strip(BLANK):
        return Reading(None, reason=Reason.EMPTY, detail="the answer holds no text")
    parts = scan(text, own_keys(words))
    if parts.given_up:
        return Reading(
            None, reason=Reason.UNPARSED, detail="the answer opens too many objects it does not close"
        )
    stated = [claim for claim in _claims(text, parts, words) if claim.reading.states_verdict]
    if stated:
        return _by_objects(stated, parts, words)
    return _by_lines(parts, words)


@dataclass(frozen=True)
class _Claim:
    """One object, whole or broken, as a verdict."""

    start: int
    end: int
    reading: ObjectReading
    broken: bool = False


def _claims(text: str, parts: Scan, words: Vocabulary) -> list[_Claim]:
    claims = []
    for found in parts.objects:
        reading = read_object(found.value, words)
        if _stands(found, reading, text):
            claims.append(_Claim(found.start, found.end, reading, found.repaired))
    claims += _broken_claims(text, parts, words)
    return sorted(claims, key=lambda claim: claim.start)


def _stands(found: Found, reading: ObjectReading, text: str) -> bool:
    """Say whether an object counts.

    Inside an object that the judge began and did not close, it may be a quotation of what was
    judged; only a full one that ends the answer is then the judge's second try.
    """
    if not found.inside_broken:
        return True
    return reading.critique is not None and _CLOSED.match(text, found.end) is not None


def _broken_claims(text: str, parts: Scan, words: Vocabulary) -> list[_Claim]:
    """Read objects that are no JSON by their first member, and the answer's end by its last."""
    heads = (_HEAD.match(text, broken.start) for broken in parts.broken)
    claims = [_claim_of(head, words, critique=None) for head in heads if head]
    tail = _TAIL.search(text, max(0, len(text) - _TAIL_LENGTH))
    # What an object or the thinking says is not said again by the end of the text.
    if tail and parts.prose[tail.start()] == '"':
        around = next((broken.start for broken in parts.broken if broken.start < tail.start()), None)
        if around is None:
            claims.append(_claim_of(tail, words, critique=None))
        elif text[: tail.start()].rstrip().endswith((",", "{")):
            claims.append(_claim_of(tail, words, _broken_critique(text[around : tail.start()])))
    return [claim for claim in claims if claim is not None]


def _claim_of(member: re.Match[str], words: Vocabulary, critique: str | None) -> _Claim | None:
    if plain_key(member["key"]) not in words.fields:
        return None
    verdict = words.stated(member["value"]).verdict
    reason = Reason.UNPARSED if verdict is None else None
    detail = "" if verdict else f"{member['key']!r} holds {member['value']!r}, which names no single verdict"
    return _Claim(member.start(), member.end(), ObjectReading(verdict, reason, detail, critique), broken=True)


def _broken_critique(text: str) -> str | None:
    """Give a broken object's critique as it was written, escapes and all."""
    opening = re.match(r'\{\s*"(?P<key>[^"\\\n]{1,40})"\s*:\s*"', text)
    if opening is None or plain_key(opening["key"]) not in CRITIQUE_KEYS:
        return None
    return re.sub(r'"\s*,\s*\Z', "", text[opening.end() :])


def _by_objects(claims: Sequence[_Claim], parts: Scan, words: Vocabulary) -> Reading:
    """Take the last object, unless a fuller one or a later line disagrees."""
    last = claims[-1]
    critique = last.reading.critique if last.reading.critique is not None else remark(parts.prose)
    if last.reading.verdict is None:
        return Reading(None, critique, last.reading.reason, last.reading.detail)
    others = [
        claim
        for claim in claims
        if claim.reading.verdict is not None and claim.reading.verdict != last.reading.verdict
    ]
    if len(claims) > 1 and others and LISTED.fullmatch("".join(parts.prose.split())):
        return _contradiction(critique, "the answer lists objects that name different verdicts")
    if any(_outranks(other, last) for other in others):
        return _contradiction(critique, "a fuller object earlier in the answer names another verdict")
    after = [*explicit_statements(parts.prose, words), *bare_statements(parts.prose, words)]
    if any(line.start >= last.end and line.verdict not in (None, last.reading.verdict) for line in after):
        return _contradiction(critique, "the text after the object states another verdict")
    flags = [*last.reading.flags]
    if last.broken:
        flags.append(REPAIRED)
    if others:
        flags.append(CHANGED)
    return Reading(last.reading.verdict, critique, flags=tuple(flags))


def _outranks(earlier: _Claim, last: _Claim) -> bool:
    if last.broken and not earlier.broken:
        return True
    return earlier.reading.critique is not None and last.reading.critique is None


def _contradiction(critique: str, detail: str) -> Reading:
    return Reading(None, critique, Reason.CONTRADICTORY, detail)


def _by_lines(parts: Scan, words: Vocabulary) -> Reading:
    kept = [read_object(found.value, words).critique for found in parts.objects]
    outcome = conclude(parts.prose, words)
    if outcome.verdict is None:
        critique = next((critique for critique in reversed(kept) if critique is not None), "")
        return Reading(None, critique, outcome.reason, outcome.detail)
    return Reading(outcome.verdict, remark(parts.prose, outcome.statement))

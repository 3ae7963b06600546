"""Read a verdict from prose: labelled lines, tags, [[brackets]], or a line that is one word.

A word inside a sentence never decides. Lines that quote (`>`) are somebody else's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from judging.parsing.vocabulary import Stated, Vocabulary, undress
from store.records import Reason

_LABEL: Final = re.compile(
    r"(?:^|(?<=[.!?;]\s))\s*"
    r"(?:(?:therefore|thus|hence|in conclusion)\s*,\s*|"
    r"(?:(?:my|the)\s+)?(?P<final>(?:final|overall|ultimate)\s+)?"
    r"(?P<name>verdict|decision|judge?ment|grade|result|conclusion|answer|winner|choice|preference)"
    r"\s*(?::|=|\||[-–—](?=\s)|\bis\b\s*:?)\s*)",
    re.IGNORECASE,
)
_TAG: Final = re.compile(
    r"<(?P<tag>verdict|correctness|decision|judge?ment|grade|final_answer|answer|result)>"
    r"(?P<value>[^<>]{0,200})</(?P=tag)>",
    re.IGNORECASE,
)
_BRACKETS: Final = re.compile(r"\[\[([^\[\]\n]{1,60})\]\]")
_LINE: Final = re.compile(r"[^\r\n]+")
_HEADING: Final = re.compile(r"(?:final |overall |my )?(?:verdict|decision|judge?ment)")
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*\w*[ \t]*$", re.MULTILINE)
_DRESSED: Final = str.maketrans("", "", "*`~#")


@dataclass(frozen=True)
class Statement:
    """One place in the prose that states a verdict, or plainly tries to."""

    start: int
    end: int
    verdict: str | None
    rest: str = ""
    final: bool = False
    """Said to be final or overall."""
    bracket: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a set of statements comes to."""

    verdict: str | None
    reason: Reason | None = None
    detail: str = ""
    statement: Statement | None = None
    """The one that decided."""


def explicit_statements(prose: str, vocabulary: Vocabulary) -> list[Statement]:
    """Find labelled verdicts, tags and brackets, in order."""
    found: list[Statement] = []
    for line in _own_lines(prose):
        # A label's value may stand in brackets: that is one statement, not two.
        found += list(_labelled(line, vocabulary)) or _bracketed(line, vocabulary)
    for tag in _TAG.finditer(prose):
        found.append(Statement(tag.start(), tag.end(), vocabulary.stated(tag["value"]).verdict))
    return sorted(found, key=lambda statement: statement.start)


def bare_statements(prose: str, vocabulary: Vocabulary) -> list[Statement]:
    """Find lines that hold one verdict word and nothing else, in order."""
    words = ((line, vocabulary.word(line[0])) for line in _own_lines(prose))
    return [Statement(line.start(), line.end(), verdict) for line, verdict in words if verdict is not None]


def conclude(prose: str, vocabulary: Vocabulary) -> Outcome:
    """Decide what the prose states; statements that differ are a contradiction, never a guess."""
    explicit = explicit_statements(prose, vocabulary)
    bare = bare_statements(prose, vocabulary)
    if not explicit:
        return _conclude_bare(prose, bare)
    if explicit[-1].final:
        explicit = [statement for statement in explicit if statement.final]
    elif _closes_with_bracket(prose, explicit):
        explicit = explicit[-1:]
    last = explicit[-1]
    return _joined([*explicit, *(statement for statement in bare if statement.start > last.start)], last)


def remark(prose: str, statement: Statement | None = None) -> str:
    """Give the prose around a statement as a critique: what leads up to it, else what follows."""
    if statement is None:
        return _tidy(prose)
    before = _tidy(prose[: statement.start])
    *earlier, closing = before.split("\n")
    if _HEADING.fullmatch(undress(closing)):
        before = "\n".join(earlier).strip()
    return before or _tidy(f"{statement.rest}\n{prose[statement.end :]}")


def _own_lines(prose: str) -> Iterator[re.Match[str]]:
    return (line for line in _LINE.finditer(prose) if not line[0].lstrip().startswith(">"))


def _labelled(line: re.Match[str], vocabulary: Vocabulary) -> Iterator[Statement]:
    text = line[0].translate(_DRESSED).strip(" \t|").lstrip("-+• ")
    heads = list(_LABEL.finditer(text))
    for number, head in enumerate(heads):
        end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        value = text[head.end() : end].strip(" \t|")
        stated = vocabulary.stated(value) if value else Stated(None)
        telling = bool(head["final"]) or (head["name"] or "").casefold() == "verdict"
        # "The result: 42" says nothing of the verdict; "Verdict: 42" tried to and did not.
        if stated.verdict is not None or (value and telling):
            yield Statement(line.start(), line.end(), stated.verdict, stated.rest, final=bool(head["final"]))


def _bracketed(line: re.Match[str], vocabulary: Vocabulary) -> list[Statement]:
    offset = line.start()
    return [
        Statement(offset + mark.start(), offset + mark.end(), vocabulary.bracketed(mark[1]), bracket=True)
        for mark in _BRACKETS.finditer(line[0])
    ]


def _closes_with_bracket(prose: str, explicit: Sequence[Statement]) -> bool:
    """Say whether the text ends in a bracket that words set apart from the brackets before it."""
    last = explicit[-1]
    if len(explicit) < 2 or not all(statement.bracket for statement in explicit):
        return False
    between = prose[explicit[-2].end : last.start]
    return bool(re.search(r"\w", between)) and not re.search(r"\w", prose[last.end :])


def _conclude_bare(prose: str, bare: Sequence[Statement]) -> Outcome:
    """Take a one-word line that opens or closes the text, or stands under a heading that asks for it.

    In between it may be a quotation of what was judged.
    """
    lines = [line for line in _LINE.finditer(prose) if undress(line[0]) and not _FENCE.match(line[0])]
    places = {lines[0].start(), lines[-1].start()} if lines else set()
    for above, line in pairwise(lines):
        if _HEADING.fullmatch(undress(above[0])):
            places.add(line.start())
    placed = [statement for statement in bare if statement.start in places]
    if not placed:
        return Outcome(None, Reason.UNPARSED, "no line states a verdict")
    return _joined(bare, placed[-1])


def _joined(statements: Sequence[Statement], deciding: Statement) -> Outcome:
    named = sorted({statement.verdict for statement in statements if statement.verdict is not None})
    if len(named) > 1:
        return Outcome(None, Reason.CONTRADICTORY, f"the text states {' and '.join(named)}")
    if not named or any(statement.verdict is None for statement in statements):
        return Outcome(None, Reason.UNPARSED, "a verdict is announced, but what follows names no single one")
    return Outcome(named[0], statement=deciding)


def _tidy(text: str) -> str:
    return re.sub(r"\n\s*\n\s*", "\n\n", _FENCE.sub("", text)).strip()

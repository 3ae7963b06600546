"""Prepared lines: runs of text, each with a meaning that a theme later gives a colour to.

Light Markdown and JSON are styles only: not a character is added, dropped or moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from itertools import groupby
from typing import Final, NamedTuple

from tui import cells


class Ink(StrEnum):
    """What a run of text is, in the order in which the later paints over the earlier."""

    TEXT = "text"
    TITLE = "title"
    """A turn's header."""
    FRAME = "frame"
    """Around a reply under judgment."""
    NOTE = "note"
    """What we say about the text: empty, folded, re-indented."""
    HEADING = "heading"
    STRONG = "strong"
    KEY = "key"
    CODE = "code"
    HIT = "hit"
    HIT_NOW = "hit-now"


class Syntax(StrEnum):
    """How a block's text is read for its inks."""

    PLAIN = "plain"
    MARKDOWN = "markdown"
    JSON = "json"


class Run(NamedTuple):
    """Text in one ink."""

    text: str
    ink: Ink


class Line(NamedTuple):
    """One drawn line."""

    runs: tuple[Run, ...]
    cells: int

    @property
    def text(self) -> str:
        """The characters alone."""
        return "".join(run.text for run in self.runs)


class Span(NamedTuple):
    """A part of a paragraph, by offsets, in an ink."""

    start: int
    end: int
    ink: Ink


BLANK: Final = Line((), 0)

_HEADING: Final = re.compile(r" {0,3}#{1,6} ")
_BULLET: Final = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])(?=\s)")
_INLINE: Final = re.compile(r"`[^`]+`|\*\*(?=\S)[^*]+\*\*")
_JSON_KEY: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:)')


def single(text: str, ink: Ink, width: int) -> Line:
    """Return a line of one run, cut to `width` cells."""
    shown = text if cells.width(text) <= width else cells.cut(text, width)
    return Line((Run(shown, ink),), cells.width(shown)) if shown else BLANK


def spans_of(paragraph: str, syntax: Syntax, *, in_code: bool) -> tuple[Span, ...]:
    """Return where one paragraph is something else than text.

    Args:
        paragraph: One source line, printable.
        syntax: How to read it.
        in_code: Whether it stands between code fences, or is one.
    """
    if syntax is Syntax.JSON:
        return tuple(Span(*found.span(), Ink.KEY) for found in _JSON_KEY.finditer(paragraph))
    if syntax is Syntax.PLAIN:
        return ()
    if in_code:
        return (Span(0, len(paragraph), Ink.CODE),)
    spans: list[Span] = []
    if _HEADING.match(paragraph):
        spans.append(Span(0, len(paragraph), Ink.HEADING))
    elif bullet := _BULLET.match(paragraph):
        spans.append(Span(*bullet.span(), Ink.STRONG))
    inline = _INLINE.finditer(paragraph)
    spans += [Span(*found.span(), Ink.CODE if found.group()[0] == "`" else Ink.STRONG) for found in inline]
    return tuple(spans)


def painted(text: str, ink: Ink, spans: Iterable[Span]) -> tuple[Run, ...]:
    """Return `text` as runs: `ink` with `spans` painted over it, no grapheme in two runs.

    Args:
        text: One drawn line.
        ink: What it is where no span says otherwise.
        spans: By offsets into `text`; parts outside of it are ignored.
    """
    if not text:
        return ()
    inks = [ink] * len(text)
    touched = False
    for start, end, over in spans:
        start, end = max(start, 0), min(end, len(text))
        if start < end:
            inks[start:end] = [over] * (end - start)
            touched = True
    if not touched:
        return (Run(text, ink),)
    if not cells.is_narrow(text):
        for start, end, _ in cells.graphemes(text):
            inks[start:end] = [max(inks[start:end], key=_PRIORITY.__getitem__)] * (end - start)
    runs: list[Run] = []
    at = 0
    for over, group in groupby(inks):
        size = sum(1 for _ in group)
        runs.append(Run(text[at : at + size], over))
        at += size
    return tuple(runs)


_PRIORITY: Final = {ink: place for place, ink in enumerate(Ink)}

"""The pieces a long text is drawn from: each wrapped on its own, and only when it is needed.

A text of megabytes is cut into pieces of about 8,000 characters by offsets alone, so its first
screenful, its end and any place in between cost one or two pieces each. Pieces end at line feeds; a
paragraph longer than a piece is cut at a space (the line there may come out short) or, where there
is none, at a full line.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Protocol

from tui import cells
from tui.text import printable
from tui.widgets.body import Body, Query
from tui.widgets.inks import Ink, Line, Span, Syntax, spans_of

PIECE: Final = 8_192
_FENCE: Final = re.compile(r"^[ ]*(?:```|~~~)", re.MULTILINE)
_NO_BREAK_BEFORE: Final = re.compile("[\u0300-\u036f\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")


class Piece(Protocol):
    """Some consecutive lines of a document."""

    @property
    def block(self) -> int:
        """The block they belong to, by index."""

    @property
    def start(self) -> int:
        """Where in the block's text they begin; -1 before it, `sys.maxsize` after it."""

    @property
    def known(self) -> int | None:
        """Lines, once counted."""

    @property
    def estimate(self) -> int:
        """Lines, guessed without wrapping; at least 1."""

    def count(self) -> int:
        """Count the lines, wrapping if need be; at least 1."""

    def line(self, index: int, query: Query | None, now: int | None) -> Line:
        """Return one line, hits of `query` marked, the one at text offset `now` most of all."""

    def offset(self, index: int) -> int:
        """Return where in its block's text a line starts, roughly."""

    def at(self, offset: int) -> int:
        """Return the line that holds an offset in the block's text, roughly."""

    def hits(self, query: Query) -> Iterator[int]:
        """Yield the text offset of each hit that starts here."""

    def line_of_hit(self, hit: int) -> int:
        """Return the line a hit begins on."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Lines that are what they are: headers, frames, notes."""

    block: int
    lines: tuple[Line, ...]
    start: int = -1

    @property
    def known(self) -> int | None:
        """Lines, always counted."""
        return len(self.lines)

    @property
    def estimate(self) -> int:
        """Lines."""
        return len(self.lines)

    def count(self) -> int:
        """Count the lines."""
        return len(self.lines)

    def line(self, index: int, query: Query | None, now: int | None) -> Line:
        """Return one line; nothing in it is searched."""
        return self.lines[index]

    def offset(self, index: int) -> int:
        """Return before or after the text, where the lines stand."""
        return self.start

    def at(self, offset: int) -> int:
        """Return the first line."""
        return 0

    def hits(self, query: Query) -> Iterator[int]:
        """Yield nothing."""
        return iter(())

    def line_of_hit(self, hit: int) -> int:
        """Return the first line."""
        return 0


@dataclass
class Flow:
    """A stretch of a body, wrapped when first needed."""

    block: int
    body: Body
    start: int
    end: int
    _wrapped: _Wrapped | None = field(default=None, init=False, repr=False)

    @property
    def known(self) -> int | None:
        """Lines, once wrapped."""
        return len(self._wrapped.starts) if self._wrapped else None

    @property
    def estimate(self) -> int:
        """Lines, by line feeds and length."""
        if self._wrapped:
            return len(self._wrapped.starts)
        return self._guess

    @cached_property
    def _guess(self) -> int:
        feeds = self.body.raw.count("\n", self.start, self.end)
        return max(1, feeds, -(-(self.end - self.start) // self.body.inner))

    def count(self) -> int:
        """Count the lines, wrapping if need be."""
        return len(self.wrapped.starts)

    @property
    def text(self) -> str:
        """The stretch as drawn, without the line feed that ends it."""
        return self._wrapped.text if self._wrapped else self._printable()

    def _printable(self) -> str:
        stretch = self.body.raw[self.start : self.end]
        if stretch.endswith("\n"):
            stretch = stretch[: -2 if stretch.endswith("\r\n") else -1]
        return printable(stretch)

    @property
    def wrapped(self) -> _Wrapped:
        """The stretch in lines."""
        if self._wrapped is None:
            self._wrapped = _Wrapped(self._printable(), self.body.inner)
        return self._wrapped

    def line(self, index: int, query: Query | None, now: int | None) -> Line:
        """Return one line, styled, framed, hits marked."""
        wrapped, body = self.wrapped, self.body
        start, end = wrapped.starts[index], wrapped.ends[index]
        spans = [*self._spans(start)]
        if query:
            hits = wrapped.hits(query)
            spans.extend(
                Span(hit, hit + query.size, Ink.HIT_NOW if hit == now else Ink.HIT)
                for hit in hits[bisect_right(hits, start - query.size) : bisect_left(hits, end)]
            )
        text = wrapped.text[start:end]
        runs = body.runs(text, [Span(a - start, b - start, ink) for a, b, ink in spans])
        return Line(runs, sum(cells.width(run.text) for run in runs))

    def _spans(self, start: int) -> Sequence[Span]:
        """Return the inks of the paragraph a line belongs to, by offsets into the stretch."""
        if self.body.syntax is Syntax.PLAIN:
            return ()
        text = self.wrapped.text
        begin = text.rfind("\n", 0, start) + 1
        end = text.find("\n", start)
        spans = spans_of(
            text[begin : end if end >= 0 else len(text)], self.body.syntax, in_code=self._code(begin)
        )
        return [Span(a + begin, b + begin, ink) for a, b, ink in spans]

    def _code(self, at: int) -> bool:
        """Tell whether the paragraph at `at` is a fence or stands between two."""
        fences = self.body.fences
        if not fences:
            return False
        before = bisect_left(fences, self.start)
        local = self.wrapped.fences
        here = bisect_right(local, at)
        return (before + here) % 2 == 1 or at in local[here - 1 : here]

    def offset(self, index: int) -> int:
        """Return where in the block's text a line starts; marks and tabs make it approximate."""
        return self.start + self.wrapped.starts[index]

    def at(self, offset: int) -> int:
        """Return the line that holds an offset in the block's text."""
        return max(0, bisect_right(self.wrapped.starts, offset - self.start) - 1)

    def hits(self, query: Query) -> Iterator[int]:
        """Yield each hit's offset; one that runs into the next stretch of a paragraph counts here."""
        text = self.text
        following = ""
        if self.end < len(self.body.raw) and self.body.raw[self.end - 1] != "\n":
            following = printable(self.body.raw[self.end : self.end + query.size]).partition("\n")[0]
        found = query.pattern.finditer(text + following)
        return (hit.start() for hit in found if hit.start() < len(text))

    def line_of_hit(self, hit: int) -> int:
        """Return the line a hit begins on."""
        return max(0, bisect_right(self.wrapped.starts, hit) - 1)


class _Wrapped:
    """A stretch as it is drawn: its printable text and where each line starts and ends in it."""

    def __init__(self, text: str, inner: int) -> None:
        self.text = text
        self.starts = array("I")
        self.ends = array("I")
        self._hits: tuple[Query | None, list[int]] = (None, [])
        at = 0
        for paragraph in text.split("\n"):
            size = len(paragraph)
            if size <= inner and cells.is_narrow(paragraph):
                self.starts.append(at)
                self.ends.append(at + size)
            else:
                for start, end in cells.wrap(paragraph, inner):
                    self.starts.append(at + start)
                    self.ends.append(at + end)
            at += size + 1

    @cached_property
    def fences(self) -> list[int]:
        """Offsets of the paragraphs that open or close code."""
        return [found.start() for found in _FENCE.finditer(self.text)]

    def hits(self, query: Query) -> list[int]:
        """Return the offsets of all hits, kept for the next line that asks."""
        if self._hits[0] is not query:
            self._hits = (query, [hit.start() for hit in query.pattern.finditer(self.text)])
        return self._hits[1]


def flows(block: int, body: Body) -> list[Flow]:
    """Cut a body into stretches; one final line feed is not drawn as an empty line."""
    raw = body.raw
    size = len(raw)
    pieces: list[Flow] = []
    start = 0
    while size - start > PIECE:
        end = raw.rfind("\n", start, start + PIECE) + 1
        if not end:
            end = raw.rfind(" ", start, start + PIECE) + 1
        if not end:
            end = _full_line(raw, start + max(PIECE // body.inner, 1) * body.inner)
        pieces.append(Flow(block, body, start, end))
        start = end
    if start < size or not pieces:
        pieces.append(Flow(block, body, start, size))
    return pieces


def _full_line(raw: str, end: int) -> int:
    """Return where to cut unbroken text at `end`, a little before it where a grapheme would be halved."""
    for cut in range(end, end - 64, -1):
        if not _NO_BREAK_BEFORE.match(raw, cut) and raw[cut - 1] != "\u200d":
            return cut
    return end

"""Measure, cut and wrap text by terminal cells: wide, joined and combined characters kept whole.

Widths are Rich's, because Textual lays out by them. Text must already be printable (`tui.text`).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from rich.cells import cell_len, split_graphemes

_NOT_NARROW: Final = re.compile(
    "[^ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u2030-\u205e"
    "\u20a0-\u20c0\u2190-\u21ff\u2200-\u22ff\u2400-\u2426\u2500-\u25fc\u27e6-\u27ef\u2800-\u28ff]"
)
"""Anything outside these is not surely one character in one cell: letters, dashes, quotes, our marks."""

_NOT_SPACE: Final = re.compile("[^ ]")
_LONGEST_GRAPHEME: Final = 32
"""Codepoints; a longer pile of combining marks is cut, or one cell could send megabytes."""


class Extent(NamedTuple):
    """A part of a text, by character offsets."""

    start: int
    end: int


class Grapheme(NamedTuple):
    """One visible character, by offsets, with the cells it takes."""

    start: int
    end: int
    cells: int


def is_narrow(text: str) -> bool:
    """Tell whether every character surely takes exactly one cell (line feeds do not)."""
    return _NOT_NARROW.search(text) is None


def width(text: str) -> int:
    """Return the cells a single line of text takes."""
    return len(text) if is_narrow(text) else cell_len(text)


def cut(text: str, limit: int) -> str:
    """Return the longest beginning of a single line that fits in `limit` cells, no grapheme halved."""
    if limit <= 0:
        return ""
    if is_narrow(text[: limit + 1]):
        return text[:limit]
    used = 0
    for grapheme in graphemes(text[: limit * _LONGEST_GRAPHEME + 1]):
        used += grapheme.cells
        if used > limit:
            return text[: grapheme.start]
    return text[: limit * _LONGEST_GRAPHEME]


def graphemes(text: str) -> list[Grapheme]:
    """Split a single line into graphemes, none longer than 32 codepoints."""
    spans, _ = split_graphemes(text)
    if all(end - start <= _LONGEST_GRAPHEME for start, end, _ in spans):
        return [Grapheme(*span) for span in spans]
    whole: list[Grapheme] = []
    for start, end, cells in spans:
        whole.append(Grapheme(start, min(end, start + _LONGEST_GRAPHEME), cells))
        whole.extend(
            Grapheme(at, min(end, at + _LONGEST_GRAPHEME), 0)
            for at in range(start + _LONGEST_GRAPHEME, end, _LONGEST_GRAPHEME)
        )
    return whole


def wrap(text: str, limit: int) -> list[Extent]:
    """Wrap one paragraph (no line feeds) to lines of at most `limit` cells.

    Breaks at spaces, which are then not drawn; beside wide characters; and anywhere in a run that
    is longer than a line. A character wider than `limit` stands alone on a line that is too wide.

    Args:
        text: One paragraph.
        limit: Cells of a line, at least 1.

    Returns:
        One extent a line, at least one.
    """
    if is_narrow(text):
        return _wrap_narrow(text, limit)
    return _wrap_graphemes(text, limit)


def _wrap_narrow(text: str, limit: int) -> list[Extent]:
    lines: list[Extent] = []
    start, size = 0, len(text)
    while size - start > limit:
        end = text.rfind(" ", start, start + limit + 1)
        if end <= start:
            end = start + limit
            lines.append(Extent(start, end))
            start = end
            continue
        lines.append(Extent(start, end))
        following = _NOT_SPACE.search(text, end)
        if following is None:
            return lines
        start = following.start()
    lines.append(Extent(start, size))
    return lines


def _wrap_graphemes(text: str, limit: int) -> list[Extent]:
    spans = graphemes(text)
    count = len(spans)
    spaces = [text[span.start : span.end] == " " for span in spans]
    lines: list[Extent] = []
    first = 0
    while first < count:
        line = _fill(spans, spaces, first, limit)
        if line.end == count:
            lines.append(Extent(spans[first].start, len(text)))
            break
        drawn = line.start
        while drawn > first and spaces[drawn - 1]:
            drawn -= 1
        # A line of nothing but indentation keeps it.
        lines.append(Extent(spans[first].start, spans[(drawn if drawn > first else line.start) - 1].end))
        first = line.start
        while first < count and spaces[first]:
            first += 1
    return lines or [Extent(0, len(text))]


def _fill(spans: list[Grapheme], spaces: list[bool], first: int, limit: int) -> Extent:
    """Fill one line from `first`: where the next line begins, and how far one could read at most."""
    longest = spans[first].start + limit * 8 + 64
    used, at, count, opening = 0, first, len(spans), first
    while at < count and used + spans[at].cells <= limit and spans[at].end <= longest:
        if spans[at].cells > 1 or spaces[at]:
            opening = at + 1
        elif at > first and spans[at - 1].cells > 1:
            opening = at
        used += spans[at].cells
        at += 1
    if at == count:
        return Extent(count, count)
    if at == first:
        return Extent(first + 1, first + 1)
    if spaces[at] or spans[at].cells > 1 or opening == first:
        opening = at
    return Extent(opening, at)

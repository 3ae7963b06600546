"""Bars in text: progress, an interval with its value and target, counts beside their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from judging.statistics.wording import per_cent
from tui import cells
from tui.text import one_line
from tui.theme import DRAWING, Drawing


@dataclass(frozen=True, slots=True)
class Bar:
    """A name and how often it was counted."""

    label: str
    count: int


def progress_bar(done: int, total: int, width: int, *, draw: Drawing = DRAWING) -> Content:
    """Draw how much of something is done; full only when all is, and begun as soon as anything is.

    Args:
        done: How many are done.
        total: Out of how many; 0 draws an empty bar.
        width: Cells.
        draw: Characters to draw with.
    """
    width = max(0, width)
    full = width * min(max(done, 0), total) // total if total > 0 else 0
    if done > 0 and total > 0 and width > 1:
        full = max(1, full)
    rest = draw.empty * (width - full)
    return Content.assemble((draw.full * full, "$primary"), (rest, "$foreground-muted"))


def interval_bar(
    low: float,
    high: float,
    width: int,
    *,
    value: float | None = None,
    target: float | None = None,
    style: str = "$primary",
    draw: Drawing = DRAWING,
) -> Content:
    """Draw an interval of a rate on an axis from 0 to 1, its value in per cent, and a target.

    Args:
        low: Lower end, 0 to 1.
        high: Upper end, not below `low`.
        width: Cells of the whole axis.
        value: The rate, written where it stands; beside the interval where that is too narrow.
        target: Marked where it stands.
        style: Textual style of the interval.
        draw: Characters to draw with.
    """
    if width < 1:
        return Content("")
    axis = [" "] * width
    start, stop = _at(low, width), _at(high, width)
    axis[start : stop + 1] = [draw.between] * (stop - start + 1)
    axis[start] = draw.low
    axis[stop] = draw.high
    if target is not None and axis[_at(target, width)] in (" ", draw.between):
        axis[_at(target, width)] = draw.target
    if value is not None:
        said = per_cent(value)
        at = _room_for(said, start, stop, _at(value, width), width)
        axis[at : at + len(said)] = said
    line = Content("".join(axis)).stylize(style, start, stop + 1)
    if target is not None:
        line = line.stylize("bold", _at(target, width), _at(target, width) + 1)
    return line[:width]


def _room_for(said: str, start: int, stop: int, at: int, width: int) -> int:
    """Return where a number goes: inside the interval, else after it, else before it."""
    size = len(said)
    inside = max(start + 1, min(at - size // 2, stop - size))
    if inside + size <= stop:
        return inside
    return stop + 1 if stop + 1 + size <= width else max(0, start - size)


def bar_list(bars: Sequence[Bar], width: int, *, draw: Drawing = DRAWING) -> list[Content]:
    """Draw counts as rows: name, a bar by the largest count, the number.

    Args:
        bars: What to draw, in order; names may come from data.
        width: Cells of a row.
        draw: Characters to draw with.
    """
    if not bars or width < 1:
        return []
    most = max(1, *(bar.count for bar in bars))
    digits = max(len(str(bar.count)) for bar in bars)
    longest = max(cells.width(one_line(bar.label, width)) for bar in bars)
    names = min(longest, max(1, width - digits - 8))
    room = max(0, width - names - digits - 2)
    return [
        _row(bar, names, max(1, room * bar.count // most) if bar.count else 0, width, draw) for bar in bars
    ]


def _row(bar: Bar, names: int, length: int, width: int, draw: Drawing) -> Content:
    label = one_line(bar.label, names, ellipsis=draw.ellipsis)
    padded = label + " " * (names - cells.width(label))
    blocks = f"{draw.full * length} " if length else ""
    return Content.assemble(padded, " ", (blocks, "$primary"), str(bar.count)).truncate(width)


def _at(rate: float, width: int) -> int:
    return round(min(max(rate, 0.0), 1.0) * (width - 1))

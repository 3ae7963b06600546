"""The lines of the Judges screen: versions, what differs, examples, as styled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from judging.statistics.values import Estimate, Figure
from tui import cells
from tui.figures import per_cent, reach
from tui.session.judgefields import ExampleChoice
from tui.session.judgeparts import Change, DiffLine, Part
from tui.session.judges import VersionLine
from tui.session.metrics import BinaryView, NothingView, SwapView
from tui.session.overview import JudgeLine
from tui.text import one_line, printable
from tui.theme import ASCII_ONLY, DRAWING, GLYPHS, verdict_content
from tui.widgets.blocks import Block
from tui.widgets.inks import Syntax

_WIDE: Final = 98
"""Cells from which names and recipes are given more room, and a mark its word."""
_FIGURES: Final = 12
_TAG: Final = 9
_STALE: Final = "!" if ASCII_ONLY else "⚠"

_LOOKS: Final = {
    Change.PART: ("", "bold"),
    Change.SAME: ("  ", "$foreground-muted"),
    Change.GONE: ("- ", "$error"),
    Change.NEW: ("+ ", "$success"),
    Change.NOTE: (f"{DRAWING.dot} ", "$foreground-muted"),
}


@dataclass(frozen=True)
class _Widths:
    """Cells of each column of the list."""

    name: int
    about: int
    parent: int

    @classmethod
    def of(cls, width: int) -> _Widths:
        name, parent, stale = (28, 9, 8) if width >= _WIDE else (20, 5, 2)
        # The cursor's and the mark's cells, and the gaps.
        taken = 4 + name + 1 + 1 + _TAG + parent + _FIGURES + stale
        return cls(name, max(0, min(44, width - taken)), parent)


def version_heading(width: int, figures: str) -> Content:
    """Name the columns of the list of versions.

    Args:
        width: Cells of the list.
        figures: What is measured, and on which rows.
    """
    room = _Widths.of(width)
    text = f"    {'judge'.ljust(room.name)} {'how'.ljust(room.about)[: room.about]} {'hash'.ljust(_TAG)}"
    return Content.styled(f"{text}{'from'.ljust(room.parent)}{figures}", "$foreground-muted")


def version_row(line: VersionLine, measured: JudgeLine | None, width: int) -> Content:
    """Draw a judge version in one line.

    Args:
        line: The version.
        measured: Its figures; None while they are worked out.
        width: Cells of the list.
    """
    room = _Widths.of(width)
    mark = DRAWING.folded if line.at_hand else " "
    word = f" {_STALE} stale" if width >= _WIDE else f" {_STALE}"
    figures = _figures(measured)
    return Content.assemble(
        (f"{mark} ", "bold $accent"),
        (_named(line.name, room.name), "bold" if line.at_hand else ""),
        (f" {_fitted(line.about, room.about)} ", "$foreground-muted"),
        (line.tag.ljust(_TAG), "$foreground-muted"),
        (f"{_fitted(line.parent, room.parent - 1)} ", "$foreground-muted"),
        figures,
        " " * (_FIGURES - figures.cell_length),
        (word, "$warning") if line.stale else "",
    )


def _named(name: str, room: int) -> str:
    """Cut a long name, never its number."""
    start, _, number = name.rpartition(" ")
    return _fitted(f"{one_line(start, room - len(number) - 1, ellipsis=DRAWING.ellipsis)} {number}", room)


def _fitted(text: str, room: int) -> str:
    shown = one_line(text, room, ellipsis=DRAWING.ellipsis)
    return shown + " " * (room - cells.width(shown))


def _figures(measured: JudgeLine | None) -> Content:
    if measured is None:
        return Content.styled("...", "$foreground-muted")
    view = measured.figures
    if isinstance(view, BinaryView):
        strict = view.metrics.figures.strict
        return Content(" ").join([_rate(strict.tpr), _rate(strict.tnr)])
    if isinstance(view, SwapView) and isinstance(view.shares[0].figure, Estimate):
        return Content(f"same {per_cent(view.shares[0].figure.value)} %")
    return Content.styled("not measured" if isinstance(view, NothingView) else "-", "$foreground-muted")


def _rate(figure: Figure) -> Content:
    if not isinstance(figure, Estimate):
        return Content.styled("  -", "$foreground-muted")
    return Content.styled(per_cent(figure.value).rjust(3), reach(figure).style)


def part_blocks(parts: Sequence[Part]) -> tuple[Block, ...]:
    """Give parts as texts to read."""
    return tuple(Block(part.title, part.text, syntax=Syntax.PLAIN) for part in parts)


def diff_rows(lines: Sequence[DiffLine], width: int) -> list[Content]:
    """Draw a comparison as rows of at most `width` cells, long lines wrapped, every row marked."""
    rows: list[Content] = []
    for line in lines:
        mark, style = _LOOKS[line.change]
        if line.change is Change.PART and rows:
            rows.append(Content(""))
        for paragraph in printable(line.text).split("\n"):
            wrapped = cells.wrap(paragraph, max(1, width - len(mark)))
            rows += [Content.styled(mark + paragraph[part.start : part.end], style) for part in wrapped]
    return rows


def example_row(choice: ExampleChoice, *, picked: int | None) -> Content:
    """Draw a row of train that may be an example.

    Args:
        choice: The row.
        picked: Its place among the examples, from 1; None when it is not one.
    """
    label = choice.label
    tick = f"[{picked}]" if picked else "[ ]"
    return Content.assemble(
        (tick.ljust(5), "bold $accent" if picked else "$foreground-muted"),
        verdict_content(label.verdict),
        (f" {one_line(label.trace, 20)}  ", "$foreground-muted"),
        (f"{one_line(label.note, 60)}  ", "$warning") if label.note.strip() else "",
        one_line(choice.asked, 80),
    )


def refused_line(reason: str) -> Content:
    """Say why something was not done."""
    return Content.styled(f"{GLYPHS['fail'].mark} {printable(reason)}", "$error")

"""Lay blocks out as pieces: titles and frames around texts, one below or two beside each other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tui import cells
from tui.text import one_line
from tui.theme import Drawing
from tui.widgets import columns
from tui.widgets.blocks import Block, BlockKind
from tui.widgets.body import Body
from tui.widgets.columns import Columns
from tui.widgets.inks import Ink, Line, Run, Syntax, single
from tui.widgets.pieces import Fixed, Flow, Piece, flows

SIDE_BY_SIDE: Final = 100
"""Columns from which two answers stand beside each other."""

EMPTY: Final = "(empty)"

_FOLDED_LINES: Final = 3
_FOLDED_CHARACTERS: Final = 300
_SAY_SIZE: Final = 10_000
_FRAME_FROM: Final = 12
"""Columns below which frames and indents would leave too little text."""


def pieces_of(
    blocks: Sequence[Block], *, width: int, folded: frozenset[int], drawing: Drawing
) -> list[Piece]:
    """Lay out blocks at one width; at least one piece.

    Two replies in a row stand beside each other from 100 columns on, unless one is folded or
    longer than 32,768 characters.

    Args:
        blocks: What to read, in order.
        width: Cells of a line, at least 1.
        folded: Blocks of which only the beginning is drawn, with a note of how much is not.
        drawing: Characters of frames and rules.
    """
    layout = _Layout(blocks, width, folded, drawing)
    index = 0
    while index < len(blocks):
        if layout.stands_beside(index):
            layout.add_beside(index)
            index += 2
            continue
        if blocks[index].kind is BlockKind.REPLY:
            layout.add_framed(index)
        else:
            layout.add_titled(index)
        index += 1
    return layout.pieces or [Fixed(0, (single(EMPTY, Ink.NOTE, width),))]


@dataclass
class _Layout:
    blocks: Sequence[Block]
    width: int
    folded: frozenset[int]
    drawing: Drawing
    pieces: list[Piece] = field(default_factory=list)

    def stands_beside(self, index: int) -> bool:
        pair = self.blocks[index : index + 2]
        return (
            self.width >= SIDE_BY_SIDE
            and len(pair) == 2
            and all(block.kind is BlockKind.REPLY for block in pair)
            and not self.folded.intersection((index, index + 1))
            and all(len(block.text) <= columns.LONGEST for block in pair)
        )

    def add_titled(self, index: int) -> None:
        draw = self.drawing
        self._fixed(index, single(self._header(index, draw.rule, "", self.width), Ink.TITLE, self.width))
        indent = 2 if self.width >= _FRAME_FROM else 0
        self._add_text(index, Body("", max(1, self.width - 2 * indent), left=" " * indent))

    def add_framed(self, index: int) -> None:
        if self.width < _FRAME_FROM:
            self._fixed(index, single(self._title(index), Ink.FRAME, self.width))
            self._add_text(index, Body("", self.width))
            return
        self._fixed(index, self._top(index, self.width))
        self._add_text(index, self._framed(self.width))
        self._fixed(index, self._bottom(self.width), after=True)

    def add_beside(self, index: int) -> None:
        widths = (self.width // 2, self.width - self.width // 2 - 1)
        pair = (index, index + 1)
        self._fixed(index, columns.joined(*(self._top(i, w) for i, w in zip(pair, widths, strict=True))))
        left, right = (self._whole(i, self._framed(w)) for i, w in zip(pair, widths, strict=True))
        self.pieces.append(Columns(index, left, right))
        self._fixed(index, columns.joined(*(self._bottom(w) for w in widths)), after=True)

    def _whole(self, index: int, frame: Body) -> Flow:
        block = self.blocks[index]
        body = Body(block.text or EMPTY, frame.inner, block.syntax, Ink.TEXT, frame.left, frame.right)
        return Flow(index, body, 0, len(body.raw))

    def _framed(self, width: int) -> Body:
        bar = self.drawing.heavy_bar
        return Body("", width - 4, left=f"{bar} ", right=f" {bar}")

    def _top(self, index: int, width: int) -> Line:
        draw = self.drawing
        text = self._header(index, draw.heavy_rule, draw.top_left, width - 1) + draw.top_right
        return Line((Run(text, Ink.FRAME),), width)

    def _bottom(self, width: int) -> Line:
        draw = self.drawing
        text = draw.bottom_left + draw.heavy_rule * (width - 2) + draw.bottom_right
        return Line((Run(text, Ink.FRAME),), width)

    def _title(self, index: int) -> str:
        block = self.blocks[index]
        said = [block.title or "?"]
        if len(block.text) > _SAY_SIZE:
            said.append(f"{len(block.text):,} characters")
        if block.note:
            said.append(block.note)
        return one_line(
            f" {self.drawing.dot} ".join(said), max(1, self.width), ellipsis=self.drawing.ellipsis
        )

    def _header(self, index: int, rule: str, corner: str, width: int) -> str:
        title = one_line(self._title(index), max(1, width - 4), ellipsis=self.drawing.ellipsis)
        head = f"{corner or rule} {title} "
        return head + rule * (width - cells.width(head))

    def _add_text(self, index: int, frame: Body) -> None:
        """Add a block's text in a frame: whole, folded to its beginning, or said to be empty."""
        block = self.blocks[index]
        raw, hidden = block.text, 0
        if index in self.folded:
            shown = _beginning(raw)
            raw, hidden = raw[:shown], len(raw) - shown
        ink, syntax = (Ink.TEXT, block.syntax) if raw else (Ink.NOTE, Syntax.PLAIN)
        body = Body(raw or EMPTY, frame.inner, syntax, ink, frame.left, frame.right)
        self.pieces.extend(flows(index, body))
        if hidden:
            note = Body("", frame.inner, Syntax.PLAIN, Ink.NOTE, frame.left, frame.right)
            said = f"{self.drawing.folded} {hidden:,} more characters folded"
            runs = note.runs(cells.cut(said, frame.inner), ())
            self._fixed(index, Line(runs, sum(cells.width(run.text) for run in runs)), after=True)

    def _fixed(self, index: int, line: Line, *, after: bool = False) -> None:
        self.pieces.append(Fixed(index, (line,), sys.maxsize if after else -1))


def _beginning(text: str) -> int:
    """Return how much of a text a fold leaves: some lines, or as many characters as they may take."""
    end = 0
    for _ in range(_FOLDED_LINES):
        end = text.find("\n", end) + 1
        if not end:
            return min(len(text), _FOLDED_CHARACTERS)
    return min(end, _FOLDED_CHARACTERS)

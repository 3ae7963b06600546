"""A small table of counts whose cells can be walked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from tui import cells
from tui.theme import DRAWING

_CELL = 11
"""Columns of one cell; narrower where room is short."""


@dataclass(frozen=True)
class Grid:
    """What a matrix shows."""

    corner: str
    rows: Sequence[Content]
    """Names of the rows, at their left."""
    columns: Sequence[Content]
    """Names of the columns, above them."""
    counts: Sequence[Sequence[int]]
    styles: Sequence[Sequence[str]]
    """Textual style of each cell's number, "" for none."""


class Matrix(Widget):
    """Shows counts with a cursor on one of them; `move` walks, `set_grid` changes what is shown."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "Matrix { height: auto; width: 1fr; }"

    class Moved(Message):
        """The cursor is on another cell."""

    class Opened(Message):
        """A cell was clicked on while the cursor was there."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._grid: Grid | None = None
        self.row = 0
        self.column = 0

    def set_grid(self, grid: Grid, *, row: int | None = None, column: int | None = None) -> None:
        """Show other counts; the cursor stays where it is unless a place is given."""
        self._grid = grid
        self.row = min(self.row if row is None else row, len(grid.rows) - 1)
        self.column = min(self.column if column is None else column, len(grid.columns) - 1)
        self.refresh(layout=True)

    def move(self, down: int, right: int) -> None:
        """Move the cursor by cells; at an edge it stays."""
        if self._grid is None:
            return
        row = max(0, min(self.row + down, len(self._grid.rows) - 1))
        column = max(0, min(self.column + right, len(self._grid.columns) - 1))
        if (row, column) != (self.row, self.column):
            self.row, self.column = row, column
            self.refresh()
            self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the cell clicked on, or open it when it is there already."""
        if self._grid is None:
            return
        offset = event.get_content_offset_capture(self)
        left, cell = self._widths()
        row, column = offset.y - 1, (offset.x - left) // cell
        if not (0 <= row < len(self._grid.rows) and 0 <= column < len(self._grid.columns)):
            return
        if (row, column) == (self.row, self.column):
            self.post_message(self.Opened())
        else:
            self.move(row - self.row, column - self.column)

    def _widths(self) -> tuple[int, int]:
        """Return the cells of the names and of one column."""
        if self._grid is None:
            return 0, 1
        names = max(cells.width(self._grid.corner), *(name.cell_length for name in self._grid.rows)) + 1
        room = max(1, self.size.width - names) // len(self._grid.columns)
        widest = max(name.cell_length for name in self._grid.columns) + 2
        return names, max(3, min(max(_CELL, widest), room))

    def render(self) -> Content:
        """Draw the table."""
        grid = self._grid
        if grid is None:
            return Content("")
        names, cell = self._widths()
        head = [Content.styled(_fit(grid.corner, names), "$foreground-muted")]
        head += [_right(name, cell) for name in grid.columns]
        lines = [Content("").join(head)]
        for y, name in enumerate(grid.rows):
            lines.append(
                Content("").join(
                    [_left(name, names), *(self._cell(grid, y, x, cell) for x in range(len(grid.columns)))]
                )
            )
        width = max(1, self.size.width)
        return Content("\n").join([line.truncate(width) for line in lines])

    def _cell(self, grid: Grid, y: int, x: int, width: int) -> Content:
        number = str(grid.counts[y][x])
        here = (y, x) == (self.row, self.column)
        shown = f"{DRAWING.cursor}{number} " if here else f" {number} "
        content = Content.styled(shown.rjust(width), grid.styles[y][x])
        if here:
            content = content.stylize("reverse bold", width - len(shown), width)
        return content

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return the rows of the table, its head among them."""
        return len(self._grid.rows) + 1 if self._grid else 0


def _fit(text: str, width: int) -> str:
    return text + " " * max(0, width - cells.width(text))


def _left(name: Content, width: int) -> Content:
    return name.pad_right(max(0, width - name.cell_length))


def _right(name: Content, width: int) -> Content:
    shown = name if name.cell_length < width else name.truncate(max(1, width - 1))
    return shown.pad_left(max(0, width - 1 - shown.cell_length)).pad_right(1)

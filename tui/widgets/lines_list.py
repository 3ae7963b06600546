"""A list of one-line rows drawn on demand: as quick with 200,000 rows as with two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.style import Style

from tui.theme import DRAWING
from tui.widgets.inks import Ink, single
from tui.widgets.line_pane import Drawn, LinePane

Row = Callable[[int], Content]
"""Returns one row, made with `tui.text.content` or styled parts of it."""

_MARK_FROM: Final = 12
"""Columns below which the cursor is shown without its mark."""


class LinesList(LinePane):
    """Rows with a cursor. They are known by their index: two may say the same.

    Args:
        empty: Drawn when there are no rows; say what to do about it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"lines-list--cursor"}

    DEFAULT_CSS = """
    LinesList {
        & > .lines-list--cursor { background: $panel; }
        &:focus > .lines-list--cursor { background: $panel; text-style: bold; }
        &:nocolor > .lines-list--cursor, &:ansi > .lines-list--cursor { text-style: reverse; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", id="list.down", show=False),
        Binding("k,up", "move(-1)", "Up", id="list.up", show=False),
        Binding("pagedown", "screens(1)", "Page down", id="list.page-down", show=False),
        Binding("pageup", "screens(-1)", "Page up", id="list.page-up", show=False),
        Binding("home", "first", "First", id="list.first", show=False),
        Binding("end", "last", "Last", id="list.last", show=False),
        Binding("enter", "select", "Open", id="list.select", show=False),
    ]

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, control: LinesList, index: int) -> None:
            super().__init__()
            self.index = index
            self._control = control

        @property
        def control(self) -> LinesList:
            """The list."""
            return self._control

    class Selected(Moved):
        """A row was chosen with enter or a click on the cursor."""

    def __init__(
        self,
        *,
        empty: str = "",
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._empty = empty
        self._count = 0
        self._row: Row = lambda _: Content("")
        self._cursor = 0
        self._first = 0
        self._height = 0
        self._cache: dict[tuple[int, bool], Drawn] = {}
        self._cache_width = 0

    # --- rows -------------------------------------------------------------------------------

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._count

    @property
    def cursor(self) -> int | None:
        """The row the cursor is on; None when there are none."""
        return self._cursor if self._count else None

    def set_rows(self, count: int, row: Row, *, cursor: int | None = None) -> None:
        """Show other rows, or the same ones changed; only cells that differ are sent.

        No message is posted: who changes the rows knows where the cursor is.

        Args:
            count: How many rows.
            row: Called with an index below `count` when that row comes into view.
            cursor: Where to put the cursor; None leaves it, as far as there are rows.
        """
        self._count = max(0, count)
        self._row = row
        self._cursor = max(0, min(self._cursor if cursor is None else cursor, self._count - 1))
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Ask for the rows in view again and draw those that changed."""
        self._cache.clear()
        self.repaint()

    def move_to(self, index: int) -> None:
        """Put the cursor on a row, the nearest when there is none of that index."""
        index = max(0, min(index, self._count - 1))
        if self._count and index != self._cursor:
            self._cursor = index
            self.repaint()
            self.post_message(self.Moved(self, index))

    # --- keys and mouse ---------------------------------------------------------------------

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows."""
        self.move_to(self._cursor + rows)

    def action_screens(self, screens: int) -> None:
        """Move the cursor by screenfuls."""
        self.move_to(self._cursor + screens * max(1, self.size.height - 1))

    def action_first(self) -> None:
        """Move the cursor to the first row."""
        self.move_to(0)

    def action_last(self) -> None:
        """Move the cursor to the last row."""
        self.move_to(self._count - 1)

    def action_select(self) -> None:
        """Choose the row under the cursor."""
        if self._count:
            self.post_message(self.Selected(self, self._cursor))

    def scroll_rows(self, rows: int) -> None:
        """Move the drawn part, and with it the cursor."""
        self.move_to(self._cursor + rows)

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the row clicked on, or choose it when it is there already."""
        index = self._first + event.get_content_offset_capture(self).y
        if index >= self._count:
            return
        if index == self._cursor:
            self.action_select()
        else:
            self.move_to(index)

    # --- drawing ----------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        """Forget rows drawn in other colours."""
        self._cache.clear()
        super().notify_style_update()

    def draw(self, size: Size) -> Sequence[Drawn]:
        """Return the rows in view, the cursor's among them."""
        if not self._count:
            return [self.drawn(single(self._empty, Ink.NOTE, size.width))]
        if self._cache_width != size.width or len(self._cache) > 4 * size.height + 100:
            self._cache.clear()
            self._cache_width = size.width
        # Past an edge the rows move by a third of the list and not by one: between two such moves,
        # a key costs two rows of cells over the wire instead of all of them.
        jump = size.height // 3
        if self._height != size.height:
            self._height = size.height
            self._first = self._cursor - size.height // 2
        elif self._cursor < self._first:
            self._first = self._cursor - jump
        elif self._cursor >= self._first + size.height:
            self._first = self._cursor - size.height + 1 + jump
        self._first = max(0, min(self._first, self._count - size.height))
        last = min(self._count, self._first + size.height)
        return [self._drawn_row(index, size.width) for index in range(self._first, last)]

    def _drawn_row(self, index: int, width: int) -> Drawn:
        key = (index, index == self._cursor)
        drawn = self._cache.get(key)
        if drawn is None:
            drawn = self._cache[key] = self._draw_row(index, width, under_cursor=key[1])
        return drawn

    def _draw_row(self, index: int, width: int, *, under_cursor: bool) -> Drawn:
        row = self._row(index)
        if "\n" in row.plain:
            row = Content(" ").join(row.split("\n"))
        if width >= _MARK_FROM:
            row = Content(f"{DRAWING.cursor} " if under_cursor else "  ") + row
        if row.cell_length > width:
            row = row.truncate(width - 1) + Content(DRAWING.ellipsis)
        style = self.visual_style
        if under_cursor:
            style = self._cursor_style()
            row = row.pad_right(width - row.cell_length)
        return Drawn(Strip(row.render_segments(style), row.cell_length), row.cell_length)

    def _cursor_style(self) -> Style:
        style = self.get_visual_style("lines-list--cursor")
        # Textual 8.2.8 leaves `reverse` out of a visual style; without colours it is all there is.
        reverse = self.get_component_styles("lines-list--cursor").text_style.reverse
        return style + Style(reverse=True) if reverse else style

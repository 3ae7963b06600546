"""The base of our line-API widgets: rows are drawn by us, scrolled by us, and only differences are sent.

Textual's own scrolling was left aside on purpose. It wants the number of lines before it draws one,
lays the screen out again when that number changes, and repaints a whole pane for one line of
scrolling; over SSH that is two frames and nine kilobytes where one frame and the changed cells do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.inks import Ink, Line

WHEEL_LINES = 3


class Drawn(NamedTuple):
    """A row as it goes to the terminal, and how many of its cells are not blank."""

    strip: Strip
    cells: int


class LinePane(Widget, can_focus=True):
    """Draws the rows a subclass returns from `draw`; `repaint` sends what differs from before."""

    # Selecting by mouse is left to the terminal: it copies what is drawn, without our help.
    ALLOW_SELECT: ClassVar[bool] = False

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"pane--{ink}" for ink in Ink}

    DEFAULT_CSS = """
    LinePane {
        width: 1fr;
        height: 1fr;
        & > .pane--title { color: $text-muted; }
        & > .pane--frame { color: $accent; }
        & > .pane--note { color: $text-muted; text-style: italic; }
        & > .pane--heading { text-style: bold; }
        & > .pane--strong { text-style: bold; }
        & > .pane--key { color: $secondary; }
        & > .pane--code { color: $primary; }
        & > .pane--hit { text-style: reverse; }
        & > .pane--hit-now { text-style: reverse bold underline; }
    }
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
        disabled: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, disabled=disabled)
        self._rows: Sequence[Drawn] = ()
        self._drawn_at: Size | None = None
        self._ink_styles: dict[Ink, Style] = {}

    def draw(self, size: Size) -> Sequence[Drawn]:
        """Return at most `size.height` rows, none wider than `size.width`; both are at least 1."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Draw again and send the cells that changed, in one frame; nothing when nothing did."""
        if self._drawn_at is None or self._drawn_at != self.size:
            self._drawn_at = None
            self.refresh()
            return
        before = self._rows
        self._draw()
        changed: list[Region] = []
        for y in range(max(len(before), len(self._rows))):
            old = before[y] if y < len(before) else None
            new = self._rows[y] if y < len(self._rows) else None
            if old is new or (old and new and old.strip == new.strip):
                continue
            cells = max(old.cells if old else 0, new.cells if new else 0)
            if cells:
                changed.append(Region(0, y, cells, 1))
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Return one row as drawn last."""
        if self._drawn_at != self.size:
            self._draw()
        if y < len(self._rows):
            return self._rows[y].strip
        return Strip.blank(self.size.width, self.ink_style(Ink.TEXT))

    def notify_style_update(self) -> None:
        """Forget colours when the theme or the style sheet changes."""
        self._ink_styles = {}
        self._drawn_at = None
        super().notify_style_update()

    def ink_style(self, ink: Ink) -> Style:
        """Return what an ink looks like under the present theme."""
        style = self._ink_styles.get(ink)
        if style is None:
            plain = self.visual_style.rich_style
            style = plain if ink is Ink.TEXT else self.get_component_rich_style(f"pane--{ink}")
            self._ink_styles[ink] = style
        return style

    def drawn(self, line: Line) -> Drawn:
        """Return a prepared line in this pane's colours."""
        segments = [Segment(text, self.ink_style(ink)) for text, ink in line.runs]
        return Drawn(Strip(segments, line.cells), line.cells)

    def scroll_rows(self, rows: int) -> None:
        """Move the drawn part by some rows; negative moves up."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scroll down by the wheel."""
        event.stop()
        self.scroll_rows(WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scroll up by the wheel."""
        event.stop()
        self.scroll_rows(-WHEEL_LINES)

    def _draw(self) -> None:
        size = self.size
        self._rows = self.draw(size) if size.width > 0 and size.height > 0 else ()
        self._drawn_at = size

"""A styled line that is cut, and says so, where it does not fit."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from tui.theme import DRAWING


class OneLiner(Widget):
    """Shows one line of content; what it says may hold anything that went through `tui.text`."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "OneLiner { height: 1; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._line = Content("")

    def say(self, line: Content) -> None:
        """Show another line."""
        if line != self._line:
            self._line = line
            self.refresh()

    def render(self) -> Content:
        """Draw the line at the present width."""
        width = max(1, self.content_size.width)
        if self._line.cell_length <= width:
            return self._line
        return self._line.truncate(width - 1) + Content(DRAWING.ellipsis)

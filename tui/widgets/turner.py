"""A choice on one line, turned with the arrow keys: a list that would not fit a small dialog."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.text import one_line
from tui.theme import DRAWING

_ARROWS: Final = ("‹", "›") if DRAWING.dot == "·" else ("<", ">")


class Turner(Static, can_focus=True):
    """Shows one value between arrows; who owns the values is told which way it was turned."""

    DEFAULT_CSS = """
    Turner { width: 1fr; height: 1; text-wrap: nowrap; }
    Turner:focus { text-style: bold reverse; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,space,l", "turn(1)", "Next", id="turner.next", show=False),
        Binding("left,h", "turn(-1)", "Previous", id="turner.previous", show=False),
    ]

    class Turned(Message):
        """Another value is wanted."""

        def __init__(self, control: Turner, by: int) -> None:
            super().__init__()
            self.by = by
            self._control = control

        @property
        def control(self) -> Turner:
            """The choice that was turned."""
            return self._control

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._text = ""

    def say(self, text: str) -> None:
        """Show another value; it may hold anything."""
        self._text = text
        self._draw_text()

    def _draw_text(self) -> None:
        before, after = _ARROWS
        shown = one_line(self._text, max(1, self.size.width - 4)) if self.size.width else ""
        self.update(Content(f"{before} {shown} {after}"), layout=False)

    def on_resize(self, event: events.Resize) -> None:
        """Cut the value anew."""
        self._draw_text()

    def on_click(self, event: events.Click) -> None:
        """Turn on."""
        self.action_turn(1)

    def action_turn(self, by: int) -> None:
        """Say which way it was turned."""
        self.post_message(self.Turned(self, by))

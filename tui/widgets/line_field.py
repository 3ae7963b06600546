"""A field for a note or a search in one line that keeps what is pasted, line ends included."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import TextArea


class LineField(TextArea):
    """Text to type: enter submits, escape drops. No key typed here does anything else.

    Textual's own `Input` keeps the first line of a paste only.
    """

    DEFAULT_CSS = """
    LineField {
        height: auto;
        max-height: 4;
        border: none;
        padding: 0;
        background: $surface;
        scrollbar-size: 0 0;
        &:focus { border: none; }
    }
    """

    class Submitted(Message):
        """Enter was pressed."""

        def __init__(self, field: LineField, text: str) -> None:
            super().__init__()
            self.field = field
            self.text = text

    class Dropped(Message):
        """Escape was pressed."""

        def __init__(self, field: LineField) -> None:
            super().__init__()
            self.field = field

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        super().__init__(
            text,
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            tab_behavior="focus",
            highlight_cursor_line=False,
        )
        # A blinking cursor is traffic over SSH twice a second.
        self.cursor_blink = False

    def ask(self, text: str) -> None:
        """Take the focus with a text to go on from."""
        self.text = text
        self.move_cursor(self.document.end)
        self.focus()

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "escape", "tab", "shift+tab"):
            event.stop()
            event.prevent_default()
            if event.key == "enter":
                self.post_message(self.Submitted(self, self.text))
            elif event.key == "escape":
                self.post_message(self.Dropped(self))
            return
        await super()._on_key(event)

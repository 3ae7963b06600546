"""A line to type in that is there only while something is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

if TYPE_CHECKING:
    from tui.widgets.line_field import LineField


class EntryLine(Horizontal):
    """A prompt and a field; the field's `Submitted` and `Dropped` bubble up from here."""

    DEFAULT_CSS = """
    EntryLine {
        height: auto;
        max-height: 4;
        display: none;
        padding: 0 1;
        background: $surface;
        & > Static { width: auto; height: 1; color: $accent; }
        & > LineField { width: 1fr; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._prompt = Static()
        self._field: LineField | None = None

    def compose(self) -> ComposeResult:
        """Only the prompt; the field comes with the first question."""
        yield self._prompt

    @property
    def text(self) -> str | None:
        """What stands in the field; None while nothing is asked."""
        return self._field.text if self.display and self._field else None

    async def ask(self, prompt: str, text: str) -> None:
        """Open with a text to go on from, and take the focus.

        Args:
            prompt: Our words, no data.
            text: May hold anything.
        """
        if self._field is None:
            # Imported here: it is a tenth of the time until the first trace is on the screen.
            from tui.widgets.line_field import LineField

            self._field = LineField()
            await self.mount(self._field)
        self._prompt.update(Content(prompt))
        self.display = True
        self._field.ask(text)

    def close(self) -> None:
        """Go away; what was typed is forgotten."""
        self.display = False

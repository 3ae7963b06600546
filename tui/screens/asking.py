"""A question with yes and no."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.text import printable


class AskScreen(ModalScreen[bool]):
    """Asks one question; answers True only for a clear yes.

    Args:
        question: What to ask; may hold anything.
    """

    AUTO_FOCUS = ""

    DEFAULT_CSS = """
    AskScreen {
        align: center middle;
        & > Static {
            width: 100%;
            max-width: 64;
            height: auto;
            max-height: 100%;
            padding: 1 2;
            background: $panel;
        }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,enter", "answer(True)", "Yes", id="ask.yes"),
        Binding("n,escape,q", "answer(False)", "No", id="ask.no"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """Show the question and its keys."""
        yield Static(
            Content.assemble(
                printable(self._question),
                "\n\n",
                ("y", "bold $accent"),
                " yes   ",
                ("n", "bold $accent"),
                " no",
            )
        )

    def action_answer(self, answer: bool) -> None:
        """Close with an answer."""
        self.dismiss(answer)

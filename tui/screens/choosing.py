"""Choose one of several names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.text import content, printable
from tui.widgets.lines_list import LinesList


class ChooseScreen(ModalScreen[int | None]):
    """Asks for one of several names; answers with its index, or None for none of them.

    Args:
        title: What is chosen.
        names: What there is to choose from; may hold anything.
        at: Where the cursor stands first.
    """

    AUTO_FOCUS = "LinesList"

    DEFAULT_CSS = """
    ChooseScreen {
        align: center middle;
        & > Vertical {
            width: 100%;
            max-width: 64;
            height: auto;
            max-height: 100%;
            padding: 0 2;
            background: $panel;
        }
        & LinesList { background: $panel; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", "Back", id="choose.back")]

    def __init__(self, title: str, names: Sequence[str], at: int = 0) -> None:
        super().__init__()
        self._title = title
        self._names = tuple(names)
        self._at = at

    def compose(self) -> ComposeResult:
        """Show the title, the names and the keys."""
        with Vertical():
            yield Static(Content.styled(printable(self._title), "bold"))
            rows = LinesList(empty="nothing to choose from")
            rows.styles.height = min(max(1, len(self._names)), 16)
            rows.set_rows(len(self._names), lambda index: content(self._names[index]), cursor=self._at)
            yield rows
            yield Static(
                Content.assemble(("enter", "bold $accent"), " choose   ", ("esc", "bold $accent"), " back")
            )

    def on_lines_list_selected(self, event: LinesList.Selected) -> None:
        """Answer with the row chosen."""
        self.dismiss(event.index)

    def action_leave(self) -> None:
        """Answer with none."""
        self.dismiss(None)

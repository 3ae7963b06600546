"""The keys of a screen, from the registry of commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from tui.commands import commands_for
from tui.keys import keys_name
from tui.widgets.blocks import Block
from tui.widgets.inks import Syntax
from tui.widgets.trace_view import TraceView

_TEXT_KEYS = (
    ("j k ↓ ↑", "scroll by a line"),
    ("space pgdn pgup", "scroll by a screenful"),
    ("home end", "to the beginning, to the end"),
    (".", "to the reply under judgment"),
    ("> <", "next and previous place that holds what was searched for"),
    ("v", "fold long tool traffic, or unfold it"),
    ("tab", "to the next pane, to scroll it"),
)
_LIST_KEYS = (
    ("j k ↓ ↑", "move by a row"),
    ("pgdn pgup home end", "move by a screenful, to the first, to the last"),
    ("enter", "open the row under the cursor"),
    ("tab", "to the next pane"),
)
_FIELD_KEYS = (("enter", "keep what was typed"), ("esc", "drop it"))
_LISTS = frozenset({"home", "judges", "diff", "runs", "disagreements", "cell"})

_AFTER_A_KILL = (
    "If adjudge was killed outright and the terminal behaves oddly, type  reset  and press enter. "
    "Every label whose confirmation was drawn is on disk."
)


class HelpScreen(ModalScreen[None]):
    """Shows every key of one screen.

    Args:
        mode: Name of the screen in the registry of commands.
        applies: Says of a command's id whether it makes sense now; the others are left out.
    """

    AUTO_FOCUS = "TraceView"

    DEFAULT_CSS = "HelpScreen TraceView { background: $background; padding: 0 1; }"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "leave", "Back", id="help.back")
    ]

    def __init__(self, mode: str, *, applies: Callable[[str], bool] = lambda _: True) -> None:
        super().__init__()
        self._mode = mode
        self._applies = applies

    def compose(self) -> ComposeResult:
        """Show the keys."""
        view = TraceView()
        view.show_blocks(help_blocks(self._mode, applies=self._applies))
        yield view

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)


def help_blocks(mode: str, *, applies: Callable[[str], bool] = lambda _: True) -> tuple[Block, ...]:
    """Return the help of a screen, block by block.

    Args:
        mode: Name of the screen in the registry of commands.
        applies: Says of a command's id whether it makes sense now.
    """
    commands = [command for command in commands_for(mode) if applies(command.id)]
    own = tuple((keys_name(command.key), command.help) for command in commands if command.where)
    everywhere = tuple((keys_name(command.key), command.help) for command in commands if not command.where)
    parts = [
        (f"keys of {mode} (q closes this)", own),
        ("everywhere", everywhere),
        ("in a text", _TEXT_KEYS),
        ("in a field", _FIELD_KEYS),
    ]
    if mode in _LISTS:
        parts.insert(2, ("in a list", _LIST_KEYS))
    blocks = [Block(title, _table(rows), syntax=Syntax.PLAIN) for title, rows in parts if rows]
    return (*blocks, Block("after a kill", _AFTER_A_KILL, syntax=Syntax.PLAIN))


def _table(rows: tuple[tuple[str, str], ...]) -> str:
    return "\n".join(f"{key:<15} {help_text}" for key, help_text in rows)

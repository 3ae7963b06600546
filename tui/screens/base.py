"""What every screen has: a line of status on top, a line of keys below, and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from tui.commands import bindings_for, commands_for
from tui.session.session import Session
from tui.text import printable

if TYPE_CHECKING:
    from tui.app import AdjudgeApp

KEY_NAMES = {
    "question_mark": "?",
    "right_square_bracket": "]",
    "left_square_bracket": "[",
    "slash": "/",
    "space": "space",
    "enter": "enter",
}
"""How Textual's key names look on a keyboard."""


def key_name(key: str) -> str:
    """Give a key as people know it; of several the first."""
    first = key.split(",")[0]
    return KEY_NAMES.get(first, first)


class TopLine(Static):
    """One line of status: where the person is on the left, how it stands on the right."""

    DEFAULT_CSS = "TopLine { height: 1; background: $panel; color: $foreground; padding: 0 1; }"

    def say(self, left: str, right: str = "") -> None:
        """Draw the line; both texts may hold anything. The right one goes first when room is short."""
        width = max(0, self.size.width - 2)
        room = max(0, width - len(right) - 2)
        shown = left if len(left) <= room else left[: max(0, room - 1)] + ("…" if room else "")
        gap = max(1, width - len(shown) - len(right))
        self.update(Content(printable(shown + " " * gap + right)), layout=False)


class KeyLine(Static):
    """One line of keys, from the registry of commands; what does not fit is in the help."""

    DEFAULT_CSS = "KeyLine { height: 1; background: $panel; color: $foreground; padding: 0 1; }"

    def __init__(self, screen_name: str) -> None:
        super().__init__()
        self._screen_name = screen_name

    def render(self) -> Content:
        """Draw as many keys as fit, the screen's own first; help is never left out."""
        width = max(0, self.size.width - 2)
        commands = [command for command in commands_for(self._screen_name) if command.footer]
        parts: list[tuple[str, str]] = []
        room = width - len("? help")
        for command in commands:
            if command.id == "app.help" or not self._applies(command.id):
                continue
            key, title = key_name(command.key), command.title
            size = len(key) + 1 + len(title) + 2
            if size > room:
                break
            parts += [(key, "bold $accent"), (f" {title}  ", "")]
            room -= size
        parts += [("?", "bold $accent"), (" help", "")]
        return Content.assemble(*parts).truncate(max(1, width))

    def _applies(self, command_id: str) -> bool:
        applies = getattr(self.screen, "command_applies", None)
        return bool(applies(command_id)) if callable(applies) else True


class BaseScreen(Screen[None]):
    """A screen with its status and its keys; subclasses compose what lies between."""

    NAME: ClassVar[str] = ""
    """Name in the registry of commands."""

    AUTO_FOCUS = ""

    def __init_subclass__(cls, **kwargs: bool) -> None:
        """Take the screen's bindings from the registry."""
        bindings: list[BindingType] = [*bindings_for(cls.NAME)]
        cls.BINDINGS = bindings
        super().__init_subclass__(**kwargs)

    @property
    def session(self) -> Session:
        """What the app works on."""
        return self.adjudge.session

    @property
    def adjudge(self) -> AdjudgeApp:
        """The app, with its own methods."""
        return cast("AdjudgeApp", self.app)

    def compose(self) -> ComposeResult:
        """Put the status on top and the keys below."""
        yield TopLine(id="top")
        yield from self.compose_body()
        yield KeyLine(self.NAME)

    def compose_body(self) -> ComposeResult:
        """Yield what lies between the two lines."""
        yield from ()

    def top(self, left: str, right: str = "") -> None:
        """Draw the line of status."""
        self.query_one("#top", TopLine).say(left, right)

    def command_applies(self, command_id: str) -> bool:
        """Say whether a command makes sense now; the line of keys leaves the others out."""
        return True

    def session_changed(self) -> None:
        """Draw anew what another process, or another choice of criterion or judge, has changed."""

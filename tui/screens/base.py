"""What every screen has: a line of status on top, a line of keys below, and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tui.commands import bindings_for, commands_for
from tui.keys import key_name
from tui.session.session import Session
from tui.text import printable
from tui.theme import DRAWING

if TYPE_CHECKING:
    from tui.app import AdjudgeApp


class TopLine(Static):
    """One line of status: where the person is on the left, how it stands on the right."""

    DEFAULT_CSS = "TopLine { height: 1; background: $panel; color: $foreground; padding: 0 1; }"

    def say(self, left: str | Content, right: str | Content = "") -> None:
        """Draw the line; texts may hold anything. The left one is cut when room is short."""
        self._parts = (_safe(left), _safe(right))
        self._draw_parts()

    def on_resize(self) -> None:
        """Spread the two parts over the new width."""
        if hasattr(self, "_parts"):
            self._draw_parts()

    def _draw_parts(self) -> None:
        left, right = self._parts
        width = max(0, self.size.width - 2)
        room = width - right.cell_length - 2
        if left.cell_length > room:
            left = left.truncate(max(0, room - 1)) + Content(DRAWING.ellipsis if room > 0 else "")
        gap = max(1, width - left.cell_length - right.cell_length)
        line = left + Content(" " * gap) + right
        if line != self.content:
            self.update(line, layout=False)


def _safe(text: str | Content) -> Content:
    return Content(printable(text)) if isinstance(text, str) else text


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

    @property
    def top_line(self) -> TopLine:
        """The line of status."""
        return self.query_one("#top", TopLine)

    def top(self, left: str | Content, right: str | Content = "") -> None:
        """Draw the line of status."""
        self.top_line.say(left, right)

    def paint_now(self, *widgets: Widget) -> None:
        """Send what changed in some widgets at once, in one frame, and not with the screen's next tick.

        The tick is up to 16 ms away, which is more than a label takes. Does nothing where a new layout
        is due: that one paints everything.
        """
        if self.is_current and not self._layout_required and not self.app._batch_count:
            self._compositor.update_widgets(set(widgets))
            self._compositor_refresh()

    def command_applies(self, command_id: str) -> bool:
        """Say whether a command makes sense now; the line of keys leaves the others out."""
        return True

    def session_changed(self) -> None:
        """Draw anew what another process, or another choice of criterion or judge, has changed."""

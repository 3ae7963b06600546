"""The app: one project, its screens as modes, and the keys that work everywhere."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen

from store.errors import StoreError
from tui.commands import GO, bindings_for, commands_for
from tui.gate import CONTROL_GATE
from tui.session.session import Session
from tui.text import printable
from tui.theme import DARK, initial_theme, themes

REFRESH_SECONDS = 2.0
"""How often what other processes wrote is taken in."""

STOPPING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGINT") if hasattr(signal, name))
"""Signals that end the app; its exit code is then 128 and the signal's number, as a shell says it."""

_NO_COLOUR = NoColor()


def _home() -> Screen[None]:
    from tui.screens.home import HomeScreen

    return HomeScreen()


def _label() -> Screen[None]:
    from tui.screens.label import LabelScreen

    return LabelScreen()


def _judges() -> Screen[None]:
    from tui.screens.judges import JudgesScreen

    return JudgesScreen()


def _runs() -> Screen[None]:
    from tui.screens.runs import RunsScreen

    return RunsScreen()


def _disagreements() -> Screen[None]:
    from tui.screens.disagreements import DisagreementsScreen

    return DisagreementsScreen()


def _metrics() -> Screen[None]:
    from tui.screens.metrics import MetricsScreen

    return MetricsScreen()


class AdjudgeApp(App[None]):
    """The app on one project."""

    TITLE = "adjudge"
    CSS_PATH = "adjudge.tcss"
    ENABLE_COMMAND_PALETTE = True
    # Screens are loaded when they are first opened, so that the first one is there at once.
    MODES: ClassVar[dict[str, str | Callable[[], Screen[None]]]] = {
        "home": _home,
        "label": _label,
        "judges": _judges,
        "runs": _runs,
        "disagreements": _disagreements,
        "metrics": _metrics,
    }
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("")]

    def __init__(
        self, session: Session, *, start: str = "home", environ: Mapping[str, str] | None = None
    ) -> None:
        # Textual's own first screen would be drawn and left again, which takes 50 ms.
        self.DEFAULT_MODE = start  # type: ignore[misc]
        super().__init__()
        # A page that scrolls in steps costs ten times the bytes and most of a second over SSH.
        self.animation_level = "none"
        self.session = session
        self._came_from: list[str] = []
        self._going = False
        self._trouble = ""
        for theme in themes():
            self.register_theme(theme)
        self._begin_with_theme(initial_theme(os.environ if environ is None else environ))

    def _begin_with_theme(self, name: str) -> None:
        """Take a theme before anything is drawn; the setter would read every style sheet a second time."""
        if self.get_theme(name) is None:
            name = DARK
        theme = self.get_theme(name)
        if theme is None or theme.ansi:
            self.theme = name
            return
        self.set_reactive(App.theme, name)
        self.update_classes(
            {f"-theme-{name}": True, "-dark-mode": theme.dark, "-light-mode": not theme.dark}, update=False
        )
        self.stylesheet.set_variables(self.get_css_variables())

    def on_mount(self) -> None:
        """Begin to heed signals and to look at what others write."""
        self._heed_signals()
        self.set_interval(REFRESH_SECONDS, self._take_in)

    def on_ready(self) -> None:
        """Collect garbage again, if the start was spared it; what is loaded now stays and is passed over."""
        if not gc.isenabled():
            gc.freeze()
            gc.enable()

    def _heed_signals(self) -> None:
        """Leave in order when the terminal or the connection goes, so that the terminal is as it was.

        Textual 8.2.8 heeds none of these: the alternate screen and the mouse reports would stay.
        """
        if self.is_headless:
            return
        loop = asyncio.get_running_loop()
        for number in STOPPING:
            with suppress(NotImplementedError):  # Windows' loops have no signal handlers
                loop.add_signal_handler(number, self._stopped_by, number)

    def _stopped_by(self, number: int) -> None:
        self.exit(return_code=128 + number)

    async def action_quit(self) -> None:
        """Quit by Textual's own key, with our question."""
        await self.action_stop()

    def _take_in(self) -> None:
        try:
            changed = self.session.refresh()
        except StoreError as error:
            # Said once, and not every two seconds.
            if str(error) != self._trouble:
                self._trouble = str(error)
                self.say(self._trouble, error=True)
            return
        self._trouble = ""
        if changed:
            self.screen_changed()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Let nothing through that would steer the terminal, whatever drew it.

        Textual 8.2.8 decides how to leave colours out before our theme is known, and would then make
        the terminal's own ink and ground the same black.
        """
        own_colours = self.native_ansi_color
        filters = [
            _NO_COLOUR if own_colours and isinstance(each, Monochrome) else each
            for each in super().get_line_filters()
        ]
        return [*filters, CONTROL_GATE]

    # Going about ------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """After `g`, the next key chooses a screen and does nothing else."""
        if self._going and isinstance(event, events.Key):
            self._going = False
            self.clear_notifications()
            if event.key in GO:
                self.go_to(GO[event.key])
            return
        await super().on_event(event)

    def action_go(self) -> None:
        """Wait for the letter that says where to."""
        self._going = True
        letters = "  ".join(f"{letter} {name}" for letter, name in GO.items())
        self.say(f"go to:  {letters}")

    def go_to(self, name: str) -> None:
        """Open a screen; `q` comes back from it."""
        if self.current_mode != name:
            self._came_from.append(self.current_mode)
            self.switch_mode(name)

    async def action_back(self) -> None:
        """Go to the screen before, or quit."""
        if self._came_from:
            self.switch_mode(self._came_from.pop())
        else:
            await self.action_stop()

    async def action_stop(self) -> None:
        """Quit; ask first when something typed would be lost."""
        if not self.session.has_unsaved():
            self.exit()
            return
        from tui.screens.asking import AskScreen

        def answered(leave: bool | None) -> None:
            if leave:
                self.exit()

        self.push_screen(
            AskScreen("A note is not saved: it is kept only with a label. Quit all the same?"), answered
        )

    def action_help(self) -> None:
        """Show the keys of this screen."""
        from tui.screens.help import HelpScreen

        front = self.screen
        # A screen that lies over another has keys of its own.
        name = getattr(front, "NAME", "") or self.current_mode
        self.push_screen(HelpScreen(name, applies=getattr(front, "command_applies", self._applies)))

    def _applies(self, command_id: str) -> bool:
        applies = getattr(self.screen_stack[0], "command_applies", None)
        return bool(applies(command_id)) if callable(applies) else True

    def action_choose_criterion(self) -> None:
        """Choose another criterion."""
        from tui.screens.choosing import ChooseScreen

        names = self.session.project.criteria.names()
        if not names:
            self.say("there is no criterion yet: adjudge criterion new NAME --pass TEXT --fail TEXT")
            return

        def chosen(index: int | None) -> None:
            if index is not None:
                self.session.choose_criterion(names[index])
                self.screen_changed()

        here = self.session.criterion
        self.push_screen(ChooseScreen("Criterion", names, at=names.index(here.name) if here else 0), chosen)

    def screen_changed(self) -> None:
        """Tell the screen in front that another criterion or judge is at hand."""
        refreshed = getattr(self.screen, "session_changed", None)
        if callable(refreshed):
            refreshed()

    def say(self, text: str, *, error: bool = False) -> None:
        """Say something in a toast; text from data is safe here."""
        self.notify(printable(text), severity="error" if error else "information", timeout=4, markup=False)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Offer every command of the screen in front, and every screen, in the palette."""
        yield from super().get_system_commands(screen)
        for name in GO.values():
            yield SystemCommand(
                f"Go to {name}", f"Open the {name} screen", lambda name=name: self.go_to(name)
            )
        for command in commands_for(self.current_mode):
            if not self._applies(command.id):
                continue
            target = self if not command.where else screen
            yield SystemCommand(
                command.help,
                f"{command.title} ({command.key})",
                lambda target=target, command=command: self.call_later(
                    self.run_action, command.action, target
                ),
            )

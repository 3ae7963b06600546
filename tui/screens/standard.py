"""The definitions of a criterion as fields; what is typed becomes its next version."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from store.errors import StoreError
from store.records import Criterion
from tui.session.judgeparts import definition_titles
from tui.session.standards import StandardForm, StandardTexts
from tui.text import printable
from tui.widgets.judge_lines import refused_line
from tui.widgets.line_field import LineField

_KEYS: Final = (("enter", "write it"), ("tab", "field"), ("ctrl+j", "new line"), ("esc", "leave"))


class TextField(LineField):
    """A text of several lines: `ctrl+j` begins a new one, `tab` goes to the next field."""

    def __init__(self, text: str, *, id: str) -> None:
        super().__init__(text, id=id)
        self._given = text
        self._loaded = self.text

    @property
    def typed(self) -> str:
        """What was typed; a text left alone is as it was given, though Textual makes all line ends one."""
        return self._given if self.text == self._loaded else self.text

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("ctrl+j", "tab", "shift+tab"):
            event.stop()
            event.prevent_default()
            if event.key == "ctrl+j":
                self.insert("\n")
            elif event.key == "tab":
                self.screen.focus_next()
            else:
                self.screen.focus_previous()
            return
        await super()._on_key(event)


class StandardScreen(ModalScreen[Criterion | None]):
    """Asks for the definitions; answers with the version written, or None.

    Args:
        form: The version to come.
        ages: Which labels are of which version, in words.
    """

    AUTO_FOCUS = "TextField"

    DEFAULT_CSS = """
    StandardScreen {
        align: center middle;
        & > VerticalScroll {
            width: 100%; max-width: 100; height: auto; max-height: 100%;
            padding: 0 2; background: $panel; scrollbar-size: 0 0;
        }
        & .title { text-style: bold; height: 1; }
        & .name { color: $foreground-muted; height: 1; }
        & TextField { min-height: 1; max-height: 8; margin: 0 0 1 0; padding: 0 1; }
        & .note { height: auto; color: $foreground-muted; }
        & #problem { height: auto; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave", id="standard.leave")]

    def __init__(self, form: StandardForm, ages: str) -> None:
        super().__init__()
        self._form = form
        self._ages = ages

    def compose(self) -> ComposeResult:
        """One field a definition, then what becomes of the labels, then the keys."""
        form, texts = self._form, self._form.texts
        criterion = form.criterion
        title = f"{criterion.name} v{criterion.version + 1}" if criterion else "A new criterion, v1"
        good, bad = definition_titles(form.kind)
        with VerticalScroll(can_focus=False):
            yield Static(Content(printable(title)), classes="title")
            if criterion is None:
                yield from _field("name", "name: one failure mode, e.g. allergen", "")
            yield from _field("pass", f"{good}: word for word in every prompt", texts.pass_definition)
            yield from _field("fail", f"{bad}: word for word too", texts.fail_definition)
            yield from _field("facts", "facts to look up", texts.facts_needed)
            yield from _field("note", "why this version (optional)", "")
            if criterion is not None:
                told = "Labels and judges stay with the version they were made for; figures say so."
                yield Static(Content(printable(f"{told}\n{self._ages}")), classes="note")
            yield Static(id="problem")
            yield Static(_keys())

    def _typed(self) -> StandardTexts:
        def text(name: str) -> str:
            return self.query_one(f"#{name}", TextField).typed

        named = text("name") if self._form.criterion is None else ""
        return StandardTexts(text("pass"), text("fail"), text("facts"), text("note"), named)

    def on_line_field_submitted(self) -> None:
        """Write the version."""
        try:
            written = self._form.write(self._typed())
        except StoreError as error:
            self.query_one("#problem", Static).update(refused_line(str(error)))
        else:
            self.dismiss(written)

    def on_line_field_dropped(self) -> None:
        """Leave."""
        self.action_leave()

    def action_leave(self) -> None:
        """Close without a version; asks when something typed would be lost."""
        if not self._form.differs(self._typed()):
            self.dismiss(None)
            return
        from tui.screens.asking import AskScreen

        def answered(leave: bool | None) -> None:
            if leave:
                self.dismiss(None)

        self.app.push_screen(AskScreen("What you typed is not written. Leave all the same?"), answered)


def _field(name: str, title: str, text: str) -> ComposeResult:
    yield Static(Content(title), classes="name")
    yield TextField(text, id=name)


def _keys() -> Content:
    parts: list[tuple[str, str]] = []
    for key, title in _KEYS:
        parts += [(key, "bold $accent"), (f" {title}  ", "")]
    return Content.assemble(*parts)

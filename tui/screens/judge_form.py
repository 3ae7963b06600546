"""The form that makes a judge version: every field by keyboard, errors in words, nothing half made."""

from __future__ import annotations

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from store.errors import StoreError
from store.records import JudgeVersion
from tui.session.judgeform import JudgeForm
from tui.text import printable
from tui.widgets.judge_lines import refused_line
from tui.widgets.turner import Turner

_TITLES: Final = {
    "name": "name",
    "backend": "backend",
    "model": "model",
    "pattern": "pattern",
    "searched": "looked in",
    "pass_when": "pass when",
    "ignore_case": "capitals",
    "tier": "preset",
    "recipe": "recipe",
    "samples": "candidates",
    "reducer": "made one by",
    "critic_model": "critic model",
    "base_url": "server",
    "temperature": "temperature",
    "max_tokens": "max tokens",
    "examples": "examples",
    "picked": "picked",
}
_CHOICES: Final = ("backend", "pass_when", "ignore_case", "tier", "recipe", "reducer")
_HINTS: Final = {
    "pattern": "a regular expression",
    "searched": "output, input, facts.NAME, metadata.NAME",
    "samples": "drawn a row; nothing is 1",
    "model": "several, with commas: each draws in turn",
    "critic_model": "nothing: the same model",
    "base_url": "nothing: the SDK's own",
    "temperature": "nothing: the model's own",
    "max_tokens": "of an answer, thinking included",
    "examples": "in all; those not picked are chosen for you",
}
_KEYS: Final = (("enter", "make it"), ("tab", "field"), ("left right", "change"), ("esc", "leave"))


class JudgeFormScreen(ModalScreen[JudgeVersion | None]):
    """Asks what the version is to be; answers with it, or None.

    Args:
        form: The choices.
    """

    AUTO_FOCUS = "#name"

    DEFAULT_CSS = """
    JudgeFormScreen {
        align: center middle;
        & > VerticalScroll {
            width: 100%; max-width: 96; height: auto; max-height: 100%;
            padding: 0 2; background: $panel; scrollbar-size: 0 0;
        }
        & .title { text-style: bold; height: 1; }
        & Horizontal { height: 1; }
        & .name { width: 13; color: $foreground-muted; }
        & Input { width: 1fr; max-width: 36; height: 1; }
        & .hint { width: 1fr; padding: 0 1; color: $foreground-muted; }
        & .hint { text-wrap: nowrap; text-overflow: ellipsis; }
        & #outlook { height: auto; min-height: 2; margin: 1 0 0 0; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", id="form.leave"),
        Binding("enter", "make", "Make it", id="form.make", priority=True),
        Binding("down", "app.focus_next", "Next field", id="form.next"),
        Binding("up", "app.focus_previous", "Previous field", id="form.previous"),
    ]

    def __init__(self, form: JudgeForm) -> None:
        super().__init__()
        self._form = form

    # --- drawing ----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """One row a field, then what comes of it, then the keys."""
        form = self._form
        title = "A new version" if form.parent else "A new judge"
        with VerticalScroll(can_focus=False):
            yield Static(Content(printable(f"{title} for {form.criterion.name}")), classes="title")
            for field, name in _TITLES.items():
                with Horizontal(id=f"row-{field}"):
                    yield Static(Content(name), classes="name")
                    yield self._widget(field)
                    if field in _HINTS:
                        yield Static(Content(_HINTS[field]), classes="hint")
            yield Static(id="outlook")
            yield Static(_keys())

    def _widget(self, field: str) -> Input | Turner:
        if field in _CHOICES or field == "picked":
            return Turner(id=field)
        known = SuggestFromList(self._form.model_names()) if field in ("model", "critic_model") else None
        one = Input(
            str(getattr(self._form.fields, field)),
            id=field,
            compact=True,
            suggester=known,
            # What is usual is typed over at once; what a version has is not lost to one key.
            select_on_focus=self._form.parent is None,
        )
        # A blinking cursor is traffic over SSH twice a second.
        one.cursor_blink = False
        return one

    def on_mount(self) -> None:
        """Show the choices."""
        self._draw_choices()

    def _draw_choices(self) -> None:
        for field in _TITLES:
            self.query_one(f"#row-{field}").display = self._form.applies(field)
        for field in _CHOICES:
            self.query_one(f"#{field}", Turner).say(self._form.words(field))
        picked = self._form.fields.picked
        shown = f"{len(picked)}: {', '.join(picked)}" if picked else "none"
        self.query_one("#picked", Turner).say(f"{shown} (space opens the list)")
        self._say(Content.styled(printable(self._form.outlook()), "$foreground-muted"))

    def _say(self, said: Content) -> None:
        self.query_one("#outlook", Static).update(said)

    # --- choosing ---------------------------------------------------------------------------

    def on_turner_turned(self, event: Turner.Turned) -> None:
        """Take the next or previous value of a choice."""
        field = str(event.control.id)
        if field == "picked":
            self._pick()
            return
        self._form.turn(field, event.by)
        self._draw_choices()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take a text as it is typed."""
        if getattr(self._form.fields, str(event.input.id)) != event.value:
            self._take_texts()
            self._draw_choices()

    def _take_texts(self) -> None:
        """Take every text as it stands: of keys typed ahead, enter may come before the news of the last."""
        self._form.take(**{str(one.id): one.value for one in self.query(Input)})

    def _pick(self) -> None:
        from tui.screens.picking import PickScreen

        try:
            pool = self._form.pool()
        except StoreError as error:
            self._say(refused_line(str(error)))
            return

        def answered(picked: tuple[str, ...] | None) -> None:
            if picked is not None:
                self._form.pick(picked)
                self.query_one("#examples", Input).value = self._form.fields.examples
                self._draw_choices()

        self.app.push_screen(PickScreen(self._form.project, pool, self._form.fields.picked), answered)

    # --- doing ------------------------------------------------------------------------------

    def action_make(self) -> None:
        """Write the version, or say what is wrong."""
        self._take_texts()
        try:
            made = self._form.make()
        except StoreError as error:
            self._say(refused_line(str(error)))
            return
        if made.is_new:
            self.dismiss(made.judge)
        else:
            number = self._form.project.judges.number(made.judge)
            self._say(refused_line(f"nothing differs from {made.judge.name} v{number}: change something"))

    def action_leave(self) -> None:
        """Close without a version; asks when something would be lost."""
        self._take_texts()
        if not self._form.changed:
            self.dismiss(None)
            return
        from tui.screens.asking import AskScreen

        def answered(leave: bool | None) -> None:
            if leave:
                self.dismiss(None)

        self.app.push_screen(AskScreen("This version is not made yet. Leave all the same?"), answered)


def _keys() -> Content:
    parts: list[tuple[str, str]] = []
    for key, title in _KEYS:
        parts += [(key, "bold $accent"), (f" {title}  ", "")]
    return Content.assemble(*parts)

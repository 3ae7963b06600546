"""The dialog that starts a run: judge, rows, pace and budget, with the estimate before anything begins."""

from __future__ import annotations

import asyncio
import copy
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from store.errors import StoreError
from tui.session.starting import Offer, StartChoices, StartForm
from tui.text import printable
from tui.widgets.run_lines import offer_content
from tui.widgets.turner import Turner

_TITLES = {
    "judge": "judge",
    "slice": "rows",
    "sample": "sample of",
    "orders": "orders",
    "concurrency": "at once",
    "budget": "budget $",
}
_KEYS = (("enter", "start"), ("tab", "field"), ("left right", "change"), ("esc", "leave"))
_BASELINE_KEY = ("b", "make the baseline")


class StartScreen(ModalScreen[str | None]):
    """Asks what to run; answers with the id of the run that was written, or None.

    Args:
        form: The choices, and what they come to.
    """

    AUTO_FOCUS = "#judge"

    DEFAULT_CSS = """
    StartScreen {
        align: center middle;
        & > Vertical {
            width: 100%; max-width: 78; height: auto; max-height: 100%;
            padding: 0 2; background: $panel; overflow-y: auto;
        }
        & .title { text-style: bold; height: 1; margin: 0 0 1 0; }
        & Horizontal { height: 1; }
        & .name { width: 11; color: $text-muted; }
        & Input { width: 1fr; max-width: 20; height: 1; }
        & .hint { width: 1fr; padding: 0 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        & #offer { height: auto; min-height: 4; margin: 1 0; }
        & #keys { height: auto; }
    }
    """

    # With priority: a field takes digits only, so these keys are never meant for it.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", id="start.leave"),
        Binding("q", "leave", "Leave", id="start.leave-too", priority=True),
        Binding("enter", "start", "Start", id="start.start", priority=True),
        Binding("b", "baseline", "Make the baseline", id="start.baseline", priority=True),
        Binding("down", "app.focus_next", "Next field", id="start.next"),
        Binding("up", "app.focus_previous", "Previous field", id="start.previous"),
    ]

    def __init__(self, form: StartForm) -> None:
        super().__init__()
        self._form = form
        self._offer: Offer | None = None
        """For the choices as they are; None while it is worked out."""

    # --- drawing ----------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """One row a choice, then what they come to, then the keys."""
        choices = self._form.choices
        with Vertical():
            yield Static(Content(printable(f"Start a run for {self._form.criterion}")), classes="title")
            yield from self._row("judge", Turner(id="judge"))
            yield from self._row("slice", Turner(id="slice"))
            yield from self._row("sample", _number(choices.sample, "sample"), "rows, at random, seed 0")
            yield from self._row("orders", Turner(id="orders"))
            yield from self._row("concurrency", _number(choices.concurrency, "concurrency"), "calls, at most")
            yield from self._row(
                "budget", _number(choices.budget, "budget", decimals=True), "US dollars; nothing is no limit"
            )
            yield Static(id="offer")
            yield Static(_keys(baseline=self._form.offers_baseline), id="keys")

    def _row(self, name: str, field: Input | Turner, hint: str = "") -> ComposeResult:
        with Horizontal(id=f"row-{name}"):
            yield Static(Content(_TITLES[name]), classes="name")
            yield field
            if hint:
                yield Static(Content(hint), classes="hint")

    def on_mount(self) -> None:
        """Show the choices and work out the first offer."""
        self._chosen()

    def _chosen(self) -> None:
        """Draw the choices as they are now, and work out what they come to."""
        form, choices = self._form, self._form.choices
        judge = form.judge
        number = f"  ({choices.judge + 1} of {len(form.judges)})" if len(form.judges) > 1 else ""
        self.query_one("#judge", Turner).say(f"{form.judge_name}{number}" if judge else "none yet")
        self.query_one("#slice", Turner).say(form.slice.words)
        self.query_one("#orders", Turner).say(
            "both, A first and B first" if choices.both_orders else "A first"
        )
        self.query_one("#row-sample").display = form.slice.is_sample
        self.query_one("#row-orders").display = form.is_pairwise
        self.query_one("#row-concurrency").display = form.asks_model
        self.query_one("#row-budget").display = form.asks_model
        self._offer = None
        self._draw_offer()
        self._work_out(copy.copy(form))

    @work(exclusive=True, group="offer")
    async def _work_out(self, form: StartForm) -> None:
        offer = await asyncio.to_thread(form.offer)
        if form.choices == self._form.choices:
            self._offer = offer
            self._draw_offer()

    def _draw_offer(self) -> None:
        self.query_one("#offer", Static).update(offer_content(self._offer))

    # --- choosing ---------------------------------------------------------------------------

    def on_turner_turned(self, event: Turner.Turned) -> None:
        """Take the next or previous value of a choice."""
        if event.control.id == "judge":
            self._form.turn_judge(event.by)
        elif event.control.id == "slice":
            self._form.turn_slice(event.by)
        else:
            self._form.turn_orders()
        self._chosen()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Take a number as it is typed."""
        before = self._form.choices
        choices = _with_text(before, str(event.input.id), event.value)
        if choices != before:
            self._form.choose(choices)
            self._chosen()

    # --- doing ------------------------------------------------------------------------------

    def action_start(self) -> None:
        """Write the run as offered; with a problem, or before the estimate is seen, nothing happens."""
        if self._offer is None or self._offer.plan is None:
            self.app.bell()
            return
        try:
            run = self._form.write(self._offer.plan)
        except StoreError as error:
            self._refuse(error)
        else:
            self.dismiss(run.id)

    def action_baseline(self) -> None:
        """Make the offline baseline and choose it."""
        try:
            self._form.make_baseline()
        except StoreError as error:
            self._refuse(error)
        else:
            self._chosen()

    def _refuse(self, error: StoreError) -> None:
        self._offer = Offer(None, None, str(error))
        self._draw_offer()

    def action_leave(self) -> None:
        """Close without a run."""
        self.dismiss(None)


def _number(value: str, name: str, *, decimals: bool = False) -> Input:
    return Input(value, id=name, compact=True, restrict=r"[0-9]*\.?[0-9]*" if decimals else "[0-9]*")


def _with_text(choices: StartChoices, name: str, text: str) -> StartChoices:
    if name == "sample":
        return replace(choices, sample=text)
    if name == "concurrency":
        return replace(choices, concurrency=text)
    return replace(choices, budget=text)


def _keys(*, baseline: bool) -> Content:
    parts: list[tuple[str, str]] = []
    for key, title in (*_KEYS, *([_BASELINE_KEY] if baseline else [])):
        parts += [(key, "bold $accent"), (f" {title}  ", "")]
    return Content.assemble(*parts)

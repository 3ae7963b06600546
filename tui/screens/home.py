"""The Home screen: where the project stands in the loop, and the next step."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.geometry import Size
from textual.timer import Timer
from textual.widgets import Static

from store.errors import StoreError
from tui.screens.asking import AskScreen
from tui.screens.base import BaseScreen, KeyLine
from tui.session.overview import Overview, Token
from tui.text import content
from tui.widgets import home_lines
from tui.widgets.lines_list import LinesList

_POLL_SECONDS = 0.5
_NO_CRITERION = "no criterion yet: adjudge criterion new NAME --pass TEXT --fail TEXT"


class HomeScreen(BaseScreen):
    """What there is, how far it is, and what comes next."""

    NAME: ClassVar[str] = "home"

    DEFAULT_CSS = """
    HomeScreen {
        #next { height: auto; max-height: 4; padding: 0 1; margin: 0 0 1 0; }
        .rule { height: 1; padding: 0 1; text-wrap: nowrap; }
        #criteria { height: 1; }
        #rest { height: 1fr; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-low #next { margin: 0; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._next = Static(id="next")
        self._rule = Static(id="rule", classes="rule")
        self._criteria = LinesList(empty=_NO_CRITERION, id="criteria")
        self._rest = Static(id="rest")
        self._view: Overview | None = None
        self._token: Token | None = None
        self._timer: Timer | None = None

    # --- drawing ----------------------------------------------------------------------------

    def compose_body(self) -> ComposeResult:
        """The next step, the criteria, then everything about the one at hand."""
        yield self._next
        yield self._rule
        yield self._criteria
        yield self._rest

    def on_mount(self) -> None:
        """Draw what is known at once and work out the rest."""
        self._criteria.focus()
        self._timer = self.set_interval(_POLL_SECONDS, self.poll)
        self._draw_all()

    def on_screen_resume(self) -> None:
        """Look again: labels, piles and runs may have moved meanwhile."""
        if self._timer is not None:
            self._timer.resume()
        self.poll()

    def on_screen_suspend(self) -> None:
        """Leave the runs to the screen in front."""
        if self._timer is not None:
            self._timer.pause()

    def on_resize(self, event: events.Resize) -> None:
        """Give the list its share of the new size."""
        self.set_class(event.size.height < 16, "-low")
        self._draw_all()

    def session_changed(self) -> None:
        """Work out anew what another choice, or another process, has changed."""
        self.poll()

    def poll(self) -> None:
        """Look at the runs, and work Home out anew when a file it was made from has changed."""
        desk = self.session.desk
        if desk.poll():
            self._draw_rest()
        token = self.session.overviews.token(without=[line.id for line in desk.open_runs()])
        if token != self._token:
            self._token = token
            self._work_out(token)

    @work(exclusive=True, group="overview")
    async def _work_out(self, token: Token) -> None:
        try:
            view = await asyncio.to_thread(self._make_steadily, token)
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
            return
        self._view = view
        self._draw_all()
        self.query_one(KeyLine).refresh()

    def _make_steadily(self, token: Token) -> Overview:
        maker = self.session.overviews
        try:
            return maker.make(token)
        except RuntimeError:
            # A book grew while it was walked through; what was written is in by now.
            return maker.make(token)

    @property
    def _here(self) -> Overview | None:
        """What is known of the criterion at hand; None while it is worked out."""
        criterion = self.session.criterion
        name = criterion.name if criterion else None
        return self._view if self._view is not None and self._view.criterion == name else None

    def _draw_all(self) -> None:
        if not self.is_mounted:
            return
        view, criterion = self._here, self.session.criterion
        name = f"{criterion.name} v{criterion.version}" if criterion else "no criterion"
        traces = len(self.session.project.traces)
        self.top(f"adjudge · {name}", f"{traces:,} traces · {self.session.annotator}")
        self._next.update(home_lines.next_step(view.step if view else None))
        width = self.size.width
        self._rule.update(home_lines.rule("criteria", width - 2))
        self._draw_criteria(self._view)
        self._draw_rest()

    def _draw_criteria(self, view: Overview | None) -> None:
        names = self.session.project.criteria.names()
        here = self.session.criterion
        lines = {line.name: line for line in view.criteria} if view else {}
        self._criteria.styles.height = min(max(1, len(names)), max(1, self.size.height // 4))
        self._criteria.set_rows(
            len(names),
            lambda index: home_lines.criterion(names[index], lines.get(names[index])),
            cursor=names.index(here.name) if here else 0,
        )

    def _draw_rest(self) -> None:
        if not self.is_mounted:
            return
        session = self.session
        lines = home_lines.rest(
            self._here,
            session.criterion.name if session.criterion else "",
            session.desk.lines,
            session.project.notices,
            Size(self.size.width - 2, self._rest.size.height),
        )
        drawn = content("\n").join(lines)
        if drawn != self._rest.content:
            self._rest.update(drawn, layout=False)

    # --- doing ------------------------------------------------------------------------------

    def on_lines_list_moved(self, event: LinesList.Moved) -> None:
        """Put the criterion under the cursor at hand."""
        self.session.choose_criterion(self.session.project.criteria.names()[event.index])
        self.poll()
        self._draw_all()

    async def on_lines_list_selected(self, event: LinesList.Selected) -> None:
        """Take enter on the criterion at hand as the next step, as everywhere on this screen."""
        await self.action_next_step()

    async def action_next_step(self) -> None:
        """Do what the project needs next, or say how it is done."""
        step = self.session.next_step()
        if step.command == "home.deal":
            self.action_deal()
        elif step.command == "home.baseline":
            self.action_baseline()
        elif step.screen:
            self.adjudge.go_to(step.screen)
        else:
            self.adjudge.say(f"in another terminal, or after q: {step.text}")

    def action_deal(self) -> None:
        """Deal labelled traces into piles, after a question: nothing dealt ever moves."""
        view = self._here
        if self.session.criterion is None:
            self.adjudge.say("there is no criterion yet")
            return
        if view is None:
            return
        if not view.undealt:
            self.adjudge.say("nothing to deal: every labelled trace is in a pile")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._deal()

        self.app.push_screen(
            AskScreen(
                f"Deal {view.undealt} labelled traces of {self.session.criterion.name} into train, dev and "
                "hold-out? What is dealt never moves, and the hold-out's labels are sealed until you open "
                "it for one judge."
            ),
            answered,
        )

    def _deal(self) -> None:
        try:
            self.adjudge.say(self.session.deal())
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
        self.poll()

    def action_baseline(self) -> None:
        """Make the offline baseline of the criterion at hand."""
        from tui.session.starting import make_baseline

        criterion = self.session.criterion
        if criterion is None:
            self.adjudge.say("there is no criterion yet")
            return
        try:
            judge = make_baseline(self.session.project, criterion.name)
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
            return
        self.session.choose_judge(judge)
        self.adjudge.say(f"{self.session.judge_name(judge)} is ready: gr, then n, runs it on dev")
        self.poll()

    def command_applies(self, command_id: str) -> bool:
        """Say whether dealing and the baseline make sense now."""
        view = self._here
        if command_id == "home.deal":
            return view is not None and view.undealt > 0
        if command_id == "home.baseline":
            return (
                view is not None and bool(view.criteria) and not any(one.is_baseline for one in view.judges)
            )
        return True

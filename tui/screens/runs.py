"""The Runs screen: every run, and the one watched as it goes on."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from store.errors import StoreError
from store.runrecords import RunState
from store.runs import Control
from tui.screens.asking import AskScreen
from tui.screens.base import BaseScreen, KeyLine
from tui.session.rundesk import RunDesk
from tui.session.running import RunWatch
from tui.text import printable
from tui.widgets import run_lines
from tui.widgets.lines_list import LinesList

_POLL_SECONDS = 0.25
_WIDE = 100
"""Columns from which the matrix stands beside the verdicts."""
_EMPTY = "No runs yet: n starts one, and says first what it will cost."


class RunsScreen(BaseScreen):
    """Runs are processes of their own; this only follows their files and leaves words for them."""

    NAME: ClassVar[str] = "runs"

    DEFAULT_CSS = """
    RunsScreen {
        #runs { height: 1; }
        #about { height: 5; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; background: $surface; }
        #live { height: 1fr; }
        #verdicts { width: 1fr; height: 1fr; }
        #matrix { width: 31; height: 1fr; padding: 0 1; text-wrap: nowrap; background: $surface; }
        #strip { height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; background: $surface; }
        #matrix { display: none; }
        &.-wide #matrix { display: block; }
        &.-wide #strip { display: none; }
        &.-low #about { height: 3; }
        &.-empty #about, &.-empty #live, &.-empty #strip { display: none; }
        &.-empty #runs { height: 1fr; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._list = LinesList(empty=_EMPTY, id="runs")
        self._about = Static(id="about")
        self._verdicts = LinesList(empty="no verdict yet", id="verdicts")
        self._matrix = Static(id="matrix")
        self._strip = Static(id="strip")
        self._timer: Timer | None = None
        self._followed: RunWatch | None = None
        self._written = -1
        self._list_height = 0

    # --- drawing ----------------------------------------------------------------------------

    def compose_body(self) -> ComposeResult:
        """The list, the watched run, its verdicts and the matrix so far."""
        yield self._list
        yield self._about
        with Horizontal(id="live"):
            yield self._verdicts
            yield self._matrix
        yield self._strip

    def on_mount(self) -> None:
        """Begin to follow the runs' files."""
        self._list.focus()
        self._timer = self.set_interval(_POLL_SECONDS, self.poll)
        self.poll()

    def on_screen_resume(self) -> None:
        """Look again: a run may have begun or ended meanwhile."""
        if self._timer is not None:
            self._timer.resume()
        self.desk.look_again()
        self.desk.forget_labels()
        self._written = -1
        self.poll()

    def on_screen_suspend(self) -> None:
        """Follow nothing while another screen is in front; the runs go on all the same."""
        if self._timer is not None:
            self._timer.pause()

    def on_resize(self, event: events.Resize) -> None:
        """Give the parts their shares of the new size."""
        self.set_class(event.size.width >= _WIDE, "-wide")
        self.set_class(event.size.height < 16, "-low")
        self._written = -1
        self._draw_all()

    def session_changed(self) -> None:
        """Count again: labels may have changed."""
        self.desk.forget_labels()
        self._written = -1
        self._draw_all()

    @property
    def desk(self) -> RunDesk:
        """The project's runs."""
        return self.session.desk

    def poll(self) -> None:
        """Take in what the runs wrote since, and draw what changed."""
        self.desk.poll()
        if self.desk.watched is None:
            self.desk.watch_newest()
            self.desk.poll()
        self._draw_all()

    def _watch(self, run: str) -> None:
        try:
            self.desk.watch(run)
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
        self.poll()

    def _draw_all(self) -> None:
        if not self.is_mounted:
            return
        self._draw_top()
        self._draw_list()
        watch = self.desk.watched
        if watch is None:
            return
        starting = self.desk.starting(watch.plan.id)
        lines = [
            run_lines.heading(watch, is_starting=starting),
            run_lines.progress(watch, self.size.width - 2),
            run_lines.saying(watch, "" if starting else self.desk.why_not_begun(watch.plan.id)),
            run_lines.bill(watch),
            run_lines.troubles(watch),
        ]
        drawn = Content("\n").join(lines)
        if drawn != self._about.content:
            self._about.update(drawn, layout=False)
            self.query_one(KeyLine).refresh()
        self._draw_verdicts(watch)

    def _draw_top(self) -> None:
        lines = self.desk.lines
        going = sum(line.is_open for line in lines)
        criterion = self.session.criterion
        name = f" · {criterion.name}" if criterion else ""
        self.top(f"runs{name}", f"{len(lines)} runs, {going} at work" if lines else "")

    def _draw_list(self) -> None:
        lines, watch = self.desk.lines, self.desk.watched
        self.set_class(not lines, "-empty")
        # Set only when it differs: setting a style lays the whole screen out again.
        height = max(1, min(len(lines), self.size.height // 4))
        if lines and height != self._list_height:
            self._list.styles.height = self._list_height = height
        elif not lines:
            self._list.styles.clear_rule("height")
            self._list_height = 0
        ids = [line.id for line in lines]
        at = ids.index(watch.plan.id) if watch is not None and watch.plan.id in ids else None
        self._list.set_rows(
            len(lines),
            lambda index: run_lines.run_line(lines[index], is_starting=self.desk.starting(lines[index].id)),
            cursor=at,
        )

    def _draw_verdicts(self, watch: RunWatch) -> None:
        """Draw the verdicts, the newest first; whoever reads further down stays on the same one."""
        written = watch.progress.written
        if watch is self._followed and written == self._written:
            return
        here = self._verdicts.cursor
        came = written - self._written if watch is self._followed and self._written >= 0 else 0
        stay = 0 if not here else min(here + came, len(watch.progress.recent) - 1)
        self._followed, self._written = watch, written
        recent = watch.progress.recent
        self._verdicts.set_rows(
            len(recent),
            lambda index: run_lines.verdict_row(recent[-1 - index], self._verdicts.size.width - 2),
            cursor=stay,
        )
        self._draw_matrix(watch)

    def _draw_matrix(self, watch: RunWatch) -> None:
        try:
            counts = self.desk.matrix(watch)
        except StoreError as error:
            self._strip.update(Content.styled(printable(str(error)), "$error"), layout=False)
            return
        words = watch.progress.words
        self._matrix.update(run_lines.matrix(counts, words), layout=False)
        self._strip.update(run_lines.matrix_strip(counts, words), layout=False)

    # --- doing ------------------------------------------------------------------------------

    def on_lines_list_moved(self, event: LinesList.Moved) -> None:
        """Watch the run under the cursor."""
        if event.control is self._list:
            self._watch(self.desk.lines[event.index].id)

    def on_lines_list_selected(self, event: LinesList.Selected) -> None:
        """Go from the list to the verdicts of the run."""
        if event.control is self._list:
            self._verdicts.focus()

    def command_applies(self, command_id: str) -> bool:
        """Say which words the watched run can be told now."""
        watch = self.desk.watched
        if command_id in ("runs.pause", "runs.cancel"):
            return watch is not None and watch.alive
        if command_id == "runs.resume":
            return watch is not None and not watch.alive and self._can_go_on(watch)
        return True

    def _can_go_on(self, watch: RunWatch) -> bool:
        return watch.plan.backend != "imported" and (
            watch.state is not RunState.DONE or bool(watch.progress.no_verdict)
        )

    def action_start(self) -> None:
        """Choose judge, rows and budget for a new run."""
        from tui.screens.starting import StartScreen
        from tui.session.starting import StartForm

        criterion = self.session.criterion
        if criterion is None:
            self.adjudge.say("there is no criterion yet: adjudge criterion new NAME --pass TEXT --fail TEXT")
            return

        def written(run: str | None) -> None:
            if run is not None:
                self._launch(run)

        form = StartForm(self.session.project, criterion.name, at_hand=self.session.chosen_judge)
        self.app.push_screen(StartScreen(form), written)

    def action_resume(self) -> None:
        """Go on with the watched run."""
        watch = self.desk.watched
        if watch is None:
            self.adjudge.say("there is no run to go on with: n starts one")
        elif not watch.alive and not self._can_go_on(watch):
            self.adjudge.say("this run is finished: every row has a verdict")
        else:
            self._launch(watch.plan.id)

    def _launch(self, run: str) -> None:
        try:
            self.desk.launch(run)
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
        self._watch(run)

    def action_pause(self) -> None:
        """Pause the watched run, or let it go on."""
        watch = self.desk.watched
        paused = watch is not None and watch.state is RunState.PAUSED
        self._tell(
            "continue" if paused else "pause", "goes on" if paused else "pauses; calls under way end first"
        )

    def action_cancel(self) -> None:
        """End the watched run, after a question."""
        watch = self.desk.watched
        if watch is None or not watch.alive:
            self.adjudge.say("no run is at work here")
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._tell("cancel", "ends; everything so far is kept")

        done, asked = watch.progress.done, watch.plan.asked
        self.app.push_screen(
            AskScreen(
                f"End the run of {watch.plan.judge_name}? {done:,} of {asked:,} rows are judged and kept; "
                "e goes on with it later, and nothing is paid twice."
            ),
            answered,
        )

    def _tell(self, word: Control, said: str) -> None:
        watch = self.desk.watched
        if watch is None or not watch.alive:
            self.adjudge.say("no run is at work here")
            return
        try:
            self.desk.ask(watch.plan.id, word)
        except StoreError as error:
            self.adjudge.say(str(error), error=True)
        else:
            self.adjudge.say(f"run {said}")

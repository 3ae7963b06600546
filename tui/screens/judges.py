"""The Judges screen: every version, its five parts at a glance, and the way to the next one."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.content import Content

from store.errors import StoreError
from store.records import Criterion, JudgeKind, JudgeVersion, PileName
from tui.screens.base import BaseScreen, KeyLine
from tui.session.judgefields import why_not_edited
from tui.session.judgeform import JudgeForm
from tui.session.judges import JudgeDesk, VersionLine
from tui.session.standards import StandardForm
from tui.text import printable
from tui.theme import DRAWING
from tui.widgets.blocks import Block
from tui.widgets.inks import Syntax
from tui.widgets.judge_lines import part_blocks, version_heading, version_row
from tui.widgets.lines_list import LinesList
from tui.widgets.one_liner import OneLiner
from tui.widgets.parts_view import PartsView
from tui.widgets.trace_view import TraceView

_NEEDS_VERSION: Final = ("use", "edit", "prompt", "diff", "runs")
_MOST_ROWS: Final = 12
"""Rows of the list at most; the rest of the screen belongs to the parts."""


class JudgesScreen(BaseScreen):
    """Lists the versions of the criterion's judges above the parts of the one under the cursor."""

    NAME: ClassVar[str] = "judges"
    AUTO_FOCUS = "#versions"

    DEFAULT_CSS = """
    JudgesScreen {
        & OneLiner { padding: 0 1; }
        & #versions { height: 3; padding: 0 1; }
        & #parts { height: 1fr; padding: 0 1; background: $surface; }
        & #parts:focus > .pane--title { text-style: reverse; }
        & #said { color: $foreground-muted; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._desk: JudgeDesk | None = None
        self._lines: tuple[VersionLine, ...] = ()
        self._criterion: Criterion | None = None

    def compose_body(self) -> ComposeResult:
        """Put the list above the parts."""
        yield OneLiner(id="columns")
        yield LinesList(id="versions", empty="")
        yield PartsView(id="parts")
        yield OneLiner(id="said")

    @property
    def desk(self) -> JudgeDesk:
        """What is shown and done here."""
        if self._desk is None:
            self._desk = JudgeDesk(self.session)
        return self._desk

    @property
    def version(self) -> JudgeVersion | None:
        """The version under the cursor."""
        cursor = self.query_one("#versions", LinesList).cursor
        return self._lines[cursor].judge if cursor is not None and cursor < len(self._lines) else None

    # --- drawing ----------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        """Look again: judges, labels and runs may have moved meanwhile."""
        self.session_changed()

    def session_changed(self) -> None:
        """Show what is there now; the cursor stays on its version, or begins on the judge at hand."""
        version = self.version
        criterion = self.session.criterion
        if self._criterion is None or criterion is None or criterion.name != self._criterion.name:
            version = None
        self._criterion = criterion
        self._lines = self.desk.lines()
        wanted = version.hash if version else None
        places = [
            index
            for index, line in enumerate(self._lines)
            if (line.judge.hash == wanted if wanted else line.at_hand)
        ]
        self._show_versions(places[0] if places else 0)
        self._measure()

    def _show_versions(self, cursor: int) -> None:
        versions = self.query_one("#versions", LinesList)
        versions.styles.height = max(1, min(len(self._lines), _MOST_ROWS, max(3, self.app.size.height // 3)))
        versions.display = bool(self._lines)
        self.query_one("#columns").display = bool(self._lines)
        versions.set_rows(len(self._lines), self._row, cursor=cursor)
        self._draw_heading()
        self._show_parts()
        self.query_one(KeyLine).refresh()

    def _row(self, index: int) -> Content:
        if index >= len(self._lines):
            return Content("")
        line = self._lines[index]
        return version_row(line, self.desk.figures.get(line.name), max(0, self.app.size.width - 2))

    def _draw_heading(self) -> None:
        figures = f"TPR TNR {'dev' if self.session.pile_sizes().get(PileName.DEV) else 'all'}"
        if self._criterion is not None and self._criterion.kind is JudgeKind.PAIRWISE:
            figures = "both orders"
        self.query_one("#columns", OneLiner).say(version_heading(max(0, self.app.size.width - 2), figures))

    def _show_parts(self) -> None:
        version, criterion = self.version, self._criterion
        try:
            blocks = part_blocks(self.desk.parts(version))
            if version is not None:
                first = blocks[0]
                told = f"{first.text}\n{self.desk.about(version)}"
                blocks = (Block(first.title, told, syntax=Syntax.PLAIN), *blocks[1:])
        except (StoreError, ValueError) as error:
            blocks = (Block("this version cannot be shown", str(error), syntax=Syntax.PLAIN),)
        if version is None:
            blocks = (*blocks, Block("next step", self._next_step(criterion), syntax=Syntax.PLAIN))
        self.query_one("#parts", TraceView).show_blocks(blocks)
        self._draw_top()

    def _next_step(self, criterion: Criterion | None) -> str:
        if criterion is None:
            return "There is no criterion yet: s writes the standard of the first one."
        train = self.session.pile_sizes().get(PileName.TRAIN)
        told = f"There is no judge for {criterion.name} yet: n makes one."
        if not train:
            told += "\nExamples come from train: on Home (gh), s deals labelled rows into piles."
        return told

    def _draw_top(self) -> None:
        criterion = self._criterion
        age = self.desk.label_age()
        if criterion is None or age is None:
            self.top("judges")
            return
        older = f"   {age.older} labels of an older standard" if age.older else ""
        count = f"{len(self._lines)} version{'' if len(self._lines) == 1 else 's'}"
        self.top(f"judges {DRAWING.dot} {criterion.name} v{criterion.version}", f"{count}{older}")

    def _say(self, text: str) -> None:
        self.query_one("#said", OneLiner).say(Content(printable(text)))

    def on_resize(self) -> None:
        """Give the list its share of the new size."""
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        self._show_versions(self.query_one("#versions", LinesList).cursor or 0)

    @work(exclusive=True, group="measure")
    async def _measure(self) -> None:
        try:
            await asyncio.to_thread(self._measure_steadily)
        except StoreError as error:
            self._say(str(error))
        self.query_one("#versions", LinesList).refresh_rows()

    def _measure_steadily(self) -> None:
        try:
            self.desk.measure()
        except RuntimeError:
            # A book grew while it was walked through; what was written is in by now.
            self.desk.measure()

    # --- keys -------------------------------------------------------------------------------

    def command_applies(self, command_id: str) -> bool:
        """Leave out what makes no sense without a version, or without a criterion."""
        name = command_id.removeprefix("judges.")
        if name in _NEEDS_VERSION:
            return self.version is not None
        return name != "new" or self._criterion is not None

    def on_lines_list_moved(self) -> None:
        """Show the version under the cursor."""
        self._say("")
        self._show_parts()

    def on_lines_list_selected(self) -> None:
        """Use the version under the cursor."""
        self.action_use()

    def action_use(self) -> None:
        """Put the version under the cursor at hand."""
        version = self.version
        if version is not None:
            self.desk.use(version)
            self._lines = self.desk.lines()
            self.query_one("#versions", LinesList).refresh_rows()
            self._say(f"{self.session.judge_name(version)} is at hand for Disagreements and Metrics")

    def action_runs(self) -> None:
        """Put the version at hand and go to the runs."""
        if self.version is not None:
            self.action_use()
            self.adjudge.go_to("runs")

    def action_read_on(self) -> None:
        """Scroll the parts by a screenful."""
        self.query_one("#parts", TraceView).action_screens(1)

    def action_new(self) -> None:
        """Open the form of a new judge."""
        self._open_form(None)

    def action_edit(self) -> None:
        """Open the form of the next version of the one under the cursor."""
        version = self.version
        if version is None:
            return
        problem = why_not_edited(version)
        if problem:
            self._say(problem)
        else:
            self._open_form(version)

    def _open_form(self, parent: JudgeVersion | None) -> None:
        from tui.screens.judge_form import JudgeFormScreen

        if self._criterion is None:
            self._say("first the standard: s writes it")
            return
        form = JudgeForm(self.session.project, self._criterion, parent)
        self.app.push_screen(JudgeFormScreen(form), self._made)

    def _made(self, judge: JudgeVersion | None) -> None:
        if judge is None:
            return
        self.desk.use(judge)
        self._lines = self.desk.lines()
        at = next((index for index, line in enumerate(self._lines) if line.judge.hash == judge.hash), 0)
        self._show_versions(at)
        self._measure()
        self._say(f"{self.session.judge_name(judge)} is ready and at hand: p shows its prompt, r runs it")

    def action_standard(self) -> None:
        """Open the definitions as fields."""
        from tui.screens.standard import StandardScreen

        form = StandardForm(self.session.project, self._criterion, self.session.annotator)
        age = self.desk.label_age()
        self.app.push_screen(StandardScreen(form, age.words() if age else ""), self._written)

    def _written(self, criterion: Criterion | None) -> None:
        if criterion is None:
            return
        self.session.choose_criterion(criterion.name)
        self.session_changed()
        age = self.desk.label_age()
        labels, judges = age.older if age else 0, self.desk.newly_stale()
        said = f"{criterion.name} v{criterion.version} is written"
        if labels or judges:
            said += f"; {labels} labels (gl) and {judges} judges (e) are of an older one"
        self._say(said)

    def action_diff(self) -> None:
        """Compare the version under the cursor with its parent, or with the newest other one."""
        from tui.screens.diff import DiffScreen

        version = self.version
        if version is None:
            return
        others = self.desk.others(version)
        if not others:
            self._say("there is no other version to compare with: e makes the next one")
            return
        # A version made from none is itself the older one.
        old, new = (others[0], version) if self.desk.parent(version) else (version, others[0])
        self.app.push_screen(DiffScreen(self.desk, old, new))

    def action_prompt(self) -> None:
        """Show exactly what is sent for a trace."""
        from tui.screens.prompt import PromptScreen

        version = self.version
        if version is not None:
            self.app.push_screen(PromptScreen(version))

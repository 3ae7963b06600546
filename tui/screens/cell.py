"""The traces of one cell of a table: each with what person and judge said of it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from tui.screens.base import BaseScreen
from tui.screens.comparing import BREAKPOINTS, settle_width
from tui.session.metrics import Case
from tui.text import one_line
from tui.theme import DRAWING, verdict_content
from tui.widgets.blocks import Block, blocks_of, facts_of
from tui.widgets.lines_list import LinesList
from tui.widgets.sayings import decision_words, judge_blocks
from tui.widgets.trace_view import TraceView


class CellScreen(BaseScreen):
    """Lists the traces of a cell and shows the one under the cursor.

    Args:
        title: What the cell counts.
        cases: Its traces.
    """

    NAME = "cell"
    AUTO_FOCUS = "LinesList"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    DEFAULT_CSS = """
    CellScreen {
        & #cell { height: 1fr; }
        & TraceView { padding: 0 1; }
        & #cell { layout: vertical; }
        & LinesList { height: 30%; min-height: 3; }
        &.-wide #cell { layout: horizontal; }
        &.-wide LinesList { width: 46; height: 1fr; }
    }
    """

    def __init__(self, title: str, cases: Sequence[Case]) -> None:
        super().__init__()
        self._title = title
        self._cases = tuple(cases)

    def compose_body(self) -> ComposeResult:
        """Put the list beside, or above, the trace."""
        settle_width(self)
        with Container(id="cell"):
            yield LinesList(empty="no trace is counted here; q goes back to the table")
            yield TraceView(placeholder="nothing to read")

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one(LinesList).set_rows(len(self._cases), self._row, cursor=0)
        self._show(0)

    def on_resize(self) -> None:
        """Draw the status at the new width."""
        self.call_after_refresh(self._draw_top)

    def _row(self, index: int) -> Content:
        case = self._cases[index]
        asked = one_line(self.session.project.traces.get(case.trace).input, 80)
        marks = Content(" ").join([verdict_content(said.verdict, word=False) for said in case.verdicts])
        return Content.assemble(marks, (f" {one_line(case.trace, 24)} ", "$foreground-muted"), asked)

    def _show(self, index: int) -> None:
        if index < len(self._cases):
            case = self._cases[index]
            trace = self.session.project.traces.get(case.trace)
            blocks = (*blocks_of(trace), *facts_of(trace.facts), *_said(case))
            self.query_one(TraceView).show_blocks(blocks)
        self._draw_top()

    def _draw_top(self) -> None:
        at = (self.query_one(LinesList).cursor or 0) + 1 if self._cases else 0
        self.top(self._title, f"{at} of {len(self._cases)}")

    def command_applies(self, command_id: str) -> bool:
        """Leave the app's own `q` out: here it goes back to the table."""
        return command_id != "app.back"

    def on_lines_list_moved(self, event: LinesList.Moved) -> None:
        """Show the trace under the cursor."""
        self._show(event.index)

    def on_lines_list_selected(self) -> None:
        """Read on."""
        self.action_read_on()

    def action_read_on(self) -> None:
        """Scroll the trace by a screenful."""
        self.query_one(TraceView).action_screens(1)

    def action_step(self, by: int) -> None:
        """Go to the next or the previous trace."""
        self.query_one(LinesList).action_move(by)

    def action_leave(self) -> None:
        """Go back to the table."""
        self.dismiss()


def _said(case: Case) -> tuple[Block, ...]:
    """Return what was said of a trace, each block naming who said it."""
    person: tuple[Block, ...] = ()
    if case.label is not None:
        who = f"PERSON: {decision_words(case.label.verdict)} {DRAWING.dot} {case.label.annotator}"
        person = (Block(who, case.label.note or "(no note)"),)
    first = case.verdicts[0]
    if first.order is not None:
        return (*person, *judge_blocks(first, case.verdicts[1] if len(case.verdicts) > 1 else None))
    head = Block(f"JUDGE: {decision_words(first.verdict)}", first.critique or first.detail or "(no critique)")
    return (*person, head, *(block for block in judge_blocks(first) if block.title != "critique"))

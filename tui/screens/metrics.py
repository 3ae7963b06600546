"""How far a judge can be trusted: the table with its traces, the rates with their intervals, the advice."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from judging.statistics.binary import ReadingName
from judging.statistics.counts import FAIL, PASS
from judging.statistics.pairwise import WINNERS, PairVerdict
from store.project import Project
from store.records import Criterion, JudgeKind, JudgeVersion, PileName
from tui.screens.cell import CellScreen
from tui.screens.comparing import ComparingScreen
from tui.session.metrics import (
    JUDGED,
    PEOPLE,
    BinaryView,
    Case,
    Cell,
    MetricsView,
    NothingView,
    SwapView,
    read_metrics,
)
from tui.session.reviewing import pile_words
from tui.text import content
from tui.theme import DRAWING, verdict_content
from tui.widgets.figure_lines import binary_lines, swap_lines
from tui.widgets.matrix import Grid, Matrix
from tui.widgets.sayings import FLAG, decision

_MEANS = {
    (PASS, PASS): "kept: people and judge pass it",
    (PASS, FAIL): "too strict: people pass it, the judge fails it",
    (PASS, None): "people pass it, the judge gives no verdict",
    (FAIL, PASS): "waved through: people fail it, the judge passes it",
    (FAIL, FAIL): "caught: people and judge fail it",
    (FAIL, None): "people fail it, the judge gives no verdict",
}
_WAVED_THROUGH = Cell(PEOPLE.index(FAIL), JUDGED.index(PASS))


class MetricsScreen(ComparingScreen[MetricsView]):
    """Shows one judge's figures on one pile."""

    NAME = "metrics"

    DEFAULT_CSS = """
    MetricsScreen {
        & #body { height: 1fr; scrollbar-size: 0 0; padding: 0 1; }
        & Static { height: auto; }
        & #means { color: $foreground-muted; margin: 0 0 1 0; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._view: MetricsView | None = None
        self._reading: ReadingName = "strict"

    def compose_body(self) -> ComposeResult:
        """Put the table above the figures."""
        with VerticalScroll(id="body", can_focus=False):
            yield Matrix(id="matrix")
            yield Static(id="means")
            yield Static(id="figures")

    # Reading ------------------------------------------------------------------------------------

    def read(self, project: Project, judge: JudgeVersion, pile: PileName | None) -> MetricsView:
        """Measure the judge."""
        return read_metrics(project, judge, pile)

    def begin(self, criterion: Criterion, judge: JudgeVersion) -> None:
        """Begin with another judge or pile."""
        self.show_nothing("measuring ...")

    def take(self, result: MetricsView) -> None:
        """Show what was measured."""
        if isinstance(result, NothingView):
            self.show_nothing(result.reason)
            return
        fresh = not isinstance(self._view, type(result))
        self._view = result
        matrix = self.query_one(Matrix)
        matrix.display = self.query_one("#means").display = True
        at = _WAVED_THROUGH if isinstance(result, BinaryView) else Cell(0, 1)
        grid = _binary_grid(result) if isinstance(result, BinaryView) else _swap_grid(result)
        matrix.set_grid(grid, row=at.row if fresh else None, column=at.column if fresh else None)
        self._show()

    def show_nothing(self, reason: str) -> None:
        """Say why there are no figures."""
        self._view = None
        self.query_one(Matrix).display = self.query_one("#means").display = False
        self.query_one("#figures", Static).update(content(f"\n{reason}"))
        self._draw_top()
        self.applicable_changed()

    # Drawing ------------------------------------------------------------------------------------

    def _show(self) -> None:
        view = self._view
        if not isinstance(view, BinaryView | SwapView):
            return
        width = max(1, self.query_one("#body").content_size.width)
        lines = (
            binary_lines(view.metrics, self._reading, width)
            if isinstance(view, BinaryView)
            else swap_lines(view, width)
        )
        self.query_one("#figures", Static).update(lines)
        self._show_means()
        self._draw_top()
        self.applicable_changed()

    def _show_means(self) -> None:
        cell = self._cell()
        cases = len(self._cases(cell))
        traces = "1 trace" if cases == 1 else f"{cases} traces"
        self.query_one("#means", Static).update(content(f"{self._meaning(cell)} {DRAWING.dot} {traces}"))

    def _meaning(self, cell: Cell) -> str:
        if isinstance(self._view, SwapView):
            words = PairVerdict(WINNERS[cell.row], WINNERS[cell.column])
            first, second = (word or "no verdict" for word in (words.first, words.second))
            return f"{words.kind}: {first} when A is shown first, {second} when B is"
        return _MEANS[PEOPLE[cell.row], JUDGED[cell.column]]

    def _draw_top(self) -> None:
        criterion, judge = self.session.criterion, self.session.judge
        if criterion is None or judge is None:
            self.top("metrics")
            return
        view = self._view
        details: tuple[str, ...] = (pile_words(self.pile),)
        stale: tuple[str, ...] = ()
        if isinstance(view, BinaryView):
            details = (f"{pile_words(self.pile)} {view.metrics.counts.total}", self._reading)
            stale = view.metrics.stale
        elif isinstance(view, SwapView):
            details = (f"{view.report.summary.pairs} pairs in both orders", f"run {view.report.run}")
            stale = view.stale
        self.top(self.place(criterion, judge, *details), f"{FLAG} stale" if stale else "")

    def on_resize(self) -> None:
        """Draw the bars at the new width once it is known."""
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        self._draw_top()
        self._show()

    # Keys ---------------------------------------------------------------------------------------

    def command_applies(self, command_id: str) -> bool:
        """Leave out what makes no sense without figures, or for pairs."""
        if command_id.startswith("app.") or command_id == "metrics.judge":
            return True
        judge = self.session.judge
        paired = judge is not None and judge.kind is JudgeKind.PAIRWISE
        if command_id in ("metrics.pile", "metrics.reading") and paired:
            return False
        return command_id == "metrics.pile" or self._view is not None

    def _cell(self) -> Cell:
        matrix = self.query_one(Matrix)
        return Cell(matrix.row, matrix.column)

    def _cases(self, cell: Cell) -> tuple[Case, ...]:
        return self._view.cases.get(cell, ()) if isinstance(self._view, BinaryView | SwapView) else ()

    def on_matrix_moved(self) -> None:
        """Say what the cell under the cursor counts."""
        self._show_means()

    def on_matrix_opened(self) -> None:
        """Open the cell clicked on."""
        self.action_open()

    def action_walk(self, down: int, right: int) -> None:
        """Move the cursor in the table."""
        self.query_one(Matrix).move(down, right)

    def action_page(self, pages: int) -> None:
        """Scroll the figures."""
        body = self.query_one("#body")
        body.scroll_relative(y=pages * max(1, body.size.height - 2), animate=False, immediate=True)

    def action_reading(self) -> None:
        """Change between the strict and the answered reading."""
        if isinstance(self._view, BinaryView):
            self._reading = "answered" if self._reading == "strict" else "strict"
            self._show()

    def action_open(self) -> None:
        """Open the traces of the cell under the cursor."""
        if self._view is None:
            return
        cell = self._cell()
        self.app.push_screen(CellScreen(self._meaning(cell), self._cases(cell)))


def _binary_grid(view: BinaryView) -> Grid:
    counts = view.metrics.counts
    return Grid(
        corner="",
        rows=[Content("person ") + verdict_content(word) for word in PEOPLE],
        columns=[
            *(Content("judge ") + verdict_content(word) for word in (PASS, FAIL)),
            verdict_content(None),
        ],
        counts=[
            [counts.tp, counts.fn, counts.no_verdict_pass],
            [counts.fp, counts.tn, counts.no_verdict_fail],
        ],
        styles=[["$success", "$warning", "$foreground-muted"], ["$error", "$success", "$foreground-muted"]],
    )


def _swap_grid(view: SwapView) -> Grid:
    same, other = "$success", "$warning"
    size = len(WINNERS)
    return Grid(
        corner="A first: rows, B first: columns",
        rows=[decision(word) for word in WINNERS],
        columns=[decision(word) for word in WINNERS],
        counts=view.report.summary.table,
        styles=[
            [
                "$foreground-muted" if size - 1 in (row, column) else same if row == column else other
                for column in range(size)
            ]
            for row in range(size)
        ],
    )

"""The standard and the facts beside a trace, or below it where there is no room beside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Size

from store.records import Criterion, JudgeKind
from tui.theme import GLYPHS
from tui.widgets.blocks import Block
from tui.widgets.trace_lines import TraceLines
from tui.widgets.trace_view import TraceView

_BESIDE_FROM: Final = 64
"""Columns of the terminal from which the pane stands beside the trace."""
_NARROWEST, _WIDEST = 26, 48
_BELOW_FROM: Final = 14
"""Rows of the terminal from which the pane stands below a narrow trace; smaller ones show the trace alone."""
_ROWS_OF_FACTS: Final = 6
_CHROME: Final = 4
"""Rows of the screen that are neither trace nor pane."""


class StandardPane(Container):
    """Shows what PASS and FAIL say, which stays, and the facts of one trace, which change."""

    DEFAULT_CSS = """
    StandardPane {
        background: $surface;
        padding: 0 0 0 1;
        & > TraceView { height: 1fr; }
        & > TraceView:focus > .pane--title { text-style: reverse; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.standard = TraceView(placeholder="no criterion yet", id="standard")
        self.facts = TraceView(placeholder="no reference facts", id="facts")
        self._blocks: tuple[Block, ...] = ()
        self._wanted = True

    def compose(self) -> ComposeResult:
        """Standard above, facts below."""
        yield self.standard
        yield self.facts

    def show_standard(self, criterion: Criterion | None) -> None:
        """Show a criterion's definitions."""
        self._blocks = standard_blocks(criterion) if criterion else ()
        self.standard.show_blocks(self._blocks)

    def show_facts(self, facts: Sequence[Block]) -> None:
        """Show the facts of a trace; rows that stay the same are not sent again."""
        self.facts.show_blocks(facts)

    def toggle(self, terminal: Size) -> None:
        """Show the pane, or hide it."""
        self._wanted = not self._wanted
        self.take_share(terminal)

    def take_share(self, terminal: Size) -> None:
        """Take a share of the terminal, by its size.

        Args:
            terminal: Size of the whole terminal.
        """
        beside = terminal.width >= _BESIDE_FROM
        rows = max(0, terminal.height - _CHROME)
        self.display = self._wanted and (beside or terminal.height >= _BELOW_FROM)
        if not self.display or self.parent is None:
            return
        width = max(_NARROWEST, min(_WIDEST, terminal.width // 3)) if beside else terminal.width
        if self.parent is not None:
            self.parent.styles.layout = "horizontal" if beside else "vertical"
        self.styles.layout = "vertical" if beside else "horizontal"
        self.styles.width = width if beside else "1fr"
        self.styles.height = "1fr" if beside else rows // 3
        # The facts change with each trace and must not be pushed out of view by a long standard.
        most = rows - min(_ROWS_OF_FACTS, rows * 2 // 5)
        self.standard.styles.height = min(self._rows_needed(width - 1), most) if beside else "1fr"

    def _rows_needed(self, width: int) -> int:
        if not self._blocks:
            return 1
        lines = TraceLines(self._blocks, width=width)
        lines.wrap_more(len(self._blocks))
        return lines.standing(lines.first, 0).below


def standard_blocks(criterion: Criterion) -> tuple[Block, ...]:
    """Return a criterion's definitions as blocks, in the words of its kind."""
    passed, failed = ("A is better when", "B is better when")
    if criterion.kind is not JudgeKind.PAIRWISE:
        passed, failed = (f"{GLYPHS[word].mark} {word.upper()}" for word in ("pass", "fail"))
    parts = [(passed, criterion.pass_definition), (failed, criterion.fail_definition)]
    if criterion.facts_needed:
        parts.append(("look up", criterion.facts_needed))
    return tuple(Block(title, text) for title, text in parts if text)

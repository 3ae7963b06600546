"""The widget that shows one trace or pair: a screenful of prepared lines of any size of text."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import ClassVar, Final, NamedTuple

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.timer import Timer

from store.records import AnyTrace, Order
from tui import cells
from tui.theme import DRAWING
from tui.widgets.blocks import Block, blocks_of, default_folds
from tui.widgets.inks import Ink, Line, single
from tui.widgets.line_pane import Drawn, LinePane
from tui.widgets.trace_lines import Anchor, Place, TraceLines

_STATUS_FROM: Final = 4
"""Rows below which no row is spared for saying what is out of view."""

_SLICE_SECONDS: Final = 0.004
_SLICE_PAUSE: Final = 0.02
_SLICE_AFTER: Final = 0.3
"""Seconds of reading before the rest of a long text is wrapped, in slices, to count its lines."""


class _Prepared(NamedTuple):
    """A trace whose first screenful is ready to be drawn."""

    item: AnyTrace
    order: Order
    lines: TraceLines


class TraceView(LinePane):
    """Shows what there is to read, with the reply under judgment in view.

    Nothing here depends on the size of a trace: `show` prepares one screenful, the end is as near
    as the beginning, and what is out of view is said in the last row.

    Args:
        placeholder: Drawn while there is nothing to show.
        lead: Whether a third of the rows goes to what led to a reply that does not fit by itself.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "rows(1)", "Down", id="trace.down", show=False),
        Binding("k,up", "rows(-1)", "Up", id="trace.up", show=False),
        Binding("space,pagedown", "screens(1)", "Page down", id="trace.page-down", show=False),
        Binding("pageup", "screens(-1)", "Page up", id="trace.page-up", show=False),
        Binding("home", "top", "Top", id="trace.top", show=False),
        Binding("end", "bottom", "End", id="trace.end", show=False),
        Binding("full_stop", "reply", "Reply", id="trace.reply", show=False),
        Binding("greater_than_sign", "next_hit", "Next hit", id="trace.next-hit", show=False),
        Binding("less_than_sign", "previous_hit", "Previous hit", id="trace.previous-hit", show=False),
        Binding("v", "folds", "Fold", id="trace.fold", show=False),
    ]

    def __init__(
        self,
        *,
        placeholder: str = "",
        lead: bool = False,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._placeholder = placeholder
        self._lead = lead
        self._blocks: tuple[Block, ...] = ()
        self._folded: frozenset[int] = frozenset()
        self._lines: TraceLines | None = None
        self._top: Anchor | None = None
        self._moved = False
        self._term = ""
        self._hits = 0
        self._prepared: _Prepared | None = None
        self._slicer: Timer | None = None

    # --- showing ----------------------------------------------------------------------------

    def show(self, item: AnyTrace | None, *, order: Order = Order.AB) -> None:
        """Show a trace or a pair from where its reply is in view; None shows the placeholder.

        Args:
            item: What to show.
            order: For pairs, which answer is drawn first.
        """
        ready = self._prepared
        self._prepared = None
        if item is not None and ready and ready.item is item and ready.order is order:
            self._take(ready.lines.blocks, ready.lines)
        else:
            self.show_blocks(blocks_of(item, order=order) if item is not None else ())

    def show_blocks(self, blocks: Sequence[Block]) -> None:
        """Show any titled texts: a standard, facts, a critique, a prompt."""
        self._take(tuple(blocks), None)

    def prepare(self, item: AnyTrace, *, order: Order = Order.AB) -> None:
        """Get the next trace ready while this one is read, so that showing it only draws.

        Returns at once: the work begins when what was shown last has been sent to the terminal.
        """
        self.call_after_refresh(self._prepare, item, order)

    def _prepare(self, item: AnyTrace, order: Order) -> None:
        if self.size.width < 1:
            return
        blocks = blocks_of(item, order=order)
        lines = TraceLines(blocks, width=self.size.width, folded=default_folds(blocks))
        lines.window(self._opening(lines, self.size.height), self.size.height)
        self._prepared = _Prepared(item, order, lines)

    def _opening(self, lines: TraceLines, rows: int) -> Anchor:
        return lines.opening(rows, lead=rows // 3 if self._lead else 0)

    def _take(self, blocks: tuple[Block, ...], lines: TraceLines | None) -> None:
        self._blocks = blocks
        self._folded = lines.folded if lines else default_folds(blocks)
        self._lines = lines
        self._top = None
        self._moved = False
        if lines:
            self._hits = lines.search(self._term)
        if self._slicer:
            self._slicer.stop()
            self._slicer = None
        self.repaint()

    # --- search -----------------------------------------------------------------------------

    @property
    def hits(self) -> int:
        """How many places hold the term searched for; 9,999 stands for that many or more."""
        return self._hits

    def search(self, term: str) -> int:
        """Mark every place that holds `term`, case ignored, and go to the first from here on.

        The term stays for the traces shown after this one; "" ends the search. Folded text that
        holds it is unfolded.

        Returns:
            How many places there are.
        """
        self._term = term
        lines = self._laid_out()
        if lines is None:
            return 0
        if term and (hidden := lines.hidden_hits(term)):
            lines = self._refold(self._folded - hidden)
        self._hits = lines.search(term) if lines else 0
        if not self._hits or not self.next_hit():
            self.repaint()
        return self._hits

    def next_hit(self, *, backwards: bool = False) -> bool:
        """Go to the next hit, around the end; say whether there is one."""
        lines = self._laid_out()
        if lines is None:
            return False
        hit = lines.next_hit(self._top or lines.first, backwards=backwards)
        if hit is None:
            return False
        rows = self._text_rows(lines)
        top = self._top or lines.first
        if not top <= hit <= lines.forward(top, rows - 1):
            self._top = lines.back(hit, rows // 3)
            self._moved = True
        self.repaint()
        return True

    # --- moving -----------------------------------------------------------------------------

    def scroll_rows(self, rows: int) -> None:
        """Move the drawn part by some rows; negative moves up."""
        lines = self._laid_out()
        if lines is None:
            return
        top = self._top or lines.first
        self._go(lines.forward(top, rows) if rows > 0 else lines.back(top, -rows))

    def action_rows(self, rows: int) -> None:
        """Scroll by rows."""
        self.scroll_rows(rows)

    def action_screens(self, screens: int) -> None:
        """Scroll by screenfuls, two rows staying in view."""
        lines = self._laid_out()
        if lines is not None:
            self.scroll_rows(screens * max(1, self._text_rows(lines) - 2))

    def action_top(self) -> None:
        """Go to the first line."""
        if self._lines:
            self._go(self._lines.first)

    def action_bottom(self) -> None:
        """Go to the last line."""
        if self._lines:
            self._go(self._lines.last)

    def action_reply(self) -> None:
        """Go to the reply under judgment: its first line at the top."""
        if self._lines and (reply := self._lines.reply):
            self._go(reply)

    def action_next_hit(self) -> None:
        """Go to the next place that holds the term searched for."""
        self.next_hit()

    def action_previous_hit(self) -> None:
        """Go to the previous place that holds the term searched for."""
        self.next_hit(backwards=True)

    def action_folds(self) -> None:
        """Unfold everything, or fold long tool traffic again."""
        self._fold(frozenset() if self._folded else default_folds(self._blocks))

    def on_click(self, event: events.Click) -> None:
        """Fold or unfold the block clicked on, if it is one that folds."""
        lines = self._laid_out()
        row = event.get_content_offset_capture(self).y
        if lines is None or row >= self._text_rows(lines):
            return
        block = lines.block_at(lines.forward(self._top or lines.first, row))
        if block in default_folds(self._blocks):
            self._fold(self._folded ^ {block})

    # --- drawing ----------------------------------------------------------------------------

    def draw(self, size: Size) -> Sequence[Drawn]:
        """Return the screenful from the top line on, and what is out of view."""
        lines = self._laid_out()
        if lines is None:
            return [self.drawn(single(self._placeholder, Ink.NOTE, size.width))]
        rows = self._text_rows(lines)
        top = (self._top if self._moved else None) or self._opening(lines, rows)
        top = self._top = min(top, lines.end(rows))
        shown = lines.window(top, rows)
        if self._slicer is None and not lines.complete:
            self._slicer = self.set_timer(_SLICE_AFTER, self._slice)
        if rows < size.height:
            shown.append(self._status(lines, top, rows))
        return [self.drawn(line) for line in shown]

    def _status(self, lines: TraceLines, top: Anchor, rows: int) -> Line:
        above, below, exact = lines.standing(top, rows)
        about = "" if exact else "about "
        if below:
            said = f"{DRAWING.more_below} {about}{below:,} more lines"
        else:
            said = f"{DRAWING.more_above} {about}{above:,} lines above"
        if above and below:
            said += f" {DRAWING.dot} {round(100 * above / (above + below))} %"
        return single(cells.cut(said, self.size.width), Ink.NOTE, self.size.width)

    def _text_rows(self, lines: TraceLines) -> int:
        """Return the rows that show text: one less where the last says what is out of view."""
        height = max(1, self.size.height)
        return height if height < _STATUS_FROM or lines.fits(height) else height - 1

    def _laid_out(self) -> TraceLines | None:
        """Return the lines at the present width, the place kept when the width has changed."""
        width = self.size.width
        if not self._blocks or width < 1:
            return None
        lines = self._lines
        if lines is None or lines.width != width:
            # Whoever has not scrolled yet is shown the opening again, whatever fits now.
            place = lines.place(self._top) if lines and self._top and self._moved else None
            lines = self._lay_out(width, place)
        return lines

    def _lay_out(self, width: int, place: Place | None) -> TraceLines:
        lines = TraceLines(self._blocks, width=width, folded=self._folded)
        self._hits = lines.search(self._term)
        self._lines = lines
        self._top = lines.find(place) if place else None
        return lines

    def _refold(self, folded: frozenset[int]) -> TraceLines | None:
        lines = self._laid_out()
        if lines is None:
            return None
        self._folded = folded
        self._moved = True
        return self._lay_out(lines.width, lines.place(self._top or lines.first))

    def _fold(self, folded: frozenset[int]) -> None:
        if self._refold(folded):
            self.repaint()

    def _go(self, top: Anchor) -> None:
        self._top = top
        self._moved = True
        self.repaint()

    # --- counting the lines of long texts ---------------------------------------------------

    def _slice(self) -> None:
        """Wrap for a few milliseconds; keys go in between."""
        self._slicer = None
        lines = self._laid_out()
        if lines is None:
            return
        until = perf_counter() + _SLICE_SECONDS
        while more := lines.wrap_more(1):
            if perf_counter() > until:
                break
        if more:
            self._slicer = self.set_timer(_SLICE_PAUSE, self._slice)
        else:
            self.repaint()

"""The Label screen: one trace, the standard beside it, one key a decision."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from store.errors import StoreError
from store.records import Label
from tui.screens.base import BaseScreen, KeyLine
from tui.session.labelling import LabelSession
from tui.session.queue import QueueOrder
from tui.text import one_line
from tui.widgets import label_lines
from tui.widgets.blocks import facts_of
from tui.widgets.entry_line import EntryLine
from tui.widgets.standard_pane import StandardPane
from tui.widgets.trace_view import TraceView

if TYPE_CHECKING:
    from tui.widgets.line_field import LineField

_SLICE_SECONDS: Final = 0.004
"""How long a search over many traces holds up a key at most."""

_WRITER_SECONDS: Final = 0.001

_VERDICT_OF: Final = {
    "label.pass": "pass",
    "label.fail": "fail",
    "label.a": "A",
    "label.b": "B",
    "label.tie": "tie",
    "label.unsure": "unsure",
}


class SearchedTrace(TraceView):
    """A trace whose search goes on in the traces ahead when every hit here was seen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("greater_than_sign", "screen.hit(1)", "Next hit", id="trace.next-hit", show=False),
        Binding("less_than_sign", "screen.hit(-1)", "Previous hit", id="trace.previous-hit", show=False),
    ]


class LabelScreen(BaseScreen):
    """Where people decide. Nothing of a judge or of another person is read here."""

    NAME: ClassVar[str] = "label"

    DEFAULT_CSS = """
    LabelScreen {
        #work { height: 1fr; }
        #trace { width: 1fr; height: 1fr; }
        .line { height: 1; padding: 0 1; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._trace = SearchedTrace(id="trace", lead=True)
        self._standard = StandardPane(id="side")
        self._note = Static(id="note", classes="line")
        self._last = Static(id="last", classes="line")
        self._entry = EntryLine()
        self._asks_note = False
        self._term = ""
        self._hits_to_see = 0
        self._shown: LabelSession | None = None

    # --- drawing ----------------------------------------------------------------------------

    def compose_body(self) -> ComposeResult:
        """Trace and standard, then the note and what was done last."""
        with Horizontal(id="work"):
            yield self._trace
            yield self._standard
        yield self._note
        yield self._entry
        yield self._last

    def on_mount(self) -> None:
        """Show the first trace that needs a label."""
        self._trace.focus()
        self._begin()

    def on_resize(self, event: events.Resize) -> None:
        """Give trace and standard their shares of the new size."""
        self._standard.take_share(event.size)
        self._draw_top()
        self._draw_note()

    def on_screen_resume(self) -> None:
        """Take in what was chosen or changed on another screen."""
        if self._shown is not None:
            self.session_changed()

    @property
    def labelling(self) -> LabelSession | None:
        """The labelling of the criterion at hand."""
        return self.session.labelling

    def session_changed(self) -> None:
        """Show what another process, or another choice of criterion, has changed."""
        labelling = self.labelling
        if labelling is not self._shown or labelling is None:
            self._begin()
        elif labelling.trace is None:
            labelling.reorder(labelling.order)
            self._begin()
        else:
            self._draw_top()
            self._draw_note()

    def _begin(self) -> None:
        """Draw everything for a criterion that has come to hand."""
        labelling = self._shown = self.labelling
        self._standard.show_standard(labelling.criterion if labelling else None)
        self._standard.take_share(self.app.size)
        self._say_last(label_lines.welcome(labelling))
        self._show()
        # Which keys make sense depends on the kind of criterion.
        self.query_one(KeyLine).refresh()

    def _show(self) -> None:
        """Draw the trace at hand, and get the next one ready when this one is on its way."""
        labelling = self.labelling
        self._stop_search()
        self._hits_to_see = 0
        if labelling is None or labelling.trace is None:
            self._trace.show_blocks(label_lines.nothing_to_label(self.session))
            self._standard.show_facts(())
        else:
            trace = labelling.trace
            self._trace.show(trace, order=labelling.order_of(trace))
            self._standard.show_facts(facts_of(trace.facts))
        self._draw_top()
        self._draw_note()
        self.paint_now(*self._hot)
        if labelling is not None:
            # A trace that cannot be read is spoken of when its turn comes.
            with suppress(StoreError):
                if ahead := labelling.look_ahead():
                    self._trace.prepare(ahead, order=labelling.order_of(ahead))

    @property
    def _hot(self) -> tuple[Static | TraceView, ...]:
        return (self._trace, self._standard.facts, self._note, self._last, self.top_line)

    def _draw_top(self) -> None:
        labelling = self.labelling
        if labelling is None:
            self.top("label")
        else:
            self.top(
                f"{labelling.criterion.name} v{labelling.criterion.version}",
                label_lines.standing(labelling, self.app.size.width),
            )

    def _draw_note(self) -> None:
        self._put(self._note, label_lines.note(self.labelling, self.app.size.width - 2))

    def _say_last(self, said: Content) -> None:
        self._put(self._last, said)

    def _put(self, line: Static, said: Content) -> None:
        if line.content != said:
            line.update(said, layout=False)

    def _refused(self, error: StoreError) -> None:
        """Say why something was not written; nothing moves."""
        self._say_last(label_lines.refused(str(error), self.app.size.width - 2))

    # --- deciding ---------------------------------------------------------------------------

    def command_applies(self, command_id: str) -> bool:
        """Leave out the words of another kind of criterion."""
        verdict = _VERDICT_OF.get(command_id)
        labelling = self.labelling
        return verdict is None or (labelling is not None and verdict in labelling.words)

    def action_decide(self, verdict: str) -> None:
        """Write a label; draw its mark when it is on disk; show the next trace."""
        labelling = self.labelling
        if labelling is None or labelling.trace is None or verdict not in labelling.words:
            return
        try:
            label = labelling.decide(verdict)
        except StoreError as error:
            self._refused(error)
            return
        self._say_last(label_lines.saved(label))
        # The mark goes out in a frame of its own: it is what people wait for before the next key.
        self.paint_now(self._last)
        # The thread that writes to the terminal needs a moment to begin; it would come after the trace.
        time.sleep(_WRITER_SECONDS)
        self._move(labelling.advance, label_lines.all_done(label))

    def _move(self, go: Callable[[], bool], otherwise: Content) -> None:
        """Go somewhere in the queue and draw it; say something when there is nowhere to go."""
        try:
            moved = go()
        except StoreError as error:
            self._say_last(label_lines.unreadable(str(error), self.app.size.width - 2))
            self._draw_top()
            self._draw_note()
            return
        if not moved:
            self._say_last(otherwise)
        self._show()

    def action_step(self, direction: int) -> None:
        """Go to the next or the previous trace, labelled or not."""
        labelling = self.labelling
        if labelling is not None:
            end = "the end" if direction > 0 else "the beginning"
            self._move(lambda: labelling.step(direction), label_lines.plain(f"this is {end} of the queue"))

    def action_undo(self) -> None:
        """Take the last decision back."""
        self._step_back("undo")

    def action_redo(self) -> None:
        """Bring the last undone decision back."""
        self._step_back("redo")

    def _step_back(self, name: str) -> None:
        labelling = self.labelling
        if labelling is None:
            return
        try:
            label: Label | None = labelling.undo() if name == "undo" else labelling.redo()
        except StoreError as error:
            self._refused(error)
            return
        self._say_last(label_lines.stepped_back(label, name))
        self._show()

    def action_order(self) -> None:
        """Order the queue the other way."""
        labelling = self.labelling
        if labelling is not None:
            other = QueueOrder.IMPORTED if labelling.order is QueueOrder.RANDOM else QueueOrder.RANDOM
            labelling.reorder(other)
            self._say_last(label_lines.plain(f"order: {label_lines.ORDER_NAMES[other]}"))
            self._show()

    def action_standard(self) -> None:
        """Show the standard and the facts, or hide them."""
        self._standard.toggle(self.app.size)

    # --- fields -----------------------------------------------------------------------------

    async def action_note(self) -> None:
        """Open the field for the note."""
        labelling = self.labelling
        if labelling is not None and labelling.trace is not None:
            await self._open_field(label_lines.NOTE_PROMPT, labelling.note, for_note=True)

    async def action_search(self) -> None:
        """Open the field for what to search."""
        if self.labelling is not None:
            await self._open_field(label_lines.SEARCH_PROMPT, self._term, for_note=False)

    async def _open_field(self, ask: str, text: str, *, for_note: bool) -> None:
        self._asks_note = for_note
        self._note.display = False
        await self._entry.ask(ask, text)

    def _close_field(self) -> None:
        labelling = self.labelling
        if labelling is not None:
            labelling.half_typed = None
        self._entry.close()
        self._note.display = True
        self._trace.focus()

    def on_text_area_changed(self) -> None:
        """Remember that a note is half typed, so that quitting asks."""
        labelling = self.labelling
        if labelling is not None and self._asks_note:
            labelling.half_typed = self._entry.text

    def on_line_field_dropped(self) -> None:
        """Close the field; nothing is kept of what was typed."""
        self._close_field()

    def on_line_field_submitted(self, event: LineField.Submitted) -> None:
        """Keep the note, or search."""
        labelling = self.labelling
        if labelling is None:
            return
        if self._asks_note:
            try:
                written = labelling.write_note(event.text)
            except StoreError as error:
                # The field stays open: what was typed is still there.
                self._refused(error)
                return
            self._say_last(label_lines.note_kept(event.text, written=written))
            self._draw_note()
            self._close_field()
        else:
            self._close_field()
            self._search(event.text)

    # --- search -----------------------------------------------------------------------------

    def _search(self, term: str) -> None:
        """Go to the first hit in this trace, else in the next trace that has one."""
        again = bool(term) and term == self._term
        self._term = term
        hits = self._trace.search(term)
        self._hits_to_see = hits - 1
        if not term:
            self._say_last(label_lines.plain("search ended"))
        elif hits and not again:
            self._say_last(label_lines.hits(term, hits))
        else:
            self._search_on(1)

    def action_hit(self, direction: int) -> None:
        """Go to the next or the previous hit; past the last one seen here, to the next trace with one."""
        if self._hits_to_see > 0:
            self._hits_to_see -= 1
            self._trace.next_hit(backwards=direction < 0)
        elif self._term:
            self._search_on(direction)

    def _search_on(self, direction: int) -> None:
        where = "ahead" if direction > 0 else "before"
        self._say_last(label_lines.plain(f"searching for {one_line(self._term, 40)} in the traces {where}"))
        self.run_worker(self._scan(self._term, direction), group="search", exclusive=True)

    async def _scan(self, term: str, direction: int) -> None:
        """Look through the other traces, a few milliseconds at a time; any key goes first."""
        labelling = self.labelling
        if labelling is None:
            return
        start = labelling.position
        until = time.perf_counter() + _SLICE_SECONDS
        for position in labelling.scan(term, direction):
            if position is not None:
                self.call_next(self._found, labelling, start, position)
                return
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + _SLICE_SECONDS
        where = "ahead" if direction > 0 else "before"
        self._say_last(label_lines.plain(f"no trace {where} holds {one_line(term, 40)}"))

    def _found(self, labelling: LabelSession, start: int, position: int) -> None:
        if labelling is not self.labelling or labelling.position != start:
            return  # a key has gone elsewhere meanwhile
        self._move(lambda: labelling.go(position), Content())
        hits = self._trace.search(self._term)
        self._hits_to_see = hits - 1
        self._say_last(label_lines.hits(self._term, hits))

    def _stop_search(self) -> None:
        self.workers.cancel_group(self, "search")

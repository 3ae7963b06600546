"""Exactly what a judge is sent for any trace, with its size and the price of 100 rows."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.content import Content

from store.records import JudgeVersion
from tui.screens.base import BaseScreen
from tui.session.judgeprompts import Preview, PromptReader
from tui.text import one_line, printable
from tui.theme import DRAWING
from tui.widgets.blocks import Block
from tui.widgets.entry_line import EntryLine
from tui.widgets.inks import Syntax
from tui.widgets.one_liner import OneLiner
from tui.widgets.trace_view import TraceView

if TYPE_CHECKING:
    from tui.widgets.line_field import LineField

_SLICE_SECONDS: Final = 0.004
_ASK: Final = "search > "


class PromptScreen(BaseScreen):
    """Shows the request for one trace after the other.

    Args:
        judge: Whose prompt.
    """

    NAME: ClassVar[str] = "prompt"
    AUTO_FOCUS = "TraceView"

    DEFAULT_CSS = """
    PromptScreen {
        & TraceView { height: 1fr; padding: 0 1; }
        & OneLiner { padding: 0 1; color: $foreground-muted; }
    }
    """

    def __init__(self, judge: JudgeVersion) -> None:
        super().__init__()
        self._judge = judge
        self._reader: PromptReader | None = None
        self._term = ""
        self._preview: Preview | None = None

    def compose_body(self) -> ComposeResult:
        """Put the prompt above its price."""
        yield TraceView(placeholder="there are no traces for this judge yet: adjudge import FILE")
        yield EntryLine()
        yield OneLiner(id="said")
        yield OneLiner(id="price")

    @property
    def reader(self) -> PromptReader:
        """Where the prompts come from."""
        if self._reader is None:
            self._reader = PromptReader(self.session.project, self._judge)
        return self._reader

    def on_mount(self) -> None:
        """Show the first trace's prompt and work the price out."""
        self._show()
        self._work_out_price()

    def on_resize(self) -> None:
        """Draw the status at the new width."""
        self.call_after_refresh(self._draw_top)

    @work(exclusive=True, group="price")
    async def _work_out_price(self) -> None:
        said = await asyncio.to_thread(self.reader.price)
        self.query_one("#price", OneLiner).say(Content(printable(said)))

    def _show(self) -> None:
        if not self.reader.asks_model:
            told = "No model is asked: nothing is sent anywhere."
            self.query_one(TraceView).show_blocks((Block("no prompt", told, syntax=Syntax.PLAIN),))
            self._draw_top()
            return
        preview = self._preview = self.reader.preview()
        self.query_one(TraceView).show_blocks(_blocks(preview) if preview else ())
        self._draw_top()

    def _draw_top(self) -> None:
        preview = self._preview
        name = self.session.judge_name(self._judge)
        if preview is None:
            self.top(name)
            return
        shown = [name, preview.trace, *([preview.where] if preview.where else [])]
        if preview.order is not None:
            shown.append(f"{preview.order[0]} first")
        at = f"{self.reader.position + 1:,} of {len(self.reader.rows):,}"
        size = f"about {preview.tokens:,} tokens" if preview.request else "no prompt"
        self.top(f" {DRAWING.dot} ".join(shown), f"{size}   {at}")

    def _say(self, text: str) -> None:
        self.query_one("#said", OneLiner).say(Content(printable(text)))

    # --- keys -------------------------------------------------------------------------------

    def command_applies(self, command_id: str) -> bool:
        """Leave out the app's own `q`, and what needs traces or pairs."""
        if command_id == "prompt.order":
            return self.reader.is_pairwise
        if command_id.startswith("prompt.") and command_id != "prompt.back":
            return self.reader.asks_model and bool(self.reader.rows)
        return command_id != "app.back"

    def action_step(self, by: int) -> None:
        """Go to the next or the previous trace."""
        self.workers.cancel_group(self, "search")
        self._say(
            "" if self.reader.step(by) else "that was the last trace" if by > 0 else "this is the first"
        )
        self._show()

    def action_order(self) -> None:
        """Show the answers of a pair in the other order."""
        if self.reader.is_pairwise:
            self.reader.turn_order()
            self._show()

    def action_leave(self) -> None:
        """Go back to the judges."""
        self.dismiss()

    async def action_search(self) -> None:
        """Open the field for what to search."""
        if self.reader.asks_model and self.reader.rows:
            await self.query_one(EntryLine).ask(_ASK, self._term)

    def on_line_field_dropped(self) -> None:
        """Close the field."""
        self._close()

    def on_line_field_submitted(self, event: LineField.Submitted) -> None:
        """Go to the next trace that holds the text."""
        self._close()
        again = event.text == self._term
        self._term = event.text
        if not event.text:
            self.query_one(TraceView).search("")
            self._say("search ended")
            return
        self._say(f"searching for {one_line(event.text, 40)}")
        self.run_worker(self._scan(event.text, here=not again), group="search", exclusive=True)

    def _close(self) -> None:
        self.query_one(EntryLine).close()
        self.query_one(TraceView).focus()

    async def _scan(self, term: str, *, here: bool) -> None:
        """Look through the traces, a few milliseconds at a time; any key goes first."""
        until = time.perf_counter() + _SLICE_SECONDS
        for position in self.reader.scan(term, here=here):
            if position is not None:
                self.reader.go(position)
                self._show()
                hits = self.query_one(TraceView).search(term)
                self._say(
                    f"{one_line(term, 40)}: {hits} in this prompt {DRAWING.dot} > next hit  / next trace"
                )
                return
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + _SLICE_SECONDS
        self._say(f"no trace holds {one_line(term, 40)}")


def _blocks(preview: Preview) -> tuple[Block, ...]:
    """Give a request as texts, nothing added to them and nothing left out."""
    request = preview.request
    if request is None:
        return (Block("there is no prompt for this trace", preview.problem, syntax=Syntax.PLAIN),)
    asked = [f"model: {request.model}", f"max tokens: {request.max_tokens}"]
    asked.append(
        "temperature: " + ("the model's own" if request.temperature is None else f"{request.temperature:g}")
    )
    asked += [f"{name}: {value}" for name, value in sorted(request.options.items())]
    asked.append(f"request {request.hash}")
    if preview.is_example:
        asked.append("this row is an example of the judge: it is left out of its own prompt")
    blocks = [
        Block("system prompt, the same for every row", request.system, syntax=Syntax.PLAIN),
        *(Block(f"{one.role} message", one.content, syntax=Syntax.PLAIN) for one in request.messages),
    ]
    if request.schema is not None:
        schema = msgspec.json.format(msgspec.json.encode(request.schema), indent=2).decode()
        blocks.append(Block("shape of the answer, where the server takes one", schema, syntax=Syntax.JSON))
    return (*blocks, Block("asked with", "\n".join(asked), syntax=Syntax.PLAIN))

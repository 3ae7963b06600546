"""Pick a judge's examples by hand, from the labelled rows of train."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen

from store.errors import StoreError
from store.project import Project
from tui.session.judgefields import ExampleChoice
from tui.text import printable
from tui.theme import GLYPHS
from tui.widgets.arrow_panes import ArrowText
from tui.widgets.blocks import Block, blocks_of, facts_of
from tui.widgets.inks import Syntax
from tui.widgets.judge_lines import example_row
from tui.widgets.lines_list import LinesList
from tui.widgets.one_liner import OneLiner

_USUAL: Final = (2, 8)
_KEYS: Final = (
    ("space", "pick or drop"),
    ("enter", "take these"),
    ("tab", "read"),
    ("esc", "leave"),
)


class PickScreen(ModalScreen[tuple[str, ...] | None]):
    """Answers with the ids picked, in the order they were picked, or None.

    Args:
        project: Where the traces are.
        pool: What may be picked.
        picked: What is picked already.
    """

    AUTO_FOCUS = "LinesList"

    DEFAULT_CSS = """
    PickScreen {
        background: $background;
        & LinesList { height: 1fr; padding: 0 1; }
        & ArrowText { height: 1fr; padding: 0 1; background: $surface; }
        & OneLiner { background: $panel; padding: 0 1; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pick", "Pick or drop", id="pick.toggle"),
        Binding("enter", "done", "Take these", id="pick.done"),
        Binding("escape,q", "leave", "Leave", id="pick.leave"),
    ]

    def __init__(self, project: Project, pool: Sequence[ExampleChoice], picked: Sequence[str]) -> None:
        super().__init__()
        self._project = project
        self._pool = tuple(pool)
        self._picked = list(picked)

    def compose(self) -> ComposeResult:
        """Put the rows above the trace under the cursor."""
        yield OneLiner(id="title")
        yield LinesList(empty="train holds no labelled row: on Home (gh), s deals labelled rows into piles")
        yield ArrowText()
        keys: list[tuple[str, str]] = []
        for key, title in _KEYS:
            keys += [(key, "bold $accent"), (f" {title}  ", "")]
        line = OneLiner(id="keys")
        line.say(Content.assemble(*keys))
        yield line

    def on_mount(self) -> None:
        """Fill the list."""
        self.query_one(LinesList).set_rows(len(self._pool), self._row, cursor=0)
        self._draw_title()
        self._show(0)

    def _row(self, index: int) -> Content:
        choice = self._pool[index]
        trace = choice.label.trace
        return example_row(choice, picked=self._picked.index(trace) + 1 if trace in self._picked else None)

    def _draw_title(self) -> None:
        verdicts = {choice.label.trace: str(choice.label.verdict) for choice in self._pool}
        count = len(self._picked)
        parts: list[str | tuple[str, str]] = [("Examples from train: ", "bold"), f"{count} picked  "]
        for word in dict.fromkeys(verdicts.values()):
            look = GLYPHS.get(word)
            if look:
                number = sum(verdicts.get(trace) == word for trace in self._picked)
                parts += [(look.mark, look.style), f" {number}  "]
        few, many = _USUAL
        if count and not few <= count <= many:
            parts.append(("two to eight are usual, of both verdicts  ", "$warning"))
        parts.append(("rows with a note come first", "$foreground-muted"))
        self.query_one("#title", OneLiner).say(Content.assemble(*parts))

    def _show(self, index: int) -> None:
        if index >= len(self._pool):
            return
        label = self._pool[index].label
        note = Block(f"PERSON: {label.verdict}", label.note or "(no note: it is shown without a critique)")
        try:
            trace = self._project.traces.get(label.trace)
            blocks = (note, *blocks_of(trace), *facts_of(trace.facts))
        except StoreError as error:
            blocks = (Block("this trace cannot be read", printable(str(error)), syntax=Syntax.PLAIN),)
        self.query_one(ArrowText).show_blocks(blocks)

    def on_lines_list_moved(self, event: LinesList.Moved) -> None:
        """Show the trace under the cursor."""
        self._show(event.index)

    def on_lines_list_selected(self) -> None:
        """Take what is picked."""
        self.action_done()

    def action_pick(self) -> None:
        """Pick the row under the cursor, or drop it."""
        rows = self.query_one(LinesList)
        if rows.cursor is None:
            return
        trace = self._pool[rows.cursor].label.trace
        if trace in self._picked:
            self._picked.remove(trace)
        else:
            self._picked.append(trace)
        rows.refresh_rows()
        self._draw_title()

    def action_done(self) -> None:
        """Answer with what is picked."""
        self.dismiss(tuple(self._picked))

    def action_leave(self) -> None:
        """Leave everything as it was."""
        self.dismiss(None)

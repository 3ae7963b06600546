"""What differs between two judge versions, part by part."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content

from store.errors import StoreError
from store.records import JudgeVersion
from tui.screens.base import BaseScreen
from tui.session.judgeparts import Change, DiffLine
from tui.session.judges import JudgeDesk
from tui.theme import DRAWING
from tui.widgets.judge_lines import diff_rows
from tui.widgets.lines_list import LinesList


class DiffScreen(BaseScreen):
    """Shows what is gone and what is new.

    Args:
        desk: The judges.
        old: Compared with.
        new: The version looked at.
    """

    NAME: ClassVar[str] = "diff"
    AUTO_FOCUS = "LinesList"

    DEFAULT_CSS = "DiffScreen LinesList { height: 1fr; padding: 0 1; }"

    def __init__(self, desk: JudgeDesk, old: JudgeVersion, new: JudgeVersion) -> None:
        super().__init__()
        self._desk = desk
        self._old = old
        self._new = new
        self._lines: tuple[DiffLine, ...] = ()
        self._rows: list[Content] = []

    def compose_body(self) -> ComposeResult:
        """Show the lines that differ."""
        yield LinesList()

    def on_mount(self) -> None:
        """Compare."""
        self._compare()

    def on_resize(self) -> None:
        """Wrap anew."""
        self.call_after_refresh(self._draw_rows)

    def _compare(self) -> None:
        try:
            self._lines = self._desk.diff(self._old, self._new)
        except (StoreError, ValueError) as error:
            self._lines = (DiffLine(Change.NOTE, str(error)),)
        self._draw_rows(cursor=0)

    def _draw_rows(self, cursor: int | None = None) -> None:
        # Two columns are the cursor's, two the margins'.
        self._rows = diff_rows(self._lines, max(1, self.app.size.width - 4))
        self.query_one(LinesList).set_rows(len(self._rows), self._row, cursor=cursor)
        name = self._desk.session.judge_name
        gone = sum(line.change is Change.PART for line in self._lines)
        self.top(
            f"{name(self._old)} {'to' if DRAWING.dot == '-' else '→'} {name(self._new)}",
            f"{gone} of the parts differ" if gone != 1 else "one part differs",
        )

    def _row(self, index: int) -> Content:
        return self._rows[index] if index < len(self._rows) else Content("")

    def command_applies(self, command_id: str) -> bool:
        """Leave the app's own `q` out: here it goes back to the judges."""
        return command_id != "app.back"

    def action_other(self) -> None:
        """Choose another version in the old one's place."""
        from tui.screens.choosing import ChooseScreen

        others = self._desk.others(self._new)
        names = [self._desk.session.judge_name(judge) for judge in others]
        at = next((index for index, judge in enumerate(others) if judge.hash == self._old.hash), 0)

        def chosen(index: int | None) -> None:
            if index is not None:
                self._old = others[index]
                self._compare()

        self.app.push_screen(ChooseScreen("Compare with", names, at=at), chosen)

    def action_swap(self) -> None:
        """Swap old and new."""
        self._old, self._new = self._new, self._old
        self._compare()

    def action_leave(self) -> None:
        """Go back to the judges."""
        self.dismiss()

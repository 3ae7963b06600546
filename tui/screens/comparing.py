"""What the screens that compare a judge with people share: which judge, which pile, and reading both."""

from __future__ import annotations

import asyncio
import gc
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

from textual import work

from store.errors import StoreError
from store.project import Project
from store.records import Criterion, JudgeVersion, PileName
from tui.screens.base import BaseScreen, KeyLine
from tui.session.emptiness import why_no_judge
from tui.session.reviewing import first_pile, piles_offered
from tui.theme import DRAWING

R = TypeVar("R")

BREAKPOINTS: Final = [(0, "-small"), (60, "-narrow"), (110, "-wide")]
"""From how many columns on there is room for tallies, and for a list beside what it lists."""


def settle_width(screen: BaseScreen) -> None:
    """Choose the layout before the first one is made: Textual does so after it, and paints twice as often."""
    width = screen.app.size.width
    name = max((columns, name) for columns, name in BREAKPOINTS if columns <= width)[1]
    screen.add_class(name)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Put garbage collection off: with 50,000 verdicts it holds every key up for 90 ms and finds nothing."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


class ComparingScreen(BaseScreen, Generic[R]):
    """Reads verdicts and labels beside the event loop, and shows what came of it.

    A subclass says what to read and how to show it; `pile` is the pile looked at.
    """

    pile: PileName | None = None

    def __init__(self) -> None:
        super().__init__()
        self._at: tuple[str, int, str] | None = None

    @abstractmethod
    def read(self, project: Project, judge: JudgeVersion, pile: PileName | None) -> R:
        """Read what the screen shows; runs in a thread and touches no widget."""

    @abstractmethod
    def begin(self, criterion: Criterion, judge: JudgeVersion) -> None:
        """Forget what was shown: another criterion, judge or pile is at hand."""

    @abstractmethod
    def take(self, result: R) -> None:
        """Show what was read."""

    @abstractmethod
    def show_nothing(self, reason: str) -> None:
        """Show why there is nothing to see, and the next step."""

    def on_screen_resume(self) -> None:
        """Look again: labels, causes and runs may have moved meanwhile."""
        self.session_changed()

    def session_changed(self) -> None:
        """Read anew, for another criterion or judge if one is at hand now."""
        criterion, judge = self.session.criterion, self.session.judge
        if criterion is None or judge is None:
            self._at = None
            self.show_nothing(why_no_judge(criterion))
            return
        at = (criterion.name, criterion.version, judge.hash)
        if at != self._at:
            self._at = at
            self.pile = first_pile(self.session.project, criterion.name)
            self.begin(criterion, judge)
        self._read(judge, self.pile)

    def applicable_changed(self) -> None:
        """Draw the line of keys again: other commands make sense now."""
        self.query_one(KeyLine).refresh()

    @work(exclusive=True, group="read")
    async def _read(self, judge: JudgeVersion, pile: PileName | None) -> None:
        project = self.session.project
        try:
            with _no_collection():
                result = await asyncio.to_thread(self._read_steadily, project, judge, pile)
        except StoreError as error:
            self.show_nothing(str(error))
        else:
            self.take(result)

    def _read_steadily(self, project: Project, judge: JudgeVersion, pile: PileName | None) -> R:
        try:
            return self.read(project, judge, pile)
        except RuntimeError:
            # A book grew while it was walked through. No lock is held here, since a label must never
            # wait for a figure; what was written is in by now.
            return self.read(project, judge, pile)

    def action_choose_judge(self) -> None:
        """Choose another judge of the criterion."""
        from tui.screens.choosing import ChooseScreen

        judges = self.session.judges()
        here = self.session.judge
        if here is None:
            self.adjudge.say(why_no_judge(self.session.criterion))
            return

        def chosen(index: int | None) -> None:
            if index is not None:
                self.session.choose_judge(judges[index])
                self.session_changed()

        names = [self.session.judge_name(judge) for judge in judges]
        at = next(index for index, judge in enumerate(judges) if judge.hash == here.hash)
        self.app.push_screen(ChooseScreen("Judge", names, at=at), chosen)

    def action_pile(self) -> None:
        """Go on to the next pile."""
        criterion, judge = self.session.criterion, self.session.judge
        if criterion is None or judge is None:
            return
        offered = piles_offered(self.session.project, criterion.name)
        if len(offered) == 1:
            self.adjudge.say("nothing is dealt into piles yet: every labelled row is shown")
            return
        at = offered.index(self.pile) if self.pile in offered else 0
        self.pile = offered[(at + 1) % len(offered)]
        self.begin(criterion, judge)
        self._read(judge, self.pile)

    def place(self, criterion: Criterion, judge: JudgeVersion, *details: str) -> str:
        """Say in words what is compared with what; what matters least comes last, it is cut first."""
        made = ", ".join(part for part in (judge.recipe, judge.model or judge.backend) if part)
        named = (f"{criterion.name} v{criterion.version}", self.session.judge_name(judge))
        return f" {DRAWING.dot} ".join((*named, *details, made))

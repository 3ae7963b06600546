"""Counts by cause, each beside its key: the legend of the digits and the tally in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.content import Content
from textual.widget import Widget

from tui.widgets.bars import Bar, bar_list


class CauseBars(Widget):
    """One row a cause: the digit that sets it, its name, how often it was given."""

    ALLOW_SELECT = False

    def __init__(self, names: Sequence[str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._names = tuple(names)
        self._counts: Mapping[str, int] = {}
        self._here: str | None = None

    def set_counts(self, counts: Mapping[str, int], *, here: str | None) -> None:
        """Show other counts; `here` is the cause at hand, drawn bold."""
        if (counts, here) != (self._counts, self._here):
            self._counts, self._here = counts, here
            self.refresh()

    def render(self) -> Content:
        """Draw the rows at the present width; causes of the user's own come after the digits."""
        names = [*self._names, *(name for name in self._counts if name not in self._names)]
        said = [f"{n} {name}" if n <= len(self._names) else f"  {name}" for n, name in enumerate(names, 1)]
        bars = [Bar(text, self._counts.get(name, 0)) for text, name in zip(said, names, strict=True)]
        rows = bar_list(bars, self.content_size.width)
        at = names.index(self._here) if self._here in names else -1
        return Content("\n").join([row.stylize("bold") if n == at else row for n, row in enumerate(rows)])

"""A block's text with what all its drawn lines share, and what is searched for in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tui import cells
from tui.text import ELLIPSIS
from tui.widgets.inks import Ink, Run, Span, Syntax, painted

_MOST_FENCES: Final = 10_000
"""A text with more is no Markdown; counting on would cost more than it colours."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for: letters as they are, upper and lower case alike."""

    pattern: re.Pattern[str]
    size: int
    """Characters of a hit."""

    @classmethod
    def of(cls, term: str) -> Query:
        """Build a query for a term typed by a person."""
        return cls(re.compile(re.escape(term), re.IGNORECASE), len(term))


@dataclass(frozen=True)
class Body:
    """A block's text with what all its lines have in common."""

    raw: str
    inner: int
    """Cells a line of text may take."""
    syntax: Syntax = Syntax.PLAIN
    ink: Ink = Ink.TEXT
    left: str = ""
    """Drawn before each line, already part of the width outside `inner`."""
    right: str = ""
    """Drawn after each line, which is then padded to `inner`."""

    @cached_property
    def fences(self) -> tuple[int, ...]:
        """Offsets in `raw` of the lines that open or close code."""
        if self.syntax is not Syntax.MARKDOWN:
            return ()
        fences: list[int] = []
        for mark in ("```", "~~~"):
            # One character is looked for at memory speed, three are not: 5 MB without one is the rule.
            at = self.raw.find(mark) if mark[0] in self.raw else -1
            while at >= 0 and len(fences) <= _MOST_FENCES:
                start = self.raw.rfind("\n", 0, at) + 1
                if not self.raw[start:at].strip(" "):
                    fences.append(start)
                end = self.raw.find("\n", at)
                at = self.raw.find(mark, end) if end >= 0 else -1
        return tuple(sorted(fences)) if len(fences) <= _MOST_FENCES else ()

    def runs(self, text: str, spans: Iterable[Span]) -> tuple[Run, ...]:
        """Return one line's runs, frame and padding included, never wider than allowed."""
        if not cells.is_narrow(text) and cells.width(text) > self.inner:
            text = cells.cut(text, self.inner) or ELLIPSIS
        runs = painted(text, self.ink, spans)
        if self.left:
            runs = (Run(self.left, Ink.FRAME if self.right else self.ink), *runs)
        if self.right:
            runs = (*runs, Run(" " * (self.inner - cells.width(text)) + self.right, Ink.FRAME))
        return runs

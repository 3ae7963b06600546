"""The list and the text as they are on a screen where letters mean something else: arrows alone move them."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.widgets.lines_list import LinesList
from tui.widgets.trace_view import TraceView


def _without_letters(bindings: list[BindingType]) -> list[BindingType]:
    """Drop `j` and `k`, keep what else each key does."""
    kept = [binding for binding in bindings if isinstance(binding, Binding)]
    return [replace(one, key=one.key.removeprefix("j,").removeprefix("k,")) for one in kept]


class ArrowList(LinesList, inherit_bindings=False):
    """The list, walked by arrows."""

    BINDINGS: ClassVar[list[BindingType]] = _without_letters(LinesList.BINDINGS)


class ArrowText(TraceView, inherit_bindings=False):
    """A text, scrolled by arrows."""

    BINDINGS: ClassVar[list[BindingType]] = _without_letters(TraceView.BINDINGS)

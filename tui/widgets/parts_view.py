"""The parts of a judge version, to be scrolled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.widgets.trace_view import TraceView


def _without_folds(bindings: Sequence[BindingType]) -> list[BindingType]:
    """Drop `v`: nothing folds here, and it compares versions."""
    return [one for one in bindings if isinstance(one, Binding) and one.id != "trace.fold"]


class PartsView(TraceView, inherit_bindings=False):
    """The parts of a version, to be scrolled."""

    BINDINGS: ClassVar[list[BindingType]] = _without_folds(TraceView.BINDINGS)

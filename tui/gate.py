"""The last gate before the terminal: what every other guard let through is made visible here.

Screens pass data through `tui.text`; this is for the day one forgets to. An app returns the gate from
`get_line_filters`, which Textual applies to every strip of every widget, toasts and titles included.
"""

from __future__ import annotations

import re
from typing import Final

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from tui.text import printable

_STEERS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class ControlGate(LineFilter):
    """Makes controls and bidi overrides visible; such a row may come out longer than laid out."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments, cleaned where one would steer the terminal.

        Args:
            segments: One row.
            background: Not needed.
        """
        if not any(_STEERS.search(text) for text, _, _ in segments):
            return segments
        return [
            Segment(printable(text).replace("\n", "␊"), style, control) for text, style, control in segments
        ]


CONTROL_GATE: Final = ControlGate()

"""Whatever a screen forgets to clean, the terminal does not get."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.filter import LineFilter
from textual.widgets import Input, Static, TextArea

from tui.gate import CONTROL_GATE

HOSTILE = "a\x1b]0;OWNED\x07b\x9b2J\u202ec\rd"


class Careless(App[None]):
    def __init__(self, *, gate: bool) -> None:
        super().__init__()
        self.gate = gate

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), *([CONTROL_GATE] if self.gate else [])]

    def compose(self) -> ComposeResult:
        framed = Static(Content(HOSTILE))
        framed.styles.border = ("round", "red")
        framed.border_title = Content(HOSTILE)
        yield framed
        yield TextArea(HOSTILE, read_only=True)
        yield Input(HOSTILE)


@pytest.mark.parametrize("gate", [True, False])
async def test_no_control_character_passes_the_gate(gate: bool) -> None:
    app = Careless(gate=gate)
    async with app.run_test(notifications=True) as pilot:
        app.notify(HOSTILE, markup=False)
        await pilot.pause()
        sent = "".join(strip.text for strip in app.screen._compositor.render_strips())
    leaked = re.search("[\x00-\x1f\x7f-\x9f\u202e]", sent) is not None
    # Without the gate they do leak: were it otherwise, this test would prove nothing.
    assert leaked is not gate
    assert ("␛]0;OWNED" in sent) is gate

"""Bars say what they are given and never more than their width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.theme import drawing
from tui.widgets.bars import Bar, bar_list, interval_bar, progress_bar

PLAIN = drawing(ascii_only=True)
DRAW = drawing(ascii_only=False)


def test_progress_is_full_only_when_all_is_done() -> None:
    assert progress_bar(0, 48, 10, draw=DRAW).plain == "░" * 10
    assert progress_bar(1, 4800, 10, draw=DRAW).plain == "█" + "░" * 9
    assert progress_bar(47, 48, 10, draw=DRAW).plain == "█" * 9 + "░"
    assert progress_bar(48, 48, 10, draw=DRAW).plain == "█" * 10
    assert progress_bar(0, 0, 10, draw=DRAW).plain == "░" * 10


def test_an_interval_stands_where_it_is_with_value_and_target() -> None:
    assert interval_bar(0.0, 1.0, 11, value=0.5, draw=DRAW).plain == "▕▔▔▔50▔▔▔▔▏"
    assert interval_bar(0.2, 0.6, 11, value=0.4, target=0.9, draw=DRAW).plain == "  ▕40▔▏  ┊ "
    assert interval_bar(0.5, 0.5, 11, value=0.5, draw=DRAW).plain == "     ▏50   "
    assert interval_bar(1.0, 1.0, 11, value=1.0, draw=DRAW).plain == "       100▏"


def test_counts_are_drawn_by_the_largest() -> None:
    rows = bar_list([Bar("standard unclear", 4), Bar("[slip]", 1), Bar("none", 0)], 30, draw=DRAW)
    assert [row.plain for row in rows] == [
        "standard unclear ███████████ 4",
        "[slip]           ██ 1",
        "none             0",
    ]
    assert bar_list([], 30) == []


RATES = st.floats(0, 1)


@given(RATES, RATES, RATES, st.none() | RATES, st.integers(-1, 60))
def test_every_bar_fits_its_width_and_is_ascii_where_asked(
    low: float, high: float, value: float, target: float | None, width: int
) -> None:
    low, high = sorted((low, high))
    bar = interval_bar(low, high, width, value=value, target=target, draw=PLAIN)
    progress = progress_bar(round(low * 100), 100, width, draw=PLAIN)
    counts = bar_list([Bar("label", round(high * 1000)), Bar("other", 1)], width, draw=PLAIN)
    for drawn in (bar, progress, *counts):
        assert drawn.cell_length <= max(width, 0)
        assert drawn.plain.isascii()

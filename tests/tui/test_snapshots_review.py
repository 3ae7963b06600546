"""How Disagreements and Metrics look, pixel by pixel: look at the picture before accepting a change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import lesson
import pytest
from textual.pilot import Pilot

SIZES = [(80, 24), (120, 40)]
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="pictures are kept for one Python")


@pytest.mark.parametrize("size", SIZES)
def test_disagreements(snap_compare: Callable[..., bool], tmp_path: Path, size: tuple[int, int]) -> None:
    async def read_some(pilot: Pilot[None]) -> None:
        await lesson.settle(pilot)
        await pilot.press("2", "1")
        await lesson.settle(pilot)

    with lesson.bakery(tmp_path) as project:
        app = lesson.app_on(project, "disagreements")
        assert snap_compare(app, terminal_size=size, run_before=read_some)


@pytest.mark.parametrize("size", SIZES)
def test_metrics(snap_compare: Callable[..., bool], tmp_path: Path, size: tuple[int, int]) -> None:
    with lesson.bakery(tmp_path, silent=2) as project:
        app = lesson.app_on(project, "metrics")
        assert snap_compare(app, terminal_size=size, run_before=lesson.settle)


def test_metrics_of_pairs(snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    with lesson.pairs(tmp_path) as project:
        app = lesson.app_on(project, "metrics")
        assert snap_compare(app, terminal_size=SIZES[0], run_before=lesson.settle)

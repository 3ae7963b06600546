"""How the Judges screen and its form look, pixel by pixel: look at the picture before accepting a change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import judge_kit
import lesson
import pytest
from textual.pilot import Pilot

SIZES = [(80, 24), (120, 40)]
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="pictures are kept for one Python")


@pytest.mark.parametrize("size", SIZES)
def test_judges(
    snap_compare: Callable[..., bool],
    tmp_path: Path,
    size: tuple[int, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The picture holds the day and the hash of each version, and a hash covers the prompts' texts.
    monkeypatch.setattr("store.judges.utc_now", lambda: lesson.WHEN)
    monkeypatch.setattr("judging.authoring.prompt_code_hash", lambda: "sha256:0")
    with judge_kit.dealt(tmp_path) as project:
        first = judge_kit.made(project)
        judge_kit.made(project, first, samples="5", recipe="teach")
        app = lesson.app_on(project, "judges")
        assert snap_compare(app, terminal_size=size, run_before=lesson.settle)


def test_the_form_of_a_version(snap_compare: Callable[..., bool], tmp_path: Path) -> None:
    async def open_form(pilot: Pilot[None]) -> None:
        await lesson.settle(pilot)
        await pilot.press("k", "e")
        await lesson.settle(pilot)

    with judge_kit.dealt(tmp_path) as project:
        judge_kit.made(project, samples="3", temperature="0.7")
        assert snap_compare(lesson.app_on(project, "judges"), terminal_size=SIZES[0], run_before=open_form)

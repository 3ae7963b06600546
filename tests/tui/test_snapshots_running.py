"""How Home and Runs look, pixel by pixel: look at the picture before accepting a change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import lesson
import live
import pytest
from textual.pilot import Pilot

from judging.dealing import split
from store.project import Project
from tui.app import AdjudgeApp
from tui.session.rundesk import RunDesk
from tui.session.session import Session

SIZES = [(80, 24), (120, 40)]
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="pictures are kept for one Python")


def app_on(project: Project, start: str) -> AdjudgeApp:
    desk = RunDesk(project, now=lambda: live.at(60))
    return AdjudgeApp(Session(project, lesson.ME, desk=desk), start=start)


@pytest.mark.parametrize("size", SIZES)
def test_home(snap_compare: Callable[..., bool], tmp_path: Path, size: tuple[int, int]) -> None:
    with lesson.bakery(tmp_path, silent=2) as project:
        split(project, "allergen", seed=0)
        assert snap_compare(app_on(project, "home"), terminal_size=size, run_before=lesson.settle)


@pytest.mark.parametrize("size", SIZES)
def test_a_run_going_on(snap_compare: Callable[..., bool], tmp_path: Path, size: tuple[int, int]) -> None:
    with lesson.bakery(tmp_path, verdicts=True) as project:
        run = live.planned(project, live.live_judge(project, "allergen"), [f"t-{n:03}" for n in range(48)])
        with live.at_work(run) as writer:
            words = ("pass", "pass", "fail", "pass")
            for n in range(31):
                writer.append(live.call(n), live.said(f"t-{n + 10:03}", words[n % 4] if n != 20 else None))
            writer.append(live.waits(50, until=90))
            assert snap_compare(app_on(project, "runs"), terminal_size=size, run_before=lesson.settle)


def test_the_start_of_a_run(
    snap_compare: Callable[..., bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)

    async def open_dialog(pilot: Pilot[None]) -> None:
        await lesson.settle(pilot)
        await pilot.press("n")
        await lesson.settle(pilot)

    with lesson.bakery(tmp_path) as project:
        live.live_judge(project, "allergen")
        assert snap_compare(app_on(project, "runs"), terminal_size=SIZES[0], run_before=open_dialog)

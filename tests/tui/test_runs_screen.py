"""The Runs screen follows a run's files, leaves words for its process, and starts the next one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import lesson
import live
import pytest
from textual.pilot import Pilot

from judging.dealing import split
from store.project import Project
from store.runrecords import RunState
from store.runs import RunFolder
from tui.app import AdjudgeApp
from tui.screens.asking import AskScreen
from tui.screens.runs import RunsScreen
from tui.screens.starting import StartScreen
from tui.session.rundesk import RunDesk
from tui.session.session import Session
from tui.widgets.lines_list import LinesList

SIZES = [(80, 24), (120, 40)]
TRACES = tuple(f"t-{n:03}" for n in range(48))


class Launches:
    """Stands for the start of a process."""

    def __init__(self) -> None:
        self.runs: list[str] = []

    def __call__(self, project: Project, run: str) -> int:
        self.runs.append(run)
        return 1


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with lesson.bakery(tmp_path, verdicts=False) as project:
        yield project


@pytest.fixture
def run(project: Project) -> RunFolder:
    return live.planned(project, live.live_judge(project, "allergen"), TRACES)


@pytest.fixture
def launches() -> Launches:
    return Launches()


@pytest.fixture
def app(project: Project, launches: Launches) -> AdjudgeApp:
    desk = RunDesk(project, now=lambda: live.at(60), start=launches)
    return AdjudgeApp(Session(project, lesson.ME, desk=desk), start="runs")


async def poll(pilot: Pilot[None]) -> str:
    app = pilot.app
    assert isinstance(app, AdjudgeApp)
    if isinstance(app.screen, RunsScreen):
        app.session.desk.look_again()
        app.screen.poll()
    await lesson.settle(pilot)
    return lesson.screen_text(app)


async def press(pilot: Pilot[None], *keys: str) -> str:
    await pilot.press(*keys)
    await lesson.settle(pilot)
    return await poll(pilot)


async def test_without_runs_the_key_that_starts_one_is_said(app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        assert "No runs yet: n starts one" in await poll(pilot)


@pytest.mark.parametrize("size", SIZES)
async def test_a_run_is_seen_as_it_goes_on(app: AdjudgeApp, run: RunFolder, size: tuple[int, int]) -> None:
    with live.at_work(run) as writer:
        async with app.run_test(size=size) as pilot:
            assert "0/48" in await poll(pilot)
            writer.append(
                *(entry for n in range(12) for entry in (live.call(n), live.said(TRACES[n], "pass"))),
                live.said("t-047", None),
                live.waits(50, until=90),
            )
            text = await poll(pilot)
    assert "▶ running" in text
    assert "13/48" in text
    assert "13.0/min" in text
    assert "2 m 42 s left" in text
    assert "tokens in 47 k (cached 36 k) out 2.4 k" in text
    assert "$0.12 of $2.00" in text
    assert "∅ no verdict: 1 refused" in text
    assert "waited for: 1 rate-limited" in text
    assert "waiting 30 s more · rate-limited: all calls wait 30 s" in text
    assert "✓ pass    t-011" in text
    assert "∅ refused" in text
    assert "it says nothing of the shared line" in text
    matrix = ("person ✓      12       0  0", "person ✗       0       0  1")
    strip = ("person ✓ judge ✓ 12 ✗ 0 ∅ 0   person ✗ judge ✓ 0 ✗ 0 ∅ 1",)
    assert all(line in text for line in (strip if size[0] < 100 else matrix))


async def test_the_newest_verdict_is_on_top_and_a_reader_stays_on_theirs(
    app: AdjudgeApp, run: RunFolder
) -> None:
    with live.at_work(run) as writer:
        writer.append(*(live.said(trace, "pass") for trace in TRACES[:10]))
        async with app.run_test() as pilot:
            await press(pilot, "tab", "j", "j")
            verdicts = app.screen.query_one("#verdicts", LinesList)
            assert verdicts.cursor == 2
            writer.append(live.said("t-010", "fail"), live.said("t-011", "fail"))
            await poll(pilot)
            assert verdicts.cursor == 4


async def test_space_pauses_and_lets_go_on(app: AdjudgeApp, run: RunFolder) -> None:
    with live.at_work(run) as writer:
        async with app.run_test() as pilot:
            assert "space pause" in await poll(pilot)
            await press(pilot, "space")
            assert run.asked_for() == "pause"
            writer.append(live.entered(RunState.PAUSED, 30))
            assert "‖ paused" in await poll(pilot)
            await press(pilot, "space")
            assert run.asked_for() == "continue"


async def test_cancelling_asks_first(app: AdjudgeApp, run: RunFolder) -> None:
    with live.at_work(run):
        async with app.run_test() as pilot:
            await poll(pilot)
            await press(pilot, "x")
            assert isinstance(app.screen, AskScreen)
            await press(pilot, "n")
            assert run.asked_for() is None
            await press(pilot, "x", "y")
            assert run.asked_for() == "cancel"


async def test_a_run_whose_process_is_gone_goes_on_with_one_key(
    app: AdjudgeApp, run: RunFolder, launches: Launches
) -> None:
    with live.at_work(run) as writer:
        writer.append(live.said("t-000", "pass"))
    async with app.run_test() as pilot:
        text = await poll(pilot)
        assert "! interrupted" in text
        assert "its process is gone; e goes on with it, nothing is paid twice" in text
        text = await press(pilot, "e")
        assert launches.runs == [run.id]
        assert "starting" in text


async def test_why_a_run_stopped_is_said(app: AdjudgeApp, run: RunFolder) -> None:
    with live.at_work(run) as writer:
        writer.append(live.entered(RunState.STOPPED, 5, "the budget of $2 is used up"))
    async with app.run_test() as pilot:
        text = await poll(pilot)
    assert "■ stopped" in text
    assert "the budget of $2 is used up" in text


async def test_the_cursor_of_the_list_chooses_what_is_watched(app: AdjudgeApp, project: Project) -> None:
    judge = live.live_judge(project, "allergen")
    for name, word in (("r1", "pass"), ("r2", "fail")):
        with live.at_work(live.planned(project, judge, TRACES, run=name)) as writer:
            writer.append(live.said("t-000", word), live.entered(RunState.DONE, 9))
    async with app.run_test() as pilot:
        assert "✗ fail    t-000" in await poll(pilot)
        text = await press(pilot, "j")
        assert "✓ pass    t-000" in text
        assert "✗ fail    t-000" not in text


async def test_hostile_text_is_shown_and_does_nothing(app: AdjudgeApp, project: Project) -> None:
    evil = "[/] [@click=app.quit]x[/] \x1b]52;c;aGk=\x07 \u202eabc"
    judge = live.live_judge(project, "allergen", name=evil.replace("@", ""))
    run = live.planned(project, judge, [evil, *TRACES])
    with live.at_work(run) as writer:
        writer.append(live.said(evil, evil), live.entered(RunState.STOPPED, 5, evil))
    async with app.run_test(size=(120, 40)) as pilot:
        text = await poll(pilot)
    assert "[/] [@click=app.quit]" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("size", [(1, 1), (2, 30), (10, 5), (40, 3), (200, 60)])
async def test_any_size_is_drawn(app: AdjudgeApp, run: RunFolder, size: tuple[int, int]) -> None:
    with live.at_work(run) as writer:
        async with app.run_test() as pilot:
            await poll(pilot)
            await pilot.resize_terminal(*size)
            writer.append(live.said("t-000", "pass"))
            await poll(pilot)
            await press(pilot, "n")
            await pilot.resize_terminal(80, 24)
            await press(pilot, "escape")
            assert "▶ running" in await poll(pilot)


# Starting --------------------------------------------------------------------------------------------


async def test_a_baseline_run_is_started_by_keys_alone(
    app: AdjudgeApp, project: Project, launches: Launches
) -> None:
    split(project, "allergen", seed=0)
    async with app.run_test() as pilot:
        await poll(pilot)
        text = await press(pilot, "n")
        assert "no judge can be run for allergen yet" in text
        await press(pilot, "enter")
        assert isinstance(app.screen, StartScreen), "nothing begins while there is a problem"
        text = await press(pilot, "b")
        assert "allergen_baseline v1, offline baseline" in text
        assert "nothing to pay" in text
        text = await press(pilot, "enter")
        assert launches.runs == list(project.runs.ids())
        assert len(launches.runs) == 1
        assert "starting" in text


async def test_every_choice_is_within_reach_of_the_keyboard(app: AdjudgeApp, project: Project) -> None:
    split(project, "allergen", seed=0)
    live.live_judge(project, "allergen")
    async with app.run_test() as pilot:
        await poll(pilot)
        text = await press(pilot, "n")
        assert "at once" in text
        assert "budget $" in text
        text = await press(pilot, "down", "left")
        assert "a random sample of them" in text
        assert "sample of" in text
        text = await press(pilot, "down", "end", "backspace", "backspace", "5")
        assert "5 rows, about 5 calls" in text
        text = await press(pilot, "tab", "tab", "1")
        assert "a budget of $1 cannot be kept" in text
        await press(pilot, "escape")
        assert isinstance(app.screen, RunsScreen)
        assert project.runs.ids() == ()


async def test_a_sealed_holdout_is_refused_in_the_dialog(app: AdjudgeApp, project: Project) -> None:
    split(project, "allergen", seed=0)
    live.live_judge(project, "allergen")
    async with app.run_test() as pilot:
        await poll(pilot)
        text = await press(pilot, "n", "tab", "right", "right")
        assert "hold-out" in text
        assert "is sealed" in text
        await press(pilot, "enter")
        assert isinstance(app.screen, StartScreen)

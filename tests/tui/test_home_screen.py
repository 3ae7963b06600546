"""Home says where the project stands and what comes next, also where there is nothing yet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import lesson
import live
import pytest
from textual.pilot import Pilot

from judging.dealing import split
from store.project import Project
from store.records import Criterion, Label, PileName, Trace
from tui.app import AdjudgeApp
from tui.screens.asking import AskScreen
from tui.session import overview
from tui.session.metrics import MetricsView, read_metrics

SIZES = [(80, 24), (120, 40)]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with lesson.bakery(tmp_path) as project:
        yield project


def app_of(pilot: Pilot[None]) -> AdjudgeApp:
    assert isinstance(pilot.app, AdjudgeApp)
    return pilot.app


async def press(pilot: Pilot[None], *keys: str) -> str:
    await pilot.press(*keys)
    await lesson.settle(pilot)
    return lesson.screen_text(app_of(pilot))


async def poll(pilot: Pilot[None]) -> str:
    app_of(pilot).screen.poll()  # type: ignore[attr-defined]
    await lesson.settle(pilot)
    return lesson.screen_text(app_of(pilot))


def tear(path: Path) -> None:
    """Leave the beginning of a line at a file's end, as a kill in the middle of a write does."""
    with open(path, "ab") as file:
        file.write(b'{"crc":"12')


@pytest.mark.parametrize("size", SIZES)
async def test_everything_is_said_at_a_glance(project: Project, size: tuple[int, int]) -> None:
    split(project, "allergen", seed=0)
    async with lesson.app_on(project, "home").run_test(size=size) as pilot:
        await lesson.settle(pilot)
        text = lesson.screen_text(app_of(pilot))
    sealed = len(project.piles.members("allergen", PileName.HOLDOUT))
    assert f"+{sealed} sealed" in text
    assert "48/48 labelled" in text
    assert "teach v1" in text
    assert "caught" in text
    assert "kept" in text
    assert f"hold-out {sealed} sealed" in text
    assert "next  " in text


async def test_a_sealed_holdout_is_a_number_only(project: Project) -> None:
    before = len(project.open_reference("allergen").labels)
    split(project, "allergen", seed=0)
    async with lesson.app_on(project, "home").run_test(size=(120, 40)) as pilot:
        await lesson.settle(pilot)
        text = lesson.screen_text(app_of(pilot))
    seen = project.open_reference("allergen").labels
    assert len(seen) < before
    passes = sum(label.verdict == "pass" for label in seen.values())
    assert f"✓ {passes} pass  ✗ {len(seen) - passes} fail" in text


async def test_without_traces_the_import_is_the_next_step(tmp_path: Path) -> None:
    with Project.create(tmp_path) as project:
        async with lesson.app_on(project, "home").run_test() as pilot:
            await lesson.settle(pilot)
            text = lesson.screen_text(app_of(pilot))
            assert "adjudge import FILE" in text
            assert "no criterion yet" in text
            assert "b baseline" not in text


async def test_without_a_criterion_the_standard_is_the_next_step(tmp_path: Path) -> None:
    with Project.create(tmp_path) as project:
        lesson.shelve(project, [Trace("t", "?", "!")])
        async with lesson.app_on(project, "home").run_test() as pilot:
            await lesson.settle(pilot)
            assert "next  write the standard: adjudge criterion new" in lesson.screen_text(app_of(pilot))


async def test_without_labels_enter_goes_to_labelling(tmp_path: Path) -> None:
    with lesson.bakery(tmp_path, labels=False, verdicts=False) as project:
        async with lesson.app_on(project, "home").run_test() as pilot:
            await lesson.settle(pilot)
            assert "no labels on 48 rows yet" in lesson.screen_text(app_of(pilot))
            await press(pilot, "enter")
            assert app_of(pilot).current_mode == "label"


async def test_without_a_judge_enter_makes_the_baseline(tmp_path: Path) -> None:
    with Project.create(tmp_path) as project:
        project.criteria.add(Criterion("tone", 1, "kind", "rude"))
        lesson.shelve(project, [Trace(f"t{n}", "?", f"answer {n}") for n in range(30)])
        for n in range(30):
            project.labels.add(Label(f"t{n}", "tone", 1, "pass" if n % 2 else "fail", lesson.ME))
        split(project, "tone", seed=0)
        async with lesson.app_on(project, "home").run_test() as pilot:
            await lesson.settle(pilot)
            text = lesson.screen_text(app_of(pilot))
            assert "next  make the offline baseline" in text
            assert "b baseline" in text
            text = await press(pilot, "enter")
            assert [judge.name for judge in project.judges.all("tone")] == ["tone_baseline"]
            assert "next  run the judge on dev" in text
            assert "b baseline" not in text


async def test_dealing_asks_first_and_no_leaves_everything(project: Project) -> None:
    async with lesson.app_on(project, "home").run_test() as pilot:
        await lesson.settle(pilot)
        assert "s deal piles" in lesson.screen_text(app_of(pilot))
        await press(pilot, "s")
        assert isinstance(app_of(pilot).screen, AskScreen)
        await press(pilot, "n")
        assert not project.piles.of("allergen")
        await press(pilot, "s")
        text = await press(pilot, "y")
        assert len(project.piles.of("allergen")) == 48
        assert "train " in text
        assert "s deal piles" not in text


async def test_the_cursor_puts_a_criterion_at_hand(project: Project) -> None:
    project.criteria.add(Criterion("tone", 1, "kind", "rude"))
    async with lesson.app_on(project, "home").run_test() as pilot:
        await lesson.settle(pilot)
        text = await press(pilot, "j")
        criterion = app_of(pilot).session.criterion
        assert criterion is not None
        assert criterion.name == "tone"
        assert "judges of tone" in text
        assert "none yet: b makes the offline baseline" in text


async def test_a_judge_of_an_older_standard_is_marked_stale(project: Project) -> None:
    project.criteria.add(Criterion("allergen", 1, "sharper", "sharper"))
    async with lesson.app_on(project, "home").run_test(size=(120, 40)) as pilot:
        await lesson.settle(pilot)
        assert "⚠ stale: the standard is now v2" in lesson.screen_text(app_of(pilot))


async def test_figures_are_worked_out_anew_only_when_something_changed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[str] = []

    def counting(*args: object) -> MetricsView:
        measured.append("once")
        return read_metrics(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(overview, "read_metrics", counting)
    async with lesson.app_on(project, "home").run_test() as pilot:
        await lesson.settle(pilot)
        await poll(pilot)
        await poll(pilot)
        assert len(measured) == 1
        project.labels.add(Label("t-000", "allergen", 1, "fail", lesson.ME))
        text = await poll(pilot)
        assert len(measured) == 2
        assert "✓ 31 pass  ✗ 17 fail" in text


async def test_a_run_at_work_is_seen_and_its_figures_wait_for_its_end(project: Project) -> None:
    run = live.planned(project, live.live_judge(project, "allergen"), ["t-000", "t-001"])
    async with lesson.app_on(project, "home").run_test() as pilot:
        with live.at_work(run) as writer:
            writer.append(live.said("t-000", "pass"))
            app_of(pilot).session.desk.look_again()
            text = await poll(pilot)
            assert "▶ running" in text
            assert "1/2" in text
        app_of(pilot).session.desk.look_again()
        assert "! interrupted" in await poll(pilot)


async def test_what_the_store_has_to_say_is_shown(tmp_path: Path) -> None:
    lesson.bakery(tmp_path).close()
    tear(tmp_path / ".adjudge" / "journal.jsonl")
    with Project(tmp_path) as project:
        assert project.notices
        async with lesson.app_on(project, "home").run_test(size=(120, 40)) as pilot:
            await lesson.settle(pilot)
            text = lesson.screen_text(app_of(pilot))
    assert "the store says" in text
    assert "an unfinished write of 10 bytes" in text


async def test_names_from_data_are_text(tmp_path: Path) -> None:
    name = "[/] \x1b]0;x\x07 \u202eevil"
    with lesson.bakery(tmp_path) as project:
        project.criteria.add(Criterion(name, 1, "[b]", "[/nope]"))
        async with lesson.app_on(project, "home").run_test(size=(120, 40)) as pilot:
            await lesson.settle(pilot)
            text = await press(pilot, "j")
    assert "[/] ␛" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("size", [(1, 1), (2, 30), (10, 5), (40, 3), (200, 60)])
async def test_any_size_is_drawn(project: Project, size: tuple[int, int]) -> None:
    async with lesson.app_on(project, "home").run_test(size=(80, 24)) as pilot:
        await lesson.settle(pilot)
        await pilot.resize_terminal(*size)
        await poll(pilot)
        await pilot.resize_terminal(80, 24)
        assert "criteria" in await poll(pilot)

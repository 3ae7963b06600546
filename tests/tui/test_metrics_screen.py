"""The Metrics screen: a table whose cells open their traces, rates in words, both readings, both orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import lesson
import pytest
from textual.pilot import Pilot

from judging.measuring import measure
from store.project import Project
from store.records import Label, Piled, PileName
from tui.app import AdjudgeApp
from tui.figures import rate_text
from tui.screens.cell import CellScreen
from tui.screens.metrics import MetricsScreen
from tui.widgets.lines_list import LinesList
from tui.widgets.matrix import Matrix

SIZES = [(80, 24), (120, 40)]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with lesson.bakery(tmp_path) as project:
        yield project


async def press(pilot: Pilot[None], *keys: str) -> str:
    await pilot.press(*keys)
    await lesson.settle(pilot)
    assert isinstance(pilot.app, AdjudgeApp)
    return lesson.screen_text(pilot.app)


def at(app: AdjudgeApp) -> tuple[int, int]:
    matrix = app.screen.query_one(Matrix)
    return matrix.row, matrix.column


@pytest.mark.parametrize("size", SIZES)
async def test_the_lessons_first_judge_is_read_at_a_glance(project: Project, size: tuple[int, int]) -> None:
    app = lesson.app_on(project, "metrics")
    async with app.run_test(size=size) as pilot:
        await lesson.settle(pilot)
        text = lesson.screen_text(app)
        rows = [" ".join(row.replace("▌", "").split()) for row in text.splitlines()]
        assert "allergen v1 · teach v1 · all 48 · strict" in rows[0]
        assert rows[1:4] == [
            "judge ✓ pass judge ✗ fail ∅ no verdict",
            "person ✓ pass 31 1 0",
            "person ✗ fail 7 9 0",
        ]
        for said in (
            "caught 9 of 16 fails 56 % [33–77] ✗ below 80",
            "kept 31 of 32 passes 97 % [84–99] ✓ reaches 90",
            "kappa 0.59 [",
            "coverage 100 % [93–100] 48 of 48 rows have a verdict",
            "accuracy 83 % [70–91] always saying pass: 67 % [53–78]",
            "Too lenient: it caught 9 of 16 fails (56 %), below the",
        ):
            assert any(row.startswith(said) for row in rows), (said, rows)
        assert max(
            index for index, row in enumerate(rows) if row.startswith(("caught", "kept", "kappa"))
        ) < next(index for index, row in enumerate(rows) if row.startswith("accuracy"))


async def test_the_screen_says_what_measuring_says(project: Project) -> None:
    figures = measure(project, project.judges.all()[0]).figures
    app = lesson.app_on(project, "metrics")
    async with app.run_test(size=(120, 40)) as pilot:
        await lesson.settle(pilot)
        text = lesson.screen_text(app)
        for figure in (figures.strict.tpr, figures.strict.tnr, figures.strict.accuracy, figures.coverage):
            assert rate_text(figure) in text


async def test_missing_verdicts_count_in_the_strict_reading_alone(tmp_path: Path) -> None:
    with lesson.bakery(tmp_path, silent=2) as project:
        app = lesson.app_on(project, "metrics")
        async with app.run_test(size=(120, 40)) as pilot:
            await lesson.settle(pilot)
            text = lesson.screen_text(app)
            assert "7 of 16 fails" in text
            assert "46 of 48 rows have a verdict" in text
            text = await press(pilot, "a")
            assert "all 48 · answered" in text
            assert "7 of 14 fails" in text
            assert "46 of 48 rows have a verdict" in text
            assert "The advice is about the strict reading" in text
            assert "7 of 16 fails" in await press(pilot, "a")


async def test_the_cursor_begins_on_what_was_waved_through_and_walks(project: Project) -> None:
    app = lesson.app_on(project, "metrics")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        assert at(app) == (1, 0)
        assert "waved through: people fail it, the judge passes it · 7 traces" in lesson.screen_text(app)
        text = await press(pilot, "up", "up", "left", "right")
        assert at(app) == (0, 1)
        assert "too strict: people pass it, the judge fails it · 1 trace" in text
        await press(pilot, "right", "right", "right", "down")
        assert at(app) == (1, 2)


@pytest.mark.parametrize("size", SIZES)
async def test_a_cell_opens_its_traces_and_q_comes_back(project: Project, size: tuple[int, int]) -> None:
    app = lesson.app_on(project, "metrics")
    async with app.run_test(size=size) as pilot:
        await lesson.settle(pilot)
        text = await press(pilot, "enter")
        assert isinstance(app.screen, CellScreen)
        for said in (
            "waved through: people fail it, the judge passes it",
            "1 of 7",
            "t-032",
            "t-037",
            "reply under judgment",
            "PERSON: ✗ fail · anna",
            "the shared line means it may contain cashew",
            "JUDGE: ✓ pass",
            "do not list nuts",
            "q back",
        ):
            assert said in text, text
        assert "q quit" not in text
        text = await press(pilot, "down", "right_square_bracket")
        assert "3 of 7" in text
        assert app.screen.query_one(LinesList).cursor == 2
        assert "(t-034)" in text
        await press(pilot, "q")
        assert isinstance(app.screen, MetricsScreen)
        assert at(app) == (1, 0)


async def test_traces_without_a_verdict_show_why(tmp_path: Path) -> None:
    with lesson.bakery(tmp_path, silent=2) as project:
        app = lesson.app_on(project, "metrics")
        async with app.run_test(size=(120, 40)) as pilot:
            await lesson.settle(pilot)
            text = await press(pilot, "right", "right", "enter")
            assert "1 of 2" in text
            assert "JUDGE: ∅ no verdict" in text
            assert "∅ no verdict: truncated" in text
            assert "the answer was cut off" in text


async def test_an_empty_cell_opens_and_says_so(project: Project) -> None:
    app = lesson.app_on(project, "metrics")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        text = await press(pilot, "right", "right", "enter")
        assert "no trace is counted here" in text
        assert "0 of 0" in text
        await press(pilot, "down", "space", "right_square_bracket", "escape")
        assert isinstance(app.screen, MetricsScreen)


async def test_what_is_stale_or_not_counted_is_said(project: Project) -> None:
    project.criteria.append(replace(project.criteria.latest("allergen"), version=2))
    lesson.shelve(project, [replace(project.traces.at(0), id="new")])
    project.labels.add(Label("new", "allergen", 1, "fail", lesson.ME))
    project.labels.add(Label("t-001", "allergen", 1, "fail", "carl"))
    app = lesson.app_on(project, "metrics")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        text = lesson.screen_text(app)
        assert "⚠ stale" in text.splitlines()[0]
        assert "⚠ stale: the standard is now v2, this judge was made for v1" in text
        assert "1 labelled rows have not been judged and are not counted" in text
        assert "people differ on 1 rows" in text


async def test_a_rate_without_rows_is_its_reason_and_no_number(tmp_path: Path) -> None:
    with lesson.bakery(tmp_path) as project:
        for trace, label, _ in lesson.bakery_rows():
            if label == "fail":
                project.labels.add(Label(trace, "allergen", 1, "unsure", lesson.ME))
        app = lesson.app_on(project, "metrics")
        async with app.run_test(size=(120, 40)) as pilot:
            await lesson.settle(pilot)
            caught = next(row for row in lesson.screen_text(app).splitlines() if row.startswith(" caught"))
            assert "no data" in caught
            assert "%" not in caught


async def test_piles_come_round(project: Project) -> None:
    dev = ["t-000", "t-032"]
    project.piles.deal([Piled(one, "allergen", PileName.DEV, one, 0, lesson.WHEN) for one in dev])
    app = lesson.app_on(project, "metrics")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        assert "dev 2 · strict" in lesson.screen_text(app)
        assert "t-032" in await press(pilot, "enter")
        await press(pilot, "q")
        assert "all 48 · strict" in await press(pilot, "p")
        assert "dev 2 · strict" in await press(pilot, "p")


@pytest.mark.parametrize("size", SIZES)
async def test_pairs_show_consistency_and_accuracy_under_named_rules(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with lesson.pairs(tmp_path) as project:
        app = lesson.app_on(project, "metrics")
        async with app.run_test(size=size) as pilot:
            await lesson.settle(pilot)
            text = lesson.screen_text(app)
            text += await press(pilot, "space")
            rows = [" ".join(row.replace("▌", "").split()) for row in text.splitlines()]
            assert "10 pairs in both orders · run r0001" in rows[0]
            for said in (
                "A better 4 2 1 0",
                "B better 0 2 0 1",
                "first-biased: A when A is shown first, B when B is · 2 traces",
                "consistent 6 60 % [31–83]",
                "first-biased 2 20 % [",
                "second-biased 0 0 % [",
                "half-consistent 1 10 % [",
                "no verdict 1 10 % [",
                "agrees on 6 of 9 pairs 67 % [",
                "average accuracy 11/20 55 % [",
                "A shown first 7/10 70 % [",
                "B shown first 4/10 40 % [",
                "both orders right 4/10 40 % [",
                "MT-bench winner 4/10 40 % [",
                "a tie counts half 55 % [",
                "prefers the longer 11/18 61 % [",
                "gold is the longer 10/10 100 % [",
            ):
                assert any(row.startswith(said) for row in rows), (said, rows)
            text = await press(pilot, "enter")
            assert "1 of 2" in text
            assert "A is clearer." in text
            await press(pilot, "end", "tab", "end")
            assert "B reads well." in lesson.screen_text(app)


@pytest.mark.parametrize(
    ("made", "said"),
    [({"verdicts": False}, "has not been run yet"), ({"labels": False}, "nobody has labelled one of them")],
)
async def test_an_empty_screen_says_the_next_step(tmp_path: Path, made: dict[str, Any], said: str) -> None:
    with lesson.bakery(tmp_path, **made) as project:
        app = lesson.app_on(project, "metrics")
        async with app.run_test() as pilot:
            await lesson.settle(pilot)
            assert said in lesson.screen_text(app)
            for key in ("enter", "a", "up", "space", "p"):
                assert said in await press(pilot, key)


async def test_pairs_in_one_order_name_the_command(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path, swapped=False) as project:
        app = lesson.app_on(project, "metrics")
        async with app.run_test() as pilot:
            await lesson.settle(pilot)
            assert "adjudge run --judge teach --swap" in lesson.screen_text(app)


async def test_hostile_names_are_drawn_as_text(tmp_path: Path) -> None:
    with lesson.bakery(tmp_path) as project:
        criterion = project.criteria.latest("allergen")
        judge = lesson.judge_of(project, criterion, "[/]\x1b[31m[click=app.quit]x", version=3)
        app = lesson.app_on(project, "metrics")
        app.session.choose_judge(judge)
        async with app.run_test() as pilot:
            await lesson.settle(pilot)
            text = lesson.screen_text(app)
            assert "[/]␛[31m[click=app.quit]x has not been run yet" in text


async def test_any_size_is_drawn(project: Project) -> None:
    app = lesson.app_on(project, "metrics")
    async with app.run_test(size=(80, 24)) as pilot:
        await lesson.settle(pilot)
        for size in ((1, 1), (20, 5), (200, 60), (40, 12), (80, 24)):
            await pilot.resize_terminal(*size)
            await lesson.settle(pilot)
        assert "9 of 16 fails" in lesson.screen_text(app)
        await press(pilot, "enter")
        for size in ((1, 1), (15, 4), (120, 40)):
            await pilot.resize_terminal(*size)
            await lesson.settle(pilot)
        assert "JUDGE: ✓ pass" in lesson.screen_text(app)


async def test_accuracy_never_stands_alone_however_narrow(project: Project) -> None:
    app = lesson.app_on(project, "metrics")
    async with app.run_test(size=(60, 24)) as pilot:
        await lesson.settle(pilot)
        rows = lesson.screen_text(app).splitlines()
        accuracy = next(index for index, row in enumerate(rows) if row.startswith(" accuracy"))
        assert "always saying pass: 67 % [53–78]" in rows[accuracy + 1]

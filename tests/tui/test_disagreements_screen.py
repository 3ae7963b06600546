"""The Disagreements screen: who said what side by side, causes, changed labels, notes, and empty states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import lesson
import pytest
from textual.pilot import Pilot

from store.project import Project
from store.records import Candidate, Label, Piled, PileName, Reason, Verdict
from tui.app import AdjudgeApp
from tui.widgets.line_field import LineField
from tui.widgets.lines_list import LinesList
from tui.widgets.trace_view import TraceView

SIZES = [(80, 24), (120, 40)]
FIRST = "t-032"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with lesson.bakery(tmp_path) as project:
        yield project


async def press(pilot: Pilot[None], *keys: str) -> str:
    await pilot.press(*keys)
    await lesson.settle(pilot)
    assert isinstance(pilot.app, AdjudgeApp)
    return lesson.screen_text(pilot.app)


@pytest.mark.parametrize("size", SIZES)
async def test_person_and_judge_are_read_at_a_glance(project: Project, size: tuple[int, int]) -> None:
    app = lesson.app_on(project, "disagreements")
    async with app.run_test(size=size) as pilot:
        await lesson.settle(pilot)
        text = lesson.screen_text(app)
        for said in (
            "all: 8 of 48   waved through 7   too strict 1",
            "✗→✓",
            "coconut cookies nut-free?",
            "reply under judgment",
            "may contain traces of cashew",
            "PERSON ✗ fail  blind",
            "JUDGE ✓ pass  0.9 s · $0.0002 · opus-20260301",
            "do not list nuts",
            "1 standard unclear 0",
            "6 other",
            "] next  r relabel  n note",
        ):
            assert said in text, text


async def test_a_digit_gives_the_cause_and_goes_on(project: Project) -> None:
    app = lesson.app_on(project, "disagreements")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        text = await press(pilot, "1", "5")
        judge = project.judges.all()[0]
        causes = project.causes.of("allergen", judge.hash)
        assert {trace: cause.cause for trace, cause in causes.items()} == {
            FIRST: "standard unclear",
            "t-033": "person slip",
        }
        assert app.screen.query_one("#list", LinesList).cursor == 2
        assert "✗→✓ 1 t-032" in text
        assert "t-033: person slip" in text
        await press(pilot, "left_square_bracket", "0")
        assert list(project.causes.of("allergen", judge.hash)) == [FIRST]
        assert app.screen.query_one("#list", LinesList).cursor == 1


async def test_a_changed_label_leaves_the_list_and_z_brings_it_back(project: Project) -> None:
    app = lesson.app_on(project, "disagreements")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        text = await press(pilot, "r")
        assert "7 of 48" in text
        assert "t-032 is ✓ pass now, was ✗ fail · z takes it back" in text
        label = project.labels.of("allergen", lesson.ME, FIRST)
        assert label
        assert (label.verdict, label.revealed) == ("pass", True)
        text = await press(pilot, "z")
        assert "8 of 48" in text
        assert "t-032 is ✗ fail again" in text
        text = await press(pilot, "z")
        assert "no label was changed here last" in text


async def test_a_label_others_gave_too_is_settled_and_said_so(project: Project) -> None:
    project.labels.add(Label(FIRST, "allergen", 1, "fail", "carl"))
    app = lesson.app_on(project, "disagreements")
    async with app.run_test(size=(120, 40)) as pilot:
        await lesson.settle(pilot)
        assert "settled: what people said stays" in await press(pilot, "r")


async def test_a_note_is_kept_and_escape_drops_it(project: Project) -> None:
    app = lesson.app_on(project, "disagreements")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        await press(pilot, "n")
        field = app.screen.query_one("#note", LineField)
        assert field.text == "the shared line means it may contain cashew"
        await press(pilot, "exclamation_mark", "escape")
        assert not field.display
        assert len(list(project.labels.history("allergen", FIRST))) == 1
        field.text = ""
        text = await press(pilot, "n", "1", "r", "enter")
        assert "t-032: note saved" in text
        label = project.labels.of("allergen", lesson.ME, FIRST)
        assert label
        assert label.note.endswith("cashew1r")
        assert label.verdict == "fail"
        assert not project.causes.of("allergen", project.judges.all()[0].hash)


async def test_arrows_brackets_and_space_move_what_they_say(project: Project) -> None:
    app = lesson.app_on(project, "disagreements")
    async with app.run_test(size=(80, 24)) as pilot:
        await lesson.settle(pilot)
        rows = app.screen.query_one("#list", LinesList)
        await press(pilot, "down", "right_square_bracket", "right_square_bracket", "left_square_bracket")
        assert rows.cursor == 2
        text = await press(pilot, "end", "right_square_bracket")
        assert rows.cursor == 7
        assert "that was the last one" in text
        assert "✓→✗" in text


async def test_a_long_trace_scrolls_and_the_pane_in_focus_does_too(project: Project) -> None:
    long = "\n".join(f"line {n}" for n in range(60))
    lesson.shelve(project, [replace(project.traces.at(0), id="a-long", output=long)])
    project.labels.add(Label("a-long", "allergen", 1, "fail", lesson.ME, note=long))
    judge = project.judges.all()[0]
    lesson.record(project, judge, [Verdict("a-long", "pass", "fine")], run="r0002")
    app = lesson.app_on(project, "disagreements")
    async with app.run_test(size=(80, 24)) as pilot:
        await lesson.settle(pilot)
        assert "line 0" in lesson.screen_text(app)
        text = await press(pilot, "space")
        assert "line 8" in text
        await press(pilot, "tab", "tab")
        assert app.screen.focused is app.screen.query_one("#person", TraceView)
        await press(pilot, "end")
        assert "line 59" in lesson.screen_text(app)


async def test_everything_the_judge_said_is_there(project: Project) -> None:
    judge = project.judges.all()[0]
    said = Verdict(
        FIRST,
        "pass",
        "No nuts [/] named \x1b[31m.",
        flags=("contradicts its score",),
        candidates=(
            Candidate("pass", "first look", "raw"),
            Candidate(None, "", "half an ans", Reason.TRUNCATED),
            Candidate("pass", "weighed both", "raw", role="critic"),
        ),
    )
    lesson.record(project, judge, [said], run="r0002")
    app = lesson.app_on(project, "disagreements")
    async with app.run_test(size=(120, 50)) as pilot:
        await lesson.settle(pilot)
        text = lesson.screen_text(app)
        for part in (
            "No nuts [/] named ␛[31m.",
            "⚠ worth knowing",
            "contradicts its score",
            "candidate 1: ✓ pass",
            "candidate 2: ∅ no verdict (truncated)",
            "half an ans",
            "critic: ✓ pass",
            "weighed both",
        ):
            assert part in text, text


async def test_pairs_show_both_orders(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path) as project:
        app = lesson.app_on(project, "disagreements")
        async with app.run_test(size=(120, 40)) as pilot:
            await lesson.settle(pilot)
            text = await press(pilot, *["right_square_bracket"] * 4)
            assert "JUDGE AB A better  BA B better" in text
            assert "A shown first: A better" in text
            assert "B shown first: B better" in text
            assert "B reads well." in text


async def test_piles_come_round_and_another_judge_is_chosen(project: Project) -> None:
    project.piles.deal([Piled(FIRST, "allergen", PileName.DEV, FIRST, 0, lesson.WHEN)])
    criterion = project.criteria.latest("allergen")
    other = lesson.judge_of(project, criterion, "plain", version=2)
    app = lesson.app_on(project, "disagreements")
    async with app.run_test(size=(120, 40)) as pilot:
        await lesson.settle(pilot)
        assert "dev: 1 of 1 " in lesson.screen_text(app)
        text = await press(pilot, "p")
        assert "all: 8 of 48" in text
        text = await press(pilot, "j", "down", "enter")
        assert app.session.judge == other
        assert "plain v1" in text
        assert "plain has not been run yet" in text


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({"verdicts": False}, "teach has not been run yet."),
        ({"labels": False}, "has judged 48 rows, and nobody has labelled one of them."),
    ],
)
async def test_an_empty_screen_says_the_next_step(tmp_path: Path, made: dict[str, Any], said: str) -> None:
    with lesson.bakery(tmp_path, **made) as project:
        app = lesson.app_on(project, "disagreements")
        async with app.run_test() as pilot:
            await lesson.settle(pilot)
            text = lesson.screen_text(app)
            assert said in text
            assert "r relabel" not in text
            for key in ("1", "r", "n", "z", "space", "right_square_bracket", "p"):
                text = await press(pilot, key)
            assert said in text


async def test_without_a_criterion_or_a_judge_the_command_is_named(tmp_path: Path) -> None:
    with Project.create(tmp_path) as project:
        app = lesson.app_on(project, "disagreements")
        async with app.run_test() as pilot:
            await lesson.settle(pilot)
            assert "adjudge criterion new NAME" in lesson.screen_text(app)
            await press(pilot, "j", "p", "1")


async def test_agreement_everywhere_is_said_with_what_it_means(project: Project) -> None:
    for trace, _, verdict in lesson.bakery_rows():
        project.labels.add(Label(trace, "allergen", 1, verdict, lesson.ME))
    app = lesson.app_on(project, "disagreements")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        assert "agree on all 48 rows" in lesson.screen_text(app)


async def test_a_label_that_changed_elsewhere_is_taken_in(project: Project) -> None:
    app = lesson.app_on(project, "disagreements")
    async with app.run_test() as pilot:
        await lesson.settle(pilot)
        await press(pilot, "right_square_bracket")
        project.labels.add(Label(FIRST, "allergen", 1, "pass", lesson.ME))
        app.screen_changed()
        await lesson.settle(pilot)
        text = lesson.screen_text(app)
        assert "7 of 48" in text
        assert app.screen.query_one("#list", LinesList).cursor == 0


async def test_any_size_is_drawn(project: Project) -> None:
    app = lesson.app_on(project, "disagreements")
    async with app.run_test(size=(80, 24)) as pilot:
        await lesson.settle(pilot)
        for size in ((1, 1), (20, 5), (200, 60), (40, 12), (110, 3), (80, 24)):
            await pilot.resize_terminal(*size)
            await lesson.settle(pilot)
        assert "reply under judgment" in lesson.screen_text(app)


async def test_a_narrow_terminal_keeps_the_list_and_leaves_the_tallies_out(project: Project) -> None:
    app = lesson.app_on(project, "disagreements")
    async with app.run_test(size=(50, 16)) as pilot:
        await lesson.settle(pilot)
        text = lesson.screen_text(app)
        assert "t-032 coconut" in text
        assert "standard unclear" not in text
        assert "JUDGE ✓ pass" in text

"""The Judges screen: versions and their parts, and every way to the next version, by keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import judge_kit
import lesson
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from store.project import Project
from store.records import Criterion, JudgeKind, PileName, Trace
from tui.app import AdjudgeApp
from tui.screens.asking import AskScreen
from tui.screens.diff import DiffScreen
from tui.screens.judge_form import JudgeFormScreen
from tui.screens.judges import JudgesScreen
from tui.screens.picking import PickScreen
from tui.screens.standard import StandardScreen
from tui.widgets.lines_list import LinesList
from tui.widgets.trace_view import TraceView

SIZES = [(80, 24), (120, 40)]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with judge_kit.dealt(tmp_path) as project:
        yield project


@pytest.fixture
def app(project: Project) -> AdjudgeApp:
    return lesson.app_on(project, "judges")


async def press(pilot: Pilot[None], *keys: str) -> str:
    await pilot.press(*keys)
    await lesson.settle(pilot)
    assert isinstance(pilot.app, AdjudgeApp)
    return lesson.screen_text(pilot.app)


def set_text(app: AdjudgeApp, field: str, text: str) -> None:
    app.screen.query_one(f"#{field}", Input).value = text


@pytest.mark.parametrize("size", SIZES)
async def test_versions_and_parts_are_read_at_a_glance(
    project: Project, app: AdjudgeApp, size: tuple[int, int]
) -> None:
    judge_kit.made(project)
    async with app.run_test(size=size) as pilot:
        text = await press(pilot)
        for said in (
            "judges · allergen v1",
            "2 versions",
            "TPR TNR dev",
            "strict v1",
            "critique-first claude",
            "teach v1",
            "2 PASS, word for word",
            "says it as the ingredients say",
            "3 facts it sees",
            "enter use  n new  e edit  p prompt  v diff",
        ):
            assert said in text, text


async def test_enter_puts_the_judge_at_hand(project: Project, app: AdjudgeApp) -> None:
    judge = judge_kit.made(project)
    async with app.run_test() as pilot:
        assert "▸ teach v1" in await press(pilot)
        text = await press(pilot, "k", "enter")
        assert "▸ strict v1" in text
        assert "is at hand" in text
        assert app.session.judge == judge


async def test_r_uses_the_judge_and_goes_to_the_runs(project: Project, app: AdjudgeApp) -> None:
    judge = judge_kit.made(project)
    async with app.run_test() as pilot:
        await press(pilot, "k", "r")
        assert app.current_mode == "runs"
        assert app.session.judge == judge


async def test_space_scrolls_the_parts_and_v_is_the_diff_there_too(project: Project, app: AdjudgeApp) -> None:
    judge_kit.made(project)
    async with app.run_test() as pilot:
        assert "5 recipe" not in await press(pilot, "k")
        assert "5 recipe" in await press(pilot, "space", "space")
        await press(pilot, "tab")
        assert isinstance(app.focused, TraceView)
        await press(pilot, "v")
        assert isinstance(app.screen, DiffScreen)


# The form -------------------------------------------------------------------------------------------


async def test_a_judge_is_made_by_keys_alone(project: Project, app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        text = await press(pilot, "n")
        assert "A new judge for allergen" in text
        assert "makes allergen_judge v1 for allergen v1" in text
        text = await press(pilot, "enter")
        assert "✗ model: type which model judges" in text
        assert len(project.judges.all("allergen")) == 1
        await press(pilot, "tab", "tab", *"opus", "tab", "tab", "right", "tab", "5")
        text = await press(pilot, "enter")
        judge = project.judges.get("allergen_judge")
        assert (judge.recipe, judge.model, judge.params["n"]) == ("solve-first", "opus", 5)
        assert len(judge.examples) == 4
        assert "▸ allergen_judge v1" in text
        assert "is ready and at hand" in text


async def test_an_edit_makes_the_next_version_from_this_one(project: Project, app: AdjudgeApp) -> None:
    first = judge_kit.made(project)
    async with app.run_test() as pilot:
        text = await press(pilot, "k", "e")
        assert "makes strict v2 for allergen v1, from strict v1" in text
        assert "nothing differs from strict v1" in await press(pilot, "enter")
        set_text(app, "temperature", "0.5")
        text = await press(pilot, "enter")
        assert isinstance(app.screen, JudgesScreen)
        assert "▸ strict v2" in text
        newest = project.judges.get("strict")
        assert (newest.parent, newest.params["temperature"]) == (first.hash, 0.5)


async def test_recorded_judges_cannot_be_edited_and_that_is_said(app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        assert "n makes a judge of your own" in await press(pilot, "e")
        assert isinstance(app.screen, JudgesScreen)


async def test_leaving_a_form_asks_only_when_something_would_be_lost(app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        await press(pilot, "n", "escape")
        assert isinstance(app.screen, JudgesScreen)
        await press(pilot, "n", "x", "escape")
        assert isinstance(app.screen, AskScreen)
        await press(pilot, "n")
        assert isinstance(app.screen, JudgeFormScreen)
        await press(pilot, "escape", "y")
        assert isinstance(app.screen, JudgesScreen)


async def test_what_does_not_apply_is_not_shown(app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        text = await press(pilot, "n", "tab", "right")
        assert "offline text classifier" in text
        assert "temperature" not in text
        text = await press(pilot, "left", "tab", "tab", "left")
        assert "gate: release decisions" in text
        assert "recipe" not in text
        assert "critic model" in text


async def test_examples_are_picked_from_train_with_space(project: Project, app: AdjudgeApp) -> None:
    judge_kit.made(project, examples="0")
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "k", "e", "up", "space")
        assert isinstance(app.screen, PickScreen)
        text = await press(pilot, "space", "j", "j", "space", "k", "k")
        assert "2 picked" in text
        assert "[1]  ✗ fail" in text
        for pile in (PileName.DEV, PileName.HOLDOUT):
            assert not any(trace in text for trace in project.piles.members("allergen", pile))
        rows = app.screen.query_one(LinesList).count
        assert rows == len(project.piles.members("allergen", PileName.TRAIN))
        await press(pilot, "space", "space", "enter", "enter")
        newest = project.judges.get("strict")
        assert len(newest.examples) == 2
        assert {project.piles.pile_of("allergen", one.trace) for one in newest.examples} == {PileName.TRAIN}


async def test_leaving_the_examples_changes_nothing(project: Project, app: AdjudgeApp) -> None:
    judge_kit.made(project, examples="0")
    async with app.run_test() as pilot:
        text = await press(pilot, "k", "e", "up", "space", "space", "escape")
        assert "none (space opens the list)" in text


# The standard ---------------------------------------------------------------------------------------


async def test_an_edited_standard_says_what_is_older_now(project: Project, app: AdjudgeApp) -> None:
    judge_kit.made(project)
    sealed = len(project.sealed("allergen"))
    async with app.run_test() as pilot:
        text = await press(pilot, "s")
        assert "allergen v2" in text
        assert f"v1: {48 - sealed}; {sealed} more are sealed" in text
        assert "nothing differs" in await press(pilot, "enter")
        await press(pilot, "end", "full_stop", "ctrl+j", *"shared", "tab", "X")
        text = await press(pilot, "enter")
        assert isinstance(app.screen, JudgesScreen)
        assert f"allergen v2 is written; {48 - sealed} labels (gl) and 2 judges (e) are of an older" in text
        assert f"{48 - sealed} labels of an older standard" in text
        assert "STALE: the standard is now v2" in text
    newest = project.criteria.latest("allergen")
    assert newest.pass_definition.endswith(".\nshared")
    assert newest.fail_definition == "Xignores or guesses"
    assert newest.author == lesson.ME


async def test_leaving_a_typed_standard_asks(project: Project, app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        await press(pilot, "s", "escape")
        assert isinstance(app.screen, JudgesScreen)
        await press(pilot, "s", "q", "escape")
        assert isinstance(app.screen, AskScreen)
        await press(pilot, "n")
        assert isinstance(app.screen, StandardScreen)
        await press(pilot, "escape", "y")
        assert isinstance(app.screen, JudgesScreen)
    assert len(project.criteria.versions("allergen")) == 1


# Diff and prompt ------------------------------------------------------------------------------------


async def test_the_diff_is_against_the_parent_and_another_can_be_chosen(
    project: Project, app: AdjudgeApp
) -> None:
    first = judge_kit.made(project)
    judge_kit.made(project, first, recipe="teach")
    async with app.run_test() as pilot:
        text = await press(pilot, "home", "v")
        assert "strict v1 → strict v2" in text
        assert "- recipe: critique-first" in text
        assert "+ recipe: teach" in text
        assert "strict v2 → strict v1" in await press(pilot, "x")
        await press(pilot, "x")
        text = await press(pilot, "o", "end", "enter")
        assert "teach v1 → strict v2" in text
        await press(pilot, "q")
        assert isinstance(app.screen, JudgesScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_the_prompt_of_any_trace_with_its_size_and_price(
    project: Project, app: AdjudgeApp, size: tuple[int, int]
) -> None:
    judge_kit.made(project, examples="0")
    async with app.run_test(size=size) as pilot:
        text = await press(pilot, "k", "p")
        assert "strict v1 · t-000" in text
        assert "tokens   1 of 48" in text
        assert "You check one thing about one reply" in text
        assert "100 rows: about 100 calls, $" in text
        assert "t-001" in await press(pilot, "right_square_bracket")
        assert "t-000" in await press(pilot, "left_square_bracket", "left_square_bracket")
        text = await press(pilot, "slash", *"sesame", "enter")
        assert "4 of 48" in text
        assert "sesame: 1 in this prompt" in text
        assert "8 of 48" in await press(pilot, "slash", "enter")
        assert "no trace holds zzz" in await press(pilot, "slash", *["backspace"] * 6, *"zzz", "enter")
        await press(pilot, "end")
        assert "Previous trace" in await press(pilot, "question_mark")
        await press(pilot, "q", "q")
        assert isinstance(app.screen, JudgesScreen)


async def test_an_unknown_price_is_said(project: Project, app: AdjudgeApp) -> None:
    judge_kit.made(project, model="house-model")
    async with app.run_test(size=(120, 40)) as pilot:
        assert "price unknown: no price is known for 'house-model'" in await press(pilot, "k", "p")


async def test_a_judge_without_a_model_has_no_prompt(app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        text = await press(pilot, "p", "right_square_bracket", "slash")
        assert "No model is asked" in text
        assert "nothing to pay" in text


# Empty, small, hostile ------------------------------------------------------------------------------


async def test_without_a_criterion_s_writes_the_first(tmp_path: Path) -> None:
    with Project.create(tmp_path) as project:
        app = lesson.app_on(project, "judges")
        async with app.run_test() as pilot:
            text = await press(pilot)
            assert "s writes the standard of the first one" in text
            assert "n new" not in text
            await press(pilot, "n", "e", "p", "v", "r", "enter", "space")
            assert isinstance(app.screen, JudgesScreen)
            await press(pilot, "s", *"egg", "tab", *"good", "tab", *"bad")
            text = await press(pilot, "enter")
            assert "judges · egg v1" in text
            assert "There is no judge for egg yet: n makes one" in text
            assert "s deals labelled rows into piles" in text
            await press(pilot, "n", "up", "space")
            assert "train holds no labelled row" in lesson.screen_text(app)


async def test_a_version_alone_has_nothing_to_compare_with(app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        assert "no other version to compare with" in await press(pilot, "v")


async def test_a_version_made_elsewhere_appears(project: Project, app: AdjudgeApp) -> None:
    async with app.run_test() as pilot:
        assert "strict v1" not in await press(pilot)
        judge_kit.made(project)
        app.screen_changed()
        text = await press(pilot)
        assert "strict v1" in text
        assert "▌ ▸ teach v1" in text


@pytest.mark.parametrize("keys", [(), ("n",), ("s",), ("k", "v"), ("k", "p"), ("k", "e", "up", "space")])
async def test_any_size_down_to_one_cell_is_drawn(
    project: Project, app: AdjudgeApp, keys: tuple[str, ...]
) -> None:
    judge_kit.made(project)
    async with app.run_test() as pilot:
        await press(pilot, *keys)
        for size in ((1, 1), (2, 3), (13, 5), (40, 10), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await lesson.settle(pilot)
        assert lesson.screen_text(app).strip()


async def test_hostile_text_is_shown_and_does_nothing(tmp_path: Path) -> None:
    evil = "[/] [@click=app.quit]x[/] \x1b]52;c;aGk=\x07 \u202eabc"
    with Project.create(tmp_path) as project:
        project.criteria.add(Criterion(f"c {evil}", 0, evil, evil, JudgeKind.PASS_FAIL, evil))
        lesson.shelve(project, [Trace(f"t {evil}", evil, evil, facts={evil: evil})])
        app = lesson.app_on(project, "judges")
        async with app.run_test(size=(120, 40)) as pilot:
            await press(pilot, "n")
            set_text(app, "name", evil.replace("@", ""))
            set_text(app, "model", evil)
            set_text(app, "base_url", evil)
            texts = [lesson.screen_text(app), await press(pilot, "enter")]
            texts += [await press(pilot, key) for key in ("e", "escape", "p", "end", "escape", "s", "escape")]
            assert isinstance(app.screen, JudgesScreen)
    for text in texts:
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "[@click=app.quit]x[/]" in texts[1]
    assert "[@click=app.quit]x[/]" in texts[4]

"""Going about in the app: one key from anywhere, back again, and every size of terminal on every screen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from label_kit import drawn, labels, make_project, opened, settled

from store.project import Project
from store.records import Criterion, JudgeKind
from tui import theme
from tui.commands import GO
from tui.screens.asking import AskScreen
from tui.screens.choosing import ChooseScreen

CASES = Path(__file__).parents[1] / "cases"
PLACES = [(letter, name) for letter, name in GO.items() if name != "label"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("letter", "name"), PLACES)
async def test_g_and_a_letter_go_to_a_screen_and_q_comes_back(root: Path, letter: str, name: str) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("g", letter)
            assert app.current_mode == name
            await pilot.press("q")
            assert app.current_mode == "label"
            assert labels(app) == {}


async def test_after_g_another_key_does_nothing(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("g", "p", "g", "q")
            assert app.is_running
            assert app.current_mode == "label"
            assert labels(app) == {}


async def test_q_leaves_from_the_first_screen(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("q")
        assert app.return_code == 0


@pytest.mark.parametrize(("letter", "name"), PLACES)
async def test_every_screen_survives_every_size(root: Path, letter: str, name: str) -> None:
    sizes = json.loads((CASES / "TER-03.json").read_text())["sizes"]
    with opened(root) as app:
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("g", letter)
            app.clear_notifications()
            before = await settled(pilot)
            for width, height in sizes:
                await pilot.resize_terminal(width, height)
            assert app.current_mode == name
            assert await settled(pilot) == before


async def test_a_command_is_found_by_name_in_the_palette(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("ctrl+p")
            await pilot.pause()
            await pilot.press(*"Label fail")
            while "fail (f)" not in drawn(app):
                await pilot.pause()
            await pilot.press("enter")
            while not labels(app):
                await pilot.pause()
            assert labels(app) == {"t1": "fail"}


@pytest.mark.parametrize(("key", "answer"), [("y", True), ("enter", True), ("n", False), ("escape", False)])
async def test_a_question_is_answered_by_a_key(root: Path, key: str, answer: bool) -> None:
    answers: list[bool | None] = []
    with opened(root) as app:
        async with app.run_test() as pilot:
            await app.push_screen(AskScreen("Lose [/] it?"), answers.append)
            assert "Lose [/] it?" in drawn(app)
            await pilot.press("x", key)
            assert answers == [answer]


async def test_a_name_is_chosen_or_none(root: Path) -> None:
    answers: list[int | None] = []
    names = ["one [/]", "two", "three"]
    with opened(root) as app:
        async with app.run_test() as pilot:
            await app.push_screen(ChooseScreen("Which [b]?", names, at=1), answers.append)
            assert "one [/]" in drawn(app)
            assert "Which [b]?" in drawn(app)
            await pilot.press("down", "enter")
            await app.push_screen(ChooseScreen("Which?", names), answers.append)
            await pilot.press("escape")
            assert answers == [2, None]


@pytest.mark.parametrize("name", [each.name for each in theme.themes()])
async def test_no_text_is_drawn_in_its_own_background(root: Path, name: str) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            app.theme = name
            await pilot.press("f", "p", "u")
            await pilot.pause()
            seen = drawn(app)
            assert "last: ? unsure t3" in seen
            for strip in app.screen._compositor.render_strips(app.size):
                for segment in strip:
                    style = segment.style
                    # The default ink on the default ground is the terminal's own choice.
                    if segment.text.strip() and style and style.color and not style.color.is_default:
                        assert style.color != style.bgcolor
            await pilot.press("n")
            await pilot.pause()
            assert "note ›" in drawn(app)


async def test_the_line_of_keys_leaves_out_what_does_not_apply(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test(size=(120, 40)):
            last = drawn(app).splitlines()[-1]
            assert "p pass" in last
            assert "A better" not in last
            assert "? help" in last


async def test_another_kind_of_criterion_brings_its_own_keys(root: Path) -> None:
    with Project(root) as project:
        project.criteria.add(Criterion("better", 0, "Does more.", "Does less.", JudgeKind.PAIRWISE))
    with opened(root) as app:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("c", "down", "enter")
            await pilot.pause()
            last = drawn(app).splitlines()[-1]
            assert "a A better" in last
            assert "p pass" not in last
            assert "There are no pairs for better yet" in drawn(app)

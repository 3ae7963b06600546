"""The note and the search of the Label screen: text is text, and none of it is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from label_kit import PERSON, drawn, here, labelling_of, labels, make_project, opened, trace
from textual import events
from textual.pilot import Pilot

from store.project import Project

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(tmp_path)
    return tmp_path


async def paste(pilot: Pilot[None], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await pilot.pause()


async def test_letters_in_the_note_are_text(root: Path) -> None:
    case = json.loads((CASES / "KEY-01.json").read_text())
    typed = {"[": "left_square_bracket", "]": "right_square_bracket", "/": "slash"}
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("n", *(typed.get(key, key) for key in case["keys"][1:]), "enter")
            assert labelling_of(app).note == "pff q12u/?[/]"
            assert labels(app) == {}
            assert here(app) == "t1"
            assert len(app.screen_stack) == 1
            assert "note › pff q12u/?[/]" in drawn(app)


async def test_letters_in_the_search_are_text(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("slash", "p", "f", "q", "u", "escape", "x")
            assert labels(app) == {}
            assert here(app) == "t1"
            await pilot.press("p")
            assert labels(app) == {"t1": "pass"}


async def test_a_paste_of_several_lines_is_kept_whole(root: Path) -> None:
    pasted = json.loads((CASES / "KEY-02.json").read_text())["paste"]
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("n")
            await paste(pilot, pasted)
            assert labelling_of(app).note == ""
            await pilot.press("enter", "f")
    with Project(root) as project:
        label = project.labels.of("allergen", PERSON, "t1")
        assert label is not None
        assert label.note.replace("\r\n", "\n") == pasted.replace("\r\n", "\n")


async def test_a_paste_outside_a_field_does_nothing(root: Path) -> None:
    case = json.loads((CASES / "KEY-03.json").read_text())
    with opened(root) as app:
        async with app.run_test() as pilot:
            await paste(pilot, case["bytes"].removeprefix("\x1b[200~").removesuffix("\x1b[201~"))
            assert labels(app) == {}
            assert here(app) == "t1"
            assert app.is_running
            await pilot.press(*case["then_bytes_without_brackets"])
            assert labels(app) == {"t1": "pass", "t2": "pass"}
            await pilot.press("z", "z")
            assert labels(app) == {}


@pytest.mark.parametrize("leave", ["ctrl+c", "ctrl+q"])
async def test_a_half_typed_note_is_never_lost_silently(root: Path, leave: str) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("n", "h", "a", leave)
            assert app.is_running
            assert "not saved" in drawn(app)
            await pilot.press("n", "l", "f", "enter")
            assert labelling_of(app).note == "half"
            await pilot.press("q")
            assert "not saved" in drawn(app)
            await pilot.press("escape", "f", "q")
        assert app.return_code == 0
        assert labels(app) == {"t1": "fail"}


async def test_a_note_on_a_labelled_trace_is_saved_at_once_and_can_be_undone(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("p", "[", "n", "o", "k", "enter")
            book = app.session.project.labels
            kept = book.of("allergen", PERSON, "t1")
            assert kept is not None
            assert kept.note == "ok"
            assert "note saved" in drawn(app)
            await pilot.press("z")
            kept = book.of("allergen", PERSON, "t1")
            assert kept is not None
            assert (kept.verdict, kept.note) == ("pass", "")


async def test_search_finds_here_first_then_in_the_traces_ahead(tmp_path: Path) -> None:
    make_project(tmp_path, [trace(1, "nut [/] nut"), trace(2), trace(3, "a nut [/]"), trace(4)])
    with opened(tmp_path) as app:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("slash", "left_square_bracket", "slash", "enter")
            assert here(app) == "t1"
            assert "[/: once here" in drawn(app)
            await pilot.press("greater_than_sign")
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
            assert here(app) == "t3"
            await pilot.press("slash", "enter")
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
            assert here(app) == "t3"
            assert "no trace ahead holds [/" in drawn(app)
            assert labels(app) == {}

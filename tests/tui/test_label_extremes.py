"""The Label screen at every size of terminal, and over text and names that mean harm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from label_kit import drawn, labels, make_project, opened, settled
from textual import events

from store.records import Trace

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(tmp_path)
    return tmp_path


async def test_every_size_of_terminal_is_survived_and_nothing_is_labelled(root: Path) -> None:
    sizes = json.loads((CASES / "TER-03.json").read_text())["sizes"]
    with opened(root) as app:
        async with app.run_test(size=(80, 24)) as pilot:
            before = await settled(pilot)
            for keys in ((), ("n",), ("question_mark",), ("c",)):
                await pilot.press(*keys)
                for width, height in sizes:
                    await pilot.resize_terminal(width, height)
                await pilot.press("escape")
            assert await settled(pilot) == before
            assert labels(app) == {}
            await pilot.press("p", "f", "u")
            assert len(labels(app)) == 3


@pytest.mark.parametrize("size", [(1, 1), (10, 3), (20, 5), (40, 10), (60, 15), (200, 60)])
async def test_it_starts_at_every_size(root: Path, size: tuple[int, int]) -> None:
    with opened(root) as app:
        async with app.run_test(size=size) as pilot:
            await pilot.press("p")
            assert labels(app) == {"t1": "pass"}


def rows(name: str) -> list[Trace]:
    """The traces of a case, as far as it says them in the plain shape."""
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines if line.strip()]
    return [Trace(row["id"], row["input"], row["output"]) for row in found if "output" in row]


async def test_brackets_are_text_wherever_they_stand(tmp_path: Path) -> None:
    hostile = rows("REN-01.jsonl")
    make_project(tmp_path, [*hostile, Trace("long", "q", (CASES / "REN-02.txt").read_text().strip())])
    with opened(tmp_path) as app:
        async with app.run_test(size=(200, 40)) as pilot:
            for row in hostile:
                seen = drawn(app)
                assert row.input in seen
                assert row.output in seen
                await pilot.press("n", "left_square_bracket", "slash", "right_square_bracket", "enter", "f")
            assert (CASES / "REN-02.txt").read_text().strip() in drawn(app)
            await pilot.press("left_square_bracket")
            assert "✗ fail · note › [/]" in drawn(app)
            await pilot.press("slash", *("left_square_bracket", "1", "right_square_bracket"), "enter")
            assert "[1]: once here" in drawn(app)


async def test_any_id_is_labelled_under_its_own_name(tmp_path: Path) -> None:
    odd = rows("REN-03.jsonl")
    assert len(odd) == 9
    make_project(tmp_path, odd)
    with opened(tmp_path) as app:
        async with app.run_test() as pilot:
            await pilot.press(*"ppppppppp")
            assert labels(app) == {row.id: "pass" for row in odd}


async def test_what_steers_a_terminal_is_shown_in_ids_notes_and_names(tmp_path: Path) -> None:
    steering = "\x1b]52;c;aGk=\x07\u202e"
    make_project(tmp_path, [Trace(f"id{steering}", steering, steering, facts={steering: steering})])
    with opened(tmp_path) as app:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("n")
            app.post_message(events.Paste(steering))
            await pilot.pause()
            await pilot.press("enter", "f")
            seen = drawn(app)
            assert "\x1b" not in seen
            assert "\u202e" not in seen
            assert "saved" in seen
            assert seen.count("␛]52") >= 4

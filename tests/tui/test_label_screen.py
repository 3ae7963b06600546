"""The Label screen under keys: what is written, what is drawn, and what does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_kit import PERSON, drawn, here, labelling_of, labels, make_project, opened, pairs, screen_of, trace
from textual import events

from store.errors import StoreDamaged, StoreError
from store.project import Project
from store.records import AnyTrace, Criterion, JudgeKind, Label, Piled, PileName

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(tmp_path)
    return tmp_path


async def test_a_key_writes_the_label_and_shows_the_next_trace(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test(size=(120, 40)) as pilot:
            assert "question 1:" in drawn(app)
            await pilot.press("p")
            assert labels(app) == {"t1": "pass"}
            seen = drawn(app)
            assert "question 2:" in seen
            assert "fact 2" in seen
            assert "last: ✓ pass t1 saved" in seen
            assert "1 of 5" in seen
            await pilot.press("f", "u")
            assert labels(app) == {"t1": "pass", "t2": "fail", "t3": "unsure"}
    with Project(root) as project:
        assert len(project.labels.current("allergen", PERSON)) == 3


async def test_undo_and_redo_go_any_number_of_steps_across_restarts(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("p", "f", "p")
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("z", "z")
            assert labels(app) == {"t1": "pass"}
            assert here(app) == "t2"
            assert "undone: ✗ fail t2" in drawn(app)
            await pilot.press("y")
            assert labels(app) == {"t1": "pass", "t2": "fail"}
            await pilot.press("z", "z", "z")
            assert labels(app) == {}
            assert "nothing to undo" in drawn(app)


async def test_keys_typed_ahead_keep_their_order(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            for key in "pfzpu":
                app.post_message(events.Key(key, key))
            await pilot.pause()
            await pilot.pause()
            assert labels(app) == {"t1": "pass", "t2": "pass", "t3": "unsure"}


async def test_unsure_comes_back_at_the_end_and_the_end_is_said(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("u", "p", "p", "p", "p")
            assert here(app) == "t1"
            await pilot.press("f")
            assert labels(app)["t1"] == "fail"
            assert "all labelled" in drawn(app)


async def test_moving_about_labels_nothing_and_keeps_waiting_notes(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("n", "h", "m", "enter", "]")
            assert here(app) == "t2"
            assert labelling_of(app).note == ""
            await pilot.press("[")
            assert "note › hm" in drawn(app)
            assert labels(app) == {}
            await pilot.press("f")
    with Project(root) as project:
        label = project.labels.of("allergen", PERSON, "t1")
        assert label is not None
        assert (label.verdict, label.note) == ("fail", "hm")


async def test_a_failed_write_moves_nothing_and_says_why(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(root) as app:

        def refuse(label: Label, kind: JudgeKind) -> Label:
            raise StoreError("the disk is full [/]")

        async with app.run_test() as pilot:
            monkeypatch.setattr(app.session.project.labels, "add", refuse)
            await pilot.press("p")
            seen = drawn(app)
            assert "NOT SAVED: the disk is full [/]" in seen
            assert "question 1:" in seen
            assert "0 of 5" in seen


async def test_unknown_keys_do_nothing(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            before = drawn(app)
            await pilot.press("x", "a", "b", "t", "9", "f5", "alt+p", "enter", "escape", "ctrl+s", "ctrl+b")
            assert drawn(app) == before
            assert labels(app) == {}


async def test_pairs_have_their_own_keys_and_record_the_order_shown(tmp_path: Path) -> None:
    make_project(tmp_path, pairs(8), JudgeKind.PAIRWISE)
    with opened(tmp_path) as app:
        async with app.run_test() as pilot:
            orders = []
            for key in ("a", "b", "t", "u", "a", "a", "a", "a"):
                seen = drawn(app)
                trace_id = here(app)
                await pilot.press("p", "f", key)
                label = app.session.project.labels.of("allergen", PERSON, trace_id)
                assert label is not None
                first = "AB" if seen.index("answer A") < seen.index("answer B") else "BA"
                assert label.shown_order == first
                orders.append(first)
            assert list(labels(app).values()) == ["A", "B", "tie", "unsure", "A", "A", "A", "A"]
            assert set(orders) == {"AB", "BA"}


async def test_sealed_rows_do_not_show_what_was_decided(root: Path) -> None:
    with Project(root) as project:
        project.labels.add(Label("t1", "allergen", 1, "fail", PERSON, note="told so"))
        project.piles.deal([Piled("t1", "allergen", PileName.HOLDOUT, "g", 0)])
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("[")
            assert here(app) == "t1"
            seen = drawn(app)
            assert "sealed" in seen
            assert "told so" not in seen
            assert "✗ fail" not in seen


async def test_nobody_elses_label_is_shown(root: Path) -> None:
    with Project(root) as project:
        project.labels.add(Label("t1", "allergen", 1, "fail", "ben", note="ben's own view"))
    with opened(root) as app:
        async with app.run_test() as pilot:
            assert here(app) == "t1"
            assert "ben" not in drawn(app)
            await pilot.press("p", "[")
            assert "ben" not in drawn(app)
            assert "✓ pass" in drawn(app)


async def test_an_empty_project_says_the_next_step(tmp_path: Path) -> None:
    with Project.create(tmp_path):
        pass
    with opened(tmp_path) as app:
        async with app.run_test() as pilot:
            assert "criterion new" in drawn(app)
            await pilot.press("p", "z", "n", "slash", "]", "o", "d", "d")
            assert "criterion new" in drawn(app)


async def test_a_project_without_traces_says_the_next_step(tmp_path: Path) -> None:
    make_project(tmp_path, 0)
    with opened(tmp_path) as app:
        async with app.run_test() as pilot:
            assert "adjudge import FILE" in drawn(app)
            await pilot.press("p", "z", "n", "]", "o")
            assert "adjudge import FILE" in drawn(app)


async def test_the_standard_can_be_hidden_and_shown(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test() as pilot:
            assert "Ignores them" in drawn(app)
            await pilot.press("d")
            assert "Ignores them" not in drawn(app)
            await pilot.press("d")
            assert "Ignores them" in drawn(app)


async def test_help_names_every_key_of_this_screen_and_reset(root: Path) -> None:
    with opened(root) as app:
        async with app.run_test(size=(100, 50)) as pilot:
            await pilot.press("question_mark")
            seen = drawn(app)
            for words in ("Label pass", "Label fail", "ctrl+c", "Previous trace", "reset"):
                assert words in seen
            assert "Pairs" not in seen
            await pilot.press("q")
            assert screen_of(app) is app.screen


async def test_tab_goes_to_the_standard_and_labels_can_still_be_given(root: Path) -> None:
    def styles(row: int) -> list[object]:
        strip = list(app.screen._compositor.render_strips(app.size))[row]
        return [segment.style for segment in strip]

    with opened(root) as app:
        async with app.run_test() as pilot:
            before = styles(1)
            await pilot.press("tab")
            await pilot.pause()
            assert styles(1) != before
            await pilot.press("p")
            assert labels(app) == {"t1": "pass"}


async def test_what_a_long_reply_answers_is_in_view(tmp_path: Path) -> None:
    make_project(tmp_path, [trace(1, "word " * 800), trace(2, "word " * 800)])
    with opened(tmp_path) as app:
        async with app.run_test() as pilot:
            assert "question 1:" in drawn(app)
            assert "answer 1:" in drawn(app)
            await pilot.press("p")
            assert "question 2:" in drawn(app)
            assert "answer 2:" in drawn(app)


async def test_a_trace_that_cannot_be_read_stops_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(root) as app:
        shelf = app.session.project.traces
        good = shelf.at

        def damaged(row: int) -> AnyTrace:
            if row == 2:
                raise StoreDamaged(shelf.folder, 3, "no JSON [/]")
            return good(row)

        async with app.run_test() as pilot:
            monkeypatch.setattr(shelf, "at", damaged)
            await pilot.press("p", "p")
            assert labels(app) == {"t1": "pass", "t2": "pass"}
            seen = drawn(app)
            assert "cannot be read" in seen
            assert "NOT SAVED" not in seen
            assert "2 of 5" in seen
            await pilot.press("[", "z")
            assert labels(app) == {"t1": "pass"}


async def test_what_is_chosen_on_another_screen_is_taken_up(root: Path) -> None:
    with Project(root) as project:
        project.criteria.add(Criterion("tone", 0, "Is kind.", "Is rude."))
    with opened(root) as app:
        async with app.run_test() as pilot:
            await pilot.press("g", "h", "c", "down", "enter", "g", "l")
            await pilot.pause()
            assert "tone v1" in drawn(app)
            assert "Is rude." in drawn(app)
            await pilot.press("p")
            assert app.session.project.labels.current("tone", PERSON)
            assert labels(app) == {}

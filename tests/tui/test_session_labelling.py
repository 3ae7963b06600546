"""Labelling without a screen: the queue, notes, undo, and what a label records."""

from __future__ import annotations

from pathlib import Path

import pytest
from label_kit import PERSON, make_project, pairs, trace

from store.errors import BadInput
from store.project import Project
from store.records import Decision, JudgeKind, Label, Opening, Piled, PileName
from tui.session.labelling import LabelSession
from tui.session.queue import QueueOrder, RowOrder


class Clock:
    """Seconds that pass only when told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def project(tmp_path: Path) -> Project:
    make_project(tmp_path)
    return Project(tmp_path)


def labelling(
    project: Project, order: QueueOrder = QueueOrder.IMPORTED, clock: Clock | None = None, seed: int = 0
) -> LabelSession:
    criterion = project.criteria.latest("allergen")
    return LabelSession(project, criterion, PERSON, order=order, seed=seed, clock=clock or Clock())


def at(session: LabelSession) -> str:
    assert session.trace is not None
    return session.trace.id


def walk(session: LabelSession) -> list[str]:
    """The whole queue, from where it stands, by skipping."""
    seen = [at(session)]
    while session.step(1):
        seen.append(at(session))
    return seen


def test_a_decision_is_in_the_book_before_the_cursor_moves(project: Project) -> None:
    session = labelling(project)
    written = session.decide("pass")
    assert at(session) == "t1"
    assert Project(project.root).labels.of("allergen", PERSON, "t1") == written
    assert session.advance()
    assert at(session) == "t2"


def test_a_label_records_how_it_came_about(project: Project) -> None:
    clock = Clock()
    session = labelling(project, QueueOrder.RANDOM, clock, seed=7)
    clock.now += 41.25
    written = session.decide("fail")
    assert (written.version, written.annotator, written.seconds) == (1, PERSON, 41.25)
    assert written.queue == "random seed 7"
    assert written.shown_order is None
    assert not written.revealed


def test_a_word_of_another_kind_is_refused(project: Project) -> None:
    session = labelling(project)
    with pytest.raises(BadInput):
        session.decide("A")
    assert session.label is None


def test_the_random_order_is_the_same_each_time_and_another_by_seed(tmp_path: Path) -> None:
    make_project(tmp_path, 40)
    with Project(tmp_path) as project:
        first = walk(labelling(project, QueueOrder.RANDOM, seed=1))
        assert first == walk(labelling(project, QueueOrder.RANDOM, seed=1))
        assert first != walk(labelling(project, QueueOrder.RANDOM, seed=2))
        assert sorted(first) == sorted(f"t{n}" for n in range(1, 41))


@pytest.mark.parametrize("order", list(QueueOrder))
def test_an_order_gives_each_row_once(order: QueueOrder) -> None:
    rows = RowOrder([range(3, 7), range(20, 29)], order, 5)
    assert sorted(rows.row(n) for n in range(len(rows))) == [*range(3, 7), *range(20, 29)]


def test_reopening_goes_on_where_labels_are_missing(project: Project) -> None:
    session = labelling(project)
    session.decide("pass")
    session.advance()
    session.step(1)
    session.decide("pass")
    assert at(labelling(project)) == "t2"


def test_skipped_rows_come_before_unsure_ones_and_those_last(project: Project) -> None:
    session = labelling(project)
    session.decide("unsure")
    session.advance()
    session.step(1)
    order = []
    while session.trace is not None and len(order) < 8:
        order.append(at(session))
        session.decide("pass")
        if not session.advance():
            break
    assert order == ["t3", "t4", "t5", "t2", "t1"]


def test_two_unsure_rows_take_turns(project: Project) -> None:
    session = labelling(project)
    for _ in range(5):
        session.decide("unsure" if at(session) in ("t1", "t2") else "pass")
        session.advance()
    seen = []
    for _ in range(4):
        seen.append(at(session))
        session.decide("unsure")
        session.advance()
    assert seen == ["t1", "t2", "t1", "t2"]


def test_the_trace_ahead_is_the_one_that_comes(project: Project) -> None:
    session = labelling(project)
    ahead = session.look_ahead()
    session.decide("pass")
    session.advance()
    assert session.trace is ahead


def test_undo_goes_back_to_the_trace_and_redo_brings_its_note_back(project: Project) -> None:
    session = labelling(project)
    session.write_note("shared line")
    session.decide("fail")
    session.advance()
    undone = session.undo()
    assert undone is not None
    assert (undone.verdict, at(session), session.label) == ("fail", "t1", None)
    session.redo()
    assert session.note == "shared line"
    assert session.undo() is not None
    assert session.undo() is None


def test_a_new_decision_ends_what_could_be_redone(project: Project) -> None:
    session = labelling(project)
    session.decide("fail")
    session.undo()
    session.decide("pass")
    assert session.redo() is None


def test_a_note_waits_for_its_own_trace(project: Project) -> None:
    session = labelling(project)
    assert not session.write_note("about one")
    session.step(1)
    assert session.note == ""
    assert session.decide("pass").note == ""
    assert session.has_unsaved_note
    session.step(-1)
    assert session.decide("fail").note == "about one"
    assert not session.has_unsaved_note


def test_what_is_half_typed_counts_as_unsaved(project: Project) -> None:
    session = labelling(project)
    session.half_typed = ""
    assert not session.has_unsaved_note
    session.half_typed = "th"
    assert session.has_unsaved_note
    session.half_typed = None
    assert not session.has_unsaved_note


def test_blanking_a_waiting_note_is_removing_it(project: Project) -> None:
    session = labelling(project)
    session.write_note("x")
    session.write_note("  ")
    assert not session.has_unsaved_note


def test_a_note_on_a_labelled_trace_takes_no_time_into_the_pace(project: Project) -> None:
    clock = Clock()
    session = labelling(project, clock=clock)
    clock.now += 10
    session.decide("pass")
    clock.now += 500
    assert session.write_note("later thought")
    assert session.standing().pace == 10
    assert session.standing().done == 1


def test_sealed_labels_and_notes_are_hidden_until_the_hold_out_is_opened(project: Project) -> None:
    project.labels.add(Label("t1", "allergen", 1, "fail", PERSON, note="told"))
    project.piles.deal([Piled("t1", "allergen", PileName.HOLDOUT, "g", 0)])
    session = labelling(project)
    session.go_to("t1")
    assert (session.is_sealed, session.label, session.note) == (True, None, "")
    opening = project.ledger.record("allergen", "j", PERSON)
    assert isinstance(opening, Opening)
    session.go_to("t1")
    assert (session.is_sealed, session.note) == (False, "told")


def test_pairs_and_single_traces_never_mix(tmp_path: Path) -> None:
    make_project(tmp_path, [trace(1), *pairs(2), trace(2)], JudgeKind.PAIRWISE)
    with Project(tmp_path) as project:
        session = labelling(project)
        assert walk(session) == ["p1", "p2"]
        assert session.words == ("A", "B", "tie", "unsure")


def test_a_pair_is_shown_in_the_same_order_each_time(tmp_path: Path) -> None:
    make_project(tmp_path, pairs(30), JudgeKind.PAIRWISE)
    with Project(tmp_path) as project:
        rows = [project.traces.at(row) for row in range(30)]
        first = [labelling(project).order_of(row) for row in rows]
        assert first == [labelling(project).order_of(row) for row in rows]
        assert 8 < sum(order == "AB" for order in first) < 22


def test_a_scan_says_where_a_text_is_and_looks_one_way_only(project: Project) -> None:
    session = labelling(project)
    session.go_to("t2")
    assert [found for found in session.scan("QUESTION 4") if found is not None] == [3]
    assert list(session.scan("question 1")) == [None, None, None]
    assert [found for found in session.scan("question 1", -1) if found is not None] == [0]


def test_standing_counts_what_this_person_decided(project: Project) -> None:
    project.labels.add(Label("t5", "allergen", 1, "fail", "ben"))
    session = labelling(project)
    assert session.standing().pace is None
    for verdict in (Decision.PASS, Decision.FAIL, Decision.UNSURE):
        session.decide(verdict)
        session.advance()
    standing = session.standing()
    assert (standing.done, standing.total) == (3, 5)
    assert dict(standing.tally) == {"pass": 1, "fail": 1, "unsure": 1}


def test_an_empty_queue_has_no_trace(tmp_path: Path) -> None:
    make_project(tmp_path, 0)
    with Project(tmp_path) as project:
        session = labelling(project)
        assert session.trace is None
        assert not session.step(1)
        assert session.look_ahead() is None
        assert session.undo() is None


def test_the_last_open_row_is_found_again_after_it_was_skipped(project: Project) -> None:
    session = labelling(project)
    for _ in range(4):
        session.decide("pass")
        session.advance()
    assert (at(session), session.look_ahead()) == ("t5", None)
    session.step(-1)
    assert session.advance()
    assert at(session) == "t5"
    session.decide("pass")
    assert not session.advance()
    session.undo()
    session.step(-1)
    assert session.advance()
    assert at(session) == "t5"


def test_the_last_open_row_is_followed_by_an_unsure_one(project: Project) -> None:
    session = labelling(project)
    for _ in range(4):
        session.decide("unsure" if at(session) == "t2" else "pass")
        session.advance()
    ahead = session.look_ahead()
    assert ahead is not None
    assert ahead.id == "t2"


def test_a_label_taken_back_by_another_process_is_asked_for_again(project: Project) -> None:
    session = labelling(project)
    for _ in range(5):
        session.decide("pass")
        session.advance()
    with Project(project.root) as other:
        other.labels.undo("allergen", PERSON)
    assert not session.advance()
    assert project.refresh()
    session.changed_elsewhere()
    session.step(-1)
    assert session.advance()
    assert at(session) == "t5"


def test_the_note_of_a_decision_taken_back_stands_ready_for_the_next(project: Project) -> None:
    session = labelling(project)
    session.write_note("shared line")
    session.decide("fail")
    session.undo()
    assert session.note == "shared line"
    assert not session.has_unsaved_note
    assert session.decide("pass").note == "shared line"


def test_undoing_a_change_of_note_gives_the_old_note(project: Project) -> None:
    session = labelling(project)
    session.write_note("one")
    session.decide("fail")
    session.write_note("two")
    session.undo()
    assert session.note == "one"

"""Reading disagreements: causes, changed labels, notes and undo, and the figures with their traces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import lesson
import pytest

from judging.disagreeing import Difference
from judging.statistics.pairwise import PairKind
from store.piles import PileBook
from store.project import Project
from store.records import SETTLED, Decision, JudgeKind, Label, Order, Piled, PileName
from tui.session.emptiness import why_no_disagreements, why_nothing_compared
from tui.session.metrics import BinaryView, Cell, NothingView, SwapView, read_metrics
from tui.session.reviewing import Review, first_pile, piles_offered, read_compared


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with lesson.bakery(tmp_path) as project:
        yield project


def review_of(project: Project, *, who: str = lesson.ME, pile: PileName | None = None) -> Review:
    judge = project.judges.all()[0]
    review = Review(project, project.criteria.latest(judge.criterion), judge, who, pile=pile)
    review.take(read_compared(project, judge, pile))
    return review


def words(project: Project, trace: str) -> dict[str, str | None]:
    names = project.labels.annotators("allergen")
    return {name: label.verdict for name in names if (label := project.labels.of("allergen", name, trace))}


def deal(book: PileBook, pile: PileName, traces: list[str]) -> None:
    book.deal([Piled(trace, "allergen", pile, trace, 0, lesson.WHEN) for trace in traces])


def test_what_the_judge_waved_through_comes_first(project: Project) -> None:
    review = review_of(project)
    assert review.rows == 48
    assert [one.kind for one in review.found] == [Difference.FALSE_PASS] * 7 + [Difference.FALSE_FAIL]
    assert review.kinds == {Difference.FALSE_PASS: 7, Difference.FALSE_FAIL: 1}


def test_a_cause_is_counted_kept_and_taken_back(project: Project) -> None:
    review = review_of(project)
    assert review.set_cause(2) == "fact missing"
    assert review.causes == (("fact missing", 1),)
    review.step(1)
    review.set_cause(2)
    review.step(-1)
    assert review_of(project).causes == (("fact missing", 2),)
    assert review.set_cause(0) is None
    assert review_of(project).causes == (("fact missing", 1),)


def test_the_same_cause_again_writes_nothing(project: Project) -> None:
    review = review_of(project)
    review.set_cause(1)
    size = (project.folder / "journal.jsonl").stat().st_size
    review.set_cause(1)
    assert (project.folder / "journal.jsonl").stat().st_size == size


def test_who_labelled_alone_changes_their_own_label(project: Project) -> None:
    review = review_of(project)
    assert review.at_hand
    trace = review.at_hand.trace
    review.relabel()
    label = project.labels.of("allergen", lesson.ME, trace)
    assert label
    assert (label.verdict, label.revealed, label.queue) == ("pass", True, "disagreement")
    assert label.note == "the shared line means it may contain cashew"
    assert [old.verdict for old in project.labels.history("allergen", trace)] == ["fail", "pass"]
    assert words(project, trace) == {lesson.ME: "pass"}


def test_a_changed_row_is_no_disagreement_any_more(project: Project) -> None:
    review = review_of(project)
    review.step(1)
    assert review.at_hand
    changed = review.at_hand.trace
    follows = review.found[2].trace
    review.relabel()
    assert len(review.found) == 7
    assert review.at_hand
    assert review.at_hand.trace == follows
    assert changed not in [one.trace for one in review_of(project).found]


@pytest.mark.parametrize("who", ["ben", lesson.ME])
def test_where_others_decided_a_settled_label_is_written_and_theirs_stay(project: Project, who: str) -> None:
    trace = review_of(project).found[0].trace
    project.labels.add(Label(trace, "allergen", 1, Decision.FAIL, "carl"))
    review = review_of(project, who=who)
    review.relabel()
    assert words(project, trace) == {lesson.ME: "fail", "carl": "fail", SETTLED: "pass"}
    assert review_of(project).found == review.found


@pytest.mark.parametrize("who", ["ben", lesson.ME])
def test_a_changed_label_is_taken_back(project: Project, who: str) -> None:
    review = review_of(project, who=who)
    before = review.found
    review.step(3)
    assert review.at_hand
    trace = review.at_hand.trace
    review.relabel()
    taken = review.take_back()
    assert taken
    assert taken.before.trace == trace
    assert review.found == before
    assert review.at_hand
    assert review.at_hand.trace == trace
    assert words(project, trace) == {lesson.ME: "fail"}
    assert review.take_back() is None


def test_a_later_decision_is_not_taken_back_in_its_place(project: Project) -> None:
    review = review_of(project)
    changed = review.relabel()
    other = project.labels.add(Label("t-001", "allergen", 1, Decision.FAIL, lesson.ME))
    assert review.take_back() is None
    assert words(project, changed.after.trace) == {lesson.ME: "pass"}
    assert words(project, other.trace) == {lesson.ME: "fail"}


def test_a_note_is_a_new_record_and_the_decision_stays_as_blind_as_it_was(project: Project) -> None:
    review = review_of(project)
    review.write_note("cashew, see the shared line")
    assert review.at_hand
    label = project.labels.of("allergen", lesson.ME, review.at_hand.trace)
    assert label
    assert (label.verdict, label.note) == ("fail", "cashew, see the shared line")
    assert (label.revealed, label.queue) == (False, "random seed 0")
    assert review.at_hand.row.label == label
    assert review.write_note("cashew, see the shared line") == label
    assert len(list(project.labels.history("allergen", label.trace))) == 2


def test_a_note_keeps_the_version_it_was_decided_by_and_a_change_takes_the_newest(project: Project) -> None:
    project.criteria.append(replace(project.criteria.latest("allergen"), version=2))
    review = review_of(project)
    assert review.write_note("seen").version == 1
    assert review.relabel().after.version == 2


def test_reading_again_keeps_the_trace_at_hand(project: Project) -> None:
    review = review_of(project)
    review.step(4)
    assert review.at_hand
    trace = review.at_hand.trace
    project.labels.add(Label(review.found[0].trace, "allergen", 1, Decision.PASS, lesson.ME))
    review.take(read_compared(project, review.judge, None))
    assert len(review.found) == 7
    assert review.at_hand.trace == trace


def test_stepping_stops_at_both_ends(project: Project) -> None:
    review = review_of(project)
    assert not review.step(-1)
    assert review.step(7)
    assert not review.step(1)
    assert review.position == 7


def test_with_nothing_at_hand_nothing_is_written(project: Project) -> None:
    judge = project.judges.all()[0]
    review = Review(project, project.criteria.latest("allergen"), judge, lesson.ME)
    with pytest.raises(LookupError):
        review.set_cause(1)
    with pytest.raises(LookupError):
        review.relabel()
    assert review.take_back() is None


def test_the_piles_offered_leave_a_sealed_holdout_out(project: Project) -> None:
    assert piles_offered(project, "allergen") == (None,)
    assert first_pile(project, "allergen") is None
    deal(project.piles, PileName.DEV, ["t-001", "t-032"])
    deal(project.piles, PileName.HOLDOUT, ["t-033"])
    assert piles_offered(project, "allergen") == (None, PileName.DEV)
    assert first_pile(project, "allergen") is PileName.DEV
    assert [one.trace for one in review_of(project, pile=PileName.DEV).found] == ["t-032"]
    assert "t-033" not in [one.trace for one in review_of(project).found]
    project.ledger.record("allergen", "judge", lesson.ME)
    assert piles_offered(project, "allergen") == (None, PileName.DEV, PileName.HOLDOUT)


def test_every_cell_holds_as_many_traces_as_it_counts(tmp_path: Path) -> None:
    with lesson.bakery(tmp_path, silent=2) as project:
        view = read_metrics(project, project.judges.all()[0], None)
    assert isinstance(view, BinaryView)
    counts = view.metrics.counts
    shown = [[len(view.cases.get(Cell(row, column), ())) for column in range(3)] for row in range(2)]
    assert shown == [
        [counts.tp, counts.fn, counts.no_verdict_pass],
        [counts.fp, counts.tn, counts.no_verdict_fail],
    ]
    assert shown == [[31, 1, 0], [7, 7, 2]]
    assert {case.verdicts[0].verdict for case in view.cases[Cell(1, 2)]} == {None}


def test_swap_cells_and_shares_add_up_to_the_pairs(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path) as project:
        view = read_metrics(project, project.judges.all()[0], PileName.DEV)
    assert isinstance(view, SwapView)
    table = view.report.summary.table
    shown = tuple(
        tuple(len(view.cases.get(Cell(row, column), ())) for column in range(4)) for row in range(4)
    )
    assert shown == table
    assert {share.kind: getattr(share.figure, "k", None) for share in view.shares} == {
        PairKind.CONSISTENT: 6,
        PairKind.FIRST_BIASED: 2,
        PairKind.SECOND_BIASED: 0,
        PairKind.HALF: 1,
        PairKind.NO_VERDICT: 1,
    }
    flipped = view.cases[Cell(0, 1)]
    assert [verdict.order for verdict in flipped[0].verdicts] == [Order.AB, Order.BA]


def test_pairs_differ_from_people_by_either_order(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path) as project:
        review = review_of(project)
        assert {one.kind for one in review.found} == {Difference.OTHER}
        assert len(review.found) == 7
        other = review.other_order(review.found[0])
        assert other
        assert other.order is Order.BA
        review.relabel()
        assert review.criterion.kind is JudgeKind.PAIRWISE


@pytest.mark.parametrize(
    ("verdicts", "labels", "said"),
    [
        (False, True, "has not been run yet"),
        (True, False, "nobody has labelled one of them"),
        (False, False, "has not been run yet"),
    ],
)
def test_what_is_missing_is_said_with_the_next_step(
    tmp_path: Path, verdicts: bool, labels: bool, said: str
) -> None:
    with lesson.bakery(tmp_path, verdicts=verdicts, labels=labels) as project:
        judge = project.judges.all()[0]
        view = read_metrics(project, judge, None)
        assert isinstance(view, NothingView)
        assert said in view.reason
        assert "opens" in view.reason
        joined = read_compared(project, judge, None).joined
        assert why_nothing_compared(project, judge, joined, None) == view.reason


def test_a_pile_without_verdicts_names_the_pile(project: Project) -> None:
    lesson.shelve(project, [replace(project.traces.at(0), id="new")])
    project.labels.add(Label("new", "allergen", 1, Decision.FAIL, lesson.ME))
    deal(project.piles, PileName.TRAIN, ["new"])
    view = read_metrics(project, project.judges.all()[0], PileName.TRAIN)
    assert isinstance(view, NothingView)
    assert "on none of the 1 labelled rows in train" in view.reason
    empty = read_metrics(project, project.judges.all()[0], PileName.DEV)
    assert isinstance(empty, NothingView)
    assert "No row in dev" in empty.reason


def test_pairs_in_one_order_say_how_to_judge_the_other(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path, swapped=False) as project:
        view = read_metrics(project, project.judges.all()[0], None)
    assert isinstance(view, NothingView)
    assert "--swap" in view.reason


def test_pairs_nobody_labelled_name_the_keys_of_pairs(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path, labels=False) as project:
        judge = project.judges.all()[0]
        reason = why_nothing_compared(project, judge, read_compared(project, judge, None).joined, None)
    assert reason
    assert "a, b and t decide" in reason
    assert "with gold" in reason


def test_agreeing_everywhere_is_not_called_proof(project: Project) -> None:
    joined = read_compared(project, project.judges.all()[0], None).joined
    assert "agree on all 48" in why_no_disagreements(joined, 0)
    assert "2 more have no verdict" in why_no_disagreements(joined, 2)
    assert "gave no verdict on any" in why_no_disagreements(joined, 48)

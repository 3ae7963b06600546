"""Dealing: every pile has its share of every verdict, groups stay together, and nothing dealt ever moves."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.dealing import SHARES, Labelled, PileCounts, deal, split
from store.errors import BadInput, NotFound
from store.project import Project
from store.records import SETTLED, Criterion, JudgeKind, Label, Pair, PileName, Trace

PILES = (PileName.TRAIN, PileName.DEV, PileName.HOLDOUT)


def alone(verdicts: Sequence[str], start: int = 0) -> list[Labelled]:
    return [Labelled(f"t{number}", verdict, f"g{number}") for number, verdict in enumerate(verdicts, start)]


def sizes(
    labelled: Sequence[Labelled], piles: Mapping[str, PileName], verdict: str | None = None
) -> list[int]:
    counted = Counter(
        piles[one.trace] for one in labelled if one.verdict is not None and verdict in (None, one.verdict)
    )
    return [counted[pile] for pile in PILES]


def test_the_lessons_own_deal() -> None:
    bakery = alone(["pass"] * 79 + ["fail"] * 41)
    for seed in range(5):
        piles = deal(bakery, {}, seed=seed)
        assert sizes(bakery, piles) == [18, 48, 54]
        assert sizes(bakery, piles, "pass") == [12, 32, 35]
        assert sizes(bakery, piles, "fail") == [6, 16, 19]


def test_the_same_seed_gives_the_same_piles_in_any_order_and_another_seed_gives_others() -> None:
    rows = alone(["pass"] * 30 + ["fail"] * 30)
    shuffled = random.Random(1).sample(rows, len(rows))
    assert deal(rows, {}, seed=7) == deal(shuffled, {}, seed=7)
    assert deal(rows, {}, seed=7) != deal(rows, {}, seed=8)


def test_a_new_trace_follows_its_group() -> None:
    rows = [Labelled("old", "pass", "g"), Labelled("new", "fail", "g"), *alone(["pass"] * 20)]
    for pile in PILES:
        assert deal(rows, {"old": pile}, seed=0)["new"] is pile


def test_a_group_whose_only_dealt_trace_lost_its_label_is_still_followed() -> None:
    rows = [Labelled("old", None, "g"), Labelled("new", "fail", "g")]
    assert deal(rows, {"old": PileName.DEV}, seed=0) == {"new": PileName.DEV}


def test_a_group_that_was_dealt_apart_before_it_was_one_keeps_the_exam_clean() -> None:
    rows = [Labelled("a", "pass", "g"), Labelled("b", "pass", "g"), Labelled("new", "pass", "g")]
    for first, second, expected in (
        (PileName.TRAIN, PileName.HOLDOUT, PileName.TRAIN),
        (PileName.HOLDOUT, PileName.DEV, PileName.DEV),
    ):
        assert deal(rows, {"a": first, "b": second}, seed=0) == {"new": expected}


def test_an_unlabelled_trace_is_not_dealt() -> None:
    assert deal([Labelled("a", None, "g")], {}, seed=0) == {}
    assert deal([], {}, seed=0) == {}


def test_when_a_pile_has_too_many_the_others_get_all_that_comes() -> None:
    rows = alone(["pass"] * 20)
    existing = {one.trace: PileName.TRAIN for one in rows[:10]}
    piles = existing | deal(rows, existing, seed=0)
    assert sizes(rows, piles) == [10, 5, 5]


def test_groups_and_single_traces_together_meet_the_shares() -> None:
    grouped = [
        Labelled(f"c{conversation}-{turn}", "pass" if turn % 3 else "fail", f"c{conversation}")
        for conversation in range(30)
        for turn in range(conversation % 5 + 2)
    ]
    rows = grouped + alone(["pass"] * 60 + ["fail"] * 40)
    piles = deal(rows, {}, seed=3)
    for size, share in zip(sizes(rows, piles), SHARES, strict=True):
        assert abs(size - share * len(rows)) <= 1


# --- properties ----------------------------------------------------------------------------------

verdict_lists = st.lists(st.sampled_from(["pass", "fail"]), max_size=120)


@given(
    verdicts=st.lists(st.sampled_from(["pass", "fail", "A", "tie"]), max_size=150), seed=st.integers(0, 99)
)
@settings(deadline=None)
def test_shares_hold_within_rounding_for_every_verdict_and_for_the_whole(
    verdicts: list[str], seed: int
) -> None:
    rows = alone(verdicts)
    piles = deal(rows, {}, seed=seed)
    assert piles.keys() == {one.trace for one in rows}
    for size, share in zip(sizes(rows, piles), SHARES, strict=True):
        assert abs(size - share * len(rows)) < 1 + 1e-9
    for verdict in set(verdicts):
        for size, share in zip(sizes(rows, piles, verdict), SHARES, strict=True):
            assert abs(size - share * verdicts.count(verdict)) < 1


@given(batches=st.lists(verdict_lists.filter(bool), max_size=12), seed=st.integers(0, 9))
@settings(deadline=None)
def test_shares_hold_as_labels_come_in_and_nothing_dealt_is_dealt_again(
    batches: list[list[str]], seed: int
) -> None:
    rows: list[Labelled] = []
    piles: dict[str, PileName] = {}
    for batch in batches:
        rows += alone(batch, len(rows))
        fresh = deal(rows, piles, seed=seed)
        assert not fresh.keys() & piles.keys()
        piles |= fresh
        assert piles.keys() == {one.trace for one in rows}
        for verdict in (None, "pass", "fail"):
            total = sum(sizes(rows, piles, verdict))
            for size, share in zip(sizes(rows, piles, verdict), SHARES, strict=True):
                assert abs(size - share * total) < 2


@given(
    batches=st.lists(
        st.lists(st.tuples(st.sampled_from(["pass", "fail", None]), st.integers(0, 15)), max_size=25),
        max_size=6,
    ),
    seed=st.integers(0, 9),
)
@settings(deadline=None)
def test_a_group_never_straddles_whenever_its_traces_are_labelled(
    batches: list[list[tuple[str | None, int]]], seed: int
) -> None:
    rows: list[Labelled] = []
    piles: dict[str, PileName] = {}
    for batch in batches:
        rows += [
            Labelled(f"t{len(rows) + number}", verdict, f"g{group}")
            for number, (verdict, group) in enumerate(batch)
        ]
        piles |= deal(rows, piles, seed=seed)
        places: dict[str, set[PileName]] = {}
        for one in rows:
            if one.trace in piles:
                places.setdefault(one.group, set()).add(piles[one.trace])
        assert all(len(found) == 1 for found in places.values())
        assert {one.trace for one in rows if one.verdict} == piles.keys()


# --- a project's piles ---------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project.create(tmp_path)
    with project.traces.writer() as writer:
        for number in range(120):
            writer.add(Trace(f"t{number}", f"is number {number} safe", "yes"))
        for number in range(10):
            writer.add(Pair(f"p{number}", f"which is better, {number}", "one", "two"))
        writer.publish()
    project.criteria.add(Criterion("c", 0, "good", "bad"))
    project.criteria.add(Criterion("pairs", 0, "good", "bad", kind=JudgeKind.PAIRWISE))
    return project


def put_label(project: Project, trace: str, verdict: str, *, criterion: str = "c", who: str = "anna") -> None:
    kind = project.criteria.latest(criterion).kind
    project.labels.add(
        Label(trace=trace, criterion=criterion, version=1, verdict=verdict, annotator=who), kind
    )


def test_splitting_writes_the_piles_and_seals_the_hold_out(project: Project, tmp_path: Path) -> None:
    for number in range(120):
        put_label(project, f"t{number}", "pass" if number < 79 else "fail")
    report = split(project, "c", seed=5)
    assert report.train == PileCounts(18, 12, 6)
    assert report.dev == PileCounts(48, 32, 16)
    assert report.holdout == PileCounts(54, None, None)
    assert report.dealt == 120
    with Project(tmp_path) as again:
        piled = again.piles.of("c")
        assert len(piled) == 120
        assert {one.seed for one in piled.values()} == {5}
        assert len({one.group for one in piled.values()}) == 120
        assert again.sealed("c") == set(again.piles.members("c", PileName.HOLDOUT))
        again.ledger.record("c", "sha256:x", "anna")
        assert split(again, "c", seed=5).holdout == PileCounts(54, 35, 19)


def test_splitting_again_moves_nothing_and_deals_only_what_is_new(project: Project) -> None:
    for number in range(40):
        put_label(project, f"t{number}", "pass" if number % 2 else "fail")
    split(project, "c", seed=1)
    before = {trace: one.pile for trace, one in project.piles.of("c").items()}
    assert split(project, "c", seed=2).dealt == 0
    for number in range(40, 100):
        put_label(project, f"t{number}", "pass")
    put_label(project, "t0", "pass")
    report = split(project, "c", seed=3)
    assert report.dealt == 60
    after = {trace: one.pile for trace, one in project.piles.of("c").items()}
    assert before.items() <= after.items()
    assert [report.train.n, report.dev.n, report.holdout.n] == [15, 40, 45]


def test_unsure_and_disputed_rows_wait_until_they_are_decided(project: Project) -> None:
    for number in range(20):
        put_label(project, f"t{number}", "pass")
    put_label(project, "t0", "fail", who="ben")
    put_label(project, "t20", "unsure")
    split(project, "c", seed=0)
    assert project.piles.pile_of("c", "t0") is None
    assert project.piles.pile_of("c", "t20") is None
    put_label(project, "t0", "fail", who=SETTLED)
    assert split(project, "c", seed=0).dealt == 1
    assert project.piles.pile_of("c", "t0") is not None


def test_a_label_taken_back_leaves_its_trace_in_its_pile(project: Project) -> None:
    for number in range(20):
        put_label(project, f"t{number}", "pass")
    split(project, "c", seed=0)
    project.labels.undo("c", "anna")
    report = split(project, "c", seed=0)
    assert report.train.n + report.dev.n + report.holdout.n == 20
    assert project.piles.pile_of("c", "t19") is not None


def test_the_same_question_asked_again_follows_the_first(project: Project) -> None:
    with project.traces.writer() as writer:
        for number in range(120):
            writer.add(Trace(f"again{number}", f"Is number {number} SAFE?!", "no"))
        writer.publish()
    for number in range(60):
        put_label(project, f"t{number}", "pass")
    split(project, "c", seed=0)
    for number in range(60):
        put_label(project, f"again{number}", "fail")
    split(project, "c", seed=9)
    for number in range(60):
        assert project.piles.pile_of("c", f"again{number}") is project.piles.pile_of("c", f"t{number}")


def test_a_label_on_a_trace_that_is_not_here_is_dealt_on_its_own(project: Project) -> None:
    put_label(project, "lost", "pass")
    assert split(project, "c", seed=0).dealt == 1


def test_pairs_are_dealt_by_winner(project: Project) -> None:
    for number in range(10):
        put_label(project, f"p{number}", "A" if number % 2 else "B", criterion="pairs")
    report = split(project, "pairs", seed=0)
    assert report.train.n + report.dev.n + report.holdout.n == 10
    assert (report.dev.passes, report.dev.fails) == (0, 0)


def test_nothing_to_deal_is_said(project: Project) -> None:
    with pytest.raises(BadInput, match="no labels for 'c'"):
        split(project, "c", seed=0)
    with pytest.raises(NotFound, match="no criterion"):
        split(project, "d", seed=0)

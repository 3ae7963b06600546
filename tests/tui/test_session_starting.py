"""Before a run begins, its price or the reason it may not is said in words that name the next step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import lesson
import live
import pytest

from judging.authoring import JudgeOrder, make_judge
from judging.dealing import split
from store.project import Project
from store.records import Order, PileName
from tui.session.starting import StartForm, make_baseline, slices_of

KEY = {"ANTHROPIC_API_KEY": "k"}


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with lesson.bakery(tmp_path, verdicts=False) as project:
        yield project


def form_on(project: Project, **choices: str | int) -> StartForm:
    form = StartForm(project, "allergen", environ=KEY)
    form.choose(replace(form.choices, **choices))
    return form


def slice_of(form: StartForm, words: str) -> int:
    return next(index for index, one in enumerate(form.slices) if words in one.words)


def test_recorded_judges_are_not_offered_and_the_way_to_one_is_said(project: Project) -> None:
    form = form_on(project)
    assert form.judges == ()
    problem = form.offer().problem
    assert "b makes the offline baseline" in problem
    assert "adjudge judge new NAME --criterion allergen" in problem


def test_the_judge_at_hand_is_offered_first_else_the_newest(project: Project) -> None:
    split(project, "allergen", seed=0)
    old = make_baseline(project, "allergen")
    new = make_judge(project, JudgeOrder("tone", "allergen", backend="code", params={"pattern": "nut"}))
    assert StartForm(project, "allergen", environ=KEY).judge == new
    assert StartForm(project, "allergen", at_hand=old, environ=KEY).judge == old
    recorded = replace(old, hash="sha256:0")
    assert StartForm(project, "allergen", at_hand=recorded, environ=KEY).judge == new


def test_slices_are_those_that_make_sense(project: Project) -> None:
    assert [one.words for one in slices_of(project, "allergen")] == [
        "all rows that are not sealed",
        "a random sample of them",
    ]
    split(project, "allergen", seed=0)
    words = [one.words for one in slices_of(project, "allergen")]
    assert words[0].startswith("dev, ")
    assert words[1].startswith("train, ")
    assert words[2].endswith("rows, sealed")


def test_a_sealed_holdout_is_refused_with_the_way_to_open_it(project: Project) -> None:
    split(project, "allergen", seed=0)
    make_baseline(project, "allergen")
    form = form_on(project)
    holdout = next(index for index, one in enumerate(form.slices) if one.pile is PileName.HOLDOUT)
    form.choose(replace(form.choices, slice=holdout))
    offer = form.offer()
    assert offer.plan is None
    assert "adjudge open-holdout" in offer.problem


def test_a_baseline_without_a_train_pile_is_refused_before_anything_is_written(project: Project) -> None:
    make_baseline(project, "allergen")
    form = form_on(project)
    offer = form.offer()
    assert offer.plan is None
    assert "adjudge split" in offer.problem
    assert project.runs.ids() == ()


def test_the_baseline_is_offered_for_nothing_and_starts(project: Project) -> None:
    split(project, "allergen", seed=0)
    form = form_on(project)
    judge = form.make_baseline()
    assert form.judge == judge
    offer = form.offer()
    assert offer.plan is not None
    assert offer.estimate is not None
    assert offer.estimate.high_usd == 0
    assert form.write(offer.plan).plan().judge == judge.hash


def test_changed_train_labels_make_the_next_version(project: Project) -> None:
    split(project, "allergen", seed=0)
    first = make_baseline(project, "allergen")
    assert make_baseline(project, "allergen").hash == first.hash
    trace = project.piles.members("allergen", PileName.TRAIN)[0]
    label = project.labels.of("allergen", lesson.ME, trace)
    assert label is not None
    other = "fail" if label.verdict == "pass" else "pass"
    project.labels.add(replace(label, verdict=other, id=0))
    second = make_baseline(project, "allergen")
    assert second.hash != first.hash
    assert project.judges.number(second) == 2


def test_a_budget_for_a_model_without_a_price_is_refused(project: Project) -> None:
    live.live_judge(project, "allergen")
    form = form_on(project)
    form.choose(replace(form.choices, budget="2.5"))
    offer = form.offer()
    assert offer.plan is None
    assert "budget of $2.5" in offer.problem
    assert "without a budget" in offer.problem
    form.choose(replace(form.choices, budget=""))
    assert form.offer().plan is not None


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("concurrency", "", "calls at once: type a whole number"),
        ("concurrency", "0", "from 1"),
        ("budget", ".", "budget: type US dollars"),
        ("budget", "0", "above $0"),
    ],
)
def test_numbers_that_make_no_sense_are_said(project: Project, field: str, text: str, said: str) -> None:
    live.live_judge(project, "allergen")
    form = form_on(project, **{field: text})
    assert said in form.offer().problem


def test_a_sample_takes_the_number_typed(project: Project) -> None:
    live.live_judge(project, "allergen")
    form = form_on(project, sample="7")
    form.choose(replace(form.choices, slice=slice_of(form, "sample")))
    plan = form.offer().plan
    assert plan is not None
    assert len(plan.traces) == 7


def test_a_missing_key_is_a_warning_since_the_sdk_may_find_one(project: Project) -> None:
    live.live_judge(project, "allergen")
    offer = StartForm(project, "allergen", environ={}).offer()
    assert offer.plan is not None
    assert "ANTHROPIC_API_KEY" in offer.warning
    assert StartForm(project, "allergen", environ=KEY).offer().warning == ""


def test_pairs_are_judged_in_both_orders_unless_said_otherwise(tmp_path: Path) -> None:
    with lesson.pairs(tmp_path) as project:
        live.live_judge(project, "better")
        form = StartForm(project, "better", environ=KEY)
        plan = form.offer().plan
        assert plan is not None
        assert plan.orders == (Order.AB, Order.BA)
        form.turn_orders()
        plan = form.offer().plan
        assert plan is not None
        assert plan.orders == (Order.AB,)
        assert not form.offers_baseline

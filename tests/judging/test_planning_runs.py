"""Which rows a run judges, what is refused before it begins, and what it is expected to cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from run_kit import FakeClock, add_judge, add_run, carry, deal, make_project, pair, row, says

from judging.planning import estimate, plan_run
from judging.pricing import load_prices
from store.errors import BadInput, NotFound, Sealed
from store.project import Project
from store.records import JudgeKind, Order, PileName


@pytest.fixture
def project(tmp_path: Path):
    with make_project(tmp_path, [*(row(number) for number in range(1, 31)), pair(1), pair(2)]) as made:
        yield made


@pytest.fixture
def dealt(project: Project) -> Project:
    deal(project, [("t1", "pass"), ("t2", "fail")], PileName.TRAIN)
    deal(project, [("t3", "pass"), ("t4", "fail"), ("t5", "pass")], PileName.DEV)
    deal(project, [("t6", "pass"), ("t7", "fail")], PileName.HOLDOUT)
    return project


def test_a_pile_is_judged_as_it_was_dealt(dealt: Project) -> None:
    plan = plan_run(dealt, add_judge(dealt), pile=PileName.DEV)
    assert (plan.traces, plan.slice, plan.orders, plan.asked) == (("t3", "t4", "t5"), "dev", (), 3)
    assert plan.id
    assert plan.judge == dealt.judges.get("j").hash


def test_without_a_choice_dev_is_judged(dealt: Project) -> None:
    assert plan_run(dealt, add_judge(dealt)).slice == "dev"


def test_without_piles_a_choice_has_to_be_made(project: Project) -> None:
    with pytest.raises(BadInput, match="which rows"):
        plan_run(project, add_judge(project))


def test_all_leaves_out_pairs_and_the_sealed_hold_out(dealt: Project) -> None:
    plan = plan_run(dealt, add_judge(dealt), every=True)
    assert plan.traces == tuple(f"t{number}" for number in range(1, 31) if number not in (6, 7))
    assert plan.slice == "all without the 2 sealed hold-out rows"


def test_the_sealed_hold_out_is_refused_and_judged_once_it_is_open(dealt: Project) -> None:
    judge = add_judge(dealt)
    with pytest.raises(Sealed, match="sealed"):
        plan_run(dealt, judge, pile=PileName.HOLDOUT)
    with pytest.raises(Sealed, match="t7"):
        plan_run(dealt, judge, ids=["t1", "t7"])
    dealt.ledger.record("c", judge.hash, "ann")
    assert plan_run(dealt, judge, pile=PileName.HOLDOUT).traces == ("t6", "t7")
    assert len(plan_run(dealt, judge, every=True).traces) == 30


def test_a_sample_is_drawn_by_its_seed(dealt: Project) -> None:
    judge = add_judge(dealt)
    one = plan_run(dealt, judge, sample=10, seed=7)
    assert one.traces == plan_run(dealt, judge, sample=10, seed=7).traces
    assert one.traces != plan_run(dealt, judge, sample=10, seed=8).traces
    assert len(set(one.traces)) == 10
    assert not {"t6", "t7"} & set(one.traces)
    assert one.slice == "sample of 10 of 28 (all without the 2 sealed hold-out rows), seed 7"
    assert plan_run(dealt, judge, sample=2, pile=PileName.DEV).slice.startswith("sample of 2 of 3 (dev)")
    assert plan_run(dealt, judge, sample=1000).slice.startswith("all")


def test_chosen_rows_keep_their_order_and_come_once(project: Project) -> None:
    assert plan_run(project, add_judge(project), ids=["t9", "t2", "t9"]).traces == ("t9", "t2")


def test_rows_that_are_not_there_or_do_not_fit_are_named(project: Project) -> None:
    judge = add_judge(project)
    with pytest.raises(NotFound, match=r"'nope' and 1 more"):
        plan_run(project, judge, ids=["t1", "nope", "neither"])
    with pytest.raises(BadInput, match=r"'p1' is a pair"):
        plan_run(project, judge, ids=["t1", "p1"])


def test_zero_rows_is_never_a_plan(project: Project, tmp_path: Path) -> None:
    judge = add_judge(project)
    with pytest.raises(BadInput, match="split"):
        plan_run(project, judge, pile=PileName.DEV)
    with pytest.raises(BadInput, match="no rows"):
        plan_run(project, judge, ids=[])
    with make_project(tmp_path / "empty", 0) as empty, pytest.raises(BadInput, match="import"):
        plan_run(empty, add_judge(empty), every=True)
    with (
        make_project(tmp_path / "singles", 2, kind=JudgeKind.PAIRWISE) as singles,
        pytest.raises(BadInput, match="no pairs"),
    ):
        plan_run(singles, add_judge(singles), every=True)


def test_pairs_are_planned_in_one_order_or_both(tmp_path: Path) -> None:
    with make_project(tmp_path, [pair(1), pair(2), row(1)], kind=JudgeKind.PAIRWISE) as project:
        judge = add_judge(project)
        assert plan_run(project, judge, every=True).orders == (Order.AB,)
        both = plan_run(project, judge, every=True, swap=True)
        assert (both.orders, both.traces, both.asked) == ((Order.AB, Order.BA), ("p1", "p2"), 4)


def test_single_traces_have_no_other_order(project: Project) -> None:
    with pytest.raises(BadInput, match="only pairs"):
        plan_run(project, add_judge(project), every=True, swap=True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"sample": 0},
        {"repeat": 0},
        {"concurrency": 0},
        {"concurrency": 10_000},
        {"budget_usd": 0.0},
        {"budget_usd": float("nan")},
        {"budget_usd": float("inf")},
    ],
)
def test_numbers_that_make_no_sense_are_refused(project: Project, wrong) -> None:
    with pytest.raises(BadInput):
        plan_run(project, add_judge(project), **({"every": True} | wrong))


def test_a_setting_that_cannot_be_used_is_refused_before_a_run_exists(project: Project) -> None:
    with pytest.raises(BadInput, match="n has to be"):
        plan_run(project, add_judge(project, n=0), every=True)
    with pytest.raises(BadInput, match="max_tokens"):
        plan_run(project, add_judge(project, max_tokens="many"), every=True)
    with pytest.raises(BadInput, match="no recipe"):
        plan_run(project, add_judge(project, recipe="tarot"), every=True)
    with pytest.raises(BadInput, match="nothing to run"):
        plan_run(project, add_judge(project, backend="imported"), every=True)
    with pytest.raises(BadInput, match="too few labels"):
        plan_run(project, add_judge(project, backend="baseline"), every=True)


def test_a_budget_needs_a_price(project: Project, tmp_path: Path) -> None:
    judge = add_judge(project, model="my-own-model")
    with pytest.raises(BadInput, match="price"):
        plan_run(project, judge, every=True, budget_usd=1.0)
    own = tmp_path / "prices.json"
    own.write_text('{"models": [{"name": "my-own-model", "tiers": [{"input": 1.0, "output": 2.0}]}]}')
    plan = plan_run(project, judge, every=True, budget_usd=1.0, prices=load_prices(own))
    assert plan.budget_usd == 1.0


# Estimates ------------------------------------------------------------------------------------------


def test_an_estimate_counts_calls_and_puts_money_between_bounds(project: Project) -> None:
    judge = add_judge(project, n=3, reducer="critique")
    told = estimate(project, plan_run(project, judge, every=True, repeat=2))
    assert (told.rows, told.calls) == (60, 60 * 4)
    assert told.low_usd is not None
    assert told.expected_usd is not None
    assert told.high_usd is not None
    assert 0 < told.low_usd < told.expected_usd < told.high_usd
    assert told.price
    assert any("$" in line for line in told.lines())
    assert told.document()["calls"] == 240


def test_an_estimate_scales_from_some_rows_to_all(tmp_path: Path) -> None:
    with make_project(tmp_path, 500) as project:
        judge = add_judge(project)
        whole = estimate(project, plan_run(project, judge, every=True))
        part = estimate(project, plan_run(project, judge, ids=[f"t{n}" for n in range(1, 101)]))
    assert whole.input_tokens == pytest.approx(5 * part.input_tokens, rel=0.01)
    assert whole.expected_usd == pytest.approx(5 * (part.expected_usd or 0), rel=0.01)


def test_an_estimate_looks_at_rows_from_the_whole_of_a_run(tmp_path: Path) -> None:
    short = [row(number) for number in range(1, 101)]
    long = [replace(one, id=f"long-{one.id}", output="word " * 2000) for one in short]
    with make_project(tmp_path, [*short, *long]) as project:
        judge = add_judge(project)
        ids = [one.id for one in (*short, *long)]
        whole = estimate(project, plan_run(project, judge, ids=ids)).input_tokens
        halves = (plan_run(project, judge, ids=half) for half in (ids[:100], ids[100:]))
        parts = [estimate(project, half).input_tokens for half in halves]
    assert whole == pytest.approx(sum(parts), rel=0.02)


def test_an_unknown_price_is_said_and_is_not_nothing(project: Project) -> None:
    told = estimate(project, plan_run(project, add_judge(project, model="my-own-model"), every=True))
    assert (told.low_usd, told.expected_usd, told.high_usd) == (None, None, None)
    assert "my-own-model" in told.note
    assert told.input_tokens > 0


def test_a_judge_that_asks_no_model_costs_nothing(project: Project) -> None:
    deal(project, [(f"t{n}", "pass" if n % 2 else "fail") for n in range(1, 8)], PileName.TRAIN)
    told = estimate(project, plan_run(project, add_judge(project, backend="baseline"), every=True))
    assert (told.calls, told.expected_usd) == (0, 0.0)
    assert "no model is asked" in told.lines()[0]


async def test_what_was_estimated_is_what_is_asked(project: Project) -> None:
    judge = add_judge(project, n=3)
    run = add_run(project, judge)
    told = estimate(project, run.plan())
    _, backend = await carry(project, run, lambda _call: says("pass"), clock=FakeClock())
    assert len(backend.asked) == told.calls

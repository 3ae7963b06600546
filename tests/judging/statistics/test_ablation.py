"""Steps of a pipeline over the same rows: what each adds, and that it adds up."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.stats.contingency_tables import mcnemar

from judging.statistics.ablation import (
    NO_FIELD,
    Step,
    ablation,
    by_category,
    identities_hold,
    paired_interval,
)
from judging.statistics.values import Estimate


def step(name: str, marks: str, **spent) -> Step:
    """Give a step over rows r0, r1, ...: "+" right, "-" wrong, " " not judged."""
    return Step(name, {f"r{i}": mark == "+" for i, mark in enumerate(marks) if mark != " "}, **spent)


PLAIN = step("plain", "++----++--")
FIRST = step("first", "++++--+---")
VOTE = step("vote", "+++++-+---")
CRITIC = step("critic", "++++-++++-")


def test_deltas_rescued_and_lost_rows_are_as_counted_by_hand() -> None:
    found = ablation([PLAIN, FIRST, VOTE, CRITIC])
    assert [one.right for one in found.steps] == [4, 5, 6, 8]
    critic = found.steps[3].delta
    assert critic is not None
    assert (critic.before, critic.after) == ("vote", "critic")
    assert (critic.rescued, critic.lost) == (("r5", "r7", "r8"), ("r4",))
    assert critic.value == pytest.approx((3 - 1) / 10)
    # Split 1:3: 2 * (C(4,0) + C(4,1)) / 16 = 10 / 16.
    assert critic.p_value == 0.625
    assert found.steps[0].delta is None
    assert found.adds_up


def test_accuracy_has_wilsons_interval() -> None:
    accuracy = ablation([step("one", "+" * 7 + "-" * 3)]).steps[0].accuracy
    assert isinstance(accuracy, Estimate)
    assert (accuracy.k, accuracy.n) == (7, 10)
    assert (accuracy.low, accuracy.high) == (pytest.approx(0.3968, abs=5e-5), pytest.approx(0.8922, abs=5e-5))


def test_rows_that_one_step_lacks_are_left_out_everywhere_and_counted() -> None:
    found = ablation([step("a", "++-+ "), step("b", "+ -++")])
    assert found.rows == ("r0", "r2", "r3")
    assert found.left_out == 2
    assert [one.missing for one in found.steps] == [1, 1]
    assert [one.right for one in found.steps] == [2, 2]


@pytest.mark.parametrize(
    "steps", [[], [PLAIN, PLAIN], [step("a", "+ "), step("b", " +")]], ids=["none", "twice", "disjoint"]
)
def test_steps_that_cannot_be_compared_are_refused(steps: list[Step]) -> None:
    with pytest.raises(ValueError, match=r"step"):
        ablation(steps)


def test_what_a_step_took_is_over_the_compared_rows_and_unknown_where_one_row_is() -> None:
    a = step("a", "+-+", cost_usd={"r0": 1.0, "r1": 2.0, "r2": 4.0}, output_tokens={"r0": 5, "r1": 7})
    b = step("b", "++ ", cost_usd={"r0": 1.0}, output_tokens={"r0": 50, "r1": 70})
    first, second = ablation([a, b]).steps
    assert (first.cost_usd, first.output_tokens, first.input_tokens) == (3.0, 12, None)
    assert first.per_row(first.cost_usd) == 1.5
    assert (second.cost_usd, second.output_tokens) == (None, 120)


def test_the_frontier_marks_what_is_dominated() -> None:
    def priced(name: str, right: int, price: float) -> Step:
        marks = "+" * right + "-" * (10 - right)
        return step(name, marks, cost_usd={f"r{i}": price for i in range(10)})

    found = ablation([priced("plain", 5, 1), priced("self", 5, 2), priced("vote", 8, 3), priced("big", 7, 3)])
    assert [(point.name, point.dominated_by) for point in found.frontier.points] == [
        ("plain", None),
        ("self", "plain"),
        ("vote", None),
        ("big", "vote"),
    ]
    assert found.frontier.points[2].cost == pytest.approx(3)
    assert found.frontier.unit == "US dollars per row"


def test_equal_points_do_not_dominate_each_other() -> None:
    same = [step(name, "+-", output_tokens={"r0": 1, "r1": 1}) for name in "ab"]
    found = ablation(same).frontier
    assert found.unit == "output tokens per row"
    assert [point.dominated_by for point in found.points] == [None, None]


def test_without_costs_there_is_a_reason_and_no_frontier() -> None:
    found = ablation([PLAIN, FIRST]).frontier
    assert found.points == ()
    assert found.reason.startswith("no data")


def test_categories_are_cut_from_the_compared_rows_with_small_ones_marked() -> None:
    categories = {f"r{i}": "math" if i < 4 else "code" for i in range(9)}
    table = by_category([PLAIN, CRITIC], categories)
    assert [(row.category, row.rows, row.few) for row in table] == [
        ("code", 5, True),
        ("math", 4, True),
        (NO_FIELD, 1, True),
    ]
    assert [figure.k for row in table for figure in row.accuracies if isinstance(figure, Estimate)] == [
        2, 4, 2, 4, 0, 0,
    ]  # fmt: skip


tables = st.integers(1, 40).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=5)
)


@given(tables)
def test_the_identities_hold_for_every_table(table: list[list[bool]]) -> None:
    steps = [Step(str(i), {f"r{j}": mark for j, mark in enumerate(row)}) for i, row in enumerate(table)]
    found = ablation(steps, resamples=50)
    assert found.adds_up
    n = len(table[0])
    exact = [Fraction(sum(row), n) for row in table]
    for one, (before, after) in zip(found.steps[1:], pairwise(exact), strict=True):
        assert one.delta is not None
        assert Fraction(len(one.delta.rescued) - len(one.delta.lost), n) == after - before
        assert one.delta.low <= one.delta.value <= one.delta.high
    if found.total is not None:
        assert found.total.value == pytest.approx(float(exact[-1] - exact[0]))


def test_figures_that_do_not_add_up_are_found_out() -> None:
    found = ablation([PLAIN, FIRST, CRITIC])
    deltas = [one.delta for one in found.steps if one.delta is not None]
    assert identities_hold([4, 5, 8], deltas, found.total)
    assert not identities_hold([4, 6, 8], deltas, found.total)
    assert not identities_hold([4, 5, 8], deltas, deltas[0])


@given(st.integers(0, 30), st.integers(0, 30))
def test_p_values_are_those_of_scipy_and_statsmodels(rescued: int, lost: int) -> None:
    marks = [step("a", "+" + "-" * rescued + "+" * lost), step("b", "+" + "+" * rescued + "-" * lost)]
    delta = ablation(marks, resamples=10).steps[1].delta
    assert delta is not None
    assert delta.p_value == pytest.approx(mcnemar([[0, lost], [rescued, 1]], exact=True).pvalue)
    if rescued + lost:
        assert delta.p_value == pytest.approx(binomtest(rescued, rescued + lost).pvalue)


def test_the_same_seed_gives_the_same_interval_and_rows_that_never_differ_still_have_one() -> None:
    assert paired_interval(18, 6, 350, seed=3) == paired_interval(18, 6, 350, seed=3)
    quiet = paired_interval(0, 0, 20)
    assert quiet.low < 0 < quiet.high


@pytest.mark.parametrize(("n", "rescue", "loss"), [(100, 0.05, 0.05), (350, 0.051, 0.017), (350, 0.14, 0.04)])
def test_the_paired_interval_covers_the_true_difference(n: int, rescue: float, loss: float) -> None:
    """600 seeded tables: 95 % would be 570; sampling alone moves that by about 11 at two sigma."""
    draws = np.random.default_rng(11).multinomial(n, [rescue, loss, 1 - rescue - loss], size=600)
    covered = 0
    for seed, (rescued, lost, _) in enumerate(draws):
        interval = paired_interval(int(rescued), int(lost), n, seed=seed, resamples=2000)
        covered += interval.low - 1e-12 <= rescue - loss <= interval.high + 1e-12
    assert 0.93 <= covered / 600 <= 0.98


def test_naming_steps_imports_nothing_heavy() -> None:
    program = "import sys, judging.statistics.ablation; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=60).returncode == 0

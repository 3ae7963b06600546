"""How many labels a promise needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.statistics.planning import LabelPlan, labels_for_target, labels_for_width, more_labels_needed
from judging.statistics.rates import wilson
from judging.statistics.values import Undefined


@pytest.mark.parametrize(("k", "n"), [(35, 35), (97, 100), (133, 140), (372, 400)])
def test_these_results_promise_ninety_percent(k, n):
    assert wilson(k, n).low >= 0.9


def test_twenty_of_twenty_do_not():
    assert wilson(20, 20).low == pytest.approx(0.84, abs=0.002)
    assert wilson(34, 34).low < 0.9
    assert wilson(132, 139).low < 0.9


@pytest.mark.parametrize(
    ("rate", "right", "n"),
    [
        # n >= z^2 t (1 - t) / (rate - t)^2 with z^2 t (1 - t) = 0.345731: 34.6 at 1, 138.3 at 0.95.
        (1.0, 35, 35),
        (0.95, 133, 140),
        # 3 of 84 wrong: (81/84 - 0.9)^2 * 84 = 0.34714; of 83: 0.33845, short.
        (0.97, 81, 84),
    ],
)
def test_labels_for_a_target_of_ninety_percent(rate, right, n):
    plan = labels_for_target(rate, 0.9)
    assert (plan.right, plan.n) == (right, n)
    assert plan.low == wilson(right, n).low >= 0.9


@given(st.integers(1, 100).map(lambda percent: percent / 100), st.sampled_from([0.5, 0.7, 0.8, 0.9, 0.95]))
def test_a_plan_is_the_first_number_of_labels_that_will_do(rate, target):
    plan = labels_for_target(rate, target)
    if rate <= target:
        assert isinstance(plan, Undefined)
        assert "must get better" in plan.reason
        return

    def low(n):
        return wilson(int(rate * n + 1e-9), n).low

    assert low(plan.n) >= target
    assert all(low(n) < target for n in range(1, plan.n))


def test_more_labels_start_from_those_at_hand():
    assert more_labels_needed(35, 35, 0.9).n == 35
    assert more_labels_needed(20, 20, 0.9).n == 35
    assert more_labels_needed(14, 15, 0.9).n == 315
    # Already more than enough: none to add.
    assert more_labels_needed(400, 400, 0.9) == LabelPlan(400, 400, wilson(400, 400).low, 1.0)


def test_a_plan_needs_a_rate_above_the_target():
    assert isinstance(more_labels_needed(0, 0, 0.9), Undefined)
    assert isinstance(more_labels_needed(9, 10, 0.9), Undefined)
    assert isinstance(labels_for_target(0.900001, 0.9), Undefined)


def test_a_width_needs_the_first_n_that_is_narrow_enough():
    for rate in (0, 0.5, 0.9, 1):
        for width in (0.5, 0.2, 0.1, 0.02):
            plan = labels_for_width(rate, width)
            assert plan.high - plan.low <= width
    # At one half the width is z / sqrt(n + z^2): 0.2 needs n = 96.04 - 3.84 = 92.2.
    assert labels_for_width(0.5, 0.2).n == 93
    # At 0 and 1 it is z^2 / (n + z^2): 0.1 needs n = 9 * 3.8415 = 34.6.
    assert labels_for_width(1.0, 0.1).n == labels_for_width(0.0, 0.1).n == 35


@pytest.mark.parametrize("rate", [-0.1, 1.1])
def test_a_rate_outside_0_to_1_is_an_error(rate):
    with pytest.raises(ValueError, match="rate"):
        labels_for_target(rate, 0.9)
    with pytest.raises(ValueError, match="rate"):
        labels_for_width(rate, 0.1)


@pytest.mark.parametrize("bar", [0, 1, 90])
def test_a_bar_outside_0_to_1_is_an_error(bar):
    with pytest.raises(ValueError, match="target"):
        labels_for_target(0.95, bar)
    with pytest.raises(ValueError, match="width"):
        labels_for_width(0.95, bar)


def test_more_right_than_rows_is_an_error():
    with pytest.raises(ValueError, match="not a share"):
        more_labels_needed(3, 2, 0.9)

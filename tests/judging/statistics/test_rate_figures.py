"""Shares, Wilson's interval, averages of rates, and the chance to clear a bar."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.statistics.intervals import Interval, normal_quantile, square_and_add
from judging.statistics.rates import beta_chance, mean_of_rates, proportion, wilson
from judging.statistics.values import Estimate, Undefined, as_json

PATIENT = settings(deadline=None)
"""For oracles: the first example waits for their import."""

counts = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [
        (31, 32, 0.8426, 0.9945),
        (9, 16, 0.3318, 0.7690),
        (14, 16, 0.6398, 0.9650),
        (15, 16, 0.7167, 0.9889),
        (0, 16, 0.0, 0.1936),
        (37, 39, 0.8311, 0.9858),
        (14, 15, 0.7018, 0.9881),
        (1, 41, 0.0043, 0.1260),
        (41, 41, 0.9143, 1.0),
        (20, 20, 0.8389, 1.0),
    ],
)
def test_wilson_gives_the_published_ends(k, n, low, high):
    figure = wilson(k, n)
    assert (round(figure.low, 4), round(figure.high, 4)) == (low, high)
    assert (figure.value, figure.k, figure.n) == (k / n, k, n)


def test_wilson_by_hand():
    # 9 of 16, z = 1.959964, z^2 = 3.841459: centre (9 + 1.920729) / 19.841459 = 0.550399;
    # half width z sqrt(9 * 7 / 16 + 0.960365) / 19.841459 = 1.959964 * 2.213112 / 19.841459 = 0.218614.
    figure = wilson(9, 16)
    assert figure.low == pytest.approx(0.550399 - 0.218614, abs=2e-6)
    assert figure.high == pytest.approx(0.550399 + 0.218614, abs=2e-6)


@PATIENT
@given(counts, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(count, confidence):
    from scipy.stats import binomtest

    k, n = count
    want = binomtest(k, n).proportion_ci(confidence, method="wilson")
    figure = wilson(k, n, confidence=confidence)
    assert figure.low == pytest.approx(want.low, abs=1e-9)
    assert figure.high == pytest.approx(want.high, abs=1e-9)
    assert 0 <= figure.low <= figure.value <= figure.high <= 1


def test_no_rows_are_no_data_with_the_reason_given():
    assert wilson(0, 0) == Undefined("no data: there are no rows")
    assert proportion(0, 0, empty="no data: there are no fails") == Undefined("no data: there are no fails")


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3), (1, 0)])
def test_more_right_than_rows_is_an_error_and_not_a_rate(k, n):
    with pytest.raises(ValueError, match="not a share"):
        wilson(k, n)
    with pytest.raises(ValueError, match="not a share"):
        beta_chance(k, n, 0.5)


@pytest.mark.parametrize("confidence", [0, 1, 1.5])
def test_a_promise_must_lie_between_never_and_always(confidence):
    with pytest.raises(ValueError, match="confidence"):
        normal_quantile(confidence)


@PATIENT
@given(counts, st.floats(0, 1))
def test_the_chance_to_clear_a_bar_agrees_with_the_beta_distribution(count, bar):
    from scipy.stats import beta

    k, n = count
    assert beta_chance(k, n, bar).value == pytest.approx(beta(k + 0.5, n - k + 0.5).sf(bar), abs=1e-9)


def test_the_chance_to_clear_a_bar_by_hand():
    # One right of one: Beta(3/2, 1/2). P(rate > x) = 1 - (2/pi)(asin(sqrt(x)) - sqrt(x (1 - x))).
    x = 0.9
    want = 1 - 2 / math.pi * (math.asin(math.sqrt(x)) - math.sqrt(x * (1 - x)))
    assert beta_chance(1, 1, x).value == pytest.approx(want)
    assert beta_chance(3, 4, 0).value == 1
    assert beta_chance(3, 4, 1).value == 0


def test_the_chance_to_clear_a_bar_needs_rows_and_a_bar_for_rates():
    assert beta_chance(0, 0, 0.9) == Undefined("no data: there are no rows")
    with pytest.raises(ValueError, match="bar"):
        beta_chance(1, 2, 90)


def test_adding_figures_adds_their_squared_distances():
    # Distances down 3 and 4 make 5; up 5 and 12 make 13.
    interval = square_and_add([10, 20], [Interval(7, 15), Interval(16, 32)])
    assert interval == Interval(25, 43)


def test_the_mean_of_rates_is_unweighted_and_counts_all_rows():
    figure = mean_of_rates([wilson(31, 32), wilson(9, 16)])
    assert figure.value == pytest.approx((31 / 32 + 9 / 16) / 2)
    # Down: sqrt((0.96875 - 0.84259)^2 + (0.5625 - 0.33179)^2) / 2 = 0.13148.
    assert figure.low == pytest.approx(0.765625 - 0.13148, abs=1e-5)
    assert figure.n == 48


def test_the_mean_of_rates_is_undefined_with_the_reason_of_the_missing_one():
    assert mean_of_rates([wilson(1, 2), Undefined("no data: why")]) == Undefined("no data: why")


def test_the_mean_of_nothing_and_of_rates_without_intervals_are_errors():
    with pytest.raises(ValueError, match="nothing"):
        mean_of_rates([])
    with pytest.raises(ValueError, match="interval"):
        mean_of_rates([Estimate(0.5)])


def test_an_estimate_cannot_be_nan_or_infinite():
    for number in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="finite"):
            Estimate(number)
        with pytest.raises(ValueError, match="finite"):
            Estimate(0.5, low=number)


def test_json_has_the_same_keys_for_every_figure_and_nulls_with_a_reason_for_undefined():
    assert as_json(Estimate(0.5, 0.25, 0.75, 1, 2, "Wilson")) == {
        "value": 0.5,
        "low": 0.25,
        "high": 0.75,
        "k": 1,
        "n": 2,
    }
    assert as_json(Undefined("why")) == {
        "value": None,
        "low": None,
        "high": None,
        "k": None,
        "n": None,
        "reason": "why",
    }


def test_each_added_figure_needs_its_own_interval():
    with pytest.raises(ValueError, match="zip"):
        square_and_add([10, 20], [Interval(7, 15)])

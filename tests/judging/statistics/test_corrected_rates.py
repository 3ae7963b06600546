"""The corrected and the prediction-powered pass rate."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.statistics.calibration import Calibration, MissingAs, Share, youden_index
from judging.statistics.correction import (
    IntervalMethod,
    closed_form_interval,
    corrected_pass_rate,
    jeffreys_interval,
    smoothed_rate,
)
from judging.statistics.counts import Counts
from judging.statistics.intervals import Interval
from judging.statistics.prediction import prediction_powered
from judging.statistics.rates import wilson
from judging.statistics.values import Estimate, Undefined

RECIPES = Counts(tp=31, fn=0, fp=2, tn=9, no_verdict_pass=3, no_verdict_fail=1)
SEEN = Share(2056, 2400)
NEAR_CHANCE = Calibration(Share(11, 65), Share(178, 211))
shares = st.integers(1, 200).flatmap(lambda n: st.builds(Share, st.integers(0, n), st.just(n)))


def test_correction_by_hand():
    # (0.80 + 0.93 - 1) / (0.95 + 0.93 - 1) = 0.73 / 0.88.
    result = corrected_pass_rate(Calibration(Share(95, 100), Share(93, 100)), Share(800, 1000))
    assert result.estimate.value == pytest.approx(0.73 / 0.88)
    assert round(result.estimate.value, 4) == 0.8295
    assert (result.raw, result.clipped, result.note) == (result.estimate.value, False, "")
    assert result.observed == wilson(800, 1000)


def test_missing_verdicts_move_the_corrected_rate_and_both_treatments_are_named():
    # Not passed: TPR 31/34, TNR (9 + 1)/12. Left out: TPR 31/31, TNR 9/11.
    not_passed = Calibration.of(RECIPES)
    left_out = Calibration.of(RECIPES, missing=MissingAs.LEFT_OUT)
    assert not_passed == Calibration(Share(31, 34), Share(10, 12))
    assert left_out == Calibration(Share(31, 31), Share(9, 11))
    assert corrected_pass_rate(not_passed, SEEN).estimate.value == pytest.approx(0.9260526315789472)
    assert corrected_pass_rate(left_out, SEEN).estimate.value == pytest.approx(0.8248148)


@pytest.mark.parametrize(
    ("calibration", "observed", "low", "high"),
    [
        # The authors' own example: p 0.4 of 1000, q0 0.7 and q1 0.9 of 200 each.
        (Calibration(Share(180, 200), Share(140, 200)), Share(400, 1000), 0.0564, 0.2627),
        (Calibration(Share(31, 34), Share(10, 12)), SEEN, 0.8199, 1.0),
    ],
)
def test_the_closed_form_reproduces_published_intervals(calibration, observed, low, high):
    estimate = corrected_pass_rate(calibration, observed).estimate
    assert (round(estimate.low, 4), round(estimate.high, 4)) == (low, high)


def test_the_smoothed_rate_by_hand():
    # z = 1.644854 (90 %): p' = (40 + 1.352772) / (248 + 2.705543) = 0.164945; q0' = 22/26; q1' = 2/6.
    # (0.164945 + 0.846154 - 1) / (0.846154 + 0.333333 - 1) = 0.011099 / 0.179487 = 0.0618.
    calibration = Calibration(passes=Share(1, 4), fails=Share(21, 24))
    figure = smoothed_rate(calibration, Share(40, 248), confidence=0.9)
    assert round(figure.value, 4) == 0.0618


def test_a_smoothed_rate_does_not_lift_the_refusal():
    calibration = Calibration(passes=Share(1, 4), fails=Share(21, 24))
    assert isinstance(corrected_pass_rate(calibration, Share(40, 248)).estimate, Undefined)


@pytest.mark.parametrize(
    ("passes", "fails"),
    [
        ((11, 65), (178, 211)),  # J = 0.0128, 68.5 % accurate
        ((78, 110), (49, 165)),  # J = 0.0061
        ((28, 110), (131, 165)),  # J = 0.0485
    ],
)
def test_recorded_judges_near_chance_are_refused_with_the_reason(passes, fails):
    result = corrected_pass_rate(Calibration(Share(*passes), Share(*fails)), Share(44, 276))
    assert isinstance(result.estimate, Undefined)
    assert "not clearly above 1" in result.estimate.reason
    assert f"on {passes[1]} passes and {fails[1]} fails" in result.estimate.reason
    assert result.raw is None
    assert result.youden.low < 0 < result.youden.value


def test_a_judge_somewhat_better_than_chance_is_corrected_with_a_wide_interval():
    # J = 0.2351 of a recorded judge on 276 rows; people's own rate was 65 of 276.
    result = corrected_pass_rate(Calibration(Share(35, 65), Share(147, 211)), Share(99, 276))
    assert result.estimate.value == pytest.approx(65 / 276)
    assert result.estimate.high - result.estimate.low > 0.5


def test_youden_by_hand():
    figure = youden_index(NEAR_CHANCE)
    # 11/65 + 178/211 - 1 = 0.169231 + 0.843602 - 1.
    assert round(figure.value, 4) == 0.0128
    tpr, tnr = wilson(11, 65, confidence=0.9), wilson(178, 211, confidence=0.9)
    down = math.hypot(tpr.value - tpr.low, tnr.value - tnr.low)
    up = math.hypot(tpr.high - tpr.value, tnr.high - tnr.value)
    assert figure.low == pytest.approx(figure.value - down)
    assert figure.high == pytest.approx(figure.value + up)


@pytest.mark.parametrize(
    ("calibration", "reason"),
    [
        (Calibration(Share(0, 0), Share(5, 5)), "no labelled passes"),
        (Calibration(Share(5, 5), Share(0, 0)), "no labelled fails"),
    ],
)
def test_a_correction_without_one_class_is_undefined_by_name(calibration, reason):
    result = corrected_pass_rate(calibration, Share(5, 10))
    assert isinstance(result.youden, Undefined)
    assert reason in result.estimate.reason


def test_a_correction_without_unlabelled_rows_is_undefined_by_name():
    result = corrected_pass_rate(Calibration(Share(95, 100), Share(93, 100)), Share(0, 0))
    assert result.estimate == Undefined("no data: there are no unlabelled verdicts")
    assert isinstance(result.observed, Undefined)


def test_a_guessing_judge_is_at_exactly_zero():
    assert youden_index(Calibration(Share(3, 10), Share(7, 10))).value == 0.0


@given(shares, shares, shares)
def test_whatever_is_given_lies_in_its_interval_within_0_and_1(passes, fails, observed):
    result = corrected_pass_rate(Calibration(passes, fails), observed)
    if isinstance(result.estimate, Estimate):
        assert 0 <= result.estimate.low <= result.estimate.value <= result.estimate.high <= 1
        assert result.youden.low > 0
        assert result.clipped == (result.raw != result.estimate.value) == bool(result.note)


@given(shares, shares, shares)
def test_calling_passes_fails_turns_the_closed_form_round(passes, fails, observed):
    here = closed_form_interval(Calibration(passes, fails), observed)
    there = closed_form_interval(Calibration(fails, passes), Share(observed.n - observed.k, observed.n))
    assert (here.low, here.high) == pytest.approx((1 - there.high, 1 - there.low), abs=1e-9)


def test_monte_carlo_is_repeatable_by_its_seed_and_near_the_closed_form():
    calibration, observed = Calibration(Share(92, 100), Share(88, 100)), Share(400, 500)
    first = jeffreys_interval(calibration, observed, seed=7)
    assert first == jeffreys_interval(calibration, observed, seed=7)
    assert first != jeffreys_interval(calibration, observed, seed=8)
    closed = closed_form_interval(calibration, observed)
    assert (first.low, first.high) == pytest.approx((closed.low, closed.high), abs=0.02)
    drawn = corrected_pass_rate(calibration, observed, method=IntervalMethod.MONTE_CARLO, seed=7)
    assert (drawn.estimate.low, drawn.estimate.high) == (first.low, first.high)
    assert "seed 7" in drawn.estimate.method


def test_a_hopeless_judge_leaves_everything_open():
    hopeless = Calibration(Share(0, 500), Share(0, 500))
    assert jeffreys_interval(hopeless, Share(5, 10)) == Interval(0, 1)
    assert closed_form_interval(hopeless, Share(5, 10)) == Interval(0, 1)
    assert isinstance(smoothed_rate(hopeless, Share(5, 10)), Undefined)


@pytest.mark.parametrize(
    ("tpr", "tnr", "rate", "labelled", "unlabelled"),
    [
        (0.7, 0.7, 0.2, 20, 50),
        (0.85, 0.85, 0.5, 500, 50),
        (0.92, 0.88, 0.85, 100, 500),
        (0.98, 0.98, 0.95, 50, 5000),
        (0.97, 0.56, 0.5, 20, 500),
    ],
)
def test_the_interval_holds_its_promise_in_simulated_projects(tpr, tnr, rate, labelled, unlabelled):
    import numpy as np

    random, repeats, half = np.random.default_rng(1), 1_000, labelled // 2
    seen = rate * tpr + (1 - rate) * (1 - tnr)
    draws = zip(
        random.binomial(half, tpr, repeats).tolist(),
        random.binomial(half, tnr, repeats).tolist(),
        random.binomial(unlabelled, seen, repeats).tolist(),
        strict=True,
    )
    held = 0
    for passes, fails, passed in draws:
        calibration = Calibration(Share(passes, half), Share(fails, half))
        interval = closed_form_interval(calibration, Share(passed, unlabelled))
        held += interval.low <= rate <= interval.high
    assert held / repeats >= 0.925


def test_prediction_powered_by_hand():
    # Judge 2056/2400 on unlabelled rows; on the 46 labelled ones 3 passes were not passed and 2 fails were:
    # 0.856667 + (3 - 2) / 46 = 0.878406.
    figure = prediction_powered(RECIPES, SEEN)
    assert figure.value == pytest.approx(2056 / 2400 + 1 / 46)
    # Difference: (4 - 3) / 48 +- 1.959964 sqrt((7/48 - (1/48)^2) / 48) = 0.020833 +- 0.107876.
    low = 1 / 46 - (0.020833 - 0.107876)
    observed = 2056 / 2400 - wilson(2056, 2400).low
    assert figure.low == pytest.approx(figure.value - math.hypot(low, observed), abs=1e-5)


def test_prediction_powered_with_a_perfect_judge_is_the_observed_rate():
    figure = prediction_powered(Counts(tp=30, tn=20), Share(60, 100))
    assert figure.value == 0.6
    assert figure.low < 0.6 < figure.high


@given(st.builds(Counts, *[st.integers(0, 30)] * 6), shares)
def test_prediction_powered_stays_within_0_and_1(counts, observed):
    figure = prediction_powered(counts, observed)
    if counts.total == 0:
        assert figure == Undefined("no data: there are no labelled rows")
    else:
        assert 0 <= figure.low <= figure.value <= figure.high <= 1


def test_prediction_powered_without_unlabelled_rows_is_undefined_by_name():
    assert prediction_powered(RECIPES, Share(0, 0)) == Undefined("no data: there are no unlabelled verdicts")


def test_more_than_all_rows_is_no_share():
    with pytest.raises(ValueError, match="not a share"):
        Share(3, 2)

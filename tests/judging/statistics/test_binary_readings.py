"""The strict and the answered reading of a pass/fail judge."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.statistics.binary import binary_readings
from judging.statistics.counts import Counts
from judging.statistics.values import Estimate, Undefined

# A recorded judge of 46 rows, four of them without a verdict.
RECIPES = Counts(tp=31, fn=0, fp=2, tn=9, no_verdict_pass=3, no_verdict_fail=1)


def fraction(figure):
    return (figure.k, figure.n)


def test_strict_keeps_missing_verdicts_in_every_denominator():
    strict = binary_readings(RECIPES).strict
    assert strict.name == "strict"
    assert (fraction(strict.tpr), fraction(strict.tnr)) == ((31, 34), (9, 12))
    assert fraction(strict.accuracy) == (40, 46)


def test_answered_leaves_them_out_beside_its_coverage():
    figures = binary_readings(RECIPES)
    assert figures.answered.name == "answered"
    assert (fraction(figures.answered.tpr), fraction(figures.answered.tnr)) == ((31, 31), (9, 11))
    assert fraction(figures.answered.accuracy) == (40, 42)
    assert fraction(figures.coverage) == (42, 46)


def test_strict_kappa_takes_a_missing_verdict_as_the_wrong_class():
    strict = binary_readings(RECIPES).strict
    same = binary_readings(Counts(tp=31, fn=3, fp=3, tn=9)).answered
    assert (strict.kappa, strict.f1, strict.mcc) == (same.kappa, same.f1, same.mcc)


def test_the_always_pass_judge_is_measured_on_all_rows():
    assert fraction(binary_readings(RECIPES).always_pass_accuracy) == (34, 46)


@pytest.mark.parametrize(
    ("counts", "accuracy", "kappa"),
    [
        # Chance agreement of v1: (32 * 38 + 16 * 10) / 48^2; kappa = 544 / 928.
        (Counts(31, 1, 7, 9), 0.8333, 0.5862),
        (Counts(32, 0, 16, 0), 0.6667, 0.0),
    ],
)
def test_the_lessons_judges(counts, accuracy, kappa):
    strict = binary_readings(counts).strict
    assert round(strict.accuracy.value, 4) == accuracy
    assert round(strict.kappa.value, 4) == kappa


def test_both_readings_agree_where_every_row_has_a_verdict():
    figures = binary_readings(Counts(31, 1, 7, 9))
    assert dataclasses.replace(figures.strict, name="answered") == figures.answered


def test_without_rows_every_figure_is_undefined():
    figures = binary_readings(Counts())
    for reading in (figures.strict, figures.answered):
        for field in dataclasses.fields(reading):
            if field.name != "name":
                assert isinstance(getattr(reading, field.name), Undefined), field.name
    assert isinstance(figures.coverage, Undefined)
    assert isinstance(figures.always_pass_accuracy, Undefined)


def test_a_failed_run_has_no_answered_figure_and_the_worst_strict_one():
    figures = binary_readings(Counts(no_verdict_pass=30, no_verdict_fail=10))
    assert (figures.strict.tpr.value, figures.strict.tnr.value) == (0, 0)
    assert isinstance(figures.answered.tpr, Undefined)
    assert figures.coverage.value == 0


@given(st.builds(Counts, *[st.integers(0, 30)] * 6))
def test_a_missing_verdict_never_helps(counts):
    figures = binary_readings(counts)
    for name in ("tpr", "tnr", "accuracy"):
        strict, answered = getattr(figures.strict, name), getattr(figures.answered, name)
        if isinstance(answered, Estimate):
            assert strict.value <= answered.value

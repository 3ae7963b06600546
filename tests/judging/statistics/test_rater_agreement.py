"""Percent agreement, Cohen's and Fleiss' kappa, Krippendorff's alpha."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from judging.statistics.agreement import (
    cohen_kappa,
    fleiss_kappa,
    kappa_of_table,
    krippendorff_alpha,
    percent_agreement,
)
from judging.statistics.values import Estimate, Undefined

PATIENT = settings(deadline=None)
"""For oracles: the first example waits for their import."""

words = st.sampled_from("abcd")
pairs_of_words = st.lists(st.tuples(words, words), min_size=1, max_size=60)


def test_percent_agreement_counts_equal_words():
    figure = percent_agreement([("a", "a"), ("a", "b"), ("b", "b"), ("c", "c")])
    assert (figure.value, figure.k, figure.n) == (0.75, 3, 4)


def test_kappa_by_hand():
    # 31 + 9 of 48 agree; by chance (32 * 38 + 16 * 10) / 48^2 = 1376 / 2304.
    # kappa = (48 * 40 - 1376) / (2304 - 1376) = 544 / 928.
    assert kappa_of_table([[31, 1], [7, 9]]).value == 544 / 928


@PATIENT
@given(pairs_of_words)
def test_kappa_agrees_with_scikit_learn_for_any_classes(pairs):
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    figure = cohen_kappa(pairs)
    if len({*first, *second}) == 1:
        assert isinstance(figure, Undefined)
        return
    assert figure.value == pytest.approx(cohen_kappa_score(first, second), abs=1e-9)
    assert -1 <= figure.low <= figure.value <= figure.high <= 1


def statsmodels_kappa(table):
    import numpy
    from statsmodels.stats.inter_rater import cohens_kappa

    # For the smallest tables it also computes a test against zero as 0/0, which nobody asked for here.
    with numpy.errstate(invalid="ignore", divide="ignore"):
        return cohens_kappa(table)


@PATIENT
@given(st.lists(st.lists(st.integers(0, 200), min_size=3, max_size=3), min_size=3, max_size=3))
@example([[0, 0, 0], [0, 0, 0], [0, 1, 0]])
def test_kappa_and_its_interval_agree_with_statsmodels(table):
    figure = kappa_of_table(table)
    assume(isinstance(figure, Estimate))
    assert figure.value == pytest.approx(statsmodels_kappa(table).kappa, abs=1e-9)
    smoothed = statsmodels_kappa([[count + 2 / 9 for count in row] for row in table])
    half = 1.959963984540054 * math.sqrt(smoothed.var_kappa)
    assert figure.low == pytest.approx(min(figure.value, max(-1, smoothed.kappa - half)), abs=1e-9)
    assert figure.high == pytest.approx(max(figure.value, min(1, smoothed.kappa + half)), abs=1e-9)


def test_agreement_no_better_than_chance_is_exactly_zero():
    # 0.1 * 3 would leave 1e-17 here in floating point.
    assert kappa_of_table([[9, 0], [1, 0]]).value == 0.0
    assert kappa_of_table([[1, 2], [2, 4]]).value == 0.0


def test_full_agreement_still_has_an_interval_with_width():
    few, many = kappa_of_table([[3, 0], [0, 3]]), kappa_of_table([[300, 0], [0, 300]])
    assert few.value == many.value == few.high == 1
    assert few.low < many.low < 1


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [([], "no row"), ([("pass", "pass")] * 6, "one and the same class")],
)
def test_kappa_is_undefined_by_name(pairs, reason):
    figure = cohen_kappa(pairs)
    assert isinstance(figure, Undefined)
    assert reason in figure.reason


def test_two_raters_with_one_class_each_but_not_the_same_have_kappa_zero():
    assert cohen_kappa([("a", "b")] * 4).value == 0.0


def test_percent_agreement_without_rows_is_undefined():
    assert isinstance(percent_agreement([]), Undefined)


# Krippendorff's worked example: four coders, twelve units, nominal alpha 0.743.
CODERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_alpha_reproduces_krippendorffs_worked_example():
    units = [[None if word is None else str(word) for word in unit] for unit in zip(*CODERS, strict=True)]
    figure = krippendorff_alpha(units)
    assert figure.value == pytest.approx(0.743, abs=5e-4)
    assert figure.n == 11  # the last unit has one word only


def alpha_by_definition(units):
    """Disagreement among the ordered pairs of words within rows over that among all ordered pairs."""
    kept = [[word for word in unit if word is not None] for unit in units]
    kept = [unit for unit in kept if len(unit) > 1]
    values = [word for unit in kept for word in unit]
    n = len(values)
    observed = sum(sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in kept) / n
    expected = sum(a != b for a, b in permutations(values, 2)) / (n * (n - 1))
    return 1 - observed / expected


@given(st.lists(st.lists(st.none() | words, min_size=4, max_size=4), max_size=12))
def test_alpha_agrees_with_its_definition_with_any_gaps(units):
    figure = krippendorff_alpha(units)
    rated = [[word for word in unit if word is not None] for unit in units]
    values = {word for unit in rated if len(unit) > 1 for word in unit}
    if len(values) < 2:
        assert isinstance(figure, Undefined)
    else:
        assert figure.value == pytest.approx(alpha_by_definition(units), abs=1e-9)


def test_alpha_leaves_each_row_out_once_for_its_interval():
    units = [["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"], ["a", "a"], ["b", "a"]]
    without = [alpha_by_definition(units[:i] + units[i + 1 :]) for i in range(len(units))]
    mean = sum(without) / 6
    deviation = math.sqrt(5 / 6 * sum((one - mean) ** 2 for one in without))
    figure = krippendorff_alpha(units)
    assert figure.low == pytest.approx(max(-1, figure.value - 1.959963984540054 * deviation))
    assert figure.high == pytest.approx(min(1, figure.value + 1.959963984540054 * deviation))


def test_full_agreement_of_several_is_one_without_a_promise():
    figure = krippendorff_alpha([["a", "a", None], ["b", "b", "b"], ["a", None, "a"]])
    assert (figure.value, figure.low, figure.high) == (1.0, None, None)
    assert "no interval" in figure.method


@pytest.mark.parametrize(
    ("units", "reason"),
    [
        ([], "two people"),
        ([["a", None], [None, "b"]], "two people"),
        ([["a", "a"], ["a", "a"]], "one and the same class"),
    ],
)
def test_alpha_is_undefined_by_name(units, reason):
    figure = krippendorff_alpha(units)
    assert isinstance(figure, Undefined)
    assert reason in figure.reason


@PATIENT
@given(st.lists(st.lists(words, min_size=3, max_size=3), min_size=1, max_size=20))
def test_fleiss_kappa_agrees_with_statsmodels(units):
    from statsmodels.stats.inter_rater import fleiss_kappa as oracle

    figure = fleiss_kappa(units)
    if len({word for unit in units for word in unit}) == 1:
        assert isinstance(figure, Undefined)
        return
    table = [[Counter(unit)[word] for word in "abcd"] for unit in units]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = oracle(table, method="fleiss")
    assert figure.value == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize(
    ("units", "reason"),
    [
        ([], "no row"),
        ([["a"], ["b"]], "two people"),
        ([["a", "b"], ["a", "b", "b"]], "same number"),
        ([["a", "a"]], "one and the same class"),
    ],
)
def test_fleiss_kappa_is_undefined_by_name(units, reason):
    figure = fleiss_kappa(units)
    assert isinstance(figure, Undefined)
    assert reason in figure.reason

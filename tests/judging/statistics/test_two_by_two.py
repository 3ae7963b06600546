"""F1, MCC, balanced accuracy and McNemar's test."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.statistics.counts import Counts
from judging.statistics.twobytwo import balanced_accuracy, f1, mcc, mcnemar, mcnemar_exact
from judging.statistics.values import Estimate, Undefined

PATIENT = settings(deadline=None)
"""For oracles: the first example waits for their import."""

V1 = Counts(tp=31, fn=1, fp=7, tn=9)
tables = st.builds(Counts, *[st.integers(0, 60)] * 4)


def rows_of(table):
    cells = [(1, 1, table.tp), (1, 0, table.fn), (0, 1, table.fp), (0, 0, table.tn)]
    human = [person for person, _, count in cells for _ in range(count)]
    judge = [said for _, said, count in cells for _ in range(count)]
    return human, judge


def test_mcc_by_hand():
    # (31 * 9 - 7 * 1) / sqrt(32 * 16 * 38 * 10) = 272 / 441.0896.
    assert mcc(V1).value == pytest.approx(272 / math.sqrt(194560))
    assert round(mcc(V1).value, 4) == 0.6167


def test_f1_by_hand():
    # 2 * 31 / (2 * 31 + 7 + 1) = 62 / 70, over the 39 rows that either side passed.
    figure = f1(V1)
    assert figure.value == 62 / 70
    assert figure.n == 39
    # Wilson of 31/39: (31 + 1.920729 -+ 1.959964 sqrt(31 * 8 / 39 + 0.960365)) / 42.841459
    # = 0.768432 -+ 0.123771; F1 is 2 J / (1 + J) of both ends.
    assert figure.low == pytest.approx(2 * 0.644661 / 1.644661, abs=1e-5)
    assert figure.high == pytest.approx(2 * 0.892203 / 1.892203, abs=1e-5)


@PATIENT
@given(tables)
def test_figures_agree_with_scikit_learn_wherever_they_are_defined(table):
    from sklearn.metrics import balanced_accuracy_score, f1_score, matthews_corrcoef

    human, judge = rows_of(table)
    if isinstance(figure := f1(table), Estimate):
        assert figure.value == pytest.approx(f1_score(human, judge, zero_division=0), abs=1e-9)
        assert figure.low <= figure.value <= figure.high
    else:
        assert table.tp + table.fn + table.fp == 0
    if isinstance(figure := mcc(table), Estimate):
        assert figure.value == pytest.approx(matthews_corrcoef(human, judge), abs=1e-9)
        assert -1 <= figure.low <= figure.value <= figure.high <= 1
    else:
        assert len(set(human)) < 2 or len(set(judge)) < 2
    if isinstance(figure := balanced_accuracy(table), Estimate):
        assert figure.value == pytest.approx(balanced_accuracy_score(human, judge), abs=1e-9)
        assert 0 <= figure.low <= figure.value <= figure.high <= 1
    else:
        assert len(set(human)) < 2


@given(st.tuples(*[st.integers(0, 60)] * 4))
def test_mcc_interval_is_the_delta_method_on_the_four_shares(cells):
    figure = mcc(Counts(*cells))
    if isinstance(figure, Undefined):
        return

    def phi(tp, fn, fp, tn):
        return (tp * tn - fp * fn) / math.sqrt((tp + fn) * (fp + tn) * (tp + fp) * (fn + tn))

    n = sum(cells) + 2
    shares = [(count + 0.5) / n for count in cells]
    step = 1e-6
    slopes = []
    for i in range(4):
        up, down = list(shares), list(shares)
        up[i] += step * shares[i]
        down[i] -= step * shares[i]
        slopes.append((phi(*up) - phi(*down)) / (2 * step * shares[i]))
    mean = sum(p * g for p, g in zip(shares, slopes, strict=True))
    variance = sum(p * (g - mean) ** 2 for p, g in zip(shares, slopes, strict=True)) / n
    half = 1.959963984540054 * math.sqrt(variance)
    assert figure.low == pytest.approx(min(figure.value, max(-1, phi(*shares) - half)), abs=1e-5)
    assert figure.high == pytest.approx(max(figure.value, min(1, phi(*shares) + half)), abs=1e-5)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (Counts(fp=3, tn=4), "the person passed no row"),
        (Counts(tp=3, fn=4), "the person failed no row"),
        (Counts(fn=3, tn=4), "the judge passed no row"),
        (Counts(tp=3, fp=4), "the judge failed no row"),
        (Counts(), "the person passed no row"),
    ],
)
def test_mcc_is_undefined_by_name(table, reason):
    assert mcc(table) == Undefined(f"undefined: {reason}")


def test_f1_without_any_pass_is_undefined():
    assert f1(Counts(tn=5)) == Undefined("no data: neither the person nor the judge passed a row")
    assert f1(Counts(fn=1, tn=5)).value == 0.0


@pytest.mark.parametrize(("table", "class_"), [(Counts(tp=3), "fails"), (Counts(tn=3), "passes")])
def test_balanced_accuracy_without_one_class_is_undefined(table, class_):
    assert balanced_accuracy(table) == Undefined(f"no data: there are no {class_}")


def test_mcnemar_by_hand():
    # 1 against 7: 2 * (C(8,0) + C(8,1)) / 2^8 = 18 / 256.
    assert mcnemar_exact(1, 7).p_value == 18 / 256
    assert mcnemar_exact(7, 1).p_value == 18 / 256


@PATIENT
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_agrees_with_statsmodels_and_scipy(b, c):
    from scipy.stats import binomtest
    from statsmodels.stats.contingency_tables import mcnemar as oracle

    p_value = mcnemar_exact(b, c).p_value
    assert p_value == pytest.approx(oracle([[10, b], [c, 10]], exact=True).pvalue, abs=1e-9)
    if b + c:
        assert p_value == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-9, abs=1e-300)


def test_mcnemar_of_many_rows_is_quick_and_right():
    from scipy.stats import binomtest

    assert mcnemar_exact(24_700, 25_300).p_value == pytest.approx(binomtest(24_700, 50_000).pvalue, rel=1e-9)


def test_an_even_or_empty_split_says_nothing():
    assert mcnemar_exact(0, 0).p_value == 1
    assert mcnemar_exact(5, 5).p_value == 1


def test_mcnemar_counts_only_rows_that_one_judge_got_right():
    result = mcnemar([(True, False)] * 3 + [(False, True)] + [(True, True)] * 9 + [(False, False)] * 2)
    assert (result.only_first, result.only_second) == (3, 1)
    # 2 * (1 + 4) / 16.
    assert result.p_value == 10 / 16

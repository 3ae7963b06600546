"""Precision, recall and F1 class by class."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from judging.statistics.classes import class_report
from judging.statistics.values import Undefined

PATIENT = settings(deadline=None)
"""For oracles: the first example waits for their import."""

words = st.sampled_from("abc")
ROWS = [("a", "a"), ("a", "a"), ("a", "b"), ("b", "b"), ("b", "a"), ("c", "c")]


def test_each_class_by_hand():
    report = class_report(ROWS)
    a, b, c = report.classes
    assert [one.name for one in report.classes] == ["a", "b", "c"]
    assert ((a.precision.k, a.precision.n), (a.recall.k, a.recall.n)) == ((2, 3), (2, 3))
    assert ((b.precision.k, b.precision.n), (b.recall.k, b.recall.n)) == ((1, 2), (1, 2))
    assert (c.precision.value, c.recall.value, c.f1.value) == (1, 1, 1)
    assert report.macro_precision.value == pytest.approx((2 / 3 + 1 / 2 + 1) / 3)
    assert (report.accuracy.k, report.accuracy.n) == (4, 6)


@PATIENT
@given(st.lists(st.tuples(words, words), min_size=1, max_size=60))
def test_means_agree_with_scikit_learn_wherever_they_are_defined(rows):
    from sklearn.metrics import f1_score, precision_score, recall_score

    human, judge = zip(*rows, strict=True)
    report = class_report(rows)
    want = {"average": "macro", "zero_division": 0}
    assert report.macro_f1.value == pytest.approx(f1_score(human, judge, **want), abs=1e-9)
    assume(set(human) == set(judge))
    assert report.macro_precision.value == pytest.approx(precision_score(human, judge, **want), abs=1e-9)
    assert report.macro_recall.value == pytest.approx(recall_score(human, judge, **want), abs=1e-9)


def test_a_class_the_judge_never_gave_has_no_precision_and_the_mean_says_so():
    report = class_report([("a", "a"), ("b", "a")])
    assert report.classes[1].precision == Undefined("no data: the judge never said 'b'")
    assert report.macro_precision == Undefined("no data: the judge never said 'b'")
    assert report.macro_recall.value == 0.5


def test_a_class_only_the_judge_gave_has_no_recall():
    report = class_report([("a", "a"), ("a", "b")])
    assert report.macro_recall == Undefined("no data: the person never said 'b'")


def test_no_verdict_is_wrong_and_never_a_class():
    report = class_report([("a", "a"), ("a", None), ("b", "b"), ("b", None)])
    assert [one.name for one in report.classes] == ["a", "b"]
    assert report.no_verdict == 2
    assert (report.accuracy.k, report.accuracy.n) == (2, 4)
    assert (report.macro_precision.value, report.macro_recall.value) == (1.0, 0.5)


def test_without_rows_everything_is_undefined():
    report = class_report([])
    figures = (report.accuracy, report.macro_precision, report.macro_recall, report.macro_f1)
    assert report.classes == ()
    assert all(isinstance(figure, Undefined) for figure in figures)

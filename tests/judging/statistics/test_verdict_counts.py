"""Counting verdicts against labels."""

from __future__ import annotations

import pytest

from judging.statistics.counts import Counts

SIX = Counts(tp=1, fn=2, fp=3, tn=4, no_verdict_pass=5, no_verdict_fail=6)


def test_each_pair_of_words_has_its_own_count():
    pairs = [
        *[("pass", "pass")] * 1,
        *[("pass", "fail")] * 2,
        *[("fail", "pass")] * 3,
        *[("fail", "fail")] * 4,
        *[("pass", None)] * 5,
        *[("fail", None)] * 6,
    ]
    assert Counts.of(pairs) == SIX


@pytest.mark.parametrize("word", [None, "unknown", "error", "", "PASS", "A", "nan"])
def test_any_other_word_of_the_judge_is_no_verdict_and_never_guessed(word):
    assert Counts.of([("pass", word), ("fail", word)]) == Counts(no_verdict_pass=1, no_verdict_fail=1)


@pytest.mark.parametrize("word", ["unsure", "", "Pass"])
def test_a_label_that_is_neither_pass_nor_fail_is_refused(word):
    with pytest.raises(ValueError, match="pass or fail"):
        Counts.of([("pass", "pass"), (word, "pass")])


def test_counts_add_up():
    assert Counts(2, 4, 6, 8, 10, 12) == SIX + SIX
    assert SIX + Counts() == SIX


def test_totals_are_over_both_sides():
    assert (SIX.passes, SIX.fails, SIX.total) == (8, 13, 21)
    assert (SIX.no_verdict, SIX.answered) == (11, 10)
    assert (SIX.judged_pass, SIX.judged_fail, SIX.right) == (4, 6, 5)


def test_strict_counts_a_missing_verdict_as_the_wrong_one():
    assert SIX.against_judge() == Counts(tp=1, fn=7, fp=9, tn=4)


def test_answered_leaves_missing_verdicts_out():
    assert SIX.answered_only() == Counts(tp=1, fn=2, fp=3, tn=4)


def test_counts_cannot_be_negative():
    with pytest.raises(ValueError, match="negative"):
        Counts(tp=-1)

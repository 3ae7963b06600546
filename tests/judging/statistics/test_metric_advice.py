"""The one sentence about a judge."""

from __future__ import annotations

import pytest

from judging.statistics.advice import AdviceCode, advise
from judging.statistics.binary import binary_readings
from judging.statistics.counts import Counts


def advice(*args, **options):
    return advise(binary_readings(Counts(*args)), **options)


@pytest.mark.parametrize(
    ("counts", "code", "text"),
    [
        ((0, 0, 0, 0), AdviceCode.NO_DATA, "label some"),
        ((6, 0, 0, 0), AdviceCode.ONE_CLASS, "label fails too"),
        ((0, 0, 1, 5), AdviceCode.ONE_CLASS, "label passes too"),
        ((0, 0, 0, 0, 30, 10), AdviceCode.NO_VERDICTS, "any of the 40 rows"),
        ((0, 10, 10, 0), AdviceCode.INVERTED, "may be inverted"),
        ((32, 0, 16, 0), AdviceCode.PASSES_EVERYTHING, "caught 0 of 16 fails"),
        ((29, 0, 40, 1), AdviceCode.PASSES_EVERYTHING, "caught 1 of 41 fails"),
        ((10, 2, 7, 0), AdviceCode.PASSES_EVERYTHING, "passed 17 of 19 rows"),
        ((1, 31, 0, 16), AdviceCode.FAILS_EVERYTHING, "passed 1 of 32 passes"),
        ((31, 1, 7, 9), AdviceCode.TOO_LENIENT, "caught 9 of 16 fails (56 %), below the floor of 80 %"),
        ((31, 1, 2, 14), AdviceCode.TOO_LENIENT, "caught 14 of 16 fails (88 %), short of 90 %"),
        ((20, 12, 0, 16), AdviceCode.TOO_STRICT, "passed 20 of 32 passes (62 %), below the floor"),
        ((7, 3, 2, 9), AdviceCode.BOTH_LOW, "Both rates are low"),
        ((20, 0, 1, 14, 12, 1), AdviceCode.NO_VERDICTS, "13 of 48 rows have no verdict"),
        ((372, 28, 28, 372), AdviceCode.GOOD_ENOUGH, "at least 90 %"),
    ],
)
def test_each_kind_of_judge_gets_its_sentence(counts, code, text):
    got = advice(*counts)
    assert (got.code, text in got.text) == (code, True), got.text
    assert got.reason
    assert got.text.endswith(".")


def test_few_labels_are_named_with_how_many_more():
    got = advice(97, 3, 1, 14)
    # Lower end 0.90 at 14 of 15 needs n >= 1.96^2 * 0.9 * 0.1 / (14/15 - 0.9)^2 = 311.2, and 294 of 315
    # is the first whole number of rows there: 300 more. 97 of 100 reaches 0.9155 as it is.
    assert got.code is AdviceCode.TOO_FEW_LABELS
    assert got.text == "15 fails are too few to promise 90 %: label 300 more fails."


def test_too_few_of_both_names_both():
    got = advice(13, 0, 0, 5)
    # 35 of 35 are needed on either side.
    assert got.text == (
        "5 fails and 13 passes are too few to promise 90 %: label 30 more fails and 22 more passes."
    )


def test_a_rate_on_the_target_is_not_cured_by_labels():
    got = advice(400, 0, 1, 9)
    assert got.code is AdviceCode.TOO_FEW_LABELS
    assert "improve the judge" in got.text
    assert "more fails" not in got.text


def test_rows_without_a_verdict_are_named_beside_the_rate_they_lower():
    got = advice(31, 0, 2, 9, 3, 1)
    assert "caught 9 of 12 fails (75 %, 1 without a verdict)" in got.text


def test_the_reason_gives_both_rates_with_their_intervals():
    assert advice(31, 1, 7, 9).reason == (
        "TPR 31 of 32, interval 0.84 to 0.99; TNR 9 of 16, interval 0.33 to 0.77"
    )


def test_an_always_pass_judge_is_shown_beside_saying_pass():
    assert "right on 32 of 48 rows, where always saying pass is right on 32" in advice(32, 0, 16, 0).reason


def test_target_and_floor_move_the_sentence():
    assert advice(31, 1, 2, 14, target=0.85).code is AdviceCode.TOO_FEW_LABELS
    assert "below the floor of 88 %" in advice(31, 1, 2, 14, floor=0.88).text


def test_a_rate_just_short_of_a_bar_never_reads_as_the_bar():
    assert "(89.9 %)" in advice(500, 0, 101, 899).text

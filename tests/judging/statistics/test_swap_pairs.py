"""Pairs judged in both orders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.statistics.pairwise import WINNERS, PairKind, PairVerdict, swap_summary
from judging.statistics.values import Undefined

LLMBAR_NAMES = {"1": "A", "2": "B", "": None}
winners = st.sampled_from(WINNERS)
rows_of_pairs = st.lists(
    st.builds(PairVerdict, winners, winners, winners, st.sampled_from(["A", "B", None])), max_size=30
)


def recorded(rows):
    return [
        PairVerdict(
            LLMBAR_NAMES[row["winner_swap_false"]],
            LLMBAR_NAMES[row["winner_swap_true"]],
            gold=LLMBAR_NAMES[row["label"]],
        )
        for row in rows
    ]


@pytest.mark.parametrize(
    ("name", "right", "consistent"),
    [("gpt4_vanilla_norules_natural", 187, 97), ("falcon_cot_natural", 114, 14)],
)
def test_recorded_judges_reproduce_the_published_figures(llmbar, name, right, consistent):
    # Published: 93.50 / 97.00 and 57.00 / 14.00 percent of 200 verdicts and 100 pairs.
    summary = swap_summary(recorded(llmbar(name)))
    assert (summary.average_accuracy.k, summary.average_accuracy.n) == (right, 200)
    assert (summary.agreement_strict.k, summary.agreement_strict.n) == (consistent, 100)
    assert summary.agreement == summary.agreement_strict


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("A", "A", PairKind.CONSISTENT),
        ("tie", "tie", PairKind.CONSISTENT),
        ("A", "B", PairKind.FIRST_BIASED),
        ("B", "A", PairKind.SECOND_BIASED),
        ("A", "tie", PairKind.HALF),
        ("tie", "B", PairKind.HALF),
        ("A", None, PairKind.NO_VERDICT),
        (None, None, PairKind.NO_VERDICT),
    ],
)
def test_the_two_verdicts_say_what_position_did(first, second, kind):
    # In order AB the first-shown answer is A, in order BA it is B.
    assert PairVerdict(first, second).kind is kind


def test_two_missing_verdicts_do_not_agree():
    summary = swap_summary([PairVerdict(None, None), PairVerdict("A", "A")])
    assert (summary.agreement.k, summary.agreement.n) == (1, 1)
    assert (summary.agreement_strict.k, summary.agreement_strict.n) == (1, 2)


def test_accuracy_under_each_rule_by_hand():
    rows = [
        PairVerdict("A", "A", gold="A"),  # right under every rule
        PairVerdict("A", "B", gold="A"),  # AB right; a tie by MT-bench
        PairVerdict("tie", "B", gold="B"),  # BA right; a tie by MT-bench
        PairVerdict("B", "B", gold="A"),  # wrong
        PairVerdict("A", "B", gold="tie"),  # MT-bench makes it a tie: right
        PairVerdict("tie", "tie", gold="tie"),  # right under every rule
        PairVerdict(None, "A", gold="A"),  # BA right, else wrong: a verdict is missing
        PairVerdict("A", "A"),  # no gold: nowhere
    ]
    summary = swap_summary(rows)
    points = {name: figure.value * 7 for name, figure in summary.accuracy.items()}
    assert points == pytest.approx({"AB": 3, "BA": 4, "both": 2, "mt_bench": 3, "tie_half": 4})
    assert (summary.average_accuracy.k, summary.average_accuracy.n) == (7, 14)
    assert {name: figure.k for name, figure in summary.accuracy.items()} == {
        "AB": 3,
        "BA": 4,
        "both": 2,
        "mt_bench": 3,
        "tie_half": None,
    }
    assert all(figure.n == 7 for figure in summary.accuracy.values())


def test_the_interval_counts_pairs_and_not_verdicts():
    from judging.statistics.rates import wilson

    summary = swap_summary([PairVerdict("A", "A", gold="A")] * 20)
    assert summary.average_accuracy.n == 40
    assert summary.average_accuracy.low == wilson(20, 20).low


@given(rows_of_pairs)
def test_a_missing_verdict_is_wrong_under_every_rule(rows):
    silent = [PairVerdict(None, None, row.gold, row.longer) for row in rows]
    for figure in swap_summary(silent).accuracy.values():
        assert isinstance(figure, Undefined) or figure.value == 0


@given(rows_of_pairs)
def test_counts_and_table_add_up(rows):
    summary = swap_summary(rows)
    kinds = (
        summary.consistent,
        summary.first_biased,
        summary.second_biased,
        summary.half,
        summary.no_verdict,
    )
    assert sum(kinds) == summary.pairs == len(rows)
    assert summary.a_wins + summary.b_wins + summary.ties == summary.consistent
    table = summary.table
    assert sum(map(sum, table)) == len(rows)
    assert table[0][0] + table[1][1] + table[2][2] == summary.consistent
    assert (table[0][1], table[1][0]) == (summary.first_biased, summary.second_biased)


@given(rows_of_pairs)
def test_renaming_the_answers_swaps_the_names_and_keeps_the_figures(rows):
    other = {"A": "B", "B": "A", "tie": "tie", None: None}
    # The answer called A is now called B, and the orders trade places with it.
    renamed = [PairVerdict(other[r.second], other[r.first], other[r.gold], other[r.longer]) for r in rows]
    here, there = swap_summary(rows), swap_summary(renamed)
    assert (here.a_wins, here.b_wins) == (there.b_wins, there.a_wins)
    assert (here.first_biased, here.second_biased) == (there.first_biased, there.second_biased)
    assert here.agreement == there.agreement
    assert here.average_accuracy == there.average_accuracy
    assert here.prefers_longer == there.prefers_longer
    assert here.accuracy["AB"] == there.accuracy["BA"]
    assert here.accuracy["both"] == there.accuracy["both"]


def test_taste_for_length_is_shown_beside_golds():
    rows = [
        PairVerdict("A", "A", gold="B", longer="A"),
        PairVerdict("A", "tie", gold="A", longer="A"),
        PairVerdict("B", None, gold="tie", longer="A"),
        PairVerdict("A", "A", gold="A", longer=None),
    ]
    summary = swap_summary(rows)
    # Verdicts naming a winner where lengths differ: A A, A, B; three of four name the longer one.
    assert (summary.prefers_longer.k, summary.prefers_longer.n) == (3, 4)
    assert (summary.gold_prefers_longer.k, summary.gold_prefers_longer.n) == (1, 2)


def test_without_pairs_or_gold_figures_are_undefined_by_name():
    nothing, no_gold = swap_summary([]), swap_summary([PairVerdict("A", "A")])
    assert nothing.agreement == Undefined("no data: no pair has a verdict in both orders")
    assert nothing.agreement_strict == Undefined("no data: there are no pairs")
    assert no_gold.average_accuracy == Undefined("no data: no pair has a known better answer")
    assert set(no_gold.accuracy.values()) == {Undefined("no data: no pair has a known better answer")}
    for figure in (no_gold.prefers_longer, no_gold.gold_prefers_longer):
        assert isinstance(figure, Undefined)
        assert "different length" in figure.reason


@pytest.mark.parametrize(
    "words",
    [("1", "A", None, None), ("A", "unparsed", None, None), ("A", "A", "C", None), ("A", "A", None, "tie")],
)
def test_a_word_that_names_no_answer_is_refused(words):
    with pytest.raises(ValueError, match="not"):
        PairVerdict(*words)

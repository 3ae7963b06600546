"""The two rules that turn votes into a verdict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.statistics.voting import Outcome, VotingRule, more_than_half, most_frequent

votes = st.lists(st.sampled_from(["pass", "fail", "unknown", None]), min_size=1, max_size=11)


def test_missing_votes_count_among_those_asked_for():
    assert more_than_half(["pass", "pass"], asked=5).outcome is Outcome.UNDECIDED
    assert more_than_half(["pass", "pass", "pass"], asked=5).winner == "pass"


def test_an_even_split_falls_to_no_side():
    result = more_than_half(["pass", "fail"])
    assert (result.outcome, result.winner, result.votes_for) == (Outcome.UNDECIDED, None, 1)


def test_a_majority_for_unknown_is_unknown_and_not_a_pass():
    assert more_than_half(["unknown", "unknown", "pass"]).winner == "unknown"


def test_no_readable_vote_is_an_error_under_both_rules():
    for rule in (more_than_half, most_frequent):
        result = rule([None, None])
        assert (result.outcome, result.winner, result.readable) == (Outcome.ERROR, None, 0)


@pytest.mark.parametrize(
    ("given_votes", "winner"),
    [
        (["pass", "fail", "fail"], "fail"),
        (["fail", "pass"], "fail"),
        ([None, "pass", "fail"], "pass"),
        ([None, None, "fail"], "fail"),
        # Three words: the tie is between B and A, and B came first among them.
        (["tie", "B", "A", "A", "B"], "B"),
    ],
)
def test_the_most_frequent_vote_wins_and_ties_go_to_the_first_readable_candidate(given_votes, winner):
    result = most_frequent(given_votes)
    assert (result.rule, result.winner) == (VotingRule.MOST_FREQUENT, winner)


@given(votes)
def test_a_majority_is_always_also_the_most_frequent(given_votes):
    majority, plurality = more_than_half(given_votes), most_frequent(given_votes)
    if majority.outcome is Outcome.DECIDED:
        assert majority.winner == plurality.winner
        assert 2 * majority.votes_for > majority.asked
    assert majority.votes_for == plurality.votes_for
    assert majority.readable == plurality.readable == sum(vote is not None for vote in given_votes)


@given(votes)
def test_order_does_not_matter_to_a_majority(given_votes):
    assert more_than_half(given_votes).winner == more_than_half(given_votes[::-1]).winner


@pytest.mark.parametrize(("given_votes", "asked"), [(["pass", "pass"], 1), ([], None), ([], 0)])
def test_votes_that_do_not_fit_the_number_asked_for_are_an_error(given_votes, asked):
    for rule in (more_than_half, most_frequent):
        with pytest.raises(ValueError, match="asked for"):
            rule(given_votes, asked=asked)

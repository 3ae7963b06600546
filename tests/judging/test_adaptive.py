"""Adaptive drawing: never another outcome than the full vote where it says so, and never a call too many."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recipe_kit import GARBLED, TIMED_OUT, context, draft_of, feed, says

from judging.recipes import RULES, start
from judging.recipes.stopping import Stopping, leader_probability
from judging.recipes.votes import count_votes
from store.records import Reason

WORDS = ("pass", "fail", "unknown", None)


def reply(verdict):
    return GARBLED if verdict is None else says(verdict)


def outcome(votes, rule, asked=None, confidence=None):
    """Draw adaptively from votes; return the rounds' sizes and the draft."""
    where = context(
        recipe="plain",
        n=asked or len(votes),
        reducer="adaptive",
        vote=rule,
        **({"confidence": confidence} if confidence else {}),
    )
    rounds, draft = feed(start("plain", where), map(reply, votes))
    return [len(calls) for calls in rounds], draft


# --- certainty ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("asked", [1, 2, 3, 4, 5])
def test_settled_means_that_every_way_to_go_on_ends_the_same(rule, asked):
    for drawn in range(asked):
        for votes in product(WORDS, repeat=drawn):
            ends = {
                count_votes([*votes, *rest], rule).verdict for rest in product(WORDS, repeat=asked - drawn)
            }
            assert Stopping(asked, rule).settled(votes) is (len(ends) == 1), votes


@pytest.mark.parametrize("rule", RULES)
def test_adaptive_drawing_gives_the_verdict_of_the_full_majority(rule):
    for votes in product(("pass", "fail", None), repeat=5):
        _, draft = outcome(votes, rule)
        assert draft.verdict == count_votes(votes, rule).verdict, votes


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=15), st.sampled_from(sorted(RULES)))
def test_so_it_does_for_any_number_and_any_verdicts(votes, rule):
    _, draft = outcome(votes, rule)
    assert draft.verdict == count_votes(votes, rule).verdict


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=2, max_size=11), st.sampled_from(sorted(RULES)))
def test_no_call_is_made_that_drawing_one_by_one_would_not_have_made(votes, rule):
    stopping = Stopping(len(votes), rule)
    one_by_one = next(
        number for number in range(1, len(votes) + 1)
        if number == len(votes) or stopping.settled(votes[:number])
    )  # fmt: skip
    sizes, _ = outcome(votes, rule)
    assert sum(sizes) == one_by_one


def test_three_alike_of_five_are_drawn_side_by_side_and_end_it():
    sizes, draft = outcome(["pass", "pass", "pass"], "quorum", asked=5)
    assert (sizes, draft.verdict) == ([3], "pass")
    assert draft.flags == ("stopped after 3 of 5 candidates: the rest cannot change the vote",)
    assert len(draft.candidates) == 3


def test_a_split_draws_on_and_a_full_count_is_flagged_as_nothing_special():
    sizes, draft = outcome(["pass", "fail", "pass", "fail", "pass"], "quorum")
    assert (sizes, draft.verdict, draft.flags) == ([3, 1, 1], "pass", ())


def test_failed_candidates_are_counted_among_those_drawn_alone():
    draft = outcome(["pass", None, "pass", "pass"], "quorum", asked=5)[1]
    assert draft.flags == (
        "1 of 4 candidates gave no verdict",
        "stopped after 4 of 5 candidates: the rest cannot change the vote",
    )


def test_a_vote_that_can_only_stay_undecided_is_not_paid_to_its_end():
    sizes, draft = outcome([None, None, None], "strict", asked=5)
    assert (sizes, draft.verdict, draft.reason) == ([3], None, Reason.UNPARSED)
    split = outcome(["pass", "fail", None, None], "strict", asked=5)[1]
    assert (split.verdict, split.reason) == (None, Reason.UNDECIDED)
    assert split.detail == "votes: 1 pass, 1 fail, 2 without a verdict"
    assert "stopped after 4 of 5" in split.flags[0]


def test_later_rounds_draw_later_samples_of_the_same_request():
    where = context(recipe="plain", n=5, reducer="adaptive", repeat=2)
    rounds, _ = feed(start("plain", where), map(says, ["pass", "fail", "pass", "pass"]))
    assert [[call.sample for call in calls] for calls in rounds] == [[10, 11, 12], [13]]
    assert len({call.request.hash for calls in rounds for call in calls}) == 1


def test_a_failing_server_is_no_vote():
    draft = draft_of([TIMED_OUT, TIMED_OUT, TIMED_OUT], n=5, reducer="adaptive")
    assert (draft.verdict, draft.reason) == (None, Reason.TIMEOUT)


# --- confidence -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("votes", "probability"),
    [
        ([], 0.5),
        ([None, None], 0.5),
        (["pass"], 3 / 4),
        (["pass"] * 3, 15 / 16),
        (["pass"] * 4, 31 / 32),
        (["pass", "fail"], 0.5),
        (["pass", "pass", "fail"], 11 / 16),
        (["fail", None, "pass", "fail"], 11 / 16),
        (["pass", "pass", "fail", "unknown"], 11 / 16),
    ],
)
def test_the_leaders_probability_is_the_posterior_under_a_uniform_prior(votes, probability):
    assert leader_probability(votes) == probability


@pytest.mark.parametrize(("first", "second"), [(0, 0), (3, 1), (7, 2), (30, 20)])
def test_it_is_what_scipy_says_of_the_beta_distribution(first, second):
    stats = pytest.importorskip("scipy.stats")
    expected = stats.beta(first + 1, second + 1).sf(0.5)
    assert leader_probability(["a"] * first + ["b"] * second) == pytest.approx(expected)


def test_drawing_stops_at_the_stated_confidence_and_says_where():
    sizes, draft = outcome(["fail"] * 4, "quorum", asked=20, confidence=0.95)
    assert (sizes, draft.verdict) == ([4], "fail")
    assert draft.flags == ("stopped after 4 of 20 candidates: the leader's probability is 0.969",)


def test_a_dissent_costs_more_draws():
    votes = ["fail", "fail", "fail", "pass", "fail", "fail", "fail"]
    sizes, draft = outcome(votes, "quorum", asked=20, confidence=0.95)
    assert (sizes, draft.verdict) == ([4, 3], "fail")
    assert leader_probability(votes[:6]) < 0.95 <= leader_probability(votes)


def test_candidates_without_a_verdict_convince_nobody():
    sizes, draft = outcome([None] * 4 + ["fail"] * 6, "quorum", asked=10, confidence=0.95)
    assert sum(sizes) == 9
    assert draft.verdict == "fail"


@pytest.mark.parametrize("confidence", [0.5, 1, 1.0, 0, "0.9", True])
def test_a_confidence_that_makes_no_sense_is_refused(confidence):
    with pytest.raises(ValueError, match="confidence has to be"):
        start("plain", context(recipe="plain", n=5, reducer="adaptive", confidence=confidence))


def test_a_confidence_without_adaptive_drawing_is_refused():
    with pytest.raises(ValueError, match="for the 'adaptive' reducer"):
        start("plain", context(recipe="plain", n=5, confidence=0.9))

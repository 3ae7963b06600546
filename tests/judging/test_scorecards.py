"""Scorecards: what a card may be, the formula, and what is read from an answer."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.parsing import CHANGED, REPAIRED, read_answer
from judging.parsing.scores import read_scores
from judging.scorecards import Scorecard, in_words
from store.records import JudgeKind, JudgeVersion, Reason

POINTS = {"1": "wrong", "3": "half", "5": "right"}
DIMENSIONS = {
    "accuracy": {"weight": 0.45, "points": POINTS},
    "completeness": {"weight": 0.45, "points": POINTS},
    "fluency": {"weight": 0.1, "points": POINTS},
}


def judge(dimensions=DIMENSIONS, overall=None):
    params = {"dimensions": dimensions, "overall": {"round": 0.5} if overall is None else overall}
    return JudgeVersion("j", "c", 1, JudgeKind.SCORECARD, "critique-first", "scripted", params=params)


CARD = Scorecard.of(judge())


def answer(*scores, critique="so-so", **more):
    each = {
        name: {"evidence": f"about {name}", "score": score, "confidence": "high"}
        for name, score in zip(DIMENSIONS, scores, strict=True)
    }
    return json.dumps({"critique": critique, "scores": each, **more})


# --- the formula --------------------------------------------------------------------------------


def test_the_overall_of_3_4_2_is_three_and_a_half():
    assert CARD.overall({"accuracy": 3, "completeness": 4, "fluency": 2}) == 3.5
    exact = Scorecard.of(judge(overall={}))
    assert exact.overall({"accuracy": 3, "completeness": 4, "fluency": 2}) == 3.35


def test_the_formula_is_said_in_words():
    assert CARD.formula() == (
        "0.45 × accuracy + 0.45 × completeness + 0.1 × fluency, rounded to the nearest 0.5 (halves up)"
    )


@given(st.tuples(*[st.integers(1, 5)] * 3), st.sampled_from(["0.5", "0.25", "1", "0.1"]))
def test_the_overall_is_the_nearest_step_to_the_weighted_sum(scores, step):
    card = Scorecard(CARD.dimensions, Decimal(step))
    exact = sum(Fraction(str(one.weight)) * score for one, score in zip(CARD.dimensions, scores, strict=True))
    overall = Fraction(str(card.overall(dict(zip(DIMENSIONS, scores, strict=True)))))
    assert (overall / Fraction(step)).denominator == 1
    assert -Fraction(step) / 2 < overall - exact <= Fraction(step) / 2


def test_a_sum_halfway_between_two_steps_is_rounded_up():
    half = {"a": {"weight": 0.5, "points": POINTS}, "b": {"weight": 0.5, "points": POINTS}}
    card = Scorecard.of(judge(half, {"round": 1}))
    assert [card.overall({"a": 1, "b": b}) for b in (2, 3, 4)] == [2, 2, 3]


def test_an_overall_is_written_without_needless_zeros():
    assert [in_words(value) for value in (3.5, 4.0, 3.35)] == ["3.5", "4", "3.35"]


# --- what a card may be ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dimensions", "message"),
    [
        (None, "needs dimensions"),
        ({}, "needs dimensions"),
        ({"a": 3}, "'a' has to be an object"),
        ({"a": {"points": POINTS}}, "'a' needs a weight"),
        ({"a": {"weight": True, "points": POINTS}}, "'a' needs a weight"),
        ({"a": {"weight": 0, "points": POINTS}}, "'a' needs a weight"),
        ({"a": {"weight": 0.9, "points": POINTS}}, "add up to 1, not 0.9"),
        ({"a": {"weight": 1}}, "'a' has to say what 1, 3, 5 of 5 means"),
        ({"a": {"weight": 1, "points": {"1": "x", "5": "y"}}}, "'a' has to say what 3 of 5 means"),
        ({"a": {"weight": 1, "points": {**POINTS, "6": "x"}}}, "each point is 1 to 5"),
        ({"a": {"weight": 1, "points": {**POINTS, "3": " "}}}, "each point is 1 to 5"),
        ({"overall": {"weight": 1, "points": POINTS}}, "'overall'"),
        ({" ": {"weight": 1, "points": POINTS}}, "needs a name"),
        (
            {"a b": {"weight": 0.5, "points": POINTS}, "A_B": {"weight": 0.5, "points": POINTS}},
            "told apart",
        ),
    ],
)
def test_a_card_that_cannot_be_used_is_refused_with_the_reason(dimensions, message):
    with pytest.raises(ValueError, match=message):
        Scorecard.of(judge(dimensions))


@pytest.mark.parametrize("overall", [{"round": 0}, {"round": "½"}, {"round": 2}, {"mean": 1}, 0.5])
def test_a_rounding_that_cannot_be_used_is_refused(overall):
    with pytest.raises(ValueError, match="overall"):
        Scorecard.of(judge(overall=overall))


def test_points_may_be_numbers_and_come_out_in_order():
    card = Scorecard.of(judge({"a": {"weight": 1, "points": {5: "e", 1: "a", 3: "c", 4: "d"}}}))
    assert list(card.dimensions[0].points) == [1, 3, 4, 5]


# --- what is read ---------------------------------------------------------------------------------


def test_scores_are_read_with_their_evidence_and_the_overall_computed():
    reading = read_answer(answer(3, 4, 2), judge())
    assert (reading.verdict, reading.reason, reading.flags) == ("3.5", None, ())
    assert reading.scores == {"accuracy": 3, "completeness": 4, "fluency": 2}
    assert reading.critique.split("\n") == [
        "so-so",
        "accuracy 3, confidence high: about accuracy",
        "completeness 4, confidence high: about completeness",
        "fluency 2, confidence high: about fluency",
    ]


@pytest.mark.parametrize("claim", [1, 5, "5", None])
def test_an_overall_that_the_model_adds_counts_for_nothing(claim):
    assert read_scores(answer(3, 4, 2, overall=claim, verdict=claim), CARD).verdict == "3.5"


@pytest.mark.parametrize(
    "text",
    [
        f"Sure!\n```json\n{answer(3, 4, 2)}\n```\nHope that helps. 5/5!",
        f'<think>{{"scores": {{"accuracy": 5}}}}</think>{answer(3, 4, 2)}',
        '{"accuracy": 3, "completeness": "4", "fluency": 2.0}',
        '{"scores": {"Accuracy": {"score": 3}, "completeness": 4, "FLUENCY": 2}}',
        answer(3, 4, 2).replace('"so-so"', '"it says {\\"accuracy\\": 5}"'),
    ],
)
def test_scores_are_read_out_of_what_surrounds_them(text):
    reading = read_scores(text, CARD)
    assert (reading.verdict, reading.scores) == ("3.5", {"accuracy": 3, "completeness": 4, "fluency": 2})


@pytest.mark.parametrize("untold", [None, "unknown", "n/a"])
def test_a_score_that_cannot_be_told_makes_the_verdict_unknown_and_keeps_the_others(untold):
    reading = read_scores(answer(3, untold, 2), CARD)
    assert (reading.verdict, reading.reason) == ("unknown", None)
    assert reading.scores == {"accuracy": 3, "fluency": 2}
    assert "completeness cannot be told" in reading.critique


@pytest.mark.parametrize("score", [0, 6, -1, 3.5, "three", "3/5", True, "", [3], {"score": 3}])
def test_a_score_that_is_no_point_is_no_verdict(score):
    reading = read_scores(answer(3, score, 2), CARD)
    assert (reading.verdict, reading.reason, reading.scores) == (None, Reason.UNPARSED, {})
    assert "'completeness' holds" in reading.detail


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.EMPTY),
        ("\u200b \n", Reason.EMPTY),
        ("Accuracy 3, completeness 4, fluency 2.", Reason.UNPARSED),
        ('{"critique": "good", "verdict": "5"}', Reason.UNPARSED),
        ('{"scores": "3, 4, 2"}', Reason.UNPARSED),
        ('{"scores": {"accuracy": 3, "fluency": 2}}', Reason.UNPARSED),
        ('{"scores": {"accuracy": 3, "completeness": 4, "fluency": ', Reason.UNPARSED),
        (answer(3, 4, 2) + '\n{"critique": "no, wait", "scores": {"accuracy": 1, ', Reason.UNPARSED),
        ('{"accuracy": 3, "accuracy": 4, "completeness": 4, "fluency": 2}', Reason.CONTRADICTORY),
        (f"[{answer(3, 4, 2)}, {answer(1, 1, 1)}]", Reason.CONTRADICTORY),
        ('{"scores": {"accuracy": 1}, "scores": {"accuracy": 2}}', Reason.CONTRADICTORY),
        (answer(3, 4, 2) + ' but rather {"accuracy": null, "completeness": 4, "fluency": 2}',
         Reason.CONTRADICTORY),
    ],
)  # fmt: skip
def test_what_is_no_whole_scorecard_has_a_reason_and_no_scores(text, reason):
    reading = read_scores(text, CARD)
    assert (reading.verdict, reading.reason, reading.scores) == (None, reason, {})
    assert reading.detail


def test_the_last_scorecard_wins_and_says_that_it_replaced_one():
    reading = read_scores(f"{answer(5, 5, 5)}\nOn reflection:\n{answer(3, 4, 2)}", CARD)
    assert (reading.verdict, reading.flags) == ("3.5", (CHANGED,))
    repeated = read_scores(f"{answer(3, 4, 2)}\nAgain:\n{answer(3, 4, 2)}", CARD)
    assert repeated.flags == ()


def test_commas_before_a_bracket_are_forgiven_and_flagged():
    reading = read_scores('{"scores": {"accuracy": 3, "completeness": 4, "fluency": 2,},}', CARD)
    assert (reading.verdict, reading.flags) == ("3.5", (REPAIRED,))


@given(st.text(max_size=80), st.text(max_size=80))
def test_no_text_around_a_scorecard_raises_or_invents_a_point(before, after):
    reading = read_scores(before + answer(3, 4, 2) + after, CARD)
    assert reading.verdict in ("3.5", None)
    assert (reading.verdict is None) == (reading.reason is not None)

"""Classes and scorecards through every reducer, advocates, several models, and the plan of all that."""

from __future__ import annotations

import json

import pytest
from recipe_kit import (
    DIMENSIONS,
    GARBLED,
    PAIR,
    ROW,
    TIMED_OUT,
    context,
    draft_of,
    drive,
    says,
    scores,
)

from judging.calls import Answer
from judging.recipes import CUT_OFF, OVERRULED, RECIPES, REDUCERS, TIE_BROKEN, planned, start
from judging.recipes.advocates import NO_CASE
from judging.recipes.scoring import NEAREST
from store.records import JudgeKind, Order, Reason

CLASSIFY, SCORECARD = JudgeKind.CLASSIFY, JudgeKind.SCORECARD


def advocated(*rounds, row=ROW, order=None, **settings):
    where = context(row, order=order, reducer="critique", advocate=True, **settings)
    return drive(start("critique-first", where), *rounds)


# --- classes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_sorts_into_classes(recipe):
    draft = draft_of([says("BILLING")], kind=CLASSIFY, recipe=recipe)
    assert (draft.verdict, draft.critique, draft.scores) == ("billing", "because", {})


def test_a_word_that_is_no_class_is_no_verdict():
    assert draft_of([says("pass")], kind=CLASSIFY).reason is Reason.UNPARSED
    assert draft_of([says("unknown")], kind=CLASSIFY).verdict == "unknown"


@pytest.mark.parametrize(
    ("votes", "verdict", "flags"),
    [
        (["other", "billing", "billing"], "billing", ()),
        (["other", "billing", "access"], "other", (TIE_BROKEN,)),
    ],
)
def test_classes_are_voted_on(votes, verdict, flags):
    draft = draft_of([says(vote) for vote in votes], kind=CLASSIFY, n=3)
    assert (draft.verdict, draft.flags) == (verdict, flags)


def test_adaptive_drawing_and_the_critic_work_on_classes():
    assert draft_of([says("other")] * 3, kind=CLASSIFY, n=5, reducer="adaptive").verdict == "other"
    votes = [says("other"), says("other"), says("access")]
    draft = draft_of(votes, [says("access")], kind=CLASSIFY, n=3, reducer="critique")
    assert (draft.verdict, draft.flags) == ("access", (OVERRULED,))


# --- scorecards -----------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_scores_and_the_overall_is_computed(recipe):
    draft = draft_of([scores(3, 4, 2)], kind=SCORECARD, recipe=recipe)
    assert (draft.verdict, draft.reason) == ("3.5", None)
    assert draft.scores == {"accuracy": 3, "completeness": 4, "fluency": 2}
    assert draft.candidates[0].scores == draft.scores


def test_several_scorecards_come_to_their_median_by_dimension():
    drawn = [scores(1, 4, 2), scores(3, 5, 2, critique="the middle"), scores(4, 4, 5)]
    draft = draft_of(drawn, kind=SCORECARD, n=3)
    assert draft.scores == {"accuracy": 3, "completeness": 4, "fluency": 2}
    assert (draft.verdict, draft.flags) == ("3.5", (NEAREST,))
    assert draft.critique.startswith("the middle")
    assert [one.verdict for one in draft.candidates] == ["2.5", "4", "4"]


def test_an_even_number_of_scorecards_may_come_between_two_points():
    draft = draft_of([scores(3, 4, 2), scores(4, 4, 2)], kind=SCORECARD, n=2)
    assert (draft.scores["accuracy"], draft.verdict) == (3.5, "3.5")


@pytest.mark.parametrize(
    ("drawn", "verdict", "reason"),
    [
        ([scores(3, 4, 2), scores(3, 4, 2), GARBLED], "3.5", None),
        ([scores(3, None, 2), scores(3, None, 2), scores(3, 4, 2)], "unknown", None),
        ([scores(3, None, 2), GARBLED, scores(3, 4, 2)], None, Reason.UNDECIDED),
        ([GARBLED, TIMED_OUT, GARBLED], None, Reason.UNPARSED),
    ],
)
def test_a_median_needs_more_than_half_of_the_scorecards(drawn, verdict, reason):
    draft = draft_of(drawn, kind=SCORECARD, n=3)
    assert (draft.verdict, draft.reason) == (verdict, reason)
    assert (draft.scores == {}) == (verdict in (None, "unknown"))


def test_a_critic_scores_anew_and_overrules_no_vote():
    draft = draft_of([scores(1, 1, 1)] * 2, [scores(3, 4, 2)], kind=SCORECARD, n=2, reducer="critique")
    assert (draft.verdict, draft.flags) == ("3.5", ())
    assert draft.scores == {"accuracy": 3, "completeness": 4, "fluency": 2}
    silent = draft_of([scores(1, 1, 1)] * 2, [GARBLED], kind=SCORECARD, n=2, reducer="critique")
    assert (silent.verdict, silent.reason, silent.scores) == (None, Reason.UNPARSED, {})


def test_scores_before_the_cut_stand_and_are_flagged():
    draft = draft_of([Answer(scores(3, 4, 2).text + " And", "max_tokens")], kind=SCORECARD)
    assert (draft.verdict, draft.scores["accuracy"], draft.flags) == ("3.5", 3, (CUT_OFF,))


@pytest.mark.parametrize("reducer", ["majority", "adaptive"])
def test_scorecards_are_not_put_to_a_vote_and_votes_have_no_median(reducer):
    with pytest.raises(ValueError, match=f"no '{reducer}' reducer; there are first, median, critique"):
        start("plain", context(kind=SCORECARD, recipe="plain", n=3, reducer=reducer))
    with pytest.raises(ValueError, match="no 'median' reducer"):
        start("plain", context(recipe="plain", n=3, reducer="median"))


# --- the advocate ---------------------------------------------------------------------------------

CASE = Answer("3: the list says cashew.", "end_turn")
SPLIT = [says("pass"), says("pass"), says("fail")]


def test_the_advocate_speaks_before_the_critic_for_those_in_the_minority():
    asked, draft = advocated(SPLIT, [CASE], [says("fail", "cashew")], n=3)
    assert [len(calls) for calls in asked] == [3, 1, 1]
    assert "Speak for these opinions: 3." in asked[1][0].request.messages[0].content
    assert CASE.text in asked[2][0].request.messages[0].content
    assert (draft.verdict, draft.flags) == ("fail", (OVERRULED,))
    assert [one.role for one in draft.candidates] == ["candidate"] * 3 + ["advocate", "critic"]
    assert (draft.candidates[3].verdict, draft.candidates[3].raw) == (None, CASE.text)


def test_candidates_are_numbered_as_the_critic_sees_them():
    replies = [GARBLED, says("fail"), says("pass"), says("pass"), says("unknown")]
    asked, _ = advocated(replies, [CASE], [says("pass")], n=5)
    assert "Speak for these opinions: 1, 4." in asked[1][0].request.messages[0].content


def test_nobody_is_asked_to_argue_where_all_agree():
    asked, draft = advocated([says("pass"), GARBLED, says("pass")], [says("pass")], n=3)
    assert [len(calls) for calls in asked] == [3, 1]
    assert "advocate" not in asked[1][0].request.messages[0].content
    assert draft.verdict == "pass"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (TIMED_OUT, Reason.TIMEOUT),
        (Answer(" ", "end_turn"), Reason.EMPTY),
        (Answer("I will not.", "refusal"), Reason.REFUSED),
    ],
)
def test_an_advocate_that_fails_is_flagged_and_never_a_verdict(reply, reason):
    asked, draft = advocated(SPLIT, [reply], [says("pass")], n=3)
    assert (draft.verdict, draft.flags) == ("pass", (f"{NO_CASE}: {reason}",))
    assert draft.candidates[3].reason is reason
    assert "advocate" not in asked[2][0].request.messages[0].content


def test_a_verdict_inside_the_advocates_case_counts_for_nothing():
    _, draft = advocated(SPLIT, [says("fail")], [GARBLED], n=3)
    assert (draft.verdict, draft.reason) == (None, Reason.UNPARSED)
    assert draft.candidates[3].verdict is None


def test_the_order_of_a_pair_is_kept_through_all_three_rounds():
    asked, draft = advocated(
        [says("A"), says("A"), says("B")], [CASE], [says("B")], row=PAIR, order=Order.BA, n=3
    )
    for calls in asked:
        user = calls[0].request.messages[0].content
        assert user.index("\n9\n") < user.index("\n7\n")
    assert (draft.verdict, draft.flags) == ("A", (OVERRULED,))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reducer": "majority"}, "speaks to a critic"),
        ({"reducer": "critique", "kind": SCORECARD}, "scorecards have none"),
        ({"reducer": "critique", "advocate": "yes"}, "true or false"),
    ],
)
def test_an_advocate_where_it_makes_no_sense_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        start("plain", context(recipe="plain", n=3, **{"advocate": True, **settings}))


# --- several models -------------------------------------------------------------------------------


def test_models_take_turns_with_samples_of_their_own():
    where = context(recipe="plain", models=["one", "two"], n=5, reducer="critique", critic_model="three")
    asked, _ = drive(start("plain", where), [says("pass")] * 5, [says("pass")])
    drawn = [(call.request.model, call.sample) for call in asked[0]]
    assert drawn == [("one", 0), ("two", 0), ("one", 1), ("two", 1), ("one", 2)]
    assert asked[1][0].request.model == "three"
    assert len({call.key for call in asked[0]}) == 5


def test_repetitions_with_several_models_draw_fresh_samples():
    keys = set()
    for repeat in range(3):
        where = context(recipe="plain", models=["one", "two"], n=3, repeat=repeat)
        asked, _ = drive(start("plain", where), [says("pass")] * 3)
        keys |= {call.key for call in asked[0]}
    assert len(keys) == 9


def test_one_candidate_from_each_model_unless_said_otherwise():
    where = context(recipe="plain", models=["one", "two", "three"])
    assert (where.samples, where.reducer) == (3, "majority")


def test_no_models_name_reaches_a_prompt():
    where = context(models=["candidate-x", "candidate-y"], reducer="critique", critic_model="critic-z")
    asked, _ = drive(start("teach", where), [says("pass"), says("fail")], [says("fail")])
    for calls in asked:
        for call in calls:
            text = call.request.system + call.request.messages[0].content
            assert not any(name in text for name in ("candidate-x", "candidate-y", "critic-z", "opus"))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"models": []}, "models has to be"),
        ({"models": "one"}, "models has to be"),
        ({"models": ["one", ""]}, "models has to be"),
        ({"models": ["one", 2]}, "models has to be"),
        ({"models": ["one", "one"]}, "twice"),
        ({"models": ["one", "two"], "n": 1}, "n has to be 2 at least"),
    ],
)
def test_models_that_cannot_be_used_are_refused(params, message):
    with pytest.raises(ValueError, match=message):
        start("plain", context(recipe="plain", **params))


# --- plans ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "reducer"), [(kind, name) for name, one in REDUCERS.items() for kind in sorted(one.kinds)]
)
def test_a_plan_holds_every_call_there_can_be(kind, reducer):
    row = PAIR if kind is JudgeKind.PAIRWISE else ROW
    where = context(row, recipe="teach", kind=kind, n=4, reducer=reducer)
    plan = planned("teach", where)
    assert sum(one.calls for one in plan) == (5 if reducer == "critique" else 4)


def test_a_plan_prices_each_model_and_the_advocate():
    where = context(
        recipe="teach", models=["one", "two"], n=5, reducer="critique", critic_model="three", advocate=True
    )
    plan = planned("teach", where)
    assert [(one.model, one.calls) for one in plan] == [("one", 3), ("two", 2), ("three", 1), ("three", 1)]
    plain = planned("teach", context(recipe="teach", models=["one", "two"], n=5, reducer="critique"))
    assert plan[-1].input_tokens > plain[-1].input_tokens


def test_a_scorecards_answer_is_planned_longer_by_its_dimensions():
    longer = planned("plain", context(recipe="plain", kind=SCORECARD))[0].output_tokens
    assert longer > planned("plain", context(recipe="plain"))[0].output_tokens + 30 * len(DIMENSIONS)


# --- the paper's rules, end to end ----------------------------------------------------------------


def test_the_five_envelope_faults_of_the_paper():
    faults = {
        'The first is right. {"final_answer": "A"} Let me know if you need more!': "A",
        '{"final_answer": "AAAAA"}': None,
        '```json\n{"final_answer": "B"}\n```': "B",
        '| step | result |\n|---|---|\n| final | {"final_answer": "A"} |': "A",
        '{"final_answer": "neither"}': None,
    }
    replies = [Answer(text, "end_turn") for text in faults]
    asked, draft = drive(
        start("teach", context(PAIR, recipe="teach", n=5, reducer="critique")), replies, [says("B")]
    )
    assert [one.verdict for one in draft.candidates[:5]] == list(faults.values())
    # Candidates without A or B are dropped: the critic never hears of them.
    critic = asked[1][0].request.messages[0].content
    assert [text in critic for text in faults] == [verdict is not None for verdict in faults.values()]
    # The minority can win.
    assert (draft.verdict, OVERRULED in draft.flags) == ("B", True)


@pytest.mark.parametrize(
    ("reducer", "drawn"), [("first", 3), ("majority", 3), ("adaptive", 2), ("critique", 3)]
)
def test_no_parseable_candidate_is_no_verdict_under_any_reducer(reducer, drawn):
    draft = draft_of([GARBLED] * drawn, row=PAIR, n=3, reducer=reducer)
    assert (draft.verdict, draft.reason) == (None, Reason.UNPARSED)


@pytest.mark.parametrize("text", ["I cannot say.", '{"final_answer": "neither"}', '{"final_answer": "AB"}'])
def test_an_unparseable_critic_stays_without_a_verdict(text):
    candidates = [Answer(json.dumps({"final_answer": "A"}), "end_turn")] * 10
    critic = [Answer(text, "end_turn")]
    draft = draft_of(candidates, critic, row=PAIR, recipe="teach", n=10, reducer="critique")
    assert (draft.verdict, draft.reason) == (None, Reason.UNPARSED)

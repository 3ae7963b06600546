"""How verdicts are made of replies: single samples, votes, critics; no network anywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recipe_kit import GARBLED, PAIR, ROW, TIMED_OUT, context, draft_of, drive, says

from judging.calls import Answer, Failure
from judging.prompting import build_critic_request, build_request
from judging.recipes import (
    CUT_OFF,
    OVERRULED,
    RECIPES,
    REDUCERS,
    RULES,
    TIE_BROKEN,
    TIERS,
    own_name,
    planned,
    start,
)
from judging.recipes.votes import count_votes
from store.records import Candidate, Order, Reason

CASES = Path(__file__).parents[1] / "cases"

# --- single samples -----------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("row", [ROW, PAIR], ids=["single", "pair"])
def test_every_recipe_asks_once_and_reads_the_answer(recipe, row):
    word = "B" if row is PAIR else "fail"
    where = context(row, recipe=recipe)
    asked, draft = drive(start(recipe, where), [says(word)])
    assert [call.key for call in asked[0]] == [f"{asked[0][0].request.hash}#0"]
    assert asked[0][0].request.hash == build_request(row, where.judge, where.criterion, ()).hash
    assert (draft.verdict, draft.critique, draft.reason) == (word, "because", None)
    assert [(one.verdict, one.raw, one.call) for one in draft.candidates] == [
        (word, says(word).text, asked[0][0].key)
    ]


def test_a_recipe_asks_by_its_own_prompt_whatever_the_judge_names():
    asked, _ = drive(start("teach", context(recipe="plain")), [says("pass")])
    assert "gaps" in asked[0][0].request.schema["properties"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Answer("I can't help with that.", "refusal"), Reason.REFUSED),
        (Answer("", "refusal"), Reason.REFUSED),
        (Answer('{"critique": "x", "verdict": "pass"}', "refusal"), Reason.REFUSED),
        (Answer("", "end_turn"), Reason.EMPTY),
        (Answer(" \n", "end_turn"), Reason.EMPTY),
        (Answer("", "max_tokens"), Reason.TRUNCATED),
        (Answer('{"critique": "the list has', "max_tokens"), Reason.TRUNCATED),
        (Answer("so far", "model_context_window_exceeded"), Reason.TRUNCATED),
        (Answer("It is what it is.", "end_turn"), Reason.UNPARSED),
        (Answer("Verdict: pass\nVerdict: fail", "end_turn"), Reason.CONTRADICTORY),
        (Failure(Reason.OVERLOADED, "529"), Reason.OVERLOADED),
        (Failure(Reason.BAD_RESPONSE, "HTML"), Reason.BAD_RESPONSE),
        (Failure(Reason.AUTH, "bad key", fatal=True), Reason.AUTH),
    ],
)
def test_no_verdict_has_the_right_reason_and_keeps_the_text(reply, reason):
    draft = draft_of([reply])
    assert (draft.verdict, draft.reason) == (None, reason)
    assert draft.detail
    assert draft.candidates[0].reason is reason
    assert draft.candidates[0].raw == (reply.text if isinstance(reply, Answer) else "")


def test_a_refusal_names_its_category():
    assert "bio" in draft_of([Answer("", "refusal", stop_detail="bio")]).detail


def test_a_verdict_before_the_cut_stands_and_is_flagged():
    draft = draft_of([Answer(says("fail").text + " Moreover the", "max_tokens")])
    assert (draft.verdict, draft.flags) == ("fail", (CUT_OFF,))


def test_unknown_is_a_verdict():
    assert draft_of([says("unknown")]).verdict == "unknown"


# --- the other order ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "order", "verdict"),
    [
        ("A", Order.AB, "A"),
        ("A", Order.BA, "B"),
        ("B", Order.BA, "A"),
        ("tie", Order.BA, "tie"),
        ("unknown", Order.BA, "unknown"),
        ("A", None, "A"),
    ],
)
def test_verdicts_on_pairs_are_by_the_answers_own_names(said, order, verdict):
    draft = draft_of([says(said)], row=PAIR, order=order)
    assert draft.verdict == draft.candidates[0].verdict == verdict
    assert own_name(None, order) is None


def test_a_critic_on_the_other_order_is_mapped_back_once():
    draft = draft_of([says("A"), says("B")], [says("A")], row=PAIR, order=Order.BA, n=2, reducer="critique")
    assert draft.verdict == "B"
    assert [one.verdict for one in draft.candidates] == ["B", "A", "B"]


# --- votes --------------------------------------------------------------------------------------


def test_a_majority_draws_n_samples_of_one_request_in_one_round():
    asked, draft = drive(
        start("teach", context(recipe="teach", n=3, reducer="majority")),
        [says("fail", "one"), says("pass"), says("fail", "two")],
    )
    assert [call.sample for call in asked[0]] == [0, 1, 2]
    assert len({call.request.hash for call in asked[0]}) == 1
    assert (draft.verdict, draft.critique, draft.flags) == ("fail", "one", ())
    assert len(draft.candidates) == 3


def test_several_samples_are_put_to_the_vote_unless_said_otherwise():
    replies = [says("pass"), says("fail"), says("fail")]
    assert draft_of(replies, n=3).verdict == "fail"
    assert draft_of(replies, n=3, reducer="first").verdict == "pass"


def test_repetitions_draw_fresh_samples():
    asked, _ = drive(start("plain", context(recipe="plain", n=3, repeat=2)), [says("pass")] * 3)
    assert [call.sample for call in asked[0]] == [6, 7, 8]
    critic = start("plain", context(recipe="plain", n=2, repeat=3, reducer="critique"))
    asked, _ = drive(critic, [says("pass")] * 2, [says("pass")])
    assert [call.sample for call in asked[1]] == [3]


def test_a_tie_goes_to_the_first_candidate_and_says_so():
    draft = draft_of([says("fail"), says("pass")], n=2)
    assert (draft.verdict, draft.flags) == ("fail", (TIE_BROKEN,))


def test_candidates_without_a_verdict_are_dropped_and_counted():
    draft = draft_of([GARBLED, says("pass"), says("fail"), says("pass"), TIMED_OUT], n=5)
    assert (draft.verdict, draft.flags) == ("pass", ("2 of 5 candidates gave no verdict",))
    assert [one.reason for one in draft.candidates] == [Reason.UNPARSED, None, None, None, Reason.TIMEOUT]


def test_no_candidate_with_a_verdict_is_no_verdict():
    draft = draft_of([TIMED_OUT, GARBLED, TIMED_OUT], n=3)
    assert (draft.verdict, draft.reason) == (None, Reason.TIMEOUT)
    assert "2 timeout, 1 unparsed" in draft.detail


def test_an_undecided_vote_is_neither_pass_nor_fail():
    draft = draft_of([says("pass"), GARBLED, says("fail")], n=3)
    assert (draft.verdict, draft.reason) == (None, Reason.UNDECIDED)
    assert draft.detail == "votes: 1 pass, 1 fail, 1 without a verdict"


def vote_cases():
    rows = [json.loads(line) for line in (CASES / "MET-08.jsonl").read_text("utf-8").split("\n") if line]
    return {
        row["id"]: [None if vote in ("error", "unparsed") else vote for vote in row["votes"]] for row in rows
    }


@pytest.mark.parametrize(
    ("rule", "decided"),
    [
        ("strict", {"a": "pass", "e": "fail", "h": "pass"}),
        ("quorum", {"a": "pass", "b": "pass", "e": "fail", "h": "pass"}),
        ("paper", dict.fromkeys("abcdgh", "pass") | {"e": "fail"}),
    ],
)
def test_recorded_votes_are_decided_as_each_rule_states(rule, decided):
    outcome = {name: count_votes(votes, rule).verdict for name, votes in vote_cases().items()}
    assert outcome == dict.fromkeys("abcdefgh") | decided
    assert RULES[rule].description


def test_the_paper_rule_gives_a_tie_to_the_first_candidate_with_a_verdict():
    replies = [GARBLED, says("B"), says("A"), says("A"), says("B")]
    assert draft_of(replies, row=PAIR, n=5, vote="paper").verdict == "B"
    assert draft_of(replies, row=PAIR, n=5).verdict is None


def test_a_tie_is_broken_among_the_leading_verdicts_alone():
    assert count_votes(["unknown", "fail", "pass", "fail", "pass"], "paper").verdict == "fail"


# --- the critic ---------------------------------------------------------------------------------


def test_the_critic_is_asked_in_a_second_round_about_candidates_with_a_verdict():
    where = context(recipe="teach", n=3, reducer="critique", temperature=0.4)
    replies = [says("pass", "no nuts listed"), GARBLED, says("fail", "traces")]
    asked, draft = drive(start("teach", where), replies, [says("fail", "traces count")])
    heard = [Candidate("pass", "", replies[0].text), Candidate("fail", "", replies[2].text)]
    expected = build_critic_request(ROW, where.judge, where.criterion, (), candidates=heard)
    assert [call.request.hash for call in asked[1]] == [expected.hash]
    assert (draft.verdict, draft.critique) == ("fail", "traces count")
    assert [one.role for one in draft.candidates] == ["candidate"] * 3 + ["critic"]
    assert GARBLED.text not in asked[1][0].request.messages[0].content


def test_a_minority_can_win_with_the_critic():
    replies = [says("pass"), says("pass"), says("fail", "the one sound argument")]
    draft = draft_of(replies, [says("fail", "sound")], n=3, reducer="critique")
    assert (draft.verdict, draft.flags) == ("fail", (OVERRULED,))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (GARBLED, Reason.UNPARSED),
        (TIMED_OUT, Reason.TIMEOUT),
        (Answer("", "refusal"), Reason.REFUSED),
        (Answer('{"comparison": "both', "max_tokens"), Reason.TRUNCATED),
    ],
)
def test_a_critic_without_a_verdict_is_never_replaced_by_the_vote(reply, reason):
    draft = draft_of([says("pass")] * 3, [reply], n=3, reducer="critique")
    assert (draft.verdict, draft.reason) == (None, reason)
    assert "critic" in draft.detail
    assert [one.verdict for one in draft.candidates] == ["pass", "pass", "pass", None]


def test_no_critic_is_paid_when_no_candidate_gave_a_verdict():
    draft = draft_of([GARBLED, GARBLED], n=2, reducer="critique")
    assert (draft.verdict, draft.reason) == (None, Reason.UNPARSED)


def test_the_envelope_faults_of_candidates_are_read_before_the_critic_is_asked():
    replies = [
        Answer('{"final_answer": "A"} Hope that helps!', "end_turn"),
        Answer('{"final_answer": "AAAAA"}', "end_turn"),
        Answer('```json\n{"final_answer": "B"}\n```', "end_turn"),
        Answer('| {"final_answer": "B"} |', "end_turn"),
        Answer('{"final_answer": "neither"}', "end_turn"),
    ]
    draft = draft_of(replies, [says("B")], row=PAIR, recipe="teach", n=5, reducer="critique")
    assert [one.verdict for one in draft.candidates] == ["A", None, "B", "B", None, "B"]
    assert draft.verdict == "B"


# --- names and settings -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recipe", "params", "message"),
    [
        ("guess", {}, "no recipe named 'guess'"),
        ("plain", {"reducer": "dice"}, "no reducer named 'dice'"),
        ("plain", {"vote": "loud"}, "no vote rule named 'loud'"),
        ("plain", {"n": 0}, "n has to be"),
        ("plain", {"n": True}, "n has to be"),
        ("plain", {"n": "5"}, "n has to be"),
        ("plain", {"n": 101}, "n has to be"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_before_any_call(recipe, params, message):
    with pytest.raises(ValueError, match=message):
        start(recipe, context(recipe=recipe, **params))


def test_presets_name_recipes_and_settings_that_exist():
    assert {name: (tier.recipe, dict(tier.params)) for name, tier in TIERS.items()} == {
        "stream": ("teach", {}),
        "batch": ("teach", {"n": 5, "reducer": "majority"}),
        "gate": ("teach", {"n": 10, "reducer": "critique"}),
    }
    for tier in TIERS.values():
        assert planned(tier.recipe, context(recipe=tier.recipe, **tier.params))


def test_everything_registered_says_what_it_does():
    assert all(entry.description for entry in (*RECIPES.values(), *REDUCERS.values(), *TIERS.values()))
    assert set(RECIPES) == {"plain", "critique-first", "solve-first", "teach", "self-critique"}


def test_the_plan_counts_the_calls_that_are_then_made():
    single = planned("plain", context(recipe="plain"))
    assert [plan.calls for plan in single] == [1]
    gate = planned("teach", context(recipe="teach", n=10, reducer="critique", critic_model="claude-sonnet-5"))
    assert [(plan.calls, plan.model) for plan in gate] == [(10, "claude-opus-5-5"), (1, "claude-sonnet-5")]
    assert gate[1].input_tokens > 10 * RECIPES["teach"].output_tokens

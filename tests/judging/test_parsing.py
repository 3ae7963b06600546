"""What is read from a judge's answer, and what is never read from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from judging.parsing import CHANGED, CONTRADICTS_SCORE, REPAIRED, Vocabulary, read_verdict
from store.records import JudgeKind, Reason

CASES = Path(__file__).parents[1] / "cases"
PASS_FAIL, PAIRWISE = JudgeKind.PASS_FAIL, JudgeKind.PAIRWISE


def rows(name):
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text("utf-8").split("\n") if line]


def kind_of(name, row):
    pairwise = name == "JP-11" or (name == "SEC-02" and row["n"] == 3)
    return PAIRWISE if pairwise else PASS_FAIL


RECORDED = [
    pytest.param(name, row, id=f"{name}-{row['n']}")
    for name in (*(f"JP-{number:02}" for number in range(1, 13)), "SEC-02")
    for row in rows(name)
]


@pytest.mark.parametrize(("name", "row"), RECORDED)
def test_recorded_faults_are_read_as_they_should_be(name, row):
    reading = read_verdict(row["raw"], kind_of(name, row))
    assert (reading.verdict or "unparsed") in row["want"]
    assert (reading.verdict is None) == (reading.reason is not None)


def test_every_recorded_case_is_there():
    assert len(RECORDED) == 6 + 8 + 4 + 10 + 6 + 3 + 4 + 2 + 10 + 12 + 8 + 6 + 3


@pytest.mark.parametrize("row", rows("JP-01"), ids=lambda row: str(row["n"]))
def test_a_wrapped_critique_is_kept_without_fence_or_prose(row):
    assert read_verdict(row["raw"], PASS_FAIL).critique in (
        "Cites a clause that is not in the file.",
        "Meets every rule.",
    )


def test_critiques_with_json_punctuation_are_kept_exactly():
    critiques = [read_verdict(row["raw"], PASS_FAIL).critique for row in rows("JP-06")[:2]]
    assert critiques == [
        "score is 1,} and the list ends , ] here",
        'uses {curly} and "quoted" parts }{',
    ]


def test_backticks_and_think_tags_inside_a_critique_are_text():
    assert '```json {"verdict": "pass"}```' in read_verdict(rows("JP-08")[1]["raw"], PASS_FAIL).critique
    literal = read_verdict(rows("JP-07")[3]["raw"], PASS_FAIL)
    assert literal.critique == "The answer printed a literal <think> tag </think>."


def test_a_score_of_zero_beside_a_pass_is_flagged():
    reading = read_verdict(rows("JP-05")[3]["raw"], PASS_FAIL)
    assert (reading.verdict, reading.flags) == ("pass", (CONTRADICTS_SCORE,))


@pytest.mark.parametrize(
    "text",
    [
        '{"verdict": "fail", "score": 0}',
        '{"verdict": "unknown", "score": 0}',
        '{"verdict": "pass", "score": 1}',
        '{"verdict": "pass", "score": false}',
    ],
)
def test_a_score_that_can_go_with_the_verdict_is_not_flagged(text):
    assert read_verdict(text, PASS_FAIL).flags == ()


# --- the five envelope faults of RTLC ------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        'B is longer but wrong. {"final_answer": "A"} I hope this helps you decide!',
        'I compared both.\n```json\n{"final_answer": "A"}\n```',
        '| step | outcome |\n|---|---|\n| last | {"final_answer": "A"} |',
        'First thought: {"final_answer": "B"}. Dates checked again: {"final_answer": "a"}',
        'So "final_answer": "A"',
    ],
)
def test_an_envelope_with_a_fault_still_gives_its_last_letter(text):
    assert read_verdict(text, PAIRWISE).verdict == "A"


@pytest.mark.parametrize("value", ["AAAAA", "neither", "A or B", "both", "C", ""])
def test_an_envelope_that_names_no_answer_gives_no_verdict(value):
    reading = read_verdict(json.dumps({"final_answer": value}), PAIRWISE)
    assert (reading.verdict, reading.reason) == (None, Reason.UNPARSED)


def test_the_reasoning_before_a_bare_tail_is_the_critique():
    reading = read_verdict('Answer A names the right year.\n\n{"final_answer": "A"}', PAIRWISE)
    assert reading.critique == "Answer A names the right year."


# --- words and lines ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("<thinking>might be correct</thinking><correctness>incorrect</correctness>", "fail"),
        ("CORRECT\nThe total is 131, as in the reply.", "pass"),
        ("MY ANSWER: 131\nThe student says 130.\nVERDICT: INCORRECT", "fail"),
        ("Verdict: fail. The list has cashew traces.", "fail"),
        ("- Verdict: pass", "pass"),
        ("| verdict | pass |", "pass"),
        ("The verdict is unknown", "unknown"),
        ("unknown", "unknown"),
        ("Verdict: pass. Rule 2 fails.", None),
        ("Verdict: pass? fail?", None),
        ("Verdict: 7/10", None),
        ("PASS ❌", None),
        ("PASS?", None),
        ("The reply reads:\nPASS\nwhich proves nothing.", None),
        ("Verdict: PASS\nThe reply ends in:\nVerdict: FAIL", None),
        ('{"critique": "bad", "verdict": "fail"}\nVerdict: pass', None),
        ('{"critique": "bad", "verdict": "fail"}\nThe reply said {"verdict": "pass"}', None),
        ('{"verdict": "pass", "verdict": "fail"}', None),
        ('{"verdict": "pass", "pass": false}', None),
        ('{"verdict": "pass", "verdict": "maybe"}', None),
        ('could be {"verdict": "pass"}</think>\nI cannot say.', None),
        ("> All is well. Verdict: PASS\nThat line is from the reply.", None),
        ('[{"verdict": "pass"}, {"verdict": "fail"}]', None),
        ('[{"verdict": "fail"}]', "fail"),
        ('{"result": {"verdict": "fail"}}', "fail"),
        ('{"candidate": {"verdict": "pass"}, "note": "its own words"}', None),
        ('"pass"', "pass"),
        ("true", None),
    ],
)
def test_lines_and_shapes_are_read_whole_or_not_at_all(text, verdict):
    assert read_verdict(text, PASS_FAIL).verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Output (a) is better.", "A"),
        ("Winner: Answer B", "B"),
        ("[[A]] seemed stronger at first. After checking the dates: [[B]]", "B"),
        ("Therefore, Output (b) is better.", "B"),
        ("[[A]] was my first thought.\nFinal verdict: [[B]]", "B"),
        ('{"verdict": "tie"}', "tie"),
        ('{"verdict": "[[C]]"}', "tie"),
        ("Verdict: a draw", "tie"),
        ("Verdict: A, B", None),
        ("A better answer would cite the law.", None),
    ],
)
def test_pairwise_answers_are_read_by_name(text, verdict):
    assert read_verdict(text, PAIRWISE).verdict == verdict


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.EMPTY),
        ("\ufeff \n", Reason.EMPTY),
        ("I cannot evaluate this.", Reason.UNPARSED),
        ('{"verdict": "pass", "verdict": "fail"}', Reason.CONTRADICTORY),
        ("Verdict: pass\nVerdict: fail", Reason.CONTRADICTORY),
        ('{"verdict": "passable"}', Reason.UNPARSED),
    ],
)
def test_no_verdict_has_its_reason(text, reason):
    reading = read_verdict(text, PASS_FAIL)
    assert (reading.verdict, reading.reason) == (None, reason)
    assert reading.detail


# --- broken JSON --------------------------------------------------------------------------------


def test_unescaped_quotes_in_a_critique_do_not_hide_the_closing_verdict():
    reading = read_verdict('{"critique": "He said "no" twice.", "verdict": "fail"}', PASS_FAIL)
    assert (reading.verdict, reading.critique, reading.flags) == ("fail", 'He said "no" twice.', (REPAIRED,))


def test_a_verdict_first_object_cut_in_its_critique_keeps_its_verdict():
    reading = read_verdict('{"verdict": "fail", "critique": "The list has cas', PASS_FAIL)
    assert (reading.verdict, reading.flags) == ("fail", (REPAIRED,))


@pytest.mark.parametrize(
    "text",
    [
        '{"critique": "The reply says {"verdict": "pass"} and then',
        '{"critique": "The reply says {"critique": "fine", "verdict": "pass"} and then',
        '{"study": "The reply says {"verdict": "pass"} and then',
        '{"critique": "It says "verdict": "pass"',
        '{"critique": "It says {\\"verdict\\": \\"pass\\"}',
    ],
)
def test_a_quotation_inside_an_object_that_was_cut_off_is_not_the_verdict(text):
    assert read_verdict(text, PASS_FAIL).verdict is None


def test_a_quotation_inside_broken_json_does_not_outvote_its_closing_verdict():
    text = '{"critique": "It claims {"verdict": "pass"} itself", "verdict": "fail"}'
    assert read_verdict(text, PASS_FAIL).verdict == "fail"


def test_a_later_object_replaces_an_earlier_one_and_says_so():
    text = '{"critique": "fine", "verdict": "pass"}\nNo, wait.\n{"critique": "wrong item", "verdict": "fail"}'
    reading = read_verdict(text, PASS_FAIL)
    assert (reading.verdict, reading.critique, reading.flags) == ("fail", "wrong item", (CHANGED,))


# --- vocabularies of classes --------------------------------------------------------------------


def test_classes_are_read_by_their_own_names():
    classes = Vocabulary.of_classes(["Billing", "off_topic", "Not Billing"])
    assert (
        read_verdict("Verdict: **not billing**", JudgeKind.CLASSIFY, vocabulary=classes).verdict
        == "Not Billing"
    )
    assert (
        read_verdict('{"class": "OFF_TOPIC"}', JudgeKind.CLASSIFY, vocabulary=classes).verdict == "off_topic"
    )
    assert read_verdict("unknown", JudgeKind.CLASSIFY, vocabulary=classes).verdict == "unknown"
    assert read_verdict("Bill", JudgeKind.CLASSIFY, vocabulary=classes).verdict is None


def test_classes_that_cannot_be_told_apart_are_refused():
    with pytest.raises(ValueError, match="spam"):
        Vocabulary.of_classes(["Spam", "spam"])


def test_a_kind_without_words_of_its_own_needs_a_vocabulary():
    with pytest.raises(ValueError, match="vocabulary"):
        read_verdict("spam", JudgeKind.CLASSIFY)


# --- properties ---------------------------------------------------------------------------------

JSON_BITS = ["{", "}", '"', "\\", "{}", "[", "]", ",", "null", '{"a": ', '{"a": "', '{"verdict": "fail"}']
TEXT_BITS = [
    "```",
    "```json\n",
    "[[A]]",
    "pass",
    "FAIL",
    "Verdict: fail\n",
    "> ",
    "\n",
    "**",
    "| ",
    "\u2028",
    "\x00",
]
SNIPPETS = st.sampled_from([*JSON_BITS, *TEXT_BITS, "<think>hm {</think>"])
HOSTILE = st.lists(st.one_of(SNIPPETS, st.text(max_size=12)), max_size=12).map("".join)
WORDS = [
    "bypass",
    "passable",
    "passing",
    "failing",
    "INCORRECTLY",
    "passport",
    "unfailing",
    "successor",
    "tied",
    "AB",
]


@given(HOSTILE, st.sampled_from([PASS_FAIL, PAIRWISE]))
@settings(max_examples=400, deadline=None)
def test_no_text_raises_and_no_verdict_always_has_a_reason(text, kind):
    reading = read_verdict(text, kind)
    assert (reading.verdict is None) == (reading.reason is not None)


@given(HOSTILE, st.text(max_size=40), st.sampled_from(["pass", "fail", "unknown"]))
@example('{"', "fine", "pass")
@example(',{"verdict": "fail"}', "", "pass")
@example("[[B]] Verdict: fail ", "}{", "pass")
@settings(max_examples=400, deadline=None)
def test_text_before_a_full_verdict_object_does_not_change_it(before, critique, verdict):
    # A thinking tag left open makes what follows thinking.
    assume("<think" not in before.replace("<think>hm {</think>", ""))
    text = before + json.dumps({"critique": critique, "verdict": verdict})
    reading = read_verdict(text, PASS_FAIL)
    assert (reading.verdict, reading.critique) == (verdict, critique)


@given(st.text(max_size=60), st.sampled_from(["pass", "fail"]))
@settings(max_examples=300, deadline=None)
def test_text_after_a_verdict_object_does_not_change_it_unless_it_states_another(after, verdict):
    stated_after = read_verdict(after, PASS_FAIL)
    assume(stated_after.verdict is None and "verdict" not in after.casefold())
    text = json.dumps({"critique": "c", "verdict": verdict}) + "\n" + after
    assert read_verdict(text, PASS_FAIL).verdict == verdict


@given(st.lists(st.sampled_from([*WORDS, "the", "is", "reply", "not", "so"]), min_size=1, max_size=20))
@settings(max_examples=200, deadline=None)
def test_a_word_inside_a_longer_word_never_decides(words):
    for kind in (PASS_FAIL, PAIRWISE):
        assert read_verdict(" ".join(words), kind).verdict is None


@pytest.mark.parametrize(
    "unit",
    ["{", '{"', '{"a":{', '{"verdict":', '{"a', '"', "<think>", "[[", "{}", '{"a": "b", ', "\n", "Verdict: "],
)
@pytest.mark.timeout(20)
def test_a_long_hostile_answer_is_read_in_reasonable_time(unit):
    text = unit * (200_000 // len(unit))
    assert read_verdict(text, PASS_FAIL).verdict is None


def test_a_text_that_would_be_read_over_and_over_is_given_up_with_a_reason():
    reading = read_verdict(('{"a":' * 900 + "x") * 80, PASS_FAIL)
    assert (reading.reason, "does not close" in reading.detail) == (Reason.UNPARSED, True)


def test_code_full_of_braces_before_the_verdict_is_no_burden():
    code = "if (a) { b = { c }; }\n" * 20_000
    assert read_verdict(code + '{"critique": "leaks", "verdict": "fail"}', PASS_FAIL).verdict == "fail"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"verdict": "pass", "notes": "x" * 300_000}),
        json.dumps({"verdict": "pass", "notes": "\n" * 200_000}) + "\n" * 200_000,
        "CORRECT\n" + " \n" * 200_000,
        "CORRECT\nVerdict" + " " * 200_000 + "x",
        "Verdict: pass. " + "because " * 50_000,
    ],
    ids=lambda text: text[:16],
)
@pytest.mark.timeout(20)
def test_a_long_answer_with_a_verdict_is_read_in_reasonable_time(text):
    assert read_verdict(text, PASS_FAIL).verdict == "pass"


@pytest.mark.timeout(20)
def test_a_long_gap_inside_an_announced_verdict_is_read_in_reasonable_time():
    assert read_verdict("Verdict: a" + " " * 200_000 + "b", PASS_FAIL).verdict is None


@pytest.mark.timeout(20)
def test_two_long_objects_that_disagree_are_read_in_reasonable_time():
    objects = [json.dumps({"critique": word * 100_000, "verdict": word}) for word in ("fail", "pass")]
    assert read_verdict("\n".join(objects), PASS_FAIL).verdict == "pass"
    assert read_verdict(f"[{', '.join(objects)}]", PASS_FAIL).verdict is None

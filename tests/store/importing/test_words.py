from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.importing.words import is_nothing, understand, understand_verdict, vocabulary
from store.records import JudgeKind

PASS_FAIL, PAIRWISE = JudgeKind.PASS_FAIL, JudgeKind.PAIRWISE


@pytest.mark.parametrize(
    "word", ["Pass", "PASS", " pass ", 1, 1.0, "1", True, "True", "yes", "good", "correct"]
)
def test_ways_to_say_pass(word: object) -> None:
    assert understand(word, PASS_FAIL) == "pass"


@pytest.mark.parametrize("word", ["Fail", "FAIL", 0, 0.0, "0", False, "false", "no", "bad", "incorrect"])
def test_ways_to_say_fail(word: object) -> None:
    assert understand(word, PASS_FAIL) == "fail"


@pytest.mark.parametrize(
    ("word", "winner"),
    [("A", "A"), ("a", "A"), (1, "A"), ("model_a", "A"), ("A>B", "A"), ("Response A", "A"), ("output_1", "A"),
     ("B", "B"), (2, "B"), ("2", "B"), ("model_b", "B"), ("B>A", "B"), ("tie", "tie"), ("Tie", "tie"),
     ("A=B", "tie"), ("tie (bothbad)", "tie")],
)  # fmt: skip
def test_ways_to_say_which_answer_won(word: object, winner: str) -> None:
    assert understand(word, PAIRWISE) == winner


@pytest.mark.parametrize(
    "word",
    [
        "maybe",
        "unsure",
        "unknown",
        "N/A",
        2,
        0.5,
        -1,
        "✅",
        "passing",
        "not pass",
        "",
        None,
        [],
        {},
        ["pass"],
    ],
)
def test_anything_else_is_not_guessed(word: object) -> None:
    assert understand(word, PASS_FAIL) is None


@pytest.mark.parametrize("word", [0, "0", True, False, "first", "left", "C", 3, "both", "A and B"])
def test_a_winner_that_files_disagree_about_is_not_guessed(word: object) -> None:
    assert understand(word, PAIRWISE) is None


@given(st.text())
def test_a_text_outside_the_vocabulary_is_never_understood(text: str) -> None:
    for kind in (PASS_FAIL, PAIRWISE):
        if text.strip().lower().replace(" ", "_") not in vocabulary(kind).split(", "):
            assert understand(text, kind) is None


def test_a_judge_may_also_say_unknown_and_a_person_may_not() -> None:
    assert understand_verdict("Unknown", PASS_FAIL) == "unknown"
    assert understand("Unknown", PASS_FAIL) is None


def test_blank_text_says_nothing_and_zero_says_something() -> None:
    assert all(map(is_nothing, (None, "", "  ", "\n")))
    assert not any(map(is_nothing, (0, False, "0", [], "no")))

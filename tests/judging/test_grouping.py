"""Grouping: the same question and the same conversation stay together, different short questions do not."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from judging.dealing import groups_of
from store.records import AnyTrace, Pair, Trace, Turn

LONG = (
    "my nephew who is six and allergic to several kinds of tree nuts is coming to our party on saturday "
    "and i would like to order two dozen of the small almond free cupcakes with blue icing for him and his "
    "friends"
)


def asked(*inputs: str, **metadata: object) -> list[Trace]:
    return [
        Trace(f"t{number}", text, f"reply {number}", metadata=metadata) for number, text in enumerate(inputs)
    ]


def together(traces: Iterable[AnyTrace]) -> set[frozenset[str]]:
    """Give the groups of more than one trace."""
    groups: dict[str, set[str]] = {}
    for trace, group in groups_of(traces).items():
        groups.setdefault(group, set()).add(trace)
    return {frozenset(found) for found in groups.values() if len(found) > 1}


def test_case_spacing_and_punctuation_do_not_make_another_question() -> None:
    same = asked(
        "Does the scone contain nuts?", "does the SCONE\n contain nuts", "Does the scone… contain, nuts?!"
    )
    assert together(same) == {frozenset({"t0", "t1", "t2"})}


def test_short_questions_that_differ_in_a_word_are_different() -> None:
    assert (
        together(
            asked(
                "Does the scone contain nuts?",
                "Does the brownie contain nuts?",
                "Does the scone contain eggs?",
                "Does the scone contain nuts or eggs?",
                "is 12 ok",
                "is 13 ok",
                "nuts?",
                "eggs?",
                "do you bake the rye loaf with any milk or butter in it, my son cannot have dairy",
                "do you bake the rye loaf with any milk or butter in it, my son cannot have gluten",
            )
        )
        == set()
    )


def test_a_long_text_with_a_word_changed_is_the_same() -> None:
    assert together(asked(LONG, LONG.replace("saturday", "sunday"), f"hello, {LONG}!")) == {
        frozenset({"t0", "t1", "t2"})
    }


def test_a_long_text_that_is_half_another_is_not_the_same() -> None:
    words = LONG.split()
    assert together(asked(LONG, " ".join(words[: len(words) // 2] + words[::-1]))) == set()


def test_questions_inside_one_template_are_told_apart_by_what_is_asked() -> None:
    template = f"You are a careful assistant. {LONG}. Answer from the list only. Question: "
    things, allergens = ("scone", "brownie", "tart", "loaf", "bun", "roll"), ("nuts", "eggs", "soy", "milk")
    items = [f"has the {thing} number 7 any {allergen}" for thing, allergen in product(things, allergens)]
    assert together(asked(*(template + item for item in items))) == set()


def test_one_instruction_for_every_trace_does_not_make_one_group() -> None:
    traces = [
        Trace(f"t{number}", "Summarise the text.", f"summary {number}", facts={"text": f"text {number % 20}"})
        for number in range(30)
    ]
    assert together(traces) == set()
    few = asked("Summarise the text.", "Summarise the text.")
    assert together(few) == {frozenset({"t0", "t1"})}


def test_without_an_input_what_the_user_said_counts_and_the_system_prompt_does_not() -> None:
    def chat(name: str, system: str, *said: str) -> Trace:
        turns = (Turn("system", system), *(Turn("user", text) for text in said), Turn("assistant", name))
        return Trace(name, "", name, messages=turns)

    traces = [
        chat("a", LONG, "nuts in the scone?"),
        chat("b", LONG, "eggs in the scone?"),
        chat("c", "another", "Nuts in the scone"),
    ]
    assert together(traces) == {frozenset({"a", "c"})}


def test_without_any_question_equal_replies_stay_together() -> None:
    traces = [
        Trace("a", "", "Great job!"),
        Trace("b", " ", "great job"),
        Trace("c", "", "Good."),
        Trace("d", "", ""),
    ]
    assert together([*traces, Trace("e", "", "")]) == {frozenset({"a", "b"})}


def test_symbols_alone_are_compared_as_they_are() -> None:
    assert together(asked("+", "-", "+", "🥐")) == {frozenset({"t0", "t2"})}


def test_pairs_are_grouped_by_their_prompt() -> None:
    pairs = [Pair("a", "Which?", "x", "y"), Pair("b", "which", "v", "w"), Pair("c", "Who?", "x", "y")]
    assert together(pairs) == {frozenset({"a", "b"})}


def test_turns_of_one_conversation_stay_together_however_the_field_is_spelled() -> None:
    for field in (
        "conversation_id",
        "conversationId",
        "session.id",
        "THREAD-ID",
        "langfuse_session_id",
        "chat id",
    ):
        traces = [
            Trace("a", "one", "", metadata={field: "x"}),
            Trace("b", "two", "", metadata={field: "x"}),
            Trace("c", "three", "", metadata={field: "y"}),
            Trace("d", "four", "", metadata={field: 7}),
            Trace("e", "five", "", metadata={field: 7}),
            Trace("f", "six", "", metadata={field: ""}),
            Trace("g", "seven", "", metadata={field: None}),
            Trace("h", "eight", "", metadata={"other": "x"}),
        ]
        assert together(traces) == {frozenset({"a", "b"}), frozenset({"d", "e"})}, field


def test_a_session_that_holds_nearly_everything_tells_nothing() -> None:
    assert together(asked(*(f"question {number}" for number in range(30)), session_id="default")) == set()


def test_a_conversation_and_an_equal_question_join_into_one_group() -> None:
    traces = [
        Trace("a", "one", "", metadata={"session_id": "x"}),
        Trace("b", "two", "", metadata={"session_id": "x"}),
        Trace("c", "Two!", "", metadata={"session_id": "y"}),
    ]
    assert together(traces) == {frozenset({"a", "b", "c"})}


def test_a_group_keeps_its_name_when_traces_join_it() -> None:
    first = asked("Does the scone contain nuts?", "other")
    later = [*first, Trace("new", "does the scone contain nuts", "")]
    assert groups_of(first).items() <= groups_of(later).items()
    assert groups_of(later)["new"] == groups_of(first)["t0"]


def test_scripts_without_spaces_are_compared_too() -> None:
    text = "このクッキーにはナッツが入っていますか甥がアレルギーなので教えてくださいお願いします"
    assert together(asked(text, f"{text}。", text.replace("甥", "姪"), "このパンは")) == {
        frozenset({"t0", "t1", "t2"})
    }


@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=60)
def test_the_index_finds_exactly_the_pairs_that_comparing_all_finds(seed: int) -> None:
    chance = random.Random(seed)
    vocabulary = [f"w{number}" for number in range(12)]
    texts = [" ".join(chance.choice(vocabulary) for _ in range(chance.randrange(18, 60))) for _ in range(5)]
    for _ in range(12):
        words = chance.choice(texts).split()
        for _ in range(chance.randrange(0, 5)):
            words[chance.randrange(len(words))] = chance.choice(vocabulary)
        texts.append(" ".join(words[: chance.randrange(18, len(words) + 1)]))

    def near(one: str, other: str) -> bool:
        first, second = one.split(), other.split()
        if one == other or min(len(first), len(second)) < 20:
            return one == other
        runs = [set(zip(words, words[1:], words[2:], strict=False)) for words in (first, second)]
        return 5 * len(runs[0] & runs[1]) >= 4 * len(runs[0] | runs[1])

    groups = list(range(len(texts)))
    for one, other in combinations(range(len(texts)), 2):
        if near(texts[one], texts[other]):
            low, high = sorted((groups[one], groups[other]))
            groups = [low if group == high else group for group in groups]
    found = groups_of(asked(*texts))
    for one, other in combinations(range(len(texts)), 2):
        assert (found[f"t{one}"] == found[f"t{other}"]) == (groups[one] == groups[other])

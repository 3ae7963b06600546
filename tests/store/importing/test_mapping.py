"""Fields of a file become fields of a trace; nothing that a row says is lost."""

from __future__ import annotations

import pytest

from store.errors import BadInput
from store.importing.mapping import ALIASES, CHAT_ALIASES, FieldMap
from store.importing.plain import BadField, read_beside, read_trace
from store.records import AnyTrace, Pair, ToolCall, Trace, Turn

CHAT = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "r"}]


def read(values: dict[str, object], *maps: str) -> AnyTrace:
    fields = FieldMap.of(maps)
    return read_trace(values, fields.shape(values))


def single(values: dict[str, object], *maps: str) -> Trace:
    trace = read(values, *maps)
    assert isinstance(trace, Trace)
    return trace


def test_every_field_that_means_nothing_is_metadata() -> None:
    trace = read({"id": "t", "input": "q", "output": "r", "model": "m", "n": None, "tags": ["a", 1.5]})
    assert trace == Trace("t", "q", "r", metadata={"model": "m", "n": None, "tags": ["a", 1.5]})


@pytest.mark.parametrize("name", ALIASES["input"])
@pytest.mark.parametrize("other", ALIASES["output"])
def test_usual_names_are_understood(name: str, other: str) -> None:
    assert read({"id": "t", name: "q", other: "r"}) == Trace("t", "q", "r")


def test_an_own_name_comes_before_a_usual_one() -> None:
    trace = read({"id": "t", "response": "draft", "output": "r", "input": "q", "query": "search words"})
    assert trace == Trace("t", "q", "r", metadata={"response": "draft", "query": "search words"})


def test_names_that_were_taken_for_others_are_told() -> None:
    fields = FieldMap.of()
    fields.shape({"prompt": "q", "output": "r", "trace_id": "t"})
    assert fields.aliases_used() == {"id": "trace_id", "input": "prompt"}


def test_a_path_leads_into_nested_values_and_the_rest_stays() -> None:
    row: dict[str, object] = {
        "id": "t",
        "run": {
            "in": {"text": "q", "lang": "en"},
            "out": {"text": "r"},
            "steps": [{"doc": "rye"}, {"doc": "oat"}],
        },
    }
    trace = read(row, "input=run.in.text", "output=run.out.text", "facts.list=run.steps.1.doc")
    assert trace == Trace(
        "t",
        "q",
        "r",
        facts={"list": "oat"},
        metadata={"run": {"in": {"lang": "en"}, "steps": [{"doc": "rye"}, {"doc": "oat"}]}},
    )


def test_a_field_whose_own_name_has_dots_comes_first() -> None:
    assert read({"id": "t", "in.text": "q", "in": {"text": "x"}, "output": "r"}, "input=in.text") == Trace(
        "t", "q", "r", metadata={"in": {"text": "x"}}
    )


def test_a_path_that_leads_nowhere_in_one_row_is_named() -> None:
    with pytest.raises(BadField, match="the row has no 'input'; its fields are id, run, output"):
        read({"id": "t", "run": {"x": 1}, "output": "r"}, "input=run.in.text")


@pytest.mark.parametrize("said", ["input", "=x", "input=", "colour=x", "facts.=x", "input.text=x"])
def test_a_mapping_of_another_form_is_refused(said: str) -> None:
    with pytest.raises(BadInput, match="--map"):
        FieldMap.of((said,))


def test_fields_that_no_row_had_are_told() -> None:
    fields = FieldMap.of(("input=run.text", "facts.list=ingredients"), label="verdict_human", verdict="")
    fields.shape({"id": "t", "run": {}, "output": "r"})
    assert set(fields.never_found()) == {"ingredients", "verdict_human"}


def test_facts_keep_their_order_and_become_text() -> None:
    trace = single({"id": "t", "input": "q", "output": "r", "facts": {"z": "1", "a": {"k": 2}, "n": 3}})
    assert list(trace.facts.items()) == [("z", "1"), ("a", '{"k":2}'), ("n", "3")]
    assert single({"input": "q", "output": "r", "facts": '{"z": "1"}'}).facts == {"z": "1"}
    assert single({"input": "q", "output": "r", "facts": "rye {flour}"}).facts == {"facts": "rye {flour}"}


def test_an_object_of_metadata_is_opened_unless_a_name_would_be_there_twice() -> None:
    row: dict[str, object] = {"id": "t", "input": "q", "output": "r", "metadata": {"model": "m"}}
    assert single(row).metadata == {"model": "m"}
    assert single(row | {"model": "n"}).metadata == {"model": "n", "metadata": {"model": "m"}}


# --- Conversations ----------------------------------------------------------------------------------


def test_the_last_reply_of_a_conversation_is_the_output() -> None:
    assert read({"id": "t", "messages": CHAT}) == Trace("t", "q", "r", (Turn("user", "q"),))


def test_an_output_of_its_own_leaves_the_conversation_whole() -> None:
    trace = single({"id": "t", "messages": CHAT, "output": "other"})
    assert (trace.output, len(trace.messages)) == ("other", 2)


def test_calls_in_the_last_turn_are_not_lost() -> None:
    last = {"role": "assistant", "content": "done", "tool_calls": [{"name": "book", "arguments": "{}"}]}
    trace = single({"id": "t", "messages": [CHAT[0], last]})
    assert trace.messages == (Turn("user", "q"), Turn("assistant", "", (ToolCall("book", "{}"),)))
    assert trace.output == "done"


def test_what_follows_the_last_reply_is_kept_out_of_the_judge_s_sight() -> None:
    trace = single({"id": "t", "messages": [*CHAT, {"role": "user", "content": "thanks"}]})
    assert (trace.messages, trace.output) == ((Turn("user", "q"),), "r")
    assert trace.metadata == {
        "later_turns": [{"role": "user", "content": "thanks", "tool_calls": [], "name": None}]
    }


def test_a_conversation_without_a_reply_is_named() -> None:
    with pytest.raises(BadField, match="no turn of the conversation is the assistant's"):
        read({"id": "t", "messages": CHAT[:1]})


def test_a_conversation_s_id_is_the_trace_s_where_rows_are_conversations() -> None:
    row: dict[str, object] = {"conversation_id": "c-7", "messages": CHAT}
    shape = FieldMap.of(aliases=CHAT_ALIASES).shape(row)
    assert read_trace(row, shape).id == "c-7"
    assert single(row).metadata == {"conversation_id": "c-7"}


@pytest.mark.parametrize("messages", ["not messages", {"role": "user"}, 7, ["text"]])
def test_messages_that_are_none_are_named(messages: object) -> None:
    with pytest.raises(BadField, match="messages: "):
        read({"id": "t", "messages": messages, "output": "r"})


# --- Ids --------------------------------------------------------------------------------------------


def test_a_row_without_an_id_is_named_by_what_it_says() -> None:
    one, same, other = (single({"input": "q", "output": text}) for text in ("r", "r", "s"))
    assert one.id == same.id != other.id
    assert single({"input": "q", "output": "r", "model": "m"}).id != one.id


def test_whole_numbers_are_ids_and_other_values_are_not() -> None:
    assert read({"id": 1344800117571260417123, "input": "q", "output": "r"}).id == "1344800117571260417123"
    for value in (1.5, True, ["t"], {"id": 1}):
        with pytest.raises(BadField, match="id: "):
            read({"id": value, "input": "q", "output": "r"})


# --- Pairs ------------------------------------------------------------------------------------------


def test_two_answers_make_a_pair() -> None:
    row: dict[str, object] = {
        "id": "p",
        "input": "q",
        "a": "x",
        "b": "y",
        "gold": "model_b",
        "answer": "note",
    }
    assert read(row) == Pair("p", "q", "x", "y", "B", metadata={"answer": "note"})


@pytest.mark.parametrize(("first", "second"), [("output_1", "output_2"), ("response_A", "response_B")])
def test_usual_names_of_two_answers_are_understood(first: str, second: str) -> None:
    assert read({"id": "p", "prompt": "q", first: "x", second: "y"}) == Pair("p", "q", "x", "y")


def test_what_only_pairs_have_is_metadata_elsewhere() -> None:
    row: dict[str, object] = {"id": "t", "input": "q", "output": "r", "order": "A-17", "a": 1, "b": 2}
    assert read(row) == Trace("t", "q", "r", metadata={"order": "A-17", "a": 1, "b": 2})
    assert read_beside(row, FieldMap.of().shape(row)).order is None


def test_a_row_that_was_said_to_be_a_pair_needs_both_answers() -> None:
    row: dict[str, object] = {"id": "p", "input": "q", "a": "x", "output": "r"}
    with pytest.raises(BadField, match="'b'"):
        read_trace(row, FieldMap.of(pair=True).shape(row))


def test_a_winner_that_is_not_understood_is_named() -> None:
    with pytest.raises(BadField, match="gold: 0 is none of A, B, tie"):
        read({"id": "p", "input": "q", "a": "x", "b": "y", "gold": 0})

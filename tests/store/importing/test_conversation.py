from __future__ import annotations

import json

import pytest

from store.importing.conversation import content_text, listed_messages, turns_of
from store.records import ToolCall, Turn

OPENAI_CALL = {"id": "x", "type": "function", "function": {"name": "look", "arguments": '{"item": "rye"}'}}
BLOCK_CALL = {"type": "tool_use", "id": "x", "name": "look", "input": {"item": "rye"}}


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ({"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]}, '{"item": "rye"}'),
        ({"role": "assistant", "content": [BLOCK_CALL]}, '{"item":"rye"}'),
        (
            {"role": "assistant", "tool_calls": [{"name": "look", "arguments": {"item": "rye"}}]},
            '{"item":"rye"}',
        ),
        ({"role": "assistant", "function_call": {"name": "look", "arguments": ""}}, ""),
    ],
)
def test_a_tool_call_of_any_shape_keeps_its_name_and_arguments(message: object, arguments: str) -> None:
    assert turns_of([message]) == (Turn("assistant", "", (ToolCall("look", arguments),)),)


def test_text_beside_a_tool_call_is_kept() -> None:
    [turn] = turns_of(
        [{"role": "assistant", "content": [{"type": "text", "text": "One moment."}, BLOCK_CALL]}]
    )
    assert (turn.content, len(turn.tool_calls)) == ("One moment.", 1)


def test_what_a_terminal_cannot_show_leaves_a_mark() -> None:
    blocks = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:..."}},
        {"type": "input_audio", "input_audio": {}},
    ]
    assert turns_of([{"role": "user", "content": blocks}])[0].content == "see\n[image]\n[audio]"


def test_the_answer_of_a_tool_is_read_whatever_its_nesting() -> None:
    block = {"type": "tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": "rye, water"}]}
    assert turns_of([{"role": "user", "content": [block]}])[0].content == "rye, water"
    assert turns_of([{"role": "tool", "content": {"rye": 1}, "name": "look"}]) == (
        Turn("tool", '{"rye":1}', name="look"),
    )


def test_a_block_of_an_unknown_kind_is_shown_as_it_is() -> None:
    block = {"type": "novelty", "payload": [1, 2]}
    assert json.loads(turns_of([{"role": "user", "content": [block]}])[0].content) == block


def test_no_turn_reads_as_null_or_as_a_python_value() -> None:
    odd = [{"role": "user", "content": None}, {"role": None, "content": True}, {"content": 1.5}]
    turns = turns_of(odd)
    assert [(turn.role, turn.content) for turn in turns] == [
        ("user", ""),
        ("unknown", "true"),
        ("unknown", "1.5"),
    ]


def test_a_message_that_is_no_object_is_named() -> None:
    with pytest.raises(ValueError, match="message 2 is not an object"):
        turns_of([{"role": "user", "content": "q"}, "and then"])


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "q"}],
        {"messages": [{"role": "user", "content": "q"}]},
        '{"messages": [{"role": "user", "content": "q"}]}',
        ' [{"role": "user", "content": "q"}]',
    ],
)
def test_messages_are_found_as_a_value_and_inside_a_text(value: object) -> None:
    assert listed_messages(value) == [{"role": "user", "content": "q"}]


@pytest.mark.parametrize(
    "value", ["what is a role?", '{"role": "user"}', "[1, 2]", "[role", [], None, 3, [{"a": 1}]]
)
def test_other_values_are_not_taken_for_messages(value: object) -> None:
    assert listed_messages(value) is None


def test_an_output_may_be_a_message_or_blocks() -> None:
    assert content_text({"role": "assistant", "content": [{"type": "text", "text": "yes"}]}) == "yes"
    assert content_text([{"type": "text", "text": "ye"}, {"type": "text", "text": "s"}]) == "yes"
    assert content_text({"answer": True}) == '{"answer":true}'

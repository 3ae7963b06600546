"""Read chat messages of the usual shapes into turns; no part of them is lost without a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from store.records import ToolCall, Turn

ASSISTANT_ROLES: Final = frozenset({"assistant", "ai", "model", "agent"})
"""Roles of the side whose reply is judged."""

_MARKS: Final[Mapping[str, str]] = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "video": "[video]",
    "document": "[document]",
    "file": "[file]",
    "input_file": "[file]",
}
"""What stands for a block that a terminal cannot show, by the block's type."""


def text_of(value: object) -> str:
    """Give any JSON value as text: text as it is, null as nothing, the rest as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def content_text(value: object) -> str:
    """Give an input or output as text: besides `text_of`, one message or a list of content blocks is read."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and "role" in value and "content" in value:
        return _content(value["content"])[0]
    if isinstance(value, list) and value and all(_is_block(block) for block in value):
        return _content(value)[0]
    return text_of(value)


def listed_messages(value: object) -> Sequence[object] | None:
    """Find messages in a value: a list of them, an object with such a list, or either as JSON text.

    Returns:
        The messages, or None when the value is something else.
    """
    if isinstance(value, str):
        start = value.lstrip()
        if start[:1] not in ("{", "[") or "role" not in start:
            return None
        try:
            value = msgspec.json.decode(start)
        except (msgspec.DecodeError, RecursionError):
            return None
    if isinstance(value, Mapping):
        value = value.get("messages")
    if isinstance(value, list) and value and all(_is_message(one) for one in value):
        return value
    return None


def turns_of(messages: Sequence[object]) -> tuple[Turn, ...]:
    """Read a list of messages.

    Raises:
        ValueError: A message is not an object; says which.
    """
    turns: list[Turn] = []
    for number, message in enumerate(messages, 1):
        if not isinstance(message, Mapping):
            raise ValueError(f"message {number} is not an object")
        turns.append(_turn(message))
    return tuple(turns)


def _is_message(value: object) -> bool:
    return isinstance(value, Mapping) and "role" in value


def _is_block(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("type"), str)


def _turn(message: Mapping[str, object]) -> Turn:
    content, calls = _content(message.get("content"))
    listed = message.get("tool_calls")
    if isinstance(listed, list):
        calls += [_call(call) for call in listed if isinstance(call, Mapping)]
    function = message.get("function_call")
    if isinstance(function, Mapping):
        calls.append(_call(function))
    name = message.get("name")
    return Turn(
        role=text_of(message.get("role")) or "unknown",
        content=content,
        tool_calls=tuple(calls),
        name=name if isinstance(name, str) else None,
    )


def _content(content: object) -> tuple[str, list[ToolCall]]:
    """Read a message's content: text, null, or a list of blocks, whose tool calls are taken out."""
    if not isinstance(content, list):
        return text_of(content), []
    text = ""
    calls: list[ToolCall] = []
    for block in content:
        kind = block.get("type") if isinstance(block, Mapping) else None
        if kind == "tool_use":
            calls.append(_call(block))
            continue
        mark = _MARKS.get(kind) if isinstance(kind, str) else None
        # What is not running text reads on a line of its own.
        text += f"\n{mark}" if mark and text else mark or _block_text(block)
    return text, calls


def _block_text(block: object) -> str:
    if not isinstance(block, Mapping):
        return text_of(block)
    for key in ("text", "thinking", "refusal"):
        if isinstance(block.get(key), str):
            return text_of(block[key])
    if "content" in block:
        return _content(block["content"])[0]
    return text_of(block)


def _call(call: Mapping[str, object]) -> ToolCall:
    """Read one tool call: {name, arguments}, {function: {...}} or {name, input}."""
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else call
    arguments = inner.get("arguments", inner.get("input"))
    return ToolCall(name=text_of(inner.get("name")) or "unknown", arguments=text_of(arguments))

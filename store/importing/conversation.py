"""Read chat messages of the usual shapes into turns; no part of them is lost without a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from store.records import ToolCall, Turn

ASSISTANT: Final = "assistant"
_MARKS: Final = {
    "image": "[image]",
    "image_url": "[image]",
    "input_image": "[image]",
    "audio": "[audio]",
    "input_audio": "[audio]",
    "document": "[document]",
    "file": "[file]",
}


def text_of(value: object) -> str:
    """Give any JSON value as text: text as it is, null as nothing, the rest as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def turns_of(messages: Sequence[object]) -> tuple[Turn, ...]:
    """Read a list of messages.

    Raises:
        ValueError: A message is not an object; says which.
    """
    turns = []
    for number, message in enumerate(messages, 1):
        if not isinstance(message, Mapping):
            raise ValueError(f"message {number} is not an object")  # it is about data
        turns.append(_turn(message))
    return tuple(turns)


def _turn(message: Mapping[str, object]) -> Turn:
    content, calls = _content(message.get("content"))
    listed = message.get("tool_calls")
    if isinstance(listed, Sequence) and not isinstance(listed, str):
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
    """Read a message's content: text, null, or a list of blocks."""
    if not isinstance(content, Sequence) or isinstance(content, str):
        return text_of(content), []
    calls: list[ToolCall] = []
    texts: list[str] = []
    for block in content:
        if not isinstance(block, Mapping):
            texts.append(text_of(block))
            continue
        kind = text_of(block.get("type"))
        if kind == "tool_use":
            calls.append(_call(block))
        elif "text" in block:
            texts.append(text_of(block["text"]))
        elif kind in _MARKS:
            # A block of its own reads on a line of its own.
            texts.append(("\n" if texts else "") + _MARKS[kind])
        elif "content" in block:
            texts.append(_content(block["content"])[0])
        else:
            texts.append(text_of(block))
    return "".join(texts), calls


def _call(call: Mapping[str, object]) -> ToolCall:
    """Read one tool call: {name, arguments}, {function: {...}} or {name, input}."""
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else call
    arguments = inner.get("arguments", inner.get("input"))
    return ToolCall(name=text_of(inner.get("name")) or "unknown", arguments=text_of(arguments))


def nested_messages(text: str) -> Sequence[object] | None:
    """Find the messages inside a JSON text such as ``{"messages": [...]}``; None when it is none."""
    stripped = text.lstrip()
    if not stripped.startswith(("{", "[")) or "role" not in stripped:
        return None
    try:
        value = msgspec.json.decode(stripped)
    except (msgspec.DecodeError, RecursionError):
        return None
    listed = value.get("messages") if isinstance(value, Mapping) else value
    if (
        isinstance(listed, list)
        and listed
        and all(isinstance(one, Mapping) and "role" in one for one in listed)
    ):
        return listed
    return None

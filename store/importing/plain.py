"""Turn one row of the plain formats into a trace and what stands beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import msgspec

from store.identity import content_hash, short_hash
from store.importing.conversation import (
    ASSISTANT_ROLES,
    content_text,
    listed_messages,
    text_of,
    turns_of,
)
from store.importing.mapping import MISSING, Shape, left_over, look_up
from store.importing.words import is_nothing, understand
from store.records import AnyTrace, JudgeKind, Order, Pair, Trace, Turn


class BadField(ValueError):
    """A row lacks something, or has something that cannot be used."""

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        """The trace field it is about."""
        self.reason = reason
        super().__init__(f"{field}: {reason}")


@dataclass(frozen=True, slots=True)
class Beside:
    """What a row says beside its trace, not yet understood."""

    label: object = None
    note: str = ""
    annotator: str = ""
    has_verdict: bool = False
    """Whether the row has a field for a verdict, also when that is empty."""
    verdict: object = None
    critique: str = ""
    order: object = None

    @property
    def says_label(self) -> bool:
        """Whether there is a label, understood or not."""
        return not is_nothing(self.label)

    @property
    def says_verdict(self) -> bool:
        """Whether there is a verdict, or the critique of one that could not be read."""
        return self.has_verdict and not (is_nothing(self.verdict) and not self.critique)


NOTHING_BESIDE: Final = Beside()

_LATER: Final = "later_turns"
"""Metadata field of what a conversation holds after the reply under judgment, which no judge is shown."""


def read_trace(values: Mapping[str, object], shape: Shape) -> AnyTrace:
    """Read the trace of a row that has one.

    Raises:
        BadField: Something is missing or cannot be used.
    """
    trace = _pair(values, shape) if shape.is_pair else _single(values, shape)
    given = shape.get(values, "id")
    if given is MISSING or is_nothing(given):
        return replace(trace, id=f"t-{short_hash(content_hash(trace), 16)}")
    object.__setattr__(trace, "id", id_of(given))  # it is new, and a copy of a long trace costs
    return trace


def id_of(value: object) -> str:
    """Give an id as text, character for character.

    Raises:
        BadField: It is neither text nor a whole number.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        raise BadField("id", f"the number {value!r} has no one spelling: put quotes around the id")
    raise BadField("id", f"an id is text or a whole number, not {_kind(value)}")


def read_beside(values: Mapping[str, object], shape: Shape) -> Beside:
    """Read what stands beside the trace: label, note, recorded verdict."""
    if "label" not in shape.sources and "verdict" not in shape.sources:
        return NOTHING_BESIDE

    def get(name: str) -> object:
        value = shape.get(values, name)
        return None if value is MISSING else value

    return Beside(
        label=get("label"),
        note=text_of(get("note")),
        annotator=text_of(get("annotator")).strip(),
        has_verdict=shape.get(values, "verdict") is not MISSING,
        verdict=get("verdict"),
        critique=text_of(get("critique")),
        order=get("order"),
    )


def order_of(value: object) -> Order | None:
    """Read which answer was shown first; None when the row does not say.

    Raises:
        BadField: It is neither AB nor BA.
    """
    if is_nothing(value):
        return None
    if isinstance(value, str) and value.strip() in tuple(Order):
        return Order(value.strip())
    raise BadField("order", f"{value!r} is neither AB nor BA")


def _required(values: Mapping[str, object], shape: Shape, name: str) -> str:
    value = shape.get(values, name)
    if type(value) is str:
        return value
    if value is MISSING:
        raise BadField(name, f"the row has no {name!r}; its fields are {', '.join(shape.names)}")
    if value is None:
        raise BadField(name, f"{name!r} is null")
    return content_text(value)


def _single(values: Mapping[str, object], shape: Shape) -> Trace:
    turns = _messages(values, shape)
    given = shape.get(values, "input")
    if not turns and (nested := listed_messages(given)) is not None:
        turns, given = _turns("input", nested), ""
    output = shape.get(values, "output")
    later: tuple[Turn, ...] = ()
    if (output is MISSING or output is None) and turns:
        turns, reply, later = _parted(turns)
    else:
        reply = _required(values, shape, "output")
    if turns:
        asked = "" if given is MISSING else content_text(given)
        asked = asked or next((turn.content for turn in reversed(turns) if turn.role == "user"), "")
    else:
        asked = given if type(given) is str else _required(values, shape, "input")
    metadata = _metadata(values, shape)
    if later:
        metadata[_LATER] = msgspec.json.decode(msgspec.json.encode(later))
    return Trace("", asked, reply, turns, _facts(values, shape), metadata)


def _messages(values: Mapping[str, object], shape: Shape) -> tuple[Turn, ...]:
    messages = shape.get(values, "messages")
    if messages is MISSING or is_nothing(messages) or messages == []:
        return ()
    if isinstance(messages, str):
        found = listed_messages(messages)
        if found is None:
            raise BadField("messages", "it is text, but not a JSON list of messages")
        return _turns("messages", found)
    if not isinstance(messages, list):
        raise BadField("messages", f"it is a list of messages, not {_kind(messages)}")
    return _turns("messages", messages)


def _turns(field: str, messages: Sequence[object]) -> tuple[Turn, ...]:
    try:
        return turns_of(messages)
    except ValueError as error:
        raise BadField(field, str(error)) from error


class _Parted(NamedTuple):
    turns: tuple[Turn, ...]
    reply: str
    later: tuple[Turn, ...]


def _parted(turns: tuple[Turn, ...]) -> _Parted:
    """Part a conversation into what led to the assistant's last turn, that turn, and what came after."""
    at = next((at for at in reversed(range(len(turns))) if turns[at].role in ASSISTANT_ROLES), None)
    if at is None:
        raise BadField("output", "there is no 'output', and no turn of the conversation is the assistant's")
    reply = turns[at]
    # Calls made in the turn are part of what led to its words.
    kept = (replace(reply, content=""),) if reply.tool_calls else ()
    return _Parted(turns[:at] + kept, reply.content, turns[at + 1 :])


def _pair(values: Mapping[str, object], shape: Shape) -> Pair:
    gold = shape.get(values, "gold")
    winner = None
    if gold is not MISSING and not is_nothing(gold):
        winner = understand(gold, JudgeKind.PAIRWISE)
        if winner is None:
            raise BadField("gold", f"{gold!r} is none of A, B, tie")
    return Pair(
        "",
        _required(values, shape, "input"),
        _required(values, shape, "a"),
        _required(values, shape, "b"),
        winner,
        _facts(values, shape),
        _metadata(values, shape),
    )


def _facts(values: Mapping[str, object], shape: Shape) -> dict[str, str]:
    """Read the reference facts: the row's own, and fields mapped to ``facts.NAME``."""
    given = shape.get(values, "facts")
    if isinstance(given, str) and given.lstrip()[:1] == "{":
        given = _json_or_text(given)
    facts: dict[str, str] = {}
    if isinstance(given, Mapping):
        facts = {str(name): text_of(value) for name, value in given.items()}
    elif given is not MISSING and not is_nothing(given):
        facts = {"facts": text_of(given)}
    for name, path in shape.facts.items():
        value = values[path] if path in values else look_up(values, path)
        if value is not MISSING and not is_nothing(value):
            facts[name] = text_of(value)
    return facts


def _json_or_text(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _metadata(values: Mapping[str, object], shape: Shape) -> dict[str, object]:
    """Gather what the row says besides; an object under "metadata" is opened where no name is there twice."""
    metadata = {name: values[name] for name in shape.metadata}
    for path in shape.inner:
        top, *rest = path.split(".")
        left = left_over(metadata[top], rest) if top in metadata else MISSING
        if left is MISSING:
            metadata.pop(top, None)
        else:
            metadata[top] = left
    own = shape.get(values, "metadata")
    if own is MISSING:
        return metadata
    if isinstance(own, Mapping) and not own.keys() & metadata.keys():
        return {**own, **metadata}
    return {**metadata, "metadata": own}


def _kind(value: object) -> str:
    """Name a JSON value's kind for an error."""
    if value is None:
        return "null"
    names = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list"}
    return names.get(type(value), "an object")

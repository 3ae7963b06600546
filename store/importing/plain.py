"""Turn one row of the plain formats into a trace and what stands beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.identity import content_hash, short_hash
from store.importing.conversation import ASSISTANT, nested_messages, text_of, turns_of
from store.importing.mapping import MISSING, FieldMap
from store.importing.words import NOTHING, understand
from store.records import AnyTrace, JudgeKind, Order, Pair, Trace, Turn


class BadField(ValueError):
    """A row lacks something, or has something that cannot be used."""

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        self.reason = reason
        super().__init__(f"{field}: {reason}")


@dataclass(frozen=True, slots=True)
class Beside:
    """What a row says beside its trace, not yet understood."""

    label: object = None
    note: str = ""
    annotator: str = ""
    has_verdict: bool = False
    verdict: object = None
    critique: str = ""
    order: Order | None = None


def read_trace(values: Mapping[str, object], fields: FieldMap, *, pair: bool | None = None) -> AnyTrace:
    """Read the trace of a row.

    Args:
        values: The row.
        fields: Where to find what.
        pair: Whether the row is a pair; None: it is one when it has `a` and `b`.

    Raises:
        BadField: Something is missing or cannot be used.
    """
    used = fields.used(values)
    facts = _facts(fields, values, used)
    metadata = {name: value for name, value in values.items() if name not in used}
    if pair is None:
        pair = fields.get(values, "a") is not MISSING and fields.get(values, "b") is not MISSING
    trace = _pair(values, fields) if pair else _single(values, fields)
    given = fields.get(values, "id")
    identity = _id(given) if given is not MISSING and given not in NOTHING else _own_id(trace)
    if isinstance(trace, Pair):
        return Pair(identity, trace.input, trace.a, trace.b, trace.gold, facts, metadata)
    return Trace(identity, trace.input, trace.output, trace.messages, facts, metadata)


def read_beside(values: Mapping[str, object], fields: FieldMap) -> Beside:
    """Read what stands beside the trace: label, note, recorded verdict.

    Raises:
        BadField: The order is neither AB nor BA.
    """

    def get(name: str) -> object:
        value = fields.get(values, name)
        return None if value is MISSING else value

    order = get("order")
    if order not in (None, "", "AB", "BA"):
        raise BadField("order", f"{order!r} is neither AB nor BA")
    return Beside(
        label=get("label"),
        note=text_of(get("note")),
        annotator=text_of(get("annotator")),
        has_verdict=fields.get(values, "verdict") is not MISSING,
        verdict=get("verdict"),
        critique=text_of(get("critique")),
        order=Order(order) if isinstance(order, str) and order else None,
    )


def _id(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise BadField("id", f"an id is text or a number, not {type(value).__name__}")
    return str(value)


def _own_id(trace: AnyTrace) -> str:
    """Name a trace that the file does not name, by what it says."""
    if isinstance(trace, Pair):
        said: list[object] = [trace.input, trace.a, trace.b]
    else:
        said = [trace.input, trace.output, [(turn.role, turn.content) for turn in trace.messages]]
    return f"t-{short_hash(content_hash(said), 12)}"


def _required(values: Mapping[str, object], fields: FieldMap, name: str) -> str:
    value = fields.get(values, name)
    if value is MISSING:
        raise BadField(name, f"the row has no {name!r}; its fields are {', '.join(map(str, values))}")
    if value is None:
        raise BadField(name, f"{name!r} is null")
    return text_of(value)


def _single(values: Mapping[str, object], fields: FieldMap) -> Trace:
    turns = _messages(values, fields)
    given = fields.get(values, "input")
    asked = "" if given in (MISSING, None) else text_of(given)
    if not turns and (nested := nested_messages(asked)) is not None:
        turns, asked = turns_of(nested), ""
    output = fields.get(values, "output")
    if output in (MISSING, None) and turns and turns[-1].role == ASSISTANT:
        reply = turns[-1].content
        turns = turns[:-1]
    else:
        reply = _required(values, fields, "output")
    if not turns and given is MISSING:
        _required(values, fields, "input")
    if not asked and turns:
        asked = next((turn.content for turn in reversed(turns) if turn.role == "user"), "")
    return Trace("", asked, reply, turns)


def _messages(values: Mapping[str, object], fields: FieldMap) -> tuple[Turn, ...]:
    messages = fields.get(values, "messages")
    if messages is MISSING or messages in NOTHING:
        return ()
    if isinstance(messages, str):
        nested = nested_messages(messages)
        if nested is None:
            raise BadField("messages", "it is text, but not a JSON list of messages")
        messages = nested
    if not isinstance(messages, Sequence):
        raise BadField("messages", f"it is a list of messages, not {type(messages).__name__}")
    try:
        return turns_of(messages)
    except ValueError as error:
        raise BadField("messages", str(error)) from error


def _pair(values: Mapping[str, object], fields: FieldMap) -> Pair:
    gold = fields.get(values, "gold")
    winner = None
    if gold is not MISSING and gold not in NOTHING:
        winner = understand(gold, JudgeKind.PAIRWISE)
        if winner is None:
            raise BadField("gold", f"{gold!r} is none of A, B, tie")
    return Pair(
        "",
        _required(values, fields, "input"),
        _required(values, fields, "a"),
        _required(values, fields, "b"),
        winner,
    )


def _facts(fields: FieldMap, values: Mapping[str, object], used: set[str]) -> dict[str, str]:
    """Read the reference facts: the row's own, and fields mapped to ``facts.NAME``."""
    given = fields.get(values, "facts")
    facts: dict[str, str] = {}
    if isinstance(given, Mapping):
        facts = {str(name): text_of(value) for name, value in given.items()}
    elif given is not MISSING and given not in NOTHING:
        facts = {"facts": text_of(given)}
    for target, source in fields.paths.items():
        if target.startswith("facts."):
            value = fields.get(values, target)
            if value is not MISSING and value not in NOTHING:
                facts[target.removeprefix("facts.")] = text_of(value)
            used.add(source)
    return facts

"""A row as the judge sees it: facts, conversation, reply; never who wrote it or what people decided."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from judging.prompting.fencing import Fence
from store.records import AnyTrace, Order, Pair, Trace, Turn

_ROLES: Final[Mapping[str, str]] = {
    "user": "user",
    "human": "user",
    "customer": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "agent": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "observation": "tool",
}
"""What a turn's role is called; any other word might name a person or a model and is not shown."""

_OTHER_ROLE: Final = "participant"


def row_texts(trace: AnyTrace) -> tuple[str, ...]:
    """Give every untrusted text of a row that `render_row` shows."""
    texts = [trace.input, *trace.facts.keys(), *trace.facts.values()]
    if isinstance(trace, Pair):
        return (*texts, trace.a, trace.b)
    for turn in trace.messages:
        texts += [turn.content, turn.name or ""]
        for call in turn.tool_calls:
            texts += [call.name, call.arguments]
    return (*texts, trace.output)


def render_row(
    trace: AnyTrace, fence: Fence, *, order: Order | None = None, rubric_fact: str | None = None
) -> str:
    """Render facts, the row's own rubric and the trace as fenced sections.

    Args:
        trace: The row; its metadata, gold answer and labels are left out.
        fence: Made around at least `row_texts(trace)`.
        order: For pairs, which answer is shown as A; AB when not given.
        rubric_fact: Name of the fact that is shown as the rubric instead of as a fact.
    """
    if isinstance(trace, Pair):
        body = [fence.quote("request", trace.input), *_answers(trace, fence, order or Order.AB)]
    else:
        body = [*_conversation(trace, fence), fence.quote("reply", trace.output)]
    rubric = trace.facts.get(rubric_fact, "") if rubric_fact else ""
    facts = {name: value for name, value in trace.facts.items() if name != rubric_fact}
    parts = [*_facts(facts, fence), fence.wrap("trace", "\n".join(body))]
    # A blank rubric asks for nothing, so there is none to show.
    return "\n\n".join([fence.wrap("rubric", rubric), *parts] if rubric.strip() else parts)


def same_row(one: AnyTrace, other: AnyTrace) -> bool:
    """Say whether two traces show a judge the same text."""
    return type(one) is type(other) and (one.id == other.id or row_texts(one) == row_texts(other))


def _facts(facts: Mapping[str, str], fence: Fence) -> Iterable[str]:
    if facts:
        lines = [fence.quote("fact", value, attributes=_named(name)) for name, value in facts.items()]
        yield fence.wrap("facts", "\n".join(lines))


def _answers(pair: Pair, fence: Fence, order: Order) -> Iterable[str]:
    shown = (pair.a, pair.b) if order is Order.AB else (pair.b, pair.a)
    for letter, answer in zip("AB", shown, strict=True):
        yield fence.quote("answer", answer, attributes=_named(letter))


def _conversation(trace: Trace, fence: Fence) -> Iterable[str]:
    """Show the turns, and the input where no turn says it already: each text once."""
    turns = _before_reply(trace)
    for turn in turns:
        yield from _turn(turn, fence)
    said = any(turn.content == trace.input for turn in turns)
    # With turns beside it, a blank input only means that the turns are all there is.
    if not said and (trace.input.strip() or not turns):
        yield fence.quote("request", trace.input)


def _before_reply(trace: Trace) -> Sequence[Turn]:
    last = trace.messages[-1] if trace.messages else None
    repeats = last is not None and _role(last) == "assistant" and last.content == trace.output
    return trace.messages[:-1] if repeats and last is not None and not last.tool_calls else trace.messages


def _turn(turn: Turn, fence: Fence) -> Iterable[str]:
    role = _role(turn)
    parts = []
    if turn.content.strip() or not turn.tool_calls:
        parts.append(fence.quote("text", turn.content))
    parts += [
        fence.quote("tool-call", call.arguments, attributes=_named(call.name)) for call in turn.tool_calls
    ]
    attributes = f'role="{role}"'
    if role == "tool" and turn.name:
        attributes = f"{attributes} {_named(turn.name)}"
    yield fence.wrap("turn", "\n".join(parts), attributes=attributes)


def _role(turn: Turn) -> str:
    return _ROLES.get(turn.role.strip().casefold(), _OTHER_ROLE)


def _named(name: str) -> str:
    # JSON's escapes keep a name on its line and its quotes closed.
    return f"name={json.dumps(name, ensure_ascii=False)}"

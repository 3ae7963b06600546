"""What there is to read in a trace or a pair, block by block, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from store.records import AnyTrace, Order, Pair, ToolCall, Trace, Turn
from tui.widgets.inks import Syntax
from tui.widgets.json_text import reindented

FOLD_OVER_LINES = 12
FOLD_OVER_CHARACTERS = 2_000


class BlockKind(StrEnum):
    """What a block is, which decides its frame and whether it may fold by itself."""

    TURN = "turn"
    CALL = "call"
    RESULT = "result"
    REPLY = "reply"
    """Under judgment: framed, never folded by itself."""


@dataclass(frozen=True, slots=True)
class Block:
    """A titled piece of text; the text is raw data, made printable only when drawn."""

    title: str
    text: str
    kind: BlockKind = BlockKind.TURN
    syntax: Syntax = Syntax.MARKDOWN
    note: str = ""
    """What to say beside the title, e.g. that JSON was re-indented."""


def blocks_of(item: AnyTrace, *, order: Order = Order.AB) -> tuple[Block, ...]:
    """Return everything there is to read in `item`, with what is judged last.

    A trace with messages shows its `input` only when no message says the same: importers keep the
    last question there.

    Args:
        item: A trace or a pair.
        order: For pairs, which answer comes first; each keeps its own name.
    """
    if isinstance(item, Pair):
        answers = {"A": item.a, "B": item.b}
        judged = [_block(f"answer {name}", answers[name], BlockKind.REPLY) for name in order]
        return (_block("input", item.input), *judged)
    return (*_conversation(item), _block("reply under judgment", item.output, BlockKind.REPLY))


def facts_of(facts: Mapping[str, str]) -> tuple[Block, ...]:
    """Return reference facts as blocks, one a fact."""
    return tuple(_block(name, text) for name, text in facts.items())


def default_folds(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the blocks to fold at first: long tool traffic and system prompts, never turns or replies."""
    return frozenset(
        index
        for index, block in enumerate(blocks)
        if (block.kind in (BlockKind.CALL, BlockKind.RESULT) or block.title == "system")
        and (len(block.text) > FOLD_OVER_CHARACTERS or block.text.count("\n") >= FOLD_OVER_LINES)
    )


def _conversation(trace: Trace) -> list[Block]:
    said = {turn.content.strip() for turn in trace.messages}
    blocks: list[Block] = []
    if not trace.messages or (trace.input.strip() and trace.input.strip() not in said):
        blocks.append(_block("input", trace.input))
    for turn in trace.messages:
        blocks.extend(_turn(turn))
    return blocks


def _turn(turn: Turn) -> list[Block]:
    who = f"{turn.role} ({turn.name})" if turn.name else turn.role
    kind = BlockKind.RESULT if turn.role in ("tool", "function") else BlockKind.TURN
    calls = [_call(who, call) for call in turn.tool_calls]
    if calls and not turn.content:
        return calls
    return [_block(who, turn.content, kind), *calls]


def _call(who: str, call: ToolCall) -> Block:
    return _block(f"{who} calls {call.name}", call.arguments, BlockKind.CALL)


def _block(title: str, text: str, kind: BlockKind = BlockKind.TURN) -> Block:
    spread = reindented(text)
    if spread is not None:
        return Block(title, spread, kind, Syntax.JSON, "" if spread == text else "JSON, re-indented")
    plain = kind in (BlockKind.CALL, BlockKind.RESULT)
    return Block(title, text, kind, Syntax.PLAIN if plain else Syntax.MARKDOWN)

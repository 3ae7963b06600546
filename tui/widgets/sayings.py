"""What a person and a judge say of a trace, as one line and as blocks to read."""

from __future__ import annotations

from textual.content import Content

from store.records import Candidate, Label, Order, Verdict
from tui.text import printable
from tui.theme import DRAWING, GLYPHS, glyph, verdict_content
from tui.widgets.blocks import Block

FLAG = "!" if DRAWING.full == "#" else "⚠"
_ARROW = "->" if DRAWING.full == "#" else "→"


def decision(verdict: str | None) -> Content:
    """Draw a decision with mark, word and colour; an answer's letter is its mark and is written once."""
    return Content.styled(printable(decision_words(verdict)), glyph(verdict).style)


def decision_words(verdict: str | None) -> str:
    """Write a decision without colour."""
    look = glyph(verdict)
    return look.word if look.word.startswith(f"{look.mark} ") else look.text


def crossing(label: str | None, verdict: str | None) -> Content:
    """Draw in three cells what the person said and what the judge said of it."""
    return Content.assemble(
        verdict_content(label, word=False),
        (_ARROW[-1], "$foreground-muted"),
        verdict_content(verdict, word=False),
    )


def person_line(label: Label | None) -> Content:
    """Say in one line what the person decided, who it was, and whether the judge's verdict was known."""
    if label is None:
        return Content.assemble(("PERSON ", "bold"), ("no label", "$foreground-muted"))
    said = f"  {how_decided(label)} {DRAWING.dot} {label.annotator}"
    return Content.assemble(
        ("PERSON ", "bold"), decision(label.verdict), (printable(said), "$foreground-muted")
    )


def how_decided(label: Label) -> str:
    """Say in a word whether a label was made without knowing the judge's verdict."""
    if label.revealed:
        return "revealed"
    return "imported" if label.queue in ("import", "imported") and label.seconds is None else "blind"


def person_blocks(label: Label | None) -> tuple[Block, ...]:
    """Return what the person wrote."""
    if label is None:
        return ()
    return (Block("note", label.note or "(none; n writes one)"),)


def judge_line(verdict: Verdict, other: Verdict | None = None) -> Content:
    """Say in one line what the judge decided, what that took, and which model answered.

    Args:
        verdict: The verdict; for pairs that with A shown first.
        other: For pairs, that with B shown first.
    """
    parts: list[Content | tuple[str, str]] = [("JUDGE ", "bold")]
    if other is not None:
        parts += [("AB ", "$foreground-muted"), decision(verdict.verdict)]
        parts += [("  BA ", "$foreground-muted"), decision(other.verdict)]
    else:
        parts.append(decision(verdict.verdict))
    facts = _costs(verdict)
    if facts:
        parts.append((printable("  " + f" {DRAWING.dot} ".join(facts)), "$foreground-muted"))
    if verdict.flags or (other and other.flags):
        parts.append((f" {FLAG}", "bold $warning"))
    return Content.assemble(*parts)


def _costs(verdict: Verdict) -> list[str]:
    facts = []
    if verdict.seconds is not None:
        facts.append(f"{verdict.seconds:.1f} s")
    if verdict.cost_usd:
        facts.append(f"${verdict.cost_usd:.4f}")
    if verdict.model:
        facts.append(verdict.model)
    if verdict.reused:
        facts.append("reused")
    return facts


def judge_blocks(verdict: Verdict, other: Verdict | None = None) -> tuple[Block, ...]:
    """Return all that the judge said: critique, flags, candidates and critic, the other order.

    Args:
        verdict: The verdict; for pairs that with A shown first.
        other: For pairs, that with B shown first.
    """
    if verdict.order is None:
        return _verdict_blocks(verdict, "")
    first = f"{verdict.order[0]} shown first: "
    blocks = _verdict_blocks(verdict, first)
    return blocks if other is None else (*blocks, *_verdict_blocks(other, f"{_first(other)} shown first: "))


def _first(verdict: Verdict) -> str:
    return (verdict.order or Order.AB)[0]


def _verdict_blocks(verdict: Verdict, before: str) -> tuple[Block, ...]:
    said = f"{before}{decision_words(verdict.verdict)}" if before else "critique"
    blocks = []
    if verdict.reason is not None:
        blocks.append(Block(f"{before}{GLYPHS['no verdict'].text}: {verdict.reason}", verdict.detail))
    if verdict.critique or verdict.reason is None:
        blocks.append(Block(said, verdict.critique))
    if verdict.flags:
        blocks.append(Block(f"{FLAG} worth knowing", "\n".join(f"- {flag}" for flag in verdict.flags)))
    numbers: dict[str, int] = {}
    for one in verdict.candidates:
        numbers[one.role] = numbers.get(one.role, 0) + 1
        blocks.append(_candidate(one, numbers[one.role]))
    return tuple(blocks)


def _candidate(one: Candidate, number: int) -> Block:
    name = one.role if one.role == "critic" else f"{one.role} {number}"
    why = f" ({one.reason})" if one.reason else ""
    return Block(f"{name}: {decision_words(one.verdict)}{why}", one.critique or one.raw)

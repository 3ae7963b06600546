"""What the Label screen's one-line places say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content

from store.records import Decision, JudgeKind, Label
from tui.session.labelling import LabelSession
from tui.session.queue import QueueOrder
from tui.text import one_line, printable
from tui.theme import ASCII_ONLY, DRAWING, GLYPHS, verdict_content
from tui.widgets.blocks import Block
from tui.widgets.inks import Syntax

if TYPE_CHECKING:
    from tui.session.session import Session

ORDER_NAMES: Final = {
    QueueOrder.RANDOM: "random, the same each time",
    QueueOrder.IMPORTED: "as imported",
}

_ASKS: Final = ">" if ASCII_ONLY else "›"
NOTE_PROMPT: Final = f"note {_ASKS} "
SEARCH_PROMPT: Final = f"search {_ASKS} "

_ID_CELLS: Final = 24
_ROOM_FOR_PACE: Final = 70
"""Columns from which the line of status has room for seconds a label."""


def plain(text: str) -> Content:
    """Return a quiet remark; the text may hold anything."""
    return Content.styled(printable(text), "$foreground-muted")


def refused(reason: str, width: int) -> Content:
    """Say that something was not written, and why."""
    return Content.styled(one_line(f"NOT SAVED: {reason}", width), "bold $error")


def unreadable(reason: str, width: int) -> Content:
    """Say that a trace cannot be shown, and why; what was decided before is saved."""
    return Content.styled(one_line(f"the trace there cannot be read: {reason}", width), "bold $error")


def saved(label: Label) -> Content:
    """Confirm a label that is on disk."""
    return Content.assemble(
        ("last: ", "$foreground-muted"),
        verdict_content(label.verdict),
        f" {one_line(label.trace, _ID_CELLS)} saved",
        (f" {DRAWING.dot} z undo", "$foreground-muted"),
    )


def all_done(label: Label) -> Content:
    """Confirm the label after which nothing is left to label."""
    return saved(label) + Content.styled(f" {DRAWING.dot} all labelled: g h goes home", "$foreground-muted")


def stepped_back(label: Label | None, name: str) -> Content:
    """Say what was undone or redone."""
    if label is None:
        return plain(f"nothing to {name}")
    done, other = ("undone: ", "y redo") if name == "undo" else ("redone: ", "z undo")
    return Content.assemble(
        (done, "$foreground-muted"),
        verdict_content(label.verdict),
        f" {one_line(label.trace, _ID_CELLS)}",
        (f" {DRAWING.dot} {other}", "$foreground-muted"),
    )


def note_kept(note: str, *, written: bool) -> Content:
    """Say where a note is now."""
    if not note.strip():
        return plain("note is empty")
    return plain("note saved" if written else "note waits: it is saved with the label")


def hits(term: str, count: int) -> Content:
    """Say how often a term was found in the trace at hand."""
    times = "once" if count == 1 else f"{count:,} times"
    return plain(f"{one_line(term, 30)}: {times} here {DRAWING.dot} > next  < previous  / enter next trace")


def welcome(labelling: LabelSession | None) -> Content:
    """Say under which name and in which order labels are written."""
    if labelling is None:
        return Content()
    return plain(
        f"labelling as {one_line(labelling.annotator, 30)} {DRAWING.dot} order {ORDER_NAMES[labelling.order]}"
    )


def standing(labelling: LabelSession, width: int) -> Content:
    """Say how many are done, how they fall, and how long one takes.

    Args:
        labelling: Whose.
        width: Columns of the terminal; the pace goes first when room is short.
    """
    now = labelling.standing()
    words = [word for word in labelling.words if word != Decision.UNSURE] + [Decision.UNSURE.value]
    parts: list[Content | str] = [f"{now.done:,} of {now.total:,} "]
    for word in words if labelling.words else []:
        look = GLYPHS[word]
        parts += ["  ", Content.styled(look.mark, look.style), f" {now.tally.get(word, 0):,}"]
    if now.pace is not None and width >= _ROOM_FOR_PACE:
        parts.append(f"   {now.pace:.0f} s each" if now.pace >= 1 else "   < 1 s each")
    return Content.assemble(*parts)


def note(labelling: LabelSession | None, width: int) -> Content:
    """Say what this person decided on the trace at hand, and the note that goes with it."""
    if labelling is None or labelling.trace is None:
        return Content()
    if labelling.is_sealed:
        said = Content.styled(f"sealed {DRAWING.dot} ", "$warning")
    else:
        label = labelling.label
        said = verdict_content(label.verdict) + Content(f" {DRAWING.dot} ") if label else Content()
    room = max(1, width - said.cell_length - len(NOTE_PROMPT))
    text = one_line(labelling.note, room) if labelling.note else ""
    return Content.assemble(said, (NOTE_PROMPT, "$foreground-muted"), text)


def nothing_to_label(session: Session) -> tuple[Block, ...]:
    """Say why there is no trace, and the next step."""
    criterion = session.criterion
    if criterion is None:
        text = (
            "There is no criterion yet.\n\n"
            "Write the standard: adjudge criterion new NAME --pass TEXT --fail TEXT"
        )
    else:
        what = "pairs" if criterion.kind is JudgeKind.PAIRWISE else "traces"
        text = f"There are no {what} for {criterion.name} yet.\n\nBring some in: adjudge import FILE"
    return (Block("nothing to label", text, syntax=Syntax.PLAIN),)

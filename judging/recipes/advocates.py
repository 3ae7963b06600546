"""The devil's advocate: one more call that argues for the candidates the vote would pass over."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final

from judging.calls import Answer, Call, Failure, Reply
from judging.prompting import build_advocate_request
from judging.recipes.context import RecipeContext
from judging.recipes.replies import Drawn
from judging.recipes.votes import count_votes
from store.records import Candidate, Reason

NO_CASE: Final = "the devil's advocate made no case"


@dataclass(frozen=True)
class Case:
    """What the advocate said."""

    argument: str = ""
    """Empty when there was nobody to speak for, or nothing was said."""
    records: tuple[Candidate, ...] = ()
    """The advocate's answer as it is recorded; it is no vote."""
    flags: tuple[str, ...] = ()


def argue(context: RecipeContext, heard: Sequence[Drawn]) -> Generator[Sequence[Call], Sequence[Reply], Case]:
    """Ask for the case of every candidate that differs from the most frequent verdict.

    Where all agree nobody is asked. An advocate that fails is flagged, and the critic goes on without:
    the verdict is the critic's own either way.

    Args:
        context: The row at hand.
        heard: Candidates with a verdict, as the critic will see them.
    """
    mode = count_votes([one.verdict for one in heard], "paper").verdict
    numbers = [number for number, one in enumerate(heard, start=1) if one.verdict != mode]
    if not numbers:
        return Case()
    request = build_advocate_request(
        context.trace,
        context.judge,
        context.criterion,
        candidates=[one.candidate for one in heard],
        speak_for=numbers,
        order=context.order,
    )
    call = Call(request, context.repeat)
    (reply,) = yield [call]
    reason = _why_none(reply)
    text = reply.text if isinstance(reply, Answer) else ""
    record = Candidate(None, text, text, reason, "advocate", call.key)
    if reason is not None:
        return Case(records=(record,), flags=(f"{NO_CASE}: {reason}",))
    return Case(text, (record,))


def _why_none(reply: Reply) -> Reason | None:
    if isinstance(reply, Failure):
        return reply.reason
    if reply.stop_reason == "refusal":
        return Reason.REFUSED
    return None if reply.text.strip() else Reason.EMPTY

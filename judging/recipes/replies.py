"""Turn one reply into one candidate: a verdict by the answers' own names, or a reason why not.

The only place where a verdict on a pair shown in the other order is mapped back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from judging.calls import Answer, Call, Failure, Reply
from judging.parsing import Reading, read_answer
from judging.recipes.context import RecipeContext
from store.records import Candidate, Decision, Order, Reason

CUT_OFF: Final = "the answer was cut off after this verdict"
_CUT_OFF_STOPS: Final = frozenset({"max_tokens", "model_context_window_exceeded"})
_SWAPPED: Final[Mapping[str, str]] = {Decision.A: Decision.B, Decision.B: Decision.A}

Role = Literal["candidate", "critic"]


@dataclass(frozen=True)
class Drawn:
    """One candidate with what has to be said about it."""

    candidate: Candidate
    detail: str = ""
    flags: tuple[str, ...] = ()

    @property
    def verdict(self) -> str | None:
        """The candidate's verdict, by the answers' own names."""
        return self.candidate.verdict


def read_reply(context: RecipeContext, call: Call, reply: Reply, *, role: Role = "candidate") -> Drawn:
    """Read a reply to a call; the text is kept whatever is read from it."""
    if isinstance(reply, Failure):
        return Drawn(Candidate(None, "", "", reply.reason, role, call.key), reply.detail)
    reading = _read(reply, context)
    verdict = own_name(reading.verdict, context.order)
    candidate = Candidate(
        verdict, reading.critique, reply.text, reading.reason, role, call.key, reading.scores
    )
    return Drawn(candidate, reading.detail, reading.flags)


def own_name(verdict: str | None, order: Order | None) -> str | None:
    """Give a verdict by the answers' own names: with B shown first, the judge's "A" is B."""
    if verdict is None or order is not Order.BA:
        return verdict
    return _SWAPPED.get(verdict, verdict)


def _read(answer: Answer, context: RecipeContext) -> Reading:
    if answer.stop_reason == "refusal":
        detail = f"the model refused: {answer.stop_detail}" if answer.stop_detail else "the model refused"
        return Reading(None, reason=Reason.REFUSED, detail=detail)
    reading = read_answer(answer.text, context.judge)
    if answer.stop_reason not in _CUT_OFF_STOPS:
        return reading
    if reading.verdict is None:
        limit = "max_tokens" if answer.stop_reason == "max_tokens" else "the model's context window"
        return Reading(None, reading.critique, Reason.TRUNCATED, f"{limit} ended the answer before a verdict")
    return replace(reading, flags=(*reading.flags, CUT_OFF))

"""Make one draft of the candidates that were drawn: the first one's, a vote, or a critic's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from typing import Final, TypeAlias

from judging.calls import Call, Draft, Reply
from judging.prompting import build_critic_request
from judging.recipes.advocates import Case, argue
from judging.recipes.context import RecipeContext
from judging.recipes.drawing import Drawing
from judging.recipes.replies import read_reply
from judging.recipes.votes import count_votes
from store.records import JudgeKind, Reason

TIE_BROKEN: Final = "a tie, decided by the first candidate"
OVERRULED: Final = "the critic overruled the vote"

Steps: TypeAlias = Generator[Sequence[Call], Sequence[Reply], Draft]
Reduce: TypeAlias = Callable[[RecipeContext, Drawing], Steps]


def first(_context: RecipeContext, drawing: Drawing) -> Steps:
    """Take the first candidate as it is; it asks no one."""
    yield from ()
    taken = drawing.drawn[0]
    return Draft(
        taken.verdict,
        taken.candidate.critique,
        taken.candidate.reason,
        taken.detail,
        taken.flags,
        drawing.candidates,
        taken.candidate.scores,
    )


def majority(context: RecipeContext, drawing: Drawing) -> Steps:
    """Take a vote by the judge's `vote` rule; the critique is the first winning candidate's."""
    yield from ()
    said = count_votes(drawing.verdicts, context.vote)
    if not said.votes:
        return nobody_spoke(drawing)
    tally = count_votes(drawing.votes, context.vote)
    stopped = (drawing.stopped,) if drawing.stopped else ()
    if tally.verdict is None:
        detail = f"votes: {said.in_words()}"
        return Draft(
            None, reason=Reason.UNDECIDED, detail=detail, flags=stopped, candidates=drawing.candidates
        )
    winner = next(one for one in drawing.drawn if one.verdict == tally.verdict)
    tied = (TIE_BROKEN,) if tally.tied else ()
    flags = (*winner.flags, *tied, *missing_flags(drawing), *stopped)
    return Draft(tally.verdict, winner.candidate.critique, flags=flags, candidates=drawing.candidates)


def critique(context: RecipeContext, drawing: Drawing) -> Steps:
    """Ask a critic that sees the question and every candidate with a verdict.

    What the critic says is the verdict; when nothing can be read from it there is none. The vote is
    never put in its place, since that would hide the critic's failures behind another method
    (RTLC, section V-E).
    """
    heard = [one for one in drawing.drawn if one.verdict is not None]
    if not heard:
        return nobody_spoke(drawing)
    case = (yield from argue(context, heard)) if context.advocate else Case()
    request = build_critic_request(
        context.trace,
        context.judge,
        context.criterion,
        context.examples,
        candidates=[one.candidate for one in heard],
        argument=case.argument,
        order=context.order,
    )
    call = Call(request, context.repeat)
    (reply,) = yield [call]
    critic = read_reply(context, call, reply, role="critic")
    candidates = (*drawing.candidates, *case.records, critic.candidate)
    said, reason = critic.candidate.critique, critic.candidate.reason
    if critic.verdict is None:
        detail = f"the critic gave no verdict: {critic.detail}"
        return Draft(None, said, reason, detail, case.flags, candidates)
    flags = (*critic.flags, *case.flags, *_overruled(context, drawing, critic.verdict))
    return Draft(
        critic.verdict,
        said,
        flags=(*flags, *missing_flags(drawing)),
        candidates=candidates,
        scores=critic.candidate.scores,
    )


def missing_flags(drawing: Drawing) -> tuple[str, ...]:
    """Say how many of those drawn gave no verdict, if any."""
    missing = drawing.verdicts.count(None)
    return (f"{missing} of {len(drawing.drawn)} candidates gave no verdict",) if missing else ()


def nobody_spoke(drawing: Drawing) -> Draft:
    """Say why there is no verdict at all, by the most frequent reason."""
    reasons = Counter(one.candidate.reason or Reason.UNPARSED for one in drawing.drawn)
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    several = len(drawing.drawn) > 1
    detail = f"no candidate gave a verdict: {listed}" if several else drawing.drawn[0].detail
    reason = reasons.most_common(1)[0][0]
    flags = (drawing.stopped,) if drawing.stopped else ()
    return Draft(None, reason=reason, detail=detail, flags=flags, candidates=drawing.candidates)


def _overruled(context: RecipeContext, drawing: Drawing, verdict: str) -> tuple[str, ...]:
    # Overall scores are no votes: that two scorecards differ overrules nothing.
    if context.judge.kind is JudgeKind.SCORECARD:
        return ()
    voted = count_votes(drawing.votes, context.vote).verdict
    return (OVERRULED,) if voted not in (None, verdict) else ()

"""Make one draft of the candidates that were drawn: the first one's, a vote, or a critic's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias

from judging.calls import Call, Draft, Reply
from judging.prompting import build_critic_request
from judging.recipes.context import RecipeContext
from judging.recipes.replies import Drawn, read_reply
from judging.recipes.votes import DEFAULT_RULE, Tally, count_votes
from store.records import Reason

TIE_BROKEN = "a tie, decided by the first candidate"
OVERRULED = "the critic overruled the vote"

Steps: TypeAlias = Generator[Sequence[Call], Sequence[Reply], Draft]
Reduce: TypeAlias = Callable[[RecipeContext, Sequence[Drawn]], Steps]


def first(_context: RecipeContext, drawn: Sequence[Drawn]) -> Steps:
    """Take the first candidate as it is; it asks no one."""
    yield from ()
    taken = drawn[0]
    return Draft(
        taken.verdict,
        taken.candidate.critique,
        taken.candidate.reason,
        taken.detail,
        taken.flags,
        tuple(one.candidate for one in drawn),
    )


def majority(context: RecipeContext, drawn: Sequence[Drawn]) -> Steps:
    """Take a vote by the judge's `vote` rule; the critique is the first winning candidate's."""
    yield from ()
    tally = _tally(context, drawn)
    if not tally.votes:
        return _nobody_spoke(drawn)
    candidates = tuple(one.candidate for one in drawn)
    if tally.verdict is None:
        return Draft(
            None, reason=Reason.UNDECIDED, detail=f"votes: {tally.in_words()}", candidates=candidates
        )
    winner = next(one for one in drawn if one.verdict == tally.verdict)
    flags = list(winner.flags)
    if tally.tied:
        flags.append(TIE_BROKEN)
    if tally.missing:
        flags.append(_missing(tally))
    return Draft(tally.verdict, winner.candidate.critique, flags=tuple(flags), candidates=candidates)


def critique(context: RecipeContext, drawn: Sequence[Drawn]) -> Steps:
    """Ask a critic that sees the question and every candidate with a verdict.

    What the critic says is the verdict; when nothing can be read from it there is none. The vote is
    never put in its place, since that would hide the critic's failures behind another method
    (RTLC, section V-E).
    """
    heard = [one for one in drawn if one.verdict is not None]
    if not heard:
        return _nobody_spoke(drawn)
    request = build_critic_request(
        context.trace,
        context.judge,
        context.criterion,
        context.examples,
        candidates=[one.candidate for one in heard],
        order=context.order,
    )
    call = Call(request, context.repeat)
    (reply,) = yield [call]
    critic = read_reply(context, call, reply, role="critic")
    candidates = (*(one.candidate for one in drawn), critic.candidate)
    if critic.verdict is None:
        detail = f"the critic gave no verdict: {critic.detail}"
        return Draft(None, critic.candidate.critique, critic.candidate.reason, detail, candidates=candidates)
    return Draft(
        critic.verdict,
        critic.candidate.critique,
        flags=(*critic.flags, *_beside(context, drawn, critic.verdict)),
        candidates=candidates,
    )


def _beside(context: RecipeContext, drawn: Sequence[Drawn], verdict: str) -> Sequence[str]:
    tally = _tally(context, drawn)
    flags = [OVERRULED] if tally.verdict not in (None, verdict) else []
    return [*flags, _missing(tally)] if tally.missing else flags


def _tally(context: RecipeContext, drawn: Sequence[Drawn]) -> Tally:
    return count_votes([one.verdict for one in drawn], str(context.judge.params.get("vote", DEFAULT_RULE)))


def _missing(tally: Tally) -> str:
    return f"{tally.missing} of {tally.asked} candidates gave no verdict"


def _nobody_spoke(drawn: Sequence[Drawn]) -> Draft:
    """Say why there is no verdict at all, by the most frequent reason."""
    reasons = Counter(one.candidate.reason or Reason.UNPARSED for one in drawn)
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    detail = f"no candidate gave a verdict: {listed}" if len(drawn) > 1 else drawn[0].detail
    candidates = tuple(one.candidate for one in drawn)
    return Draft(None, reason=reasons.most_common(1)[0][0], detail=detail, candidates=candidates)

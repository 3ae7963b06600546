"""Draw candidates: all at once, or until more of them would not matter."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from judging.calls import Call, Reply
from judging.prompting import build_request
from judging.recipes.context import RecipeContext
from judging.recipes.replies import Drawn, read_reply
from judging.recipes.stopping import Stopping, leader_probability
from store.records import Candidate


@dataclass(frozen=True)
class Drawing:
    """The candidates of one row, and how their drawing ended."""

    drawn: tuple[Drawn, ...]
    asked: int
    """How many may be drawn."""
    settled: bool = False
    """Whether those not drawn could not have changed the vote."""
    stopped: str = ""
    """Why fewer were drawn than may be; empty when all were."""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The candidates as they are recorded."""
        return tuple(one.candidate for one in self.drawn)

    @property
    def verdicts(self) -> list[str | None]:
        """What each of those drawn says."""
        return [one.verdict for one in self.drawn]

    @property
    def votes(self) -> list[str | None]:
        """What is put to the vote.

        Where the rest could not have changed it they stand as votes for nothing, so that the rule is
        applied to as many as it would have been.
        """
        rest = self.asked - len(self.drawn) if self.settled else 0
        return [*self.verdicts, *[None] * rest]


Draw: TypeAlias = Callable[
    [RecipeContext, Sequence[Call]], Generator[Sequence[Call], Sequence[Reply], Drawing]
]


def candidate_calls(context: RecipeContext) -> list[Call]:
    """Give the calls for a row's candidates: the models take turns, and each draws samples of its own."""
    models = context.models
    requests = [
        build_request(
            context.trace,
            context.judge,
            context.criterion,
            context.examples,
            order=context.order,
            model=model,
        )
        for model in models
    ]
    rounds = -(-context.samples // len(models))
    drawn_before = context.repeat * rounds
    return [
        Call(requests[number % len(models)], drawn_before + number // len(models))
        for number in range(context.samples)
    ]


def all_at_once(
    context: RecipeContext, calls: Sequence[Call]
) -> Generator[Sequence[Call], Sequence[Reply], Drawing]:
    """Draw every candidate in one round."""
    replies = yield calls
    return Drawing(_read(context, calls, replies), len(calls))


def until_settled(
    context: RecipeContext, calls: Sequence[Call]
) -> Generator[Sequence[Call], Sequence[Reply], Drawing]:
    """Draw in rounds, each no larger than it has to be, until the stopping rule is met."""
    stopping = Stopping(len(calls), context.vote, context.confidence)
    drawn: tuple[Drawn, ...] = ()
    while len(drawn) < len(calls):
        more = stopping.least_more([one.verdict for one in drawn])
        asked = calls[len(drawn) : len(drawn) + more]
        replies = yield asked
        drawn += _read(context, asked, replies)
        verdicts = [one.verdict for one in drawn]
        if len(drawn) < len(calls) and stopping.reached(verdicts):
            settled = stopping.settled(verdicts)
            why = (
                "the rest cannot change the vote"
                if settled
                else f"the leader's probability is {leader_probability(verdicts):.3f}"
            )
            stopped = f"stopped after {len(drawn)} of {len(calls)} candidates: {why}"
            return Drawing(drawn, len(calls), settled, stopped)
    return Drawing(drawn, len(calls))


def _read(context: RecipeContext, calls: Sequence[Call], replies: Sequence[Reply]) -> tuple[Drawn, ...]:
    return tuple(read_reply(context, call, reply) for call, reply in zip(calls, replies, strict=True))

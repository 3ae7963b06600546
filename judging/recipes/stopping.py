"""When adaptive drawing may stop: the rest cannot change the vote, or its leader is probable enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final, TypeAlias

from judging.recipes.votes import count_votes

Votes: TypeAlias = Sequence[str | None]
"""Verdicts in the order drawn; None where a candidate gave none."""

_UNSEEN: Final = "a verdict that nobody gave so far"


@dataclass(frozen=True)
class Stopping:
    """The rule by which drawing stops early."""

    asked: int
    """How many candidates are drawn at most."""
    rule: str
    """The vote's rule."""
    confidence: float | None = None
    """Probability of the leader that is enough; None: never."""

    def settled(self, votes: Votes) -> bool:
        """Say whether those not drawn yet cannot change what the vote comes to, whatever they say.

        It is enough to try the rest as so many votes for one verdict and the others as none: votes that
        are spread over several rivals help each of them less, and the leader's own never hurt it.
        """
        left = self.asked - len(votes)
        certain = count_votes([*votes, *[None] * left], self.rule).verdict
        for verdict in _possible(votes):
            # The largest number first: it is the one that most often changes something.
            for number in range(left, 0, -1):
                rest = [*[verdict] * number, *[None] * (left - number)]
                if count_votes([*votes, *rest], self.rule).verdict != certain:
                    return False
        return True

    def convinced(self, votes: Votes) -> bool:
        """Say whether the vote so far has a winner that is probable enough."""
        if self.confidence is None:
            return False
        tally = count_votes(votes, self.rule)
        if tally.verdict is None or tally.tied:
            return False
        return leader_probability(votes) >= self.confidence

    def reached(self, votes: Votes) -> bool:
        """Say whether drawing stops here."""
        return self.convinced(votes) or self.settled(votes)

    def least_more(self, votes: Votes) -> int:
        """Give how many have to be drawn at least before drawing could stop.

        So many are drawn side by side: one by one would draw them as well, only later.
        """
        left = self.asked - len(votes)
        for number in range(1, left):
            if any(self.reached([*votes, *[one] * number]) for one in (*_possible(votes), None)):
                return number
        return left


def leader_probability(votes: Votes) -> float:
    """Give the probability that the most frequent verdict is truly more frequent than its runner-up.

    The posterior under a uniform prior: with `a` votes for the one and `b` for the other, their share is
    Beta(a + 1, b + 1), and its part above one half is a sum of binomials. Candidates without a verdict
    and other verdicts do not count.
    """
    counts = [count for _, count in Counter(one for one in votes if one is not None).most_common(2)]
    first, second = [*counts, 0, 0][:2]
    draws = first + second + 1
    favourable = sum(comb(draws, at_most) for at_most in range(first + 1))
    return favourable / (1 << draws)


def _possible(votes: Votes) -> Iterator[str]:
    yield from dict.fromkeys(one for one in votes if one is not None)
    yield _UNSEEN

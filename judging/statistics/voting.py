"""From several votes to one: the two rules in use, by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a vote ended."""

    DECIDED = "decided"
    UNDECIDED = "undecided"
    """There were votes, but no winner under the rule: neither a pass nor a fail."""
    ERROR = "error"
    """Not one vote could be read."""


class VotingRule(StrEnum):
    """Which rule turns votes into a verdict."""

    MORE_THAN_HALF = "more than half of the votes asked for"
    MOST_FREQUENT = "most frequent vote, ties to the first readable candidate"


@dataclass(frozen=True)
class VoteResult:
    """The winner, or why there is none, and the votes behind it."""

    rule: VotingRule
    outcome: Outcome
    winner: str | None
    """None unless decided."""
    votes_for: int
    """Votes for the winner, or for the most frequent word where nothing was decided."""
    readable: int
    """Votes that could be read."""
    asked: int
    """Votes that were asked for; those missing or unreadable stay in this number."""


def more_than_half(votes: Sequence[str | None], *, asked: int | None = None) -> VoteResult:
    """Decide for the word that more than half of the votes asked for agree on.

    A failed or unreadable vote (None) is for nobody, and still counts among those asked for: one
    surviving vote never decides alone, and an even split falls to no side.

    Args:
        votes: Each candidate's word; None where there is none.
        asked: How many were asked for, where fewer came back; default: as many as `votes`.

    Raises:
        ValueError: More votes than were asked for, or none asked for.
    """
    total = _asked(votes, asked)
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        return VoteResult(VotingRule.MORE_THAN_HALF, Outcome.ERROR, None, 0, 0, total)
    word, most = counts.most_common(1)[0]
    decided = 2 * most > total
    return VoteResult(
        VotingRule.MORE_THAN_HALF,
        Outcome.DECIDED if decided else Outcome.UNDECIDED,
        word if decided else None,
        most,
        counts.total(),
        total,
    )


def most_frequent(votes: Sequence[str | None], *, asked: int | None = None) -> VoteResult:
    """Decide for the most frequent readable vote; of equally frequent ones, the one that came first.

    The rule of the RTLC reducer: a tie goes to the first candidate that could be read (among those
    of the tied words, where there are more than two words). Undecided cannot happen.

    Args:
        votes: Each candidate's word, in the order of the candidates; None where there is none.
        asked: How many were asked for, where fewer came back; default: as many as `votes`.

    Raises:
        ValueError: More votes than were asked for, or none asked for.
    """
    total = _asked(votes, asked)
    counts = Counter(vote for vote in votes if vote is not None)
    if not counts:
        return VoteResult(VotingRule.MOST_FREQUENT, Outcome.ERROR, None, 0, 0, total)
    # Counter keeps the order of first appearance, and max gives the first of equals.
    winner = max(counts, key=counts.__getitem__)
    return VoteResult(
        VotingRule.MOST_FREQUENT, Outcome.DECIDED, winner, counts[winner], counts.total(), total
    )


def _asked(votes: Sequence[str | None], asked: int | None) -> int:
    total = len(votes) if asked is None else asked
    if total < 1 or len(votes) > total:
        raise ValueError(f"{len(votes)} votes do not fit {total} asked for")
    return total

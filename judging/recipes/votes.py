"""Count votes by a named rule.

Candidates without a verdict never vote. Every rule is stated in `RULES` and shown with the judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Tally:
    """What a vote came to."""

    verdict: str | None
    votes: Mapping[str, int]
    asked: int
    tied: bool = False
    """A tie was broken by the first candidate."""

    @property
    def missing(self) -> int:
        """How many of those asked gave no verdict."""
        return self.asked - sum(self.votes.values())

    def in_words(self) -> str:
        """Say the count, as "3 pass, 2 fail, 1 without a verdict"."""
        parts = [f"{count} {verdict}" for verdict, count in self.votes.items()]
        if self.missing:
            parts.append(f"{self.missing} without a verdict")
        return ", ".join(parts)


@dataclass(frozen=True)
class Rule:
    """One way to decide a vote."""

    description: str
    decide: Callable[[Tally, Sequence[str]], Tally]
    """From the bare count and the verdicts in the order drawn."""


def count_votes(verdicts: Sequence[str | None], rule: str) -> Tally:
    """Count the verdicts of all candidates asked.

    Args:
        verdicts: One per candidate, in the order drawn; None where there is no verdict.
        rule: A name in RULES.

    Raises:
        ValueError: when there is no such rule.
    """
    if rule not in RULES:
        raise ValueError(f"there is no vote rule named {rule!r}; there are {', '.join(RULES)}")
    given = [verdict for verdict in verdicts if verdict is not None]
    bare = Tally(None, Counter(given), len(verdicts))
    return RULES[rule].decide(bare, given) if given else bare


def _quorum(tally: Tally, given: Sequence[str]) -> Tally:
    if 2 * len(given) <= tally.asked:
        return tally
    result = _paper(tally, given)
    # A vote that is missing could have broken the tie.
    return tally if result.tied and tally.missing else result


def _paper(tally: Tally, given: Sequence[str]) -> Tally:
    most = max(tally.votes.values())
    leading = {verdict for verdict, count in tally.votes.items() if count == most}
    first = next(verdict for verdict in given if verdict in leading)
    return Tally(first, tally.votes, tally.asked, tied=len(leading) > 1)


def _strict(tally: Tally, given: Sequence[str]) -> Tally:
    result = _paper(tally, given)
    leads = result.verdict is not None and 2 * tally.votes[result.verdict] > tally.asked
    return result if leads else tally


RULES: Final[Mapping[str, Rule]] = {
    "quorum": Rule(
        "more than half of the candidates have to give a verdict; the most frequent one wins; a tie goes to "
        "the first candidate when all gave a verdict, else it stays undecided",
        _quorum,
    ),
    "paper": Rule(
        "the most frequent verdict wins however few were given; a tie goes to the first candidate with a "
        "verdict (the rule of the RTLC paper)",
        _paper,
    ),
    "strict": Rule("more than half of all candidates asked have to agree, else it stays undecided", _strict),
}
"""How a vote is decided, by name."""

DEFAULT_RULE: Final = "quorum"

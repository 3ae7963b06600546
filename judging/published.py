"""Published figures of the RTLC pipeline, as claims, with what does not follow from its own counts.

Source: the RTLC paper (research, teach-to-learn, critique), sections VI-B, VI-C, VI-E to VI-H and VII-G.
The figures are the paper's; every sentence of `inconsistencies` is computed from them here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ROWS: Final = 350
"""Pairs of the benchmark."""


@dataclass(frozen=True)
class Claim:
    """One configuration's published figures."""

    name: str
    accuracy: float
    """Per cent, as printed, of `ROWS` pairs."""
    output_tokens: int | None = None
    """Per row, as printed; None where the paper gives no number."""
    multiple: float | None = None
    """Of the plain judge's output cost, as printed."""

    @property
    def right(self) -> int | None:
        """The rows right that give the printed accuracy; None where no whole number does."""
        return rows_behind(self.accuracy, ROWS)


CLAIMS: Final = (
    Claim("plain", 64.6, 5, 1),
    Claim("self-critique", 70.4, None, 2),
    Claim("first", 74.0, 480, 4),
    Claim("majority", 77.7, 4800, None),
    Claim("critique", 78.6, 6500, 47),
)
"""In the order of the pipeline; self-critique is a single call beside it."""

DISAGREEMENTS: Final = 24
"""Rows on which critic and vote are said to differ."""
CRITIC_RIGHT: Final = 18
VOTE_RIGHT: Final = 6
CRITIC_TOKENS: Final[int] = 700
"""Output tokens of the critic's own answer, as printed."""
EXTRA_TOKENS: Final[int] = 7
"""Output tokens a row that the critic is said to add to the vote."""
SEED_ROWS: Final = 100
SEEDS: Final = 3
SEED_MEANS: Final = (64.5, 73.6, 77.4, 78.0)
"""Mean accuracies over the seeds, per cent: plain, first, majority, critique."""
SWEEP_ROWS: Final = 50
SWEEP: Final = (73.0, 75.5, 77.5, 78.0)
"""Accuracies of the temperature sweep, per cent."""


def rows_behind(per_cent: float, rows: int) -> int | None:
    """Give the whole number of rows that prints as this percentage to one decimal, if any."""
    return next((k for k in range(rows + 1) if f"{100 * k / rows:.1f}" == f"{per_cent:.1f}"), None)


def inconsistencies() -> tuple[str, ...]:
    """Say which published figures do not follow from each other."""
    by_name = {claim.name: claim for claim in CLAIMS}
    plain, first, vote, critic = (by_name[name] for name in ("plain", "first", "majority", "critique"))
    found = [_critic_against_vote(vote, critic)]
    found += [
        f"{claim.name} at {claim.accuracy} % is no whole number of {ROWS} rows"
        for claim in CLAIMS
        if claim.right is None
    ]
    found += [_multiple(plain, claim) for claim in (first, critic)]
    parts = (vote.output_tokens or 0) + CRITIC_TOKENS
    if parts != critic.output_tokens:
        found.append(
            f"ten candidates and a critic are {vote.output_tokens} + {CRITIC_TOKENS} = {parts} "
            f"output tokens, the total is given as {critic.output_tokens}"
        )
    if EXTRA_TOKENS != CRITIC_TOKENS:
        found.append(
            f"the critic is said to add about {EXTRA_TOKENS} output tokens a row, "
            f"and to write {CRITIC_TOKENS}"
        )
    found += [
        _no_whole_rows(SEED_MEANS, SEEDS * SEED_ROWS, f"{SEEDS} seeds of {SEED_ROWS} rows"),
        _no_whole_rows(SWEEP, SWEEP_ROWS, f"one run a setting over {SWEEP_ROWS} rows"),
    ]
    return tuple(found)


def _critic_against_vote(vote: Claim, critic: Claim) -> str:
    gain, claimed = CRITIC_RIGHT - VOTE_RIGHT, (critic.right or 0) - (vote.right or 0)
    return (
        f"{DISAGREEMENTS} rows on which critic and vote differ, split {CRITIC_RIGHT}:{VOTE_RIGHT}, would be "
        f"{gain:+d} rows ({100 * gain / ROWS:+.1f} pp); {vote.accuracy} % to {critic.accuracy} % is "
        f"{claimed:+d} of {ROWS} ({100 * claimed / ROWS:+.1f} pp)"
    )


def _multiple(plain: Claim, claim: Claim) -> str:
    ratio = (claim.output_tokens or 0) / (plain.output_tokens or 1)
    return (
        f"{claim.name} at {claim.output_tokens} output tokens is {ratio:.0f} times the plain judge's "
        f"{plain.output_tokens}, not {claim.multiple:.0f} times"
    )


def _no_whole_rows(accuracies: tuple[float, ...], rows: int, where: str) -> str:
    odd = [f"{one:.1f}" for one in accuracies if rows_behind(one, rows) is None]
    return f"{', '.join(odd)} % cannot come of {where}, which move in steps of {100 / rows:.2f} pp"

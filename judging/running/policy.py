"""How often, how long and how hard the runner tries: every number of it in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final

from judging.calls import Failure
from store.records import Reason

_ATTEMPTS: Final[Mapping[Reason, int]] = {
    Reason.RATE_LIMITED: 6,
    Reason.OVERLOADED: 6,
    Reason.SERVER_ERROR: 4,
    Reason.CONNECTION: 5,
    Reason.TIMEOUT: 3,
    Reason.BAD_RESPONSE: 3,
}
"""Attempts of one call that ends in a fault which may pass; every other fault is met once."""

_FIRST_WAIT: Final[Mapping[Reason, float]] = {
    Reason.RATE_LIMITED: 2.0,
    Reason.OVERLOADED: 2.0,
}

PASSING: Final = frozenset({*_ATTEMPTS, Reason.AUTH, Reason.CREDIT, Reason.NOT_FOUND, Reason.ERROR})
"""Reasons that say something of the moment, not of the row: `resume` asks these rows again.

A refusal or an unreadable answer was paid for and stays; a 400 would be the same again.
"""


@dataclass(frozen=True)
class RunPolicy:
    """The settings of the runner."""

    attempts: Mapping[Reason, int] = field(default_factory=lambda: _ATTEMPTS)
    longest_backoff: float = 60.0
    """Seconds; waits of our own choosing grow up to this."""
    longest_wait: float = 120.0
    """Seconds; a server that asks for a longer wait is not waited for."""
    start: int = 4
    """Calls at once in the beginning."""
    cut: float = 0.7
    """What is left of the limit after a 429 or 529."""
    cut_every: float = 10.0
    """Seconds within which a burst of such answers counts as one."""
    outage_after: int = 8
    """Calls in a row that ended without any answer: the service is taken to be down."""
    grace: float = 5.0
    """Seconds that calls in flight are given to end when the run is cancelled or interrupted."""
    poll: float = 0.2
    """Seconds between looks for a pause or cancel from another process."""

    def attempts_for(self, reason: Reason) -> int:
        """Give how often a call is tried that fails with a reason."""
        return self.attempts.get(reason, 1)

    def backoff(self, failure: Failure, attempt: int, random: Random) -> float:
        """Give how many seconds to wait after a failed attempt, from 1.

        Doubles with each attempt up to a cap, with full jitter, so that calls which failed together
        do not come back together; never less than the server asked for.
        """
        first = _FIRST_WAIT.get(failure.reason, 1.0)
        span = min(self.longest_backoff, first * 2.0 ** (attempt - 1))
        return max(random.uniform(span / 4, span), failure.retry_after or 0.0)

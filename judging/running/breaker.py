"""Ends a run that cannot go on: a bad key, no credit, a service that is down or asks to wait too long."""

from __future__ import annotations

from judging.calls import Failure
from judging.running.control import Control, Stop
from judging.running.policy import RunPolicy
from store.runrecords import RunState

_ENOUGH_WAITS = 2
"""Calls in a row that were told to wait too long: one may be bad luck, two say that all have to wait."""


class Breaker:
    """Watches how calls end."""

    def __init__(self, control: Control, policy: RunPolicy) -> None:
        self._control = control
        self._policy = policy
        self._lost = 0
        self._told_to_wait = 0
        self._last_wait = ""

    def answered(self) -> None:
        """Note an answer, or a refusal of one row alone: the service is there."""
        self._lost = self._told_to_wait = 0

    def fatal(self, failure: Failure) -> None:
        """Stop for a fault that every further call would meet as well."""
        self._stop(failure.detail)

    def told_to_wait(self, detail: str) -> None:
        """Note a call that the server wants to see again only after too long a wait."""
        self._told_to_wait += 1
        self._last_wait = detail
        if self._told_to_wait >= _ENOUGH_WAITS:
            self._stop(detail)

    def given_up(self, failure: Failure) -> None:
        """Note a call that failed for the last time, for a reason that is not the row's own."""
        self._lost += 1
        if self._lost >= self._policy.outage_after:
            self._stop(f"{self._lost} calls in a row got no answer, the last one because: {failure.detail}")

    def at_the_end(self) -> str | None:
        """Give why a run that has nothing left to begin is not done all the same: it was told to wait."""
        return self._last_wait if self._told_to_wait else None

    def _stop(self, detail: str) -> None:
        self._control.request_stop(Stop(RunState.STOPPED, detail))

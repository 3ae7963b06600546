"""How many calls are under way at once: starts low, grows while all is well, shrinks when told to.

Additive increase and multiplicative decrease, with a doubling start, as congestion control does it:
a limit that is too low wastes time, one that is too high wastes money on answers of 429.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from judging.running.clock import Clock
from judging.running.control import Control, RunStopping
from judging.running.policy import RunPolicy

_SATURATED: Final = 0.8
"""Share of the limit that must have been in use for a clean round to count as proof."""


class Limiter:
    """Hands out turns to call; first come first served, but calls that are tried again go ahead."""

    def __init__(self, most: int, *, policy: RunPolicy, control: Control, clock: Clock) -> None:
        """Begin.

        Args:
            most: Calls at once that the limit may grow to.
            policy: Start, cuts and their spacing.
            control: Pauses and stops are heeded.
            clock: For the spacing and for waits the server asked for.
        """
        self.most = most
        """Calls at once that the limit may grow to."""
        self._policy = policy
        self._control = control
        self._clock = clock
        self._limit = float(min(policy.start, most))
        self._doubling = True
        self._round = 0
        self._busiest = 0
        self._next_cut = float("-inf")
        self._held_until = float("-inf")
        self._holder: asyncio.Task[None] | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()
        self.in_flight = 0
        """Calls under way."""
        control.on_change(self._wake)

    @property
    def limit(self) -> int:
        """Calls that may be under way at once now."""
        return max(1, int(self._limit))

    @property
    def held_for(self) -> float:
        """Seconds for which no call may begin, since the server asked for it."""
        return max(0.0, self._held_until - self._clock.monotonic())

    async def acquire(self, *, ahead: bool = False) -> None:
        """Wait for a turn.

        Args:
            ahead: Go before those who wait for their first attempt.

        Raises:
            RunStopping: The run stops.
        """
        self._control.check()
        if self._open() and (ahead or not self._waiting):
            self._take()
            return
        turn = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if ahead else self._waiting.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release()
            raise

    def release(self) -> None:
        """Give a turn back."""
        self.in_flight -= 1
        self._wake()

    def answered(self) -> None:
        """Note an answer; a whole clean round at full use raises the limit."""
        self._round += 1
        if self._round < self.limit:
            return
        if self._busiest >= _SATURATED * self.limit:
            grown = self._limit * 2 if self._doubling else self._limit + 1
            self._limit = min(float(self.most), grown)
        self._round, self._busiest = 0, self.in_flight
        self._wake()

    def trouble(self) -> None:
        """Note a fault that says nothing about our pace: the round begins again."""
        self._round = 0

    def cut(self, asked_wait: float | None = None) -> bool:
        """Lower the limit after a 429 or 529, once for a burst of them; say whether it was lowered."""
        self.trouble()
        now = self._clock.monotonic()
        if now < self._next_cut:
            return False
        self._doubling = False
        self._next_cut = now + max(self._policy.cut_every, asked_wait or 0.0)
        before = self.limit
        self._limit = max(1.0, self._limit * self._policy.cut)
        return self.limit < before

    def one_at_a_time(self) -> None:
        """Lower the limit to a single call."""
        self.trouble()
        self._doubling = False
        self._limit = 1.0

    def hold(self, seconds: float) -> bool:
        """Begin no call for some seconds; say whether that is news."""
        until = self._clock.monotonic() + seconds
        if until <= self._held_until + 1.0:
            return False
        self._held_until = until
        if self._holder is None:
            self._holder = asyncio.ensure_future(self._release_hold())
        return True

    def close(self) -> None:
        """End the waiting for the end of a hold."""
        if self._holder is not None:
            self._holder.cancel()

    async def _release_hold(self) -> None:
        try:
            while self.held_for > 0:
                await self._control.sleep(self.held_for)
        except RunStopping:
            return
        finally:
            self._holder = None
        self._wake()

    def _open(self) -> bool:
        return self.in_flight < self.limit and not self._control.paused and self.held_for == 0.0

    def _take(self) -> None:
        self.in_flight += 1
        self._busiest = max(self._busiest, self.in_flight)

    def _wake(self) -> None:
        stopping = self._control.stop is not None
        while self._waiting and (stopping or self._open()):
            turn = self._waiting.popleft()
            if turn.done():
                continue
            if stopping:
                turn.set_exception(RunStopping())
            else:
                self._take()
                turn.set_result(None)

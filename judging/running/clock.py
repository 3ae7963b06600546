"""The runner's time, in one place, so that hours of waiting can be tried out in a moment."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What the runner knows of time."""

    def monotonic(self) -> float:
        """Give seconds from an arbitrary start; never goes back."""
        ...

    def now(self) -> datetime:
        """Give the present moment in UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait; may be cancelled."""
        ...


class SystemClock:
    """The time of this machine."""

    def monotonic(self) -> float:
        """Give seconds from an arbitrary start."""
        return time.monotonic()

    def now(self) -> datetime:
        """Give the present moment in UTC."""
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def stamp(moment: datetime) -> str:
    """Write a moment for a log: ISO 8601 with milliseconds."""
    return moment.isoformat(timespec="milliseconds")


def stamp_after(clock: Clock, seconds: float) -> str:
    """Write the moment some seconds from now."""
    return (clock.now() + timedelta(seconds=seconds)).isoformat(timespec="seconds")

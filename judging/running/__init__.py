"""The runner: carries a run out, bounded, retried, budgeted, recorded and resumable."""

from __future__ import annotations

from judging.running.carrying import RunOutcome, carry_out
from judging.running.clock import Clock, SystemClock
from judging.running.policy import PASSING, RunPolicy

__all__ = ["PASSING", "Clock", "RunOutcome", "RunPolicy", "SystemClock", "carry_out"]

"""The facts a run keeps: its plan, its calls, the states it went through."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from store.records import Order, Reason, Usage


class RunState(StrEnum):
    """Where a run stands."""

    PREPARED = "prepared"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"
    STOPPED = "stopped"
    """By budget, key, credit or outage; everything so far is kept."""
    INTERRUPTED = "interrupted"
    """Its process is gone without a closing line; `resume` finishes it."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run was asked to do; written once, before its first call."""

    id: str
    judge: str
    """Hash of the judge version."""
    judge_name: str
    criterion: str
    backend: str
    traces: tuple[str, ...]
    slice: str
    """The slice in words: "dev", "all", "sample of 200, seed 7"."""
    orders: tuple[Order, ...] = ()
    """For pairs; empty for single traces."""
    repeat: int = 1
    concurrency: int = 4
    budget_usd: float | None = None
    at: str = ""
    starter: str = ""
    """Who started it."""

    @property
    def asked(self) -> int:
        """How many verdicts the run is to end with."""
        return len(self.traces) * max(1, len(self.orders)) * self.repeat


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of a model as it ended, kept before anything is read from it."""

    key: str
    """Request hash and sample number: the same key is never paid for twice."""
    text: str
    stop_reason: str | None
    usage: Usage = Usage()
    cost_usd: float | None = None
    price: str = ""
    """Where the price came from, e.g. "table 2026-12-01"."""
    seconds: float | None = None
    model: str = ""
    request_id: str = ""
    attempts: int = 1
    """HTTP attempts behind this record, retries included."""
    reason: Reason | None = None
    """Set when the call failed; a failed call is asked again by a resume."""
    detail: str = ""
    status: int | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class StateChange:
    """A run entered a state."""

    state: RunState
    detail: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something to show while a run goes on: a retry, a wait, a change of pace."""

    text: str
    reason: Reason | None = None
    until: str = ""
    """UTC moment at which the wait ends, when known."""
    at: str = ""

"""What came of a run, in one structure for the screen, `--json` and people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from store.project import Project
from store.records import VERDICT_WORDS, JudgeKind, Order, Usage
from store.runrecords import RunState
from store.runs import Entry, RunFolder


@dataclass(frozen=True)
class RunSummary:
    """A run's verdicts, reasons, calls and money so far."""

    run: str
    judge: str
    """Name of the judge; its version is `hash`."""
    hash: str
    criterion: str
    kind: JudgeKind
    slice: str
    state: RunState
    detail: str
    asked: int
    counts: Mapping[str, int]
    """Rows by verdict word: every word of the kind, also those that nobody used."""
    no_verdict: Mapping[str, int]
    """Rows by the reason they have no verdict."""
    calls: int
    """HTTP attempts, failed ones included."""
    usage: Usage
    """Tokens this run paid for; reused answers are not among them."""
    cost_usd: float | None
    """None when a price is unknown."""
    seconds: float
    """At work: neither pauses nor the time between two processes."""
    reused: int
    """Verdicts whose every answer had been paid for before."""

    @property
    def done(self) -> int:
        """Rows with a verdict or a named reason."""
        return sum(self.counts.values()) + self.without_verdict

    @property
    def without_verdict(self) -> int:
        """Rows that ended with a reason."""
        return sum(self.no_verdict.values())

    @property
    def remaining(self) -> int:
        """Rows the run has not come to; `resume` does."""
        return self.asked - self.done

    def document(self) -> dict[str, object]:
        """Give the summary as the contract names its fields."""
        return {
            "run": self.run,
            "judge": self.judge,
            "hash": self.hash,
            "criterion": self.criterion,
            "kind": self.kind,
            "slice": self.slice,
            "state": self.state,
            "detail": self.detail,
            "asked": self.asked,
            "done": self.done,
            "remaining": self.remaining,
            **self.counts,
            "no_verdict": dict(self.no_verdict),
            "calls": self.calls,
            "usage": {
                "input_tokens": self.usage.input_tokens,
                "output_tokens": self.usage.output_tokens,
                "cache_read_input_tokens": self.usage.cache_read_input_tokens,
                "cache_creation_input_tokens": self.usage.cache_creation_input_tokens,
            },
            "cost_usd": self.cost_usd,
            "seconds": self.seconds,
            "reused": self.reused,
        }

    def lines(self) -> tuple[str, ...]:
        """Give the summary for people."""
        verdicts = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        reasons = ", ".join(f"{count} {reason}" for reason, count in self.no_verdict.items())
        money = "cost unknown (no price for this model)" if self.cost_usd is None else f"${self.cost_usd:.4f}"
        left = f", {self.remaining} not judged" if self.remaining else ""
        return (
            f"run {self.run} of {self.judge} over {self.slice}: {self.state}"
            + (f" ({self.detail})" if self.detail else ""),
            f"{self.done} of {self.asked} rows: {verdicts}{left}",
            *([f"no verdict on {self.without_verdict}: {reasons}"] if reasons else []),
            f"{self.calls} calls, {self.usage.input_tokens:,} tokens in, {self.usage.output_tokens:,} out, "
            f"{money}, {self.seconds:.1f} s" + (f", {self.reused} verdicts reused" if self.reused else ""),
        )


@dataclass(frozen=True)
class _Row:
    verdict: str | None
    reason: str
    reused: bool


class _Tally:
    """Adds up a log in one pass."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, Order | None, int], _Row] = {}
        self.calls = 0
        self.usage = Usage()
        self.cost: float | None = 0.0
        self.seconds = 0.0
        self._since: datetime | None = None
        self._latest: datetime | None = None

    def add(self, entry: Entry) -> None:
        if entry.verdict is not None:
            one = entry.verdict
            row = _Row(one.verdict, str(one.reason or "error"), one.reused)
            self.rows[one.trace, one.order, one.sample] = row
        elif entry.call is not None:
            self._seen(entry.call.at)
            self.calls += entry.call.attempts
            self.usage += entry.call.usage
            failed_free = entry.call.reason is not None and not entry.call.cost_usd
            if self.cost is not None and not failed_free:
                self.cost = None if entry.call.cost_usd is None else self.cost + entry.call.cost_usd
        elif entry.state is not None:
            self._entered(entry.state.state, entry.state.at)
        elif entry.waiting is not None:
            self._seen(entry.waiting.at)

    def end(self) -> None:
        """End the time at work with the last that was written: a killed process leaves no closing line."""
        if self._since is not None and self._latest is not None:
            self.seconds += (self._latest - self._since).total_seconds()
        self._since = None

    def _entered(self, state: RunState, at: str) -> None:
        if state is RunState.RUNNING:
            self.end()
            self._seen(at)
            self._since = self._latest
        else:
            self._seen(at)
            self.end()

    def _seen(self, at: str) -> None:
        if at:
            self._latest = datetime.fromisoformat(at)


def summarise(project: Project, run: RunFolder) -> RunSummary:
    """Add up what a run's log holds so far.

    Raises:
        NotFound: There is no such run, or its judge is not there.
        StoreDamaged: A line of its log cannot be read.
    """
    status = project.runs.status(run)
    judge = project.judges.get(status.plan.judge)
    tally = _Tally()
    for entry in run.entries():
        tally.add(entry)
    tally.end()
    found = Counter(row.verdict for row in tally.rows.values() if row.verdict is not None)
    return RunSummary(
        run=run.id,
        judge=judge.name,
        hash=judge.hash,
        criterion=judge.criterion,
        kind=judge.kind,
        slice=status.plan.slice,
        state=status.state,
        detail=status.detail,
        asked=status.plan.asked,
        counts=dict(_every_word(judge.kind, found)),
        no_verdict=dict(Counter(row.reason for row in tally.rows.values() if row.verdict is None)),
        calls=tally.calls,
        usage=tally.usage,
        cost_usd=tally.cost,
        seconds=round(tally.seconds, 3),
        reused=sum(row.reused for row in tally.rows.values()),
    )


def _every_word(kind: JudgeKind, found: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    words = [str(word) for word in VERDICT_WORDS.get(kind, ())]
    yield from ((word, found.get(word, 0)) for word in words)
    yield from ((word, count) for word, count in found.items() if word not in words)

"""What a run's log comes to while it grows: one pass, every entry looked at once."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from judging.statistics.counts import Counts
from store.records import JudgeKind, Label, Order, Reason, Usage, Verdict
from store.runrecords import CallRecord, RunPlan, RunState, StateChange, Waiting
from store.runs import Entry

RowKey: TypeAlias = tuple[str, Order | None, int]


class Said(NamedTuple):
    """What a row came to: a word, or the reason there is none."""

    word: str | None
    reason: Reason | None


RECENT: Final = 500
"""Verdicts that are kept to be shown."""

_SHOWN: Final = 300
"""Characters of a critique that are kept; a line shows no more."""


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One verdict as it came, cut to what a line shows."""

    trace: str
    verdict: str | None
    text: str
    """Critique, or why there is no verdict."""
    reason: Reason | None
    order: Order | None
    votes: tuple[int, ...]
    """How many candidates said what, most first; empty when one answer decided."""
    seconds: float | None


class RunProgress:
    """Adds up a run's log entry by entry."""

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        self.state = RunState.PREPARED
        self.detail = ""
        self.recent: deque[VerdictLine] = deque(maxlen=RECENT)
        self.written = 0
        """Verdict records so far; a row that was asked again counts again."""
        self.reused = 0
        self.attempts = 0
        """HTTP requests, failed ones included."""
        self.usage = Usage()
        self.cost_usd = 0.0
        """Of the calls whose price is known."""
        self.unpriced = 0
        """Calls that used tokens at an unknown price."""
        self.retries = 0
        self.waits: Counter[Reason] = Counter()
        """Retries, slow-downs and waits, by what brought them about."""
        self.waiting: Waiting | None = None
        """The newest wait; over when its `until` is past."""
        self.news: Waiting | None = None
        """The newest thing said that is no wait."""
        self._rows: dict[RowKey, Said] = {}
        self._counts: Counter[Said] = Counter()
        self._outcomes: dict[Said, Said] = {}
        self._active = 0.0
        self._since: float | None = None
        self._latest: float | None = None

    # Adding up ------------------------------------------------------------------------------------

    def add(self, entry: Entry) -> None:
        """Take one entry in."""
        if entry.verdict is not None:
            self._verdict(entry.verdict)
        elif entry.call is not None:
            self._call(entry.call)
        elif entry.state is not None:
            self._state(entry.state)
        elif entry.waiting is not None:
            self._waiting(entry.waiting)

    def _verdict(self, verdict: Verdict) -> None:
        key = (verdict.trace, verdict.order, verdict.sample)
        if verdict.verdict is not None:
            said = Said(str(verdict.verdict), None)
        else:
            said = Said(None, verdict.reason or Reason.ERROR)
        # One object a kind of outcome: a million of them would make every full collection a long block.
        said = self._outcomes.setdefault(said, said)
        before = self._rows.get(key)
        if before is not None:
            self._counts[before] -= 1
        self._rows[key] = said
        self._counts[said] += 1
        self.written += 1
        self.reused += verdict.reused
        self.recent.append(_line(verdict))

    def _call(self, call: CallRecord) -> None:
        self._seen(call.at)
        self.attempts += call.attempts
        self.retries += call.attempts - 1
        self.usage += call.usage
        if call.cost_usd is not None:
            self.cost_usd += call.cost_usd
        elif call.reason is None or call.usage != Usage():
            self.unpriced += 1

    def _state(self, change: StateChange) -> None:
        if change.state is RunState.RUNNING:
            # A process that was killed left no closing line: its work ends with what it wrote last.
            self._pause_clock()
            self._seen(change.at)
            self._since = self._latest
        else:
            self._seen(change.at)
            self._pause_clock()
        self.state, self.detail = change.state, change.detail
        self.waiting = None

    def _waiting(self, waiting: Waiting) -> None:
        self._seen(waiting.at)
        if waiting.reason is None:
            self.news = waiting
            return
        self.waits[waiting.reason] += 1
        if waiting.until:
            self.waiting = waiting
        else:
            self.news = waiting

    def _seen(self, at: str) -> None:
        if at:
            self._latest = moment(at)

    def _pause_clock(self) -> None:
        if self._since is not None and self._latest is not None:
            self._active += max(0.0, self._latest - self._since)
        self._since = None

    # What it comes to -----------------------------------------------------------------------------

    @property
    def done(self) -> int:
        """Rows with a verdict or a named reason."""
        return len(self._rows)

    @property
    def made(self) -> int:
        """Verdict records that took a judge's time; those read from earlier answers came for nothing."""
        return self.written - self.reused

    @property
    def words(self) -> Mapping[str, int]:
        """Rows by verdict."""
        return {said.word: count for said, count in self._counts.items() if count and said.word is not None}

    @property
    def no_verdict(self) -> Mapping[Reason, int]:
        """Rows without a verdict, by reason."""
        return {
            said.reason: count for said, count in self._counts.items() if count and said.reason is not None
        }

    def seconds(self, now: float, *, alive: bool) -> float:
        """Say how long the run has been at work, pauses and gaps between processes left out.

        Args:
            now: This moment, in seconds since 1970.
            alive: Whether its process is at work.
        """
        if self._since is None:
            return self._active
        until = now if alive else (self._latest or self._since)
        return self._active + max(0.0, until - self._since)

    def matrix(self, labels: Mapping[str, Label], kind: JudgeKind) -> Counts | None:
        """Count the rows that have a label, person against judge; None for kinds without pass and fail.

        Args:
            labels: By trace; rows of a sealed hold-out must not be among them.
            kind: The judge's.
        """
        if kind is not JudgeKind.PASS_FAIL:
            return None
        judged = ((label, self._rows.get((trace, None, 0))) for trace, label in labels.items())
        return Counts.of((str(label.verdict), said.word) for label, said in judged if said is not None)


def moment(at: str) -> float:
    """Give an ISO 8601 moment in seconds since 1970."""
    return datetime.fromisoformat(at).timestamp()


def _line(verdict: Verdict) -> VerdictLine:
    votes = Counter(one.verdict for one in verdict.candidates if one.role == "candidate" and one.verdict)
    several = sum(one.role == "candidate" for one in verdict.candidates) > 1
    return VerdictLine(
        trace=verdict.trace,
        verdict=verdict.verdict,
        text=(verdict.critique if verdict.verdict is not None else verdict.detail or verdict.critique)[
            :_SHOWN
        ],
        reason=verdict.reason if verdict.verdict is None else None,
        order=verdict.order,
        votes=tuple(count for _, count in votes.most_common()) if several else (),
        seconds=verdict.seconds,
    )

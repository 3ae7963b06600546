"""What a run's log already holds, and what earlier runs of the same judge version have paid for."""

from __future__ import annotations

from dataclasses import dataclass, field

from judging.running.answered import AnsweredCalls, RowKey, row_key
from judging.running.policy import PASSING
from store.errors import StoreDamaged
from store.project import Project
from store.records import Verdict
from store.runrecords import RunState
from store.runs import RunFolder


@dataclass
class Past:
    """The rows of a run so far."""

    recorded: set[RowKey] = field(default_factory=set)
    """Rows with a verdict or a named reason."""
    settled: set[RowKey] = field(default_factory=set)
    """Rows that a resume leaves alone."""
    without_verdict: set[RowKey] = field(default_factory=set)
    """Rows whose newest record is a reason."""
    spent_usd: float = 0.0
    state: RunState = RunState.PREPARED

    @classmethod
    def of(cls, run: RunFolder) -> Past:
        """Read a run's log.

        Raises:
            StoreDamaged: A line cannot be read.
        """
        past = cls()
        for entry in run.entries():
            if entry.verdict is not None:
                past.note(entry.verdict)
            elif entry.call is not None:
                past.spent_usd += entry.call.cost_usd or 0.0
            elif entry.state is not None:
                past.state = entry.state.state
        return past

    def note(self, verdict: Verdict) -> None:
        """Take in a row's newest record."""
        key = row_key(verdict)
        self.recorded.add(key)
        (self.settled.discard if asked_again(verdict) else self.settled.add)(key)
        (self.without_verdict.add if verdict.verdict is None else self.without_verdict.discard)(key)


def asked_again(verdict: Verdict) -> bool:
    """Say whether a resume asks a row again: calls behind it failed for a reason of the moment."""
    if verdict.verdict is not None:
        return False
    reasons = {verdict.reason, *(candidate.reason for candidate in verdict.candidates)}
    return not PASSING.isdisjoint(reasons)


def answers_before(project: Project, judge: str, into: AnsweredCalls) -> tuple[str, ...]:
    """Put every answer that runs of a judge version have paid for into a book.

    Args:
        project: Whose runs.
        judge: Hash of the judge version: another version's answers are another judge's.
        into: The book.

    Returns:
        What a person should be told: logs that could not be read to their end.
    """
    notes = []
    for run in project.runs.all(judge):
        try:
            for entry in run.entries():
                if entry.call is not None and entry.call.reason is None:
                    into.add(entry.call)
        except StoreDamaged as error:
            notes.append(f"answers of run {run.id} behind a damaged line are asked for again: {error}")
    return tuple(notes)

"""A run whose process is this test: it writes the log that screens follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from store.project import Project
from store.records import JudgeVersion, Order, Reason, Usage, Verdict
from store.runrecords import CallRecord, RunPlan, RunState, StateChange, Waiting
from store.runs import Entry, RunFolder, RunWriter

START = datetime(2026, 3, 1, 10, 0, 0, tzinfo=UTC)


def at(seconds: float) -> float:
    """Give a moment of the runs' clock, in seconds since 1970."""
    return START.timestamp() + seconds


def stamp(seconds: float) -> str:
    return datetime.fromtimestamp(at(seconds), UTC).isoformat()


def live_judge(project: Project, criterion: str, name: str = "strict") -> JudgeVersion:
    """Make a judge that asks a model."""
    newest = project.criteria.latest(criterion)
    return project.add_judge(
        JudgeVersion(
            name=name,
            criterion=criterion,
            criterion_version=newest.version,
            kind=newest.kind,
            recipe="critique-first",
            backend="anthropic",
            model="a-model-without-a-price",
            at=stamp(0),
        )
    )


def planned(
    project: Project,
    judge: JudgeVersion,
    traces: Sequence[str],
    *,
    run: str = "r20260301-100000-live",
    budget: float | None = 2.0,
    orders: tuple[Order, ...] = (),
) -> RunFolder:
    return project.runs.create(
        RunPlan(
            id=run,
            judge=judge.hash,
            judge_name=judge.name,
            criterion=judge.criterion,
            backend=judge.backend,
            traces=tuple(traces),
            slice="dev",
            orders=orders,
            budget_usd=budget,
            at=stamp(0),
        )
    )


@contextmanager
def at_work(run: RunFolder, seconds: float = 0.0) -> Iterator[RunWriter]:
    """Hold a run as its process does while it works."""
    writer = RunWriter(run)
    try:
        writer.append(entered(RunState.RUNNING, seconds))
        yield writer
    finally:
        writer.close()


def entered(state: RunState, seconds: float, detail: str = "") -> Entry:
    return Entry(state=StateChange(state, detail, stamp(seconds)))


def said(
    trace: str,
    word: str | None,
    *,
    order: Order | None = None,
    sample: int = 0,
    reused: bool = False,
) -> Entry:
    return Entry(
        verdict=Verdict(
            trace,
            word,
            "it says nothing of the shared line" if word else "",
            None if word else Reason.REFUSED,
            "" if word else "the model refused",
            order=order,
            sample=sample,
            seconds=1.9,
            reused=reused,
        )
    )


def call(seconds: float, *, usd: float | None = 0.01, attempts: int = 1) -> Entry:
    return Entry(
        call=CallRecord(
            key=f"k{seconds}",
            text="{}",
            stop_reason="end_turn",
            usage=Usage(900, 200, 3000, 0),
            cost_usd=usd,
            attempts=attempts,
            at=stamp(seconds),
        )
    )


def waits(seconds: float, until: float) -> Entry:
    return Entry(
        waiting=Waiting(
            "rate-limited: all calls wait 30 s, as the server asked",
            Reason.RATE_LIMITED,
            stamp(until),
            stamp(seconds),
        )
    )

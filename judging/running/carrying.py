"""Carry a run out, from its plan to its last verdict, in a way that can end at any moment.

Everything that was answered is on disk before anything is read from it; a run that ends early, in
whatever way, is finished by carrying it out again, and nothing is paid for twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judging.backends import Backend, open_backend
from judging.pricing import PriceTable
from judging.readiness import check_ready
from judging.running.clock import Clock, SystemClock, stamp
from judging.running.past import Past
from judging.running.policy import RunPolicy
from judging.running.process import RunProcess, Setup
from judging.running.rows import work_items
from store.project import Project
from store.runrecords import RunPlan, RunState, StateChange
from store.runs import Entry, RunFolder, RunWriter


@dataclass(frozen=True)
class RunOutcome:
    """How carrying a run out ended."""

    run: str
    state: RunState
    detail: str
    """Why it ended early, or ""."""
    asked: int
    done: int
    """Rows that have a verdict or a named reason."""
    without_verdict: int
    """Rows whose newest record is a reason."""
    seconds: float
    """How long this process was at it."""

    @property
    def interrupted(self) -> bool:
        """Whether somebody ended it early; `resume` goes on with it."""
        return self.state in (RunState.INTERRUPTED, RunState.CANCELLED)


async def carry_out(
    project: Project,
    run: RunFolder,
    *,
    backend: Backend | None = None,
    on_event: Callable[[Entry], None] | None = None,
    clock: Clock | None = None,
    policy: RunPolicy | None = None,
    prices: PriceTable | None = None,
) -> RunOutcome:
    """Judge every row of a run that has no verdict yet.

    Rows that ended with a reason of the moment (an outage, a bad key) are asked again; what was
    answered before, in this run or an earlier one of the same judge version, is not paid for again.
    SIGINT, SIGTERM, SIGHUP, a word left in the run's folder, a used-up budget or a service that is
    down end it early; everything so far is kept.

    Args:
        project: The open project.
        run: Which run; its plan says everything else.
        backend: What answers; None: the judge version's own.
        on_event: Told of every entry of the log once it is on disk.
        clock: The runner's time.
        policy: How often and how long it tries.
        prices: The shipped table when not given.

    Raises:
        BadInput: The judge cannot be run, or a budget is set and a price unknown; nothing was changed.
        StoreBusy: Another process is at work on the run.
        StoreError: The disk took no more.
    """
    plan = run.plan()
    judge = project.judges.get(plan.judge)
    check_ready(project, judge, plan, prices=prices)
    writer = RunWriter(run)
    try:
        past = Past.of(run)
        if all(item.key in past.settled for item in work_items(plan)):
            return _nothing_left(plan, past, writer, on_event)
        setup = Setup(
            project=project,
            run=run,
            plan=plan,
            judge=judge,
            backend=backend or open_backend(judge, project),
            past=past,
            clock=clock or SystemClock(),
            policy=policy or RunPolicy(),
            prices=prices,
        )
        started = setup.clock.monotonic()
        ended = await RunProcess(setup).work(writer, on_event)
        return RunOutcome(
            plan.id,
            ended.state,
            ended.detail,
            plan.asked,
            len(past.recorded),
            len(past.without_verdict),
            setup.clock.monotonic() - started,
        )
    finally:
        writer.close()


def _nothing_left(
    plan: RunPlan, past: Past, writer: RunWriter, on_event: Callable[[Entry], None] | None
) -> RunOutcome:
    if past.state is not RunState.DONE:
        entry = Entry(state=StateChange(RunState.DONE, "", stamp(SystemClock().now())))
        writer.append(entry)
        if on_event is not None:
            on_event(entry)
    return RunOutcome(
        plan.id, RunState.DONE, "", plan.asked, len(past.recorded), len(past.without_verdict), 0.0
    )

"""One row from its trace to its verdict: a recipe and the calls it asks for, or a direct judge."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from judging.backends import RowBackend
from judging.calls import Call, Draft, RecipeSteps
from judging.contexts import JudgeContexts
from judging.recipes import start
from judging.running.answered import RowKey
from judging.running.calling import Caller, Told
from judging.running.control import Control, RunStopping
from store.errors import StoreError
from store.project import Project
from store.records import Order, Reason, Usage, Verdict
from store.runrecords import RunPlan


@dataclass(frozen=True)
class WorkItem:
    """One verdict that a run is asked for."""

    trace: str
    order: Order | None
    sample: int

    @property
    def key(self) -> RowKey:
        """What tells it from the run's other rows."""
        return self.trace, self.order, self.sample


def work_items(plan: RunPlan) -> Iterator[WorkItem]:
    """Give everything a run is asked for, in order: repeats last, the orders of a pair side by side."""
    orders: Sequence[Order | None] = plan.orders or (None,)
    for sample in range(plan.repeat):
        for trace in plan.traces:
            for order in orders:
                yield WorkItem(trace, order, sample)


class RowJudge(Protocol):
    """Makes the verdict of one row."""

    async def verdict(self, item: WorkItem) -> Verdict:
        """Judge one row; a fault of the row's own becomes its reason.

        Raises:
            RunStopping: The run stops before there was a verdict.
        """
        ...


@dataclass
class _Behind:
    """What stands behind one verdict."""

    usage: Usage = Usage()
    cost_usd: float | None = 0.0
    seconds: float = 0.0
    model: str = ""
    request_id: str = ""
    reused: bool = False

    def add(self, told: Sequence[Told]) -> None:
        """Add one round of calls, which were made side by side."""
        first = self.seconds == 0.0 and not self.model
        self.reused = (first or self.reused) and all(one.reused for one in told)
        self.seconds += max((one.record.seconds or 0.0 for one in told), default=0.0)
        for one in told:
            record = one.record
            self.usage += record.usage
            if self.cost_usd is not None:
                self.cost_usd = None if record.cost_usd is None else self.cost_usd + record.cost_usd
            self.model = record.model or self.model
            self.request_id = record.request_id or self.request_id


@dataclass(frozen=True)
class RecipeRows:
    """Judges rows by a recipe and calls."""

    contexts: JudgeContexts
    caller: Caller

    async def verdict(self, item: WorkItem) -> Verdict:
        """Judge one row; usage and money are those of the answers behind it, whenever they were paid for."""
        behind = _Behind()
        try:
            context = self.contexts.at(item.trace, item.order, item.sample)
            draft = await self._drive(start(context.judge.recipe, context), behind)
        except RunStopping:
            raise
        except Exception as error:
            draft = _failed(error)
        return replace(
            _concluded(item, draft),
            usage=behind.usage,
            cost_usd=behind.cost_usd,
            seconds=round(behind.seconds, 3),
            model=behind.model,
            request_id=behind.request_id,
            reused=behind.reused,
        )

    async def _drive(self, steps: RecipeSteps, behind: _Behind) -> Draft:
        try:
            calls = next(steps)
            while True:
                told = await self._round(calls)
                behind.add(told)
                calls = steps.send([one.reply for one in told])
        except StopIteration as ended:
            draft: Draft = ended.value
            return draft

    async def _round(self, calls: Sequence[Call]) -> Sequence[Told]:
        if len(calls) == 1:
            return [await self.caller.ask(calls[0])]
        # All are waited for even when one stops: what is under way is paid for and has to be kept.
        ended = await asyncio.gather(*(self.caller.ask(call) for call in calls), return_exceptions=True)
        for one in ended:
            if isinstance(one, BaseException):
                raise one
        return [one for one in ended if isinstance(one, Told)]


@dataclass(frozen=True)
class DirectRows:
    """Judges rows by a backend that makes no calls."""

    project: Project
    backend: RowBackend
    control: Control

    async def verdict(self, item: WorkItem) -> Verdict:
        """Judge one row, then let watchers, signals and the log have their turn."""
        await self.control.going_on()
        try:
            draft = self.backend.judge(self.project.traces.get(item.trace), item.order)
        except Exception as error:
            draft = _failed(error)
        await asyncio.sleep(0)
        return replace(
            _concluded(item, draft),
            cost_usd=0.0,
            model=self.backend.facts().name,
        )


def _concluded(item: WorkItem, draft: Draft) -> Verdict:
    """Give the verdict that a draft is for its row, before cost and time are known."""
    return Verdict(
        trace=item.trace,
        verdict=draft.verdict,
        critique=draft.critique,
        reason=draft.reason,
        detail=draft.detail,
        order=item.order,
        sample=item.sample,
        flags=draft.flags,
        candidates=draft.candidates,
        scores=draft.scores,
    )


def _failed(error: Exception) -> Draft:
    """Give the row's reason for a fault; what the store or a recipe says is fit to be shown as it is."""
    told = isinstance(error, StoreError | ValueError)
    detail = str(error) if told else f"{type(error).__name__}: {error}"
    return Draft(None, reason=Reason.ERROR, detail=detail)

"""One process's work on a run: its parts put together, its states written, its end in good order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from judging.backends import Backend, CallBackend
from judging.contexts import JudgeContexts
from judging.pricing import PriceTable
from judging.running.answered import AnsweredCalls
from judging.running.breaker import Breaker
from judging.running.calling import Caller
from judging.running.clock import Clock, stamp
from judging.running.control import Control, RunStopping, Stop, signals_stop
from judging.running.limiter import Limiter
from judging.running.past import Past, answers_before
from judging.running.policy import RunPolicy
from judging.running.recording import Recorder
from judging.running.rows import DirectRows, RecipeRows, work_items
from judging.running.spending import Spending
from judging.running.watching import tell_news, watch
from judging.running.workers import work_through
from store.errors import StoreError
from store.project import Project
from store.records import JudgeVersion
from store.runrecords import RunPlan, RunState, StateChange, Waiting
from store.runs import Entry, RunFolder, RunWriter


@dataclass(frozen=True)
class Setup:
    """Everything a process needs to work on a run."""

    project: Project
    run: RunFolder
    plan: RunPlan
    judge: JudgeVersion
    backend: Backend
    past: Past
    clock: Clock
    policy: RunPolicy
    prices: PriceTable | None = None


class RunProcess:
    """One process's work on a run."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._control = Control(setup.clock)
        self._breaker = Breaker(self._control, setup.policy)

    async def work(self, writer: RunWriter, on_event: Callable[[Entry], None] | None) -> Stop:
        """Judge what is left and say how it ended.

        Raises:
            StoreError: The disk took no more.
        """
        setup = self._setup
        recorder = Recorder(writer, on_event=on_event, on_failure=self._disk_failed)
        watcher = asyncio.ensure_future(
            watch(
                setup.run,
                setup.backend,
                control=self._control,
                recorder=recorder,
                clock=setup.clock,
                poll=setup.policy.poll,
            )
        )
        try:
            recorder.put(self._entered(RunState.RUNNING, self._about()))
            with signals_stop(self._control):
                if isinstance(setup.backend, CallBackend):
                    await self._by_calls(setup.backend, recorder)
                else:
                    rows = DirectRows(setup.project, setup.backend, self._control)
                    # It keeps a processor busy by itself; more workers would only take turns.
                    await self._rows(rows, recorder, workers=1)
            tell_news(setup.backend, recorder, setup.clock)
            stop = self._control.stop or self._natural_end()
            recorder.put(self._entered(stop.state, stop.detail))
        finally:
            watcher.cancel()
            with suppress(asyncio.CancelledError):
                await watcher
            if isinstance(setup.backend, CallBackend):
                await setup.backend.close()
            await recorder.close()
        return stop

    async def _by_calls(self, backend: CallBackend, recorder: Recorder) -> None:
        setup = self._setup
        limiter = Limiter(
            setup.plan.concurrency, policy=setup.policy, control=self._control, clock=setup.clock
        )
        answered = AnsweredCalls(setup.run.folder)
        self._control.on_change(lambda: self._say_who_is_waited_for(limiter, recorder))
        try:
            for note in answers_before(setup.project, setup.judge.hash, answered):
                recorder.put(Entry(waiting=Waiting(note, at=stamp(setup.clock.now()))))
            caller = Caller(
                backend=backend,
                limiter=limiter,
                control=self._control,
                breaker=self._breaker,
                spending=Spending(setup.plan.budget_usd, spent=setup.past.spent_usd, prices=setup.prices),
                recorder=recorder,
                answered=answered,
                policy=setup.policy,
                clock=setup.clock,
                random=Random(setup.plan.id),
                under_way={},
            )
            await _learn(backend, caller)
            rows = RecipeRows(JudgeContexts.of(setup.project, setup.judge), caller)
            await self._rows(rows, recorder, workers=setup.plan.concurrency)
        finally:
            limiter.close()
            answered.close()

    async def _rows(self, rows: RecipeRows | DirectRows, recorder: Recorder, *, workers: int) -> None:
        past = self._setup.past
        settled = frozenset(past.settled)
        await work_through(
            (item for item in work_items(self._setup.plan) if item.key not in settled),
            rows,
            workers=workers,
            control=self._control,
            recorder=recorder,
            grace=self._setup.policy.grace,
            noted=past.note,
        )

    def _say_who_is_waited_for(self, limiter: Limiter, recorder: Recorder) -> None:
        stop = self._control.stop
        if stop is not None and limiter.in_flight:
            time = f" for up to {self._setup.policy.grace:.0f} s" if stop.soon else ""
            text = f"stopping: waiting{time} for {limiter.in_flight} calls in flight"
            recorder.put(Entry(waiting=Waiting(text, at=stamp(self._setup.clock.now()))))

    def _disk_failed(self, error: StoreError) -> None:
        self._control.request_stop(Stop(RunState.STOPPED, str(error)))

    def _natural_end(self) -> Stop:
        waits = self._breaker.at_the_end()
        return Stop(RunState.STOPPED, waits) if waits else Stop(RunState.DONE, "")

    def _entered(self, state: RunState, detail: str) -> Entry:
        return Entry(state=StateChange(state, detail, stamp(self._setup.clock.now())))

    def _about(self) -> str:
        """Say where requests go and how answers are sampled: what a record of the run has to hold."""
        facts = self._setup.backend.facts()
        if not isinstance(self._setup.backend, CallBackend):
            return ""
        told = [f"sent to {facts.endpoint}"] if facts.endpoint else []
        temperature = self._setup.judge.params.get("temperature")
        if temperature is None:
            told.append("temperature: provider default")
        elif facts.takes_temperature:
            told.append(f"temperature: {temperature}")
        else:
            model = self._setup.judge.model
            told.append(f"temperature: provider default; {model} takes none, so {temperature} is not sent")
        return "; ".join(told)


async def _learn(backend: CallBackend, caller: Caller) -> None:
    """Ask a backend's probe, if it has one, by the same rules as any call."""
    probe = backend.probe()
    if probe is not None:
        with suppress(RunStopping):
            backend.learn((await caller.ask(probe)).reply)

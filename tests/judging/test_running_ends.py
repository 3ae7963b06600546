"""How a run ends early, and that what was answered by then is kept."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from run_kit import (
    FakeClock,
    add_judge,
    add_run,
    calls_of,
    carry,
    make_project,
    number_asked,
    says,
    states_of,
    until,
    verdicts,
    waits_of,
    words,
)

from judging.calls import Failure
from judging.running import RunPolicy
from store.errors import BadInput, StoreBusy, StoreError
from store.project import Project
from store.records import Reason
from store.runs import RunWriter


@pytest.fixture
def project(tmp_path: Path):
    with make_project(tmp_path, 12) as made:
        yield made


async def test_pause_begins_nothing_and_continue_goes_on(project: Project) -> None:
    gate = asyncio.Event()
    asked = []

    async def script(call):
        asked.append(call)
        if len(asked) == 3:
            run.ask("pause")
        if len(asked) > 2:
            await gate.wait()
        return says("pass")

    run = add_run(project, add_judge(project), concurrency=1)
    work = asyncio.create_task(carry(project, run, script))
    await until(lambda: "paused" in states_of(run))
    gate.set()
    await until(lambda: len(verdicts(project, run)) == 3)
    await asyncio.sleep(0.02)
    assert len(asked) == 3
    run.ask("continue")
    outcome, _ = await work
    assert outcome.state == "done"
    assert states_of(run) == ["running", "paused", "running", "done"]


async def test_cancel_wakes_whoever_waits_and_keeps_what_was_answered(project: Project) -> None:
    class NeverWaking(FakeClock):
        async def sleep(self, seconds: float) -> None:
            await asyncio.Event().wait()

    def script(call):
        return says("pass") if number_asked(call) < 5 else Failure(Reason.OVERLOADED, "busy")

    run = add_run(project, add_judge(project), concurrency=2)
    work = asyncio.create_task(carry(project, run, script, clock=NeverWaking()))
    await until(lambda: len(waits_of(run)) >= 2)
    run.ask("cancel")
    async with asyncio.timeout(2):
        outcome, _ = await work
    assert outcome.interrupted
    assert states_of(run)[-1] == "cancelled"
    assert Counter(words(project, run).values()) == {"pass": 4}
    outcome, backend = await carry(project, run, lambda _call: says("fail"))
    assert outcome.state == "done"
    assert len(backend.asked) == 8


async def test_calls_in_flight_are_kept_when_the_run_is_interrupted(project: Project) -> None:
    answer = asyncio.Event()

    async def script(_call):
        await answer.wait()
        return says("pass")

    run = add_run(project, add_judge(project), concurrency=3)
    work = asyncio.create_task(carry(project, run, script))
    await until(lambda: "running" in states_of(run))
    await asyncio.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    await until(lambda: any("in flight" in wait.text for wait in waits_of(run)))
    answer.set()
    outcome, backend = await work
    assert outcome.state == "interrupted"
    assert len(backend.asked) == len(verdicts(project, run)) == 3
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


async def test_a_second_interrupt_does_not_wait_for_calls_in_flight(project: Project) -> None:
    async def script(_call):
        await asyncio.Event().wait()

    run = add_run(project, add_judge(project), concurrency=3)
    work = asyncio.create_task(carry(project, run, script, policy=RunPolicy(poll=0.005, grace=100.0)))
    await until(lambda: "running" in states_of(run))
    await asyncio.sleep(0.01)
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.01)
    async with asyncio.timeout(2):
        outcome, _ = await work
    assert outcome.state == "interrupted"
    assert not words(project, run)


async def test_a_full_disk_stops_the_run_and_says_so(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, written = add_run(project, add_judge(project), concurrency=1), 0
    append = RunWriter.append

    def failing(self, *entries):
        nonlocal written
        written += len(entries)
        if written > 6:
            raise StoreError("the disk is full")
        append(self, *entries)

    monkeypatch.setattr(RunWriter, "append", failing)
    with pytest.raises(StoreError, match="full"):
        await carry(project, run, lambda _call: says("pass"))
    assert len(calls_of(run)) <= 6
    monkeypatch.undo()
    outcome, _ = await carry(project, run, lambda _call: says("pass"))
    assert (outcome.state, outcome.done) == ("done", 12)


async def test_a_run_that_another_process_works_on_is_left_alone(project: Project) -> None:
    run = add_run(project, add_judge(project))
    other = RunWriter(run)
    with pytest.raises(StoreBusy):
        await carry(project, run, lambda _call: says("pass"))
    other.close()


async def test_a_judge_made_with_other_prompt_texts_is_refused_before_anything(project: Project) -> None:
    judge = add_judge(project)
    run = add_run(project, judge)
    project.judges._versions[-1] = replace(judge, prompt_code="sha256:other")
    with pytest.raises(BadInput, match="prompt texts"):
        await carry(project, run, lambda _call: says("pass"))
    assert states_of(run) == []

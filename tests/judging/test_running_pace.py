"""How often, how long and how fast the runner tries, in a time that passes in no time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from run_kit import (
    FakeClock,
    add_judge,
    add_run,
    attempts,
    calls_of,
    carry,
    make_project,
    says,
    verdicts,
    waits_of,
)

from judging.calls import Failure
from judging.running import RunPolicy
from judging.running.control import Control
from judging.running.limiter import Limiter
from store.project import Project
from store.records import Reason


@pytest.fixture
def project(tmp_path: Path):
    with make_project(tmp_path, 12) as made:
        yield made


# Waiting and giving up ---------------------------------------------------------------------


async def test_each_fault_is_tried_as_often_as_its_kind_allows(project: Project) -> None:
    for reason, count in ((Reason.OVERLOADED, 6), (Reason.TIMEOUT, 3), (Reason.BAD_REQUEST, 1)):
        run = add_run(project, add_judge(project, note=reason), ids=["t1"])
        outcome, backend = await carry(project, run, lambda _call, reason=reason: Failure(reason, "no"))
        assert len(backend.asked) == count
        assert verdicts(project, run)["t1"].reason is reason
        assert calls_of(run)[-1].attempts == count
        assert outcome.without_verdict == 1


async def test_waits_grow_are_scattered_and_capped(project: Project) -> None:
    run, clock = add_run(project, add_judge(project), ids=["t1"]), FakeClock()
    await carry(
        project, run, lambda _call: Failure(Reason.OVERLOADED, "busy"), clock=clock, policy=attempts(10)
    )
    assert len(clock.slept) == 9
    for attempt, seconds in enumerate(clock.slept, 1):
        span = min(60.0, 2.0 * 2 ** (attempt - 1))
        assert span / 4 <= seconds <= span
    assert len(waits_of(run)) >= 9, "every wait is told, with its end"
    assert all(wait.until for wait in waits_of(run) if "attempt" in wait.text)


async def test_an_overloaded_server_is_not_asked_again_before_the_time_it_gave(project: Project) -> None:
    run, clock = add_run(project, add_judge(project), ids=["t1"]), FakeClock()
    busy = Failure(Reason.OVERLOADED, "busy", 529, retry_after=50.0)
    await carry(project, run, [busy, says("pass")], clock=clock)
    assert clock.slept == [50.0]


async def test_the_seed_of_the_waits_is_the_runs_own(tmp_path: Path) -> None:
    slept = []
    for place in ("one", "two"):
        with make_project(tmp_path / place, 1) as project:
            plan = add_run(project, add_judge(project)).plan()
            run = project.runs.create(replace(plan, id="r-same"))
            clock = FakeClock()
            await carry(project, run, lambda _call: Failure(Reason.OVERLOADED, "busy"), clock=clock)
            slept.append(clock.slept)
    assert slept[0] == slept[1]


async def test_a_retry_after_below_the_cap_holds_the_whole_queue(project: Project) -> None:
    clock, asked_at = FakeClock(), []

    def script(_call):
        asked_at.append(clock.time)
        return (
            Failure(Reason.RATE_LIMITED, "slow down", 429, retry_after=30.0)
            if len(asked_at) == 3
            else says("pass")
        )

    run = add_run(project, add_judge(project), concurrency=2)
    outcome, _ = await carry(project, run, script, clock=clock)
    assert outcome.without_verdict == 0
    # The call beside it may have been under way already; after that nobody begins before the time.
    assert sum(asked_at[2] < moment < asked_at[2] + 30.0 for moment in asked_at) == 0
    assert len(asked_at) == 13


async def test_unanswered_attempts_count_against_the_budget_by_an_estimate(project: Project) -> None:
    run = add_run(project, add_judge(project), ids=["t1"])
    replies = [Failure(Reason.TIMEOUT, "late", may_have_cost=True), says("pass")]
    await carry(project, run, replies)
    (record,) = calls_of(run)
    assert record.cost_usd is not None
    assert record.cost_usd > 1.5e-4
    assert "estimated" in record.price


# Pace ---------------------------------------------------------------------


async def others_begin() -> None:
    """Let every call that may begin do so, as a server's answering time would."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_pace_starts_low_and_grows_to_the_plans_concurrency(tmp_path: Path) -> None:
    under_way, most, widths = 0, 0, []

    async def script(_call):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        widths.append(under_way)
        await others_begin()
        under_way -= 1
        return says("pass")

    with make_project(tmp_path, 200) as project:
        run = add_run(project, add_judge(project), concurrency=20)
        await carry(project, run, script)
    assert max(widths[:7]) == 4, "the fifth begins when one of the first four has ended"
    assert most == 20


async def test_pace_is_cut_by_an_overload_once_for_a_burst(tmp_path: Path) -> None:
    asked = 0

    async def script(_call):
        nonlocal asked
        asked += 1
        number = asked
        await others_begin()
        return Failure(Reason.OVERLOADED, "busy") if 60 < number <= 68 else says("pass")

    with make_project(tmp_path, 120) as project:
        run = add_run(project, add_judge(project), concurrency=16)
        outcome, _ = await carry(project, run, script)
        cuts = [wait.text for wait in waits_of(run) if "calls at once" in wait.text]
    assert outcome.without_verdict == 0
    assert cuts == ["overloaded: down to 11 calls at once"]


async def test_a_call_that_is_tried_again_goes_before_new_ones() -> None:
    clock = FakeClock()
    limiter = Limiter(1, policy=RunPolicy(), control=Control(clock), clock=clock)
    turns: list[str] = []

    async def take(name: str, *, ahead: bool = False) -> None:
        await limiter.acquire(ahead=ahead)
        turns.append(name)
        limiter.release()

    await limiter.acquire()
    waiting = [asyncio.ensure_future(take(name)) for name in ("new", "newer")]
    await asyncio.sleep(0)
    waiting.append(asyncio.ensure_future(take("again", ahead=True)))
    await asyncio.sleep(0)
    limiter.release()
    await asyncio.gather(*waiting)
    assert turns == ["again", "new", "newer"]
    assert limiter.in_flight == 0


async def test_a_turn_given_to_somebody_who_left_is_not_lost() -> None:
    clock = FakeClock()
    limiter = Limiter(1, policy=RunPolicy(), control=Control(clock), clock=clock)
    await limiter.acquire()
    leaving = asyncio.ensure_future(limiter.acquire())
    await asyncio.sleep(0)
    limiter.release()
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    assert limiter.in_flight == 0
    async with asyncio.timeout(1):
        await limiter.acquire()

"""A run that is interrupted or killed is finished by a resume that repeats no answered call."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from messages_server import Ask, Reply, Script, serving, verdict
from run_kit import (
    FakeClock,
    add_judge,
    add_run,
    calls_of,
    make_project,
    number_of,
    states_of,
    verdicts,
    waits_of,
    words,
)

from judging.running import carry_out
from store.project import Project
from store.runs import RunFolder

HERE = Path(__file__).parent
CASES = HERE.parents[1] / "cases"


@contextmanager
def process_of(project: Project, run: RunFolder) -> Iterator[subprocess.Popen[bytes]]:
    """Carry a run out in another process for the length of a block."""
    root = str(HERE.parents[2])
    process = subprocess.Popen(
        [sys.executable, str(HERE / "carry_out_run.py"), str(project.root), run.id],
        env=os.environ | {"PYTHONPATH": root},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


class Gate:
    """Answers a number of asks, then keeps every other one waiting."""

    def __init__(self, answers: int) -> None:
        self._left = answers
        self.waiting = threading.Semaphore(0)

    def __call__(self, ask: Ask) -> Reply:
        if self._left == 0:
            self.waiting.release()
            return Reply(hang=True)
        self._left -= 1
        return verdict("pass")


def until(holds: Callable[[], bool]) -> None:
    """Wait for another process."""
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)


async def test_an_interrupt_and_a_kill_keep_what_was_answered(tmp_path: Path) -> None:
    case = json.loads((CASES / "RUN-06.json").read_text())
    count, at_once = len(case["traces"]), case["concurrency"]
    with serving(Gate(3)) as server, make_project(tmp_path, count) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, structured="native")
        run = add_run(project, judge, concurrency=at_once)

        with process_of(project, run) as process:
            assert server.script.waiting.acquire(timeout=30)
            until(lambda: len(calls_of(run)) == 3)
            process.send_signal(signal.SIGINT)
            until(lambda: any("calls in flight" in wait.text for wait in waits_of(run)))
            # Nobody wants to wait for those: the second one ends it at once.
            process.send_signal(signal.SIGINT)
            assert process.wait(15) == 130
        assert states_of(run) == ["running", "interrupted"]
        assert len(verdicts(project, run)) == 3

        first = Counter(number_of(ask.text) for ask in server.asks)
        server.asks.clear()
        server.script = Gate(1)
        with process_of(project, run) as process:
            assert server.script.waiting.acquire(timeout=30)
            until(lambda: len(calls_of(run)) == 4)
            process.send_signal(signal.SIGKILL)
            assert process.wait(15) == -signal.SIGKILL
        assert project.runs.status(run).state == "interrupted"

        second = Counter(number_of(ask.text) for ask in server.asks)
        server.asks.clear()
        server.script = lambda _ask: verdict("pass")
        await carry_out(project, run, clock=FakeClock())
        third = Counter(number_of(ask.text) for ask in server.asks)

        assert len(third) == count - 4
        assert set(words(project, run).values()) == {"pass"}
        assert len(words(project, run)) == count
        assert sum((first + second + third).values()) <= count + 2 * at_once, (
            "only calls in flight were repeated"
        )
        assert Counter(call.key for call in calls_of(run)).most_common(1)[0][1] == 1


def _slow(script: Script) -> Script:
    def answer(ask: Ask) -> Reply:
        reply = script(ask)
        return Reply(reply.status, reply.body, reply.headers, delay=0.01)

    return answer


async def test_a_kill_half_way_through_two_hundred_repeats_no_answered_call(tmp_path: Path) -> None:
    with serving(_slow(lambda _ask: verdict("pass"))) as server, make_project(tmp_path, 200) as project:
        judge = add_judge(project, backend="anthropic", base_url=server.url, n=2)
        run = add_run(project, judge, concurrency=8)
        with process_of(project, run) as process:
            until(lambda: len(calls_of(run)) >= 150)
            process.send_signal(signal.SIGKILL)
            process.wait(15)
        kept = {call.key for call in calls_of(run)}
        before = len(server.asks)
        assert before < 400, "the kill came too late to prove anything"

        outcome = await carry_out(project, run, clock=FakeClock())
        assert (outcome.state, outcome.done, outcome.without_verdict) == ("done", 200, 0)
        records = calls_of(run)
        assert len(records) == len({call.key for call in records}) == 401
        assert kept <= {call.key for call in records}
        # What the server answered and the log did not hold yet was in flight, or on its way to the disk.
        assert len(server.asks) - 400 <= 2 * 8
        assert len(server.probes) == 1

"""What tests of runs share: small projects, a clock that waits for nobody, answers."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from judging.backends.scripted import ScriptedBackend
from judging.calls import Answer, Call
from judging.planning import plan_run
from judging.running import RunPolicy, carry_out
from store.project import Project
from store.records import (
    AnyTrace,
    Criterion,
    JudgeKind,
    JudgeVersion,
    Label,
    Pair,
    Piled,
    PileName,
    Trace,
    Usage,
    Verdict,
)
from store.runrecords import CallRecord, Waiting
from store.runs import RunFolder

MODEL = "claude-haiku-5-5"
USAGE = Usage(1000, 100)
PROMPT = RunPolicy(poll=0.005, grace=5.0)


class FakeClock:
    """Time passes only by sleeping, and sleeping takes none."""

    def __init__(self) -> None:
        self.time = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.time

    def now(self) -> datetime:
        return datetime(2026, 12, 1, 12, tzinfo=UTC) + timedelta(seconds=self.time)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        until = self.time + seconds
        await asyncio.sleep(0)
        self.time = max(self.time, until)


def make_project(
    root: Path, rows: Iterable[AnyTrace] | int = 3, *, kind: JudgeKind = JudgeKind.PASS_FAIL
) -> Project:
    """Make a project with traces and a criterion named "c"."""
    root.mkdir(parents=True, exist_ok=True)
    project = Project.create(root)
    if isinstance(rows, int):
        rows = [row(number) for number in range(1, rows + 1)]
    put(project, rows)
    project.criteria.add(Criterion("c", 1, "it answers", "it does not", kind=kind))
    return project


def put(project: Project, rows: Iterable[AnyTrace]) -> None:
    with project.traces.writer() as writer:
        for one in rows:
            writer.add(one)
        writer.publish()


def row(number: int) -> Trace:
    return Trace(f"t{number}", "a question", f"this is answer number {number} of them")


def number_of(text: str) -> int:
    """Give the number of the row whose text a prompt holds."""
    found = re.search(r"answer number (\d+) of them", text)
    assert found is not None, text
    return int(found[1])


def number_asked(call: Call) -> int:
    return number_of(call.request.messages[-1].content)


def add_judge(
    project: Project, *, backend: str = "scripted", base_url: str = "", model: str = MODEL, **params
) -> JudgeVersion:
    """Add a judge named "j" for the newest version of the criterion "c"."""
    recipe = params.pop("recipe", "critique-first")
    criterion = project.criteria.latest("c")
    return project.add_judge(
        JudgeVersion(
            "j",
            "c",
            criterion.version,
            criterion.kind,
            recipe,
            backend,
            model=model,
            base_url=base_url,
            params=params,
        )
    )


def add_run(project: Project, judge: JudgeVersion, **choices) -> RunFolder:
    """Plan a run over all rows, unless told otherwise, and create it."""
    if not {"pile", "sample", "ids"} & choices.keys():
        choices["every"] = True
    return project.runs.create(plan_run(project, judge, **choices))


def deal(project: Project, verdicts: Sequence[tuple[str, str]], pile: PileName) -> None:
    """Label traces and put them into a pile."""
    for trace, verdict in verdicts:
        project.labels.add(Label(trace, "c", 1, verdict, "ann"), project.criteria.latest("c").kind)
    project.piles.deal(Piled(trace, "c", pile, trace, 0) for trace, _ in verdicts)


def says(verdict: str, critique: str = "because of the words", **facts) -> Answer:
    text = json.dumps({"critique": critique, "verdict": verdict})
    return replace(Answer(text, "end_turn", USAGE, MODEL, "req_1", 0.5), **facts)


def attempts(policy_attempts: int, **settings) -> RunPolicy:
    """Give a policy with the same number of attempts for every fault that may pass."""
    names = RunPolicy().attempts
    return RunPolicy(attempts=dict.fromkeys(names, policy_attempts), poll=0.01, **settings)


def verdicts(project: Project, run: RunFolder) -> dict[str, Verdict]:
    """Give a run's newest verdicts by trace (one order and sample only)."""
    found = project.runs.verdicts(run)
    assert len({key[0] for key in found}) == len(found)
    return {key[0]: verdict for key, verdict in found.items()}


def words(project: Project, run: RunFolder) -> dict[str, str]:
    """Give each row's verdict, or its reason in brackets."""
    return {
        trace: verdict.verdict or f"({verdict.reason})" for trace, verdict in verdicts(project, run).items()
    }


def calls_of(run: RunFolder) -> list[CallRecord]:
    return [entry.call for entry in run.entries() if entry.call is not None]


def states_of(run: RunFolder) -> list[str]:
    return [str(entry.state.state) for entry in run.entries() if entry.state is not None]


def waits_of(run: RunFolder) -> list[Waiting]:
    return [entry.waiting for entry in run.entries() if entry.waiting is not None]


def times_asked(calls: Iterable[Call]) -> Counter[int]:
    return Counter(number_asked(call) for call in calls)


def pair(number: int) -> Pair:
    return Pair(f"p{number}", "which?", f"this is answer number {number} of them", "another")


async def carry(project: Project, run: RunFolder, script, **settings):
    """Carry a run out with a scripted backend; give the outcome and the backend."""
    backend = script if isinstance(script, ScriptedBackend) else ScriptedBackend(script)
    settings.setdefault("clock", FakeClock())
    settings.setdefault("policy", PROMPT)
    return await carry_out(project, run, backend=backend, **settings), backend


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop turn until something holds."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - nobody tells us
            await asyncio.sleep(0.001)

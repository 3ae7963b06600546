"""Print what the runner reaches of the bare SDK's pace, against a loopback server that answers after 50 ms.

    python -m benchmarks.engine [--calls N] [--rounds N]

Both ask the same questions through the same SDK with the same transport, in turns, each in a process
of its own. The bare SDK keeps nothing; the runner paces, prices and records every answer on disk.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.loopback import server
from judging.authoring import JudgeOrder, make_judge
from judging.contexts import JudgeContexts
from judging.planning import plan_run
from judging.prompting import build_request
from store.project import Project
from store.records import Criterion, Trace

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Pace:
    """What one side reached."""

    per_second: float
    cpu_milliseconds: float
    """Processor time for each call, the SDK's included."""
    memory_mb: float


def make_project(root: Path, rows: int, base_url: str) -> None:
    """Make a project with a live judge and rows of about 1 kB."""
    with Project.create(root) as project:
        with project.traces.writer() as writer:
            for number in range(rows):
                writer.add(Trace(f"t{number}", f"question {number}", f"answer {number}: " + "word " * 200))
            writer.publish()
        project.criteria.add(Criterion("c", 1, "it answers the question", "it does not"))
        # The shape is stated, so that neither side sends a probe.
        params = {"structured": "native"}
        make_judge(project, JudgeOrder("j", "c", model="claude-haiku-5-5", base_url=base_url, params=params))


async def bare(project: Project, concurrency: int) -> None:
    """Ask every row's question through the SDK alone."""
    from anthropic import AsyncAnthropic

    judge = project.judges.get("j")
    contexts = JudgeContexts.of(project, judge)
    left = iter(list(project.traces.ids()))
    async with AsyncAnthropic(base_url=judge.base_url, max_retries=0) as client:

        async def ask() -> None:
            for trace in left:
                row = contexts.at(trace)
                request = build_request(row.trace, judge, row.criterion, row.examples)
                await client.messages.create(
                    model=request.model,
                    max_tokens=request.max_tokens,
                    system=request.system,
                    messages=[{"role": "user", "content": request.messages[0].content}],
                    output_config={"format": {"type": "json_schema", "schema": dict(request.schema or {})}},
                )

        await asyncio.gather(*(ask() for _ in range(concurrency)))


async def ours(project: Project, concurrency: int) -> None:
    """Judge every row with the runner."""
    from judging.running import carry_out

    plan = plan_run(project, project.judges.get("j"), every=True, concurrency=concurrency)
    outcome = await carry_out(project, project.runs.create(plan))
    assert outcome.without_verdict == 0


def measure_here(side: str, root: Path, concurrency: int) -> None:
    """Measure one side in this process and print its figures."""
    from judging.backends.anthropic_sdk import import_sdk

    import_sdk()
    with Project(root) as project:
        calls = len(project.traces)
        cpu, began = time.process_time(), time.perf_counter()
        asyncio.run((ours if side == "ours" else bare)(project, concurrency))
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(calls / seconds, 1000 * cpu / calls, memory)


def measure(side: str, calls: int, concurrency: int, base_url: str) -> Pace:
    """Measure one side in a process of its own, on a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        make_project(Path(folder), calls, base_url)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.engine", "--measure", side, folder, str(concurrency)],
            cwd=ROOT,
            env={**os.environ, "ANTHROPIC_API_KEY": "sk-loopback"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    per_second, cpu, memory = (float(part) for part in done.stdout.split())
    return Pace(per_second, cpu, memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", nargs=3, metavar=("SIDE", "PROJECT", "N"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        side, folder, concurrency = options.measure
        measure_here(side, Path(folder), int(concurrency))
        return
    print(
        f"{options.calls} calls, median of {options.rounds} rounds in turns; targets: 90 %, 0.5 ms",
        flush=True,
    )
    with server(50) as base_url:
        for concurrency in (10, 50):
            pairs = [
                [measure(side, options.calls, concurrency, base_url) for side in ("bare", "ours")]
                for _ in range(options.rounds)
            ]
            sdk = median(one.per_second for one, _ in pairs)
            run = median(other.per_second for _, other in pairs)
            share = median(other.per_second / one.per_second for one, other in pairs)
            own = median(other.cpu_milliseconds - one.cpu_milliseconds for one, other in pairs)
            memory = median(other.memory_mb for _, other in pairs)
            print(
                f"{concurrency:3} at once: bare SDK {sdk:.0f} calls/s, runner {run:.0f} ({share:.0%}); "
                f"{own:.2f} ms of our own processor time a call; {memory:.0f} MB at most",
                flush=True,
            )


if __name__ == "__main__":
    main()

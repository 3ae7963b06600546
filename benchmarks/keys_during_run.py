"""Print how quickly a label key is answered while a run judges 50 calls at a time on the same machine.

    python -m benchmarks.keys_during_run [--keys N]

The run is a process of its own, as it always is, against a loopback server that answers after 50 ms
(saturating) or 1 s (as a real API does). The same keys are measured on the idle app first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.label_wire import make_project, p95, press
from benchmarks.loopback import server
from benchmarks.terminal import ROOT, Terminal, terminal
from judging.authoring import JudgeOrder, make_judge
from store.project import Project

CONCURRENCY = 50


def label_keys(far: Terminal, keys: int) -> list[float]:
    """Label traces and give the milliseconds from each key to its mark."""
    return [1000 * press(far, "pf"[number % 2]).mark_seconds for number in range(keys)]


def start_run(root: Path, name: str) -> subprocess.Popen[bytes]:
    """Start a run over everything as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tui.cli", "--project", str(root), "run", "--judge", name, "--all",
         "--concurrency", str(CONCURRENCY)],
        cwd=ROOT,
        env={**os.environ, "ANTHROPIC_API_KEY": "sk-loopback"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip


def wait_for_verdicts(root: Path, name: str) -> None:
    """Wait until the run has judged its first rows, so that it is at full speed."""
    with Project(root) as project:
        judge = project.judges.get(name)
        while not any(
            project.runs.status(run).done > 2 * CONCURRENCY for run in project.runs.all(judge.hash)
        ):
            pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--keys", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_project(root, 10_000)
        with terminal(["-m", "tui.cli", "--project", str(root), "label"]) as far:
            far.until(b"reply under judgment")
            far.settled(1.0)
            label_keys(far, 10)
            idle = label_keys(far, options.keys)
            print(f"idle                p50 {median(idle):5.1f} ms   p95 {p95(idle):5.1f} ms")
            for milliseconds, target in ((50, "p95 <= 100 ms"), (1000, "p95 <= 2x idle")):
                with server(milliseconds) as url:
                    name = f"loopback_{milliseconds}"
                    with Project(root) as project:
                        criterion = project.criteria.names()[0]
                        make_judge(
                            project,
                            JudgeOrder(name, criterion, model="claude-haiku-5-5", base_url=url),
                        )
                    run = start_run(root, name)
                    try:
                        wait_for_verdicts(root, name)
                        busy = label_keys(far, options.keys)
                        ended = run.poll() is not None
                    finally:
                        run.terminate()
                        run.wait()
                print(
                    f"run at {milliseconds:4} ms a call  p50 {median(busy):5.1f} ms   p95 {p95(busy):5.1f} ms"
                    f"   {p95(busy) / p95(idle):4.1f}x idle    target {target}"
                    + ("   (the run ended too early)" if ended else "")
                )


if __name__ == "__main__":
    main()

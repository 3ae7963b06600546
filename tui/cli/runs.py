"""`run`, `resume`, `runs` and `verdicts`."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import BadInput
from store.project import Project
from store.records import Verdict
from store.runrecords import RunState
from store.runs import RunFolder
from tui.cli.exits import Exit
from tui.cli.here import open_project, pile_of
from tui.cli.output import Output, table
from tui.text import one_line

if TYPE_CHECKING:
    from judging.running import RunOutcome


def run(arguments: Namespace, output: Output) -> int:
    """Judge traces: plan, say what it would cost, carry it out."""
    from judging.planning import estimate, plan_run

    with open_project(arguments, output) as project:
        judge = project.judges.get(arguments.judge)
        plan = plan_run(
            project,
            judge,
            pile=pile_of(arguments.pile),
            every=arguments.all,
            sample=arguments.sample,
            seed=arguments.seed,
            flag=project.judges.get(arguments.flag) if arguments.flag else None,
            ids=_ids(arguments.ids),
            swap=arguments.swap,
            repeat=arguments.repeat,
            concurrency=arguments.concurrency,
            budget_usd=arguments.budget,
        )
        expected = estimate(project, plan)
        if arguments.estimate:
            output.result(expected.document(), expected.lines())
            return Exit.DONE
        for line in expected.lines():
            output.progress(line)
        return _carry_out(project, project.runs.create(plan), output)


def resume(arguments: Namespace, output: Output) -> int:
    """Go on with a run; nothing is paid twice."""
    with open_project(arguments, output) as project:
        return _carry_out(project, project.runs.get(arguments.run), output)


def carry_out_here(project: Project, folder: RunFolder, output: Output) -> RunOutcome:
    """Carry a run out in this process, with a line of progress for people."""
    from judging.running import carry_out
    from tui.cli.progress import ProgressLine

    line = ProgressLine(output, folder.plan().asked)
    outcome = asyncio.run(carry_out(project, folder, on_event=line.on_event))
    line.end()
    return outcome


def _carry_out(project: Project, folder: RunFolder, output: Output) -> int:
    from judging.summary import summarise

    outcome = carry_out_here(project, folder, output)
    summary = summarise(project, folder)
    output.result(summary.document(), summary.lines())
    return exit_of(outcome, output)


def exit_of(outcome: RunOutcome, output: Output) -> Exit:
    """Give the exit code of a run's end, and say why when it ended early."""
    if outcome.interrupted:
        return Exit.INTERRUPTED
    if outcome.state is RunState.STOPPED:
        output.complain(outcome.detail)
        return Exit.STOPPED
    return Exit.NO_VERDICTS if outcome.without_verdict else Exit.DONE


def _ids(name: str | None) -> tuple[str, ...] | None:
    if name is None:
        return None
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInput(f"{name}: {error.strerror}") from error
    return tuple(line for line in text.split("\n") if line.strip())


def list_all(arguments: Namespace, output: Output) -> int:
    """List all runs, also those that other terminals carry out."""
    with open_project(arguments, output) as project:
        found = [project.runs.status(folder) for folder in project.runs.all()]
    output.result(
        {
            "runs": [
                {
                    "run": status.plan.id,
                    "judge": status.plan.judge_name,
                    "hash": status.plan.judge,
                    "criterion": status.plan.criterion,
                    "slice": status.plan.slice,
                    "state": status.state,
                    "detail": status.detail,
                    "done": status.done,
                    "asked": status.plan.asked,
                    "cost_usd": status.cost_usd,
                }
                for status in found
            ]
        },
        table(
            [
                (
                    status.plan.id,
                    status.plan.judge_name,
                    status.plan.slice,
                    str(status.state),
                    f"{status.done}/{status.plan.asked}",
                    "?" if status.cost_usd is None else f"${status.cost_usd:.4f}",
                    status.detail,
                )
                for status in found
            ],
            ("run", "judge", "slice", "state", "done", "cost", ""),
        )
        if found
        else ["no runs yet: adjudge run --judge NAME"],
    )
    return Exit.DONE


def control(arguments: Namespace, output: Output) -> int:
    """Leave a word for a run's process: pause, continue or cancel."""
    with open_project(arguments, output) as project:
        folder = project.runs.get(arguments.run)
        folder.ask(arguments.word)
        status = project.runs.status(folder)
    output.result(
        {"run": folder.id, "asked_for": arguments.word, "state": status.state},
        [f"asked run {folder.id} to {arguments.word}"],
    )
    return Exit.DONE


def verdicts(arguments: Namespace, output: Output) -> int:
    """List a run's verdicts."""
    with open_project(arguments, output) as project:
        found = list(project.runs.verdicts(project.runs.get(arguments.run)).values())
    output.result(
        {"verdicts": [verdict_document(verdict) for verdict in found]},
        table(
            [
                (
                    verdict.trace,
                    str(verdict.order or ""),
                    str(verdict.verdict or f"no verdict: {verdict.reason}"),
                    one_line(verdict.critique or verdict.detail, 80),
                )
                for verdict in found
            ],
            ("trace", "order", "verdict", "critique"),
        ),
    )
    return Exit.DONE


def verdict_document(verdict: Verdict) -> dict[str, object]:
    """Give a verdict as the contract names its fields."""
    return {
        "trace": verdict.trace,
        "verdict": verdict.verdict,
        "scores": dict(verdict.scores),
        "critique": verdict.critique,
        "reason": verdict.reason,
        "detail": verdict.detail,
        "order": verdict.order,
        "sample": verdict.sample,
        "flags": list(verdict.flags),
        "candidates": [
            {
                "role": candidate.role,
                "verdict": candidate.verdict,
                "reason": candidate.reason,
                "critique": candidate.critique,
                "raw": candidate.raw,
                "scores": dict(candidate.scores),
            }
            for candidate in verdict.candidates
        ],
        "cost_usd": verdict.cost_usd,
        "model": verdict.model,
        "request_id": verdict.request_id,
        "reused": verdict.reused,
    }

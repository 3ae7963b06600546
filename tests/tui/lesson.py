"""Small projects with labels and recorded verdicts, as the bakery lesson and a pairwise run have them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from textual.pilot import Pilot

from store.project import Project
from store.records import (
    AnyTrace,
    Criterion,
    Decision,
    JudgeKind,
    JudgeVersion,
    Label,
    Order,
    Pair,
    Reason,
    Trace,
    Verdict,
)
from store.runrecords import RunPlan, RunState
from store.runs import Entry, RunWriter
from tui.app import AdjudgeApp
from tui.session.session import Session

ME = "anna"
QUESTIONS = ("coconut cookies nut-free?", "is the rye loaf vegan?", "plum cake without egg?", "any sesame?")
WHEN = "2026-03-01T10:00:00Z"


def shelve(project: Project, traces: Iterable[AnyTrace]) -> None:
    with project.traces.writer() as writer:
        for trace in traces:
            writer.add(trace)
        writer.publish()


def record(
    project: Project,
    judge: JudgeVersion,
    verdicts: Iterable[Verdict],
    *,
    run: str = "r0001",
    orders: tuple[Order, ...] = (),
) -> None:
    kept = tuple(verdicts)
    plan = RunPlan(
        id=run,
        judge=judge.hash,
        judge_name=judge.name,
        criterion=judge.criterion,
        backend="imported",
        traces=tuple(dict.fromkeys(verdict.trace for verdict in kept)),
        slice="all",
        orders=orders,
        at=WHEN,
    )
    writer = RunWriter(project.runs.create(plan))
    writer.append(*(Entry(verdict=verdict) for verdict in kept))
    writer.state(RunState.DONE)
    writer.close()


def judge_of(
    project: Project, criterion: Criterion, name: str = "teach", *, version: int = 1
) -> JudgeVersion:
    return project.add_judge(
        JudgeVersion(
            name=name,
            criterion=criterion.name,
            criterion_version=criterion.version,
            kind=criterion.kind,
            recipe="teach",
            backend="imported",
            model="opus",
            params={"version": version},
            at=WHEN,
        )
    )


def bakery_rows() -> list[tuple[str, str, str]]:
    """Give (trace, label, verdict): 31 passes kept, 1 not, 7 fails waved through, 9 caught."""
    cells = (("pass", "pass", 31), ("pass", "fail", 1), ("fail", "pass", 7), ("fail", "fail", 9))
    rows: list[tuple[str, str, str]] = []
    for label, verdict, times in cells:
        rows += [(f"t-{len(rows) + n:03}", label, verdict) for n in range(times)]
    return rows


def bakery(root: Path, *, silent: int = 0, verdicts: bool = True, labels: bool = True) -> Project:
    """Make the lesson's dev pile with its first judge: 48 labels, 31 1 7 9.

    Args:
        root: An empty folder.
        silent: On how many of the caught fails the judge gives no verdict instead.
        verdicts: Whether the judge was run.
        labels: Whether anybody labelled.
    """
    project = Project.create(root)
    criterion = Criterion("allergen", 1, "says it as the ingredients say", "ignores or guesses", at=WHEN)
    project.criteria.append(criterion)
    rows = bakery_rows()
    shelve(
        project,
        [
            Trace(
                trace,
                QUESTIONS[n % len(QUESTIONS)],
                f"Yes! Nothing of that kind is in it ({trace}).",
                facts={"ingredients": "flour, desiccated coconut; may contain traces of cashew"},
            )
            for n, (trace, _, _) in enumerate(rows)
        ],
    )
    if labels:
        for trace, label, _ in rows:
            note = "the shared line means it may contain cashew" if label == "fail" else ""
            project.labels.add(Label(trace, "allergen", 1, label, ME, note, WHEN, queue="random seed 0"))
    judge = judge_of(project, criterion)
    if verdicts:
        quiet = {trace for trace, label, verdict in rows[-silent:] if silent}
        record(project, judge, (_said(trace, None if trace in quiet else word) for trace, _, word in rows))
    return project


def _said(trace: str, word: str | None) -> Verdict:
    return Verdict(
        trace,
        word,
        "The cookies do not list nuts as an ingredient." if word else "",
        None if word else Reason.TRUNCATED,
        "" if word else "the answer was cut off",
        cost_usd=0.0002,
        seconds=0.9,
        model="opus-20260301",
    )


def pairs(root: Path, *, swapped: bool = True, labels: bool = True) -> Project:
    """Make ten pairs judged in both orders: 6 consistent, 2 first-biased, 1 half, 1 without a verdict."""
    project = Project.create(root)
    criterion = Criterion("better", 1, "the better answer", "the worse one", JudgeKind.PAIRWISE, at=WHEN)
    project.criteria.append(criterion)
    both = [("A", "A")] * 4 + [("B", "B")] * 2 + [("A", "B")] * 2 + [("A", "tie"), ("B", None)]
    names = [f"p-{n:02}" for n in range(len(both))]
    shelve(
        project,
        [Pair(name, "Which colour?", "blue, like the sky", "red", gold="A") for name in names],
    )
    for name in names if labels else ():
        project.labels.add(Label(name, "better", 1, Decision.B, ME, at=WHEN), criterion.kind)
    verdicts = []
    for name, (first, second) in zip(names, both, strict=True):
        verdicts.append(Verdict(name, first, f"{first} is clearer.", order=Order.AB))
        if swapped:
            reason = None if second else Reason.UNPARSED
            verdicts.append(Verdict(name, second, f"{second} reads well.", reason, order=Order.BA))
    orders = (Order.AB, Order.BA) if swapped else (Order.AB,)
    record(project, judge_of(project, criterion), verdicts, orders=orders)
    return project


def app_on(project: Project, start: str) -> AdjudgeApp:
    """Give the app as the person of these projects opens it."""
    return AdjudgeApp(Session(project, ME), start=start)


async def settle(pilot: Pilot[None]) -> None:
    """Wait until everything read beside the loop is shown."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def screen_text(app: AdjudgeApp) -> str:
    """Give the screen in front as text, row by row."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

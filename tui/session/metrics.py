"""A judge's figures with the traces behind each cell of their tables; every number comes from `judging`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from judging.joining import Join, join, verdicts_of
from judging.measuring import Metrics, SwapReport, measure, measure_swap, staleness
from judging.statistics.counts import FAIL, PASS
from judging.statistics.pairwise import WINNERS, PairKind
from judging.statistics.rates import proportion
from judging.statistics.values import Figure
from store.errors import BadInput
from store.project import Project
from store.records import JudgeKind, JudgeVersion, Label, Order, PileName, Verdict
from store.runs import RunFolder
from tui.session.emptiness import why_nothing_compared

PEOPLE = (PASS, FAIL)
"""Rows of the confusion matrix."""
JUDGED = (PASS, FAIL, None)
"""Columns of the confusion matrix; None is no verdict."""


class Cell(NamedTuple):
    """A cell of a table, by row and column."""

    row: int
    column: int


@dataclass(frozen=True)
class Case:
    """One trace behind a cell, with all that was said of it."""

    trace: str
    label: Label | None
    verdicts: tuple[Verdict, ...]
    """One, or for pairs one an order, that with A shown first before the other."""


Cases = Mapping[Cell, tuple[Case, ...]]


@dataclass(frozen=True)
class BinaryView:
    """A pass/fail judge's figures."""

    metrics: Metrics
    cases: Cases


@dataclass(frozen=True)
class Share:
    """How many pairs are of one kind, and which share that is."""

    kind: PairKind
    figure: Figure


@dataclass(frozen=True)
class SwapView:
    """A pairwise judge's figures over both orders."""

    report: SwapReport
    shares: tuple[Share, ...]
    """The five kinds, over all pairs."""
    stale: tuple[str, ...]
    cases: Cases


@dataclass(frozen=True)
class NothingView:
    """No figures, and what to do about it."""

    reason: str


MetricsView = BinaryView | SwapView | NothingView


def read_metrics(project: Project, judge: JudgeVersion, pile: PileName | None) -> MetricsView:
    """Measure a judge; takes long for many verdicts: not in the loop.

    Pairs are measured over the judge's newest run in both orders, whatever the pile.

    Raises:
        Sealed: The hold-out was asked for and is not open.
        StoreError: A run cannot be read.
    """
    if judge.kind is JudgeKind.PAIRWISE:
        return _read_swap(project, judge)
    if judge.kind is not JudgeKind.PASS_FAIL:
        return NothingView(
            f"{judge.name} is a judge of the kind {judge.kind}: there is no table for it here."
        )
    try:
        metrics = measure(project, judge, pile=pile)
    except BadInput as error:
        reason = why_nothing_compared(project, judge, join(project, judge, pile=pile), pile)
        return NothingView(reason or str(error))
    return BinaryView(metrics, _cases(metrics.joined))


def _cases(joined: Join) -> Cases:
    """Sort rows into the cells in which `Counts.of` counts them, by trace id."""
    found: dict[Cell, list[Case]] = {}
    for row in sorted(joined.rows, key=lambda row: row.trace):
        said = row.verdict.verdict if row.verdict.verdict in (PASS, FAIL) else None
        cell = Cell(PEOPLE.index(str(row.label.verdict)), JUDGED.index(said))
        found.setdefault(cell, []).append(Case(row.trace, row.label, (row.verdict,)))
    return {cell: tuple(cases) for cell, cases in found.items()}


def _read_swap(project: Project, judge: JudgeVersion) -> SwapView | NothingView:
    runs = project.runs.all(judge.hash)
    if not runs:
        return NothingView(f"{judge.name} has not been run yet.\ngr opens the runs; n starts one there.")
    run = next((run for run in reversed(runs) if set(run.plan().orders) == set(Order)), None)
    if run is None:
        return NothingView(
            f"{judge.name} has judged pairs in one order only, so a taste for first or last is not known.\n"
            f"adjudge run --judge {judge.name} --swap judges them in both."
        )
    try:
        report = measure_swap(project, run)
    except BadInput:
        return NothingView(f"Run {run.id} has no pair with both orders yet.\ngr shows how far it is.")
    summary = report.summary
    counts = {
        PairKind.CONSISTENT: summary.consistent,
        PairKind.FIRST_BIASED: summary.first_biased,
        PairKind.SECOND_BIASED: summary.second_biased,
        PairKind.HALF: summary.half,
        PairKind.NO_VERDICT: summary.no_verdict,
    }
    return SwapView(
        report=report,
        shares=tuple(Share(kind, proportion(count, summary.pairs)) for kind, count in counts.items()),
        stale=staleness(project, judge),
        cases=_swap_cases(project, judge, report, run),
    )


def _swap_cases(project: Project, judge: JudgeVersion, report: SwapReport, run: RunFolder) -> Cases:
    verdicts = verdicts_of(project, judge, run=run)
    people = project.open_reference(judge.criterion).labels
    found: dict[Cell, list[Case]] = {}
    for trace, row in zip(report.traces, report.rows, strict=True):
        cell = Cell(WINNERS.index(row.first), WINNERS.index(row.second))
        said = (verdicts[trace, Order.AB], verdicts[trace, Order.BA])
        found.setdefault(cell, []).append(Case(trace, people.get(trace), said))
    return {cell: tuple(cases) for cell, cases in found.items()}

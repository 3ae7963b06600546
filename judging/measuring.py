"""Measure a judge against people: one structure for the screen, `--json` and Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from judging.joining import Join, join, verdicts_of
from judging.statistics.advice import Advice, advise
from judging.statistics.binary import BinaryFigures, binary_readings
from judging.statistics.counts import Counts
from judging.statistics.pairwise import PairVerdict, SwapSummary, swap_summary
from store.errors import BadInput
from store.project import Project
from store.records import Decision, JudgeKind, JudgeVersion, Order, Pair, PileName
from store.runs import RunFolder

TARGET = 0.9
"""What both rates are wanted to reach."""
FLOOR = 0.8
"""Below this a judge is not fit for use."""


@dataclass(frozen=True)
class Metrics:
    """How far a pass/fail judge agrees with people, on which rows, and what to make of it."""

    judge: JudgeVersion
    pile: PileName | None
    run: str | None
    annotator: str | None
    joined: Join
    counts: Counts
    figures: BinaryFigures
    advice: Advice
    stale: tuple[str, ...]
    """Why the figures may no longer hold; empty when nothing moved since."""
    notes: tuple[str, ...]
    """What a reader must know about the rows."""


def measure(
    project: Project,
    judge: JudgeVersion,
    *,
    pile: PileName | None = None,
    run: RunFolder | None = None,
    annotator: str | None = None,
) -> Metrics:
    """Compare a pass/fail judge with the labels of its criterion.

    Raises:
        Sealed: The hold-out was asked for and is not open.
        BadInput: The judge is of another kind, or there is nothing to compare.
    """
    if judge.kind is not JudgeKind.PASS_FAIL:
        raise BadInput(f"judge {judge.name!r} is {judge.kind}: `swap` measures pairs")
    joined = join(project, judge, pile=pile, run=run, annotator=annotator)
    if not joined.rows:
        raise BadInput(_nothing(judge, joined, pile))
    counts = Counts.of((str(row.label.verdict), row.verdict.verdict) for row in joined.rows)
    figures = binary_readings(counts)
    return Metrics(
        judge=judge,
        pile=pile,
        run=run.id if run else None,
        annotator=annotator,
        joined=joined,
        counts=counts,
        figures=figures,
        advice=advise(figures, target=TARGET, floor=FLOOR),
        stale=staleness(project, judge),
        notes=_notes(project, judge, joined, pile),
    )


def _nothing(judge: JudgeVersion, joined: Join, pile: PileName | None) -> str:
    where = f" in {pile}" if pile else ""
    if joined.not_judged:
        return (
            f"judge {judge.name!r} has not been run on any of the {len(joined.not_judged)} labelled "
            f"rows{where}: run it with `adjudge run --judge {judge.name}`"
        )
    if joined.not_labelled:
        return (
            f"none of the {joined.not_labelled} judged rows{where} has a label to compare with: "
            "label some first"
        )
    return f"there are no labels for {judge.criterion!r}{where} yet: label some with `adjudge label`"


def staleness(project: Project, judge: JudgeVersion) -> tuple[str, ...]:
    """Say why a judge's figures may no longer hold: the standard or the judge has a newer version."""
    reasons = []
    newest = project.criteria.latest(judge.criterion).version
    if newest != judge.criterion_version:
        reasons.append(f"the standard is now v{newest}, this judge was made for v{judge.criterion_version}")
    versions = project.judges.named(judge.name)
    if versions[-1].hash != judge.hash:
        reasons.append(f"{judge.name} has a newer version")
    return tuple(reasons)


def _notes(project: Project, judge: JudgeVersion, joined: Join, pile: PileName | None) -> tuple[str, ...]:
    notes = []
    if joined.not_judged:
        notes.append(f"{len(joined.not_judged)} labelled rows have not been judged and are not counted")
    if joined.conflicts:
        notes.append(f"people differ on {len(joined.conflicts)} rows; they are not counted until settled")
    if joined.unsure:
        notes.append(f"{len(joined.unsure)} rows are marked unsure and not counted")
    if joined.sealed and pile is None:
        notes.append(f"the {joined.sealed} rows of the sealed hold-out are not counted")
    if pile is None:
        train = set(project.piles.members(judge.criterion, PileName.TRAIN))
        seen = sum(1 for row in joined.rows if row.trace in train)
        if seen:
            notes.append(f"{seen} rows are in train, which judges learn from: `--pile dev` leaves them out")
    # A baseline made without naming its training set is fitted anew by each run.
    fits = {row.verdict.detail for row in joined.rows} if judge.backend == "baseline" else set()
    if len(fits) > 1:
        notes.append(
            f"the verdicts come from {len(fits)} different fits of the baseline: "
            "train has changed between runs"
        )
    older = sum(1 for row in joined.rows if row.label.version != judge.criterion_version)
    if older:
        notes.append(f"{older} labels were made for another version of the standard")
    return tuple(notes)


@dataclass(frozen=True)
class SwapReport:
    """Position-swap consistency of a pairwise judge in one run."""

    judge: JudgeVersion
    run: str
    summary: SwapSummary
    traces: tuple[str, ...]
    """The pairs, in the order of the summary's rows."""
    rows: tuple[PairVerdict, ...]


def measure_swap(project: Project, run: RunFolder) -> SwapReport:
    """Compare a pairwise run's verdicts in both orders with each other and with gold.

    Gold is the pair's own, or else what people say of it.

    Raises:
        BadInput: The run is not pairwise, or judged one order only.
    """
    plan = run.plan()
    judge = project.judges.get(plan.judge)
    if judge.kind is not JudgeKind.PAIRWISE:
        raise BadInput(f"run {run.id} is of judge {judge.name!r}, which is {judge.kind}, not pairwise")
    verdicts = verdicts_of(project, judge, run=run)
    people = project.open_reference(judge.criterion).labels
    rows: list[PairVerdict] = []
    traces: list[str] = []
    for trace_id in plan.traces:
        first, second = verdicts.get((trace_id, Order.AB)), verdicts.get((trace_id, Order.BA))
        if first is None or second is None:
            continue
        pair = project.traces.get(trace_id)
        if not isinstance(pair, Pair):
            raise BadInput(f"trace {trace_id!r} is not a pair")
        label = people.get(trace_id)
        gold = pair.gold if pair.gold is not None else (label.verdict if label else None)
        rows.append(
            PairVerdict(
                first=_winner(first.verdict),
                second=_winner(second.verdict),
                gold=gold,
                longer=_longer(pair),
            )
        )
        traces.append(trace_id)
    if not rows:
        raise BadInput(f"run {run.id} judged no pair in both orders: run it with --swap")
    return SwapReport(judge, run.id, swap_summary(rows), tuple(traces), tuple(rows))


def _winner(verdict: str | None) -> str | None:
    return verdict if verdict in (Decision.A, Decision.B, Decision.TIE) else None


def _longer(pair: Pair) -> str | None:
    if len(pair.a) == len(pair.b):
        return None
    return Decision.A if len(pair.a) > len(pair.b) else Decision.B

"""Bring labels and verdicts together, and say what did not join and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from store.errors import Sealed
from store.project import Project
from store.records import JudgeVersion, Label, Order, PileName, Verdict
from store.runs import RunFolder


@dataclass(frozen=True)
class Row:
    """One labelled trace and what the judge says of it."""

    trace: str
    label: Label
    verdict: Verdict
    """A decision, or the reason there is none."""


@dataclass(frozen=True)
class Join:
    """The rows of a comparison, and the rows that could not be compared."""

    rows: tuple[Row, ...]
    not_judged: tuple[str, ...]
    """Labelled, but no run has asked the judge about them."""
    not_labelled: int
    """Judged, but no label to compare with (or none that may be seen)."""
    conflicts: tuple[str, ...]
    """People differ on them and nothing settles it."""
    unsure: tuple[str, ...]
    """Looked at, but nobody decided."""
    sealed: int
    """Rows of the hold-out that stay closed."""


def verdicts_of(
    project: Project, judge: JudgeVersion, *, run: RunFolder | None = None
) -> dict[tuple[str, Order | None], Verdict]:
    """Give a judge's verdicts by trace and order: one run's, or the newest over all its runs.

    Repeats (`sample` above 0) are for measuring noise and are left out here.
    """
    found: dict[tuple[str, Order | None], Verdict] = {}
    for folder in (run,) if run is not None else project.runs.all(judge.hash):
        for verdict in project.runs.verdicts(folder).values():
            if verdict.sample == 0:
                found[verdict.trace, verdict.order] = verdict
    return found


def join(
    project: Project,
    judge: JudgeVersion,
    *,
    pile: PileName | None = None,
    run: RunFolder | None = None,
    annotator: str | None = None,
) -> Join:
    """Join the labels of the judge's criterion with its verdicts.

    Args:
        project: The open project.
        judge: Which judge version.
        pile: Only rows of this pile; None: every labelled row that is not sealed.
        run: Only this run's verdicts.
        annotator: Whose labels; see `LabelBook.reference`.

    Raises:
        Sealed: The hold-out was asked for and is not open.
    """
    criterion = judge.criterion
    sealed = project.sealed(criterion)
    if pile is PileName.HOLDOUT and sealed:
        raise Sealed(
            f"the hold-out of {criterion!r} is sealed: its {len(sealed)} labels stay hidden "
            "until it is opened for one judge version"
        )
    reference = project.open_reference(criterion, annotator)
    labels: Mapping[str, Label] = reference.labels
    if pile is not None:
        members = set(project.piles.members(criterion, pile))
        labels = {trace: label for trace, label in labels.items() if trace in members}
    verdicts = {
        trace: verdict
        for (trace, order), verdict in verdicts_of(project, judge, run=run).items()
        if order in (None, Order.AB)
    }
    return Join(
        rows=tuple(
            Row(trace, label, verdicts[trace]) for trace, label in labels.items() if trace in verdicts
        ),
        not_judged=tuple(trace for trace in labels if trace not in verdicts),
        not_labelled=sum(1 for trace in verdicts if trace not in labels),
        conflicts=tuple(trace for trace in reference.conflicts if trace in verdicts),
        unsure=tuple(trace for trace in reference.unsure if trace in verdicts),
        sealed=len(sealed),
    )

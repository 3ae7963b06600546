"""Labels and recorded verdicts that come with traces: understood word by word, written in one go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from store.identity import new_run_id, utc_now
from store.importing.plain import Beside
from store.importing.words import NOTHING, understand, understand_verdict, vocabulary
from store.judges import judge_hash
from store.project import Project
from store.records import (
    AnyTrace,
    Criterion,
    JudgeKind,
    JudgeVersion,
    Label,
    Order,
    Pair,
    Reason,
    Verdict,
)
from store.runrecords import RunPlan, RunState
from store.runs import Entry, RunWriter
from store.scopes import Scope

_CHUNK = 1000


@dataclass(frozen=True, slots=True)
class Company:
    """One row's label or verdict, with where it stood."""

    trace: AnyTrace
    beside: Beside
    file: str
    line: int
    annotator: str


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A label or verdict that is no word we know; it was left out, never guessed."""

    file: str
    line: int
    field: str
    reason: str


@dataclass
class Taken:
    """What is to be written beside the traces."""

    criterion: Criterion | None
    judge: JudgeVersion | None
    source: str
    labels: list[Label] = field(default_factory=list)
    verdicts: dict[tuple[str, Order | None], Verdict] = field(default_factory=dict)
    not_understood: list[NotUnderstood] = field(default_factory=list)
    repeated: int = 0

    def write(self, project: Project, *, new_traces: bool, seen: Sequence[str]) -> str | None:
        """Write criterion, labels, scope and the recorded run; the traces are on the shelf by now.

        Returns:
            The recorded run's id, or None when there were no new verdicts.
        """
        if self.criterion is None:
            return None
        name = self.criterion.name
        scoped = bool(project.scopes.of(name)) or not project.labels.annotators(name)
        if name not in project.criteria:
            project.criteria.add(self.criterion)
        project.write_together(
            labels=self.labels, scopes=self._scopes(project, new_traces, seen) if scoped else []
        )
        if self.judge is None or not self.verdicts or self._is_recorded(project):
            self.verdicts = {} if self.judge else self.verdicts
            return None
        judge = project.add_judge(self.judge)
        return self._write_run(project, judge)

    def _scopes(self, project: Project, new_traces: bool, seen: Sequence[str]) -> list[Scope]:
        shelf = project.traces
        rows = [row for trace in seen if (row := shelf.row_of(trace)) is not None]
        if new_traces:
            rows.append(len(shelf) - 1)
        segments = dict.fromkeys(shelf.segment_of(row) for row in rows)
        name = self.criterion.name if self.criterion else ""
        known = project.scopes.of(name)
        return [Scope(name, segment) for segment in segments if segment not in known]

    def _is_recorded(self, project: Project) -> bool:
        """Say whether the judge's last recorded run says the same already."""
        if self.judge is None:
            return False
        runs = project.runs.all(judge_hash(self.judge))
        if not runs:
            return False
        known = {
            (verdict.trace, verdict.order): (verdict.verdict, verdict.critique)
            for verdict in project.runs.verdicts(runs[-1]).values()
        }
        return all(
            known.get(key) == (verdict.verdict, verdict.critique) for key, verdict in self.verdicts.items()
        )

    def _write_run(self, project: Project, judge: JudgeVersion) -> str:
        orders = tuple(order for order in Order if any(key[1] is order for key in self.verdicts))
        plan = RunPlan(
            id=new_run_id(),
            judge=judge.hash,
            judge_name=judge.name,
            criterion=judge.criterion,
            backend=judge.backend,
            traces=tuple(dict.fromkeys(trace for trace, _ in self.verdicts)),
            slice=f"recorded in {self.source}",
            orders=orders,
            at=utc_now(),
            starter="import",
        )
        writer = RunWriter(project.runs.create(plan))
        try:
            entries = [Entry(verdict=verdict) for verdict in self.verdicts.values()]
            for start in range(0, len(entries), _CHUNK):
                writer.append(*entries[start : start + _CHUNK])
            writer.state(RunState.DONE, "recorded elsewhere")
        finally:
            writer.close()
        return plan.id


def take_company(
    project: Project, company: Iterable[Company], criterion: str | None, judge: str | None, *, source: str
) -> Taken:
    """Understand the labels and verdicts of an import; nothing is written yet."""
    rows = list(company)
    standard = _criterion(project, criterion, rows)
    taken = Taken(standard, _judge(standard, judge), source)
    if standard is None:
        return taken
    said: dict[tuple[str, str], tuple[str, int]] = {}
    for row in rows:
        _take_label(project, standard, row, taken, said)
        _take_verdict(standard, row, taken)
    return taken


def _criterion(project: Project, name: str | None, rows: Sequence[Company]) -> Criterion | None:
    if name is None:
        return None
    if name in project.criteria:
        return project.criteria.latest(name)
    kind = JudgeKind.PAIRWISE if rows and isinstance(rows[0].trace, Pair) else JudgeKind.PASS_FAIL
    return Criterion(name, 1, "", "", kind, note="made by an import: its definitions are not written yet")


def _judge(criterion: Criterion | None, name: str | None) -> JudgeVersion | None:
    if criterion is None or name is None:
        return None
    return JudgeVersion(
        name=name,
        criterion=criterion.name,
        criterion_version=criterion.version,
        kind=criterion.kind,
        recipe="recorded",
        backend="imported",
        params={"recorded_as": name},
    )


def _take_label(
    project: Project,
    criterion: Criterion,
    row: Company,
    taken: Taken,
    said: dict[tuple[str, str], tuple[str, int]],
) -> None:
    if row.beside.label in NOTHING:
        return
    verdict = understand(row.beside.label, criterion.kind)
    if verdict is None:
        reason = f"{row.beside.label!r} is none of {vocabulary(criterion.kind)}; the trace stays unlabelled"
        taken.not_understood.append(NotUnderstood(row.file, row.line, "label", reason))
        return
    key = (row.trace.id, row.annotator)
    if key in said:
        earlier, line = said[key]
        if earlier != verdict:
            reason = f"{row.annotator!r} says {earlier} in line {line} and {verdict} here"
            taken.not_understood.append(NotUnderstood(row.file, row.line, "label", reason))
        return
    said[key] = (verdict, row.line)
    known = project.labels.of(criterion.name, row.annotator, row.trace.id)
    if known is not None and (known.verdict, known.note) == (verdict, row.beside.note):
        taken.repeated += 1
        return
    taken.labels.append(
        Label(
            trace=row.trace.id,
            criterion=criterion.name,
            version=criterion.version,
            verdict=verdict,
            annotator=row.annotator,
            note=row.beside.note,
            at=utc_now(),
            queue="import",
        )
    )


def _take_verdict(criterion: Criterion, row: Company, taken: Taken) -> None:
    if not row.beside.has_verdict or taken.judge is None:
        return
    recorded = row.beside.verdict
    verdict = understand_verdict(recorded, criterion.kind)
    if verdict is None and recorded not in NOTHING:
        reason = f"{recorded!r} is none of {vocabulary(criterion.kind)}, unknown; kept as no verdict"
        taken.not_understood.append(NotUnderstood(row.file, row.line, "verdict", reason))
    order = row.beside.order
    if isinstance(row.trace, Pair) and order is None:
        order = Order.AB
    taken.verdicts[row.trace.id, order] = Verdict(
        trace=row.trace.id,
        verdict=verdict,
        critique=row.beside.critique,
        reason=None if verdict is not None else Reason.NO_VERDICT_RECORDED,
        detail="" if verdict is not None else f"recorded as {recorded!r}",
        order=order,
        cost_usd=0.0,
        model=taken.judge.name,
    )

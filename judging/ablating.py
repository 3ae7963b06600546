"""Make the steps of an ablation from a project's runs, and more of them from recorded candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from judging.joining import verdicts_of
from judging.rederiving import StepReference, calls_of, rederive
from judging.statistics.ablation import Ablation, CategoryRow, Step, ablation, by_category
from store.errors import BadInput
from store.identity import canonical_json
from store.project import Project
from store.records import JudgeKind, JudgeVersion, Order, Pair, Usage, Verdict
from store.runrecords import CallRecord
from store.runs import RunFolder


@dataclass(frozen=True)
class AblationReport:
    """An ablation of a project's runs, for the screen, `--json` and Markdown."""

    criterion: str
    kind: JudgeKind
    runs: tuple[str, ...]
    """By step: the run it was made from."""
    derived: tuple[bool, ...]
    """By step: whether it was made from recorded candidates, without any call of its own."""
    found: Ablation
    without_reference: int
    """Rows that some run judged, but of which nobody says what is right (or it is sealed)."""
    field: str | None
    categories: tuple[CategoryRow, ...]
    """By the metadata field; empty when none was asked for."""


@dataclass(frozen=True)
class _Source:
    reference: StepReference
    run: RunFolder
    judge: JudgeVersion


def measure_ablation(
    project: Project, references: Sequence[str], *, by: str | None = None, seed: int = 0
) -> AblationReport:
    """Compare runs over the same rows as the steps of a pipeline.

    Pairs are right when the verdict of order AB is the pair's gold (or else what people say of it);
    single traces when the verdict is the reference label. Rows of a sealed hold-out have no label here.

    Args:
        project: Whose runs.
        references: One a step, in the order of the pipeline; see `StepReference.of`.
        by: A metadata field to cut the rows by.
        seed: Of the bootstrap.

    Raises:
        BadInput: The runs cannot be compared, or have no row in common.
        NotFound: There is no such run.
    """
    sources = [_source(project, text) for text in references]
    if len(sources) < 2:
        raise BadInput("an ablation compares at least two steps: --runs A,B")
    judge = sources[0].judge
    _check_alike(sources)
    verdicts = [_in_first_order(verdicts_of(project, one.judge, run=one.run)) for one in sources]
    asked = {trace for rows in verdicts for trace in rows}
    truth = _truth(project, judge, asked)
    if not truth:
        raise BadInput(
            "nobody says what is right on any of these rows: label some, or import pairs with gold"
        )
    calls = calls_of(project, (one.judge.hash for one in sources if one.reference.way))
    steps = [
        _step(source, name, rows, truth, calls)
        for source, name, rows in zip(sources, _names(sources), verdicts, strict=True)
    ]
    found = _ablation(steps, seed)
    return AblationReport(
        criterion=judge.criterion,
        kind=judge.kind,
        runs=tuple(source.run.id for source in sources),
        derived=tuple(bool(source.reference.way) for source in sources),
        found=found,
        without_reference=len(asked - truth.keys()),
        field=by,
        categories=by_category(steps, _categories(project, found.rows, by)) if by else (),
    )


def _ablation(steps: Sequence[Step], seed: int) -> Ablation:
    try:
        return ablation(steps, seed=seed)
    except ValueError as error:
        raise BadInput(f"{error}: each run has to be over the same labelled rows") from error


def _source(project: Project, text: str) -> _Source:
    reference = StepReference.of(text)
    run = project.runs.get(reference.run)
    return _Source(reference, run, project.judges.get(run.plan().judge))


def _check_alike(sources: Sequence[_Source]) -> None:
    about = {(source.judge.criterion, source.judge.kind) for source in sources}
    if len(about) > 1:
        listed = ", ".join(f"{criterion!r} ({kind})" for criterion, kind in sorted(about))
        raise BadInput(f"the runs are about different things: {listed}")
    if sources[0].judge.kind is JudgeKind.SCORECARD:
        raise BadInput("a scorecard's verdict is neither right nor wrong: there is no ablation of it")
    named = Counter((one.run.id, one.reference.way, one.reference.number) for one in sources)
    (run, way, _), count = named.most_common(1)[0]
    if count > 1:
        raise BadInput(f"run {run}{':' if way else ''}{way} is named twice")


def _in_first_order(verdicts: Mapping[tuple[str, Order | None], Verdict]) -> dict[str, Verdict]:
    return {trace: verdict for (trace, order), verdict in verdicts.items() if order in (None, Order.AB)}


def _truth(project: Project, judge: JudgeVersion, rows: Iterable[str]) -> dict[str, str]:
    """Give what is right by row: a pair's own gold, or else what people say; nothing of a sealed row."""
    people = project.open_reference(judge.criterion).labels
    sealed = project.sealed(judge.criterion)
    truth = {}
    for row in rows:
        if row in sealed:
            continue
        trace = project.traces.get(row) if judge.kind is JudgeKind.PAIRWISE else None
        if isinstance(trace, Pair) and trace.gold is not None:
            truth[row] = trace.gold
        elif (label := people.get(row)) is not None and label.verdict is not None:
            truth[row] = label.verdict
    return truth


def _categories(project: Project, rows: Iterable[str], by: str) -> dict[str, str]:
    """Give the rows' values of a metadata field, as text; rows without it are not in the answer."""
    found = {}
    for row in rows:
        value = project.traces.get(row).metadata.get(by)
        if value is not None:
            found[row] = value if isinstance(value, str) else canonical_json(value).decode()
    if not found:
        raise BadInput(f"no compared row has a metadata field {by!r}")
    return found


def _names(sources: Sequence[_Source]) -> list[str]:
    """Name the steps by judge and way; those that share a name have their run's id added."""
    bare = [_name(source) for source in sources]
    return [
        f"{name} ({source.run.id})" if bare.count(name) > 1 else name
        for name, source in zip(bare, sources, strict=True)
    ]


def _name(source: _Source) -> str:
    reference = source.reference
    if not reference.way:
        return source.judge.name
    number = f" of {reference.number}" if reference.number else ""
    return f"{source.judge.name}: {reference.way}{number}"


def _step(
    source: _Source,
    name: str,
    verdicts: Mapping[str, Verdict],
    truth: Mapping[str, str],
    calls: Mapping[str, CallRecord],
) -> Step:
    if source.reference.way:
        verdicts = rederive(verdicts, source.reference, source.judge, calls)
    rows = {row: verdict for row, verdict in verdicts.items() if row in truth}
    known = {row: verdict.usage for row, verdict in rows.items() if _is_counted(verdict)}
    return Step(
        name,
        {row: verdict.verdict == truth[row] for row, verdict in rows.items()},
        {row: verdict.cost_usd for row, verdict in rows.items() if verdict.cost_usd is not None},
        {row: usage.output_tokens for row, usage in known.items()},
        {
            row: usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
            for row, usage in known.items()
        },
    )


def _is_counted(verdict: Verdict) -> bool:
    """Say whether the tokens are known: a verdict recorded elsewhere has no price and no tokens."""
    return verdict.usage != Usage() or verdict.cost_usd is not None

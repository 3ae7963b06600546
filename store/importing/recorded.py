"""Verdicts that were made elsewhere: a judge version of backend "imported" and a finished run of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Final, TypeAlias

from store.errors import BadInput, StoreError
from store.files import flush_folder
from store.identity import canonical_json, new_run_id, utc_now
from store.project import Project
from store.records import Criterion, JudgeVersion, Order, Verdict
from store.runrecords import RunPlan, RunState, StateChange
from store.runs import Entry, RunBook, RunWriter
from store.traceindex import hash64

BACKEND: Final = "imported"
_AT_ONCE: Final = 1000
"""Entries written in one go."""
_ASIDE: Final = ".importing"

Asked: TypeAlias = tuple[str, Order | None]
"""What a verdict is about: a trace, and for pairs which answer was shown first."""


def content_of(verdict: Verdict) -> int:
    """Hash what a recorded verdict says, to 64 bits."""
    return hash64(canonical_json([verdict.verdict, verdict.detail, verdict.critique]))


def check_judge(project: Project, name: str | None, criterion: str | None) -> str | None:
    """Give a judge's name back when recorded verdicts may be kept under it.

    Raises:
        BadInput: The name cannot be a judge's, or another judge has it.
    """
    if name is None:
        return None
    if not name.strip() or "@" in name:
        raise BadInput("--judge takes a name without @")
    for version in project.judges.named(name):
        if version.backend != BACKEND:
            raise BadInput(
                f"judge {name!r} is here with backend {version.backend}: "
                "verdicts that were made elsewhere need a name of their own"
            )
        if criterion is not None and version.criterion != criterion:
            raise BadInput(
                f"judge {name!r} is about criterion {version.criterion!r}: "
                f"for {criterion!r} give another name"
            )
    return name


def is_recorded(project: Project, judge: str, said: Mapping[Asked, int]) -> bool:
    """Say whether earlier imports brought all of these verdicts, given by the hash of what they say."""
    missing = dict(said)
    for version in project.judges.named(judge):
        for run in project.runs.all(version.hash):
            for entry in run.entries():
                verdict = entry.verdict
                if verdict is None:
                    continue
                key = (verdict.trace, verdict.order)
                if missing.get(key) == content_of(verdict):
                    del missing[key]
    return not missing


def record_run(
    project: Project,
    judge: str,
    *,
    criterion: Criterion,
    asked: Iterable[Asked],
    verdicts: Iterator[Verdict],
    source: str,
) -> str:
    """Write recorded verdicts as a finished run, and their judge when it is new.

    Returns:
        The run's id.

    Raises:
        StoreError: The disk did not take it.
    """
    version = _judge(project, judge, criterion)
    asked = list(asked)
    plan = RunPlan(
        id=new_run_id(),
        judge=version.hash,
        judge_name=version.name,
        criterion=version.criterion,
        backend=BACKEND,
        traces=tuple(dict.fromkeys(trace for trace, _ in asked)),
        slice=f"recorded in {source}",
        orders=tuple(order for order in Order if any(shown is order for _, shown in asked)),
        at=utc_now(),
        starter="import",
    )
    entries = (Entry(verdict=verdict) for verdict in verdicts)
    done = Entry(state=StateChange(RunState.DONE, "recorded elsewhere", utc_now()))
    put_run(project, plan, chain(entries, (done,)))
    return plan.id


def put_run(project: Project, plan: RunPlan, entries: Iterable[Entry]) -> None:
    """Write a run that took place elsewhere.

    It is whole on disk before it takes its name, so a kill leaves all of it or nothing.

    Raises:
        BadInput: There is a run of this id.
        StoreError: The disk did not take it.
    """
    final = project.runs.folder / plan.id
    if final.exists():
        raise BadInput(f"there is a run {plan.id!r} already")
    aside = project.runs.folder / _ASIDE
    shutil.rmtree(aside, ignore_errors=True)
    rows = iter(entries)
    try:
        folder = RunBook(aside).create(plan)
        writer = RunWriter(folder)
        try:
            while some := list(islice(rows, _AT_ONCE)):
                writer.append(*some)
        finally:
            writer.close()
        folder.folder.rename(final)
        flush_folder(project.runs.folder)
    except OSError as error:
        raise StoreError(f"{project.runs.folder} was not written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _judge(project: Project, name: str, criterion: Criterion) -> JudgeVersion:
    """Give the judge that recorded verdicts are kept under; it has nothing to do with later standards."""
    known = project.judges.named(name)
    if known:
        return known[-1]
    return project.add_judge(
        JudgeVersion(
            name=name,
            criterion=criterion.name,
            criterion_version=criterion.version,
            kind=criterion.kind,
            recipe="recorded",
            backend=BACKEND,
            # Nothing else tells two recorded judges of one criterion apart.
            params={"recorded_as": name},
        )
    )

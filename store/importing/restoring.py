"""Bring an exported project back: the same traces, history, judges and runs, into an empty project."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Final

import msgspec

from store.archive import Line, read_archive
from store.causes import CauseBook
from store.criteria import CriterionBook
from store.errors import BadInput
from store.identity import canonical_json
from store.importing.recorded import put_run
from store.importing.report import ImportReport
from store.journal import Change
from store.judges import JudgeBook
from store.labels import LabelBook
from store.ledger import Ledger
from store.piles import PileBook
from store.project import Project
from store.runs import Entry
from store.scopes import Scope, ScopeBook
from store.segments import read_trace
from store.traces import Added

_read_scope: Final = msgspec.json.Decoder(Scope).decode
_BOOKS: Final = (CriterionBook, LabelBook, PileBook, JudgeBook, CauseBook, Ledger, ScopeBook)
_READERS: Final = {book.table_name: msgspec.json.Decoder(book.record_type).decode for book in _BOOKS}
_RUN_ID: Final = re.compile(r"r[0-9A-Za-z-]+")
"""A run's id names a folder, so nothing else may be in it."""


@dataclass(frozen=True)
class _Group:
    """A line that begins something, and the lines that belong to it."""

    head: Line
    rest: Iterator[Line]


def restore(project: Project, path: Path, *, dry_run: bool = False) -> ImportReport:
    """Put everything an exported project holds into an empty project.

    The archive is read to its end before anything is written.

    Raises:
        BadInput: The archive is damaged, or the project holds something already; nothing was changed.
        StoreError: The disk did not take it.
    """
    report = _looked_through(path)
    if len(project.traces) or project.runs.ids() or any(project.journal.changes()):
        raise BadInput(
            f"{path} is a whole project, and there is something in this one already: "
            "import it into a new one (`adjudge init DIR`)"
        )
    if not dry_run:
        _put(project, read_archive(path))
        project.refresh()
    return report


def _looked_through(path: Path) -> ImportReport:
    traces = labels = verdicts = runs = 0
    sealed: dict[str, int] = {}
    for number, line in enumerate(read_archive(path), 1):
        try:
            _check(line)
        except ValueError as error:
            raise BadInput(f"{path}: line {number} of the archive cannot be used: {error}") from error
        sealed.update(line.sealed)
        traces += bool(line.trace)
        if line.journal is not None:
            labels += len(line.journal.put.get(LabelBook.table_name, {}))
        verdicts += line.entry is not None and line.entry.verdict is not None
        runs += line.run is not None
    return ImportReport(
        traces=traces,
        labels=labels,
        verdicts=verdicts,
        run=None,
        repeated=0,
        rejected=(),
        notes=(
            f"{path.name} is a whole project: its history and its {runs} runs were taken over",
            *(
                f"the hold-out of {name!r} was sealed when this was written: {count} records of its labels "
                "are not in the file"
                for name, count in sealed.items()
            ),
        ),
    )


def _check(line: Line) -> None:
    """Check that everything in a line can be read back later.

    Raises:
        ValueError: It cannot; a `msgspec.DecodeError` is one.
    """
    if line.trace:
        read_trace(bytes(line.trace))
    if line.run is not None and not _RUN_ID.fullmatch(line.run.id):
        raise ValueError(f"{line.run.id!r} is no id of a run")
    if line.journal is not None:
        for table, documents in line.journal.put.items():
            if table not in _READERS:
                raise ValueError(f"table {table!r} is unknown to this version")
            for doc_id, document in documents.items():
                int(doc_id)
                _READERS[table](document)


def _put(project: Project, lines: Iterable[Line]) -> None:
    put: dict[str, dict[str, msgspec.Raw]] = {}
    last: dict[str, int] = {}
    segments: dict[str, str] = {}
    for group in _groups(lines):
        head = group.head
        if head.segment is not None:
            segments[head.segment] = _put_traces(project, group.rest)
        elif head.run is not None:
            put_run(project, head.run, (line.entry or Entry() for line in group.rest))
        elif head.journal is not None:
            for table, documents in head.journal.put.items():
                put.setdefault(table, {}).update(documents)
            last.update(head.journal.last)
    scopes = put.get(ScopeBook.table_name)
    if scopes:
        put[ScopeBook.table_name] = _moved(scopes, segments)
    if put or last:
        # Last of all and in one line: what people and judges said appears with all that it is about.
        with project.journal.exclusive():
            project.journal.commit(Change(put=put, last=last))


def _groups(lines: Iterable[Line]) -> Iterator[_Group]:
    number = 0

    def group_of(line: Line) -> int:
        nonlocal number
        number += not line.trace and line.entry is None
        return number

    for _, group in groupby(lines, key=group_of):
        members = iter(group)
        yield _Group(next(members), members)


def _put_traces(project: Project, lines: Iterable[Line]) -> str:
    """Put one imported file's traces on the shelf; give the name it has here."""
    with project.traces.writer() as writer:
        for line in lines:
            if line.trace and writer.add(read_trace(bytes(line.trace))) is not Added.NEW:
                raise BadInput("two traces of the archive have one id")
        writer.publish()
    return project.traces.segment_of(len(project.traces) - 1)


def _moved(scopes: Mapping[str, msgspec.Raw], segments: Mapping[str, str]) -> dict[str, msgspec.Raw]:
    """Give the scopes with the names that the imported files have here."""
    moved = {}
    for doc_id, document in scopes.items():
        scope = _read_scope(document)
        renamed = replace(scope, segment=segments.get(scope.segment, scope.segment))
        moved[doc_id] = msgspec.Raw(canonical_json(renamed))
    return moved

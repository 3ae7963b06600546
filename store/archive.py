"""A whole project in one file: everything recorded, in order, as JSON lines.

The first line says what the file is and the last one how many lines there are and what they hash to,
so a file that was cut short is noticed before anything is taken from it. Between them stand the
traces file by file, the tables of the journal with the ids of their documents, and the runs with
their logs. Labels of a sealed hold-out leave a project by no road: they are left out here too, with
the causes that would tell them, and the first line says how many.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from store.causes import CauseBook
from store.errors import BadInput
from store.files import replace_whole
from store.journal import Change
from store.labels import LabelBook
from store.project import Project
from store.runrecords import RunPlan
from store.runs import Entry
from store.segments import segments_in

FORMAT: Final = 1
BEGINNING: Final = b'{"adjudge":"project",'
"""What every archive begins with."""

_TELL_LABELS: Final = (LabelBook.table_name, CauseBook.table_name)
"""Tables whose records would tell the labels of a sealed hold-out."""


class Line(msgspec.Struct, omit_defaults=True):
    """One line of an archive: exactly one of its groups is set."""

    adjudge: str | None = None
    """First line: "project"."""
    format: int = 0
    sealed: dict[str, int] = {}
    """First line: for each criterion with a sealed hold-out, how many records of its rows are left out."""
    segment: str | None = None
    """The traces that follow are of this imported file."""
    trace: msgspec.Raw = msgspec.Raw()
    """One trace as it stands in its file; empty when the line is about something else."""
    journal: Change | None = None
    """Documents of one table, or the highest ids ever used."""
    run: RunPlan | None = None
    """The entries that follow are of this run."""
    entry: Entry | None = None
    lines: int | None = None
    """Last line: how many lines stand before it."""
    sha256: str = ""
    """Last line: what they hash to."""


@dataclass(frozen=True, slots=True)
class _About:
    """What a label or a cause is about."""

    trace: str
    criterion: str


_Sealed: TypeAlias = Mapping[str, frozenset[str]]
"""The sealed traces of each criterion that has any."""

_decode: Final = msgspec.json.Decoder(Line).decode
_read_about: Final = msgspec.json.Decoder(_About).decode


def write_archive(project: Project, path: Path) -> int:
    """Write everything a project holds, but for what is sealed, to one file, whole or not at all.

    Returns:
        How many records it holds.

    Raises:
        BadInput: There is nothing in the project.
        StoreError: The disk did not take it.
    """
    if not len(project.traces) and not any(project.journal.changes()):
        raise BadInput("there is nothing to export: no file was written")
    closed = _Closed(_lines(project))
    replace_whole(path, closed)
    return closed.count - 1


def read_archive(path: Path) -> Iterator[Line]:
    """Read an archive line by line; the closing line is checked, not given.

    Raises:
        BadInput: It is no archive, of a newer version, damaged or cut short. What was given until then is
            not to be relied on.
    """
    digest = hashlib.sha256()
    count = 0
    try:
        for data in _whole_lines(path):
            line = _decode(data)
            if count == 0 and (line.adjudge != "project" or line.format > FORMAT):
                raise BadInput(f"{path}: this is not a project exported by this version of adjudge")
            if line.lines is not None:
                if line.lines != count or line.sha256 != digest.hexdigest():
                    raise BadInput(f"{path}: the archive was changed: its content does not fit its last line")
                return
            digest.update(data)
            count += 1
            yield line
    except msgspec.DecodeError as error:
        raise BadInput(f"{path}: line {count + 1} of the archive cannot be read: {error}") from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    raise BadInput(f"{path}: the archive is cut short after {count} lines")


def _lines(project: Project) -> Iterator[Line]:
    sealed = {name: rows for name in project.criteria.names() if (rows := project.sealed(name))}
    yield Line(adjudge="project", format=FORMAT, sealed=_counted(project, sealed))
    for path in segments_in(project.traces.folder):
        yield Line(segment=path.name)
        with open(path, "rb") as file:
            for trace in file:
                yield Line(trace=msgspec.Raw(trace.rstrip(b"\n")))
    for change in project.journal.changes():
        yield Line(journal=_without(change, sealed))
    for run in project.runs.all():
        yield Line(run=run.plan())
        for entry in run.entries():
            yield Line(entry=entry)


def _counted(project: Project, sealed: _Sealed) -> dict[str, int]:
    """Count, for each criterion with a sealed hold-out, the records that are left out."""
    left_out = dict.fromkeys(sealed, 0)
    if sealed:
        for table in _TELL_LABELS:
            for document in project.journal.rows(table).values():
                about = _read_about(document)
                if about.trace in sealed.get(about.criterion, ()):
                    left_out[about.criterion] += 1
    return left_out


def _without(change: Change, sealed: _Sealed) -> Change:
    """Give a change without the records that tell sealed labels."""

    def is_open(document: msgspec.Raw) -> bool:
        about = _read_about(document)
        return about.trace not in sealed.get(about.criterion, ())

    put = dict(change.put)
    for table in _TELL_LABELS:
        if sealed and table in put:
            put[table] = {doc_id: row for doc_id, row in put[table].items() if is_open(row)}
    # In one order whatever came first here, so that a restored project gives the same file.
    return Change(put=put, last=dict(sorted(change.last.items())))


class _Closed:
    """Lines as bytes, with a closing line that counts and hashes them."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        digest = hashlib.sha256()
        for line in self._lines:
            data = msgspec.json.encode(line) + b"\n"
            digest.update(data)
            self.count += 1
            yield data
        yield msgspec.json.encode(Line(lines=self.count, sha256=digest.hexdigest())) + b"\n"


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Give the lines of a file; a last one without its line end is cut short."""
    with open(path, "rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line

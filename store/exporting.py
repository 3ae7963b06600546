"""Write what a project holds to a file that imports back without loss: JSON lines, CSV, or the whole.

JSON lines say everything. CSV cells that a spreadsheet would run as a formula are made inert, and our
own import takes that off again. Labels of a sealed hold-out are left out of every list.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec

from store.archive import write_archive
from store.errors import BadInput
from store.files import replace_whole
from store.importing.inert import KIND_FIELD, inert
from store.project import Project
from store.records import AnyTrace, JudgeKind, Label

What: TypeAlias = Literal["traces", "labels", "verdicts", "project"]
Document: TypeAlias = Mapping[str, object]

FORMATS: Final = ("jsonl", "csv")
_NOTHING: Final[tuple[object, ...]] = (None, (), [], {})
"""Values that are left out of a row, and that an import takes for granted."""

_TRACE: Final = ("id", "input", "output", "a", "b", "gold", "messages", "facts", "metadata")
_LABELLED: Final = (*_TRACE, "label", "note", "annotator")
_LABEL: Final = ("trace", "criterion", "version", "verdict", "annotator", "note", "at", "seconds", "queue")
_VERDICT: Final = (
    "trace", "judge", "run", "criterion", "order", "sample", "verdict", "critique", "reason", "detail",
    "scores", "flags", "candidates", "model", "cost_usd", "seconds", "usage",
)  # fmt: skip


def export(
    project: Project,
    path: Path,
    *,
    what: What,
    format: str = "jsonl",
    criterion: str | None = None,
    run: str | None = None,
) -> int:
    """Write a part of a project, or all of it, to a file; the file is whole or not there at all.

    Args:
        project: The open project.
        path: The file; one that is there is replaced.
        what: "traces" (with the labels of `criterion` beside them when that is given), "labels" (each
            person's in force), "verdicts" (of one run, or of all), or "project".
        format: "jsonl" or "csv"; a project has a format of its own.
        criterion: Only what is about this criterion.
        run: A run's id or "latest".

    Returns:
        How many rows were written.

    Raises:
        BadInput: There is nothing to write, or no such criterion or run.
        StoreError: The disk did not take it.
    """
    if criterion is not None:
        project.criteria.latest(criterion)
    if what == "project":
        return write_archive(project, path)
    if what == "traces":
        columns = _LABELLED if criterion is not None else _TRACE
        return write_rows(path, _traces(project, criterion), format=format, columns=columns)
    if what == "labels":
        return write_rows(path, _labels(project, criterion), format=format, columns=_LABEL)
    return write_rows(path, _verdicts(project, criterion, run), format=format, columns=_VERDICT)


def write_rows(
    path: Path, documents: Iterable[Document], *, format: str = "jsonl", columns: Sequence[str] | None = None
) -> int:
    """Write documents as JSON lines or CSV.

    Args:
        path: The file; one that is there is replaced.
        documents: One for each row.
        format: "jsonl" or "csv".
        columns: The columns of a CSV file; None: every field of the documents, which are then held in memory.

    Returns:
        How many rows were written.

    Raises:
        BadInput: There is no document, or no such format.
        StoreError: The disk did not take it.
    """
    if format not in FORMATS:
        raise BadInput(f"format {format!r} cannot be written; those that can are {', '.join(FORMATS)}")
    counted = _Counted(documents)
    if format == "csv":
        rows = list(counted) if columns is None else counted
        names = columns or tuple(dict.fromkeys(name for row in rows for name in row))
        replace_whole(path, _csv(rows, names))
    else:
        replace_whole(path, (msgspec.json.encode(row) + b"\n" for row in counted))
    return counted.count


def write_text(path: Path, text: str) -> None:
    """Write a text to a file as UTF-8, whole or not at all.

    Raises:
        StoreError: The disk did not take it.
    """
    replace_whole(path, (text.encode(errors="backslashreplace"),))


class _Counted:
    """Documents that are counted as they pass; none at all is refused before a file is begun."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = iter(documents)
        self.count = 0
        self._first = next(self._documents, None)
        if self._first is None:
            raise BadInput("there is nothing to export: no file was written")

    def __iter__(self) -> Iterator[Document]:
        document = self._first
        while document is not None:
            self.count += 1
            yield document
            document = next(self._documents, None)


def _csv(documents: Iterable[Document], columns: Sequence[str]) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)

    def line(cells: Iterable[str]) -> bytes:
        buffer.seek(0)
        buffer.truncate()
        writer.writerow(cells)
        return buffer.getvalue().encode()

    yield line([*map(inert, columns), KIND_FIELD])
    for document in documents:
        yield line([*(_cell(document.get(name)) for name in columns), _kind(document)])


def _cell(value: object) -> str:
    """Give a value as a cell: text made inert, the rest as JSON, what is not there as nothing."""
    if value in _NOTHING:
        return ""
    if isinstance(value, str):
        return inert(value)
    # No JSON is a formula, not even a number below zero; a figure that is not defined is not there.
    text = msgspec.json.encode(value).decode()
    return "" if text == "null" else text


def _kind(document: Document) -> str:
    if "a" in document and "b" in document:
        return "pair"
    return "single" if "output" in document else "row"


def _traces(project: Project, criterion: str | None) -> Iterator[Document]:
    if criterion is None:
        for row in range(len(project.traces)):
            yield _trace(project.traces.at(row))
        return
    labels = project.open_reference(criterion).labels
    pairwise = project.criteria.latest(criterion).kind is JudgeKind.PAIRWISE
    for rows in project.rows_for(criterion):
        for row in rows:
            if project.traces.is_pair(row) is pairwise:
                trace = project.traces.at(row)
                yield _trace(trace) | _beside(labels.get(trace.id))


def _trace(trace: AnyTrace) -> dict[str, object]:
    document: dict[str, object] = msgspec.to_builtins(trace)
    return {name: value for name, value in document.items() if value not in _NOTHING}


def _beside(label: Label | None) -> dict[str, object]:
    if label is None:
        return {}
    return {"label": label.verdict, "note": label.note, "annotator": label.annotator}


def _labels(project: Project, criterion: str | None) -> Iterator[Document]:
    for name in project.criteria.names() if criterion is None else (criterion,):
        sealed = project.sealed(name)
        for annotator in project.labels.annotators(name):
            for trace, label in project.labels.current(name, annotator).items():
                if trace not in sealed:
                    yield {
                        "trace": trace,
                        "criterion": name,
                        "version": label.version,
                        "verdict": label.verdict,
                        "annotator": annotator,
                        "note": label.note,
                        "at": label.at,
                        "seconds": label.seconds,
                        "queue": label.queue,
                    }


def _verdicts(project: Project, criterion: str | None, run: str | None) -> Iterator[Document]:
    for folder in project.runs.all() if run is None else (project.runs.get(run),):
        plan = folder.plan()
        if criterion not in (None, plan.criterion):
            continue
        for verdict in project.runs.verdicts(folder).values():
            document: Document = msgspec.to_builtins(verdict)
            about = {"judge": plan.judge_name, "run": plan.id, "criterion": plan.criterion}
            yield {"trace": verdict.trace, **about, **document}

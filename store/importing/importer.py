"""Import files into a project: all of a file's good rows at once, or nothing, and every bad row named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from store.errors import BadInput
from store.importing.beside import Company, take_company
from store.importing.mapping import ALIASES, FieldMap
from store.importing.plain import BadField, Beside, read_beside, read_trace
from store.importing.rows import BadRow, Row, detect, read_rows
from store.importing.words import NOTHING
from store.project import Project
from store.records import AnyTrace
from store.traces import Added, TraceWriter

FORMATS: Final = ("jsonl", "json", "csv", "chat")
"""What is read today; "chat" is JSON lines with a list of messages in each row."""


@dataclass(frozen=True)
class ImportOptions:
    """How to read files, and what stands beside the traces."""

    format: str = "auto"
    maps: tuple[str, ...] = ()
    """``trace_field=file.field`` pairs."""
    criterion: str | None = None
    """What labels and verdicts are about; made when it is not there."""
    label_field: str | None = None
    """Where the label is; "" leaves labels alone."""
    annotator: str = "imported"
    """Who made the labels, for rows that do not say."""
    verdict_field: str | None = None
    critique_field: str | None = None
    judge: str | None = None
    """Who made the recorded verdicts."""
    gold_field: str | None = None
    pair: bool = False
    strict: bool = False
    """Refuse everything when one row is bad."""
    dry_run: bool = False
    """Say what would happen, change nothing."""


@dataclass(frozen=True)
class Rejected:
    """A row, or a field of a row, that was left out."""

    file: str
    line: int
    field: str
    reason: str


@dataclass(frozen=True)
class ImportReport:
    """What an import brought."""

    traces: int
    labels: int
    verdicts: int
    run: str | None
    """Id of the run that holds the recorded verdicts."""
    repeated: int
    """Rows that said nothing new."""
    rejected: tuple[Rejected, ...]
    notes: tuple[str, ...]


@dataclass
class _Tally:
    """What has been seen so far, over all files."""

    traces: int = 0
    repeated: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    lines: dict[str, str] = field(default_factory=dict)
    """Where each id of this import was first seen."""
    aliases: dict[str, str] = field(default_factory=dict)
    company: list[Company] = field(default_factory=list)
    segments_of: list[str] = field(default_factory=list)
    """Ids of rows that were here already: their files belong to the criterion too."""


def import_files(project: Project, paths: Sequence[Path], options: ImportOptions) -> ImportReport:
    """Import files.

    Raises:
        BadInput: A file is no file of its format, there is nothing to import, a row is bad and
            `strict` was asked for, or labels or verdicts are there and nobody said what they are
            about or who made them. Nothing was changed.
        StoreError: The disk did not take it; nothing was changed.
    """
    fields = FieldMap.of(
        options.maps,
        label=options.label_field,
        verdict=options.verdict_field,
        critique=options.critique_field,
        gold=options.gold_field,
    )
    tally = _Tally()
    with project.traces.writer() as writer:
        for path in paths:
            _read_file(path, options, fields, writer, tally)
        if not tally.traces and not tally.repeated and not tally.company:
            raise BadInput(_nothing(paths, tally))
        if options.strict and tally.rejected:
            worst = tally.rejected[0]
            raise BadInput(
                f"{len(tally.rejected)} rows are bad and --strict was asked for; the first is "
                f"{worst.file}:{worst.line}: {worst.field}: {worst.reason}"
            )
        taken = take_company(project, tally.company, options.criterion, options.judge, source=_names(paths))
        tally.rejected += [
            Rejected(one.file, one.line, one.field, one.reason) for one in taken.not_understood
        ]
        if options.strict and taken.not_understood:
            raise BadInput(
                f"{len(taken.not_understood)} labels or verdicts are not understood "
                "and --strict was asked for"
            )
        if not options.dry_run:
            writer.publish()
    run = None
    if not options.dry_run:
        run = taken.write(project, new_traces=tally.traces > 0, seen=tally.segments_of)
    return ImportReport(
        traces=tally.traces,
        labels=len(taken.labels),
        verdicts=len(taken.verdicts),
        run=run,
        repeated=tally.repeated + taken.repeated,
        rejected=tuple(tally.rejected),
        notes=tuple(f"{target!r} was read from {alias!r}" for target, alias in tally.aliases.items()),
    )


def _names(paths: Sequence[Path]) -> str:
    return ", ".join(path.name for path in paths)


def _nothing(paths: Sequence[Path], tally: _Tally) -> str:
    if not tally.rejected:
        return f"{_names(paths)}: there is not a single row"
    first = tally.rejected[0]
    return (
        f"none of the {len(tally.rejected)} rows can be used; the first: "
        f"{first.file}:{first.line}: {first.field}: {first.reason}"
    )


def _read_file(
    path: Path, options: ImportOptions, fields: FieldMap, writer: TraceWriter, tally: _Tally
) -> None:
    form = detect(path) if options.format == "auto" else options.format
    if form not in FORMATS:
        raise BadInput(f"format {form!r} is not read yet; there are {', '.join(FORMATS)}")
    for row in _rows(path, form, tally):
        try:
            trace = read_trace(row.values, fields, pair=True if options.pair else None)
            beside = read_beside(row.values, fields)
        except BadField as error:
            tally.rejected.append(Rejected(str(path), row.line, error.field, error.reason))
            continue
        for target in ALIASES:
            if target not in tally.aliases and (alias := fields.alias_used(row.values, target)):
                tally.aliases[target] = alias
        _check_asked(beside, options, path, row.line)
        _take(trace, beside, path, row.line, options, writer, tally)


def _rows(path: Path, form: str, tally: _Tally) -> Iterator[Row]:
    for row in read_rows(path, "jsonl" if form == "chat" else form):
        if isinstance(row, BadRow):
            tally.rejected.append(Rejected(str(path), row.line, "row", row.reason))
        else:
            yield row


def _check_asked(beside: Beside, options: ImportOptions, path: Path, line: int) -> None:
    """Refuse labels and verdicts that nobody could later say the meaning of."""
    where = f"{path}:{line}"
    if beside.label not in NOTHING and not options.criterion:
        raise BadInput(
            f"{where}: the rows carry labels: say what they are about with --criterion NAME "
            '(--label-field "" leaves them alone)'
        )
    if beside.has_verdict and not (options.criterion and options.judge):
        raise BadInput(
            f"{where}: the rows carry recorded verdicts: say whose with --judge NAME and what they are about "
            'with --criterion NAME (--verdict-field "" leaves them alone)'
        )


def _take(
    trace: AnyTrace,
    beside: Beside,
    path: Path,
    line: int,
    options: ImportOptions,
    writer: TraceWriter,
    tally: _Tally,
) -> None:
    added = writer.add(trace)
    first = tally.lines.get(trace.id)
    if added is Added.CONFLICT:
        tally.rejected.append(
            Rejected(
                str(path),
                line,
                "id",
                f"{trace.id!r} is taken by another trace, {f'at {first}' if first else 'imported earlier'}: "
                "give it an id of its own",
            )
        )
        return
    if added is Added.NEW:
        tally.traces += 1
        tally.lines[trace.id] = f"{path.name}:{line}"
    elif first is None:
        tally.segments_of.append(trace.id)
    says_more = beside.label not in NOTHING or beside.has_verdict
    if says_more:
        tally.company.append(Company(trace, beside, str(path), line, beside.annotator or options.annotator))
    elif added is Added.REPEATED:
        tally.repeated += 1

"""Import files into a project: all of a file's good rows at once, or nothing, and every bad row named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from store.errors import BadInput
from store.importing.beside import Company
from store.importing.detect import Format, format_named, read_rows
from store.importing.mapping import ALIASES, CHAT_ALIASES, FieldMap
from store.importing.report import ImportReport, Rejected
from store.importing.restoring import restore
from store.importing.taking import Taking
from store.project import Project

_NAMED: Final = 5
"""Bad rows that an error names; the rest are counted."""


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
    """Where the recorded verdict is; "" leaves verdicts alone."""
    critique_field: str | None = None
    judge: str | None = None
    """Who made the recorded verdicts."""
    gold_field: str | None = None
    pair: bool = False
    """Every row is a pair."""
    strict: bool = False
    """Refuse everything when one row is bad."""
    dry_run: bool = False
    """Say what would happen, change nothing."""

    def fields(self, *, chat: bool) -> FieldMap:
        """Give where each trace field of a file is.

        Args:
            chat: Whether each row is a conversation.

        Raises:
            BadInput: A mapping is not of its form.
        """
        return FieldMap.of(
            self.maps,
            aliases=CHAT_ALIASES if chat else ALIASES,
            pair=self.pair,
            label=self.label_field,
            verdict=self.verdict_field,
            critique=self.critique_field,
            gold=self.gold_field,
        )


def import_files(project: Project, paths: Sequence[Path], options: ImportOptions) -> ImportReport:
    """Import files.

    Traces appear all at once; labels and what they are about follow in one line, recorded verdicts as one
    finished run. Importing the same files again adds nothing, so an import that was cut off is repeated.

    Raises:
        BadInput: A file is no file of its format, there is nothing to import, a row is bad and
            `strict` was asked for, or labels or verdicts are there and nobody said what they are
            about or who made them. Nothing was changed.
        StoreError: The disk did not take it.
    """
    forms = [format_named(options.format, path) for path in paths]
    if Format.ARCHIVE in forms:
        if len(paths) > 1:
            raise BadInput("an exported project is imported by itself, not together with other files")
        return restore(project, paths[0], dry_run=options.dry_run)
    rejected: list[Rejected] = []
    company = Company(
        project,
        criterion=options.criterion,
        judge=options.judge,
        annotator=options.annotator,
        source=", ".join(path.name for path in paths),
        rejected=rejected,
    )
    try:
        with project.traces.writer() as writer:
            taking = Taking(project, writer, company, rejected)
            maps = [options.fields(chat=form is Format.CHAT) for form in forms]
            for path, form, fields in zip(paths, forms, maps, strict=True):
                taking.read(path, read_rows(path, form), fields)
            company.settle()
            _check(taking, company, rejected, maps, strict=options.strict)
            if not options.dry_run:
                writer.publish()
        run = None if options.dry_run else company.write(taking.segments())
        return ImportReport(
            traces=taking.traces,
            labels=len(company.labels),
            verdicts=company.verdicts,
            run=run,
            repeated=taking.repeated + company.repeated,
            rejected=tuple(rejected),
            notes=(*_aliases(maps), *taking.notes(), *company.notes()),
        )
    finally:
        company.close()


def _check(
    taking: Taking, company: Company, rejected: Sequence[Rejected], maps: Sequence[FieldMap], *, strict: bool
) -> None:
    """Refuse an import that brings nothing, or that is not what was asked for.

    Raises:
        BadInput: Says why.
    """
    never_found = set.intersection(*(set(fields.never_found()) for fields in maps)) if maps else set()
    any_row = any(fields.has_rows for fields in maps)
    if never_found and any_row:
        raise BadInput(
            f"no row has a field {', '.join(map(repr, sorted(never_found)))}: nothing was imported"
        )
    brought = taking.traces + taking.repeated + len(company.labels) + company.verdicts + company.repeated
    if not brought:
        if rejected:
            raise BadInput(f"none of the rows can be used: {_listed(rejected)}")
        if taking.other_criteria:
            others = ", ".join(taking.other_criteria)
            raise BadInput(f"no row is about criterion {company.name!r}; they are about {others}")
        raise BadInput(f"{company.source}: there is not a single row")
    if strict and rejected:
        raise BadInput(f"nothing was imported, since --strict was asked for: {_listed(rejected)}")


def _listed(rejected: Sequence[Rejected]) -> str:
    more = len(rejected) - _NAMED
    named = "; ".join(str(one) for one in rejected[:_NAMED])
    return f"{named}; and {more} more" if more > 0 else named


def _aliases(maps: Sequence[FieldMap]) -> list[str]:
    found = {target: source for fields in maps for target, source in fields.aliases_used().items()}
    return [f"{target!r} was read from {source!r}" for target, source in found.items()]

"""Take rows in: each becomes a trace on the shelf, or is named as bad; ids never alias."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from store.importing.benchmarks import BENCHMARKS
from store.importing.beside import Company
from store.importing.layout import Layout
from store.importing.mapping import MISSING, FieldMap, Shape
from store.importing.ours import LISTS
from store.importing.plain import NOTHING_BESIDE, BadField, Beside, id_of, read_beside, read_trace
from store.importing.report import Place, Rejected
from store.importing.rows import BadRow, Found, Remark
from store.importing.words import is_nothing
from store.project import Project
from store.records import AnyTrace, Pair
from store.traces import Added, TraceWriter

_CRITERION_FIELD: Final = "criterion"


class _First(NamedTuple):
    """Where an id of this import was first seen, and with what."""

    file: int
    line: int
    said: int
    pair: bool


class Taking:
    """The rows of one import on their way to the shelf."""

    def __init__(
        self, project: Project, writer: TraceWriter, company: Company, rejected: list[Rejected]
    ) -> None:
        self.traces = 0
        self.repeated = 0
        self.remarks: list[str] = []
        self.other_criteria: Counter[str] = Counter()
        """Rows that were passed over, by the criterion they are about."""
        self._project = project
        self._writer = writer
        self._company = company
        self._rejected = rejected
        self._files: list[str] = []
        self._first: dict[str, _First] = {}
        self._segments: dict[str, None] = {}
        """Imported files of traces that this import speaks of and that were here already."""
        self._layouts: dict[tuple[str, ...], Layout | None] = {}
        self._lone_notes = 0
        self._other_metadata = 0

    def read(self, path: Path, rows: Iterable[Found], fields: FieldMap) -> None:
        """Take the rows of one file.

        Raises:
            BadInput: The file cannot be read as a whole, or see `Company.take`.
            StoreError: The disk did not take a trace.
        """
        self._files.append(str(path))
        known = not fields.paths
        for found in rows:
            if isinstance(found, Remark):
                self.remarks.append(found.text)
                continue
            place = Place(str(path), found.line)
            if isinstance(found, BadRow):
                self._reject(place, "row", found.reason)
                continue
            try:
                layout = self._layout(found.values) if known else None
                if layout is None:
                    self._take(found.values, fields.shape(found.values), place)
                    continue
                for values in layout.unfold(found.values):
                    self._take(values, fields.shape(values), place)
            except BadField as error:
                self._reject(place, error.field, error.reason)

    def _layout(self, values: Mapping[str, object]) -> Layout | None:
        names = tuple(values)
        if names not in self._layouts:
            layout = self._layouts[names] = next(
                (one for one in (*LISTS, *BENCHMARKS) if one.fits(names)), None
            )
            remark = f"read as rows of {layout.name}" if layout else None
            if remark and remark not in self.remarks:
                self.remarks.append(remark)
        return self._layouts[names]

    def _reject(self, place: Place, field: str, reason: str) -> None:
        self._rejected.append(Rejected(place.file, place.line, field, reason))

    def _take(self, values: Mapping[str, object], shape: Shape, place: Place) -> None:
        beside = read_beside(values, shape)
        if not shape.has_text:
            self._take_reference(values, shape, beside, place)
            return
        trace = read_trace(values, shape)
        added = self._add(trace, place)
        self._lone_notes += bool(beside.note) and not beside.says_label
        if beside.says_label or beside.has_verdict:
            self._company.take(trace.id, beside, place, pair=isinstance(trace, Pair))
        elif added is Added.REPEATED:
            self.repeated += 1

    def _add(self, trace: AnyTrace, place: Place) -> Added:
        """Put a trace on the shelf.

        Raises:
            BadField: Its id belongs to a trace that says something else.
        """
        added = self._writer.add(trace)
        if added is Added.NEW:
            self.traces += 1
            pair = isinstance(trace, Pair)
            self._first[trace.id] = _First(len(self._files) - 1, place.line, _said(trace), pair)
            return added
        first = self._first.get(trace.id)
        if first is None:
            self._note_segment(trace.id)
        if added is Added.CONFLICT:
            said = first.said if first else _said(self._project.traces.get(trace.id))
            if said != _said(trace):
                where = f"at {self._files[first.file]}:{first.line}" if first else "imported earlier"
                raise BadField(
                    "id", f"{trace.id!r} is taken by another trace, {where}: give this one an id of its own"
                )
            self._other_metadata += 1
        return Added.REPEATED

    def _note_segment(self, trace: str) -> bool:
        """Note the imported file of a trace that was here already; say whether there is such a trace."""
        row = self._project.traces.row_of(trace)
        if row is None:
            return False
        self._segments[self._project.traces.segment_of(row)] = None
        return True

    def _take_reference(
        self, values: Mapping[str, object], shape: Shape, beside: Beside, place: Place
    ) -> None:
        """Take a row that only speaks about a trace: an id with a label or a verdict."""
        given = shape.get(values, "id")
        if given is MISSING or is_nothing(given) or beside is NOTHING_BESIDE:
            raise BadField(
                "output", f"the row has no 'input' and no 'output'; its fields are {', '.join(shape.names)}"
            )
        about = values.get(_CRITERION_FIELD)
        if isinstance(about, str) and about and self._company.name not in (None, about):
            self.other_criteria[about] += 1
            return
        trace = id_of(given)
        first = self._first.get(trace)
        if first is None and not self._note_segment(trace):
            raise BadField("id", f"there is no trace {trace!r}, and the row has no text of its own")
        self._company.take(trace, beside, place, pair=first.pair if first else self._is_pair(trace))

    def _is_pair(self, trace: str) -> bool:
        row = self._project.traces.row_of(trace)
        return row is not None and self._project.traces.is_pair(row)

    def segments(self) -> Sequence[str]:
        """Name the imported files that this import's traces are in, once they are on the shelf."""
        shelf = self._project.traces
        fresh = [shelf.segment_of(len(shelf) - 1)] if self.traces else []
        # Every id is taken by now; what is written next needs the memory.
        self._first.clear()
        return [*self._segments, *fresh]

    def notes(self) -> list[str]:
        """Give what a person should know about the rows."""
        notes = list(self.remarks)
        if self._other_metadata:
            notes.append(
                f"{self._other_metadata} rows repeat a trace with other metadata; what came first is kept"
            )
        if self._lone_notes:
            notes.append(f"{self._lone_notes} notes stand beside no label and were left out")
        if self.other_criteria:
            notes.append(
                f"{self.other_criteria.total()} rows are about other criteria and were passed over: "
                f"{', '.join(self.other_criteria)}"
            )
        return notes


def _said(trace: AnyTrace) -> int:
    """Hash what a trace says to its reader, without id and metadata; good within this process only."""
    facts = tuple(sorted(trace.facts.items()))
    if isinstance(trace, Pair):
        return hash((trace.input, trace.a, trace.b, trace.gold, facts))
    return hash((trace.input, trace.output, trace.messages, facts))

"""The shelf of imported traces: JSON-lines files read lazily by byte offset.

Every import is one file of its own, complete on disk before it takes its name, and never changed.
A trace's row is its position over all files in the order of their import.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Collection, Iterator
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from store.errors import BadInput, NotFound, StoreBusy, StoreError
from store.files import flush_folder, flush_to_disk, replace_whole
from store.locking import FileLock, holder_of, process_note
from store.records import AnyTrace, Pair
from store.segments import OpenFiles, Segment, add_to_index, content_of, index_path, segments_in
from store.traceindex import IndexBuilder

LOCK_NAME: Final = ".lock"
_ASIDE: Final = ".import-"
_PATIENCE: Final = 60.0
"""Seconds that one import waits for another."""
_BUFFER: Final = 1 << 20
"""Bytes written at once: traces are longer than the usual buffer, and each would be a system call."""


class Added(StrEnum):
    """What became of a trace that was put on the shelf."""

    NEW = "new"
    REPEATED = "repeated"
    """The same id with the same content is there already."""
    CONFLICT = "conflict"
    """The same id with other content is there already; nothing was changed."""


class TraceShelf:
    """All traces of a project, by id or by row."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self._files = OpenFiles()
        self._segments: list[Segment] = []
        self._starts: list[int] = []
        self._length = 0
        self.refresh()

    def refresh(self) -> bool:
        """Take in files that were imported since, by any process; say whether there were any.

        Raises:
            StoreDamaged: A file is gone, cut short, or not what its index says.
        """
        known = {segment.path for segment in self._segments}
        fresh = [path for path in segments_in(self.folder) if path not in known]
        for path in fresh:
            segment = Segment(path, self._files)
            self._segments.append(segment)
            self._starts.append(self._length)
            self._length += len(segment.index)
        return bool(fresh)

    def __len__(self) -> int:
        return self._length

    def __contains__(self, trace_id: str) -> bool:
        return self.row_of(trace_id) is not None

    def ids(self) -> Iterator[str]:
        """Give every trace id in the order of import."""
        for segment in self._segments:
            yield from segment.index.ids()

    def row_of(self, trace_id: str) -> int | None:
        """Give a trace's row, or None when there is no such trace."""
        for start, segment in zip(self._starts, self._segments, strict=True):
            row = segment.index.row_of(trace_id)
            if row is not None:
                return start + row
        return None

    def _locate(self, row: int) -> tuple[Segment, int]:
        if not 0 <= row < self._length:
            raise NotFound(f"there is no trace in row {row}: {self._length} traces are here")
        number = bisect_right(self._starts, row) - 1
        return self._segments[number], row - self._starts[number]

    def id_at(self, row: int) -> str:
        """Give the id of a row."""
        segment, local = self._locate(row)
        return segment.index.id_at(local)

    def segment_of(self, row: int) -> str:
        """Name the imported file that a row is in."""
        return self._locate(row)[0].path.name

    def rows_in(self, segments: Collection[str]) -> list[range]:
        """Give the rows of some imported files, in the order of import."""
        return [
            range(start, start + len(segment.index))
            for start, segment in zip(self._starts, self._segments, strict=True)
            if segment.path.name in segments
        ]

    def is_pair(self, row: int) -> bool:
        """Say whether a row is a pair."""
        segment, local = self._locate(row)
        return segment.index.kind_at(local) == 1

    def at(self, row: int) -> AnyTrace:
        """Read the trace of a row.

        Raises:
            NotFound: There is no such row.
            StoreDamaged: Its line cannot be read.
        """
        segment, local = self._locate(row)
        return segment.at(local)

    def get(self, trace_id: str) -> AnyTrace:
        """Read a trace by its id.

        Raises:
            NotFound: There is no such trace.
        """
        row = self.row_of(trace_id)
        if row is None:
            raise NotFound(f"there is no trace {trace_id!r}")
        return self.at(row)

    def content_at(self, row: int) -> int:
        """Give the 64-bit content hash of a row, as `content_of` computes it."""
        segment, local = self._locate(row)
        return segment.index.content_at(local)

    def search(self, text: str, rows: Iterator[int] | None = None) -> Iterator[int]:
        """Give the rows whose text holds a string, ignoring case.

        The bytes of each line are looked at first, so rows without a match cost no parsing.
        """
        wanted = text.casefold()
        escaped = msgspec.json.encode(text)[1:-1].lower()
        quick = escaped if text.isascii() else None
        for row in range(self._length) if rows is None else rows:
            segment, local = self._locate(row)
            if quick is not None and quick not in segment.raw(local).lower():
                continue
            if any(wanted in part.casefold() for part in searchable(segment.at(local))):
                yield row

    def writer(self) -> TraceWriter:
        """Begin an import; see `TraceWriter`."""
        return TraceWriter(self)

    def close(self) -> None:
        """Close every file."""
        self._files.close()
        self._segments, self._starts, self._length = [], [], 0


def searchable(trace: AnyTrace) -> Iterator[str]:
    """Give the texts of a trace that a person may search."""
    yield trace.id
    yield trace.input
    if isinstance(trace, Pair):
        yield trace.a
        yield trace.b
    else:
        yield trace.output
        for turn in trace.messages:
            yield turn.content
            for call in turn.tool_calls:
                yield f"{call.name} {call.arguments}"
    yield from trace.facts.values()


class TraceWriter:
    """One import: traces are written aside and appear on the shelf all at once, or not at all."""

    def __init__(self, shelf: TraceShelf) -> None:
        self._shelf = shelf
        self._lock = FileLock(shelf.folder / LOCK_NAME, patience=_PATIENCE)
        self._aside = shelf.folder / f"{_ASIDE}{os.getpid()}.jsonl"
        self._index = IndexBuilder()
        self._seen: dict[str, int] = {}
        self._published = False

    def __enter__(self) -> Self:
        """Begin.

        Raises:
            StoreBusy: Another import goes on and does not end.
            StoreError: The disk cannot be written.
        """
        if not self._lock.take(wait=True):
            who = holder_of(self._lock.path)
            self._lock.close()
            raise StoreBusy(f"another import is going on here, by {who}: try again when it is done")
        try:
            self._lock.leave_note(process_note())
            for left_by_a_kill in self._shelf.folder.glob(f"{_ASIDE}*"):
                left_by_a_kill.unlink(missing_ok=True)
            self._shelf.refresh()
            self._file = open(self._aside, "wb", buffering=_BUFFER)  # closed by __exit__
        except BaseException as error:
            self._let_go()
            if isinstance(error, OSError):
                raise self._refused(error) from error
            raise
        return self

    def _refused(self, error: OSError) -> StoreError:
        return StoreError(f"{self._shelf.folder} was not written: {error.strerror or error}")

    def _let_go(self) -> None:
        self._lock.free()
        self._lock.close()

    def add(self, trace: AnyTrace) -> Added:
        """Put one trace on the shelf, unless its id is taken.

        Raises:
            BadInput: JSON cannot hold it.
            StoreError: The disk did not take it.
        """
        content = content_of(trace)
        known = self._seen.get(trace.id)
        if known is None:
            row = self._shelf.row_of(trace.id)
            known = None if row is None else self._shelf.content_at(row)
        if known is not None:
            return Added.REPEATED if known == content else Added.CONFLICT
        try:
            line = msgspec.json.encode(trace) + b"\n"
            self._file.write(line)
        except UnicodeEncodeError as error:
            raise BadInput(f"the id cannot be written as JSON: {error}") from error
        except OSError as error:
            raise self._refused(error) from error
        add_to_index(self._index, trace, line, content)
        self._seen[trace.id] = content
        return Added.NEW

    def publish(self) -> None:
        """Make the new traces part of the project; without this call they vanish at the end.

        Raises:
            StoreError: The disk did not take them; the shelf is as it was before.
        """
        if self._seen:
            final = self._shelf.folder / f"{self._next_number():06d}.jsonl"
            try:
                self._file.flush()
                flush_to_disk(self._file.fileno())
                self._aside.rename(final)
                flush_folder(self._shelf.folder)
            except OSError as error:
                raise self._refused(error) from error
            # From here on the import has happened; an index that is not there is made when it is needed.
            with suppress(StoreError):
                replace_whole(index_path(final), [self._index.data()])
        self._published = True

    def _next_number(self) -> int:
        # A number is never used twice, not even when repair has put its file aside.
        numbers = [name.partition(".")[0] for name in os.listdir(self._shelf.folder)]
        return max((int(number) for number in numbers if number.isdigit()), default=0) + 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # What a full disk left in the buffer cannot be written at closing either, and is not wanted.
        with suppress(OSError):
            self._file.close()
        self._aside.unlink(missing_ok=True)
        self._let_go()
        if self._published:
            self._shelf.refresh()

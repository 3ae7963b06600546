"""The shelf of imported traces: JSON-lines files read lazily by byte offset.

Every import is one file of its own, complete on disk before it takes its name, and never changed.
A trace's row is its position over all files in the order of their import.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from store.appendlog import flush_folder, flush_to_disk
from store.errors import NotFound, StoreDamaged
from store.identity import canonical_json
from store.locking import FileLock
from store.records import AnyTrace, Pair, Trace
from store.traceindex import IndexBuilder, TraceIndex, hash64

_read_single: Final = msgspec.json.Decoder(Trace).decode
_read_pair: Final = msgspec.json.Decoder(Pair).decode


class Added(StrEnum):
    """What became of a trace that was put on the shelf."""

    NEW = "new"
    REPEATED = "repeated"
    """The same id with the same content is there already."""
    CONFLICT = "conflict"
    """The same id with other content is there already; nothing was changed."""


def content_of(trace: AnyTrace) -> int:
    """Hash what a trace says, without its id, to 64 bits."""
    return hash64(canonical_json(replace(trace, id="")))


class _Segment:
    """One imported file and its index."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.index = TraceIndex(path.with_suffix(".idx"))
            stale = self.index.data_size != os.fstat(self._fd).st_size
        except (OSError, ValueError):
            stale = True
        if stale:
            _rebuild_index(path)
            self.index = TraceIndex(path.with_suffix(".idx"))

    def raw(self, row: int) -> bytes:
        start = self.index.offsets[row]
        return os.pread(self._fd, self.index.offsets[row + 1] - start, start)

    def at(self, row: int) -> AnyTrace:
        try:
            return (_read_pair if self.index.kind_at(row) else _read_single)(self.raw(row))
        except msgspec.DecodeError as error:
            raise StoreDamaged(self.path, row + 1, str(error)) from error

    def close(self) -> None:
        os.close(self._fd)


class TraceShelf:
    """All traces of a project, by id or by row."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self._segments: list[_Segment] = []
        self._starts: list[int] = []
        self._length = 0
        self.refresh()

    def refresh(self) -> bool:
        """Take in files that were imported since, by any process; say whether there were any."""
        known = {segment.path.name for segment in self._segments}
        fresh = sorted(
            Path(entry.path)
            for entry in os.scandir(self.folder)
            if entry.name.endswith(".jsonl") and not entry.name.startswith(".") and entry.name not in known
        )
        for path in fresh:
            segment = _Segment(path)
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

    def _locate(self, row: int) -> tuple[_Segment, int]:
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
        for segment in self._segments:
            segment.close()
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
        self._lock = FileLock(shelf.folder / ".lock")
        self._aside = shelf.folder / f".import-{os.getpid()}.jsonl"
        self._index = IndexBuilder()
        self._seen: dict[str, int] = {}
        self._published = False

    def __enter__(self) -> Self:
        self._lock.take(wait=True)
        self._shelf.refresh()
        self._file = open(self._aside, "wb")
        return self

    def add(self, trace: AnyTrace) -> Added:
        """Put one trace on the shelf, unless its id is taken."""
        content = content_of(trace)
        known = self._seen.get(trace.id)
        if known is None:
            row = self._shelf.row_of(trace.id)
            known = None if row is None else self._shelf.content_at(row)
        if known is not None:
            return Added.REPEATED if known == content else Added.CONFLICT
        line = msgspec.json.encode(trace) + b"\n"
        self._file.write(line)
        self._index.add(trace.id, length=len(line), content=content, kind=int(isinstance(trace, Pair)))
        self._seen[trace.id] = content
        return Added.NEW

    def publish(self) -> None:
        """Make the new traces part of the project; without this call they vanish at the end."""
        self._file.flush()
        flush_to_disk(self._file.fileno())
        if self._seen:
            name = f"{len(self._shelf._segments) + 1:06d}.jsonl"
            final = self._shelf.folder / name
            self._index.write(final.with_suffix(".idx"))
            self._aside.rename(final)
            flush_folder(self._shelf.folder)
        self._published = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._aside.unlink(missing_ok=True)
        self._lock.free()
        self._lock.close()
        if self._published:
            self._shelf.refresh()


def _rebuild_index(path: Path) -> None:
    """Write a data file's index anew from its lines."""
    builder = IndexBuilder()
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                keys = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
                trace: AnyTrace = _read_pair(line) if "a" in keys else _read_single(line)
            except msgspec.DecodeError as error:
                raise StoreDamaged(path, number, str(error)) from error
            builder.add(
                trace.id, length=len(line), content=content_of(trace), kind=int(isinstance(trace, Pair))
            )
    builder.write(path.with_suffix(".idx"))

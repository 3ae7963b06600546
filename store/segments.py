"""One imported file of traces and its index: read a line by its row, notice when the two do not fit."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from store.errors import StoreDamaged, StoreError
from store.files import replace_whole
from store.identity import canonical_json
from store.records import AnyTrace, Pair, Trace
from store.traceindex import IndexBuilder, TraceIndex, hash64

_OPEN_AT_ONCE: Final = 64
"""Files kept open; a project may have had more imports than a process may open files."""

_read_single: Final = msgspec.json.Decoder(Trace).decode
_read_pair: Final = msgspec.json.Decoder(Pair).decode
_read_keys: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def read_trace(line: bytes) -> AnyTrace:
    """Read one line of an imported file.

    Raises:
        msgspec.DecodeError: It is not a trace.
    """
    return _read_pair(line) if "a" in _read_keys(line) else _read_single(line)


def content_of(trace: AnyTrace) -> int:
    """Hash what a trace says, without its id, to 64 bits.

    Raises:
        BadInput: JSON cannot hold it.
    """
    fields = {name: getattr(trace, name) for name in trace.__slots__ if name != "id"}
    return hash64(canonical_json(fields))


def index_path(path: Path) -> Path:
    """Name the index file of an imported file."""
    return path.with_suffix(".idx")


def segments_in(folder: Path) -> list[Path]:
    """Name the imported files of a folder in the order of import.

    An index is written after its file, so the file of a lone index has been lost: it is named too.
    """
    if not folder.is_dir():
        return []
    stems = {name.partition(".")[0] for name in os.listdir(folder) if name.endswith((".jsonl", ".idx"))}
    return sorted(folder / f"{stem}.jsonl" for stem in stems if stem)


class OpenFiles:
    """Reads parts of many files while only some of them are open."""

    def __init__(self) -> None:
        self._fds: OrderedDict[Path, int] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, path: Path, *, size: int, at: int, length: int) -> bytes:
        """Read a part of a file.

        Raises:
            StoreDamaged: The file is gone, or its size is not the one that is expected.
        """
        with self._lock:
            fd = self._fds.get(path)
            if fd is None:
                fd = self._open(path, size)
            else:
                self._fds.move_to_end(path)
            return os.pread(fd, length, at)

    def _open(self, path: Path, size: int) -> int:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise StoreDamaged(path, None, f"it cannot be opened: {error.strerror}") from error
        found = os.fstat(fd).st_size
        if found != size:
            os.close(fd)
            raise StoreDamaged(path, None, f"it holds {found} bytes where its index says {size}")
        self._fds[path] = fd
        if len(self._fds) > _OPEN_AT_ONCE:
            os.close(self._fds.popitem(last=False)[1])
        return fd

    def close(self) -> None:
        """Close every file."""
        with self._lock:
            while self._fds:
                os.close(self._fds.popitem()[1])


class Segment:
    """One imported file and its index."""

    def __init__(self, path: Path, files: OpenFiles) -> None:
        """Load the index of a file; make it anew when it is missing or cannot be read.

        Raises:
            StoreDamaged: The file and its index do not fit, or the file cannot be read.
        """
        self.path = path
        self._files = files
        try:
            self.index = TraceIndex(index_path(path).read_bytes())
        except (OSError, ValueError):
            self.index = rebuild_index(path)
        self._files.read(path, size=self.index.data_size, at=0, length=0)

    def raw(self, row: int) -> bytes:
        """Read the line of a row."""
        start, end = self.index.offsets[row], self.index.offsets[row + 1]
        return self._files.read(self.path, size=self.index.data_size, at=start, length=end - start)

    def at(self, row: int) -> AnyTrace:
        """Read the trace of a row.

        Raises:
            StoreDamaged: Its line cannot be read.
        """
        try:
            return (_read_pair if self.index.kind_at(row) else _read_single)(self.raw(row))
        except msgspec.DecodeError as error:
            raise StoreDamaged(self.path, row + 1, str(error)) from error


def add_to_index(builder: IndexBuilder, trace: AnyTrace, line: bytes, content: int) -> None:
    """Note one trace and the line that holds it."""
    builder.add(trace.id, length=len(line), content=content, kind=int(isinstance(trace, Pair)))


def rebuild_index(path: Path) -> TraceIndex:
    """Make an imported file's index anew from its lines, and write it where the disk allows it.

    Raises:
        StoreDamaged: A line is not a trace; no index is written.
    """
    builder = IndexBuilder()
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                trace = read_trace(line)
            except msgspec.DecodeError as error:
                raise StoreDamaged(path, number, str(error)) from error
            if not line.endswith(b"\n"):
                raise StoreDamaged(path, number, "the line is cut short")
            add_to_index(builder, trace, line, content_of(trace))
    data = builder.data()
    with suppress(StoreError):
        replace_whole(index_path(path), [data])
    return TraceIndex(data)

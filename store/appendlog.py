"""A file of checksummed JSON lines that several processes append to and none ever rewrites.

Each line is ``{"crc":"<8 hex>","data":<JSON>}``. A line is written in one call under a lock and
flushed to the disk before `append` returns. Bytes after the last line end are a write that a kill
or a full disk cut short: they were never acknowledged, so they are copied aside and cut off.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from store.errors import StoreDamaged, StoreError
from store.identity import utc_now
from store.locking import FileLock

_HEAD: Final = b'{"crc":"'
_MIDDLE: Final = b'","data":'
_BODY_AT: Final = len(_HEAD) + 8 + len(_MIDDLE)

flush_to_disk = getattr(os, "fdatasync", os.fsync)


def encode_line(body: bytes) -> bytes:
    """Wrap one JSON text as a checksummed line."""
    return b"%s%08x%s%s}\n" % (_HEAD, zlib.crc32(body), _MIDDLE, body)


def decode_line(line: bytes) -> bytes | None:
    """Give the JSON text of a line without its line end, or None when the line is damaged."""
    body = line[_BODY_AT:-1]
    if line[: len(_HEAD)] != _HEAD or line[len(_HEAD) + 8 : _BODY_AT] != _MIDDLE or line[-1:] != b"}":
        return None
    return body if line[len(_HEAD) : len(_HEAD) + 8] == b"%08x" % zlib.crc32(body) else None


@dataclass(frozen=True)
class News:
    """What was appended since the last look."""

    bodies: tuple[bytes, ...]
    restarted: bool = False
    """The file was replaced (compacted): `bodies` is everything from its start."""


class AppendLog:
    """One append-only file, its lock, and how far this process has read it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notices: list[str] = []
        """What a person should be told, e.g. that a torn tail was cut off."""
        self._lock = FileLock(path.with_name(f"{path.name}.lock"))
        self._fd = self._open()
        self._read_to = 0
        self._lines = 0
        if self._lock.take():
            # Another process in the middle of a write holds the lock; its tail is not torn.
            try:
                self._cut_torn_tail()
            finally:
                self._lock.free()

    def _open(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def close(self) -> None:
        """Close the file and its lock."""
        os.close(self._fd)
        self._lock.close()

    def _replaced(self) -> bool:
        ours, now = os.fstat(self._fd), os.stat(self.path)
        return (ours.st_dev, ours.st_ino) != (now.st_dev, now.st_ino)

    def news(self, *, at_most: int | None = None) -> News:
        """Read every whole line that appeared since the last look.

        Args:
            at_most: Stop after about so many bytes; call again for the rest, until nothing comes.

        Raises:
            StoreDamaged: A whole line does not match its checksum.
        """
        restarted = self._replaced()
        if restarted:
            os.close(self._fd)
            self._fd = self._open()
            self._read_to = self._lines = 0
        size = os.fstat(self._fd).st_size
        if size <= self._read_to:
            return News((), restarted)
        wanted = size - self._read_to if at_most is None else min(at_most, size - self._read_to)
        chunk = os.pread(self._fd, wanted, self._read_to)
        while b"\n" not in chunk and self._read_to + len(chunk) < size:
            chunk += os.pread(self._fd, len(chunk) or size, self._read_to + len(chunk))
        whole, end, _ = chunk.rpartition(b"\n")
        bodies = []
        for number, line in enumerate(whole.split(b"\n") if end else (), self._lines + 1):
            body = decode_line(line)
            if body is None:
                raise StoreDamaged(self.path, number, "the line does not match its checksum")
            bodies.append(body)
        self._read_to += len(whole) + len(end)
        self._lines += len(bodies)
        return News(tuple(bodies), restarted)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the write lock for a block; nested blocks are fine."""
        with self._lock.held():
            yield

    def append(self, bodies: Sequence[bytes]) -> None:
        """Write JSON texts as lines and flush them to the disk; all or none.

        The caller holds `exclusive` and has read all `news`, so what it writes follows what it knows.

        Raises:
            StoreError: The disk did not take it; the file is as it was before.
        """
        self._cut_torn_tail()
        before = self._read_to
        data = b"".join(map(encode_line, bodies))
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
            flush_to_disk(self._fd)
        except OSError as error:
            os.ftruncate(self._fd, before)
            raise StoreError(f"{self.path} was not written: {error.strerror or error}") from error
        self._read_to += len(data)
        self._lines += len(bodies)

    def replace(self, bodies: Sequence[bytes]) -> None:
        """Put a new file with these lines in the place of the old one; all or none.

        The new file is complete on disk before it takes the name, so a kill leaves one or the other.
        The caller holds `exclusive`.
        """
        fresh = self.path.with_name(f"{self.path.name}.new")
        data = b"".join(map(encode_line, bodies))
        write_whole(fresh, data)
        fresh.replace(self.path)
        flush_folder(self.path.parent)
        os.close(self._fd)
        self._fd = self._open()
        self._read_to, self._lines = len(data), len(bodies)

    def _cut_torn_tail(self) -> None:
        """Copy bytes after the last line end aside and cut them off; the lock is held."""
        if self._replaced():
            return
        size = os.fstat(self._fd).st_size
        if size == 0 or os.pread(self._fd, 1, size - 1) == b"\n":
            return
        start, tail = size, b""
        while b"\n" not in tail and start > 0:
            start = max(0, start - 65536)
            tail = os.pread(self._fd, size - start, start)
        torn = tail.rpartition(b"\n")[2]
        aside = self.path.with_name(f"{self.path.name}.torn-{size - len(torn)}")
        write_whole(aside, torn)
        os.ftruncate(self._fd, size - len(torn))
        flush_to_disk(self._fd)
        self.notices.append(
            f"{self.path.name}: an unfinished write of {len(torn)} bytes at its end was cut off "
            f"({utc_now()}) and kept as {aside.name}; nothing that had been confirmed is lost"
        )


def write_whole(path: Path, data: bytes) -> None:
    """Write a file's whole content and flush it to the disk."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def flush_folder(path: Path) -> None:
    """Flush a folder, so that a rename inside it survives a power cut."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)

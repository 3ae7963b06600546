"""A file of checksummed JSON lines that several processes append to and none ever rewrites.

Each line is ``{"crc":"<8 hex>","data":<JSON>}``. A line is written in one call under a lock and
flushed to the disk before `append` returns; then the lock file notes how far the file is confirmed.
So a tail can be judged: bytes after the confirmed end that begin like a line are a write that a kill
or a full disk cut short, which nobody was told of; they are kept aside and cut off. A file that ends
before its confirmed end, or whose tail is anything else, is damaged, and nothing is written to it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from store.errors import StoreDamaged, StoreError
from store.files import flush_to_disk, replace_whole, set_aside
from store.lines import HEAD_SIZE, Confirmed, decode_line, encode_line, is_unfinished, lock_path
from store.locking import FileLock, read_note

READ_AT_ONCE: Final = 4_000_000
"""Bytes to read at once where a whole file is gone through, so that it never stands in memory as a whole."""


@dataclass(frozen=True)
class News:
    """What was appended since the last look."""

    bodies: tuple[bytes, ...]
    restarted: bool = False
    """The file was replaced, or a failed write was taken back: `bodies` begins at its start."""


class AppendLog:
    """One append-only file, its lock, and how far this process has read it."""

    def __init__(self, path: Path, *, follow: bool = False) -> None:
        """Open a file, and make it when it is not there.

        Args:
            path: The file.
            follow: Only read what others append; the file is never touched.

        Raises:
            StoreDamaged: The file is shorter than it is known to have been, or does not end in a line.
            StoreError: The file cannot be opened.
        """
        self.path = path
        self.notices: list[str] = []
        """What a person should be told, e.g. that a torn tail was cut off."""
        self.read_only = follow
        """Whether this process may not write here."""
        self._lock = FileLock(lock_path(path))
        self._fd = self._open()
        self._forget()
        self._restarted = False
        self._held = 0
        try:
            if self.read_only:
                self._check_confirmed(read_note(self._lock.path))
            elif self._lock.take():
                # Another process in the middle of a write holds the lock; its tail is not torn.
                try:
                    self._settle(must=False)
                finally:
                    self._lock.free()
        except BaseException:
            self.close()
            raise

    def _open(self) -> int:
        flags = os.O_CREAT | os.O_CLOEXEC
        try:
            if not self.read_only:
                try:
                    return os.open(self.path, flags | os.O_RDWR | os.O_APPEND, 0o644)
                except OSError as error:
                    if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
                        raise
                    self.read_only = True
            return os.open(self.path, flags | os.O_RDONLY, 0o644)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be opened: {error.strerror}") from error

    def _forget(self) -> None:
        self._read_to = self._lines = self._last_at = 0
        self._last_head = b""

    def close(self) -> None:
        """Close the file and its lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
        self._lock.close()

    # Reading -------------------------------------------------------------------------------------

    def news(self, *, at_most: int | None = None) -> News:
        """Read every whole line that appeared since the last look.

        Args:
            at_most: Stop after about so many bytes; call again for the rest, until nothing comes.

        Raises:
            StoreDamaged: A whole line does not match its checksum, or the file was cut short.
        """
        if self._held == 0:
            # Nobody else touches the file while the lock is held.
            self._keep_up()
        restarted, self._restarted = self._restarted, False
        chunk = self._unread(at_most)
        end = chunk.rfind(b"\n")
        if end < 0:
            return News((), restarted)
        lines = chunk[:end].split(b"\n")
        bodies = []
        for number, line in enumerate(lines, self._lines + 1):
            body = decode_line(line)
            if body is None:
                self._restarted = restarted
                raise StoreDamaged(self.path, number, "the line does not match its checksum")
            bodies.append(body)
        self._last_at = self._read_to + end - len(lines[-1])
        self._last_head = lines[-1][:HEAD_SIZE]
        self._read_to += end + 1
        self._lines += len(bodies)
        return News(tuple(bodies), restarted)

    def _unread(self, at_most: int | None) -> bytes:
        size = os.fstat(self._fd).st_size
        left = size - self._read_to
        chunk = os.pread(self._fd, left if at_most is None else min(at_most, left), self._read_to)
        while b"\n" not in chunk and len(chunk) < left:
            more = os.pread(self._fd, max(len(chunk), 4096), self._read_to + len(chunk))
            if not more:
                break
            chunk += more
        return chunk

    def _keep_up(self) -> None:
        """Begin again at the start when the file is not the one that was read so far."""
        if self._replaced():
            os.close(self._fd)
            self._fd = -1
            self._fd = self._open()
        elif not self._last_head or self._still_there():
            return
        self._forget()
        self._restarted = True
        self._check_confirmed(read_note(self._lock.path))

    def _replaced(self) -> bool:
        try:
            return not os.path.samestat(os.fstat(self._fd), os.stat(self.path))
        except FileNotFoundError as error:
            raise StoreError(f"{self.path} is gone: it was removed while it was in use") from error

    def _still_there(self) -> bool:
        # A reader does not wait for the lock, so it may have seen lines that a failed write took back.
        return (
            os.fstat(self._fd).st_size >= self._read_to
            and os.pread(self._fd, HEAD_SIZE, self._last_at) == self._last_head
        )

    def _check_confirmed(self, note: bytes) -> None:
        confirmed = Confirmed.read(note)
        if confirmed is None:
            return
        size = os.fstat(self._fd).st_size
        if size < confirmed.size and confirmed.head.startswith(os.pread(self._fd, HEAD_SIZE, 0)):
            raise StoreDamaged(
                self.path, None, f"it ends after {size} bytes, but {confirmed.size} bytes had been confirmed"
            )

    # Writing -------------------------------------------------------------------------------------

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the write lock for a block, with an unfinished tail cleared away; nested blocks are fine.

        Raises:
            StoreBusy: Another process goes on holding it.
            StoreDamaged: See the class.
            StoreError: This process may only read here, or the disk is full.
        """
        if self.read_only:
            raise StoreError(f"{self.path} may only be read here: nothing was written")
        with self._lock.held():
            if self._held == 0:
                self._keep_up()
                self._settle(must=True)
            self._held += 1
            try:
                yield
            finally:
                self._held -= 1

    def append(self, bodies: Sequence[bytes]) -> None:
        """Write JSON texts as lines and flush them to the disk; all or none.

        The caller holds `exclusive` and has read all `news`, so what it writes follows what it knows.

        Raises:
            StoreError: The disk did not take it; the file is as it was before.
        """
        if not bodies:
            return
        before = self._read_to
        if os.fstat(self._fd).st_size != before:
            raise StoreError(f"{self.path} was not written: it holds lines that were not read")
        lines = [encode_line(body) for body in bodies]
        data = b"".join(lines)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
            flush_to_disk(self._fd)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._fd, before)
            raise StoreError(f"{self.path} was not written: {error.strerror or error}") from error
        self._read_to += len(data)
        self._lines += len(lines)
        self._last_at = self._read_to - len(lines[-1])
        self._last_head = lines[-1][:HEAD_SIZE]
        self._confirm()

    def replace(self, bodies: Iterable[bytes]) -> None:
        """Put a new file with these lines in the place of the old one; all or none.

        The new file is complete on disk before it takes the name, so a kill leaves one or the other.
        The caller holds `exclusive`. Every reader, this one too, then finds news from the start.

        Raises:
            StoreError: The disk did not take it; the file is as it was before.
        """
        for left_by_a_kill in self.path.parent.glob(f".{self.path.name}.*.new"):
            left_by_a_kill.unlink(missing_ok=True)
        try:
            self._lock.leave_note(b"")
            self._lock.flush_note()
            replace_whole(self.path, map(encode_line, bodies))
        except OSError as error:
            raise StoreError(f"{self.path} was not written: {error.strerror or error}") from error
        finally:
            self._keep_up()
            self._confirm()

    def _confirm(self) -> None:
        with suppress(OSError):  # without the note a cut file would only be taken for a torn write
            self._lock.leave_note(Confirmed.of(self._fd).note())

    def _settle(self, *, must: bool) -> None:
        """Clear an unfinished line at the end away; the lock is held.

        Args:
            must: Whether to fail when the disk does not allow it; reading can do without.
        """
        size = os.fstat(self._fd).st_size
        note = self._lock.note()
        self._check_confirmed(note)
        if size in (0, self._read_to) or os.pread(self._fd, 1, size - 1) == b"\n":
            return
        tail = self._tail(size)
        whole = decode_line(tail) is not None
        confirmed = Confirmed.read(note)
        known = confirmed is not None and size - len(tail) < confirmed.size
        if not whole and (known or not is_unfinished(tail)):
            raise StoreDamaged(
                self.path, None, f"its last {len(tail)} bytes are no line, nor the beginning of one"
            )
        try:
            if whole:
                os.write(self._fd, b"\n")
                self.notices.append(f"{self.path.name}: the line end that its last line lacked was added")
            else:
                self._cut(size - len(tail), tail)
            flush_to_disk(self._fd)
        except (OSError, StoreError) as error:
            if must:
                raise StoreError(f"{self.path} was not written: {error}") from error

    def _tail(self, size: int) -> bytes:
        start, tail = size, b""
        while b"\n" not in tail and start > 0:
            start = max(0, start - max(65536, len(tail)))
            tail = os.pread(self._fd, size - start, start)
        return tail.rpartition(b"\n")[2]

    def _cut(self, at: int, torn: bytes) -> None:
        aside = set_aside(self.path, "torn", torn)
        os.ftruncate(self._fd, at)
        self.notices.append(
            f"{self.path.name}: an unfinished write of {len(torn)} bytes at its end was cut off and kept as "
            f"{aside.name}; nothing that had been confirmed is lost"
        )

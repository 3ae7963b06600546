"""Hold a file for this process, on POSIX, in a way that a killed process cannot hold for ever.

The lock belongs to the open file, so the kernel frees it when its process dies, however it dies. The
lock file may carry a short note by whoever held it last: the process's number, or how far it wrote.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from store.errors import StoreBusy, StoreError

PATIENCE: Final = 20.0
"""Seconds to wait for another holder; a write holds a lock for milliseconds, a stopped process for ever."""

_SHORT_PAUSE: Final = 0.0003
_LONG_PAUSE: Final = 0.01
_NOTE_SIZE: Final = 64


class FileLock:
    """An advisory `flock` on a file of its own; re-entrant within one thread, exclusive between threads."""

    def __init__(self, path: Path, *, patience: float = PATIENCE) -> None:
        self.path = path
        self._patience = patience
        self._fd: int | None = None
        self._depth = 0
        self._thread = threading.RLock()

    @contextmanager
    def held(self, *, wait: bool = True) -> Iterator[None]:
        """Hold the lock for a block.

        Args:
            wait: Whether to wait for another holder; a label waits a few milliseconds at most.

        Raises:
            StoreBusy: Another process holds it, and goes on holding it when `wait` is true.
        """
        if not self.take(wait=wait):
            raise StoreBusy(f"{self.path} is held by {holder_of(self.path)}")
        try:
            yield
        finally:
            self.free()

    def take(self, *, wait: bool = False) -> bool:
        """Take the lock and say whether it was got; pairs with `free`.

        Raises:
            StoreError: The lock file cannot be made.
        """
        if not self._thread.acquire(blocking=wait):
            return False
        try:
            got = self._depth > 0 or self._take_file(wait)
        except BaseException:
            self._thread.release()
            raise
        if got:
            self._depth += 1
        else:
            self._thread.release()
        return got

    def free(self) -> None:
        """Give one `take` back."""
        self._depth -= 1
        if self._depth == 0 and self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)
        self._thread.release()

    def close(self) -> None:
        """Close the file, which frees the lock."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
        self._depth = 0

    def note(self) -> bytes:
        """Read the note that the last holder left; empty when there is none. The lock is held."""
        return b"" if self._fd is None else os.pread(self._fd, _NOTE_SIZE, 0).strip()

    def leave_note(self, note: bytes) -> None:
        """Leave a note for the next holder; not flushed to the disk. The lock is held."""
        if self._fd is not None:
            os.pwrite(self._fd, note.ljust(_NOTE_SIZE - 1) + b"\n", 0)

    def flush_note(self) -> None:
        """Flush the note to the disk; the lock is held."""
        if self._fd is not None:
            os.fsync(self._fd)

    def _take_file(self, wait: bool) -> bool:
        started = time.monotonic()
        while True:
            fd = self._opened()
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waited = time.monotonic() - started
                if waited > self._patience or (not wait and not _only_looked_at(fd)):
                    return False
                # Waiting inside flock would be for ever when the holder is stopped.
                time.sleep(_SHORT_PAUSE if waited < 1 else _LONG_PAUSE)
                continue
            if self._still_named(fd):
                return True
            # Somebody removed the lock file: others would lock a new one beside us.
            os.close(fd)
            self._fd = None

    def _opened(self) -> int:
        if self._fd is None:
            try:
                self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise StoreError(f"{self.path} cannot be opened: {error.strerror}") from error
        return self._fd

    def _still_named(self, fd: int) -> bool:
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self.path))
        except FileNotFoundError:
            return False


def _only_looked_at(fd: int) -> bool:
    """Say whether nobody holds the lock but for a process that looks, as `is_held` does."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(fd, fcntl.LOCK_UN)
    return True


def is_held(path: Path) -> bool:
    """Say whether some process holds the lock at a path right now.

    Looking takes a shared lock for an instant: others who look do not see it, and `take` sees through it.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def process_note() -> bytes:
    """Give the note by which the holder of a long lock says who it is."""
    return b"process %d" % os.getpid()


def holder_of(path: Path) -> str:
    """Name the holder of a lock that is held: the process as its note says, or "another process"."""
    note = read_note(path)
    return note.decode() if note.startswith(b"process ") else "another process"


def read_note(path: Path) -> bytes:
    """Read a lock file's note without taking the lock; empty when there is none."""
    try:
        with open(path, "rb", buffering=0) as file:
            return (file.read(_NOTE_SIZE) or b"").strip()
    except OSError:
        return b""

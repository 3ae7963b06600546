"""Hold a file for this process, on POSIX, in a way that a killed process cannot hold for ever."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from store.errors import StoreBusy


class FileLock:
    """An advisory `flock` on a file of its own; re-entrant within one object.

    The lock belongs to the open file, so the kernel frees it when its process dies, however it dies.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None
        self._depth = 0

    @contextmanager
    def held(self, *, wait: bool = True) -> Iterator[None]:
        """Hold the lock for a block.

        Args:
            wait: Whether to wait for another holder; a label waits a few milliseconds at most.

        Raises:
            StoreBusy: Another process holds it and `wait` is False.
        """
        if not self.take(wait=wait):
            raise StoreBusy(f"{self.path.name} is held by another process")
        try:
            yield
        finally:
            self.free()

    def take(self, *, wait: bool = False) -> bool:
        """Take the lock and say whether it was got; pairs with `free`."""
        if self._depth == 0:
            if self._fd is None:
                self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        self._depth += 1
        return True

    def free(self) -> None:
        """Give one `take` back."""
        self._depth -= 1
        if self._depth == 0 and self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file, which frees the lock."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
            self._depth = 0


def is_held(path: Path) -> bool:
    """Say whether some process holds the lock at a path right now."""
    if not path.exists():
        return False
    lock = FileLock(path)
    try:
        return not lock.take()
    finally:
        lock.close()

"""Look through one append-only file, and put one with its good lines in its place when it is damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from store.errors import StoreBusy
from store.files import copy_aside, replace_whole
from store.lines import Confirmed, decode_line, encode_line, is_unfinished, lock_path, salvage
from store.locking import FileLock, holder_of, read_note

Clean: TypeAlias = Callable[[bytes], bytes | None]
"""Gives what is good of a line's JSON text: all of it, less, or None when nothing is."""

_NAMED = 5
"""How many damaged lines a message names."""


@dataclass(frozen=True)
class LogState:
    """What an append-only file holds."""

    path: Path
    size: int
    good: int
    """Whole good lines."""
    bad: tuple[int, ...]
    """Damaged lines, from 1."""
    unfinished: int
    """Bytes at the end of a write that nobody was told of; the next writer clears them away."""
    missing: int
    """Bytes that had been confirmed and are not there."""

    @property
    def whole(self) -> bool:
        """Whether nothing that was confirmed is damaged."""
        return not self.bad and not self.missing

    def detail(self) -> str:
        """Say in words what is there."""
        parts = [f"{self.good} good lines"]
        if self.bad:
            named = ", ".join(map(str, self.bad[:_NAMED])) + (" ..." if len(self.bad) > _NAMED else "")
            parts.append(f"{len(self.bad)} damaged (line {named})")
        if self.missing:
            parts.append(f"{self.missing} bytes that had been confirmed are missing at its end")
        if self.unfinished:
            parts.append(f"an unfinished write of {self.unfinished} bytes at its end")
        return ", ".join(parts)


def inspect_log(path: Path, clean: Clean) -> LogState:
    """Look through a file without touching it; a file that is not there is empty."""
    # Read before the size is: others may be writing, and what they confirm is there already.
    confirmed = Confirmed.read(read_note(lock_path(path)))
    good, size, unfinished = 0, 0, 0
    bad: list[int] = []
    head = b""
    if path.exists():
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                head = head or line
                known = confirmed is not None and size < confirmed.size
                size += len(line)
                body = decode_line(line.rstrip(b"\n"))
                if body is not None and clean(body) == body:
                    good += 1
                elif not line.endswith(b"\n") and is_unfinished(line) and not known:
                    unfinished = len(line)
                else:
                    bad.append(number)
    missing = 0
    if confirmed is not None and head[: len(confirmed.head)] == confirmed.head[: len(head)]:
        missing = max(0, confirmed.size - size)
    return LogState(path, size, good, tuple(bad), unfinished, missing)


def good_bodies(path: Path, clean: Clean) -> Iterator[bytes]:
    """Give the JSON text of every good line, those inside damaged lines included."""
    if path.exists():
        with open(path, "rb") as file:
            yield from _good_bodies(file, clean)


def _good_bodies(file: BinaryIO, clean: Clean) -> Iterator[bytes]:
    for line in file:
        whole = decode_line(line.rstrip(b"\n"))
        for body in salvage(line) if whole is None else (whole,):
            kept = clean(body)
            if kept is not None:
                yield kept


def repair_log(path: Path, clean: Clean) -> str | None:
    """Put a file with every good line in the place of a damaged one, which is kept beside it.

    Returns:
        What was done, or None when the file is whole.

    Raises:
        StoreBusy: Another process goes on holding it.
        StoreError: The disk did not take the copy or the new file; the old one is as it was.
    """
    lock = FileLock(lock_path(path))
    if not lock.take(wait=True):
        raise StoreBusy(f"{path} is held by {holder_of(lock.path)}")
    try:
        state = inspect_log(path, clean)
        if state.whole:
            return None
        path.touch()
        aside = copy_aside(path, "damaged")
        lock.leave_note(b"")
        lock.flush_note()
        replace_whole(path, map(encode_line, good_bodies(path, clean)))
        with open(path, "rb") as file:
            lock.leave_note(Confirmed.of(file.fileno()).note())
        kept = inspect_log(path, clean).good
        return f"{path}: {state.detail()}; {kept} lines were kept, the file as it was is {aside.name}"
    finally:
        lock.free()
        lock.close()

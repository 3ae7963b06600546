"""Look through one imported file of traces and its index, and repair either without losing a byte."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from store.errors import BadInput
from store.files import copy_aside, replace_whole
from store.records import AnyTrace
from store.segments import add_to_index, content_of, index_path, read_trace, rebuild_index
from store.traceindex import IndexBuilder, TraceIndex


@dataclass(frozen=True)
class SegmentState:
    """What an imported file and its index hold."""

    path: Path
    gone: bool
    """The file is not there, though its index is."""
    good: int
    """Whole good lines."""
    bad: tuple[int, ...]
    """Damaged lines, from 1."""
    missing: int
    """Lines that the index knows and the file lacks."""
    fits: bool
    """Whether the index says what the file says; one that is not there is made when it is needed."""

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged."""
        return not self.gone and not self.bad and not self.missing and self.fits

    def detail(self) -> str:
        """Say in words what is wrong."""
        if self.gone:
            return f"{self.path.name} is gone with its {self.missing} traces"
        parts = []
        if self.bad:
            parts.append(f"{len(self.bad)} damaged lines (the first is line {self.bad[0]})")
        if self.missing:
            parts.append(f"{self.missing} traces are missing at its end")
        if not parts:
            parts.append("its index does not fit it" if not self.fits else "whole")
        return f"{self.path.name}: {', '.join(parts)}"


def inspect_segment(path: Path) -> SegmentState:
    """Look through an imported file without touching it."""
    index = _read_index(index_path(path))
    known = len(index) if index is not None else 0
    if not path.exists():
        return SegmentState(path, True, 0, (), known, False)
    builder = IndexBuilder()
    bad: list[int] = []
    good = 0
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            trace = _trace_of(line)
            if trace is None:
                bad.append(number)
            else:
                good += 1
                add_to_index(builder, trace, line, content_of(trace))
    fits = bool(bad) or not index_path(path).exists() or index_path(path).read_bytes() == builder.data()
    return SegmentState(path, False, good, tuple(bad), max(0, known - good - len(bad)), fits)


def repair_segment(path: Path) -> str | None:
    """Put a file with every good line in the place of a damaged one, and make its index anew.

    Damaged files are copied aside first. The caller holds the shelf's lock.

    Returns:
        What was done, or None when all is whole.

    Raises:
        StoreError: The disk did not take it; the old file is as it was.
    """
    state = inspect_segment(path)
    if state.whole:
        return None
    kept = [copy_aside(file, "damaged").name for file in (path, index_path(path)) if file.exists()]
    if state.bad:
        with open(path, "rb") as file:
            replace_whole(path, (line for line in file if _trace_of(line) is not None))
    index_path(path).unlink(missing_ok=True)
    if not state.gone:
        rebuild_index(path)
    return f"{state.detail()}; {state.good} traces were kept, as it was: {', '.join(kept)}"


def _trace_of(line: bytes) -> AnyTrace | None:
    if not line.endswith(b"\n"):
        return None
    try:
        trace = read_trace(line)
        content_of(trace)
    except (msgspec.DecodeError, BadInput):
        return None
    return trace


def _read_index(path: Path) -> TraceIndex | None:
    try:
        return TraceIndex(path.read_bytes())
    except (OSError, ValueError):
        return None

"""Answers that were paid for, by the key of their call, so that none is ever paid for twice."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from store.records import Verdict
from store.runrecords import CallRecord

_decode: Final = msgspec.json.Decoder(CallRecord).decode
_SPILL: Final = 1_000_000
"""Bytes kept in memory before they go to the scratch file in one write."""


class AnsweredCalls:
    """A book of answered calls that keeps only their places in memory.

    The texts of a long run do not fit into a modest memory, so they lie in a nameless scratch file
    that is gone with the process.
    """

    def __init__(self, folder: Path) -> None:
        """Begin an empty book whose scratch file is on the disk of a folder."""
        # Lives as long as the book; `close` lets it go.
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        self._places: dict[bytes, tuple[int, int]] = {}
        self._spilled = 0
        self._recent = bytearray()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, record: CallRecord) -> None:
        """Keep an answer; of two with one key, the newer."""
        body = msgspec.json.encode(record)
        self._places[_short(record.key)] = (self._spilled + len(self._recent), len(body))
        self._recent += body
        if len(self._recent) > _SPILL:
            os.pwrite(self._file.fileno(), self._recent, self._spilled)
            self._spilled += len(self._recent)
            self._recent.clear()

    def get(self, key: str) -> CallRecord | None:
        """Give the answer to a call, or None when it was never answered."""
        place = self._places.get(_short(key))
        if place is None:
            return None
        start, length = place
        if start >= self._spilled:
            here = start - self._spilled
            body = bytes(self._recent[here : here + length])
        else:
            body = os.pread(self._file.fileno(), length, start)
        record = _decode(body)
        return record if record.key == key else None

    def close(self) -> None:
        """Let the scratch file go."""
        self._file.close()


def _short(key: str) -> bytes:
    """Shorten a call's key to what tells it from a billion others; `get` compares the whole key."""
    digits, _, sample = key.removeprefix("sha256:").partition("#")
    try:
        return bytes.fromhex(digits[:24]) + sample.encode()
    except ValueError:
        return key.encode()


RowKey = tuple[str, str | None, int]
"""Trace, order shown, sample."""


def row_key(verdict: Verdict) -> RowKey:
    """Give the row that a verdict is about."""
    return verdict.trace, verdict.order, verdict.sample

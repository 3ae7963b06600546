"""The format of an append-only file: checksummed lines, and in its lock file a note of how far it goes.

A line is ``{"crc":"<8 hex>","data":<JSON>}``; a note is the confirmed size and the head of the first line.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_START: Final = b'{"crc":"'
_MIDDLE: Final = b'","data":'
_CRC_END: Final = len(_START) + 8
_BODY_AT: Final = _CRC_END + len(_MIDDLE)

HEAD_SIZE: Final = _CRC_END
"""Bytes at the beginning of a line that tell it from other lines."""


def encode_line(body: bytes) -> bytes:
    """Wrap one JSON text, which holds no line end, as a checksummed line."""
    return b"%s%08x%s%s}\n" % (_START, zlib.crc32(body), _MIDDLE, body)


def decode_line(line: bytes) -> bytes | None:
    """Give the JSON text of a line without its line end, or None when the line is damaged."""
    if not line.startswith(_START) or line[_CRC_END:_BODY_AT] != _MIDDLE or line[-1:] != b"}":
        return None
    body = line[_BODY_AT:-1]
    return body if line[len(_START) : _CRC_END] == b"%08x" % zlib.crc32(body) else None


def is_unfinished(tail: bytes) -> bool:
    """Say whether bytes without a line end look like a line whose writing was cut short.

    A power cut may leave zeros where the file had grown but its content was not written yet.
    """
    tail = tail.rstrip(b"\0")
    return _START.startswith(tail[: len(_START)]) and _MIDDLE.startswith(tail[_CRC_END:_BODY_AT])


def salvage(line: bytes) -> Iterator[bytes]:
    """Give the JSON texts of all good lines that stand somewhere inside a damaged one."""
    # As latin-1 every byte is one character, so positions in the text are positions in the bytes.
    text = line.decode("latin-1")
    decoder = json.JSONDecoder()
    at = line.find(_START)
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        body = decode_line(line[at:end])
        if body is not None:
            yield body
        at = line.find(_START, end if body is not None else at + 1)


@dataclass(frozen=True)
class Confirmed:
    """How far a file is known to have been on the disk."""

    size: int
    head: bytes
    """Beginning of the file's first line, which tells a file from the one that replaced it."""

    @classmethod
    def read(cls, note: bytes) -> Confirmed | None:
        """Read a lock file's note; None when it says nothing of the kind."""
        size, _, head = note.partition(b" ")
        return cls(int(size), head) if size.isdigit() and head else None

    @classmethod
    def of(cls, fd: int) -> Confirmed:
        """Take an open file as confirmed to its end."""
        return cls(os.fstat(fd).st_size, os.pread(fd, HEAD_SIZE, 0))

    def note(self) -> bytes:
        """Give the note for the lock file."""
        return b"%d %s" % (self.size, self.head)


def lock_path(path: Path) -> Path:
    """Name the lock file of an append-only file."""
    return path.with_name(f"{path.name}.lock")

"""Say which format a file is in: the one place that looks at a file to find out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from store.archive import BEGINNING
from store.errors import BadInput
from store.importing.csvrows import csv_rows
from store.importing.jsonfile import json_rows
from store.importing.rows import Found, Row, decode, json_lines, open_file, row_of

_LOOK: Final = 1 << 20
"""Bytes of a first line that are looked at."""


class Format(StrEnum):
    """How a file holds its rows."""

    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    CHAT = "chat"
    """A conversation in each row; JSON lines or a JSON list."""
    ARCHIVE = "project"
    """A whole project, as `export --what project` writes it."""


READABLE: Final = tuple(str(form) for form in Format if form is not Format.ARCHIVE)
"""Formats that may be named; an archive is known by its first bytes."""

_READERS: Final[dict[Format, Callable[[Path], Iterator[Found]]]] = {
    Format.JSONL: json_lines,
    Format.JSON: json_rows,
    Format.CSV: csv_rows,
}


def read_rows(path: Path, form: Format) -> Iterator[Found]:
    """Read the rows of one file.

    Raises:
        BadInput: The file cannot be opened or read, or is not of this format as a whole.
    """
    if form is Format.CHAT:
        form = detect(path)
    try:
        yield from _READERS[form](path)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error


def format_named(name: str, path: Path) -> Format:
    """Give the format that a user named, or the one a file is in when that is "auto".

    Raises:
        BadInput: There is no such format, or the file cannot be opened.
    """
    if name == "auto":
        return detect(path)
    if name not in READABLE:
        raise BadInput(f"format {name!r} cannot be read; those that can are auto, {', '.join(READABLE)}")
    return Format(name)


def detect(path: Path) -> Format:
    """Say which format a file is in, by its first bytes and, where those leave it open, by its ending.

    Raises:
        BadInput: The file cannot be opened.
    """
    with open_file(path) as file:
        first = file.readline(_LOOK)
        while first and not first.strip():
            first = file.readline(_LOOK)
        follows = file.readline(_LOOK).lstrip()[:1]
    suffix = path.suffix.lower()
    if first.startswith(BEGINNING):
        return Format.ARCHIVE
    if suffix in (".csv", ".tsv"):
        return Format.CSV
    begins = first.lstrip()[:1]
    if begins == b"[":
        # A conversation may be a row of its own, without a name around it.
        return Format.JSONL if _is_row(first) else Format.JSON
    if begins != b"{":
        return {".jsonl": Format.JSONL, ".ndjson": Format.JSONL, ".json": Format.JSON}.get(suffix, Format.CSV)
    if suffix in (".jsonl", ".ndjson"):
        return Format.JSONL
    # Several whole rows, one a line, are JSON lines whatever the ending says.
    return Format.JSONL if follows == begins and _is_row(first) else Format.JSON


def _is_row(line: bytes) -> bool:
    try:
        return isinstance(row_of(decode(line), 1), Row)
    except (msgspec.DecodeError, RecursionError):
        return False

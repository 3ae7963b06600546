"""Read files row by row, exactly as they are: nothing is guessed, bad rows are named by line.

JSON lines are split at line feeds only, since U+2028 and its kin are ordinary characters inside a
JSON string. Every cell of a CSV file is text: "NA", "0042" and "1e5" stay what they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

import msgspec

from store.errors import BadInput

BOM: Final = b"\xef\xbb\xbf"
_OTHER_KINDS: Final[Mapping[bytes, str]] = {
    b"\xff\xfe": "this is UTF-16: save it as UTF-8",
    b"\xfe\xff": "this is UTF-16: save it as UTF-8",
    b"\x1f\x8b": "this is compressed: unpack it first",
    b"PK\x03": "this is a spreadsheet or a zip file: save it as CSV, or unpack it first",
}
"""What the first bytes of a file tell that cannot be read."""

_BLANK: Final = b" \t\r\n"

decode: Final = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the file says it."""

    line: int
    """1-based line where it begins."""
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be read."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about the file as a whole that a person should know."""

    text: str


Found: TypeAlias = Row | BadRow | Remark


def open_file(path: Path) -> BinaryIO:
    """Open a file at its first byte after a byte-order mark.

    Raises:
        BadInput: It cannot be opened, or its first bytes say that it is no text in UTF-8.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115  # the caller closes it
        head = file.read(len(BOM))
        if head != BOM:
            file.seek(0)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    for magic, advice in _OTHER_KINDS.items():
        if head.startswith(magic):
            file.close()
            raise BadInput(f"{path}: {advice}")
    return file


def json_lines(path: Path) -> Iterator[Found]:
    """Read a file of JSON lines; blank lines are passed over.

    Raises:
        BadInput: The file cannot be opened.
    """
    with open_file(path) as file:
        for number, line in enumerate(file, 1):
            try:
                values = decode(line)
            except (msgspec.DecodeError, RecursionError):
                # A blank line, or a byte-order mark inside files that were put together, is no fault.
                rest = line.removeprefix(BOM).strip(_BLANK)
                if rest:
                    yield json_row(rest, number)
                continue
            yield Row(number, values) if type(values) is dict else row_of(values, number)


def json_row(text: bytes, line: int) -> Row | BadRow:
    """Read one JSON text as a row."""
    try:
        values = decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        return BadRow(line, why_not_json(text, error))
    return row_of(values, line)


def row_of(values: object, line: int) -> Row | BadRow:
    """Take a JSON value as a row: an object, or a list of messages."""
    if isinstance(values, dict):
        return Row(line, values)
    if isinstance(values, list) and values and all(isinstance(one, dict) and "role" in one for one in values):
        return Row(line, {"messages": values})
    return BadRow(line, "a row is a JSON object with named fields")


def why_not_json(text: bytes, error: Exception) -> str:
    """Say what is wrong with a JSON text, in words that name the usual causes."""
    if isinstance(error, RecursionError):
        return "bad JSON: it is nested too deeply"
    barewords: list[str] = []
    try:
        json.loads(text, parse_constant=barewords.append)
    except (ValueError, RecursionError):
        pass
    else:
        if barewords:
            return f"bad JSON: {barewords[0]} is not a JSON value"
        if b"\\u" in text:
            return "bad JSON: a string holds half of a surrogate pair (\\ud800 to \\udfff alone)"
    detail = str(error).removeprefix("JSON is malformed: ")
    return f"bad JSON: {detail}" + (" (a value is cut off)" if "truncated" in detail else "")

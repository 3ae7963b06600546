"""Read files row by row, exactly as they are: nothing is guessed, bad rows are named by line.

JSON lines are split at line feeds only, since U+2028 and its kin are ordinary characters inside a
JSON string. Every cell of a CSV file is text: "NA", "0042" and "1e5" stay what they are.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from store.errors import BadInput

_BOM: Final = b"\xef\xbb\xbf"
_LISTS: Final = ("data", "rows", "traces", "examples", "items", "results")
"""Keys under which a JSON object may hold its rows."""
_INERT: Final = re.compile(r"'+\s*[=+\-@\t\r]")


@dataclass(frozen=True, slots=True)
class Row:
    """One row as the file says it."""

    line: int
    """1-based line where it begins; in a JSON array its position, from 1."""
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be read."""

    line: int
    reason: str


def read_rows(path: Path, form: str) -> Iterator[Row | BadRow]:
    """Read the rows of one file.

    Args:
        path: The file.
        form: "jsonl", "json" or "csv".

    Raises:
        BadInput: The file cannot be opened, or is not of this format as a whole.
    """
    try:
        match form:
            case "csv":
                yield from _csv(path)
            case "json":
                yield from _json(path)
            case _:
                yield from _jsonl(path)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: byte {error.start} is not UTF-8: save the file as UTF-8") from error


def detect(path: Path) -> str:
    """Say which format a file is in, by its ending and, for .json, by its first character.

    Raises:
        BadInput: The file cannot be opened.
    """
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return "csv"
    if suffix in (".jsonl", ".ndjson"):
        return "jsonl"
    try:
        with open(path, "rb") as file:
            head = file.read(4096).removeprefix(_BOM).lstrip()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    if head[:1] == b"[":
        return "json"
    if head[:1] == b"{":
        first, end, rest = head.partition(b"\n")
        # Several whole objects, one a line, are JSON lines whatever the ending says.
        return "jsonl" if end and rest[:1] == b"{" and _is_object(first) else "json"
    return "csv"


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except msgspec.DecodeError:
        return False


def _jsonl(path: Path) -> Iterator[Row | BadRow]:
    with open(path, "rb") as file:
        for number, raw in enumerate(file, 1):
            line = (raw.removeprefix(_BOM) if number == 1 else raw).strip(b" \t\r\n")
            if line:
                yield _object(line, number)


def _object(line: bytes, number: int) -> Row | BadRow:
    try:
        values = msgspec.json.decode(line)
    except msgspec.DecodeError as error:
        return BadRow(number, f"this is not one whole JSON value: {error}")
    except RecursionError:
        return BadRow(number, "the JSON is nested too deeply")
    if not isinstance(values, dict):
        return BadRow(number, f"a row is a JSON object, not {type(values).__name__}")
    return Row(number, values)


def _json(path: Path) -> Iterator[Row | BadRow]:
    data = path.read_bytes().removeprefix(_BOM)
    try:
        document = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON: {error}") from error
    if isinstance(document, dict):
        rows = next((document[key] for key in _LISTS if isinstance(document.get(key), list)), [document])
    else:
        rows = document
    if not isinstance(rows, list):
        raise BadInput(f"{path}: a JSON file holds a list of rows, or an object with one")
    for number, values in enumerate(rows, 1):
        if isinstance(values, dict):
            yield Row(number, values)
        else:
            yield BadRow(number, f"a row is a JSON object, not {type(values).__name__}")


def _csv(path: Path) -> Iterator[Row | BadRow]:
    # A long trace is one cell; the module's default limit of 131,072 characters would stop there.
    csv.field_size_limit(sys.maxsize)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        try:
            header = next(reader, None)
            if not header:
                raise BadInput(f"{path}: the first line of a CSV file names its fields; this one is empty")
            begins = reader.line_num + 1
            for cells in reader:
                line, begins = begins, reader.line_num + 1
                if not cells:
                    continue
                if len(cells) > len(header):
                    yield BadRow(line, f"{len(cells)} cells, but the header names {len(header)}")
                    continue
                yield Row(line, {name: _cell(cell) for name, cell in zip(header, cells, strict=False)})
        except csv.Error as error:
            yield BadRow(reader.line_num, f"not CSV from here on: {error}")


def _cell(cell: str) -> str:
    """Take off the apostrophe that our export puts before what a spreadsheet would run as a formula."""
    return cell[1:] if _INERT.match(cell) else cell

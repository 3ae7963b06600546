"""Read CSV files: every cell is text, a cell may hold line ends, and a row is named by its first line."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from store.errors import BadInput
from store.importing.inert import KIND_FIELD, NESTED_FIELDS, OTHER_KIND, bare
from store.importing.rows import BadRow, Found, Remark, Row, open_file

_DELIMITERS: Final = {"\t": "tabs", ";": "semicolons"}


class _Lines:
    """The lines of a file as text, and which of them are not UTF-8."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.number = 0
        self.bad: dict[int, str] = {}

    def __iter__(self) -> Iterator[str]:
        for line in self._file:
            self.number += 1
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                wrong = line[error.start]
                self.bad[self.number] = f"byte 0x{wrong:02x} is not UTF-8: save the file as UTF-8"
                yield line.decode(errors="replace")


def csv_rows(path: Path) -> Iterator[Found]:
    """Read the rows of a CSV file; the first line names the fields.

    Raises:
        BadInput: The file cannot be opened, or its header cannot be used.
    """
    # A long trace is one cell; the module's default limit of 131,072 characters would stop there.
    csv.field_size_limit(sys.maxsize)
    with open_file(path) as file:
        first = file.readline()
        file.seek(-len(first), 1)
        delimiter = _delimiter(first.decode(errors="replace"))
        if delimiter in _DELIMITERS:
            yield Remark(f"{path.name}: cells are separated by {_DELIMITERS[delimiter]}")
        lines = _Lines(file)
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        header = _header(path, reader)
        if lines.bad:
            raise BadInput(f"{path}:1: {next(iter(lines.bad.values()))}")
        is_ours = KIND_FIELD in header
        while True:
            begins = lines.number + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                hint = " (a quote that is opened here is never closed)" if "end of data" in str(error) else ""
                yield BadRow(begins, f"bad CSV: {error}{hint}")
                continue
            reason = _fault(cells, header, lines, begins)
            if reason:
                yield BadRow(begins, reason)
            elif cells and is_ours:
                yield _ours(header, cells, begins)
            elif cells:
                yield Row(begins, dict(zip(header, cells, strict=True)))


def _delimiter(header: str) -> str:
    """Take the comma, unless the header has none and is separated by something else."""
    if "," in header:
        return ","
    return next((one for one in _DELIMITERS if one in header), ",")


def _header(path: Path, reader: Iterator[list[str]]) -> list[str]:
    try:
        header = [bare(name).strip() for name in next(reader, [])]
    except csv.Error as error:
        hint = (
            ": its lines end in carriage returns alone, save it with line feeds"
            if "new-line" in str(error)
            else ""
        )
        raise BadInput(f"{path}:1: bad CSV{hint or f': {error}'}") from error
    if not any(header):
        raise BadInput(f"{path}: the first line of a CSV file names its fields; this one is empty")
    for position, name in enumerate(header):
        if name in header[:position] and name:
            raise BadInput(f"{path}:1: two columns are named {name!r}")
    return [name or f"column {position}" for position, name in enumerate(header, 1)]


def _fault(cells: Sequence[str], header: Sequence[str], lines: _Lines, begins: int) -> str | None:
    if lines.bad:
        for number in range(begins, lines.number + 1):
            if number in lines.bad:
                return lines.bad[number]
    if cells and len(cells) != len(header):
        # Too few is as bad as too many: a line end or comma that was not quoted has shifted the row.
        return f"{len(cells)} cells, but the header names {len(header)}"
    return None


def _ours(header: Sequence[str], cells: Sequence[str], line: int) -> Row | BadRow:
    """Read a row of our own export back: formulas were made inert, nested values written as JSON."""
    values: dict[str, object] = {name: bare(cell) for name, cell in zip(header, cells, strict=True)}
    kind = values.pop(KIND_FIELD)
    for name in OTHER_KIND.get(str(kind), ()):
        values.pop(name, None)
    for name in NESTED_FIELDS:
        if name in values:
            text = values.pop(name)
            if text:
                try:
                    values[name] = msgspec.json.decode(str(text))
                except (msgspec.DecodeError, RecursionError):
                    return BadRow(line, f"{name}: not the JSON that was written here")
    return Row(line, values)

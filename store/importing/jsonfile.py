"""Read the rows of a JSON document one by one, so that a large one never stands in memory as a whole.

A regular expression runs over what cannot end a value (strings and everything that is no bracket);
only the brackets are counted here. What lies between is left to the one JSON reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from store.errors import BadInput
from store.importing.rows import BadRow, Found, Remark, decode, json_row, open_file, row_of, why_not_json

_LISTS: Final = ("data", "rows", "traces", "examples", "items", "results")
"""Keys under which a JSON object may hold its rows."""
_ROW_FIELDS: Final = frozenset({"input", "output", "messages", "a", "b"})
"""An object with one of these is a row itself."""

_STRING: Final = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PLAIN: Final = re.compile(rb'[^"\[\]{}]*+(?:' + _STRING + rb'[^"\[\]{}]*+)*+', re.DOTALL)
_SCALAR: Final = re.compile(rb'[^",\[\]{}]*+(?:' + _STRING + rb'[^",\[\]{}]*+)*+', re.DOTALL)
_BETWEEN: Final = re.compile(rb"[\s,]*+")
_KEY: Final = re.compile(rb"(" + _STRING + rb")\s*+:\s*+", re.DOTALL)

_QUOTE: Final = ord('"')
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class _Value:
    line: int
    text: bytes
    whole: bool
    """Whether it ends before the file does."""


class _Scanner:
    """A window on a file that moves forward and knows its line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._text = b""
        self._at = 0
        self._line = 1
        self._counted = 0

    @property
    def line(self) -> int:
        """The 1-based line of the present place."""
        self._line += self._text.count(b"\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _more(self) -> bool:
        """Read on and let go of what lies behind; say whether there was more.

        Twice as much each time, so that a long value is not gone through again and again.
        """
        line = self.line
        kept = self._text[self._at :]
        chunk = self._file.read(max(_CHUNK, len(kept)))
        self._text, self._at, self._counted, self._line = kept + chunk, 0, 0, line
        return bool(chunk)

    def peek(self) -> bytes:
        """Give the next byte that is neither white space nor a comma; empty at the end of the file."""
        while True:
            found = _BETWEEN.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at : self._at + 1]
            if not self._more():
                return b""

    def step(self) -> None:
        """Go over one byte."""
        self._at += 1

    def key(self) -> str | None:
        """Read a member's name and the colon after it; None when there is none here."""
        if self.peek() != b'"':
            return None
        while True:
            found = _KEY.match(self._text, self._at)
            # The value has to have begun, or white space before it could be left unread.
            if found and found.end() < len(self._text):
                self._at = found.end()
                name: str = decode(found[1])
                return name
            if not self._more():
                return None

    def value(self, *, keep: bool = True) -> _Value:
        """Go over one value; a list or object ends with its bracket, the rest before a comma or bracket.

        Args:
            keep: Whether the value's text is wanted; without it a value of any size costs no memory.
        """
        line = self.line
        nested = self._text[self._at] in b"{["
        pattern = _PLAIN if nested else _SCALAR
        depth = length = 0
        while True:
            at = _end(pattern, self._text, self._at + length)
            if not keep:
                self._at = at
            length = at - self._at
            if at == len(self._text) or self._text[at] == _QUOTE:
                if self._more():
                    continue
                return self._taken(line, len(self._text) - self._at, whole=False)
            if nested:
                depth += 1 if self._text[at] in b"{[" else -1
                length += 1
            if depth == 0:
                return self._taken(line, length, whole=True)

    def _taken(self, line: int, length: int, *, whole: bool) -> _Value:
        text = self._text[self._at : self._at + length]
        self._at += length
        return _Value(line, text, whole)


def _end(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def json_rows(path: Path) -> Iterator[Found]:
    """Read the rows of a JSON document: a list of them, an object that holds such a list, or one row.

    Raises:
        BadInput: The file cannot be opened, or it is not JSON as a whole.
    """
    with open_file(path) as file:
        scanner = _Scanner(file)
        match scanner.peek():
            case b"[":
                scanner.step()
                yield from _elements(scanner)
                if scanner.peek():
                    yield BadRow(scanner.line, "bad JSON: there is more after the end of the list")
            case b"{":
                yield from _object(path, scanner)
            case b"":
                return
            case _:
                raise BadInput(f"{path}: not JSON: it begins with neither [ nor {{")


def _elements(scanner: _Scanner) -> Iterator[Found]:
    """Read the elements of the list that the scanner is in."""
    while (first := scanner.peek()) != b"]":
        if first in (b"", b"}"):
            yield BadRow(scanner.line, "bad JSON: the list of rows is not closed")
            return
        value = scanner.value()
        if not value.whole:
            yield BadRow(value.line, "bad JSON: the file ends inside this row")
            return
        yield json_row(value.text, value.line)
    scanner.step()


def _object(path: Path, scanner: _Scanner) -> Iterator[Found]:
    """Read the rows of a document that is an object."""
    key = _list_key(scanner)
    if key is None:
        with open_file(path) as file:
            text = file.read()
        try:
            values = decode(text)
        except (msgspec.DecodeError, RecursionError) as error:
            raise BadInput(f"{path}: {why_not_json(text, error)}") from error
        yield row_of(values, 1)
        return
    yield Remark(f"{path.name}: the rows are those of {key!r}")
    with open_file(path) as file:
        again = _Scanner(file)
        again.peek()
        again.step()
        while again.key() != key:
            again.value(keep=False)
        again.step()
        yield from _elements(again)


def _list_key(scanner: _Scanner) -> str | None:
    """Find the member that holds the rows: one of the usual names, or the only one there is."""
    scanner.step()
    lists: dict[str, bool] = {}
    while (name := scanner.key()) is not None:
        lists[name] = scanner.peek() == b"["
        if scanner.peek() in (b"", b"]", b"}"):
            return None
        scanner.value(keep=False)
    if lists.keys() & _ROW_FIELDS:
        return None
    found = next((name for name in _LISTS if lists.get(name)), None)
    return found or next((name for name in lists if lists[name] and len(lists) == 1), None)

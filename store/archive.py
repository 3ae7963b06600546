"""A whole project in one file: everything recorded, in order, as compressed JSON lines.

The first line says what the file is and the last one how many lines there are and what they hash to,
so a file that was cut short is noticed before anything is taken from it. Between them stand the
traces file by file, the tables of the journal with the ids of their documents, and the runs with
their logs. Labels of a sealed hold-out are part of a project and therefore of its archive; it is
compressed, so nobody reads them by opening it.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from store.errors import BadInput
from store.files import replace_whole
from store.journal import Change
from store.project import Project
from store.runrecords import RunPlan
from store.runs import Entry
from store.segments import segments_in

FORMAT: Final = 1
_CHUNK: Final = 1 << 20
_GZIP: Final = 16 + zlib.MAX_WBITS


class Line(msgspec.Struct, omit_defaults=True):
    """One line of an archive: exactly one of its groups is set."""

    adjudge: str | None = None
    """First line: "project"."""
    format: int = 0
    segment: str | None = None
    """The traces that follow are of this imported file."""
    trace: msgspec.Raw | None = None
    journal: Change | None = None
    """Documents of one table, or the highest ids ever used."""
    run: RunPlan | None = None
    """The entries that follow are of this run."""
    entry: Entry | None = None
    lines: int | None = None
    """Last line: how many lines stand before it."""
    sha256: str = ""
    """Last line: what they hash to."""


_decode: Final = msgspec.json.Decoder(Line).decode


def write_archive(project: Project, path: Path) -> int:
    """Write everything a project holds to one file, whole or not at all.

    Returns:
        How many records it holds.

    Raises:
        BadInput: There is nothing in the project.
        StoreError: The disk did not take it.
    """
    if not len(project.traces) and not any(project.journal.changes()):
        raise BadInput("there is nothing to export: no file was written")
    sealed = _Sealed(_lines(project))
    replace_whole(path, _compressed(sealed))
    return sealed.count - 1


def read_archive(path: Path) -> Iterator[Line]:
    """Read an archive line by line; the closing line is checked, not given.

    Raises:
        BadInput: It is no archive, of a newer version, damaged or cut short. What was given until then is
            not to be relied on.
    """
    digest = hashlib.sha256()
    count = 0
    try:
        for data in _decompressed(path):
            line = _decode(data)
            if count == 0 and (line.adjudge != "project" or line.format > FORMAT):
                raise BadInput(f"{path}: this is not a project exported by this version of adjudge")
            if line.lines is not None:
                if line.lines != count or line.sha256 != digest.hexdigest():
                    raise BadInput(f"{path}: the archive was changed: its content does not fit its last line")
                return
            digest.update(data)
            count += 1
            yield line
    except (msgspec.DecodeError, zlib.error) as error:
        raise BadInput(f"{path}: line {count + 1} of the archive cannot be read: {error}") from error
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    raise BadInput(f"{path}: the archive is cut short after {count} lines")


def _lines(project: Project) -> Iterator[Line]:
    yield Line(adjudge="project", format=FORMAT)
    for path in segments_in(project.traces.folder):
        yield Line(segment=path.name)
        with open(path, "rb") as file:
            for trace in file:
                yield Line(trace=msgspec.Raw(trace.rstrip(b"\n")))
    for change in project.journal.changes():
        yield Line(journal=change)
    for run in project.runs.all():
        yield Line(run=run.plan())
        for entry in run.entries():
            yield Line(entry=entry)


class _Sealed:
    """Lines as bytes, with a closing line that counts and hashes them."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self.count = 0

    def __iter__(self) -> Iterator[bytes]:
        digest = hashlib.sha256()
        for line in self._lines:
            data = msgspec.json.encode(line) + b"\n"
            digest.update(data)
            self.count += 1
            yield data
        yield msgspec.json.encode(Line(lines=self.count, sha256=digest.hexdigest())) + b"\n"


def _compressed(parts: Iterable[bytes]) -> Iterator[bytes]:
    squeeze = zlib.compressobj(level=4, wbits=_GZIP)
    for part in parts:
        if data := squeeze.compress(part):
            yield data
    yield squeeze.flush()


def _decompressed(path: Path) -> Iterator[bytes]:
    """Give the lines of a compressed file, each with its line end; a last one without is cut short."""
    expand = zlib.decompressobj(wbits=_GZIP)
    rest = b""
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            *lines, rest = (rest + expand.decompress(chunk)).split(b"\n")
            for line in lines:
                yield line + b"\n"

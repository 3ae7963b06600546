"""What an import says when it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Place(NamedTuple):
    """Where something stood in a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row, or a field of a row, that was left out."""

    file: str
    line: int
    """1-based line where the row begins."""
    field: str
    """The trace field it is about, or "row" when the row itself cannot be read."""
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.field}: {self.reason}"


@dataclass(frozen=True)
class ImportReport:
    """What an import brought."""

    traces: int
    labels: int
    verdicts: int
    run: str | None
    """Id of the run that holds the recorded verdicts."""
    repeated: int
    """Rows, labels and verdicts that said nothing new."""
    rejected: tuple[Rejected, ...]
    notes: tuple[str, ...]

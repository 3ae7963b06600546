"""List the rows on which a person and a judge differ, the most harmful first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from judging.joining import Join, Row
from store.records import Cause, Decision


class Difference(StrEnum):
    """In which way a judge differs from a person."""

    FALSE_PASS = "false pass"
    """Waved through: the person failed it, the judge passed it."""
    FALSE_FAIL = "false fail"
    """Too strict: the person passed it, the judge failed it."""
    OTHER = "other"
    """Any other pair of different words, e.g. A against tie."""


_SEVERITY = {Difference.FALSE_PASS: 0, Difference.OTHER: 1, Difference.FALSE_FAIL: 2}


@dataclass(frozen=True)
class Disagreement:
    """One row on which person and judge differ."""

    row: Row
    kind: Difference
    cause: str | None

    @property
    def trace(self) -> str:
        """The trace's id."""
        return self.row.trace


def difference(row: Row) -> Difference | None:
    """Say how a row's verdict differs from its label; None when it agrees or there is no verdict."""
    said, person = row.verdict.verdict, row.label.verdict
    if said is None or said == Decision.UNKNOWN or said == person:
        return None
    if (person, said) == (Decision.FAIL, Decision.PASS):
        return Difference.FALSE_PASS
    if (person, said) == (Decision.PASS, Decision.FAIL):
        return Difference.FALSE_FAIL
    return Difference.OTHER


def disagreements(joined: Join, causes: Mapping[str, Cause]) -> tuple[Disagreement, ...]:
    """Give every row that differs: false passes first, then by trace id."""
    found = [
        Disagreement(row, kind, causes[row.trace].cause if row.trace in causes else None)
        for row in joined.rows
        if (kind := difference(row)) is not None
    ]
    return tuple(sorted(found, key=lambda one: (_SEVERITY[one.kind], one.trace)))


def causes_counted(found: Iterable[Disagreement]) -> tuple[tuple[str, int], ...]:
    """Count the causes given so far, the most frequent first."""
    counts = Counter(one.cause for one in found if one.cause is not None)
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

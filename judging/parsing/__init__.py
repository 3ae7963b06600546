"""Read one verdict, or one named kind of no verdict, out of what a judge wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from store.records import JudgeKind, Reason


@dataclass(frozen=True)
class Vocabulary:
    """What a verdict may be called."""

    words: Mapping[str, str]
    """Every accepted spelling, case-folded, to the verdict it means."""


@dataclass(frozen=True)
class Reading:
    """What was read from one answer."""

    verdict: str | None
    critique: str = ""
    reason: Reason | None = None
    detail: str = ""
    flags: tuple[str, ...] = ()


def read_verdict(text: str, kind: JudgeKind, *, vocabulary: Vocabulary | None = None) -> Reading:
    """Read the verdict that an answer states."""
    raise NotImplementedError

"""What a statistic may be: an estimate, or undefined with the reason."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A figure that could be computed."""

    value: float
    low: float | None = None
    """Lower end of the interval; None where no interval is defined."""
    high: float | None = None
    """Upper end of the interval."""
    k: int | None = None
    """How many of `n`; None where the figure is not a proportion of whole rows."""
    n: int | None = None
    """Out of how many rows (or verdicts)."""
    method: str = ""
    """How the interval (or, without one, the value) was made, in words a screen can print."""

    def __post_init__(self) -> None:
        for number in (self.value, self.low, self.high):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"an estimate must be finite, not {number}")


@dataclass(frozen=True)
class Undefined:
    """A figure that cannot be known from these rows."""

    reason: str
    """Why, in words a screen can print."""


Figure = Estimate | Undefined
"""What every statistic here returns."""

JsonFigure = dict[str, float | int | str | None]
"""A figure as it is written to JSON."""


def as_json(figure: Figure) -> JsonFigure:
    """Give a figure as {value, low, high, k, n}; undefined is all null, with its `reason`."""
    if isinstance(figure, Undefined):
        return {"value": None, "low": None, "high": None, "k": None, "n": None, "reason": figure.reason}
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "k": figure.k,
        "n": figure.n,
    }

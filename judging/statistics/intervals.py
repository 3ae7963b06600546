"""Intervals: the few constructions that every figure's two ends come from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Final

CONFIDENCE: Final = 0.95
"""What intervals promise unless asked otherwise."""


@dataclass(frozen=True)
class Interval:
    """Two ends, low first."""

    low: float
    high: float

    def holding(self, value: float) -> Interval:
        """Widen to include a value, so that no figure is ever printed outside its own interval."""
        return Interval(min(self.low, value), max(self.high, value))


@cache
def normal_quantile(confidence: float) -> float:
    """Give z such that a standard normal lies within ±z with this chance (0.95: 1.959964).

    Raises:
        ValueError: The confidence is not strictly between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson_interval(share: float, n: float, *, confidence: float = CONFIDENCE) -> Interval:
    """Give Wilson's score interval of a share observed over n > 0 rows.

    The share need not be a whole number of rows, so means of scores in 0..1 can use it too: no
    variable in 0..1 varies more than a yes/no one of the same mean, so it is wide enough for them.

    Source: E. B. Wilson, JASA 22 (1927) 209-212.
    """
    z = normal_quantile(confidence)
    denominator = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / denominator
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / denominator
    # At shares of 0 and 1 the formula gives exactly that end; rounding must not move it.
    low = 0.0 if share <= 0 else max(0.0, centre - half)
    high = 1.0 if share >= 1 else min(1.0, centre + half)
    return Interval(low, high)


def square_and_add(values: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """Give the interval of a sum of independent figures from their own intervals.

    Each side adds the squared distances from the figures to their own ends, so the sum inherits
    the good behaviour of Wilson's interval at small n and near 0 and 1.

    Args:
        values: The figures.
        intervals: One for each, at the confidence the sum's interval shall have.

    Source: R. G. Newcombe, Statistics in Medicine 17 (1998) 873-890; G. Y. Zou and A. Donner,
    Statistics in Medicine 27 (2008) 1693-1702.
    """
    total = math.fsum(values)
    pairs = list(zip(values, intervals, strict=True))
    down = math.sqrt(math.fsum((value - interval.low) ** 2 for value, interval in pairs))
    up = math.sqrt(math.fsum((interval.high - value) ** 2 for value, interval in pairs))
    return Interval(total - down, total + up)


def normal_interval(
    centre: float, deviation: float, *, low: float, high: float, confidence: float = CONFIDENCE
) -> Interval:
    """Give centre ± z standard errors, cut to the range the figure can take."""
    half = normal_quantile(confidence) * deviation
    return Interval(max(low, centre - half), min(high, centre + half))

"""Shares of rows with honest intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

from judging.statistics.intervals import CONFIDENCE, Interval, square_and_add, wilson_interval
from judging.statistics.values import Estimate, Figure, Undefined

NO_ROWS = "no data: there are no rows"


def wilson(k: int, n: int, *, confidence: float = CONFIDENCE) -> Figure:
    """Give k of n as a share with Wilson's interval; undefined without rows.

    Raises:
        ValueError: k is not within 0..n.
    """
    return proportion(k, n, confidence=confidence)


def proportion(k: int, n: int, *, empty: str = NO_ROWS, confidence: float = CONFIDENCE) -> Figure:
    """Give k of n as `wilson` does, with the reason to show where there are no rows.

    Raises:
        ValueError: k is not within 0..n.
    """
    _check(k, n)
    if n == 0:
        return Undefined(empty)
    interval = wilson_interval(k / n, n, confidence=confidence)
    return Estimate(k / n, interval.low, interval.high, k, n, f"Wilson {confidence:.0%}")


def mean_of_rates(rates: Sequence[Figure]) -> Figure:
    """Average rates over separate sets of rows, each with the interval `proportion` gave it.

    Undefined, with the first reason, where any of the rates is.

    Raises:
        ValueError: There is nothing to average, or a rate comes without an interval.
    """
    known: list[Estimate] = []
    intervals: list[Interval] = []
    for rate in rates:
        if isinstance(rate, Undefined):
            return rate
        if rate.low is None or rate.high is None:
            raise ValueError("the average of rates needs an interval for each")
        known.append(rate)
        intervals.append(Interval(rate.low, rate.high))
    if not known:
        raise ValueError("there is nothing to average")
    total = square_and_add([rate.value for rate in known], intervals)
    return Estimate(
        math.fsum(rate.value for rate in known) / len(known),
        max(0.0, total.low / len(known)),
        min(1.0, total.high / len(known)),
        n=sum(rate.n or 0 for rate in known),
        method=f"square-and-add of {known[0].method}",
    )


def beta_chance(k: int, n: int, bar: float) -> Figure:
    """Give the chance that the true rate is above a bar, having seen k of n.

    Under Jeffreys' prior the rate is Beta(k + 1/2, n - k + 1/2).

    Raises:
        ValueError: k is not within 0..n, or the bar not within 0..1.
    """
    _check(k, n)
    if not 0 <= bar <= 1:
        raise ValueError(f"a bar for a rate lies within 0..1, not at {bar}")
    if n == 0:
        return Undefined(NO_ROWS)
    from scipy.special import betaincc  # a fifth of a second to import: only when asked for

    return Estimate(float(betaincc(k + 0.5, n - k + 0.5, bar)), n=n, method="Jeffreys prior")


def _check(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a share")

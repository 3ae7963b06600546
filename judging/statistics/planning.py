"""How many labels a promise needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from judging.statistics.intervals import CONFIDENCE, normal_quantile, wilson_interval
from judging.statistics.values import Undefined

_LARGEST_PLAN = 10_000_000
"""Beyond this the observed rate is too close to the target for a plan to mean anything."""


@dataclass(frozen=True)
class LabelPlan:
    """How many rows of one class are needed, and what is then expected of the judge."""

    right: int
    """Of `n`, how many the judge gets right at the observed rate (rounded down)."""
    n: int
    low: float
    """Lower end of the Wilson interval of right / n."""
    high: float


def labels_for_target(
    observed_rate: float, target: float, *, confidence: float = CONFIDENCE
) -> LabelPlan | Undefined:
    """Give the smallest n whose Wilson lower end reaches the target at the observed rate.

    Half a row cannot be right: of n rows the judge gets floor(rate * n) right. For a target of 0.90,
    35 of 35 do, and 133 of 140 at 0.95. Undefined where the rate is not above the target, for then
    no number of labels brings the lower end there.

    Raises:
        ValueError: The rate is not within 0..1 or the target not strictly between 0 and 1.
    """
    if not 0 <= observed_rate <= 1:
        raise ValueError(f"a rate lies within 0..1, not at {observed_rate}")
    return _plan(observed_rate, target, at_least=1, confidence=confidence)


def more_labels_needed(
    k: int, n: int, target: float, *, confidence: float = CONFIDENCE
) -> LabelPlan | Undefined:
    """Give the labels in all (`n` of them, not fewer than now) that a target needs at the rate k of n.

    The labels still to make are the plan's n minus n: none where the lower end is there already.

    Raises:
        ValueError: k is not within 0..n, or the target not strictly between 0 and 1.
    """
    if not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is not a share")
    if n == 0:
        return Undefined("no data: there is no rate to plan from")
    return _plan(k / n, target, at_least=n, confidence=confidence)


def _plan(rate: float, target: float, *, at_least: int, confidence: float) -> LabelPlan | Undefined:
    if not 0 < target < 1:
        raise ValueError(f"a target lies between 0 and 1, not at {target}")
    if rate <= target:
        return Undefined(
            f"at a rate of {rate:.1%} no number of labels brings the lower end to {target:.0%}: "
            "the judge itself must get better"
        )
    z = normal_quantile(confidence)
    # The lower end of k of n reaches t exactly when (k/n - t)^2 >= z^2 t (1 - t) / n: Wilson's interval
    # is the score test turned round. With k/n <= rate this bounds n from below; rounding k down costs
    # at most a few rows more.
    n = max(at_least, math.ceil(z * z * target * (1 - target) / (rate - target) ** 2 - 1e-9))
    while n <= _LARGEST_PLAN:
        right = math.floor(rate * n + 1e-9)
        interval = wilson_interval(right / n, n, confidence=confidence)
        if interval.low >= target:
            return LabelPlan(right, n, interval.low, interval.high)
        n += 1
    return Undefined(f"a rate of {rate:.2%} is too close to {target:.0%} for labels to tell them apart")


def labels_for_width(observed_rate: float, width: float, *, confidence: float = CONFIDENCE) -> LabelPlan:
    """Give the smallest n whose Wilson interval is no wider than asked (from end to end).

    Here rate * n is not rounded for the width: a plan for a width does not hang on one row.

    Raises:
        ValueError: The rate is not within 0..1 or the width not strictly between 0 and 1.
    """
    if not 0 <= observed_rate <= 1:
        raise ValueError(f"a rate lies within 0..1, not at {observed_rate}")
    if not 0 < width < 1:
        raise ValueError(f"a width lies between 0 and 1, not at {width}")

    def wide(n: int) -> bool:
        interval = wilson_interval(observed_rate, n, confidence=confidence)
        return interval.high - interval.low > width

    high = 1
    while wide(high):
        high *= 2
    low = high // 2
    # The width falls steadily as n grows, so halving finds the first n that will do.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    interval = wilson_interval(observed_rate, high, confidence=confidence)
    return LabelPlan(math.floor(observed_rate * high + 1e-9), high, interval.low, interval.high)

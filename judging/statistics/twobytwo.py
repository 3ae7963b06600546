"""Figures of a two-by-two table: balanced accuracy, F1, MCC, and the test between two judges."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from judging.statistics.counts import Counts
from judging.statistics.intervals import CONFIDENCE, normal_interval, wilson_interval
from judging.statistics.rates import mean_of_rates, proportion
from judging.statistics.values import Estimate, Figure, Undefined

NO_PASSES = "no data: there are no passes"
NO_FAILS = "no data: there are no fails"


def true_positive_rate(table: Counts, *, confidence: float = CONFIDENCE) -> Figure:
    """Give the share of the person's passes that the judge passed; rows without a verdict are out."""
    return proportion(table.tp, table.tp + table.fn, empty=NO_PASSES, confidence=confidence)


def true_negative_rate(table: Counts, *, confidence: float = CONFIDENCE) -> Figure:
    """Give the share of the person's fails that the judge failed; rows without a verdict are out."""
    return proportion(table.tn, table.tn + table.fp, empty=NO_FAILS, confidence=confidence)


def balanced_accuracy(table: Counts, *, confidence: float = CONFIDENCE) -> Figure:
    """Give the mean of TPR and TNR; undefined where either is."""
    return mean_of_rates(
        [
            true_positive_rate(table, confidence=confidence),
            true_negative_rate(table, confidence=confidence),
        ]
    )


def f1(table: Counts, *, confidence: float = CONFIDENCE) -> Figure:
    """Give F1 of "pass": 2 TP / (2 TP + FP + FN); undefined where nobody passed anything.

    F1 = 2 J / (1 + J) for the share J = TP / (TP + FP + FN) of the rows that either side passed,
    and the rise is steady, so the ends of J's Wilson interval give those of F1.
    """
    either = table.tp + table.fp + table.fn
    if either == 0:
        return Undefined("no data: neither the person nor the judge passed a row")
    interval = wilson_interval(table.tp / either, either, confidence=confidence)
    return Estimate(
        2 * table.tp / (table.tp + either),
        2 * interval.low / (1 + interval.low),
        2 * interval.high / (1 + interval.high),
        n=either,
        method=f"Wilson {confidence:.0%} of TP among rows either side passed",
    )


def mcc(table: Counts, *, confidence: float = CONFIDENCE) -> Figure:
    """Give Matthews' correlation coefficient (phi); undefined where a row or column is empty.

    The interval is the large-sample one of the same table with half a row more in each cell: the
    plain one has width 0 at full agreement, however few the rows.

    Source: B. W. Matthews, Biochim. Biophys. Acta 405 (1975) 442-451; standard error: Y. M. M.
    Bishop, S. E. Fienberg and P. W. Holland, Discrete Multivariate Analysis (1975), section 11.3.
    """
    sides = {
        "the person passed no row": table.tp + table.fn,
        "the person failed no row": table.fp + table.tn,
        "the judge passed no row": table.tp + table.fp,
        "the judge failed no row": table.fn + table.tn,
    }
    for side, count in sides.items():
        if count == 0:
            return Undefined(f"undefined: {side}")
    value = (table.tp * table.tn - table.fp * table.fn) / math.sqrt(math.prod(sides.values()))
    phi = _phi_moments(table.tp + 0.5, table.fn + 0.5, table.fp + 0.5, table.tn + 0.5)
    interval = normal_interval(phi.value, phi.deviation, low=-1.0, high=1.0, confidence=confidence).holding(
        value
    )
    return Estimate(
        value,
        interval.low,
        interval.high,
        n=sum(sides.values()) // 2,
        method=f"large-sample {confidence:.0%}, half a row added to each cell",
    )


@dataclass(frozen=True)
class _Moments:
    value: float
    deviation: float


def _phi_moments(tp: float, fn: float, fp: float, tn: float) -> _Moments:
    """Give phi and its large-sample standard error for a table without empty cells."""
    n = tp + fn + fp + tn
    rows, columns = (tp + fn) * (fp + tn), (tp + fp) * (fn + tn)
    row_slant, column_slant = (tp + fn) - (fp + tn), (tp + fp) - (fn + tn)
    phi = (tp * tn - fp * fn) / math.sqrt(rows * columns)
    variance = (
        1
        - phi**2
        + phi * (1 + phi**2 / 2) * row_slant * column_slant / math.sqrt(rows * columns)
        - 0.75 * phi**2 * (row_slant**2 / rows + column_slant**2 / columns)
    ) / n
    return _Moments(phi, math.sqrt(max(0.0, variance)))


@dataclass(frozen=True)
class McNemar:
    """Two judges on the same rows: only the rows on which exactly one of them is right count."""

    only_first: int
    """Rows only the first judge got right."""
    only_second: int
    p_value: float
    """Two-sided: the chance of a split at least this uneven were both judges equally good."""


def mcnemar(rows: Iterable[tuple[bool, bool]]) -> McNemar:
    """Compare two judges by (first right, second right) for each row; see `mcnemar_exact`."""
    only_first = only_second = 0
    for first, second in rows:
        only_first += first and not second
        only_second += second and not first
    return mcnemar_exact(only_first, only_second)


def mcnemar_exact(only_first: int, only_second: int) -> McNemar:
    """Give McNemar's exact test of two discordant counts; without any, p = 1.

    The doubled smaller binomial(n, 1/2) tail, summed in whole numbers.

    Source: Q. McNemar, Psychometrika 12 (1947) 153-157.
    """
    n, k = only_first + only_second, min(only_first, only_second)
    term = tail = math.comb(n, k)
    for i in range(k, 0, -1):
        term = term * i // (n - i + 1)
        tail += term
        # Later terms are smaller by a growing factor: none can move a float any more.
        if term < tail >> 80:
            break
    return McNemar(only_first, only_second, min(1.0, 2 * tail / 2**n))

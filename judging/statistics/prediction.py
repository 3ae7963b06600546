"""The prediction-powered pass rate: a second opinion beside the corrected one."""

from __future__ import annotations

import math

from judging.statistics.calibration import Share
from judging.statistics.counts import Counts
from judging.statistics.intervals import (
    CONFIDENCE,
    Interval,
    normal_quantile,
    square_and_add,
    wilson_interval,
)
from judging.statistics.values import Estimate, Figure, Undefined


def prediction_powered(counts: Counts, observed: Share, *, confidence: float = CONFIDENCE) -> Figure:
    """Give the prediction-powered pass rate: judge on unlabelled rows + mean (person - judge) on labelled.

    No verdict counts as not passed. Unlike the correction by TPR and TNR it needs the labelled rows
    to be a random sample of rows like the unlabelled ones, in their natural mix of passes and fails.

    The interval adds (square-and-add) Wilson's for the observed rate and, for the mean difference of
    two words on the same rows, the normal one with one discordant row more on each side, which a
    plain normal interval needs to hold at few rows.

    Source: A. N. Angelopoulos et al., Science 382 (2023) 669-674; D. G. Bonett and R. M. Price,
    J. Educ. Behav. Stat. 37 (2012) 479-488.
    """
    if observed.n == 0:
        return Undefined("no data: there are no unlabelled verdicts")
    if counts.total == 0:
        return Undefined("no data: there are no labelled rows")
    missed, waved = counts.passes - counts.tp, counts.fp
    difference = (missed - waved) / counts.total
    n = counts.total + 2
    up, down = (missed + 1) / n, (waved + 1) / n
    half = normal_quantile(confidence) * math.sqrt((up + down - (up - down) ** 2) / n)
    rows = Interval(up - down - half, up - down + half).holding(difference)
    interval = square_and_add(
        [observed.value, difference],
        [wilson_interval(observed.value, observed.n, confidence=confidence), rows],
    )
    value = min(1.0, max(0.0, observed.value + difference))
    return Estimate(
        value,
        min(value, max(0.0, interval.low)),
        max(value, min(1.0, interval.high)),
        n=observed.n,
        method=f"prediction-powered; square-and-add {confidence:.0%}",
    )
